# Gaussian noise whose variance depends on the inputs, lik_gaussian(noise = ~ x).

growing <- function(n = 120) {
  x <- uniform_inputs(n, 1)[, 1]
  sd <- exp(-1 + 0.7 * x)
  data.frame(a = x, y = 3 + sin(2 * x) + sd * with_own_seed(10, rnorm(n)), sd = sd,
    group = factor(ifelse(x > 0, "high", "low")))
}
noisy <- lik_gaussian(noise = ~ a)
learners <- list(
  meanfield_gp = list(meanfield_gp), ivm = list(ivm), greedy_gp = list(greedy_gp),
  ep_gp = list(ep_gp, inducing = 20)
)
ask <- function(model, formula, data, ..., likelihood = noisy) {
  do.call(model[[1]], c(list(formula, data, likelihood = likelihood, seed = 1, verbose = FALSE,
    ...), model[-1]))
}

test_that("every model finds how the noise grows, and says so", {
  data <- growing()
  new <- data.frame(a = c(-1.5, 0, 1.5))
  truth <- exp(-1 + 0.7 * new$a)
  for (model in learners) {
    fit <- ask(model, y ~ a, data)
    expect_lt(max(abs(log(sigma(fit, new) / truth))), 0.35)
    expect_output(print(fit), "depends on a: standard deviation 0\\.[0-9]+ to [1-9]")
    expect_equal(sigma(fit), sigma(fit, data))
    plain <- ask(model, y ~ a, data, likelihood = NULL)
    expect_gt(evidence(fit)$value, evidence(plain)$value + 10)
    expect_equal(attr(logLik(fit), "df"), attr(logLik(plain), "df") + 1)
    # Means differ little: only the weights of the rows do.
    expect_lt(sqrt(mean((predict(fit, new) - predict(plain, new))^2)), 0.4)
  }
})

test_that("a constant is the noise that is the same everywhere, bit for bit", {
  data <- growing(40)
  for (model in learners) {
    constant <- ask(model, y ~ a, data, likelihood = lik_gaussian(noise = ~ 1))
    plain <- ask(model, y ~ a, data, likelihood = lik_gaussian())
    expect_identical(predict(constant, data, interval = "confidence"),
      predict(plain, data, interval = "confidence"))
    expect_equal(predict(constant, data, interval = "prediction"),
      predict(plain, data, interval = "prediction"))
    expect_equal(evidence(constant)$value, evidence(plain)$value)
    expect_equal(unique(sigma(constant)), sigma(plain))
  }
  # A column that does not vary says nothing either.
  data$one <- 1
  same <- ask(learners$ivm, y ~ a, data, likelihood = lik_gaussian(noise = ~ one))
  expect_equal(predict(same), predict(ask(learners$ivm, y ~ a, data, likelihood = NULL)),
    tolerance = 1e-5)
})

test_that("no step lowers the evidence of the kernel with which it was made", {
  data <- growing(60)
  molded <- mold_formula(y ~ a, data)
  z <- outer(data$a, 1:2, "^")
  kernel <- kernel_rbf(1, 0.7)
  values <- numeric()
  eta <- numeric(60)
  variance <- 0.5
  for (step in 1:6) {
    given <- given_or_default(meanfield_gp, list(kernel = kernel,
      likelihood = lik_gaussian(variance), optimise = FALSE, verbose = FALSE, seed = 1))
    fit <- meanfield_gp_of_rows(with_changing_noise(molded, eta), given)
    values <- c(values, evidence(fit)$value)
    found <- noise_regression(z, expected_squares(fit, molded), rep(1, 60))
    eta <- found$eta
    variance <- exp(-shift_of(eta, rep(1, 60)))
  }
  expect_true(all(diff(values) > -1e-8))
  expect_gt(values[6] - values[1], 5)
})

test_that("the regression maximises the expected log density", {
  z <- cbind(a = uniform_inputs(50, 1)[, 1], b = rep(0:1, 25))
  squares <- exp(1 + z %*% c(0.5, -1))[, 1] * with_own_seed(2, rgamma(50, 2, 2))
  copies <- rep(1:2, 25)
  found <- noise_regression(z, squares, copies)
  # The average is counted beside every square.
  average <- weighted.mean(squares, copies)
  counted <- (squares + share_of_average * average) / (1 + share_of_average)
  peer <- glm(counted ~ z, Gamma("log"), weights = copies, control = list(epsilon = 1e-14))
  expect_equal(unname(found$coefficients), unname(coef(peer)[-1]), tolerance = 1e-6)
  expect_equal(found$eta, unname(predict(peer)), tolerance = 1e-5)
  twice <- noise_regression(cbind(z, z), squares, copies)
  expect_equal(twice$eta, found$eta, tolerance = 1e-6)
})

