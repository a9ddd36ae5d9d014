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
  product = kernel_rbf(1e308) * kernel_constant(1e10),
  polynomial = kernel_polynomial(500, scale = 1e5)
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

test_that("kernels and likelihoods with a damaged part are refused", {
  refused <- function(...) {
    expect_error(ivm(dist ~ speed, cars, ..., seed = 1), class = "gpsieve_error_object")
  }
  edited <- function(object, part, value) {
    object[part] <- list(value)
    object
  }
  kernel <- kernel_rbf(1, 1)
  refused(kernel = edited(kernel, "type", "nosuch"))
  refused(kernel = edited(kernel, "type", 1))
  refused(kernel = edited(kernel, "values", NULL))
  refused(kernel = edited(kernel, "values", list(variance = -1, lengthscale = 1)))
  refused(kernel = edited(kernel, "fixed", 1))
  refused(kernel = edited(kernel, "children", list(1)))
  refused(kernel = edited(kernel_function(rbf), "fn", 1))
  refused(kernel = edited(kernel_function(rbf), "values", 1))
  refused(kernel = edited(kernel_on(kernel, 1), "dims", 0))
  refused(kernel = kernel_rbf() + 1 + edited(kernel, "type", NULL))
  refused(likelihood = edited(lik_gaussian(), "type", NULL))
  refused(likelihood = edited(lik_gaussian(), "values", list(variance = NaN)))
})

test_that("a kernel of a fit and one within another are whole", {
  every <- c(every_kernel_leaf(), list(kernel_on(2 * kernel_rbf(), 1) + kernel_function(rbf)))
  for (kernel in every) expect_identical(as_kernel(kernel), kernel)
  toy <- toy_data("regression", n = 20)
  # Kernels of levels share no column with others.
  others <- Filter(Negate(sees_levels), every)
  fit <- ivm(toy$x, toy$y, kernel = Reduce(`+`, others), optimise = FALSE, seed = 1)
  expect_accepted(as_kernel(kernel_of(fit)))
  expect_accepted(as_likelihood(likelihood_of(fit)))
})

test_that("an active set that stays empty is no crash of what learns on it", {
  x <- matrix(c(-1, 0, 1, 2, -2, 0.5))
  expect_accepted(suppressWarnings(
    ivm(x, c(0L, 2L, 4L, 1L, 0L, 3L), kernel_rbf() * kernel_constant(fixed(1e300)), seed = 1)
  ))
})

test_that("a data frame without column names is refused", {
  bare <- structure(list(1:3), class = "data.frame", row.names = 1:3)
  expect_error(ivm(bare, 1:3), "distinct names", class = "gpsieve_error_data")
})
