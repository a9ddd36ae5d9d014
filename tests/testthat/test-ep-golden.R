# EP, stochastic EP and ADF against a prototype and GPML (golden/README.md).

golden_ep <- function() read_golden("ep", simplifyDataFrame = FALSE)$cases

golden_input <- function(case, what) {
  file <- test_path("golden", "ep_inputs", sprintf("%s_%s.csv", case$name, what))
  unname(as.matrix(utils::read.csv(file, header = FALSE)))
}

golden_ep_fit <- function(case, algorithm, gradient) {
  hyp <- algorithm$hyp
  kernel <- kernel_rbf(hyp$sf2, hyp$ell)
  if (hyp$sn2 > 0) kernel <- kernel + kernel_white(hyp$sn2)
  jitter <- if (hyp$jit_rel > 0) hyp$jit_rel else hyp$jit_abs / (hyp$sf2 + hyp$sn2)
  in_batches <- identical(algorithm$mode, "minibatch")
  passes <- if (in_batches || is.null(algorithm$iterations)) 500 else algorithm$iterations
  converges <- isTRUE(algorithm$converged)
  fit <- function() {
    ep_gp(golden_input(case, "Xtr"), factor(golden_input(case, "ytr"), levels = c(-1, 1)),
      kernel = kernel, inducing = golden_input(case, "Xbar"), method = tolower(algorithm$method),
      jitter = jitter, optimise = FALSE, standardise = FALSE, shuffle = FALSE,
      batch_size = if (in_batches) 20, epochs = if (in_batches) 2,
      control = control_ep(
        max_iter = passes, tol = if (converges) 1e-13 else 0, damping = algorithm$damping,
        start = "plain", gradient = gradient
      ),
      seed = 1, verbose = FALSE
    )
  }
  # A few passes have not converged, and say so.
  settles <- converges || in_batches || tolower(algorithm$method) == "adf"
  if (settles) return(expect_no_warning(fit()))
  expect_warning(made <- fit(), class = "gpsieve_warning_convergence")
  made
}

for (name in c("crabs", "pima")) for (i in 1:9) {
  test_that(paste("ep_gp() meets reference values:", name, i), {
    cases <- golden_ep()
    case <- cases[[match(name, vapply(cases, function(case) case$name, ""))]]
    expect_length(case$algorithms, 9)
    algorithm <- case$algorithms[[i]]
    result <- algorithm$result
    gradients <- list(fixed_point = result$grad, exact = result$grad_exact_theta_fixed)
    for (form in names(Filter(Negate(is.null), gradients))) {
      tolerance <- algorithm$tol_suggested
      fit <- golden_ep_fit(case, algorithm, form)
      found <- evidence(fit, gradient = TRUE)
      expect_close(found$value, result$logZ, tolerance, scale = "mixed")
      link <- predict(fit, golden_input(case, "Xts"), type = "link", se.fit = TRUE)
      expect_close(link$fit, result$pred_mean, tolerance, scale = "mixed")
      expect_close(link$se.fit^2, result$pred_var, tolerance, scale = "mixed")
      prob <- predict(fit, golden_input(case, "Xts"), type = "prob")[, "1"]
      expect_close(prob, result$pred_prob, tolerance, scale = "mixed")
      expected <- gradients[[form]]
      by_theta <- c(
        expected$log_sf2, expected$log_ell, if (algorithm$hyp$sn2 > 0) expected$log_sn2
      )
      expect_close(found$gradient, by_theta, tolerance, scale = "mixed")
      expect_close(found$inducing[1:5, ], expected$Xbar_first5rows, tolerance, scale = "mixed")
    }
  })
}
