# Odd but legal data gives sequential learning finite, correct fits; hyper-parameters are learned
# unless a test says otherwise.

quick_online <- function(..., control = control_online(learn_rows = 30)) {
  whatever_it_learns(online_gp(..., control = control, seed = 1, verbose = FALSE))
}

# Each of the ways to learn: without and with a budget, by sweeps of EP and by re-use.
ways <- list(
  free = list(), budget = list(budget = 6), ep = list(sweeps = 4),
  adf = list(budget = 6, sweeps = 2), forward = list(budget = 6, deletion = "forward_kl"),
  cheap = list(budget = 6, deletion = "cheap")
)

each_way <- function(check) {
  for (way in ways) check(function(...) do.call(quick_online, c(list(...), way)))
}

test_that("few rows", {
  each_way(function(fit) {
    x <- matrix(c(-1, 1))
    one <- fit(x, c("a", "b"))
    expect_sane(one, matrix(-2:2))
    expect_identical(as.character(predict(one, x)), c("a", "b"))
    expect_sane(fit(x, c(1, 2)), matrix(-2:2))
    expect_sane(fit(matrix(1:3), c("a", "b", "c")), matrix(-2:2))
    for (standardise in c(TRUE, FALSE)) {
      expect_sane(fit(matrix(2), 5, standardise = standardise), matrix(c(2, 100)))
    }
  })
})

test_that("constant, repeated and many columns", {
  toy <- toy_data("binary")
  wide <- uniform_inputs(15, 200) |> named(paste0("v", 1:200))
  each_way(function(fit) {
    for (y in list(toy$y, toy$x$a)) {
      expect_sane(fit(cbind(toy$x, c = toy$x$a, d = 1), y), cbind(toy$new, c = 0, d = 2))
      expect_sane(fit(data.frame(c = rep(1, 60)), y), data.frame(c = 1:3))
    }
    expect_sane(fit(wide, factor(wide[, 1] > 0)), wide)
    expect_sane(fit(wide, wide[, 1]), wide)
  })
})

test_that("equal rows with conflicting labels: the probability is the frequency", {
  x <- matrix(rep(c(-1, 1), each = 100))
  y <- factor(c(rep(c("a", "b"), c(80, 20)), rep(c("a", "b"), c(30, 70))))
  for (way in ways[c("free", "budget", "ep")]) {
    fit <- do.call(quick_online,
      c(list(x, y, kernel = kernel_rbf(4, 0.5), optimise = FALSE), way)
    )
    p <- predict(fit, matrix(c(-1, 1)), type = "prob")[, "b"]
    expect_close(p, c(0.2, 0.7), 0.06)
  }
  each_way(function(fit) expect_sane(fit(x, y), matrix(-2:2)))
})

test_that("all rows equal", {
  x <- matrix(3, 40, 2)
  each_way(function(fit) {
    expect_sane(fit(x, rep(c("a", "b"), c(10, 30))), rbind(x[1, ], c(0, 0)))
    expect_sane(fit(x, as.numeric(1:40)), rbind(x[1, ], c(0, 0)))
    expect_sane(fit(x, rep(letters[1:4], 10)), rbind(x[1, ], c(0, 0)))
  })
})

test_that("separable classes stay finite", {
  x <- matrix(c(seq(-2, -1, length.out = 30), seq(1, 2, length.out = 30)))
  y <- factor(rep(c("a", "b"), each = 30))
  each_way(function(fit) {
    for (likelihood in list(lik_probit(), lik_logit())) {
      found <- fit(x, y, likelihood = likelihood)
      expect_sane(found, matrix(c(-1e6, -2, 0, 2, 1e6)))
      expect_identical(predict(found, x), y)
    }
    expect_sane(fit(rbind(x, 1e9), factor(c(as.character(y), "b"))), x)
  })
})

test_that("inputs and responses of any size", {
  for (task in c("binary", "regression")) {
    toy <- toy_data(task)
    x <- as.matrix(toy$x)
    new <- as.matrix(toy$new)
    for (way in ways[c("free", "budget", "ep")]) {
      fit <- function(...) do.call(quick_online, c(list(..., optimise = FALSE), way))
      plain <- all_predictions(fit(x, toy$y), new)
      for (size in c(1e-150, 1e-8, 1e8, 1e150)) {
        expect_equal(all_predictions(fit(x * size, toy$y), new * size), plain, tolerance = 1e-5)
        if (task == "regression" && abs(log10(size)) > 100) {
          expect_equal(predict(fit(x, toy$y * size), new) / size, plain$response, tolerance = 1e-5)
        }
      }
    }
  }
  odd <- cbind(c(4.9e-324, 0, 1e-310, 2e-310, 3e-310, 0), 1:6)
  odd[3, 1] <- 1e300
  odd[4, 1] <- -1.7e308
  each_way(function(fit) {
    expect_sane(fit(odd, c(1, 2, 1, 3, 2, 2)), odd)
    constant <- fit(uniform_inputs(20), rep(3, 20))
    expect_equal(predict(constant, uniform_inputs(20)), rep(3, 20), tolerance = 1e-6)
    expect_sane(fit(uniform_inputs(20), rep(-1e10, 20), standardise = FALSE),
      uniform_inputs(3)
    )
  })
})

test_that("inputs that are not standardised, far away or on a huge scale", {
  for (task in c("binary", "regression")) {
    toy <- toy_data(task)
    x <- as.matrix(toy$x)
    each_way(function(fit) {
      for (move in list(function(x) x * 1e8, function(x) x / 1e8, function(x) x + 1e8)) {
        expect_sane(fit(move(x), toy$y, standardise = FALSE), move(as.matrix(toy$new)))
      }
    })
  }
})

