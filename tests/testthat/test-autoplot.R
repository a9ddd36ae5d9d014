# Pictures by ggplot2: drawn without a warning, with the labels and the words of plot().

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
  curves <- ggplot2::autoplot(fit)
  expect_true(all(c("2023-07", "2024-01") %in% labels(curves, "x")))
  expect_identical(names(curve_groups(fit)$key), levels(data$size))
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
  line <- all$layers[[3]][all$layers[[3]]$PANEL == 2, ]
  expect_identical(line$y, alone$layers[[2]]$y)
  expect_equal(cor(line$x, alone$layers[[2]]$x), 1)
  average <- all$layers[[4]]
  expect_identical(nrow(average), 3L)
  moved <- vapply(levels(data$kind), function(kind) {
    data$kind[] <- kind
    mean(predict(fit, data))
  }, 0)
  expect_equal(average$y, unname(moved))
})

test_that("autoplot() says under a picture what plot() says", {
  skip_if_not_installed("ggplot2")
  asked <- list(level = 0.9, interval = "both")
  for (task in tasks) {
    fit <- plot_fit(task, "a")
    frame <- gpsieve:::line_frame(fit, NULL, 0.9, 5)
    said <- function(which) gsub("\n", " ", ggplot2::autoplot(fit, which)$labels$caption)
    rows <- curve_data(fit, training_points(fit))
    expect_identical(said("function"), curve_caption(fit, frame, rows, asked))
    expect_identical(said("effects"), effects_picture(fit, NULL, "a", asked)$words)
  }
})
