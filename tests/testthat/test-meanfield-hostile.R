# Odd but legal data through the dense mean-field methods; hyper-parameters are learned unless a
# test says otherwise.

dense <- function(...) whatever_it_learns(meanfield_gp(..., seed = 1, verbose = FALSE))
dense_methods <- c("tap", "ensemble", "naive", "laplace")

test_that("one row per class, two rows in all, a single number", {
  x <- matrix(c(-1, 1))
  new <- matrix(c(-2, -1, 0, 1, 2))
  for (method in dense_methods) {
    fit <- dense(x, c("a", "b"), method = method)
    expect_sane(fit, new)
    expect_identical(as.character(predict(fit, x)), c("a", "b"))
    expect_equal(predict(fit, matrix(0), type = "prob")[1, 1], c(a = 0.5), tolerance = 1e-6)
  }
  expect_sane(dense(x, c(1, 2)), new)
  three <- dense(matrix(1:3), c("a", "b", "c"))
  expect_identical(as.character(predict(three, matrix(1:3))), c("a", "b", "c"))
  for (standardise in c(TRUE, FALSE)) {
    expect_sane(dense(matrix(2), 5, standardise = standardise), matrix(c(2, 100)))
  }
})

test_that("constant and repeated columns, more columns than rows", {
  toy <- toy_data("binary")
  for (y in list(toy$y, toy$x$a)) {
    expect_sane(dense(cbind(toy$x, c = toy$x$a, d = 1), y), cbind(toy$new, c = 0, d = 2))
    expect_sane(dense(data.frame(c = rep(1, 60)), y), data.frame(c = 1:3))
  }
  x <- uniform_inputs(15, 200) |> named(paste0("v", 1:200))
  expect_sane(dense(x, factor(x[, 1] > 0)), x)
  expect_sane(dense(x, x[, 1]), x)
})

test_that("equal rows with conflicting labels: the probability is the frequency", {
  x <- matrix(rep(c(-1, 1), each = 100))
  y <- factor(c(rep(c("a", "b"), c(80, 20)), rep(c("a", "b"), c(30, 70))))
  for (method in c("tap", "laplace")) for (optimise in c(TRUE, FALSE)) {
    fit <- dense(x, y, kernel_rbf(4, 0.5), method = method, optimise = optimise)
    p <- predict(fit, matrix(c(-1, 1)), type = "prob")[, "b"]
    expect_close(p, c(0.2, 0.7), 0.04)
  }
  for (method in dense_methods) expect_sane(dense(x, y, method = method), matrix(-2:2))
})

test_that("all rows equal", {
  x <- matrix(3, 40, 2)
  far <- rbind(x[1, ], c(0, 0))
  for (method in dense_methods) {
    expect_sane(dense(x, rep(c("a", "b"), c(10, 30)), method = method), far)
  }
  expect_sane(dense(x, as.numeric(1:40)), far)
  expect_sane(dense(x, rep(letters[1:4], 10)), far)
})

test_that("separable classes stay finite", {
  x <- matrix(c(seq(-2, -1, length.out = 30), seq(1, 2, length.out = 30)))
  y <- factor(rep(c("a", "b"), each = 30))
  for (method in dense_methods) for (likelihood in list(lik_probit(), lik_logit())) {
    if (method == "ensemble" && likelihood$type == "logit") next
    fit <- dense(x, y, likelihood = likelihood, method = method)
    expect_sane(fit, matrix(c(-1e6, -2, 0, 2, 1e6)))
    expect_identical(predict(fit, x), y)
  }
  expect_sane(dense(rbind(x, 1e9), factor(c(as.character(y), "b"))), x)
})

