# Which rows to observe next, over fits of every model.

every_fit <- function(task, check) {
  for (model in names(contract_specs())) check(shared_fit(model, task), toy_data(task))
}

# Rows in the range of the toy data.
wide_pool <- function(n) {
  pool <- as.data.frame(uniform_inputs(n, 2, 9))
  pool$b <- 10 * pool$b + 3
  pool
}

# A dense regression whose hyper-parameters are given.
exact_fit <- function(x, y, model = meanfield_gp, ...) {
  model(x, y, kernel_rbf(1.3, 0.9), lik_gaussian(0.05), optimise = FALSE, standardise = FALSE,
    seed = 1, ...
  )
}

exact_x <- uniform_inputs(25, 2, 3)
exact_y <- sin(2 * exact_x[, 1]) + exact_x[, 2]
exact_pool <- uniform_inputs(60, 2, 4)

# Scores of every row on its own.
scores_of <- function(fit, pool, ...) {
  vapply(seq_len(nrow(pool)), function(i) what_next(fit, pool[i, , drop = FALSE], ...)$.score, 0)
}

test_that("the expected improvement is the integral of the improvement", {
  every_fit("regression", function(fit, toy) {
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    for (up in c(1, -1)) {
      best <- up * max(up * predict(fit, type = "link"))
      expected <- vapply(seq_len(nrow(toy$new)), function(i) {
        from <- up * (best - link$fit[i]) / link$se.fit[i]
        gain <- function(z) (link$se.fit[i] * (z - from)) * dnorm(z)
        stats::integrate(gain, from, max(from, 0) + 12, rel.tol = 1e-11, subdivisions = 1000)$value
      }, 0)
      goal <- if (up > 0) "maximum" else "minimum"
      expect_close(scores_of(fit, toy$new, goal = goal), expected, 1e-8, "largest")
    }
  })
})

test_that("the logarithm of the expected improvement keeps its digits", {
  log_ei <- gpsieve:::log_expected_improvement
  for (u in c(-99, -40, -10, -1, 0, 2, 29)) {
    # E max(u + z, 0) = phi(u) times the integral of t exp(-t^2 / 2 + u t) over t > 0.
    top <- if (u < 0) 60 / (1 - u) else u + 12
    integral <- stats::integrate(function(t) t * exp(-t^2 / 2 + u * t), 0, top, rel.tol = 1e-11,
      subdivisions = 1000
    )$value
    expect_equal(log_ei(u, 1), dnorm(u, log = TRUE) + log(integral), tolerance = 1e-9)
  }
  around <- log_ei(c(-100 - 1e-9, -100 + 1e-9), 1)
  expect_equal(diff(around), 2e-9 * 100, tolerance = 1e-2)
  grid <- log_ei(c(-1e8, -1e4, seq(-200, 60, by = 0.5), 1e4), 1)
  expect_true(all(is.finite(grid)) && all(diff(grid) > 0))
  expect_equal(log_ei(3 * c(-50, 4), 3), log(3) + log_ei(c(-50, 4), 1), tolerance = 1e-14)
  expect_no_warning(none <- log_ei(c(-1, 0, 2), 0))
  expect_identical(none, c(-Inf, -Inf, log(2)))
})

test_that("bounds, the straddle and what is learned are what the help page says", {
  every_fit("regression", function(fit, toy) {
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    bound <- function(goal) scores_of(fit, toy$new, goal = goal, rule = "bound", width = 2)
    expect_close(bound("maximum"), link$fit + 2 * link$se.fit, 1e-10, "largest")
    expect_close(bound("minimum"), 2 * link$se.fit - link$fit, 1e-10, "largest")
    expect_close(scores_of(fit, toy$new, goal = "boundary", threshold = 5),
      1.96 * link$se.fit - abs(link$fit - 5), 1e-10, "largest"
    )
  })
  every_fit("binary", function(fit, toy) {
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_close(scores_of(fit, toy$new, goal = "boundary"),
      1.96 * link$se.fit - abs(link$fit), 1e-12
    )
  })
  for (task in tasks) every_fit(task, function(fit, toy) {
    expect_equal(scores_of(fit, toy$new, goal = "learn"), query_score(fit, toy$new, "bald"),
      tolerance = 1e-12
    )
  })
})