test_that("later rows unlike all before", {
  toy <- toy_data("binary")
  x <- as.matrix(toy$x)
  each_way(function(fit) {
    classes <- fit(x, toy$y, optimise = FALSE)
    expect_sane(update(classes, x[1:3, ] * 1e150, rep("no", 3)), as.matrix(toy$new))
    expect_sane(update(classes, x[rep(1, 50), ], rep(c("no", "yes"), 25)), as.matrix(toy$new))
    numbers <- fit(x, x[, 1], optimise = FALSE)
    expect_sane(update(numbers, x[1:3, ] - 1e8, c(1e8, -1e8, 0)), as.matrix(toy$new))
  })
})

test_that("almost no noise", {
  x <- matrix(seq(-3, 3, length.out = 200))
  each_way(function(fit) {
    found <- fit(x, sin(x[, 1]), kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(1e-8),
      optimise = FALSE, standardise = FALSE
    )
    expect_sane(found, x)
    expect_close(predict(found, x), sin(x[, 1]), 0.2)
  })
})

test_that("fifty classes, levels without rows, any names", {
  x <- uniform_inputs(200)
  y <- factor(paste("class", rep(1:50, 4)))
  x[, 1] <- as.integer(y) / 10
  expect_sane(quick_online(x, y, budget = 8, optimise = FALSE), x[1:7, ])
  toy <- toy_data("multiclass")
  more <- factor(toy$y, levels = c("none", levels(toy$y), "nobody"))
  settings <- list(budget = 15, optimise = FALSE)
  p <- predict(do.call(quick_online, c(list(toy$x, more), settings)), toy$new, type = "prob")
  expect_identical(colnames(p), levels(more))
  expect_identical(max(p[, c("none", "nobody")]), 0)
  without <- do.call(quick_online, c(list(toy$x, toy$y), settings))
  expect_equal(p[, levels(toy$y)], predict(without, toy$new, type = "prob"), tolerance = 1e-12)
  names <- c("two words", "Z\u00fcrich", "a`b\"c", "TRUE", ".pred", "1e5")
  y <- factor(rep(names, 10), levels = names)
  x <- data.frame("in put" = as.integer(y) + uniform_inputs(60)[, 1] / 20, check.names = FALSE)
  fit <- quick_online(x, y, optimise = FALSE, kernel = kernel_rbf(10, 0.3))
  expect_identical(predict(fit, x), y)
  expect_identical(names(active_set(fit)), names)
  expect_equal(nobs(update(fit, x[1:3, , drop = FALSE], y[1:3])), nobs(fit) + 3)
})

test_that("counts and heavy tails", {
  x <- uniform_inputs(150, 1)
  rate <- exp(1 + sin(2 * x[, 1]))
  y <- with_own_seed(3, rpois(150, rate))
  each_way(function(fit) {
    found <- fit(x, y, likelihood = lik_poisson(), prior_mean = 1)
    expect_sane(found, x)
    expect_gt(cor(predict(found, x), rate), 0.8)
  })
  truth <- sin(2 * x[, 1])
  y <- truth + with_own_seed(1, rnorm(150, sd = 0.05))
  y[c(10, 40, 70)] <- c(15, -20, 25)
  each_way(function(fit) {
    found <- fit(x, y, likelihood = lik_student(4, 0.05), standardise = FALSE, optimise = FALSE,
      kernel = kernel_rbf(1, 0.7)
    )
    expect_sane(found, x)
    expect_sane(fit(x, y, likelihood = lik_student(), optimise = FALSE), x)
  })
  robust <- quick_online(x, y, likelihood = lik_student(4, 0.05), standardise = FALSE,
    optimise = FALSE, kernel = kernel_rbf(1, 0.7), sweeps = 10
  )
  expect_lt(sqrt(mean((predict(robust, x) - truth)^2)), 0.1)
})

test_that("other kernels: user's functions, noise, low rank", {
  toy <- toy_data("binary")
  own <- function(x, z) rbf(x, z, 1, 1)
  for (way in ways[c("budget", "ep")]) {
    fit <- function(kernel) {
      do.call(quick_online, c(list(toy$x, toy$y, kernel = kernel, optimise = FALSE), way))
    }
    expect_equal(
      all_predictions(fit(own), toy$new), all_predictions(fit(kernel_rbf(1, 1)), toy$new),
      tolerance = 1e-7
    )
    expect_sane(fit(kernel_rbf(1, 1) + kernel_white(0.2)), toy$new)
    expect_sane(fit(kernel_linear(1)), toy$new)
    expect_sane(fit(kernel_polynomial(2)), toy$new)
    expect_sane(fit(kernel_constant(1)), toy$new)
  }
  # The basis of a linear kernel in two inputs is two rows.
  linear <- quick_online(toy$x, toy$y, kernel = kernel_linear(1), optimise = FALSE)
  expect_length(active_set(linear), 2)
  bad <- list(
    function(x, z) stop("no such distance"), function(x, z) matrix(NaN, nrow(x), nrow(z)),
    function(x, z) matrix(1, 2, 2), function(x, z) NULL, function(x, z) -rbf(x, z)
  )
  for (fn in bad) for (way in ways[c("budget", "ep")]) {
    caught <- tryCatch(
      do.call(quick_online, c(list(toy$x, toy$y, kernel = fn, optimise = FALSE), way)),
      error = identity
    )
    expect_s3_class(caught, "gpsieve_error")
  }
})
