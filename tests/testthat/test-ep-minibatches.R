# ep_gp() in minibatches: order, agreement with whole passes, held-out rows.

test_that("minibatches in row order do not depend on the seed, shuffled ones do", {
  fit <- function(seed, shuffle) {
    ep_gp(ep_x, ep_class, inducing = ep_z, batch_size = 20, epochs = 3, shuffle = shuffle,
      optimise = FALSE, seed = seed, verbose = FALSE
    )
  }
  answers <- function(...) ep_link(fit(...))
  expect_identical(answers(1, FALSE), answers(2, FALSE))
  expect_identical(answers(1, TRUE), answers(1, TRUE))
  expect_false(identical(answers(1, TRUE), answers(2, TRUE)))
  expect_equal(max(fit_trace(fit(1, TRUE))$iteration), 9)
})

test_that("minibatches with rows of one class only give valid fits", {
  ordered <- order(ep_class)
  for (method in c("ep", "sep", "adf")) {
    fit <- whatever_it_learns(ep_gp(ep_x[ordered, ], ep_class[ordered],
      inducing = ep_z, batch_size = 10, epochs = 10, shuffle = FALSE, method = method, seed = 1,
      verbose = FALSE
    ))
    expect_possible(fit)
    expect_gt(mean(predict(fit, ep_x) == ep_class), 0.7)
  }
})

test_that("many epochs of EP in minibatches end at the fixed point of EP on all rows", {
  whole <- ep_fixed(ep_x, ep_class, kernel = kernel_rbf(2, 1))
  parts <- ep_fixed(ep_x, ep_class, kernel = kernel_rbf(2, 1), batch_size = 7, epochs = 100)
  expect_same_link(whole, parts, tolerance = 1e-6)
  expect_equal(evidence(parts)$value, evidence(whole)$value, tolerance = 1e-8)
  expect_equal(loo(parts), loo(whole), tolerance = 1e-6)
})

test_that("a fit stops early by its held-out rows and returns the best state", {
  x <- uniform_inputs(150, 2, 11)
  y <- noisy_labels(x, 0.3)
  fit <- function(validation, patience) {
    ep_gp(x, y, kernel_rbf(5, 0.2), inducing = 40, seed = 1, verbose = FALSE,
      control = control_ep(max_iter = 150, validation = validation, patience = patience)
    )
  }
  all <- fit_trace(fit(0, NULL))
  expect_true(all(is.na(all$validation)))
  expect_equal(max(all$iteration), 150)
  stopped <- fit(0.3, 3)
  trace <- fit_trace(stopped)
  losses <- trace$validation[!is.na(trace$validation)]
  expect_true(all(is.finite(losses)))
  expect_lt(max(trace$iteration), 150)
  expect_gte(max(trace$iteration) - trace$iteration[which.min(trace$validation)], 3)
  expect_equal(nobs(stopped), 105)
  # The state that stays is the one of the last improvement by more than 1e-4.
  best <- which(losses < c(Inf, cummin(losses)[-length(losses)]) - 1e-4)
  at_best <- whatever_it_learns(ep_gp(x, y, kernel_rbf(5, 0.2),
    inducing = 40, seed = 1, verbose = FALSE,
    control = control_ep(max_iter = trace$iteration[max(best)], validation = 0.3)
  ))
  expect_identical(coef(stopped), coef(at_best))
  expect_identical(ep_link(stopped), ep_link(at_best))
})

test_that("held-out rows may be named, and take no part in learning", {
  held <- c(3, 7, 20)
  # One iteration, so that the choice of the best iteration by the held-out rows has no effect.
  fit <- function(class, ...) {
    ep_gp(ep_x, class, inducing = 5, seed = 1, verbose = FALSE, ...,
      control = control_ep(max_iter = 1, validation = held)
    )
  }
  other <- ep_class
  other[held] <- rev(levels(ep_class))[as.integer(ep_class[held])]
  for (init in c("kmeans", "ivm")) {
    suppressWarnings({
      named <- fit(ep_class, inducing_init = init)
      changed <- fit(other, inducing_init = init)
    }, classes = "gpsieve_warning_convergence")
    expect_identical(coef(named), coef(changed))
    expect_identical(inducing(named), inducing(changed))
    expect_equal(nobs(named), length(ep_class) - 3)
  }
  p <- predict(named, ep_x[held, ], type = "prob")
  expect_equal(-mean(log(p[cbind(1:3, as.integer(ep_class[held]))])), fit_trace(named)$validation,
    tolerance = 1e-10
  )
})
