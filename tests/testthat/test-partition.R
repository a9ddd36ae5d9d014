# ivm(leaf_rows =, trees =): machines on parts of the rows, and the one fit that they make.

# Predictions of a partitioned fit and of one machine in the same words.
every_answer <- function(fit, data) {
  list(
    all_predictions(fit, data), evidence(fit, gradient = TRUE), active_set(fit), inducing(fit),
    sites(fit)[c("row", "precision", "mean")], coef(fit)
  )
}

test_that("one leaf is one machine, bit for bit", {
  for (task in tasks) {
    data <- smooth_data(120, task)$data
    one <- fit_parts_of(data, leaf_rows = NULL)
    for (trees in c(1, 3)) {
      leaf <- fit_parts_of(data, leaf_rows = 120, trees = trees)
      expect_identical(every_answer(leaf, data), every_answer(one, data))
      expect_identical(
        predict(leaf, data[1:9, ], type = "link", cov = TRUE),
        predict(one, data[1:9, ], type = "link", cov = TRUE)
      )
    }
    expect_identical(leaf$calibration, one$calibration)
    expect_identical(leaf$response, one$response)
  }
})

# The machine of each row of a fit without an overlap.
leaf_of_rows <- function(fit, data) {
  visits <- visits_of(fit$partition$trees, rows_of_fit(fit, data), core_settings(1L))
  expect_identical(visits$weight, rep(1, nrow(data)))
  visits$machine[order(visits$row)]
}

standardised_response <- function(fit, data) {
  (data$y - fit$response$center) / fit$response$scale
}

test_that("a leaf's machine is the machine of its rows", {
  data <- smooth_data(900)$data
  # Random numbers are those of the machine: without random inclusions both find the same rows.
  fit <- fit_parts_of(data, control = control_ivm(overlap = 0, n_random = 0))
  x <- rows_of_fit(fit, data)
  y <- standardised_response(fit, data)
  leaf <- leaf_of_rows(fit, data)
  expect_identical(tabulate(leaf), fit$partition$rows)
  for (m in seq_along(fit$partition$rows)) {
    rows <- which(leaf == m)
    alone <- ivm(x[rows, ], y[rows],
      kernel = kernel_rbf(1, c(0.7, 1.5)), likelihood = likelihood_of(fit), n_active = 20,
      refine = 2, optimise = FALSE, standardise = FALSE, prior_mean = 0,
      control = control_ivm(n_random = 0), seed = 1, verbose = FALSE
    )
    expect_identical(rows[active_set(alone)], sites(fit)$row[sites(fit)$leaf == m])
    expect_equal(predict(fit, data[rows, ]),
      predict(alone, x[rows, ]) * fit$response$scale + fit$response$center,
      tolerance = 1e-12
    )
  }
})

test_that("a leaf with at most n_active rows has the exact posterior of its rows", {
  data <- smooth_data(300)$data
  fit <- fit_parts_of(data, leaf_rows = 40, n_active = 60, control = no_overlap)
  rows <- which(leaf_of_rows(fit, data) == 3L)
  k <- kernel_matrix(kernel_of(fit), rows_of_fit(fit, data)[rows, ])
  y <- standardised_response(fit, data)[rows]
  noise <- likelihood_of(fit)$values$variance
  exact <- k %*% solve(k + diag(noise, length(rows)), y)
  found <- predict(fit, data[rows, ], type = "link", se.fit = TRUE)
  expect_equal(found$fit, drop(exact) * fit$response$scale + fit$response$center, tolerance = 1e-8)
  expect_equal(
    (found$se.fit / fit$response$scale)^2,
    diag(k - k %*% solve(k + diag(noise, length(rows)), k)), tolerance = 1e-6
  )
  expect_length(active_set(fit), 300)
})

test_that("neither threads nor workers change a bit", {
  for (task in c("binary", "regression")) {
    data <- smooth_data(500, task)$data
    fit <- function(...) fit_parts_of(data, trees = 2, ...)
    same <- function(fit) expect_identical(without_clock(fit), without_clock(reference))
    reference <- fit()
    same(fit(threads = 3))
    expect_identical(
      all_predictions(reference, data, threads = 3), all_predictions(reference, data)
    )
    skip_on_cran()
    workers <- local_workers(2)
    same(fit(cluster = workers))
    expect_identical(
      predict(reference, data, type = "link", cluster = workers),
      predict(reference, data, type = "link")
    )
  }
})