test_that("the noise has the scale of the response, and the fit that of its precisions", {
  data <- growing(60)
  fit <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1)
  thousand <- meanfield_gp(y ~ a, transform(data, y = 1000 * y), likelihood = noisy, seed = 1)
  expect_equal(sigma(thousand), 1000 * sigma(fit), tolerance = 1e-3)
  expect_equal(predict(thousand), 1000 * predict(fit), tolerance = 1e-3)
  # What was learned as known noise, with the same kernel and the same scales.
  raw <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1, standardise = FALSE)
  known <- meanfield_gp(y ~ a, data, noise_sd = sigma(raw), kernel = kernel_of(raw),
    optimise = FALSE, standardise = FALSE)
  expect_equal(predict(raw, se.fit = TRUE), predict(known, se.fit = TRUE), tolerance = 1e-6)
  expect_equal(evidence(raw)$value, evidence(known)$value, tolerance = 1e-6)
})

test_that("all answers about responses use the noise of their rows", {
  data <- growing(60)
  fit <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1)
  new <- data[c(3, 9, 40), ]
  at <- predict(fit, new, type = "link", se.fit = TRUE)
  sd <- sqrt(at$se.fit^2 + sigma(fit, new)^2)
  limits <- predict(fit, new, interval = "prediction", level = 0.9)
  expect_equal(unname(limits[, "upr"]), at$fit + qnorm(0.95) * sd, tolerance = 1e-6)
  expect_equal(unname(predict(fit, new, type = "quantile")), cbind(at$fit, at$fit) +
    outer(sd, qnorm(c(0.05, 0.95))), tolerance = 1e-6)
  expect_equal(drop(predict(fit, new, type = "survival", times = 3)),
    pnorm(3, at$fit, sd, lower.tail = FALSE), tolerance = 1e-6, ignore_attr = TRUE)
  expect_equal(predict(fit, interval = "prediction"), predict(fit, data, interval = "prediction"),
    tolerance = 1e-6)
  expect_equal(residuals(fit, "pearson", newdata = new), (new$y - at$fit) / sd, tolerance = 1e-6)
  expect_equal(residuals(fit, "deviance", newdata = new), (new$y - at$fit) / sigma(fit, new),
    tolerance = 1e-6)
  expect_equal(residuals(fit, "quantile"), residuals(fit, "quantile", newdata = data),
    tolerance = 1e-6)
  expect_equal(query_score(fit, new, "bald"), log1p(at$se.fit^2 / sigma(fit, new)^2) / 2,
    tolerance = 1e-6)
  expect_equal(query_score(fit, new), log(sd * sqrt(2 * pi * exp(1))), tolerance = 1e-6)
  drawn <- as.matrix(simulate(fit, 2000, seed = 1, newdata = new))
  expect_equal(apply(drawn, 1, stats::sd), sd, tolerance = 0.1, ignore_attr = TRUE)
  expect_equal(log_predictive(fit, new, NULL), dnorm(new$y, at$fit, sd, log = TRUE),
    tolerance = 1e-6)
})

test_that("coef() has the coefficients of the noise, and whatever is made of it counts them", {
  fit <- meanfield_gp(y ~ a, growing(60), likelihood = lik_gaussian(noise = ~ a + group), seed = 1)
  noise <- likelihood_of(fit)$noise$coefficients
  found <- coef(fit)
  expect_identical(utils::tail(found, length(noise)),
    stats::setNames(noise, paste0("likelihood.noise.", names(noise))))
  table <- summary(fit)$hyperparameters
  expect_identical(rownames(table), names(found))
  expect_identical(table$learned, rep(TRUE, length(found)))
  expect_identical(attr(logLik(fit), "df"), length(found))
  expect_identical(nrow(tidy(fit)), length(found))
  again <- meanfield_gp(y ~ a, growing(60), kernel_of(fit), likelihood_of(fit), optimise = FALSE)
  expect_equal(coef(again), found)
  fit$evidence$at_bound <- 2L
  expect_identical(attr(coef(fit), "at_bound"), names(found)[2])
})

