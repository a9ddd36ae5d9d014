own_density <- function(y, f) -(y - f)^2

every_likelihood <- function() {
  list(
    gaussian = lik_gaussian(0.3), probit = lik_probit(2),
    label_noise = lik_label_noise(0.1, 2), logit = lik_logit(),
    ordinal = lik_ordinal(c(-1, 0, 2.5)), poisson = lik_poisson(0.2),
    negative_binomial = lik_negative_binomial(3), binomial = lik_binomial(),
    student = lik_student(3, 0.2), quantile = lik_quantile(0.9, 0.2),
    gamma = lik_gamma(4), lognormal = lik_lognormal(0.3),
    beta = lik_beta(20), "function" = lik_function(own_density),
    censored_gaussian = lik_censored("gaussian", 0.3),
    censored_lognormal = lik_censored(variance = 0.3),
    warped = lik_warped(0.3, -0.2, 0.8, 1, 2),
    warped_log = lik_warped(0.3, 0.2, 1.1, 0.5, 2, log = TRUE)
  )
}

test_that("likelihoods are plain lists of class, type, values and what is fixed", {
  for (type in names(likelihood_families)) {
    likelihood <- every_likelihood()[[type]]
    expect_s3_class(likelihood, c(paste0("gpsieve_likelihood_", type), "gpsieve_likelihood"),
      exact = TRUE
    )
    expect_identical(likelihood$type, type)
    expect_named(likelihood, c("type", "values", "fixed",
      if (type == "function") c("functions", "name")))
    optional <- "zero_inflation"
    wanted <- setdiff(likelihood_families[[type]]$hyper, optional)
    expect_true(all(wanted %in% names(likelihood$values)))
  }
  expect_identical(lik_student(3, 0.2)$values, list(df = 3, scale = 0.2))
  expect_identical(lik_gaussian()$values, list(variance = NULL))
})

test_that("every likelihood of the core has a constructor", {
  expect_setequal(gpsieve_info(16)$likelihoods, names(likelihood_families))
})

test_that("likelihoods print as the expression that makes them", {
  expect_snapshot({
    lik_gaussian()
    lik_gaussian(1 / 3)
    lik_gaussian(fixed(0.01))
    lik_gaussian(fixed(NULL))
    lik_probit()
    lik_probit(fixed(0.5))
    lik_label_noise(0.1)
    lik_logit()
    lik_poisson()
    lik_student()
    lik_student(df = 2.5, scale = fixed(123456))
    lik_ordinal()
    lik_ordinal(c(-1, 0.5))
    lik_poisson(zero_inflation = TRUE)
    lik_negative_binomial(2, fixed(0.1))
    lik_binomial()
    lik_gamma()
    lik_lognormal(fixed(0.5))
    lik_beta(12)
    lik_censored()
    lik_censored("gaussian", 0.25)
    lik_warped()
    lik_warped(skew = fixed(0), log = TRUE)
  })
  for (likelihood in every_likelihood()) {
    expect_identical(eval(str2lang(format(likelihood))), likelihood)
  }
  expect_invisible(print(lik_logit())) |> capture.output()
})

test_that("values are checked where they are given", {
  skip_on_cran() # what R alone does is the same everywhere
  bad <- list(
    quote(lik_gaussian(variance = 0)), quote(lik_gaussian(c(1, 2))),
    quote(lik_gaussian(fixed(-1))), quote(lik_probit(noise = NULL)), quote(lik_probit("1")),
    quote(lik_label_noise(0)), quote(lik_label_noise(0.5)), quote(lik_label_noise(NULL)),
    quote(lik_ordinal(c(1, 0))), quote(lik_ordinal(numeric())), quote(lik_poisson(1)),
    quote(lik_poisson(-0.1)), quote(lik_negative_binomial(0)), quote(lik_beta(c(1, 2))),
    quote(lik_censored("weibull")), quote(lik_gamma(-1)), quote(lik_lognormal("1")),
    quote(lik_student(df = NA)), quote(lik_student(df = NULL)), quote(lik_student(scale = Inf)),
    quote(lik_warped(tail = 0)), quote(lik_warped(skew = Inf)), quote(lik_warped(log = NA))
  )
  for (expression in bad) expect_error(eval(expression), class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, {
    lik_gaussian(variance = 0)
    lik_gaussian(fixed(-1))
    lik_probit(noise = c(1, 2))
    lik_label_noise(0.5)
    lik_student(df = "four")
    lik_ordinal(c(1, 0))
    lik_poisson(zero_inflation = 1)
    lik_negative_binomial(size = 0)
    lik_censored("weibull")
    lik_student(scale = Inf)
  })
})

