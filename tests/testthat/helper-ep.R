# Data, fits and expectations that the tests of ep_gp() share.

ep_x <- uniform_inputs(60, 2, 3)
ep_class <- noisy_labels(ep_x)
ep_y <- sin(2 * ep_x[, 1]) + ep_x[, 2] + with_own_seed(6, rnorm(60)) / 3
ep_new <- uniform_inputs(20, 2, 4)
ep_z <- uniform_inputs(7, 2, 5)

# At fixed hyper-parameters, run to convergence, without the scaling of inputs.
ep_fixed <- function(x, y, ..., inducing = ep_z, method = "ep", standardise = FALSE,
                     control = control_ep(max_iter = 1000, tol = 1e-11)) {
  ep_gp(x, y, ...,
    inducing = inducing, method = method, standardise = standardise, optimise = FALSE, seed = 1,
    control = control, verbose = FALSE
  )
}

ep_link <- function(fit, new = ep_new) {
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  list(mean = unname(link$fit), se = unname(link$se.fit))
}

expect_same_link <- function(one, two, new = ep_new, tolerance = 1e-8) {
  expect_equal(ep_link(one, new), ep_link(two, new), tolerance = tolerance)
}

expect_possible <- function(fit, new = ep_new) {
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_true(all(is.finite(unlist(link))) && all(link$se.fit >= 0))
  if (is_regression(fit)) return(expect_true(all(is.finite(predict(fit, new)))))
  p <- predict(fit, new, type = "prob")
  expect_true(all(p >= 0 & p <= 1))
  expect_close(rowSums(p), 1, 1e-10)
}
