# Pictures of formulas that compute with columns of the data move these columns.

drawn_data <- local({
  set.seed(11)
  x <- runif(70, 1, 5)
  z <- rnorm(70)
  f <- factor(rep(c("u", "v", "w"), length.out = 70))
  day <- as.Date("2024-01-01") + sample(300, 70)
  name <- rep(c("ann", "robert"), 35)
  y <- (x - 3)^2 + z + as.integer(f) + rnorm(70, sd = 0.2)
  data.frame(x, z, f, day, name, y, k = factor(ifelse(y > stats::median(y), "high", "low")),
    n = rpois(70, exp(x / 3)))
})

drawn_fit <- function(formula, ..., model = ivm, data = drawn_data) {
  suppressMessages(model(formula, data, ..., optimise = FALSE, seed = 1))
}

curve_of <- function(fit, ...) line_frame(fit, NULL, 0.9, 30)

test_that("the curve over x of a formula in x is what predict() says along it", {
  skip_if_not_installed("splines")
  for (formula in list(y ~ poly(x, 2), y ~ splines::ns(x, 3), y ~ splines::bs(x, df = 5),
    y ~ scale(x), y ~ log(x), y ~ x + I(x^2), y ~ sin(x) + cos(x), y ~ sqrt(x) + x, y ~ x:x)) {
    for (model in list(ivm, online_gp)) {
      fit <- drawn_fit(formula, model = model)
      drawn <- curve_of(fit)
      said <- predict(fit, data.frame(x = drawn$x), interval = "confidence", level = 0.9)
      expect_equal(drawn$fit, unname(said[, "fit"]))
      expect_equal(drawn$low, unname(said[, "lwr"]))
      expect_equal(range(drawn$x), range(drawn_data$x))
    }
  }
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(curve_of(readRDS(file)), drawn)
})

test_that("so is that of each level of a factor, and of other responses", {
  fit <- drawn_fit(y ~ poly(x, 2) * f)
  drawn <- curve_of(fit)
  expect_equal(drawn$fit, unname(predict(fit, data.frame(x = drawn$x, f = drawn$group))))
  fit <- drawn_fit(y ~ log(x):f)
  drawn <- curve_of(fit)
  expect_equal(drawn$fit, unname(predict(fit, data.frame(x = drawn$x, f = drawn$group))))
  fit <- drawn_fit(k ~ poly(x, 2))
  drawn <- curve_of(fit)
  expect_equal(drawn$fit, unname(predict(fit, data.frame(x = drawn$x), type = "prob")[, "low"]))
  fit <- drawn_fit(n ~ log(x), model = ep_gp, likelihood = lik_poisson())
  drawn <- curve_of(fit)
  expect_equal(drawn$fit, unname(predict(fit, data.frame(x = drawn$x))))
})

test_that("maps are drawn over the columns of products and of functions of two of them", {
  for (formula in list(y ~ x:z, y ~ I(x * z), y ~ poly(x, 2) + z, y ~ log(x) * z)) {
    fit <- drawn_fit(formula, model = meanfield_gp)
    drawn <- map_frame(fit, NULL, 5)
    said <- predict(fit, data.frame(x = drawn$x, z = drawn$y))
    known <- !is.na(drawn$value)
    expect_equal(drawn$value[known], unname(said)[known])
  }
})

test_that("effects move a column in all terms that have it, averaged over rows of the data", {
  fit <- drawn_fit(y ~ poly(x, 2) * f + as.numeric(day) + z)
  expect_setequal(names(input_terms(fit)), c("x", "f", "day", "z"))
  for (newdata in list(NULL, drawn_data[1:12, ])) {
    effects <- effect_frame(fit, newdata, c("x", "day", "f"), 6)
    rows <- if (is.null(newdata)) drawn_data[evenly_spaced(70, most_effect_rows), ] else newdata
    average <- partial_dependence(effects)
    for (term in c("x", "day")) {
      part <- average[average$term == term, ]
      said <- vapply(part$x, function(value) {
        rows[[term]] <- if (term == "day") .Date(value) else value
        mean(predict(fit, rows))
      }, 0)
      expect_equal(part$fit, said)
    }
    part <- average[average$term == "f", ]
    said <- vapply(part$label, function(level) {
      rows$f <- factor(level, levels(rows$f))
      mean(predict(fit, rows))
    }, 0)
    expect_equal(part$fit, unname(said))
  }
})

test_that("what is computed of text with few values is drawn by these, of ids as it is", {
  fit <- drawn_fit(y ~ nchar(name) + x)
  expect_named(input_terms(fit), c("name", "x"))
  ids <- transform(drawn_data, name = sprintf("row %d", seq_len(70)^2))
  expect_named(input_terms(drawn_fit(y ~ nchar(name) + log(x), data = ids)), c("nchar(name)", "x"))
  expect_named(input_terms(drawn_fit(y ~ cut(z, 3) + log(x))), c("cut(z, 3)", "x"))
})

