# The sparse greedy Gaussian process against dense brute force (golden/README.md).

golden_greedy <- function() {
  problems <- read_golden("greedy", simplifyDataFrame = FALSE)$problems
  stats::setNames(problems, vapply(problems, `[[`, "", "id"))
}

greedy_kernel <- function(expected) {
  kernel_rbf(expected$params$sf2, sqrt(expected$params$tw2 / 2))
}

regression_fit <- function(case, candidates = Inf, n = case$expected$params$n, ...) {
  greedy_gp(case$X, case$y,
    kernel = greedy_kernel(case$expected), likelihood = lik_gaussian(case$expected$params$noise_s2),
    n_basis = n, candidates = candidates, optimise = FALSE, standardise = FALSE, seed = 1,
    verbose = FALSE, ...
  )
}

newton_fit <- function(case, n = case$expected$params$n, ...) {
  likelihood <- switch(case$expected$params$likelihood,
    logistic = lik_logit(),
    probit = lik_probit()
  )
  greedy_gp(case$X, factor(case$y, levels = c(-1, 1)),
    kernel = greedy_kernel(case$expected), likelihood = likelihood, n_basis = n, rule = "pivot",
    optimise = FALSE, standardise = FALSE, seed = 1, verbose = FALSE, ...
  )
}

relative <- function(found, expected) max(abs(found - expected)) / max(abs(expected))
each_relative <- function(found, expected) max(abs(found / expected - 1))

test_that("every problem of the file is tested", {
  expect_setequal(names(golden_greedy()), c(
    "boston_reg", "boston_reg_candidates", "boston_errorbar", "crabs_logistic", "crabs_probit"
  ))
})

for (name in c("boston_reg", "boston_reg_candidates")) {
  candidates_of <- function(case) {
    lists <- case$expected$candidate_lists
    if (is.matrix(lists)) split(lists, row(lists)) else if (is.null(lists)) Inf else lists
  }

  test_that(paste0("both forms choose the reference functions [", name, "]"), {
    case <- golden_greedy()[[name]]
    expected <- case$expected
    fit <- regression_fit(case, candidates_of(case))
    expect_identical(active_set(fit), as.integer(expected$idx_Q))
    trace <- fit_trace(fit)
    expect_lt(each_relative(trace$objective, expected$Q), 1e-8)
    weights <- fit$posteriors[[1]]$weights
    expect_lt(relative(weights, expected$beta_Q), 1e-6)
    # Q* is tested by its bound and by the variances that use its rows.
    sparse <- regression_fit(case, candidates_of(case), certify = TRUE,
      control = control_greedy(bound = "cheap")
    )
    bound <- certificate(sparse)
    n <- expected$params$n
    if (name == "boston_reg_candidates") {
      expect_identical(bound$rule, "sparse dual")
      expect_lt(each_relative(fit_trace(sparse)$lower, expected$lower_bound), 1e-8)
      expect_lt(abs(bound$duality_gap / expected$relgap[n] - 1), 1e-7)
    }
    upper <- regression_fit(case, candidates_of(case), variance = "upper")
    own <- active_set(upper)
    expect_identical(own[seq_len(n)], as.integer(expected$idx_Q))
    expect_setequal(
      c(own[-seq_len(n)], intersect(expected$idx_Q, expected$idx_Qstar)), expected$idx_Qstar
    )
  })

  test_that(paste0("predictions and error bars are the reference's [", name, "]"), {
    case <- golden_greedy()[[name]]
    expected <- case$expected$predict
    for (kind in c("dtc", "sor", "upper")) {
      fit <- regression_fit(case, candidates_of(case), variance = kind)
      link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
      expect_lt(relative(link$fit, expected$mean), 1e-7)
      name <- c(dtc = "var_dtc", sor = "var_sor", upper = "var_upper_Qstar")[[kind]]
      reference <- expected[[name]]
      expect_lt(relative(link$se.fit^2, reference), 1e-7)
    }
    # The upper bound is one, and the others are not.
    expect_true(all(expected$var_upper_Qstar >= expected$exact_var))
  })

  test_that(paste0("both evidences and their gradients are the reference's [", name, "]"), {
    case <- golden_greedy()[[name]]
    for (kind in c("VFE", "DTC")) {
      expected <- case$expected[[paste0("evidence_", kind)]]
      fit <- with_functions(list(has_trace_term = kind == "VFE"),
        regression_fit(case, candidates_of(case)))
      found <- evidence(fit, gradient = TRUE)
      expect_lt(abs(found$value / expected$value - 1), 1e-8)
      # d log l = 2 d log tw2
      expect_lt(abs(found$gradient[["lengthscale"]] / 2 / expected$grad_log_tw2 - 1), 1e-6)
      expect_lt(abs(found$gradient[["likelihood.variance"]] / expected$grad_log_s2 - 1), 1e-6)
    }
    expect_lt(case$expected$evidence_VFE$value, case$expected$evidence_exact)
  })
}

