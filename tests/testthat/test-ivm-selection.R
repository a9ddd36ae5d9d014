# Which rows the informative vector machine chooses.

test_that("the active set is the dense machine's for every criterion, noise and prior mean", {
  k <- rbf(law_x, law_x, 2, 1) + 0.5
  kernel <- kernel_rbf(2, 1) + kernel_constant(0.5)
  y <- ifelse(law_class == "1", 1, -1)
  for (criterion in c("entropy", "infogain")) for (mean in c(0.4, -1)) {
    dense <- dense_ivm(k, y, 20, probit_site(mean), criterion)
    fit <- given(law_x, law_class,
      kernel = kernel, n_active = 20, criterion = criterion, refine = 0,
      prior_mean = mean, control = control_ivm(n_random = 0, n_full = Inf)
    )
    expect_identical(active_set(fit), dense$active)
    expect_equal(sites(fit)$precision, dense$precision, tolerance = 1e-8)
    expect_equal(sites(fit)$mean, dense$mean, tolerance = 1e-8)
    expect_equal(evidence(fit)$value, dense$evidence, tolerance = 1e-8)
  }
})

test_that("with Gaussian noise the entropy ignores the response, the gain does not", {
  control <- control_ivm(n_random = 0, n_full = Inf)
  set <- function(y, criterion) {
    active_set(given(law_x, y, kernel = kernel_rbf(2, 1) + kernel_linear(0.1), n_active = 12,
      likelihood = lik_gaussian(0.1), criterion = criterion, control = control
    ))
  }
  expect_identical(set(law_y, "entropy"), set(-3 * rev(law_y), "entropy"))
  expect_false(identical(set(law_y, "infogain"), set(-3 * rev(law_y), "infogain")))
})

test_that("ties go to the lowest row", {
  x <- law_x[rep(1:10, 3), ]
  y <- law_class[rep(1:10, 3)]
  fit <- given(x, y, n_active = 10, control = control_ivm(n_random = 0, n_full = Inf),
    prior_mean = 0
  )
  expect_identical(active_set(fit)[1], 1L)
  expect_true(all(active_set(fit)[1:5] <= 10))
})

test_that("the edges of the search's settings work", {
  controls <- list(
    control_ivm(n_random = 0, n_full = 0), control_ivm(n_random = 30, n_full = 0),
    control_ivm(n_random = 1e9, n_full = 1e9, pool = 1e9), control_ivm(n_full = 0, pool = 1),
    control_ivm(n_full = 0, pool = 2, retain = 0), control_ivm(n_full = 0, pool = 5, retain = 1),
    control_ivm(n_random = 3, n_full = 4, pool = 6, retain = 0.4)
  )
  for (control in controls) for (n_active in c(1, 17, 30)) {
    for (criterion in c("infogain", "random")) for (y in list(law_y, law_class)) {
      fit <- given(law_x, y, kernel = kernel_rbf(1, 1), n_active = n_active, control = control,
        criterion = criterion
      )
      expect_length(unique(active_set(fit)), n_active)
      expect_true(all(active_set(fit) %in% 1:30))
      expect_true(all(is.finite(predict(fit, law_new, type = "link"))))
    }
  }
})

test_that("whatever the order of inclusion, all rows with Gaussian noise give one posterior", {
  posterior <- function(control, seed) {
    fit <- given(law_x, law_y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.1),
      refine = 0, control = control, seed = seed
    )
    all_predictions(fit, law_new)
  }
  one <- posterior(control_ivm(n_random = 0, n_full = Inf), 1)
  expect_equal(posterior(control_ivm(n_full = 0, pool = 3), 2), one, tolerance = 1e-8)
  expect_equal(posterior(control_ivm(n_full = 5, pool = 8, retain = 0.3), 3), one, tolerance = 1e-8)
})

test_that("an informed choice of rows beats chance", {
  x <- uniform_inputs(400)
  y <- noisy_labels(x, flip = 0)
  new <- uniform_inputs(400, seed = 31)
  truth <- noisy_labels(new, flip = 0)
  error <- function(criterion) {
    mean(vapply(1:5, function(seed) {
      fit <- given(x, y, kernel = kernel_rbf(10, 1), n_active = 25, criterion = criterion,
        refine = 0, seed = seed
      )
      mean(predict(fit, new) != truth)
    }, 0))
  }
  expect_lt(error("entropy"), error("random"))
  expect_lt(error("infogain"), error("random"))
})
