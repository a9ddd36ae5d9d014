# What the scripts that measure time and memory against the number of rows share: the rows, their
# files, and fits that each run in a process of their own.
#
# The rows are drawn in blocks, block i by seed i, so that a database of fewer rows has the first
# rows of a larger one. A block is a row group of a Parquet file. The row of a fit is added to the
# file of results when the fit ends.

source(file.path("bench", "measure.R"))
source(file.path("data-raw", "units.R"))

block <- 1e5
inputs <- 8

#' Two classes separated by a curved surface; a tenth of the labels are exchanged
draw_rows <- function(seed, n) {
  set.seed(seed)
  x <- matrix(stats::rnorm(n * inputs), n, dimnames = list(NULL, paste0("x", seq_len(inputs))))
  signal <- sin(2 * x[, 1L]) + x[, 2L] * x[, 3L]
  flip <- stats::runif(n) < 0.1
  data.frame(x, y = ifelse((signal > 0) != flip, "b", "a"))
}

path_of <- function(folder, n, kind = "sqlite") {
  file.path(folder, sprintf("rows-%.0f.%s", n, kind))
}

make_parquet <- function(folder, n) {
  path <- path_of(folder, n, "parquet")
  if (file.exists(path)) return(invisible())
  nanoparquet::write_parquet(draw_rows(1, block), path)
  keep <- nanoparquet::parquet_options(keep_row_groups = TRUE)
  for (i in seq_len(n / block)[-1]) {
    nanoparquet::append_parquet(draw_rows(i, block), path, options = keep)
  }
}

make_database <- function(folder, n) {
  path <- path_of(folder, n)
  if (file.exists(path)) return(invisible())
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  on.exit(DBI::dbDisconnect(con))
  for (i in seq_len(n / block)) DBI::dbWriteTable(con, "rows", draw_rows(i, block), append = TRUE)
}

#' The first n rows, from their file or, where the source is "memory", as a data frame
open_rows <- function(folder, n, source) {
  path <- path_of(folder, n)
  if (source == "sqlite") {
    return(gpsieve::rows_from_db(path, "SELECT * FROM rows ORDER BY rowid"))
  }
  if (source == "parquet") return(gpsieve::rows_from_files(path_of(folder, n, "parquet")))
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  on.exit(DBI::dbDisconnect(con))
  rows <- DBI::dbReadTable(con, "rows")
  rows$y <- factor(rows$y)
  rows
}

#' What measure() found of a fit, and the mean log loss of its predictions of 10,000 other rows
measured_columns <- function(fitted) {
  test <- draw_rows(1e6, 1e4)
  probability <- stats::predict(fitted$value, test, type = "prob")
  data.frame(
    cpu = fitted$cpu, wall = fitted$wall, peak_mb = fitted$peak, base_mb = fitted$base,
    posterior = rlang::hash(fitted$value$posteriors),
    log_loss = -mean(log(probability[cbind(seq_along(test$y), match(test$y, c("a", "b")))]))
  )
}

#' Adds the row of one fit to the file of results
add_result <- function(row, file) {
  first <- !file.exists(file)
  utils::write.table(row, file,
    sep = ",", row.names = FALSE, col.names = first, append = !first
  )
}

#' Every fit of `runs`, a data frame of arguments (n and source the first of them), by `script`;
#' returns the rows of `file`, which are those of these fits
run_each <- function(folder, runs, script, file) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  unlink(file)
  for (i in order(runs$n)) {
    make_database(folder, runs$n[i])
    if (runs$source[i] == "parquet") make_parquet(folder, runs$n[i])
    arguments <- c(format(runs$n[i], scientific = FALSE), as.character(unlist(runs[i, -1L])))
    status <- system2(file.path(R.home("bin"), "Rscript"), c(script, shQuote(folder), arguments))
    if (status != 0) stop("a fit failed", call. = FALSE)
  }
  utils::read.csv(file)
}
