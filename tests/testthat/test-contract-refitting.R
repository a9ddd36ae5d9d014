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
