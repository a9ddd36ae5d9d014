# What a fit says about several rows together: covariances, draws, simulated responses.

as_list <- function(x) if (is.list(x)) x else list(x)

law("the joint covariance has the squared standard deviations on its diagonal",
  function(fit, toy, spec, task) {
    joint <- predict(fit, toy$new, type = "link", cov = TRUE)
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_named(joint, c("fit", "cov"))
    expect_identical(joint$fit, link$fit)
    variances <- vapply(as_list(joint$cov), diag, numeric(nrow(toy$new)))
    expect_equal(unname(variances), unname(as.matrix(link$se.fit)^2), tolerance = 1e-10)
    for (k in as_list(joint$cov)) {
      expect_identical(k, t(k))
      smallest <- min(eigen(k, symmetric = TRUE, only.values = TRUE)$values)
      expect_gt(smallest, -1e-9 * max(diag(k)))
    }
    if (task == "multiclass") expect_named(joint$cov, levels(toy$y))
  }
)

law("a covariance of two rows does not depend on the others or the threads", through = "formula",
  function(fit, toy, spec, task) {
    whole <- as_list(predict(fit, toy$new, type = "link", cov = TRUE)$cov)
    some <- as_list(predict(fit, toy$new[c(7, 2), ], type = "link", cov = TRUE)$cov)
    more <- predict(fit, toy$new, type = "link", cov = TRUE, threads = 2)$cov
    expect_identical(as_list(more), whole)
    for (k in seq_along(whole)) {
      expect_equal(some[[k]], whole[[k]][c(7, 2), c(7, 2)], tolerance = 1e-10)
    }
  }
)

law("rows with missing values and no rows keep their place in a covariance", through = "formula",
  function(fit, toy, spec, task) {
    holes <- toy$new
    holes$b[3] <- NA
    whole <- as_list(predict(fit, toy$new, type = "link", cov = TRUE)$cov)
    found <- as_list(predict(fit, holes, type = "link", cov = TRUE)$cov)
    none <- as_list(predict(fit, holes[0, ], type = "link", cov = TRUE)$cov)
    for (k in seq_along(whole)) {
      expect_true(all(is.na(found[[k]][3, ])) && all(is.na(found[[k]][, 3])))
      expect_equal(found[[k]][-3, -3], whole[[k]][-3, -3], tolerance = 1e-10)
      expect_identical(dim(none[[k]]), c(0L, 0L))
    }
  }
)

test_that("the joint covariance of exact regression is that of the textbook", {
  x <- uniform_inputs(30, 2)
  y <- sin(2 * x[, 1]) + x[, 2]
  z <- uniform_inputs(8, 2, seed = 3)
  k <- rbf(x, lengthscale = 0.8)
  between <- rbf(x, z, lengthscale = 0.8)
  want <- rbf(z, lengthscale = 0.8) - crossprod(between, solve(k + diag(0.1, 30), between))
  kernel <- kernel_rbf(1, 0.8)
  exact <- function(model, ...) {
    model(x, y, kernel = kernel, likelihood = lik_gaussian(0.1), optimise = FALSE,
      standardise = FALSE, ...
    )
  }
  fits <- list(
    exact(meanfield_gp), exact(ivm, n_active = 30, seed = 1),
    exact(online_gp, novelty = 0, seed = 1), exact(greedy_gp, n_basis = 30, tol = 1e-12, seed = 1)
  )
  for (fit in fits) {
    expect_equal(unname(predict(fit, z, type = "link", cov = TRUE)$cov), unname(want),
      tolerance = 1e-6
    )
  }
})

law("draws have the means and covariances of the posterior", through = "formula",
  function(fit, toy, spec, task) {
    n <- 20000
    draws <- as_list(posterior_draws(fit, toy$new, n, seed = 1))
    joint <- predict(fit, toy$new, type = "link", cov = TRUE)
    means <- as.matrix(joint$fit)
    for (k in seq_along(draws)) {
      cov <- as_list(joint$cov)[[k]]
      sd <- sqrt(diag(cov))
      # Five standard errors of a mean and of a covariance of normal numbers.
      expect_lt(max(abs(rowMeans(draws[[k]]) - means[, k]) / sd), 5 / sqrt(n))
      error <- sqrt((cov^2 + outer(sd^2, sd^2)) / n)
      expect_lt(max(abs(stats::cov(t(draws[[k]])) - cov) / error), 5)
    }
  }
)

