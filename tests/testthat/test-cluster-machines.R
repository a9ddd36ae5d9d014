# The machines of several classes on the workers of a cluster: the same bits whoever fits them.

machine_fits <- function() {
  list(
    ivm = function(...) ivm(..., n_active = 15, refine = 1, criterion = "random"),
    meanfield_gp = function(...) meanfield_gp(..., method = "laplace"),
    greedy_gp = function(...) greedy_gp(..., n_basis = 8, candidates = 5),
    rvm = function(...) rvm(..., basis = 12, control = control_rvm(max_iter = 3))
  )
}

fit_machines <- function(fit, data, ...) {
  suppressWarnings(
    fit(y ~ a + b, data, kernel = kernel_rbf(3, 0.7), optimise = FALSE, seed = 1, verbose = FALSE,
      ...
    ),
    classes = "gpsieve_warning_convergence"
  )
}

same_machines <- function(fit, reference) {
  parts <- c("posteriors", "basis", "rows", "sites", "loo", "calibration", "response", "state",
    "converged", "reason"
  )
  for (part in parts) expect_identical(fit[[part]], reference[[part]])
  expect_identical(evidence(fit), evidence(reference))
  expect_identical(fit$trace$objective, reference$trace$objective)
}

test_that("1 and 2 workers give the machines of this process, for every model", {
  skip_on_cran()
  workers <- local_workers(2)
  data <- toy_data("multiclass", n = 90)$data
  for (fit in machine_fits()) {
    reference <- fit_machines(fit, data)
    for (count in 1:2) same_machines(fit_machines(fit, data, cluster = workers[1:count]), reference)
  }
  # Learning is done by this process, weights and equal rows are those of the problem.
  twice <- data[c(seq_len(90), 1:10), ]
  learned <- function(...) {
    meanfield_gp(y ~ a + b, twice, weights = rep(1:2, 50), seed = 1, verbose = FALSE, ...,
      control = control_meanfield(steps = 2)
    )
  }
  same_machines(learned(cluster = workers), learned())
})

test_that("the machine of a worker that dies is fitted by another, the last ones by this process", {
  skip_on_cran()
  skip_on_os("windows")
  data <- toy_data("multiclass", n = 90)$data
  fit <- machine_fits()$ivm
  reference <- fit_machines(fit, data)
  workers <- local_mortals(2, 1, "core_fit_ivm")
  expect_no_warning(
    survived <- fit_machines(fit, data, cluster = workers), class = "gpsieve_warning_workers"
  )
  same_machines(survived, reference)
  workers <- local_mortals(2, 1:2, "core_fit_ivm")
  expect_warning(alone <- fit_machines(fit, data, cluster = workers), "All workers",
    class = "gpsieve_warning_workers"
  )
  same_machines(alone, reference)
})

test_that("a cluster for one machine, or something else, is refused before any work", {
  data <- toy_data("binary", n = 30)$data
  cluster <- structure(list(), class = "cluster")
  expect_snapshot(error = TRUE, ivm(y ~ a + b, data, cluster = cluster))
  for (fit in machine_fits()) {
    expect_error(fit_machines(fit, data, cluster = cluster), class = "gpsieve_error_unsupported")
    expect_error(fit_machines(fit, data, cluster = 2), class = "gpsieve_error_argument")
  }
})
