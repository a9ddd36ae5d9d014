# A long stream absorbed in chunks under a budget: does the cost per row, the memory or the quality
# change on the way? Each problem goes on from nothing, so that the lengths are measurements of their
# own.

stream_chunk <- 5000

stream_problems <- function(quick) {
  share <- if (quick) 20 else 1
  lengths <- c(10000, 50000, 100000) / share
  unlist(lapply(c(50, 100, 200), function(budget) {
    lapply(lengths, function(n) {
      list(name = sprintf("budget %d, %.0f rows", budget, n), n = n, p = 8, budget = budget)
    })
  }), recursive = FALSE)
}

#' The first `n` rows of one stream of 100,000: scaling_data() with a test set drawn before them
stream_data <- function(problem, seed) {
  everything <- scaling_data(list(n = 100000, p = problem$p), seed)
  rows <- seq_len(problem$n)
  everything$x <- everything$x[rows, ]
  everything$y <- everything$y[rows]
  everything
}

#' online_gp() on the first chunk, update() on the others
stream_engine <- function(kernel, budget, ...) {
  settings <- list(...)
  base <- ivm_engine(kernel, budget, refine = 0, standardise = FALSE)
  base$fit <- function(data, job) {
    chunks <- split(seq_len(nrow(data$x)), (seq_len(nrow(data$x)) - 1L) %/% stream_chunk)
    first <- chunks[[1L]]
    fit <- do.call(online_gp, c(
      list(data$x[first, , drop = FALSE], data$y[first],
        kernel = kernel(), budget = budget, optimise = FALSE, standardise = FALSE,
        shuffle = FALSE, seed = job$seed, verbose = FALSE
      ), settings
    ))
    for (rows in chunks[-1L]) {
      fit <- update(fit, data$x[rows, , drop = FALSE], data$y[rows], verbose = FALSE)
    }
    fit
  }
  base
}

stream_case <- list(
  about = "100,000 rows absorbed in chunks of 5000: cost per row, memory and loss along the stream",
  packages = "gpsieve",
  seeds = 1L,
  problems = stream_problems,
  data = stream_data,
  engines = function(problem) {
    kernel <- function() gpsieve::kernel_rbf(variance = 10, lengthscale = 2 * sqrt(problem$p))
    list("online, reverse KL" = stream_engine(kernel, problem$budget))
  }
)
