# update() and learning, for every model.

test_that("update() starts from the fit's own settings and takes others", {
  every_model(function(spec) {
    if (!spec$refits) return()
    toy <- toy_data("regression")
    for (standardise in c(TRUE, FALSE)) {
      for (given in list(list(y ~ a + b, toy$data), list(toy$x, toy$y))) {
        fit <- do.call(fit_cheaply, c(list(spec), given,
          list(kernel = kernel_matern(lengthscale = 2), standardise = standardise)
        ))
        data <- if (rlang::is_formula(given[[1]])) {
          list(data = toy$data)
        } else {
          list(x = toy$x, y = toy$y)
        }
        again <- do.call(update, c(list(fit), data))
        expect_identical(without_clock(again), without_clock(fit), ignore_formula_env = TRUE)
        other <- do.call(update, c(list(fit), data, list(kernel = kernel_linear())))
        expect_s3_class(kernel_of(other), "gpsieve_kernel_linear")
        if (!spec$own_noise) expect_identical(likelihood_of(other), likelihood_of(fit))
        expect_error(update(fit), class = "gpsieve_error_argument")
      }
    }
  })
})

test_that("update() keeps a prior mean that was given", {
  every_task(function(spec, task) {
    toy <- toy_data(task)
    fit <- fit_cheaply(spec, toy$x, toy$y, prior_mean = 2)
    far <- data.frame(a = 1e6, b = 1e6)
    expect_equal(as.vector(predict(fit, far, type = "link")),
      rep(2, if (task == "multiclass") 3 else 1)
    )
    again <- update(fit, x = toy$x, y = toy$y)
    if (spec$refits) {
      expect_identical(all_predictions(again, toy$new), all_predictions(fit, toy$new))
    } else {
      expect_equal(predict(again, far, type = "link"), predict(fit, far, type = "link"))
    }
  })
})

test_that("a learned fit reports what it learned", {
  every_task(function(spec, task) {
    toy <- toy_data(task)
    fit <- fit_cheaply(spec, toy$x, toy$y, settings = spec$learning)
    table <- tidy(fit)
    if (spec$gradient) {
      expect_setequal(table$term[table$learned], names(evidence(fit, gradient = TRUE)$gradient))
    }
    expect_identical(sum(table$learned), attr(logLik(fit), "df"))
    expect_false(isTRUE(all.equal(
      coef(fit), coef(fit_cheaply(spec, toy$x, toy$y, optimise = FALSE))
    )))
  })
})

test_that("an information criterion counts what was learned, held or not", {
  toy <- toy_data("regression")
  values <- list(kernel_rbf(1, 0.5), lik_gaussian(0.1))
  held <- list(kernel_rbf(fixed(1), fixed(0.5)), lik_gaussian(fixed(0.1)))
  given <- meanfield_gp(toy$x, toy$y, values[[1]], values[[2]], optimise = FALSE)
  fixed <- meanfield_gp(toy$x, toy$y, held[[1]], held[[2]])
  expect_identical(attr(logLik(given), "df"), 0L)
  expect_equal(AIC(given), AIC(fixed))
  expect_equal(BIC(given), -2 * evidence(given)$value)
})

test_that("update() evaluates subset, weights, offset and noise_sd among the columns", {
  toy <- toy_data("regression")$data
  toy$w <- rep(1:2, 30)
  toy$s <- rep(c(0.2, 0.3), 30)
  limit <- 0
  every_model(function(spec) {
    if (!spec$refits) return()
    formula <- y ~ a + b
    # An updated fit has the values of the first one, not those that its rows suggest.
    fresh <- function(..., likelihood = lik_gaussian(0.1)) {
      fit_cheaply(spec, ..., kernel = kernel_rbf(1, 0.7), likelihood = likelihood)
    }
    fit <- fresh(formula, toy)
    same <- function(updated, ...) {
      expect_equal(predict(updated, toy, type = "link"),
        predict(fresh(formula, ...), toy, type = "link"), label = spec$class)
    }
    same(update(fit, subset = a > limit, data = toy), toy[toy$a > limit, ])
    same(update(fit, weights = w, data = toy), toy, weights = toy$w)
    same(update(fit, y ~ a + b, data = toy, weights = w + limit), toy, weights = toy$w)
    # and the new fit remembers them
    weighted <- update(fit, weights = w, data = toy)
    expect_equal(nobs(update(weighted, data = toy[1:30, ])), sum(toy$w[1:30]))
    expect_equal(nobs(update(update(fit, subset = a > limit, data = toy))), sum(toy$a > limit))
    expect_equal(nobs(update(weighted, weights = NULL)), nrow(toy))
    expect_equal(nobs(update(weighted, subset = w == 1)), 30)
    if (spec$class == "gpsieve_rvm") return()
    shifted <- update(fit, offset = w, data = toy)
    expect_equal(predict(shifted, toy), predict(fresh(y ~ a + b + offset(w), toy), toy))
    noisy <- fresh(formula, toy, noise_sd = toy$s, likelihood = NULL)
    expect_equal(predict(update(noisy, noise_sd = 2 * s, data = toy), toy),
      predict(fresh(formula, toy, noise_sd = 2 * toy$s, likelihood = NULL), toy))
    expect_error(update(fit, subset = absent > 0, data = toy), class = "gpsieve_error_data")
  })
})

test_that("an online fit leaves out later rows with missing values as the first fit does", {
  toy <- toy_data("regression")
  first <- toy$data[1:30, ]
  later <- toy$data[31:60, ]
  fit <- online_gp(y ~ a + b, first, optimise = FALSE, seed = 1)
  whole <- update(fit, data = later[-(2:4), ])
  holes <- later
  holes$a[2] <- NA
  holes$y[3] <- NA
  w <- replace(rep(1, 30), 4, NA)
  expect_message(updated <- update(fit, data = holes, weights = w), "3 of 30 rows left out",
    class = "gpsieve_message_missing")
  expect_identical(predict(updated, toy$new), predict(whole, toy$new))
  holes$w <- w
  expect_message(updated <- update(fit, data = holes, weights = w), "3 of 30 rows left out")
  expect_identical(predict(updated, toy$new), predict(whole, toy$new))
  strict <- online_gp(y ~ a + b, first, optimise = FALSE, seed = 1, na.action = na.fail)
  expect_error(update(strict, data = holes), "missing values", class = "gpsieve_error_data")
  by_matrix <- online_gp(toy$x[1:30, ], toy$y[1:30], optimise = FALSE, seed = 1)
  expect_message(
    updated <- update(by_matrix, as.matrix(holes[c("a", "b")]), holes$y, weights = w),
    "missing a \\(1\\)"
  )
  expect_equal(nobs(updated), 57)
  grouped <- transform(toy$data, g = rep(c("u", "v"), 30))
  fit <- online_gp(y ~ a + g, grouped[1:30, ], optimise = FALSE, seed = 1)
  said <- expect_error(update(fit, data = transform(grouped[31:32, ], g = "new")),
    class = "gpsieve_error_data")
  # a hint names no argument that update() lacks
  expect_no_match(conditionMessage(said), "new_levels")
})
