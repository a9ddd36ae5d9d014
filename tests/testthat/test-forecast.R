# gpsieve() on series: folds in the order of time, periods, candidates for predictions ahead.

# A noisy pattern with a trend, one row a month.
monthly <- function(years = 8) {
  year <- 2000 + (seq_len(12 * years) - 1) / 12
  y <- 0.1 * year + sin(2 * pi * year) + 0.5 * cos(4 * pi * year) +
    with_own_seed(1, rnorm(length(year), sd = 0.1))
  data.frame(year, y)
}

forecast <- function(...) gpsieve(..., seed = 1, verbose = FALSE)

series_in <- function(data, ..., formula = y ~ ., folds = NULL, period = NULL, ahead = NULL) {
  series_of(mold_formula(formula, data), "number", folds, period, ahead)
}

rmse_ahead <- function(fit, data) sqrt(mean((predict(fit, data) - data$y)^2))

test_that("two seasons of AirPassengers ahead are predicted by default", {
  air <- data.frame(t = as.vector(time(AirPassengers)), y = log(as.vector(AirPassengers)))
  for (folds in list(NULL, 5)) {
    fit <- forecast(y ~ t, air[1:120, ], folds = folds)
    expect_lt(rmse_ahead(fit, air[121:144, ]), 0.06)
    expect_identical(choice(fit)$label[1], "trend and season")
  }
  # Columns of class ts are numbers of years.
  air$t <- time(AirPassengers)
  air$y <- log(AirPassengers)
  expect_lt(rmse_ahead(forecast(y ~ t, air[1:120, ], ahead = 24), air[121:144, ]), 0.06)
})

test_that("a daily series has its week and its year, and intervals that hold", {
  day <- as.Date("2019-01-01") + 0:999
  weekend <- as.POSIXlt(day)$wday %in% c(0, 6)
  y <- 2 * cos(2 * pi * as.numeric(day) / 365.25) + weekend +
    with_own_seed(2, rnorm(1000, sd = 0.4))
  data <- data.frame(day, y)
  expect_equal(series_in(data)$periods, c(365.2425, 7))
  known <- data[1:800, ]
  fit <- forecast(y ~ day, known, time = 5)
  later <- data[801:1000, ]
  expect_lt(rmse_ahead(fit, later), 0.5)
  limits <- predict(fit, later, interval = "prediction")
  expect_gt(mean(limits[, "lwr"] <= later$y & later$y <= limits[, "upr"]), 0.9)
})

test_that("what a user writes makes the same fit", {
  data <- monthly()
  fit <- gpsieve(y ~ year, data, seed = 1, verbose = FALSE)
  again <- eval(choice(fit, "call"), list(data = data))
  expect_identical(predict(again, data), predict(fit, data))
  given <- forecast(y ~ year, data, period = 1, folds = "time")
  expect_identical(predict(given, data), predict(fit, data))
  dates <- data.frame(month = seq(as.Date("2000-01-01"), by = "month", length.out = 96), y = data$y)
  expect_identical(
    predict(forecast(y ~ month, dates, period = "year"), dates),
    predict(forecast(y ~ month, dates, period = 365.2425), dates)
  )
})

test_that("periods are found where there are some", {
  data <- monthly()
  expect_equal(series_in(data)$periods, 1)
  # In other units the period is a peak of the spectrum.
  expect_equal(series_in(transform(data, year = 12 * year + 3))$periods, 12, tolerance = 1e-3)
  noise <- transform(data, y = with_own_seed(3, rnorm(96)))
  expect_null(series_in(noise))
  expect_identical(series_in(noise, folds = "time")$periods, numeric())
  # Random inputs are no series, nor are several rows of one time.
  expect_null(series_in(transform(data, year = with_own_seed(4, runif(96)))))
  expect_null(series_in(rbind(data, data)))
  long <- 1:600
  two <- data.frame(t = long, y = sin(2 * pi * long / 10) + sin(2 * pi * long / 67) +
    with_own_seed(5, rnorm(600, sd = 0.3)))
  expect_equal(sort(series_in(two)$periods), c(10, 67), tolerance = 0.01)
  hours <- as.POSIXct("2024-03-01", tz = "UTC") + 3600 * 0:500
  daily <- data.frame(at = hours, y = cos(2 * pi * as.numeric(hours) / 86400))
  expect_equal(series_in(transform(daily, y = y + with_own_seed(6, rnorm(501))))$periods, 86400)
})

test_that("the time is the column of dates, the named one, or the order of the rows", {
  data <- monthly()
  data$other <- with_own_seed(7, rnorm(96))
  expect_null(series_in(data))
  expect_identical(series_in(data, period = c(year = 1))$column, "year")
  by_order <- series_in(data, folds = "time")
  expect_null(by_order$column)
  expect_identical(by_order$moment, 1:96)
  data$day <- as.Date("2020-01-01") + rev(0:95)
  dated <- series_in(data, folds = "time")
  expect_identical(dated$column, "day")
  fit <- forecast(y ~ day + other, data, folds = "time", period = 12)
  expect_true("trend and season" %in% choice(fit)$label)
})

