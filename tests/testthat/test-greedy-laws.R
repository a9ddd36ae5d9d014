# What must hold of the sparse greedy Gaussian process whatever the data.

quietly <- function(...) greedy_gp(..., optimise = FALSE, standardise = FALSE, verbose = FALSE)

toy_problem <- function(seed, n = 40, p = 2) {
  x <- uniform_inputs(n, p, seed)
  noise <- with_own_seed(seed + 100, rnorm(n))
  f <- sin(2 * x[, 1]) + x[, p]
  list(
    x = x, y = f + 0.3 * noise, class = factor(f + noise > 0),
    count = with_own_seed(seed + 200, rpois(n, exp(f)))
  )
}

# A random kernel with noise to go with it.
random_model <- function(seed) {
  with_own_seed(seed, list(
    variance = exp(runif(1, -1, 2)), lengthscale = exp(runif(1, -1.5, 1.5)),
    noise = exp(runif(1, -4, 1)), n = sample(3:25, 1)
  ))
}

# Laplace's approximation on the full kernel matrix: mode, minimum of the negative log posterior,
# log evidence, moments at new rows. c1 and c2 are derivatives of the negative log likelihood.
dense_laplace <- function(k, likelihood, k_new, k_diag) {
  f <- numeric(nrow(k))
  for (step in 1:100) {
    at <- likelihood(f)
    w <- at$c2
    b <- diag(nrow(k)) + k * outer(sqrt(w), sqrt(w))
    target <- w * f - at$c1
    a <- target - sqrt(w) * solve(b, sqrt(w) * drop(k %*% target))
    f <- drop(k %*% a)
  }
  at <- likelihood(f)
  w <- at$c2
  b <- diag(nrow(k)) + k * outer(sqrt(w), sqrt(w))
  minimum <- sum(at$c) + sum(a * f) / 2
  list(
    minimum = minimum, evidence = -minimum - sum(log(diag(chol(b)))),
    mean = drop(crossprod(k_new, a)),
    variance = k_diag - colSums((sqrt(w) * k_new) * solve(b, sqrt(w) * k_new))
  )
}

losses <- list(
  logit = function(y) function(f) {
    p <- plogis(-y * f)
    list(c = -plogis(y * f, log.p = TRUE), c1 = -y * p, c2 = p * (1 - p))
  },
  probit = function(y) function(f) {
    r <- exp(dnorm(y * f, log = TRUE) - pnorm(y * f, log.p = TRUE))
    list(c = -pnorm(y * f, log.p = TRUE), c1 = -y * r, c2 = r * (r + y * f))
  },
  poisson = function(y) function(f) {
    list(c = exp(f) - y * f + lgamma(y + 1), c1 = exp(f) - y, c2 = exp(f))
  }
)

makers <- list(logit = lik_logit(), probit = lik_probit(), poisson = lik_poisson())

response_for <- function(problem, name) if (name == "poisson") problem$count else problem$class

loss_of <- function(problem, name) {
  y <- if (name == "poisson") problem$count else ifelse(problem$class == "TRUE", 1, -1)
  losses[[name]](y)
}

# ---- nothing left out: the dense model ----

test_that("with every function it is the exact Gaussian process", {
  for (seed in 1:5) {
    problem <- toy_problem(seed)
    new <- uniform_inputs(15, 2, seed + 50)
    for (white in c(0, 0.2)) {
      k <- rbf(problem$x, lengthscale = 0.8) + diag(white, 40)
      kernel <- kernel_rbf(1, 0.8)
      if (white > 0) kernel <- kernel + kernel_white(white)
      exact <- dense_gp(k, problem$y, 0.1, rbf(problem$x, new, lengthscale = 0.8), 1 + white)
      for (variance in c("dtc", "upper")) {
        fit <- quietly(problem$x, problem$y, kernel, lik_gaussian(0.1),
          n_basis = 40, candidates = Inf, variance = variance
        )
        link <- predict(fit, new, type = "link", se.fit = TRUE)
        expect_equal(link$fit, exact$mean, tolerance = 1e-7)
        expect_equal(link$se.fit^2, exact$variance, tolerance = 1e-7)
        expect_equal(evidence(fit)$value, exact$evidence, tolerance = 1e-7)
        bound <- certificate(fit)
        expect_lt(bound$gap, 1e-7 * sum(problem$y^2))
        q_min <- -sum(problem$y * (k %*% solve(k + diag(0.1, 40), problem$y))) / 2
        expect_equal(bound$upper, q_min, tolerance = 1e-7)
      }
    }
  }
})