test_that("the bound of the sparse dual form follows the reference when all rows compete", {
  case <- golden_greedy()$boston_reg
  # All rows are candidates in each step, given as lists, so that no dense bound is computed.
  lists <- rep(list(seq_len(nrow(case$X))), case$expected$params$n)
  fit <- regression_fit(case, lists, control = control_greedy(bound = "cheap"))
  expect_identical(active_set(fit), as.integer(case$expected$idx_Q))
  expect_lt(each_relative(fit_trace(fit)$lower, case$expected$lower_bound), 1e-8)
})

test_that("an error bar's bounds are the reference's at every size", {
  case <- golden_greedy()$boston_errorbar
  expected <- case$expected
  fit <- regression_fit(list(X = case$X, y = case$y, expected = expected), n = 5)
  new <- matrix(as.numeric(case$Xtest), 1)
  for (n in seq_len(expected$params$n)) {
    bounds <- variance_bounds(fit, new, case$X, tol = 0, max_basis = n)
    expect_identical(bounds$size, as.double(n))
    expect_equal(1 - bounds$upper, expected$lower[n], tolerance = 1e-8)
    # The prior variance is a bound too.
    expect_equal(bounds$lower, max(0, 1 - min(1, expected$upper[seq_len(n)])), tolerance = 1e-7)
    expect_true(bounds$lower <= 1 - expected$exact && 1 - expected$exact <= bounds$upper)
  }
})

for (name in c("crabs_logistic", "crabs_probit")) {
  test_that(paste0("Newton's method takes the reference's steps [", name, "]"), {
    case <- golden_greedy()[[name]]
    expected <- case$expected
    fit <- with_functions(list(newton_growth = 0), newton_fit(case))
    expect_identical(active_set(fit), as.integer(expected$idx))
    expect_identical(active_set(newton_fit(case)), as.integer(expected$idx))
    expect_lt(each_relative(fit_trace(fit)$objective, expected$obj), 1e-8)
    expect_lt(relative(fit$posteriors[[1]]$weights, expected$gamma), 1e-6)
    expect_equal(-evidence(fit)$value, expected$nlZ_laplace, tolerance = 1e-8)
    link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
    expect_lt(relative(link$fit, expected$predict$latent_mean), 1e-7)
    expect_lt(relative(link$se.fit^2, expected$predict$latent_var), 1e-7)
    sor <- predict(newton_fit(case, variance = "sor"), case$Xtest, type = "link", se.fit = TRUE)
    expect_lt(relative(sor$se.fit^2, expected$predict$latent_var_sor), 1e-7)
    p <- predict(fit, case$Xtest, type = "prob")
    expect_close(p[, "1"], expected$predict$prob, 1e-7)
  })

  test_that(paste0("the bounds are the reference's [", name, "]"), {
    case <- golden_greedy()[[name]]
    expected <- case$expected
    for (n in c(1, 2, 7, 15)) {
      for (form in c("exact", "cheap")) {
        bound <- certificate(newton_fit(case, n, control = control_greedy(bound = form)))
        reference <- expected[[paste0("bound_", form)]][n]
        expect_lt(abs(bound$gap / reference - 1), 1e-6)
        expect_lte(bound$lower, expected$full_model$obj)
      }
    }
  })
}

test_that("all functions give the full model of the reference", {
  for (name in c("crabs_logistic", "crabs_probit")) {
    case <- golden_greedy()[[name]]
    fit <- suppressWarnings(newton_fit(case, nrow(case$X)))
    expect_equal(certificate(fit)$upper, case$expected$full_model$obj, tolerance = 1e-8)
    expect_equal(-evidence(fit)$value, case$expected$full_model$nlZ_laplace, tolerance = 1e-6)
  }
})
