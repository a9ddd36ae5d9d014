# Numbers as a response, whatever wraps them.

test_that("time series and numbers in I() are responses like plain numbers, for every model", {
  data <- toy_data("regression", n = 40)$data
  x <- as.matrix(data[c("a", "b")])
  for (model in names(model_specs())) {
    fit <- function(...) suppressWarnings(do.call(model, list(..., optimise = FALSE, seed = 1)))
    plain <- fit(x, data$y)
    expect_identical(fit(x, ts(data$y, start = 1960, frequency = 12))$posteriors, plain$posteriors)
    expect_identical(fit(x, I(data$y))$posteriors, plain$posteriors)
    doubled <- fit(y ~ a + b, transform(data, y = 2 * y))
    wrapped <- fit(I(y * 2) ~ a + b, data)
    expect_identical(unname(wrapped$posteriors), unname(doubled$posteriors))
    series <- fit(y ~ a + b, transform(data, y = ts(2 * y)))
    expect_identical(series$posteriors, doubled$posteriors)
    of_series <- residuals(series, newdata = transform(data, y = ts(2 * y)))
    expect_identical(residuals(wrapped, newdata = data), of_series)
  }
})

test_that("such responses come from sources, in later rows and in a choice too", {
  data <- toy_data("regression", n = 60)$data
  stream <- function(formula, data) {
    online_gp(formula, data, budget = 8, optimise = FALSE, shuffle = FALSE, seed = 1)
  }
  doubled <- transform(data, y = 2 * y)
  reference <- stream(y ~ a, rows_of_frame(doubled, 20))
  wrapped <- stream(I(y * 2) ~ a, rows_of_frame(data, 20))
  expect_identical(unname(wrapped$posteriors), unname(reference$posteriors))
  in_i <- transform(doubled, y = I(y))
  expect_identical(stream(y ~ a, rows_of_frame(in_i, 20))$posteriors, reference$posteriors)
  first <- stream(y ~ a, in_i[1:30, ])
  expect_identical(update(first, data = in_i[31:60, ])$posteriors,
    update(stream(y ~ a, doubled[1:30, ]), data = doubled[31:60, ])$posteriors
  )
  chosen <- function(data) {
    whatever_it_learns(gpsieve(y ~ a, data,
      seed = 1, candidates = list(kernel_rbf()), likelihood = lik_gaussian(), time = Inf,
      control = control_gpsieve(folds = 2)
    ))
  }
  expect_identical(chosen(transform(doubled, y = ts(y)))$posteriors, chosen(doubled)$posteriors)
})

test_that("other classes of numbers are refused as before", {
  x <- matrix(as.double(1:10))
  others <- list(
    Sys.Date() + 1:10, structure(1:10, class = "money"), as.difftime(1:10, units = "secs")
  )
  for (y in others) {
    expect_error(ivm(x, y), "must be numeric", class = "gpsieve_error_data")
  }
})
