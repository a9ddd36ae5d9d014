# Kernels as expressions (sums, products, restrictions, printing), and what other objects mean as
# kernels. What a kernel means to a fit is in kernel-parameters.R.

#' Add, multiply and print kernels
#'
#' Sums and products of kernels are kernels: the functions they describe are sums and products of
#' independent functions. Positive numbers may take part; they become constant kernels that are
#' not learned, so `2 * k` has twice the variance of `k`. Terms of a sum that have a
#' variance of their own (no products, restrictions to columns, warped or mixed inputs, or functions
#' of your own), and differ in nothing but that variance, are one term with the sum of the
#' variances, which is the same covariance.
#'
#' @param e1,e2 Kernels; one of them may be a positive number.
#' @param x A kernel.
#' @param digits Significant digits of hyper-parameters that are learned. Constants, periods and
#'   values in [fixed()] have at least seven.
#' @param ... Not used.
#' @return A kernel; `print()` returns its argument invisibly, `format()` a string: the expression
#'   that makes the kernel.
#' @seealso [kernel_rbf()] and the other kernels, [kernel_on()].
#' @examples
#' kernel_rbf(lengthscale = 2) + kernel_linear() * kernel_periodic() + 0.1
#' @name kernel-algebra
NULL

#' @rdname kernel-algebra
#' @export
Ops.gpsieve_kernel <- function(e1, e2) { # nolint: object_name_linter. A group generic's name.
  if (!.Generic %in% c("+", "*") || missing(e2)) {
    operator <- if (missing(e2)) paste("unary", .Generic) else .Generic
    abort_gpsieve("Kernels can be added and multiplied, nothing else.",
      "Found the operator {.code {operator}}.", class = "unsupported")
  }
  type <- if (.Generic == "+") "sum" else "product"
  parts <- c(kernel_terms(e1, type), kernel_terms(e2, type))
  if (type == "sum") parts <- merge_equal_terms(parts)
  if (length(parts) == 1L) parts[[1L]] else new_kernel(type, children = parts)
}

# The terms of a sum, those that differ in their variances only added up
merge_equal_terms <- function(terms) {
  kept <- list()
  for (term in terms) {
    at <- Position(function(other) equal_but_variance(term, other), kept)
    if (is.na(at)) {
      kept <- c(kept, list(term))
    } else {
      kept[[at]]$values$variance <- kept[[at]]$values$variance + term$values$variance
    }
  }
  kept
}

# Are these leaves with a variance that is given the same kernel, if it were not for the variance?
equal_but_variance <- function(a, b) {
  if (is.null(a$values[["variance"]]) || is.null(b$values[["variance"]])) return(FALSE)
  b$values["variance"] <- a$values["variance"]
  identical(a, b) && identical(kernel_kind(a)$scales, "variance")
}

# What an operand contributes to a sum or product, nested ones of the same type flattened
kernel_terms <- function(x, type) {
  if (inherits(x, "gpsieve_kernel")) {
    flat <- identical(x$type, type) && is.null(x$rich)
    return(if (flat) x$children else list(x))
  }
  usable <- is.numeric(x) && !is.object(x) && length(x) == 1L && is.finite(x) && x > 0
  if (!usable) {
    found <- describe(x)
    abort_gpsieve("Kernels add to and multiply with kernels and single positive numbers.",
      "Found {found}.")
  }
  list(kernel_constant(fixed(x)))
}

