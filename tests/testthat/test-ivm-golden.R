# The informative vector machine against a dense recomputation (golden/README.md).

golden_names <- c("pima", "crabs", "boston_public")

expect_golden <- function(fit, case) {
  expect_identical(active_set(fit), as.integer(case$active))
  found <- sites(fit)
  expect_identical(found$row, as.integer(case$active))
  expect_close(found$precision, case$site_precision, 1e-8, scale = "each")
  expect_close(found$mean, case$site_mean, scale = "largest")
  expect_close(evidence(fit)$value, case$evidence_active, scale = "largest")
  link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
  expect_close(link$fit - golden_bias(case), case$pred_mean, scale = "largest")
  expect_close(link$se.fit^2, case$pred_var, 1e-8, scale = "each")
  if (!is_gaussian(case)) {
    p <- predict(fit, case$Xtest, type = "prob")
    expect_close(p[, "1"], case$pred_prob, 1e-8, scale = "each")
  }
}

test_that("every case of the file is tested", {
  expect_setequal(names(golden_ivm()), golden_names)
})

for (name in golden_names) {
  test_that(paste0("full search finds the reference machine [", name, "]"), {
    case <- golden_ivm()[[name]]
    expect_golden(golden_fit(case, full_search), case)
  })

  test_that(paste0("a selection index of all rows finds it too [", name, "]"), {
    case <- golden_ivm()[[name]]
    expect_golden(golden_fit(case, whole_index(case)), case)
  })

  test_that(paste0("so does the index after some full searches [", name, "]"), {
    case <- golden_ivm()[[name]]
    control <- control_ivm(n_random = 0, n_full = 7, pool = length(case$y), retain = 1)
    expect_golden(golden_fit(case, control), case)
  })

  test_that(paste0("several threads find it [", name, "]"), {
    case <- golden_ivm()[[name]]
    expect_golden(golden_fit(case, full_search, threads = 2), case)
  })

  test_that(paste0("a second dense version agrees with the file [", name, "]"), {
    case <- golden_ivm()[[name]]
    constant <- if (is.null(case$kernel$constant)) 0 else case$kernel$constant
    k <- rbf(case$X, case$X, case$kernel$rbf_variance, case$kernel$lengthscale) + constant
    site <- if (is_gaussian(case)) {
      gaussian_site(case$noise_variance)
    } else {
      probit_site(golden_bias(case))
    }
    dense <- dense_ivm(k, case$y, case$n_active, site, case$criterion)
    expect_identical(dense$active, as.integer(case$active))
    expect_close(dense$precision, case$site_precision, scale = "largest")
    expect_close(dense$mean, case$site_mean, scale = "largest")
    expect_close(dense$evidence, case$evidence_active, scale = "largest")
  })
}

test_that("a fraction's quantile is the golden prior mean of the Pima data", {
  case <- golden_ivm()$pima
  given <- golden_fit(case, full_search)
  case$bias <- NULL
  by_default <- golden_fit(case, full_search)
  expect_equal(by_default$posteriors, given$posteriors, tolerance = 1e-8)
})
