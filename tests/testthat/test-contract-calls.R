# The ways to write a call: data first, arguments by name, hints for the words of other packages.

test_that("data may come first, or by name in any order", {
  every_fit_function(function(spec) {
    toy <- toy_data("regression")
    data <- toy$data
    expected <- predict(fit_cheaply(spec, y ~ a + b, data))
    by_name <- function(...) predict(do.call(spec$fit, c(list(...), spec$cheap, list(seed = 1))))
    expect_identical(by_name(data, y ~ a + b), expected)
    expect_identical(by_name(data = data, formula = y ~ a + b), expected)
    expect_identical(by_name(formula = y ~ a + b, data = data), expected)
    expect_identical(by_name(data, formula = y ~ a + b), expected)
    expect_identical(by_name(x = toy$x, y = toy$y), predict(fit_cheaply(spec, toy$x, toy$y)))
    for (wrong in list(
      list(data, toy$y, formula = y ~ a), list(data, formula = y ~ a, data = data),
      list(toy$x, toy$y, data = data), list(as.matrix(toy$x), y ~ a),
      list(toy$x, toy$y, subset = 1:3)
    )) {
      expect_error(do.call(by_name, wrong), class = "gpsieve_error_argument")
    }
  })
})

test_that("arguments without names follow data that have one, also through other functions", {
  fit <- function(...) ivm(..., seed = 1, optimise = FALSE)
  kernel <- kernel_rbf(1, 0.5)
  expected <- fit(dist ~ speed, cars, kernel, lik_student(scale = 1), 20)
  same <- list(
    fit(dist ~ speed, data = cars, kernel, lik_student(scale = 1), 20),
    fit(formula = dist ~ speed, data = cars, kernel, lik_student(scale = 1), 20),
    fit(cars, formula = dist ~ speed, kernel, lik_student(scale = 1), 20),
    fit(dist ~ speed, cars, kernel, n_active = 20, likelihood = lik_student(scale = 1)),
    ivm(dist ~ speed, data = cars, kernel, n_active = 20, lik_student(scale = 1), seed = 1,
      optimise = FALSE)
  )
  for (other in same) expect_identical(predict(other), predict(expected))
  expect_identical(same[[5L]]$origin, list(data = quote(cars)))
  named <- function(..., kernel = kernel_rbf(1, 0.5)) fit(dist ~ speed, cars, kernel = kernel, ...)
  expect_identical(predict(named(likelihood = lik_student(scale = 1), n_active = 20)),
    predict(expected))
  expect_error(ivm(dist ~ speed, data = cars, kernel, NULL, 20, 3),
    class = "gpsieve_error_argument")
  expect_error(ivm(dist ~ speed, data = cars, y = cars$dist), "one data frame",
    class = "gpsieve_error_argument")
})

test_that("a piped data frame takes weights, subset and na.action as a formula does", {
  data <- toy_data("regression")$data
  data$w <- rep(1:3, 20)
  data$a[3] <- NA
  piped <- suppressMessages(data |> ivm(y ~ a, weights = w, subset = b > 0, na.action = na.exclude,
    seed = 1, n_active = 10, optimise = FALSE))
  usual <- suppressMessages(ivm(y ~ a, data, weights = w, subset = b > 0, na.action = na.exclude,
    seed = 1, n_active = 10, optimise = FALSE))
  expect_identical(without_clock(piped), without_clock(usual))
  expect_identical(piped$origin,
    list(data = quote(data), weights = quote(w), subset = quote(b > 0))
  )
  again <- suppressMessages(update(piped, . ~ . + b))
  expect_identical(nobs(again), nobs(piped))
})

test_that("s(x) and family = get the hint that helps", {
  expect_snapshot(error = TRUE, {
    ivm(dist ~ s(speed), cars)
    ivm(dist ~ te(speed, speed), cars)
    ivm(dist ~ speed, cars, family = poisson())
    ivm(as.matrix(cars), dist ~ speed)
    ivm(cars, formula = dist ~ speed, data = cars)
  })
  s <- function(x) sin(x)
  expect_error(ivm(dist ~ s(speed), cars), "made in this session", class = "gpsieve_error_data")
})

test_that("a column may have the name of a smooth term", {
  named <- function(formula, data) {
    fit <- ivm(formula, data, kernel_rbf(), n_active = 10, seed = 1, optimise = FALSE)
    unname(fitted(fit))
  }
  expected <- named(dist ~ speed + I(speed^2), cars)
  expect_identical(named(dist ~ s + t2, transform(cars, s = speed, t2 = speed^2)), expected)
  smooth <- stats::as.formula("dist ~ s + mgcv::s(s)")
  expect_error(named(smooth, transform(cars, s = speed)), "smooth terms",
    class = "gpsieve_error_unsupported"
  )
})

test_that("messages end with a new line, so that nothing glues them together", {
  said <- capture_messages({
    ivm(dist ~ speed, rbind(cars, NA), n_active = 200, seed = 1, optimise = FALSE)
  })
  expect_match(said, "\n$", all = TRUE)
  expect_length(said, 2L)
})
