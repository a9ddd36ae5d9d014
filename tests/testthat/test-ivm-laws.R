# Relations and limits the informative vector machine must obey, mostly with given hyper-parameters.

# ---- limits ----

test_that("all rows active and Gaussian noise: the exact Gaussian process", {
  k <- rbf(law_x, law_x, 2, c(1, 0.7))
  exact <- dense_gp(k, law_y, 0.1, rbf(law_x, law_new, 2, c(1, 0.7)), rep(2, 12), mean = 0.3)
  for (refine in c(0, 3)) for (criterion in c("entropy", "infogain", "random")) {
    fit <- given(law_x, law_y, kernel = kernel_rbf(2, c(1, 0.7)), likelihood = lik_gaussian(0.1),
      n_active = 30, refine = refine, criterion = criterion, prior_mean = 0.3
    )
    link <- predict(fit, law_new, type = "link", se.fit = TRUE)
    expect_equal(link$fit, exact$mean, tolerance = 1e-8)
    expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-8)
    expect_equal(evidence(fit)$value, exact$evidence, tolerance = 1e-8)
    expect_setequal(active_set(fit), 1:30)
    q <- predict(fit, law_new, type = "quantile", probs = c(0.1, 0.9))
    half <- qnorm(0.9) * sqrt(exact$variance + 0.1)
    expect_equal(unname(q), cbind(exact$mean - half, exact$mean + half), tolerance = 1e-8)
  }
})

test_that("all rows active, standardised: the exact process of the standardised numbers", {
  x <- scale(law_x)
  new <- scale(law_new, attr(x, "scaled:center"), attr(x, "scaled:scale"))
  y <- drop(scale(law_y))
  exact <- dense_gp(rbf(x), y, 0.1, rbf(x, new), rep(1, 12))
  fit <- ivm(law_x, law_y, kernel_rbf(1, 1), lik_gaussian(0.1), n_active = 30, optimise = FALSE)
  link <- predict(fit, law_new, type = "link", se.fit = TRUE)
  expect_equal(link$fit, mean(law_y) + sd(law_y) * exact$mean, tolerance = 1e-8)
  expect_equal(link$se.fit, sd(law_y) * sqrt(exact$variance), tolerance = 1e-8)
  # The density of the numbers that were observed, not of their standardised version.
  expect_equal(evidence(fit)$value, exact$evidence - 30 * log(sd(law_y)), tolerance = 1e-8)
})

test_that("all rows active and refined without end: dense EP", {
  y <- ifelse(law_class == "1", 1, -1)
  k <- rbf(law_x, law_x, 2, 1)
  for (mean in c(0, -0.5)) {
    exact <- dense_ep(k, y, rbf(law_x, law_new, 2, 1), rep(2, 12), mean)
    fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 30, refine = 100,
      prior_mean = mean
    )
    link <- predict(fit, law_new, type = "link", se.fit = TRUE)
    expect_close(link$fit, exact$mean, 1e-6)
    expect_close(link$se.fit^2, exact$variance, 1e-6)
    expect_close(predict(fit, law_new, type = "prob")[, "1"], exact$prob, 1e-6)
  }
})

test_that("refinement ends near its limit, however few passes are asked for", {
  probability <- function(refine) {
    fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 10, refine = refine)
    predict(fit, law_new, type = "prob")[, "1"]
  }
  limit <- probability(100)
  for (refine in c(1, 3, 6, 12)) expect_lt(max(abs(probability(refine) - limit)), 0.001)
})

test_that("refinement mends the probabilities of a small active set", {
  x <- uniform_inputs(600)
  y <- noisy_labels(x, flip = 0.05)
  new <- uniform_inputs(400, seed = 21)
  truth <- noisy_labels(new, flip = 0.05, seed = 22)
  loss <- function(refine) {
    fit <- given(x, y, kernel = kernel_rbf(4, 0.7), n_active = 25, refine = refine)
    p <- predict(fit, new, type = "prob")
    -mean(log(p[cbind(1:400, as.integer(truth))]))
  }
  expect_lt(loss(3), loss(0))
})

