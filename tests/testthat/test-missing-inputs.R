# Rows with missing inputs that are kept, na.action = "model".

# Rows 3, 8 and 20 lack a number, rows 5 and 8 a level, row 11 the response.
with_missing <- function(n = 40) {
  x <- spread_points(n, 3)
  kind <- rep_len(c("u", "v", "w"), n)
  data <- data.frame(a = x[, 1], b = x[, 2], kind, z = x[, 3])
  data$y <- sin(4 * x[, 1]) + (kind == "v") + x[, 2]
  data$a[c(3, 8, 20)] <- NA
  data$kind[c(5, 8)] <- NA
  data$y[11] <- NA
  data
}

modelled <- function(formula, data = with_missing(), ...) {
  suppressMessages(meanfield_gp(formula, data, ..., likelihood = lik_gaussian(0.01),
    optimise = FALSE, na.action = "model"))
}

test_that("the fit is that of the mean, an indicator and a level of its own", {
  data <- with_missing()
  filled <- data[-11, ]
  absent <- is.na(filled$a)
  filled$gone <- as.double(absent)
  filled$a[absent] <- mean(filled$a, na.rm = TRUE)
  filled$kind[is.na(filled$kind)] <- "(missing)"
  filled$kind <- factor(filled$kind, c("u", "v", "w", "(missing)"))
  fit <- modelled(y ~ a + kind + b, data)
  noises <- kernel_gap_noise("gone") + kernel_gap_noise("kind(missing)")
  same <- modelled(y ~ a + gone + kind + b, filled, kernel = kernel_rbf() + noises)
  expect_identical(nobs(fit), 39L)
  expect_identical(as.vector(na.action(fit)), 11L)
  expect_equal(unname(fitted(fit)), unname(fitted(same)))
  new <- data.frame(a = c(0.3, NA), b = 0.5, kind = c(NA, "v"))
  by_hand <- data.frame(a = c(0.3, filled$a[3]), gone = 0:1, b = 0.5, kind = c("(missing)", "v"))
  expect_equal(predict(fit, new, se.fit = TRUE), predict(same, by_hand, se.fit = TRUE))
})

test_that("of a column that no training row lacked, it is said once that predictions are NA", {
  fit <- modelled(y ~ a + kind + b + z)
  new <- data.frame(a = c(0.3, NA), b = c(NA, 0.5), kind = "u", z = 0.5)
  text <- paste("i Some rows lack b, which no training row lacked: they are left out, and",
    "predictions for them are NA.\n")
  expect_identical(capture_messages(said <- predict(fit, new)), text)
  expect_identical(is.na(said), c(TRUE, FALSE))
  blocks <- rows_of_frame(new[c(1, 2, 1), ], size = 1)
  expect_identical(capture_messages(said <- predict(fit, blocks)), text)
  # What stands for missing values needs no word, and fits without it say nothing.
  expect_silent(predict(fit, new[2, ]))
  plain <- meanfield_gp(y ~ b + z, with_missing()[-11, ], optimise = FALSE)
  expect_silent(predict(plain, new))
})

test_that("a part of the rows has the noises of gaps that all rows have", {
  data <- with_own_seed(2, data.frame(a = runif(40), b = runif(40)))
  data$y <- data$a - data$b
  data$a[1L] <- NA
  data$b[2L] <- NA
  molded <- mold_formula(y ~ a + b, data, new_cases(na_action = "model"))
  gaps <- function(molded) {
    columns_of_gap_noise(with_gap_noise(kernel_rbf(), molded), molded$columns)
  }
  expect_length(gaps(molded), 2L)
  # The other rows have no gaps, and one alone would have the same as the other.
  expect_identical(gaps(molded_part(molded, list(train = 3:40), "train")), gaps(molded))
})

test_that("a mean counts a row of weight w as w rows, through every interface", {
  data <- with_missing()[-11, ]
  w <- rep_len(c(1, 3, 2), nrow(data))
  copies <- data[rep(seq_len(nrow(data)), w), ]
  absent <- data[c(3, 8), ]
  # Copies have a noise of gaps each.
  with_functions(list(with_gap_noise = function(kernel, molded) kernel), {
    of_copies <- predict(modelled(y ~ a + b + kind, copies), absent)
    expect_equal(predict(modelled(y ~ a + b + kind, data, weights = w), absent), of_copies,
      ignore_attr = TRUE)
    inputs <- c("a", "b", "kind")
    by_columns <- suppressMessages(meanfield_gp(data[inputs], data$y, weights = w,
      likelihood = lik_gaussian(0.01), optimise = FALSE, na.action = "model"))
    expect_equal(predict(by_columns, absent), of_copies, ignore_attr = TRUE)
    # Rows of weight 0 say nothing about the mean.
    none <- rbind(transform(data[1, ], a = 1000), data)
    expect_equal(predict(modelled(y ~ a + b + kind, none, weights = c(0, w)), absent), of_copies,
      ignore_attr = TRUE)
  })
})

