# Gaussian noise by conjugate gradients: the laws that hold whatever the number of leaves, and those
# of one leaf, where variances and the evidence are the factor's too.

exact_data <- function(n, seed = 1) {
  x <- uniform_inputs(n, 3, seed = seed)
  with_own_seed(seed, data.frame(x, y = sin(3 * x[, 1]) + x[, 2]^2 + rnorm(n, sd = 0.2)))
}

solved <- function(data, ..., solver = "iterative", tol = 1e-9,
                   kernel = kernel_matern(1.5, lengthscale = 0.5) + kernel_linear()) {
  meanfield_gp(y ~ ., data, kernel, ..., optimise = FALSE, seed = 1, verbose = FALSE,
    control = by_solver(solver, tol = tol)
  )
}

few <- exact_data(300)
many <- exact_data(1500) # two leaves
new <- exact_data(40, seed = 2)

test_that("in one leaf both solvers give one fit: weights, offsets, known noise, prior means", {
  w <- rep_len(c(1, 2.5, 0.5), 300)
  doubled <- rbind(few, few[1:50, ])
  cases <- list(
    plain = list(few, likelihood = lik_gaussian(0.05)),
    prior = list(few, likelihood = lik_gaussian(0.05), prior_mean = 0.7),
    weights = list(few, likelihood = lik_gaussian(0.05), weights = w),
    offset = list(few, likelihood = lik_gaussian(0.05), offset = few$y / 2),
    known = list(few, noise_sd = 0.1 + w / 10),
    equal = list(doubled, likelihood = lik_gaussian(0.05)),
    white = list(doubled, likelihood = lik_gaussian(0.05),
      kernel = kernel_rbf() + kernel_white(0.1))
  )
  for (name in names(cases)) {
    found <- do.call(solved, cases[[name]])
    exact <- do.call(solved, c(cases[[name]], solver = "cholesky"))
    # There are no leave-one-out densities with known noise.
    tolerance <- c(answer = 1e-6, site = 1e-8, loo = if (name != "known") 1e-5)
    expect_one_fit(found, exact, new, name, tolerance,
      offset = if (name == "offset") rep(0.1, nrow(new))
    )
    expect_equal(found$held_out, exact$held_out, tolerance = 1e-5, label = name)
    link <- predict(found, type = "link", se.fit = TRUE)
    expect_equal(link, predict(exact, type = "link", se.fit = TRUE), tolerance = 1e-5, label = name)
  }
})

test_that("with several leaves the mean is the factor's to 1e-6 of the response's deviation", {
  kernels <- list(
    kernel_matern(1.5, lengthscale = 0.5) + kernel_linear(),
    kernel_rbf(lengthscale = c(1, 0.5, 2)),
    kernel_matern(0.5) * kernel_rational_quadratic() + kernel_constant()
  )
  for (kernel in kernels) {
    found <- solved(many, kernel = kernel, likelihood = lik_gaussian(0.05))
    exact <- solved(many, kernel = kernel, likelihood = lik_gaussian(0.05), solver = "cholesky")
    expect_lt(max(abs(predict(found, new) - predict(exact, new))), 1e-6 * sd(many$y))
    expect_lt(max(abs(predict(found) - predict(found, many))), 1e-7)
    both <- list(
      predict(found, new, type = "link", se.fit = TRUE)$se.fit,
      predict(exact, new, type = "link", se.fit = TRUE)$se.fit
    )
    expect_equal(mean(both[[1]] / both[[2]]), 1, tolerance = 0.1)
    error <- summary(found)$evidence_error
    expect_lt(abs(evidence(found)$value - evidence(exact)$value), 5 * error + 1e-6)
    expect_lt(abs(mean(loo(found)) - mean(loo(exact))), 0.02)
  }
})

test_that("neither threads nor memory change a bit", {
  first <- solved(many, likelihood = lik_gaussian(0.05), threads = 1)
  answers <- function(fit) {
    list(fit$posteriors, fit$loo, fit$kept, fit$evidence$value,
      predict(fit, new, interval = "prediction"), predict(fit, new, type = "link", cov = TRUE)
    )
  }
  for (threads in c(2, 4)) {
    expect_identical(answers(solved(many, likelihood = lik_gaussian(0.05), threads = threads)),
      answers(first)
    )
  }
  need <- iterative_need(list(x = as.matrix(many[1:3])))
  small <- withr::with_options(list(gpsieve.max_memory = need + 2e6),
    solved(many, likelihood = lik_gaussian(0.05))
  )
  expect_identical(answers(small), answers(first))
  other <- meanfield_gp(y ~ ., many, kernel_rbf(), lik_gaussian(0.05), optimise = FALSE, seed = 2,
    verbose = FALSE, control = by_solver("iterative")
  )
  expect_gt(other$state$evidence_error, 0)
})

