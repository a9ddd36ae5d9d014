# What pictures show of data of a kind: repeated measures, forecasts, survival, many classes, maps.

test_that("repeated measures have a curve for each subject, in the colours of another factor", {
  set <- expand.grid(age = 1:4, who = sprintf("s%02d", 1:10))
  set$sex <- factor(rep(c("f", "m"), each = 4, length.out = 40))
  set$y <- set$age + as.integer(set$who) + 2 * (set$sex == "m")
  fit <- meanfield_gp(y ~ age + sex + who, set, kernel_linear(), optimise = FALSE, seed = 1)
  of <- repeated_measures(fit)
  expect_identical(of[c("number", "factor", "beside")],
    list(number = "age", factor = "who", beside = "sex"))
  frame <- line_frame(fit, NULL, 0.9, 5)
  expect_identical(nlevels(droplevels(frame$group)), 10L)
  at <- frame[frame$x == 1, ]
  same <- data.frame(age = 1, who = at$group, sex = set$sex[match(at$group, set$who)])
  expect_equal(at$fit, unname(predict(fit, same)))
  groups <- curve_groups(fit)
  expect_identical(names(groups$key), c("f", "m"))
  expect_identical(unname(groups$colours[same$who]), unname(groups$key[as.character(same$sex)]))
  expect_picture(plot(fit))
  # A factor that changes within subjects leaves no curve for each.
  set$sex <- rev(set$sex)[c(2:40, 1)]
  mixed <- meanfield_gp(y ~ age + sex + who, set, kernel_linear(), optimise = FALSE, seed = 1)
  expect_null(repeated_measures(mixed))
})

test_that("a forecast shows the last times, with bands that are smooth between them", {
  set <- data.frame(t = 1:60, y = sin(1:60) + (1:60) / 20)
  fit <- meanfield_gp(y ~ t, set, kernel_matern(0.5, 1, 0.05), lik_gaussian(0.01),
    optimise = FALSE, seed = 1)
  fit$choice <- list(in_time = TRUE, ahead = list(column = "t", until = 66))
  expect_identical(recent_range(fit, 1L, NULL), c(42, 66))
  expect_identical(recent_range(fit, 1L, list(x = cbind(t = c(1, 66)))), c(1, 66))
  frame <- line_frame(fit, NULL, 0.9, NULL)
  width <- frame$upper - frame$fit
  between <- frame$x > 50 & frame$x < 55
  steps <- width[match(50:55, frame$x)]
  expect_lte(max(width[between]), max(steps) + 1e-12)
  expect_gt(max(predict(fit, data.frame(t = 50.5), se.fit = TRUE)$se.fit), 2 * max(steps) / 3.29)
  exact <- predict(fit, data.frame(t = 66), interval = "prediction", level = 0.9)
  expect_equal(frame$upper[frame$x == 66], unname(exact[1, "upr"]))
})

test_that("survival is drawn by groups, beside Kaplan and Meier's estimate", {
  skip_if_not_installed("survival")
  lung <- stats::na.omit(survival::lung[c("time", "status", "age", "ph.ecog", "sex")])
  lung$sex <- factor(lung$sex, labels = c("man", "woman"))
  fit <- meanfield_gp(survival::Surv(time, status) ~ age + ph.ecog + sex, lung, optimise = FALSE,
    seed = 1)
  expect_identical(default_picture(fit), "survival")
  asked <- list(level = 0.9, interval = "both")
  found <- survival_frame(fit, NULL, NULL, "sex", asked)
  expect_identical(found$groups, c("man", "woman"))
  of_men <- found$curves[found$curves$group == "man", ]
  expect_true(all(diff(of_men$share) <= 0) && of_men$share[1] == 1)
  at <- of_men$time[50]
  expect_equal(of_men$share[50],
    mean(predict(fit, lung[lung$sex == "man", ], type = "survival", times = at)))
  men <- lung[lung$sex == "man", ]
  theirs <- summary(survival::survfit(survival::Surv(time, status) ~ 1, men, conf.int = 0.9))
  ours <- found$steps[found$steps$group == "man", ]
  expect_equal(ours$share[match(theirs$time, ours$time)], theirs$surv)
  expect_equal(ours$low[match(theirs$time, ours$time)], theirs$lower)
  expect_equal(ours$high[match(theirs$time, ours$time)], theirs$upper)
  expect_identical(max(ours$time), max(men$time))
  expect_identical(survival_frame(fit, lung, NULL, "sex", asked)$steps, found$steps)
  expect_match(survival_frame(fit, NULL, NULL, "age", asked)$groups, "up to|to|above")
  none <- survival_frame(fit, NULL, NULL, "sex", list(level = 0.9, interval = "none"))
  expect_null(none$steps$low)
  expect_picture(plot(fit))
  expect_error(plot(shared_fit("ivm", "regression"), "survival"),
    class = "gpsieve_error_unsupported")
})

test_that("of many classes those that change most have colours", {
  set <- data.frame(a = seq(0, 1, length.out = 66), k = factor(rep(letters[1:11], each = 6)))
  fit <- ivm(k ~ a, set, n_active = 20, optimise = FALSE, seed = 1)
  frame <- line_frame(fit, NULL, 0.9, 30)
  colours <- drawn_class_colours(fit$response, frame)
  expect_setequal(names(colours), letters[1:11])
  expect_identical(sum(colours == other_classes), 4L)
  expect_identical(unname(utils::tail(attr(colours, "key"), 1)), other_classes)
  expect_picture(plot(fit))
  expect_picture(plot(fit, "effects"))
})

