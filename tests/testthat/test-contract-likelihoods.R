# The laws of fits, for the responses that have a likelihood of their own: every one with every
# model that takes it.

kinds <- c("ordinal", "negative_binomial", "zero_inflated", "trials", "gamma", "lognormal", "beta",
  "censored_gaussian", "censored_lognormal", "warped", "warped_log")

likelihood_for <- function(kind) {
  switch(kind,
    ordinal = lik_ordinal(), negative_binomial = lik_negative_binomial(),
    zero_inflated = lik_poisson(zero_inflation = TRUE), trials = lik_binomial(),
    gamma = lik_gamma(), lognormal = lik_lognormal(), beta = lik_beta(),
    censored_gaussian = lik_censored("gaussian"), censored_lognormal = lik_censored(),
    warped = lik_warped(), warped_log = lik_warped(log = TRUE)
  )
}

# list(data, new, response): inputs a and b, the columns of the response, and its expression.
data_of <- function(kind, n = 60) {
  toy <- toy_data("regression", n)
  x <- toy$x
  f <- (toy$y - 5) / 2
  u <- with_own_seed(11, runif(n))
  if (startsWith(kind, "censored")) {
    skip_if_not_installed("survival")
    y <- if (kind == "censored_gaussian") f else exp(f)
    limit <- stats::quantile(y, 0.8)
    x$lower <- ifelse(y < stats::quantile(y, 0.1), NA, ifelse(u < 0.2, y - 0.05, y))
    x$upper <- ifelse(y < stats::quantile(y, 0.1), stats::quantile(y, 0.1),
      ifelse(u < 0.2, y + 0.05, y))
    late <- y > limit
    x$lower[late] <- limit
    x$upper[late] <- NA
    return(list(data = x, new = toy$new,
      response = quote(survival::Surv(lower, upper, type = "interval2"))))
  }
  if (kind == "trials") {
    x$yes <- stats::qbinom(u, 7, stats::plogis(f))
    x$no <- 7 - x$yes
    return(list(data = x, new = toy$new, response = quote(cbind(yes, no))))
  }
  x$y <- switch(kind,
    ordinal = cut(f, c(-Inf, -0.7, 0.7, Inf), c("low", "mid", "high"), ordered_result = TRUE),
    negative_binomial = stats::qnbinom(u, size = 2, mu = exp(1 + f)),
    zero_inflated = ifelse(u < 0.3, 0, stats::qpois(pmax(0, (u - 0.3) / 0.7), exp(1 + f))),
    gamma = stats::qgamma(u, 5, 5 * exp(-f)), warped = f, lognormal = , warped_log = exp(f),
    beta = stats::qbeta(u, 10 * stats::plogis(f), 10 * stats::plogis(-f))
  )
  list(data = x, new = toy$new, response = quote(y))
}

formula_of <- function(toy) {
  stats::as.formula(call("~", toy$response, quote(a + b)), env = globalenv())
}

models <- c("ivm", "ep_gp", "meanfield_gp", "greedy_gp", "online_gp")

models_for <- function(kind) {
  if (kind %in% c("zero_inflated", "beta")) setdiff(models, "meanfield_gp") else models
}

fit_kind <- function(kind, model, ..., settings = "cheap", toy = data_of(kind)) {
  spec <- model_specs()[[model]]
  suppressWarnings(fit_cheaply(spec, formula_of(toy), toy$data, ...,
    likelihood = likelihood_for(kind), settings = spec[[settings]]
  ))
}

# The fit with the cheap settings, made when first asked for; no test changes it.
cheap_fits <- new.env()
cheap_fit <- function(kind, model) {
  key <- paste(kind, model)
  if (is.null(cheap_fits[[key]])) cheap_fits[[key]] <- fit_kind(kind, model)
  cheap_fits[[key]]
}

# Every test but the first meets each response with some of the models, in turn, and each model with
# some of the responses: `count` of five, the next ones for the next response.
in_turn <- function(kind, model, first, count) {
  (match(kind, kinds) + match(model, models) + first) %% 5 < count
}

