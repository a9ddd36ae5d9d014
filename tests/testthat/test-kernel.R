points <- function(n, p = 2L) {
  # Spread without a random generator: the fractional parts of multiples of square roots.
  x <- vapply(seq_len(p), function(d) (seq_len(n) * sqrt(c(2, 3, 5, 7, 11)[d])) %% 1, numeric(n))
  matrix(x, n, p, dimnames = list(NULL, letters[seq_len(p)]))
}

every_leaf <- function() {
  list(
    kernel_rbf(lengthscale = 0.5),
    kernel_rbf(2, c(1, 0.5)),
    kernel_matern(0.5, lengthscale = 0.7),
    kernel_matern(1.5, 2, c(1, 0.5)),
    kernel_matern(2.5, lengthscale = 0.7),
    kernel_rational_quadratic(2, c(1, 0.5), 3),
    kernel_linear(0.3),
    kernel_polynomial(3, 2, 0.5, 0.1),
    kernel_polynomial(2, 2, 0, 0.1),
    kernel_periodic(2, c(1, 0.5), 0.4),
    kernel_constant(0.2),
    kernel_white(0.3)
  )
}

# Every constructor's formula on a pair of points, and trees over them, in plain R.
naive <- function(kernel, x, z, same = FALSE) {
  v <- kernel$values
  values <- lapply(kernel$children, function(child) {
    if (kernel$type == "on") {
      dims <- if (is.character(kernel$dims)) match(kernel$dims, colnames(x)) else kernel$dims
      x <- x[, dims, drop = FALSE]
      z <- z[, dims, drop = FALSE]
    }
    naive(child, x, z, same)
  })
  pairwise <- function(f) {
    k <- matrix(0, nrow(x), nrow(z))
    for (i in seq_len(nrow(x))) for (j in seq_len(nrow(z))) k[i, j] <- f(x[i, ], z[j, ])
    k
  }
  r2 <- function() pairwise(function(a, b) sum(((a - b) / v[["lengthscale"]])^2))
  switch(kernel$type,
    rbf = v$variance * exp(-r2() / 2),
    matern = {
      t <- sqrt(2 * v$nu * r2())
      part <- switch(as.character(v$nu), "0.5" = 1, "1.5" = 1 + t, "2.5" = 1 + t + t^2 / 3)
      v$variance * part * exp(-t)
    },
    rational_quadratic = v$variance * (1 + r2() / 2 / v$alpha)^-v$alpha,
    linear = v$variance * x %*% t(z),
    polynomial = v$variance * (v$offset + v[["scale"]] * x %*% t(z))^v$degree,
    periodic = v$variance * exp(-2 * pairwise(function(a, b) {
      sum((sin(pi * (a - b) / v$period) / v$lengthscale)^2)
    })),
    constant = matrix(v$variance, nrow(x), nrow(z)),
    white = if (same) diag(v$variance, nrow(x)) else matrix(0, nrow(x), nrow(z)),
    sum = Reduce(`+`, values),
    product = Reduce(`*`, values),
    on = values[[1]],
    "function" = kernel$fn(x, z)
  )
}

# ---- constructors ----

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
  expect_identical(kernel_periodic()$values, list(variance = 1, lengthscale = 1, period = 1))
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
    refused(kernel_linear(variance = wrong))
    refused(kernel_polynomial(variance = wrong))
    refused(kernel_periodic(variance = wrong))
    refused(kernel_periodic(period = wrong))
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

# ---- algebra ----