test_that("one row is the one with the largest score, with its columns", {
  for (task in tasks) every_fit(task, function(fit, toy) {
    chosen <- what_next(fit, toy$new, goal = "learn")
    score <- query_score(fit, toy$new, "bald")
    expect_identical(chosen$.row, which.max(score))
    expect_equal(chosen$.score, max(score), tolerance = 1e-12)
    expect_identical(as.list(chosen[c("a", "b")]), as.list(toy$new[chosen$.row, ]))
    expect_identical(what_next(fit, as.matrix(toy$new), goal = "learn"), chosen)
    cost <- seq_len(9)^2
    expect_identical(what_next(fit, toy$new, goal = "learn", cost = cost)$.row,
      which.max(score / cost)
    )
    expect_equal(what_next(fit, toy$new, goal = "learn", cost = cost)$.score, max(score / cost),
      tolerance = 1e-12
    )
  })
})

test_that("with Gaussian noise a batch is what fits with the rows before it would choose", {
  extremes <- list(
    list(goal = "learn"), list(goal = "minimum"), list(goal = "maximum"),
    list(goal = "maximum", rule = "bound"), list(goal = "boundary", threshold = 0.3),
    list(goal = "learn", cost = 1 + (seq_len(60) %% 5)),
    list(goal = "minimum", cost = 1 + (seq_len(60) %% 5))
  )
  models <- list(
    list(model = meanfield_gp), list(model = ivm, n_active = 31, refine = 2),
    list(model = online_gp, budget = 31)
  )
  for (arguments in models) {
    # A size above the number of rows takes all rows, and says so.
    fit_to <- function(x, y) suppressMessages(do.call(exact_fit, c(list(x, y), arguments)))
    for (how in extremes) {
      ask <- function(fit, pool, n) do.call(what_next, c(list(fit, pool, n), how))
      batch <- ask(fit_to(exact_x, exact_y), exact_pool, 5)
      x <- exact_x
      y <- exact_y
      left <- seq_len(60)
      for (step in 1:5) {
        fit <- fit_to(x, y)
        now <- how
        now$cost <- how$cost[left]
        one <- do.call(what_next, c(list(fit, exact_pool[left, ]), now))
        expect_identical(left[one$.row], batch$.row[step])
        expect_equal(one$.score, batch$.score[step], tolerance = 1e-6)
        row <- exact_pool[left[one$.row], , drop = FALSE]
        y <- c(y, predict(fit, row))
        x <- rbind(x, row)
        left <- left[-one$.row]
      }
    }
  }
})

# The batch of the goal "learn" for Gaussian noise from the covariance of the whole pool.
learned_by_oracle <- function(fit, pool, n, noise) {
  covariance <- predict(fit, pool, type = "link", cov = TRUE)$cov
  rows <- integer()
  scores <- numeric()
  for (step in seq_len(n)) {
    score <- 0.5 * log1p(diag(covariance) / noise)
    score[rows] <- -Inf
    row <- which.max(score)
    covariance <- covariance - tcrossprod(covariance[, row]) / (covariance[row, row] + noise)
    rows <- c(rows, row)
    scores <- c(scores, score[row])
  }
  list(rows = rows, scores = scores)
}

test_that("a batch is that of the whole pool, also where the best rows are close together", {
  every_fit("regression", function(fit, toy) {
    pool <- wide_pool(300)
    far <- which.max(query_score(fit, pool, "bald"))
    near <- with_own_seed(2, rnorm(250, 0, 1e-3))
    pool$a[1:250] <- pool$a[far] + near
    pool$b[1:250] <- pool$b[far] + rev(near)
    noise <- sigma(fit)^2
    batch <- what_next(fit, pool, 6, goal = "learn")
    expected <- learned_by_oracle(fit, pool, 6, noise)
    expect_close(batch$.score, expected$scores, 1e-8)
    # Rows that the first shortlist lacks are among them.
    best <- order(query_score(fit, pool, "bald"), decreasing = TRUE)[1:200]
    expect_true(any(!batch$.row %in% best))
  })
})

