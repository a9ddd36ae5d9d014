# Time and memory of ep_gp() against the number of rows, read from SQLite or Parquet or held in
# memory. The vignette "scale" shows them.
#
#   Rscript data-raw/scale-rows.R FOLDER                           every fit; FOLDER keeps the rows
#   Rscript data-raw/scale-rows.R FOLDER N SOURCE LEARNING START   one fit, in this process
#
# The rows are drawn in blocks, block i by seed i, so that a database of fewer rows has the first
# rows of a larger one. A block is a row group of a Parquet file. Every fit runs in a process of its
# own, and its row is added to vignettes/results/scale-rows.csv when it ends.

source(file.path("bench", "measure.R"))
source(file.path("data-raw", "units.R"))

block <- 1e5
inputs <- 8
file_of_results <- file.path("vignettes", "results", "scale-rows.csv")

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

#' One epoch of minibatches of a fit that starts from inducing inputs and hyper-parameters that are
#' given, so that fits from a source and from memory have the same bits, or that are found in a
#' random sample of the rows
fit_rows <- function(data, learning, start) {
  fit <- function(...) {
    gpsieve::ep_gp(y ~ ., data,
      method = "sep", batch_size = 200, epochs = 1, optimise = learning, seed = 1, threads = 1,
      verbose = FALSE, ...
    )
  }
  if (start == "sample") {
    return(fit(inducing = 200, inducing_init = "random",
      control = gpsieve::control_ep(window = 10000)
    ))
  }
  fit(
    inducing = as.matrix(draw_rows(0, 200)[seq_len(inputs)]), kernel = gpsieve::kernel_rbf(2, 2),
    control = gpsieve::control_ep(window = 10000, warm_rows = 0, prior = NULL)
  )
}

run_one <- function(folder, n, source, learning, start) {
  path <- path_of(folder, n)
  data <- if (source == "sqlite") {
    gpsieve::rows_from_db(path, "SELECT * FROM rows ORDER BY rowid")
  } else if (source == "parquet") {
    gpsieve::rows_from_files(path_of(folder, n, "parquet"))
  } else {
    con <- DBI::dbConnect(RSQLite::SQLite(), path)
    on.exit(DBI::dbDisconnect(con))
    rows <- DBI::dbReadTable(con, "rows")
    rows$y <- factor(rows$y)
    rows
  }
  rate <- gpsieve:::core_gemm_rate(1000)
  fitted <- measure(fit_rows(data, learning, start))
  test <- draw_rows(1e6, 1e4)
  probability <- stats::predict(fitted$value, test, type = "prob")
  row <- data.frame(
    n = n, source = source, learning = learning, start = start, cpu = fitted$cpu,
    wall = fitted$wall, peak_mb = fitted$peak, base_mb = fitted$base,
    posterior = rlang::hash(fitted$value$posteriors),
    log_loss = -mean(log(probability[cbind(seq_along(test$y), match(test$y, c("a", "b")))])),
    gflops_core = rate
  )
  first <- !file.exists(file_of_results)
  utils::write.table(row, file_of_results,
    sep = ",", row.names = FALSE, col.names = first, append = !first
  )
}

run_all <- function(folder) {
  unlink(file_of_results)
  runs <- rbind(
    expand.grid(
      n = c(1e5, 3e5, 1e6), source = c("sqlite", "parquet", "memory"), learning = c(TRUE, FALSE),
      start = "given", stringsAsFactors = FALSE
    ),
    expand.grid(
      n = c(2e5, 2e6), source = c("sqlite", "memory"), learning = TRUE, start = "given",
      stringsAsFactors = FALSE
    ),
    data.frame(n = c(3e6, 1e7), source = "sqlite", learning = TRUE, start = "sample")
  )
  for (i in order(runs$n)) {
    make_database(folder, runs$n[i])
    if (runs$source[i] == "parquet") make_parquet(folder, runs$n[i])
    status <- system2(file.path(R.home("bin"), "Rscript"), c(
      "data-raw/scale-rows.R", shQuote(folder), format(runs$n[i], scientific = FALSE),
      runs$source[i], runs$learning[i], runs$start[i]
    ))
    if (status != 0) stop("a fit failed", call. = FALSE)
  }
  found <- utils::read.csv(file_of_results)
  posteriors <- tapply(found$posterior, found[c("n", "learning", "start")], unique)
  stopifnot(lengths(posteriors) <= 1L)
  store_checksum(basename(file_of_results))
}

args <- commandArgs(TRUE)
if (length(args) == 5L) {
  run_one(args[1L], as.numeric(args[2L]), args[3L], as.logical(args[4L]), args[5L])
} else {
  dir.create(args[1L], showWarnings = FALSE, recursive = TRUE)
  run_all(args[1L])
}
