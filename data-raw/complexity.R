# How the CPU time grows, beside the orders that the papers state: O(n d^2) for the selection of the
# IVM with n rows and d active ones (Lawrence, Seeger and Herbrich 2002), O(m^3) for a minibatch
# of stochastic EP with m inducing inputs, whatever the number of rows (Hernandez-Lobato et al.
# 2015), and O(k m n^2) for m rows and n functions of the sparse greedy method (Smola 2002). From
# the root of the repository:
#
#   Rscript data-raw/complexity.R
#
# Simulated rows of ten inputs. The time of a minibatch is the difference between fits with one
# epoch and with about 400 minibatches more, so that what is done once for all rows does not count.
# Needs the package installed; takes three minutes. Writes
#
#   vignettes/results/complexity.csv   CPU seconds by method, rows n, size (d or m) and repetition

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")

ivm_seconds <- function(n, size, seed) {
  data <- memory_data(list(n = n, p = 10), seed)
  measure(ivm(data$x, data$y, kernel_rbf(10, 3),
    n_active = size, refine = 0, optimise = FALSE, standardise = FALSE, seed = seed, threads = 1,
    verbose = FALSE, control = control_ivm(n_full = Inf)
  ))$cpu
}

sep_seconds <- function(n, size, seed) {
  data <- memory_data(list(n = n, p = 10), seed)
  after <- function(epochs) {
    measure(ep_gp(data$x, data$y, kernel_rbf(1, rep(data$start, 10)) + kernel_white(1e-3),
      inducing = size, inducing_init = "random", learn_inducing = TRUE, method = "sep",
      batch_size = 200, epochs = epochs, seed = seed, threads = 1, verbose = FALSE,
      control = paper_control(start = "plain")
    ))$cpu
  }
  more <- ceiling(400 * 200 / n)
  (after(1 + more) - after(1)) / (more * n / 200)
}

greedy_seconds <- function(n, size, seed) {
  data <- memory_data(list(n = n, p = 10), seed)
  measure(greedy_gp(data$x, data$x[, 1L] + sin(data$x[, 2L]), kernel_rbf(1, 3), size = size,
    optimise = FALSE, standardise = FALSE, seed = seed, threads = 1, verbose = FALSE
  ))$cpu
}

# No first unit: its numbers are times.
invisible(greedy_seconds(500, 20, 1))
invisible(ivm_seconds(1000, 50, 1)) # the first fits of a session load what they need
invisible(sep_seconds(1000, 20, 1))
cells <- rbind(
  data.frame(method = "ivm", n = c(4000, 8000, 16000), size = 300),
  data.frame(method = "ivm", n = 8000, size = c(150, 600)),
  data.frame(method = "greedy", n = c(4000, 8000, 16000), size = 200),
  data.frame(method = "greedy", n = 8000, size = c(100, 400)),
  data.frame(method = "sep", n = c(5000, 20000, 80000), size = 100),
  data.frame(method = "sep", n = 20000, size = c(50, 200))
)
timed <- lapply(1:5, function(seed) {
  cells$repetition <- seed
  cells$cpu <- mapply(function(method, n, size) {
    switch(method, ivm = ivm_seconds, greedy = greedy_seconds, sep = sep_seconds)(n, size, seed)
  }, cells$method, cells$n, cells$size)
  cells
})
store_results(do.call(rbind, timed), "complexity.csv")
