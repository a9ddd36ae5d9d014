# A fit that ended while its objective still moved says so.

wave <- function(n = 100) {
  set.seed(1)
  x <- matrix(runif(n))
  list(x = x, y = sin(8 * x[, 1]) + rnorm(n, sd = 0.1))
}

ended <- function(...) {
  data <- wave()
  expect_warning(
    fit <- ep_gp(data$x, data$y, inducing = 15, seed = 1, verbose = FALSE, ...),
    class = "gpsieve_warning_convergence"
  )
  expect_false(fit$converged)
  expect_false(glance(fit)$converged)
  fit
}

test_that("learning that ends at max_iter while the objective rises has not converged", {
  fit <- ended(control = control_ep(max_iter = 5, warm_rows = 0))
  expect_match(fit$reason, "still rising")
  expect_output(print(fit), "stopped +early")
  expect_match(ended(control = control_ep(max_iter = 1))$reason, "one iteration")
})

test_that("an objective that falls has not settled either", {
  expect_identical(unsettled(c(10, 5, 0), 1), "the objective of learning was still falling")
  expect_identical(unsettled(rep(3, 10), 1), "")
  # Within the noise of minibatches nothing can be seen.
  set.seed(1)
  expect_identical(unsettled(rnorm(50), 1), "")
})

test_that("quasi-Newton steps that ran out are told from a maximum", {
  few <- control_ep(optimiser = "nlminb", max_iter = 2)
  expect_match(ended(method = "ep", control = few)$reason, "max_iter")
  data <- wave(40)
  fit <- ep_gp(data$x, data$y, inducing = 5, method = "ep", seed = 1, verbose = FALSE,
    control = control_ep(optimiser = "nlminb")
  )
  expect_true(fit$converged)
})
