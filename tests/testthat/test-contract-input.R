# What every model takes: numbers, flags, classes and factors, through every interface.

test_that("integers, logicals and doubles are the same numbers", {
  every_model(function(spec) {
    double <- cbind(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5) + 0)
    integer <- double
    storage.mode(integer) <- "integer"
    frame <- data.frame(a = double[, 1] == 1, b = as.integer(double[, 2]))
    for (y in list(double[, 2]^2, factor(double[, 2] > 4))) {
      expected <- fit_cheaply(spec, double, y)
      others <- list(fit_cheaply(spec, integer, y), fit_cheaply(spec, frame, y))
      for (other in others) {
        expect_identical(coef(other), coef(expected))
        expect_identical(all_predictions(other, double), all_predictions(expected, double))
        expect_identical(all_predictions(other, frame), all_predictions(expected, integer))
      }
    }
  })
})

test_that("a flag is the number 0 or 1 through every interface", {
  every_model(function(spec) {
    number <- data.frame(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5), y = rep(1:8, 5)^2)
    flag <- transform(number, a = a == 1)
    expected <- predict(fit_cheaply(spec, y ~ a + b, number), number)
    expect_equal(predict(fit_cheaply(spec, y ~ a + b, flag), flag), expected, tolerance = 1e-12)
    expect_equal(predict(fit_cheaply(spec, flag[1:2], flag$y), flag), expected, tolerance = 1e-12)
  })
})

test_that("a matrix of flags or integers is a matrix of numbers", {
  every_model(function(spec) {
    double <- cbind(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5) + 0)
    flags <- double == 1
    expect_identical(
      all_predictions(fit_cheaply(spec, flags, double[, 2]), flags),
      all_predictions(fit_cheaply(spec, flags + 0, double[, 2]), flags + 0)
    )
    whole <- fit_cheaply(spec, double, rep(1:8, 5))
    expect_identical(
      predict(whole, double), predict(fit_cheaply(spec, double, rep(1:8, 5) + 0), double)
    )
  })
})

test_that("the four interfaces describe the same model", {
  skip_if_not_installed("recipes")
  next_interfaces <- turns(setdiff(interfaces, "matrix"))
  every_task(function(spec, task) {
    toy <- toy_data(task)
    expected <- all_predictions(fit_through("matrix", spec, toy), toy$new)
    # Each model in two of its three tasks through each interface.
    for (interface in next_interfaces(2)) {
      found <- all_predictions(fit_through(interface, spec, toy), toy$new)
      expect_equal(found, expected, tolerance = 1e-12)
    }
    skip_if_not_installed("tibble")
    tibble <- tibble::as_tibble(toy$x)
    expect_identical(all_predictions(fit_cheaply(spec, tibble, toy$y), toy$new), expected)
  })
})

test_that("classes may be given as factor, character or logical", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    expected <- all_predictions(fit_cheaply(spec, toy$x, toy$y), toy$new)
    text <- fit_cheaply(spec, toy$x, as.character(toy$y))
    expect_identical(all_predictions(text, toy$new), expected)
    flag <- all_predictions(fit_cheaply(spec, toy$x, toy$y == "yes"), toy$new)
    expect_identical(levels(flag$response), c("FALSE", "TRUE"))
    expect_identical(unname(flag$prob), unname(expected$prob))
    one_column <- fit_cheaply(spec, toy$x, data.frame(y = toy$y))
    expect_identical(all_predictions(one_column, toy$new), expected)
  })
})

test_that("zeros and ones are numbers, not classes", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    fit <- fit_cheaply(spec, toy$x, as.numeric(toy$y == "yes"))
    expect_identical(likelihood_of(fit)$type, "gaussian")
    expect_type(predict(fit, toy$new), "double")
  })
})

test_that("the second level is the positive class", {
  every_model(function(spec) {
    x <- matrix(seq(-2, 2, length.out = 40), dimnames = list(NULL, "a"))
    y <- factor(ifelse(x > 0, "b", "a"), levels = c("b", "a"))
    link <- predict(fit_cheaply(spec, x, y), x, type = "link")
    expect_true(all(link[c(1:5)] > 0) && all(link[36:40] < 0))
  })
})

test_that("a factor predictor is an indicator for each level, new levels are NA", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    kind <- factor(rep(c("x", "y", "z"), 20), levels = c("z", "x", "y"))
    y <- toy$y + c(x = 0, y = 5, z = -5)[as.character(kind)]
    data <- data.frame(a = toy$x$a, kind = kind, y = y)
    indicators <- cbind(a = toy$x$a, 1 * outer(kind, levels(kind), "=="))
    by_hand <- predict(fit_cheaply(spec, indicators |> named(c("a", "kz", "kx", "ky")), y),
      indicators |> named(c("a", "kz", "kx", "ky"))
    )
    fits <- list(fit_cheaply(spec, y ~ ., data), fit_cheaply(spec, data[c("a", "kind")], y))
    for (fit in fits) {
      expect_identical(ncol(inducing(fit)), 4L)
      expect_equal(predict(fit, data), by_hand, tolerance = 1e-10)
      few <- data.frame(a = 0, kind = "y")
      expect_equal(predict(fit, few), predict(fit, transform(few, kind = factor(kind))))
      reordered <- transform(data, kind = factor(kind, levels = c("x", "y", "z")))
      expect_equal(predict(fit, reordered), predict(fit, data))
      unseen <- data.frame(a = 0, kind = "w")
      expect_warning(none <- predict(fit, unseen), "kind: .w.",
        class = "gpsieve_warning_new_levels"
      )
      expect_identical(is.na(none), TRUE)
      missing <- data.frame(a = c(0, 1), kind = c(NA, "x"))
      expect_identical(is.na(predict(fit, missing)), c(TRUE, FALSE))
    }
  })
})
