# Likelihoods that are functions of the user's agree with those of the package.

rows <- data.frame(x = seq(-2, 2, length.out = 16))
rows$real <- sin(2 * rows$x) + rep(c(0.2, -0.2, 0, 1.5), 4)
rows$count <- c(0, 1, 0, 2, 0, 1, 2, 1, 3, 2, 4, 9, 4, 2, 3, 1)
new <- data.frame(x = c(-1.5, 0.1, 2.5))

gaussian_density <- function(y, f) stats::dnorm(y, f, 0.3, log = TRUE)
gaussian_slopes <- function(y, f) cbind((y - f) / 0.09, rep(-1 / 0.09, length(f)))
gaussian_quantile <- function(p, f) stats::qnorm(p, f, 0.3)
student_density <- function(y, f) stats::dt((y - f) / 0.3, 4, log = TRUE) - log(0.3)
student_quantile <- function(p, f) f + 0.3 * stats::qt(p, 4)
poisson_density <- function(y, f) stats::dpois(y, exp(f), log = TRUE)
poisson_slopes <- function(y, f) cbind(y - exp(f), -exp(f))

pairs <- function() {
  list(
    gaussian = list(
      own = lik_function(gaussian_density, gaussian_quantile, log_concave = TRUE),
      known = lik_gaussian(fixed(0.09)), y = "real"
    ),
    student = list(
      own = lik_function(student_density, student_quantile),
      known = lik_student(fixed(4), fixed(0.3)), y = "real"
    ),
    poisson = list(
      own = lik_function(poisson_density, derivatives = poisson_slopes, counts = TRUE,
        log_concave = TRUE, simulate = function(f) stats::rpois(length(f), exp(f))),
      known = lik_poisson(), y = "count"
    )
  )
}

fit_own <- function(model, likelihood, y = "real", ..., data = rows) {
  model(stats::reformulate("x", y), data, kernel = kernel_rbf(1, 0.8), likelihood = likelihood,
    optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1, ...
  )
}

test_that("posteriors, evidences, means and quantiles are those of the same likelihood", {
  for (name in names(pairs())) {
    pair <- pairs()[[name]]
    fits <- lapply(pair[c("own", "known")], function(of) fit_own(ep_gp, of, pair$y, inducing = 6))
    expect_s3_class(validate_fit(fits$own), "gpsieve_fit")
    link <- lapply(fits, predict, new, type = "link", se.fit = TRUE)
    expect_equal(link$own, link$known, tolerance = 1e-7)
    expect_equal(evidence(fits$own)$value, evidence(fits$known)$value, tolerance = 1e-8)
    expect_equal(predict(fits$own, new), predict(fits$known, new), tolerance = 1e-6)
    q <- lapply(fits, predict, new, type = "quantile", probs = c(0.01, 0.5, 0.9))
    expect_equal(q$own, q$known, tolerance = 1e-6)
    for (type in c("response", "pearson", "quantile")) {
      expect_equal(residuals(fits$own, type, rows[1:4, ], seed = 2),
        residuals(fits$known, type, rows[1:4, ], seed = 2), tolerance = 1e-6)
    }
  }
})

test_that("every model takes it", {
  pair <- pairs()$gaussian
  own <- lik_function(gaussian_density, gaussian_quantile, derivatives = gaussian_slopes,
    log_concave = TRUE)
  for (model in list(ivm, meanfield_gp, greedy_gp, online_gp)) {
    link <- lapply(list(own = own, known = pair$known), function(likelihood) {
      predict(fit_own(model, likelihood), new, type = "link", se.fit = TRUE)
    })
    expect_equal(link$own, link$known, tolerance = 1e-5)
  }
  expect_error(rvm(real ~ x, rows, likelihood = own), class = "gpsieve_error_unsupported")
})

test_that("hyper-parameters of the kernel are learned", {
  pair <- pairs()$gaussian
  own <- lik_function(gaussian_density, gaussian_quantile, derivatives = gaussian_slopes,
    log_concave = TRUE)
  learned <- lapply(list(own, pair$known), function(likelihood) {
    meanfield_gp(real ~ x, rows, likelihood = likelihood, standardise = FALSE, prior_mean = 0)
  })
  learned_evidence <- vapply(learned, function(fit) evidence(fit)$value, 0)
  expect_equal(learned_evidence[1L], learned_evidence[2L], tolerance = 1e-3)
})

