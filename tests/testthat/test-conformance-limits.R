# What every model must say where the answer is known.

conformance("two rows, one of each class, are enough", on = "binary", function(spec, toy, task) {
  x <- matrix(c(-1, 1))
  fit <- suppressWarnings(spec$fit(x, c("a", "b"), seed = 1, verbose = FALSE))
  expect_sane(fit, matrix(-2:2))
  # One sweep over two rows treats the second a little differently.
  expect_close(predict(fit, matrix(0), type = "prob"), c(0.5, 0.5), 1e-4)
  alone <- suppressWarnings(spec$fit(matrix(2), 5, seed = 1, verbose = FALSE))
  expect_equal(predict(alone, matrix(2)), 5)
})

conformance("noise without bound leaves the prior", on = "regression", function(spec, toy, task) {
  fit <- fit_every_row(spec, toy$x, toy$y, likelihood = lik_gaussian(fixed(1e12)), prior_mean = 2)
  link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
  expect_close(link$fit, rep(2, nrow(toy$new)), 1e-9)
  expect_close(link$se.fit, rep(1, nrow(toy$new)), 1e-9)
})

conformance("data narrow the posterior", on = "regression", function(spec, toy, task) {
  sd <- function(rows) {
    fit <- fit_every_row(spec, toy$x[rows, ], toy$y[rows], likelihood = lik_gaussian(0.1))
    predict(fit, toy$new, type = "link", se.fit = TRUE)$se.fit
  }
  expect_true(all(sd(1:40) <= sd(1:20) * (1 + 1e-12)))
  expect_true(all(sd(1:20) <= sd(1) * (1 + 1e-12)))
})

conformance("one more row of a class makes the class more probable there", on = "binary",
  function(spec, toy, task) {
    yes <- function(x, y, at) {
      predict(fit_every_row(spec, x, factor(y, c("no", "yes"))), at, type = "prob")[, "yes"]
    }
    y <- as.character(toy$y)
    for (i in 1:3) {
      at <- toy$new[i, ]
      expect_gt(yes(rbind(toy$x, at), c(y, "yes"), at), yes(toy$x, y, at))
    }
  }
)

conformance("the evidence of classes is a log probability", on = c("binary", "multiclass"),
  function(spec, toy, task) {
    expect_lt(evidence(fit_every_row(spec, toy$x, toy$y))$value, 0)
  }
)

conformance("a probit's probabilities follow from the latent moments", on = "binary",
  function(spec, toy, task) {
    fit <- fit_cheaply(spec, toy$x, toy$y)
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_close(predict(fit, toy$new, type = "prob")[, "yes"],
      pnorm(link$fit / sqrt(1 + link$se.fit^2)), 1e-12
    )
  }
)

conformance("more rows give smaller errors", on = "regression", function(spec, toy, task) {
  new <- toy_data(task, n = 300, seed = 77)
  error <- vapply(c(20, 200), function(n) {
    rows <- toy_data(task, n = n)
    fit <- fit_cheaply(spec, rows$x, rows$y, settings = spec$cheap)
    sqrt(mean((predict(fit, new$x) - new$y)^2))
  }, 0)
  expect_lt(error[2], error[1])
  # The noise has standard deviation 0.3, the response one of 3.
  expect_lt(error[2], 0.6)
})

conformance("learning recovers the noise and a lengthscale", on = "regression",
  function(spec, toy, task) {
    x <- uniform_inputs(150, 1, seed = 3)
    factor <- chol(rbf(x, lengthscale = 0.6) + diag(1e-8, 150))
    y <- with_own_seed(4, drop(crossprod(factor, rnorm(150)))) + 0.3 * with_own_seed(5, rnorm(150))
    learned <- coef(spec$fit(x, y, standardise = FALSE, seed = 1, verbose = FALSE))
    expect_lt(abs(log(learned[["lengthscale"]] / 0.6)), log(1.5))
    expect_lt(abs(log(sqrt(learned[["likelihood.variance"]]) / 0.3)), log(1.5))
  }
)

test_that("a fit that stops before it has converged warns and says so afterwards", {
  few <- list(
    ep_gp = list(method = "ep", inducing = 15, control = control_ep(max_iter = 1)),
    meanfield_gp = list(control = control_meanfield(max_iter = 1)),
    greedy_gp = list(n_basis = NULL, tol = 1e-9),
    rvm = list(control = control_rvm(max_iter = 1))
  )
  toy <- toy_data("binary")
  for (model in names(few)) {
    spec <- model_specs()[[model]]
    settings <- c(few[[model]], list(optimise = FALSE, verbose = FALSE))
    expect_warning(
      fit <- with_functions(list(most_functions = 2), {
        fit_cheaply(spec, toy$x, toy$y, settings = settings)
      }),
      class = "gpsieve_warning_convergence", label = model
    )
    expect_false(glance(fit)$converged)
    expect_sane(fit, toy$new)
  }
})

test_that("the warning names the argument that takes more iterations", {
  toy <- toy_data("binary")
  expect_warning(ep_gp(toy$x, toy$y, inducing = 5, epochs = 1, seed = 1), "`epochs` takes more",
    class = "gpsieve_warning_convergence")
  expect_warning(
    ep_gp(toy$x, toy$y, inducing = 5, method = "ep", control = control_ep(max_iter = 1), seed = 1),
    "`control` takes more",
    class = "gpsieve_warning_convergence"
  )
  expect_identical(limit_of_iterations(list(refine = 3, control = NULL)), "refine")
})

test_that("kernels, likelihoods and settings are made without random numbers", {
  makers <- grep("^(kernel|lik|control)_", getNamespaceExports("gpsieve"), value = TRUE)
  need_arguments <- c("kernel_function", "kernel_precomputed", "kernel_on", "kernel_warped",
    "kernel_mixed", "lik_function")
  makers <- setdiff(makers, c(need_arguments, "kernel_matrix", "kernel_of"))
  for (maker in makers) {
    expect_false(generator_moved(made <- getExportedValue("gpsieve", maker)()))
    expect_identical(getExportedValue("gpsieve", maker)(), made)
  }
})
