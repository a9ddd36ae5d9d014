# Weak priors of hyper-parameters: their density, and their effect on learning.

prior_problem <- function(kernel, x, y, ...) {
  columns <- colnames(x)
  list(
    kernel = kernel_resolve(kernel, x), likelihood = likelihood_resolve(lik_gaussian(), y), x = x,
    y = matrix(y), response = list(kind = "real")
  )
}

test_that("the density of the prior is that of its Gaussian", {
  x <- spread_points(40, 3)
  y <- sin(1:40)
  found <- hyper_prior(prior_problem(kernel_rbf(ard = TRUE), x, y), prior_weak(spread = 0.5))
  variances <- colMeans(scale(x, scale = FALSE)^2)
  expect_equal(found$center, c(log(var(y)), rep(log(sqrt(2 * sum(variances))), 3), 0))
  covariance <- 0.5^2 * diag(3) + 1
  expect_equal(found$precision[2:4, 2:4], solve(covariance))
  expect_equal(diag(found$precision)[c(1, 5)], c(1.5^-2, 0))
  expect_equal(found$precision[1, -1], numeric(4))
})

test_that("the centre of the prior follows the units of the data", {
  x <- spread_points(40, 2)
  y <- cos(1:40)
  at <- function(scale_x, scale_y, kernel) {
    hyper_prior(prior_problem(kernel, scale_x * x, scale_y * y), prior_weak())$center
  }
  kernel <- kernel_rbf() + kernel_linear()
  expect_equal(
    at(10, 3, kernel) - at(1, 1, kernel), c(2 * log(3), log(10), 2 * log(3) - 2 * log(10), 0)
  )
})

test_that("hyper-parameters that the prior does not cover have prior precision 0", {
  x <- spread_points(40, 2)
  of <- function(kernel) {
    diag(hyper_prior(prior_problem(kernel, x, sin(1:40)), prior_weak())$precision)
  }
  expect_equal(of(kernel_rational_quadratic())[3:4], c(0, 0))
  expect_equal(of(kernel_rbf() * kernel_periodic())[c(1, 3, 5)], c(0, 0, 0))
  expect_equal(of(kernel_white()), c(0, 0))
  expect_null(hyper_prior(prior_problem(kernel_rbf(), x, sin(1:40)), NULL))
})

test_that("a penalised objective has the penalised gradient", {
  problem <- prior_problem(kernel_matern(ard = TRUE) + kernel_linear(), spread_points(30, 3),
    sin(1:30))
  prior <- hyper_prior(problem, prior_weak())
  flat <- function(theta) list(value = 0, gradient = 0 * theta)
  objective <- with_prior(flat, prior)
  theta <- prior$center + sin(seq_along(prior$center))
  slopes <- vapply(seq_along(theta), function(i) {
    h <- replace(numeric(length(theta)), i, 1e-5)
    (objective(theta + h)$value - objective(theta - h)$value) / 2e-5
  }, 0)
  expect_equal(objective(theta)$gradient, slopes, tolerance = 1e-7)
  expect_identical(with_prior(flat, NULL), flat)
})

test_that("lengthscales that start equal move together first", {
  peak <- c(1, 2, 4)
  calls <- list()
  objective <- function(theta) {
    calls[[length(calls) + 1L]] <<- theta
    list(value = -sum((theta - peak)^2), gradient = -2 * (theta - peak))
  }
  search <- list(
    free = rep(TRUE, 3), groups = c(1, 2, 2), steps = 20, origin = numeric(3), range = log(1000)
  )
  found <- maximise_in_stages(objective, numeric(3), search)
  expect_equal(found, peak, tolerance = 1e-4)
  expect_true(all(vapply(calls[1:3], function(at) at[2] == at[3], NA)))
  expect_false(starts_isotropic(c(0, 1, 2), rep(TRUE, 3), c(1, 2, 2)))
  expect_false(starts_isotropic(c(0, 1, 1), c(TRUE, FALSE, FALSE), c(1, 2, 2)))
  expect_false(starts_isotropic(numeric(3), rep(TRUE, 3), 1:3))
})

