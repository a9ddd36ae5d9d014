# ivm(trees = "terms"): a tree for each term of the kernel's sum.

two_terms <- function(second = 1) {
  kernel_on(kernel_rbf(1, 0.7), "a") + kernel_on(kernel_rbf(second, 1.5), "b") +
    kernel_constant(0.1)
}

fit_terms_of <- function(data, ..., kernel = two_terms(), leaf_rows = 200, n_active = 40,
                         trees = "terms", refine = 2) {
  ivm(y ~ a + b, data,
    kernel = kernel, n_active = n_active, refine = refine, optimise = FALSE,
    leaf_rows = leaf_rows, trees = trees, seed = 1, verbose = FALSE, ...
  )
}

test_that("each term has the tree of the columns that it depends on", {
  fit <- fit_terms_of(smooth_data(900)$data)
  expect_identical(fit$partition$terms, list(c(1L, 3L), 2L))
  expect_identical(lapply(fit$partition$trees, function(tree) unique(tree$column)), list(1L, 2L))
  expect_length(fit$posteriors, length(fit$partition$rows))
  expect_match(partition_words(fit), "in a tree for each term", fixed = TRUE)
})

test_that("terms of warped inputs have the trees of the terms of the inputs", {
  data <- smooth_data(900)$data
  of <- function(kernel) fit_terms_of(data, kernel = kernel)
  sum <- kernel_rbf(1, 0.7) + kernel_matern(1.5, 1, 1.5) + kernel_constant(0.1)
  plain <- of(sum)
  warped <- of(kernel_warped(sum))
  expect_identical(warped$partition$terms, plain$partition$terms)
  expect_equal(all_predictions(warped, data), all_predictions(plain, data), tolerance = 1e-8)
})

# Points at equal distances on two circles, so that every row has the same variances.
on_circles <- function(n) {
  at <- (seq_len(n) - 1) / n
  other <- at[(7 * (seq_len(n) - 1)) %% n + 1]
  data.frame(a = at, b = other, y = sin(2 * pi * at) + cos(4 * pi * other) + 0.1 * (-1)^seq_len(n))
}

test_that("with Gaussian noise the means converge to those of the sum of the processes", {
  data <- on_circles(60)
  kernel <- kernel_on(kernel_periodic(1, 0.8, 1), "a") + kernel_on(kernel_periodic(1, 0.5, 1), "b")
  exact <- meanfield_gp(y ~ a + b, data,
    kernel = kernel, likelihood = lik_gaussian(0.3), optimise = FALSE, standardise = FALSE,
    prior_mean = 0, seed = 1
  )
  distance <- function(rounds) {
    with_functions(list(rounds_of_terms = rounds), {
      fit <- ivm(y ~ a + b, data,
        kernel = kernel, likelihood = lik_gaussian(0.3), n_active = 60, leaf_rows = 60,
        trees = "terms", optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1
      )
    })
    max(abs(predict(fit, data) - predict(exact, data)))
  }
  found <- vapply(c(1L, 2L, 5L, 40L), distance, 0)
  expect_true(all(diff(found) < 0))
  expect_lt(found[4L], 1e-8)
})

test_that("a term that explains nothing leaves the machines of the other", {
  for (task in c("regression", "binary")) {
    data <- smooth_data(600, task)$data
    # Passes begin with the sites of the selection, which depend on its order: many forget them.
    both <- fit_terms_of(data, kernel = two_terms(1e-14), refine = 20)
    one <- fit_terms_of(data, kernel = kernel_on(kernel_rbf(1, 0.7), "a") + kernel_constant(0.1),
      trees = 1, refine = 20
    )
    expect_equal(all_predictions(both, data), all_predictions(one, data), tolerance = 1e-6)
  }
})

test_that("predictions, covariances and terms are sums over the trees", {
  data <- smooth_data(700)$data
  new <- data[1:12, ]
  fit <- fit_terms_of(data)
  each <- lapply(fits_of_trees(fit), function(own) {
    latent_marginals(own, rows_of_fit(fit, new), TRUE, core_settings(1L))
  })
  scale <- fit$response$scale
  said <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(said$fit,
    drop(each[[1]]$mean + each[[2]]$mean) * scale + fit$response$center,
    tolerance = 1e-12
  )
  expect_equal(said$se.fit^2, drop(each[[1]]$variance + each[[2]]$variance) * scale^2,
    tolerance = 1e-12
  )
  covariance <- predict(fit, new, type = "link", cov = TRUE)$cov
  expect_equal(diag(covariance), said$se.fit^2, tolerance = 1e-10)
  expect_gt(min(eigen(covariance, symmetric = TRUE, only.values = TRUE)$values), -1e-10)
  terms <- predict(fit, new, type = "terms")
  expect_equal(rowSums(terms) + attr(terms, "constant"), said$fit, tolerance = 1e-10)
})

