# What ep_gp() refuses beyond what every model refuses (test-bad-input.R): settings of its own.

d <- six_rows()
x <- as.matrix(d[c("a", "b")])
three <- factor(c("u", "v", "w", "u", "v", "w"))

small <- function(...) ep_gp(..., optimise = FALSE, seed = 1, verbose = FALSE)

test_that("inducing inputs are a count or a finite matrix of the inputs' width", {
  bad <- list(
    0, -1, 1.5, NA, Inf, "a", "5", TRUE, c(1, 2), list(3), NULL, matrix(1:6, 2), matrix(0, 0, 2),
    matrix("a", 2, 2), matrix(c(1, NA, 2, 3), 2), matrix(c(1, Inf, 2, 3), 2),
    data.frame(a = "u", b = "v"), matrix(TRUE, 2, 2)[, 1, drop = FALSE]
  )
  for (inducing in bad) {
    expect_error(small(x, d$f, inducing = inducing), "inducing", class = "gpsieve_error_argument")
  }
  # A factor is one column per level.
  refuse(small(y ~ a + f, d, inducing = matrix(0, 2, 2)), "argument")
  expect_accepted(small(y ~ a + f, d, inducing = cbind(c(1, 2), c(0, 1), c(1, 0))))
  expect_snapshot(error = TRUE, {
    ep_gp(x, d$f, inducing = 0)
    ep_gp(x, d$f, inducing = NA)
    ep_gp(x, d$f, inducing = "a")
    ep_gp(x, d$f, inducing = matrix(1:6, 2))
    ep_gp(x, d$f, inducing = matrix(c(1, NA, 2, 3), 2))
    ep_gp(y ~ a + f, d, inducing = matrix(0, 2, 2))
  })
})

test_that("settings must make sense", {
  bad <- list(
    inducing_init = list("kmean", NA, 1, c("ivm", "random"), character()),
    method = list("EP", "vb", NA, 1, c("ep", "sep"), character()),
    learn_inducing = list(NA, 1, "yes", c(TRUE, FALSE)),
    batch_size = list(0, 7, -1, 1.5, NA, Inf, "2", c(1, 2), TRUE),
    epochs = list(0, -1, 1.5, NA, Inf, "2", c(1, 2)),
    shuffle = list(NA, 1, "no"),
    power = list(0, 2, -0.5, NA, Inf, "1", c(0.5, 1)),
    jitter = list(-1, 2, NA, Inf, "small", c(1e-6, 1e-4)),
    multiclass = list("together", NA, 1),
    control = list(list(), NULL, control_ivm(), control_ep, list(max_iter = 2)),
    # More values of what all models have are in test-bad-input.R.
    optimise = list(1), standardise = list(0), prior_mean = list("0"), seed = list(-1),
    threads = list(0), verbose = list("no"), kernel = list("rbf"), likelihood = list("probit")
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    given <- setNames(list(value), name)
    expect_error(do.call(ep_gp, c(list(x, d$f), given)), name, class = "gpsieve_error_argument")
  }
  expect_snapshot(error = TRUE, {
    ep_gp(x, d$f, method = "EP")
    ep_gp(x, d$f, batch_size = 0)
    ep_gp(x, d$f, batch_size = 7)
    ep_gp(x, d$f, epochs = 0)
    ep_gp(x, d$f, power = 0)
    ep_gp(x, d$f, power = 2)
    ep_gp(x, d$f, jitter = -1)
    ep_gp(x, d$f, control = control_ivm())
    ep_gp(x, d$f, control = list())
    ep_gp(x, d$f, learn_inducing = NA)
  })
})

test_that("the joint model is the probit's, and only where it was asked for", {
  joint <- function(...) small(x, three, multiclass = "joint", ...)
  refuse(joint(likelihood = lik_logit()), "unsupported")
  refuse(joint(power = 0.5), "unsupported")
  expect_accepted(small(x, three, likelihood = lik_logit()))
  expect_accepted(small(x, three, power = 0.5))
  expect_accepted(small(x, d$f, multiclass = "joint"))
  expect_snapshot(error = TRUE, {
    ep_gp(x, three, likelihood = lik_logit(), multiclass = "joint")
    ep_gp(x, three, power = 0.5, multiclass = "joint")
  })
})

