# Robust noise, counts, classes, fits without a certificate, degenerate and wrong input.

test_that("the Student-t likelihood resists outliers and has no certificate", {
  problem <- greedy_toy_problem(9, n = 80)
  spoilt <- replace(problem$y, 1:4, 30)
  fit_to <- function(likelihood) {
    plain_greedy(problem$x, spoilt, kernel_rbf(1, 0.8), likelihood, n_basis = 30, seed = 1)
  }
  robust <- fit_to(lik_student(4, 0.3))
  error <- function(fit) sqrt(mean((predict(fit, problem$x) - problem$y)[-(1:4)]^2))
  expect_lt(error(robust), 0.5 * error(fit_to(lik_gaussian(0.1))))
  expect_identical(certificate(robust)$rule, "none")
  expect_true(all(is.na(certificate(robust)[c("lower", "gap", "relative_gap")])))
  expect_output(print(summary(robust)), "none")
})

test_that("a smooth kernel with fewer functions than `n_basis` is fitted by any likelihood", {
  wave <- function(x) sin(3 * x) + x
  learned <- function(fit_by, data, likelihood) {
    fit_by(y ~ x, data, kernel_rbf() + kernel_constant(), likelihood = likelihood, seed = 1,
      verbose = FALSE)
  }
  # Each of these draws stopped with a pivot of -5e-6.
  for (draw in list(list(3, 50, 0), list(3, 150, 0), list(7, 50, 0.1), list(5, 150, 0.1))) {
    data <- with_own_seed(draw[[1]], {
      x <- sort(stats::runif(draw[[2]], -2, 2))
      y <- wave(x) + stats::rnorm(draw[[2]], 0, 0.1)
      if (draw[[3]] > 0) {
        out <- sample(draw[[2]], draw[[2]] * draw[[3]])
        y[out] <- y[out] + stats::rnorm(length(out), 0, 3)
      }
      data.frame(x, y)
    })
    fit <- learned(greedy_gp, data, lik_student())
    reference <- learned(ep_gp, data, lik_student())
    expect_lt(abs(as.numeric(logLik(fit)) - as.numeric(logLik(reference))), 1)
    expect_lt(max(abs(fitted(fit) - fitted(reference))), 0.05)
  }
  x <- cbind(with_own_seed(3, stats::runif(200, -2, 2)))
  count <- with_own_seed(3, stats::rpois(200, exp(wave(x[, 1]))))
  kernel <- kernel_rbf(lengthscale = 0.6, variance = 2) + kernel_constant()
  for (n in c(14, 40)) for (rule in c("gain", "pivot", "random")) {
    fit <- plain_greedy(x, count, kernel, lik_poisson(), n_basis = n, rule = rule, seed = 1)
    expect_true(is.finite(logLik(fit)))
    fit <- plain_greedy(x, wave(x[, 1]), kernel, lik_gaussian(0.09), n_basis = n, rule = rule,
      seed = 1)
    expect_lt(sqrt(mean((fitted(fit) - wave(x[, 1]))^2)), 0.1)
  }
})

test_that("counts are predicted on their own scale", {
  problem <- greedy_toy_problem(10, n = 150)
  fit <- greedy_gp(problem$x, problem$count, likelihood = lik_poisson(), seed = 1, verbose = FALSE)
  rate <- exp(sin(2 * problem$x[, 1]) + problem$x[, 2])
  expect_gt(cor(predict(fit, problem$x), rate), 0.9)
  # Large counts: the first Newton step from a rate of 1 overshoots, and is cut back.
  large <- plain_greedy(problem$x, 1000 * problem$count, kernel_rbf(20, 0.8), lik_poisson(),
    n_basis = 40, seed = 1
  )
  expect_true(all(is.finite(predict(large, problem$x))))
})

test_that("classes have a certificate each", {
  toy <- toy_data("multiclass")
  fit <- greedy_gp(y ~ a + b, toy$data, n_basis = 10, optimise = FALSE, seed = 1, verbose = FALSE)
  bound <- certificate(fit)
  expect_identical(bound$class, factor(levels(toy$y), levels = levels(toy$y)))
  expect_true(all(bound$gap > 0))
  expect_output(print(summary(fit)), "Bounds on the objective")
})

test_that("the certificate belongs to greedy fits, and may be left out", {
  problem <- greedy_toy_problem(11)
  fit <- plain_greedy(problem$x, problem$y, n_basis = 5, certify = FALSE, seed = 1)
  expect_identical(certificate(fit)$rule, "none")
  expect_error(certificate(ivm(problem$x, problem$y, n_active = 5, seed = 1, optimise = FALSE)),
    class = "gpsieve_error_unsupported"
  )
})

