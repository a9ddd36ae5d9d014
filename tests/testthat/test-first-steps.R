# Misspelt arguments, default plots and changed formulas, for every model.

quick_fit <- function(model, data, formula = y ~ ., ...) {
  fit_cheaply(model_specs()[[model]], formula, data, ...)
}

test_that("the error for a misspelt argument suggests the known argument", {
  toy <- toy_data("binary")
  said <- function(...) {
    tryCatch(ivm(y ~ ., toy$data, ...), gpsieve_error_argument = conditionMessage)
  }
  expect_match(said(nactive = 5), "Did you mean `n_active`")
  expect_error(ivm(y ~ ., toy$data, n_activ = 5), "Did you mean `n_active`",
    class = "gpsieve_error_argument"
  )
  expect_match(said(standardize = TRUE, optimize = TRUE), "`standardise` or `optimise`")
  expect_match(said(colour = 5), "help page")
  expect_match(said(kernel_rbf(), NULL, 5, 6), "1 unnamed argument too many")
})

test_that("every model has a default picture, with new rows and without", {
  withr::local_pdf(NULL)
  x <- as.data.frame(uniform_inputs(40, 3))
  x$y <- factor(x[[1]] > 0)
  for (model in names(model_specs())) {
    fit <- quick_fit(model, x)
    expect_error(plot(fit), NA)
    expect_error(plot(fit, newdata = x), NA)
    expect_error(plot(fit, "trace"), NA)
  }
})

test_that("probabilities of quantiles are refused where there is no quantile", {
  fit <- shared_fit("ivm", "regression")
  expect_error(predict(fit, toy_data("regression")$data, probs = 0.5),
    class = "gpsieve_error_argument"
  )
})

test_that("update() takes another formula, a dot standing for what was there", {
  toy <- toy_data("regression")
  for (model in setdiff(names(model_specs()), "online_gp")) {
    fit <- quick_fit(model, toy$data)
    less <- update(fit, data = toy$data, formula = . ~ . - b)
    expect_identical(deparse(formula(less)), "y ~ a")
    expect_identical(ncol(inducing(less)), 1L)
  }
  expect_error(update(fit, data = toy$data, formula = "y ~ a"), class = "gpsieve_error_argument")
  # An error names the model.
  unknown <- tryCatch(update(fit, data = toy$data, n_actve = 3), error = identity)
  expect_identical(as.character(unknown$call[[1]]), "rvm")
})

test_that("patience with held-out rows is counted in passes, not in minibatches", {
  x <- uniform_inputs(300, 2, 11)
  y <- noisy_labels(x, 0.3)
  stopped <- function(patience, batch_size = 20) {
    trace <- fit_trace(ep_gp(x, y, kernel_rbf(5, 0.2),
      inducing = 20, batch_size = batch_size, seed = 1, verbose = FALSE,
      control = control_ep(validation = 0.2, patience = patience)
    ))
    least <- Inf
    for (row in which(!is.na(trace$validation))) {
      if (trace$validation[row] >= least - 1e-4) next
      least <- trace$validation[row]
      best <- trace$iteration[row]
    }
    (max(trace$iteration) - best) / 12 # minibatches in a pass over the 240 other rows
  }
  for (patience in c(0.5, 2)) {
    passes <- stopped(patience)
    expect_gte(passes, patience)
    expect_lte(passes, patience + 0.25) # held-out rows are looked at three minibatches apart
  }
  expect_gte(stopped(NULL), 10)
})
