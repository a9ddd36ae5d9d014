# local_gp(): dense Gaussian processes on parts of the rows, under a name of their own.

rows <- with_own_seed(1, data.frame(a = stats::runif(120), b = stats::runif(120)))
rows$y <- sin(6 * rows$a) + rows$b + 0.1 * with_own_seed(2, stats::rnorm(120))
rows$class <- factor(ifelse(rows$y > 1, "high", "low"))
kernel <- kernel_rbf(1, 0.3)

test_that("it is the machine on parts in which every row takes part", {
  for (call in list(quote(y ~ a + b), quote(class ~ a + b))) {
    local <- local_gp(eval(call), rows, kernel, leaf_rows = 40, optimise = FALSE, seed = 1)
    known <- ivm(eval(call), rows, kernel, leaf_rows = 40, optimise = FALSE, seed = 1)
    expect_identical(local$posterior, known$posterior)
    expect_identical(predict(local, rows), predict(known, rows))
    expect_s3_class(validate_fit(local), "gpsieve_ivm")
    expect_output(print(local), "Local Gaussian processes for .*local_gp\\(\\)")
  }
})

test_that("every way in, update() and a source give the same fit", {
  fit_to <- function(...) local_gp(..., kernel = kernel, leaf_rows = 40, optimise = FALSE, seed = 1)
  fit <- fit_to(y ~ a + b, rows)
  expect_equal(predict(fit_to(rows[c("a", "b")], rows$y), rows), predict(fit, rows))
  expect_equal(predict(fit_to(data = rows, formula = y ~ a + b), rows), predict(fit, rows))
  expect_identical(predict(update(fit, data = rows), rows), predict(fit, rows))
  source <- rows_of_frame(rows[c("a", "b", "y")], 50)
  expect_equal(predict(fit_to(y ~ ., source), rows), predict(fit, rows), tolerance = 1e-8)
})

test_that("leaves have as many rows as suits the response", {
  many <- rows[rep(1:120, 5), ]
  many$a <- many$a + rep(1:5, each = 120)
  leaves <- function(formula) {
    nrow(fit_trace(local_gp(formula, many, kernel, optimise = FALSE, seed = 1)))
  }
  expect_identical(leaves(y ~ a + b), 1L)
  expect_gt(leaves(class ~ a + b), 1L)
})

test_that("the call that a choice writes makes the same fit", {
  many <- with_own_seed(1, data.frame(a = stats::runif(500)))
  many$y <- sin(60 * many$a) + 0.1 * with_own_seed(2, stats::rnorm(500))
  fit <- gpsieve(y ~ a, many, time = 1, seed = 1, verbose = FALSE,
    control = control_gpsieve(dense_rows = 100, leaf_rows = 100))
  expect_match(choice(fit)$label[choice(fit)$chosen], "in parts")
  call <- choice(fit, "call")
  expect_identical(call[[1L]], as.name("local_gp"))
  expect_equal(predict(eval(call), many), predict(fit, many), tolerance = 1e-6)
})

test_that("what it cannot do is refused", {
  expect_error(local_gp(y ~ a, rows, kernel, lik_student()), class = "gpsieve_error_unsupported")
  expect_error(local_gp(y ~ a, rows, leaf_rows = 0), class = "gpsieve_error_argument")
  expect_error(local_gp(y ~ a, rows, n_active = 3), class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, local_gp(y ~ a, rows, kernel, lik_student()))
})
