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
  far <- core_log_density(likelihood_spec(pairs()$poisson$own), 1, -700, 2500)
  expect_equal(far, core_log_density(likelihood_spec(lik_poisson()), 1, -700, 2500),
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
  many <- rows[rep(seq_len(nrow(rows)), 4L), ]
  many$x <- many$x + seq(0, 0.1, length.out = nrow(many))
  fit <- function(...) fit_own(ivm, own, data = many, leaf_rows = 30, ...)
  expect_identical(predict(fit(cluster = local_workers(2)), new), predict(fit(), new))
})

test_that("what is unknown of a function is refused", {
  fit <- fit_own(ep_gp, pairs()$gaussian$own, inducing = 6)
  for (call in list(
    quote(predict(fit, new, se.fit = TRUE)), quote(predict(fit, new, interval = "confidence")),
    quote(residuals(fit, "deviance", rows)), quote(export_model(fit, tempfile()))
  )) {
    expect_error(eval(call), class = "gpsieve_error_unsupported")
  }
  expect_snapshot(error = TRUE, {
    predict(fit, new, se.fit = TRUE)
    residuals(fit, "deviance", rows)
  })
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
  expect_error(fit_of(gaussian_density, derivatives = function(y, f) cbind(f, NA_real_)),
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
