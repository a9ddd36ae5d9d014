# Other likelihoods than Gaussian noise by conjugate gradients. In one leaf the preconditioner is
# the model, so that all answers are those of the n x n matrices; in several leaves the weights
# still solve the mean-field equations.

rows_of_sites <- function(n, seed = 1) {
  x <- uniform_inputs(n, 3, seed = seed)
  f <- 2 * sin(3 * x[, 1]) + x[, 2]^2
  with_own_seed(seed, data.frame(x,
    class = factor(f + rnorm(n) > 1), count = rpois(n, exp(f / 2)),
    clumped = rnbinom(n, mu = exp(f / 2), size = 2)
  ))
}

solved <- function(formula, data, ..., solver = "iterative", tol = 1e-8,
                   kernel = kernel_matern(1.5, lengthscale = 0.5) + kernel_linear()) {
  meanfield_gp(formula, data, kernel, ..., optimise = FALSE, seed = 1, verbose = FALSE,
    control = by_solver(solver, tol = tol)
  )
}

few <- rows_of_sites(300)
many <- rows_of_sites(1500) # two leaves
new <- rows_of_sites(40, seed = 2)
by_place <- function(response) reformulate(names(few)[1:3], response)

test_that("in one leaf both solvers give one fit, whatever the likelihood", {
  w <- rep_len(c(1, 2.5, 0.5), 300)
  cases <- list(
    probit = list(by_place("class"), few),
    logit = list(by_place("class"), few, likelihood = lik_logit()),
    poisson = list(by_place("count"), few, likelihood = lik_poisson()),
    clumped = list(by_place("clumped"), few, likelihood = lik_negative_binomial()),
    trials = list(update(by_place("count"), cbind(., 30 - pmin(., 29)) ~ .), few,
      likelihood = lik_binomial()
    ),
    prior = list(by_place("class"), few, prior_mean = 0.7),
    weights = list(by_place("class"), few, weights = w),
    offset = list(by_place("count"), few, likelihood = lik_poisson(), offset = w / 2),
    equal = list(by_place("class"), rbind(few, few[1:50, ]))
  )
  for (name in names(cases)) {
    found <- do.call(solved, cases[[name]])
    exact <- do.call(solved, c(cases[[name]], solver = "cholesky"))
    expect_one_fit(found, exact, new, name, c(answer = 1e-5, site = 1e-4, loo = 1e-4),
      offset = if (name == "offset") rep(0.1, nrow(new))
    )
    expect_gt(found$state$rounds, 0)
  }
})

test_that("in several leaves weights solve the equations, and moments are near the factor's", {
  for (response in c("class", "count")) {
    likelihood <- if (response == "count") lik_poisson()
    found <- solved(by_place(response), many, likelihood = likelihood)
    exact <- solved(by_place(response), many, likelihood = likelihood, solver = "cholesky")
    # Sites and weights: alpha = (z - K alpha) T, with K alpha the mean at the rows.
    site <- sites(found)
    mean <- predict(found, many, type = "link") - found$posteriors[[1]]$prior_mean
    weights <- numeric(nrow(many))
    weights[found$posteriors[[1]]$basis] <- found$posteriors[[1]]$weights
    expect_equal(weights[site$row], (site$mean - mean[site$row]) * site$precision,
      tolerance = 1e-5
    )
    link <- lapply(list(found, exact), predict, new, type = "link", se.fit = TRUE)
    spread <- sd(link[[2]]$fit)
    expect_lt(max(abs(link[[1]]$fit - link[[2]]$fit)), 0.02 * spread)
    expect_equal(mean(link[[1]]$se.fit / link[[2]]$se.fit), 1, tolerance = 0.05)
    error <- summary(found)$evidence_error
    expect_lt(abs(evidence(found)$value - evidence(exact)$value), 5 * error + 2)
    expect_lt(abs(mean(loo(found)) - mean(loo(exact))), 0.01)
  }
})

test_that("a fit of sites by conjugate gradients says what it is and answers what fits answer", {
  fit <- solved(by_place("class"), many)
  expect_identical(evidence(fit)$kind, "ep, estimated")
  expect_output(print(fit), "conjugate gradients")
  expect_named(fit$state,
    c("corrected_evidence", "rounds", "steps", "residual", "evidence_error")
  )
  expect_identical(solved(by_place("class"), many, threads = 2)$posteriors, fit$posteriors)
  expect_identical(update(fit, data = many)$posteriors, fit$posteriors)
  p <- predict(fit, new, type = "prob")
  expect_true(all(p >= 0 & p <= 1))
  expect_equal(fitted(fit), unname(predict(fit, many, type = "prob")[, 2]),
    tolerance = 1e-6
  )
  expect_identical(dim(simulate(fit, 2, seed = 1, newdata = new)), c(40L, 2L))
  expect_error(evidence(fit, gradient = TRUE), class = "gpsieve_error_unsupported")
})

test_that("rows that say nothing, and too few rounds", {
  # Counts of zero far below the others: sites of almost no precision.
  empty <- transform(few, count = 0)
  found <- solved(by_place("count"), empty, likelihood = lik_poisson(), prior_mean = -8)
  exact <- solved(by_place("count"), empty, likelihood = lik_poisson(), prior_mean = -8,
    solver = "cholesky"
  )
  expect_equal(predict(found, new, type = "link"), predict(exact, new, type = "link"),
    tolerance = 1e-4
  )
  # A row at the origin has no prior variance.
  origin <- few
  origin[3, 1:3] <- 0
  line <- function(solver) {
    predict(type = "link", newdata = new, object = meanfield_gp(by_place("class"), origin,
      kernel_linear(), optimise = FALSE, standardise = FALSE, seed = 1, verbose = FALSE,
      control = by_solver(solver, tol = 1e-8)
    ))
  }
  expect_equal(line("iterative"), line("cholesky"), tolerance = 1e-4)
  expect_warning(
    meanfield_gp(by_place("class"), many, kernel_rbf(4, 0.3), optimise = FALSE, seed = 1,
      verbose = FALSE, control = by_solver("iterative", tol = 1e-10, max_iter = 1)
    ),
    "sites", class = "gpsieve_warning_convergence"
  )
})
