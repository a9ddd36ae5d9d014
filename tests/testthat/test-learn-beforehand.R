# What learning on few rows evaluates, and how many passes, rows and functions it takes.

problem_of <- function(toy, kernel, likelihood = NULL) {
  given <- given_or_default(meanfield_gp, list(kernel = kernel, likelihood = likelihood, seed = 1))
  prepare_problem(mold_xy(toy$x, toy$y), given)
}

test_that("the dense objective is the evidence of the dense model with its gradient", {
  for (task in tasks) {
    toy <- toy_data(task, n = 40)
    problem <- problem_of(toy, kernel_rbf(1, 0.8))
    theta <- theta_of(problem$kernel, problem$likelihood)
    at <- dense_objective(problem)(theta)
    fit <- meanfield_gp(toy$x, toy$y, kernel_rbf(1, 0.8), optimise = FALSE)
    # evidence() is that of the response on its own scale.
    value <- evidence(fit)$value + response_log_scale(fit)
    expect_equal(at$value, value, tolerance = 1e-4, info = task)
    slope <- evidence(fit, gradient = TRUE)$gradient
    expect_equal(at$gradient[seq_along(slope)], unname(slope), tolerance = 1e-2, info = task)
  }
})

test_that("likelihoods that are not log-concave have the evidence of EP on all rows", {
  toy <- toy_data("regression", n = 40)
  problem <- problem_of(toy, kernel_rbf(1, 0.8), lik_student(scale = 1))
  theta <- theta_of(problem$kernel, problem$likelihood)
  at <- dense_objective(problem)(theta)
  expect_equal(at$value, ep_objective(problem, list(problem$x), 0)(theta)$value)
})

test_that("passes over few rows of many classes are limited by the latent functions they visit", {
  fit <- whatever_it_learns(ep_gp(Species ~ ., iris, inducing = 5, epochs = 1, seed = 1))
  settings <- fit$settings
  learning <- function(n, latents) learning_passes(settings, n, latents)$learning
  expect_equal(learning(150, 1), warm_learning_passes)
  expect_equal(learning(500, 60), 25)
  expect_equal(learning(500, 1000), fewest_passes)
  expect_equal(learning(1e5, 30), warm_learning_passes)
  settings$control$max_iter <- 300
  expect_equal(learning(150, 1), 300)
})

test_that("steps of learning are longer where few passes follow the start from the dense model", {
  expect_identical(learning_rate(control_ep(), minibatches = FALSE), 2)
  expect_identical(learning_rate(control_ep(), minibatches = TRUE), 1)
  expect_identical(learning_rate(control_ep(warm_rows = 0), minibatches = FALSE), 1)
  for (optimiser in c("adam", "sign_adaptive")) {
    expect_identical(learning_rate(control_ep(optimiser = optimiser), minibatches = FALSE), 0.01)
  }
})

test_that("greedy_gp() learns from fewer rows and functions where the noise is not Gaussian", {
  size <- function(likelihood) {
    with_learning_size(control_greedy(), list(likelihood = likelihood))[
      c("learn_rows", "learn_basis")]
  }
  expect_equal(size(lik_gaussian()), list(learn_rows = 2000, learn_basis = 200))
  expect_equal(size(lik_probit()), list(learn_rows = 1000, learn_basis = 100))
})