test_that("a batch depends neither on threads nor on the generator of random numbers", {
  pool <- wide_pool(20)
  for (task in tasks) every_fit(task, function(fit, toy) {
    batch <- what_next(fit, pool, 3, goal = "learn")
    again <- with_own_seed(5, what_next(fit, pool, 3, goal = "learn", threads = 2))
    expect_identical(again, batch)
    expect_identical(anyDuplicated(batch$.row), 0L)
    expect_true(all(diff(batch$.score) <= 1e-9))
  })
})

test_that("the generator of random numbers is left alone", {
  before <- with_own_seed(1, {
    what_next(shared_fit("ivm", "regression"), wide_pool(20), 3)
    runif(1)
  })
  expect_identical(before, with_own_seed(1, runif(1)))
})

test_that("a row twice in the pool is worth less the second time", {
  fit <- exact_fit(exact_x, exact_y)
  twice <- exact_pool[c(1:10, 1:10), ]
  batch <- what_next(fit, twice, 20, goal = "learn")
  expect_setequal(batch$.row, 1:20)
  expect_lt(which(batch$.row == 3), which(batch$.row == 13))
  # Noise of an observation that is repeated averages out: the two together tell what one with half
  # the variance of the noise tells.
  pair <- what_next(fit, exact_pool[c(1, 1), ], 2, goal = "learn")
  s <- predict(fit, exact_pool[1, , drop = FALSE], type = "link", se.fit = TRUE)$se.fit
  expect_equal(sum(pair$.score), 0.5 * log1p(2 * unname(s)^2 / 0.05), tolerance = 1e-8)
})

test_that("units of the response change scores by its unit and no choice", {
  toy <- toy_data("regression")
  fit_of <- function(y) {
    meanfield_gp(toy$x, y, kernel_rbf(1, 1), lik_gaussian(0.1), optimise = FALSE, seed = 1)
  }
  here <- what_next(fit_of(toy$y), wide_pool(50), 5)
  there <- what_next(fit_of(1000 * toy$y - 7), wide_pool(50), 5)
  expect_identical(there$.row, here$.row)
  expect_equal(there$.score, 1000 * here$.score, tolerance = 1e-8)
})

test_that("rows with missing values are never chosen; names of the answer give way in the pool", {
  fit <- shared_fit("ivm", "regression")
  pool <- toy_data("regression")$new
  first <- what_next(fit, pool)
  holes <- pool
  holes$a[first$.row] <- NA
  expect_false(first$.row %in% what_next(fit, holes, 8)$.row)
  expect_error(what_next(fit, holes, 9), class = "gpsieve_error_data")
  expect_error(what_next(fit, pool[0, ]), class = "gpsieve_error_data")
  again <- what_next(fit, cbind(first, more = "x"))
  expect_named(again, c(".row", ".score", "a", "b", "more"))
  expect_identical(again$.row, 1L)
})

test_that("no row is proposed that was tried", {
  every_fit("regression", function(fit, toy) {
    pool <- rbind(toy$data[3:20, c("a", "b")], toy$new[1:3, ])
    if (is.null(fit$kept)) return(invisible())
    for (goal in c("minimum", "maximum", "learn")) {
      expect_setequal(what_next(fit, pool, 3, goal = goal)$.row, 19:21)
    }
    expect_error(what_next(fit, pool, 4), class = "gpsieve_error_data")
    expect_gt(what_next(fit, transform(pool, b = b + 1e-6), 4)$.row[4], 0)
  })
  chosen <- gpsieve(dist ~ poly(speed, 2), cars, seed = 1, verbose = FALSE,
    candidates = list(kernel_rbf()), control = control_gpsieve(folds = 2)
  )
  expect_identical(what_next(chosen, data.frame(speed = c(7, 8, 8.5)))$.row, 3L)
  expect_identical(first_primes(6L), c(2L, 3L, 5L, 7L, 11L, 13L))
  expect_length(first_primes(1000L), 1000L)
  expect_identical(first_primes(1000L)[1000L], 7919L)
})

