# Odd but legal data gives finite, correct fits; hyper-parameters are learned unless a test says
# otherwise.

quick <- function(...) whatever_it_learns(ivm(..., seed = 1, verbose = FALSE))

test_that("one row per class, two rows in all", {
  x <- matrix(c(-1, 1))
  new <- matrix(c(-2, -1, 0, 1, 2))
  fit <- quick(x, c("a", "b"))
  expect_sane(fit, new)
  expect_identical(as.character(predict(fit, x)), c("a", "b"))
  expect_equal(predict(fit, matrix(0), type = "prob")[1, 1], c(a = 0.5), tolerance = 1e-6)
  expect_sane(quick(x, c(1, 2)), new)
  three <- quick(matrix(1:3), c("a", "b", "c"))
  expect_sane(three, new)
  expect_identical(as.character(predict(three, matrix(1:3))), c("a", "b", "c"))
})

test_that("a single row of numbers", {
  for (standardise in c(TRUE, FALSE)) {
    fit <- quick(matrix(2), 5, standardise = standardise)
    expect_sane(fit, matrix(c(2, 100)))
  }
  expect_equal(predict(quick(matrix(2), 5), matrix(2)), 5)
})

test_that("constant and repeated columns", {
  toy <- toy_data("binary")
  plain <- fit_cheaply(model_specs()$ivm, toy$x, toy$y, kernel = kernel_rbf(1, 1))
  for (value in c(0, 7, 1e8, 0.1, -1e-300)) {
    wide <- fit_cheaply(model_specs()$ivm, cbind(toy$x, c = value), toy$y,
      kernel = kernel_rbf(1, 1)
    )
    expect_equal(
      all_predictions(wide, cbind(toy$new, c = value)), all_predictions(plain, toy$new),
      tolerance = 1e-8
    )
  }
  for (y in list(toy$y, toy$x$a)) {
    expect_sane(quick(cbind(toy$x, c = toy$x$a, d = 1), y), cbind(toy$new, c = 0, d = 2))
    expect_sane(quick(data.frame(c = rep(1, 60)), y), data.frame(c = 1:3))
  }
})

test_that("equal rows with conflicting labels: the probability is the frequency", {
  x <- matrix(rep(c(-1, 1), each = 100))
  y <- factor(c(rep(c("a", "b"), c(80, 20)), rep(c("a", "b"), c(30, 70))))
  for (settings in list(list(optimise = FALSE, refine = 20), list(refine = 20))) {
    fit <- do.call(quick, c(list(x, y, kernel = kernel_rbf(4, 0.5)), settings))
    p <- predict(fit, matrix(c(-1, 1)), type = "prob")[, "b"]
    expect_close(p, c(0.2, 0.7), 0.04)
  }
  expect_sane(quick(x, y), matrix(-2:2))
})

test_that("all rows equal", {
  x <- matrix(3, 40, 2)
  y <- rep(c("a", "b"), c(10, 30))
  fit <- quick(x, y)
  expect_sane(fit, rbind(x[1, ], c(0, 0)))
  expect_lt(abs(predict(fit, x[1, , drop = FALSE], type = "prob")[1, "b"] - 0.75), 0.1)
  numbers <- quick(x, as.numeric(1:40))
  expect_sane(numbers, rbind(x[1, ], c(0, 0)))
  expect_equal(predict(numbers, x[1, , drop = FALSE]), 20.5, tolerance = 0.05)
  expect_sane(quick(x, rep(letters[1:4], 10)), rbind(x[1, ], c(0, 0)))
})

test_that("more columns than rows", {
  x <- uniform_inputs(15, 200) |> named(paste0("v", 1:200))
  y <- factor(x[, 1] > 0)
  expect_sane(quick(x, y), x)
  expect_sane(quick(x, x[, 1]), x)
  wide <- uniform_inputs(6, 3000) |> named(paste0("v", 1:3000))
  expect_sane(quick(wide, 1:6 + 0.5, optimise = FALSE), wide)
})

test_that("separable classes stay finite", {
  x <- matrix(c(seq(-2, -1, length.out = 30), seq(1, 2, length.out = 30)))
  y <- factor(rep(c("a", "b"), each = 30))
  for (likelihood in list(lik_probit(), lik_logit())) {
    fit <- quick(x, y, likelihood = likelihood)
    expect_sane(fit, matrix(c(-1e6, -2, 0, 2, 1e6)))
    expect_identical(predict(fit, x), y)
  }
  far <- quick(rbind(x, 1e9), factor(c(as.character(y), "b")))
  expect_sane(far, x)
})

