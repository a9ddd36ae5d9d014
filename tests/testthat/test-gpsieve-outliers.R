# Responses of which single values make up nearly all of the variance.

test_that("where outliers make up the variance the function of the other rows is found", {
  x <- spread_points(60, 2)
  truth <- function(x) 10 + 3 * sin(4 * x[, 1]) + 2 * x[, 2]
  data <- data.frame(x, y = truth(x) + 0.1 * rep_len(c(-1, 1, 1, -1), 60))
  data$y[c(7, 31)] <- 1e5
  fit <- suppressWarnings(gpsieve(y ~ ., data, seed = 1, time = 2, verbose = FALSE,
    control = control_gpsieve(folds = 3)
  ))
  expect_identical(likelihood_of(fit)$type, "student")
  expect_lt(stats::median(abs(predict(fit, data) - truth(x))), 0.2)
  again <- suppressWarnings(eval(choice(fit, "call")))
  expect_equal(unname(predict(again, data)), unname(predict(fit, data)))
})

test_that("the function is measured in units of the other rows", {
  y <- c(stats::qnorm(stats::ppoints(99)), 1e4)
  task <- list(kind = "number", molded = list(y = y), standardise = TRUE)
  expect_true(has_outlying_responses(task))
  expect_equal(robust_share_of_variance(task) * stats::var(y), 1, tolerance = 0.05)
  expect_false(has_outlying_responses(list(kind = "number", molded = list(y = y[1:99]))))
})

test_that("a robust function is learned from where it ends without the outliers", {
  set.seed(1)
  n <- 120
  x <- matrix(runif(12 * n), n, dimnames = list(NULL, letters[1:12]))
  y <- sin(5 * x[, 1L]) + x[, 2L]^2 + x[, 3L] + rnorm(n, sd = 0.1)
  y[1:12] <- y[1:12] + c(-3, 3)
  fit <- gpsieve(x, y, seed = 1, control = control_gpsieve(folds = 2))
  expect_match(choice(fit)$label[1L], "Student noise")
  usual <- ivm(x, y, kernel_rich(), lik_student(), n_active = n, criterion = "random", seed = 1,
    control = control_ivm(rounds = 1)
  )
  expect_gt(evidence(fit)$value, evidence(usual)$value + 5)
  again <- suppressWarnings(eval(choice(fit, "call")))
  expect_equal(predict(again, x), predict(fit, x))
})

test_that("outliers may be on one side by chance", {
  shifted <- function(outliers, rows) {
    entry <- function(residual) list(judged = list(row = seq_len(rows), residual = residual))
    beyond <- rep(c(5, 0), c(outliers, rows - outliers)) + 0.1 * rep_len(c(-1, 1), rows)
    has_same_mean(entry(beyond), entry(beyond - mean(beyond)))
  }
  expect_true(shifted(4, 40))
  expect_false(shifted(20, 200))
  # A usual entry that is biased says nothing of the robust one.
  entry <- function(residual) list(judged = list(row = 1:40, residual = residual))
  even <- rep_len(c(-1, 1), 40)
  expect_true(has_same_mean(entry(even), entry(1 + even)))
  expect_false(has_same_mean(entry(1 + even), entry(1.1 + even)))
})

test_that("beside parts of the rows a robust function has inducing inputs", {
  set.seed(2)
  n <- 600
  x <- matrix(runif(n))
  truth <- sin(6 * x[, 1L])
  y <- truth + rnorm(n, sd = 0.1)
  y[1:60] <- y[1:60] + c(-3, 3)
  control <- control_gpsieve(leaf_rows = 150, dense_rows = 100,
    blocks = learn_on_blocks(rows = 100, steps = 20)
  )
  given <- given_or_default(gpsieve, list(seed = 1, control = control, verbose = FALSE))
  task <- with_what_rows_suggest(choice_task(mold_xy(x, y), given))
  best <- learn_entry(Find(in_leaves, first_entries(task)), task)
  best$judged <- list(row = 1:100, surprise = stats::qt(stats::ppoints(100), 2))
  entries <- robust_entries(best, task)
  expect_length(entries, 1L)
  expect_identical(entries[[1L]]$candidate$model, "ep_gp")
  fit <- fit_entry(entries[[1L]], task)
  expect_lt(sqrt(mean((predict(fit, x) - truth)^2)), 0.04)
  best$judged$surprise <- stats::qnorm(stats::ppoints(100))
  expect_length(robust_entries(best, task), 0L)
})