test_that("gains that underflow keep their order", {
  x <- matrix(seq(0, 1, length.out = 12), dimnames = list(NULL, "a"))
  fit <- meanfield_gp(x, x[, 1], kernel_rbf(1, 1), lik_gaussian(1e-8), optimise = FALSE,
    standardise = FALSE, seed = 1
  )
  pool <- matrix(c(0.3, 0.5, 0.4), dimnames = list(NULL, "a"))
  found <- what_next(fit, pool, goal = "maximum", best = 100)
  expect_identical(found$.score, 0)
  log_gain <- gpsieve:::log_expected_improvement
  link <- predict(fit, pool, type = "link", se.fit = TRUE)
  expect_identical(found$.row, which.max(log_gain(link$fit - 100, link$se.fit)))
})

test_that("with other likelihoods batches are made, and scores fall", {
  x <- uniform_inputs(40, 1)
  counts <- with_own_seed(3, rpois(40, exp(1 + x[, 1])))
  pool <- matrix(seq(-2.5, 2.5, length.out = 31), dimnames = list(NULL, "a"))
  fits <- list(
    ivm(x, counts, likelihood = lik_poisson(), optimise = FALSE, seed = 1),
    ivm(x, x[, 1] > 0, likelihood = lik_logit(), optimise = FALSE, seed = 1),
    ivm(x, exp(x[, 1]), likelihood = lik_gamma(2), optimise = FALSE, seed = 1)
  )
  for (fit in fits) {
    batch <- what_next(fit, pool, 6, goal = "learn")
    expect_true(all(diff(batch$.score) < 0) && all(batch$.score > 0))
    # A row that was chosen once has its variance times exp(-2 I) the second time.
    pair <- what_next(fit, pool[c(31, 31), , drop = FALSE], 2, goal = "learn")
    link <- predict(fit, pool[31, , drop = FALSE], type = "link", se.fit = TRUE)
    latent <- list(mean = matrix(link$fit), variance = matrix(link$se.fit^2))
    latent$variance[] <- latent$variance * exp(-2 * pair$.score[1])
    left <- gpsieve:::information(fit, latent, gpsieve:::core_settings(1L))
    expect_equal(pair$.score[2], left[1], tolerance = 1e-8)
  }
  expect_length(what_next(fits[[1]], pool, 3, goal = "maximum")$.row, 3)
})

test_that("fits with trials and ordered classes have the goals that they can", {
  x <- uniform_inputs(40, 1)
  d <- data.frame(a = x[, 1], yes = with_own_seed(3, rbinom(40, 5, plogis(x[, 1]))))
  d$no <- 5 - d$yes
  d$level <- ordered(findInterval(d$a, c(-1, 0, 1)))
  pool <- data.frame(a = seq(-1.9, 1.9, length.out = 9))
  trials <- ivm(cbind(yes, no) ~ a, d, likelihood = lik_binomial(), optimise = FALSE, seed = 1)
  expect_identical(what_next(trials, pool, goal = "maximum", rule = "bound")$.row,
    which.max(with(predict(trials, pool, type = "link", se.fit = TRUE), fit + 1.96 * se.fit))
  )
  expect_error(what_next(trials, pool, 2), class = "gpsieve_error_unsupported")
  expect_error(what_next(trials, pool, goal = "learn"), class = "gpsieve_error_unsupported")
  levels <- ivm(level ~ a, d, optimise = FALSE, seed = 1)
  expect_identical(what_next(levels, pool, 3, goal = "learn")$.row[1],
    which.max(query_score(levels, pool, "bald"))
  )
  expect_error(what_next(levels, pool), class = "gpsieve_error_unsupported")
  expect_error(what_next(levels, pool, goal = "boundary"), class = "gpsieve_error_unsupported")
})

test_that("a sparse pool gives its rows", {
  skip_if_not_installed("Matrix")
  x <- with_own_seed(1, Matrix::rsparsematrix(60, 8, 0.3))
  dimnames(x) <- list(NULL, letters[1:8])
  fit <- ivm(x[11:60, ], as.numeric(x[11:60, 1]), optimise = FALSE, seed = 1)
  batch <- what_next(fit, x[1:10, ], 3)
  expect_identical(as.matrix(batch[letters[1:8]]), as.matrix(x[batch$.row, ]),
    ignore_attr = TRUE
  )
})