law("simulated responses have the predictive distribution", through = "formula",
  on = c("binary", "regression"), function(fit, toy, spec, task) {
    n <- 4000
    y <- simulate(fit, n, seed = 1, newdata = toy$new)
    expect_s3_class(y, "data.frame")
    expect_identical(dim(y), c(nrow(toy$new), as.integer(n)))
    expect_identical(names(y)[c(1, n)], c("sim_1", paste0("sim_", n)))
    if (task == "binary") {
      expect_identical(levels(y[[1]]), levels(toy$y))
      share <- rowMeans(vapply(y, function(s) s == "yes", logical(nrow(toy$new))))
      expect_lt(max(abs(share - predict(fit, toy$new, type = "prob")[, "yes"])), 0.04)
    } else {
      probs <- c(0.1, 0.5, 0.9)
      below <- predict(fit, toy$new, type = "quantile", probs = probs)
      for (j in seq_along(probs)) {
        share <- rowMeans(as.matrix(y) <= below[, j])
        expect_lt(max(abs(share - probs[j])), 5 * sqrt(0.25 / n))
      }
    }
  }
)

test_that("draws without newdata say that it is missing, for pairs and learned noise too", {
  d <- data.frame(x = 1:12, s = c(0, 1, 1, 2, 3, 3, 2, 1, 1, 0, 1, 2))
  pairs <- meanfield_gp(cbind(s, 4 - s) ~ x, d, likelihood = lik_binomial(), optimise = FALSE)
  for (fit in list(pairs, shared_fit("ivm", "regression"))) {
    expect_error(simulate(fit, 2), "newdata", class = "gpsieve_error_argument")
    expect_error(posterior_draws(fit, n = 2), "newdata", class = "gpsieve_error_argument")
  }
})

test_that("simulated classes, counts and heavy tails come in their own kind", {
  three <- simulate(shared_fit("ivm", "multiclass"), 2, newdata = toy_data("multiclass")$new)
  expect_identical(levels(three$sim_1), levels(toy_data("multiclass")$y))
  link <- simulate(shared_fit("ivm", "multiclass"), 2, newdata = toy_data("multiclass")$new,
    type = "link"
  )
  expect_identical(colnames(link$sim_2), levels(toy_data("multiclass")$y))
  x <- uniform_inputs(40, 1)
  counts <- meanfield_gp(x, rep(0:3, 10), likelihood = lik_poisson(), optimise = FALSE)
  drawn <- unlist(simulate(counts, 500, seed = 2, newdata = x[1, , drop = FALSE]))
  expect_true(all(drawn >= 0 & drawn == round(drawn)))
  expect_equal(mean(drawn), predict(counts, x[1, , drop = FALSE]), tolerance = 0.15)
  heavy <- ivm(x, x[, 1], likelihood = lik_student(4, 0.3), optimise = FALSE, seed = 1)
  drawn <- unlist(simulate(heavy, 4000, seed = 2, newdata = x[1, , drop = FALSE]))
  limits <- predict(heavy, x[1, , drop = FALSE], type = "quantile", probs = c(0.1, 0.9))
  expect_lt(abs(mean(drawn < limits[1]) - 0.1), 0.03)
  expect_lt(abs(mean(drawn > limits[2]) - 0.1), 0.03)
})

test_that("a seed governs the draws and leaves R's generator alone", {
  fit <- shared_fit("ivm", "regression")
  new <- toy_data("regression")$new
  expect_false(generator_moved(first <- simulate(fit, 2, seed = 4, newdata = new)))
  expect_false(generator_moved(posterior_draws(fit, new, seed = 4)))
  expect_identical(simulate(fit, 2, seed = 4, newdata = new), first)
  expect_true(generator_moved(simulate(fit, 2, newdata = new)))
  set.seed(9)
  one <- simulate(fit, 2, newdata = new)
  assign(".Random.seed", attr(one, "seed"), globalenv())
  expect_identical(simulate(fit, 2, newdata = new), one)
  holes <- new
  holes$a[2] <- NA
  expect_true(all(is.na(simulate(fit, 2, newdata = holes)[2, ])))
  expect_identical(nrow(simulate(fit, 2, newdata = new[0, ])), 0L)
})

test_that("an augmented machine has no joint posterior, and says so", {
  toy <- toy_data("regression")
  fit <- rvm(y ~ a + b, toy$data, variance = "augmented", optimise = FALSE, seed = 1)
  refused <- function(code, class = "unsupported") {
    expect_error(code, class = paste0("gpsieve_error_", class))
  }
  refused(predict(fit, toy$new, type = "link", cov = TRUE))
  refused(posterior_draws(fit, toy$new))
  refused(simulate(fit, newdata = toy$new))
  good <- shared_fit("ivm", "regression")
  refused(predict(good, toy$new, cov = TRUE))
  refused(predict(good, toy$new, type = "link", cov = TRUE, se.fit = TRUE))
  refused(simulate(good), "argument")
  refused(simulate(good, nsim = 0, newdata = toy$new), "argument")
  refused(posterior_draws(good, toy$new, 1.5), "argument")
  expect_snapshot(error = TRUE, {
    predict(fit, toy$new, type = "link", cov = TRUE)
    predict(good, toy$new, cov = TRUE)
    simulate(good)
  })
})
