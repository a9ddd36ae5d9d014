test_that("kernels are plain lists with documented defaults", {
  k <- kernel_rbf()
  expect_s3_class(k, c("gpsieve_kernel_rbf", "gpsieve_kernel"), exact = TRUE)
  expect_identical(k$values, list(variance = 1, lengthscale = NULL))
  expect_identical(k$fixed, character())
  expect_identical(kernel_matern()$values, list(nu = 1.5, variance = 1, lengthscale = NULL))
  expect_identical(
    kernel_rational_quadratic()$values, list(variance = 1, lengthscale = NULL, alpha = 1)
  )
  expect_identical(
    kernel_polynomial()$values, list(degree = 2, variance = 1, offset = 1, scale = NULL)
  )
  expect_identical(kernel_periodic()$values, list(variance = 1, lengthscale = 1, period = NULL))
  expect_identical(kernel_linear(NULL)$values, list(variance = NULL))
  # The code of an open variance is not that of the default.
  expect_identical(format(kernel_linear(NULL)), "kernel_linear(variance = NULL)")
  for (k in list(kernel_linear(), kernel_constant(), kernel_white())) {
    expect_identical(k$values, list(variance = 1))
  }
  expect_identical(kernel_rbf(2L, c(a = 1L))$values, list(variance = 2, lengthscale = 1))
})

test_that("fixed() marks values and is undone on the way in", {
  k <- kernel_rbf(fixed(2), fixed(c(1, 2)))
  expect_identical(k$values, list(variance = 2, lengthscale = c(1, 2)))
  expect_identical(k$fixed, c("variance", "lengthscale"))
  expect_identical(fixed(fixed(1)), fixed(1))
  k <- kernel_rbf(lengthscale = fixed(NULL))
  expect_identical(k$values["lengthscale"], list(lengthscale = NULL))
  expect_identical(k$fixed, "lengthscale")
})

test_that("wrong values are refused under the argument's name", {
  refused <- function(code) expect_error(code, class = "gpsieve_error_argument")
  for (wrong in list(-1, 0, NA_real_, NaN, Inf, "1", TRUE, NULL, c(1, 2), numeric(), list(1))) {
    refused(kernel_rbf(variance = wrong))
    refused(kernel_matern(variance = wrong))
    refused(kernel_rational_quadratic(variance = wrong))
    refused(kernel_rational_quadratic(alpha = wrong))
    if (!is.null(wrong)) refused(kernel_linear(variance = wrong))
    refused(kernel_polynomial(variance = wrong))
    refused(kernel_periodic(variance = wrong))
    if (!is.null(wrong)) refused(kernel_periodic(period = wrong))
    refused(kernel_constant(variance = wrong))
    refused(kernel_white(variance = wrong))
  }
  for (wrong in list(-1, 0, NA_real_, Inf, "1", c(1, -1), c(1, NA), numeric(), factor(1))) {
    refused(kernel_rbf(lengthscale = wrong))
    refused(kernel_matern(lengthscale = wrong))
    refused(kernel_rational_quadratic(lengthscale = wrong))
    refused(kernel_periodic(lengthscale = wrong))
    refused(kernel_polynomial(scale = wrong))
  }
  for (wrong in list(0, -1, 1.5, NA, Inf, "2", 1:2, fixed(2), 1e6)) {
    refused(kernel_polynomial(degree = wrong))
  }
  for (wrong in list(-0.1, NA_real_, Inf, "1", NULL)) refused(kernel_polynomial(offset = wrong))
  for (wrong in list(1, 2, NA, "1.5", c(0.5, 1.5), fixed(1.5))) refused(kernel_matern(nu = wrong))
  refused(kernel_periodic(lengthscale = NULL))
  refused(kernel_rbf(variance = fixed(-1)))
  refused(kernel_rbf(variance = fixed(NULL)))
  refused(fixed("a"))
})

test_that("messages of the constructors", {
  expect_snapshot(error = TRUE, {
    kernel_rbf(variance = -1)
    kernel_rbf(variance = fixed(0))
    kernel_rbf(lengthscale = "long")
    kernel_rbf(lengthscale = c(1, 0))
    kernel_matern(nu = 2)
    kernel_rational_quadratic(alpha = Inf)
    kernel_polynomial(degree = 1.5)
    kernel_polynomial(offset = -1)
    kernel_polynomial(scale = 0)
    kernel_periodic(period = NA)
    kernel_white(variance = c(1, 2))
    fixed("a")
    kernel_on(1, 1)
    kernel_on(kernel_rbf(), 0)
    kernel_on(kernel_rbf(), c("a", "a"))
    kernel_function("rbf")
    kernel_function(function(x) x)
    kernel_function(function(x, z, scale) x)
    kernel_function(function(x, z) x, name = 1)
  })
})

test_that("functions of two arguments make kernels, others do not", {
  expect_identical(kernel_function(function(x, z) 1)$name, NULL)
  expect_identical(kernel_function(function(x, z) 1, name = "one")$name, "one")
  my_kernel <- function(x, z, scale = 1, ...) 1
  expect_identical(kernel_function(my_kernel)$name, "my_kernel")
  expect_identical(kernel_function(my_kernel)$fn, my_kernel)
  expect_s3_class(kernel_function(function(...) 1), "gpsieve_kernel_function")
  for (wrong in list(function() 1, function(x) 1, function(x, z, w) 1, "f", NULL)) {
    expect_error(kernel_function(wrong), class = "gpsieve_error_argument")
  }
})

test_that("as_kernel() passes kernels and wraps functions", {
  expect_identical(as_kernel(kernel_rbf()), kernel_rbf())
  f <- function(x, z) tcrossprod(x, z)
  expect_identical(as_kernel(f)$fn, f)
  expect_null(as_kernel(f)$name)
  for (wrong in list("rbf", 1, NULL, list(type = "rbf"), function(x) x, kernel_rbf)) {
    expect_error(as_kernel(wrong), class = "gpsieve_error_argument")
  }
  expect_snapshot(error = TRUE, {
    as_kernel("rbf", "kernel")
    as_kernel(kernel_rbf, "kernel")
    as_kernel(function(x) x, "kernel")
  })
})

test_that("as_kernel() takes kernlab's kernels over", {
  skip_if_not_installed("kernlab")
  expect_identical(as_kernel(kernlab::rbfdot(sigma = 2)), kernel_rbf(lengthscale = 0.5))
  expect_identical(as_kernel(kernlab::laplacedot(sigma = 4)), kernel_matern(0.5, 1, 0.25))
  expect_identical(as_kernel(kernlab::vanilladot()), kernel_linear(1))
  expect_identical(
    as_kernel(kernlab::polydot(degree = 3, scale = 2, offset = 0)), kernel_polynomial(3, 1, 0, 2)
  )
  expect_error(as_kernel(kernlab::tanhdot()), class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, as_kernel(kernlab::besseldot(), "kernel"))
})