test_that("pictures draw the noise where they know its columns", {
  data <- growing(60)
  fit <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1)
  drawn <- answer_frame(fit, matrix(c(-1, 1)), 0.9)
  limits <- predict(fit, data.frame(a = c(-1, 1)), interval = "prediction", level = 0.9)
  expect_equal(as.matrix(drawn[c("fit", "lower", "upper")]), limits, ignore_attr = TRUE,
    tolerance = 1e-6)
  both <- "bands: 90% intervals of the mean (dark) and of a new value (pale)"
  expect_identical(band_words(fit, 0.9), both)
  grouped <- ivm(y ~ a, data, likelihood = lik_gaussian(noise = ~ group), seed = 1)
  expect_identical(band_words(grouped, 0.9), paste(both, "with the average noise"))
})

test_that("a row is left out together with its own noise", {
  data <- growing(50)
  fit <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1, standardise = FALSE,
    prior_mean = 3)
  without <- vapply(c(1, 20), function(row) {
    part <- meanfield_gp(y ~ a, data[-row, ], noise_sd = sigma(fit)[-row], kernel = kernel_of(fit),
      optimise = FALSE, standardise = FALSE, prior_mean = 3)
    at <- predict(part, data[row, ], type = "link", se.fit = TRUE)
    dnorm(data$y[row], at$fit, sqrt(at$se.fit^2 + sigma(fit)[row]^2), log = TRUE)
  }, 0)
  expect_equal(loo(fit)[c(1, 20)], without, tolerance = 1e-6)
  expect_equal(loo(fit, data), loo(fit), tolerance = 1e-6)
  few <- greedy_gp(y ~ a, data, likelihood = noisy, seed = 1)
  expect_equal(length(loo(few, data)), 50L)
  expect_gt(fit$held_out[["coverage95"]], 0.85)
})

test_that("weights are copies, and offsets, factors and columns that are no inputs go with it", {
  data <- growing(40)
  given <- function(data, ...) {
    meanfield_gp(y ~ a, data, kernel = kernel_rbf(1, 0.6), seed = 1, likelihood = noisy, ...)
  }
  twice <- given(data[rep(1:40, 2), ])
  weighted <- given(data, weights = rep(2, 40))
  expect_equal(predict(weighted, data), predict(twice, data), tolerance = 1e-6)
  expect_equal(sigma(weighted, data), sigma(twice, data), tolerance = 1e-6)
  expect_equal(nobs(weighted), 80)
  shifted <- given(transform(data, y = y + 5 * a), offset = 5 * data$a)
  expect_equal(sigma(shifted), sigma(given(data)), tolerance = 1e-3)
  by_group <- meanfield_gp(y ~ a, data, likelihood = lik_gaussian(noise = ~ group), seed = 1)
  expect_equal(length(unique(round(sigma(by_group), 8))), 2L)
  expect_gt(sigma(by_group, data.frame(group = "high")), sigma(by_group, data.frame(group = "low")))
  expect_true(is.na(predict(by_group, data.frame(a = 0, group = "other"),
    interval = "prediction")[, "lwr"]))
  expect_error(predict(by_group, data["a"], interval = "prediction"), class = "gpsieve_error_data")
  expect_length(predict(by_group, data["a"]), 40)
})

test_that("matrices, data frames and functions of columns name the columns too", {
  data <- growing(40)
  by_formula <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1)
  by_matrix <- meanfield_gp(as.matrix(data["a"]), data$y, likelihood = noisy, seed = 1)
  expect_equal(sigma(by_matrix), sigma(by_formula))
  expect_equal(predict(by_matrix, as.matrix(data["a"]), interval = "prediction"),
    predict(by_formula, data, interval = "prediction"))
  curved <- meanfield_gp(data["a"], data$y, likelihood = lik_gaussian(noise = ~ poly(a, 2)),
    seed = 1)
  expect_equal(sigma(curved), sigma(curved, data["a"]), tolerance = 1e-6)
  alone <- sigma(curved, data[5, "a", drop = FALSE])
  expect_equal(alone, sigma(curved)[5], tolerance = 1e-6)
  dotted <- meanfield_gp(y ~ a, data[c("a", "y")], likelihood = lik_gaussian(noise = ~ .), seed = 1)
  expect_equal(sigma(dotted), sigma(by_formula))
})

test_that("update(), cv(), saved fits and optimise = FALSE keep the noise", {
  data <- growing(50)
  fit <- meanfield_gp(y ~ a, data, likelihood = noisy, seed = 1)
  expect_equal(sigma(update(fit)), sigma(fit), tolerance = 0.05)
  kept <- meanfield_gp(y ~ a, data, kernel = kernel_of(fit), likelihood = likelihood_of(fit),
    optimise = FALSE)
  expect_equal(predict(kept, interval = "prediction"), predict(fit, interval = "prediction"),
    tolerance = 1e-6)
  expect_equal(sigma(kept), sigma(fit), tolerance = 1e-8)
  # Half of the rows have other average precisions, but the same noise.
  half <- meanfield_gp(y ~ a, data[data$a < 0, ], kernel = kernel_of(fit), standardise = FALSE,
    likelihood = likelihood_of(fit), optimise = FALSE)
  expect_equal(sigma(half) * fit$response$scale, sigma(fit)[data$a < 0], tolerance = 1e-8)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(sigma(readRDS(file), data), sigma(fit, data))
  crossed <- cv(fit, data, folds = 3, seed = 1)
  expect_true(all(is.finite(crossed$rows$log_density)))
})

