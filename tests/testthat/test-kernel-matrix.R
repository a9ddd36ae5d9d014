test_that("every kernel of the core has a constructor here, and the other way round", {
  own <- kernel_function(function(x, z) 1)
  trees <- list(2 * kernel_rbf(), kernel_rbf() + 2, kernel_on(kernel_rbf(), 1),
    kernel_warped(kernel_rbf()), kernel_mixed(kernel_rbf()), own)
  types <- vapply(c(every_kernel_leaf(), trees), function(k) k$type, "")
  expect_setequal(types, gpsieve_info(16)$kernels)
})

test_that("kernel_matrix() follows the formulas", {
  x <- spread_points(7)
  z <- spread_points(9)[5:9, ] # shares three rows with x
  f <- function(x, z) exp(-abs(outer(x[, 1], z[, 1], `-`)))
  trees <- list(
    Reduce(`+`, every_kernel_leaf()),
    kernel_rbf(1, 1) * kernel_linear(2) * kernel_white(),
    kernel_on(kernel_rbf(1, 0.3), "b") * (kernel_on(kernel_linear(2), c(2, 1)) + 0.5),
    kernel_warped(kernel_rbf(1, c(0.3, 0.5)) + kernel_linear(0.5), c(0.5, -0.3), c(0.7, 1.2), 2:1,
      c(0.4, 0.5), c(0.2, 0.3)),
    kernel_mixed(kernel_rbf(1, c(0.3, 0.5)) + kernel_linear(0.5), c(0.5, -0.3), 2:1),
    kernel_function(f),
    2 * kernel_function(f) + kernel_white()
  )
  for (k in c(every_kernel_leaf(), trees)) {
    expect_equal(kernel_matrix(k, x, z), naive_kernel(k, x, z), tolerance = 1e-13)
    expect_equal(kernel_matrix(k, x), naive_kernel(k, x, x, same = TRUE), tolerance = 1e-13)
    expect_identical(kernel_matrix(k, x), t(kernel_matrix(k, x)))
  }
})

test_that("kernel_matrix() resolves open values from x", {
  x <- spread_points(7)
  z <- spread_points(9)[8:9, ]
  expect_equal(
    kernel_matrix(kernel_rbf(), x, z), naive_kernel(kernel_rbf(1, median(dist(x))), x, z)
  )
  expect_equal(
    kernel_matrix(kernel_polynomial(), x, z), naive_kernel(kernel_polynomial(scale = 0.5), x, z)
  )
  expect_equal(kernel_matrix(kernel_linear(NULL), x, z), 0.5 * x %*% t(z))
  expect_equal(kernel_matrix(kernel_on(kernel_linear(NULL), 2), x, z), x[, 2] %*% t(z[, 2]))
  expect_equal(kernel_matrix(kernel_linear(NULL, ard = TRUE), x, z), 0.5 * x %*% t(z))
  expect_equal(kernel_matrix(kernel_linear(), x, z), x %*% t(z))
})

test_that("kernel_matrix() agrees with kernlab", {
  skip_if_not_installed("kernlab")
  x <- spread_points(7)
  z <- spread_points(9)[8:9, ]
  for (theirs in list(
    kernlab::rbfdot(0.7), kernlab::laplacedot(0.7), kernlab::vanilladot(),
    kernlab::polydot(3, 0.5, 2)
  )) {
    expect_equal(kernel_matrix(theirs, x, z), unclass(kernlab::kernelMatrix(theirs, x, z))[, ],
      ignore_attr = TRUE
    )
  }
})

test_that("kernel_matrix() keeps row names and takes data frames", {
  x <- spread_points(3)
  rownames(x) <- c("u", "v", "w")
  k <- kernel_rbf(1, 1)
  expect_identical(dimnames(kernel_matrix(k, x)), list(rownames(x), rownames(x)))
  expect_identical(dimnames(kernel_matrix(k, x, spread_points(2))), list(rownames(x), NULL))
  expect_null(dimnames(kernel_matrix(k, spread_points(3))))
  expect_identical(kernel_matrix(k, as.data.frame(x)), kernel_matrix(k, x))
  expect_identical(kernel_matrix(k, matrix(1:3)), kernel_matrix(k, matrix(c(1, 2, 3))))
  expect_identical(dim(kernel_matrix(k, x, x[0L, ])), c(3L, 0L))
})

test_that("unsupported arguments of kernel_matrix() are an error", {
  skip_on_cran() # what R alone does is the same everywhere
  x <- spread_points(3)
  expect_error(kernel_matrix(kernel_rbf(), 1:3), class = "gpsieve_error_argument")
  expect_error(kernel_matrix("rbf", x), class = "gpsieve_error_argument")
  expect_error(kernel_matrix(kernel_rbf(), replace(x, 2, NA)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x, replace(x, 2, Inf)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x[0L, ]), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x, spread_points(2, 3)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x[, 0L]), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), iris), class = "gpsieve_error_data")
  expect_snapshot(error = TRUE, {
    kernel_matrix(kernel_rbf(), 1:3)
    kernel_matrix("rbf", x)
    kernel_matrix(kernel_rbf(), x, spread_points(2, 3))
    kernel_matrix(kernel_rbf(1, 1:3), x)
  })
})

test_that("wrong values of a kernel function are an error", {
  skip_on_cran() # what R alone does is the same everywhere
  x <- spread_points(3)
  refused <- function(f) expect_error(kernel_matrix(f, x), class = "gpsieve_error_kernel")
  refused(function(x, z) matrix(NaN, nrow(x), nrow(z)))
  refused(function(x, z) matrix(x[, 1], nrow(x), nrow(z)))
  refused(function(x, z) diag(2))
  refused(function(x, z) "a")
  expect_error(kernel_matrix(function(x, z) stop("no idea"), x), "no idea")
  expect_snapshot(
    error = TRUE,
    kernel_matrix(function(x, z) matrix(c(1, NaN, 1), nrow(x), nrow(z)), x)
  )
})