test_that("without a quantile function counts are summed and responses cannot be drawn", {
  pair <- pairs()$poisson
  fit <- fit_own(ep_gp, pair$own, "count", inducing = 6)
  draws <- simulate(fit, 200, seed = 1, newdata = new)
  expect_true(all(as.matrix(draws) == round(as.matrix(draws))))
  silent <- lik_function(poisson_density, counts = TRUE, log_concave = TRUE)
  fit <- fit_own(ep_gp, silent, "count", inducing = 6)
  expect_snapshot(error = TRUE, simulate(fit, 2, newdata = new))
})

test_that("drawn responses have the predictive mean", {
  fit <- fit_own(ep_gp, pairs()$gaussian$own, inducing = 6)
  draws <- as.matrix(simulate(fit, 4000, seed = 1, newdata = new))
  expect_equal(rowMeans(draws), unname(predict(fit, new)), tolerance = 0.1)
})

test_that("densities may vanish far away, not everywhere", {
  # dpois() gives -Inf where exp(f) underflows
  far <- log_density(pairs()$poisson$own, 1, -700, 2500)
  expect_equal(far, log_density(lik_poisson(), 1, -700, 2500),
    tolerance = 1e-6)
  never <- lik_function(function(y, f) rep(-Inf, length(f)), log_concave = TRUE)
  expect_error(fit_own(ep_gp, never, inducing = 6), class = "gpsieve_error_numerical")
})

test_that("variances that improbable responses decide are infinite", {
  cauchy <- lik_function(function(y, f) stats::dcauchy(y, f, 0.1, log = TRUE),
    function(p, f) stats::qcauchy(p, f, 0.1))
  spec <- likelihood_spec(cauchy)
  expect_identical(core_response(spec, 1, 0.2)[, 2L], Inf)
  expect_equal(core_response(spec, 1, 0.2)[, 1L], 1, tolerance = 1e-3)
  # quantiles of bounded responses, and of one without noise
  bounded <- lik_function(function(y, f) stats::dunif(y, 0, 1, log = TRUE), function(p, f) p)
  expect_equal(drop(core_quantile(likelihood_spec(bounded), 0, 1, c(0, 0.2, 1))), c(0, 0.2, 1))
  exact <- lik_function(function(y, f) ifelse(y == f, 0, -Inf), function(p, f) f)
  expect_equal(drop(core_quantile(likelihood_spec(exact), 2, 9, c(0.1, 0.5))),
    stats::qnorm(c(0.1, 0.5), 2, 3), tolerance = 1e-2)
})

test_that("fits are stored with the functions, and computed on one thread", {
  own <- pairs()$gaussian$own
  fit <- fit_own(ep_gp, own, inducing = 6, threads = 2)
  expect_identical(fit_own(ep_gp, own, inducing = 6)$posterior, fit$posterior)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), new), predict(fit, new))
  expect_output(print(fit), "lik_function")
  damaged <- fit
  damaged$likelihood$functions$quantile <- "qnorm"
  expect_error(predict(damaged, new), class = "gpsieve_error_likelihood")
})

test_that("workers of a cluster call the function", {
  skip_on_cran()
  own <- lik_function(gaussian_density, gaussian_quantile, derivatives = gaussian_slopes,
    log_concave = TRUE)
  many <- rows[rep(seq_len(nrow(rows)), 3L), ]
  many$x <- many$x + seq(0, 0.1, length.out = nrow(many))
  fit <- function(...) fit_own(ivm, own, data = many, leaf_rows = 30, ...)
  expect_identical(predict(fit(cluster = local_workers(2)), new), predict(fit(), new))
})

test_that("what is unknown of a function is refused", {
  fit <- fit_own(ep_gp, pairs()$gaussian$own, inducing = 6)
  for (call in list(quote(residuals(fit, "deviance", rows)),
    quote(export_model(fit, tempfile())))) {
    expect_error(eval(call), class = "gpsieve_error_unsupported")
  }
  expect_snapshot(error = TRUE, residuals(fit, "deviance", rows))
})

test_that("the mean response has the standard error and interval of the same likelihood", {
  for (name in names(pairs())) {
    pair <- pairs()[[name]]
    fits <- lapply(pair[c("own", "known")], function(of) fit_own(ep_gp, of, pair$y, inducing = 6))
    se <- lapply(fits, predict, new, se.fit = TRUE)
    expect_equal(se$own, se$known, tolerance = 1e-5, label = name)
    limits <- lapply(fits, predict, new[1, , drop = FALSE], interval = "confidence")
    expect_equal(limits$own, limits$known, tolerance = 2e-3, label = name)
    rows_said <- lapply(fits, augment, new[1, , drop = FALSE])
    expect_equal(rows_said$own, rows_said$known, tolerance = 1e-5, label = name)
  }
})

