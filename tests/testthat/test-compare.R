# Fits side by side: held-out and leave-one-out densities, cross-validation.

log_density_by_hand <- function(fit, data) {
  if (is.factor(data$y)) {
    p <- predict(fit, data, type = "prob")
    return(log(p[cbind(seq_len(nrow(data)), as.integer(data$y))]))
  }
  link <- predict(fit, data, se.fit = TRUE)
  dnorm(data$y, link$fit, sqrt(link$se.fit^2 + sigma(fit)^2), log = TRUE)
}

test_that("held-out scores are sums of log predictive densities, with paired errors", {
  for (task in tasks) {
    test <- toy_data(task, seed = 11)$data
    one <- shared_fit("ivm", task)
    other <- shared_fit("meanfield_gp", task)
    table <- compare(one, dense = other, newdata = test)
    rows <- cbind(one = log_density_by_hand(one, test), dense = log_density_by_hand(other, test))
    expect_setequal(table$model, c("one", "dense"))
    expect_equal(table$score, unname(colSums(rows)[table$model]), tolerance = 1e-8)
    expect_true(table$score[1] >= table$score[2] && table$difference[1] == 0)
    gap <- rows[, table$model[2]] - rows[, table$model[1]]
    expect_equal(table$std_error_difference[2], sd(gap) * sqrt(nrow(test)), tolerance = 1e-8)
    expect_identical(table$kind, rep("held out", 2))
  }
})

test_that("leave-one-out of exact regression is the textbook's and that of refits", {
  x <- uniform_inputs(25, 2)
  y <- sin(2 * x[, 1]) + x[, 2]
  kernel <- kernel_rbf(1, 0.8)
  settings <- list(kernel = kernel, likelihood = lik_gaussian(0.1), optimise = FALSE,
    standardise = FALSE
  )
  inverse <- solve(rbf(x, lengthscale = 0.8) + diag(0.1, 25))
  sd <- 1 / sqrt(diag(inverse))
  want <- dnorm(drop(inverse %*% y) * sd, log = TRUE) - log(sd)
  fit <- function(model, ...) do.call(model, c(list(x, y), settings, list(...)))
  expect_equal(loo(fit(meanfield_gp)), want, tolerance = 1e-8)
  expect_equal(loo(fit(ivm, n_active = 25, seed = 1), x, y), want, tolerance = 1e-6)
  expect_equal(loo(fit(greedy_gp, n_basis = 25, tol = 1e-12, seed = 1), x, y), want,
    tolerance = 1e-6
  )
  expect_equal(
    loo(fit(ep_gp, inducing = x, method = "sep", control = control_ep(max_iter = 2000)), x, y),
    want,
    tolerance = 1e-3
  )
})

# Densities and errors without each row, where f = g + noise and g is the projection on basis rows.
# Whether these have the noise of the points depends on the model: `shared`.
left_out_of_projection <- function(k, noise, points, shared, y, s2, fitc) {
  base <- k[points, points] + diag(noise[points])
  cross <- k[, points]
  if (shared) cross[cbind(points, seq_along(points))] <- diag(base)
  explained <- cross %*% solve(base, t(cross))
  open <- diag(k) + noise - diag(explained)
  inverse <- solve(explained + diag(s2 + if (fitc) open else 0, length(y)))
  error <- drop(inverse %*% y) / diag(inverse)
  sd <- sqrt(1 / diag(inverse) + if (fitc) 0 else open)
  list(density = dnorm(error, 0, sd, log = TRUE), rmse = sqrt(mean(error^2)))
}

test_that("rows among the basis points are left out with their noise of the kernel", {
  d <- toy_data("regression", n = 40)$data
  d$y <- d$y - mean(d$y)
  d$o <- with_own_seed(5, rnorm(40))
  k <- rbf(as.matrix(d[c("a", "b")]), lengthscale = 0.6)
  fit <- function(model, ...) {
    suppressMessages(model(y ~ a + b + offset(o), d, kernel_rbf(1, 0.6) + kernel_white(0.3),
      lik_gaussian(0.1), optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1, ...))
  }
  order <- with_own_seed(6, sample(40))
  for (case in list(
    list(fit = fit(greedy_gp, n_basis = 12), shared = TRUE, fitc = FALSE),
    list(fit = fit(ivm, n_active = 12), shared = FALSE, fitc = TRUE),
    list(fit = fit(ivm, n_active = 40), shared = TRUE, fitc = TRUE)
  )) {
    want <- left_out_of_projection(k, rep(0.3, 40), active_set(case$fit), case$shared, d$y - d$o,
      0.1, case$fitc)
    expect_equal(loo(case$fit, d), want$density, tolerance = 1e-5)
    expect_equal(loo(case$fit, d[order, ]), want$density[order], tolerance = 1e-5)
    expect_equal(case$fit$held_out[["rmse"]], want$rmse, tolerance = 1e-5)
  }
  expect_error(loo(fit(local_gp), d), class = "gpsieve_error_unsupported")
  forgetful <- fit(greedy_gp, n_basis = 12, control = control_greedy(keep = FALSE))
  expect_error(loo(forgetful, d), class = "gpsieve_error_unsupported")
})