test_that("what cannot be chosen is refused", {
  number <- shared_fit("ivm", "regression")
  classes <- shared_fit("ivm", "binary")
  three <- shared_fit("ivm", "multiclass")
  pool <- toy_data("regression")$new
  noisy <- meanfield_gp(exact_x, exact_y, noise_sd = rep(0.1, 25), optimise = FALSE)
  forgetful <- meanfield_gp(exact_x, exact_y, optimise = FALSE,
    control = control_meanfield(keep = FALSE)
  )
  augmented <- rvm(exact_x, exact_y, kernel_rbf(1, 0.7), variance = "augmented")
  expect_snapshot(error = TRUE, {
    what_next(1, pool)
    what_next(number)
    what_next(number, pool, 0)
    what_next(number, pool, goal = "optimum")
    what_next(number, pool, best_value = 1)
    what_next(number, pool, 10)
    what_next(number, data.frame(a = 1))
    what_next(number, pool, cost = 1:3)
    what_next(number, pool, cost = -1:7)
    what_next(number, pool, rule = "bound", cost = 1:9)
    what_next(number, pool, goal = "learn", rule = "bound")
    what_next(number, pool, width = 2)
    what_next(number, pool, rule = "bound", width = 0)
    what_next(number, pool, goal = "learn", best = 1)
    what_next(number, pool, threshold = 1)
    what_next(number, pool, goal = "boundary")
    what_next(classes, pool, goal = "boundary", threshold = 1)
    what_next(classes, pool)
    what_next(three, pool, goal = "boundary")
    what_next(noisy, exact_pool, goal = "learn")
    what_next(forgetful, exact_pool)
    what_next(augmented, exact_pool, 2)
  })
  expect_identical(nrow(what_next(noisy, exact_pool)), 1L)
  expect_identical(nrow(what_next(forgetful, exact_pool, best = 0)), 1L)
  expect_identical(nrow(what_next(augmented, exact_pool)), 1L)
})

test_that("every argument is checked before any work", {
  fit <- shared_fit("ivm", "regression")
  given <- list(fit = fit, pool = toy_data("regression")$new)
  refused <- function(bad, class = "argument") {
    for (name in names(bad)) for (value in bad[[name]]) {
      arguments <- given
      arguments[name] <- list(value)
      expect_error(do.call(what_next, arguments), class = paste0("gpsieve_error_", class),
        label = paste(name, "=", paste(deparse(value), collapse = ""))
      )
    }
  }
  refused(list(
    pool = list(1, "a", NULL, mean, TRUE), n = list(-1, 1.5, NA, "2", c(1, 2), Inf),
    goal = list("no", NA, 1, character()), rule = list("no", NA, NULL, 1),
    cost = list(numeric(9), replace(1:9, 2, NA), letters[1:9], rep(Inf, 9)),
    best = list("a", NA, Inf, 1:2), threads = list(0, -1, NA, "2"), sort = list(TRUE)
  ))
  refused(list(
    pool = list(data.frame(a = "1", b = 2), matrix(Inf, 2, 2)), cost = list(1, 1:10)
  ), "data")
})

test_that("a search for Branin's minimum finds less than three of four searches at random", {
  branin <- function(x) {
    a <- 15 * x[, 1] - 5
    b <- 15 * x[, 2]
    (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
  }
  grid <- as.matrix(expand.grid(a = seq(0, 1, length.out = 41), b = seq(0, 1, length.out = 41)))
  value <- branin(grid)
  best_of_search <- function(seed) {
    tried <- with_own_seed(seed, sample.int(nrow(grid), 10))
    for (step in 1:20) {
      fit <- suppressMessages(whatever_it_learns(meanfield_gp(grid[tried, ], value[tried],
        kernel_rbf(ard = TRUE), verbose = FALSE
      )))
      rest <- setdiff(seq_len(nrow(grid)), tried)
      tried <- c(tried, rest[what_next(fit, grid[rest, ])$.row])
    }
    min(value[tried])
  }
  best_of_chance <- function(seed) min(value[with_own_seed(seed, sample.int(nrow(grid), 30))])
  found <- vapply(1:2, best_of_search, 0)
  chance <- vapply(1:200, best_of_chance, 0)
  expect_lt(max(found), stats::quantile(chance, 0.25))
})