test_that("inputs of any size give the predictions of inputs of size one", {
  for (task in c("binary", "regression")) {
    toy <- toy_data(task)
    x <- as.matrix(toy$x)
    new <- as.matrix(toy$new)
    learned <- function(size) {
      all_predictions(quick(x * size, toy$y, n_active = 20), new * size)
    }
    # The median heuristic follows the inputs where they are used as they are.
    as_they_are <- function(size) {
      all_predictions(quick(x * size, toy$y, n_active = 20, standardise = FALSE, optimise = FALSE),
        new * size
      )
    }
    for (predictions in list(learned, as_they_are)) {
      plain <- predictions(1)
      for (size in c(1e-150, 1e-8, 1e8, 1e150)) {
        expect_equal(predictions(size), plain, tolerance = 1e-6)
      }
    }
  }
})

test_that("responses of any size give the same fit on their own scale", {
  toy <- toy_data("regression")
  plain <- quick(toy$x, toy$y, n_active = 20)
  for (size in c(1e-150, 1e150)) {
    fit <- quick(toy$x, toy$y * size, n_active = 20)
    expect_equal(predict(fit, toy$new) / size, predict(plain, toy$new), tolerance = 1e-6)
    q <- predict(fit, toy$new, type = "quantile")
    expect_equal(q / size, predict(plain, toy$new, type = "quantile"), tolerance = 1e-6)
  }
})

test_that("columns of very different size, far from zero", {
  toy <- toy_data("binary")
  new <- toy$new
  odd <- function(x) data.frame(a = x$a * 1e-8 + 1, b = x$b * 1e8 - 1e12)
  plain <- quick(toy$x, toy$y, n_active = 20, optimise = FALSE)
  fit <- quick(odd(toy$x), toy$y, n_active = 20, optimise = FALSE)
  expect_equal(all_predictions(fit, odd(new)), all_predictions(plain, new), tolerance = 1e-4)
})

test_that("denormal and huge single values", {
  x <- cbind(c(4.9e-324, 0, 1e-310, 2e-310, 3e-310, 0), 1:6)
  expect_sane(quick(x, c(1, 2, 1, 3, 2, 2)), x)
  x[3, 1] <- 1e300
  expect_sane(quick(x, c(1, 2, 1, 3, 2, 2)), x)
  x[4, 1] <- -1.7e308
  x[5, 1] <- 1.7e308
  expect_sane(quick(x, c(1, 2, 1, 3, 2, 2)), x)
})

test_that("fifty classes", {
  x <- uniform_inputs(200)
  y <- factor(paste("class", rep(1:50, 4)))
  x[, 1] <- as.integer(y) / 10
  fit <- quick(x, y, n_active = 10, optimise = FALSE)
  expect_sane(fit, x[1:7, ])
  expect_identical(dim(predict(fit, x, type = "prob")), c(200L, 50L))
})

test_that("level names may be anything", {
  names <- c("two words", "Z\u00fcrich", "a`b\"c", "\u65e5\u672c", "TRUE", ".pred", "1e5")
  y <- factor(rep(names, 10), levels = names)
  x <- data.frame("in put" = as.integer(y) + uniform_inputs(70)[, 1] / 20, check.names = FALSE)
  fit <- quick(x, y, n_active = 15, optimise = FALSE, kernel = kernel_rbf(10, 0.3))
  expect_identical(colnames(predict(fit, x, type = "prob")), names)
  expect_identical(predict(fit, x), y)
  expect_identical(names(active_set(fit)), names)
  expect_output(print(summary(fit)), "7 classes")
  expect_true(all(paste0(".pred_", names) %in% names(augment(fit, x))))
  data <- cbind(x, "the y" = y)
  by_formula <- ivm(`the y` ~ `in put`, data, n_active = 15, optimise = FALSE, seed = 1,
    kernel = kernel_rbf(10, 0.3)
  )
  expect_identical(all_predictions(by_formula, x), all_predictions(fit, x))
})

test_that("column names may be anything", {
  x <- uniform_inputs(30, 3) |> named(c("y", "\u00e4 b", ".pred"))
  y <- x[, 1]
  for (frame in list(x, as.data.frame(x, optional = TRUE))) {
    fit <- quick(frame, y, optimise = FALSE)
    expect_sane(fit, frame)
    expect_identical(colnames(inducing(fit)), colnames(x))
  }
})