test_that("a mean response that decreases, or turns, has limits in their order", {
  falling <- lik_function(function(y, f) stats::dnorm(y, -f, 0.3, log = TRUE), log_concave = TRUE)
  turning <- lik_function(function(y, f) stats::dnorm(y, f^2, 0.3, log = TRUE))
  fit <- fit_own(ep_gp, falling, inducing = 6)
  rising <- fit_own(ep_gp, pairs()$gaussian$known, inducing = 6)
  expect_equal(predict(fit, new, interval = "confidence"),
    predict(rising, new, interval = "confidence"), tolerance = 2e-3)
  fit <- suppressWarnings(fit_own(ep_gp, turning, inducing = 6))
  many <- data.frame(x = seq(-2.5, 2.5, length.out = 30))
  alone <- predict(fit, many[1:3, , drop = FALSE], se.fit = TRUE)
  expect_equal(lapply(predict(fit, many, se.fit = TRUE), `[`, 1:3), alone, tolerance = 1e-6)
  limits <- predict(fit, many, interval = "confidence")
  expect_true(all(limits[, "lwr"] < limits[, "fit"] & limits[, "fit"] < limits[, "upr"]))
  expect_true(all(limits[, "lwr"] > -1e-6))
})

test_that("errors of the function say whose they are", {
  bad <- list(
    quote(lik_function()), quote(lik_function("dnorm")), quote(lik_function(function(y) y)),
    quote(lik_function(gaussian_density, function(p) p)),
    quote(lik_function(gaussian_density, simulate = 3)),
    quote(lik_function(gaussian_density, counts = NA)),
    quote(lik_function(gaussian_density, name = 1)),
    quote(lik_function(gaussian_density, scale = 1))
  )
  for (call in bad) expect_error(eval(call), class = "gpsieve_error_argument")
  fit_of <- function(fn, ...) fit_own(ep_gp, lik_function(fn, ...), inducing = 3)
  wrong <- list(
    function(y, f) stop("no such table"), function(y, f) 0 * f + NaN, function(y, f) 0 * f + Inf,
    function(y, f) "a", function(y, f) c(f, 0)
  )
  for (fn in wrong) expect_error(fit_of(fn), class = "gpsieve_error_likelihood")
  wrong_slope <- lik_function(gaussian_density, log_concave = TRUE,
    derivatives = function(y, f) cbind(f, NA_real_))
  expect_error(fit_own(meanfield_gp, wrong_slope, method = "laplace"),
    class = "gpsieve_error_likelihood")
  unknown <- function(p, f) 0 * f + NA_real_
  expect_snapshot(error = TRUE, {
    lik_function(function(y) y)
    lik_function(gaussian_density, name = 1)
    fit_of(wrong[[1]])
    fit_of(wrong[[2]])
    fit_of(wrong[[4]])
    fit_of(wrong[[5]])
    fit_of(gaussian_density, derivatives = function(y, f) cbind(f, NA_real_))
    fit_of(gaussian_density, unknown)
    fit_own(ep_gp, lik_function(poisson_density, counts = TRUE), "real")
  })
})

test_that("densities alone give the integrals of the likelihoods of the package", {
  cases <- list(
    list(own = lik_function(gaussian_density, log_concave = TRUE), known = lik_gaussian(0.09),
      y = c(-2, 0, 0.3, 50)),
    list(own = lik_function(student_density), known = lik_student(4, 0.3), y = c(-2, 0, 0.3, 50)),
    list(own = lik_function(poisson_density, counts = TRUE, log_concave = TRUE),
      known = lik_poisson(), y = c(0, 1, 3, 40))
  )
  at <- expand.grid(y = 1:4, mean = c(-3, 0, 2), variance = c(1e-9, 1e-4, 0.04, 1, 30))
  for (case in cases) {
    specs <- lapply(case[c("own", "known")], likelihood_spec)
    density <- lapply(specs, core_log_density, cbind(case$y[at$y]), at$mean, at$variance)
    expect_equal(density$own, density$known, tolerance = 1e-7)
    some <- at[at$variance %in% c(1e-4, 1) & at$mean < 2 & at$y == 1, ]
    moments <- lapply(specs, core_response, some$mean, some$variance)
    expect_equal(moments$own, moments$known, tolerance = 1e-5)
    probs <- c(0.001, 0.3, 0.5, 0.99)
    q <- lapply(specs, core_quantile, some$mean, some$variance, probs)
    expect_equal(q$own, q$known, tolerance = 1e-5)
    p <- lapply(specs, core_cdf, rep(1, nrow(some)), some$mean, some$variance)
    expect_equal(p$own, p$known, tolerance = 1e-6)
  }
  # what a response would tell, as what_next() asks
  entropy <- function(likelihood, mean, variance, information) {
    call_core(core_entropy, likelihood_spec(likelihood), mean, variance, information,
      core_settings(1L))
  }
  for (case in cases) for (information in c(FALSE, TRUE)) {
    found <- lapply(case[c("own", "known")], entropy, c(-2, 0, 1), c(0.5, 1, 1e-12), information)
    expect_equal(found$own, found$known, tolerance = 1e-5)
  }
  # the derivatives that sites are made of
  sites_of <- function(likelihood) {
    fit <- fit_own(ep_gp, likelihood, inducing = as.matrix(rows["x"]), method = "ep")
    sites(fit)
  }
  expect_equal(sites_of(cases[[2]]$own), sites_of(lik_student(fixed(4), fixed(0.3))),
    tolerance = 1e-5)
})