test_that("error bars for single points shrink to the exact variance", {
  problem <- greedy_toy_problem(12)
  fit <- plain_greedy(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1),
    n_basis = 5, seed = 1
  )
  new <- uniform_inputs(6, 2, 9)
  exact <- dense_gp(rbf(problem$x, lengthscale = 0.8), problem$y, 0.1,
    rbf(problem$x, new, lengthscale = 0.8), 1
  )$variance
  loose <- variance_bounds(fit, new, problem$x, tol = 0.5)
  tight <- variance_bounds(fit, new, problem$x, tol = 1e-6)
  expect_true(all(loose$size <= tight$size))
  expect_equal(tight$upper, exact, tolerance = 1e-5)
  expect_equal(tight$lower, exact, tolerance = 1e-5)
  holes <- new
  holes[2, 1] <- NA
  expect_identical(which(is.na(variance_bounds(fit, holes, problem$x)$lower)), 2L)
  # On the scale of the response, whatever was standardised.
  scaled <- greedy_gp(problem$x, 10 * problem$y, n_basis = 5, optimise = FALSE, seed = 1)
  plain <- greedy_gp(problem$x, problem$y, n_basis = 5, optimise = FALSE, seed = 1)
  expect_equal(
    variance_bounds(scaled, new, problem$x)$upper,
    100 * variance_bounds(plain, new, problem$x)$upper, tolerance = 1e-10
  )
})

# ---- running out of functions ----

test_that("a fit that runs out of functions is valid and says so", {
  same <- matrix(1, 20, 2)
  for (y in list(sin(1:20), factor(rep(c("a", "b"), 10)))) {
    for (rule in c("gain", "pivot", "random")) {
      fit <- plain_greedy(same, y, kernel_rbf(1, 1), n_basis = 5, rule = rule, seed = 1)
      expect_length(active_set(fit), 1)
      expect_true(fit$converged)
      expect_match(fit$reason, "exhausted")
      expect_output(print(fit), "exhausted")
      expect_lt(certificate(fit)$gap, 1e-6)
    }
  }
  # No function at all: the kernel is zero.
  none <- plain_greedy(matrix(0, 20, 2), sin(1:20), kernel_linear(), n_basis = 5, seed = 1)
  expect_length(active_set(none), 0)
  expect_identical(predict(none, matrix(0, 3, 2)), numeric(3))
  expect_match(none$reason, "exhausted")
  expect_true(is.finite(evidence(none)$value))
  classes <- plain_greedy(matrix(0, 20, 2), gl(2, 10), kernel_linear(), n_basis = 5, seed = 1)
  expect_length(active_set(classes), 0)
  # Duplicated rows count once each.
  twice <- greedy_toy_problem(13, n = 15)
  fit <- plain_greedy(rbind(twice$x, twice$x), c(twice$y, twice$y), kernel_rbf(1, 0.8),
    lik_gaussian(0.1), n_basis = 30, seed = 1
  )
  expect_length(active_set(fit), 15)
  once <- plain_greedy(twice$x, twice$y, kernel_rbf(1, 0.8), lik_gaussian(0.05),
    n_basis = 15, seed = 1
  )
  expect_equal(predict(fit, twice$x), predict(once, twice$x), tolerance = 1e-7)
})

test_that("a constant response is fitted", {
  x <- uniform_inputs(30)
  fit <- greedy_gp(x, rep(3, 30), optimise = FALSE, seed = 1, verbose = FALSE)
  expect_equal(predict(fit, x), rep(3, 30), tolerance = 1e-12)
  expect_identical(certificate(fit)$gap, 0)
})

# ---- refusals ----

test_that("wrong input is refused in words", {
  x <- uniform_inputs(6)
  y <- c(1, 2, 4, 3, 5, 6)
  fit <- greedy_gp(x, y, n_basis = 3, optimise = FALSE, seed = 1)
  counts <- greedy_gp(x, y, likelihood = lik_poisson(), n_basis = 3, optimise = FALSE, seed = 1)
  expect_snapshot(error = TRUE, {
    greedy_gp(x, y, likelihood = lik_gaussian(0))
    greedy_gp(x, y, n_basis = 0)
    greedy_gp(x, c(1, 2, -4, 3, 5, 6), likelihood = lik_poisson())
    greedy_gp(x, y, tol = 0)
    greedy_gp(x, y, tol = 1.5)
    greedy_gp(x, y, candidates = 0)
    greedy_gp(x, y, candidates = list(1:3, 7))
    greedy_gp(x, y, rule = "best")
    greedy_gp(x, y, certify = NA)
    greedy_gp(x, factor(y > 3), variance = "upper")
    greedy_gp(x, y, variance = "fitc")
    greedy_gp(x, y, control = control_ivm())
    greedy_gp(x, y, n_active = 3)
    control_greedy(stop = "soon")
    control_greedy(bound = "none")
    certificate(ivm(x, y, optimise = FALSE, seed = 1))
    variance_bounds(counts, x, x)
    variance_bounds(fit, x, x[1:3, ])
    variance_bounds(fit, x, x, tol = -1)
  })
})

