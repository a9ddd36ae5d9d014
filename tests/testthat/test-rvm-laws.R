# What a relevance vector machine must satisfy whatever the data: closed forms, and an evidence that
# does not decrease.

# The machine's basis functions at the rows of x, with all rows as centres and an intercept.
all_functions <- function(x, lengthscale) {
  cbind(1, rbf(x, x, lengthscale = rep(lengthscale, ncol(x))))
}

test_that("with fixed precisions the fit is ridge regression", {
  x <- uniform_inputs(40)
  y <- sin(2 * x[, 1]) + x[, 2]
  alpha <- seq(0.5, 2, length.out = 41)
  fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), algorithm = "em",
    control = control_rvm(alpha_start = alpha, noise_start = 0.05, max_iter = 0)
  )
  p <- all_functions(x, 1)
  sigma <- solve(crossprod(p) / 0.05 + diag(alpha))
  weights <- drop(sigma %*% crossprod(p, y)) / 0.05
  link <- predict(fit, x, type = "link", se.fit = TRUE)
  expect_equal(link$fit, drop(p %*% weights), tolerance = 1e-8)
  expect_equal(link$se.fit^2, rowSums(p %*% sigma * p), tolerance = 1e-8)
  covariance <- p %*% (t(p) / alpha) + diag(0.05, 40)
  expect_equal(evidence(fit)$value, log_normal_density(y, covariance), tolerance = 1e-8)
  expect_identical(active_set(fit), 1:40)
  q <- predict(fit, x, type = "quantile", probs = 0.975)
  expect_equal(unname(q[, 1]), link$fit + qnorm(0.975) * sqrt(link$se.fit^2 + 0.05),
    tolerance = 1e-8
  )
})

test_that("subspace EM never lowers the evidence of a regression", {
  for (seed in 1:20) {
    x <- uniform_inputs(50, 1 + seed %% 3, seed)
    y <- sin(3 * x[, 1]) + with_own_seed(seed, rnorm(50, sd = 0.2))
    fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), seed = seed, control = control_rvm(
      update = "em", entry = if (seed %% 2) "optimal" else "guarded", max_iter = 20
    ))
    objective <- fit_trace(fit)$objective
    expect_true(all(diff(objective) >= -1e-8 * abs(objective[-1])))
    expect_gt(objective[length(objective)], objective[1])
  }
})

test_that("subspace EM does not lower the evidence where Cholesky factors are inaccurate", {
  x <- matrix(seq(-1, 1, length.out = 120))
  y <- sin(3 * x[, 1])
  for (entry in c("optimal", "guarded")) {
    fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(fixed(1e-7)),
      seed = 1, control = control_rvm(
        update = "em", entry = entry, alpha_start = 1e-3, max_iter = 30
      )
    )
    objective <- fit_trace(fit)$objective
    expect_true(all(diff(objective) >= -1e-8 * abs(objective[-1])))
    expect_lt(mean((predict(fit, x) - y)^2), 1e-8)
  }
})

test_that("subspace EM does not lower the evidence on a chaotic series", {
  # The Mackey-Glass equation by Euler steps; six steps ahead from 16 values 6 apart.
  z <- rep(1.2, 8000)
  for (i in 171:7999) z[i + 1] <- z[i] + 0.1 * (0.2 * z[i - 170] / (1 + z[i - 170]^10) - 0.1 * z[i])
  z <- drop(scale(z[seq(2001, 8000, by = 10)]))
  target <- 97:600
  x <- vapply(1:16, function(lag) z[target - 6 * lag], numeric(504))
  y <- z[target]
  for (entry in c("optimal", "guarded")) {
    fit <- plain_rvm(x[1:300, ], y[1:300],
      kernel = kernel_rbf(1, sqrt(10)), likelihood = lik_gaussian(0.01), seed = 1,
      control = control_rvm(
        update = "em", entry = entry, max_iter = 50, noise_start = 1e-4, noise_grow = FALSE
      )
    )
    objective <- fit_trace(fit)$objective
    expect_true(all(diff(objective) >= -1e-8 * abs(objective[-1])))
    expect_lt(mean((predict(fit, x[301:504, ]) - y[301:504])^2), 0.01)
  }
})

test_that("for classes a sweep ends near the same evidence whatever precision functions enter at", {
  x <- uniform_inputs(200, 2)
  y <- noisy_labels(x)
  evidence_of <- function(entry, inference) {
    fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), inference = inference,
      control = control_rvm(entry = entry)
    )
    evidence(fit)$value
  }
  for (inference in c("tap", "laplace")) {
    optimal <- evidence_of("optimal", inference)
    for (entry in c("guarded", "fixed", "literal")) {
      expect_equal(evidence_of(entry, inference), optimal, tolerance = 0.1)
    }
  }
})

