# The passes of EP that refine an informative vector machine go on until the sites have settled:
# where the likelihood is not log-concave, and where rows that count several times make them run
# away.

# Rows of a smooth curve of which one in ten is an outlier
curve_with_outliers <- function(n, seed) {
  set.seed(seed)
  x <- cbind(x = stats::runif(n))
  y <- sin(6 * x[, 1L]) + x[, 1L] + stats::rnorm(n, sd = 0.1)
  out <- sample(n, n %/% 10)
  y[out] <- y[out] + sample(c(-1, 1), length(out), TRUE) * stats::runif(length(out), 1, 4)
  list(x = x, y = y)
}

# How far the predictions of two fits are apart at most, in standard deviations of the second
apart <- function(a, b, x) {
  own <- predict(a, x, type = "link", se.fit = TRUE)
  other <- predict(b, x, type = "link", se.fit = TRUE)
  max(abs(own$fit - other$fit) / other$se.fit, abs(own$se.fit / other$se.fit - 1))
}

test_that("three passes with Student noise end where many passes do", {
  for (seed in 1:2) {
    d <- curve_with_outliers(60, seed)
    fit_with <- function(refine) {
      ivm(d$x, d$y, kernel_rbf(2, 0.2), lik_student(4, 0.1), n_active = 60, criterion = "random",
        refine = refine, optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1)
    }
    few <- fit_with(3)
    expect_true(few$converged)
    expect_lt(apart(few, fit_with(100), d$x), 0.02)
    dense <- ep_gp(d$x, d$y, kernel_rbf(2, 0.2), lik_student(4, 0.1), inducing = d$x,
      optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1,
      control = control_ep(max_iter = 300))
    expect_lt(apart(few, dense, d$x), 0.02)
  }
})

test_that("rows that cannot be selected are inducing points with Student noise", {
  # Beside the first rows the site of every other one would have a negative precision.
  d <- curve_with_outliers(40, 12)
  fit_with <- function(model, ...) {
    model(d$x, d$y, kernel_rbf(2, 0.2), lik_student(4, 0.1), optimise = FALSE, standardise = FALSE,
      prior_mean = 0, seed = 1, ...)
  }
  fit <- fit_with(ivm, n_active = 40)
  expect_lt(nrow(sites(fit)), 40)
  expect_setequal(active_set(fit), 1:40)
  expect_length(evidence_gradient(fit), 3L)
  dense <- fit_with(ep_gp, inducing = d$x, control = control_ep(max_iter = 300))
  expect_lt(apart(fit, dense, d$x), 0.02)
})

test_that("weights and repeated rows do not make quantiles run away", {
  set.seed(1)
  x <- cbind(x = stats::runif(30, 0, 4))
  y <- sin(2 * x[, 1L]) + stats::rnorm(30, sd = 0.3)
  for (weight in c(1, 5, 30)) {
    fit_with <- function(model, ...) {
      model(x, y, kernel_rbf(1, 0.6), lik_quantile(0.8, 0.1), weights = rep(weight, 30),
        optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1, ...)
    }
    fit <- fit_with(ivm)
    dense <- fit_with(meanfield_gp)
    expect_true(fit$converged)
    expect_lt(apart(fit, dense, x), if (weight == 1) 0.5 else 0.05)
  }
  d <- data.frame(x = sample(1:6, 400, TRUE))
  d$y <- stats::rpois(400, 2 + d$x)
  new <- data.frame(x = 1:6)
  fit <- ivm(y ~ x, d, likelihood = lik_quantile(0.9), seed = 1)
  same <- meanfield_gp(y ~ x, d, likelihood = lik_quantile(0.9), seed = 1)
  expect_lt(max(abs(predict(fit, new) - predict(same, new))), 1)
})

test_that("a fit that only judges a candidate ends where passes hardly change log Z", {
  d <- curve_with_outliers(60, 1)
  fit_with <- function(trial) {
    molded <- mold_xy(d$x, d$y)
    molded$trial <- trial
    ivm_of_rows(molded, given_or_default(ivm, list(kernel = kernel_rbf(2, 0.2),
      likelihood = lik_student(4, 0.1), n_active = 60, criterion = "random", optimise = FALSE,
      standardise = FALSE, prior_mean = 0, seed = 1
    )))
  }
  mean_of <- function(fit) predict(fit, d$x, type = "link")
  judging <- mean_of(fit_with(TRUE))
  settled <- mean_of(fit_with(FALSE))
  expect_false(identical(judging, settled))
  expect_lt(max(abs(judging - settled)), 0.01)
})
