# Offsets: numbers that are added to the latent function, in training and for new rows.

offset_data <- function(task, n = 40) {
  x <- as.data.frame(uniform_inputs(n, 2, 11))
  f <- sin(1.5 * x$a) + 0.5 * x$b
  t <- with_own_seed(12, exp(runif(n, -1, 3)))
  data <- cbind(x, t = t)
  data$y <- switch(task,
    real = f + log(t) + with_own_seed(13, rnorm(n, sd = 0.2)),
    count = with_own_seed(14, rpois(n, t * exp(f))),
    binary = factor(f + log(t) - 1 + with_own_seed(15, rnorm(n)) > 0)
  )
  data
}

offset_models <- list(
  ivm = list(n_active = 12), meanfield_gp = list(),
  greedy_gp = list(n_basis = 12, candidates = Inf),
  ep_gp = list(inducing = 10, method = "ep"), online_gp = list(sweeps = 3), rvm = list()
)

fit_with_offset <- function(model, formula, data, ..., optimise = FALSE) {
  suppressWarnings(do.call(model, c(
    list(formula, data, optimise = optimise, seed = 1, verbose = FALSE, ...), offset_models[[model]]
  )))
}

test_that("with Gaussian noise an offset is the same as subtracting it from the response", {
  data <- offset_data("real")
  new <- offset_data("real", 9)
  data$left <- data$y - log(data$t)
  for (model in names(offset_models)) {
    fit <- fit_with_offset(model, y ~ a + b + offset(log(t)), data)
    plain <- fit_with_offset(model, left ~ a + b, data)
    expect_close(predict(fit, new), predict(plain, new) + log(new$t), 1e-12) |> with_label(model)
    expect_identical(
      predict(fit, new, type = "link", se.fit = TRUE)$se.fit,
      predict(plain, new, type = "link", se.fit = TRUE)$se.fit
    )
    expect_close(evidence(fit)$value, evidence(plain)$value, 1e-12)
    expect_close(residuals(fit, "pearson", data), residuals(plain, "pearson", data), 1e-9)
    expect_close(predict(fit, new, interval = "prediction")[, "upr"],
      predict(plain, new, interval = "prediction")[, "upr"] + log(new$t), 1e-9)
  }
})

test_that("an equal offset of all rows is a prior mean, whatever the likelihood", {
  for (task in c("count", "binary")) {
    data <- offset_data(task)
    data$o <- 0.7
    likelihood <- if (task == "count") lik_poisson() else lik_probit()
    for (model in setdiff(names(offset_models), if (task == "count") "rvm")) {
      with_offset <- fit_with_offset(model, y ~ a + b + offset(o), data,
        likelihood = likelihood, prior_mean = 0.1)
      plain <- fit_with_offset(model, y ~ a + b, data, likelihood = likelihood, prior_mean = 0.8)
      new <- data[1:5, ]
      expect_close(
        predict(with_offset, new, type = "link"), predict(plain, new, type = "link"), 1e-9
      ) |> with_label(paste(model, task))
      expect_close(evidence(with_offset)$value, evidence(plain)$value, 1e-9, "mixed")
    }
  }
})

test_that("counts with a log exposure learn a rate", {
  data <- offset_data("count", 60)
  for (model in setdiff(names(offset_models), "rvm")) {
    fit <- fit_with_offset(model, y ~ a + b + offset(log(t)), data, likelihood = lik_poisson())
    one <- transform(data[1:6, ], t = 1)
    ten <- transform(one, t = 10)
    expect_close(predict(fit, ten), 10 * predict(fit, one), 1e-9, "each") |> with_label(model)
    expect_close(predict(fit, ten, type = "link"), predict(fit, one, type = "link") + log(10), 1e-9)
    # The mean rate does not depend on the unit of exposure.
    scaled <- transform(data, t = 1000 * t)
    other <- fit_with_offset(model, y ~ a + b + offset(log(t)), scaled, likelihood = lik_poisson())
    expect_close(predict(other, transform(one, t = 1000)), predict(fit, one), 1e-6, "each")
  }
  # Twice the exposure and a row in two halves say about the same.
  fit <- meanfield_gp(y ~ a + b + offset(log(t)), data, likelihood = lik_poisson())
  expect_gt(cor(predict(fit, data), data$y), 0.9)
  expect_true(all(is.finite(loo(fit))))
  expect_true(all(is.finite(residuals(fit, "quantile", data, seed = 1))))
  draws <- simulate(fit, 200, seed = 1, newdata = transform(data[1:3, ], t = 10))
  few <- simulate(fit, 200, seed = 1, newdata = transform(data[1:3, ], t = 1))
  expect_gt(mean(unlist(draws)), 5 * mean(unlist(few)))
})

