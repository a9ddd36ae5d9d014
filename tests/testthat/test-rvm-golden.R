# The relevance vector machine against a plain R prototype (golden/README.md).

golden_rvm <- function() {
  skip_if_not_installed("MASS")
  read_golden("rvm", simplifyDataFrame = FALSE)$problems
}

rvm_problems <- c("sinc", "mcycle", "synth")

golden_rows <- function(name, problem) {
  switch(name,
    sinc = list(x = matrix(problem$x), y = problem$t),
    mcycle = list(
      x = matrix(MASS::mcycle$times / 10),
      y = as.vector(scale(MASS::mcycle$accel))
    ),
    synth = list(
      x = as.matrix(MASS::synth.tr[c("xs", "ys")]),
      y = factor(ifelse(MASS::synth.tr$yc == 1, 1, -1), levels = c(-1, 1))
    )
  )
}

golden_rvm_fit <- function(name, problem, ..., control, algorithm = "em", inference = "tap") {
  rows <- golden_rows(name, problem)
  suppressWarnings(
    rvm(rows$x, rows$y,
      kernel = kernel_rbf(1, sqrt(problem$nu2)), basis = rows$x[problem$centres, , drop = FALSE],
      algorithm = algorithm, inference = inference, optimise = FALSE, standardise = FALSE,
      control = control, seed = 1, verbose = FALSE, ...
    ),
    classes = "gpsieve_warning_convergence"
  )
}

# Everything as in a run of the file, but with `max_iter` iterations.
golden_run <- function(name, problem, run, max_iter = run$max_iter) {
  or <- function(value, other) if (is.null(value)) other else value
  golden_rvm_fit(name, problem,
    algorithm = run$algorithm, inference = or(run$method, "tap"),
    control = control_rvm(
      update = if (run$algorithm == "fast") "mackay" else run$rule,
      entry = or(run$entry, "optimal"),
      prune = or(run$L, 1e6), alpha_start = or(run$alpha0, 1), noise_start = run$s2_init,
      max_iter = max_iter, tol = run$tol, order = "given", sweeps = 1
    )
  )
}

relative <- function(found, expected) max(abs(found - expected) / pmax(abs(expected), 1))

# Candidate numbers of the fit: the intercept is number one.
candidates_of <- function(fit) {
  found <- active_set(fit) + 1L
  if (fit$posteriors[[1L]]$intercept) c(1L, found) else found
}

weights_of <- function(fit) fit$posteriors[[1L]]$weights

# The file lists functions in order of inclusion, the fit the intercept first.
in_fit_order <- function(active) {
  active <- as.integer(active)
  c(intersect(1L, active), setdiff(active, 1L))
}

test_that("every problem of the file is tested", {
  expect_setequal(names(golden_rvm()), rvm_problems)
})

for (name in rvm_problems) {
  test_that(paste0("the data are those of the file [", name, "]"), {
    problem <- golden_rvm()[[name]]
    rows <- golden_rows(name, problem)
    expect_identical(length(rows$y), as.integer(problem$n))
    design <- cbind(1, rbf(rows$x, rows$x[problem$centres, , drop = FALSE],
      lengthscale = rep(sqrt(problem$nu2), ncol(rows$x))
    ))
    expect_equal(sum(design), problem$design_check$sum, tolerance = 1e-12)
  })

  test_that(paste0("E-steps at fixed precisions [", name, "]"), {
    problem <- golden_rvm()[[name]]
    steps <- problem$fixed_alpha_estep
    if (!length(steps)) steps <- list(regression = problem$runs[[1L]]$trace_first[[1L]])
    for (inference in names(steps)) {
      step <- steps[[inference]]
      fit <- golden_rvm_fit(name, problem,
        inference = if (inference == "regression") "tap" else inference,
        control = control_rvm(alpha_start = 1, noise_start = step$s2, max_iter = 0, order = "given")
      )
      # The trace of a regression lists the first eight weights only.
      expect_lt(relative(weights_of(fit)[seq_along(step$mu)], step$mu), 1e-8)
      expect_lt(relative(evidence(fit)$value, step$logml), 1e-8)
      if (inference == "regression") next
      rows <- golden_rows(name, problem)$x[step$pred_rows, , drop = FALSE]
      link <- predict(fit, rows, type = "link", se.fit = TRUE)
      expect_lt(relative(link$fit, step$pred_mean), 1e-8)
      expect_lt(relative(link$se.fit^2, step$pred_var), 1e-8)
    }
  })

  for (i in seq_len(if (name == "synth") 8 else 6)) {
    test_that(paste0("a run of training [", name, ", ", i, "]"), {
      problem <- golden_rvm()[[name]]
      run <- problem$runs[[i]]
      fit <- golden_run(name, problem, run)
      expect_identical(candidates_of(fit), in_fit_order(run$active))
      expect_lt(relative(evidence(fit)$value, run$logml), 1e-6)
      first <- vapply(run$trace_first, function(entry) entry$logml, 0)
      expect_lt(relative(fit_trace(fit)$objective[seq_along(first)], first), 1e-8)
      if (!is.null(run$trace_logml)) {
        expect_lt(relative(fit_trace(fit)$objective, run$trace_logml), 1e-6)
        expect_identical(fit_trace(fit)$size, as.integer(run$trace_M))
      }
      rows <- golden_rows(name, problem)$x[run$pred_rows, , drop = FALSE]
      link <- predict(fit, rows, type = "link", se.fit = TRUE)
      expect_lt(relative(link$fit, run$pred_mean), 1e-6)
      noise <- if (is.null(run$s2)) 0 else run$s2
      expect_lt(relative(link$se.fit^2 + noise, run$pred_var), 1e-6)
      if (noise > 0) expect_lt(relative(likelihood_of(fit)$values$variance, noise), 1e-6)
      if (!is.null(run$pred_prob)) {
        p <- predict(fit, rows, type = "prob")[, 2]
        expect_lt(relative(p, run$pred_prob), 1e-6)
      }
    })
  }
}
