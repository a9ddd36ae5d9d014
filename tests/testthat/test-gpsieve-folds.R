# Candidates of gpsieve() are judged fold by fold, by fits that nobody sees.

test_that("folds are judged one after the other until they decide", {
  rows <- function(gain, i) list(row = 60 * i + 1:60, density = gain + 0.1 * cos(1:60))
  usual <- list(judged = list(row = 61:240, density = rep(0, 180)))
  splits <- lapply(1:3, function(i) list(test = 60 * i + 1:60))
  judged <- function(gains, suits = function(entry, usual) TRUE, needed = 2) {
    asked <- 0L
    entry <- judge_beside(list(seconds = 0), usual, splits, function(i) {
      asked <<- asked + 1L
      list(judged = rows(gains[i], i))
    }, suits, needed)
    expect_identical(entry$judged$row, 60 + seq_len(60 * asked))
    asked
  }
  expect_identical(judged(c(1, 1, 1)), 1L)
  expect_identical(judged(c(-1, -1, -1)), 1L)
  expect_identical(judged(c(0.02, 0.02, 0.02)), 3L)
  expect_identical(judged(c(0.02, -1, 1)), 2L)
  # A greater density does not suffice where something else is asked.
  expect_identical(judged(c(1, 1, 1), function(entry, usual) FALSE), 3L)
  # What hardly gains will not be clearly better, and may still be better.
  expect_identical(judged(c(0.001, 0.001, 0.001)), 1L)
  expect_identical(judged(c(0.001, 0.001, 0.001), needed = 0), 3L)
  expect_identical(judged(c(-1, 1, 1), needed = 0), 1L)
})

test_that("a gain is hopeless where the rows that are left can hardly bring it to what is needed", {
  gain <- function(mean, n) mean + rep(c(-1, 1), length.out = n)
  expect_true(is_hopeless(gain(0, 50), 100, 2))
  expect_false(is_hopeless(gain(0.2, 50), 100, 2))
  # Of few of the rows a small gain says less.
  expect_false(is_hopeless(gain(0.1, 50), 250, 2))
  # Where all rows are known, nothing is left to chance.
  for (mean in c(0.2, 0.4)) {
    expect_identical(is_hopeless(gain(mean, 50), 50, 2), !is_clear(gain(mean, 50)))
  }
  expect_false(is_hopeless(rep(0, 50), 100, 2))
})

test_that("a fit that is judged predicts as others do, and has no figures of its own rows", {
  toy <- toy_data("regression", n = 40)
  fit_of <- function(trial) {
    molded <- mold_xy(toy$x, toy$y)
    molded$trial <- trial
    meanfield_gp_of_rows(molded,
      given_or_default(meanfield_gp, list(optimise = FALSE, seed = 1, verbose = FALSE)))
  }
  trial <- fit_of(TRUE)
  whole <- fit_of(NULL)
  differ <- names(whole)[!mapply(identical, whole, trial[names(whole)])]
  expect_setequal(setdiff(differ, "trace"), c("loo", "held_out"))
  expect_null(damaged_part(trial))
  expect_identical(predict(trial, toy$new), predict(whole, toy$new))
})

test_that("a row of numbers is held out with all of its copies, of classes and counts in copies", {
  x <- matrix(1:40 / 40, dimnames = list(NULL, "x"))
  splits_of <- function(y) {
    cases <- new_cases()
    cases$weights <- rlang::quo(rep(2, 40))
    task <- choice_task(mold_xy(x, y, cases), given_or_default(gpsieve, list(seed = 1)))
    held_out_splits(with_what_rows_suggest(task))
  }
  for (split in splits_of(sin(1:40))) {
    expect_null(split$weights)
    expect_length(intersect(split$train, split$test), 0L)
  }
  for (split in splits_of(factor(rep(c("a", "b"), 20)))) expect_false(is.null(split$weights))
})

test_that("values that make up the variance of a response leave the others their noise", {
  rows <- with_own_seed(11, data.frame(a = runif(120, -1, 1), b = runif(120, -1, 1)))
  truth <- sin(3 * rows$a) + rows$b
  rows$y <- truth + with_own_seed(12, 0.2 * rnorm(120))
  rows$y[c(11, 60)] <- c(5e3, 2e4)
  fit <- suppressWarnings(gpsieve(y ~ ., rows, seed = 3, verbose = FALSE))
  expect_false(any(grepl("little noise", choice(fit)$label)))
  expect_identical(choice(fit)$label[1L], "Student noise around the median")
  middle <- predict(fit, rows, type = "quantile")[, 2L]
  # With Gaussian noise it is above 1000.
  expect_lt(sqrt(mean((middle - truth)^2)), 10)
})