test_that("sums and products flatten", {
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

test_that("numbers become constant kernels that are not learned", {
  k <- kernel_rbf()
  expect_identical(2 * k, kernel_constant(fixed(2)) * k)
  expect_identical(k * 2L, k * kernel_constant(fixed(2)))
  expect_identical(k + 0.1, k + kernel_constant(fixed(0.1)))
  expect_identical(0.1 + k, kernel_constant(fixed(0.1)) + k)
})

test_that("nothing else takes part in kernel algebra", {
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

# ---- conversions ----

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
  expect_identical(as_kernel(kernlab::vanilladot()), kernel_linear())
  expect_identical(
    as_kernel(kernlab::polydot(degree = 3, scale = 2, offset = 0)), kernel_polynomial(3, 1, 0, 2)
  )
  expect_error(as_kernel(kernlab::tanhdot()), class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, as_kernel(kernlab::besseldot(), "kernel"))
})

# ---- what is left to the data ----

test_that("an open lengthscale is the median distance", {
  x <- points(40, 3)
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

test_that("many rows are thinned evenly, always alike", {
  x <- points(1300, 2)
  some <- x[round(seq(1, 1300, length.out = 500)), ]
  expect_equal(kernel_resolve(kernel_rbf(), x)$values$lengthscale, median(dist(some)))
  expect_equal(
    kernel_resolve(kernel_rbf(), x[1:500, ])$values$lengthscale, median(dist(x[1:500, ]))
  )
})

test_that("resolving reaches every open value in a tree and keeps what is given", {
  x <- points(20, 3)
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
  x <- points(5, 3)
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

# ---- hyper-parameters ----

test_that("hyper-parameters have the core's order and telling names", {
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
  expect_identical(named(kernel_periodic()), c("variance", "lengthscale", "period"))
  expect_identical(named(kernel_polynomial(scale = 1)), c("variance", "offset", "scale"))
  expect_identical(named(kernel_polynomial(offset = 0, scale = 1)), c("variance", "scale"))
  expect_identical(
    named(kernel_rbf(1, 1) + kernel_constant()),
    c("rbf.variance", "rbf.lengthscale", "constant.variance")
  )
  expect_identical(
    named(kernel_rbf(1, 1) + kernel_linear() * kernel_rbf(1, 1)),
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

test_that("theta makes the round trip", {
  for (k in c(every_leaf(), list(Reduce(`+`, every_leaf()), 2 * kernel_on(kernel_rbf(1, 3), 1)))) {
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

test_that("the core's spec is a bare tree", {
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

# ---- values ----

test_that("every kernel of the core has a constructor here, and the other way round", {
  own <- kernel_function(function(x, z) 1)
  trees <- list(2 * kernel_rbf(), kernel_rbf() + 2, kernel_on(kernel_rbf(), 1), own)
  types <- vapply(c(every_leaf(), trees), function(k) k$type, "")
  expect_setequal(types, core_kernels())
})

test_that("kernel_matrix() follows the formulas", {
  x <- points(7)
  z <- points(9)[5:9, ] # shares three rows with x
  f <- function(x, z) exp(-abs(outer(x[, 1], z[, 1], `-`)))
  trees <- list(
    Reduce(`+`, every_leaf()),
    kernel_rbf(1, 1) * kernel_linear() * kernel_white(),
    kernel_on(kernel_rbf(1, 0.3), "b") * (kernel_on(kernel_linear(), c(2, 1)) + 0.5),
    kernel_function(f),
    2 * kernel_function(f) + kernel_white()
  )
  for (k in c(every_leaf(), trees)) {
    expect_equal(kernel_matrix(k, x, z), naive(k, x, z), tolerance = 1e-13)
    expect_equal(kernel_matrix(k, x), naive(k, x, x, same = TRUE), tolerance = 1e-13)
    expect_identical(kernel_matrix(k, x), t(kernel_matrix(k, x)))
  }
})

test_that("kernel_matrix() resolves open values from x", {
  x <- points(7)
  z <- points(9)[8:9, ]
  expect_equal(kernel_matrix(kernel_rbf(), x, z), naive(kernel_rbf(1, median(dist(x))), x, z))
  expect_equal(
    kernel_matrix(kernel_polynomial(), x, z), naive(kernel_polynomial(scale = 0.5), x, z)
  )
})

test_that("kernel_matrix() agrees with kernlab", {
  skip_if_not_installed("kernlab")
  x <- points(7)
  z <- points(9)[8:9, ]
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
  x <- points(3)
  rownames(x) <- c("u", "v", "w")
  k <- kernel_rbf(1, 1)
  expect_identical(dimnames(kernel_matrix(k, x)), list(rownames(x), rownames(x)))
  expect_identical(dimnames(kernel_matrix(k, x, points(2))), list(rownames(x), NULL))
  expect_null(dimnames(kernel_matrix(k, points(3))))
  expect_identical(kernel_matrix(k, as.data.frame(x)), kernel_matrix(k, x))
  expect_identical(kernel_matrix(k, matrix(1:3)), kernel_matrix(k, matrix(c(1, 2, 3))))
  expect_identical(dim(kernel_matrix(k, x, x[0L, ])), c(3L, 0L))
})

test_that("kernel_matrix() refuses what it cannot use", {
  x <- points(3)
  expect_error(kernel_matrix(kernel_rbf(), 1:3), class = "gpsieve_error_argument")
  expect_error(kernel_matrix("rbf", x), class = "gpsieve_error_argument")
  expect_error(kernel_matrix(kernel_rbf(), replace(x, 2, NA)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x, replace(x, 2, Inf)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x[0L, ]), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x, points(2, 3)), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), x[, 0L]), class = "gpsieve_error_data")
  expect_error(kernel_matrix(kernel_rbf(), iris), class = "gpsieve_error_data")
  expect_snapshot(error = TRUE, {
    kernel_matrix(kernel_rbf(), 1:3)
    kernel_matrix("rbf", x)
    kernel_matrix(kernel_rbf(), x, points(2, 3))
    kernel_matrix(kernel_rbf(1, 1:3), x)
  })
})

test_that("what a function returns is not trusted", {
  x <- points(3)
  refused <- function(f, class) expect_error(kernel_matrix(f, x), class = class)
  refused(function(x, z) matrix(NaN, nrow(x), nrow(z)), "gpsieve_error_numerical")
  refused(function(x, z) matrix(x[, 1], nrow(x), nrow(z)), "gpsieve_error_object")
  refused(function(x, z) diag(2), "gpsieve_error_object")
  refused(function(x, z) "a", "gpsieve_error_object")
  expect_error(kernel_matrix(function(x, z) stop("no idea"), x), "no idea")
  expect_snapshot(
    error = TRUE,
    kernel_matrix(function(x, z) matrix(c(1, NaN, 1), nrow(x), nrow(z)), x)
  )
})