for (kind in kinds) for (model in models_for(kind)) {
  of <- paste0(" [", kind, ", ", model, "]")
  # online_gp() learns as ivm() does, and visits copies of a row in another order.
  learns <- model != "online_gp"
  test_that(paste0("fits of every likelihood answer what fits answer", of), {
    toy <- data_of(kind)
    fit <- cheap_fit(kind, model)
    expect_s3_class(validate_fit(fit), "gpsieve_fit")
    expect_output(print(fit))
    expect_output(print(summary(fit)))
    classes <- kind == "ordinal"
    p <- predict(fit, toy$new)
    expect_length(p, nrow(toy$new))
    if (classes) {
      expect_identical(levels(p), levels(toy$data$y))
      expect_true(is.ordered(p))
      prob <- predict(fit, toy$new, type = "prob")
      expect_close(rowSums(prob), 1, 1e-10)
      expect_identical(colnames(prob), levels(toy$data$y))
    } else {
      expect_true(all(is.finite(p)))
      band <- predict(fit, toy$new, interval = "confidence", level = 0.9)
      expect_true(all(band[, "lwr"] < band[, "upr"]))
      expect_true(all(predict(fit, toy$new, se.fit = TRUE)$se.fit > 0))
      q <- predict(fit, toy$data, type = "quantile", probs = c(0.1, 0.5, 0.9))
      expect_true(all(q[, 1L] <= q[, 2L] & q[, 2L] <= q[, 3L]))
    }
    # a row's prediction is its own, and missing values give missing ones
    holes <- toy$new
    holes$a[2L] <- NA
    again <- predict(fit, holes)
    expect_identical(again[-2L], p[-2L])
    expect_true(is.na(again[2L]))
    # saved and read again
    file <- withr::local_tempfile()
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), toy$new), p)
  })

  if (in_turn(kind, model, 3, 2)) test_that(paste0("residuals of four kinds", of), {
    toy <- data_of(kind)
    fit <- cheap_fit(kind, model)
    hidden <- startsWith(kind, "censored") & !(toy$data$lower %in% toy$data$upper)
    for (type in c("response", "pearson", "deviance", "quantile")) {
      found <- as.matrix(residuals(fit, type, toy$data, seed = 1))
      expect_identical(nrow(found), nrow(toy$data))
      known <- if (type %in% c("response", "pearson") && any(hidden)) !is.na(found[, 1L]) else TRUE
      expect_true(all(is.finite(found[known, ])))
      kept <- if (is.null(fit$kept)) found else as.matrix(residuals(fit, type, seed = 1))
      expect_equal(unname(kept), unname(found), tolerance = 1e-6)
    }
    # The quantile of a row at the probability of its residual is its response.
    if (is.numeric(toy$data$y)) {
      few <- toy$data[1:12, ]
      p <- stats::pnorm(residuals(fit, "quantile", few, seed = 1))
      at <- vapply(seq_along(p), function(i) {
        drop(predict(fit, few[i, ], type = "quantile", probs = p[i]))
      }, 0)
      expect_equal(at, few$y, tolerance = 1e-6)
    }
  })

  if (in_turn(kind, model, 0, 2)) test_that(paste0("draws have the predictive mean", of), {
    toy <- data_of(kind)
    fit <- cheap_fit(kind, model)
    drawn <- simulate(fit, 400, seed = 1, newdata = toy$data[1:4, ])
    if (kind == "ordinal") {
      p <- predict(fit, toy$data[1:4, ], type = "prob")
      share <- vapply(1:4, function(i) mean(unlist(lapply(drawn, `[`, i)) == "mid"), 0)
      expect_close(share, unname(p[, "mid"]), 0.13)
    } else {
      p <- predict(fit, toy$data[1:4, ], type = "quantile", probs = c(0.05, 0.5, 0.95))
      values <- as.matrix(drawn)
      inside <- rowMeans(values >= p[, 1L] & values <= p[, 3L])
      expect_true(all(inside > 0.8))
    }
  })

  if (learns && in_turn(kind, model, 1, 3)) test_that(paste0("hyper-parameters are learned", of), {
    fit <- fit_kind(kind, model, settings = "learning")
    expect_true(all(is.finite(coef(fit))))
    start <- cheap_fit(kind, model)
    free <- likelihood_free(likelihood_of(start))
    if (any(free)) {
      moved <- likelihood_theta(likelihood_of(fit)) != likelihood_theta(likelihood_of(start))
      expect_true(all(moved[free]))
    }
  })

  if (learns && in_turn(kind, model, 2, 3)) test_that(paste0("a weight counts as copies", of), {
    toy <- data_of(kind)
    w <- rep(c(1, 2), length.out = nrow(toy$data))
    twice <- toy$data[rep(seq_len(nrow(toy$data)), w), ]
    spec <- model_specs()[[model]]
    fit_to <- function(data, ...) {
      arguments <- list(formula_of(toy), data, kernel = kernel_rbf(1, 1), prior_mean = 0.3,
        likelihood = likelihood_of(cheap_fit(kind, model)), seed = 1, standardise = FALSE)
      if (model == "ep_gp") {
        arguments$inducing <- as.matrix(toy$data[1:12, c("a", "b")])
        arguments$method <- "ep"
      }
      settings <- spec$cheap[setdiff(names(spec$cheap), c(names(arguments), "kernel"))]
      suppressWarnings(do.call(spec$fit, c(arguments, settings, list(...))))
    }
    one <- predict(fit_to(toy$data, weights = w), toy$new, type = "link")
    two <- predict(fit_to(twice), toy$new, type = "link")
    expect_equal(one, two, tolerance = 1e-3)
  })
}

