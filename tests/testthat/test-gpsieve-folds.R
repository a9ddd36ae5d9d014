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
