# The experiments of Quinonero-Candela and Winther (2003) that vignettes/rvm.Rmd shows: Figure 2
# and the left of Figure 3. (The MNIST experiment is the benchmark rvm-mnist1.) From the root of the
# repository:
#
#   Rscript data-raw/rvm-paper.R [--sizes=100,200,400,800]
#
# Needs the package installed. Writes
#
#   vignettes/results/rvm-fig2.csv   evidence and number of functions against CPU time, 400 rows
#   vignettes/results/rvm-fig3.csv   test error, functions and CPU time by number of rows
#
# Fits of all sizes up to 800 take about ten seconds of one core; a batch fit of 2400 rows minutes.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("tools/data.R")
source("bench/measure.R")
source("bench/report.R")
source("bench/cases.R") # the protocol: bench/cases/rvm.R

given <- sub("--sizes=", "", grep("^--sizes=", commandArgs(TRUE), value = TRUE))
sizes <- if (length(given)) as.numeric(strsplit(given, ",")[[1L]]) else c(100, 200, 400, 800)
results <- file.path("vignettes", "results")

train <- function(n, algorithm, data) {
  measure(suppressWarnings(
    rvm(data$x, data$y,
      kernel = paper_width(), algorithm = algorithm, optimise = FALSE, standardise = FALSE, seed = 1,
      threads = 1, verbose = FALSE
    ),
    classes = "gpsieve_warning_convergence"
  ))
}

row_of <- function(n, algorithm) {
  data <- mackey_glass_rows(n, seed = 1)
  fitted <- train(n, algorithm, data)
  data.frame(
    n = n, algorithm = algorithm, error = error_of(predict(fitted$value, data$test_x), data$test_y),
    size = length(active_set(fitted$value)), evidence = evidence(fitted$value)$value,
    cpu = fitted$cpu
  )
}

traces <- lapply(c("ssem", "em"), function(algorithm) {
  fitted <- train(400, algorithm, mackey_glass_rows(400, seed = 1))
  trace <- fit_trace(fitted$value)
  # The clock of the trace is the wall's; what counts is the share of the CPU time.
  trace$cpu <- fitted$cpu * trace$seconds / max(trace$seconds)
  data.frame(algorithm = algorithm, trace[c("cpu", "objective", "size")])
})
write.csv(do.call(rbind, traces), file.path(results, "rvm-fig2.csv"), row.names = FALSE)

rows <- list()
for (n in sizes) for (algorithm in c("ssem", "em", "fast")) {
  rows[[length(rows) + 1L]] <- row_of(n, algorithm)
  print(rows[[length(rows)]])
  write.csv(do.call(rbind, rows), file.path(results, "rvm-fig3.csv"), row.names = FALSE)
}
