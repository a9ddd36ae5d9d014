# What the tests of kernels share.

spread_points <- function(n, p = 2L) {
  # Spread without a random generator: the fractional parts of multiples of square roots.
  x <- vapply(seq_len(p), function(d) (seq_len(n) * sqrt(c(2, 3, 5, 7, 11)[d])) %% 1, numeric(n))
  matrix(x, n, p, dimnames = list(NULL, letters[seq_len(p)]))
}

every_kernel_leaf <- function() {
  list(
    kernel_rbf(lengthscale = 0.5),
    kernel_rbf(2, c(1, 0.5)),
    kernel_matern(0.5, lengthscale = 0.7),
    kernel_matern(1.5, 2, c(1, 0.5)),
    kernel_matern(2.5, lengthscale = 0.7),
    kernel_separable(2.5, 2, c(1, 0.5)),
    kernel_separable(0.5, 2, 0.7),
    kernel_rational_quadratic(2, c(1, 0.5), 3),
    kernel_linear(0.3),
    kernel_linear(0.3, c(1, 0.5)),
    kernel_polynomial(3, 2, 0.5, 0.1),
    kernel_polynomial(2, 2, 0, 0.1),
    kernel_periodic(2, c(1, 0.5), 0.4),
    kernel_great_circle(nu = 1.5, variance = 2, lengthscale = 80),
    kernel_great_circle(nu = 0.5, variance = 2, lengthscale = 0.01, distance = "arc", radius = 1),
    kernel_affine(2, 0.5, 1),
    kernel_categorical(variance = 2, correlation = 0.3),
    kernel_categorical(variance = 2, correlation = 0),
    kernel_constant(0.2),
    kernel_white(0.3),
    kernel_gap_noise(variance = 0.3)
  )
}

# Every constructor's formula on a pair of points, and trees over them, in plain R.
naive_kernel <- function(kernel, x, z, same = FALSE) {
  v <- kernel$values
  values <- lapply(kernel$children, function(child) {
    if (kernel$type == "on") {
      dims <- if (is.character(kernel$dims)) match(kernel$dims, colnames(x)) else kernel$dims
      x <- x[, dims, drop = FALSE]
      z <- z[, dims, drop = FALSE]
    }
    naive_kernel(child, x, z, same)
  })
  pairwise <- function(f) {
    k <- matrix(0, nrow(x), nrow(z))
    for (i in seq_len(nrow(x))) for (j in seq_len(nrow(z))) k[i, j] <- f(x[i, ], z[j, ])
    k
  }
  # The angle between two places, by the spherical law that keeps its digits for small angles.
  angle <- function(a, b) {
    a <- a * pi / 180
    b <- b * pi / 180
    2 * asin(sqrt(sin((a[2] - b[2]) / 2)^2 + cos(a[2]) * cos(b[2]) * sin((a[1] - b[1]) / 2)^2))
  }
  matern <- function(r) {
    t <- sqrt(2 * v$nu) * r
    part <- switch(as.character(v$nu), "0.5" = 1, "1.5" = 1 + t, "2.5" = 1 + t + t^2 / 3)
    v$variance * part * exp(-t)
  }
  r2 <- function() pairwise(function(a, b) sum(((a - b) / v[["lengthscale"]])^2))
  switch(kernel$type,
    rbf = v$variance * exp(-r2() / 2),
    matern = matern(sqrt(r2())),
    separable = v$variance * Reduce(`*`, lapply(seq_len(ncol(x)), function(d) {
      apart <- abs(outer(x[, d], z[, d], `-`)) / rep_len(v[["lengthscale"]], ncol(x))[d]
      matern(apart) / v$variance
    })),
    great_circle = {
      arc <- pairwise(angle)
      d <- if (identical(kernel$distance, "arc")) arc else 2 * sin(arc / 2)
      matern(v$radius * d / v$lengthscale)
    },
    rational_quadratic = v$variance * (1 + r2() / 2 / v$alpha)^-v$alpha,
    linear = {
      precision <- if (is.null(v$lengthscale)) 1 else 1 / v$lengthscale^2
      v$variance * x %*% (precision * t(z))
    },
    polynomial = v$variance * (v$offset + v[["scale"]] * x %*% t(z))^v$degree,
    periodic = v$variance * exp(-2 * pairwise(function(a, b) {
      sum((sin(pi * (a - b) / v$period) / v$lengthscale)^2)
    })),
    affine = v$variance + v$slope * x %*% t(z) +
      cos(v$angle) * sqrt(v$variance * v$slope / ncol(x)) * outer(rowSums(x), rowSums(z), `+`),
    categorical = v$variance * pairwise(function(a, b) {
      if (all(a == b)) 1
      else v$correlation * if (is.null(v$angle)) 1 else cos(v$angle[a] - v$angle[b])
    }),
    constant = matrix(v$variance, nrow(x), nrow(z)),
    white = if (same) diag(v$variance, nrow(x)) else matrix(0, nrow(x), nrow(z)),
    gap_noise = if (same) {
      diag(v$variance * (rowSums(x > 0) > 0), nrow(x))
    } else {
      matrix(0, nrow(x), nrow(z))
    },
    sum = Reduce(`+`, values),
    product = Reduce(`*`, values),
    on = values[[1]],
    warped = {
      warp <- function(x) {
        for (d in seq_along(kernel$dims)) {
          z <- (x[, kernel$dims[d]] - v$center[d]) / v$spread[d]
          x[, kernel$dims[d]] <- v$center[d] + v$spread[d] * sinh(v$tail[d] * asinh(z) - v$skew[d])
        }
        x
      }
      naive_kernel(kernel$children[[1]], warp(x), warp(z), same)
    },
    mixed = {
      mix <- function(x) {
        n <- length(kernel$dims)
        weights <- diag(n)
        weights[!diag(TRUE, n)] <- v$mixing
        x[, kernel$dims] <- x[, kernel$dims] %*% weights
        x
      }
      naive_kernel(kernel$children[[1]], mix(x), mix(z), same)
    },
    "function" = kernel$fn(x, z)
  )
}

# A kernel of mapped inputs whose map is held at the identity gives the bits of the kernel in it,
# in fits of `d` by several models and when learned on blocks. Where the response has no noise,
# learning warns of the bound of its variance.
expect_bits_of_kernel <- function(kernel, identity, d) {
  both <- function(model, ...) {
    lapply(list(kernel, identity), function(kernel) {
      suppressWarnings(model(y ~ ., d, kernel, seed = 1, ...))
    })
  }
  for (model in list(meanfield_gp, ivm, greedy_gp)) {
    fits <- both(model)
    expect_identical(predict(fits[[2]], d), predict(fits[[1]], d))
    expect_identical(logLik(fits[[2]])[1], logLik(fits[[1]])[1])
  }
  fits <- both(meanfield_gp, control = control_meanfield(blocks = learn_on_blocks(steps = 5)))
  expect_identical(predict(fits[[2]], d), predict(fits[[1]], d))
}
