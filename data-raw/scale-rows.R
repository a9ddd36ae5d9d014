# Time and memory of ep_gp() against the number of rows, read from SQLite or Parquet or held in
# memory. The vignette "scale" shows them.
#
#   Rscript data-raw/scale-rows.R FOLDER                           every fit; FOLDER keeps the rows
#   Rscript data-raw/scale-rows.R FOLDER N SOURCE LEARNING START   one fit, in this process

# No first unit: each fit reads a file of 100,000 rows or more, in a process of its own.
source(file.path("data-raw", "scale-runs.R"))
file_of_results <- file.path("vignettes", "results", "scale-rows.csv")

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
  data <- open_rows(folder, n, source)
  rate <- gpsieve:::core_gemm_rate(1000)
  found <- measured_columns(measure(fit_rows(data, learning, start)))
  row <- data.frame(n = n, source = source, learning = learning, start = start, found)
  add_result(data.frame(row, gflops_core = rate), file_of_results)
}

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

args <- commandArgs(TRUE)
if (length(args) == 5L) {
  run_one(args[1L], as.numeric(args[2L]), args[3L], as.logical(args[4L]), args[5L])
} else {
  found <- run_each(args[1L], runs, "data-raw/scale-rows.R", file_of_results)
  posteriors <- tapply(found$posterior, found[c("n", "learning", "start")], unique)
  stopifnot(lengths(posteriors) <= 1L)
  store_checksum(basename(file_of_results))
}