test_that("rows with a gap are left out with the noise of gaps", {
  d <- toy_data("regression", n = 40)$data
  d$y <- d$y - mean(d$y)
  d$b[seq(2, 40, by = 3)] <- NA
  fit <- suppressMessages(greedy_gp(y ~ a + b, d, kernel_rbf(1, 0.6), lik_gaussian(0.1),
    n_basis = 12, optimise = FALSE, standardise = FALSE, prior_mean = 0, seed = 1,
    na.action = "model"))
  gap <- is.na(d$b)
  inputs <- cbind(d$a, ifelse(gap, mean(d$b, na.rm = TRUE), d$b), gap)
  noise <- coef(fit)[["gap_noise.variance"]] * gap
  want <- left_out_of_projection(rbf(inputs, lengthscale = 0.6), noise, active_set(fit), TRUE, d$y,
    0.1, FALSE)
  expect_equal(loo(fit, d), want$density, tolerance = 1e-5)
})

test_that("leave-one-out of a sparse regression is exact for its basis", {
  toy <- toy_data("regression", n = 30)
  x <- as.matrix(toy$x)
  refit <- function(rows) {
    greedy_gp(x[rows, ], toy$y[rows], kernel = kernel_rbf(1, c(0.5, 6)),
      likelihood = lik_gaussian(0.2), n_basis = 8, rule = "pivot", optimise = FALSE,
      standardise = FALSE, seed = 1
    )
  }
  whole <- refit(1:30)
  found <- loo(whole, x, toy$y)
  # The same basis without a row that is not in it: the pivots do not see the responses.
  others <- setdiff(1:30, active_set(whole))
  same <- 0
  for (i in others) {
    part <- refit(setdiff(1:30, i))
    if (!isTRUE(all.equal(inducing(part), inducing(whole)))) next
    same <- same + 1
    at <- predict(part, x[i, , drop = FALSE], se.fit = TRUE)
    want <- dnorm(toy$y[i], at$fit, sqrt(at$se.fit^2 + sigma(part)^2), log = TRUE)
    expect_equal(found[i], want, tolerance = 1e-6)
  }
  expect_gt(same, 10)
})

test_that("leave-one-out is refused in words where it does not follow from the fit", {
  expect_error(loo(shared_fit("ivm", "binary")), class = "gpsieve_error_unsupported")
  sparse <- shared_fit("greedy_gp", "regression")
  expect_error(loo(sparse), class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, {
    loo(shared_fit("ivm", "binary"))
    loo(sparse)
  })
})

test_that("cross-validation predicts each row by a fit that has not seen it", {
  toy <- toy_data("regression", n = 30)$data
  model <- function(data) ivm(y ~ a + b, data, n_active = 10, optimise = FALSE, seed = 1)
  folds <- rep(1:3, 10)
  found <- cv(model, toy, folds)
  expect_identical(found$rows$row, 1:30)
  expect_identical(found$rows$fold, folds)
  for (k in 1:3) {
    part <- model(toy[folds != k, ])
    expect_equal(found$rows$.pred[folds == k], predict(part, toy[folds == k, ]))
    expect_equal(found$rows$log_density[folds == k], log_density_by_hand(part, toy[folds == k, ]))
  }
  expect_equal(found$measures$estimate,
    c(mean(found$rows$log_density), sqrt(mean((found$rows$.pred - toy$y)^2)))
  )
  expect_output(print(found), "30 rows, 3 folds")
})

test_that("folds are drawn by the seed, spread classes evenly and take a fit", {
  toy <- toy_data("binary")$data
  fit <- ivm(y ~ a + b, toy, n_active = 10, optimise = FALSE, seed = 1)
  expect_false(generator_moved(first <- cv(fit, toy, 4, seed = 2)))
  expect_identical(cv(fit, toy, 4, seed = 2), first)
  counts <- table(first$rows$fold, toy$y)
  expect_lte(max(apply(counts, 2, function(n) diff(range(n)))), 1)
  expect_identical(first$measures$estimate[2], mean(first$rows$.pred_class != toy$y))
  other <- cv(fit, toy, 4, seed = 3)
  table <- compare(first, other)
  expect_identical(table$kind, rep("cross-validation", 2))
  if (rlang::is_installed(c("future.apply", "future"))) {
    before <- future::plan(future::multisession, workers = 2)
    on.exit(future::plan(before))
    expect_equal(cv(fit, toy, 4, seed = 2), first)
  }
})

