# A warped response: Gaussian noise on a scale that is learned.

warped_rows <- function(n = 60) {
  toy <- toy_data("regression", n)
  data.frame(toy$x, y = exp((toy$y - 5) / 2))
}

# The same likelihood with nothing left to learn
held_warp <- function(...) {
  lik_warped(0.2, skew = 0.4, tail = 0.8, center = 1, scale = 0.7, ...)
}

test_that("the identity is Gaussian noise, and fits of every model are those of z(y)", {
  data <- warped_rows()
  identity <- lik_warped(0.1, center = 0, scale = 1)
  models <- list(
    meanfield_gp = list(), ivm = list(n_active = 20, seed = 1),
    ep_gp = list(inducing = 15, seed = 1),
    online_gp = list(budget = 20, seed = 1),
    meanfield_gp = list(control = control_meanfield(solver = "iterative"), seed = 1)
  )
  for (i in seq_along(models)) {
    fit_with <- function(likelihood, y) {
      data$y <- y
      suppressWarnings(do.call(names(models)[i], c(list(y ~ a + b, data, standardise = FALSE,
        likelihood = likelihood, optimise = FALSE), models[[i]])))
    }
    gaussian <- fit_with(lik_gaussian(0.1), data$y)
    same <- fit_with(identity, data$y)
    expect_equal(predict(same, data), predict(gaussian, data), tolerance = 1e-8)
    expect_equal(predict(same, data, type = "quantile"),
      predict(gaussian, data, type = "quantile"), tolerance = 1e-8)
    expect_equal(evidence(same)$value, evidence(gaussian)$value, tolerance = 1e-8)
    # and of a warp the evidence is greater by the logarithms of its slopes
    for (warp in list(held_warp(), lik_lognormal(0.2))) {
      z <- latent_responses(warp, data$y)
      step <- 1e-5
      slopes <- (latent_responses(warp, data$y + step) - latent_responses(warp, data$y - step)) /
        (2 * step)
      on_z <- fit_with(lik_gaussian(0.2), z)
      warped <- fit_with(warp, data$y)
      expect_equal(predict(warped, data, type = "link"), predict(on_z, data, type = "link"),
        tolerance = 1e-8)
      # that of an active set is the evidence of its sites
      more <- if (evidence(warped)$kind == "active set") 0 else sum(log(slopes))
      expect_equal(evidence(warped)$value, evidence(on_z)$value + more, tolerance = 1e-6)
      if (removes_rows(warped) || !is.null(warped$loo)) {
        of_z <- transform(data, y = z)
        expect_equal(loo(warped, data), loo(on_z, of_z) + log(slopes), tolerance = 1e-6)
      }
    }
  }
})

test_that("weights, offset and gradient of log-normal responses are those of the logarithm", {
  data <- transform(warped_rows(40), copies = rep(1:4, 10), exposure = exp(b / 3))
  for (model in c("meanfield_gp", "ep_gp", "local_gp")) {
    # Equal up to the jitter of inducing inputs that are all rows.
    tolerance <- if (model == "ep_gp") 1e-4 else 1e-8
    of_model <- list(ep_gp = list(size = 40), local_gp = list(leaf_rows = 40))[[model]]
    fit_with <- function(formula, likelihood) {
      do.call(model, c(list(formula, data, kernel_rbf(1, lengthscale = 1), likelihood = likelihood,
        weights = quote(copies), standardise = FALSE, optimise = FALSE, seed = 1), of_model))
    }
    of_y <- fit_with(y ~ a + offset(log(exposure)), lik_lognormal(0.1))
    of_log <- fit_with(log(y) - log(exposure) ~ a, lik_gaussian(0.1))
    expect_equal(predict(of_y, data, type = "quantile", probs = 0.3),
      exp(predict(of_log, data, type = "quantile", probs = 0.3)) * data$exposure,
      tolerance = tolerance, ignore_attr = TRUE)
    expect_equal(evidence(of_y)$value, evidence(of_log)$value - sum(data$copies * log(data$y)),
      tolerance = tolerance)
    expect_equal(loo(of_y, data), loo(of_log, data) - log(data$y), tolerance = tolerance)
    if (model == "meanfield_gp") {
      gradient_of <- function(fit) evidence(fit, gradient = TRUE)$gradient
      expect_length(gradient_of(of_y), 3)
      expect_equal(gradient_of(of_y), gradient_of(of_log), tolerance = 1e-8)
    }
  }
})

