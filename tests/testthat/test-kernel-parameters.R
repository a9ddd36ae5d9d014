test_that("an open lengthscale is the median distance", {
  x <- spread_points(40, 3)
  resolved <- function(x) kernel_resolve(kernel_rbf(), x)$values$lengthscale
  expect_equal(resolved(x), median(dist(x)))
  expect_equal(resolved(x[1:2, ]), as.vector(dist(x[1:2, ])))
  expect_equal(resolved(1e-150 * x) * 1e150, median(dist(x)))
  expect_equal(resolved(1e150 * x) * 1e-150, median(dist(x)))
  expect_equal(resolved(x + 1e6), median(dist(x)), tolerance = 1e-8)
  expect_equal(resolved(cbind(1e300, 1e-150 * x)) * 1e150, median(dist(x)))
})

test_that("the median distance falls back where points coincide", {
  resolved <- function(x) kernel_resolve(kernel_rbf(), x)$values$lengthscale
  expect_identical(resolved(matrix(3, 5, 2)), 1)
  expect_identical(resolved(matrix(3, 1, 2)), 1)
  x <- matrix(c(rep(0, 9), 2))
  expect_identical(resolved(x), 2)
  x <- matrix(c(rep(0, 18), 1, 3))
  distances <- dist(x)
  expect_equal(resolved(x), mean(distances[distances > 0]))
})

test_that("the median distance of many rows uses the same evenly spaced rows in every call", {
  x <- spread_points(1300, 2)
  some <- x[round(seq(1, 1300, length.out = 500)), ]
  expect_equal(kernel_resolve(kernel_rbf(), x)$values$lengthscale, median(dist(some)))
  expect_equal(
    kernel_resolve(kernel_rbf(), x[1:500, ])$values$lengthscale, median(dist(x[1:500, ]))
  )
})

test_that("resolving reaches every open value in a tree and keeps what is given", {
  x <- spread_points(20, 3)
  k <- kernel_resolve(
    kernel_on(kernel_matern(lengthscale = fixed(NULL)), c("c", "a")) +
      kernel_rational_quadratic() * kernel_on(kernel_polynomial() + kernel_rbf(3, 4), 2:3),
    x
  )
  on <- k$children[[1]]
  expect_identical(on$dims, c(3L, 1L))
  expect_equal(on$children[[1]]$values$lengthscale, median(dist(x[, c(3, 1)])))
  expect_identical(on$children[[1]]$fixed, "lengthscale")
  product <- k$children[[2]]$children
  expect_equal(product[[1]]$values$lengthscale, median(dist(x)))
  inner <- product[[2]]$children[[1]]$children
  expect_identical(inner[[1]]$values[["scale"]], 1 / 2)
  expect_identical(inner[[2]], kernel_rbf(3, 4))
  expect_identical(kernel_resolve(k, x), k)
})

test_that("lengthscales and dims must suit the columns", {
  x <- spread_points(5, 3)
  expect_identical(kernel_resolve(kernel_rbf(1, 1:3), x), kernel_rbf(1, 1:3))
  refused <- function(k) expect_error(kernel_resolve(k, x), class = "gpsieve_error_argument")
  refused(kernel_rbf(1, c(1, 2)))
  refused(kernel_on(kernel_rbf(1, c(1, 2, 3)), 1:2))
  refused(kernel_on(kernel_rbf(), 4))
  refused(kernel_on(kernel_rbf(), "d"))
  refused(kernel_on(kernel_on(kernel_rbf(), 3), 1:2))
  expect_error(
    kernel_resolve(kernel_on(kernel_rbf(), "a"), unname(x)), class = "gpsieve_error_argument"
  )
  expect_snapshot(error = TRUE, {
    kernel_resolve(kernel_rbf(1, c(1, 2)), x)
    kernel_resolve(kernel_on(kernel_rbf(), c("a", "age")), x)
    kernel_resolve(kernel_on(kernel_rbf(), 4), x)
    kernel_resolve(kernel_on(kernel_rbf(), "a"), unname(x))
  })
})

