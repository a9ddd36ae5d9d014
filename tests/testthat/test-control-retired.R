# Settings that were arguments of control_<model>() in the last version.

makers <- mget(names(retired_settings), asNamespace("gpsieve"))

test_that("a retired setting still works, with a warning that says what takes its place", {
  changed <- list(learn_classes = 1, range = 20, validation_rows = 50)
  for (name in names(makers)) {
    maker <- makers[[name]]
    expect_false(any(names(retired_settings[[name]]) %in% names(formals(maker))))
    for (setting in names(retired_settings[[name]])) {
      expect_warning(old <- do.call(maker, changed[setting]), setting,
        class = "gpsieve_warning_deprecated"
      )
      expect_identical(old[[setting]], changed[[setting]])
      expect_match(capture.output(print(old)), paste(setting, "= "), all = FALSE)
      expect_no_match(capture.output(print(maker())), paste0(setting, " = "))
      # A function that takes the control says nothing more, and keeps the value.
      expect_identical(check_control(old, sub("control_", "", name), NULL), old)
    }
    expect_error(maker(no_such_setting = 1), class = "gpsieve_error_argument")
    expect_error(maker(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
      class = "gpsieve_error"
    )
  }
  expect_snapshot(invisible(control_ep(range = 10)))
})

test_that("the values of retired settings are checked as they were", {
  refused <- function(maker, ...) expect_error(maker(...), class = "gpsieve_error_argument")
  for (value in list(0.5, NA, "a", c(2, 3))) refused(control_rvm, range = value)
  for (value in list(0, 1.5, NA, NULL)) refused(control_ivm, learn_classes = value)
  for (value in list(9, NA, "a")) refused(control_gpsieve, validation_rows = value)
  expect_error(suppressWarnings(control_ivm(range = 2, range = 3)),
    class = "gpsieve_error_argument"
  )
  expect_error(
    suppressWarnings(control_meanfield(learn_classes = 1, blocks = learn_on_blocks())),
    "learn_classes", class = "gpsieve_error_argument"
  )
})

test_that("a retired setting has the effect that it had", {
  toy <- toy_data("regression")
  lengthscale <- function(control) {
    fit <- suppressWarnings(
      meanfield_gp(y ~ a + b, toy$data, kernel_rbf(1, 0.2), control = control, seed = 1),
      classes = "gpsieve_warning_bound"
    )
    coef(fit)[["lengthscale"]]
  }
  old <- suppressWarnings(control_meanfield(range = 3), classes = "gpsieve_warning_deprecated")
  expect_equal(lengthscale(old), 3 * 0.2, tolerance = 1e-6) # at the bound
  expect_gt(lengthscale(control_meanfield()), 3 * 0.2)
})

test_that("the settings of a fit of the last version are read without a warning", {
  for (name in names(makers)) {
    saved <- makers[[name]]() # it has the settings that were arguments, with their defaults
    expect_true(all(names(retired_settings[[name]]) %in% names(saved)))
    expect_no_warning(read <- check_control(saved, sub("control_", "", name), NULL))
    expect_identical(read, saved)
  }
})
