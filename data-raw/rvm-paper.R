# The experiments of Quinonero-Candela and Winther (2003) that vignettes/rvm.Rmd shows. From the
# root of the repository:
#
#   Rscript data-raw/rvm-paper.R
#
# The left of Figure 3, the comparison with kernlab and the models of MNIST are results of benchmark
# cases. Run these first; this script reads their files:
#
#   for case in rvm-mackeyglass rvm-fig3 rvm-mnist1; do
#     Rscript bench/run.R $case --json=bench/results/$case.json
#   done
#
# Figure 2 and the right of Figure 3 are computed here. They need the package installed, and Figure
# 3 needs MNIST in the folder named by GPSIEVE_DATA. The script writes
#
#   vignettes/results/rvm-bench.csv   the rows of the benchmark cases
#   vignettes/results/rvm-fig2.csv    evidence and number of functions against CPU time, 400 rows
#   vignettes/results/rvm-digits.csv  errors and evidence by number of visited candidates, MNIST

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("tools/data.R")
source("bench/measure.R")
source("bench/report.R")
source("bench/cases.R") # the protocol: bench/cases/rvm.R

results <- file.path("vignettes", "results")
keep <- function(rows, name) write.csv(rows, file.path(results, name), row.names = FALSE)

#' A fit with the settings of the benchmark cases, without the warning that EM has not converged
train <- function(data, ...) {
  suppressWarnings(
    rvm(data$x, data$y,
      ..., kernel = paper_width(), optimise = FALSE, standardise = FALSE, seed = 1, threads = 1,
      verbose = FALSE
    ),
    classes = "gpsieve_warning_convergence"
  )
}

# --- the benchmark cases ------------------------------------------------------------------------

bench_rows <- function(case) {
  results <- read_results(file.path("bench", "results", paste0(case, ".json")))
  if (isTRUE(results$quick)) stop(case, " is a quick trial.", call. = FALSE)
  results$rows[c("case", "n", "engine", "size", "cpu", "error", "log_loss")]
}

cases <- lapply(c("rvm-mackeyglass", "rvm-fig3", "rvm-mnist1"), bench_rows)
keep(do.call(rbind, cases), "rvm-bench.csv")

# --- Figure 2 -----------------------------------------------------------------------------------

invisible(train(mackey_glass_rows(100, seed = 1))) # the first fit of a session loads what it needs
traces <- lapply(c("ssem", "em"), function(algorithm) {
  data <- mackey_glass_rows(400, seed = 1)
  fitted <- measure(train(data, algorithm = algorithm, control = control_rvm(max_iter = 300)))
  trace <- fit_trace(fitted$value)
  # The trace has elapsed seconds. They are scaled such that the total is the CPU time of the fit.
  trace$cpu <- fitted$cpu * trace$seconds / max(trace$seconds)
  data.frame(algorithm = algorithm, trace[c("cpu", "objective", "size")])
})
keep(do.call(rbind, traces), "rvm-fig2.csv")

# --- Figure 3, right ----------------------------------------------------------------------------

digits <- mnist_one_rows(1, quick = FALSE)
if (is.null(digits)) stop("MNIST is not there; see GPSIEVE_DATA.", call. = FALSE)
# Candidates are visited in the given order, so that a fit with the first k candidates is the state
# of the full fit after k visits.
visits <- lapply(c(5, 10, 20, 40, 80, 120, 160, 200, 300, 400, 500, 600, 700, 800), function(k) {
  fit <- train(digits, basis = digits$basis[seq_len(k), ], inference = "laplace",
    control = control_rvm(order = "given", max_iter = 0)
  )
  data.frame(
    visited = k, size = length(active_set(fit)), evidence = evidence(fit)$value,
    training = mean(predict(fit, digits$x) != digits$y),
    test = mean(predict(fit, digits$test_x) != digits$test_y)
  )
})
keep(do.call(rbind, visits), "rvm-digits.csv")