test_that("other things are refused as likelihoods, with a hint", {
  expect_identical(as_likelihood(lik_logit()), lik_logit())
  others <- list(lik_probit, "probit", "lik_logit()", "cauchy", binomial(), NULL, 1, sum)
  for (other in others) {
    expect_error(as_likelihood(other, "likelihood"), class = "gpsieve_error_argument")
  }
  expect_snapshot(error = TRUE, {
    as_likelihood(lik_probit, "likelihood")
    as_likelihood("probit", "likelihood")
    as_likelihood("lik_logit()", "likelihood")
    as_likelihood("cauchy", "likelihood")
    as_likelihood(1, "likelihood")
    as_likelihood(sum, "likelihood")
  })
})

test_that("likelihood and response must match", {
  y <- matrix(c(0, 3, 1))
  expect_identical(check_response_matches(lik_gaussian(), "number", y), "real")
  expect_identical(check_response_matches(lik_student(), "number", y), "real")
  expect_identical(check_response_matches(lik_poisson(), "number", y), "count")
  expect_identical(check_response_matches(lik_probit(), "binary", matrix(c(-1, 1))), "binary")
  expect_identical(check_response_matches(lik_logit(), "multiclass", diag(3)), "multiclass")

  match_for_model <- function(likelihood, kind, y) check_response_matches(likelihood, kind, y)
  expect_error(match_for_model(lik_probit(), "number", y), class = "gpsieve_error_data")
  expect_snapshot(error = TRUE, {
    match_for_model(lik_probit(), "number", y)
    match_for_model(lik_logit(), "number", matrix(c(0, 1, 1)))
    match_for_model(lik_gaussian(), "binary", matrix(c(-1, 1)))
    match_for_model(lik_student(), "multiclass", diag(3))
    match_for_model(lik_poisson(), "binary", matrix(c(-1, 1)))
    match_for_model(lik_poisson(), "number", matrix(c(0, 3, -1, 2)))
    match_for_model(lik_poisson(), "number", matrix(c(0, 1.5, -1, 2)))
    match_for_model(lik_gamma(), "number", matrix(c(0, 1.5)))
    match_for_model(lik_beta(), "number", matrix(c(0.5, 1)))
    match_for_model(lik_binomial(), "number", matrix(c(0, 1)))
    match_for_model(lik_gaussian(), "trials", matrix(1))
    match_for_model(lik_gamma(), "censored", matrix(1))
    match_for_model(lik_ordinal(), "number", matrix(1:3))
    match_for_model(lik_ordinal(), "binary", matrix(c(-1, 1)))
    match_for_model(lik_ordinal(), "multiclass", diag(3))
    match_for_model(lik_probit(), "ordinal", matrix(0:2))
  })
})

test_that("open values are chosen from the response", {
  y <- c(1, 4, 2, 8, 5)
  expect_equal(likelihood_resolve(lik_gaussian(), y)$values, list(variance = 0.1 * var(y)))
  expect_equal(
    likelihood_resolve(lik_student(), y)$values, list(df = 4, scale = sqrt(0.1) * mad(y))
  )
  expect_identical(likelihood_resolve(lik_gaussian(0.7), y), lik_gaussian(0.7))
  expect_identical(likelihood_resolve(lik_logit(), y), lik_logit())
  # no spread: a constant, a single value; no robust spread: half the values equal
  for (flat in list(rep(3, 5), 3)) {
    expect_equal(likelihood_resolve(lik_gaussian(), flat)$values$variance, 0.1)
    expect_equal(likelihood_resolve(lik_student(), flat)$values$scale, sqrt(0.1))
  }
  expect_equal(likelihood_resolve(lik_student(), c(0, 0, 0, 1))$values$scale, sqrt(0.1) * 0.5)
  kept <- likelihood_resolve(lik_gaussian(fixed(NULL)), y)
  expect_false(likelihood_free(kept))
})

