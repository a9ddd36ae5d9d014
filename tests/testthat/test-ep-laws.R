# Properties that ep_gp() must have under any implementation.

# ---- limits ----

test_that("every row an inducing input is the dense posterior", {
  k <- rbf(ep_x, ep_x, 2, 0.8)
  k_new <- rbf(ep_x, ep_new, 2, 0.8)
  fit <- ep_fixed(ep_x, ep_class, kernel = kernel_rbf(2, 0.8), inducing = ep_x, jitter = 1e-10)
  dense <- dense_ep(k, ifelse(ep_class == "1", 1, -1), k_new, rep(2, 20))
  expect_equal(ep_link(fit), list(mean = dense$mean, se = sqrt(dense$variance)), tolerance = 1e-6)
  expect_equal(predict(fit, ep_new, type = "prob")[, "1"], dense$prob, tolerance = 1e-6)
  exact <- dense_gp(k, ep_y, 0.1, k_new, rep(2, 20))
  fit <- ep_fixed(ep_x, ep_y, kernel = kernel_rbf(2, 0.8), likelihood = lik_gaussian(0.1),
    inducing = ep_x, jitter = 1e-10, prior_mean = 0
  )
  expect_equal(ep_link(fit), list(mean = exact$mean, se = sqrt(exact$variance)), tolerance = 1e-6)
  expect_equal(evidence(fit)$value, exact$evidence, tolerance = 1e-6)
})

test_that("Gaussian noise is exact after one pass", {
  expect_no_warning(one <- ep_fixed(ep_x, ep_y, kernel = kernel_rbf(2, 1),
    likelihood = lik_gaussian(0.1), control = control_ep(max_iter = 1)
  ))
  many <- ep_fixed(ep_x, ep_y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.1))
  expect_same_link(one, many)
  expect_equal(evidence(one)$value, evidence(many)$value, tolerance = 1e-10)
})

test_that("a first pass is the same for all methods", {
  fits <- lapply(c(ep = "ep", sep = "sep", adf = "adf"), function(method) {
    suppressWarnings(ep_fixed(ep_x, ep_class, kernel = kernel_rbf(2, 1), method = method,
      control = control_ep(max_iter = 1, start = "plain")
    ))
  })
  expect_same_link(fits$ep, fits$sep, tolerance = 1e-12)
  expect_same_link(fits$ep, fits$adf, tolerance = 1e-12)
})

# ---- derivatives ----

test_that("the gradient of converged EP is that of its evidence, inducing inputs included", {
  for (standardise in c(TRUE, FALSE)) {
    likelihood <- lik_student(4, 0.3)
    value <- function(par) {
      fit <- ep_fixed(ep_x, ep_y, standardise = standardise, prior_mean = 0.2,
        kernel = kernel_rbf(exp(par[1]), exp(par[2:3])), likelihood = likelihood,
        inducing = matrix(par[-(1:3)], ncol = 2), jitter = 1e-4
      )
      evidence(fit)$value
    }
    at <- c(0.4, -0.2, 0.1, ep_z[1:4, ])
    fit <- ep_fixed(ep_x, ep_y, standardise = standardise, prior_mean = 0.2,
      kernel = kernel_rbf(exp(0.4), exp(c(-0.2, 0.1))), likelihood = likelihood,
      inducing = ep_z[1:4, ], jitter = 1e-4
    )
    found <- evidence(fit, gradient = TRUE)
    by_hand <- central_gradient(value, at, 1e-4)
    expect_equal(unname(found$gradient[1:3]), by_hand[1:3], tolerance = 1e-5)
    expect_equal(c(found$inducing), by_hand[-(1:3)], tolerance = 1e-5)
  }
})

test_that("nlminb ends where the gradient vanishes", {
  learn <- function(optimise) {
    # The lengthscale of one column has no maximum below its bound.
    ep_gp(ep_x, ep_class, kernel_rbf(1, c(1, 1)), inducing = ep_z, method = "ep",
      optimise = optimise, learn_inducing = FALSE, standardise = FALSE, seed = 1, verbose = FALSE,
      control = control_ep(optimiser = "nlminb", tol = 1e-9, max_iter = 500, prior = NULL)
    )
  }
  before <- learn(FALSE)
  expect_warning(after <- learn(TRUE), class = "gpsieve_warning_bound")
  expect_gt(evidence(after)$value, evidence(before)$value + 0.1)
  expect_lt(max(abs(evidence(after, gradient = TRUE)$gradient)), 1e-2)
})

