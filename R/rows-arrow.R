# Rows of Arrow data: datasets and queries of package arrow, streams of other software.

#' Rows from Arrow data
#'
#' @param x An object of which `nanoarrow::as_nanoarrow_array_stream()` makes a stream: a `Dataset`,
#'   `Table` or query of package arrow, a `RecordBatchReader`, the answer of a database driver that
#'   speaks Arrow; or a function without arguments that returns such an object, which is called for
#'   each pass over the rows.
#' @param copy Should a fit read a copy of the rows, which its first pass writes to a temporary
#'   file, see [rows_from_function()]? Without one, or where the first pass does not suffice
#'   (see there), a fit needs more than one pass; a stream can be
#'   read once only, so that `x` must then be a function or a dataset.
#' @return A source of rows, see [rows_from_function()]. The blocks are the record batches.
#' @details Models that read sources of rows take such an object itself as `data`, and
#'   [predict()][predict.gpsieve_fit] takes it as `newdata`. A `Table` or `RecordBatch` of package
#'   arrow, whose rows are in memory, is then the data frame that `as.data.frame()` makes of it;
#'   `rows_from_arrow()` reads its batches.
#' @examplesIf requireNamespace("nanoarrow", quietly = TRUE)
#' path <- tempfile(fileext = ".arrows")
#' nanoarrow::write_nanoarrow(cars, path)
#' source <- rows_from_arrow(function() nanoarrow::read_nanoarrow(path))
#' fit <- online_gp(dist ~ speed, source, budget = 10, seed = 1)
#' unlink(path)
#' @export
rows_from_arrow <- function(x, copy = TRUE) {
  copy <- check_flag(copy, "copy")
  rlang::check_installed("nanoarrow", "to read Arrow data.", call = user_frame())
  if (!is.function(x) && !is_arrow(x)) {
    found <- describe(x)
    abort_gpsieve("{.arg x} must be Arrow data, or a function that returns them.", "Found {found}.")
  }
  rows_of_passes(function() {
    stream <- nanoarrow::as_nanoarrow_array_stream(if (is.function(x)) x() else x)
    list(
      next_block = function() {
        batch <- stream$get_next()
        if (!is.null(batch)) as.data.frame(batch)
      },
      # A stream that has been read to its end may have released itself.
      close = function() on_error(stream$release(), function(e) NULL)
    )
  }, "Arrow data", copy, portable = is.function(x))
}

# The data frame of an arrow table whose rows are in memory; all else as it is
in_memory <- function(data) {
  if (!inherits(data, "ArrowTabular")) return(data)
  on_error(as.data.frame(data), function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("The {.cls {class(data)[1L]}} of package arrow could not be read.", "{said}",
      "{.fn as.data.frame} must make a data frame of it.", class = "data")
  })
}