test_that("both ways of learning find the scale of a response, with the gradient of its evidence", {
  data <- warped_rows(80)
  blocks <- control_meanfield(blocks = learn_on_blocks(steps = 60))
  for (control in list(control_meanfield(), blocks)) {
    warped <- meanfield_gp(y ~ a + b, data, likelihood = lik_warped(), control = control, seed = 1)
    gaussian <- meanfield_gp(y ~ a + b, data, control = control, seed = 1)
    expect_gt(likelihood_of(warped)$values$skew, 0.2)
    expect_gt(evidence(warped)$value, evidence(gaussian)$value + 5)
    expect_gt(sum(loo(warped)), sum(loo(gaussian)))
  }
  at <- function(skew, tail) {
    fit <- meanfield_gp(y ~ a + b, data, kernel_rbf(1, 1), optimise = FALSE,
      likelihood = lik_warped(0.2, skew, tail, 1, 0.7))
    evidence(fit, gradient = skew == 0.3 && tail == 0.9)
  }
  gradient <- at(0.3, 0.9)$gradient
  h <- 1e-4
  expect_equal(gradient[["likelihood.skew"]],
    (at(0.3 + h, 0.9)$value - at(0.3 - h, 0.9)$value) / (2 * h), tolerance = 1e-6)
  expect_equal(gradient[["likelihood.tail"]],
    (at(0.3, 0.9 * exp(h))$value - at(0.3, 0.9 * exp(-h))$value) / (2 * h), tolerance = 1e-6)
})

test_that("predictions are those of z mapped back, and stay finite far from all rows", {
  data <- warped_rows()
  for (log in c(FALSE, TRUE)) {
    fit <- meanfield_gp(y ~ a + b, data, likelihood = lik_warped(log = log), seed = 1)
    far <- data.frame(a = c(0, 30), b = c(0, -30))
    link <- predict(fit, far, type = "link", se.fit = TRUE)
    likelihood <- likelihood_of(fit)
    q <- predict(fit, far, type = "quantile", probs = c(0.1, 0.5))
    z <- link$fit + qnorm(0.1) * sqrt(link$se.fit^2 + likelihood$values$variance)
    expect_equal(latent_responses(likelihood, q[, 1L]), unname(z), tolerance = 1e-8)
    expect_equal(latent_responses(likelihood, q[, 2L]), unname(link$fit), tolerance = 1e-8)
    expect_true(all(abs(predict(fit, far)) < 10 * max(data$y)))
    if (log) expect_true(all(predict(fit, far, type = "quantile") > 0))
    drawn <- unlist(simulate(fit, 4000, seed = 1, newdata = far[1L, ]))
    expect_close(mean(drawn), predict(fit, far[1L, ]), 5 * stats::sd(drawn) / sqrt(4000))
    expect_close(stats::sd(residuals(fit, "quantile")), 1, 0.3)
  }
})

test_that("what keeps the scale on which it was recorded is refused", {
  data <- warped_rows()
  refused <- function(expr) expect_error(expr, class = "gpsieve_error_unsupported")
  refused(meanfield_gp(y ~ a, data, likelihood = lik_warped(), offset = rep(1, 60)))
  refused(rvm(y ~ a, data, likelihood = lik_warped()))
  expect_error(meanfield_gp(y ~ a, data, likelihood = lik_warped(), noise_sd = rep(1, 60)),
    class = "gpsieve_error")
  expect_error(meanfield_gp(y - 1 ~ a, data, likelihood = lik_warped(log = TRUE)),
    "positive numbers", class = "gpsieve_error_data")
  skip_if_not_installed("survival")
  expect_error(meanfield_gp(survival::Surv(y, rep(1, 60)) ~ a, data, likelihood = lik_warped()),
    class = "gpsieve_error_data")
})

test_that("a response of which half is one number has a scale", {
  start <- start_of_warp(c(rep(0, 40), 1:10))
  expect_equal(start$center, 1.1)
  expect_gt(start$scale, 0)
  expect_identical(start_of_warp(rep(2, 9))$scale, 1)
})
