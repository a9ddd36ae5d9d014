# Relations and limits the informative vector machine must obey, mostly with given hyper-parameters.

given <- function(x, y, ..., seed = 1) {
  ivm(x, y, ..., standardise = FALSE, optimise = FALSE, seed = seed, verbose = FALSE)
}

law_x <- uniform_inputs(30)
law_new <- uniform_inputs(12, seed = 8)
law_y <- sin(2 * law_x[, 1]) + law_x[, 2]^2 + with_own_seed(6, rnorm(30, sd = 0.3))
law_class <- noisy_labels(law_x)

# ---- limits ----

test_that("all rows active and Gaussian noise: the exact Gaussian process", { # P11, P13
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

test_that("all rows active, standardised: the exact process of the standardised numbers", { # BS7.4
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

test_that("all rows active and refined without end: dense EP", { # P12
  y <- ifelse(law_class == "1", 1, -1)
  k <- rbf(law_x, law_x, 2, 1)
  for (mean in c(0, -0.5)) {
    exact <- dense_ep(k, y, rbf(law_x, law_new, 2, 1), rep(2, 12), mean)
    fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 30, refine = 100,
      prior_mean = mean
    )
    link <- predict(fit, law_new, type = "link", se.fit = TRUE)
    expect_lt(max(abs(link$fit - exact$mean)), 1e-6)
    expect_lt(max(abs(link$se.fit^2 - exact$variance)), 1e-6)
    expect_lt(max(abs(predict(fit, law_new, type = "prob")[, "1"] - exact$prob)), 1e-6)
  }
})

test_that("refinement passes approach their limit", {
  probability <- function(refine) {
    fit <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 10, refine = refine)
    predict(fit, law_new, type = "prob")[, "1"]
  }
  limit <- probability(100)
  distance <- vapply(c(1, 3, 6, 12), function(r) max(abs(probability(r) - limit)), 0)
  expect_true(all(diff(distance) < 0))
  expect_lt(distance[2], 0.02)
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

test_that("Gaussian noise needs one refining pass", { # P13
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

test_that("noise without end leaves the prior", { # P16, BS7.1
  fit <- given(law_x, law_y, likelihood = lik_gaussian(1e12), kernel = kernel_rbf(3, 1))
  link <- predict(fit, law_new, type = "link", se.fit = TRUE)
  expect_lt(max(abs(link$fit)), 1e-9)
  expect_equal(link$se.fit^2, rep(3, 12), tolerance = 1e-9)
  fit <- given(law_x, law_class, likelihood = lik_probit(1e12), prior_mean = 0)
  expect_equal(unname(predict(fit, law_new, type = "prob")), matrix(0.5, 12, 2), tolerance = 1e-5)
})

test_that("far from the data a class has the probability of the prior mean", { # P16
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

test_that("the first site matches the moments of the exact posterior", { # P17
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

test_that("exchanging the labels exchanges the probabilities", { # P05
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

test_that("renaming and reordering classes permutes the columns", { # P05
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
  odds <- alone / (1 - alone)
  expect_equal(predict(all, toy$new, type = "prob"), odds / rowSums(odds), tolerance = 1e-9)
})

test_that("inputs and lengthscales may change their unit", { # P04
  for (y in list(law_y, law_class)) {
    one <- given(law_x, y, kernel = kernel_matern(1.5, 2, c(1, 0.5)), n_active = 12)
    unit <- matrix(c(10, 0.25), 30, 2, byrow = TRUE)
    two <- given(law_x * unit, y, kernel = kernel_matern(1.5, 2, c(10, 0.125)), n_active = 12)
    expect_identical(active_set(one), active_set(two))
    expect_same_predictions(
      all_predictions(one, law_new), all_predictions(two, law_new * unit[1:12, ])
    )
  }
})

test_that("standardised fits do not see an affine change of inputs or response", { # P04, P06
  move <- function(x) sweep(sweep(x, 2, c(-3, 0.01), "*"), 2, c(1e4, -5), "+")
  for (optimise in c(FALSE, TRUE)) {
    fit <- function(x, y) {
      ivm(x, y, n_active = 12, optimise = optimise, seed = 1, verbose = FALSE,
        control = control_ivm(rounds = 2, steps = 5)
      )
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

test_that("an isotropic stationary kernel does not see rotations and shifts", { # P07, P08
  turn <- matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2)
  move <- function(x) sweep(x %*% turn, 2, c(4, -9), "+") |> named(c("a", "b"))
  one <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 15)
  two <- given(move(law_x), law_class, kernel = kernel_rbf(2, 1), n_active = 15)
  expect_same_predictions(all_predictions(two, move(law_new)), all_predictions(one, law_new))
})

test_that("the order of the columns does not matter", { # P02
  one <- given(law_x, law_class, kernel = kernel_rbf(2, c(1, 3)), n_active = 15)
  two <- given(law_x[, 2:1], law_class, kernel = kernel_rbf(2, c(3, 1)), n_active = 15)
  expect_same_predictions(all_predictions(two, law_new), all_predictions(one, law_new))
})

test_that("a deterministic search does not depend on the order of the rows", { # P01
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

test_that("a constant column changes nothing", { # P09
  with_constant <- function(x) cbind(x, c = 4)
  for (standardise in c(TRUE, FALSE)) {
    settings <- list(kernel = kernel_rbf(2, 1), n_active = 12, optimise = FALSE, seed = 1,
      standardise = standardise
    )
    one <- do.call(ivm, c(list(law_x, law_class), settings))
    two <- do.call(ivm, c(list(with_constant(law_x), law_class), settings))
    expect_identical(active_set(one), active_set(two))
    expect_same_predictions(
      all_predictions(two, with_constant(law_new)), all_predictions(one, law_new)
    )
  }
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

test_that("rounding of the data stays rounding of the answer", { # G5.9a
  one <- given(law_x, law_class, kernel = kernel_rbf(2, 1), n_active = 15)
  two <- given(law_x * (1 + 1e-15), law_class, kernel = kernel_rbf(2, 1), n_active = 15)
  expect_lt(max(abs(predict(one, law_new, type = "prob") - predict(two, law_new, type = "prob"))),
    1e-6
  )
})

test_that("more observations never widen a Gaussian posterior", { # P25
  variance <- function(rows) {
    fit <- given(law_x[rows, ], law_y[rows], kernel = kernel_rbf(2, 1),
      likelihood = lik_gaussian(0.1)
    )
    predict(fit, law_new, type = "link", se.fit = TRUE)$se.fit^2
  }
  expect_true(all(variance(1:30) <= variance(1:20) + 1e-12))
  expect_true(all(variance(1:20) <= variance(1:10) + 1e-12))
})

test_that("another positive neighbour raises the probability there", { # P26
  for (i in 1:3) {
    at <- law_new[i, , drop = FALSE]
    before <- given(law_x, law_class, kernel = kernel_rbf(2, 1), prior_mean = 0)
    after <- given(rbind(law_x, at), factor(c(as.character(law_class), "1"), levels = c(-1, 1)),
      kernel = kernel_rbf(2, 1), prior_mean = 0
    )
    expect_gt(predict(after, at, type = "prob")[, "1"], predict(before, at, type = "prob")[, "1"])
  }
})

# ---- choosing rows ----

test_that("the active set is the dense machine's for every criterion, noise and prior mean", {
  k <- rbf(law_x, law_x, 2, 1) + 0.5
  kernel <- kernel_rbf(2, 1) + kernel_constant(0.5)
  y <- ifelse(law_class == "1", 1, -1)
  for (criterion in c("entropy", "infogain")) for (mean in c(0.4, -1)) {
    dense <- dense_ivm(k, y, 20, probit_site(mean), criterion)
    fit <- given(law_x, law_class,
      kernel = kernel, n_active = 20, criterion = criterion, refine = 0,
      prior_mean = mean, control = control_ivm(n_random = 0, n_full = Inf)
    )
    expect_identical(active_set(fit), dense$active)
    expect_equal(sites(fit)$precision, dense$precision, tolerance = 1e-8)
    expect_equal(sites(fit)$mean, dense$mean, tolerance = 1e-8)
    expect_equal(evidence(fit)$value, dense$evidence, tolerance = 1e-8)
  }
})

test_that("with Gaussian noise the entropy ignores the response, the gain does not", {
  control <- control_ivm(n_random = 0, n_full = Inf)
  set <- function(y, criterion) {
    active_set(given(law_x, y, kernel = kernel_rbf(2, 1) + kernel_linear(0.1), n_active = 12,
      likelihood = lik_gaussian(0.1), criterion = criterion, control = control
    ))
  }
  expect_identical(set(law_y, "entropy"), set(-3 * rev(law_y), "entropy"))
  expect_false(identical(set(law_y, "infogain"), set(-3 * rev(law_y), "infogain")))
})

test_that("ties go to the lowest row", {
  x <- law_x[rep(1:10, 3), ]
  y <- law_class[rep(1:10, 3)]
  fit <- given(x, y, n_active = 10, control = control_ivm(n_random = 0, n_full = Inf),
    prior_mean = 0
  )
  expect_identical(active_set(fit)[1], 1L)
  expect_true(all(active_set(fit)[1:5] <= 10))
})

test_that("the edges of the search's settings work", {
  controls <- list(
    control_ivm(n_random = 0, n_full = 0), control_ivm(n_random = 30, n_full = 0),
    control_ivm(n_random = 1e9, n_full = 1e9, pool = 1e9), control_ivm(n_full = 0, pool = 1),
    control_ivm(n_full = 0, pool = 2, retain = 0), control_ivm(n_full = 0, pool = 5, retain = 1),
    control_ivm(n_random = 3, n_full = 4, pool = 6, retain = 0.4)
  )
  for (control in controls) for (n_active in c(1, 17, 30)) {
    for (criterion in c("infogain", "random")) for (y in list(law_y, law_class)) {
      fit <- given(law_x, y, kernel = kernel_rbf(1, 1), n_active = n_active, control = control,
        criterion = criterion
      )
      expect_length(unique(active_set(fit)), n_active)
      expect_true(all(active_set(fit) %in% 1:30))
      expect_true(all(is.finite(predict(fit, law_new, type = "link"))))
    }
  }
})

test_that("whatever the order of inclusion, all rows with Gaussian noise give one posterior", {
  posterior <- function(control, seed) {
    fit <- given(law_x, law_y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.1),
      refine = 0, control = control, seed = seed
    )
    all_predictions(fit, law_new)
  }
  one <- posterior(control_ivm(n_random = 0, n_full = Inf), 1)
  expect_equal(posterior(control_ivm(n_full = 0, pool = 3), 2), one, tolerance = 1e-8)
  expect_equal(posterior(control_ivm(n_full = 5, pool = 8, retain = 0.3), 3), one, tolerance = 1e-8)
})

test_that("an informed choice of rows beats chance", {
  x <- uniform_inputs(400)
  y <- noisy_labels(x, flip = 0)
  new <- uniform_inputs(400, seed = 31)
  truth <- noisy_labels(new, flip = 0)
  error <- function(criterion) {
    mean(vapply(1:5, function(seed) {
      fit <- given(x, y, kernel = kernel_rbf(10, 1), n_active = 25, criterion = criterion,
        refine = 0, seed = seed
      )
      mean(predict(fit, new) != truth)
    }, 0))
  }
  expect_lt(error("entropy"), error("random"))
  expect_lt(error("infogain"), error("random"))
})

# ---- evidence and its gradient ----

test_that("the evidence is that of the sites, summed over classes", {
  toy <- toy_data("multiclass")
  x <- as.matrix(toy$x)
  kernel <- kernel_rbf(2, c(1, 10))
  fit <- given(x, toy$y, kernel = kernel, n_active = 12)
  each <- vapply(split(sites(fit), sites(fit)$class), function(s) {
    log_normal_density(s$mean, kernel_matrix(kernel, x[s$row, ]) + diag(1 / s$precision))
  }, 0)
  expect_equal(evidence(fit)$value, sum(each), tolerance = 1e-8)
  expect_identical(evidence(fit)$kind, "active set")
})

# The kernel that a call makes with hyper-parameters `theta` (log scale) in place of its own.
rebuilt <- function(maker, theta) do.call(maker, unname(as.list(exp(theta))))

gradient_cases <- list(
  "rbf" = function(v, l) kernel_rbf(v, l),
  "rbf, ARD" = function(v, l, m) kernel_rbf(v, c(l, m)),
  "matern 1/2" = function(v, l) kernel_matern(0.5, v, l),
  "matern 3/2, ARD" = function(v, l, m) kernel_matern(1.5, v, c(l, m)),
  "matern 5/2" = function(v, l) kernel_matern(2.5, v, l),
  "rational quadratic" = function(v, l, a) kernel_rational_quadratic(v, l, a),
  "linear" = function(v, w) kernel_linear(v) + kernel_white(w),
  "polynomial" = function(v, o, s, w) kernel_polynomial(2, v, o, s) + kernel_white(w),
  "periodic" = function(v, l, p) kernel_periodic(v, l, p),
  "sum" = function(v, l, c, w) kernel_rbf(v, l) + kernel_constant(c) + kernel_white(w),
  "product" = function(v, l, c, p, q) kernel_rbf(v, l) * kernel_periodic(c, p, q),
  "on columns" = function(v, l, w, m) {
    kernel_on(kernel_rbf(v, l), 1) + kernel_on(kernel_matern(1.5, w, m), "b")
  }
)

for (name in names(gradient_cases)) {
  test_that(paste("the evidence's gradient is that of differences:", name), {
    maker <- gradient_cases[[name]]
    for (draw in 1:3) {
      theta <- with_own_seed(draw, rnorm(length(formals(maker)), 0, 0.4))
      fit <- given(law_x, law_class, kernel = rebuilt(maker, theta), n_active = 15)
      s <- sites(fit)
      value <- function(theta) {
        k <- kernel_matrix(rebuilt(maker, theta), law_x[s$row, ])
        log_normal_density(s$mean, k + diag(1 / s$precision))
      }
      found <- evidence(fit, gradient = TRUE)
      expect_equal(found$value, value(theta), tolerance = 1e-8)
      differences <- central_gradient(value, theta)
      expect_length(found$gradient, length(theta))
      expect_lt(
        max(abs(found$gradient - differences)) / max(1, abs(differences)), 1e-6
      )
    }
  })
}

test_that("Gaussian noise takes part in the gradient, fixed values do not", {
  for (standardise in c(FALSE, TRUE)) {
    fit <- ivm(law_x, law_y, kernel_rbf(2, fixed(0.8)), lik_gaussian(0.2),
      n_active = 15,
      optimise = FALSE, standardise = standardise, seed = 1
    )
    s <- sites(fit)
    x <- if (standardise) scale(law_x)[s$row, ] else law_x[s$row, ]
    value <- function(theta) {
      k <- kernel_matrix(kernel_rbf(exp(theta[1]), 0.8), x)
      log_normal_density(s$mean, k + diag(exp(theta[2]), 15))
    }
    gradient <- evidence(fit, gradient = TRUE)$gradient
    expect_named(gradient, c("variance", "likelihood.variance"))
    expect_lt(max(abs(gradient - central_gradient(value, log(c(2, 0.2))))), 1e-6)
  }
})

# ---- learning ----

test_that("optimise = FALSE keeps kernel and likelihood exactly", {
  kernel <- kernel_rbf(1 / 3, c(0.7, 1.1)) * kernel_constant(pi) + kernel_white(0.01)
  fit <- ivm(law_x, law_y, kernel, lik_gaussian(0.123), optimise = FALSE, n_active = 10)
  expect_identical(kernel_of(fit), kernel)
  expect_identical(likelihood_of(fit), lik_gaussian(0.123))
})

test_that("what is fixed stays, what is not moves", {
  kernel <- kernel_rbf(fixed(1 / 3), 3) + kernel_constant(fixed(0.1))
  fit <- ivm(law_x, law_y, kernel, lik_gaussian(fixed(0.123)), n_active = 20, seed = 1)
  expect_identical(likelihood_of(fit)$values$variance, 0.123)
  found <- coef(fit)
  expect_gt(abs(found[["rbf.lengthscale"]] - 3), 0.1)
  kept <- kernel_rbf(fixed(1 / 3), found[["rbf.lengthscale"]]) + kernel_constant(fixed(0.1))
  expect_equal(kernel_of(fit), kept, tolerance = 1e-14)
  expect_identical(
    kernel_matrix(kernel_of(fit), matrix(0)), kernel_matrix(kernel, matrix(0))
  )
  nothing <- ivm(law_x, law_class, kernel_rbf(fixed(2), fixed(0.7)), n_active = 10, seed = 1)
  kept <- ivm(law_x, law_class, kernel_rbf(fixed(2), fixed(0.7)), n_active = 10, seed = 1,
    optimise = FALSE
  )
  expect_identical(all_predictions(nothing, law_new), all_predictions(kept, law_new))
  expect_identical(attr(logLik(nothing), "df"), 0L)
})

test_that("learning raises the evidence of numbers", {
  for (refine in c(0, 3)) {
    start <- ivm(law_x, law_y, kernel_rbf(0.1, 5), optimise = FALSE, refine = refine, seed = 1)
    learned <- ivm(law_x, law_y, kernel_rbf(0.1, 5), refine = refine, seed = 1)
    expect_gt(evidence(learned)$value, evidence(start)$value)
  }
})

test_that("learning lowers the loss on new rows of classes", {
  x <- uniform_inputs(200)
  y <- noisy_labels(x, flip = 0.05)
  new <- uniform_inputs(400, seed = 21)
  truth <- noisy_labels(new, flip = 0.05, seed = 22)
  loss <- function(...) {
    p <- predict(ivm(x, y, kernel_rbf(0.1, 5), n_active = 50, seed = 1, ...), new, type = "prob")
    -mean(log(p[cbind(1:400, as.integer(truth))]))
  }
  expect_lt(loss(), loss(optimise = FALSE) - 0.1)
})

test_that("all rows active, Gaussian noise: learning ends where the gradient vanishes", {
  for (refine in c(0, 3)) {
    fit <- ivm(law_x, law_y, kernel_rbf(1, 1), lik_gaussian(0.1),
      seed = 1, refine = refine, control = control_ivm(rounds = 5, steps = 100)
    )
    expect_lt(max(abs(evidence(fit, gradient = TRUE)$gradient)), 1e-2)
  }
})

test_that("ARD tells the inputs that matter from those that do not", {
  x <- uniform_inputs(300, 4)
  for (y in list(sin(2 * x[, 1]) + x[, 2], factor(sin(2 * x[, 1]) + x[, 2] > 0))) {
    fit <- ivm(x, y, kernel_rbf(1, rep(1, 4)), n_active = 60, seed = 1)
    lengthscale <- coef(fit)[paste0("lengthscale.", letters[1:4])]
    expect_gt(min(lengthscale[c("lengthscale.c", "lengthscale.d")]), 3 * max(lengthscale[1:2]))
  }
})

test_that("hyper-parameters of simulated data are found again", { # G5.6, BS7.0
  x <- matrix(seq(-10, 10, length.out = 300))
  ratios <- vapply(1:3, function(seed) {
    f <- with_own_seed(seed, drop(t(chol(rbf(x, x, 2, 0.8) + diag(1e-8, 300))) %*% rnorm(300)))
    y <- f + with_own_seed(seed + 100, rnorm(300, sd = 0.3))
    fit <- ivm(x, y, standardise = FALSE, n_active = 100, seed = 1)
    coef(fit)[c("lengthscale", "likelihood.variance")] / c(0.8, 0.09)
  }, numeric(2))
  expect_true(all(ratios > 1 / 1.5 & ratios < 1.5))
})
