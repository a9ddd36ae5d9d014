# The mean-field methods against an independent implementation (golden/README.md).

golden_meanfield <- function() read_golden("meanfield")

golden_cases <- c("tiny2d", "pima", "crabs")
golden_methods <- c("tap", "ensemble", "naive", "laplace")

# Everything a method says about a case.
golden_meanfield_fit <- function(case, method, ...) {
  meanfield_gp(case$X, factor(case$y, levels = c(-1, 1)),
    kernel = kernel_rbf(case$amp, 1 / sqrt(case$w)), likelihood = lik_probit(case$v),
    method = method, optimise = FALSE, standardise = FALSE, seed = 1, verbose = FALSE, ...
  )
}

signed_weights <- function(fit, y) y * fit$posteriors[[1]]$weights

test_that("every case of the file is tested", {
  expect_setequal(names(golden_meanfield()), golden_cases)
})

for (name in golden_cases) for (method in golden_methods) {
  test_that(paste0("free energy, weights and gradient are the reference's [", name, ", ", method,
    "]"
  ), {
    case <- golden_meanfield()[[name]]
    expected <- case$methods[[method]]
    fit <- golden_meanfield_fit(case, method)
    found <- evidence(fit, gradient = TRUE)
    expect_lt(abs(found$value + expected$free_energy), 1e-8)
    expect_lt(abs(summary(fit)$corrected_evidence + expected$free_energy_lr), 1e-8)
    alpha <- signed_weights(fit, case$y)
    expect_close(alpha[1:10], expected$alpha_first10, 1e-7)
    expect_lt(abs(sum(alpha) - expected$sum_alpha), 1e-7)
    # w = 1 / lengthscale^2; the noise is not learned, but amplitude and noise are one parameter.
    by_reference <- c(expected$grad_log_amp, -2 * expected$grad_log_w)
    expect_lt(max(abs(found$gradient + by_reference)), 1e-6)
    expect_lt(abs(found$gradient[["variance"]] - expected$grad_log_v), 1e-6)
  })

  test_that(paste0("predictions are the reference's [", name, ", ", method, "]"), {
    case <- golden_meanfield()[[name]]
    expected <- case$methods[[method]]
    fit <- golden_meanfield_fit(case, method)
    link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
    expect_close(link$fit, expected$mean, 1e-7)
    expect_close(link$se.fit^2, expected$var, 1e-7, scale = "each")
    expect_close(predict(fit, case$Xtest, type = "prob")[, "1"], expected$prob, 1e-8)
    expect_close(exp(loo(fit)[1:10]), expected$loo_prob_y_first10, 1e-8)
    cavity <- golden_meanfield_fit(case, method, variance = "cavity")
    new <- predict(cavity, case$Xtest, type = "link", se.fit = TRUE)
    expect_identical(new$fit, link$fit)
    var_cavity <- if (is.null(expected$var_cavity)) expected$var else expected$var_cavity
    expect_close(new$se.fit^2, var_cavity, 1e-7, scale = "each")
  })
}
