# What package insight asks of a model, and hyper-parameters held by the other name.

test_that("insight reads a fit", {
  skip_if_not_installed("insight")
  fit <- shared_fit("ivm", "regression")
  toy <- toy_data("regression")
  expect_identical(insight::find_response(fit), "y")
  expect_identical(insight::find_response(ivm(log(dist) ~ speed, cars, optimise = FALSE)), "dist")
  pairs <- ivm(cbind(yes, 5 - yes) ~ a, data.frame(a = 1:9, yes = rep(1:3, 3)), optimise = FALSE,
    likelihood = lik_binomial(), seed = 1)
  expect_identical(insight::find_response(pairs), "yes")
  expect_identical(insight::find_predictors(fit)$conditional, c("a", "b"))
  expect_equal(insight::n_obs(fit), nrow(toy$data))
  expect_true(insight::model_info(fit)$is_linear)
  expect_true(insight::model_info(shared_fit("ivm", "binary"))$is_binomial)
  found <- insight::get_predicted(fit, data = toy$new)
  expect_equal(as.numeric(found), predict(fit, toy$new))
  limits <- predict(fit, toy$new, interval = "confidence")
  expect_equal(as.data.frame(found)$CI_low, unname(limits[, "lwr"]))
  expect_error(insight::get_data(fit), class = "gpsieve_error_unsupported")
  expect_error(insight::get_predicted(fit), class = "gpsieve_error_argument")
})

test_that("hold() does what fixed() does, and the fixed() of others is named", {
  expect_identical(hold(2), fixed(2))
  expect_identical(kernel_rbf(hold(1)), kernel_rbf(fixed(1)))
  pattern <- structure("1", class = c("stringr_fixed", "stringr_pattern", "character"))
  expect_error(kernel_rbf(variance = pattern), class = "gpsieve_error_argument")
  expect_error(lik_gaussian(pattern), class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, kernel_rbf(variance = pattern))
})
