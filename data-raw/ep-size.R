# Figure 3 of Hernandez-Lobato et al. (2015), seed by seed: EP, stochastic EP and ADF on MNIST by
# number of rows n and of inducing inputs m. From the root of the repository:
#
#   Rscript data-raw/ep-size.R [--finished]
#
# Data and settings are those of the benchmark case sep-size (bench/cases/ep-large.R), which has one
# seed. Needs the package installed, and MNIST in the folder named by GPSIEVE_DATA. Every cell is
# stored when it is finished (data-raw/units.R); all take about ten CPU minutes. --finished computes
# none and writes those that have been finished. Writes
#
#   vignettes/results/ep-size.csv   log loss on 4000 test rows and CPU seconds, by seed

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
store <- open_store("ep-size")
finished <- "--finished" %in% commandArgs(TRUE)

cell_unit <- function(problem, seed) {
  stored <- sprintf("%g-%g-%d", problem$n, problem$m, seed)
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
    data <- size_data(problem, seed)
    engines <- size_case$engines(problem)
    do.call(rbind, lapply(names(engines), function(method) {
      fitted <- measure(engines[[method]]$fit(data, list(seed = seed, threads = 1L)))
      found <- engines[[method]]$predict(fitted$value, data)
      data.frame(
        n = problem$n, m = problem$m, seed = seed, method = method,
        log_loss = log_loss(found$probability, data$test_y), cpu = fitted$cpu
      )
    }))
  })
}

problems <- size_problems(quick = FALSE)
cells <- expand.grid(problem = seq_along(problems), seed = 1:4)
# The cells with few rows come first.
cells <- cells[order(vapply(problems[cells$problem], `[[`, 0, "n"), cells$seed), ]
parts <- Map(cell_unit, problems[cells$problem], cells$seed)
store_results(do.call(rbind, parts), "ep-size.csv")