#' Restrict a kernel to some input columns
#'
#' \deqn{k(x, z) = \mathrm{kernel}(x_{\mathrm{dims}}, z_{\mathrm{dims}})}{
#'   k(x, z) = kernel(x[dims], z[dims])}
#'
#' @param kernel A kernel.
#' @param dims The columns it sees, in this order: numbers or names. They are columns of the numeric
#'   matrix that the model computes with, in which a factor without an order has one column per
#'   level.
#' @inherit kernel_rbf return
#' @seealso [kernel_rbf()] and the other kernels.
#' @examples
#' kernel_on(kernel_rbf(), c("age", "income")) + kernel_on(kernel_linear(), "year")
#' kernel_on(kernel_periodic(), 1) * kernel_on(kernel_rbf(), 2:3)
#' @export
kernel_on <- function(kernel, dims) {
  kernel <- as_kernel(kernel, "kernel")
  named <- is.character(dims)
  numbered <- is.numeric(dims) && !is.object(dims) &&
    all(is.finite(dims) & dims >= 1 & dims == trunc(dims))
  if (!(named || numbered) || !length(dims) || anyNA(dims) || anyDuplicated(dims)) {
    found <- if (anyDuplicated(dims)) "repeated columns" else describe(dims)
    abort_gpsieve("{.arg dims} must be distinct column numbers or column names.", "Found {found}.")
  }
  dims <- if (named) as.character(dims) else as.integer(dims)
  new_kernel("on", children = list(kernel), dims = dims)
}

sum_kind <- list(
  operator = TRUE, exported = TRUE,
  text = function(kernel, inner, digits) paste(inner, collapse = " + "),
  is_whole = function(kernel) length(kernel$children) > 0L
)

product_kind <- list(
  operator = TRUE, exported = TRUE, is_whole = sum_kind$is_whole,
  text = function(kernel, inner, digits) {
    sums <- vapply(kernel$children, is_sum, NA)
    inner[sums] <- paste0("(", inner[sums], ")")
    paste(inner, collapse = " * ")
  }
)

on_kind <- list(
  operator = TRUE, exported = TRUE,
  with_inputs = function(kernel, x, center, scale) {
    kernel$dims <- resolve_dims(kernel$dims, x)
    kernel
  },
  text = function(kernel, inner, digits) {
    if (isTRUE(kernel$others)) inner
    else paste0("kernel_on(", inner, ", dims = ", format_dims(kernel$dims), ")")
  },
  is_whole = function(kernel) {
    length(kernel$children) == 1L &&
      is_remade(kernel, "kernel_on", list(kernel_constant(), kernel$dims))
  }
)

#' @rdname kernel-algebra
#' @export
format.gpsieve_kernel <- function(x, digits = 3, ...) {
  if (!is.null(x$rich)) return(format_rich(x$rich))
  inner <- vapply(x$children, format, "", digits = digits)
  kernel_kind(x)$text(x, inner, digits)
}

# The call of kernel_rich() that makes an open rich kernel
format_rich <- function(rich) {
  given <- c(
    if (!identical(rich$nu, c(0.5, 2.5))) paste("nu =", format_numbers(rich$nu)),
    if (!rich$linear) "linear = FALSE",
    if (rich$variance != 1) paste("variance =", format_numbers(rich$variance)),
    if (rich$warp) "warp = TRUE",
    if (rich$mix) "mix = TRUE"
  )
  paste0("kernel_rich(", paste(given, collapse = ", "), ")")
}

#' @rdname kernel-algebra
#' @export
print.gpsieve_kernel <- print_formatted

# Start values and learned values in calls that a choice makes: a fit is made by such a call, so
# that the call makes the same fit again.
code_digits <- 4

# How many digits each value is written with: those that are not learned have `typed_digits` at
# least
digits_of_values <- function(x, digits) {
  exact <- names(x$values) %in% c(x$fixed, exact_names(x))
  ifelse(exact, max(digits, typed_digits), digits)
}

# The names of values of a kernel or a likelihood that are not learned by default
exact_names <- function(x) UseMethod("exact_names")

#' @export
exact_names.gpsieve_kernel <- function(x) c(constants_of(x), kernel_kind(x)$exact)

# A kernel or a likelihood whose values have `code_digits`, so that the call that makes it is short
rounded_for_code <- function(x) {
  rounded <- function(value, digits) if (is.numeric(value)) signif(value, digits) else value
  x$values <- Map(rounded, x$values, digits_of_values(x, code_digits))
  x$children <- lapply(x$children, rounded_for_code)
  x
}

