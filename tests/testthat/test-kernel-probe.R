# What every model refuses in a kernel before it does any work.

no_covariances <- list(
  error = function(x, z) stop("no such distance"),
  nan = function(x, z) matrix(NaN, nrow(x), nrow(z)),
  infinite = function(x, z) matrix(Inf, nrow(x), nrow(z)),
  shape = function(x, z) matrix(1, 2, 2),
  length = function(x, z) 1,
  square = function(x, z) rbf(x, x),
  nothing = function(x, z) NULL,
  text = function(x, z) matrix("1", nrow(x), nrow(z)),
  list = function(x, z) list(1),
  negative = function(x, z) -rbf(x, z),
  asymmetric = function(x, z) matrix(x[, 1], nrow(x), nrow(z))
)

overflowing <- list(
  product = kernel_rbf(1e308) * kernel_constant(1e10), polynomial = kernel_polynomial(500, scale = 1e5)
)

every_model(function(spec) {
  test_that(paste("kernels that give no covariances are refused:", spec$class), {
    for (task in tasks) {
      toy <- toy_data(task, n = 20)
      fit <- function(kernel) {
        fit_cheaply(spec, toy$x, toy$y, kernel = kernel, settings = spec$learning)
      }
      for (kernel in c(no_covariances, overflowing)) {
        expect_error(fit(kernel), class = "gpsieve_error_kernel")
      }
      in_a_sum <- kernel_on(kernel_function(no_covariances$shape), "a") + kernel_rbf()
      expect_error(fit(in_a_sum), class = "gpsieve_error_kernel")
    }
  })
})

test_that("messages about kernels say what was returned and what is needed", {
  fit <- function(kernel) ivm(dist ~ speed, cars, kernel = kernel, seed = 1)
  expect_snapshot(error = TRUE, {
    fit(no_covariances$nan)
    fit(no_covariances$shape)
    fit(no_covariances$length)
    fit(no_covariances$text)
    fit(no_covariances$negative)
    fit(no_covariances$asymmetric)
    fit(overflowing$product)
  })
})
