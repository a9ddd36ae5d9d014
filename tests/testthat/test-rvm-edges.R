# Relevance vector machines on odd data, and the arguments that rvm() refuses.

expect_usable <- function(fit, new) {
  for (answer in all_predictions(fit, new)) expect_false(anyNA(answer))
  expect_true(is.finite(evidence(fit)$value))
}

test_that("duplicated and collinear columns, few rows and many candidates give finite fits", {
  x <- uniform_inputs(50)
  y <- sin(2 * x[, 1])
  many <- rbind(x, uniform_inputs(750, seed = 5))
  for (algorithm in c("ssem", "em", "fast")) for (response in list(y, factor(y > 0))) {
    twice <- plain_rvm(x, response, kernel = kernel_rbf(1, 1), basis = rbind(x, x),
      algorithm = algorithm, control = control_rvm(max_iter = 30)
    )
    expect_usable(twice, x)
    flat <- plain_rvm(x, response, kernel = kernel_linear(), algorithm = algorithm,
      control = control_rvm(max_iter = 30)
    )
    expect_usable(flat, x)
    expect_usable(plain_rvm(x, response, kernel = kernel_rbf(1, 1), basis = many,
      algorithm = algorithm, control = control_rvm(max_iter = 30)
    ), x)
  }
})

test_that("a constant response, separable classes and a single row give finite fits", {
  x <- uniform_inputs(30)
  for (value in c(0, 3)) {
    fit <- quiet_rvm(x, rep(value, 30), optimise = FALSE)
    expect_usable(fit, x)
    expect_equal(predict(fit, x), rep(value, 30), tolerance = 1e-6)
    expect_usable(plain_rvm(x, rep(value, 30)), x)
  }
  apart <- matrix(c(seq(-2, -1, length.out = 20), seq(1, 2, length.out = 20)))
  sides <- factor(rep(c("a", "b"), each = 20))
  for (inference in c("tap", "laplace", "naive")) {
    fit <- quiet_rvm(apart, sides, inference = inference, optimise = FALSE)
    expect_usable(fit, apart)
    expect_identical(predict(fit, apart), sides)
  }
  for (standardise in c(TRUE, FALSE)) {
    expect_warning(class = "gpsieve_warning_little_data",
      fit <- quiet_rvm(matrix(2), 5, standardise = standardise))
    expect_usable(fit, matrix(c(2, 100)))
  }
})

test_that("a model without functions predicts the prior", {
  x <- uniform_inputs(40)
  noise <- with_own_seed(2, rnorm(40))
  prune_all <- function(response, ...) {
    rvm(x, response, ..., kernel = kernel_rbf(1, 0.3), optimise = FALSE, standardise = FALSE,
      control = control_rvm(prune = 1e-8), seed = 1, verbose = FALSE
    )
  }
  empty <- function(response) {
    expect_warning(fit <- prune_all(response, intercept = FALSE), class = "gpsieve_warning_empty")
    fit
  }
  fit <- empty(noise)
  expect_identical(active_set(fit), integer())
  link <- predict(fit, x, type = "link", se.fit = TRUE)
  expect_identical(link, list(fit = numeric(40), se.fit = numeric(40)))
  expect_equal(noise_of(fit), mean(noise^2))
  q <- predict(fit, x[1, , drop = FALSE], type = "quantile", probs = 0.975)
  expect_equal(q[[1]], 1.959964 * sqrt(mean(noise^2)), tolerance = 1e-6)
  classes <- empty(factor(noise > 0))
  expect_equal(unname(predict(classes, x, type = "prob")), matrix(0.5, 40, 2))
  expect_equal(evidence(classes)$value, 40 * log(0.5))
  expect_output(print(fit), "Relevance vector machine")
  expect_snapshot(constant <- prune_all(noise))
  # A constant response needs no function.
  expect_no_warning(prune_all(rep(1, 40)), class = "gpsieve_warning_empty")
})

test_that("a factor with as many levels as rows gives valid probabilities", {
  x <- matrix(1:5)
  fit <- quiet_rvm(x, letters[1:5], optimise = FALSE)
  expect_usable(fit, x)
  expect_identical(dim(predict(fit, x, type = "prob")), c(5L, 5L))
})

test_that("unsupported arguments are an error before any computation", {
  x <- uniform_inputs(12)
  y <- x[, 1]
  refuse(rvm(x, y, basis = x[, 1, drop = FALSE]))
  refuse(rvm(x, y, basis = x[0, ], intercept = FALSE))
  for (bad in list(0, 1.5, -1, NA_real_, "2", c(1, 2), TRUE, list(1), matrix("a", 1, 2))) {
    refuse(rvm(x, y, basis = bad))
  }
  refuse(rvm(x, y, basis = replace(x, 3, NA)), "data")
  for (bad in list(0, -1, NA, Inf, "1")) refuse(control_rvm(prune = bad))
  for (bad in list(0, -1, NA)) refuse(control_rvm(alpha_start = bad))
  refuse(control_rvm(noise_start = 0))
  refuse(control_rvm(max_iter = -1))
  refuse(control_rvm(sweeps = 0))
  refuse(rvm(x, y, control = control_rvm(alpha_start = c(1, 2))))
  refuse(rvm(x, y, control = control_ivm()))
  refuse(rvm(x, factor(y > 0), likelihood = lik_logit()), "unsupported")
  refuse(rvm(x, factor(y > 0), likelihood = lik_label_noise()), "unsupported")
  refuse(rvm(x, y, likelihood = lik_student()), "unsupported")
  expect_snapshot(error = TRUE, {
    rvm(x, y, basis = x[, 1, drop = FALSE])
    rvm(x, y, basis = x[0, ], intercept = FALSE)
    rvm(x, y, basis = 1.5)
    rvm(x, y, basis = "rows")
    rvm(x, y, basis = matrix("a", 1, 2))
    rvm(x, y, algorithm = "gibbs")
    rvm(x, y, control = control_rvm(alpha_start = c(1, 2)))
    rvm(x, factor(y > 0), likelihood = lik_logit())
    control_rvm(prune = 0)
  })
})

test_that("fast updates do not work with naive mean field", {
  expect_snapshot(error = TRUE, rvm(Species ~ ., iris, algorithm = "fast", inference = "naive"))
})

test_that("the noise of one row is not learned", {
  expect_warning(class = "gpsieve_warning_little_data",
    fit <- rvm(matrix(1), 3, seed = 1, verbose = FALSE))
  interval <- predict(fit, matrix(1), interval = "prediction")
  expect_gt(interval[, "upr"] - interval[, "lwr"], 0.1)
})

test_that("batch EM is named where an empty model has more columns than rows", {
  data <- with_own_seed(1, matrix(rnorm(40 * 100), 40))
  said <- function(...) {
    tryCatch(rvm(data, rowSums(data[, 1:10]), seed = 1, optimise = FALSE, ...),
      gpsieve_warning_empty = conditionMessage
    )
  }
  expect_match(said(), 'algorithm = "em"', fixed = TRUE)
})