test_that("models without an equation for a response name those that have one", {
  toy <- data_of("ordinal")
  bounded <- data_of("beta")$data
  counts <- data_of("zero_inflated")$data
  expect_snapshot(error = TRUE, {
    rvm(y ~ a + b, toy$data)
    meanfield_gp(y ~ a + b, bounded, likelihood = lik_beta())
    meanfield_gp(y ~ a + b, counts, likelihood = lik_poisson(zero_inflation = TRUE))
  })
})

test_that("an ordered response uses the ordinal likelihood, two levels a probit", {
  toy <- data_of("ordinal")
  fit <- suppressWarnings(ivm(y ~ a + b, toy$data, n_active = 20, optimise = FALSE, seed = 1))
  expect_identical(likelihood_of(fit)$type, "ordinal")
  two <- transform(toy$data, y = factor(y != "low", ordered = TRUE))
  fit <- suppressWarnings(ivm(y ~ a + b, two, n_active = 20, optimise = FALSE, seed = 1))
  expect_identical(likelihood_of(fit)$type, "probit")
  # a level without a row has probability 0
  more <- toy$data
  more$y <- factor(as.character(more$y), c("none", levels(toy$data$y)), ordered = TRUE)
  fit <- suppressWarnings(ivm(y ~ a + b, more, n_active = 20, optimise = FALSE, seed = 1))
  p <- predict(fit, toy$new, type = "prob")
  expect_identical(unname(p[, "none"]), rep(0, nrow(toy$new)))
})

test_that("responses that are no pairs are refused", {
  toy <- data_of("trials")
  expect_snapshot(error = TRUE, {
    ivm(cbind(yes, -no) ~ a, toy$data)
    ivm(cbind(yes, no, no) ~ a, toy$data)
    ivm(cbind(0 * yes, 0 * no) ~ a, toy$data)
    ivm(toy$data["a"], toy$data$yes, likelihood = lik_binomial())
    ivm(cbind(yes, no) ~ a, toy$data)
  })
  fit <- fit_kind("trials", "ivm")
  expect_snapshot(error = TRUE, {
    predict(fit, toy$new, interval = "prediction")
    predict(fit, toy$new, type = "survival", times = 1)
    predict(fit, toy$new, times = 1)
  })
})

