# Relations and limits the mean-field methods must obey, with given hyper-parameters unless a test
# says otherwise.

methods <- c("tap", "ensemble", "naive", "laplace")

mean_field <- function(x, y, ..., seed = 1) {
  meanfield_gp(x, y, ..., standardise = FALSE, optimise = FALSE, seed = seed, verbose = FALSE)
}

field_x <- uniform_inputs(40)
field_new <- uniform_inputs(12, seed = 8)
field_class <- noisy_labels(field_x)
field_sign <- ifelse(field_class == "1", 1, -1)
field_y <- sin(2 * field_x[, 1]) + field_x[, 2]^2 + with_own_seed(6, rnorm(40, sd = 0.3))

weights_of <- function(fit) fit$posteriors[[1]]$weights

# ---- limits ----

test_that("Gaussian noise: the exact Gaussian process, whatever the method", {
  k <- rbf(field_x, field_x, 2, c(1, 0.7))
  exact <- dense_gp(k, field_y, 0.1, rbf(field_x, field_new, 2, c(1, 0.7)), rep(2, 12), mean = 0.3)
  left_out <- vapply(1:40, function(i) {
    one <- dense_gp(k[-i, -i], field_y[-i], 0.1, k[-i, i, drop = FALSE], k[i, i], mean = 0.3)
    dnorm(field_y[i], one$mean, sqrt(one$variance + 0.1), log = TRUE)
  }, 0)
  for (method in methods) for (variance in c("response", "cavity")) {
    fit <- mean_field(field_x, field_y, kernel_rbf(2, c(1, 0.7)), lik_gaussian(0.1), method,
      variance = variance, prior_mean = 0.3
    )
    link <- predict(fit, field_new, type = "link", se.fit = TRUE)
    expect_equal(link$fit, exact$mean, tolerance = 1e-10)
    expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-10)
    expect_equal(evidence(fit)$value, exact$evidence, tolerance = 1e-12)
    expect_identical(evidence(fit)$kind, "exact")
    expect_equal(loo(fit), left_out, tolerance = 1e-10)
    expect_equal(sites(fit)$mean, field_y - 0.3, tolerance = 1e-10)
    expect_equal(sites(fit)$precision, rep(10, 40), tolerance = 1e-12)
  }
})

test_that("TAP is the fixed point of EP, one site at a time", {
  k <- rbf(field_x, field_x, 2, 1)
  for (mean in c(0, -0.5)) {
    exact <- dense_ep(k, field_sign, rbf(field_x, field_new, 2, 1), rep(2, 12), mean)
    fit <- mean_field(field_x, field_class, kernel_rbf(2, 1), prior_mean = mean)
    link <- predict(fit, field_new, type = "link", se.fit = TRUE)
    expect_equal(link$fit, exact$mean, tolerance = 1e-8)
    expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-8)
    expect_equal(predict(fit, field_new, type = "prob")[, "1"], exact$prob, tolerance = 1e-8)
  }
})

test_that("the evidence of the informative vector machine's refinement has the same limit", {
  fit <- mean_field(field_x, field_class, kernel_rbf(2, 1))
  refined <- ivm(field_x, field_class, kernel_rbf(2, 1), n_active = 40, refine = 200,
    standardise = FALSE, optimise = FALSE, prior_mean = 0, seed = 1, verbose = FALSE
  )
  expect_equal(predict(fit, field_new, type = "prob"), predict(refined, field_new, type = "prob"),
    tolerance = 1e-6
  )
})

test_that("without covariance there is no signal", {
  n <- nrow(field_x)
  for (method in methods) {
    fit <- mean_field(field_x, field_class, kernel_rbf(1e-12, 1), method = method)
    expect_equal(evidence(fit)$value, -n * log(2), tolerance = 1e-9)
  }
  # Independent rows: closed forms for all but Laplace's method.
  far <- matrix(1000 * (1:20))
  y <- factor(rep(c("a", "b"), 10))
  for (method in methods[1:3]) {
    fit <- mean_field(far, y, kernel_rbf(3, 1), lik_probit(0.5), method)
    expect_equal(evidence(fit)$value, -20 * log(2), tolerance = 1e-10)
    expect_equal(weights_of(fit), rep(c(-1, 1), 10) * sqrt(2 / pi) / sqrt(3.5), tolerance = 1e-10)
  }
})

