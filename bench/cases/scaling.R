# How the cost grows with rows n, active points d and inputs p, one doubled at a time.

scaling_problems <- function(quick) {
  share <- if (quick) 20 else 1
  start <- list(n = 16000 / share, d = if (quick) 100 else 500, p = 16)
  values <- list(
    n = c(8000, 16000, 32000, 64000) / share,
    d = if (quick) c(50, 100, 200) else c(250, 500, 1000, 2000),
    p = c(8, 16, 32, 64)
  )
  unlist(lapply(names(values), function(size) {
    lapply(values[[size]], function(value) {
      problem <- replace(start, size, value)
      c(list(name = sprintf("%s %.0f", size, value)), problem)
    })
  }), recursive = FALSE)
}

#' Two classes by the sign of a random smooth function of Gaussian inputs; a tenth are exchanged
scaling_data <- function(problem, seed) {
  set.seed(seed)
  p <- problem$p
  frequency <- matrix(stats::rnorm(p * 50), p) / sqrt(p)
  phase <- stats::runif(50, 0, 2 * pi)
  weight <- stats::rnorm(50)
  draw <- function(n) {
    x <- matrix(stats::rnorm(n * p), n)
    signal <- cos(sweep(x %*% frequency, 2L, phase, "+")) %*% weight
    flip <- ifelse(stats::runif(n) < 0.1, -1, 1)
    list(x = x, y = factor(ifelse(signal * flip > 0, "b", "a")))
  }
  train <- draw(problem$n)
  test <- draw(1000)
  list(x = train$x, y = train$y, test_x = test$x, test_y = test$y)
}

scaling_case <- list(
  about = "Synthetic data: exponents of time and memory in n, d and p",
  packages = "gpsieve",
  seeds = 1L,
  problems = scaling_problems,
  data = scaling_data,
  engines = function(problem) {
    kernel <- function() gpsieve::kernel_rbf(variance = 10, lengthscale = 2 * sqrt(problem$p))
    list(
      "ivm" = ivm_engine(kernel, problem$d, refine = 0, standardise = FALSE),
      "ivm refine=3" = ivm_engine(kernel, problem$d, refine = 3, standardise = FALSE)
    )
  }
)