test_that("hyper-parameters go to a named log-scale vector and back", {
  expect_identical(likelihood_theta(lik_gaussian(0.3)), c(likelihood.variance = log(0.3)))
  expect_identical(likelihood_theta(lik_probit()), c(likelihood.noise = 0))
  expect_identical(likelihood_theta(lik_student(3, 0.2)), c(likelihood.scale = log(0.2)))
  expect_length(likelihood_theta(lik_poisson()), 0)
  expect_equal(likelihood_theta(lik_negative_binomial(2, 0.25)),
    c(likelihood.size = log(2), likelihood.zero_inflation = qlogis(0.25)))
  expect_equal(likelihood_theta(lik_ordinal(c(-1, 0, 2))),
    c(likelihood.cuts1 = -1, likelihood.cuts2 = 0, likelihood.cuts3 = log(2)))
  for (likelihood in every_likelihood()) {
    theta <- likelihood_theta(likelihood)
    expect_identical(likelihood_set_theta(likelihood, theta), likelihood)
    moved <- likelihood_set_theta(likelihood, theta + 0.5)
    expect_equal(likelihood_theta(moved), theta + 0.5)
    expect_identical(moved[c("type", "fixed")], likelihood[c("type", "fixed")])
    expect_length(likelihood_free(likelihood), length(theta))
  }
  expect_identical(likelihood_set_theta(lik_student(3, 0.2), 0)$values, list(df = 3, scale = 1))
  expect_error(likelihood_set_theta(lik_logit(), 1), class = "gpsieve_error_object")
})

test_that("what is fixed is not free, and a probit's noise never is", {
  expect_true(likelihood_free(lik_gaussian(1)))
  expect_false(likelihood_free(lik_gaussian(fixed(1))))
  expect_false(likelihood_free(lik_probit(2)))
  expect_true(likelihood_free(lik_student(fixed(4), 1)))
  expect_false(likelihood_free(lik_student(4, fixed(1))))
  expect_identical(likelihood_free(lik_logit()), logical())
  expect_identical(likelihood_free(lik_ordinal(c(0, 1, 2))), rep(TRUE, 3))
  expect_identical(likelihood_free(lik_ordinal(fixed(c(0, 1)))), c(FALSE, FALSE))
  expect_identical(likelihood_free(lik_negative_binomial(2, fixed(0.1))), c(TRUE, FALSE))
})

test_that("the core is given numbers only", {
  expect_identical(
    likelihood_spec(lik_student(3L, fixed(0.2))),
    list(type = "student", values = list(df = 3, scale = 0.2))
  )
  expect_identical(likelihood_spec(lik_logit()), list(type = "logit", values = list()))
  expect_error(likelihood_spec(lik_gaussian()), class = "gpsieve_error_object")
  expect_snapshot(likelihood_spec(lik_gaussian()), error = TRUE)
})

test_that("counts beyond all products of numbers have quantiles at once", {
  spec <- likelihood_spec(lik_negative_binomial(size = 3240))
  quantiles <- function(mean, variance) {
    vapply(c(0.05, 0.5, 0.95), function(p) call_core(core_quantile, spec, mean, variance, p), 0)
  }
  for (mean in c(690, 705, 1000, 1e6)) {
    for (variance in c(1e-8, 10, 1e6)) {
      found <- quantiles(mean, variance)
      expect_false(anyNA(found) || is.unsorted(found), label = paste(mean, variance))
    }
  }
  expect_equal(log(quantiles(690, 10)[2L]), 690, tolerance = 1e-3)
  expect_identical(quantiles(1000, 10), rep(Inf, 3))
})