test_that("with every function it is the dense Laplace approximation", {
  for (seed in 1:3) for (name in names(makers)) {
    problem <- toy_problem(seed)
    new <- uniform_inputs(15, 2, seed + 50)
    k <- rbf(problem$x, variance = 2, lengthscale = 0.8)
    dense <- dense_laplace(k, loss_of(problem, name),
      rbf(problem$x, new, variance = 2, lengthscale = 0.8), 2
    )
    for (rule in c("gain", "pivot", "random")) {
      fit <- quietly(problem$x, response_for(problem, name), kernel_rbf(2, 0.8), makers[[name]],
        n_basis = 40, rule = rule, seed = 1
      )
      link <- predict(fit, new, type = "link", se.fit = TRUE)
      expect_equal(link$fit, dense$mean, tolerance = 1e-7)
      expect_equal(link$se.fit^2, dense$variance, tolerance = 1e-7)
      expect_equal(evidence(fit)$value, dense$evidence, tolerance = 1e-7)
      expect_equal(certificate(fit)$upper, dense$minimum, tolerance = 1e-9)
      expect_lt(certificate(fit)$gap, 1e-7)
    }
  }
})

# ---- bounds ----

test_that("bounds bound, on 100 random regression problems", {
  for (seed in 1:100) {
    problem <- toy_problem(seed)
    model <- random_model(seed)
    kernel <- kernel_rbf(model$variance, model$lengthscale)
    k <- rbf(problem$x, variance = model$variance, lengthscale = model$lengthscale)
    half <- sum(problem$y^2) / 2
    q_min <- -sum(problem$y * (k %*% solve(k + diag(model$noise, 40), problem$y))) / 2
    # Sparse dual alone, dense dual alone at the end, dense dual all along, a small dual pool.
    fits <- list(
      sparse = quietly(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = 7, control = control_greedy(certify_rows = 0)
      ),
      dense = quietly(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = 7
      ),
      pool = quietly(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = Inf
      ),
      part = quietly(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, control = control_greedy(certify_rows = 0, dual_rows = 10)
      )
    )
    for (fit in fits) {
      bound <- certificate(fit)
      trace <- fit_trace(fit)
      expect_gte(min(bound$upper - q_min), -1e-9 * half)
      expect_gte(min(q_min - bound$lower), -1e-9 * half)
      expect_true(all(diff(trace$objective) <= 0))
      expect_gte(min(trace$gap), -1e-12 * half)
      expect_gte(min(q_min - trace$lower), -1e-9 * half)
      expect_true(all(diff(trace$lower) >= -1e-12 * half))
    }
    expect_lte(certificate(fits$dense)$gap, certificate(fits$sparse)$gap)

    new <- uniform_inputs(5, 2, seed + 50)
    k_new <- rbf(problem$x, new, variance = model$variance, lengthscale = model$lengthscale)
    exact <- dense_gp(k, problem$y, model$noise, k_new, model$variance)$variance
    upper <- quietly(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
      n_basis = model$n, variance = "upper"
    )
    guaranteed <- predict(upper, new, type = "link", se.fit = TRUE)$se.fit^2
    expect_gte(min(guaranteed - exact), -1e-8)
    for (stop in c("variance", "explained")) {
      bars <- variance_bounds(upper, new, problem$x, max_basis = 10, stop = stop)
      expect_gte(min(exact - bars$lower, bars$upper - exact), -1e-8)
    }
  }
})

test_that("bounds bound, on 100 random problems of other likelihoods", {
  for (seed in 1:100) {
    problem <- toy_problem(seed)
    model <- random_model(seed)
    name <- names(makers)[seed %% 3 + 1]
    k <- rbf(problem$x, variance = model$variance, lengthscale = model$lengthscale)
    fit_with <- function(...) {
      quietly(problem$x, response_for(problem, name),
        kernel_rbf(model$variance, model$lengthscale), makers[[name]], n_basis = model$n,
        seed = seed, control = control_greedy(...)
      )
    }
    least <- certificate(quietly(problem$x, response_for(problem, name),
      kernel_rbf(model$variance, model$lengthscale), makers[[name]], n_basis = 40, seed = seed
    ))$lower
    bounds <- lapply(
      list(
        exact = fit_with(bound = "exact"), block = fit_with(bound = "block", block_size = 8),
        one = fit_with(bound = "block", block_size = 1), cheap = fit_with(bound = "cheap")
      ),
      certificate
    )
    lower <- vapply(bounds, `[[`, 0, "lower")
    tolerance <- 1e-8 * max(1, abs(lower))
    expect_lte(max(lower), least + 1e-7)
    expect_gte(bounds$exact$upper, least - 1e-7)
    # From tight to loose; blocks of one row are the cheap form.
    expect_lte(lower[["block"]], lower[["exact"]] + tolerance)
    expect_lte(lower[["cheap"]], lower[["block"]] + tolerance)
    expect_lt(abs(lower[["one"]] - lower[["cheap"]]), 1e-6 * bounds$cheap$upper + 1e-5)
  }
})

