# The covariance matrix of a kernel.

#' Evaluate a kernel
#'
#' The matrix of covariances between the rows of `x` and those of `z`.
#'
#' Without `z` the matrix is that of the points `x` among themselves: symmetric, with white noise
#' ([kernel_white()]) on its diagonal. Rows of a `z` are other points, even where they coincide with
#' rows of `x`: white noise contributes nothing.
#'
#' @param kernel A kernel, e.g. [kernel_rbf()].
#' @param x,z Numeric matrices, sparse ones of package Matrix, or data frames with the same columns;
#'   rows are points. `z = NULL`, the default, stands for the points `x` themselves.
#' @return A numeric `nrow(x)` by `nrow(z)` matrix.
#' @seealso [kernel_rbf()] and the other kernels.
#' @details
#' A lengthscale left `NULL` of a kernel of distances is the median distance between the rows of `x`
#' in the columns that the kernel sees (multiples of it in [kernel_rich()]): of 500 evenly spaced
#' rows where there are more, and the mean of the positive distances where most are 0. It is 1 for
#' [kernel_linear()] and [kernel_periodic()]. Nothing is standardised here.
#' @examples
#' x <- as.matrix(iris[1:4, 1:2])
#' kernel_matrix(kernel_rbf(lengthscale = 1), x)
#' kernel_matrix(kernel_linear(), x, x[1:2, ])
#' @export
kernel_matrix <- function(kernel, x, z = NULL) {
  kernel <- as_kernel(kernel, "kernel")
  x <- kernel_points(x, "x")
  check_has_size(x, "x")
  if (!is.null(z)) {
    z <- kernel_points(z, "z")
    if (ncol(z) != ncol(x)) {
      abort_gpsieve("{.arg z} must have the columns of {.arg x}: {ncol(x)}.", "Found {ncol(z)}.",
        class = "data")
    }
  }
  rows <- if (is.null(z)) nrow(x) else nrow(z)
  check_memory(2 * doubles(nrow(x), rows), "the matrix has {nrow(x)} rows and {rows} columns",
    "Evaluate the kernel for fewer points at a time.")
  # Sparse and dense rows meet as sparse rows.
  if (!is.null(z) && is_sparse(x) != is_sparse(z)) {
    if (is_sparse(x)) z <- dense_to_sparse(z) else x <- dense_to_sparse(x)
  }
  check_sparse_kernel(kernel, x)
  kernel <- kernel_resolve(kernel, x)
  check_ranges(kernel, apply(rbind(x, z), 2L, range), colnames(x))
  k <- call_core(core_kernel_matrix, kernel_spec(kernel), x, z)
  columns <- if (is.null(z)) rownames(x) else rownames(z)
  if (!is.null(rownames(x)) || !is.null(columns)) dimnames(k) <- list(rownames(x), columns)
  k
}

kernel_points <- function(x, arg) {
  if (is_of_matrix_package(x)) return(as_sparse(x, arg))
  if (is.data.frame(x)) {
    x <- as.matrix(x)
  } else if (!is.matrix(x)) {
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be a matrix or a data frame.", "Found {found}.",
      "Rows are points: a single column is {.code matrix(x)}.")
  }
  x <- check_numeric_matrix(x, arg)
  check_finite(x, arg)
  storage.mode(x) <- "double"
  x
}
