# Missing values in the rows of a fit follow na.action, as in lm(), through every interface.

# Rows 4 and 30 lack an input, row 9 the response; a column that the model does not need has holes.
with_holes <- function(task = "regression") {
  toy <- toy_data(task)
  toy$x$a[4] <- NA
  toy$x$b[c(4, 30)] <- NA
  toy$y[9] <- NA
  toy$data <- cbind(toy$x, y = toy$y, other = NA)
  toy
}
left_out <- c(4L, 9L, 30L)

test_that("rows with missing values are left out, with one message that counts them", {
  skip_if_not_installed("recipes")
  next_interfaces <- turns(interfaces)
  every_fit_function(function(spec) {
    toy <- with_holes()
    complete <- lapply(toy_data("regression")[c("x", "data")], function(d) d[-left_out, ])
    complete$y <- toy$y[-left_out]
    # Each interface with three or four of the functions, which read rows by one generic.
    for (interface in next_interfaces(2)) {
      said <- capture_messages(fit <- fit_through(interface, spec, toy))
      hint <- if (interface != "recipe") "; `na.action = \"model\"` keeps more"
      left <- "i 3 of 60 rows left out: missing b (2), a (1), y (1)"
      expect_identical(said, paste0(left, hint, "\n"))
      expect_identical(as.vector(na.action(fit)), left_out)
      expect_equal(nobs(fit), 57)
      without <- fit_through(interface, spec, complete)
      expect_identical(all_predictions(fit, toy$new), all_predictions(without, toy$new))
    }
  })
})

test_that("na.action is an argument and an option, and na.pass is refused", {
  every_fit_function(function(spec) {
    toy <- with_holes()
    fit <- function(...) suppressMessages(fit_cheaply(spec, y ~ a + b, toy$data, ...))
    expect_s3_class(na.action(fit()), "omit")
    expect_s3_class(na.action(fit(na.action = na.exclude)), "exclude")
    withr::with_options(list(na.action = "na.exclude"), {
      expect_s3_class(na.action(fit()), "exclude")
      expect_s3_class(na.action(fit(na.action = "na.omit")), "omit")
    })
    expect_error(fit(na.action = na.fail), "Missing b", class = "gpsieve_error_data")
    expect_error(fit(na.action = na.pass), "na.action", class = "gpsieve_error_argument")
    matrix <- as.matrix(toy$x)
    expect_error(fit_cheaply(spec, matrix, toy$y, na.action = na.fail), "Missing b",
      class = "gpsieve_error_data"
    )
    withr::local_options(na.action = "na.pass")
    expect_error(fit(), "na.action", class = "gpsieve_error_argument")
  })
})

test_that("classes, weights and offsets may be missing too", {
  every_fit_function(function(spec) {
    toy <- with_holes("binary")
    toy$data$w <- replace(rep(1, 60), 12, NA)
    complete <- toy_data("binary")$data[-c(left_out, 12), ]
    fit <- suppressMessages(fit_cheaply(spec, y ~ a + b, toy$data, weights = quote(w)))
    expect_identical(
      all_predictions(fit, toy$new),
      all_predictions(fit_cheaply(spec, y ~ a + b, complete), toy$new)
    )
    named <- suppressMessages(fit_cheaply(spec, toy$x, toy$y, offset = replace(numeric(60), 3, NA)))
    expect_identical(as.vector(na.action(named)), sort(c(left_out, 3L)))
  })
})

test_that("a term that has a value for a missing column keeps the row", {
  data <- with_holes()$data
  known <- suppressMessages(ivm(y ~ is.na(a) + addNA(cut(b, c(-Inf, 0, Inf))), data, seed = 1,
    optimise = FALSE
  ))
  expect_identical(as.vector(na.action(known)), 9L)
  poly <- suppressMessages(ivm(y ~ poly(a, 2), data, seed = 1, optimise = FALSE))
  expect_identical(as.vector(na.action(poly)), c(4L, 9L))
})

test_that("a sparse matrix with missing values loses their rows", {
  skip_if_not_installed("Matrix")
  toy <- with_holes()
  said <- capture_messages(fit <- ivm(Matrix::Matrix(as.matrix(toy$x), sparse = TRUE), toy$y,
    seed = 1, optimise = FALSE))
  expect_match(said, "3 of 60 rows left out: missing b (2), a (1), y (1)", fixed = TRUE)
  expect_identical(as.vector(na.action(fit)), left_out)
})

test_that("what is said names the user's columns", {
  data <- with_holes()$data
  data$kind <- replace(rep(c("x", "y"), 30), 1:3, NA)
  data[paste0("v", 1:6)] <- rep(list(replace(1:60, 5, NA)), 6)
  expect_snapshot(error = TRUE, {
    fit <- ivm(y ~ a + kind, data, optimise = FALSE, seed = 1)
    fit <- ivm(y ~ ., data[names(data) != "other"], optimise = FALSE, seed = 1)
    ivm(y ~ a + kind, data, na.action = na.fail)
    ivm(y ~ a + other, data)
    ivm(data[c("a", "kind")], data$y, na.action = na.pass)
  })
})
