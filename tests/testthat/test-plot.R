# Every plot is drawn without a warning and returns the fit invisibly.

expect_picture <- function(code) {
  withr::local_pdf(NULL)
  expect_error(expect_no_condition_here(drawn <- withVisible(code)), NA)
  expect_false(drawn$visible)
  invisible(drawn$value)
}

expect_no_condition_here <- function(code) expect_warning(code, NA)

plot_fit <- function(task, columns, ...) {
  toy <- toy_data(task)
  ivm(reformulate(columns, "y"), toy$data, n_active = 12, optimise = FALSE, seed = 1, ...)
}

pictures <- function(fit) {
  classes <- c("calibration", "reject", "reliability")
  c(
    "trace", "effects", "relevance", if (ncol(inducing(fit)) <= 2) "function",
    if (!is.null(fit_classes(fit))) classes
  )
}

fit_classes <- function(fit) {
  if (is_regression(fit)) NULL else levels(predict(fit, inducing(fit)[0, , drop = FALSE]))
}

test_that("every picture of every kind of fit is drawn", {
  for (task in tasks) for (columns in list("a", c("a", "b"))) {
    toy <- toy_data(task)
    fit <- plot_fit(task, columns)
    for (which in c(list(NULL), pictures(fit))) {
      expect_identical(expect_picture(plot(fit, which)), fit)
      expect_identical(expect_picture(plot(fit, which, newdata = toy$data)), fit)
    }
    expect_picture(plot(fit, "function", grid = 7, level = 0.5))
    expect_picture(plot(fit, main = "A title", cex = 0.5))
  }
})

test_that("pictures of fits from a matrix take the response apart", {
  toy <- toy_data("binary")
  fit <- ivm(as.matrix(toy$x), toy$y, n_active = 12, optimise = FALSE, seed = 1)
  expect_picture(plot(fit, "calibration", newdata = toy$x, y = toy$y))
  expect_picture(plot(fit, "function", newdata = as.matrix(toy$x), y = toy$y))
  expect_picture(plot(fit, "reject", newdata = as.matrix(toy$x), y = as.character(toy$y)))
  expect_picture(plot(fit, "calibration"))
  expect_error(plot(fit, "calibration", newdata = toy$x), class = "gpsieve_error_argument")
})

test_that("pictures of many inputs, counts, constant and missing values", {
  x <- uniform_inputs(40, 3)
  wide <- ivm(x, factor(x[, 1] > 0), n_active = 12, optimise = FALSE, seed = 1)
  expect_picture(plot(wide))
  numbers <- ivm(x, x[, 1], n_active = 12, optimise = FALSE, seed = 1)
  expect_picture(plot(numbers))
  counts <- ivm(x[, 1, drop = FALSE], rep(0:3, 10), likelihood = lik_poisson(), n_active = 12,
    optimise = FALSE, seed = 1
  )
  expect_picture(plot(counts))
  flat <- ivm(cbind(a = rep(1, 40)), rep(1:2, 20), n_active = 3, optimise = FALSE, seed = 1)
  expect_picture(plot(flat))
  toy <- toy_data("binary")
  toy$data$a[3] <- NA
  toy$data$y[5] <- NA
  for (which in c("function", "calibration")) {
    expect_picture(plot(shared_fit("ivm", "binary"), which, newdata = toy$data))
  }
})

test_that("a drawing leaves the device's settings as they were", {
  withr::local_pdf(NULL)
  fit <- shared_fit("ivm", "binary", "formula")
  before <- graphics::par(no.readonly = TRUE)
  plot(fit, "calibration")
  expect_identical(graphics::par("mfrow"), before$mfrow)
})

test_that("newdata must be a data frame or a matrix", {
  withr::local_pdf(NULL)
  toy <- toy_data("binary")
  fit <- ivm(as.matrix(toy$x), toy$y, n_active = 12, optimise = FALSE, seed = 1)
  for (which in c("calibration", "function")) for (new in list(1:3, "a", list(1))) {
    caught <- tryCatch(plot(fit, which, newdata = new, y = toy$y), error = identity)
    expect_s3_class(caught, "gpsieve_error")
  }
})

