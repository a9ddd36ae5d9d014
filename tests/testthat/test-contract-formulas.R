# What every model makes of a formula.

test_that("formulas transform, interact and abbreviate", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    data <- transform(toy$data, b = abs(b) + 1)
    new <- transform(toy$new, b = abs(b) + 1)
    direct <- function(...) {
      columns <- list(...)
      fit <- fit_cheaply(spec, do.call(cbind, columns$x), data$y)
      predict(fit, do.call(cbind, columns$new))
    }
    by <- function(formula) predict(fit_cheaply(spec, formula, data), new)
    expect_equal(by(y ~ .), by(y ~ a + b), tolerance = 1e-12)
    expect_equal(by(y ~ . - a), by(y ~ b), tolerance = 1e-12)
    expect_equal(by(y ~ a + log(b)),
      direct(x = list(a = data$a, lb = log(data$b)), new = list(a = new$a, lb = log(new$b))),
      tolerance = 1e-10
    )
    expect_equal(by(y ~ I(a^2)), direct(x = list(q = data$a^2), new = list(q = new$a^2)),
      tolerance = 1e-10
    )
    expect_equal(by(y ~ a * b),
      direct(
        x = list(a = data$a, b = data$b, ab = data$a * data$b),
        new = list(a = new$a, b = new$b, ab = new$a * new$b)
      ),
      tolerance = 1e-10
    )
    expect_identical(colnames(inducing(fit_cheaply(spec, y ~ a + log(b), data))), c("a", "log(b)"))
    # A transformed column may be missing where its source is not.
    gap <- new
    gap$b[2] <- NA
    expect_identical(
      which(is.na(predict(fit_cheaply(spec, y ~ a + log(b), data), gap))), 2L
    )
  })
})

test_that("a subtraction inside a term is the same model or refused in words", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    fit <- tryCatch(fit_cheaply(spec, y ~ I(a - 1) + b, toy$data), gpsieve_error = identity)
    if (inherits(fit, "error")) {
      expect_match(conditionMessage(fit), "intercept")
    } else {
      expected <- fit_cheaply(spec, y ~ a + b, toy$data)
      expect_equal(predict(fit, toy$new), predict(expected, toy$new), tolerance = 1e-10)
    }
  })
})

test_that("a formula without an intercept is the same model or refused in words", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    for (formula in list(y ~ a + b - 1, y ~ 0 + a + b)) {
      fit <- tryCatch(fit_cheaply(spec, formula, toy$data), gpsieve_error = function(e) e)
      if (inherits(fit, "error")) {
        expect_match(conditionMessage(fit), "intercept")
      } else {
        same <- fit_cheaply(spec, y ~ a + b, toy$data)
        expect_equal(predict(fit, toy$new), predict(same, toy$new), tolerance = 1e-12)
      }
    }
  })
})

test_that("a formula's basis functions are remembered, its local functions refused by name", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    basis <- fit_cheaply(spec, y ~ poly(a, 2) + b, toy$data)
    expect_equal(predict(basis, toy$new[1, ]), predict(basis, toy$new)[1], tolerance = 1e-10)
    by_hand <- poly(toy$x$a, 2)
    expect_equal(predict(basis, toy$new),
      predict(
        fit_cheaply(spec, cbind(by_hand, b = toy$x$b), toy$y),
        cbind(predict(by_hand, toy$new$a), b = toy$new$b)
      ),
      tolerance = 1e-10
    )
    # A fit keeps no environment in which such a function could be found again.
    half_of <- function(v) v / 2
    expect_error(fit_cheaply(spec, y ~ half_of(a) + b, toy$data), "half_of",
      class = "gpsieve_error_data"
    )
  })
})

test_that("an empty argument of a call in a formula is no fault of the package", {
  toy <- toy_data("regression")
  m <- cbind(toy$x$a, toy$x$b)
  for (formula in list(m[, 1] ~ a, y ~ m[, 1])) {
    found <- tryCatch(meanfield_gp(formula, toy$data, optimise = FALSE), error = identity)
    expect_s3_class(found, c("gpsieve_fit", "gpsieve_error_data"))
  }
  taken <- meanfield_gp(y ~ cbind(a, b)[, 1], toy$data, optimise = FALSE)
  expect_equal(predict(taken, toy$new),
    predict(meanfield_gp(y ~ a, toy$data, optimise = FALSE), toy$new)
  )
})