test_that("folds in time hold out later rows only", {
  data <- monthly()
  task <- list(series = series_in(data, folds = "time"), molded = list(x = as.matrix(data["year"]),
    y = data$y), seed = 1L, control = control_gpsieve(), models = "meanfield_gp")
  splits <- splits_in_time(task)
  expect_length(splits, judged_blocks)
  for (split in splits) expect_lt(max(data$year[split$train]), min(data$year[split$test]))
  expect_identical(splits[[3]]$test, 87:96)
  task$series <- series_in(data, ahead = 12)
  ahead <- splits_in_time(task)
  expect_identical(lapply(ahead, `[[`, "test"), list(61:72, 73:84, 85:96))
  expect_identical(ahead[[1]]$train, 1:60)
  # Rows of one time stay together.
  expect_identical(blocks_ahead(rep(1:10, each = 3), 2), rep(c(0, 0, 0, 1, 2), each = 6))
})

test_that("folds may be numbers for each row, of which some take no part", {
  data <- toy_data("regression")$data
  data$a[2] <- NA
  folds <- rep(1:3, 20)
  fit <- suppressMessages(gpsieve(y ~ a + b, data, folds = folds, seed = 1, verbose = FALSE,
    na.action = stats::na.omit))
  expect_identical(unique(choice(fit)$rows), 59L)
  few <- gpsieve(y ~ b, data, folds = 3, seed = 1, verbose = FALSE)
  expect_identical(choice(few)$rows[1], 60L)
  expect_false(few$choice$in_time)
})

test_that("hyper-parameters of all rows keep lengths in units of the data in fits of some", {
  data <- monthly()
  molded <- mold_formula(y ~ year, data)
  kernel <- kernel_rbf(lengthscale = 20, units = "data") * kernel_periodic(period = hold(1)) +
    kernel_rbf()
  problem_of <- function(molded) {
    prepare_problem(molded, given_or_default(ivm, list(kernel = kernel, seed = 1L)))
  }
  all <- problem_of(molded)
  few <- molded_rows(molded, 1:40)
  few$learned <- learned_by(all, theta_of(all$kernel, all$likelihood))
  found <- learn_blocks(problem_of(few), 0, learn_on_blocks())
  reported <- kernel_leaves(in_data_units(found$kernel, found$inputs$scale))
  expect_equal(reported[[1]]$kernel$values$lengthscale, 20)
  expect_equal(reported[[2]]$kernel$values$period, 1)
})

test_that("what cannot be a series says so", {
  data <- monthly(3)
  dated <- data.frame(day = as.Date("2020-01-01") + 1:30, y = sin(1:30))
  expect_snapshot(error = TRUE, {
    gpsieve(y ~ year, data, period = "year")
    gpsieve(y ~ year, data, period = -1)
    gpsieve(y ~ year, data, ahead = 30)
    gpsieve(y ~ year, data, ahead = 2, folds = 3)
    gpsieve(y ~ year, data, folds = "date")
    gpsieve(mpg ~ ., mtcars, period = 3)
    gpsieve(y ~ day, dated, period = "season")
    gpsieve(Matrix::Matrix(diag(20), sparse = TRUE), sin(1:20), folds = "time")
  })
})

test_that("a picture reaches over all of newdata, with or without a response", {
  data <- monthly()
  fit <- forecast(y ~ year, data)
  future <- data.frame(year = seq(2008, 2010, by = 1 / 12))
  drawn <- line_frame(fit, drawn_points(fit, future, NULL), 0.9, 50)
  expect_gte(max(drawn$x), 2010)
  expect_true(all(future$year %in% drawn$x))
  expect_error(withr::with_pdf(NULL, plot(fit, newdata = future)), NA)
  expect_error(withr::with_pdf(NULL, plot(fit, newdata = data[1:10, ])), NA)
  skip_if_not_installed("ggplot2")
  picture <- ggplot2::autoplot(fit, newdata = future)
  expect_gte(max(picture$data$x), 2010)
})

test_that("one far value among times takes no memory", {
  for (far in c(3e5, 1e10)) {
    expect_identical(found_periods(c(1:39, far), sin(1:40), rep(1, 40)), numeric())
  }
})

test_that("rows of hardly any weight hide no period", {
  month <- 1:96
  y <- sin(2 * pi * month / 12)
  unsure <- month %% 8 == 0
  weights <- replace(rep(1, 96), unsure, 1e-6)
  y[unsure] <- 1e3 * (-1)^seq_len(12)
  expect_equal(found_periods(month, y, weights), 12)
  expect_false(isTRUE(all.equal(found_periods(month, y, rep(1, 96)), 12)))
  dates <- seq(as.Date("2020-01-01"), by = "day", length.out = 96)
  weekly <- replace(sin(2 * pi * month / 7), unsure, y[unsure])
  expect_equal(calendar_periods(as.numeric(dates), weekly, 1, weights), 7)
  expect_length(calendar_periods(as.numeric(dates), weekly, 1, rep(1, 96)), 0)
})