test_that("a search begins on a part of many rows, and only if it helps on all of them", {
  problem <- function(n) {
    list(
      x = matrix(as.numeric(seq_len(n))), y = matrix(rep(1, n)), cases = list(), seed = 1L,
      kernel = kernel_rbf(1, c(1, 1)), likelihood = lik_probit()
    )
  }
  theta <- theta_of(kernel_rbf(1, c(1, 1)), lik_probit())
  search <- list(
    free = c(TRUE, TRUE, TRUE, FALSE), groups = c(1, 2, 2, 3), steps = 20, origin = theta,
    range = log(1000)
  )
  # The evidence of a part has its maximum at log hyper-parameters 1, that of all rows elsewhere.
  rows <- integer()
  towards <- function(peak_of_all) {
    function(sample) {
      n <- nrow(sample$y)
      rows <<- c(rows, n)
      peak <- if (n == 4000) peak_of_all else 1
      function(theta) list(value = -sum((theta - peak)^2), gradient = -2 * (theta - peak))
    }
  }
  found <- coarse_start(problem(4000), towards(2), search)
  expect_equal(unname(theta_of(found$kernel, found$likelihood)), c(1, 1, 1, 0), tolerance = 1e-4)
  expect_setequal(rows, c(1000, 4000))
  expect_identical(nrow(found$x), 4000L)
  expect_identical(coarse_start(problem(4000), towards(-1), search), problem(4000))
  # Too few rows for a part, and lengthscales that the caller chose.
  rows <- integer()
  expect_identical(coarse_start(problem(1999), towards(2), search), problem(1999))
  chosen <- problem(4000)
  chosen$kernel <- kernel_rbf(1, c(1, 2))
  expect_identical(coarse_start(chosen, towards(2), search), chosen)
  expect_length(rows, 0L)
})

test_that("a narrow prior keeps learning near its centre, in every model", {
  toy <- toy_data("regression")
  tight <- list(prior_level = 1e-3, prior_of_variance = c(other = 1e-3, classes = 1e-3))
  every_model(function(spec) {
    settings <- spec$learning
    if (is.null(settings$control)) return()
    settings$control$prior <- prior_weak(spread = 1e-3)
    settings$optimise <- TRUE
    fit <- with_functions(tight, fit_cheaply(spec, y ~ a + b, toy$data,
      kernel = kernel_rbf(1, 1, ard = TRUE), settings = settings))
    lengthscales <- coef(fit)[c("lengthscale.a", "lengthscale.b")]
    if (spec$class %in% c("gpsieve_ep_gp")) {
      return(expect_lt(max(abs(log(lengthscales / 2))), log(2)))
    }
    expect_equal(unname(lengthscales), c(2, 2), tolerance = 0.05, info = spec$class)
  })
})

test_that("an invalid prior is an error, and a prior prints as its call", {
  expect_identical(format(prior_weak()), "prior_weak(spread = 0.6)")
  expect_error(prior_weak(spread = 0), class = "gpsieve_error_argument")
  for (maker in list(
    control_ivm, control_ep, control_meanfield, control_online, control_greedy, control_rvm
  )) {
    expect_null(maker(prior = NULL)$prior)
    expect_error(maker(prior = 1), class = "gpsieve_error_argument")
    edited <- prior_weak()
    for (odd in list("a", NaN, quote(a), -1)) {
      edited$spread <- odd
      expect_error(maker(prior = edited), class = "gpsieve_error_argument")
    }
    expect_error(maker(prior = unclass(edited)[-1]), class = "gpsieve_error_argument")
  }
  expect_snapshot({
    prior_weak()
    control_online()
    control_ivm(prior = 2)
  }, error = TRUE)
})