test_that("every picture of such a fit is drawn, without its rows too", {
  skip_if_not_installed("ggplot2")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  formulas <- list(y ~ poly(x, 2), y ~ log(x) * f, y ~ x:z, y ~ poly(x, 2) + z + f + day,
    k ~ poly(x, 2) + z, y ~ g(poly(x, 2)) + g(z), y ~ log(x) + (1 | name))
  for (formula in formulas) {
    fit <- drawn_fit(formula)
    for (which in c("function", "effects")) {
      if (which == "function" && !is_drawable_function(fit)) next
      expect_no_error(plot(fit, which, newdata = drawn_data, grid = 6))
      expect_no_error(plot(axe_data.gpsieve_fit(fit), which, grid = 6))
      expect_no_error(print(ggplot2::autoplot(fit, which, grid = 6)))
    }
    if (fit$kernel$type == "sum") expect_no_error(plot(fit, "terms", grid = 6))
  }
})

test_that("a fit keeps few rows for pictures, none with keep = FALSE", {
  many <- drawn_data[rep(1:70, 30), ]
  many$x <- many$x + seq_len(2100) / 1e4
  fit <- drawn_fit(y ~ poly(x, 2) + z, data = many, n_active = 20)
  expect_equal(dim(fit$kept$drawn), c(most_drawn_rows, 2L))
  expect_null(drawn_fit(y ~ poly(x, 2), control = control_ivm(keep = FALSE))$kept)
  expect_null(axe_data.gpsieve_fit(fit)$kept)
  points <- training_points(fit)
  at <- evenly_spaced(2100, most_drawn_rows)
  expect_equal(points$x[, 1L], many$x[at])
  expect_equal(points$y, many$y[at])
  expect_match(map_words(fit, data.frame(value = 1), points), "1,000 of 2,100 rows")
  fit$kept$drawn <- fit$kept$drawn[, 1L, drop = FALSE]
  expect_error(plot(fit), class = "gpsieve_error_object")
  fit <- drawn_fit(y ~ poly(x, 2))
  fit$blueprint$drawn$typical <- "a"
  expect_error(predict(fit, drawn_data), class = "gpsieve_error_object")
})

test_that("the training rows are drawn also where few of them are basis points", {
  fit <- drawn_fit(dist ~ speed, data = cars, n_active = 10)
  points <- training_points(fit)
  expect_equal(points$x[, 1L], cars$speed)
  expect_equal(points$y, cars$dist)
  expect_null(training_points(drawn_fit(y ~ x + z + f)))
})

test_that("a number by a group has a curve for each level, of many without bands", {
  data <- data.frame(day = rep(0:5, 12), who = rep(sprintf("s%02d", 1:12), each = 6))
  data$y <- data$day * rep(1:12, each = 6) + sin(seq_len(72))
  for (size in c(4, 12)) {
    some <- data[data$who %in% sprintf("s%02d", seq_len(size)), ]
    fit <- drawn_fit(y ~ day + (day | who), data = some, model = meanfield_gp)
    drawn <- curve_of(fit)
    expect_identical(levels(drawn$group), unique(some$who))
    said <- predict(fit, data.frame(day = drawn$x, who = as.character(drawn$group)))
    expect_equal(drawn$fit, unname(said))
    expect_equal(length(drawn_bands(fit, "both")), if (size > most_curves) 0L else 2L)
    points <- curve_data(fit, training_points(fit))
    expect_identical(as.character(points$group), some$who)
    grDevices::pdf(NULL)
    expect_no_error(plot(fit))
    if (requireNamespace("ggplot2", quietly = TRUE)) expect_no_error(print(ggplot2::autoplot(fit)))
    grDevices::dev.off()
  }
})

test_that("flags are drawn as two levels: alone, beside a number, among effects and terms", {
  d <- with_own_seed(1, data.frame(x = runif(40), flag = rep(c(TRUE, FALSE), 20)))
  d$y <- sin(6 * d$x) + d$flag
  kernels <- kernel_on(kernel_rbf(), "x") + kernel_on(kernel_rbf(), "flag")
  fit <- meanfield_gp(y ~ x + flag, d, kernels, optimise = FALSE, verbose = FALSE)
  expect_identical(fit$blueprint$flags, "flag")
  lines <- line_frame(fit, NULL, 0.9, 5)
  expect_identical(levels(lines$group), c("FALSE", "TRUE"))
  new <- data.frame(x = lines$x, flag = lines$group == "TRUE")
  expect_equal(lines$fit, unname(predict(fit, new)))
  # Numbers 0 and 1 say the same of new rows.
  expect_equal(predict(fit, transform(new, flag = as.double(flag))), predict(fit, new))
  effects <- effect_frame(fit, NULL, c("x", "flag"), 7L)
  expect_identical(unique(effects$label[effects$term == "flag"]), c("FALSE", "TRUE"))
  alone <- meanfield_gp(d["flag"], d$y, optimise = FALSE, verbose = FALSE)
  drawn <- line_frame(alone, NULL, 0.9, 5)
  expect_identical(as.character(drawn$x), c("FALSE", "TRUE"))
  expect_equal(drawn$fit, unname(predict(alone, data.frame(flag = c(FALSE, TRUE)))))
  # A column that is TRUE in all rows has both places, of which nothing is known of one.
  always <- meanfield_gp(y ~ x + flag, transform(d, flag = TRUE), optimise = FALSE, verbose = FALSE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (picture in list(fit, alone, always)) expect_no_error(plot(picture))
  expect_no_error(plot(fit, "terms"))
  expect_no_error(plot(fit, "effects"))
})
