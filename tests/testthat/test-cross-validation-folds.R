# Folds of cv(): what is said once, folds in the order of time.

test_that("cv() says once what its folds say", {
  data <- toy_data("regression")$data
  data$a[1:3] <- NA
  data$kind <- replace(rep(c("x", "y"), 30), 5, "z")
  model <- function(data) ivm(y ~ a + kind, data, n_active = 200, seed = 1, optimise = FALSE)
  said <- capture_messages(warned <- capture_warnings(found <- cv(model, data, 5, seed = 1)))
  expect_length(said, 2L)
  expect_match(said[1], "In . of 5 folds, first in this: .* rows left out: missing a")
  expect_match(said[2], "In 5 of 5 folds, first in this: .n_active.")
  expect_match(warned, "In 1 of 5 folds, first in this: .*kind: .z.")
  expect_identical(which(is.na(found$rows$.pred)), c(1L, 2L, 3L, 5L))
})

test_that("a fold that cannot be fitted says which", {
  data <- data.frame(a = 1:20, y = replace(rep("u", 20), 3, "v"))
  expect_snapshot(error = TRUE,
    cv(function(data) ivm(y ~ a, data, optimise = FALSE, seed = 1), data, folds = rep(1:2, 10))
  )
})

test_that("folds in time are predicted from earlier rows only", {
  data <- toy_data("regression")$data
  seen <- list()
  model <- function(data) {
    seen[[length(seen) + 1L]] <<- data$at
    ivm(y ~ a + b, data, optimise = FALSE, seed = 1)
  }
  in_order <- cv(model, transform(data, at = 1:60), folds = "time", seed = 1)
  expect_identical(lapply(seen, max), as.list(seq(6L, 54L, 6L)))
  expect_identical(in_order$rows$row, 7:60)
  expect_identical(in_order$rows$fold, rep(2:10, each = 6))
  shuffled <- transform(data, at = as.Date("2020-01-01") + sample(60))
  seen <- list()
  by_date <- cv(model, shuffled, folds = "time", seed = 1)
  for (k in 2:10) {
    expect_true(all(seen[[k - 1]] < min(shuffled$at[by_date$rows$row[by_date$rows$fold == k]])))
  }
  equal_dates <- transform(data, at = as.Date("2020-01-01") + rep(1:4, 15))
  sizes <- lengths(split(equal_dates$at, block_of_rows(equal_dates, 10L)), FALSE)
  expect_identical(sizes, rep(15L, 4))
  refused <- function(data) {
    expect_error(cv(model, data, folds = "time"), class = "gpsieve_error_data")
  }
  refused(transform(equal_dates, other = at))
  refused(transform(data, at = as.Date("2020-01-01")))
  refused(transform(shuffled, at = replace(at, 3, NA)))
  expect_error(cv(model, data, folds = "date"), class = "gpsieve_error_argument")
})

test_that("copies of rows are dealt to folds, each of them once", {
  molded <- list(weights = c(40, 1, 7, 0, 1000), y = factor(c("p", "q", "p", "q", "p")))
  splits <- splits_of_copies(molded, 4, 4, seed = 1)
  held <- Reduce(`+`, lapply(splits, function(split) split$weights$test))
  # The only copy of class q stays where it is needed.
  expect_identical(held, c(40, 0, 7, 0, 1000))
  for (split in splits) {
    expect_identical(split$weights$train + split$weights$test, molded$weights)
    expect_identical(split$train, which(split$weights$train > 0))
    expect_identical(split$test, which(split$weights$test > 0))
  }
  expect_true(counts_copies(list(weights = c(1, 2))))
  expect_false(counts_copies(list(weights = c(1, 1))))
  expect_false(counts_copies(list(weights = c(0.5, 3))))
  expect_false(counts_copies(list()))
})

test_that("a column that the fit has and the data lack is named before any fold is fitted", {
  fit <- ivm(dist ~ speed + log(brakes), transform(cars, brakes = dist + 1), optimise = FALSE,
    seed = 1)
  expect_error(cv(fit, cars, folds = "time"), 'no column "brakes"', class = "gpsieve_error_data")
})