test_that("a kernel that no Gaussian process has is refused", {
  x <- uniform_inputs(30)
  y <- sin(x[, 1])
  negative <- kernel_function(function(x, z) -tcrossprod(x, z) - 1)
  indefinite <- kernel_function(function(x, z) {
    1 - as.matrix(dist(rbind(x, z)))[seq_len(nrow(x)), nrow(x) + seq_len(nrow(z))]^4
  })
  for (lik in list(lik_gaussian(0.1), lik_poisson())) {
    for (rule in c("gain", "pivot")) {
      refused <- function(x, kernel, class = "kernel", n_basis = 20) {
        expect_error(
          plain_greedy(x, if (lik$type == "poisson") round(2 + y) else y, kernel, lik, seed = 1,
            rule = rule, n_basis = n_basis
          ),
          class = paste0("gpsieve_error_", class)
        )
      }
      refused(x, negative)
      refused(x, indefinite, "numerical")
      refused(x * 1e90, kernel_polynomial(3))
    }
  }
  expect_snapshot(error = TRUE, plain_greedy(x, y, negative, lik_gaussian(0.1), seed = 1))
})

test_that("the evidence of a learned regression is comparable with the dense one", {
  # More inputs than rows: the noise is learned to be small, and the kernel variance outside the
  # functions of the fit, divided by it, is large.
  problem <- with_own_seed(1, {
    x <- matrix(stats::rnorm(80 * 120), 80)
    list(x = x, y = drop(x[, 1] + stats::rnorm(80) / 5))
  })
  smooth <- with_own_seed(2, {
    x <- matrix(stats::rnorm(300), 100)
    list(x = x, y = drop(x[, 1] + stats::rnorm(100) / 5))
  })
  for (data in list(problem, smooth)) {
    fit <- suppressWarnings(greedy_gp(data$x, data$y, seed = 1, verbose = FALSE))
    dense <- meanfield_gp(data$x, data$y, kernel = kernel_of(fit), likelihood = likelihood_of(fit),
      optimise = FALSE, verbose = FALSE
    )
    expect_lt(length(active_set(fit)), nrow(data$x))
    expect_equal(evidence(fit)$value, evidence(dense)$value, tolerance = 1e-6)
    expect_equal(evidence(fit, gradient = TRUE)$gradient, evidence(dense, gradient = TRUE)$gradient,
      tolerance = 1e-3
    )
  }
})

test_that("counts that are all zero have small predicted means", {
  x <- uniform_inputs(30)
  fit <- suppressWarnings(greedy_gp(x, rep(0, 30), likelihood = lik_poisson(), seed = 1))
  means <- predict(fit, x)
  expect_true(all(means >= 0 & means < 0.5))
})

test_that("variance_bounds() checks its arguments before any work", {
  fit <- greedy_gp(dist ~ speed, cars, n_basis = 3, optimise = FALSE, seed = 1)
  refused <- function(code, argument, class = "argument") {
    expect_error(code, argument, class = paste0("gpsieve_error_", class))
  }
  refused(variance_bounds(fit), "newdata")
  refused(variance_bounds(fit, cars), "x")
  refused(variance_bounds(fit, 1:3, cars), "newdata")
  refused(variance_bounds(fit, cars, 1:3), "x")
  refused(variance_bounds(fit, cars, cars["dist"]), "x", "data")
  refused(variance_bounds(fit, cars, cars, tol = NA), "tol")
  refused(variance_bounds(fit, cars, cars, max_basis = 0), "max_basis")
  refused(variance_bounds(fit, cars, cars, stop = "never"), "stop")
  refused(variance_bounds(fit, cars, cars, threads = -1), "threads")
})

test_that("bounds of variances are refused where the noise is not the same in all rows", {
  known <- greedy_gp(dist ~ speed, cars, n_basis = 5, optimise = FALSE, seed = 1,
    noise_sd = rep(c(5, 15), 25))
  expect_error(variance_bounds(known, data.frame(speed = 15), cars), "same in all rows",
    class = "gpsieve_error_unsupported")
})