test_that("Gaussian noise needs one refining pass", {
  fits <- lapply(c(1, 5), function(refine) {
    given(law_x, law_y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.1), n_active = 8,
      refine = refine
    )
  })
  expect_equal(all_predictions(fits[[1]], law_new), all_predictions(fits[[2]], law_new))
  # ... and is then the FITC posterior.
  set <- active_set(fits[[1]])
  kuu <- rbf(law_x[set, ], law_x[set, ], 2, 1)
  kuf <- rbf(law_x[set, ], law_x, 2, 1)
  q <- crossprod(kuf, solve(kuu, kuf))
  k <- q + diag(2 - diag(q))
  ku_new <- rbf(law_x[set, ], law_new, 2, 1)
  exact <- dense_gp(k, law_y, 0.1, crossprod(kuf, solve(kuu, ku_new)), rep(2, 12))
  link <- predict(fits[[1]], law_new, type = "link", se.fit = TRUE)
  expect_equal(link$fit, exact$mean, tolerance = 1e-6)
  expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-6)
})

test_that("a probit with noise without end leaves a probability of one half", {
  fit <- given(law_x, law_class, likelihood = lik_probit(1e12), prior_mean = 0)
  expect_equal(unname(predict(fit, law_new, type = "prob")), matrix(0.5, 12, 2), tolerance = 1e-5)
})

test_that("far from the data a class has the probability of the prior mean", {
  far <- matrix(c(1e5, -1e5), 1, dimnames = list(NULL, c("a", "b")))
  fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1))
  share <- mean(law_class == "1")
  expect_equal(predict(fit, far, type = "link"), qnorm(share), tolerance = 1e-12)
  expect_equal(predict(fit, far, type = "prob")[, "1"], c("1" = pnorm(qnorm(share) / sqrt(3))),
    ignore_attr = TRUE, tolerance = 1e-12
  )
  fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1), prior_mean = -1)
  expect_equal(predict(fit, far, type = "link"), -1, tolerance = 1e-12)
  numbers <- given(law_x, law_y, prior_mean = 7)
  expect_equal(predict(numbers, far), 7, tolerance = 1e-12)
  scaled <- ivm(law_x, law_y, prior_mean = 7, optimise = FALSE)
  expect_equal(predict(scaled, far), 7, tolerance = 1e-12)
})

test_that("the first site matches the moments of the exact posterior", {
  x <- matrix(c(0, 1), dimnames = list(NULL, "a"))
  y <- factor(c("b", "a"))
  fit <- given(x, y, kernel = kernel_rbf(1, 1), n_active = 1, refine = 0, prior_mean = 0,
    control = control_ivm(n_random = 0)
  )
  expect_identical(active_set(fit), 1L)
  r <- dnorm(0) / pnorm(0)
  alpha <- r / sqrt(2)
  nu <- alpha^2
  expect_equal(sites(fit)$precision, nu / (1 - nu))
  expect_equal(sites(fit)$mean, 1 / alpha)
  expect_equal(predict(fit, x, type = "link"), alpha * c(1, exp(-0.5)))
})

# ---- invariance ----

expect_same_predictions <- function(one, two, tolerance = 1e-8) {
  expect_equal(one, two, tolerance = tolerance)
}

test_that("exchanging the labels exchanges the probabilities", {
  flipped <- factor(law_class, levels = rev(levels(law_class)))
  for (refine in c(0, 3)) {
    one <- given(law_x, law_class, n_active = 12, refine = refine)
    two <- given(law_x, flipped, n_active = 12, refine = refine)
    expect_identical(active_set(one), active_set(two))
    expect_equal(predict(one, law_new, type = "link"), -predict(two, law_new, type = "link"))
    p <- predict(one, law_new, type = "prob")
    q <- predict(two, law_new, type = "prob")
    expect_equal(p, q[, colnames(p)], tolerance = 1e-10)
    expect_equal(evidence(one)$value, evidence(two)$value)
    expect_identical(as.character(predict(one, law_new)), as.character(predict(two, law_new)))
  }
})

