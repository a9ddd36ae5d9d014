# Fitted values, residuals and what refuses to be one.

law("residuals are the response minus its mean, in three scalings", through = "formula",
  on = "regression", function(fit, toy, spec, task) {
    mean <- predict(fit, toy$data)
    expect_identical(fitted(fit, toy$data), mean)
    expect_equal(residuals(fit, newdata = toy$data), toy$y - mean, tolerance = 1e-12)
    sd <- sqrt(predict(fit, toy$data, se.fit = TRUE)$se.fit^2 + sigma(fit)^2)
    for (type in c("pearson", "quantile")) {
      expect_equal(residuals(fit, type, toy$data), (toy$y - mean) / sd, tolerance = 1e-10)
    }
    expect_equal(residuals(fit, "deviance", toy$data), (toy$y - mean) / sigma(fit),
      tolerance = 1e-10
    )
  }
)

law("residuals of two classes count the second one as 1", on = "binary", through = "formula",
  function(fit, toy, spec, task) {
    p <- fitted(fit, toy$data)
    expect_identical(p, predict(fit, toy$data, type = "prob")[, "yes"])
    happened <- as.numeric(toy$y == "yes")
    expect_equal(residuals(fit, newdata = toy$data), happened - p, tolerance = 1e-12)
    expect_equal(residuals(fit, "pearson", toy$data), (happened - p) / sqrt(p * (1 - p)),
      tolerance = 1e-10
    )
    loss <- -2 * (happened * log(p) + (1 - happened) * log1p(-p))
    expect_equal(residuals(fit, "deviance", toy$data)^2, loss, tolerance = 1e-10)
    quantile <- residuals(fit, "quantile", toy$data, seed = 1)
    expect_true(all(ifelse(happened == 1, quantile >= qnorm(1 - p), quantile <= qnorm(1 - p))))
  }
)

test_that("several classes have a residual each", {
  toy <- toy_data("multiclass")
  fit <- shared_fit("ivm", "multiclass")
  found <- residuals(fit, newdata = toy$data)
  expect_identical(colnames(found), levels(toy$y))
  expect_lt(max(abs(rowSums(found))), 1e-12)
  expect_true(all(residuals(fit, "deviance", toy$data) >= 0))
  expect_error(residuals(fit, "quantile", toy$data), class = "gpsieve_error_unsupported")
})

test_that("quantile residuals of the model's own responses are standard normal", {
  x <- uniform_inputs(400, 1)
  fits <- list(
    meanfield_gp(x, with_own_seed(2, rpois(400, exp(1 + x[, 1]))), likelihood = lik_poisson(),
      optimise = FALSE
    ),
    ivm(x, x[, 1], likelihood = lik_student(4, 0.3), optimise = FALSE, n_active = 30, seed = 1),
    meanfield_gp(x, factor(x[, 1] > 0), optimise = FALSE)
  )
  for (fit in fits) {
    y <- simulate(fit, 1, seed = 3, newdata = x)$sim_1
    z <- residuals(fit, "quantile", x, y, seed = 1)
    # One joint draw of the latent function moves all rows together: rows of independent draws.
    each <- vapply(1:60, function(i) {
      row <- x[i, , drop = FALSE]
      residuals(fit, "quantile", row, simulate(fit, 1, seed = i, newdata = row)$sim_1,
        seed = i + 99)
    }, 0)
    expect_gt(ks.test(each, "pnorm")$p.value, 0.001)
    expect_true(all(is.finite(z)))
  }
})

test_that("quantile residuals at predicted quantiles are those of the normal distribution", {
  x <- uniform_inputs(30, 1)
  p <- c(1e-6, 0.02, 0.5, 0.9, 1 - 1e-6)
  # Far from the data the latent standard deviation is many times the scale of the noise.
  for (scale in c(1e-3, 0.5)) {
    fit <- ivm(x, x[, 1], kernel_rbf(1, 0.3), lik_student(3, scale), optimise = FALSE, seed = 1)
    new <- rbind(x[1:3, , drop = FALSE], 50)
    y <- predict(fit, new, type = "quantile", probs = p)
    for (j in seq_along(p)) {
      expect_equal(residuals(fit, "quantile", new, y[, j]), rep(qnorm(p[j]), 4), tolerance = 1e-8)
    }
  }
})

test_that("missing values and missing rows keep their place", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  toy$data$a[3] <- NA
  toy$data$y[5] <- NA
  for (type in c("response", "pearson", "deviance", "quantile")) {
    found <- residuals(fit, type, toy$data)
    expect_identical(which(is.na(found)), c(3L, 5L))
  }
  expect_identical(residuals(fit, newdata = toy$data[0, ]), numeric())
})

test_that("the noise is told where there is one", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  expect_equal(sigma(fit), sd(toy$y) * sqrt(coef(fit)[["likelihood.variance"]]))
  student <- ivm(toy$x, toy$y, likelihood = lik_student(4, 0.2), optimise = FALSE, seed = 1)
  expect_equal(sigma(student), sd(toy$y) * 0.2 * sqrt(2))
  expect_error(sigma(shared_fit("ivm", "binary")), class = "gpsieve_error_unsupported")
})

