# Known standard deviations of a numeric response, noise_sd.

measured <- function(n = 40) {
  x <- uniform_inputs(n, 1)[, 1]
  sd <- exp(with_own_seed(9, runif(n, log(0.02), log(2))))
  data.frame(a = x, y = 3 + sin(2 * x) + sd * with_own_seed(10, rnorm(n)), s = sd)
}

# Models that are exact with a place for every row.
noisy <- list(
  meanfield_gp = list(meanfield_gp), greedy_gp = list(greedy_gp, n_basis = 40, candidates = Inf),
  ivm = list(ivm), ivm_unrefined = list(ivm, refine = 0), online_gp = list(online_gp, novelty = 0),
  online_gp_ep = list(online_gp, sweeps = 2, sweep_type = "ep")
)

test_that("the dense models give the exact Gaussian process with K + diag(s^2)", {
  data <- measured()
  new <- data.frame(a = seq(-2, 2, 0.5))
  kernel <- kernel_rbf(1.5, 0.6)
  k <- function(x, z) kernel_matrix(kernel, matrix(x), matrix(z))
  covariance <- k(data$a, data$a) + diag(data$s^2)
  mean <- drop(k(new$a, data$a) %*% solve(covariance, data$y))
  explained <- k(new$a, data$a) %*% solve(covariance, t(k(new$a, data$a)))
  sd <- sqrt(1.5 - diag(explained))
  evidence <- -0.5 * sum(data$y * solve(covariance, data$y)) -
    0.5 * as.numeric(determinant(covariance)$modulus) - 20 * log(2 * pi)
  for (model in noisy) {
    fit <- do.call(model[[1]], c(list(y ~ a, data, kernel = kernel, optimise = FALSE,
      standardise = FALSE, noise_sd = quote(s), seed = 1), model[-1]))
    found <- predict(fit, new, type = "link", se.fit = TRUE)
    expect_equal(found$fit, mean, tolerance = 1e-6)
    expect_equal(found$se.fit, sd, tolerance = 1e-6)
    expect_equal(evidence(fit)$value, evidence, tolerance = 1e-6)
    expect_equal(nobs(fit), 40)
    limits <- predict(fit, transform(new, s = 0.3), interval = "prediction")
    expect_equal(unname(limits[, "upr"]), mean + qnorm(0.975) * sqrt(sd^2 + 0.09), tolerance = 1e-6)
    expect_equal(predict(fit, new, interval = "prediction", noise_sd = rep(0.3, 9)), limits)
    at <- predict(fit, data, type = "link", se.fit = TRUE)
    expect_equal(residuals(fit, "pearson"), (data$y - at$fit) / sqrt(at$se.fit^2 + data$s^2),
      tolerance = 1e-6
    )
    expect_equal(residuals(fit, "deviance", newdata = data), (data$y - at$fit) / data$s,
      tolerance = 1e-6
    )
    expect_identical(residuals(fit, "quantile"), residuals(fit, "quantile", newdata = data))
  }
})

test_that("a row is left out together with its own noise", {
  data <- measured()
  centres <- matrix(seq(-1.8, 1.8, length.out = 7), dimnames = list(NULL, "a"))
  few <- c(4, 11, 17, 25, 31, 38)
  # Models whose basis stays the same without a row, which is none of the few.
  inducing <- list(inducing = centres, learn_inducing = FALSE,
    control = control_ep(max_iter = 2000, tol = 1e-13))
  models <- list(
    list(meanfield_gp), c(ep_gp, inducing), c(ep_gp, inducing, method = "ep"),
    list(greedy_gp, n_basis = 6, candidates = as.list(few))
  )
  for (model in models) {
    fit_to <- function(data, ..., candidates = model$candidates) {
      model$candidates <- candidates
      suppressMessages(do.call(model[[1]], c(list(y ~ a, data, kernel = kernel_rbf(1.5, 0.6),
        optimise = FALSE, standardise = FALSE, seed = 1, ...), model[-1])))
    }
    fit <- fit_to(data, noise_sd = quote(s))
    v <- likelihood_of(fit)$values$variance
    for (row in c(1, 20)) {
      rest <- data[-row, ]
      part <- fit_to(rest, likelihood = lik_gaussian(v), weights = v / rest$s^2,
        candidates = if (!is.null(model$candidates)) as.list(few - (few > row)))
      at <- predict(part, data[row, ], type = "link", se.fit = TRUE)
      expected <- dnorm(data$y[row], at$fit, sqrt(at$se.fit^2 + data$s[row]^2), log = TRUE)
      expect_equal(loo(fit, data)[row], expected, tolerance = 1e-6)
    }
  }
  dense <- meanfield_gp(y ~ a, data, noise_sd = s)
  expect_equal(loo(dense), loo(dense, data), tolerance = 1e-6)
  rough <- update(dense, kernel = kernel_rbf(1, 0.01), optimise = FALSE)
  expect_equal(compare(dense, rough)$score, c(sum(loo(dense)), sum(loo(rough))))
  expect_gt(greedy_gp(y ~ a, data, noise_sd = s, seed = 1)$held_out[["coverage95"]], 0.85)
  # Standard deviations that were numbers are those of no other rows.
  expect_error(loo(meanfield_gp(y ~ a, data, noise_sd = data$s), data),
    class = "gpsieve_error_data")
})

