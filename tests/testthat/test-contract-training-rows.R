# What a fit answers about its training rows without data, and how it finds the data again.

of_training <- function(fit) {
  own <- if (is_regression(fit)) {
    list(quantile = predict(fit, type = "quantile", probs = c(0.1, 0.5, 0.9)))
  } else {
    list(prob = predict(fit, type = "prob"))
  }
  link <- predict(fit, type = "link", se.fit = TRUE)
  c(list(response = predict(fit), mean = link$fit, se = link$se.fit), own)
}

# A fit whose call names its data, as a user writes it.
fit_by_name <- function(spec, ..., env = parent.frame()) {
  eval(as.call(c(list(spec$fit), list(...), spec$cheap, list(seed = 1))), env)
}

with_names <- function(toy) {
  rownames(toy$x) <- rownames(toy$data) <- sprintf("r%02d", seq_len(nrow(toy$x)))
  toy
}

test_that("answers about the training rows are those of their data, with their names", {
  every_fit_function(function(spec) {
    for (task in if (identical(spec$fit, gpsieve)) "regression" else tasks) {
      toy <- with_names(toy_data(task))
      for (interface in c("formula", "matrix")) {
        fit <- fit_through(interface, spec, toy)
        newdata <- if (interface == "formula") toy$data else as.matrix(toy$x)
        y <- if (interface == "matrix") toy$y
        expect_identical(of_training(fit), all_predictions(fit, newdata))
        expect_identical(residuals(fit), residuals(fit, newdata = newdata, y = y))
        expect_identical(fitted(fit), fitted(fit, newdata))
        first <- fitted(fit)
        expect_identical(if (is.matrix(first)) rownames(first) else names(first), rownames(toy$x))
        table <- as.data.frame(augment(fit))
        expect_identical(table$.rownames, rownames(toy$x))
        expect_identical(table[[2]], toy$y)
        if (task != "multiclass") {
          expect_identical(table$.resid, unname(residuals(fit)))
          expect_error(withr::with_pdf(NULL, plot(fit, "residuals")), NA)
        }
      }
    }
  })
})

test_that("na.exclude pads answers with NA, na.omit leaves the rows out", {
  every_fit_function(function(spec) {
    toy <- with_names(toy_data("regression"))
    toy$data$a[c(2, 7)] <- NA
    fit <- function(action) {
      suppressMessages(fit_cheaply(spec, y ~ a + b, toy$data, na.action = action))
    }
    omit <- fit(na.omit)
    exclude <- fit(na.exclude)
    expect_identical(names(fitted(omit)), rownames(toy$data)[-c(2, 7)])
    answers <- list(fitted(exclude), residuals(exclude), predict(exclude))
    for (answer in answers) {
      expect_identical(names(answer), rownames(toy$data))
      expect_identical(unname(which(is.na(answer))), c(2L, 7L))
    }
    expect_identical(predict(exclude)[-c(2, 7)], predict(omit))
    limits <- predict(exclude, interval = "prediction")
    expect_identical(limits[-c(2, 7), ], predict(omit, interval = "prediction"))
    expect_true(all(is.na(limits[c(2, 7), ])))
    expect_identical(nrow(augment(exclude)), 60L)
    expect_identical(predict(exclude, toy$data[c(1, 3), ]), predict(omit, toy$data[c(1, 3), ]))
  })
})

test_that("weights, offsets and equal rows leave a value for each row that took part", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    data <- toy$data[rep(1:30, each = 2), ]
    data$w <- rep(c(0, 1, 2), 20)
    data$o <- data$b / 10
    fit <- fit_cheaply(spec, y ~ a + b + offset(o), data, weights = quote(w))
    used <- data[data$w > 0, ]
    expect_identical(fitted(fit), predict(fit, used))
    expect_identical(residuals(fit), residuals(fit, newdata = used))
  })
})

test_that("keep = FALSE keeps nothing, and what needs it names newdata", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    fit <- fit_through("formula", spec, toy, settings = spec$small)
    if (is.null(spec$small)) {
      fit <- meanfield_gp(y ~ a + b, toy$data, control = control_meanfield(keep = FALSE))
    }
    asked <- list(predict, fitted, residuals, augment, function(fit) plot(fit, "residuals"))
    for (ask in asked) expect_error(ask(fit), "newdata", class = "gpsieve_error_argument")
    expect_identical(update(fit, data = toy$data)$kept, NULL)
  })
  expect_snapshot(error = TRUE, {
    fit <- ivm(dist ~ speed, cars, seed = 1, control = control_ivm(keep = FALSE))
    predict(fit)
    predict(ivm(dist ~ speed, cars, seed = 1), offset = 1, type = "link")
    predict(ivm(dist ~ speed, cars, seed = 1), type = "link", cov = TRUE)
    control_ivm(keep = "no")
  })
})

