# Case weights that are no whole numbers, and rows that count less than once.

test_that("default starts do not depend on the order of rows whose weights have fractions", {
  data <- weighted_data("real", 60)$data
  data$w <- with_own_seed(7, runif(60, 0.3, 1.7))
  start <- function(rows) {
    coef(meanfield_gp(y ~ a + b, data[rows, ], optimise = FALSE, weights = w,
      kernel = kernel_rbf(ard = TRUE)))
  }
  learned <- function(rows) {
    coef(meanfield_gp(y ~ a + b, data[rows, ], weights = w, kernel = kernel_rbf(ard = TRUE)))
  }
  for (seed in 1:3) {
    rows <- with_own_seed(seed, sample(60))
    expect_equal(start(rows), start(1:60), tolerance = 1e-12)
    expect_equal(learned(rows), learned(1:60), tolerance = 1e-6)
  }
})

test_that("the average of levels counts a row of weight w as w rows, through every interface", {
  data <- data.frame(g = c("u", "v", "v", "w", "u", "w"), a = c(1, 2, 4, 5, 7, 8),
    w = c(1, 2, 1, 3, 1, 2))
  data$y <- data$a + (data$g == "v")
  copies <- data[rep(1:6, data$w), ]
  new <- data.frame(g = "other", a = 3)
  average <- function(...) {
    fit <- meanfield_gp(..., kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(0.1),
      optimise = FALSE)
    suppressWarnings(unname(predict(fit, new, new_levels = "average")))
  }
  of_copies <- average(y ~ g + a, copies)
  expect_false(isTRUE(all.equal(average(y ~ g + a, data), of_copies)))
  expect_equal(average(y ~ g + a, data, weights = w), of_copies)
  expect_equal(average(data[c("g", "a")], data$y, weights = data$w), of_copies)
  # Rows without a weight take no part.
  without <- rbind(transform(data[1, ], w = NA), data)
  expect_equal(suppressMessages(average(y ~ g + a, without, weights = w)), of_copies)
  expect_equal(suppressMessages(average(without[c("g", "a")], without$y, weights = without$w)),
    of_copies)
})

test_that("damped EP is exact for Gaussian rows that count less than once", {
  d <- data.frame(x = 0:9 + 0, y = sin(0:9), w = 0.25, s = rep(c(0.1, 0.5), 5))
  inducing <- as.matrix(d["x"])
  k <- kernel_matrix(kernel_rbf(1, 1), inducing)
  fit <- function(...) {
    ep_gp(y ~ x, d, kernel_rbf(1, 1), ..., inducing = inducing, optimise = FALSE,
      standardise = FALSE, prior_mean = 0, seed = 1, method = "ep", verbose = FALSE,
      control = control_ep(damping = 0.5, max_iter = 1000, tol = 1e-10))
  }
  expect_exact <- function(fit, noise) {
    total <- k + diag(noise)
    expect_true(fit$converged)
    expect_equal(unname(predict(fit, d)), drop(k %*% solve(total, d$y)), tolerance = 1e-4)
    variance <- diag(k - k %*% solve(total, k))
    expect_equal(unname(predict(fit, d, se.fit = TRUE)$se.fit), sqrt(variance), tolerance = 1e-4)
  }
  weighted <- suppressMessages(fit(weights = w, likelihood = lik_gaussian(0.1)))
  expect_exact(weighted, rep(0.4, 10))
  known <- fit(noise_sd = s)
  expect_exact(known, d$s^2)
  total <- k + diag(d$s^2)
  expect_equal(evidence(known)$value, tolerance = 1e-4,
    -sum(d$y * solve(total, d$y)) / 2 - sum(log(eigen(total)$values)) / 2 - 5 * log(2 * pi))
})

test_that("the gradient of EP's evidence is right for Gaussian rows that count less than once", {
  d <- data.frame(x = 0:9 + 0, y = sin(0:9), w = rep(c(0.25, 0.1), 5))
  # The basis leaves some variance of each row open.
  inducing <- as.matrix(d["x"]) + 0.15
  evidence_at <- function(move, gradient = FALSE) {
    fit <- suppressMessages(ep_gp(y ~ x, d, kernel_rbf(exp(move[1]), exp(move[2])),
      lik_gaussian(0.1 * exp(move[3])), weights = w, inducing = inducing, optimise = FALSE,
      standardise = FALSE, prior_mean = 0, seed = 1, method = "ep", verbose = FALSE,
      control = control_ep(damping = 0.5, max_iter = 2000, tol = 1e-12)))
    evidence(fit, gradient = gradient)
  }
  h <- 1e-4
  differences <- vapply(1:3, function(j) {
    move <- replace(numeric(3), j, h)
    (evidence_at(move)$value - evidence_at(-move)$value) / (2 * h)
  }, 0)
  expect_equal(unname(evidence_at(numeric(3), TRUE)$gradient), differences, tolerance = 1e-6)
})
