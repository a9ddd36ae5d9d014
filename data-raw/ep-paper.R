# The experiments of Hernandez-Lobato et al. (2015) that vignettes/ep.Rmd shows. From the root of
# the repository:
#
#   Rscript data-raw/ep-paper.R [--runs=3] [--finished]
#
# Table 1, Figure 3 and the times are results of benchmark cases. Run these first; this script reads
# their files:
#
#   for case in sep-mnist sep-uci sep-size sep-flights sep-sites; do
#     Rscript bench/run.R $case --json=bench/results/$case.json
#   done
#
# Figure 2, the log loss along a fit, is computed here; it needs the package installed, MNIST in the
# folder named by GPSIEVE_DATA, and nycflights13. Every curve is stored when it is finished
# (data-raw/units.R). The script writes
#
#   vignettes/results/ep-bench.csv      the rows of the benchmark cases, medians over seeds
#   vignettes/results/ep-curves.csv     log loss on the 10,000 test rows along the fits of Figure 2
#   vignettes/results/ep-reference.csv  log loss of logistic regression on the same rows
#
# --runs is the number of runs of Figure 2. On MNIST, whose test rows are given, they differ in the
# inducing inputs and minibatches; on the flights in the test rows, too. --finished computes no
# curve and writes those that have been finished; the pages say how many there are.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
store <- open_store("ep-paper")
runs <- grep("^--runs=[1-9][0-9]*$", commandArgs(TRUE), value = TRUE)
runs <- as.integer(sub("--runs=", "", runs))
runs <- seq_len(if (length(runs)) runs[1L] else 3L)
finished <- "--finished" %in% commandArgs(TRUE)

#' The rows of a benchmark case, medians over seeds; NULL if it has not been run
bench_rows <- function(case) {
  file <- file.path("bench", "results", paste0(case, ".json"))
  if (!file.exists(file)) return(NULL)
  results <- read_results(file)
  if (isTRUE(results$quick)) stop(file, " is a quick trial.", call. = FALSE)
  medians(results$rows)
}

#' The rows of a run: those of MNIST, or those of the flights
rows_of <- function(name, run) {
  switch(name,
    digits = parity_data(list(quick = FALSE), run), flights = flights_data(list(quick = FALSE), run)
  )
}

#' Log loss on the test rows along a fit, which they do not take part in
#'
#' The trace has elapsed seconds. They are scaled such that the total is the CPU time of the whole
#' fit, because other programs may run at the same time. The seconds include the evaluation of the
#' test rows, which is made once for every 10,000 rows of learning.
curve <- function(name, run, method, batch_size = 200, epochs = NULL, start = "warm") {
  all_rows <- is.null(batch_size)
  stored <- paste(name, run, method, if (all_rows) "all" else start, sep = "-")
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  table <- unit(store, stored, function() {
    data <- rows_of(name, run)
    kernel <- kernel_rbf(1, rep(data$start, ncol(data$x))) + kernel_white(1e-3)
    test <- nrow(data$x) + seq_len(nrow(data$test_x))
    fitted <- measure(ep_gp(rbind(data$x, data$test_x), c(data$y, data$test_y),
      kernel = kernel, inducing = 200, inducing_init = "random", learn_inducing = TRUE,
      method = method, batch_size = if (all_rows) length(data$y) else batch_size, epochs = epochs,
      seed = run, threads = 1, verbose = FALSE,
      control = paper_control(
        validation = test, patience = 1e6, start = start, max_iter = if (all_rows) 8 else 250
      )
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
  cbind(
    data = name, run = run, method = method, start = start,
    batch = if (all_rows) "all rows" else "200 rows", table[shown, ]
  )
}

# Hyper-parameters held fixed: the largest difference of the latent means of EP and ADF after the
# first epoch, on the small set Pima.
compare_in_one_epoch <- function() {
  pima <- read_uci("pima")
  x <- data.matrix(pima[names(pima) != "class"])
  means <- lapply(c("ep", "adf"), function(method) {
    fit <- ep_gp(x, pima$class,
      kernel = kernel_rbf(1, 3), inducing = 50, method = method, batch_size = 50, epochs = 1,
      optimise = FALSE, seed = 1, verbose = FALSE
    )
    predict(fit, x, type = "link")
  })
  max(abs(means[[1L]] - means[[2L]]))
}
first_units("ep-reference.csv" = data.frame(
  name = "same_epoch", run = 1, value = compare_in_one_epoch()
))

methods <- c("sep", "ep", "adf")
in_minibatches <- function(name, run, epochs) {
  fits <- lapply(methods, function(method) curve(name, run, method, epochs = epochs))
  plain <- curve(name, run, "sep", epochs = epochs, start = "plain")
  do.call(rbind, c(fits, list(plain)))
}
on_flights <- lapply(runs, function(run) in_minibatches("flights", run, 1))
on_digits <- lapply(runs, function(run) {
  all_rows <- lapply(methods, function(method) curve("digits", run, method, NULL))
  rbind(in_minibatches("digits", run, 2), do.call(rbind, all_rows))
})
store_results(do.call(rbind, c(on_flights, on_digits)), "ep-curves.csv")

same_epoch <- unit(store, "same-epoch", compare_in_one_epoch)

logistic <- vapply(runs, function(run) {
  unit(store, paste0("flights-glm-", run), function() {
    flights <- rows_of("flights", run)
    frame <- function(x, y) data.frame(x, y = y)
    fit <- stats::glm(y ~ ., stats::binomial(), frame(flights$x, flights$y))
    late <- stats::predict(fit, data.frame(flights$test_x), type = "response")
    log_loss(two_columns(as.vector(late), flights$y), flights$test_y)
  })
}, 0)
store_results(
  data.frame(
    name = c(rep("glm", length(runs)), "same_epoch"), run = c(runs, 1),
    value = c(logistic, same_epoch)
  ), "ep-reference.csv"
)

cases_shown <- c("sep-mnist", "sep-uci", "sep-size", "sep-flights", "sep-sites")
fields <- c(
  "case", "problem", "engine", "n", "size", "cpu", "error", "log_loss", "log_loss_sd", "splits",
  "steps", "peak_mb", "base_mb"
)
store_results(do.call(rbind, lapply(cases_shown, bench_rows))[fields], "ep-bench.csv",
  bench_version(cases_shown)
)