test_that("predictions are continuous where leaves meet, and jump without an overlap", {
  data <- smooth_data(900)$data
  largest_step <- function(fit) {
    tree <- fit$partition$trees[[1]]
    steps <- vapply(seq_along(tree$cut), function(i) {
      at <- data[1:40, c("a", "b")]
      column <- tree$column[i]
      cut <- tree$cut[i] * fit$inputs$scale[column] + fit$inputs$center[column]
      sides <- lapply(c(-1, 1), function(side) {
        at[[column]] <- cut + 1e-8 * side
        predict(fit, at, type = "link", se.fit = TRUE)
      })
      max(abs(sides[[1]]$fit - sides[[2]]$fit) / sides[[1]]$se.fit)
    }, 0)
    max(steps)
  }
  expect_gt(largest_step(fit_parts_of(data, control = no_overlap)), 0.5)
  expect_lt(largest_step(fit_parts_of(data)), 1e-4)
})

test_that("several trees give the moments of the mixture", {
  data <- smooth_data(600)$data
  new <- data[1:30, ]
  both <- fit_parts_of(data, trees = 2, control = no_overlap)
  expect_length(both$partition$trees, 2)
  at <- machine_marginals(both, rows_of_fit(both, new), TRUE, core_settings(1L))
  each <- split(seq_along(at$visits$row), at$visits$row)
  mean <- vapply(each, function(v) mean(at$mean[v, 1]), 0)
  variance <- vapply(each, function(v) {
    mean(at$variance[v, 1] + (at$mean[v, 1] - mean(at$mean[v, 1]))^2)
  }, 0)
  expect_gt(max(vapply(each, function(v) diff(at$mean[v, 1]), 0)), 0)
  found <- predict(both, new, type = "link", se.fit = TRUE)
  expect_equal(found$fit, unname(mean) * both$response$scale + both$response$center)
  expect_equal(found$se.fit, unname(sqrt(variance)) * both$response$scale)
})

test_that("covariances are joint within a leaf, zero between leaves, and those of se.fit", {
  data <- smooth_data(600)$data
  new <- data[1:40, ]
  fit <- fit_parts_of(data, control = no_overlap)
  together <- outer(leaf_of_rows(fit, new), leaf_of_rows(fit, new), "==")
  cov <- predict(fit, new, type = "link", cov = TRUE)$cov
  expect_true(all(cov[!together] == 0))
  expect_true(all(cov[together] != 0))
  mixed <- fit_parts_of(data, trees = 2)
  cov <- predict(mixed, new, type = "link", cov = TRUE)$cov
  se <- predict(mixed, new, type = "link", se.fit = TRUE)$se.fit
  expect_equal(diag(cov), se^2, tolerance = 1e-10)
  expect_gt(min(eigen(cov, TRUE, only.values = TRUE)$values), -1e-10 * max(cov))
  expect_identical(dim(posterior_draws(mixed, new[1:5, ], 3, seed = 1)), c(5L, 3L))
  expect_identical(nrow(simulate(mixed, 2, seed = 1, newdata = new[1:5, ])), 5L)
})

test_that("leaves of one class or one value are ordinary leaves", {
  set.seed(1)
  n <- 800
  data <- data.frame(a = runif(n), b = rep(0:1, n / 2), constant = 1)
  data$y <- factor(ifelse(data$a > 0.8, "rare", ifelse(data$b == 1, "one", "zero")))
  fit <- ivm(y ~ ., data, n_active = 20, leaf_rows = 100, trees = 2, optimise = FALSE, seed = 1)
  p <- predict(fit, data, type = "prob")
  expect_true(all(is.finite(p)) && all(abs(rowSums(p) - 1) < 1e-12))
  expect_gt(mean(predict(fit, data) == data$y), 0.95)
  two <- transform(data, y = factor(data$a > 0.8))
  fit <- ivm(y ~ ., two, n_active = 20, leaf_rows = 100, optimise = FALSE, seed = 1)
  expect_gt(mean(predict(fit, two) == two$y), 0.95)
  flat <- transform(data, y = round(a))
  fit <- ivm(y ~ ., flat, n_active = 20, leaf_rows = 100, optimise = FALSE, seed = 1)
  expect_true(all(is.finite(predict(fit, flat, type = "quantile"))))
  equal <- data.frame(a = rep(1:3, each = 50), y = rnorm(150))
  expect_output(print(ivm(y ~ a, equal, leaf_rows = 10, optimise = FALSE, seed = 1)), "parts")
})

