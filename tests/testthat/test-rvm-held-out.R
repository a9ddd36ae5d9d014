# The width and the capacity of the relevance vector machine that held-out rows choose, and the
# smallest precision of its weights.

quietly_rvm <- function(...) {
  suppressWarnings(rvm(..., verbose = FALSE), classes = "gpsieve_warning")
}

# Classes whose probability depends on two of `p` columns.
overlapping_classes <- function(n, p, seed) {
  with_own_seed(seed, {
    x <- matrix(rnorm(n * p), n)
    list(x = x, y = factor(runif(n) < pnorm(1.5 * x[, 1] - x[, 2])))
  })
}

log_loss <- function(fit, data) {
  p <- predict(fit, data$x, type = "prob")
  -mean(log(p[cbind(seq_along(data$y), as.integer(data$y))]))
}

prior_sds <- function(fit) {
  unlist(lapply(fit$posteriors, function(posterior) posterior$up$scale))
}

test_that("no weight has a prior precision below alpha_min", {
  data <- overlapping_classes(60, 2, 1)
  for (inference in c("tap", "laplace", "naive")) {
    for (algorithm in c("ssem", "em", if (inference != "naive") "fast")) {
      sds <- function(alpha_min) {
        prior_sds(quietly_rvm(data$x, data$y, kernel_rbf(1, 1), inference = inference,
          algorithm = algorithm, optimise = FALSE, seed = 1,
          control = control_rvm(alpha_min = alpha_min, max_iter = 50)
        ))
      }
      expect_gt(max(sds(0)), sqrt(1 / 2))
      expect_lte(max(sds(2)), sqrt(1 / 2) * (1 + 1e-12))
    }
  }
  fit <- quietly_rvm(data$x, data$x[, 1], kernel_rbf(1, 1), optimise = FALSE, seed = 1,
    control = control_rvm(alpha_min = 2)
  )
  expect_lte(max(prior_sds(fit)), sqrt(1 / 2) * (1 + 1e-12))
})

test_that("the smallest precision is relative to the input noise", {
  data <- overlapping_classes(60, 2, 1)
  at <- function(noise) {
    fit <- quietly_rvm(data$x, data$y, kernel_rbf(1, 1), lik_probit(noise), optimise = FALSE,
      seed = 1, control = control_rvm(alpha_min = 0.1, alpha_start = 1 / noise, prune = 1e6 / noise)
    )
    predict(fit, data$x, type = "prob")
  }
  expect_equal(at(4), at(1), tolerance = 1e-6)
})

test_that("without learning the smallest precision is 0, and a sweep learns the noise", {
  data <- overlapping_classes(40, 2, 1)
  same <- function(y, ...) {
    at <- function(control) {
      fit <- quietly_rvm(data$x, y, kernel_rbf(1, 1), optimise = FALSE, seed = 1, control = control)
      fit$posteriors
    }
    expect_identical(at(control_rvm()), at(control_rvm(...)))
  }
  same(data$y, alpha_min = 0)
  same(data$x[, 1] + data$x[, 2]^2, alpha_min = 0, noise_grow = TRUE)
})

test_that("held-out rows are predicted better with a learned smallest precision", {
  gains <- vapply(1:3, function(seed) {
    data <- overlapping_classes(100, 15, seed)
    new <- overlapping_classes(1000, 15, 100 + seed)
    loss <- function(...) {
      log_loss(quietly_rvm(data$x, data$y, seed = seed, control = control_rvm(...)), new)
    }
    loss(alpha_min = 0) - loss()
  }, 0)
  expect_gt(mean(gains), 0)
})

test_that("long lengthscales are found where the response has little noise", {
  draw <- function(n, seed) {
    with_own_seed(seed, {
      x <- matrix(runif(5 * n), n)
      list(x = x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + rnorm(n, sd = 0.5))
    })
  }
  data <- draw(150, 1)
  new <- draw(500, 2)
  error <- function(...) {
    fit <- quietly_rvm(data$x, data$y, seed = 1, control = control_rvm(...))
    mean((predict(fit, new$x) - new$y)^2)
  }
  expect_lt(error(), error(noise_grow = TRUE))
})

test_that("a trial is given up where it is behind by more than chance, and not before", {
  expect_true(falls_behind(c(-1, -1.1, -0.9, NA)))
  expect_false(falls_behind(c(1, 1.1, 0.9)))
  expect_false(falls_behind(c(-1, 1.1, -0.9)))
  # Nothing is known before the first part, and one row has no standard error.
  expect_false(falls_behind(c(NA_real_, NA)))
  expect_false(falls_behind(-1))
})

