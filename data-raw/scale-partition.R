# Time and memory of ivm(leaf_rows = ) against the number of rows, read from SQLite or held in
# memory, on the rows of data-raw/scale-runs.R. The vignette "scale" shows them.
#
#   Rscript data-raw/scale-partition.R FOLDER             every fit; FOLDER keeps the rows
#   Rscript data-raw/scale-partition.R FOLDER N SOURCE    one fit, in this process
#
# The kernel is given, so that fits from a source and from memory have the same bits.

# No first unit: each fit reads a file of 100,000 rows or more, in a process of its own.
source(file.path("data-raw", "scale-runs.R"))
file_of_results <- file.path("vignettes", "results", "scale-partition.csv")

settings <- list(n_active = 100, leaf_rows = 8000)

fit_leaves <- function(data) {
  gpsieve::ivm(y ~ ., data,
    kernel = gpsieve::kernel_rbf(2, 2), n_active = settings$n_active,
    leaf_rows = settings$leaf_rows, refine = 1, optimise = FALSE, seed = 1, threads = 1,
    verbose = FALSE
  )
}

run_one <- function(folder, n, source) {
  data <- open_rows(folder, n, source)
  fitted <- measure(fit_leaves(data))
  add_result(data.frame(
    n = n, source = source, leaves = length(fitted$value$partition$rows),
    n_active = settings$n_active, measured_columns(fitted)
  ), file_of_results)
}

runs <- data.frame(n = c(1e5, 1e6, 1e5, 1e6, 1e7), source = rep(c("memory", "sqlite"), 2:3))

args <- commandArgs(TRUE)
if (length(args) == 3L) {
  run_one(args[1L], as.numeric(args[2L]), args[3L])
} else {
  found <- run_each(args[1L], runs, "data-raw/scale-partition.R", file_of_results)
  stopifnot(lengths(tapply(found$posterior, found$n, unique)) == 1L)
  store_checksum(basename(file_of_results))
}