test_that("counts, weights, offsets and robust likelihoods go through leaves", {
  data <- smooth_data(600)$data
  data$n <- with_own_seed(3, rpois(600, exp(0.3 * data$y)))
  data$w <- rep(1:3, 200)
  data$exposure <- rep(c(1, 2), 300)
  one <- function(...) ivm(..., data = data, n_active = 600, optimise = FALSE, seed = 1)
  counts <- function(...) one(n ~ a + b + offset(log(exposure)), likelihood = lik_poisson(), ...)
  near <- function(make, tolerance, ...) {
    whole <- make()
    parts <- make(leaf_rows = 300)
    rms <- function(v) sqrt(mean(v^2))
    expect_gt(length(parts$partition$rows), 1)
    expected <- predict(whole, data)
    expect_lt(rms(predict(parts, data) - expected), tolerance * sd(expected))
  }
  near(function(...) counts(refine = 3, ...), 0.15)
  near(function(...) one(y ~ a + b, weights = w, ...), 0.1)
  near(function(...) one(y ~ a + b, likelihood = lik_student(), ...), 0.1)
  fit <- one(y ~ a + b, weights = w, leaf_rows = 200, control = no_overlap)
  expect_equal(nobs(fit), 1200)
  expect_equal(fit$evidence$rows, 1200) # every row is active in its leaf
})

test_that("leave-one-out densities of a partition are those of its leaves", {
  data <- smooth_data(400)$data
  fit <- fit_parts_of(data, leaf_rows = 60, n_active = 100, refine = 0, control = no_overlap)
  x <- rows_of_fit(fit, data)
  y <- standardised_response(fit, data)
  leaf <- leaf_of_rows(fit, data)
  noise <- likelihood_of(fit)$values$variance
  expected <- numeric(400)
  for (m in unique(leaf)) {
    rows <- which(leaf == m)
    precision <- solve(kernel_matrix(kernel_of(fit), x[rows, ]) + diag(noise, length(rows)))
    mean <- y[rows] - drop(precision %*% y[rows]) / diag(precision)
    expected[rows] <- dnorm(y[rows], mean, 1 / sqrt(diag(precision)), log = TRUE)
  }
  expect_equal(loo(fit, data), expected - log(fit$response$scale), tolerance = 1e-6)
  # Rows that take part in several machines, and refined machines beside exact ones.
  mixed <- fit_parts_of(data, leaf_rows = 60, n_active = 50, trees = 2)
  expect_true(all(is.finite(loo(mixed, data))))
  expect_lt(abs(mean(loo(mixed, data)) - mean(expected - log(fit$response$scale))), 0.3)
  # Classes: from the cavities of the machines.
  classes <- smooth_data(400, "binary")$data
  table <- fit_parts_of(classes, trees = 2)$calibration$reliability
  expect_equal(sum(table$count), 400)
})

test_that("sparse inputs are divided like dense ones", {
  skip_if_not_installed("Matrix")
  x <- with_own_seed(2, matrix(rbinom(400 * 6, 2, 0.4), 400, 6))
  colnames(x) <- letters[1:6]
  y <- x[, 1] - x[, 2] + with_own_seed(3, rnorm(400, sd = 0.1))
  fit <- function(x) {
    ivm(x, y, kernel_rbf(1, 2), n_active = 30, leaf_rows = 100, optimise = FALSE, seed = 1)
  }
  sparse <- fit(methods::as(x, "dgCMatrix"))
  dense <- fit(x)
  cuts <- c("trees", "rows")
  expect_equal(sparse$partition[cuts], dense$partition[cuts])
  expect_equal(predict(sparse, methods::as(x, "dgCMatrix")), predict(dense, x), tolerance = 1e-6)
})

test_that("the tree cuts the columns along which the kernel changes", {
  rates <- function(kernel, p = 3) {
    x <- uniform_inputs(20, p)
    kernel_rates(kernel_resolve(kernel, x), p)$rate
  }
  expect_equal(rates(kernel_rbf(2, c(1, 2, 4))), 1 / c(1, 2, 4))
  expect_equal(rates(kernel_rbf(1, 0.5) + kernel_constant(3)), rep(0.5, 3))
  product <- kernel_rbf(1, 0.5) * kernel_matern(variance = 7, lengthscale = 2)
  expect_equal(rates(product), rep(2.5, 3))
  expect_equal(rates(kernel_on(kernel_rbf(1, 0.5), 2)), c(0, 2, 0))
  expect_equal(rates(kernel_linear(1)), numeric(3))
  data <- smooth_data(600)$data
  fit <- ivm(y ~ a + b, data, kernel_on(kernel_rbf(1, 1), "b") + kernel_linear(1),
    leaf_rows = 100, n_active = 20, optimise = FALSE, seed = 1
  )
  expect_identical(unique(fit$partition$trees[[1]]$column), 2L)
})