test_that("the fineness of a picture is checked like any other argument", {
  withr::local_pdf(NULL)
  for (fit in list(plot_fit("regression", "a"), plot_fit("binary", c("a", "b")))) {
    for (grid in list(0, 1, 1.5, -5, "many", NA, c(5, 5))) {
      caught <- tryCatch(plot(fit, grid = grid), error = identity)
      expect_s3_class(caught, "gpsieve_error_argument")
    }
  }
})

test_that("pictures that cannot be drawn are refused in words", {
  withr::local_pdf(NULL)
  x <- uniform_inputs(40, 3)
  y <- factor(x[, 1] > 0)
  wide <- ivm(x, y, n_active = 12, refine = 0, optimise = FALSE, seed = 1)
  numbers <- shared_fit("ivm", "regression")
  refused <- function(code, class) expect_error(code, class = paste0("gpsieve_error_", class))
  refused(plot(wide, "function"), "unsupported")
  refused(plot(wide, "calibration"), "unsupported")
  refused(plot(numbers, "reject"), "unsupported")
  refused(plot(numbers, "reliability"), "unsupported")
  kept_nothing <- ivm(x, x[, 1], optimise = FALSE, seed = 1, control = control_ivm(keep = FALSE))
  refused(plot(kept_nothing, "residuals"), "argument")
  refused(plot(numbers, level = 1), "argument")
  refused(plot(numbers, level = 0), "argument")
  refused(plot(numbers, newdata = data.frame(a = 1)), "data")
  refused(plot(wide, "calibration", newdata = x, y = y[-1]), "data")
  expect_snapshot(error = TRUE, {
    plot(wide, "function")
    plot(wide, "calibration")
    plot(wide, "calibration", newdata = x)
    plot(wide, "calibration", newdata = x, y = y[-1])
    plot(numbers, "reject")
    plot(kept_nothing, "residuals")
  })
})

test_that("the same pictures are drawn with ggplot2", {
  skip_if_not_installed("ggplot2")
  draw <- function(fit, ...) {
    withr::local_pdf(NULL)
    drawn <- ggplot2::autoplot(fit, ...)
    expect_s3_class(drawn, "ggplot")
    expect_warning(print(drawn), NA)
  }
  for (task in tasks) for (columns in list("a", c("a", "b"))) {
    toy <- toy_data(task)
    fit <- plot_fit(task, columns)
    # Drawing takes long: the rows of the fit for one input, new rows for two.
    for (which in c(list(NULL), pictures(fit))) {
      if (length(columns) == 1) draw(fit, which) else draw(fit, which, newdata = toy$data)
    }
  }
  draw(shared_fit("ivm", "regression"), "residuals", newdata = toy_data("regression")$data)
  draw(ivm(weight ~ feed, chickwts, seed = 1))
  mixed <- ivm(weight ~ ., ChickWeight[1:80, c("weight", "Time", "Diet")], n_active = 10, seed = 1)
  draw(mixed)
  draw(mixed, terms = "Diet")
  fit <- shared_fit("ivm", "regression")
  expect_error(ggplot2::autoplot(fit, lvel = 0.5), class = "gpsieve_error_argument")
  expect_error(ggplot2::autoplot(fit, "effects", terms = "aa"), class = "gpsieve_error_argument")
})

test_that("factors are drawn as dots with bars, residuals beside their quantiles", {
  expect_picture(plot(ivm(weight ~ feed, chickwts, seed = 1)))
  yes <- factor(chickwts$weight > 250)
  expect_picture(plot(ivm(chickwts["feed"], yes, n_active = 20, optimise = FALSE, seed = 1)))
  for (task in c("binary", "regression")) {
    expect_picture(plot(shared_fit("ivm", task), "residuals", newdata = toy_data(task)$data))
  }
})

