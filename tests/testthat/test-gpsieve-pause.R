# Learning that ends where a linear function predicts held-out rows as well.

# Blocks of fewer rows than there are, so that the steps do not end by themselves.
with_steps <- function(steps) control_gpsieve(folds = 2, blocks = learn_on_blocks(40, steps))

task_of <- function(data, steps = 90) {
  given <- given_or_default(gpsieve, list(seed = 1, control = with_steps(steps)))
  task <- choice_task(mold_formula(y ~ ., data, new_cases()), given)
  task$unit <- 1
  task$alike <- FALSE
  task
}

rows_with <- function(response) {
  with_own_seed(1, {
    x <- data.frame(a = stats::runif(100, -2, 2), b = stats::runif(100, -2, 2))
    data.frame(x, y = response(x) + stats::rnorm(100, sd = 0.5))
  })
}
linear <- rows_with(function(x) x$a - x$b)
curved <- rows_with(function(x) 2 * sin(2 * x$a))
nothing <- function() NULL

theta_of_first <- function(entries) entries[[1L]]$learned$theta

test_that("learning ends after a third of the steps where a linear function predicts as well", {
  found <- learn_first_entries(task_of(linear), nothing)
  expect_identical(theta_of_first(found),
    theta_of_first(learn_entries(first_entries(task_of(linear, 30)), task_of(linear, 30))))
  expect_identical(found[[1L]]$candidate$settings$control$blocks$steps, 30)
})

test_that("learning goes on, and ends as if nobody had asked, where it promises a gain", {
  task <- task_of(curved)
  found <- learn_first_entries(task, nothing)
  asked_by_nobody <- learn_entries(first_entries(task), task)
  expect_identical(theta_of_first(found), theta_of_first(asked_by_nobody))
  same <- function(entries) lapply(entries, `[[`, "candidate")
  expect_identical(same(found), same(asked_by_nobody))
})

test_that("nobody is asked where the comparison would take long, or there is no linear function", {
  asked <- function(task) {
    entries <- first_entries(task)
    any(vapply(entries, is_linear_entry, NA)) && has_time_to_pause(entries[[1L]], task)
  }
  expect_true(asked(task_of(linear)))
  expect_false(asked(task_of(linear, steps = 9)))
  few <- task_of(linear)
  few$control <- control_gpsieve()
  expect_false(asked(few))
  given <- task_of(linear)
  given$kernels <- list(kernel_rich())
  expect_false(asked(given))
})

test_that("the call to write learns in as many steps", {
  fit <- gpsieve(y ~ ., linear, seed = 1, verbose = FALSE, control = with_steps(90))
  again <- eval(choice(fit, "call"), list(linear = linear))
  expect_identical(coef(again), coef(fit))
})