test_that("a density without derivatives, quantiles or concavity is fitted by every model", {
  n <- 30
  wavy <- data.frame(x = seq(0, 1, length.out = n))
  wavy$y <- sin(6 * wavy$x) + 0.3 * with_own_seed(3, stats::rt(n, 3))
  density <- function(y, f) stats::dt((y - f) / 0.3, 3, log = TRUE) - log(0.3)
  own <- lik_function(density)
  for (model in list(ivm, ep_gp, online_gp, greedy_gp, gpsieve)) {
    fit <- suppressWarnings(model(y ~ x, wavy, likelihood = own, seed = 1, verbose = FALSE))
    expect_gt(stats::cor(predict(fit, wavy, type = "link"), sin(6 * wavy$x)), 0.9)
    expect_equal(predict(fit, wavy), predict(fit, wavy, type = "link"), tolerance = 1e-2)
  }
  refused <- expect_error(meanfield_gp(y ~ x, wavy, likelihood = own),
    class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, {
    meanfield_gp(y ~ x, wavy, likelihood = own)
    rvm(y ~ x, wavy, likelihood = own)
    ivm(y ~ x, wavy, likelihood = own, control = control_ivm(blocks = learn_on_blocks()))
  })
})

test_that("the function is called for many rows at once", {
  calls <- 0
  values <- 0
  counted <- function(y, f) {
    calls <<- calls + 1
    values <<- values + length(f)
    gaussian_density(y, f)
  }
  many <- data.frame(x = seq(-2, 2, length.out = 400))
  many$real <- sin(2 * many$x)
  fit_own(ep_gp, lik_function(counted, log_concave = TRUE), data = many, inducing = 8)
  expect_gt(values / calls, 100)
  # also where responses lie so far out that the density hardly bends
  heavy <- function(y, f) {
    calls <<- calls + 1
    stats::dlogis(y, f, 0.3, log = TRUE)
  }
  many$real[seq(1, 400, by = 50)] <- c(-40, 30, 100, -9)
  calls <- 0
  fit_own(ep_gp, lik_function(heavy, log_concave = TRUE), data = many, inducing = 8)
  expect_lt(calls, 5000)
})

test_that("pictures of effects ask for no more than they draw", {
  withr::local_pdf(NULL)
  values <- 0
  counted <- function(y, f) {
    values <<- values + length(f)
    gaussian_density(y, f)
  }
  fit <- fit_own(ep_gp, lik_function(counted, log_concave = TRUE), inducing = 6)
  values <- 0
  plot(fit, "effects", newdata = rows)
  # 16 rows at 40 places, a mean and a slope: an integral over responses takes some 250 values
  expect_lt(values / (16 * 40), 250 * (21 + 4))
})

test_that("the flags of likelihoods in R are those of the core", {
  likelihoods <- list(
    lik_gaussian(0.1), lik_probit(), lik_label_noise(), lik_logit(), lik_poisson(),
    lik_poisson(zero_inflation = 0.1), lik_negative_binomial(2),
    lik_negative_binomial(2, zero_inflation = 0.1), lik_binomial(), lik_student(4, 1),
    lik_quantile(0.3, 1), lik_gamma(2), lik_lognormal(0.1), lik_beta(3),
    lik_censored("gaussian", 0.1), lik_warped(0.1, 0, 1, 0, 1),
    lik_warped(0.1, 0, 1, 0, 1, log = TRUE),
    lik_censored("lognormal", 0.1), lik_ordinal(c(0, 1)), lik_function(gaussian_density),
    lik_function(gaussian_density, log_concave = TRUE),
    lik_function(poisson_density, counts = TRUE)
  )
  types <- vapply(likelihoods, `[[`, "", "type")
  expect_setequal(types, names(likelihood_families))
  expect_setequal(types, core_likelihoods())
  for (likelihood in likelihoods) {
    expect_identical(likelihood_traits(likelihood), core_likelihood_traits(
      likelihood_spec(likelihood)), label = format(likelihood))
  }
})