test_that("inducing inputs at all rows come near the exact process", {
  data <- measured()
  exact <- meanfield_gp(y ~ a, data, kernel = kernel_rbf(1.5, 0.6), optimise = FALSE, noise_sd = s)
  for (method in c("ep", "sep")) {
    fit <- ep_gp(y ~ a, data, kernel = kernel_rbf(1.5, 0.6), optimise = FALSE, noise_sd = s,
      inducing = as.matrix(data["a"]), method = method, seed = 1
    )
    expect_equal(predict(fit), predict(exact), tolerance = 1e-4)
  }
  expect_equal(
    evidence(ep_gp(y ~ a, data, kernel = kernel_rbf(1.5, 0.6), optimise = FALSE, noise_sd = s,
      inducing = as.matrix(data["a"]), method = "ep", seed = 1))$value,
    evidence(exact)$value, tolerance = 1e-3
  )
})

test_that("gpsieve() chooses with known noise, and its call makes the same fit", {
  data <- measured(80)
  truth <- 3 + sin(2 * data$a)
  fit <- gpsieve(y ~ a, data, noise_sd = s, seed = 1, verbose = FALSE)
  expect_lt(sqrt(mean((fitted(fit) - truth)^2)), 0.06)
  expect_identical(unique(choice(fit)$likelihood), "default")
  again <- eval(choice(fit, "call"), list(data = data))
  expect_identical(predict(again, data), predict(fit, data))
  models <- gpsieve(y ~ a, data, noise_sd = s, candidates = c("ivm", "ep_gp", "greedy_gp"),
    seed = 1, verbose = FALSE
  )
  expect_true(all(choice(models)$score > -1))
  again <- eval(choice(models, "call"), list(data = data))
  expect_equal(predict(again, data), predict(models, data), tolerance = 1e-6)
  # What is said of held-out rows counts each with its own noise.
  expect_gt(fit$choice$held_out[["coverage95"]], 0.85)
})

test_that("rows of an online fit that are visited twice have their noise twice", {
  data <- measured()
  twice <- online_gp(y ~ a, data, weights = rep(2, 40), noise_sd = s, novelty = 0,
    kernel = kernel_rbf(1, 0.6), optimise = FALSE, seed = 1
  )
  half <- meanfield_gp(y ~ a, data, noise_sd = s / sqrt(2), kernel = kernel_rbf(1, 0.6),
    optimise = FALSE
  )
  expect_equal(predict(twice, data), predict(half, data), tolerance = 0.05)
})

test_that("equal noise is the noise of the likelihood, on any scale and through every interface", {
  data <- measured()
  for (model in c(noisy, list(rvm = list(rvm)))) {
    ask <- function(..., data) {
      do.call(model[[1]], c(list(...), model[-1], list(seed = 1, optimise = FALSE,
        kernel = kernel_rbf(1, 0.6)
      )))
    }
    known <- ask(y ~ a, data, noise_sd = 0.5 * data$a^0)
    scale <- known$response$scale
    usual <- ask(y ~ a, data, likelihood = lik_gaussian(fixed((0.5 / scale)^2)))
    expect_equal(predict(known), predict(usual), tolerance = 1e-8)
    expect_equal(evidence(known)$value, evidence(usual)$value, tolerance = 1e-8)
    thousand <- ask(y ~ a, transform(data, y = 1000 * y), noise_sd = quote(500 * a^0))
    expect_equal(predict(thousand), 1000 * predict(known), tolerance = 1e-8)
    expect_equal(predict(ask(data["a"], data$y, noise_sd = 0.5 * data$a^0)), predict(known))
  }
})