test_that("a partitioned fit survives saving, says what it is and is fitted again in leaves", {
  data <- smooth_data(600)$data
  fit <- fit_parts_of(data, trees = 2)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data), predict(fit, data))
  expect_output(print(fit), "8 of [0-9]+ to [0-9]+ rows, in 2 trees")
  again <- update(fit, data = data)
  expect_identical(without_clock(again)$posteriors, without_clock(fit)$posteriors)
  expect_length(update(fit, data = data, trees = 1)$partition$trees, 1)
  expect_false("partition" %in% names(update(fit, data = data, trees = 1, leaf_rows = NULL)))
  expect_identical(nrow(fit_trace(fit)), 8L)
})

test_that("damaged partitions are refused", {
  fit <- fit_parts_of(smooth_data(300)$data, leaf_rows = 100, trees = 2)
  new <- smooth_data(300)$new
  refused <- function(change) {
    fit$partition <- change(fit$partition)
    expect_error(predict(fit, new), class = "gpsieve_error")
  }
  refused(function(p) NULL)
  refused(function(p) list())
  refused(function(p) replace(p, "trees", list(p$trees[1])))
  refused(function(p) replace(p, "rows", list(p$rows[-1])))
  for (part in names(fit$partition$trees[[1]])) {
    tree <- function(value) {
      function(p) {
        p$trees[[1]][[part]] <- value(p$trees[[1]][[part]])
        p
      }
    }
    for (value in list(function(v) NULL, function(v) v[-1], function(v) replace(v, 1, NA),
      function(v) as.character(v), function(v) replace(v, 1, -1000L)
    )) {
      if (part == "cut" && identical(value(1), -1000)) next
      damaged <- tree(value)(fit$partition)
      # A cut may lie anywhere.
      if (part == "cut" && isTRUE(all(is.finite(damaged$trees[[1]]$cut))) &&
        length(damaged$trees[[1]]$cut) == length(fit$partition$trees[[1]]$cut)) next
      refused(tree(value))
    }
  }
})

test_that("wrong arguments are refused before any work", {
  data <- smooth_data(60)$data
  expect_snapshot(error = TRUE, {
    ivm(y ~ a + b, data, leaf_rows = 0)
    ivm(y ~ a + b, data, leaf_rows = "many")
    ivm(y ~ a + b, data, trees = 2)
    ivm(y ~ a + b, data, leaf_rows = 20, trees = 0)
    control_ivm(overlap = 2)
  })
})

test_that("the memory of all leaves is estimated before they are fitted", {
  x <- matrix(rep_len(c(-1, 0, 1, 0.5, -0.5), 2e6), 1e6, 2, dimnames = list(NULL, c("a", "b")))
  y <- rep_len(c(0, 1, 3), 1e6)
  withr::local_options(gpsieve.max_memory = 1e9)
  expect_error(ivm(x, y, leaf_rows = 2000, n_active = 1999), "leaves",
    class = "gpsieve_error_memory"
  )
  # Exact leaves keep no factors of so many rows, but each needs its own matrix.
  expect_error(ivm(x, y, leaf_rows = 20000), "leaf has a matrix", class = "gpsieve_error_memory")
})

test_that("pictures, relevance and data frames of a partition are those of any fit", {
  for (task in tasks) {
    data <- smooth_data(600, task)$data
    fit <- fit_parts_of(data, trees = 2)
    withr::local_pdf(withr::local_tempfile())
    expect_error(plot(fit), NA)
    found <- relevance(fit, data)
    expect_identical(sort(found$term), c("a", "b"))
    expect_true(all(is.finite(found$relevance)))
    expect_identical(nrow(augment(fit, data)), 600L)
    expect_identical(nrow(generics::glance(fit)), 1L)
    expect_gt(nrow(generics::tidy(fit)), 0)
    expect_output(print(summary(fit)), "parts")
    expect_equal(NROW(fitted(fit)), 600)
  }
})

test_that("basis points of all posteriors find their places among rows as each by itself", {
  numbers <- c(7, 3, 12, 1, 40)
  posteriors <- list(a = list(basis = c(3, 40)), b = list(basis = integer()), list(basis = 7))
  expect_identical(
    lapply(with_basis_among(posteriors, numbers), `[[`, "basis"),
    lapply(posteriors, function(posterior) match(posterior$basis, numbers))
  )
  expect_identical(with_basis_among(list(), numbers), list())
})
