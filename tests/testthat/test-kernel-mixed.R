# Kernels of mixed inputs.

# A function of the sum and of the difference of two columns, and a column of two values. Without
# noise in the response learning warns that it ended at the bound of the noise's variance.
oblique <- function(n = 60) {
  x <- spread_points(n)
  d <- data.frame(a = x[, 1], b = x[, 2], two = rep(0:1, length.out = n))
  d$y <- sin(6 * (d$a + d$b)) + 0.3 * (d$a - d$b)
  d
}

test_that("a mix held at the identity gives the predictions of its kernel, bit for bit", {
  kernel <- kernel_matern(1.5, ard = TRUE) + kernel_linear()
  expect_bits_of_kernel(kernel, kernel_mixed(kernel, fixed(0)), oblique())
})

test_that("a mix finds the directions of a function", {
  d <- oblique(120)
  new <- oblique(200)[121:200, ]
  fit_with <- function(kernel) suppressWarnings(meanfield_gp(y ~ a + b, d, kernel, seed = 1))
  plain <- fit_with(kernel_rbf(ard = TRUE))
  fit <- fit_with(kernel_mixed(kernel_rbf(ard = TRUE)))
  expect_gt(logLik(fit), logLik(plain) + 10)
  expect_lt(mean((predict(fit, new) - new$y)^2), 0.5 * mean((predict(plain, new) - new$y)^2))
  expect_match(paste(capture.output(print(fit)), collapse = " "), "sums? of")
})

test_that("the mix of a fit is a table of weights", {
  d <- oblique()
  fit <- meanfield_gp(y ~ ., d, kernel_mixed(kernel_rbf(), c(0.25, -0.5)), optimise = FALSE)
  expect_identical(mixing(fit), data.frame(
    mixed = c("a", "a", "b", "b"), column = c("a", "b", "a", "b"), weight = c(1, 0.25, -0.5, 1)))
  expect_named(coef(fit), c("rbf.variance", "rbf.lengthscale", "mixed.mixing.b.a",
    "mixed.mixing.a.b", "likelihood.variance"))
  none <- meanfield_gp(y ~ ., d, kernel_rbf(), optimise = FALSE)
  expect_identical(nrow(mixing(none)), 0L)
})

test_that("only columns with several values are mixed, unless they are named", {
  d <- oblique()
  mixed <- function(formula, ...) {
    fit <- meanfield_gp(formula, d, kernel_mixed(kernel_rbf(), ...), optimise = FALSE)
    unique(mixing(fit)$mixed)
  }
  expect_identical(mixed(y ~ .), c("a", "b"))
  expect_identical(mixed(y ~ a + two), character())
  expect_identical(mixed(y ~ ., dims = c("two", "a")), c("two", "a"))
})

test_that("a mixed kernel prints as the call that makes it", {
  for (kernel in list(kernel_mixed(kernel_rbf()), kernel_rich(mix = TRUE),
    kernel_rich(warp = TRUE, mix = TRUE), kernel_warped(kernel_mixed(kernel_rbf())),
    kernel_mixed(kernel_rbf() + 1, hold(c(0.5, -2)), c("a", "b")))) {
    expect_identical(eval(str2lang(format(kernel, digits = 15))), kernel)
  }
})

test_that("terms, updates and formulas of mixed kernels are those of the fit", {
  d <- oblique()
  d$c <- rev(d$a)^2
  fit <- meanfield_gp(y ~ ., d, kernel_rich(warp = TRUE, mix = TRUE), seed = 1,
    control = control_meanfield(blocks = learn_on_blocks(steps = 8)))
  terms <- predict(fit, d, type = "terms")
  expect_identical(ncol(terms), 4L)
  expect_equal(rowSums(terms) + attr(terms, "constant"), predict(fit, d), ignore_attr = TRUE)
  again <- update(fit, optimise = FALSE, kernel = kernel_of(fit), likelihood = likelihood_of(fit))
  expect_equal(predict(again, d), predict(fit, d))
  fewer <- mixing(update(fit, . ~ . - b, optimise = FALSE))
  before <- mixing(fit)
  kept <- before$mixed != "b" & before$column != "b"
  expect_equal(fewer$weight, before$weight[kept])
  expect_identical(nrow(mixing(update(fit, . ~ a, optimise = FALSE))), 0L)
})

test_that("parts of the rows see the mixed inputs of all", {
  d <- oblique(240)
  kernel <- kernel_mixed(kernel_rbf(1, c(0.5, 1.5)), hold(c(0.6, -0.4)))
  of <- function(kernel, ...) {
    ivm(y ~ a + b, d, kernel, lik_gaussian(0.01), optimise = FALSE, leaf_rows = 80, seed = 1, ...)
  }
  dense <- meanfield_gp(y ~ a + b, d, kernel, lik_gaussian(0.01), optimise = FALSE)
  expect_gt(cor(predict(of(kernel), d), predict(dense, d)), 0.99)
})

test_that("what cannot be mixed is refused", {
  expect_error(kernel_mixed(kernel_rbf(), Inf), class = "gpsieve_error_argument")
  expect_error(kernel_mixed(kernel_categorical("f")), class = "gpsieve_error_unsupported")
  expect_error(kernel_mixed(kernel_function(function(x, z) 1)),
    class = "gpsieve_error_unsupported")
  expect_error(kernel_mixed(kernel_mixed(kernel_rbf())), class = "gpsieve_error_unsupported")
  expect_error(kernel_mixed(kernel_warped(kernel_rbf())), class = "gpsieve_error_unsupported")
  expect_error(meanfield_gp(y ~ ., oblique(), kernel_mixed(kernel_rbf(), c(0, 0, 1))),
    class = "gpsieve_error")
})

test_that("gpsieve() takes mixed inputs where rows held out are likelier, and says so", {
  d <- oblique(200)
  d$y <- d$y + 0.1 * cos(37 * seq_len(200))
  quick <- control_gpsieve(blocks = learn_on_blocks(steps = 25))
  fit <- gpsieve(y ~ a + b, d, seed = 1, control = quick, verbose = FALSE)
  table <- choice(fit)
  expect_match(table$label[table$chosen], ", mixed")
  expect_match(paste(capture.output(print(fit)), collapse = " "), "mixed inputs|sums of")
  again <- eval(choice(fit, "call"))
  expect_identical(predict(again, d), predict(fit, d))
})