test_that("a fit without a size stops when its gap is below tol, whichever rule is meant", {
  problem <- toy_problem(3, n = 200)
  settings <- list(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), seed = 1)
  for (tol in c(0.3, 0.03)) for (candidates in list(7, Inf)) {
    fit <- do.call(quietly, c(settings, list(tol = tol, candidates = candidates)))
    bound <- certificate(fit)
    expect_lt(bound$relative_gap, tol)
    # One function less was not enough, as far as was known.
    trace <- fit_trace(fit)
    before <- trace[nrow(trace) - 1, ]
    expect_gte(before$gap, tol * (before$lower + sum(problem$y^2) / 2) * (1 - 1e-12))
  }
  raw <- quietly(problem$x, problem$y + 20, kernel_rbf(1, 0.8), lik_gaussian(0.1), tol = 0.1,
    seed = 1, control = control_greedy(stop = "slides", certify_rows = 0)
  )
  expect_lt(certificate(raw)$slides_gap, 0.1)
  expect_warning(
    short <- do.call(quietly, c(settings, list(control = control_greedy(max_basis = 3)))),
    class = "gpsieve_warning_convergence"
  )
  expect_false(short$converged)
  expect_length(active_set(short), 3)
})

# ---- gradients ----

test_that("the gradient of the evidence agrees with differences", {
  problem <- toy_problem(4)
  cases <- list(
    list(problem$y, lik_gaussian(0.2), "vfe"), list(problem$y, lik_gaussian(0.2), "dtc"),
    list(problem$class, lik_logit(), "vfe"), list(problem$class, lik_probit(), "vfe"),
    list(problem$count, lik_poisson(), "vfe"), list(problem$y, lik_student(4, 0.4), "vfe")
  )
  kernels <- list(
    kernel_rbf(1.5, c(0.8, 1.3)), kernel_matern(2.5, 1.2, 0.9) + kernel_white(0.1),
    kernel_polynomial(2, 0.7)
  )
  for (case in cases) for (kernel in kernels) {
    rows <- as.list(c(3, 17, 29, 8, 33))
    fit_at <- function(kernel, likelihood, ...) {
      quietly(problem$x, case[[1]], kernel, likelihood, n_basis = 5, candidates = rows,
        control = control_greedy(evidence = case[[3]], grow = 0)
      )
    }
    fit <- fit_at(kernel, case[[2]])
    expect_identical(active_set(fit), as.integer(unlist(rows)))
    theta <- log(coef(fit))
    free <- names(evidence(fit, gradient = TRUE)$gradient)
    differences <- central_gradient(function(part) {
      at <- gpsieve:::set_theta(kernel_of(fit), likelihood_of(fit), replace(theta, free, part))
      evidence(fit_at(at$kernel, at$likelihood))$value
    }, theta[free], step = 1e-5)
    found <- evidence(fit, gradient = TRUE)$gradient
    expect_lt(max(abs(found - differences)) / max(1, abs(differences)), 1e-6)
  }
})

# ---- selection ----

test_that("all rows compete alike through the pool and through a list", {
  problem <- toy_problem(5, n = 80)
  for (stored in c(512, 0)) {
    pool <- quietly(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 30,
      candidates = Inf, control = control_greedy(stored_mb = stored)
    )
    listed <- quietly(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 30,
      candidates = rep(list(1:80), 30)
    )
    expect_identical(active_set(pool), active_set(listed))
    expect_equal(fit_trace(pool)$objective, fit_trace(listed)$objective, tolerance = 1e-10)
  }
})

test_that("Gaussian noise through Newton's method is regression", {
  # Poisson and others share the engine that a Gaussian likelihood would use: gains must agree.
  problem <- toy_problem(6, n = 60)
  gains <- quietly(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 12,
    candidates = Inf
  )
  heavy <- quietly(problem$x, problem$y, kernel_rbf(1, 0.8), lik_student(1e7, sqrt(0.1)),
    n_basis = 12, candidates = Inf, control = control_greedy(grow = 0)
  )
  expect_identical(active_set(gains), active_set(heavy))
  new <- uniform_inputs(10, 2, 3)
  expect_equal(predict(heavy, new), predict(gains, new), tolerance = 1e-5)
})

