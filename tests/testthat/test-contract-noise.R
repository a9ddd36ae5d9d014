# noise_sd in every model and in gpsieve(): what it takes, what it needs, what becomes of its rows.

measured_toy <- function() {
  data <- toy_data("regression")$data
  data$s <- with_own_seed(3, runif(nrow(data), 0.1, 0.6))
  data
}

test_that("known noise is a column or a vector, through every interface", {
  data <- measured_toy()
  every_fit_function(function(spec) {
    fit <- fit_cheaply(spec, y ~ a + b, data, noise_sd = quote(s))
    by_vector <- fit_cheaply(spec, y ~ a + b, data, noise_sd = data$s)
    by_matrix <- fit_cheaply(spec, as.matrix(data[c("a", "b")]), data$y, noise_sd = data$s)
    expect_identical(predict(by_vector), predict(fit))
    expect_equal(predict(by_matrix), predict(fit), ignore_attr = TRUE)
    expect_identical(nobs(fit), 60L)
    expect_output(print(fit), "known for each row")
    expect_error(fit_cheaply(spec, y ~ a, data, noise_sd = -data$s), class = "gpsieve_error_data")
    expect_error(fit_cheaply(spec, y ~ a, data, noise_sd = 1:3), class = "gpsieve_error_data")
    expect_error(fit_cheaply(spec, factor(y > 0) ~ a, data, noise_sd = data$s),
      class = "gpsieve_error_unsupported"
    )
  })
})

test_that("rows of great noise hardly count", {
  data <- measured_toy()
  wrong <- data
  wrong$y[1:10] <- wrong$y[1:10] + 5
  wrong$s[1:10] <- 1e3
  every_fit_function(function(spec) {
    if (identical(spec$class, "gpsieve_rvm")) return()
    # On one scale, so that only the rows of great noise differ from rows that are left out.
    settings <- c(spec$cheap[setdiff(names(spec$cheap), c("n_active", "budget", "n_basis"))],
      list(standardise = FALSE, prior_mean = 0)
    )
    of <- function(data) {
      fit_cheaply(spec, y ~ a + b, data, noise_sd = quote(s), settings = settings)
    }
    expect_equal(predict(of(wrong), data), predict(of(data[-(1:10), ]), data), tolerance = 0.1)
  })
})

test_that("a row without its standard deviation is left out, and new responses need theirs", {
  data <- measured_toy()
  data$s[4] <- NA
  every_fit_function(function(spec) {
    expect_message(fit <- fit_cheaply(spec, y ~ a + b, data, noise_sd = quote(s)),
      "noise_sd \\(1\\)"
    )
    expect_identical(nobs(fit), 59L)
    new <- data[1:3, ]
    limits <- predict(fit, new, interval = "prediction")
    expect_true(all(limits[, "lwr"] < limits[, "upr"]))
    expect_equal(predict(fit, new[c("a", "b")], interval = "prediction", noise_sd = new$s), limits)
    expect_error(predict(fit, new[c("a", "b")], interval = "prediction"),
      class = "gpsieve_error_data"
    )
    confident <- predict(fit, new[c("a", "b")], interval = "confidence")
    expect_true(all(confident[, "upr"] < limits[, "upr"]))
  })
})