test_that("numbers of two different values are two points, with their values as labels", {
  set <- with_own_seed(4, data.frame(dose = rep(c(2, 5), 20), x = runif(40), y = rnorm(40)))
  fit <- meanfield_gp(y ~ dose + x, set, optimise = FALSE)
  expect_identical(fit$blueprint$twofold, "dose")
  effects <- effect_frame(fit, NULL, c("x", "dose"), 6L)
  expect_identical(unique(effects$label[effects$term == "dose"]), c("2", "5"))
  lines <- line_frame(fit, NULL, 0.9, 5)
  new <- data.frame(x = lines$x, dose = as.numeric(as.character(lines$group)))
  expect_equal(lines$fit, unname(predict(fit, new)))
  expect_picture(plot(fit))
  expect_picture(plot(fit, "effects"))
  expect_false(is_twofold(c(1, 2, 1)))
  expect_false(is_twofold(c(0, 1, rep(NA, 9))))
  expect_true(is_twofold(c(0L, NA, rep(c(0L, 1L), 9))))
  expect_false(is_twofold(c(rep(0:1, 1000), 2)))
})

test_that("a picture of effects is as high as the averages and most rows", {
  kind <- list(response = list(kind = "real"))
  average <- data.frame(fit = 1:2, low = 0:1, high = 2:3)
  near <- effect_limits(kind, data.frame(fit = seq(-1, 4, length.out = 101)), average)
  expect_identical(near, list(limits = c(-1, 4), cut = FALSE))
  far <- effect_limits(kind, data.frame(fit = c(seq(0, 3, length.out = 100), 90)), average)
  expect_identical(far, list(limits = c(0, 3), cut = TRUE))
})

test_that("maps of places have the same unit on both axes", {
  ratio <- function(names, x = c(0, 2), y = c(50, 52)) {
    fit <- list(blueprint = list(drawn = NULL, design = list()), inputs = list(
      center = stats::setNames(c(0, 0), names), range = matrix(0, 2, 2)))
    map_ratio(fit, data.frame(x = x, y = y))
  }
  expect_identical(ratio(c("Xloc", "Yloc")), 1)
  expect_identical(ratio(c("easting", "northing")), 1)
  expect_equal(ratio(c("longitude", "latitude")), 1 / cos(51 * pi / 180))
  expect_null(ratio(c("age", "weight")))
  expect_null(ratio(c("x", "y"), y = c(0, 9)))
})

test_that("a map is white far from the rows, and a rate is called one", {
  set <- data.frame(a = c(0, 0, 0.1, 0.1, 1), b = c(0, 0.1, 0, 0.1, 1), y = 1:5)
  set <- rbind(set, transform(set, a = a + 0.05, b = b + 0.05))
  fit <- meanfield_gp(y ~ a + b, set, kernel_rbf(1, 3), optimise = FALSE, seed = 1)
  frame <- map_frame(fit, NULL, 21)
  known <- !is.na(frame$value)
  expect_true(all(known[sqrt(frame$x^2 + frame$y^2) < 0.1]))
  expect_false(any(known[frame$x < 0.3 & frame$y > 0.7]))
  counts <- transform(set, n = 10, y = 1:10)
  rate <- ivm(y ~ a + offset(log(n)), counts, likelihood = lik_poisson(), optimise = FALSE,
    seed = 1)
  expect_identical(answer_words(rate), "y per n")
  expect_null(drawn_points(rate, NULL, NULL))
  shifted <- meanfield_gp(y ~ a + offset(b), set, optimise = FALSE, seed = 1)
  expect_identical(answer_words(shifted), "y with offset 0")
})

test_that("ordered factors are dots", {
  levels <- c("low", "mid", "high")
  set <- data.frame(o = factor(rep(levels, 5), levels, ordered = TRUE))
  set$y <- as.integer(set$o)^2 + sin(1:15) / 10
  fit <- meanfield_gp(y ~ o, set, optimise = FALSE, seed = 1)
  frame <- line_frame(fit, drawn_points(fit, NULL, NULL), 0.9, NULL)
  expect_identical(levels(frame$x), levels(set$o))
  expect_equal(frame$fit, unname(predict(fit, data.frame(o = set$o[1:3]))))
  expect_picture(plot(fit))
  expect_picture(plot(fit, "effects"))
})

test_that("beside a forecast for rows without a response stand the rows of training", {
  skip_if_not_installed("ggplot2")
  data <- data.frame(t = 1:30, y = sin(1:30) + (1:30) / 20)
  fit <- meanfield_gp(y ~ t, data, optimise = FALSE)
  rows_of <- function(newdata) {
    points <- Filter(function(layer) inherits(layer$geom, "GeomPoint"),
      ggplot2::autoplot(fit, newdata = newdata)$layers)
    unlist(lapply(points, function(layer) layer$data$x))
  }
  expect_identical(rows_of(data.frame(t = 31:40)), as.double(data$t))
  expect_identical(rows_of(data.frame(t = 31:40, y = 0)), as.double(31:40))
})