test_that("a user's own labels and limits replace the picture's", {
  withr::local_pdf(NULL)
  for (task in tasks) for (which in c("function", "trace", "relevance", "effects")) {
    fit <- plot_fit(task, "a")
    expect_error(plot(fit, which, xlab = "mine", ylab = "own", main = "title"), NA)
  }
  expect_error(plot(shared_fit("ivm", "binary"), "calibration", xlab = "mine"), NA)
})

test_that("more points than can be seen are thinned", {
  toy <- toy_data("regression", n = 60)
  fit <- plot_fit("regression", "a")
  many <- toy$data[rep(1:60, 500), ]
  kept <- gpsieve:::drawn_points(fit, many, NULL, quote(plot()))
  expect_identical(nrow(kept$x), 20000L)
  expect_length(kept$y, 20000)
})

test_that("partial dependence is the mean of what the fit predicts", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  effects <- gpsieve:::effect_frame(fit, toy$data, "a", 5, quote(plot()))
  average <- gpsieve:::partial_dependence(effects)
  moved <- function(a) {
    toy$data$a <- a
    mean(predict(fit, toy$data))
  }
  by_hand <- vapply(average$x, moved, 0)
  expect_equal(average$fit, by_hand, tolerance = 1e-12)
  levels <- ivm(weight ~ feed, chickwts, seed = 1)
  frame <- gpsieve:::line_frame(levels, NULL, 0.9, 10, quote(plot()))
  expect_equal(frame$fit, predict(levels, data.frame(feed = levels(chickwts$feed))))
})

test_that("pictures look as they did", {
  skip_if_not_installed("vdiffr")
  skip_on_ci()
  toy <- toy_data("regression")
  line <- plot_fit("regression", "a")
  vdiffr::expect_doppelganger("line", function() plot(line, newdata = toy$data))
  probability <- plot_fit("binary", "a")
  vdiffr::expect_doppelganger("probability", function() plot(probability))
  judged <- shared_fit("ivm", "binary")
  vdiffr::expect_doppelganger("reliability", function() plot(judged, "reliability"))
})

test_that("the colour key of values without a round number between them has one label", {
  withr::local_pdf(NULL)
  graphics::plot.new()
  expect_accepted(colour_key(1.23456789e13 * c(1, 1 + 4e-16), grDevices::hcl.colors(64), "y"))
})

