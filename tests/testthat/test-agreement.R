# Models whose posteriors are equal in theory must agree in their results.

both_x <- uniform_inputs(40)
both_new <- uniform_inputs(12, seed = 8)
both_class <- noisy_labels(both_x)
both_f <- sin(2 * both_x[, 1]) + both_x[, 2]
both_three <- cut(both_f, c(-Inf, -0.7, 0.7, Inf), labels = c("low", "mid", "high"))
both_count <- with_own_seed(3, rpois(40, exp(both_f / 2)))

# Likelihoods with a response for each.
both_cases <- list(
  probit = list(likelihood = lik_probit(0.7), y = both_class),
  logit = list(likelihood = lik_logit(), y = both_class),
  poisson = list(likelihood = lik_poisson(), y = both_count),
  gaussian = list(likelihood = lik_gaussian(0.1), y = both_f),
  "three classes" = list(likelihood = lik_probit(), y = both_three)
)

by_model <- function(model, case, ...) {
  model(both_x, case$y, ...,
    kernel = kernel_rbf(2, 0.7), likelihood = case$likelihood, prior_mean = 0.2,
    standardise = FALSE, optimise = FALSE, seed = 1, verbose = FALSE
  )
}

# Latent means and standard deviations, and what is made of them.
expect_same_predictions <- function(one, two, new = both_new, tolerance = 1e-7) {
  expect_equal(all_predictions(one, new), all_predictions(two, new), tolerance = tolerance)
}

# The sites of every latent function, in the order of the rows.
sites_by_row <- function(fit) {
  all <- sites(fit)
  if (is.data.frame(all)) all <- list(all)
  lapply(unname(all), function(site) unname_rows(site[order(site$row), ]))
}

for (name in names(both_cases)) {
  test_that(paste0("TAP, EP on all rows and EP one row at a time: one fixed point [", name, "]"), {
    case <- both_cases[[name]]
    tap <- by_model(meanfield_gp, case, method = "tap")
    ep <- by_model(ep_gp, case, method = "ep", inducing = both_x, jitter = 1e-12,
      multiclass = "ovr", control = control_ep(max_iter = 2000, tol = 1e-11)
    )
    sweeps <- by_model(online_gp, case, sweeps = 500)
    for (other in list(ep, sweeps)) {
      expect_same_predictions(tap, other)
      expect_equal(evidence(tap)$value, evidence(other)$value, tolerance = 1e-10)
      expect_equal(loo(tap), loo(other), tolerance = 1e-7)
      expect_equal(sites_by_row(tap), sites_by_row(other), tolerance = 1e-7)
    }
    # Differences larger than the tolerances above are errors.
    if (name != "gaussian") {
      naive <- by_model(meanfield_gp, case, method = "naive")
      expect_gt(abs(evidence(naive)$value - evidence(tap)$value), 1e-3)
    }
  })
}

test_that("one sweep of the online algorithm is the first pass of assumed density filtering", {
  for (case in both_cases) {
    online <- by_model(online_gp, case, novelty = 0, shuffle = FALSE)
    # One pass is not enough for EP, and the fit says so.
    adf <- suppressWarnings(
      by_model(ep_gp, case, method = "adf", inducing = both_x, jitter = 0, multiclass = "ovr",
        batch_size = 1, epochs = 1, shuffle = FALSE, control = control_ep(start = "plain")
      ),
      classes = "gpsieve_warning_convergence"
    )
    expect_same_predictions(online, adf, tolerance = 1e-12)
  }
})

test_that("one sweep is EP's first, by the dense formulas", {
  y <- ifelse(both_class == "1", 1, -1)
  k <- rbf(both_x, both_x, 2, 0.7)
  site <- probit_site(mean = 0.2)
  precision <- mean <- numeric(40)
  evidence <- 0
  for (i in 1:40) {
    before <- seq_len(i - 1)
    state <- posterior_from_sites(k, before, precision[before], mean[before])
    h <- state$h[i]
    a <- state$a[i]
    s <- site(y[i], h, a)
    precision[i] <- s$nu / (1 - a * s$nu)
    mean[i] <- h + s$alpha / s$nu
    evidence <- evidence + pnorm(y[i] * (h + 0.2) / sqrt(1 + a), log.p = TRUE)
  }
  k_new <- rbf(both_x, both_new, 2, 0.7)
  solved <- solve(k + diag(1 / precision), cbind(mean, k_new))
  fit <- by_model(online_gp, list(y = both_class, likelihood = lik_probit()),
    novelty = 0, shuffle = FALSE
  )
  link <- predict(fit, both_new, type = "link", se.fit = TRUE)
  expect_equal(link$fit, drop(crossprod(k_new, solved[, 1])) + 0.2, tolerance = 1e-12)
  expect_equal(link$se.fit^2, unname(2 - colSums(k_new * solved[, -1])), tolerance = 1e-12)
  expect_equal(evidence(fit)$value, unname(evidence), tolerance = 1e-12)
})

test_that("a relevance vector machine is mean field under its degenerate prior", {
  x <- both_x[1:25, ]
  alpha <- seq(0.5, 2, length.out = 26)
  covariance <- function(x_left, x_right) {
    left <- cbind(1, rbf(x_left, x))
    right <- cbind(1, rbf(x_right, x))
    left %*% (t(right) / alpha)
  }
  for (inference in c("tap", "laplace", "naive")) {
    machine <- rvm(x, both_class[1:25], kernel_rbf(1, 1), algorithm = "em", inference = inference,
      standardise = FALSE, optimise = FALSE, seed = 1, verbose = FALSE,
      control = control_rvm(alpha_start = alpha, max_iter = 0)
    ) |> suppressWarnings(classes = "gpsieve_warning_convergence")
    dense <- meanfield_gp(x, both_class[1:25], covariance, method = inference, prior_mean = 0,
      standardise = FALSE, optimise = FALSE, seed = 1, verbose = FALSE,
      control = control_meanfield(tol = 1e-10)
    )
    expect_same_predictions(machine, dense, both_new, tolerance = 1e-8)
    expect_equal(evidence(machine)$value, evidence(dense)$value, tolerance = 1e-8)
  }
})

test_that("sparse Newton finds the mode of a likelihood of classes that is not log-concave", {
  fit <- function(likelihood) {
    with_functions(list(newton_growth = 0), {
      by_model(greedy_gp, list(likelihood = likelihood, y = both_class), n_basis = 40)
    })
  }
  expect_same_predictions(fit(lik_label_noise(1e-12)), fit(lik_probit()))
  # With all rows as basis the mode is prior mean + K d log p / d f there.
  f <- predict(fit(lik_label_noise(0.1)), both_x, type = "link")
  sign <- ifelse(both_class == levels(both_class)[2], 1, -1)
  slope <- sign * 0.8 * dnorm(f) / (0.1 + 0.8 * pnorm(sign * f))
  expect_equal(f, 0.2 + drop(kernel_matrix(kernel_rbf(2, 0.7), both_x) %*% slope),
    tolerance = 1e-7
  )
})
