# Rows of a matrix that is not held in memory as a matrix of R.

#' Rows from a matrix on disk
#'
#' @param x An object with two dimensions of which `x[rows, , drop = FALSE]` is an ordinary matrix,
#'   such as a `big.matrix`; or a function without arguments that returns one,
#'   which is called for each pass over the rows. The response is one of its columns.
#' @param block_rows Rows that are read at a time.
#' @inheritParams rows_from_function
#' @return A source of rows, see [rows_from_function()]. Columns without a name are called `V1`,
#'   `V2` and so on.
#' @details Models that read sources of rows take a `big.matrix` itself as `data`, and
#'   [predict()][predict.gpsieve_fit] takes it as `newdata`. Workers of a cluster need the function,
#'   because other processes cannot use a `big.matrix` of this one.
#' @examples
#' # Any matrix will do, also one on disk.
#' source <- rows_from_matrix(as.matrix(cars), block_rows = 20)
#' fit <- online_gp(dist ~ speed, source, budget = 10, seed = 1)
#' @export
rows_from_matrix <- function(x, block_rows = 10000, copy = FALSE) {
  copy <- check_flag(copy, "copy")
  block_rows <- check_count(block_rows)
  if (!is.function(x) && length(dim(x)) != 2L) {
    found <- describe(x)
    abort_gpsieve("{.arg x} must be a matrix, or a function that returns one.", "Found {found}.")
  }
  rows_of_passes(function() {
    opened <- if (is.function(x)) x() else x
    if (is_of_matrix_package(opened)) opened <- read_matrix(opened, "x", identity)
    past <- 0 # rows that have been returned
    next_block <- function() {
      rows <- seq_len(min(block_rows, nrow(opened) - past))
      block <- opened[past + rows, , drop = FALSE]
      past <<- past + length(rows)
      if (length(rows)) as.data.frame(as.matrix(block))
    }
    list(next_block = next_block, close = function() NULL)
  }, "a matrix", copy, portable = is.function(x))
}