test_that("inputs and responses of any size", {
  for (task in c("binary", "regression")) {
    toy <- toy_data(task)
    x <- as.matrix(toy$x)
    new <- as.matrix(toy$new)
    plain <- all_predictions(dense(x, toy$y, optimise = FALSE), new)
    for (size in c(1e-150, 1e-8, 1e8, 1e150)) {
      scaled <- all_predictions(dense(x * size, toy$y, optimise = FALSE), new * size)
      expect_equal(scaled, plain, tolerance = 1e-6)
    }
  }
  for (size in c(1e-150, 1e150)) {
    plain <- predict(dense(toy$x, toy$y), toy$new)
    expect_equal(predict(dense(toy$x, toy$y * size), toy$new) / size, plain, tolerance = 1e-6)
  }
  x <- cbind(c(4.9e-324, 0, 1e-310, 2e-310, 1e300, -1.7e308), 1:6)
  expect_sane(dense(x, c(1, 2, 1, 3, 2, 2)), x)
  expect_sane(dense(x, c("a", "b", "a", "b", "b", "b")), x)
})

test_that("a constant response, many classes, levels without rows", {
  x <- uniform_inputs(20)
  for (value in c(0, 3, -1e10, 1e-200)) {
    fit <- dense(x, rep(value, 20))
    expect_sane(fit, x)
    expect_equal(predict(fit, x), rep(value, 20), tolerance = 1e-6)
  }
  x <- uniform_inputs(100)
  y <- factor(paste("class", rep(1:25, 4)), levels = paste("class", 0:26))
  fit <- dense(x, y, optimise = FALSE)
  expect_sane(fit, x[1:7, ])
  expect_identical(dim(predict(fit, x, type = "prob")), c(100L, 27L))
})

test_that("duplicated rows are no obstacle", {
  toy <- toy_data("binary", n = 20)
  for (method in dense_methods) {
    fit <- dense(y ~ ., toy$data[rep(1:20, 3), ], method = method, optimise = FALSE)
    expect_sane(fit, toy$new)
  }
  numbers <- toy_data("regression", n = 20)$data[rep(1:20, 3), ]
  expect_sane(dense(y ~ ., numbers, likelihood = lik_gaussian(1e-6), optimise = FALSE), toy$new)
  # Three equal observations say what one of a third of the variance says.
  by_noise <- function(data, variance) {
    all_predictions(dense(y ~ ., data, kernel_rbf(1, 2), lik_gaussian(variance), optimise = FALSE,
      standardise = FALSE
    ), toy$new)[c("mean", "se")]
  }
  expect_equal(by_noise(numbers, 0.3), by_noise(numbers[1:20, ], 0.1), tolerance = 1e-8)
})

test_that("logits and counts", {
  toy <- toy_data("binary", n = 120)
  logit <- dense(toy$x, toy$y, likelihood = lik_logit())
  probit <- dense(toy$x, toy$y)
  expect_lt(
    max(abs(predict(logit, toy$new, type = "prob") - predict(probit, toy$new, type = "prob"))), 0.1
  )
  x <- uniform_inputs(100, 1)
  rate <- exp(1 + sin(2 * x[, 1]))
  y <- with_own_seed(3, rpois(100, rate))
  for (method in c("tap", "laplace")) {
    fit <- dense(x, y, likelihood = lik_poisson(), method = method, prior_mean = 1)
    expect_sane(fit, x)
    expect_lt(mean(abs(predict(fit, x) / rate - 1)), 0.25)
    expect_identical(length(loo(fit)), 100L)
  }
  expect_sane(dense(x, rep(0L, 100), likelihood = lik_poisson()), x)
  huge <- with_own_seed(4, rpois(100, 1e6 * rate))
  expect_sane(dense(x, huge, likelihood = lik_poisson(), optimise = FALSE), x)
})

test_that("counts that are all zero have a small mean and short intervals", {
  x <- uniform_inputs(30, 2)
  for (fit in list(
    dense(x, rep(0L, 30), likelihood = lik_poisson()),
    dense(x, rep(0L, 30), likelihood = lik_poisson(), optimise = FALSE)
  )) {
    expect_lt(max(predict(fit, 2 * x)), 1)
    expect_lt(max(predict(fit, 2 * x, type = "quantile", probs = 0.975)), 3)
  }
})