test_that("of many rows nothing is kept unless it is asked for", {
  molded <- list(x = matrix(0, 100001L, 1L))
  fit <- list(posteriors = list(list(basis = seq_len(1000)), list(basis = 1)))
  expect_false(keeps_rows(control_ivm(), molded, fit))
  expect_true(keeps_rows(control_ivm(keep = TRUE), molded, fit))
  molded$x <- molded$x[-1L, , drop = FALSE]
  expect_false(keeps_rows(control_ivm(), molded, fit))
  fit$posteriors[[1]]$basis <- seq_len(999)
  expect_true(keeps_rows(control_ivm(), molded, fit))
  # A row asks one machine of each tree.
  fit$posteriors <- rep(list(list(basis = seq_len(999))), 12)
  fit$partition <- list(trees = list(1), rows = rep(2e4L, 12))
  expect_true(keeps_rows(control_ivm(), molded, fit))
  fit$partition$trees <- list(1, 2)
  expect_false(keeps_rows(control_ivm(), molded, fit))
})

test_that("a fit whose rows would take long to predict says so", {
  with_functions(list(most_kept_products = 100), {
    fit <- ivm(dist ~ speed, cars, optimise = FALSE, seed = 1)
    expect_null(fit$kept)
    expect_snapshot(error = TRUE, predict(fit))
  })
})

test_that("update() finds the data where it is called, and takes a formula first", {
  every_fit_function(function(spec) {
    rows <- toy_data("regression")$data
    rows$c <- rev(rows$a)
    fit <- fit_by_name(spec, quote(y ~ a + b + c), quote(rows))
    again <- update(fit, . ~ . - c)
    expect_identical(formula(again), y ~ a + b, ignore_formula_env = TRUE)
    expect_identical(predict(again), predict(update(fit, . ~ . - c, data = rows)))
    expect_identical(colnames(inducing(again)), c("a", "b"))
    twice <- update(again, . ~ . - b)
    expect_identical(colnames(inducing(twice)), "a")
    by_matrix <- fit_by_name(spec, quote(rows[c("a", "b")]), quote(rows$y))
    if (isFALSE(spec$cheap$optimise) && spec$refits) {
      expect_identical(predict(update(by_matrix)), predict(by_matrix))
    }
    expect_error(update(by_matrix, . ~ . - b), class = "gpsieve_error_unsupported")
    rm(rows)
    expect_error(update(fit, . ~ . - c), "rows", class = "gpsieve_error_argument")
    rows <- 3
    expect_error(update(fit, . ~ . - c), "rows", class = "gpsieve_error_argument")
  })
})

test_that("update() without data repeats subset, weights and offset of the call", {
  toy <- toy_data("regression")$data
  heavy <- rep(1:2, 30)
  first <- 1:40
  own <- toy$b / 10
  fit <- ivm(y ~ a, toy, subset = first, weights = heavy, offset = own, seed = 1, n_active = 20,
    optimise = FALSE
  )
  expect_identical(predict(update(fit)), predict(update(fit, data = toy, subset = first,
    weights = heavy, offset = own)))
  expect_equal(nobs(update(fit)), sum(heavy[first]))
  expect_equal(nobs(update(fit, subset = 1:10)), sum(heavy[1:10]))
})

test_that("a kernel keeps the lengthscales of the columns that stay", {
  fit <- ivm(mpg ~ wt + hp + qsec, mtcars, optimise = FALSE, seed = 1,
    kernel = kernel_rbf(1, c(1, 2, 4)) + kernel_on(kernel_linear(), "qsec")
  )
  kernel <- kernel_of(update(fit, . ~ qsec + am + wt))
  expect_equal(kernel$children[[1]]$values$lengthscale, c(4, 2, 1))
  expect_equal(kernel$children[[2]]$dims, 1L)
  # A function of a column that is left out is left out of the sum.
  kernel <- kernel_of(update(fit, . ~ . - qsec))
  expect_identical(kernel$values$lengthscale, c(1, 2))
  pair <- ivm(mpg ~ wt + hp + qsec, mtcars, optimise = FALSE, seed = 1,
    kernel = kernel_rbf() + kernel_on(kernel_linear(), c("qsec", "hp")))
  expect_snapshot(error = TRUE, update(pair, . ~ . - qsec))
})

test_that("a fit holds the expressions of its data, never their values", {
  toy <- toy_data("regression")
  by_value <- do.call(ivm, list(y ~ a + b, toy$data, seed = 1, optimise = FALSE))
  expect_null(by_value$origin$data)
  expect_error(update(by_value), "data", class = "gpsieve_error_argument")
  expect_false(is_plain_code(quote(f(function(x) x))))
  expect_false(is_plain_code(as.call(list(quote(f), 1:3))))
  expect_false(is_plain_code(quote(f(..2))))
  expect_true(is_plain_code(quote(subset(d, a > 3)[c("a", "b")])))
  line <- lapply(list(toy), function(d) ivm(y ~ a, d$data, seed = 1, optimise = FALSE))[[1]]
  expect_identical(line$origin$data, quote(d$data))
})

test_that("an online fit that has absorbed rows keeps nothing of the first ones", {
  toy <- toy_data("regression")
  fit <- online_gp(y ~ a + b, toy$data, seed = 1, optimise = FALSE)
  more <- update(fit, data = toy_data("regression", seed = 7)$data)
  expect_error(fitted(more), "newdata", class = "gpsieve_error_argument")
})
