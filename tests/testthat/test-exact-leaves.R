# Leaves in which every row takes part: dense Gaussian processes.

exact_parts <- function(data, ..., leaf_rows = 150) {
  fit_parts_of(data, leaf_rows = leaf_rows, n_active = NULL, refine = 3, ...)
}

# The same calls with factors that are not kept.
without_factors <- function(code) withr::with_options(list(gpsieve.max_factors = 0), code)

test_that("one leaf of all rows is the dense model", {
  for (task in c("regression", "binary", "multiclass")) {
    data <- smooth_data(300, task)$data
    parts <- exact_parts(data, leaf_rows = 300, prior_mean = 0)
    dense <- meanfield_gp(y ~ a + b, data, kernel_rbf(1, c(0.7, 1.5)), optimise = FALSE, seed = 1,
      prior_mean = 0, control = control_meanfield(tol = 1e-6)
    )
    new <- smooth_data(50, task, seed = 2)$data
    both <- lapply(list(parts, dense), predict, new, type = "link", se.fit = TRUE)
    tolerance <- if (task == "regression") 1e-8 else 2e-3
    expect_equal(unname(both[[1]]), unname(both[[2]]), tolerance = tolerance)
    expect_equal(as.numeric(logLik(parts)), as.numeric(logLik(dense)), tolerance = tolerance)
  }
})

test_that("leaves with Gaussian noise are Gaussian processes of their rows", {
  data <- smooth_data(400)$data
  fit <- exact_parts(data, control = no_overlap)
  noise <- fit$likelihood$values$variance
  x <- rows_of_fit(fit, data)
  y <- (data$y - fit$response$center) / fit$response$scale
  own <- visits_of(fit$partition$trees, x, core_settings(1L))
  for (rows in split(own$row, own$machine)) {
    covariance <- kernel_matrix(fit$kernel, x[rows, ])
    solved <- solve(covariance + diag(noise, length(rows)), y[rows])
    mean <- drop(covariance %*% solved) * fit$response$scale + fit$response$center
    expect_equal(unname(predict(fit, data[rows, ])), mean, tolerance = 1e-8)
  }
})

test_that("factors that are made anew give what those that are kept give", {
  for (task in c("regression", "binary", "multiclass")) {
    data <- smooth_data(420, task)$data
    new <- smooth_data(60, task, seed = 3)$data
    for (trees in c(1, 2)) {
      kept <- exact_parts(data, trees = trees)
      made <- without_factors(exact_parts(data, trees = trees))
      expect_lt(as.numeric(object.size(made)), 0.5 * as.numeric(object.size(kept)))
      same <- if (task == "regression") expect_identical else
        function(a, b) expect_equal(a, b, tolerance = 1e-7)
      expect_identical(predict(made, new, type = "link"), predict(kept, new, type = "link"))
      same(predict(made, new, type = "link", se.fit = TRUE),
        predict(kept, new, type = "link", se.fit = TRUE))
      same(predict(made, new, type = "link", cov = TRUE),
        predict(kept, new, type = "link", cov = TRUE))
      same(simulate(made, 2, seed = 1, newdata = new, type = "link"),
        simulate(kept, 2, seed = 1, newdata = new, type = "link"))
      expect_identical(made$held_out, kept$held_out)
      expect_identical(unserialize(serialize(made, NULL)), made)
      expect_identical(update(made, data = data, leaves = "changed")$posteriors, made$posteriors)
    }
  }
})

test_that("threads and workers change no bit", {
  data <- smooth_data(500, "binary")$data
  new <- smooth_data(40, "binary", seed = 2)$data
  said <- function(...) predict(without_factors(exact_parts(data, ...)), new, type = "prob")
  expect_identical(said(threads = 2), said(threads = 1))
  expect_identical(said(cluster = local_workers(2)), said(threads = 1))
})