test_that("a fit by conjugate gradients answers what fits answer", {
  fit <- solved(many, likelihood = lik_gaussian(0.05))
  expect_identical(evidence(fit)$kind, "exact, estimated")
  expect_error(evidence(fit, gradient = TRUE), class = "gpsieve_error_unsupported")
  expect_error(export_model(fit, tempfile()), "leaves", class = "gpsieve_error_unsupported")
  expect_named(fit$state, c("corrected_evidence", "steps", "residual", "evidence_error"))
  expect_lte(fit$state$residual, 1.5e-9)
  expect_output(print(fit), "conjugate gradients")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new), predict(fit, new))
  expect_identical(update(fit, data = many)$posteriors, fit$posteriors)
  joint <- predict(fit, new, type = "link", cov = TRUE)$cov
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(sqrt(diag(joint)), link$se.fit, tolerance = 1e-8)
  expect_gt(min(eigen(joint, TRUE)$values), -1e-8)
  expect_identical(dim(simulate(fit, 3, seed = 1, newdata = new)), c(40L, 3L))
  terms <- predict(fit, new, type = "terms")
  expect_equal(unname(rowSums(terms)) + attr(terms, "constant"), predict(fit, new),
    tolerance = 1e-6
  )
  expect_equal(residuals(fit), many$y - predict(fit, many), tolerance = 1e-6)
  expect_false(anyNA(loo(fit)))
})

test_that("damaged factors of leaves are refused", {
  fit <- solved(many, likelihood = lik_gaussian(0.05))
  damage <- function(change) {
    fit$posteriors[[1]]$local <- change(fit$posteriors[[1]]$local)
    expect_error(predict(fit, new, type = "link", se.fit = TRUE), class = "gpsieve_error_object")
  }
  damage(function(local) replace(local, "leaves", list(local$leaves[-1])))
  damage(function(local) replace(local, "inducing", list(c(local$inducing[-1], 1501L))))
  damage(function(local) replace(local, "factor", list(-local$factor)))
  damage(function(local) replace(local, "prior_factor", list(local$prior_factor[-1])))
  damage(function(local) {
    local$leaves[[1]]$inducing <- local$leaves[[1]]$inducing[-1, ]
    local
  })
  damage(function(local) {
    local$leaves[[2]]$rows[3] <- 0L
    local
  })
})

test_that("the solver is chosen by rows, memory and noise", {
  chosen <- function(n = 100, noise = 0.1, type = lik_gaussian(noise), limit = Inf,
                     solver = "auto", method = "tap") {
    problem <- list(x = matrix(0, n, 2), y = matrix(0, n, 1), n = n, threads = 1L,
      inputs = list(center = c(a = 0, b = 0)), kernel = kernel_rbf(1, 1), likelihood = type
    )
    withr::with_options(list(gpsieve.max_memory = limit),
      meanfield_solver(problem, method, control_meanfield(solver = solver))
    )
  }
  expect_identical(chosen(), "cholesky")
  expect_identical(chosen(solver = "iterative"), "iterative")
  expect_identical(chosen(exact_rows), "iterative")
  expect_identical(chosen(exact_rows, solver = "cholesky"), "cholesky")
  expect_identical(chosen(exact_rows, noise = 1e-8), "cholesky")
  expect_identical(chosen(exact_rows, type = lik_probit(1)), "iterative")
  expect_identical(chosen(exact_rows - 1, type = lik_probit(1)), "cholesky")
  expect_identical(chosen(exact_rows, type = lik_probit(1), method = "laplace"), "cholesky")
  expect_identical(chosen(5000, limit = 1e8), "iterative")
  expect_identical(chosen(5000, limit = 1e8, noise = 1e-8), "iterative")
})

test_that("what conjugate gradients cannot do is refused, and what they did not reach is said", {
  labelled <- transform(few, y = factor(y > 1))
  refused <- list(
    list(labelled, method = "laplace"), list(labelled, likelihood = lik_probit(fixed(0))),
    list(transform(few, y = cut(y, 3)))
  )
  for (case in refused) {
    expect_error(do.call(solved, case), "one latent function", class = "gpsieve_error_unsupported")
  }
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(as.matrix(few[1:3]), sparse = TRUE)
  expect_error(
    meanfield_gp(sparse, few$y, kernel_rbf(), lik_gaussian(0.1), optimise = FALSE,
      control = by_solver("iterative")
    ),
    "sparse", class = "gpsieve_error_unsupported"
  )
  expect_error(control_meanfield(solver = "lanczos"), "solver")
  rough <- transform(many, y = with_own_seed(3, rnorm(1500)))
  expect_warning(
    meanfield_gp(y ~ ., rough, kernel_rbf(lengthscale = 0.3), lik_gaussian(1e-9),
      optimise = FALSE, seed = 1, verbose = FALSE,
      control = by_solver("iterative", tol = 1e-14, max_iter = 1)
    ),
    "residual", class = "gpsieve_warning_convergence"
  )
  withr::with_options(list(gpsieve.max_memory = 1e6),
    expect_error(solved(many, likelihood = lik_gaussian(0.1)), class = "gpsieve_error_memory")
  )
})