test_that("trials and single trials have the same posterior", {
  toy <- data_of("trials", 30)
  rows <- rep(seq_len(30), each = 7)
  single <- toy$data[rows, ]
  single$y <- factor(unlist(lapply(toy$data$yes, function(k) rep(c("yes", "no"), c(k, 7 - k)))))
  kernel <- kernel_rbf(1, c(1, 1))
  # Standardised by hand: the mean and the deviation of repeated rows are others.
  link <- function(formula, data, likelihood) {
    fit <- meanfield_gp(formula, data, kernel, likelihood, method = "laplace", optimise = FALSE,
      prior_mean = 0, standardise = FALSE)
    predict(fit, toy$new, type = "link")
  }
  expect_equal(link(cbind(yes, no) ~ a + b, toy$data, lik_binomial()),
    link(y ~ a + b, single, lik_logit()), tolerance = 1e-5)
})

test_that("numbers that are all known are not censored", {
  skip_if_not_installed("survival")
  toy <- data_of("lognormal")
  time <- transform(toy$data, event = 1)
  one <- ivm(survival::Surv(y, event) ~ a + b, time, optimise = FALSE, seed = 1)
  two <- ivm(y ~ a + b, time, likelihood = lik_lognormal(), optimise = FALSE, seed = 1)
  # The sites of censored times settle, those of known ones are exact.
  expect_equal(predict(one, toy$new), predict(two, toy$new), tolerance = 1e-8)
  expect_equal(evidence(one)$value, evidence(two)$value, tolerance = 1e-8)
})

test_that("an online fit absorbs later rows of every response", {
  for (kind in c("ordinal", "trials", "gamma", "censored_gaussian")) {
    toy <- data_of(kind, 80)
    first <- toy$data[1:50, ]
    fit <- suppressWarnings(online_gp(formula_of(toy), first, likelihood = likelihood_for(kind),
      budget = 20, optimise = FALSE, seed = 1))
    more <- update(fit, data = toy$data[51:80, ])
    expect_equal(nobs(more), 80)
    expect_false(identical(predict(more, toy$new, type = "link"),
      predict(fit, toy$new, type = "link")))
  }
  missing <- transform(data_of("ordinal", 80)$data[1:50, ])
  missing <- missing[missing$y != "high", ]
  missing$y <- factor(as.character(missing$y), c("low", "mid"), ordered = TRUE)
  expect_identical(likelihood_of(suppressWarnings(
    online_gp(y ~ a, missing, budget = 5, optimise = FALSE, seed = 1)
  ))$type, "probit")
})

test_that("gpsieve() chooses for every response", {
  for (kind in c("ordinal", "trials", "censored_lognormal")) {
    toy <- data_of(kind, 40)
    likelihood <- if (kind == "trials") lik_binomial()
    fit <- suppressWarnings(suppressMessages(gpsieve(formula_of(toy), toy$data,
      likelihood = likelihood, seed = 1,
      verbose = FALSE, time = 2, control = control_gpsieve(folds = 2))))
    expect_identical(likelihood_of(fit)$type, likelihood_for(kind)$type)
    expect_output(print(fit))
    expect_length(predict(fit, toy$new), nrow(toy$new))
  }
})

test_that("ordered classes and censored numbers are drawn", {
  withr::local_pdf(NULL)
  for (kind in c("ordinal", "censored_lognormal", "trials", "beta")) {
    toy <- data_of(kind)
    fit <- fit_kind(kind, "ivm")
    expect_no_error(plot(fit))
    expect_no_error(plot(fit, which = "residuals"))
  }
})

test_that("survival is one minus the distribution function", {
  fit <- fit_kind("censored_lognormal", "meanfield_gp")
  toy <- data_of("censored_lognormal")
  median <- predict(fit, toy$new, type = "quantile", probs = 0.5)
  at <- predict(fit, toy$new, type = "survival", times = c(0.5, median[1L]))
  expect_identical(dim(at), c(nrow(toy$new), 2L))
  expect_close(at[1L, 2L], 0.5, 1e-8)
  expect_true(all(at[, 1L] > 0 & at[, 1L] < 1))
})