test_that("an offset that came as numbers is asked for again", {
  data <- offset_data("count")
  x <- as.matrix(data[c("a", "b")])
  by_formula <- ivm(y ~ a + b + offset(log(t)), data, likelihood = lik_poisson(), seed = 1)
  by_numbers <- ivm(x, data$y, likelihood = lik_poisson(), offset = log(data$t), seed = 1)
  new <- data[1:6, ]
  expect_identical(predict(by_numbers, new, offset = log(new$t)), predict(by_formula, new))
  by_argument <- ivm(y ~ a + b, data, likelihood = lik_poisson(), offset = log(t), seed = 1)
  expect_identical(predict(by_argument, new), predict(by_formula, new))
  later <- online_gp(x[1:30, ], data$y[1:30], likelihood = lik_poisson(), optimise = FALSE,
    offset = log(data$t)[1:30], shuffle = FALSE, standardise = FALSE, novelty = 0)
  later <- update(later, x[31:40, ], data$y[31:40], offset = log(data$t)[31:40])
  at_once <- online_gp(x, data$y, likelihood = lik_poisson(), optimise = FALSE,
    offset = log(data$t), shuffle = FALSE, standardise = FALSE, novelty = 0)
  # The kernel's lengthscale is open, and follows from the rows of the first call.
  expect_length(predict(later, x, offset = log(data$t)), 40)
  expect_identical(later$n, at_once$n)
  expect_snapshot(error = TRUE, {
    predict(by_numbers, new)
    predict(by_numbers, new, offset = 1:2)
    predict(by_formula, new, offset = log(new$t))
    predict(by_formula, new[c("a", "b")])
    predict(ivm(y ~ a + b, data, likelihood = lik_poisson()), new, offset = log(new$t))
    ivm(x, data$y, offset = replace(data$t, 3, Inf))
    ivm(Species ~ Sepal.Width + offset(Sepal.Length), iris)
  })
})

test_that("offsets work with weights, folds and comparisons", {
  data <- offset_data("count", 50)
  formula <- y ~ a + b + offset(log(t))
  fit <- meanfield_gp(formula, data, likelihood = lik_poisson(), optimise = FALSE)
  folds <- cv(fit, data, 5, seed = 1)
  without <- meanfield_gp(y ~ a + b, data, likelihood = lik_poisson(), optimise = FALSE)
  expect_gt(folds$measures$estimate[1], cv(without, data, 5, seed = 1)$measures$estimate[1])
  expect_identical(compare(fit, without)$model[1], "fit")
  data$w <- rep(1:2, 25)
  weighted <- meanfield_gp(formula, data, likelihood = lik_poisson(), weights = w, optimise = FALSE,
    kernel = kernel_rbf(1, 1))
  copied <- meanfield_gp(formula, data[rep(1:50, data$w), ], likelihood = lik_poisson(),
    optimise = FALSE, kernel = kernel_rbf(1, 1))
  expect_close(predict(weighted, data), predict(copied, data), 1e-8, "each")
})

test_that("what an offset explains is no merit of the choice of gpsieve()", {
  data <- with_own_seed(1, data.frame(x = runif(60, 0, 6), o = 20 * rnorm(60)))
  data$y <- data$o + with_own_seed(2, rnorm(60))
  said <- function(formula) {
    fit <- NULL
    expect_warning(fit <- gpsieve(formula, data, seed = 1, verbose = FALSE),
      class = "gpsieve_warning_no_signal"
    )
    fit$choice$held_out
  }
  with_offset <- said(y ~ x + offset(o))
  expect_lt(with_offset[["r2"]], 0.2)
  expect_equal(with_offset, said(I(y - o) ~ x), tolerance = 1e-8)
})

test_that("what a fit by conjugate gradients keeps of its rows has the offset once", {
  set.seed(2)
  data <- data.frame(a = rnorm(60), o = rnorm(60))
  data$count <- rpois(60, exp(sin(2 * data$a) + data$o))
  data$class <- factor(data$count > 1)
  data$number <- data$count + data$o
  cases <- list(
    list("count", lik_poisson()), list("class", lik_logit()), list("number", lik_gaussian(0.5))
  )
  for (case in cases) {
    fit <- meanfield_gp(stats::as.formula(paste(case[[1L]], "~ a + offset(o)")), data, kernel_rbf(),
      case[[2L]],
      optimise = FALSE, seed = 1, control = control_meanfield(solver = "iterative")
    )
    expect_equal(predict(fit), predict(fit, data), tolerance = 1e-8)
    expect_equal(predict(fit, type = "link", se.fit = TRUE),
      predict(fit, data, type = "link", se.fit = TRUE),
      tolerance = 1e-6
    )
  }
})

test_that("counts whose exposure hardly varies are rates all the same", {
  data <- with_own_seed(16, {
    x <- runif(60)
    held <- round(runif(60, 900, 1100))
    data.frame(x, held, claims = rpois(60, 0.08 * held * exp(x)))
  })
  fit <- suppressWarnings(gpsieve(claims ~ x + offset(log(held)), data, seed = 1,
    control = control_gpsieve(folds = 3)))
  expect_identical(likelihood_response(fit$likelihood), "count")
  one <- transform(data[1:3, ], held = 1000)
  expect_equal(predict(fit, transform(one, held = 2000)), 2 * predict(fit, one))
})
