# Every kind of response with everything that one calls with a fit: it answers, or it refuses by an
# error of the package under the user's own call.

verb_kinds <- c("real", "classes", "binary", "counts", "own", "ordinal", "trials", "gamma",
  "lognormal", "beta", "censored_gaussian", "censored_lognormal", "warped", "warped_log")

# list(data, new, formula, likelihood): inputs a and b
response_of_kind <- function(kind, n = 40) {
  toy <- toy_data("regression", n)
  x <- toy$x
  f <- (toy$y - 5) / 2
  u <- with_own_seed(11, stats::runif(n))
  if (startsWith(kind, "censored")) {
    skip_if_not_installed("survival")
    y <- if (kind == "censored_gaussian") f else exp(f)
    x$lower <- y
    x$upper <- ifelse(u < 0.2, y + 0.05, ifelse(u > 0.8, NA, y))
    x$lower[u > 0.9] <- NA
    x$upper[u > 0.9] <- y[u > 0.9]
    formula <- survival::Surv(lower, upper, type = "interval2") ~ a + b
  } else if (kind == "trials") {
    x$yes <- stats::qbinom(u, 7, stats::plogis(f))
    x$no <- 7 - x$yes
    formula <- cbind(yes, no) ~ a + b
  } else {
    x$y <- switch(kind,
      real = , own = , warped = f, binary = factor(f > 0), counts = stats::qpois(u, exp(f)),
      classes = factor(findInterval(f, c(-0.7, 0.7))),
      ordinal = cut(f, c(-Inf, -0.7, 0.7, Inf), c("low", "mid", "high"), ordered_result = TRUE),
      gamma = stats::qgamma(u, 5, 5 * exp(-f)), lognormal = , warped_log = exp(f),
      beta = stats::qbeta(u, 10 * stats::plogis(f), 10 * stats::plogis(-f))
    )
    formula <- y ~ a + b
  }
  likelihood <- switch(kind,
    counts = lik_poisson(), trials = lik_binomial(), gamma = lik_gamma(),
    lognormal = lik_lognormal(), warped = lik_warped(), warped_log = lik_warped(log = TRUE),
    beta = lik_beta(), censored_gaussian = lik_censored("gaussian"),
    own = lik_function(function(y, f) stats::dlogis(y, f, 0.3, log = TRUE), log_concave = TRUE)
  )
  environment(formula) <- globalenv()
  list(data = x, new = toy$new, formula = formula, likelihood = likelihood)
}

fit_to_kind <- function(kind, model, of = response_of_kind(kind), formula = of$formula) {
  spec <- model_specs()[[model]]
  suppressWarnings(suppressMessages(
    fit_cheaply(spec, formula, of$data, likelihood = of$likelihood)
  ))
}

