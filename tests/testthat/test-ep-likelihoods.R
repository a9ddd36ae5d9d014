# ep_gp() with several classes, other likelihoods and powers.

test_that("several classes, together or one against the rest", {
  toy <- toy_data("multiclass", n = 120)
  guessing <- max(table(toy$y)) / length(toy$y)
  for (multiclass in c("joint", "ovr")) for (method in c("ep", "sep", "adf")) {
    fit <- suppressWarnings(ep_fixed(toy$x, toy$y,
      inducing = 20, method = method, standardise = TRUE, multiclass = multiclass,
      control = control_ep(max_iter = if (method == "adf") 1 else 200)
    ))
    expect_gt(mean(predict(fit, toy$x) == toy$y), guessing + 0.15)
    p <- predict(fit, toy$new, type = "prob")
    expect_close(rowSums(p), 1, 1e-10)
    if (method == "ep") {
      expect_length(loo(fit), 120)
      expect_true(all(is.finite(loo(fit)) & loo(fit) < 0))
    }
  }
})

test_that("a joint model does not mind the order of levels", {
  toy <- toy_data("multiclass", n = 90)
  fit_to <- function(y) {
    ep_fixed(toy$x, y, inducing = as.matrix(toy$x)[1:12, ], standardise = TRUE,
      control = control_ep(tol = 1e-9, max_iter = 2000)
    )
  }
  one <- predict(fit_to(toy$y), toy$new, type = "prob")
  two <- predict(fit_to(factor(toy$y, levels = c("high", "mid", "low"))), toy$new, type = "prob")
  expect_equal(two[, colnames(one)], one, tolerance = 1e-6)
})

test_that("one against the rest is binary machines", {
  toy <- toy_data("multiclass", n = 90)
  z <- as.matrix(toy$x)[1:12, ]
  all <- ep_fixed(toy$x, toy$y, inducing = z, standardise = TRUE, multiclass = "ovr")
  for (level in levels(toy$y)) {
    one <- ep_fixed(toy$x, factor(toy$y == level), inducing = z, standardise = TRUE,
      prior_mean = 0, multiclass = "ovr"
    )
    other <- ep_fixed(toy$x, toy$y, inducing = z, standardise = TRUE, multiclass = "ovr",
      prior_mean = 0
    )
    expect_equal(unname(predict(other, toy$new, type = "link")[, level]),
      unname(predict(one, toy$new, type = "link")),
      tolerance = 1e-7
    )
  }
  expect_possible(all, toy$new)
})

test_that("counts, heavy tails and a logistic link work with every power and schedule", {
  counts <- with_own_seed(9, rpois(60, exp(1 + sin(2 * ep_x[, 1]))))
  cases <- list(
    list(y = counts, likelihood = lik_poisson()), list(y = ep_y, likelihood = lik_student()),
    list(y = ep_class, likelihood = lik_logit()), list(y = ep_y, likelihood = lik_gaussian(0.1)),
    list(y = ep_class, likelihood = lik_probit())
  )
  for (case in cases) for (power in c(1, 0.5)) for (method in c("ep", "sep")) {
    fit <- ep_fixed(ep_x, case$y, likelihood = case$likelihood, power = power, method = method,
      control = control_ep(tol = 1e-6)
    )
    expect_possible(fit)
    if (case$likelihood$type == "poisson") expect_gt(cor(predict(fit, ep_x), counts), 0.4)
  }
})