test_that("gpsieve() chooses with such noise, and its call makes the same fit", {
  data <- growing(60)
  fit <- gpsieve(y ~ a, data, likelihood = noisy, seed = 1, verbose = FALSE,
    candidates = list(kernel_rbf(), kernel_linear(NULL)))
  expect_gt(sigma(fit, data.frame(a = 1.5)), 2 * sigma(fit, data.frame(a = -1.5)))
  again <- eval(choice(fit, "call"), list(data = data))
  expect_equal(predict(again, data, interval = "prediction"),
    predict(fit, data, interval = "prediction"), tolerance = 1e-6)
  expect_gt(fit$choice$held_out[["coverage95"]], 0.8)
})

test_that("what cannot have such noise says what can", {
  data <- growing(30)
  expect_snapshot(error = TRUE, {
    lik_gaussian(noise = y ~ a)
    lik_gaussian(noise = "a")
    lik_gaussian(noise = ~ (1 | a))
    lik_gaussian(fixed(0.1), noise = ~ a)
    online_gp(y ~ a, data, likelihood = noisy)
    rvm(y ~ a, data, likelihood = noisy)
    meanfield_gp(factor(y > 3) ~ a, data, likelihood = noisy)
    meanfield_gp(y ~ a, data, likelihood = noisy, noise_sd = sd)
    meanfield_gp(y ~ a, data, likelihood = noisy, optimise = FALSE)
    meanfield_gp(y ~ a, data, likelihood = lik_gaussian(noise = ~ b))
    meanfield_gp(y ~ a, data, likelihood = lik_gaussian(noise = ~ y))
    meanfield_gp(y ~ a, transform(data, b = c(NA, a[-1])), likelihood = lik_gaussian(noise = ~ b))
    ep_gp(y ~ a, rows_of_frame(data), likelihood = noisy)
    ep_gp(y ~ a, data, likelihood = noisy, control = control_ep(checkpoint = "file"))
  })
  fit <- ivm(y ~ a, data, likelihood = noisy, seed = 1)
  expect_error(export_model(fit, tempfile()), class = "gpsieve_error_unsupported")
  expect_error(what_next(fit, data, 2), class = "gpsieve_error_unsupported")
  expect_error(predict(fit, data, noise_sd = data$sd), class = "gpsieve_error_unsupported")
  expect_error(sigma(ivm(y ~ a, data, seed = 1), data), class = "gpsieve_error_unsupported")
})

test_that("such a likelihood prints as the call that makes it", {
  expect_output(print(lik_gaussian(noise = ~ splines::ns(a, 3) + b)),
    "lik_gaussian(noise = ~ splines::ns(a, 3) + b)", fixed = TRUE)
  damaged <- lik_gaussian(noise = ~ a)
  damaged$noise <- 3
  expect_error(meanfield_gp(y ~ a, growing(20), likelihood = damaged), class = "gpsieve_error")
})

test_that("what gpsieve() is given is checked before the noise is learned", {
  worked <- FALSE
  kernel <- kernel_function(function(x, z) {
    worked <<- TRUE
    exp(-outer(x[, 1L], z[, 1L], "-")^2)
  })
  choose <- function(...) {
    gpsieve(dist ~ speed, cars[1:20, ], kernel, lik_gaussian(noise = ~ speed), seed = 1, ...)
  }
  wrong <- list(
    list(time = "soon"), list(size = 0), list(threads = -1), list(candidates = "rvm"),
    list(folds = 1), list(verbose = "no")
  )
  for (given in wrong) expect_error(do.call(choose, given), class = "gpsieve_error")
  expect_false(worked)
  choose(verbose = FALSE)
  expect_true(worked)
})

test_that("the refusals name the models that take such noise", {
  even <- 'noise = "even"'
  refuses <- Filter(function(model) {
    any(grepl(even, deparse(body(get(model, asNamespace("gpsieve")))), fixed = TRUE))
  }, c(names(learners), "gpsieve"))
  expect_setequal(setdiff(c(names(learners), "gpsieve"), refuses), models_of_changing_noise)
})