test_that("renaming and reordering classes permutes the columns", {
  toy <- toy_data("multiclass")
  x <- as.matrix(toy$x)
  control <- control_ivm(n_random = 0, n_full = Inf)
  one <- given(x, toy$y, n_active = 12, control = control)
  reordered <- factor(toy$y, levels = c("high", "mid", "low"))
  two <- given(x, reordered, n_active = 12, control = control)
  p <- predict(one, toy$new, type = "prob")
  expect_equal(p, predict(two, toy$new, type = "prob")[, colnames(p)], tolerance = 1e-12)
  renamed <- toy$y
  levels(renamed) <- c("x", "y", "z")
  three <- given(x, renamed, n_active = 12, control = control)
  expect_identical(unname(predict(three, toy$new, type = "prob")), unname(p))
})

test_that("several classes are machines of one class against the rest", {
  toy <- toy_data("multiclass")
  x <- as.matrix(toy$x)
  control <- control_ivm(n_random = 0, n_full = Inf)
  all <- given(x, toy$y, n_active = 12, control = control)
  link <- predict(all, toy$new, type = "link", se.fit = TRUE)
  alone <- vapply(levels(toy$y), function(level) {
    fit <- given(x, factor(toy$y == level), n_active = 12, control = control)
    one <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_equal(link$fit[, level], one$fit, tolerance = 1e-10)
    expect_equal(link$se.fit[, level], one$se.fit, tolerance = 1e-8)
    expect_identical(active_set(all)[[level]], active_set(fit))
    predict(fit, toy$new, type = "prob")[, 2]
  }, numeric(9))
  odds <- (alone / (1 - alone))^(1 / all$response$temperature)
  expect_equal(predict(all, toy$new, type = "prob"), odds / rowSums(odds), tolerance = 1e-9)
})

test_that("standardised fits do not see an affine change of inputs or response", {
  move <- function(x) sweep(sweep(x, 2, c(-3, 0.01), "*"), 2, c(1e4, -5), "+")
  for (optimise in c(FALSE, TRUE)) {
    fit <- function(x, y) {
      with_functions(list(ivm_learning_steps = 5), {
        ivm(x, y, n_active = 12, optimise = optimise, seed = 1, verbose = FALSE,
          control = control_ivm(rounds = 2)
        )
      })
    }
    classes <- fit(law_x, law_class)
    expect_same_predictions(
      all_predictions(fit(move(law_x), law_class), move(law_new)),
      all_predictions(classes, law_new), 1e-6
    )
    one <- fit(law_x, law_y)
    two <- fit(move(law_x), 100 - 7 * law_y)
    expect_equal(predict(two, move(law_new)), 100 - 7 * predict(one, law_new), tolerance = 1e-6)
    expect_equal(
      unname(predict(two, move(law_new), type = "quantile", probs = c(0.2, 0.9))),
      unname(100 - 7 * predict(one, law_new, type = "quantile", probs = c(0.8, 0.1))),
      tolerance = 1e-6
    )
    # Log densities shift by the change of unit.
    expect_equal(evidence(two)$value, evidence(one)$value - 12 * log(7), tolerance = 1e-6)
  }
})

test_that("a deterministic search does not depend on the order of the rows", {
  control <- control_ivm(n_random = 0, n_full = Inf)
  order <- with_own_seed(4, sample(30))
  fit <- function(rows) {
    # Unequal prior variances: no ties.
    given(law_x[rows, ], law_class[rows],
      kernel = kernel_rbf(2, 1) + kernel_linear(0.1), n_active = 15, control = control
    )
  }
  one <- fit(1:30)
  two <- fit(order)
  expect_identical(order[active_set(two)], active_set(one))
  expect_same_predictions(all_predictions(two, law_new), all_predictions(one, law_new))
})

test_that("kernel variance and probit noise only matter by their ratio", {
  one <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 12)
  two <- given(law_x, law_class,
    kernel = kernel_rbf(8, 1), likelihood = lik_probit(4),
    n_active = 12, prior_mean = 2 * qnorm(mean(law_class == "1"))
  )
  expect_identical(active_set(one), active_set(two))
  expect_equal(
    predict(one, law_new, type = "prob"), predict(two, law_new, type = "prob"), tolerance = 1e-8
  )
})
