# Kernels that are a function of the user's.

#' A kernel of your own
#'
#' Any R function of two matrices of points. It is called on the main thread, once for each block of
#' the covariance matrix; it has no hyper-parameters, and inducing inputs cannot be learned with it.
#' Parameters of the function can be learned from outside, by the evidence, as the last example
#' does.
#' It must be symmetric, `fn(x, z) == t(fn(z, x))`, and positive semi-definite. A fit keeps the
#' function, with the environment it was made in.
#'
#' @param fn `function(x, z)`: takes two numeric matrices, rows are points, and returns the numeric
#'   `nrow(x)` by `nrow(z)` matrix of covariances.
#' @param name The name to print; `NULL` takes the name `fn` was passed by.
#' @inherit kernel_rbf return seealso
#' @examples
#' # the covariance of Brownian motion
#' brownian <- function(x, z) outer(x[, 1], z[, 1], pmin)
#' kernel_function(brownian)
#' kernel_matrix(kernel_function(brownian), matrix(1:3))
#'
#' # a parameter that is learned: how fast correlations decay
#' decaying <- function(rate) {
#'   kernel_function(function(x, z) exp(-rate * abs(outer(x[, 1], z[, 1], `-`))))
#' }
#' fit_at <- function(rate) meanfield_gp(dist ~ speed, cars, kernel = decaying(rate))
#' optimise(function(log_rate) evidence(fit_at(exp(log_rate)))$value, c(-3, 3),
#'   maximum = TRUE, tol = 0.1
#' )
#' @export
kernel_function <- function(fn, name = NULL) {
  passed <- substitute(fn)
  if (!is.null(name) && (!is.character(name) || length(name) != 1L || is.na(name))) {
    found <- describe(name)
    abort_gpsieve("{.arg name} must be a single string or NULL.", "Found {found}.")
  }
  if (!takes_two_points(fn)) {
    found <- describe_function(fn)
    abort_gpsieve("{.arg fn} must be a function of two matrices, {.code fn(x, z)}.",
      "Found {found}.")
  }
  if (is.null(name) && is.symbol(passed)) name <- as.character(passed)
  new_kernel("function", fn = fn, name = name)
}

# Whether f(x, z) is a complete call
takes_two_points <- function(f) {
  if (!is.function(f)) return(FALSE)
  arguments <- formals(args(f))
  if ("..." %in% utils::head(names(arguments), 2L)) return(TRUE)
  required <- !nzchar(as.character(arguments))
  length(arguments) >= 2L && !any(required[-(1:2)] & names(arguments)[-(1:2)] != "...")
}

describe_function <- function(f) {
  if (!is.function(f)) return(describe(f))
  arguments <- names(formals(args(f)))
  if (!length(arguments)) return("a function without arguments")
  paste0("a function of (", paste(arguments, collapse = ", "), ")")
}

# The name of a function, or of a matrix
text_of_given <- function(what) {
  function(kernel, inner, digits) {
    paste0(constructor_of(kernel), "(", if (is.null(kernel$name)) what else kernel$name, ")")
  }
}

function_kind <- list(
  hyper = character(), unit_variance = "none", rate = function(leaf) 1, word = "user-defined",
  text = text_of_given("<function>"),
  is_whole = function(kernel) {
    is_remade(kernel, "kernel_function", unclass(kernel)[c("fn", "name")])
  },
  maps = FALSE, sparse = FALSE, input_gradient = FALSE, exported = FALSE
)
