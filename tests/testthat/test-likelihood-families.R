# What R knows of each family of likelihoods, beside what the core knows.

family_examples <- list(
  gaussian = lik_gaussian(0.3), student = lik_student(5, 0.4), quantile = lik_quantile(0.8, 0.2),
  poisson = lik_poisson(0.2), negative_binomial = lik_negative_binomial(3, 0.1),
  binomial = lik_binomial(), gamma = lik_gamma(4), lognormal = lik_lognormal(0.3),
  beta = lik_beta(9), censored_gaussian = lik_censored("gaussian", 0.3),
  censored_lognormal = lik_censored("lognormal", 0.3),
  warped = lik_warped(0.3, -0.2, 0.8, 0.1, 2),
  warped_log = lik_warped(0.1, 0.2, 1.1, 0.5, 0.4, log = TRUE),
  "function" = lik_function(function(y, f) dnorm(y, f, log = TRUE),
    quantile = function(p, f) qnorm(p, f))
)
of_classes <- c("probit", "label_noise", "logit", "ordinal")

test_that("every family of numbers has an example here", {
  expect_setequal(c(names(family_examples), of_classes), names(likelihood_families))
  draws <- Filter(function(family) !is.null(family$draw), likelihood_families)
  expect_setequal(names(draws), names(family_examples))
})

test_that("responses are drawn with the mean and the variance that the core computes", {
  n <- 40000
  for (name in names(family_examples)) {
    likelihood <- family_examples[[name]]
    set.seed(1)
    y <- likelihood_families[[name]]$draw(likelihood, rep(0.4, n), 1, rep(12, n))
    spec <- likelihood_spec(likelihood)
    if (name == "binomial") spec$values$trials <- 12
    moments <- call_core(core_response, spec, 0.4, 0)
    expect_lt(abs(mean(y) - moments[1L]), 5 * sqrt(moments[2L] / n), label = name)
    expect_equal(var(y), moments[2L], tolerance = 0.1, label = name)
  }
})

test_that("deviances are 0 at the best fit and grow away from it on both sides", {
  for (name in setdiff(names(family_examples), c("function", "binomial"))) {
    likelihood <- family_examples[[name]]
    likelihood$values$zero_inflation <- NULL
    of <- function(y, f) {
      mean <- call_core(core_response, likelihood_spec(likelihood), f, 0 * f)[, 1L]
      if (likelihood_response(likelihood) == "real") mean <- f
      likelihood_families[[name]]$deviance(likelihood, y, mean, list(mean = cbind(f)))
    }
    y <- if (likelihood_response(likelihood) == "count") 3 else 0.6
    link <- switch(likelihood_families[[name]]$link, identity = identity, log = log,
      logit = qlogis, "sinh-arcsinh" = function(y) latent_responses(likelihood, y))
    responses <- if (likelihood_columns(likelihood) == 2L) matrix(y, 3L, 2L) else rep(y, 3L)
    found <- of(responses, link(y) + c(-0.5, 0, 0.5))
    expect_gt(found[1L], 0)
    expect_lt(found[3L], 0)
    if (name != "beta") expect_equal(found[2L], 0, tolerance = 1e-6, label = name)
  }
})

test_that("what is left open starts from the response, under the names that are learned", {
  y <- c(0.2, 0.5, 0.4, 0.9, 0.3)
  for (name in names(likelihood_families)) {
    family <- likelihood_families[[name]]
    if (is.null(family$start)) next
    start <- family$start(if (family$response == "ordinal") c(0, 1, 2) else y, 3)
    named <- if (grepl("^warped", name)) c("variance", "center", "scale") else family$hyper
    expect_setequal(names(start), named)
    expect_true(all(is.finite(unlist(start))), label = name)
  }
})

test_that("a family that does not say how responses are drawn is refused", {
  answers <- list(response = "real", hyper = "variance", link = "identity", exported = "none")
  expect_error(new_family(c(answers, start = identity), "foo"), "drawn")
  expect_error(new_family(answers[-4L], "foo"), "exported")
  expect_error(new_family(c(answers, begin = identity), "foo"), "no part begin")
})

test_that("print() says the noise of every family of numbers in one line", {
  for (name in names(family_examples)) {
    words <- likelihood_families[[name]]$words(family_examples[[name]], 1)
    expect_true(is.character(words) && length(words) == 1L && nzchar(words), label = name)
  }
})
