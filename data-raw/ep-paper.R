# The experiments of Hernandez-Lobato et al. (2015) that vignettes/ep.Rmd shows. From the root of
# the repository:
#
#   Rscript data-raw/ep-paper.R
#
# Table 1, Figure 3 and the times are results of benchmark cases. Run these first; this script reads
# their files:
#
#   for case in sep-mnist sep-uci sep-size sep-flights; do
#     Rscript bench/run.R $case --json=bench/results/$case.json
#   done
#
# Figure 2, the log loss along a fit, is computed here; it needs the package installed, MNIST in the
# folder named by GPSIEVE_DATA, and nycflights13. Every curve is stored under build/ep-paper when it
# is finished and is not computed again by the same build of the package. The script writes
#
#   vignettes/results/ep-bench.csv    the rows of the benchmark cases, medians over seeds
#   vignettes/results/ep-curves.csv   log loss on held-out rows along the fits of Figure 2

suppressPackageStartupMessages(library(gpsieve))
source("tools/data.R")
source("bench/measure.R")
source("bench/report.R")
here <- "bench"
source("bench/cases.R")

source("data-raw/units.R")
store <- open_store("ep-paper")

#' The rows of a benchmark case, medians over seeds; NULL if it has not been run
bench_rows <- function(case) {
  file <- file.path("bench", "results", paste0(case, ".json"))
  if (!file.exists(file)) return(NULL)
  results <- read_results(file)
  if (isTRUE(results$quick)) stop(file, " is a quick trial.", call. = FALSE)
  medians(results$rows)
}

# The data are read when the first curve needs them, and kept.
delayedAssign("digits", parity_data(list(quick = FALSE), 1L))
delayedAssign("flights", flights_data(list(quick = FALSE), 1L))

#' Log loss on 1000 held-out training rows along a fit
#'
#' The trace has elapsed seconds. They are scaled such that the total is the CPU time of the whole
#' fit, because other programs may run at the same time. The seconds include the evaluation of the
#' held-out rows.
curve <- function(name, data, method, batch_size, epochs) {
  table <- unit(store, name, function() {
    kernel <- kernel_rbf(1, rep(data$start, ncol(data$x))) + kernel_white(1e-3)
    fitted <- measure(ep_gp(data$x, data$y,
      kernel = kernel, inducing = 200, inducing_init = "random", learn_inducing = TRUE,
      method = method,
      batch_size = batch_size, epochs = epochs, seed = 1, threads = 1, verbose = FALSE,
      control = paper_control(validation = 1000 / nrow(data$x), patience = 1e6)
    ))
    trace <- fit_trace(fitted$value)
    trace <- trace[is.finite(trace$validation), ]
    data.frame(
      step = trace$iteration, loss = trace$validation,
      seconds = trace$seconds / max(trace$seconds) * fitted$cpu
    )
  })
  # The figure draws each curve through about 60 points.
  shown <- unique(round(seq(1, nrow(table), length.out = min(nrow(table), 60))))
  batch <- if (is.null(batch_size)) "all rows" else "200 rows"
  cbind(method = method, batch = batch, table[shown, ])
}

methods <- c("sep", "ep", "adf")
airline <- lapply(methods, function(method) {
  curve(paste0("flights-", method), flights, method, 200, 1)
})
parity <- lapply(methods, function(method) {
  curve(paste0("digits-", method), digits, method, 200, 2)
})
parity <- c(parity, list(curve("digits-sep-all", digits, "sep", NULL, 8)))

cases_shown <- c("sep-mnist", "sep-uci", "sep-size", "sep-flights")
fields <- c(
  "case", "problem", "engine", "n", "size", "cpu", "error", "log_loss", "log_loss_sd", "splits",
  "steps"
)
store_results(do.call(rbind, lapply(cases_shown, bench_rows))[fields], "ep-bench.csv")
curves <- rbind(
  cbind(data = "digits", do.call(rbind, parity)), cbind(data = "flights", do.call(rbind, airline))
)
store_results(curves, "ep-curves.csv")
