# Functions that learn from short blocks only, where a linear one predicts held-out rows as well.

rows_with <- function(response, n = 700) {
  with_own_seed(1, {
    x <- data.frame(a = stats::runif(n, -2, 2), b = stats::runif(n, -2, 2))
    data.frame(x, y = response(x) + stats::rnorm(n, sd = 0.5))
  })
}
linear <- rows_with(function(x) x$a - x$b)
nothing <- function() NULL

task_of <- function(data, ...) {
  control <- control_gpsieve(folds = 2, blocks = learn_on_blocks(650, 12))
  given <- given_or_default(gpsieve, list(seed = 1, control = control, ...))
  task <- choice_task(mold_formula(y ~ ., data, new_cases()), given)
  task$unit <- 1
  task
}

rows_of_blocks <- function(entries) {
  vapply(entries, function(entry) entry$candidate$settings$control$blocks$rows, 0)
}

test_that("what gains nothing on a linear function learns from short blocks only", {
  found <- learn_first_entries(task_of(linear), nothing)
  expect_identical(rows_of_blocks(found), c(short_block_rows, simple_rows))
  expect_true(is_linear_entry(found[[2L]]))
  expect_true(all(lengths(lapply(found, `[[`, "judged")) > 0L))
})

test_that("what promises a gain learns as if nobody had compared it", {
  task <- task_of(rows_with(function(x) 2 * sin(2 * x$a)))
  found <- learn_first_entries(task, nothing)
  expect_identical(rows_of_blocks(found), c(650, simple_rows))
  expect_identical(found[[1L]]$learned, learn_entries(first_entries(task), task)[[1L]]$learned)
})

test_that("nothing is compared where that would take longer, or there is no linear function", {
  asks <- function(task) {
    entries <- first_entries(task)
    any(vapply(entries, is_linear_entry, NA)) && has_time_to_ask(entries[[1L]], task)
  }
  expect_true(asks(task_of(linear)))
  expect_false(asks(task_of(linear[1:300, ])))
  expect_false(asks(task_of(linear, kernel = kernel_rich())))
})

test_that("the call to write learns from the same blocks", {
  fit <- gpsieve(y ~ ., linear, seed = 1, verbose = FALSE)
  expect_identical(choice(fit)$label[1L], "linear")
  again <- eval(choice(fit, "call"), list(linear = linear))
  expect_identical(coef(again), coef(fit))
})