extended <- Sys.getenv("GPSIEVE_EXTENDED") == "true"

test_that("the ensemble's evidence is a lower bound: random problems with a closed form", {
  # Orthant probabilities of two and three correlated fields.
  truth <- function(c, y) {
    rho <- (cov2cor(c) * outer(y, y))[upper.tri(c)]
    log(if (length(y) == 2L) 1 / 4 + asin(rho) / (2 * pi) else 1 / 8 + sum(asin(rho)) / (4 * pi))
  }
  gaps <- with_own_seed(11, vapply(seq_len(if (extended) 200 else 60), function(i) {
    n <- 2 + i %% 2
    x <- matrix(rnorm(2 * n), n)
    y <- sample(c(-1, 1), n, replace = TRUE)
    y[1] <- -y[2] # two classes
    variance <- exp(rnorm(1, sd = 2))
    noise <- exp(rnorm(1))
    fit <- mean_field(x, factor(y), kernel_rbf(variance, 1), lik_probit(noise), "ensemble")
    truth(rbf(x, x, variance, 1) + diag(noise, n), y) - evidence(fit)$value
  }, 0))
  expect_true(all(gaps > -1e-10))
  expect_gt(max(gaps), 1e-3)
})

# ---- symmetries ----

test_that("only the ratio of the kernel's variance and the noise matters", {
  for (method in methods) {
    one <- mean_field(field_x, field_class, kernel_rbf(2, 1), lik_probit(1), method,
      prior_mean = 0.4
    )
    other <- mean_field(field_x, field_class, kernel_rbf(14, 1), lik_probit(7), method,
      prior_mean = 0.4 * sqrt(7)
    )
    expect_equal(evidence(other, gradient = TRUE), evidence(one, gradient = TRUE), tolerance = 1e-9)
    expect_equal(predict(other, field_new, type = "prob"), predict(one, field_new, type = "prob"),
      tolerance = 1e-9
    )
    expect_equal(weights_of(other), weights_of(one) / sqrt(7), tolerance = 1e-9)
    expect_equal(loo(other), loo(one), tolerance = 1e-9)
  }
})

test_that("exchanged labels exchange the signs, permuted rows permute the weights", {
  order <- with_own_seed(3, sample(40))
  for (method in methods) for (likelihood in list(lik_probit(), lik_logit())) {
    if (method == "ensemble" && likelihood$type == "logit") next
    fit <- mean_field(field_x, field_class, kernel_rbf(2, 1), likelihood, method)
    flipped <- mean_field(field_x, factor(-field_sign, c(-1, 1)), kernel_rbf(2, 1), likelihood,
      method
    )
    expect_equal(weights_of(flipped), -weights_of(fit), tolerance = 1e-8)
    expect_equal(evidence(flipped)$value, evidence(fit)$value, tolerance = 1e-10)
    permuted <- mean_field(field_x[order, ], field_class[order], kernel_rbf(2, 1), likelihood,
      method
    )
    expect_equal(weights_of(permuted), weights_of(fit)[order], tolerance = 1e-8)
    expect_equal(loo(permuted), loo(fit)[order], tolerance = 1e-8)
    expect_identical(active_set(permuted), 1:40)
  }
})

test_that("signed weights are positive and solve the mean-field equations", {
  k <- rbf(field_x, field_x, 2, 1)
  for (method in methods) {
    fit <- mean_field(field_x, field_class, kernel_rbf(2, 1), method = method)
    u <- weights_of(fit)
    expect_true(all(u * field_sign > 0))
    # Site mean less precision's share: (K + T^-1) u = site mean.
    site <- sites(fit)
    expect_equal(drop(k %*% u) + u / site$precision, site$mean, tolerance = 1e-8)
  }
})

