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
