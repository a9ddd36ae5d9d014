# Sequential learning against the reference values (golden/README.md): one sweep, re-use, EP
# sweeps, bounded bases.

golden_online <- function() read_golden("meanfield")

golden_online_names <- c("tiny2d", "pima", "crabs")

golden_online_fit <- function(case, ...) {
  online_gp(case$X, factor(case$y, levels = c(-1, 1)),
    kernel = kernel_rbf(case$amp, 1 / sqrt(case$w)), likelihood = lik_probit(case$v),
    optimise = FALSE, standardise = FALSE, shuffle = FALSE, seed = 1, verbose = FALSE, ...
  )
}

expect_golden_predictions <- function(fit, case, expected, tolerance = 1e-8) {
  link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
  expect_close(link$fit, expected$mean, tolerance, scale = "largest")
  expect_close(link$se.fit^2, expected$var, tolerance, scale = "largest")
  expect_close(predict(fit, case$Xtest, type = "prob")[, "1"], expected$prob, tolerance,
    scale = "largest")
}

# C, however the fit holds it.
form_of <- function(fit) {
  posterior <- fit$posteriors[[1]]
  w <- posterior$whitening
  if (length(w)) crossprod(w, (posterior$form - diag(nrow(w))) %*% w) else posterior$form
}

weights_of <- function(fit) fit$posteriors[[1]]$weights

test_that("every case of the file is tested", {
  expect_setequal(names(golden_online()), golden_online_names)
})

for (name in golden_online_names) {
  test_that(paste0("one sweep over all rows [", name, "]"), {
    case <- golden_online()[[name]]
    expected <- case$methods$online_1sweep
    fit <- golden_online_fit(case, novelty = 0)
    expect_identical(active_set(fit), seq_along(case$y))
    expect_close(-evidence(fit)$value, expected$free_energy, scale = "largest")
    expect_close((case$y * weights_of(fit))[1:10], expected$alpha_first10, 1e-7, scale = "largest")
    expect_close(form_of(fit)[1:3, 1:3], expected$C_1to3, 1e-7, scale = "largest")
    expect_golden_predictions(fit, case, expected)
  })

  test_that(paste0("two sweeps by re-use [", name, "]"), {
    case <- golden_online()[[name]]
    expected <- case$methods$online_2sweeps_adf
    fit <- golden_online_fit(case, novelty = 0, sweeps = 2, sweep_type = "adf")
    expect_close((case$y * weights_of(fit))[1:10], expected$alpha_first10, 1e-7, scale = "largest")
    expect_close(form_of(fit)[1:3, 1:3], expected$C_1to3, 1e-7, scale = "largest")
    expect_golden_predictions(fit, case, expected)
    once <- golden_online_fit(case, novelty = 0)
    expect_identical(evidence(fit)$value, evidence(once)$value)
  })

  test_that(paste0("two sweeps of EP, and its fixed point [", name, "]"), {
    case <- golden_online()[[name]]
    expected <- case$methods$ep_2sweeps
    fit <- golden_online_fit(case, sweeps = 2)
    expect_close((case$y * weights_of(fit))[1:10], expected$alpha_first10, 1e-7, scale = "largest")
    expect_close(form_of(fit)[1:3, 1:3], expected$C_1to3, 1e-7, scale = "largest")
    expect_golden_predictions(fit, case, expected)

    tap <- case$methods$tap
    fixed <- golden_online_fit(case, sweeps = 100)
    expect_close((case$y * weights_of(fixed))[1:10], tap$alpha_first10, 1e-7, scale = "largest")
    expect_close(-evidence(fixed)$value, tap$free_energy, scale = "largest")
    expect_identical(evidence(fixed)$kind, "ep")
    expect_golden_predictions(fixed, case, tap, 1e-7)
    expect_close(exp(loo(fixed))[1:10], tap$loo_prob_y_first10, 1e-6, scale = "largest")
  })

  test_that(paste0("bounded bases, their sets exactly [", name, "]"), {
    case <- golden_online()[[name]]
    ways <- c(online_budget_kl = "forward_kl", online_budget_cheap = "cheap",
      online_budget_rev = "reverse_kl"
    )
    for (way in names(ways)) {
      expected <- case$methods[[way]]
      fit <- golden_online_fit(case,
        budget = expected$budget, novelty = expected$novelty_tol, deletion = ways[[way]]
      )
      expect_identical(active_set(fit), as.integer(expected$bv_1based))
      expect_close(-evidence(fit)$value, expected$free_energy, scale = "largest")
      expect_close(weights_of(fit), expected$u_bv, 1e-7, scale = "largest")
      expect_golden_predictions(fit, case, expected)
    }
  })

  test_that(paste0("rows that are not novel are projected [", name, "]"), {
    case <- golden_online()[[name]]
    expected <- case$methods[["online_novelty_0.2"]]
    for (budget in c(expected$budget, Inf)) {
      fit <- golden_online_fit(case, budget = budget, novelty = 0.2)
      expect_identical(active_set(fit), as.integer(expected$bv_1based))
      expect_close(-evidence(fit)$value, expected$free_energy, scale = "largest")
      expect_close(weights_of(fit), expected$u_bv, 1e-7, scale = "largest")
      expect_golden_predictions(fit, case, expected)
    }
  })
}