test_that("TAP is expectation propagation on the degenerate prior", {
  x <- uniform_inputs(30)
  y <- noisy_labels(x)
  fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), algorithm = "em",
    control = control_rvm(alpha_start = 2, max_iter = 0)
  )
  new <- uniform_inputs(7, seed = 8)
  p <- all_functions(x, 1)
  p_new <- cbind(1, rbf(new, x))
  exact <- dense_ep(tcrossprod(p) / 2, ifelse(y == 1, 1, -1), tcrossprod(p, p_new) / 2,
    rowSums(p_new^2) / 2
  )
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(link$fit, exact$mean, tolerance = 1e-8)
  expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-8)
  expect_equal(unname(predict(fit, new, type = "prob")[, 2]), exact$prob, tolerance = 1e-8)
  expect_identical(evidence(fit)$kind, "ep")
})

test_that("the gradient agrees with differences of the evidence at fixed precisions", {
  x <- uniform_inputs(25)
  numbers <- sin(2 * x[, 1]) + x[, 2]
  for (inference in c("regression", "tap", "laplace", "naive")) {
    regression <- inference == "regression"
    fit_at <- function(theta) {
      plain_rvm(x, if (regression) numbers else noisy_labels(x),
        kernel = kernel_rbf(exp(theta[1]), exp(theta[2])), algorithm = "em",
        inference = if (regression) "tap" else inference,
        control = control_rvm(
          # Precision 1 of all weights of the kernel functions, whose scale is the variance.
          alpha_start = c(1, rep(exp(-2 * theta[1]), 25)),
          noise_start = if (regression) exp(theta[3]), max_iter = 0
        )
      )
    }
    theta <- log(c(1.3, 0.8, 0.1))[seq_len(2 + regression)]
    found <- unname(evidence(fit_at(theta), gradient = TRUE)$gradient)
    expected <- central_gradient(function(t) evidence(fit_at(t))$value, theta)
    expect_equal(found, expected, tolerance = 1e-5)
  }
})

test_that("trained precisions are a stationary point of the evidence", {
  x <- uniform_inputs(60, seed = 3)
  y <- noisy_labels(x)
  machine <- function(inference, centres = x[1:3, ], ...) {
    plain_rvm(x, y, kernel = kernel_rbf(1, 1), basis = centres, intercept = FALSE,
      algorithm = "em", inference = inference, control = control_rvm(prune = 1e12, ...)
    )
  }
  for (inference in c("tap", "naive")) {
    fit <- machine(inference, max_iter = 5000, tol = 1e-14)
    alpha <- 1 / fit$posteriors[[1]]$up$scale^2
    staying <- x[active_set(fit), , drop = FALSE]
    expect_gt(length(alpha), 1)
    for (j in seq_along(alpha)) {
      at <- function(step) {
        alpha[j] <- alpha[j] * exp(step)
        evidence(machine(inference, staying, alpha_start = alpha, max_iter = 0))$value
      }
      expect_lt(abs(at(1e-3) - at(-1e-3)) / 2e-3, 1e-4)
      expect_gt(at(0), max(at(0.5), at(-0.5)))
    }
  }
})

test_that("the fit does not depend on the scale of the kernel", {
  x <- uniform_inputs(60)
  y <- sin(2 * x[, 1]) + x[, 2] + with_own_seed(4, rnorm(60, sd = 0.1))
  for (algorithm in c("ssem", "em", "fast")) for (response in list(y, factor(y > 0))) {
    fits <- lapply(c(1, 1e6, 1e-6), function(variance) {
      plain_rvm(x, response, kernel = kernel_rbf(variance, 1), algorithm = algorithm)
    })
    expect_gt(length(active_set(fits[[1]])), 0)
    for (fit in fits[-1]) {
      expect_identical(active_set(fit), active_set(fits[[1]]))
      expect_equal(evidence(fit)$value, evidence(fits[[1]])$value, tolerance = 1e-8)
      expect_equal(all_predictions(fit, x), all_predictions(fits[[1]], x), tolerance = 1e-6)
    }
  }
})

test_that("with large kernel values functions stay in the model and fit the signal", {
  x <- 20 * uniform_inputs(80)
  signal <- (x[, 1] / 10)^3 - x[, 2] / 10
  y <- signal + with_own_seed(4, rnorm(80, sd = 0.1))
  for (algorithm in c("ssem", "em", "fast")) for (classes in c(FALSE, TRUE)) {
    response <- if (classes) factor(signal > 0) else y
    fit <- plain_rvm(x, response, kernel = kernel_polynomial(3), algorithm = algorithm)
    expect_gt(length(active_set(fit)), 0)
    if (classes) {
      expect_gt(mean(predict(fit, x) == response), 0.95)
    } else {
      expect_gt(cor(predict(fit, x), signal), 0.99)
    }
  }
})

test_that("all algorithms recover the function and the noise with few functions", {
  x <- uniform_inputs(80, 1)
  y <- sin(3 * x[, 1]) + with_own_seed(4, rnorm(80, sd = 0.1))
  for (algorithm in c("ssem", "em", "fast")) {
    fit <- quiet_rvm(x, y, kernel = kernel_rbf(1, 0.5), algorithm = algorithm, optimise = FALSE)
    expect_lt(sqrt(mean((predict(fit, x) - sin(3 * x[, 1]))^2)), 0.06)
    expect_lt(abs(sqrt(noise_of(fit)) * sd(y) - 0.1), 0.03)
    expect_lt(length(active_set(fit)), 30)
    expect_s3_class(fit, "gpsieve_rvm")
  }
})