test_that("a search keeps what it knows: no trial is made twice", {
  made <- character()
  optimum <- c(2, 3)
  trial <- function(factor, capacity, best) {
    made <<- c(made, paste(factor, capacity$at))
    list(score = -(log2(factor) - optimum[1])^2 - (capacity$at - optimum[2])^2)
  }
  capacities <- lapply(1:4, function(at) list(at = at))
  found <- search_held_out(trial, list(coarse = 2^c(0, 1, 2, 3), finer = finer_steps),
    function(factor) capacities, 0, NULL
  )
  expect_identical(found, list(factor = 4, capacity = list(at = 3L), score = 0))
  expect_false(anyDuplicated(made) > 0)
  optimum <- c(1.5, 1)
  found <- search_held_out(trial, list(coarse = 2^c(0, 2), finer = finer_steps),
    function(factor) capacities, 0, NULL
  )
  expect_identical(found$factor, 2^1.5)
  expect_identical(found$capacity, list(at = 1L))
})

test_that("a larger capacity has to lead by more than its standard error", {
  trial_of <- function(gains) {
    function(value, best) list(score = sum(value * gains), densities = value * gains)
  }
  start <- list(value = 0, score = 0, densities = c(0, 0, 0, 0))
  # Sums 4 and 2, standard errors 0.46 and 4.6.
  clear <- trial_of(c(1.2, 0.8, 1.2, 0.8))
  by_chance <- trial_of(c(2.5, -1.5, 2.5, -1.5))
  expect_identical(best_of(1, start, clear, ahead = 1)$value, 1)
  expect_identical(best_of(1, start, by_chance, ahead = 1)$value, 0)
  expect_identical(best_of(1, start, by_chance)$value, 1)
  # Whatever comes after trials that all failed is taken.
  expect_identical(best_of(1, list(value = 0, score = -Inf), by_chance, ahead = 1)$value, 1)
})

test_that("a machine of all rows that finds nothing is trained again with less noise", {
  with_functions(list(evidence_of_constant = function(sample, range) 0), {
    tried <- function(found_much, noise_that_finds) {
      noise <- numeric()
      learned <- list(
        problem = list(y = cbind(numeric(10)), likelihood = lik_gaussian()),
        found_much = found_much,
        options = list(
          noise_start = 0.4, noise_grow = FALSE, learn_noise = TRUE, algorithm = "ssem"
        )
      )
      trained <- train_rvm(learned, list(), function(options) {
        noise <<- c(noise, options$noise_start)
        found <- options$noise_start <= noise_that_finds
        list(latents = list(list(log_evidence = if (found) 5 else 0)))
      })
      list(noise = noise, kept = trained$options$noise_start)
    }
    expect_identical(tried(TRUE, 1), list(noise = 0.4, kept = 0.4))
    expect_identical(tried(TRUE, 0.03), list(noise = c(0.4, 0.1, 0.025), kept = 0.025))
    expect_identical(tried(TRUE, 0), list(noise = 0.4 / 4^(0:4), kept = 0.4))
    expect_identical(tried(FALSE, 0.03), list(noise = 0.4, kept = 0.4))
    # A failure of a further training leaves what there is.
    fails <- function(options) {
      if (options$noise_start < 0.4) abort_gpsieve("failed", class = "numerical")
      list(latents = list(list(log_evidence = 0)))
    }
    options <- list(
      noise_start = 0.4, noise_grow = FALSE, learn_noise = TRUE, algorithm = "ssem"
    )
    problem <- list(y = cbind(numeric(10)), likelihood = lik_gaussian())
    learned <- list(problem = problem, found_much = TRUE, options = options)
    expect_identical(train_rvm(learned, list(), fails)$options, options)
  })
})

# Functions of long lengthscales raise the evidence only together: with the learned noise variance
# the sweep of these rows finds none.
test_that("a linear function of many columns is found", {
  set.seed(3)
  x <- matrix(rnorm(400 * 20), 400)
  y <- drop(x[, 1:4] %*% c(1, -1, 0.5, 0.5)) + rnorm(400) / 3
  rows <- c(numbers = 300)
  fit <- with_functions(list(rvm_learning_rows = rows), quietly_rvm(x, y, seed = 1))
  expect_gt(nrow(inducing(fit)), 10)
  expect_lt(sqrt(mean((predict(fit, x) - y)^2)), 0.4)
})

test_that("the fit keeps the learned capacity, with which update() trains", {
  data <- overlapping_classes(60, 3, 1)
  for (y in list(data$y, data$x[, 1] + data$x[, 2]^2)) {
    fit <- quietly_rvm(data$x, y, seed = 1)
    control <- fit$settings$control
    if (is.factor(y)) expect_true(control$alpha_min %in% c(0.001, 0.003, 0.01, 0.03))
    else expect_false(control$noise_grow)
    again <- suppressWarnings(update(fit, x = data$x, y = y, optimise = FALSE, verbose = FALSE))
    expect_equal(predict(again, data$x), predict(fit, data$x), tolerance = 1e-8)
  }
})