test_that("nlminb needs EP on all rows", {
  by_nlminb <- function(...) {
    ep_gp(x, d$f, ..., control = control_ep(optimiser = "nlminb"), seed = 1, verbose = FALSE)
  }
  refuse(by_nlminb(method = "sep"), "unsupported")
  refuse(by_nlminb(method = "adf"), "unsupported")
  refuse(by_nlminb(batch_size = 3), "unsupported")
  expect_accepted(by_nlminb())
  expect_snapshot(error = TRUE, {
    ep_gp(x, d$f, method = "sep", control = control_ep(optimiser = "nlminb"))
    ep_gp(x, d$f, method = "ep", batch_size = 3, control = control_ep(optimiser = "nlminb"))
  })
})

test_that("data are refused as by every model", {
  withr::local_options(na.action = "na.fail")
  refuse(small(replace(x, 3, NA), d$f), "data")
  refuse(small(replace(x, 3, Inf), d$f), "data")
  refuse(small(x, replace(d$f, 2, NA)), "data")
  refuse(small(x, d$f[1:5]), "data")
  refuse(small(x, factor(rep("u", 6))), "data")
  refuse(small(x[0, ], d$f[0]), "data")
  refuse(small(x, d$y, likelihood = lik_probit()), "data")
  refuse(small(x, d$y / 2, likelihood = lik_poisson()), "data")
  refuse(small(x, d$f, inducing_inputs = 3), "argument")
  caught <- tryCatch(ep_gp(y ~ a, d, inducing = 0), error = identity)
  expect_identical(rlang::call_name(conditionCall(caught)), "ep_gp")
})

test_that("the control is checked where it is given", {
  bad <- list(
    max_iter = list(0, -1, 1.5, NA, Inf, "2"), tol = list(-1, NA, "small"),
    damping = list(0, 1.1, -0.5, NA, "half"), optimiser = list("sgd", NA, 1),
    start = list("hot", NA), gradient = list("approximate", NA),
    validation = list(-0.1, 0.95, NA, "some", c(1, 0.5), c(0, 1), c(2, 2)),
    patience = list(0, -1, Inf, NA)
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    expect_error(do.call(control_ep, setNames(list(value), name)), name,
      class = "gpsieve_error_argument"
    )
  }
  expect_snapshot(error = TRUE, {
    control_ep(max_iter = 0)
    control_ep(damping = 0)
    control_ep(optimiser = "sgd")
    control_ep(validation = 0.95)
    control_ep(validation = c(3, 3))
    small(x, d$f, control = control_ep(validation = c(1, 1e6)))
    small(x, d$f, control = control_ep(validation = seq_len(nrow(x))))
  })
})

test_that("huge counts are refused or cut, not wrapped around", {
  expect_accepted(small(x, d$f, inducing = 1e300))
  refuse(small(x, d$f, epochs = 1e10), "argument")
  refuse(control_ep(max_iter = 1e10), "argument")
  refuse(control_ep(patience = 1e300), "argument")
})

test_that("a fit that stops early warns once", {
  expect_warning(
    fit <- small(x, d$f, method = "ep", control = control_ep(max_iter = 2, tol = 1e-12)),
    class = "gpsieve_warning_convergence"
  )
  expect_type(predict(fit, x, type = "prob"), "double")
})

test_that("the method of the optimiser that needs EP is EP, however many the rows", {
  settings <- list(batch_size = NULL, method = NULL, learn_inducing = FALSE, optimise = TRUE,
    control = control_ep(optimiser = "nlminb"))
  problem <- list(n = 10000, response = list(kind = "real"), raw = matrix(0))
  expect_identical(with_ep_defaults(settings, problem, FALSE)$method, "ep")
  settings$control <- control_ep()
  expect_identical(with_ep_defaults(settings, problem, FALSE)$method, "sep")
})