test_that("what needs rows says so, and information criteria need all rows' evidence", {
  fit <- shared_fit("ivm", "regression")
  data <- toy_data("regression")$data
  refused <- function(code, class = "argument") {
    expect_error(code, class = paste0("gpsieve_error_", class))
  }
  fit$kept <- NULL
  refused(fitted(fit))
  refused(residuals(fit))
  refused(residuals(fit, "standardised", data))
  refused(residuals(fit, newdata = data[c("a", "b")]), "data")
  refused(residuals(fit, newdata = 1:3))
  refused(AIC(fit), "unsupported")
  refused(BIC(fit), "unsupported")
  dense <- shared_fit("meanfield_gp", "regression")
  refused(AIC(dense, fit), "unsupported")
  expect_equal(AIC(dense), -2 * evidence(dense)$value + 2 * attr(logLik(dense), "df"))
  expect_snapshot(error = TRUE, {
    fitted(fit)
    residuals(fit)
    residuals(shared_fit("ivm", "regression"), y = data$y)
    sigma(shared_fit("ivm", "binary"))
    AIC(fit)
  })
})

test_that("information criteria compare fits to the same rows and the same response", {
  d <- toy_data("regression")$data
  fit <- function(formula, data = d, ...) meanfield_gp(formula, data, ..., optimise = FALSE)
  first <- fit(y ~ a)
  turned <- fit(y ~ a, d[rev(seq_len(nrow(d))), ])
  expect_identical(dim(AIC(first, fit(y ~ a + b), turned)), c(3L, 2L))
  others <- list(fit(y ~ a, d[-1L, ]), fit(I(2 * y) ~ a),
    fit(y ~ a, replace(d, "y", list(d$y + 1))), fit(y ~ a, weights = rep(2, nrow(d))))
  for (other in others) {
    expect_error(AIC(first, other), "same rows", class = "gpsieve_error_data")
    expect_error(BIC(first, other), class = "gpsieve_error_data")
  }
})

test_that("rows as a matrix need y, unless it is one of their columns", {
  d <- toy_data("regression")$data
  fit <- meanfield_gp(y ~ a + b, d, optimise = FALSE)
  rows <- as.matrix(d[c("a", "b")])
  expected <- unname(residuals(fit, newdata = d))
  expect_equal(unname(residuals(fit, newdata = rows, y = d$y)), expected)
  expect_equal(unname(residuals(fit, newdata = cbind(rows, y = d$y))), expected)
  expect_error(residuals(fit, newdata = rows), "Beside a matrix give `y`",
    class = "gpsieve_error_argument")
  expect_error(augment(fit, cbind(d, y = d$y)), class = "gpsieve_error_data")
})

test_that("augment() has intervals and residuals", {
  data <- toy_data("regression")$data
  fit <- shared_fit("ivm", "regression")
  wide <- augment(fit, data = data, interval = "prediction", level = 0.8)
  expect_equal(wide$.resid, residuals(fit, newdata = data))
  limits <- predict(fit, data, interval = "prediction", level = 0.8)
  expect_equal(cbind(wide$.lower, wide$.upper), limits[, -1], ignore_attr = TRUE)
  expect_false(".resid" %in% names(augment(fit, data)))
  two <- augment(shared_fit("ivm", "binary"), toy_data("binary")$new, interval = "confidence")
  expect_true(all(two$.lower <= two$.pred_yes & two$.pred_yes <= two$.upper))
  expect_identical(augment(fit)$.resid, wide$.resid)
  expect_error(augment(fit, data, intervall = "prediction"), class = "gpsieve_error_argument")
})

test_that("a value that ended at a bound of learning is marked wherever it is shown", {
  x <- uniform_inputs(30, 1)
  # Counts that are all zero: the rate falls without end.
  fit <- suppressWarnings(classes = c("gpsieve_warning_bound", "gpsieve_warning_little_data"),
    meanfield_gp(x, rep(0L, 30), kernel_rbf(1, 1), likelihood = lik_poisson(), prior_mean = 0,
      standardise = FALSE, control = control_meanfield(prior = NULL), seed = 1
    )
  )
  expect_output(print(fit), "at a bound of learning: .*variance")
  expect_identical(attr(coef(fit), "at_bound"), c("variance", "lengthscale"))
  expect_null(attributes(coef(shared_fit("ivm", "regression")))$at_bound)
  expect_identical(tidy(fit)$at_bound[tidy(fit)$term == "variance"], TRUE)
  expect_true(summary(fit)$hyperparameters["variance", "at_bound"])
  expect_false(any(tidy(shared_fit("ivm", "regression"))$at_bound))
})

test_that("augment() has no residuals of ordered classes", {
  data <- with_own_seed(1, data.frame(x = rnorm(40)))
  data$y <- cut(data$x, 3, labels = c("low", "mid", "high"), ordered_result = TRUE)
  fit <- meanfield_gp(y ~ x, data, likelihood = lik_ordinal(), optimise = FALSE, seed = 1)
  expect_false(".resid" %in% names(augment(fit, data)))
})