test_that("the gradient is that of the evidence", {
  next_kernel <- turns(
    list(kernel_rbf(1.5, c(1, 0.8)), kernel_matern(1.5, 2, 1) + kernel_linear(0.3))
  )
  for (method in methods) {
    next_kernel() # each method begins with the other one
    for (likelihood in list(lik_probit(0.7), lik_logit(), lik_gaussian(0.2), lik_poisson())) {
      if (method == "ensemble" && likelihood$type %in% c("logit", "poisson")) next
      kernel <- next_kernel()[[1]]
      y <- switch(likelihood_response(likelihood),
        binary = field_class, real = field_y, count = round(exp(field_y / 2))
      )
      value <- function(theta, gradient = FALSE) {
        at <- set_theta(kernel, likelihood, theta)
        evidence(mean_field(field_x, y, at$kernel, at$likelihood, method, prior_mean = 0.2),
          gradient = gradient
        )
      }
      theta <- theta_of(kernel, likelihood, colnames(field_x))
      free <- theta_free(kernel, likelihood)
      by_differences <- central_gradient(function(v) value(v)$value, theta, 1e-4)
      expect_equal(unname(value(theta, TRUE)$gradient), by_differences[free], tolerance = 1e-5)
    }
  }
})

test_that("counts and logits: the mode of Laplace's method is a mode", {
  counts <- round(exp(field_y / 2))
  k <- rbf(field_x, field_x, 2, 1)
  cases <- list(
    list(y = counts, lik = lik_poisson(), slope = function(f) counts - exp(f)),
    list(y = field_class, lik = lik_logit(), slope = function(f) {
      field_sign * plogis(-field_sign * f)
    })
  )
  for (case in cases) {
    fit <- mean_field(field_x, case$y, kernel_rbf(2, 1), case$lik, "laplace")
    u <- weights_of(fit)
    expect_equal(u, case$slope(drop(k %*% u)), tolerance = 1e-9)
    # The results are close to those of EP.
    tap <- mean_field(field_x, case$y, kernel_rbf(2, 1), case$lik, "tap")
    expect_equal(predict(tap, field_new, type = "link"), predict(fit, field_new, type = "link"),
      tolerance = 0.35
    )
    expect_equal(evidence(tap)$value, evidence(fit)$value, tolerance = 0.02)
  }
})

test_that("leaving one out by cavities is close to doing it", {
  tap <- mean_field(field_x, field_class, kernel_rbf(2, 1))
  by_hand <- vapply(seq_along(field_class), function(i) {
    fit <- mean_field(field_x[-i, ], field_class[-i], kernel_rbf(2, 1))
    log(predict(fit, field_x[i, , drop = FALSE], type = "prob")[1, as.character(field_class[i])])
  }, 0)
  expect_gt(cor(loo(tap), by_hand), 0.999)
  expect_lt(mean(abs(loo(tap) - by_hand)), 0.02)
})

test_that("two classes as one of several machines are the same machine", {
  y <- toy_data("multiclass")
  fit <- meanfield_gp(y$x, y$y, kernel_rbf(2, 1), optimise = FALSE, seed = 1)
  alone <- meanfield_gp(y$x, factor(y$y == "low"), kernel_rbf(2, 1), optimise = FALSE, seed = 1)
  expect_equal(predict(fit, y$new, type = "link")[, "low"], predict(alone, y$new, type = "link"),
    tolerance = 1e-10
  )
  machines <- vapply(levels(y$y), function(class) {
    one <- meanfield_gp(y$x, factor(y$y == class), kernel_rbf(2, 1), optimise = FALSE, seed = 1)
    evidence(one)$value
  }, 0)
  expect_equal(evidence(fit)$value, sum(machines), tolerance = 1e-10)
})

# ---- learning ----

test_that("learning keeps what is fixed and learns the ratio by the variance alone", {
  for (method in methods) {
    start <- meanfield_gp(field_x, field_class, kernel_rbf(1, c(1, 1)), lik_probit(2), method,
      optimise = FALSE, seed = 1
    )
    learned <- meanfield_gp(field_x, field_class, kernel_rbf(1, c(1, 1)), lik_probit(2), method,
      control = control_meanfield(prior = NULL), seed = 1
    )
    expect_gt(evidence(learned)$value, evidence(start)$value)
    expect_identical(likelihood_of(learned)$values$noise, 2)
    held <- meanfield_gp(field_x, field_class, kernel_rbf(fixed(3), 1), method = method, seed = 1)
    expect_identical(kernel_of(held)$values$variance, 3)
    gradient <- evidence(learned, gradient = TRUE)$gradient
    inside <- abs(log(coef(learned)[names(gradient)])) < 0.99 * log(1000)
    expect_lt(max(abs(gradient[inside])), 0.02)
  }
})

