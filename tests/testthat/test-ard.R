# One lengthscale for each column, by ard = TRUE or by a named vector, and the relevance of columns.

ard_kernels <- list(
  rbf = kernel_rbf(ard = TRUE), matern = kernel_matern(2.5, ard = TRUE),
  rational_quadratic = kernel_rational_quadratic(ard = TRUE), linear = kernel_linear(ard = TRUE),
  periodic = kernel_periodic(ard = TRUE)
)

test_that("ard = TRUE gives every column the isotropic rule's lengthscale", {
  x <- spread_points(20, 3)
  start <- c(
    rbf = median(dist(x)), matern = median(dist(x)), rational_quadratic = median(dist(x)),
    linear = 1, periodic = 1
  )
  for (type in names(ard_kernels)) {
    kernel <- ard_kernels[[type]]
    resolved <- kernel_resolve(kernel, x)
    expect_equal(resolved$values$lengthscale, rep(start[[type]], 3), info = type)
    expect_null(resolved$ard)
    expect_match(format(kernel), "ard = TRUE", fixed = TRUE)
    expect_identical(eval(parse(text = format(kernel))), kernel, info = type)
  }
  expect_equal(kernel_resolve(kernel_rbf(1, 2, ard = TRUE), x)$values$lengthscale, c(2, 2, 2))
  expect_equal(kernel_resolve(kernel_rbf(1, 1:3, ard = TRUE), x),
    kernel_resolve(kernel_rbf(1, 1:3), x))
  on <- kernel_resolve(kernel_on(kernel_rbf(ard = TRUE), c("c", "a")), x)
  expect_length(on$children[[1]]$values$lengthscale, 2)
  expect_error(kernel_rbf(ard = NA), class = "gpsieve_error_argument")
})

test_that("equal lengthscales are one lengthscale", {
  x <- spread_points(20, 3)
  for (type in names(ard_kernels)) {
    isotropic <- switch(type,
      rbf = kernel_rbf(), matern = kernel_matern(2.5),
      rational_quadratic = kernel_rational_quadratic(), linear = kernel_linear(),
      periodic = kernel_periodic()
    )
    expect_equal(kernel_matrix(ard_kernels[[type]], x), kernel_matrix(isotropic, x), info = type)
  }
})

test_that("named lengthscales belong to the columns they name", {
  x <- spread_points(10, 3)
  by_name <- kernel_rbf(1, c(c = 3, a = 1, b = 2))
  expect_identical(format(by_name),
    "kernel_rbf(variance = 1, lengthscale = c(c = 3, a = 1, b = 2))")
  expect_identical(kernel_matrix(by_name, x), kernel_matrix(kernel_rbf(1, 1:3), x))
  expect_identical(
    kernel_matrix(kernel_on(by_name, c("b", "c", "a")), x),
    kernel_matrix(kernel_on(kernel_rbf(1, c(2, 3, 1)), c("b", "c", "a")), x)
  )
  data <- data.frame(b = sin(1:30), a = cos(1:30), y = sin(1:30) + cos(3 * (1:30)))
  fits <- lapply(list(y ~ a + b, y ~ b + a), function(formula) {
    meanfield_gp(formula, data, kernel_rbf(1, fixed(c(b = 2, a = 0.5))), optimise = FALSE)
  })
  expect_identical(coef(fits[[1]])[["lengthscale.a"]], 0.5)
  expect_equal(predict(fits[[1]], data), predict(fits[[2]], data))
  for (wrong in list(c(a = 1, b = 2, d = 3), c(a = 1, b = 2, a = 3), c(a = 1, 2, 3))) {
    expect_error(kernel_resolve(kernel_rbf(1, wrong), x), class = "gpsieve_error_argument")
  }
  expect_error(
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2)), unname(x[, 1:2])),
    class = "gpsieve_error_argument"
  )
  expect_snapshot(error = TRUE, {
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, d = 3)), x)
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, a = 3)), x)
    kernel_resolve(kernel_rbf(1, c(a = 1, b = 2, c = 3)), unname(x))
  })
})

test_that("relevance follows the columns the response depends on", {
  set.seed(1)
  data <- data.frame(
    noise = rnorm(80), strong = runif(80), group = factor(sample(c("u", "v", "w"), 80, TRUE))
  )
  data$y <- sin(6 * data$strong) + 0.5 * (data$group == "w") + rnorm(80, sd = 0.05)
  fit <- meanfield_gp(y ~ ., data, kernel_rbf(ard = TRUE))
  found <- relevance(fit)
  expect_named(found, c("term", "relevance"))
  expect_identical(found$term, c("strong", "group", "noise"))
  expect_false(is.unsorted(rev(found$relevance)))
  expect_gt(found$relevance[2], 3 * found$relevance[3])
  expect_true(all(c("lengthscale.strong", "lengthscale.groupw") %in% names(coef(fit))))
})

test_that("relevance is the prior's root mean square change", {
  x <- as.matrix(trees[, 1:2])
  fit <- meanfield_gp(x, trees$Volume, kernel_rbf(2, c(1, 3)) + kernel_white(5), optimise = FALSE)
  expected <- sd(trees$Volume) * sqrt(2 * 2 * (1 - exp(-0.5 / c(1, 3)^2)))
  expect_equal(relevance(fit), data.frame(term = c("Girth", "Height"), relevance = expected))
  even <- meanfield_gp(x, trees$Volume, optimise = FALSE)
  expect_equal(diff(relevance(even)$relevance), 0)
  expect_error(relevance(lm(dist ~ speed, cars)), class = "gpsieve_error_argument")
})

test_that("the indicators of text belong to its column, as those of a factor do", {
  d <- data.frame(y = c(1, 4, 2, 6, 3, 5), kind = c("a", "b", "c"), x = 1:6)
  text <- meanfield_gp(y ~ ., d, optimise = FALSE)
  d$kind <- factor(d$kind)
  expect_identical(relevance(text), relevance(meanfield_gp(y ~ ., d, optimise = FALSE)))
  expect_setequal(relevance(text)$term, c("kind", "x"))
  expect_setequal(relevance(meanfield_gp(d[-1], d$y, optimise = FALSE))$term, c("kind", "x"))
  made <- meanfield_gp(y ~ factor(kind) + x, d, optimise = FALSE)
  expect_setequal(relevance(made)$term, c("factor(kind)", "x"))
  withr::local_pdf(NULL)
  expect_silent(plot(text))
})
