# Which rows take part: subset and na.action, as in lm().

incomplete <- function() {
  toy <- toy_data("regression", 30)
  toy$data$a[4] <- NA
  toy$data$y[9] <- NA
  toy$data$other <- NA
  toy$data
}

test_that("subset is evaluated among the columns and gives the fit to those rows", {
  toy <- toy_data("regression", 30)
  for (spec in model_specs()) {
    fit <- function(data, ...) {
      suppressWarnings(do.call(spec$fit, c(list(y ~ a + b, data, seed = 1, ...), spec$cheap)))
    }
    some <- fit(toy$data, subset = quote(b > 0))
    rows <- which(toy$data$b > 0)
    fewer <- fit(toy$data[rows, ])
    expect_identical(predict(some, toy$new), predict(fewer, toy$new))
    expect_identical(nobs(some), length(rows) + 0L)
    if (spec$basis == "rows") expect_identical(active_set(some), rows[active_set(fewer)])
    by_number <- fit(toy$data, subset = rows)
    expect_identical(predict(by_number, toy$new), predict(fewer, toy$new))
  }
})

test_that("na.omit and na.exclude leave out rows that lack a value the model needs", {
  data <- incomplete()
  complete <- data[-c(4, 9), ]
  plain <- meanfield_gp(y ~ a + b, complete, optimise = FALSE)
  omit <- meanfield_gp(y ~ a + b, data, optimise = FALSE, na.action = na.omit)
  exclude <- meanfield_gp(y ~ a + b, data, optimise = FALSE, na.action = "na.exclude")
  expect_identical(predict(omit, complete), predict(plain, complete))
  expect_identical(loo(omit), loo(plain))
  expect_identical(which(is.na(loo(exclude))), c(4L, 9L))
  expect_identical(loo(exclude)[-c(4, 9)], loo(plain))
  expect_identical(which(is.na(residuals(exclude, newdata = data))), c(4L, 9L))
  expect_length(fitted(exclude, data), 30)
  expect_s3_class(na.action(exclude), "exclude")
  expect_identical(as.vector(na.action(omit)), c(4L, 9L))
  expect_error(meanfield_gp(y ~ a + b, data, na.action = na.fail), class = "gpsieve_error_data")
  again <- update(omit, data = data)
  expect_identical(predict(again, complete), predict(omit, complete))
})

test_that("subset, na.action and weights work together and count from the same rows", {
  data <- incomplete()
  data$w <- rep(c(0, 1, 2), 10)
  rows <- setdiff(which(data$w > 0 & data$b > -10), c(4, 9))
  fit <- ivm(y ~ a + b, data, weights = w, subset = b > -10, na.action = na.omit, optimise = FALSE,
    refine = 0, seed = 1, n_active = length(rows))
  expect_setequal(active_set(fit), rows)
  expect_identical(nobs(fit), sum(data$w[rows]))
})

test_that("subset and na.action that cannot be are refused", {
  data <- incomplete()
  expect_snapshot(error = TRUE, {
    ivm(y ~ a + b, data, subset = 1:100)
    ivm(y ~ a + b, data, subset = b > 1e6)
    ivm(y ~ a + b, data, na.action = na.pass)
    ivm(y ~ a + other, data, na.action = na.omit)
  })
})
