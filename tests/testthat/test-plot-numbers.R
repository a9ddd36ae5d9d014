# The numbers of pictures: curves, bands, maps and partial dependence beside what predict() gives.

test_that("more points than can be seen are thinned", {
  toy <- toy_data("regression", n = 60)
  fit <- plot_fit("regression", "a")
  many <- toy$data[rep(1:60, 500), ]
  kept <- gpsieve:::drawn_points(fit, many, NULL)
  expect_identical(nrow(kept$x), 20000L)
  expect_length(kept$y, 20000)
})

test_that("partial dependence is the mean of what the fit predicts", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  effects <- gpsieve:::effect_frame(fit, toy$data, "a", 5)
  average <- gpsieve:::partial_dependence(effects)
  moved <- function(a) {
    toy$data$a <- a
    mean(predict(fit, toy$data))
  }
  by_hand <- vapply(average$x, moved, 0)
  expect_equal(average$fit, by_hand, tolerance = 1e-12)
  levels <- ivm(weight ~ feed, chickwts, seed = 1)
  frame <- gpsieve:::line_frame(levels, NULL, 0.9, 10)
  expect_equal(frame$fit, predict(levels, data.frame(feed = levels(chickwts$feed))))
})

test_that("a map has no mean where no data are, and keeps it where they are", {
  gap <- data.frame(a = c(0:4, 20:24) / 10, b = rep(c(0, 0.2), 5))
  gap$y <- gap$a
  at <- function(frame, a) frame$value[which.min(abs(frame$x - a) + frame$y)]
  dense <- function(lengthscale) {
    meanfield_gp(y ~ a + b, gap, kernel_rbf(1, lengthscale), lik_gaussian(0.01), optimise = FALSE,
      standardise = FALSE
    )
  }
  fit <- dense(0.3)
  map <- gpsieve:::map_frame(fit, NULL, 41L)
  expect_true(is.na(at(map, 1.2)))
  expect_false(is.na(at(map, 0.2)) || is.na(at(map, 2.2)))
  expect_false(is.na(at(gpsieve:::map_frame(dense(100), NULL, 41L), 0.2)))
  # A relevance vector machine has no prior variance to compare with.
  relevance <- rvm(y ~ a + b, gap, kernel_rbf(1, 0.3), optimise = FALSE, seed = 1)
  expect_false(is.na(at(gpsieve:::map_frame(relevance, NULL, 41L), 0.2)))
})

test_that("bands are the intervals of predict(), of both kinds", {
  toy <- toy_data("regression")
  fit <- plot_fit("regression", "a")
  frame <- gpsieve:::line_frame(fit, NULL, 0.8, 9)
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
    refused <- switch(interval, prediction = !is_regression(fit), confidence = task == "multiclass",
      FALSE)
    if (refused) {
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
    frame <- gpsieve:::line_frame(fit, NULL, 0.9, 7)
    expect_identical(levels(frame$group), c("OJ", "VC"))
    new <- data.frame(dose = frame$x, supp = frame$group)
    expect_equal(frame$fit, predict(fit, new), ignore_attr = TRUE)
    expect_equal(frame$upper, predict(fit, new, interval = "prediction", level = 0.9)[, "upr"],
      ignore_attr = TRUE)
    data <- curve_data(fit, drawn_points(fit, ToothGrowth, NULL))
    expect_equal(data$x, ToothGrowth$dose)
    expect_identical(as.character(data$group), as.character(ToothGrowth$supp))
  }
  cars <- transform(mtcars, am = factor(am), vs = factor(vs))
  expect_picture(plot(meanfield_gp(am ~ wt + vs, cars, optimise = FALSE), newdata = cars))
  expect_picture(plot(meanfield_gp(factor(gear) ~ wt + vs, cars, optimise = FALSE)))
})

test_that("rows of a factor are drawn beside its bars", {
  fit <- meanfield_gp(weight ~ feed, chickwts, optimise = FALSE)
  data <- curve_data(fit, drawn_points(fit, chickwts, NULL))
  expect_identical(data$x, as.integer(chickwts$feed))
  expect_equal(data$y, chickwts$weight)
  yes <- transform(chickwts, yes = factor(weight > 250))
  classes <- meanfield_gp(yes ~ feed, yes, optimise = FALSE)
  shares <- level_shares(classes, curve_data(classes, drawn_points(classes, yes, NULL)), 6)
  expect_equal(shares$share, as.vector(tapply(yes$yes == "TRUE", yes$feed, mean)))
  expect_picture(plot(classes, newdata = yes))
})

