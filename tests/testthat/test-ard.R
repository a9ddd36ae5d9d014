# One lengthscale for each column, by ard = TRUE or by a named vector.

ard_kernels <- list(
  rbf = kernel_rbf(ard = TRUE), matern = kernel_matern(2.5, ard = TRUE),
  rational_quadratic = kernel_rational_quadratic(ard = TRUE), linear = kernel_linear(ard = TRUE),
  periodic = kernel_periodic(ard = TRUE)
)

test_that("ard = TRUE gives every column the isotropic rule's lengthscale", {
  x <- spread_points(20, 3)
  start <- c(
    rbf = median(dist(x)), matern = median(dist(x)), rational_quadratic = median(dist(x)),
    linear = 1, periodic = 1
  )
  for (type in names(ard_kernels)) {
    kernel <- ard_kernels[[type]]
    resolved <- kernel_resolve(kernel, x)
    expect_equal(resolved$values$lengthscale, rep(start[[type]], 3), info = type)
    expect_null(resolved$ard)
    expect_match(format(kernel), "ard = TRUE", fixed = TRUE)
    expect_identical(eval(parse(text = format(kernel))), kernel, info = type)
  }
  expect_equal(kernel_resolve(kernel_rbf(1, 2, ard = TRUE), x)$values$lengthscale, c(2, 2, 2))
  expect_equal(kernel_resolve(kernel_rbf(1, 1:3, ard = TRUE), x),
    kernel_resolve(kernel_rbf(1, 1:3), x))
  on <- kernel_resolve(kernel_on(kernel_rbf(ard = TRUE), c("c", "a")), x)
  expect_length(on$children[[1]]$values$lengthscale, 2)
  expect_error(kernel_rbf(ard = NA), class = "gpsieve_error_argument")
})

test_that("equal lengthscales are one lengthscale", {
  x <- spread_points(20, 3)
  for (type in names(ard_kernels)) {
    isotropic <- switch(type,
      rbf = kernel_rbf(), matern = kernel_matern(2.5),
      rational_quadratic = kernel_rational_quadratic(), linear = kernel_linear(),
      periodic = kernel_periodic()
    )
    expect_equal(kernel_matrix(ard_kernels[[type]], x), kernel_matrix(isotropic, x), info = type)
  }
})

test_that("named lengthscales belong to the columns they name", {
  x <- spread_points(10, 3)
  by_name <- kernel_rbf(1, c(c = 3, a = 1, b = 2))
  expect_identical(format(by_name),
    "kernel_rbf(variance = 1, lengthscale = c(c = 3, a = 1, b = 2))")
  expect_identical(kernel_matrix(by_name, x), kernel_matrix(kernel_rbf(1, 1:3), x))
  expect_identical(
    kernel_matrix(kernel_on(by_name, c("b", "c", "a")), x),
    kernel_matrix(kernel_on(kernel_rbf(1, c(2, 3, 1)), c("b", "c", "a")), x)
  )
  data <- data.frame(b = sin(1:30), a = cos(1:30), y = sin(1:30) + cos(3 * (1:30)))
  fits <- lapply(list(y ~ a + b, y ~ b + a), function(formula) {
    meanfield_gp(formula, data, kernel_rbf(1, fixed(c(b = 2, a = 0.5))), optimise = FALSE)
  })
  expect_identical(coef(fits[[1]])[["lengthscale.a"]], 0.5)
  expect_equal(predict(fits[[1]], data), predict(fits[[2]], data))
  for (wrong in list(c(a = 1, b = 2, d = 3), c(a = 1, b = 2, a = 3), c(a = 1, 2, 3))) {
    expect_error(kernel_resolve(kernel_rbf(1, wrong), x), class = "gpsieve_error_argument")
  }
  expect_error(
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2)), unname(x[, 1:2])),
    class = "gpsieve_error_argument"
  )
  expect_snapshot(error = TRUE, {
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, d = 3)), x)
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, a = 3)), x)
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, c = 3)), unname(x))
  })
})
