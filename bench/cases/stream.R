# A long stream of rows added in chunks with a budget, to see whether the time per row, the memory
# or the log loss changes. Every tenth of the stream is a row of results, and so is the whole
# stream.

stream_problems <- function(quick) {
  n <- if (quick) 5000 else 100000
  lapply(c(50, 100, 200), function(budget) {
    list(name = sprintf("budget %d", budget), n = n, p = 8, budget = budget, chunk = n / 20)
  })
}

#' online_gp() on the first chunk, update() on the others
#'
#' The log loss of a tenth is the mean over its rows of -log P(class) given the rows before. The fit
#' adds up these numbers as its evidence, so that they are differences of the evidence.
stream_engine <- function(kernel, budget, chunk) {
  force(chunk)
  base <- ivm_engine(kernel, budget, refine = 0, standardise = FALSE)
  absorb <- function(fit, x, y, job) {
    if (!is.null(fit)) return(update(fit, x, y, threads = job$threads, verbose = FALSE))
    online_gp(x, y,
      kernel = kernel(), budget = budget, optimise = FALSE, standardise = FALSE, shuffle = FALSE,
      seed = job$seed, threads = job$threads, verbose = FALSE
    )
  }
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      n <- nrow(data$x)
      tenth <- n / 10
      fit <- NULL
      stages <- NULL
      told <- 0
      for (first in seq(1, n, by = tenth)) {
        before <- proc.time()
        for (start in seq(first, first + tenth - 1, by = chunk)) {
          rows <- seq(start, length.out = chunk)
          fit <- absorb(fit, data$x[rows, , drop = FALSE], data$y[rows], job)
        }
        taken <- proc.time() - before
        stages <- rbind(stages, data.frame(
          stage = sprintf("to %.0f", nobs(fit)), n = tenth, cpu = sum(taken[c(1L, 2L)]),
          wall = taken[["elapsed"]], peak_mb = process_memory("VmHWM"),
          predict_cpu = NA_real_, error = NA_real_,
          log_loss = (told - evidence(fit)$value) / tenth
        ))
        told <- evidence(fit)$value
      }
      list(fit = fit, stages = stages)
    },
    predict = function(fitted, data) base$predict(fitted$fit, data),
    size = function(fitted) base$size(fitted$fit),
    stages = function(fitted) fitted$stages
  )
}

stream_case <- list(
  about = "100,000 rows absorbed in chunks of 5000: cost per row, memory and loss along the stream",
  shows = paste(
    "A synthetic stream of 100,000 rows (8 inputs, two classes, a tenth of the labels flipped)",
    "absorbed in chunks of 5000 by `online_gp()` and `update()` under budgets of 50, 100 and 200,",
    "on one fixed kernel. Every tenth of the stream is a row: CPU time of its 10,000 rows, the",
    "largest memory of the process up to its end, and the mean of -log P(class) of each of its",
    "rows given the rows before it. The last row of a budget is the whole stream, its error and",
    "log loss those of 1000 other rows."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = stream_problems,
  data = scaling_data,
  engines = function(problem) {
    kernel <- function() gpsieve::kernel_rbf(variance = 10, lengthscale = 2 * sqrt(problem$p))
    list("online, reverse KL" = stream_engine(kernel, problem$budget, problem$chunk))
  }
)
