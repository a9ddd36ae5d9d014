test_that("nested sums and products become one sum or product", {
  a <- kernel_rbf()
  b <- kernel_linear()
  d <- kernel_constant()
  expect_identical((a + b + d)$children, list(a, b, d))
  expect_identical(a + (b + d), a + b + d)
  expect_identical((a * b * d)$children, list(a, b, d))
  expect_identical(a * (b * d), a * b * d)
  expect_identical((a * (b + d))$children, list(a, b + d))
  expect_identical((a + b * d)$children, list(a, b * d))
  expect_s3_class(a + b, c("gpsieve_kernel_sum", "gpsieve_kernel"), exact = TRUE)
  expect_s3_class(a * b, c("gpsieve_kernel_product", "gpsieve_kernel"), exact = TRUE)
})

test_that("numbers become constant kernels whose variance is not learned", {
  k <- kernel_rbf()
  expect_identical(2 * k, kernel_constant(fixed(2)) * k)
  expect_identical(k * 2L, k * kernel_constant(fixed(2)))
  expect_identical(k + 0.1, k + kernel_constant(fixed(0.1)))
  expect_identical(0.1 + k, kernel_constant(fixed(0.1)) + k)
})

test_that("sums and products with other objects are an error", {
  skip_on_cran() # what R alone does is the same everywhere
  k <- kernel_rbf()
  for (wrong in list(0, -1, NA, Inf, c(1, 2), "a", TRUE, NULL, sqrt, list(1))) {
    expect_error(k + wrong, class = "gpsieve_error_argument")
    expect_error(wrong * k, class = "gpsieve_error_argument")
  }
  expect_error(k - k, class = "gpsieve_error_unsupported")
  expect_error(k == k, class = "gpsieve_error_unsupported")
  expect_error(-k, class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, {
    k - 1
    -k
    k + "a"
    0 * k
  })
})

test_that("kernels print as the expression one would type", {
  my_kernel <- function(x, z) 1
  expect_snapshot({
    kernel_rbf()
    kernel_rbf(variance = 2, lengthscale = c(1, 0.5)) + kernel_constant(variance = 0.1)
    kernel_matern()
    kernel_rational_quadratic(pi * 1e5, 1 / 3, 1e-150)
    kernel_polynomial(offset = 0)
    2 * (kernel_periodic() + kernel_white(fixed(0.1))) * kernel_linear() + 1
    kernel_rbf(lengthscale = fixed(c(1, 2)))
    kernel_rbf(lengthscale = fixed(NULL))
    kernel_on(kernel_rbf() + kernel_linear(), c(1, 3)) * kernel_on(kernel_linear(), "age")
    kernel_function(my_kernel)
    kernel_function(function(x, z) 1)
    fixed(c(1, 0.123456))
    fixed(NULL)
  })
})

test_that("a kernel's text makes the kernel again", {
  k <- 2 * kernel_on(kernel_matern(2.5, fixed(0.25)) + kernel_white(1e-6), c("a", "b c")) *
    (kernel_polynomial(3, 2, 0, 0.5) + kernel_periodic(1, c(1, 2)) + 0.125) +
    kernel_rational_quadratic() * kernel_on(kernel_linear(3), 2) + kernel_rbf(1, fixed(NULL))
  expect_identical(eval(parse(text = format(k))), k)
  withr::local_options(OutDec = ",")
  expect_identical(eval(parse(text = format(k))), k)
})

test_that("print() returns the kernel invisibly", {
  k <- kernel_rbf()
  capture.output(shown <- withVisible(print(k)))
  expect_identical(shown, list(value = k, visible = FALSE))
})

test_that("terms of a sum that differ in their variances only are one term", {
  k <- kernel_linear(2) + kernel_constant(1) + kernel_linear(3) + kernel_constant(0.5)
  expect_identical(k, kernel_linear(5) + kernel_constant(1.5))
  expect_identical(kernel_rbf(1, 2) + kernel_rbf(3, 2), kernel_rbf(4, 2))
  expect_identical(1 + kernel_rbf() + 2, 3 + kernel_rbf())
})

test_that("terms that differ in more stay apart", {
  apart <- list(
    kernel_rbf(1, 2) + kernel_rbf(1, 3), kernel_matern(0.5) + kernel_matern(1.5),
    kernel_linear(fixed(1)) + kernel_linear(1), kernel_linear(NULL) + kernel_linear(1),
    kernel_rbf(1, 2) + kernel_rbf(1, fixed(2)),
    kernel_on(kernel_linear(), 1) + kernel_on(kernel_linear(), 2)
  )
  for (kernel in apart) expect_length(kernel$children, 2)
})

test_that("learned values print in three digits, what was typed in as many as matter", {
  expect_identical(format(kernel_rbf(0.12345, c(1.2345, 100.25))),
    "kernel_rbf(variance = 0.123, lengthscale = c(1.23, 100))")
  expect_identical(format(kernel_rbf(0.12345), digits = 5), "kernel_rbf(variance = 0.12345)")
  expect_identical(format(kernel_periodic(1, 1, 365.25)),
    "kernel_periodic(variance = 1, lengthscale = 1, period = 365.25)")
  expect_identical(format(kernel_constant(fixed(1.23456))),
    "kernel_constant(variance = fixed(1.23456))")
  expect_identical(format(lik_student(df = 4.5678, scale = 1.2345)),
    "lik_student(df = 4.5678, scale = 1.23)")
  expect_identical(format(lik_quantile(0.98765, 1.2345)),
    "lik_quantile(tau = 0.98765, scale = 1.23)")
})

test_that("sums have the covariances of their terms, of lines and of open variances too", {
  x <- matrix(c(-1, 0.5, 2))
  line <- kernel_affine(1, 2, 1)
  expect_equal(kernel_matrix(line + line, x), 2 * kernel_matrix(line, x))
  expect_identical(format(kernel_rbf(1, 1) + kernel_rbf(2, 1)), format(kernel_rbf(3, 1)))
  open <- kernel_linear(NULL)
  expect_equal(kernel_matrix(open + open, x), 2 * kernel_matrix(open, x))
  twice <- with_variances_times(line, 2)
  expect_equal(kernel_matrix(twice, x), 2 * kernel_matrix(line, x))
})