test_that("every rule chooses rows of its own, and more functions never fit worse", {
  problem <- toy_problem(7, n = 80)
  for (response in list(problem$y, problem$class, problem$count)) {
    likelihood <- if (is.integer(response)) lik_poisson()
    sets <- lapply(c("gain", "pivot", "random"), function(rule) {
      fit <- quietly(problem$x, response, kernel_rbf(1, 0.8), likelihood,
        n_basis = 20, rule = rule, candidates = 20, seed = 2
      )
      expect_true(all(diff(fit_trace(fit)$objective) < 1e-9))
      active_set(fit)
    })
    expect_false(identical(sets[[1]], sets[[2]]))
    expect_false(identical(sets[[1]], sets[[3]]))
  }
})

test_that("growing without starting anew ends where Newton's method does", {
  problem <- toy_problem(8, n = 100)
  for (grow in c(0, 0.5, 10)) {
    fit <- quietly(problem$x, problem$class, kernel_rbf(2, 0.8), lik_logit(), n_basis = 25,
      candidates = as.list(1:25), control = control_greedy(grow = grow)
    )
    if (grow == 0) first <- fit
    expect_identical(active_set(fit), 1:25)
    expect_equal(certificate(fit)$upper, certificate(first)$upper, tolerance = 1e-10)
    expect_equal(fit$posteriors[[1]]$up, first$posteriors[[1]]$up, tolerance = 1e-6)
  }
})

# ---- likelihoods ----

test_that("the Student-t likelihood resists outliers and has no certificate", {
  problem <- toy_problem(9, n = 80)
  spoilt <- replace(problem$y, 1:4, 30)
  fit_to <- function(likelihood) {
    quietly(problem$x, spoilt, kernel_rbf(1, 0.8), likelihood, n_basis = 30, seed = 1)
  }
  robust <- fit_to(lik_student(4, 0.3))
  error <- function(fit) sqrt(mean((predict(fit, problem$x) - problem$y)[-(1:4)]^2))
  expect_lt(error(robust), 0.5 * error(fit_to(lik_gaussian(0.1))))
  expect_identical(certificate(robust)$rule, "none")
  expect_true(all(is.na(certificate(robust)[c("lower", "gap", "relative_gap")])))
  expect_output(print(summary(robust)), "none")
})

test_that("counts are predicted on their own scale", {
  problem <- toy_problem(10, n = 150)
  fit <- greedy_gp(problem$x, problem$count, likelihood = lik_poisson(), seed = 1, verbose = FALSE)
  rate <- exp(sin(2 * problem$x[, 1]) + problem$x[, 2])
  expect_gt(cor(predict(fit, problem$x), rate), 0.9)
  # Large counts: the first Newton step from a rate of 1 overshoots, and is cut back.
  large <- quietly(problem$x, 1000 * problem$count, kernel_rbf(20, 0.8), lik_poisson(),
    n_basis = 40, seed = 1
  )
  expect_true(all(is.finite(predict(large, problem$x))))
})

test_that("classes have a certificate each", {
  toy <- toy_data("multiclass")
  fit <- greedy_gp(y ~ a + b, toy$data, n_basis = 10, optimise = FALSE, seed = 1, verbose = FALSE)
  bound <- certificate(fit)
  expect_identical(bound$class, factor(levels(toy$y), levels = levels(toy$y)))
  expect_true(all(bound$gap > 0))
  expect_output(print(summary(fit)), "Bounds on the objective")
})

test_that("the certificate belongs to greedy fits, and may be left out", {
  problem <- toy_problem(11)
  fit <- quietly(problem$x, problem$y, n_basis = 5, certify = FALSE, seed = 1)
  expect_identical(certificate(fit)$rule, "none")
  expect_error(certificate(ivm(problem$x, problem$y, n_active = 5, seed = 1, optimise = FALSE)),
    class = "gpsieve_error_unsupported"
  )
})

