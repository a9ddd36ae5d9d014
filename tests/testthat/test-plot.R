# Every plot is drawn without a warning and returns the fit invisibly.

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

test_that("in a low picture the relevance shows the rows whose labels fit", {
  withr::local_pdf(NULL, width = 7, height = 2)
  graphics::par(mar = c(4, 4, 1, 1))
  low <- gpsieve:::rows_that_fit()
  withr::local_pdf(NULL, width = 7, height = 7)
  expect_gt(gpsieve:::rows_that_fit(), low)
  expect_gte(low, 3)
  expect_lt(gpsieve:::label_size(strrep("m", 500)), gpsieve:::label_size("m"))
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

test_that("rows of which a picture shows nothing are refused", {
  for (task in c("regression", "binary")) {
    fit <- plot_fit(task, c("a", "b"))
    toy <- toy_data(task)
    nothing <- replace(toy$data, c("a", "b"), NA_real_)
    for (which in c("function", "effects", "relevance", "residuals")) {
      expect_error(plot(fit, which, newdata = toy$data[0, ]), class = "gpsieve_error_data")
    }
    judged <- if (task == "binary") c("residuals", "calibration") else "residuals"
    for (which in judged) {
      expect_error(plot(fit, which, newdata = nothing), class = "gpsieve_error_data")
    }
  }
})
