# Where learning starts: functions that the usual lengthscale cannot see, responses without any
# function, and what is said about them.

# A function that changes sign several times within the median distance between rows.
fast_data <- function(n, seed = 1) {
  with_own_seed(seed, {
    a <- rnorm(n)
    data.frame(a = a, y = sin(8 * a) + 0.05 * rnorm(n))
  })
}

relative_error <- function(fit, test) {
  sqrt(mean((predict(fit, test) - test$y)^2)) / sd(test$y)
}

# The classes of the warnings of an expression, and its value.
with_warnings <- function(code) {
  classes <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    classes <<- c(classes, class(w)[1L])
    invokeRestart("muffleWarning")
  })
  list(value = value, classes = classes)
}

# Default settings, but for a stream a budget.
fit_by_default <- function(spec, ...) {
  arguments <- list(..., seed = 1, verbose = FALSE)
  if (identical(spec$fit, online_gp)) arguments$budget <- 200
  with_warnings(do.call(spec$fit, arguments))
}

test_that("every model learns a function that is fast for the usual lengthscale", {
  train <- fast_data(200)
  test <- fast_data(200, seed = 2)
  every_model(function(spec) {
    found <- fit_by_default(spec, y ~ a, train)
    expect_lt(relative_error(found$value, test), 0.5, label = spec$class)
    expect_identical(found$classes, character(), label = spec$class)
  })
})

test_that("learning on blocks begins again where it finds no function", {
  data <- with_own_seed(1, data.frame(matrix(runif(900, -1.7, 1.7), 300)))
  data$y <- with_own_seed(2, sin(4 * data$X1) * cos(6 * data$X2) + 0.05 * rnorm(300))
  fit <- meanfield_gp(y ~ ., data[1:200, ], kernel_matern(1, NULL, nu = 2.5, ard = TRUE), seed = 1,
    control = control_meanfield(blocks = learn_on_blocks())
  )
  expect_lt(relative_error(fit, data[201:300, ]), 0.5)
})

test_that("with hardly a prior the best of several starts is learned from", {
  # 50 points of a function of Welch et al. (1992) with six of its inputs, and two others
  set.seed(9150)
  x <- matrix(runif(50 * 8), 50, dimnames = list(NULL, letters[1:8]))
  u <- x - 0.5
  y <- 5 * u[, 1L] / (1 + u[, 2L]) + 5 * (u[, 3L] - u[, 4L])^2 + 40 * u[, 5L]^3 - 5 * u[, 5L] +
    u[, 6L]
  kernel <- kernel_rbf(ard = TRUE) + kernel_separable(2.5, ard = TRUE)
  fit <- function() {
    meanfield_gp(x, y, kernel, lik_gaussian(1e-6), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(prior = 0))
    )
  }
  several <- fit()
  usual <- with_functions(list(best_of_many_starts = function(best, ...) best), fit())
  expect_gt(as.numeric(logLik(several)), as.numeric(logLik(usual)) + 1)
  expect_identical(coef(fit()), coef(several))
})

test_that("every model learns classes that are fast for the usual lengthscale", {
  train <- fast_data(300)
  test <- fast_data(300, seed = 2)
  train$y <- factor(train$y > 0)
  every_model(function(spec) {
    fit <- fit_by_default(spec, y ~ a, train)$value
    expect_lt(mean(predict(fit, test) != (test$y > 0)), 0.25, label = spec$class)
  })
})

test_that("a response without a function is named in one warning", {
  data <- with_own_seed(3, data.frame(a = rnorm(40), b = rnorm(40), y = rnorm(40)))
  classes <- transform(data, y = factor(y > 0.4))
  every_model(function(spec) {
    # Held-out rows of classes, by which rvm() judges, can agree by chance.
    for (noise in list(data, if (!identical(spec$fit, rvm)) classes)) {
      if (is.null(noise)) next
      found <- fit_by_default(spec, y ~ ., noise)
      expect_identical(found$classes, "gpsieve_warning_no_signal", label = spec$class)
    }
  })
  expect_snapshot(fit <- meanfield_gp(y ~ ., data, seed = 1))
  expect_snapshot(fit <- rvm(y ~ ., data, seed = 1))
})

test_that("usual data and constant responses give no warning", {
  every_model(function(spec) {
    for (task in tasks) {
      found <- fit_by_default(spec, y ~ a + b, toy_data(task)$data)
      expect_identical(found$classes, character(), label = paste(spec$class, task))
    }
    found <- fit_by_default(spec, y ~ a, data.frame(a = 1:8, y = 1))
    expect_false("gpsieve_warning_no_signal" %in% found$classes, label = spec$class)
  })
})

test_that("a lengthscale that is kept is searched from nowhere else", {
  train <- fast_data(100)
  found <- with_warnings(meanfield_gp(y ~ a, train, kernel_rbf(1, fixed(5)), seed = 1))
  expect_equal(coef(found$value)[["lengthscale"]], 5)
  expect_identical(found$classes, "gpsieve_warning_no_signal")
})

