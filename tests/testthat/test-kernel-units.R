# Periods, and lengthscales where asked, are in the units of the data, whatever a fit standardises.

months <- function(years = 12) {
  t <- 1960 + (seq_len(12 * years) - 1) / 12
  set.seed(1)
  noise <- rnorm(12 * years, sd = 0.1)
  data.frame(t = t, y = sin(2 * pi * t) + 0.3 * cos(4 * pi * t) + 0.05 * (t - 1960) + noise)
}

seasonal <- function(period) kernel_rbf() + kernel_periodic(period = period)

test_that("a period of one year finds a yearly season in standardised columns", {
  data <- months()
  later <- data.frame(t = 1973 + (0:11) / 12)
  fit <- meanfield_gp(y ~ t, data, kernel = seasonal(1))
  expect_equal(coef(fit)[["periodic.period"]], 1, tolerance = 0.01)
  truth <- sin(2 * pi * later$t) + 0.3 * cos(4 * pi * later$t)
  expect_gt(cor(predict(fit, later), truth), 0.95)
  # The kernel that a fit reports makes the same fit again, of other data too.
  again <- update(fit, data = data, optimise = FALSE)
  expect_equal(predict(again, later), predict(fit, later), tolerance = 1e-8)
  half <- update(fit, data = data[1:72, ], optimise = FALSE)
  expect_equal(coef(half)[["periodic.period"]], coef(fit)[["periodic.period"]])
})

test_that("every model takes and reports a period in the units of the data", {
  data <- months(4)
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- do.call(spec$fit, c(
      list(y ~ t, data, kernel = kernel_rbf() + kernel_periodic(period = hold(1)), seed = 1),
      spec$learning
    )) |> suppressWarnings(classes = "gpsieve_warning")
    expect_equal(coef(fit)[["periodic.period"]], 1, label = name)
    expect_match(format(kernel_of(fit)), "period = fixed(1)", fixed = TRUE, label = name)
  }
})

test_that("lengths in the units of the data are those of unstandardised inputs", {
  set.seed(1)
  data <- data.frame(a = rnorm(30), b = rnorm(30, sd = 20))
  data$y <- data$a + sin(data$b / 10)
  lengths <- c(b = 15, a = 2)
  kernels <- list(
    kernel_rbf(1, lengths, units = "data"), kernel_matern(2.5, 1, lengths, units = "data"),
    kernel_rational_quadratic(1, lengths, units = "data"),
    kernel_on(kernel_periodic(period = 15), "b") * kernel_on(kernel_rbf(1, 2, units = "data"), "a"),
    kernel_periodic(period = 15),
    kernel_periodic(2, lengths, 15) + kernel_periodic(hold(1), period = 40)
  )
  for (kernel in kernels) {
    fit <- function(standardise) {
      # The response is on one scale in both fits.
      y <- if (standardise) data$y else (data$y - mean(data$y)) / sd(data$y)
      meanfield_gp(data[c("a", "b")], y, kernel = kernel, likelihood = lik_gaussian(0.1),
        optimise = FALSE, standardise = standardise
      )
    }
    at <- data.frame(a = c(0, 1), b = c(3, 40))
    expect_equal(
      (predict(fit(TRUE), at) - mean(data$y)) / sd(data$y), predict(fit(FALSE), at),
      tolerance = 1e-8
    )
    reported <- function(fit) sort(setdiff(signif(coef(fit), 8), 1))
    expect_true(all(reported(fit(FALSE)) %in% reported(fit(TRUE))))
  }
})

test_that("an open period is one of the standardised scale, a given one in the data's units", {
  data <- months(3)
  scale <- sd(data$t)
  fit <- meanfield_gp(y ~ t, data, kernel = kernel_periodic(), optimise = FALSE)
  expect_equal(coef(fit)[["period"]], scale)
  same <- meanfield_gp(y ~ t, data, optimise = FALSE,
    kernel = kernel_periodic(period = 1, units = "standardised")
  )
  expect_equal(coef(same)[["period"]], 1)
  expect_equal(predict(same, data), predict(fit, data))
  expect_equal(kernel_matrix(kernel_periodic(), matrix(1:3)),
    kernel_matrix(kernel_periodic(period = 1), matrix(1:3)))
})

test_that("what one length of several columns cannot mean is refused", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- data.frame(a = 1:20, b = 10 * sin(1:20), y = cos(1:20))
  expect_snapshot(error = TRUE, {
    ivm(y ~ ., data, kernel_rbf(lengthscale = 2, units = "data"))
    kernel_rbf(units = "metres")
  })
  expect_no_error(
    meanfield_gp(y ~ ., data, kernel_rbf(units = "data", ard = TRUE), optimise = FALSE)
  )
})

test_that("kernels with units print as the expression that makes them", {
  expect_snapshot({
    kernel_periodic(period = 12)
    kernel_periodic(period = 12, units = "standardised")
    kernel_rbf(lengthscale = 5, units = "data")
    kernel_matern(units = "data")
  })
})
