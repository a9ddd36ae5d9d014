# The experiments of Quinonero-Candela and Winther (2003) that vignettes/rvm.Rmd shows. From the
# root of the repository:
#
#   Rscript data-raw/rvm-paper.R [--finished]
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
#   vignettes/results/rvm-bench.csv    the rows of the benchmark cases
#   vignettes/results/rvm-fig2.csv     evidence and number of functions against CPU time, 400 rows,
#                                      on the scale of the series
#   vignettes/results/rvm-starts.csv   where the runs of Figure 2 end, by settings, ten partitions
#   vignettes/results/rvm-kernlab.csv  kernlab::rvm() with 2000 rows: seconds and error message
#   vignettes/results/rvm-mnist.csv    errors, functions and times on MNIST, three partitions
#   vignettes/results/rvm-naive.csv    the same by subspace EM with the naive approximation
#   vignettes/results/rvm-variants.csv number of functions on MNIST under settings that the paper
#                                      does not state
#   vignettes/results/rvm-digits.csv   errors and evidence by number of visited candidates, MNIST
#
# Every fit is stored when it is finished (data-raw/units.R). --finished computes no machine of
# rvm-mnist.csv and no fit of kernlab, and writes those that have been finished; the pages say how
# many there are.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/rvm.R
source("data-raw/units.R")
store <- open_store("rvm-paper")
finished <- "--finished" %in% commandArgs(TRUE)

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
  results$rows[c("case", "n", "engine", "seed", "size", "cpu", "error", "log_loss")]
}

# --- Figure 2 -----------------------------------------------------------------------------------

#' Settings of the fits of Figure 2
settings <- list(
  "subspace EM" = list(algorithm = "ssem", control = control_rvm(max_iter = 300, sweeps = 1)),
  "subspace EM, two sweeps" = list(
    algorithm = "ssem", control = control_rvm(max_iter = 300, sweeps = 2)
  ),
  "subspace EM, noise_grow = FALSE, noise_start = 1e-6" = list(
    algorithm = "ssem",
    control = control_rvm(max_iter = 300, noise_grow = FALSE, noise_start = 1e-6)
  ),
  "batch EM" = list(algorithm = "em", control = control_rvm(max_iter = 300)),
  "batch EM, alpha_start = 1" = list(
    algorithm = "em", control = control_rvm(max_iter = 300, alpha_start = 1)
  ),
  "batch EM, update = \"em\"" = list(
    algorithm = "em", control = control_rvm(max_iter = 300, update = "em")
  ),
  "subspace EM, update = \"em\"" = list(
    algorithm = "ssem", control = control_rvm(max_iter = 300, update = "em", sweeps = 1)
  ),
  "subspace EM, update = \"em\", noise_grow = FALSE, noise_start = 1e-6" = list(
    algorithm = "ssem", control = control_rvm(
      max_iter = 300, update = "em", noise_grow = FALSE, noise_start = 1e-6
    )
  )
)

# What the paper prints: every function enters with precision L, "a very large number".
for (large in c(1e2, 1e3, 1e4, 1e6)) {
  for (rule in c("em", "mackay")) {
    settings[[sprintf("literal, L = %g, update = \"%s\"", large, rule)]] <- list(
      algorithm = "ssem",
      control = control_rvm(max_iter = 300, entry = "literal", prune = large, update = rule)
    )
  }
}

figure2_unit <- function(name, seed, scale = "standardised") {
  stored <- sprintf("fig2-%s-%d-%s", gsub("[^a-zA-Z0-9]+", "-", name), seed, scale)
  unit(store, stored, function() {
    data <- mackey_glass_rows(400, seed = seed, test = 2000, scale = scale)
    fitted <- measure(do.call(train, c(list(data), settings[[name]])))
    trace <- fit_trace(fitted$value)
    # The trace has elapsed seconds. They are scaled such that the total is the CPU time of the fit.
    trace$cpu <- fitted$cpu * trace$seconds / max(trace$seconds)
    list(
      trace = data.frame(settings = name, seed = seed, trace[c("cpu", "objective", "size")]),
      end = data.frame(
        settings = name, seed = seed, cpu = fitted$cpu, evidence = evidence(fitted$value)$value,
        size = length(active_set(fitted$value)),
        error = error_of(predict(fitted$value, data$test_x), data$test_y)
      )
    )
  })
}

cases <- c("rvm-mackeyglass", "rvm-fig3", "rvm-mnist1")
first_units(
  "rvm-bench.csv" = do.call(rbind, lapply(cases, bench_rows)),
  "rvm-starts.csv" = figure2_unit("subspace EM", 1)$end
)
store_results(do.call(rbind, lapply(cases, bench_rows)), "rvm-bench.csv", bench_version(cases))
invisible(train(mackey_glass_rows(100, seed = 1))) # the first fit of a session loads what it needs
em_rule <- c("subspace EM, update = \"em\"", "batch EM, update = \"em\"")
# The figure has the scale on which the curves of the paper end together.
printed <- "literal, L = 1e+06, update = \"mackay\""
shown <- lapply(c(printed, "batch EM", em_rule), figure2_unit, seed = 1, scale = "raw")
store_results(do.call(rbind, lapply(shown, `[[`, "trace")), "rvm-fig2.csv")
ends <- lapply(names(settings), function(name) {
  do.call(rbind, lapply(1:10, function(seed) figure2_unit(name, seed)$end))
})
store_results(do.call(rbind, ends), "rvm-starts.csv")

