# The time of one sweep of ep_gp(cluster = ) over all rows, computed from a model of its parts, for
# vignettes/scale.Rmd. From the root of the source tree:
#
#   Rscript data-raw/scale-simulation.R
#
# reads vignettes/results/scale-workers.csv, which holds measured fits with one and two workers, and
# writes vignettes/results/scale-simulation.csv.
#
# With n rows, p inputs, m inducing inputs, w workers and one shard for each worker, a sweep takes
#
#   work / w + traffic, where
#   work    = n (c m^2): c is the measured time of one worker by row, sweep and m^2;
#   traffic = w (bytes / network + latency): the calling process sends the posterior to each worker
#             and receives its sums one after another;
#   bytes   = 2 * 8 (m^2 + 2 m + m p): matrices of m x m, two vectors and the inducing inputs, there
#             and back.

source(file.path("data-raw", "units.R"))
measured <- utils::read.csv(file.path(results_folder, "scale-workers.csv"))
alone <- measured[measured$workers == 1, ]
seconds_by_unit <- alone$wall / (alone$epochs * alone$n * alone$inducing^2)

sweep_time <- function(n, p, m, workers, bytes_per_second, latency = 1e-3) {
  bytes <- 2 * 8 * (m^2 + 2 * m + m * p)
  work <- seconds_by_unit * n * m^2 / workers
  traffic <- workers * (bytes / bytes_per_second + latency)
  data.frame(n, p, m, workers, bytes_per_second, work, traffic, total = work + traffic)
}

# One gigabit and ten gigabits a second, and the sockets of one machine.
networks <- c(1.25e8, 1.25e9)
local_sockets <- 5e8

grid <- expand.grid(
  n = 10^(6:10), m = c(100, 300, 1000), workers = c(1, 2, 3, 10, 30, 100, 300, 1000),
  bytes_per_second = networks
)
simulated <- sweep_time(grid$n, 8, grid$m, grid$workers, grid$bytes_per_second)
simulated$kind <- "simulated"
check <- sweep_time(
  measured$n, measured$inputs, measured$inducing, measured$workers, local_sockets
)
check$kind <- "measured"
first_units("scale-simulation.csv" = rbind(simulated, check))
store_results(rbind(simulated, check), "scale-simulation.csv")
