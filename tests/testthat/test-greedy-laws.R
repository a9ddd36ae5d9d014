# What must hold of the sparse greedy Gaussian process whatever the data.

test_that("with all functions the fit is the exact Gaussian process", {
  for (seed in 1:5) {
    problem <- greedy_toy_problem(seed)
    new <- uniform_inputs(15, 2, seed + 50)
    for (white in c(0, 0.2)) {
      k <- rbf(problem$x, lengthscale = 0.8) + diag(white, 40)
      kernel <- kernel_rbf(1, 0.8)
      if (white > 0) kernel <- kernel + kernel_white(white)
      exact <- dense_gp(k, problem$y, 0.1, rbf(problem$x, new, lengthscale = 0.8), 1 + white)
      for (variance in c("dtc", "upper")) {
        fit <- plain_greedy(problem$x, problem$y, kernel, lik_gaussian(0.1),
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

test_that("with all functions the fit is the dense Laplace approximation", {
  for (seed in 1:3) for (name in names(makers)) {
    problem <- greedy_toy_problem(seed)
    new <- uniform_inputs(15, 2, seed + 50)
    k <- rbf(problem$x, variance = 2, lengthscale = 0.8)
    dense <- greedy_dense_laplace(k, greedy_loss_of(problem, name),
      rbf(problem$x, new, variance = 2, lengthscale = 0.8), 2
    )
    for (rule in c("gain", "pivot", "random")) {
      fit <- plain_greedy(problem$x, greedy_response_for(problem, name), kernel_rbf(2, 0.8),
        makers[[name]], n_basis = 40, rule = rule, seed = 1
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

# Problems with kernels and noise of many sizes; with GPSIEVE_EXTENDED=true a hundred of them.
random_problems <- seq_len(if (Sys.getenv("GPSIEVE_EXTENDED") == "true") 100 else 30)

test_that("the exact minimum is between the bounds on random regression problems", {
  skip_on_cran()
  for (seed in random_problems) {
    problem <- greedy_toy_problem(seed)
    model <- greedy_random_model(seed)
    kernel <- kernel_rbf(model$variance, model$lengthscale)
    k <- rbf(problem$x, variance = model$variance, lengthscale = model$lengthscale)
    half <- sum(problem$y^2) / 2
    q_min <- -sum(problem$y * (k %*% solve(k + diag(model$noise, 40), problem$y))) / 2
    # Sparse dual alone, dense dual alone at the end, dense dual all along, a small dual pool.
    fits <- list(
      sparse = plain_greedy(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = 7, control = control_greedy(bound = "cheap")
      ),
      dense = plain_greedy(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = 7
      ),
      pool = plain_greedy(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
        n_basis = model$n, candidates = Inf
      ),
      part = with_functions(list(most_dual_rows = 10), {
        plain_greedy(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
          n_basis = model$n, control = control_greedy(bound = "cheap")
        )
      })
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
    upper <- plain_greedy(problem$x, problem$y, kernel, lik_gaussian(model$noise), seed = seed,
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

test_that("the exact minimum is between the bounds on random problems of other likelihoods", {
  for (seed in random_problems) {
    problem <- greedy_toy_problem(seed)
    model <- greedy_random_model(seed)
    name <- names(makers)[seed %% 3 + 1]
    k <- rbf(problem$x, variance = model$variance, lengthscale = model$lengthscale)
    fit_with <- function(...) {
      plain_greedy(problem$x, greedy_response_for(problem, name),
        kernel_rbf(model$variance, model$lengthscale), makers[[name]], n_basis = model$n,
        seed = seed, control = control_greedy(...)
      )
    }
    least <- certificate(plain_greedy(problem$x, greedy_response_for(problem, name),
      kernel_rbf(model$variance, model$lengthscale), makers[[name]], n_basis = 40, seed = seed
    ))$lower
    bounds <- lapply(
      list(
        exact = fit_with(bound = "exact"),
        block = with_functions(list(bound_block = 8), fit_with(bound = "block")),
        one = with_functions(list(bound_block = 1), fit_with(bound = "block")),
        cheap = fit_with(bound = "cheap")
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
  problem <- greedy_toy_problem(3, n = 200)
  settings <- list(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), seed = 1)
  for (tol in c(0.3, 0.03)) for (candidates in list(7, Inf)) {
    fit <- do.call(plain_greedy, c(settings, list(tol = tol, candidates = candidates)))
    bound <- certificate(fit)
    expect_lt(bound$relative_gap, tol)
    # One function less was not enough, as far as was known.
    trace <- fit_trace(fit)
    before <- trace[nrow(trace) - 1, ]
    expect_gte(before$gap, tol * (before$lower + sum(problem$y^2) / 2) * (1 - 1e-12))
  }
  raw <- plain_greedy(problem$x, problem$y + 20, kernel_rbf(1, 0.8), lik_gaussian(0.1), tol = 0.1,
    seed = 1, control = control_greedy(stop = "duality_gap", bound = "cheap")
  )
  expect_lt(certificate(raw)$duality_gap, 0.1)
  expect_warning(
    short <- with_functions(list(most_functions = 3), do.call(plain_greedy, settings)),
    class = "gpsieve_warning_convergence"
  )
  expect_false(short$converged)
  expect_length(active_set(short), 3)
})

# ---- gradients ----

test_that("the gradient of the evidence agrees with differences", {
  problem <- greedy_toy_problem(4)
  cases <- list(
    list(problem$y, lik_gaussian(0.2), TRUE), list(problem$y, lik_gaussian(0.2), FALSE),
    list(problem$class, lik_logit(), TRUE), list(problem$class, lik_probit(), TRUE),
    list(problem$count, lik_poisson(), TRUE), list(problem$y, lik_student(4, 0.4), TRUE)
  )
  kernels <- list(
    kernel_rbf(1.5, c(0.8, 1.3)), kernel_matern(2.5, 1.2, 0.9) + kernel_white(0.1),
    kernel_polynomial(2, 0.7)
  )
  for (case in cases) for (kernel in kernels) {
    rows <- as.list(c(3, 17, 29, 8, 33))
    fit_at <- function(kernel, likelihood, ...) {
      with_functions(list(newton_growth = 0, has_trace_term = case[[3]]), {
        plain_greedy(problem$x, case[[1]], kernel, likelihood, n_basis = 5, candidates = rows)
      })
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

test_that("the search chooses the same rows with candidates = Inf and with lists of all rows", {
  problem <- greedy_toy_problem(5, n = 80)
  for (stored in c(512e6, 0)) {
    pool <- with_functions(list(most_stored_bytes = stored), {
      plain_greedy(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 30,
        candidates = Inf
      )
    })
    listed <- plain_greedy(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1),
      n_basis = 30, candidates = rep(list(1:80), 30)
    )
    expect_identical(active_set(pool), active_set(listed))
    expect_equal(fit_trace(pool)$objective, fit_trace(listed)$objective, tolerance = 1e-10)
  }
})

test_that("Gaussian noise through Newton's method is regression", {
  # Poisson and others share the engine that a Gaussian likelihood would use: gains must agree.
  problem <- greedy_toy_problem(6, n = 60)
  gains <- plain_greedy(problem$x, problem$y, kernel_rbf(1, 0.8), lik_gaussian(0.1), n_basis = 12,
    candidates = Inf
  )
  heavy <- with_functions(list(newton_growth = 0), {
    plain_greedy(problem$x, problem$y, kernel_rbf(1, 0.8), lik_student(1e7, sqrt(0.1)),
      n_basis = 12, candidates = Inf
    )
  })
  expect_identical(active_set(gains), active_set(heavy))
  new <- uniform_inputs(10, 2, 3)
  expect_equal(predict(heavy, new), predict(gains, new), tolerance = 1e-5)
})

test_that("every rule chooses rows of its own, and more functions never fit worse", {
  problem <- greedy_toy_problem(7, n = 80)
  for (response in list(problem$y, problem$class, problem$count)) {
    likelihood <- if (is.integer(response)) lik_poisson()
    sets <- lapply(c("gain", "pivot", "random"), function(rule) {
      fit <- plain_greedy(problem$x, response, kernel_rbf(1, 0.8), likelihood,
        n_basis = 20, rule = rule, candidates = 20, seed = 2
      )
      expect_true(all(diff(fit_trace(fit)$objective) < 1e-9))
      active_set(fit)
    })
    expect_false(identical(sets[[1]], sets[[2]]))
    expect_false(identical(sets[[1]], sets[[3]]))
  }
})

test_that("growing the factor of the Hessian ends at the minimum that Newton's method finds", {
  problem <- greedy_toy_problem(8, n = 100)
  for (grow in c(0, 0.5, 10)) {
    fit <- with_functions(list(newton_growth = grow), {
      plain_greedy(problem$x, problem$class, kernel_rbf(2, 0.8), lik_logit(), n_basis = 25,
        candidates = as.list(1:25)
      )
    })
    if (grow == 0) first <- fit
    expect_identical(active_set(fit), 1:25)
    expect_equal(certificate(fit)$upper, certificate(first)$upper, tolerance = 1e-10)
    expect_equal(fit$posteriors[[1]]$up, first$posteriors[[1]]$up, tolerance = 1e-6)
  }
})

# ---- likelihoods ----

test_that("learning on fewer functions than rows does not follow the noise of classes", {
  set.seed(1)
  n <- 300
  x <- matrix(rnorm(2 * n * 30), 2 * n)
  y <- factor(rbinom(2 * n, 1, pnorm(x[, 1] / 2 - 0.8)))
  train <- seq_len(n)
  size <- list(learn_rows = 1000, learn_basis = 60)
  fit <- with_functions(list(newton_learning_size = size), {
    greedy_gp(x[train, ], y[train], seed = 1)
  })
  p <- predict(fit, x[-train, ], type = "prob")
  loss <- -mean(log(p[cbind(train, as.integer(y[-train]))]))
  shares <- table(y[train]) / n
  expect_lt(loss, -mean(log(shares[y[-train]])))
  expect_lt(nrow(inducing(fit)), n / 2)
})