format_values <- function(kernel, digits) {
  text <- unlist(Map(format_numbers, kernel$values, digits_of_values(kernel, digits)))
  fixed <- names(text) %in% kernel$fixed
  open <- vapply(kernel$values, is.null, NA)
  shown <- fixed | !open | (open & !open_by_default(kernel))
  text[fixed] <- paste0("fixed(", text[fixed], ")")
  text <- c(text[shown], if (isTRUE(kernel$ard)) c(ard = "TRUE"), format_units(kernel),
    if (!is.null(kernel$distance)) c(distance = dQuote(kernel$distance, FALSE)),
    if (!is.null(kernel$similarity)) c(similarity = dQuote(kernel$similarity, FALSE)))
  paste(names(text), text, sep = " = ", collapse = ", ", recycle0 = TRUE)
}

# Which values of a kernel or a likelihood are open, NULL, where the function that makes it is
# given nothing? These need not be typed; the variance of kernel_linear() is 1 then.
open_by_default <- function(x) {
  if (!inherits(x, "gpsieve_kernel")) return(rep(TRUE, length(x$values)))
  defaults <- formals(get(constructor_of(x), topenv()))
  vapply(names(x$values), function(name) is.null(defaults[[name]]), NA)
}

# Only what is not the constructor's default, and only beside lengths that are known.
format_units <- function(kernel) {
  if (!inherits(kernel, "gpsieve_kernel")) return(NULL)
  kind <- kernel_kind(kernel)
  lengths <- unlist(kernel$values[kind$unit])
  units <- if (is.null(kernel$units)) "standardised" else kernel$units
  default <- kind$usual_units
  if (units == default || (default == "data" && is.null(lengths))) return(NULL)
  c(units = dQuote(units, FALSE))
}

format_dims <- function(dims) {
  as_vector_call(if (is.character(dims)) encodeString(dims, quote = '"') else as.character(dims))
}

# What an argument `kernel` means: a kernel, kernlab's kernel object, or a function of two matrices
as_kernel <- function(x, arg = rlang::caller_arg(x)) {
  if (inherits(x, "gpsieve_kernel")) return(check_kernel_parts(x, arg))
  if (identical(attr(class(x), "package"), "kernlab")) return(from_kernlab(x, arg))
  constructor <- is.function(x) && identical(environment(x), environment(as_kernel))
  if (takes_two_points(x) && !constructor) return(new_kernel("function", fn = x))
  found <- describe_function(x)
  abort_gpsieve("{.arg {arg}} must be a kernel.", "Found {found}.",
    if (constructor) {
      "Call it: a kernel is what {.code kernel_rbf()} returns."
    } else {
      "Kernels are made by {.fn kernel_rbf} and its kin; {.fn kernel_function} takes your own."
    }
  )
}

# kernlab's kernels, by their parametrisation in its page ?dots: rbfdot() makes an "rbfkernel"
from_kernlab <- function(x, arg) {
  maker <- sub("kernel$", "dot", as.vector(class(x))[1L])
  pars <- x@kpar
  switch(maker,
    rbfdot = kernel_rbf(lengthscale = sqrt(1 / (2 * pars$sigma))),
    laplacedot = kernel_matern(nu = 0.5, lengthscale = 1 / pars$sigma),
    vanilladot = kernel_linear(),
    polydot = kernel_polynomial(degree = pars$degree, offset = pars$offset, scale = pars$scale),
    abort_gpsieve("{.arg {arg}} comes from kernlab and has no counterpart here.",
      "Found an object that {.fn {maker}} makes.",
      "Those of {.fn rbfdot}, {.fn laplacedot}, {.fn polydot} and {.fn vanilladot} have one.",
      class = "unsupported"))
}