test_that("error bars for single points shrink to the exact variance", {
  problem <- toy_problem(12)
  fit <- quietly(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 5, seed = 1)
  new <- uniform_inputs(6, 2, 9)
  exact <- dense_gp(rbf(problem$x, lengthscale = 0.8), problem$y, 0.1,
    rbf(problem$x, new, lengthscale = 0.8), 1
  )$variance
  loose <- variance_bounds(fit, new, problem$x, tol = 0.5)
  tight <- variance_bounds(fit, new, problem$x, tol = 1e-6)
  expect_true(all(loose$size <= tight$size))
  expect_equal(tight$upper, exact, tolerance = 1e-5)
  expect_equal(tight$lower, exact, tolerance = 1e-5)
  holes <- new
  holes[2, 1] <- NA
  expect_identical(which(is.na(variance_bounds(fit, holes, problem$x)$lower)), 2L)
  # On the scale of the response, whatever was standardised.
  scaled <- greedy_gp(problem$x, 10 * problem$y, n_basis = 5, optimise = FALSE, seed = 1)
  plain <- greedy_gp(problem$x, problem$y, n_basis = 5, optimise = FALSE, seed = 1)
  expect_equal(
    variance_bounds(scaled, new, problem$x)$upper,
    100 * variance_bounds(plain, new, problem$x)$upper, tolerance = 1e-10
  )
})

# ---- running out of functions ----

test_that("a fit that runs out of functions is valid and says so", {
  same <- matrix(1, 20, 2)
  for (y in list(sin(1:20), factor(rep(c("a", "b"), 10)))) {
    for (rule in c("gain", "pivot", "random")) {
      fit <- quietly(same, y, kernel_rbf(1, 1), n_basis = 5, rule = rule, seed = 1)
      expect_length(active_set(fit), 1)
      expect_true(fit$converged)
      expect_match(fit$reason, "exhausted")
      expect_output(print(fit), "exhausted")
      expect_lt(certificate(fit)$gap, 1e-6)
    }
  }
  # No function at all: the kernel is zero.
  none <- quietly(matrix(0, 20, 2), sin(1:20), kernel_linear(), n_basis = 5, seed = 1)
  expect_length(active_set(none), 0)
  expect_identical(predict(none, matrix(0, 3, 2)), numeric(3))
  expect_match(none$reason, "exhausted")
  expect_true(is.finite(evidence(none)$value))
  classes <- quietly(matrix(0, 20, 2), gl(2, 10), kernel_linear(), n_basis = 5, seed = 1)
  expect_length(active_set(classes), 0)
  # Duplicated rows count once each.
  twice <- toy_problem(13, n = 15)
  fit <- quietly(rbind(twice$x, twice$x), c(twice$y, twice$y), kernel_rbf(1, 0.8),
    lik_gaussian(0.1), n_basis = 30, seed = 1
  )
  expect_length(active_set(fit), 15)
  once <- quietly(twice$x, twice$y, kernel_rbf(1, 0.8), lik_gaussian(0.05), n_basis = 15, seed = 1)
  expect_equal(predict(fit, twice$x), predict(once, twice$x), tolerance = 1e-7)
})

test_that("a constant response is fitted", {
  x <- uniform_inputs(30)
  fit <- greedy_gp(x, rep(3, 30), optimise = FALSE, seed = 1, verbose = FALSE)
  expect_equal(predict(fit, x), rep(3, 30), tolerance = 1e-12)
  expect_identical(certificate(fit)$gap, 0)
})

# ---- refusals ----

test_that("wrong input is refused in words", {
  x <- uniform_inputs(6)
  y <- c(1, 2, 4, 3, 5, 6)
  fit <- greedy_gp(x, y, n_basis = 3, optimise = FALSE, seed = 1)
  counts <- greedy_gp(x, y, likelihood = lik_poisson(), n_basis = 3, optimise = FALSE, seed = 1)
  expect_snapshot(error = TRUE, {
    greedy_gp(x, y, likelihood = lik_gaussian(0))
    greedy_gp(x, y, n_basis = 7)
    greedy_gp(x, y, n_basis = 0)
    greedy_gp(x, c(1, 2, -4, 3, 5, 6), likelihood = lik_poisson())
    greedy_gp(x, y, tol = 0)
    greedy_gp(x, y, tol = 1.5)
    greedy_gp(x, y, candidates = 0)
    greedy_gp(x, y, candidates = list(1:3, 7))
    greedy_gp(x, y, rule = "best")
    greedy_gp(x, y, certify = NA)
    greedy_gp(x, factor(y > 3), variance = "upper")
    greedy_gp(x, y, variance = "fitc")
    greedy_gp(x, y, control = control_ivm())
    greedy_gp(x, y, n_active = 3)
    control_greedy(stop = "soon")
    control_greedy(grow = -1)
    certificate(ivm(x, y, optimise = FALSE, seed = 1))
    variance_bounds(counts, x, x)
    variance_bounds(fit, x, x[1:3, ])
    variance_bounds(fit, x, x, tol = -1)
  })
})