test_that("every optimiser raises the evidence", {
  for (optimiser in c("adadelta", "adam", "sign_adaptive")) for (method in c("ep", "sep")) {
    learn <- function(optimise) {
      ep_gp(ep_x, ep_y, kernel_rbf(0.3, 0.3), lik_gaussian(1), inducing = ep_z, method = method,
        optimise = optimise, seed = 1, verbose = FALSE, standardise = FALSE,
        control = control_ep(optimiser = optimiser,
          max_iter = if (optimiser == "adam") 500 else 100
        )
      )
    }
    before <- evidence(suppressWarnings(learn(FALSE)))$value
    expect_gt(evidence(learn(TRUE))$value, before + 1)
  }
})

# ---- leave-one-out ----

test_that("loo() is exact for Gaussian noise", {
  x <- ep_x[1:25, ]
  y <- ep_y[1:25]
  fit <- ep_fixed(x, y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.2), prior_mean = 0.4)
  without <- vapply(1:25, function(i) {
    other <- ep_fixed(x[-i, ], y[-i], kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.2),
      prior_mean = 0.4
    )
    link <- predict(other, x[i, , drop = FALSE], type = "link", se.fit = TRUE)
    dnorm(y[i], link$fit, sqrt(link$se.fit^2 + 0.2), log = TRUE)
  }, 0)
  expect_equal(unname(loo(fit)), without, tolerance = 1e-7)
})

test_that("loo() is close to refits for classes", {
  x <- ep_x[1:40, ]
  y <- ep_class[1:40]
  fit <- ep_fixed(x, y, kernel = kernel_rbf(2, 1))
  without <- vapply(1:40, function(i) {
    p <- predict(ep_fixed(x[-i, ], y[-i], kernel = kernel_rbf(2, 1)), x[i, , drop = FALSE],
      type = "prob"
    )
    log(p[, as.character(y[i])])
  }, 0)
  expect_close(loo(fit), without, 0.1)
  for (method in c("sep", "adf")) {
    expect_error(loo(ep_fixed(x, y, method = method, control = control_ep(tol = 1e-6))),
      class = "gpsieve_error_unsupported"
    )
  }
})

# ---- randomness, threads, storage ----

test_that("threads change no bit", {
  toy <- toy_data("multiclass", n = 700)
  for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 300)) {
    fit <- function(threads) {
      without_clock(whatever_it_learns(ep_gp(toy$x, toy$y,
        inducing = 30, method = method, batch_size = batch_size,
        epochs = if (!is.null(batch_size)) 2, threads = threads, seed = 1, verbose = FALSE,
        control = control_ep(max_iter = 3, warm_rows = 0)
      )))
    }
    expect_identical(fit(1), fit(2))
  }
})

test_that("a fit answers alike after saveRDS() in another process", {
  skip_if_not_installed("callr")
  skip_on_cran()
  toy <- toy_data("multiclass")
  fits <- lapply(c("joint", "ovr"), function(multiclass) {
    suppressWarnings(ep_gp(toy$x, toy$y, inducing = 8, multiclass = multiclass, method = "ep",
      seed = 1, verbose = FALSE, control = control_ep(max_iter = 5)
    ))
  })
  path <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fits, path)
  answers <- function(fit, new) {
    list(predict(fit, new, type = "prob"), loo(fit), sites(fit), evidence(fit, gradient = TRUE))
  }
  elsewhere <- callr::r(function(path, new, answers) {
    library(gpsieve)
    lapply(readRDS(path), answers, new)
  }, list(path, toy$new, portable(answers)))
  expect_identical(elsewhere, lapply(fits, answers, toy$new))
})

test_that("update() repeats the machines against the rest that a fit fell back on", {
  toy <- toy_data("multiclass")
  for (asked in list(list(likelihood = lik_logit()), list(power = 0.5))) {
    fit <- do.call(ep_gp, c(list(toy$x, toy$y, inducing = 8, optimise = FALSE, seed = 1), asked))
    again <- update(fit, x = toy$x, y = toy$y)
    expect_equal(predict(again, toy$new, type = "prob"), predict(fit, toy$new, type = "prob"))
  }
})

test_that("a fit that has learned is the fixed point of EP at what it has learned", {
  toy <- toy_data("regression", 40)
  y <- (toy$y - mean(toy$y)) / sd(toy$y)
  ordered <- cut(y, c(-Inf, -0.5, 0.5, Inf), ordered_result = TRUE)
  for (case in list(
    list(y = exp(y), likelihood = lik_warped()), list(y = ordered, likelihood = lik_ordinal())
  )) {
    fit <- suppressWarnings(ep_gp(toy$x, case$y, likelihood = case$likelihood, seed = 1))
    settled <- update(fit, x = toy$x, y = case$y, optimise = FALSE)
    of <- function(fit) predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_equal(of(fit), of(settled), tolerance = 1e-4)
    expect_equal(evidence(fit)$value, evidence(settled)$value, tolerance = 1e-5)
  }
})
