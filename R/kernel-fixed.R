# Values that are not learned: fixed(), or hold() where another package's fixed() is in the way.

#' Keep a hyper-parameter from being learned
#'
#' Wraps the value of a kernel's or likelihood's argument. Fitting then uses the value as it is,
#' whatever `optimise` says; only `learn_on_blocks(widen = )` multiplies variances that are fixed.
#' `hold()` and `fixed()` do the same; other packages, stringr among them, have a `fixed()` of their
#' own, which hides this one if they are attached later.
#'
#' @param value The number or numbers to keep. `hold(NULL)` is allowed where the argument may be
#'   `NULL`: the value is chosen from the data as usual, then kept.
#' @return An object of class `gpsieve_fixed` for use as an argument of a kernel or likelihood.
#' @seealso [kernel_rbf()] and the other kernels.
#' @examples
#' kernel_rbf(variance = hold(1))
#' kernel_rbf() + kernel_constant(fixed(0.1))
#' @export
fixed <- function(value) {
  if (is_fixed(value)) return(value)
  if (!is.null(value) && (!is.numeric(value) || is.object(value))) {
    found <- describe(value)
    abort_gpsieve("{.arg value} must be numeric or NULL.", "Found {found}.")
  }
  structure(list(value = value), class = "gpsieve_fixed")
}

#' @rdname fixed
#' @export
hold <- function(value) fixed(value)

# Is it a value to keep? What another package's fixed() made is refused by name.
is_fixed <- function(x) {
  foreign <- !inherits(x, "gpsieve_fixed") && any(grepl("fixed", class(x), fixed = TRUE))
  if (foreign) {
    abort_gpsieve("A value to keep must be made by {.fn hold}.",
      "Found an object of class {.cls {class(x)}}: the {.fn fixed} of another package.",
      "{.fn gpsieve::hold} does what {.fn gpsieve::fixed} does, under a name of its own.")
  }
  inherits(x, "gpsieve_fixed")
}

#' @export
format.gpsieve_fixed <- function(x, ...) paste0("fixed(", format_numbers(x$value), ")")

#' @export
print.gpsieve_fixed <- print_formatted
