# One fixed point of expectation propagation for every likelihood: ivm() with all rows active,
# ep_gp() at all rows and meanfield_gp(), where it takes the likelihood, at the same
# hyper-parameters. Rows repeat, and some count a hundred times.

# Inputs of which every three are equal, and a response for each likelihood
rows_of_likelihoods <- function(n = 24) {
  x <- cbind(x = rep(seq(0, 4, length.out = n / 3), length.out = n))
  with_own_seed(5, {
    f <- sin(2 * x[, 1L]) + 0.3 * x[, 1L] - 0.5
    far <- sample(n, 3)
    number <- f + rnorm(n, sd = 0.2)
    heavy <- replace(number, far, number[far] + c(-3, 3, 2))
    class <- ifelse(f + rnorm(n, sd = 0.5) > 0, "b", "a")
    zeros <- replace(rpois(n, exp(f + 0.5)), sample(n, 6), 0)
    hits <- rbinom(n, 8, plogis(f))
    time <- exp(number)
    end <- rexp(n, 1 / 3)
    steps <- floor(number * 2) / 2
    list(x = x, cases = list(
      gaussian = list(lik_gaussian(0.05), number),
      student = list(lik_student(4, 0.15), heavy),
      median = list(lik_quantile(0.5, 0.1), number),
      quantile = list(lik_quantile(0.9, 0.1), number),
      probit = list(lik_probit(0.5), class),
      "small noise" = list(lik_probit(0.05), class),
      "label noise" = list(lik_label_noise(0.1), class),
      logit = list(lik_logit(), class),
      ordinal = list(
        lik_ordinal(c(-0.5, 0.5)),
        cut(number, c(-9, -0.5, 0.5, 9), labels = c("u", "v", "w"), ordered_result = TRUE)
      ),
      poisson = list(lik_poisson(), rpois(n, exp(f))),
      zeros = list(lik_poisson(zero_inflation = 0.2), zeros),
      "negative binomial" = list(lik_negative_binomial(2), rnbinom(n, 2, mu = exp(f + 1))),
      binomial = list(lik_binomial(), cbind(hits, 8 - hits)),
      gamma = list(lik_gamma(3), rgamma(n, 3, 3 / exp(f))),
      lognormal = list(lik_lognormal(0.05), time),
      beta = list(lik_beta(8), rbeta(n, 8 * plogis(f), 8 * plogis(-f))),
      "censored times" = list(
        lik_censored("lognormal", 0.05), survival::Surv(pmin(time, end), time <= end)
      ),
      "censored numbers" = list(
        lik_censored("gaussian", 0.05), survival::Surv(pmax(number, 0), number >= 0, type = "left")
      ),
      intervals = list(
        lik_censored("gaussian", 0.05), survival::Surv(steps, steps + 0.5, type = "interval2")
      ),
      "learned scale" = list(
        lik_warped(0.05, skew = 0.3, tail = 1.2, center = 0, scale = 1), number
      ),
      "learned scale of positive numbers" = list(
        lik_warped(0.05, skew = 0.3, tail = 1.2, center = 0, scale = 1, log = TRUE), time
      ),
      "function" = list(
        lik_function(function(y, f) dlogis(y, f, 0.15, log = TRUE), log_concave = TRUE), number
      )
    ))
  })
}

# How far the latent function of the second fit is from that of the first, at most, in standard
# deviations
latent_gap <- function(one, two, new = cbind(x = seq(-0.5, 4.5, length.out = 11))) {
  marginals <- lapply(list(one, two), predict, new, type = "link", se.fit = TRUE)
  sd <- marginals[[1L]]$se.fit
  max(
    abs(marginals[[2L]]$fit - marginals[[1L]]$fit) / sd, abs(marginals[[2L]]$se.fit / sd - 1)
  )
}

expect_one_fixed_point <- function(x, case, weights) {
  fit_by <- function(model, ...) {
    model(x, case[[2L]], kernel = kernel_rbf(2, 0.6), likelihood = case[[1L]], weights = weights,
      optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1, verbose = FALSE, ...)
  }
  dense <- fit_by(ep_gp, inducing = x, jitter = 1e-10,
    control = control_ep(max_iter = 2000, tol = 1e-8))
  others <- c(
    list(fit_by(ivm, n_active = nrow(x))),
    if (takes_mean_field(case[[1L]])) list(fit_by(meanfield_gp))
  )
  expect_true(dense$converged)
  for (other in others) {
    expect_true(other$converged)
    expect_lt(latent_gap(dense, other), 0.01)
  }
}

data <- rows_of_likelihoods()

test_that("every likelihood is among those that are compared", {
  types <- vapply(data$cases, function(case) case[[1L]]$type, "")
  expect_setequal(types, names(likelihood_families))
})

for (name in names(data$cases)) {
  test_that(paste0("all rows have one posterior, whichever model finds it [", name, "]"), {
    expect_one_fixed_point(data$x, data$cases[[name]], rep(c(1, 100, 3), length.out = nrow(data$x)))
    skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
    expect_one_fixed_point(data$x, data$cases[[name]], NULL)
    expect_one_fixed_point(data$x, data$cases[[name]], rep(5, nrow(data$x)))
  })
}