test_that("a level without rows is kept, with probability zero", {
  toy <- toy_data("multiclass")
  y <- factor(toy$y, levels = c("none", levels(toy$y), "nobody"))
  expect_warning(fit <- fit_cheaply(model_specs()$ivm, toy$x, y),
    class = "gpsieve_warning_little_data")
  p <- predict(fit, toy$new, type = "prob")
  expect_identical(colnames(p), levels(y))
  expect_identical(max(p[, c("none", "nobody")]), 0)
  without <- shared_fit("ivm", "multiclass", "data.frame")
  expect_equal(p[, levels(toy$y)], predict(without, toy$new, type = "prob"), tolerance = 1e-12)
  expect_identical(levels(predict(fit, toy$new)), levels(y))
  binary <- droplevels(y[y %in% c("low", "mid")])
  binary <- factor(binary, levels = c("low", "none", "mid"))
  rows <- y %in% c("low", "mid")
  expect_warning(fit <- fit_cheaply(model_specs()$ivm, toy$x[rows, ], binary),
    class = "gpsieve_warning_little_data")
  expect_identical(unname(predict(fit, toy$new, type = "prob")[, "none"]), numeric(9))
  expect_identical(levels(predict(fit, toy$new)), levels(binary))
  expect_null(dim(predict(fit, toy$new, type = "link")))
  withr::with_pdf(NULL, plot(fit))
})

test_that("a constant response", {
  x <- uniform_inputs(20)
  for (standardise in c(TRUE, FALSE)) for (value in c(0, 3, -1e10, 1e-200)) {
    fit <- quick(x, rep(value, 20), standardise = standardise)
    expect_sane(fit, x)
    if (standardise) expect_equal(predict(fit, x), rep(value, 20), tolerance = 1e-6)
  }
})

test_that("whole numbers beyond the integers", {
  x <- matrix(c(2^31, 2^40, 2^45, 2^50, 2^52, 2^53))
  expect_sane(quick(x, c(1, 2, 3, 4, 5, 6)), x)
  y <- 2^40 + 1:6
  fit <- quick(matrix(1:6), y)
  expect_sane(fit, matrix(1:6))
  expect_close(predict(fit, matrix(1:6)), y, 1.5)
})

test_that("duplicated rows are no obstacle, however many are active", {
  toy <- toy_data("binary", n = 20)
  many <- toy$data[rep(1:20, 3), ]
  for (refine in c(0, 3)) {
    fit <- quick(y ~ ., many, n_active = 60, refine = refine, optimise = FALSE)
    expect_sane(fit, toy$new)
  }
  numbers <- toy_data("regression", n = 20)$data[rep(1:20, 3), ]
  fit <- quick(y ~ ., numbers, n_active = 60, likelihood = lik_gaussian(1e-6), optimise = FALSE)
  expect_sane(fit, toy$new)
  # Three equal observations say what one of a third of the variance says.
  triple <- quick(y ~ ., numbers, n_active = 60, likelihood = lik_gaussian(0.3),
    optimise = FALSE, standardise = FALSE, kernel = kernel_rbf(1, 2)
  )
  single <- quick(y ~ ., numbers[1:20, ], n_active = 20, likelihood = lik_gaussian(0.1),
    optimise = FALSE, standardise = FALSE, kernel = kernel_rbf(1, 2)
  )
  expect_equal(all_predictions(triple, toy$new)[c("mean", "se")],
    all_predictions(single, toy$new)[c("mean", "se")], tolerance = 1e-8
  )
})

# ---- other likelihoods ----

test_that("logit probabilities are close to probit's", {
  toy <- toy_data("binary", n = 120)
  fit <- quick(toy$x, toy$y, likelihood = lik_logit())
  expect_sane(fit, toy$new)
  probit <- predict(quick(toy$x, toy$y), toy$new, type = "prob")
  expect_close(predict(fit, toy$new, type = "prob"), probit, 0.1)
  three <- toy_data("multiclass")
  expect_sane(quick(three$x, three$y, likelihood = lik_logit(), n_active = 20), three$new)
})

test_that("counts have positive means and whole quantiles", {
  x <- uniform_inputs(150, 1)
  rate <- exp(1 + sin(2 * x[, 1]))
  y <- with_own_seed(3, rpois(150, rate))
  for (refine in c(0, 3)) {
    fit <- quick(x, y, likelihood = lik_poisson(), refine = refine, prior_mean = 1)
    expect_sane(fit, x)
    found <- predict(fit, x)
    expect_true(all(found > 0))
    expect_gt(cor(found, rate), 0.9)
    expect_lt(mean(abs(found / rate - 1)), 0.25)
    q <- predict(fit, x, type = "quantile", probs = c(0.05, 0.5, 0.95))
    expect_identical(q, round(q))
    expect_true(all(q[, 1] <= q[, 2] & q[, 2] <= q[, 3]))
    expect_gt(mean(y >= q[, 1] & y <= q[, 3]), 0.85)
  }
  expect_sane(quick(x, rep(0L, 150), likelihood = lik_poisson(), n_active = 20), x)
})