test_that("what rows are said to be without themselves is what new rows are", {
  for (task in c("regression", "binary")) {
    data <- smooth_data(3000, task)$data
    fit <- fit_terms_of(data[1:1500, ])
    figure <- if (task == "regression") "rmse" else "log_loss"
    new <- data[1501:3000, ]
    found <- if (task == "regression") {
      sqrt(mean((predict(fit, new) - new$y)^2))
    } else {
      probability <- as.matrix(predict(fit, new, type = "prob"))
      -mean(log(probability[cbind(1:1500, as.integer(new$y))]))
    }
    expect_equal(fit$held_out[[figure]], found, tolerance = 0.1)
  }
})

test_that("weights are copies, an offset is known", {
  data <- smooth_data(500)$data
  data$w <- rep_len(1:2, 500)
  twice <- data[rep(seq_len(500), data$w), ]
  expect_equal(
    predict(fit_terms_of(data, weights = w), data), predict(fit_terms_of(twice), data),
    tolerance = 1e-6
  )
  data$known <- seq(-3, 3, length.out = 500)
  moved <- transform(data, y = y + known)
  expect_equal(
    predict(fit_terms_of(moved, offset = known), moved) - data$known,
    predict(fit_terms_of(data), data), tolerance = 0.05
  )
})

test_that("neither threads, workers nor a stop change a bit", {
  data <- smooth_data(500, "binary")$data
  same <- function(fit) {
    fit$settings$control["checkpoint"] <- list(NULL)
    expect_identical(without_clock(fit), without_clock(reference))
  }
  reference <- fit_terms_of(data)
  same(fit_terms_of(data, threads = 3))
  expect_identical(all_predictions(reference, data, threads = 3), all_predictions(reference, data))
  skip_on_cran()
  path <- withr::local_tempfile()
  same(fit_terms_of(data, control = control_ivm(checkpoint = path)))
  cut_file(path, 0.6 * file.size(path))
  same(fit_terms_of(data, control = control_ivm(checkpoint = path), resume = path))
  workers <- local_workers(2)
  same(fit_terms_of(data, cluster = workers))
})

test_that("a fit of trees of terms answers what other fits answer", {
  data <- smooth_data(500, "binary")$data
  fit <- fit_terms_of(data)
  path <- withr::local_tempfile()
  saveRDS(fit, path)
  expect_identical(all_predictions(readRDS(path), data), all_predictions(fit, data))
  expect_identical(sort(relevance(fit)$term), c("a", "b"))
  expect_identical(sort(unique(sites(fit)$leaf)), seq_along(fit$partition$rows))
  expect_identical(nrow(fit_trace(fit)), length(fit$partition$rows))
  expect_true(is.finite(evidence(fit)$value))
  expect_s3_class(update(fit, n_active = 30), "gpsieve_ivm")
  expect_length(simulate(fit, 2, seed = 1, newdata = data[1:5, ]), 2)
  expect_error(evidence(fit, gradient = TRUE), class = "gpsieve_error_unsupported")
})

test_that("what the last tree says given the others is no evidence", {
  data <- smooth_data(300)$data
  fit <- local_gp(y ~ ., data, kernel_rbf() + kernel_matern(), trees = "terms", leaf_rows = 100,
    optimise = FALSE, seed = 1)
  expect_match(evidence(fit)$kind, "no evidence")
  expect_error(AIC(fit), "one tree, given the others", class = "gpsieve_error_unsupported")
})

test_that("what trees of terms cannot be made of is refused", {
  numbers <- smooth_data(300)$data
  classes <- smooth_data(300, "multiclass")$data
  two <- smooth_data(300, "binary")$data
  expect_snapshot(error = TRUE, {
    fit_terms_of(numbers, leaf_rows = NULL)
    fit_terms_of(numbers, trees = "leaves")
    fit_terms_of(numbers, kernel = kernel_rbf() + kernel_linear())
    fit_terms_of(numbers, refine = 0)
    fit_terms_of(classes)
    fit_terms_of(two, likelihood = lik_logit())
    fit_terms_of(numbers, likelihood = lik_student())
    fit_terms_of(rows_from_matrix(as.matrix(numbers)))
    update(fit_terms_of(numbers), data = numbers, leaves = "changed")
    loo(fit_terms_of(numbers), numbers)
  })
})