test_that("a line that few later rows prefer gives way where all rows contradict it", {
  # The last 36 days of a random walk happen to go along the line of the days before.
  days <- data.frame(day = as.Date("2024-01-01") + 0:149, y = with_own_seed(1, cumsum(rnorm(150))))
  fit <- gpsieve(y ~ day, days[1:120, ], seed = 1, verbose = FALSE)
  table <- choice(fit)
  expect_identical(table$label[which.max(table$score)], "linear")
  expect_identical(table$not_taken[table$label == "linear"],
    "less likely by the evidence of all rows")
  expect_false(table$label[table$chosen] == "linear")
  # Three blocks were judged, so that variances are 4 / 3 times as wide, or wider.
  blocks <- eval(choice(fit, "call")$control)$blocks
  expect_gte(blocks$widen, signif(4 / 3, 3))
  later <- days[121:150, ]
  expect_identical(predict(eval(choice(fit, "call")), later), predict(fit, later))
  limits <- predict(fit, later, interval = "prediction", level = 0.9)
  width <- limits[, "upr"] - limits[, "lwr"]
  expect_gt(width[[30L]], 2 * width[[1L]])
})

test_that("variances of a log-normal response may be widened, those of others not", {
  rows <- data.frame(x = 1:12, y = exp(with_own_seed(2, rnorm(12))))
  fit_with <- function(widen, likelihood) {
    meanfield_gp(y ~ x, rows, kernel_rich(), likelihood, seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(steps = 5, widen = widen)))
  }
  link <- lapply(c(1, 4), function(widen) {
    predict(fit_with(widen, lik_lognormal()), rows, type = "link", se.fit = TRUE)
  })
  expect_equal(link[[2L]]$fit, link[[1L]]$fit, tolerance = 1e-6)
  expect_equal(link[[2L]]$se.fit, 2 * link[[1L]]$se.fit, tolerance = 1e-6)
  expect_error(fit_with(4, lik_gamma()), "lik_lognormal", class = "gpsieve_error_unsupported")
})

test_that("variances are widened by errors of rows that count by their weights, once", {
  days <- data.frame(day = as.Date("2001-01-01") + 0:39, y = with_own_seed(4, cumsum(rnorm(40))))
  days$w <- with_own_seed(5, sample(1:3, 40, TRUE))
  days$w[30:40] <- c(1, 6, 1, 1, 6, 1, 1, 6, 1, 1, 1)
  widen <- function(...) {
    call <- choice(gpsieve(y ~ day, ..., seed = 1, verbose = FALSE), "call")
    eval(call$control)$blocks$widen
  }
  weighted <- widen(days, weights = w)
  expect_equal(weighted, widen(days[rep(1:40, days$w), ]), tolerance = 0.02)
  expect_gt(abs(log(weighted / widen(days))), 0.05)
  # The noise that a user names is widened as that of the package; one that is held is not.
  expect_identical(widen(days, likelihood = lik_gaussian()), widen(days))
  expect_identical(widen(days, likelihood = lik_gaussian(fixed(0.1))), 1)
})

test_that("an update learns on from variances before they were widened", {
  rows <- data.frame(x = 1:12, y = with_own_seed(6, cumsum(rnorm(12))))
  deviation <- function(fit) predict(fit, data.frame(x = 20), type = "link", se.fit = TRUE)$se.fit
  after_updates <- lapply(c(1, 4), function(widen) {
    fit <- meanfield_gp(y ~ x, rows, kernel_linear(NULL) + kernel_constant(), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(widen = widen)))
    again <- update(update(fit, data = rows), data = rows)
    expect_equal(deviation(update(fit, data = rows, optimise = FALSE)), deviation(fit))
    deviation(again)
  })
  expect_equal(after_updates[[2L]], 2 * after_updates[[1L]], tolerance = 1e-3)
})

test_that("variances of a kernel that has none are not widened", {
  rows <- data.frame(x = 1:12, y = with_own_seed(6, rnorm(12)))
  own <- kernel_function(function(x, z) exp(-outer(x[, 1], z[, 1], "-")^2))
  fit_with <- function(kernel, widen) {
    meanfield_gp(y ~ x, rows, kernel, seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(steps = 5, widen = widen)))
  }
  expect_error(fit_with(own, 4), "variances", class = "gpsieve_error_unsupported")
  link <- lapply(c(1, 4), function(widen) {
    predict(fit_with(own * kernel_rbf(), widen), rows, type = "link", se.fit = TRUE)
  })
  expect_equal(link[[2L]]$se.fit, 2 * link[[1L]]$se.fit, tolerance = 1e-8)
})

test_that("rows that lack their date are left out of a series, and no advice says otherwise", {
  data <- data.frame(day = seq(as.Date("2018-01-01"), by = "month", length.out = 40))
  data$y <- sin(2 * pi * 1:40 / 12)
  data$day[5] <- NA
  expect_identical(capture_messages(fit <- gpsieve(y ~ day, data, seed = 1, verbose = FALSE)),
    "i 1 of 40 rows left out: missing day (1)\n")
  expect_true(any(grepl("trend", choice(fit)$label)))
  expect_message(gpsieve(y ~ day, data, seed = 1, na.action = "model", verbose = FALSE),
    "no series", class = "gpsieve_message_missing")
})