# What one calls: f(fit, data, new), and by that name in messages.
verbs <- list(
  print = function(fit, data, new) utils::capture.output(print(fit)),
  summary = function(fit, data, new) utils::capture.output(print(summary(fit))),
  plot = function(fit, data, new) {
    plot(fit)
    plot(fit, newdata = data)
  },
  effects = function(fit, data, new) plot(fit, "effects", newdata = data),
  relevance = function(fit, data, new) plot(fit, "relevance", newdata = data),
  residual_plot = function(fit, data, new) {
    plot(fit, "residuals")
    plot(fit, "residuals", newdata = data)
    if (requireNamespace("ggplot2", quietly = TRUE)) print(ggplot2::autoplot(fit, "residuals"))
  },
  calibration = function(fit, data, new) plot(fit, "calibration", newdata = data),
  trace = function(fit, data, new) plot(fit, "trace"),
  autoplot = function(fit, data, new) {
    skip_if_not_installed("ggplot2")
    for (which in list(NULL, "effects", "relevance")) {
      print(ggplot2::autoplot(fit, which, newdata = data))
    }
  },
  augment = function(fit, data, new) {
    expect_identical(nrow(augment(fit)), nrow(data))
    expect_identical(nrow(augment(fit, new)), nrow(new))
    expect_identical(nrow(augment(fit, data = data)), nrow(data))
  },
  augment_interval = function(fit, data, new) augment(fit, interval = "confidence"),
  augment_prediction = function(fit, data, new) augment(fit, data = data, interval = "prediction"),
  residuals = function(fit, data, new) {
    for (type in c("response", "pearson", "quantile", "deviance")) residuals(fit, type, seed = 1)
  },
  fitted = function(fit, data, new) expect_identical(NROW(fitted(fit)), nrow(data)),
  predict = function(fit, data, new) expect_length(predict(fit, new), nrow(new)),
  se = function(fit, data, new) predict(fit, new, se.fit = TRUE),
  prob = function(fit, data, new) predict(fit, new, type = "prob"),
  link = function(fit, data, new) predict(fit, new, type = "link", se.fit = TRUE),
  covariance = function(fit, data, new) predict(fit, new, type = "link", cov = TRUE),
  quantile = function(fit, data, new) predict(fit, data, type = "quantile"),
  survival = function(fit, data, new) predict(fit, data, type = "survival", times = 1),
  confidence = function(fit, data, new) predict(fit, data, interval = "confidence"),
  prediction = function(fit, data, new) predict(fit, interval = "prediction"),
  tidy = function(fit, data, new) tidy(fit),
  glance = function(fit, data, new) glance(fit),
  cv = function(fit, data, new) {
    one <- cv(fit, data, folds = 2, seed = 1)
    utils::capture.output(print(one))
    compare(one, one)
  },
  compare = function(fit, data, new) compare(fit, fit),
  anova = function(fit, data, new) anova(fit, fit, newdata = data),
  update = function(fit, data, new) update(fit, data = data[1:30, ]),
  update_subset = function(fit, data, new) update(fit, data = data, subset = a > -1),
  update_formula = function(fit, data, new) update(fit, . ~ . - b, data = data),
  simulate = function(fit, data, new) simulate(fit, 2, seed = 1, newdata = data),
  draws = function(fit, data, new) posterior_draws(fit, new, 2, seed = 1),
  loo = function(fit, data, new) loo(fit, data),
  sigma = function(fit, data, new) sigma(fit),
  what_next = function(fit, data, new) what_next(fit, data, 2, "learn"),
  query = function(fit, data, new) query_score(fit, data),
  export = function(fit, data, new) export_model(fit, withr::local_tempfile(fileext = ".json")),
  evidence = function(fit, data, new) evidence(fit, gradient = TRUE),
  AIC = function(fit, data, new) AIC(fit),
  logLik = function(fit, data, new) logLik(fit),
  coef = function(fit, data, new) coef(fit),
  active_set = function(fit, data, new) active_set(fit),
  sites = function(fit, data, new) sites(fit),
  terms = function(fit, data, new) {
    expect_identical(attr(terms(fit), "term.labels"), attr(terms(y ~ a + b), "term.labels"))
  },
  weights = function(fit, data, new) expect_null(weights(fit)),
  model.frame = function(fit, data, new) model.frame(fit),
  model.matrix = function(fit, data, new) model.matrix(fit),
  deviance = function(fit, data, new) deviance(fit),
  df.residual = function(fit, data, new) df.residual(fit),
  vcov = function(fit, data, new) vcov(fit),
  confint = function(fit, data, new) confint(fit)
)

# Verbs that no response may be refused by.
always <- c("print", "summary", "plot", "effects", "relevance", "trace", "autoplot", "augment",
  "fitted", "predict", "link", "tidy", "glance", "cv", "anova", "update", "logLik", "coef", "terms",
  "weights", "draws", "update_subset", "update_formula")
never <- c("model.frame", "model.matrix", "deviance", "df.residual", "vcov", "confint")

