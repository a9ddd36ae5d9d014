# control_ivm(precision = "mixed"): the columns of a selection index in single precision.

precision_x <- uniform_inputs(400)
precision_class <- noisy_labels(precision_x)
precision_number <- sin(2 * precision_x[, 1]) + precision_x[, 2]^2 +
  with_own_seed(6, rnorm(400, sd = 0.3))

with_precision <- function(precision, y = precision_class, ..., n_full = 10, pool = 60) {
  given(precision_x, y,
    kernel = kernel_rbf(2, 1), n_active = 90,
    control = control_ivm(n_full = n_full, pool = pool, precision = precision), ...
  )
}

test_that("nothing is rounded unless it is asked for", {
  expect_identical(control_ivm()$precision, "double")
  expect_identical(
    with_precision("double")$posteriors,
    given(precision_x, precision_class,
      kernel = kernel_rbf(2, 1), n_active = 90, control = control_ivm(n_full = 10, pool = 60)
    )$posteriors
  )
  expect_output(print(control_ivm(precision = "mixed")), "precision = \"mixed\"", fixed = TRUE)
})

test_that("the machine is the same whatever the number of threads", {
  for (y in list(precision_class, precision_number)) for (refine in c(0, 2)) {
    one <- with_precision("mixed", y, refine = refine, threads = 1)
    two <- with_precision("mixed", y, refine = refine, threads = 2)
    expect_identical(active_set(two), active_set(one))
    expect_identical(two$posteriors, one$posteriors)
    expect_identical(evidence(two)$value, evidence(one)$value)
  }
})

test_that("the same rows give the predictions of double precision", {
  new <- uniform_inputs(50, seed = 8)
  for (y in list(precision_class, precision_number)) for (refine in c(0, 2)) {
    mixed <- with_precision("mixed", y, refine = refine)
    double <- with_precision("double", y, refine = refine)
    expect_identical(active_set(mixed), active_set(double))
    expect_equal(all_predictions(mixed, new), all_predictions(double, new), tolerance = 1e-4)
    expect_equal(evidence(mixed)$value, evidence(double)$value, tolerance = 1e-5)
  }
})

test_that("the posterior is that of the sites, in double precision", {
  fit <- with_precision("mixed", refine = 0)
  rows <- precision_x[active_set(fit), ]
  found <- sites(fit)
  k <- rbf(rows, rows, 2, 1)
  new <- uniform_inputs(50, seed = 8)
  cross <- rbf(new, rows, 2, 1)
  inverse <- solve(k + diag(1 / found$precision))
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(
    link$fit - mean(link$fit),
    drop(cross %*% inverse %*% found$mean) - mean(cross %*% inverse %*% found$mean),
    tolerance = 1e-7
  )
  expect_equal(link$se.fit^2, 2 - rowSums((cross %*% inverse) * cross), tolerance = 1e-7)
})

test_that("a search of all rows rounds nothing", {
  expect_identical(
    with_precision("mixed", n_full = Inf)$posteriors,
    with_precision("double", n_full = Inf)$posteriors
  )
})

test_that("a growing selection knows the setting", {
  size <- function(precision) {
    fit <- given(precision_x, precision_class,
      kernel = kernel_rbf(2, 1), n_active = "auto",
      control = control_ivm(n_full = 10, pool = 60, precision = precision)
    )
    length(active_set(fit))
  }
  expect_identical(size("mixed"), size("double"))
})

test_that("noise far below the rounding of single precision is no reason to stop", {
  x <- matrix(seq(-2, 2, length.out = 400))
  y <- sin(3 * x[, 1])
  fit <- given(x, y,
    kernel = kernel_rbf(1, 0.5), likelihood = lik_gaussian(1e-8), n_active = 120, refine = 0,
    control = control_ivm(n_full = 5, pool = 50, precision = "mixed")
  )
  expect_length(unique(active_set(fit)), 120)
  expect_equal(as.vector(predict(fit, x)), y, tolerance = 1e-3)
})

test_that("the estimate of the memory knows that columns are smaller", {
  x <- matrix(rep_len(c(-1, 0, 1, 0.5, -0.5), 2e6), 1e6, 2)
  y <- factor(rep_len(c("no", "yes"), 1e6))
  fits <- function(precision) {
    error <- expect_error(
      withr::with_options(
        list(gpsieve.max_memory = 8e9),
        ivm(x, y, n_active = 50000, control = control_ivm(precision = precision))
      ),
      class = "gpsieve_error_memory"
    )
    as.numeric(sub(".*n_active = ([0-9]+).*", "\\1", conditionMessage(error)))
  }
  expect_gt(fits("mixed"), 1.4 * fits("double"))
})