test_that("every model and interface keeps the rows, and update() keeps them too", {
  data <- with_missing()
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- function(...) {
      suppressMessages(do.call(spec$fit, c(list(..., na.action = "model", seed = 1), spec$cheap)))
    }
    x <- data[c("a", "b", "kind")]
    formula <- fit(y ~ a + b + kind, data)
    frame <- fit(x, data$y)
    expect_equal(unname(predict(frame, x)), unname(predict(formula, data)), label = name)
    expect_true(all(is.finite(predict(formula, data))), label = name)
    numbers <- as.matrix(data[c("a", "b")])
    expect_equal(unname(predict(fit(numbers, data$y), numbers)),
      unname(predict(fit(y ~ a + b, data), data)), label = name)
    expect_identical(predict(unserialize(serialize(formula, NULL)), data), predict(formula, data))
    again <- suppressMessages(update(formula, . ~ . + z, data = data))
    expect_equal(nobs(again), 39)
  }
})

test_that("gpsieve() keeps the rows, and so does the call that it says to write", {
  data <- with_missing(60)
  fit <- suppressMessages(gpsieve(y ~ a + b + kind, data, na.action = "model", seed = 1,
    candidates = "meanfield_gp", control = control_gpsieve(folds = 2), verbose = FALSE
  ))
  expect_equal(nobs(fit), 59)
  expect_true(all(is.finite(predict(fit, data))))
  written <- suppressMessages(eval(choice(fit, "call")))
  expect_equal(fitted(written), fitted(fit), tolerance = 1e-6)
})

test_that("terms of all kinds take missing values", {
  data <- with_missing()
  data$day <- as.Date("2020-01-01") + seq_len(40)
  data$size <- factor(rep_len(c("s", "m", "l"), 40), c("s", "m", "l"), ordered = TRUE)
  data[7, c("day", "size")] <- NA
  expect_kept <- function(formula, ...) {
    fit <- modelled(formula, data, ...)
    expect_identical(nobs(fit), 39L)
    said <- predict(fit, data, se.fit = TRUE)
    expect_true(all(is.finite(c(said$fit, said$se.fit))))
    expect_equal(unname(said$fit[-11]), unname(fitted(fit)))
  }
  expect_kept(y ~ log(1 + a) + b)
  expect_kept(y ~ poly(a, 2) + scale(b))
  expect_kept(y ~ a * kind)
  expect_kept(y ~ day + size)
  expect_kept(y ~ b + (a | kind))
  expect_kept(y ~ b + kind, kernel = kernel_rbf() + kernel_categorical("kind"))
  expect_identical(modelled(y ~ a + b)$inputs$center[["a"]], mean(data$a[-11], na.rm = TRUE))
})

test_that("new levels are not taken for missing ones", {
  data <- with_missing()
  data$size <- factor(rep_len(c("s", "m", "l"), 40), c("s", "m", "l"), ordered = TRUE)
  data$size[7] <- NA
  new <- transform(data[1:2, ], kind = c("x", NA), size = "s")
  for (formula in list(y ~ kind + a, y ~ substr(kind, 1, 1) + a, y ~ factor(kind) + a)) {
    fit <- modelled(formula, data)
    if (is.symbol(formula[[3L]][[2L]])) {
      expect_warning(said <- predict(fit, new), class = "gpsieve_warning_new_levels")
      expect_identical(is.na(said), c(TRUE, FALSE))
      average <- suppressWarnings(predict(fit, new, new_levels = "average"))
      expect_true(all(is.finite(average)))
    }
  }
  sizes <- modelled(y ~ size + a, data)
  odd <- data.frame(size = c("huge", NA, "s"), a = 0.5)
  expect_warning(said <- predict(sizes, odd), class = "gpsieve_warning")
  expect_identical(is.na(said), c(TRUE, FALSE, FALSE))
})

test_that("a series needs times, which have no mean", {
  data <- data.frame(day = as.Date("2020-01-01") + 1:40, y = sin(1:40))
  data$day[5] <- NA
  expect_error(gpsieve(y ~ day, data, na.action = "model", folds = "time"),
    class = "gpsieve_error_data")
})

test_that("what cannot be modelled is refused", {
  skip_if_not_installed("recipes")
  data <- with_missing()
  data$nothing <- NA_real_
  rows <- rows_from_function(function(restart) data[c("a", "y")])
  expect_snapshot(error = TRUE, {
    meanfield_gp(y ~ nothing, data, na.action = "model")
    meanfield_gp(recipes::recipe(y ~ a, data), data, na.action = "model")
    meanfield_gp(Matrix::Matrix(as.matrix(data["a"]), sparse = TRUE), data$y, na.action = "model")
    ep_gp(y ~ a, rows, na.action = "model")
  })
  withr::local_options(na.action = "model")
  expect_error(meanfield_gp(y ~ a, data), "na.action", class = "gpsieve_error_argument")
})
