# Levels of new rows that the training data lack, for every model.

levelled <- function() {
  toy <- toy_data("regression")
  data <- toy$data
  data$kind <- factor(rep(c("x", "x", "y", "z"), 15), levels = c("z", "x", "y"))
  data$order <- factor(rep(1:3, 20), ordered = TRUE)
  data$text <- rep(c("u", "v", "v"), 20)
  data
}

new_rows <- function() {
  data.frame(a = c(0, 1, 0.5, 0), b = 3, kind = c("x", "w", "y", "q"),
    order = c("1", "1", "4", "2"), text = c("u", "u", "v", "t"), stringsAsFactors = FALSE
  )
}

test_that("a row with a new level is NA, with one warning that names the levels", {
  every_fit_function(function(spec) {
    data <- levelled()
    fit <- whatever_it_learns(fit_cheaply(spec, y ~ a + kind + order + text, data))
    asked <- list(
      predict, function(fit, d) predict(fit, d, interval = "prediction"), fitted,
      function(fit, d) augment(fit, d)$.pred
    )
    for (ask in asked) {
      warned <- capture_warnings(found <- ask(fit, new_rows()))
      expect_match(warned, "kind: .w., .q., order: .4., text: .t.")
      if (is.matrix(found)) found <- found[, 1]
      expect_identical(which(is.na(found)), 2:4)
      expect_identical(found[1], ask(fit, new_rows()[1, ]) |> as.vector() |> utils::head(1))
    }
    expect_error(predict(fit, new_rows(), new_levels = "error"), "kind.*w",
      class = "gpsieve_error_data"
    )
    expect_error(predict(fit, new_rows(), new_levels = "mean"), class = "gpsieve_error_argument")
  })
})

test_that("new_levels = \"average\" puts the row at the average of the training rows' levels", {
  every_fit_function(function(spec) {
    data <- levelled()
    fit <- whatever_it_learns(fit_cheaply(spec, y ~ a + kind + order, data))
    expect_warning(found <- predict(fit, new_rows()[c(2, 3), ], new_levels = "average"),
      "average level", class = "gpsieve_warning_new_levels"
    )
    # The same inputs, made by hand.
    made <- cbind(a = data$a, outer(as.character(data$kind), levels(data$kind), "=="),
      as.integer(data$order))
    colnames(made) <- c("a", "kindz", "kindx", "kindy", "order")
    by_hand <- whatever_it_learns(fit_cheaply(spec, made, data$y))
    average <- rbind(c(1, 0.25, 0.5, 0.25, 1), c(0.5, 0, 0, 1, 2))
    colnames(average) <- colnames(made)
    expect_equal(found, predict(by_hand, average), tolerance = 1e-8)
  })
})

test_that("a function of a factor is NA at a new level, and so are columns of a recipe", {
  data <- levelled()
  fit <- ivm(y ~ a + as.integer(kind), data, seed = 1, optimise = FALSE)
  for (rule in c("NA", "average")) {
    expect_warning(found <- predict(fit, new_rows()[1:2, ], new_levels = rule),
      class = "gpsieve_warning_new_levels"
    )
    expect_identical(is.na(found), c(FALSE, TRUE))
  }
  binned <- ivm(y ~ a + factor(round(b)), transform(data, b = b > 3), seed = 1, optimise = FALSE)
  expect_warning(found <- predict(binned, data.frame(a = 0, b = c(0, 2))),
    class = "gpsieve_warning_new_levels"
  )
  expect_identical(is.na(found), c(FALSE, TRUE))
  skip_if_not_installed("recipes")
  recipe <- recipes::step_dummy(recipes::recipe(y ~ a + kind, data), kind)
  made <- ivm(recipe, data, seed = 1, optimise = FALSE)
  expect_warning(
    expect_warning(found <- predict(made, new_rows()[1:2, ]), class = "gpsieve_warning_new_levels"),
    "new levels in a factor" # of recipes
  )
  expect_identical(is.na(found), c(FALSE, TRUE))
})

test_that("blocks of a source and the workers of a cluster give one warning too", {
  data <- levelled()
  fit <- ivm(y ~ a + kind, data, seed = 1, optimise = FALSE)
  new <- new_rows()[c(1, 2, 1, 4), ]
  blocks <- function(reset = FALSE) {
    if (reset) return(at <<- 0)
    at <<- at + 1
    if (at <= 4) new[at, ]
  }
  at <- 0
  warned <- capture_warnings(found <- predict(fit, rows_from_function(blocks)))
  expect_length(warned, 1L)
  expect_match(warned, "kind: .w., .q.")
  expect_identical(which(is.na(found$prediction)), c(2L, 4L))
})

test_that("what is said about levels", {
  fit <- ivm(y ~ a + kind, levelled(), seed = 1, optimise = FALSE)
  expect_snapshot({
    . <- predict(fit, new_rows())
    . <- predict(fit, new_rows(), new_levels = "average")
  })
  expect_snapshot(error = TRUE, predict(fit, new_rows(), new_levels = "error"))
})

test_that("a class with one row is fitted", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    y <- factor(replace(rep("often", 60), 5, "once"))
    fit <- fit_cheaply(spec, toy$x, y)
    expect_true(all(is.finite(predict(fit, toy$new, type = "prob"))))
    three <- factor(replace(as.character(toy$y), 5, "once"))
    expect_identical(levels(predict(fit_cheaply(spec, toy$x, three), toy$new)), levels(three))
  })
})