test_that("rows of great noise count little, and intervals cover the truth", {
  data <- measured(200)
  truth <- 3 + sin(2 * data$a)
  fit <- meanfield_gp(y ~ a, data, noise_sd = s)
  limits <- predict(fit, interval = "confidence")
  expect_lt(sqrt(mean((limits[, "fit"] - truth)^2)), 0.03)
  expect_gt(mean(limits[, "lwr"] <= truth & truth <= limits[, "upr"]), 0.85)
  without <- meanfield_gp(y ~ a, data)
  expect_gt(sqrt(mean((fitted(without) - truth)^2)), 2 * sqrt(mean((fitted(fit) - truth)^2)))
})

test_that("weights, missing standard deviations, update() and cv() go with noise_sd", {
  data <- measured()
  given <- function(...) {
    meanfield_gp(y ~ a, data, ..., kernel = kernel_rbf(1, 0.6), optimise = FALSE,
      standardise = FALSE
    )
  }
  twice <- given(weights = rep(2, 40), noise_sd = s)
  half <- given(noise_sd = s / sqrt(2))
  expect_equal(predict(twice), predict(half), tolerance = 1e-8)
  data$s[3] <- NA
  expect_message(fit <- meanfield_gp(y ~ a, data, noise_sd = s), "noise_sd \\(1\\)")
  again <- suppressMessages(update(fit, y ~ a + I(a^2)))
  expect_identical(again$blueprint$noise, fit$blueprint$noise)
  crossed <- suppressMessages(cv(fit, data, folds = 4, seed = 1))
  expect_true(all(is.finite(crossed$rows$log_density[-3])))
})

test_that("what cannot know its noise says so", {
  data <- measured()
  stream <- online_gp(y ~ a, data, noise_sd = s, optimise = FALSE, seed = 1)
  expect_error(update(stream, data = data), class = "gpsieve_error_unsupported")
  rows <- rows_from_function(function(reset) NULL)
  for (model in list(ep_gp, online_gp, gpsieve)) {
    expect_error(model(y ~ a, rows, noise_sd = s), class = "gpsieve_error_unsupported")
  }
  fit <- meanfield_gp(y ~ a, data, noise_sd = s, optimise = FALSE)
  expect_snapshot(error = TRUE, {
    online_gp(y ~ a, data, noise_sd = s, likelihood = lik_gaussian())
    meanfield_gp(y ~ a, data, noise_sd = s, likelihood = lik_gaussian())
    meanfield_gp(factor(y > 3) ~ a, data, noise_sd = s)
    meanfield_gp(y ~ a, data, noise_sd = -s)
    meanfield_gp(y ~ a, data, noise_sd = 1:3)
    predict(fit, data["a"], interval = "prediction")
    predict(ivm(y ~ a, data, optimise = FALSE, seed = 1), data, noise_sd = data$s)
    sigma(fit)
    simulate(fit, newdata = data)
  })
})

test_that("rows are left out exactly, however small their known noise is", {
  x <- data.frame(x = with_own_seed(1, sort(runif(25, 0, 10))))
  kernel <- kernel_matern(1.5, 1, 0.5)
  for (noise in c(0.1, 1e-4)) {
    y <- sin(x$x) + with_own_seed(2, rnorm(25, sd = noise))
    fit <- meanfield_gp(x, y, kernel, noise_sd = rep(noise, 25), optimise = FALSE,
      standardise = FALSE, prior_mean = 0)
    precision <- solve(kernel_matrix(kernel, x) + diag(noise^2, 25))
    variance <- 1 / diag(precision)
    wanted <- dnorm(y, y - drop(precision %*% y) * variance, sqrt(variance), log = TRUE)
    expect_equal(loo(fit), wanted, tolerance = 1e-6)
    expect_output(print(fit), "held out")
  }
  # where only some rows are basis points, what is lost in rounding errors is refused
  few <- greedy_gp(x, y, kernel, lik_gaussian(1e-10), n_basis = 25, optimise = FALSE,
    standardise = FALSE, prior_mean = 0, seed = 1)
  expect_error(loo(few, x, y), class = "gpsieve_error_data")
})
