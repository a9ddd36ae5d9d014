# A kernel or a likelihood is a plain list, which may have been edited by hand or read from a file.
# Before a model computes with it, it is compared with what its constructor makes of its values.

# Stops unless every part of a kernel is what its constructor makes
check_kernel_parts <- function(kernel, arg) {
  # gpsieve() gives the same kernels to fit after fit.
  check_parts(good_as_before(list(kernel, "given"), function(kernel, as) is_whole_kernel(kernel)),
    arg, "kernel")
  kernel
}

check_parts <- function(whole, arg, kind) {
  # The comparison stops with an error where a part has another type.
  if (isTRUE(on_error(whole, function(e) FALSE))) return(invisible())
  abort_gpsieve("{.arg {arg}} is a {kind} with a damaged part.",
    hint = "Make it again with the function that creates it.", class = "object")
}

is_whole_kernel <- function(kernel) {
  inherits(kernel, paste0("gpsieve_kernel_", kernel$type)) && is.list(kernel$values) &&
    is.list(kernel$children) &&
    (is.null(kernel$ard) || is_flag(kernel$ard)) &&
    (is.null(kernel$units) || identical(kernel$units, "data")) &&
    (is.null(kernel$distance) || identical(kernel$distance, "arc")) &&
    (is.null(kernel$similarity) || identical(kernel$similarity, "learned")) &&
    all(vapply(kernel$children, is_whole_kernel, NA)) && kernel_kind(kernel)$is_whole(kernel)
}

# Is a leaf what its constructor makes of its values?
is_remade_leaf <- function(kernel) {
  is_remade(kernel, constructor_of(kernel), c(
    kernel$values, if (!is.null(kernel$ard)) list(ard = kernel$ard),
    if (!is.null(kernel$units)) list(units = kernel$units),
    if (!is.null(kernel$distance)) list(distance = kernel$distance),
    if (!is.null(kernel$similarity)) list(similarity = kernel$similarity)
  ))
}

# Does a constructor make the same object of these arguments, up to what is fixed?
is_remade <- function(x, maker, arguments) {
  remade <- do.call(maker, arguments, quote = TRUE)
  setequal(names(x$values), names(remade$values)) && identical(class(x), class(remade)) &&
    isTRUE(all.equal(x$values[names(remade$values)], remade$values, check.attributes = FALSE)) &&
    is.character(x$fixed) && all(x$fixed %in% names(x$values))
}