test_that("noise is learned or kept as the likelihood says", {
  x <- uniform_inputs(60, 1)
  y <- sin(3 * x[, 1]) + with_own_seed(4, rnorm(60, sd = 0.1))
  at <- function(likelihood, optimise = FALSE, ...) {
    noise_of(quiet_rvm(x, y, kernel = kernel_rbf(1, fixed(0.5)), likelihood = likelihood,
      optimise = optimise, standardise = FALSE, ...
    ))
  }
  expect_identical(at(lik_gaussian(0.3)), 0.3)
  expect_identical(at(lik_gaussian(fixed(0.3)), optimise = TRUE), 0.3)
  expect_identical(at(lik_gaussian(fixed(0.3)), control = control_rvm(noise_start = 0.2)), 0.3)
  for (learned in c(
    at(lik_gaussian()), at(lik_gaussian(0.3), optimise = TRUE),
    at(lik_gaussian(0.3), control = control_rvm(noise_start = 0.2))
  )) expect_lt(abs(sqrt(learned) - 0.1), 0.03)
})

test_that("centres are a given matrix, a number of them, or the rows", {
  x <- uniform_inputs(60)
  y <- sin(2 * x[, 1]) + x[, 2]
  centres <- x[c(5, 10, 15, 20), ]
  fit <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), basis = centres, algorithm = "em",
    control = control_rvm(max_iter = 0)
  )
  expect_identical(active_set(fit), 1:4)
  expect_equal(unname(inducing(fit)), unname(centres))
  named <- centres[, 2:1]
  again <- plain_rvm(x, y, kernel = kernel_rbf(1, 1), basis = named, algorithm = "em",
    control = control_rvm(max_iter = 0)
  )
  expect_identical(all_predictions(again, x), all_predictions(fit, x))
  counted <- quiet_rvm(x, y, basis = 8, optimise = FALSE)
  expect_lte(nrow(inducing(counted)), 8)
  expect_error(active_set(counted), class = "gpsieve_error_unsupported")
  same <- quiet_rvm(x, y, basis = 8, optimise = FALSE)
  expect_identical(without_clock(same), without_clock(counted))
})

test_that("augmented error bars grow away from the data and agree with their closed form", {
  x <- matrix(seq(-2, 2, length.out = 40))
  y <- sin(3 * x[, 1]) + with_own_seed(4, rnorm(40, sd = 0.1))
  settings <- list(x, y, kernel = kernel_rbf(1, 0.5), algorithm = "em",
    control = control_rvm(alpha_start = 1, noise_start = 0.01, max_iter = 0)
  )
  plain <- do.call(plain_rvm, settings)
  fit <- do.call(plain_rvm, c(settings, variance = "augmented"))
  new <- matrix(c(0.1, 3, 100))
  se <- predict(fit, new, type = "link", se.fit = TRUE)
  before <- predict(plain, new, type = "link", se.fit = TRUE)
  expect_identical(se$fit, before$fit)
  expect_lt(se$se.fit[1]^2 - before$se.fit[1]^2, 0.003)
  expect_equal(se$se.fit[3]^2 - before$se.fit[3]^2, 0.01, tolerance = 1e-10)
  # The posterior with one more column, at its own point, mean left out.
  for (i in seq_len(nrow(new))) {
    own <- new[i, , drop = FALSE]
    p <- cbind(all_functions(x, 0.5), rbf(x, own, lengthscale = 0.5))
    sigma <- solve(crossprod(p) / 0.01 + diag(c(rep(1, 41), 1 / 0.01)))
    at <- c(1, rbf(own, x, lengthscale = 0.5), 1)
    expect_equal(se$se.fit[i]^2, drop(at %*% sigma %*% at), tolerance = 1e-6)
  }
  classes <- plain_rvm(x, factor(y > 0), kernel = kernel_rbf(1, 0.5), variance = "augmented")
  without <- plain_rvm(x, factor(y > 0), kernel = kernel_rbf(1, 0.5))
  far <- function(fit) predict(fit, matrix(100), type = "link", se.fit = TRUE)$se.fit
  expect_equal(far(classes)^2 - far(without)^2, 1, tolerance = 1e-8)
})

test_that("the width of the kernel is learned, deterministically", {
  x <- uniform_inputs(100, 1)
  y <- sin(6 * x[, 1]) + with_own_seed(3, rnorm(100, sd = 0.1))
  start <- kernel_rbf(1, 3)
  learned <- quiet_rvm(x, y, kernel = start)
  kept <- quiet_rvm(x, y, kernel = start, optimise = FALSE)
  expect_gt(evidence(learned)$value, evidence(kept)$value)
  expect_lt(mean((predict(learned, x) - sin(6 * x[, 1]))^2), 0.01)
  expect_identical(without_clock(quiet_rvm(x, y, kernel = start)), without_clock(learned))
  fixed_width <- quiet_rvm(x, y, kernel = kernel_rbf(1, fixed(0.4)))
  expect_identical(coef(fixed_width)[["lengthscale"]], 0.4)
})