test_that("hyper-parameters have the order of the core and names of their kernels", {
  named <- function(k, columns = NULL) names(kernel_theta(k, columns))
  expect_identical(named(kernel_rbf(1, 1)), c("variance", "lengthscale"))
  expect_identical(named(kernel_rbf(1, 1:2)), c("variance", "lengthscale1", "lengthscale2"))
  expect_identical(
    named(kernel_rbf(1, 1:2), c("age", "income")),
    c("variance", "lengthscale.age", "lengthscale.income")
  )
  expect_identical(named(kernel_matern(1.5, 1, 1)), c("variance", "lengthscale"))
  expect_identical(
    named(kernel_rational_quadratic(1, 1)), c("variance", "lengthscale", "alpha")
  )
  expect_identical(named(kernel_periodic(period = 1)), c("variance", "lengthscale", "period"))
  expect_identical(named(kernel_polynomial(scale = 1)), c("variance", "offset", "scale"))
  expect_identical(named(kernel_polynomial(offset = 0, scale = 1)), c("variance", "scale"))
  expect_identical(
    named(kernel_rbf(1, 1) + kernel_constant()),
    c("rbf.variance", "rbf.lengthscale", "constant.variance")
  )
  expect_identical(
    named(kernel_rbf(1, 1) + kernel_linear(1) * kernel_rbf(1, 1)),
    c(
      "rbf1.variance", "rbf1.lengthscale", "linear.variance", "rbf2.variance", "rbf2.lengthscale"
    )
  )
  expect_identical(
    named(kernel_on(kernel_rbf(1, 1:2), c(3, 1)), c("a", "b", "c")),
    c("variance", "lengthscale.c", "lengthscale.a")
  )
  f <- kernel_function(function(x, z) 1)
  expect_length(kernel_theta(f), 0)
  expect_identical(named(f + kernel_white()), "white.variance")
})

test_that("hyper-parameters taken from a kernel and set again give the same kernel", {
  leaves <- every_kernel_leaf()
  for (k in c(leaves, list(Reduce(`+`, leaves), 2 * kernel_on(kernel_rbf(1, 3), 1)))) {
    theta <- kernel_theta(k)
    expect_identical(kernel_set_theta(k, theta), k)
    moved <- theta + seq_along(theta) / 10
    expect_equal(kernel_theta(kernel_set_theta(k, moved)), moved)
    expect_length(kernel_free(k), length(theta))
  }
  expect_identical(
    kernel_set_theta(kernel_rbf(1, c(1, 1)), log(c(4, 2, 1)))$values$lengthscale,
    exp(log(c(2, 1)))
  )
})

test_that("fixed values are not free", {
  expect_identical(kernel_free(kernel_rbf(1, c(1, 2))), c(TRUE, TRUE, TRUE))
  expect_identical(kernel_free(kernel_rbf(1, fixed(c(1, 2)))), c(TRUE, FALSE, FALSE))
  expect_identical(kernel_free(2 * kernel_rbf(fixed(1), 1)), c(FALSE, FALSE, TRUE))
  expect_identical(kernel_free(kernel_polynomial(offset = 0, scale = fixed(1))), c(TRUE, FALSE))
  expect_identical(kernel_free(kernel_function(function(x, z) 1)), logical())
})

test_that("a kernel with open values has no parameters yet", {
  expect_error(kernel_theta(kernel_rbf()), class = "gpsieve_error_object")
  expect_error(kernel_spec(kernel_rbf()), class = "gpsieve_error_object")
  expect_error(kernel_set_theta(kernel_rbf(1, 1), 1), class = "gpsieve_error_object")
  expect_snapshot(error = TRUE, {
    kernel_theta(kernel_rbf())
    kernel_set_theta(kernel_rbf(1, 1), 1)
  })
})

test_that("the description of a kernel for the core is a nested list", {
  k <- kernel_rbf(2, c(1, 2)) + kernel_on(kernel_white(), 2)
  leaf <- function(type, ...) {
    list(type = type, values = list(...), children = list(), dims = NULL, fn = NULL)
  }
  expect_identical(
    kernel_spec(k),
    list(
      type = "sum", values = list(),
      children = list(
        leaf("rbf", variance = 2, lengthscale = c(1, 2)),
        list(
          type = "on", values = list(), children = list(leaf("white", variance = 1)), dims = 2L,
          fn = NULL
        )
      ),
      dims = NULL, fn = NULL
    )
  )
  f <- function(x, z) if (x > 0) z else stop("no such distance")
  fn <- kernel_spec(kernel_function(f))$fn
  expect_identical(fn(1, 2), 2)
  expect_error(fn(-1, 2), "no such distance", class = "gpsieve_error_kernel")
})

test_that("learning the variance of a linear kernel of many columns ends inside its bounds", {
  x <- with_own_seed(1, matrix(rnorm(40 * 2000), 40))
  y <- drop(x %*% with_own_seed(2, rnorm(2000))) / sqrt(2000)
  fit <- meanfield_gp(x, y, kernel_linear(NULL), likelihood = lik_gaussian(fixed(0.1)))
  expect_null(attr(coef(fit), "at_bound"))
  expect_lt(abs(log(coef(fit)[["variance"]] * 2000)), log(5))
})