test_that("learning leaves the basin in which all is noise", {
  x <- uniform_inputs(80, 1, seed = 4)
  y <- factor(x[, 1] > 0.3)
  # Lengthscales so short that the rows are independent under the prior.
  fit <- whatever_it_learns(
    meanfield_gp(x, y, kernel_rbf(1, 1e-4), standardise = FALSE, seed = 1)
  )
  expect_gt(evidence(fit)$value, -0.5 * 80 * log(2))
})

test_that("a subset of rows can be learned on", {
  toy <- toy_data("binary", n = 300)
  fit <- meanfield_gp(toy$x, toy$y, control = control_meanfield(learn_rows = 100), seed = 1)
  expect_equal(nobs(fit), 300)
  expect_gt(mean(predict(fit, toy$x) == toy$y), 0.85)
})

# ---- what it refuses ----

test_that("likelihoods without equations are refused before any work", {
  skip_on_cran() # what R alone does is the same everywhere
  expect_error(mean_field(field_x, field_y, likelihood = lik_student()),
    class = "gpsieve_error_unsupported"
  )
  expect_error(mean_field(field_x, field_class, likelihood = lik_logit(), method = "ensemble"),
    class = "gpsieve_error_unsupported"
  )
  expect_snapshot(error = TRUE, {
    meanfield_gp(field_x, field_y, likelihood = lik_student())
    meanfield_gp(field_x, field_class, likelihood = lik_logit(), method = "ensemble")
    meanfield_gp(field_x, field_class, method = "tab")
    meanfield_gp(field_x, field_class, variance = "marginal")
    meanfield_gp(field_x, field_class, control = control_ivm())
    control_meanfield(tol = 0)
    control_meanfield(max_iter = 0)
  })
})

test_that("settings must make sense", {
  skip_on_cran() # what R alone does is the same everywhere
  bad <- list(
    method = list("EP", NA, 1, methods[2:3]), variance = list("marginal", NA, 1),
    optimise = list(NA, 1), control = list(list(), NULL, control_meanfield),
    prior_mean = list(NA, Inf, "0"), n_active = list(5)
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    given <- setNames(list(value), name)
    expect_error(do.call(meanfield_gp, c(list(field_x, field_class), given)), name,
      class = "gpsieve_error_argument"
    )
  }
  bad <- list(
    max_iter = list(0, 1.5, NA), tol = list(0, -1, NA, 2), learn_rows = list(1, NA),
    steps = list(0)
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    expect_error(do.call(control_meanfield, setNames(list(value), name)), name,
      class = "gpsieve_error_argument"
    )
  }
})

test_that("a computation that stops early says so", {
  expect_warning(
    fit <- mean_field(field_x, field_class, kernel_rbf(50, 1),
      control = control_meanfield(max_iter = 1)
    ),
    class = "gpsieve_warning_convergence"
  )
  expect_true(is.finite(evidence(fit)$value))
  expect_false(fit$converged)
})

# ---- hard problems ----

# Ratios of prior variance to noise from 1e-3 to 1e8, smooth and rough, half with random labels.
hard_problem <- function(i) {
  with_own_seed(1000 + i, {
    n <- sample(20:120, 1)
    p <- sample(1:10, 1)
    x <- matrix(rnorm(n * p), n)
    noise <- 10^runif(1, -2, 2)
    kernel <- kernel_rbf(noise * 10^runif(1, -3, 8), 10^runif(p, -0.5, 1))
    sign <- if (i %% 2) sample(c(-1, 1), n, TRUE) else ifelse(x[, 1] + 0.3 * rnorm(n) > 0, 1, -1)
    sign[1:2] <- c(-1, 1)
    list(x = x, y = factor(sign), kernel = kernel, likelihood = lik_probit(noise))
  })
}

test_that("hard problems converge by every method", {
  next_methods <- turns(methods)
  for (i in seq_len(if (extended) 400 else 40)) {
    problem <- hard_problem(i)
    for (method in if (extended) methods else next_methods(1 + i %% 2)) {
      fit <- expect_no_warning(
        mean_field(problem$x, problem$y, problem$kernel, problem$likelihood, method)
      )
      expect_true(fit$converged)
    }
  }
})
