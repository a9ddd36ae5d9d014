# Files of rows: CSV (rows-csv.R), and Parquet by nanoparquet.

#' Rows from CSV or Parquet files
#'
#' @param paths Names of files, or of folders: then all files in them that end in `.csv` or
#'   `.parquet`, in the order of their names in the C locale. They are read one after another.
#' @param columns Names of the columns to read; `NULL` reads all of them.
#' @param block_rows Rows of a CSV file that are read at a time. A Parquet file is read by its row
#'   groups, whose sizes were chosen when it was written.
#' @param types A named character vector of column types for CSV files, as `colClasses` of
#'   [utils::read.csv()] takes it; types that are not given are those of the first block that has
#'   values. A column that begins with numbers, or with nothing but the letters `F` and `T`, and has
#'   other text in a later block needs `types = c(name = "character")`.
#' @inheritParams rows_from_function
#' @return A source of rows, see [rows_from_function()].
#' @details CSV files have a header, fields that are separated by commas, and no line breaks within
#'   fields; [utils::read.csv()] reads them, with numbers in quotes and row names as in any file.
#'   Parquet files need the package nanoparquet. Where its version cannot read single row groups, a
#'   file is read whole, and a large table should be a folder of smaller files.
#' @examples
#' path <- tempfile(fileext = ".csv")
#' write.csv(cars, path, row.names = FALSE)
#' source <- rows_from_files(path, block_rows = 20)
#' fit <- online_gp(dist ~ speed, source, budget = 10, seed = 1)
#' unlink(path)
#' @export
rows_from_files <- function(paths, columns = NULL, block_rows = 10000, types = NULL, copy = TRUE) {
  copy <- check_flag(copy, "copy")
  block_rows <- check_count(block_rows)
  files <- files_of(paths)
  kinds <- tolower(tools::file_ext(files))
  unknown <- files[!kinds %in% c("csv", "parquet")]
  if (length(unknown)) {
    abort_gpsieve("{.arg paths} must name files that end in {.val .csv} or {.val .parquet}.",
      "Found {.file {unknown}}.")
  }
  if ("parquet" %in% kinds) {
    rlang::check_installed("nanoparquet", "to read Parquet files.", version = "0.4.0",
      call = user_frame())
  }
  open <- function() {
    now <- 0L # the file that is being read
    reader <- NULL
    close <- function() {
      if (!is.null(reader)) reader$close()
      reader <<- NULL
    }
    next_block <- function() {
      repeat {
        if (is.null(reader)) {
          if (now == length(files)) return(NULL)
          now <<- now + 1L
          reader <<- switch(kinds[now],
            csv = csv_reader(files[now], block_rows, types), parquet = parquet_reader(files[now]))
        }
        data <- reader$next_block()
        types <<- reader$types()
        if (!is.null(data)) return(if (is.null(columns)) data else pick_columns(data, columns))
        close()
      }
    }
    list(next_block = next_block, close = close)
  }
  label <- if (length(files) == 1L) basename(files) else sprintf("%d files", length(files))
  rows_of_passes(open, label, copy)
}

files_of <- function(paths) {
  if (!is.character(paths) || !length(paths) || anyNA(paths)) {
    found <- describe(paths)
    abort_gpsieve("{.arg paths} must be names of files or folders.", "Found {found}.")
  }
  files <- unlist(lapply(paths, function(path) {
    if (!dir.exists(path)) return(path)
    inside <- list.files(path, "[.](csv|parquet)$", ignore.case = TRUE, full.names = TRUE)
    sort(inside, method = "radix")
  }))
  absent <- if (length(files)) files[!file.exists(files)] else paths
  if (length(absent)) {
    abort_gpsieve("{.arg paths} names {length(absent)} file{?s} that {?does/do} not exist.",
      "Not found, or without such files: {.file {absent}}.")
  }
  files
}

pick_columns <- function(data, columns) {
  absent <- setdiff(columns, names(data))
  if (length(absent)) stop("there is no column ", toString(dQuote(absent, FALSE)), call. = FALSE)
  data[columns]
}

# The blocks of a Parquet file: its row groups, or the whole file where the installed nanoparquet
# has no function for one of them. nanoparquet does not export that function, so that the number of
# rows that it returns is compared with what the file says.
parquet_reader <- function(path) {
  read_group <- get0("read_parquet_row_group", asNamespace("nanoparquet"), mode = "function")
  sizes <- nanoparquet::read_parquet_metadata(path)$row_groups$num_rows
  if (is.null(read_group)) {
    read_group <- function(path, group) nanoparquet::read_parquet(path)
    sizes <- sum(sizes)
  }
  group <- 0L
  list(
    next_block = function() {
      if (group == length(sizes)) return(NULL)
      data <- as.data.frame(read_group(path, group))
      group <<- group + 1L
      if (nrow(data) == sizes[group]) return(data)
      stop("row group ", group, " of ", basename(path), " should have ", sizes[group],
        " rows and was read with ", nrow(data),
        call. = FALSE)
    },
    close = function() NULL, types = function() NULL
  )
}
