# kernlab::spam, 57 inputs: dense Gaussian process classifiers with the same fixed kernel.

#' kernlab's kernel parameter sigma = 1 / (2 * 57), which is a lengthscale of sqrt(57)
spam_sigma <- 1 / (2 * 57)

spam_data <- function(problem, seed) {
  folder <- new.env()
  utils::data("spam", package = "kernlab", envir = folder)
  spam <- folder$spam
  set.seed(seed)
  rows <- sample(nrow(spam), problem$train + problem$test)
  train <- rows[seq_len(problem$train)]
  test <- rows[-seq_len(problem$train)]
  x <- as.matrix(spam[1:57])
  centre <- colMeans(x[train, ])
  spread <- apply(x[train, ], 2L, stats::sd)
  x <- scale(x, centre, ifelse(spread > 0, spread, 1))
  list(x = x[train, ], y = spam$type[train], test_x = x[test, ], test_y = spam$type[test])
}

meanfield_engine <- function(method, variance = 1) {
  force(method)
  force(variance)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      meanfield_gp(data$x, data$y, kernel_rbf(variance, sqrt(57)),
        method = method, optimise = FALSE, standardise = FALSE, seed = job$seed,
        threads = job$threads, verbose = FALSE
      )
    },
    predict = function(fit, data) {
      probability <- predict(fit, data$test_x, type = "prob")
      list(class = predict(fit, data$test_x), probability = probability)
    },
    size = nobs
  )
}

#' `kernlab::gausspr()`: Laplace's method with a logistic link
gausspr_engine <- new_engine(
  packages = "kernlab",
  fit = function(data, job) {
    gausspr(data$x, data$y, scaled = FALSE, kernel = "rbfdot", kpar = list(sigma = spam_sigma))
  },
  predict = function(fit, data) {
    # kernlab's predict() is an S4 generic, and predict() of stats is not.
    probability <- kernlab::predict(fit, data$test_x, type = "probabilities")
    class <- colnames(probability)[max.col(probability, "first")]
    list(class = class, probability = probability)
  },
  size = function(fit) length(kernlab::alphaindex(fit)[[1L]])
)

spam_engines <- function(problem) {
  methods <- c("tap", "ensemble", "naive", "laplace")
  c(
    stats::setNames(lapply(methods, meanfield_engine), methods),
    list("tap, variance 10" = meanfield_engine("tap", 10), gausspr = gausspr_engine)
  )
}

spam_problems <- function(sizes) {
  function(quick) {
    lapply(if (quick) sizes[1L] / 5 else sizes, function(n) {
      list(name = sprintf("n %.0f", n), train = n, test = min(1000, 4601 - n))
    })
  }
}

spam_case <- list(
  about = "Spam, fixed kernel: dense mean field beside kernlab's Laplace",
  shows = paste(
    "`kernlab::spam`, 57 inputs, standardised, 500, 1000 and 2000 training rows and 1000 others",
    "for the test, one fixed kernel (`kernel_rbf(1, sqrt(57))`, in kernlab `rbfdot(1/114)`): the",
    "four methods of `meanfield_gp()` beside `kernlab::gausspr` (Laplace with a logistic link),",
    "and TAP with ten times the prior variance. gausspr spends its time in R's BLAS: mind the",
    "column GF BLAS."
  ),
  packages = c("gpsieve", "kernlab"), seeds = 1L, problems = spam_problems(c(500, 1000, 2000)),
  data = spam_data, engines = spam_engines
)

# A case of its own, because it takes kernlab many minutes.
spam_large_case <- replace(spam_case, "problems", list(spam_problems(4000)))
spam_large_case$about <- "Spam, fixed kernel, 4000 rows: dense mean field beside kernlab's Laplace"
spam_large_case$shows <-
  "What `mf-spam` does, with 4000 of the 4601 rows; the other 601 are the test."