test_that("the prior mean of counts is the logarithm of their mean with standardise = TRUE", {
  x <- uniform_inputs(20, 1)
  y <- round(1e6 * exp(0.3 * sin(3 * x[, 1])))
  fit <- dense(x, y, likelihood = lik_poisson(), optimise = FALSE)
  given <- dense(x, y,
    likelihood = lik_poisson(), optimise = FALSE, prior_mean = log((sum(y) + 0.5) / 20)
  )
  expect_identical(all_predictions(fit, x), all_predictions(given, x))
  counts <- rep(c(3, 5), 10)
  bare <- dense(x, counts, likelihood = lik_poisson(), optimise = FALSE, standardise = FALSE)
  zero <- dense(x, counts,
    likelihood = lik_poisson(), optimise = FALSE, standardise = FALSE, prior_mean = 0
  )
  expect_identical(all_predictions(bare, x), all_predictions(zero, x))
})

test_that("large counts cost what small ones cost", {
  x <- uniform_inputs(30, 2)
  y <- round(1e14 * exp(0.3 * sin(3 * x[, 1])))
  kernel <- kernel_rbf(400, 0.8)
  fit_to <- function(y) {
    dense(x, y, kernel, likelihood = lik_poisson(), prior_mean = 0, optimise = FALSE)
  }
  rounds <- function(fit) max(fit_trace(fit)$iteration)
  fit <- fit_to(y)
  expect_lte(rounds(fit), 3 * rounds(fit_to(round(y / 1e12))))
  expect_equal(predict(fit, x) / y, rep(1, 30), tolerance = 1e-4)
})

test_that("a learned value at its bound is a classed warning that names both", {
  x <- uniform_inputs(30, 2)
  learn <- function(y, kernel = kernel_rbf(1, 1), ...) {
    suppressWarnings(classes = "gpsieve_warning_little_data",
      meanfield_gp(x, y, kernel, likelihood = lik_poisson(), ..., seed = 1, verbose = FALSE))
  }
  plain <- control_meanfield(prior = NULL)
  expect_warning(learn(rep(0L, 30), prior_mean = 0, standardise = FALSE, control = plain),
    "upper bound 1000 of variance",
    class = "gpsieve_warning_bound"
  )
  expect_warning(learn(with_own_seed(6, rpois(30, exp(1 + sin(2 * x[, 1]))))), NA)
  # A value that is not learned has no bound.
  expect_warning(learn(rep(0L, 30), kernel_rbf(fixed(1), fixed(1))), NA)
})

test_that("kernel functions, and kernels that fail", {
  toy <- toy_data("binary")
  own <- function(x, z) rbf(x, z, 1, 1)
  fit <- dense(toy$x, toy$y, own, optimise = FALSE)
  expected <- dense(toy$x, toy$y, kernel_rbf(1, 1), optimise = FALSE)
  expect_equal(all_predictions(fit, toy$new), all_predictions(expected, toy$new), tolerance = 1e-8)
  three <- toy_data("multiclass")
  expect_sane(dense(three$x, three$y, own, optimise = FALSE, threads = 2), three$new)
  bad <- list(
    function(x, z) stop("no such distance"),
    function(x, z) matrix(NaN, nrow(x), nrow(z)),
    function(x, z) matrix(Inf, nrow(x), nrow(z)),
    function(x, z) matrix(1, 2, 2),
    function(x, z) -rbf(x, z)
  )
  for (fn in bad) for (y in list(toy$y, toy$x$a)) for (method in dense_methods) {
    caught <- tryCatch(dense(toy$x, y, kernel = fn, method = method), error = identity)
    expect_s3_class(caught, "gpsieve_error")
  }
})
