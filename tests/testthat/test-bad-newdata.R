# Wrong new rows and wrong questions to a fit are refused before any computing: a class of condition
# for programs, words for people.

d <- six_rows()
x <- as.matrix(d[c("a", "b")])

fit_for <- function(...) ivm(..., n_active = 4, optimise = FALSE, seed = 1)

test_that("newdata must be given and bring the training columns", {
  fit <- fit_for(y ~ a + b, d)
  fit$kept <- NULL
  expect_error(predict(fit), "newdata", class = "gpsieve_error_argument")
  for (new in list(NULL, 1:2, "a", list(a = 1, b = 2), mean)) {
    refuse(predict(fit, new), "argument")
  }
  expect_error(predict(fit, d["a"]), "\"b\"", class = "gpsieve_error_data")
  refuse(predict(fit, d[0]), "data")
  refuse(predict(fit, unname(x[, 1, drop = FALSE])), "data")
  refuse(predict(fit, cbind(unname(x), 1)), "data")
  refuse(predict(fit, named(x, c("a", "c"))), "data")
  refuse(predict(fit, unname(x)), "data")
  unnamed <- fit_for(unname(x), d$y)
  expect_identical(predict(unnamed, unname(x)), predict(fit_for(x, d$y), x))
  refuse(predict(unnamed, x), "data")
  refuse(predict(unnamed, unname(x[, 1, drop = FALSE])), "data")
  expect_snapshot(error = TRUE, {
    predict(fit)
    predict(fit, NULL)
    predict(fit, d["a"])
    predict(fit, d["y"])
    predict(unnamed, cbind(unname(x), 1))
  })
})

test_that("newdata must be of the training kind, without infinities", {
  fit <- fit_for(y ~ a + f, d)
  refuse(predict(fit, data.frame(a = Inf, f = "u")), "data")
  refuse(predict(fit, data.frame(a = c(1, -Inf), f = "u")), "data")
  refuse(predict(fit, data.frame(a = "1", f = "u")), "data")
  refuse(predict(fit, data.frame(a = 1, f = "w"), new_levels = "error"), "data")
  refuse(predict(fit, data.frame(a = 1, f = 1)), "data")
  refuse(predict(fit, data.frame(a = factor("1"), f = "u")), "data")
  refuse(predict(fit, data.frame(a = Sys.Date(), f = "u")), "data")
  refuse(predict(fit, data.frame(a = I(list(1)), f = "u")), "data")
  refuse(predict(fit, matrix(letters[1:2], 1)), "data")
  # Infinite only once transformed, or where nobody looks.
  logs <- fit_for(y ~ log(a), d)
  refuse(predict(logs, data.frame(a = 0)), "data")
  expect_accepted(predict(logs, data.frame(a = 1, b = Inf)))
  expect_snapshot(error = TRUE, {
    predict(fit, data.frame(a = c(1, -Inf), f = "u"))
    predict(fit, data.frame(a = "1", f = "u"))
    predict(fit, data.frame(a = 1, f = c("u", "w", "z")), new_levels = "error")
    predict(fit, data.frame(a = 1, f = 1))
  })
})

test_that("a type must be one the response has", {
  numbers <- fit_for(y ~ a, d)
  classes <- fit_for(f ~ a, d)
  refuse(predict(numbers, d, type = "prob"), "unsupported")
  refuse(predict(classes, d, type = "quantile"), "unsupported")
  refuse(predict(classes, d, type = "prob", se.fit = TRUE), "unsupported")
  refuse(predict(classes, d, se.fit = TRUE), "unsupported")
  refuse(predict(numbers, d, type = "probability"), "argument")
  refuse(predict(numbers, d, type = c("link", "prob")), "argument")
  refuse(predict(numbers, d, se.fit = NA), "argument")
  for (probs in list(0, 1, NA, -1, "half", numeric())) {
    refuse(predict(numbers, d, type = "quantile", probs = probs), "argument")
  }
  refuse(predict(numbers, d, intervals = "confidence"), "argument")
  refuse(predict(numbers, d, threads = 0), "argument")
  refuse(predict(numbers, d, verbose = NA), "argument")
  refuse(loo(numbers), "argument")
  expect_snapshot(error = TRUE, {
    predict(numbers, d, type = "prob")
    predict(classes, d, type = "quantile")
    predict(classes, d, se.fit = TRUE)
    predict(numbers, d, type = "class")
    predict(numbers, d, type = "quantile", probs = c(0, 0.5))
    predict(numbers, d, intervals = "confidence")
    loo(numbers)
  })
})

test_that("accessors refuse what is no fit", {
  accessors <- list(active_set, inducing, sites, evidence, fit_trace, kernel_of, likelihood_of, loo)
  for (accessor in accessors) for (other in list(lm(y ~ a, d), NULL, 1)) {
    refuse(accessor(other), "argument")
  }
  refuse(evidence(fit_for(y ~ a, d), gradient = NA), "argument")
  expect_snapshot(error = TRUE, {
    active_set(lm(y ~ a, d))
    evidence(NULL)
  })
})

test_that("update() needs data by name", {
  by_formula <- fit_for(y ~ a, d)
  by_matrix <- fit_for(x, d$y)
  refuse(update(by_formula), "argument")
  refuse(update(by_formula, d), "argument")
  refuse(update(by_formula, x = x, y = d$y), "argument")
  refuse(update(by_matrix, x = x), "argument")
  refuse(update(by_matrix, x = x, y = d$y, n_activ3 = 3), "argument")
  expect_snapshot(error = TRUE, {
    update(by_formula)
    update(by_formula, d)
    update(by_matrix, data = d)
  })
})

test_that("errors carry the user's own call", {
  caught <- tryCatch(ivm(y ~ a, d, n_active = 0), error = identity)
  expect_identical(rlang::call_name(conditionCall(caught)), "ivm")
  fit <- fit_for(y ~ a, d)
  caught <- tryCatch(predict(fit, d, type = "prob"), error = identity)
  expect_identical(rlang::call_name(conditionCall(caught)), "predict")
})