answers_or_refuses <- function(name, fit, of) {
  answer <- rlang::try_fetch(
    {
      suppressMessages(withCallingHandlers(verbs[[name]](fit, of$data, of$new),
        gpsieve_warning = function(w) rlang::cnd_muffle(w)))
      "answered"
    },
    gpsieve_error_object = function(e) paste("damaged:", conditionMessage(e)),
    gpsieve_error_internal = function(e) paste("stopped:", conditionMessage(e)),
    gpsieve_error = function(e) "refused",
    error = function(e) paste("not ours:", conditionMessage(e))
  )
  allowed <-
    if (name %in% always) "answered" else if (name %in% never) "refused"
    else c("answered", "refused")
  expect_true(answer %in% allowed, label = paste0(name, "() ", answer))
}

extended <- identical(Sys.getenv("GPSIEVE_EXTENDED"), "true")

# Verbs that fit again or draw many panels: for a few kinds unless all tests are asked for.
slow_verbs <- c("autoplot", "effects", "relevance", "residual_plot", "calibration", "cv",
  "update", "update_subset", "update_formula", "what_next", "query")
verbs_of_kind <- function(kind) {
  if (extended || kind %in% c("trials", "censored_gaussian")) return(names(verbs))
  setdiff(names(verbs), slow_verbs)
}

for (kind in if (extended) verb_kinds else setdiff(verb_kinds, c("own", "censored_lognormal"))) {
  test_that(paste0("every verb answers or refuses by an error of the package [", kind, "]"), {
    withr::local_pdf(NULL)
    of <- response_of_kind(kind)
    fit <- fit_to_kind(kind, "ivm", of)
    for (name in verbs_of_kind(kind)) answers_or_refuses(name, fit, of)
    # pictures of one input have points, bands and captions of their own
    one <- fit_to_kind(kind, "ivm", of, stats::update(of$formula, . ~ a))
    for (name in intersect(c("plot", "autoplot", "effects"), verbs_of_kind(kind))) {
      answers_or_refuses(name, one, of)
    }
  })
}

test_that("every model answers every verb for a response of two numbers", {
  skip_if_not(extended, "GPSIEVE_EXTENDED is not true")
  withr::local_pdf(NULL)
  for (kind in c("trials", "censored_lognormal")) {
    of <- response_of_kind(kind)
    for (model in setdiff(names(model_specs()), c("ivm", "rvm"))) {
      fit <- fit_to_kind(kind, model, of)
      for (name in setdiff(names(verbs), c("autoplot", "cv"))) {
        # online fits absorb rows, without further arguments
        if (model == "online_gp" && name == "update_subset") next
        answers_or_refuses(name, fit, of)
      }
    }
  }
})

test_that("the response of two numbers is drawn and listed as what is known of it", {
  of <- response_of_kind("trials")
  fit <- fit_to_kind("trials", "ivm", of)
  listed <- augment(fit)[[1]]
  expect_equal(unname(unclass(listed)), unname(as.matrix(of$data[c("yes", "no")])),
    ignore_attr = TRUE)
  points <- drawn_points(fit, of$data, NULL)
  expect_equal(points$y, of$data$yes / 7)
  expect_null(points$open)
  one <- fit_to_kind("trials", "ivm", of, cbind(yes, no) ~ a)
  band <- line_frame(one, NULL, 0.9, 20)
  expect_true(all(band$low < band$fit & band$fit < band$high))
  expect_true(all(band$low > 0 & band$high < 1))
  expect_true(all(is.na(band$lower) & is.na(band$upper)))
  expect_identical(band_words(one, 0.9), "band: 90% interval of the share")
  expect_identical(answer_words(one), "share of successes")
  expect_error(plot(one, interval = "prediction"), class = "gpsieve_error_unsupported")
  folds <- cv(fit, of$data, 2, seed = 1)
  expect_equal(folds$measures$estimate[2], sqrt(mean((folds$rows$.pred - of$data$yes / 7)^2)))
  of <- response_of_kind("censored_gaussian")
  fit <- fit_to_kind("censored_gaussian", "ivm", of)
  points <- drawn_points(fit, of$data, NULL)
  known <- with(of$data, !is.na(lower) & !is.na(upper) & lower == upper)
  expect_identical(points$open, !known)
  expect_equal(points$y[!points$open], of$data$lower[!points$open])
  one <- fit_to_kind("censored_gaussian", "ivm", of, stats::update(of$formula, . ~ a))
  data <- curve_data(one, drawn_points(one, of$data, NULL))
  expect_identical(point_signs(data) == 1, !known)
  asked <- list(level = 0.9, interval = "both")
  expect_match(curve_caption(one, line_frame(one, NULL, 0.9, 20), data, asked),
    "open points: censored")
  expect_identical(cv(fit, of$data, 2, seed = 1)$measures$measure, "log density")
})

