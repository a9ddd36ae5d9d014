# Lengths in the units of the data. A fit that standardises its inputs computes with columns that
# were divided by their standard deviations, and so are the lengths of its kernel: those of a leaf
# whose `units` are "data" are divided by the scale of their column before the fit and multiplied by
# it where they are reported.

# A leaf with its length divided by the scales of its columns.
# One length serves several columns if their scales are equal. Where they are not, a period that
# was left open stays in standardised units, and a given one asks for a factor for each column.
in_core_units <- function(leaf, scale, open) {
  kind <- kernel_kind(leaf)
  name <- kind$unit
  given <- !name %in% open
  if (length(leaf$values[[name]]) < length(scale) && any(scale != scale[1L])) {
    if (is.null(kind$by_column)) abort_unequal_scales(leaf)
    if (given) return(kind$by_column(leaf, scale))
    leaf$units <- NULL
  } else if (given) {
    leaf$values[[name]] <- leaf$values[[name]] / own_scales(leaf$values[[name]], scale)
  }
  leaf
}

# The kernel of a fit as it is reported: the inverse of in_core_units() for all its leaves
in_data_units <- function(kernel, scale) {
  if (is_restricted(kernel)) scale <- scale[kernel$dims]
  kernel$children <- lapply(kernel$children, in_data_units, scale)
  if (identical(kernel$units, "data")) {
    name <- kernel_kind(kernel)$unit
    kernel$values[[name]] <- kernel$values[[name]] * own_scales(kernel$values[[name]], scale)
  }
  kernel
}

# The scale that each of these lengths is measured in
own_scales <- function(lengths, scale) unname(scale[seq_along(lengths)])

# Has any leaf of the kernel lengths in the units of the data?
has_data_units <- function(kernel) {
  any(vapply(kernel_leaves(kernel), function(leaf) identical(leaf$kernel$units, "data"), NA))
}

abort_unequal_scales <- function(leaf) {
  maker <- constructor_of(leaf)
  abort_gpsieve(
    "One lengthscale in the units of the data needs columns with the same standard deviation.",
    "{.fn {maker}} has one for {.code units = \"data\"} and sees several columns.",
    "Use {.code ard = TRUE}, or {.code standardise = FALSE}.")
}