# What learning compares its evidence with, for a response and its cases.
constant_evidence <- function(y, likelihood, kind, weight = numeric(), offset = numeric()) {
  sample <- list(
    y = as.matrix(y), likelihood = likelihood, cases = list(weight = weight, offset = offset),
    response = list(kind = kind, center = 0, scale = 1), prior_mean = NULL
  )
  gpsieve:::evidence_of_constant(sample, log(1000))
}

test_that("the evidence of a constant is that of the best one", {
  y <- with_own_seed(1, rnorm(30, 1, 2))
  expect_equal(constant_evidence(y, lik_gaussian(0.1), "real"), as.numeric(logLik(lm(y ~ 1))))
  w <- rep(1:3, 10)
  expect_equal(constant_evidence(y, lik_gaussian(0.1), "real", w),
    as.numeric(logLik(lm(rep(y, w) ~ 1)))
  )
  kept <- optimise(function(c) sum(dnorm(y, c, sqrt(0.1), log = TRUE)), c(-9, 9), maximum = TRUE)
  expect_equal(constant_evidence(y, lik_gaussian(fixed(0.1)), "real"), kept$objective)

  counts <- with_own_seed(2, rpois(30, 4))
  exposure <- rep(c(0, 1), 15)
  expect_equal(constant_evidence(counts, lik_poisson(), "count", offset = exposure),
    as.numeric(logLik(glm(counts ~ 1, poisson, offset = exposure)))
  )
  sign <- rep(c(-1, -1, 1), 10)
  expect_equal(constant_evidence(sign, lik_probit(), "binary"), 20 * log(2 / 3) + 10 * log(1 / 3))
  expect_equal(constant_evidence(cbind(sign, -sign), lik_probit(), "multiclass"),
    2 * constant_evidence(sign, lik_probit(), "binary")
  )

  student <- optim(c(0, 0), function(at) {
    -sum(dt((y - at[1]) / exp(at[2]), 4, log = TRUE) - at[2])
  }, method = "BFGS")
  expect_equal(constant_evidence(y, lik_student(4, 0.3), "real"), -student$value,
    tolerance = 1e-6
  )
  expect_null(constant_evidence(rep(2, 9), lik_gaussian(0.1), "real"))
})

test_that("rvm() trains where its functions are dependent to working precision", {
  data <- with_own_seed(1, data.frame(a = rnorm(100), b = rnorm(100)))
  data$y <- with_own_seed(2, sin(4 * data$a) * cos(3 * data$b) + 0.05 * rnorm(100))
  for (noise in c(1e-3, 1e-6, 1e-9)) for (lengthscale in c(2, 4)) {
    fit <- suppressWarnings(rvm(y ~ ., data, kernel_rbf(1, lengthscale), lik_gaussian(),
      optimise = FALSE, seed = 1,
      control = control_rvm(noise_grow = FALSE, noise_start = noise, max_iter = 5)
    ), classes = "gpsieve_warning")
    expect_true(is.finite(evidence(fit)$value))
    expect_true(all(is.finite(predict(fit, data))))
  }
})

# Functions of which a model may see little or nothing: sums, products and products with a trend, of
# frequencies 1 to 8 in one or two of 1 to 5 inputs, with noise, from 200 to 2000 rows.
hard_function <- function(i) {
  with_own_seed(1000 + i, {
    inputs <- 1 + (i - 1) %% 5
    active <- if (inputs <= 2) inputs else sample(1:2, 1)
    frequency <- sample(1:8, 2, TRUE)
  })
  n <- c(200, 300, 500, 1000, 1500, 2000)[1 + (i - 1) %% 6]
  noise <- c(0.05, 0.2, 0.5)[1 + (i %/% 3) %% 3]
  f <- function(x) {
    b <- if (active > 1) x[, 2] else 0
    switch(1 + (i - 1) %% 3,
      sin(frequency[1] * x[, 1]) + (active > 1) * cos(frequency[2] * b),
      sin(frequency[1] * x[, 1]) * cos(frequency[2] * b),
      x[, 1] * sin(frequency[1] * x[, 1]) + x[, 1] * b
    )
  }
  rows <- function(n, seed) {
    with_own_seed(seed, {
      x <- matrix(if (i %% 2) rnorm(n * inputs) else runif(n * inputs, -1.7, 1.7), n)
      data.frame(x, y = f(x) + noise * sd(f(x)) * rnorm(n))
    })
  }
  list(train = rows(n, 2000 + i), test = rows(1000, 3000 + i))
}

test_that("no model is worse than a constant without a warning", {
  skip_if(Sys.getenv("GPSIEVE_EXTENDED") != "true", "GPSIEVE_EXTENDED is not \"true\"")
  for (i in 1:30) {
    data <- hard_function(i)
    constant <- sqrt(mean((data$test$y - mean(data$train$y))^2)) / sd(data$test$y)
    every_model(function(spec) {
      found <- fit_by_default(spec, y ~ ., data$train)
      worse <- relative_error(found$value, data$test) > 1.02 * constant
      expect_true(!worse || length(found$classes) > 0, label = paste(spec$class, "of function", i))
    })
  }
})
