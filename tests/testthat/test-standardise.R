# Centring and scaling of columns, at any size of the numbers.

test_that("columns are centred by their mean and scaled by their standard deviation", {
  x <- uniform_inputs(50, 3)
  scales <- column_scales(x)
  expect_equal(scales$center, colMeans(x))
  expect_equal(scales$scale, apply(x, 2, sd))
  expect_equal(apply_scales(x, scales), scale(x), ignore_attr = TRUE)
  expect_equal(undo_scales(apply_scales(x, scales), scales), x)
})

test_that("a constant column keeps its scale", {
  for (value in c(0, 1, -7, 0.1, 1e300, 1e-300, 1 / 3)) {
    scales <- column_scales(cbind(c = rep(value, 30)))
    expect_identical(unname(scales$scale), 1)
    expect_equal(unname(scales$center), value)
  }
  expect_identical(unname(column_scales(cbind(5, -2))$scale), c(1, 1))
})

test_that("a column that varies is never taken for constant", {
  for (offset in c(0, 1, 1e6)) {
    x <- cbind(offset + c(0, 0, 0, 1e-6))
    expect_equal(column_scales(x)$scale, sd(x), tolerance = 1e-6)
  }
})

test_that("scales neither overflow nor vanish", {
  x <- uniform_inputs(20, 1)
  for (size in c(1e-300, 1e-150, 1e150, 1e300)) {
    scales <- column_scales(x * size)
    expect_equal(scales$scale / size, sd(x), ignore_attr = TRUE)
    expect_equal(apply_scales(x * size, scales), scale(x), ignore_attr = TRUE)
  }
  # Numbers whose sum is beyond the largest there is.
  huge <- column_scales(cbind(c(1.5e308, 1.7e308, 1.6e308)))
  expect_true(is.finite(huge$center) && is.finite(huge$scale) && huge$scale > 0)
})

test_that("unscaled numbers pass untouched", {
  x <- uniform_inputs(20)
  none <- list(
    center = stats::setNames(numeric(ncol(x)), colnames(x)),
    scale = stats::setNames(rep(1, ncol(x)), colnames(x))
  )
  expect_identical(apply_scales(x, none), x)
  expect_identical(undo_scales(x, none), x)
})

test_that("standardise = FALSE uses the numbers as they are", {
  toy <- toy_data("regression")
  fit <- fit_cheaply(model_specs()$ivm, toy$x, toy$y, standardise = FALSE,
    kernel = kernel_rbf(2, c(1, 10)), likelihood = lik_gaussian(0.1)
  )
  expect_identical(inducing(fit), unname_rows(as.matrix(toy$x)[active_set(fit), ]))
  by_hand <- fit_cheaply(model_specs()$ivm, as.data.frame(scale(toy$x)), drop(scale(toy$y)),
    standardise = FALSE
  )
  automatic <- fit_cheaply(model_specs()$ivm, toy$x, toy$y)
  new <- scale(toy$new, colMeans(toy$x), apply(toy$x, 2, sd))
  expect_equal(predict(automatic, toy$new),
    mean(toy$y) + sd(toy$y) * predict(by_hand, new), tolerance = 1e-10
  )
})

test_that("the median lengthscale is that of the standardised inputs", {
  x <- uniform_inputs(40)
  expected <- median(dist(scale(x)))
  fit <- fit_cheaply(model_specs()$ivm, x, x[, 1])
  expect_equal(coef(fit)[["lengthscale"]], expected, tolerance = 1e-12)
  raw <- fit_cheaply(model_specs()$ivm, x, x[, 1], standardise = FALSE)
  expect_equal(coef(raw)[["lengthscale"]], median(dist(x)), tolerance = 1e-12)
})