# --- Figure 3, right ----------------------------------------------------------------------------

digits <- mnist_one_rows(1, quick = FALSE)
if (is.null(digits)) stop("MNIST is not there; see GPSIEVE_DATA.", call. = FALSE)
# Candidates are visited in the given order, so that a fit with the first k candidates is the state
# of the full fit after k visits.
counts <- c(5, 10, 20, 40, 80, 120, 160, 200, 300, 400, 500, 600, 700, 800)
visits <- lapply(counts, function(k) {
  unit(store, paste0("digits-", k), function() {
    fit <- train(digits, basis = digits$basis[seq_len(k), ], inference = "laplace",
      control = control_rvm(order = "given", max_iter = 0)
    )
    data.frame(
      visited = k, size = length(active_set(fit)), evidence = evidence(fit)$value,
      training = mean(predict(fit, digits$x) != digits$y),
      test = mean(predict(fit, digits$test_x) != digits$test_y)
    )
  })
})
store_results(do.call(rbind, visits), "rvm-digits.csv")

# The paper has 28 and 31 functions. What does it not state that could decide their number?
with_width <- function(squared) list(kernel = kernel_rbf(1, sqrt(squared)))
centres <- digits$x[seq_len(1600), ]
variants <- c(
  stats::setNames(lapply(c(3, 30, 100, 400), with_width), paste("width^2 =", c(3, 30, 100, 400))),
  stats::setNames(
    lapply(c(1, 10, 100, 1e4), function(limit) list(control = control_rvm(prune = limit))),
    sprintf("precisions up to %g", c(1, 10, 100, 1e4))
  ),
  list(
    "defaults" = list(), "order as given" = list(control = control_rvm(order = "given")),
    "50 iterations" = list(control = control_rvm(max_iter = 50)),
    "no iterations" = list(control = control_rvm(max_iter = 0)),
    "two sweeps" = list(control = control_rvm(sweeps = 2)),
    "1600 centres" = list(basis = centres),
    "literal entry" = list(control = control_rvm(entry = "literal"))
  )
)
variant_unit <- function(name) {
  unit(store, paste0("variant-", gsub("[^a-zA-Z0-9]+", "-", name)), function() {
    settings <- utils::modifyList(
      list(kernel = paper_width(), basis = digits$basis, inference = "laplace"), variants[[name]]
    )
    fitted <- measure(suppressWarnings(
      do.call(rvm, c(list(digits$x, digits$y, optimise = FALSE, standardise = FALSE, seed = 1,
        threads = 1, verbose = FALSE
      ), settings)), classes = "gpsieve_warning_convergence"
    ))
    data.frame(
      settings = name, size = length(active_set(fitted$value)), cpu = fitted$cpu,
      evidence = evidence(fitted$value)$value,
      error = mean(predict(fitted$value, digits$test_x) != digits$test_y)
    )
  })
}
store_results(do.call(rbind, lapply(names(variants), variant_unit)), "rvm-variants.csv")

# The machines of the paper on three partitions: TAP, which is the paper's, and Laplace's method.
mnist_unit <- function(seed, inference, algorithm) {
  stored <- sprintf("mnist-%s-%s-%d", inference, algorithm, seed)
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
    data <- if (seed == 1) digits else mnist_one_rows(seed, quick = FALSE)
    fitted <- measure(train(data,
      basis = data$basis, inference = inference, algorithm = algorithm,
      control = control_rvm(max_iter = 50)
    ))
    data.frame(
      seed = seed, inference = inference, algorithm = algorithm, cpu = fitted$cpu,
      size = length(active_set(fitted$value)),
      error = mean(predict(fitted$value, data$test_x) != data$test_y)
    )
  })
}
machines <- expand.grid(
  algorithm = c("ssem", "em"), seed = 1:3, inference = c("laplace", "tap"), stringsAsFactors = FALSE
)
machines <- Map(mnist_unit, machines$seed, machines$inference, machines$algorithm)
store_results(do.call(rbind, machines), "rvm-mnist.csv")

# The naive approximation, which has an M-step of its own, on the same partitions.
naive <- lapply(1:3, mnist_unit, inference = "naive", algorithm = "ssem")
store_results(do.call(rbind, naive), "rvm-naive.csv")

# --- kernlab with 2000 rows -----------------------------------------------------------------------

if (finished && !file.exists(unit_file(store, "kernlab"))) quit()
kernlab_end <- unit(store, "kernlab", function() {
  data <- mackey_glass_rows(2000, seed = 1)
  ended <- measure(tryCatch(
    kernlab::rvm(data$x, data$y, kernel = "rbfdot", kpar = list(sigma = 1 / 20)),
    error = conditionMessage
  ))
  data.frame(
    n = 2000, cpu = ended$cpu,
    message = if (is.character(ended$value)) ended$value else "no error"
  )
})
store_results(kernlab_end, "rvm-kernlab.csv")