test_that("Student noise withstands outliers", {
  x <- matrix(seq(-2, 2, length.out = 80))
  truth <- sin(2 * x[, 1])
  y <- truth + with_own_seed(1, rnorm(80, sd = 0.05))
  y[c(10, 40, 70)] <- c(15, -20, 25)
  # Sites may have negative precision; the fit must still be valid.
  fit <- quick(x, y, likelihood = lik_student(4, 0.05), standardise = FALSE, optimise = FALSE,
    kernel = kernel_rbf(1, 0.7), n_active = 40, refine = 20
  )
  expect_sane(fit, x)
  gaussian <- quick(x, y, standardise = FALSE, optimise = FALSE, kernel = kernel_rbf(1, 0.7),
    likelihood = lik_gaussian(0.05^2), n_active = 40
  )
  error <- function(fit) sqrt(mean((predict(fit, x) - truth)^2))
  expect_lt(error(fit), error(gaussian) / 2)
  expect_sane(quick(x, y, likelihood = lik_student()), x)
  expect_sane(quick(x, y, likelihood = lik_student(1)), x)
})

# ---- kernels from elsewhere ----

test_that("a kernel function fits like the kernel it computes", {
  toy <- toy_data("binary")
  own <- function(x, z) rbf(x, z, 1, 1)
  settings <- list(toy$x, toy$y, n_active = 20, optimise = FALSE)
  expected <- do.call(quick, c(settings, list(kernel = kernel_rbf(1, 1))))
  for (kernel in list(own, kernel_function(own))) {
    fit <- do.call(quick, c(settings, list(kernel = kernel)))
    expect_identical(active_set(fit), active_set(expected))
    expect_equal(all_predictions(fit, toy$new), all_predictions(expected, toy$new),
      tolerance = 1e-8
    )
  }
  learned <- quick(toy$x, toy$y, n_active = 20, kernel = kernel_function(own) * kernel_constant(2))
  expect_sane(learned, toy$new)
  three <- toy_data("multiclass")
  one <- quick(three$x, three$y, n_active = 10, kernel = own, optimise = FALSE, threads = 2)
  expect_sane(one, three$new)
})

test_that("a kernel function that fails gives a classed error", {
  toy <- toy_data("binary")
  bad <- list(
    function(x, z) stop("no such distance"),
    function(x, z) matrix(NaN, nrow(x), nrow(z)),
    function(x, z) matrix(NA_real_, nrow(x), nrow(z)),
    function(x, z) matrix(Inf, nrow(x), nrow(z)),
    function(x, z) matrix(1, 2, 2),
    function(x, z) 1,
    function(x, z) NULL,
    function(x, z) "1",
    function(x, z) list(1),
    function(x, z) -rbf(x, z)
  )
  for (fn in bad) for (refine in c(0, 2)) for (y in list(toy$y, toy$x$a)) {
    fit <- function() quick(toy$x, y, kernel = fn, n_active = 10, refine = refine)
    caught <- tryCatch(fit(), error = identity)
    expect_s3_class(caught, "gpsieve_error")
  }
  late <- function(x, z) if (nrow(x) == 1) stop("not one row") else rbf(x, z)
  expect_error(quick(toy$x, toy$y, kernel = kernel_function(late), n_active = 10),
    "not one row", class = "gpsieve_error"
  )
})

test_that("a kernel function may fit a model of its own", {
  toy <- toy_data("binary", n = 20)
  inner <- NULL
  fn <- function(x, z) {
    inner <<- quick(toy$x, toy$y, n_active = 5, optimise = FALSE)
    rbf(x, z)
  }
  outer <- quick(toy$x, toy$y, n_active = 3, kernel = fn, optimise = FALSE, refine = 0)
  expect_sane(outer, toy$new)
  expect_sane(inner, toy$new)
})

test_that("kernlab's kernels are understood", {
  skip_if_not_installed("kernlab")
  toy <- toy_data("binary")
  fit <- quick(toy$x, toy$y, kernel = kernlab::rbfdot(sigma = 2), optimise = FALSE)
  expect_equal(coef(fit)[c("variance", "lengthscale")], c(variance = 1, lengthscale = 0.5))
  ours <- quick(toy$x, toy$y, kernel = kernel_rbf(1, 0.5), optimise = FALSE)
  expect_identical(all_predictions(fit, toy$new), all_predictions(ours, toy$new))
})
