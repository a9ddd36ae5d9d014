# Products of conjugate gradients on the workers of a cluster: the same bits whoever computes them.
# There are more rows than a leaf holds, so that it takes several products to the solution.

rows <- with_own_seed(1, {
  x <- uniform_inputs(1500, 3)
  data.frame(x, y = sin(3 * x[, 1]) + x[, 2]^2 + rnorm(1500, sd = 0.2))
})

solve_rows <- function(..., kernel = kernel_matern(1.5, lengthscale = 0.5) + kernel_linear(),
                       control = control_meanfield()) {
  meanfield_gp(y ~ ., rows, kernel, ..., optimise = FALSE, seed = 1, verbose = FALSE,
    control = control
  )
}

same_solution <- function(fit, reference) {
  for (part in c("posteriors", "loo", "kept", "evidence", "state", "converged")) {
    expect_identical(fit[[part]], reference[[part]])
  }
}

iterative <- control_meanfield(solver = "iterative")

test_that("1, 2 and 3 workers give the fit of this process", {
  skip_on_cran()
  workers <- local_workers(3)
  noise <- lik_gaussian(0.05)
  reference <- solve_rows(noise, control = iterative)
  for (count in c(1, 3)) {
    same_solution(solve_rows(noise, cluster = workers[seq_len(count)]), reference)
  }
  same_solution(solve_rows(noise, cluster = workers[1:2], threads = 2), reference)
  # Weights, offsets and known noise are those of the rows that the workers hold.
  cases <- list(
    list(noise, weights = rep(1:2, 750)), list(noise, offset = rows$y / 2),
    list(noise_sd = rep(c(0.1, 0.3), 750))
  )
  for (case in cases) {
    same_solution(
      do.call(solve_rows, c(case, list(cluster = workers[1:2]))),
      do.call(solve_rows, c(case, list(control = iterative)))
    )
  }
  # Of other likelihoods the noise of the sites is added in this process.
  classes <- function(...) {
    meanfield_gp(I(y > 0.5) ~ ., rows, kernel_matern(1.5, lengthscale = 0.5), ...,
      optimise = FALSE, seed = 1, verbose = FALSE
    )
  }
  same_solution(classes(cluster = workers[1:2]), classes(control = iterative))
  # The workers are free for the next call.
  expect_identical(parallel::clusterCall(workers, function() 1), list(1, 1, 1))
})

test_that("another worker takes the share of one that dies, this process that of the last one", {
  skip_on_cran()
  skip_on_os("windows")
  reference <- solve_rows(lik_gaussian(0.05), control = iterative)
  workers <- local_mortals(3, 2, "core_share_of_product", 3)
  expect_no_warning(
    survived <- solve_rows(lik_gaussian(0.05), cluster = workers),
    class = "gpsieve_warning_workers"
  )
  same_solution(survived, reference)
  workers <- local_mortals(2, 1:2, "core_share_of_product", 3)
  expect_warning(alone <- solve_rows(lik_gaussian(0.05), cluster = workers),
    "All workers", class = "gpsieve_warning_workers"
  )
  same_solution(alone, reference)
})

test_that("a kernel that breaks down on a worker is the error of the call", {
  skip_on_cran()
  workers <- local_workers(2)
  # Finite on the inducing rows and within leaves of this process, infinite on workers.
  parent <- Sys.getpid()
  broken <- kernel_function(function(x, z) {
    k <- exp(-outer(x[, 1], z[, 1], "-")^2)
    if (Sys.getpid() != parent) k[] <- Inf
    k
  })
  expect_error(solve_rows(lik_gaussian(0.05), kernel = broken, cluster = workers),
    class = "gpsieve_error"
  )
  expect_identical(parallel::clusterCall(workers, function() 1), list(1, 1))
})

test_that("workers are refused where nothing can be divided", {
  skip_on_cran()
  workers <- local_workers(1)
  expect_snapshot(error = TRUE, {
    meanfield_gp(am ~ wt, transform(mtcars, am = factor(am)), method = "laplace",
      cluster = workers
    )
    solve_rows(lik_gaussian(0.05), cluster = workers,
      control = control_meanfield(solver = "cholesky")
    )
  })
})