test_that("a given capacity is kept", {
  data <- overlapping_classes(40, 2, 1)
  fit <- quietly_rvm(data$x, data$y, seed = 1, control = control_rvm(alpha_min = 0.5))
  expect_identical(fit$settings$control$alpha_min, 0.5)
  fit <- quietly_rvm(data$x, data$x[, 1], seed = 1, control = control_rvm(noise_start = 0.3))
  expect_identical(fit$settings$control$noise_start, 0.3)
  expect_true(fit$settings$control$noise_grow)
})

test_that("learning works with two rows, with one class in a part, and with fixed kernels", {
  fit <- suppressWarnings(rvm(matrix(c(0, 1)), c(0, 1), seed = 1, verbose = FALSE))
  expect_true(all(is.finite(predict(fit, matrix(c(0, 1))))))
  x <- matrix(seq_len(12) / 4)
  fit <- suppressWarnings(rvm(x, factor(rep(1:2, c(11, 1))), seed = 1, verbose = FALSE))
  expect_true(all(is.finite(predict(fit, x, type = "prob"))))
  fit <- quietly_rvm(x, factor(rep(1:2, 6)), kernel_rbf(fixed(1), fixed(0.7)), seed = 1)
  expect_identical(fit$kernel$values$lengthscale, kernel_rbf(1, 0.7)$values$lengthscale)
  expect_gt(fit$settings$control$alpha_min, 0)
})

test_that("a smallest precision at which every function would be pruned is refused", {
  expect_snapshot(error = TRUE, {
    control_rvm(alpha_min = 10, prune = 2)
    control_rvm(alpha_min = -1)
  })
})

test_that("every copy of a row is held out once, in parts of equal size", {
  held_out <- function(weight, y, kind = "real") {
    gpsieve:::held_out_weights(list(y = matrix(y), seed = 1, response = list(kind = kind),
      cases = list(weight = weight)
    ), 3)
  }
  weight <- c(7, 1, 12, 2, 30, 1)
  for (kind in c("real", "binary")) {
    parts <- held_out(weight, c(1, -1, 1, -1, 1, -1), kind)
    expect_identical(rowSums(parts), weight)
    expect_lte(diff(range(colSums(parts))), 2)
    expect_gt(min(parts[c(1, 3, 5), ]), 0)
  }
  # Weights that count no copies: whole rows.
  weight <- c(0.5, 2, 1.5, 3)
  parts <- held_out(weight, 1:4)
  expect_identical(apply(parts, 1L, max), weight)
  expect_identical(rowSums(parts > 0), rep(1, 4))
  # The weights of known noise are precisions, also where they are whole numbers.
  precisions <- gpsieve:::held_out_weights(list(y = matrix(1:4), seed = 1,
    response = list(kind = "real"), cases = list(weight = c(1, 2, 3, 4)),
    molded = list(noise = list(sd = 1))
  ), 3)
  expect_identical(rowSums(precisions > 0), rep(1, 4))
  # As many parts as copies, at most.
  expect_identical(ncol(held_out(c(1, 1), 1:2)), 2L)
})

test_that("inputs with few values are learned from", {
  data <- with_own_seed(2, {
    groups <- data.frame(g = runif(600) < 0.5, h = runif(600) < 0.5)
    groups$class <- factor(runif(600) < 0.2 + 0.6 * groups$g)
    groups$number <- sample(1:5, 600, TRUE) + 3 * groups$g
    groups
  })
  new <- data.frame(g = c(FALSE, TRUE), h = FALSE)
  for (seed in 1:3) {
    p <- predict(rvm(class ~ g + h, data, seed = seed, verbose = FALSE), new, type = "prob")
    expect_lt(max(abs(p[, "TRUE"] - tapply(data$class == "TRUE", data$g, mean))), 0.06)
  }
  expect_lt(max(abs(predict(rvm(number ~ g + h, data, seed = 1, verbose = FALSE), new) -
    tapply(data$number, data$g, mean)
  )), 0.3)
})

test_that("update() without a change keeps what was learned, and learns from other rows", {
  d <- with_own_seed(1, data.frame(a = runif(30), b = runif(30)))
  d$y <- with_own_seed(2, sin(4 * d$a) + rnorm(30) / 10)
  d$k <- factor(d$y > 0.5)
  for (formula in list(y ~ a + b, k ~ a + b)) {
    fit <- suppressWarnings(rvm(formula, d, seed = 1, verbose = FALSE))
    expect_equal(predict(suppressWarnings(update(fit)), d, type = "link"),
      predict(fit, d, type = "link"), tolerance = 1e-8)
  }
  fit <- suppressWarnings(rvm(y ~ a + b, d, seed = 1, verbose = FALSE))
  expect_false(identical(coef(suppressWarnings(update(fit, data = d[1:25, ]))), coef(fit)))
})