test_that("anova() compares", {
  toy <- toy_data("regression")$data
  first <- shared_fit("ivm", "regression")
  second <- shared_fit("rvm", "regression")
  expect_identical(anova(first, second, newdata = toy), compare(first, second, newdata = toy))
  expect_identical(
    anova(object = first, other = second, newdata = toy),
    compare(first, other = second, newdata = toy)
  )
})

test_that("what cannot be compared or cross-validated is refused in words", {
  numbers <- shared_fit("ivm", "regression")
  toy <- toy_data("regression")$data
  refused <- function(code, class = "argument") {
    expect_error(code, class = paste0("gpsieve_error_", class))
  }
  refused(compare(numbers, newdata = toy))
  refused(compare(numbers, 1, newdata = toy))
  refused(compare(numbers, shared_fit("ivm", "binary"), newdata = toy), "data")
  refused(cv(numbers, toy, folds = 1))
  refused(cv(numbers, toy, folds = 1:3))
  refused(cv(numbers))
  refused(cv(shared_fit("ivm", "regression", "matrix"), toy), "unsupported")
  refused(cv(function(data) lm(y ~ a, data), toy, 2))
  expect_snapshot(error = TRUE, {
    compare(numbers, newdata = toy)
    cv(shared_fit("ivm", "regression", "matrix"), toy)
    cv(numbers, toy, folds = 1:3)
  })
})

test_that("fits that were judged by other rows or have another response are not compared", {
  regression <- toy_data("regression", n = 24)
  binary <- toy_data("binary", n = 24)
  fit <- function(data) meanfield_gp(y ~ a + b, data, optimise = FALSE, seed = 1)
  all_rows <- fit(regression$data)
  expect_error(compare(all_rows, fit(regression$data[-1, ])), "same rows",
    class = "gpsieve_error_data"
  )
  expect_error(compare(all_rows, fit(binary$data)), "same response", class = "gpsieve_error_data")
  folds <- cv(all_rows, regression$data, 3, seed = 1)
  expect_error(compare(folds, all_rows), "with each other only", class = "gpsieve_error_argument")
  expect_error(compare(folds, folds, newdata = regression$new), "without",
    class = "gpsieve_error_argument"
  )
})

test_that("fits without leave-one-out densities ask for rows that no fit has seen", {
  toy <- toy_data("regression", n = 24)
  fit <- ivm(y ~ a + b, toy$data, seed = 1, verbose = FALSE)
  expect_error(compare(fit, fit), "`fit` does not keep leave-one-out densities",
    class = "gpsieve_error_unsupported"
  )
})

test_that("rows in another order are matched by numbers, names or responses", {
  toy <- toy_data("regression", n = 24)$data
  fit <- function(data) meanfield_gp(y ~ a + b, data, optimise = FALSE, seed = 1)
  first <- fit(toy)
  turned <- toy[24:1, ]
  plain <- turned
  rownames(plain) <- NULL
  named <- toy
  rownames(named) <- letters[1:24]
  for (data in list(turned, plain)) {
    expect_lt(compare(first, fit(data))$std_error_difference[2], 1e-8)
  }
  expect_lt(compare(fit(named), fit(named[24:1, ]))$std_error_difference[2], 1e-8)
  # classes repeat: only numbers of rows tell them apart
  classes <- toy_data("binary", n = 24)$data
  first <- fit(classes)
  expect_lt(compare(first, fit(classes[24:1, ]))$std_error_difference[2], 1e-8)
  plain <- classes[24:1, ]
  rownames(plain) <- NULL
  expect_error(compare(first, fit(plain)), "different orders", class = "gpsieve_error_data")
})

test_that("other rows, and other values of the response, are refused", {
  toy <- toy_data("regression", n = 24)$data
  fit <- function(data, formula = y ~ a + b) {
    suppressMessages(meanfield_gp(formula, data, optimise = FALSE, seed = 1))
  }
  expect_error(compare(fit(toy[1:12, ]), fit(toy[13:24, ])), "same rows",
    class = "gpsieve_error_data")
  # each lacks another row
  one <- replace(toy, "y", list(replace(toy$y, 3, NA)))
  two <- replace(toy, "y", list(replace(toy$y, 5, NA)))
  expect_error(compare(fit(one), fit(two)), class = "gpsieve_error_data")
  expect_error(compare(fit(toy), fit(transform(toy, y = 2 * y))), class = "gpsieve_error_data")
  expect_error(compare(fit(toy), fit(toy, b ~ a)), class = "gpsieve_error_data")
  quiet <- update(fit(toy), data = toy, control = control_meanfield(keep = FALSE))
  expect_warning(compare(fit(toy), quiet), "cannot be checked", class = "gpsieve_warning_rows")
})

