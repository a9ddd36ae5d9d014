# Elapsed time of a fit by ep_gp(cluster = ) with one and with two workers, which the vignette
# "scale" shows and data-raw/scale-simulation.R reads. It needs two cores without other work.
#
#   Rscript data-raw/scale-workers.R
#
# writes vignettes/results/scale-workers.csv. The rows are in memory and are sent to the workers
# within the measured time.

# No first unit: its numbers are times.
library(gpsieve)
source(file.path("data-raw", "units.R"))

settings <- list(n = 500000, inputs = 8, inducing = 300, epochs = 10, shards = 8)

draw_regression <- function(n, inputs) {
  set.seed(1)
  x <- matrix(rnorm(n * inputs), n, dimnames = list(NULL, paste0("x", seq_len(inputs))))
  list(x = x, y = sin(x[, 1]) + x[, 2] * x[, 3] / 2 + rnorm(n) * 0.3)
}

timed_fit <- function(data, workers) {
  cluster <- parallel::makePSOCKcluster(workers)
  on.exit(parallel::stopCluster(cluster))
  wall <- system.time(
    fit <- ep_gp(data$x, data$y,
      kernel = kernel_rbf(3), inducing = settings$inducing, inducing_init = "random",
      method = "sep", learn_inducing = TRUE, epochs = settings$epochs, seed = 1, verbose = FALSE,
      cluster = cluster, control = control_ep(shards = settings$shards)
    )
  )[["elapsed"]]
  list(wall = wall, prediction = predict(fit, data$x[1:100, ]))
}

data <- draw_regression(settings$n, settings$inputs)
fits <- lapply(1:2, function(workers) timed_fit(data, workers))
stopifnot(identical(fits[[1]]$prediction, fits[[2]]$prediction))
found <- data.frame(settings, workers = 1:2, wall = vapply(fits, `[[`, 0, "wall"))
store_results(found, "scale-workers.csv")