test_that("of many rows a sample is judged without itself", {
  data <- smooth_data(10500)$data
  fit <- exact_parts(data)
  expect_identical(fit$held_out[["rows"]], 10000)
  new <- smooth_data(2000, seed = 2)$data
  expect_equal(fit$held_out[["rmse"]], sqrt(mean((predict(fit, new) - new$y)^2)), tolerance = 0.1)
})

test_that("a row without itself is predicted by the fit without it", {
  data <- smooth_data(300)$data
  fit <- exact_parts(data, control = no_overlap)
  own <- visits_of(fit$partition$trees, rows_of_fit(fit, data), core_settings(1L))
  x <- rows_of_fit(fit, data)
  y <- (data$y - fit$response$center) / fit$response$scale
  noise <- fit$likelihood$values$variance
  squares <- unlist(lapply(split(own$row, own$machine), function(rows) {
    inverse <- solve(kernel_matrix(fit$kernel, x[rows, ]) + diag(noise, length(rows)))
    (drop(inverse %*% y[rows]) / diag(inverse))^2
  }))
  expect_equal(fit$held_out[["rmse"]], sqrt(mean(squares)) * fit$response$scale, tolerance = 1e-8)
})

test_that("fewer active points, the machine of the paper and Student noise keep active sets", {
  data <- smooth_data(300)$data
  expect_output(print(exact_parts(data)), "all rows of each part")
  expect_output(print(fit_parts_of(data, leaf_rows = 100, n_active = 99)), "active rows")
  expect_output(print(fit_parts_of(data, leaf_rows = 100, n_active = 100, refine = 0)),
    "active rows"
  )
  student <- fit_parts_of(data, leaf_rows = 100, n_active = NULL,
    likelihood = lik_student(4, 0.3)
  )
  expect_output(print(student), "active rows")
})

test_that("the gradient of an exact evidence is computed when it is asked for", {
  data <- smooth_data(80)$data
  at <- function(log_values) {
    meanfield_gp(y ~ a + b, data, kernel_rbf(exp(log_values[1]), exp(log_values[2])),
      lik_gaussian(exp(log_values[3])), optimise = FALSE
    )
  }
  start <- c(0.1, -0.4, -2)
  found <- evidence(at(start), gradient = TRUE)$gradient
  differences <- vapply(1:3, function(i) {
    step <- replace(numeric(3), i, 1e-5)
    (as.numeric(logLik(at(start + step))) - as.numeric(logLik(at(start - step)))) / 2e-5
  }, 0)
  expect_equal(unname(found), differences, tolerance = 1e-5)
})

test_that("the evidence of leaves counts each row once", {
  data <- smooth_data(300)$data
  rbf <- function(log_length) kernel_rbf(1, exp(log_length))
  at <- function(unit, overlap, log_length = 0, kernel = rbf(log_length), ...) {
    data$y <- unit * data$y
    ivm(y ~ a + b, data, kernel, lik_gaussian(0.1), leaf_rows = 60, optimise = FALSE, seed = 1,
      control = control_ivm(overlap = overlap), ...)
  }
  counts_once <- function(overlap, ..., rows = 300) {
    change <- evidence(at(100, overlap, ...))$value - evidence(at(1, overlap, ...))$value
    expect_equal(change, -rows * log(100), tolerance = 1e-9)
  }
  for (overlap in c(0, 0.3, 1)) counts_once(overlap)
  counts_once(0.3, trees = 2)
  counts_once(0.3, kernel = rbf(0) + rbf(-1), trees = "terms")
  slope <- evidence(at(1, 0.3), gradient = TRUE)$gradient[["lengthscale"]]
  moved <- evidence(at(1, 0.3, 1e-4))$value - evidence(at(1, 0.3, -1e-4))$value
  expect_equal(slope, moved / 2e-4, tolerance = 1e-5)
  # Of so many rows a sample is judged without itself, and all are counted.
  data <- smooth_data(12000)$data
  counts_once(0.3, weights = rep(1:3, 4000), rows = 24000)
})