test_that("fits of other rows of equal classes are refused", {
  classes <- toy_data("binary", n = 24)$data
  classes$y <- rep(levels(classes$y), each = 2, length.out = 24)
  fit <- function(rows) meanfield_gp(y ~ a + b, classes[rows, ], optimise = FALSE, seed = 1)
  expect_error(compare(fit(seq(1, 23, 2)), fit(seq(2, 24, 2))), "no part in another",
    class = "gpsieve_error_data")
})

test_that("fits of other case weights are compared row by row, or not at all", {
  toy <- toy_data("regression", n = 24)$data
  toy$w <- rep(1:3, 8)
  plain <- meanfield_gp(y ~ a + b, toy, optimise = FALSE)
  weighted <- meanfield_gp(y ~ a + b, toy, weights = w, optimise = FALSE)
  twice <- meanfield_gp(y ~ a, toy, weights = 2 * w, optimise = FALSE)
  expect_error(compare(plain, weighted), "same case weights", class = "gpsieve_error_data")
  expect_error(compare(weighted, twice), class = "gpsieve_error_data")
  folds <- lapply(list(plain = plain, weighted = weighted), cv, toy, 3, seed = 1)
  expect_warning(table <- compare(plain = folds$plain, weighted = folds$weighted),
    class = "gpsieve_warning_weights")
  sums <- vapply(folds, function(each) sum(each$rows$log_density), 0)
  expect_equal(table$score, unname(sort(sums, decreasing = TRUE)))
  # of equal weights each row counts as often as its weight says
  other <- meanfield_gp(y ~ a, toy, weights = w, optimise = FALSE)
  expect_warning(table <- compare(weighted, other), class = "gpsieve_warning_copies")
  expect_equal(table$score[table$model == "weighted"], sum(toy$w * loo(weighted)))
})

test_that("densities of functions of one column become densities of that column", {
  toy <- toy_data("regression", n = 24)
  toy$data$y <- toy$data$y - min(toy$data$y) + 0.5
  data <- toy$data
  fit <- function(formula) meanfield_gp(formula, data, optimise = FALSE, seed = 1)
  plain <- fit(y ~ a + b)
  logged <- fit(log(y) ~ a + b)
  small <- fit(I(y / 1000) ~ a + b)
  expect_warning(table <- compare(plain, logged), "log densities of `y`",
    class = "gpsieve_warning_response")
  expect_equal(table$score[table$model == "logged"], sum(loo(logged)) - sum(log(data$y)),
    tolerance = 1e-6)
  expect_warning(table <- compare(plain, small), class = "gpsieve_warning_response")
  expect_equal(table$difference[2], 0, tolerance = 1e-6)
  # the model of log(y), as a density of y
  normal <- meanfield_gp(y ~ a + b, data, likelihood = lik_lognormal(), optimise = FALSE)
  expect_no_warning(compare(plain, normal))
  expect_error(compare(logged, small), "itself", class = "gpsieve_error_data")
  expect_warning(held <- compare(logged, small, newdata = data),
    class = "gpsieve_warning_response")
  one <- suppressWarnings(compare(plain, logged, newdata = data))
  two <- suppressWarnings(compare(plain, small, newdata = data))
  score <- function(table, of) table$score[table$model == of]
  expect_equal(score(held, "logged"), score(one, "logged"))
  expect_equal(score(held, "small"), score(two, "small"))
  folds <- lapply(list(plain = plain, logged = logged), cv, data, 3, seed = 1)
  expect_warning(crossed <- compare(plain = folds$plain, logged = folds$logged),
    class = "gpsieve_warning_response")
  expect_equal(score(crossed, "logged"),
    sum(folds$logged$rows$log_density) - sum(log(data$y)), tolerance = 1e-6)
  # a response that is given has the units of one fit only
  expect_error(compare(plain, logged, newdata = data, y = data$y), class = "gpsieve_error_data")
  expect_snapshot(error = TRUE, {
    compare(plain, logged)
    compare(logged, small)
    anova(plain, meanfield_gp(b ~ a, data, optimise = FALSE))
  })
})