test_that("axes of dates, times and ordered levels carry them, not their numbers", {
  moment <- list(kind = "time", levels = NULL)
  range <- as.double(as.POSIXct(c("2024-03-01 08:00", "2024-03-01 20:00")))
  ticks <- axis_ticks(moment, range)
  expect_true(as.double(as.POSIXct("2024-03-01 12:00")) %in% ticks$at)
  expect_null(axis_ticks(list(kind = "number"), c(0, 1)))
  data <- data.frame(
    day = as.Date("2023-01-01") + seq(0, 700, length.out = 30),
    size = factor(rep(c("S", "M", "L"), 10), c("S", "M", "L"), ordered = TRUE)
  )
  data$y <- sin(as.numeric(data$day) / 100) + as.integer(data$size)
  fit <- ivm(y ~ day + size, data, kernel_rbf(1, 1), optimise = FALSE, seed = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  expect_silent(plot(fit, which = "effects"))
  skip_if_not_installed("ggplot2")
  labels <- function(picture, axis) {
    shown <- ggplot2::ggplot_build(picture)$layout$panel_params[[1]][[axis]]$get_labels()
    shown[!is.na(shown)]
  }
  map <- ggplot2::autoplot(fit)
  expect_true(all(c("2023-07", "2024-01") %in% labels(map, "x")))
  expect_identical(labels(map, "y"), levels(data$size))
  expect_identical(
    labels(ggplot2::autoplot(fit, which = "effects", terms = "size"), "x"), levels(data$size)
  )
})

test_that("each facet of effects has the labels of its own input, factors among them", {
  skip_if_not_installed("ggplot2")
  data <- data.frame(
    day = as.Date("2023-01-01") + seq(0, 700, length.out = 30), number = (1:30) %% 7,
    kind = factor(rep(c("S", "M", "L"), 10), c("S", "M", "L"))
  )
  data$y <- sin(as.numeric(data$day) / 100) + 0.1 * data$number + as.integer(data$kind)
  fit <- ivm(y ~ day + number + kind, data, kernel_rbf(1, 1), optimise = FALSE, seed = 1)
  shown <- function(...) {
    picture <- ggplot2::autoplot(fit, "effects", newdata = data, ...)
    built <- ggplot2::ggplot_build(picture)
    labels <- lapply(built$layout$panel_params, function(panel) {
      panel$x$get_labels()[!is.na(panel$x$get_breaks())]
    })
    list(labels = labels, layers = built$data)
  }
  terms <- c("day", "number", "kind")
  all <- shown(terms = terms)
  expect_true(all(c("2023-07", "2024-01") %in% all$labels[[1]]))
  expect_identical(all$labels[2:3], list(c("0", "2", "4", "6"), levels(data$kind)))
  # The line of a number is that of the picture of this input alone, moved along its axis.
  alone <- shown(terms = "number")
  expect_identical(alone$labels[[1]], c("0", "2", "4", "6"))
  line <- all$layers[[2]][all$layers[[2]]$PANEL == 2, ]
  expect_identical(line$y, alone$layers[[2]]$y)
  expect_equal(cor(line$x, alone$layers[[2]]$x), 1)
  average <- all$layers[[3]]
  expect_identical(nrow(average), 3L)
  moved <- vapply(levels(data$kind), function(kind) {
    data$kind[] <- kind
    mean(predict(fit, data))
  }, 0)
  expect_equal(average$y, unname(moved))
})

test_that("a map has no mean where no data are, and keeps it where they are", {
  gap <- data.frame(a = c(0:4, 20:24) / 10, b = rep(c(0, 0.2), 5))
  gap$y <- gap$a
  at <- function(frame, a) frame$value[which.min(abs(frame$x - a) + abs(frame$y - 0.1))]
  dense <- function(lengthscale) {
    meanfield_gp(y ~ a + b, gap, kernel_rbf(1, lengthscale), lik_gaussian(0.01), optimise = FALSE,
      standardise = FALSE
    )
  }
  fit <- dense(0.3)
  map <- gpsieve:::map_frame(fit, NULL, 41L, quote(plot()))
  expect_true(is.na(at(map, 1.2)))
  expect_false(is.na(at(map, 0.2)) || is.na(at(map, 2.2)))
  expect_false(anyNA(gpsieve:::map_frame(dense(100), NULL, 11L, quote(plot()))$value))
  # A relevance vector machine has no prior variance to compare with.
  relevance <- rvm(y ~ a + b, gap, kernel_rbf(1, 0.3), optimise = FALSE, seed = 1)
  expect_false(anyNA(gpsieve:::map_frame(relevance, NULL, 11L, quote(plot()))$value))
})

test_that("in a low picture the relevance shows the rows whose labels fit", {
  withr::local_pdf(NULL, width = 7, height = 2)
  graphics::par(mar = c(4, 4, 1, 1))
  low <- gpsieve:::rows_that_fit()
  withr::local_pdf(NULL, width = 7, height = 7)
  expect_gt(gpsieve:::rows_that_fit(), low)
  expect_gte(low, 3)
  expect_lt(gpsieve:::label_size(strrep("m", 500)), gpsieve:::label_size("m"))
})

test_that("bands are the intervals of predict(), of both kinds", {
  toy <- toy_data("regression")
  fit <- plot_fit("regression", "a")
  frame <- gpsieve:::line_frame(fit, NULL, 0.8, 9, quote(plot()))
  new <- data.frame(a = frame$x)
  mean <- predict(fit, new, interval = "confidence", level = 0.8)
  value <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(frame$low, mean[, "lwr"], ignore_attr = TRUE)
  expect_equal(frame$high, mean[, "upr"], ignore_attr = TRUE)
  expect_equal(frame$lower, value[, "lwr"], ignore_attr = TRUE)
  expect_equal(frame$upper, value[, "upr"], ignore_attr = TRUE)
  words <- function(...) band_words(fit, 0.8, ...)
  expect_match(words("both"), "intervals of the mean .dark. and of a new value .pale.")
  expect_match(words("confidence"), "interval of the mean$")
  expect_match(words("prediction"), "prediction interval")
  expect_null(words("none"))
  for (task in tasks) for (interval in c("both", "confidence", "prediction", "none")) {
    fit <- plot_fit(task, "a")
    withr::local_pdf(NULL)
    if (interval == "prediction" && task != "regression" && !is_regression(fit)) {
      expect_error(plot(fit, interval = interval), class = "gpsieve_error_unsupported")
    } else {
      expect_picture(plot(fit, interval = interval))
    }
  }
  expect_error(plot(fit, interval = "predict"), class = "gpsieve_error_argument")
})

test_that("a number by a factor has a curve and its bands for each level, with its rows", {
  for (formula in list(len ~ dose + supp, len ~ dose * supp, len ~ supp + dose)) {
    fit <- meanfield_gp(formula, ToothGrowth, optimise = FALSE)
    expect_picture(plot(fit, newdata = ToothGrowth))
    frame <- gpsieve:::line_frame(fit, NULL, 0.9, 7, quote(plot()))
    expect_identical(levels(frame$group), c("OJ", "VC"))
    new <- data.frame(dose = frame$x, supp = frame$group)
    expect_equal(frame$fit, predict(fit, new), ignore_attr = TRUE)
    expect_equal(frame$upper, predict(fit, new, interval = "prediction", level = 0.9)[, "upr"],
      ignore_attr = TRUE)
    data <- curve_data(fit, drawn_points(fit, ToothGrowth, NULL, quote(plot())))
    expect_equal(data$x, ToothGrowth$dose)
    expect_identical(as.character(data$group), as.character(ToothGrowth$supp))
  }
  cars <- transform(mtcars, am = factor(am), vs = factor(vs))
  expect_picture(plot(meanfield_gp(am ~ wt + vs, cars, optimise = FALSE), newdata = cars))
  expect_picture(plot(meanfield_gp(factor(gear) ~ wt + vs, cars, optimise = FALSE)))
})

test_that("rows of a factor are drawn beside its bars", {
  fit <- meanfield_gp(weight ~ feed, chickwts, optimise = FALSE)
  data <- curve_data(fit, drawn_points(fit, chickwts, NULL, quote(plot())))
  expect_identical(data$x, as.integer(chickwts$feed))
  expect_equal(data$y, chickwts$weight)
  yes <- transform(chickwts, yes = factor(weight > 250))
  classes <- meanfield_gp(yes ~ feed, yes, optimise = FALSE)
  shares <- level_shares(classes, curve_data(classes, drawn_points(classes, yes, NULL, NULL)), 6)
  expect_equal(shares$share, as.vector(tapply(yes$yes == "TRUE", yes$feed, mean)))
  expect_picture(plot(classes, newdata = yes))
})

test_that("curves stay where the data are, go on as far as asked, and have points in each period", {
  series <- data.frame(day = as.Date("2024-01-01") + 0:199)
  series$y <- sin(2 * pi * seq(0, 199) / 7) + seq(0, 199) / 100
  fit <- gpsieve(y ~ day, series, ahead = 14, seed = 1, verbose = FALSE)
  at <- gpsieve:::line_frame(fit, NULL, 0.9, NULL, quote(plot()))$x
  expect_equal(range(at), as.numeric(range(series$day)) + c(0, 14))
  expect_lt(max(diff(at)), 7 / 20)
  expect_equal(ends_of_data(fit, "day", at), as.numeric(max(series$day)))
  expect_picture(plot(fit))
  plain <- meanfield_gp(y ~ day, series, optimise = FALSE)
  frame <- gpsieve:::line_frame(plain, NULL, 0.9, NULL, quote(plot()))
  expect_equal(range(frame$x), as.numeric(range(series$day)))
  expect_length(ends_of_data(plain, "day", frame$x), 0)
  later <- data.frame(day = max(series$day) + 1:30)
  points <- drawn_points(plain, later, NULL, quote(plot()))
  frame <- gpsieve:::line_frame(plain, points, 0.9, NULL, quote(plot()))
  expect_equal(max(frame$x), as.numeric(max(later$day)))
  asked <- list(level = 0.9, interval = "both")
  expect_match(curve_caption(plain, frame, NULL, asked), "end of the data")
})

test_that("a picture makes room for its caption, and the margins come back with the next one", {
  withr::local_pdf(NULL)
  fit <- plot_fit("regression", "a")
  for (margins in list(c(5.1, 4.1, 4.1, 2.1), c(4, 4, 1, 1), c(2, 2, 0.5, 0.5))) {
    graphics::par(mar = margins)
    plot(fit)
    ours <- graphics::par("mar")
    expect_gte(ours[1], caption_place() + 0.8)
    expect_lte(ours[3], 1)
    # What is added stands where the picture has it.
    expect_equal(graphics::grconvertX(graphics::par("usr")[1:2], "user", "nfc"),
      graphics::par("plt")[1:2])
    plot(fit)
    expect_equal(graphics::par("mar"), ours)
    plot(1:2)
    expect_equal(graphics::par("mar"), margins)
  }
  # Pictures of one and of several panels in any order leave the margins of before.
  graphics::par(mar = c(5, 4, 4, 2))
  two <- plot_fit("binary", c("a", "b"))
  for (which in rep(c("function", "effects", "calibration", "relevance", "trace"), 4)) {
    plot(two, which)
    expect_lte(max(graphics::par("mar")), 6)
  }
  plot(1:2)
  expect_equal(graphics::par("mar"), c(5, 4, 4, 2))
  plot(fit)
  graphics::par(mar = c(3, 3, 3, 3))
  plot(1:2)
  expect_equal(graphics::par("mar"), c(3, 3, 3, 3))
  graphics::par(mar = c(5, 4, 4, 2))
  plot(fit, main = "A title")
  expect_equal(graphics::par("mar")[3], 4)
  expect_gt(length(caption_lines(strrep("word ", 100))), 1)
})

test_that("the band of partial dependence is the posterior of the average", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  effects <- gpsieve:::effect_frame(fit, toy$data, "a", 3, quote(plot()))
  average <- partial_dependence(effects, fit, 0.9)
  moved <- toy$data
  moved$a <- average$x[2]
  joint <- predict(fit, moved, type = "link", cov = TRUE)
  expect_equal(average$error[2], sqrt(mean(joint$cov)), tolerance = 1e-6)
  expect_equal(average$high[2] - average$fit[2], qnorm(0.95) * sqrt(mean(joint$cov)),
    tolerance = 1e-6)
  counts <- shared_fit("meanfield_gp", "binary")
  found <- partial_dependence(gpsieve:::effect_frame(counts, NULL, "a", 5, quote(plot())), counts)
  expect_true(all(found$low >= 0 & found$high <= 1 & found$low < found$high))
  expect_match(effect_words(fit, "a", list(level = 0.9, interval = "both")), "1 of 2 inputs")
})

test_that("autoplot() says under a picture what plot() says", {
  skip_if_not_installed("ggplot2")
  asked <- list(level = 0.9, interval = "both")
  for (task in tasks) {
    fit <- plot_fit(task, "a")
    frame <- gpsieve:::line_frame(fit, NULL, 0.9, 5, quote(plot()))
    said <- function(which) gsub("\n", " ", ggplot2::autoplot(fit, which)$labels$caption)
    rows <- curve_data(fit, training_points(fit))
    expect_identical(said("function"), curve_caption(fit, frame, rows, asked))
    expect_identical(said("effects"), effect_words(fit, "a", asked))
  }
})
