# Figure 3 of Hernandez-Lobato et al. (2015), seed by seed: EP, stochastic EP and ADF on MNIST by
# number of rows n and of inducing inputs m. From the root of the repository:
#
#   Rscript data-raw/ep-size.R [--finished]
#
# Data and settings are those of the benchmark case sep-size (bench/cases/ep-large.R), which has
# one seed, except that stochastic EP makes the update that the paper prints: 200 minibatches of
# 200 rows for every n. Needs the package installed, and MNIST in the folder named by GPSIEVE_DATA.
# Three seeds for every cell. A cell is stored when it is finished (data-raw/units.R); --finished
# computes none and writes those that have been finished. Writes
#
#   vignettes/results/ep-size.csv   log loss on 4000 test rows and CPU seconds, by seed; ten CPU
#                                   minutes

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
store <- open_store("ep-size")
finished <- "--finished" %in% commandArgs(TRUE)

#' Learns from minibatches; for EP and ADF `start` has no effect
fit_by <- function(data, problem, method, seed) {
  ep_gp(data$x, data$y, kernel_rbf(1, rep(data$start, ncol(data$x))) + kernel_white(1e-3),
    inducing = problem$m, inducing_init = "random", learn_inducing = TRUE, method = method,
    batch_size = 200, epochs = 200 * 200 / problem$n, seed = seed, threads = 1, verbose = FALSE,
    control = paper_control(start = "plain")
  )
}

cell_unit <- function(problem, seed) {
  stored <- sprintf("%g-%g-%d", problem$n, problem$m, seed)
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
    data <- size_data(problem, seed)
    do.call(rbind, lapply(c("adf", "ep", "sep"), function(method) {
      fitted <- measure(fit_by(data, problem, method, seed))
      probability <- predict(fitted$value, data$test_x, type = "prob")
      data.frame(
        n = problem$n, m = problem$m, seed = seed, method = method,
        log_loss = log_loss(probability, data$test_y), cpu = fitted$cpu
      )
    }))
  })
}

problems <- size_problems(quick = FALSE)
first_units("ep-size.csv" = cell_unit(problems[[1]], 1))
cells <- expand.grid(problem = seq_along(problems), seed = 1:3)
parts <- Map(cell_unit, problems[cells$problem], cells$seed)
store_results(do.call(rbind, unname(parts)), "ep-size.csv")
