# Kernels of warped inputs.

skewed <- function(n = 60) {
  x <- spread_points(n)
  d <- data.frame(a = exp(4 * x[, 1]), b = x[, 2], two = rep(0:1, length.out = n))
  d$y <- sin(6 * x[, 1]) + x[, 2] + 0.3 * d$two
  d
}

test_that("a warp held at the identity gives the bits of its kernel", {
  kernel <- kernel_matern(1.5, ard = TRUE) + kernel_linear()
  expect_bits_of_kernel(kernel, kernel_warped(kernel, fixed(0), fixed(1)), skewed())
})

test_that("a warp finds the axis along which a function is even", {
  d <- skewed(250)
  plain <- meanfield_gp(y ~ a, d, kernel_rbf(), seed = 1)
  fit <- meanfield_gp(y ~ a, d, kernel_warped(kernel_rbf()), seed = 1)
  expect_gt(logLik(fit), logLik(plain) + 3)
  expect_gt(warps(fit)$skew, 0.3)
  expect_equal(warps(fit)$center, median(d$a))
  expect_equal(warps(fit)$spread, IQR(d$a) / 2 / qnorm(0.75))
  expect_identical(nrow(warps(plain)), 0L)
  warped <- warps(fit, d)
  expect_identical(dimnames(warped), list(NULL, "a"))
  expect_identical(dim(warps(plain, d)), c(nrow(d), 0L))
  expect_identical(warps(fit, d[3, , drop = FALSE]), warped[3, , drop = FALSE])
  expect_error(warps(fit, data.frame(b = 1)), class = "gpsieve_error_data")
  expect_identical(order(warped), order(d$a))
  expect_match(paste(capture.output(print(fit)), collapse = " "), "warps? of")
})

test_that("only columns with several values are warped, unless they are named", {
  d <- skewed()
  kernel <- kernel_warped(kernel_rbf())
  expect_identical(warps(meanfield_gp(y ~ ., d, kernel, optimise = FALSE))$column, c("a", "b"))
  expect_identical(warps(meanfield_gp(y ~ two, d, kernel, optimise = FALSE))$column, character())
  named <- kernel_warped(kernel_rbf(), dims = c("two", "a"))
  expect_identical(warps(meanfield_gp(y ~ ., d, named, optimise = FALSE))$column, c("two", "a"))
})

test_that("hyper-parameters of warps are named by their columns", {
  kernel <- kernel_warped(kernel_rbf(), hold(0.2), 0.9)
  fit <- meanfield_gp(y ~ ., skewed(), kernel, optimise = FALSE)
  expect_named(coef(fit), c("rbf.variance", "rbf.lengthscale", "warped.skew.a", "warped.skew.b",
    "warped.tail.a", "warped.tail.b", "likelihood.variance"))
  expect_equal(unname(coef(fit)[3:6]), c(0.2, 0.2, 0.9, 0.9))
})

test_that("a warped kernel prints as the call that makes it", {
  for (kernel in list(kernel_warped(kernel_rbf()), kernel_rich(warp = TRUE),
    kernel_warped(kernel_rbf() + 1, hold(0.5), c(0.5, 2), c("a", "b")))) {
    expect_identical(eval(str2lang(format(kernel, digits = 15))), kernel)
  }
})

test_that("terms, exports and updates of warped kernels are those of the fit", {
  d <- skewed()
  fit <- meanfield_gp(y ~ ., d, kernel_rich(warp = TRUE), seed = 1,
    control = control_meanfield(blocks = learn_on_blocks(steps = 8)))
  terms <- predict(fit, d, type = "terms")
  expect_identical(ncol(terms), 4L)
  expect_equal(rowSums(terms) + attr(terms, "constant"), predict(fit, d), ignore_attr = TRUE)
  again <- update(fit, optimise = FALSE, kernel = kernel_of(fit), likelihood = likelihood_of(fit))
  expect_equal(predict(again, d), predict(fit, d))
  fewer <- update(fit, . ~ . - b, optimise = FALSE)
  expect_identical(warps(fewer)$column, "a")
})

test_that("what cannot be warped is refused", {
  expect_error(kernel_warped(kernel_rbf(), 200), class = "gpsieve_error_argument")
  expect_error(kernel_warped(kernel_rbf(), tail = 0), class = "gpsieve_error_argument")
  expect_error(kernel_warped(kernel_categorical("f")), class = "gpsieve_error_unsupported")
  expect_error(kernel_warped(kernel_function(function(x, z) 1)),
    class = "gpsieve_error_unsupported")
  expect_error(kernel_warped(kernel_warped(kernel_rbf())), class = "gpsieve_error_unsupported")
  expect_error(meanfield_gp(y ~ ., skewed(), kernel_warped(kernel_rbf(), c(0, 0, 1))),
    class = "gpsieve_error")
})

test_that("gpsieve() takes warped inputs where rows held out are likelier, and says so", {
  d <- skewed(250)
  d$a <- exp(7 * spread_points(250)[, 1])
  d$y <- sin(12 * log(d$a) / 7) + d$b + 0.1 * cos(37 * seq_len(250))
  quick <- control_gpsieve(blocks = learn_on_blocks(steps = 25))
  fit <- gpsieve(y ~ a + b, d, seed = 1, control = quick, verbose = FALSE)
  table <- choice(fit)
  expect_identical(table$stage[table$chosen], "inputs")
  expect_match(table$label[table$chosen], ", warped")
  expect_gt(warps(fit)$skew[1], 0)
  again <- eval(choice(fit, "call"))
  expect_identical(predict(again, d), predict(fit, d))
  few <- gpsieve(y ~ a + b, d[1:60, ], seed = 1, control = quick, verbose = FALSE)
  expect_false(any(grepl("warped", choice(few)$label)))
  given <- gpsieve(y ~ a + b, d, kernel = kernel_rich(), seed = 1, control = quick, verbose = FALSE)
  expect_false(any(grepl("warped", choice(given)$label)))
})

test_that("warps that leave no digits to other columns are named in a warning", {
  set.seed(1)
  d <- data.frame(a = runif(40), b = c(runif(39), 50))
  d$y <- sin(6 * d$a) + rnorm(40, sd = 0.1)
  fit_of <- function(tail) {
    kernel <- kernel_warped(kernel_rbf(ard = TRUE), tail = fixed(tail), dims = "b")
    meanfield_gp(y ~ a + b, d, kernel, lik_gaussian(0.1), optimise = FALSE)
  }
  expect_warning(fit_of(3), "warp of b leaves no digits", class = "gpsieve_warning_digits")
  expect_no_condition_here(fit_of(1))
})
