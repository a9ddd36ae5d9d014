# The exact Gaussian process of many rows by meanfield_gp(cluster = ), and parts of 2000 rows with
# the same kernel: CPU seconds of the calling process and of the workers, error at new inputs.
#
#   Rscript data-raw/exact-workers.R [rows ...]
#
# writes vignettes/results/exact-workers.csv, which the vignette "scale" shows. A run that was
# stopped goes on where it was.

# No first unit: the fewest rows take ten CPU seconds and processes of their own.
suppressPackageStartupMessages(library(gpsieve))
source(file.path("data-raw", "units.R"))
given <- as.integer(commandArgs(TRUE))
sizes <- if (length(given)) given else c(20000L, 100000L)
store <- open_store("exact-workers")
# The workers keep fewer kernel values where memory is short; this changes no bit.
options(gpsieve.max_memory = 6e9)

#' A smooth function of eight inputs, with noise of standard deviation .1
draw_rows <- function(n, seed) {
  set.seed(seed)
  x <- as.data.frame(matrix(stats::runif(n * 8), n))
  x$truth <- with(x, sin(5 * V1) + sin(4 * V2 * V3) + 4 * (V4 - 0.5)^2 + cos(6 * V5 + 2 * V6) +
    V7 * V8)
  x$y <- x$truth + stats::rnorm(n, sd = 0.1)
  x
}

new_rows <- draw_rows(5000, 2)
error <- function(fit) sqrt(mean((predict(fit, new_rows) - new_rows$truth)^2))
cpu <- function() sum(proc.time()[1:2])
cpu_of <- function(cluster) unlist(parallel::clusterCall(cluster, function() sum(proc.time()[1:2])))

solve_on <- function(rows, workers) {
  cluster <- parallel::makeCluster(workers)
  on.exit(parallel::stopCluster(cluster))
  before <- c(cpu(), cpu_of(cluster))
  fit <- meanfield_gp(y ~ . - truth, rows, kernel_rbf(lengthscale = rep(1, 8)), seed = 1,
    verbose = FALSE, cluster = cluster
  )
  used <- c(cpu(), cpu_of(cluster)) - before
  list(fit = fit, used = used)
}

parts_of <- function(fit, rows) {
  before <- cpu()
  parts <- ivm(y ~ . - truth, rows, fit$kernel, fit$likelihood, leaf_rows = 2000, optimise = FALSE,
    seed = 1, verbose = FALSE
  )
  c(cpu = cpu() - before, rmse = error(parts))
}

measure <- function(n, workers) {
  rows <- draw_rows(n, 1)
  found <- solve_on(rows, workers)
  parts <- parts_of(found$fit, rows)
  data.frame(n = n, workers = workers, steps = summary(found$fit)$steps,
    cpu_calling = found$used[1L], cpu_workers = sum(found$used[-1L]),
    cpu_busiest = max(found$used[-1L]), rmse = error(found$fit), cpu_parts = parts[["cpu"]],
    rmse_parts = parts[["rmse"]], digest = sum(found$fit$posteriors[[1L]]$weights^2)
  )
}

plan <- expand.grid(n = sizes, workers = 1:2)
plan <- plan[plan$workers == 2L | plan$n == min(sizes), ]
found <- do.call(rbind, Map(function(n, workers) {
  unit(store, paste(n, workers, sep = "-"), function() measure(n, workers))
}, plan$n, plan$workers))
same <- found$digest[found$n == min(sizes)]
stopifnot(all(same == same[1L]))
store_results(found[names(found) != "digest"], "exact-workers.csv")