test_that("training rows that a fit has whole are drawn as the same rows of newdata are", {
  for (kind in setdiff(verb_kinds, "beta")) {
    of <- response_of_kind(kind)
    if (!takes_mean_field(of$likelihood)) next
    fit <- fit_to_kind(kind, "meanfield_gp", of, stats::update(of$formula, . ~ a))
    expect_false(is.null(drawn_points(fit, NULL, NULL)))
    own <- drawn_points(fit, NULL, NULL)
    given <- drawn_points(fit, of$data, NULL)
    expect_equal(own, given, ignore_attr = TRUE, label = kind)
  }
})

test_that("terms() resolves the dot, weights() are the case weights", {
  fit <- ivm(mpg ~ ., mtcars, seed = 1, optimise = FALSE)
  expect_identical(attr(terms(fit), "term.labels"), names(mtcars)[-1])
  w <- rep(1:2, 16)
  fit <- meanfield_gp(mpg ~ wt, mtcars, weights = w, optimise = FALSE)
  expect_equal(unname(weights(fit)), w)
  expect_error(weights(ivm(mpg ~ wt, mtcars, weights = w, seed = 1, optimise = FALSE)),
    class = "gpsieve_error_unsupported")
  expect_error(terms(ivm(mtcars["wt"], mtcars$mpg, seed = 1, optimise = FALSE)),
    class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, {
    model.frame(fit)
    deviance(fit)
    df.residual(fit)
    vcov(fit)
    confint(fit)
  })
})

# All numbers and texts in a list, but those below the elements named in `but`.
values_within <- function(x, but = NULL) {
  if (is.list(x)) return(unlist(lapply(unclass(x)[setdiff(names(x), but)], values_within)))
  if (is.atomic(x)) as.character(x)
}

test_that("axe_data() leaves nothing of single training rows but the basis", {
  toy <- toy_data("regression")
  rows <- rownames(toy$data) <- paste0("row", seq_len(nrow(toy$data)))
  holes <- toy$data
  holes$a[3] <- NA
  every_model(function(spec) {
    fit <- suppressMessages(fit_cheaply(spec, y ~ a + b, holes))
    whole <- values_within(fit, c("basis", "posteriors"))
    lean <- axe_data.gpsieve_fit(fit)
    expect_s3_class(validate_fit(lean), "gpsieve_fit")
    expect_identical(predict(lean, toy$new, se.fit = TRUE), predict(fit, toy$new, se.fit = TRUE))
    expect_output(print(lean))
    expect_equal(nobs(lean), nobs(fit))
    found <- values_within(lean, c("basis", "posteriors"))
    expect_true(any(as.character(toy$y) %in% whole) && any(rows %in% whole))
    expect_false(any(as.character(toy$y) %in% found))
    expect_false(any(rows %in% found))
    expect_null(lean$loo)
    expect_error(fitted(lean), class = "gpsieve_error_argument")
    # the reply has no vector as long as the data, unless every row is a basis point
    if (nrow(lean$basis) < 59) {
      lengths <- rapply(unclass(lean)[setdiff(names(lean), c("basis", "posteriors"))], length,
        how = "unlist")
      expect_false(any(lengths == 59))
    }
  })
  # rows that a stream has kept to learn from
  fit <- online_gp(y ~ a + b, toy$data, budget = 10, seed = 1,
    control = control_online(learn_every = 20, learn_rows = 20))
  expect_true(length(fit$state$recent$y) > 0)
  expect_null(axe_data.gpsieve_fit(fit)$state$recent)
})
