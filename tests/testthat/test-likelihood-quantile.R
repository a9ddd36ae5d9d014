# lik_quantile(): quantile regression with the asymmetric Laplace distribution.

growing <- local({
  set.seed(3)
  d <- data.frame(x = seq(0, 1, length.out = 300))
  d$y <- sin(6 * d$x) + (0.1 + 0.5 * d$x) * rnorm(300)
  d
})
true_quantile <- function(x, tau) sin(6 * x) + (0.1 + 0.5 * x) * qnorm(tau)

test_that("a share tau of the responses lies below the predicted quantile, near the true one", {
  for (model in list(meanfield_gp, ivm, ep_gp, online_gp)) {
    for (tau in c(0.1, 0.5, 0.9)) {
      fit <- model(y ~ x, growing, likelihood = lik_quantile(tau), seed = 1)
      p <- predict(fit, growing)
      expect_lt(abs(mean(growing$y < p) - tau), 0.05)
      expect_lt(sqrt(mean((p - true_quantile(growing$x, tau))^2)), 0.15)
      expect_lt(abs(cor(p, true_quantile(growing$x, tau)) - 1), 0.03)
    }
  }
})

test_that("a constant function is the quantile of the response", {
  kernel <- kernel_constant(fixed(100))
  y <- growing$y
  for (tau in c(0.2, 0.5, 0.7)) {
    fit <- meanfield_gp(growing["x"], y, kernel = kernel,
      likelihood = lik_quantile(tau, fixed(0.02)), optimise = FALSE)
    p <- predict(fit, growing[1, "x", drop = FALSE])
    expect_equal(p, unname(quantile(y, tau)), tolerance = 0.05)
  }
})

test_that("linear quantiles have nearly the least loss of quantile regression", {
  set.seed(5)
  line <- data.frame(a = runif(400), b = runif(400))
  line$y <- 1 + 2 * line$a - line$b + (0.5 + line$a) * rnorm(400)
  kernel <- kernel_linear(fixed(100)) + kernel_constant(fixed(100))
  for (tau in c(0.25, 0.5)) {
    loss <- function(quantile) {
      away <- line$y - quantile
      mean(away * (tau - (away < 0)))
    }
    fit <- meanfield_gp(y ~ ., line, kernel = kernel,
      likelihood = lik_quantile(tau, fixed(0.3)), optimise = FALSE)
    of <- function(b) b[1L] + b[2L] * line$a + b[3L] * line$b
    best <- optim(c(1, 2, -1), function(b) loss(of(b)),
      control = list(maxit = 5000, reltol = 1e-12))
    expect_lt(loss(predict(fit, line)), 1.005 * best$value)
    expect_gt(loss(predict(fit, line)), (1 - 1e-6) * best$value)
  }
})

test_that("draws, quantiles and distribution functions are those of one distribution", {
  fit <- ivm(y ~ x, growing, likelihood = lik_quantile(0.8), seed = 1)
  rows <- data.frame(x = c(0.2, 0.8))
  drawn <- t(as.matrix(simulate(fit, 4000, seed = 1, newdata = rows)))
  q <- predict(fit, rows, type = "quantile", probs = c(0.1, 0.5, 0.9))
  for (i in 1:2) {
    expect_lt(max(abs(vapply(1:3, function(j) mean(drawn[, i] < q[i, j]), 0) -
      c(0.1, 0.5, 0.9))), 0.03)
  }
  expect_lt(ks.test(pnorm(residuals(fit, type = "quantile")), "punif")$statistic, 0.2)
})

test_that("the print says which quantile, and how many rows lie below the quantile", {
  fit <- meanfield_gp(y ~ x, growing, likelihood = lik_quantile(0.9), seed = 1)
  text <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(text, "the function is the 0.9 quantile")
  expect_match(text, "each of 300 rows: [89][0-9] % lie below the quantile")
  expect_no_match(text, "RMSE")
  expect_identical(bands_of(fit, "both"), "confidence")
  expect_match(band_words(fit, 0.9), "90% interval of the 0.9 quantile", fixed = TRUE)
})

test_that("a choice among functions says the share below the quantile too", {
  fit <- gpsieve(y ~ x, growing, likelihood = lik_quantile(0.9), seed = 1)
  text <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(text, "held out +[0-9]+ rows: (8[5-9]|9[0-5]) % lie below the quantile")
  expect_no_match(text, "RMSE")
})

test_that("probabilities outside of 0 and 1, and models that need a curvature, are refused", {
  expect_error(lik_quantile(0), class = "gpsieve_error_argument")
  expect_error(lik_quantile(1), "above 0 and below 1", class = "gpsieve_error_argument")
  expect_error(lik_quantile(fixed(2)), "above 0 and below 1", class = "gpsieve_error_argument")
  expect_error(greedy_gp(y ~ x, growing, likelihood = lik_quantile()),
    class = "gpsieve_error_unsupported"
  )
})