test_that("curves stay where the data are, go on as far as asked, and have points in each period", {
  series <- data.frame(day = as.Date("2024-01-01") + 0:199)
  series$y <- sin(2 * pi * seq(0, 199) / 7) + seq(0, 199) / 100
  fit <- gpsieve(y ~ day, series, ahead = 14, seed = 1, verbose = FALSE)
  at <- gpsieve:::line_frame(fit, NULL, 0.9, NULL)$x
  expect_equal(range(at), as.numeric(max(series$day)) + 14 * c(-shown_past, 1))
  expect_lt(max(diff(at)), 7 / 20)
  expect_equal(ends_of_data(fit, "day", at), as.numeric(max(series$day)))
  expect_picture(plot(fit))
  plain <- meanfield_gp(y ~ day, series, optimise = FALSE)
  frame <- gpsieve:::line_frame(plain, NULL, 0.9, NULL)
  expect_equal(range(frame$x), as.numeric(range(series$day)))
  expect_length(ends_of_data(plain, "day", frame$x), 0)
  later <- data.frame(day = max(series$day) + 1:30)
  points <- drawn_points(plain, later, NULL)
  frame <- gpsieve:::line_frame(plain, points, 0.9, NULL)
  expect_equal(max(frame$x), as.numeric(max(later$day)))
  asked <- list(level = 0.9, interval = "both")
  expect_match(curve_caption(plain, frame, NULL, asked), "end of the data")
})

test_that("the band of partial dependence is the posterior of the average", {
  toy <- toy_data("regression")
  fit <- shared_fit("ivm", "regression")
  effects <- gpsieve:::effect_frame(fit, toy$data, "a", 3)
  average <- partial_dependence(effects, fit, 0.9)
  moved <- toy$data
  moved$a <- average$x[2]
  joint <- predict(fit, moved, type = "link", cov = TRUE)
  expect_equal(average$error[2], sqrt(mean(joint$cov)), tolerance = 1e-6)
  expect_equal(average$high[2] - average$fit[2], qnorm(0.95) * sqrt(mean(joint$cov)),
    tolerance = 1e-6)
  counts <- shared_fit("meanfield_gp", "binary")
  found <- partial_dependence(gpsieve:::effect_frame(counts, NULL, "a", 5), counts)
  expect_true(all(found$low >= 0 & found$high <= 1 & found$low < found$high))
  asked <- list(level = 0.9, interval = "both")
  expect_match(effects_picture(fit, NULL, "a", asked)$words, "1 of 2 inputs")
})

test_that("bands of effects lie around the average, and within what a response can be", {
  set <- with_own_seed(5, data.frame(x = runif(40), z = rnorm(40)))
  set$y <- 3 * sin(5 * set$x) + set$z
  responses <- list(lik_gaussian(), lik_warped(), lik_student())
  for (likelihood in responses) {
    fit <- ivm(y ~ x + z, set, likelihood = likelihood, optimise = FALSE, seed = 1)
    average <- effects_picture(fit, NULL, NULL, list(level = 0.9, interval = "both"))$average
    expect_true(all(average$low < average$fit & average$fit < average$high))
    expect_lt(min(average$low), 0)
  }
})

test_that("of classes the band of partial dependence is that of each probability", {
  set <- with_own_seed(2, data.frame(a = rep(1:12, 5) / 12, b = rep(1:5, 12)))
  set$k <- factor(c("low", "middle", "high")[1 + (set$a > 0.4) + (set$a + set$b / 10 > 0.9)])
  set$o <- factor(set$k, c("low", "middle", "high"), ordered = TRUE)
  for (formula in list(k ~ a + b, o ~ a + b)) {
    fit <- meanfield_gp(formula, set, kernel_rbf(2, 0.7), optimise = FALSE)
    effects <- effect_frame(fit, NULL, "a", 4L)
    # Draws of the latent functions at the rows of one place say how the average probability varies.
    place <- effects$x == effects$x[1]
    rows <- attr(effects, "rows")
    rows[, 1] <- effects$x[1]
    x <- rows_for_fit(fit, model_rows(fit, rows))
    settings <- core_settings(1L)
    mean <- latent_marginals(fit, x, FALSE, settings)$mean
    covariances <- latent_covariances(fit, x, settings)
    draws <- with_own_seed(3, replicate(2000, {
      f <- vapply(seq_along(covariances), function(k) {
        mean[, k] + drop(crossprod(chol(covariances[[k]] + diag(1e-8, nrow(x))), rnorm(nrow(x))))
      }, numeric(nrow(x)))
      colMeans(predicted_probabilities(fit, list(mean = f, variance = 0 * f)))
    }))
    found <- vapply(drawn_classes(fit$response), function(class) {
      effects$error[place & effects$class == class][1]
    }, 0)
    expect_equal(found, apply(draws, 1, stats::sd)[names(found)], tolerance = 0.2)
  }
})
