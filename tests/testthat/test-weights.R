# Case weights: a row of weight w counts as w equal rows, in every model and with every likelihood.

# Everything that a fit says about new rows, which must not depend on how the rows were counted.
answers_of <- function(fit, new) {
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  c(unlist(link), evidence = evidence(fit)$value)
}

given_kernel <- kernel_rbf(1.3, 0.9)
far_inducing <- as.matrix(expand.grid(a = c(-1.5, 0, 1.5), b = c(-1.2, 0.3, 1.6)))

# model, task, likelihood, further arguments; `copies` are other arguments for the fit to copies.
weight_cases <- function() {
  likelihoods <- list(
    gaussian = list("real", lik_gaussian(0.2)), student = list("real", lik_student(4, 0.4)),
    poisson = list("count", lik_poisson()), probit = list("binary", lik_probit()),
    logit = list("binary", lik_logit()), label_noise = list("binary", lik_label_noise(0.05)),
    classes = list("multiclass", lik_probit())
  )
  case <- function(model, likelihood, ..., copies = list()) {
    list(model = model, task = likelihoods[[likelihood]][[1L]],
      likelihood = likelihoods[[likelihood]][[2L]], settings = list(...), copies = copies,
      name = paste(c(model, likelihood, unlist(lapply(list(...), format))), collapse = " ")
    )
  }
  over <- function(model, likelihoods, ..., copies = list()) {
    lapply(likelihoods, function(l) case(model, l, ..., copies = copies))
  }
  log_concave <- c("gaussian", "poisson", "probit", "logit", "classes")
  tight <- control_ep(max_iter = 400, tol = 1e-12)
  c(
    over("ep_gp", names(likelihoods), method = "ep", inducing = far_inducing, control = tight),
    over("ep_gp", names(likelihoods), method = "sep", inducing = far_inducing, control = tight),
    over("ep_gp", c("probit", "poisson"), method = "adf", inducing = far_inducing,
      control = control_ep(max_iter = 3)
    ),
    over("ep_gp", c("probit", "poisson"), method = "ep", power = 0.5, inducing = far_inducing,
      control = tight
    ),
    over("ep_gp", "classes", method = "ep", multiclass = "ovr", inducing = far_inducing,
      control = tight
    ),
    over("meanfield_gp", log_concave, method = "tap", control = control_meanfield(tol = 1e-12)),
    over("meanfield_gp", log_concave, method = "laplace"),
    over("meanfield_gp", log_concave, method = "naive"),
    over("meanfield_gp", c("probit", "classes"), method = "ensemble"),
    over("ivm", "gaussian", refine = 0),
    over("greedy_gp", names(likelihoods), n_basis = 9, candidates = as_lists(9)),
    over("rvm", c("gaussian", "probit", "classes"), basis = far_inducing, algorithm = "em",
      control = control_rvm(max_iter = 8, tol = 1e-14)
    ),
    over("rvm", c("gaussian", "probit"), basis = far_inducing, algorithm = "fast",
      control = control_rvm(max_iter = 20)
    ),
    over("rvm", "probit", basis = far_inducing, inference = "laplace", algorithm = "em",
      control = control_rvm(max_iter = 5, tol = 1e-14)
    ),
    over("rvm", "probit", basis = far_inducing, inference = "naive", algorithm = "em",
      control = control_rvm(max_iter = 5, tol = 1e-14)
    ),
    over("rvm", "gaussian", basis = far_inducing, variance = "augmented", algorithm = "em",
      control = control_rvm(max_iter = 5, tol = 1e-14)
    ),
    over("online_gp", names(likelihoods), budget = 8),
    over("online_gp", log_concave, sweeps = 4)
  )
}

as_lists <- function(n) as.list(seq_len(n))

fit_case <- function(case, data, ..., formula = y ~ a + b) {
  arguments <- c(
    list(formula, data, kernel = given_kernel, likelihood = case$likelihood, optimise = FALSE,
      seed = 1, verbose = FALSE),
    case$settings, list(...)
  )
  suppressWarnings(do.call(case$model, arguments))
}

# Greedy candidates are row numbers: those of the first copies.
for_copies <- function(case, weights) {
  if (is.list(case$settings$candidates)) {
    first <- cumsum(c(1, weights))[-(length(weights) + 1)]
    case$settings$candidates <- lapply(case$settings$candidates, function(rows) first[rows])
  }
  if (case$model == "ivm") case$settings$n_active <- sum(weights)
  case
}

test_that("a row of weight w is w rows, in every model and with every likelihood", {
  for (case in weight_cases()) {
    toy <- weighted_data(case$task)
    expect_identical(anyDuplicated(toy$unmerged[c("a", "b")]), 0L)
    weighted <- fit_case(case, toy$data, weights = quote(w))
    copied <- fit_case(for_copies(case, toy$data$w), toy$unmerged)
    expect_close(answers_of(weighted, toy$new), answers_of(copied, toy$new), 1e-8, "mixed") |>
      with_label(case$name)
    expect_identical(nobs(weighted), as.numeric(nrow(toy$copies)))
  }
})

test_that("models that see equal rows as one have the same bits with weights and with copies", {
  likelihoods <- list(
    real = list(lik_gaussian(), lik_student()), count = list(lik_poisson()),
    binary = list(lik_probit(), lik_logit(), lik_label_noise()), multiclass = list(lik_probit())
  )
  settings <- list(
    ivm = list(list(), list(refine = 0), list(n_active = 10)), meanfield_gp = list(list()),
    greedy_gp = list(list(), list(n_basis = 9, candidates = Inf)), rvm = list(list())
  )
  takes <- function(model, likelihood) {
    switch(model,
      meanfield_gp = !likelihood$type %in% c("student", "label_noise"),
      rvm = likelihood$type %in% c("gaussian", "probit"),
      TRUE
    )
  }
  compare_fits <- function(model, likelihood, toy, given) {
    fit <- function(...) {
      arguments <- list(y ~ a + b, ..., likelihood = likelihood, seed = 1, verbose = FALSE)
      suppressWarnings(do.call(model, c(arguments, given)))
    }
    second <- duplicated(toy$copies)
    scattered <- rbind(toy$copies[!second, ], toy$copies[rev(which(second)), ])
    name <- paste(c(model, likelihood$type, names(given)), collapse = " ")
    weighted <- answers_of(fit(toy$data, weights = quote(w)), toy$new)
    for (copies in if (length(given)) list(scattered) else list(toy$copies, scattered)) {
      copied <- fit(copies)
      expect_identical(answers_of(copied, toy$new), weighted, label = name)
      expect_identical(nobs(copied), nrow(copies))
    }
  }
  for (task in names(likelihoods)) {
    toy <- weighted_data(task)
    for (likelihood in likelihoods[[task]]) {
      for (model in Filter(function(model) takes(model, likelihood), names(settings))) {
        for (given in settings[[model]]) compare_fits(model, likelihood, toy, given)
      }
    }
  }
})

test_that("equal rows are those that agree in all columns, the response and the offset", {
  x <- with_own_seed(1, matrix(sample(0:2, 4 * 60, replace = TRUE), 60))
  y <- with_own_seed(2, rnorm(60))[with_own_seed(3, sample(60, 60, replace = TRUE))]
  offset <- rep(c(0, 1), 30)
  first <- function(all) {
    words <- do.call(paste, as.data.frame(all))
    match(words, words)
  }
  find <- function(x, y, offset = NULL) {
    gpsieve:::first_equal_row(list(x = x, y = y, offset = offset))
  }
  expect_identical(find(x, rep(1, 60)), first(x))
  expect_identical(find(x, y), first(cbind(x, y)))
  expect_identical(find(x, rep(1, 60), offset), first(cbind(x, offset)))
  expect_identical(find(x[, 0L], y), first(y))
  expect_identical(find(matrix(c(0, -0)), c(1, 1)), c(1L, 1L))
  sparse <- gpsieve:::dense_to_sparse(x)
  expect_identical(find(sparse, rep(1, 60)), first(x))
  expect_identical(find(sparse, y), first(cbind(x, y)))
  expect_identical(find(sparse[c(1, 1), ], c(2, 2)), c(1L, 1L))
  empty <- gpsieve:::dense_to_sparse(matrix(0, 3, 2))
  expect_identical(find(empty, c(1, 2, 1)), c(1L, 2L, 1L))
})

test_that("fits of equal rows answer in the rows of the data", {
  toy <- weighted_data("binary")
  n <- nrow(toy$copies)
  data <- rbind(toy$copies, toy$copies[3, ])
  data$a[2] <- NA
  first <- cumsum(c(1, toy$data$w))[-(nrow(toy$data) + 1)]
  fit <- function(model, ...) model(y ~ a + b, data, na.action = na.exclude, optimise = FALSE, ...)
  dense <- fit(meanfield_gp)
  expect_length(loo(dense), n + 1)
  expect_identical(which(is.na(unname(loo(dense)))), 2L)
  expect_identical(loo(dense)[[3]], loo(dense)[[n + 1]])
  expect_output(print(dense), sprintf("%d rows.* 24 different, equal ones .* 1 more left out", n))
  sparse <- fit(ivm, seed = 1)
  expect_true(all(active_set(sparse) %in% setdiff(c(first, 3), 2)))
  expect_identical(sort(active_set(sparse)), sort(sites(sparse)$row))
  expect_identical(sum(sites(sparse)$weight), n + 0)
  complete <- data[-2, ]
  few <- greedy_gp(y ~ a + b, complete, candidates = list(c(1, n), 5), n_basis = 2,
    optimise = FALSE)
  equal <- function(row) which(complete$a == complete$a[row])[1L]
  expect_true(all(active_set(few) %in% c(equal(1), equal(n), equal(5))))

  # Exact Gaussian regression has all densities, whether rows are equal or not.
  toy <- weighted_data("real")
  exact <- ivm(y ~ a + b, toy$copies, refine = 0, optimise = FALSE, likelihood = lik_gaussian(0.2))
  other <- meanfield_gp(y ~ a + b, toy$unmerged, optimise = FALSE, likelihood = lik_gaussian(0.2))
  expect_close(loo(exact, toy$copies), unname(loo(other)), 1e-8)
  # White noise makes equal rows differ.
  noisy <- meanfield_gp(y ~ a + b, toy$copies, kernel = kernel_rbf() + kernel_white(),
    optimise = FALSE)
  expect_identical(length(active_set(noisy)), nrow(toy$copies))
})

test_that("weights of 1 change no bit, and a row of weight 0 is left out", {
  for (case in weight_cases()) {
    toy <- weighted_data(case$task)
    plain <- answers_of(fit_case(case, toy$data), toy$new)
    ones <- fit_case(case, toy$data, weights = rep(1, nrow(toy$data)))
    expect_identical(answers_of(ones, toy$new), plain, label = case$name)
    some <- rep(c(1, 0, 1), length.out = nrow(toy$data))
    if (is.list(case$settings$candidates)) next # row numbers of other data
    left_out <- fit_case(case, toy$data, weights = some)
    fewer <- fit_case(case, toy$data[some > 0, ])
    expect_identical(answers_of(left_out, toy$new), answers_of(fewer, toy$new), label = case$name)
  }
})

test_that("weights that are no whole numbers lie between", {
  for (case in weight_cases()) {
    if (case$model == "online_gp") next
    toy <- weighted_data(case$task)
    at <- function(w) answers_of(fit_case(case, toy$data, weights = w), toy$new)
    step <- 1e-4
    middle <- at(rep(1.5, nrow(toy$data)))
    expect_true(all(is.finite(middle)), label = case$name)
    if (case$model == "rvm") next # the number of functions may jump
    change <- max(abs(at(rep(1.5 + step, nrow(toy$data))) - middle) / pmax(1, abs(middle)))
    expect_lt(change, 0.01, label = case$name)
    expect_gt(change, 1e-8, label = case$name)
    less <- at(rep(0.7, nrow(toy$data)))
    expect_true(all(is.finite(less)), label = case$name)
  }
})

test_that("gradients of weighted evidences are their derivatives", {
  cases <- Filter(function(case) {
    case$model %in% c("meanfield_gp", "greedy_gp") && case$task != "multiclass"
  }, weight_cases())
  for (case in cases) {
    toy <- weighted_data(case$task)
    at <- function(lengthscale) {
      case$settings$standardise <- FALSE
      arguments <- list(y ~ a + b, toy$data, kernel = kernel_rbf(1.3, lengthscale),
        likelihood = case$likelihood, optimise = FALSE, seed = 1, verbose = FALSE,
        weights = quote(w))
      suppressWarnings(do.call(case$model, c(arguments, case$settings)))
    }
    h <- 1e-5
    numeric <- (evidence(at(0.9 * exp(h)))$value - evidence(at(0.9 * exp(-h)))$value) / (2 * h)
    exact <- evidence(at(0.9), gradient = TRUE)$gradient[["lengthscale"]]
    expect_close(exact, numeric, 1e-4, "mixed") |> with_label(case$name)
  }
})

test_that("the upper bound of a variance stays above the exact one of the copies", {
  toy <- weighted_data("real")
  case <- list(model = "greedy_gp", likelihood = lik_gaussian(0.2),
    settings = list(n_basis = 9, variance = "upper"))
  bound <- predict(fit_case(case, toy$data, weights = quote(w)), toy$new, type = "link",
    se.fit = TRUE)
  dense <- list(model = "meanfield_gp", likelihood = lik_gaussian(0.2))
  exact <- predict(fit_case(dense, toy$unmerged), toy$new, type = "link", se.fit = TRUE)
  expect_true(all(bound$se.fit >= exact$se.fit - 1e-8))
})

test_that("learned hyper-parameters are those of the copies", {
  toy <- weighted_data("real")
  learned <- function(...) {
    fit <- meanfield_gp(y ~ a + b, ..., seed = 1, verbose = FALSE)
    c(coef(fit), predict(fit, toy$new))
  }
  expect_close(learned(toy$data, weights = w), learned(toy$unmerged), 1e-4, "mixed")
  ep <- function(...) {
    fit <- suppressWarnings(ep_gp(y ~ a + b, ..., inducing = far_inducing, learn_inducing = FALSE,
      control = control_ep(max_iter = 20, warm_rows = 0), seed = 1, verbose = FALSE))
    c(coef(fit), predict(fit, toy$new))
  }
  expect_close(ep(toy$data, weights = w), ep(toy$copies), 1e-8, "mixed")
})

test_that("a refined machine with all rows active has the posterior of the copies", {
  toy <- weighted_data("binary")
  weighted <- fit_case(list(model = "ivm", likelihood = lik_probit(),
    settings = list(refine = 300, prior_mean = 0)), toy$data, weights = quote(w))
  copied <- fit_case(list(model = "meanfield_gp", likelihood = lik_probit(),
    settings = list(prior_mean = 0)), toy$unmerged)
  expect_close(predict(weighted, toy$new, type = "link"), predict(copied, toy$new, type = "link"),
    1e-6)
})

test_that("leave-one-out leaves out one copy", {
  for (model in c("meanfield_gp", "ep_gp", "online_gp")) {
    toy <- weighted_data("binary")
    settings <- switch(model,
      meanfield_gp = list(control = control_meanfield(tol = 1e-12)),
      ep_gp = list(method = "ep", inducing = far_inducing,
        control = control_ep(max_iter = 400, tol = 1e-12)),
      online_gp = list(sweeps = 60)
    )
    case <- list(model = model, likelihood = lik_probit(), settings = settings)
    weighted <- fit_case(case, toy$data, weights = quote(w))
    copied <- fit_case(case, toy$unmerged)
    first <- cumsum(c(1, toy$data$w))[-(nrow(toy$data) + 1)]
    expect_close(loo(weighted), loo(copied)[first], 1e-6) |> with_label(model)
  }
})

test_that("loo() finds the training rows among those that are given, and refuses others", {
  set.seed(1)
  d <- data.frame(x = runif(18, 0, 5), w = rep(c(1, 0, 2), 6), part = rep(1:6, 3))
  d$y <- sin(d$x) + 0.1 * rnorm(18)
  d$y[4] <- NA
  took_part <- which(d$w > 0 & d$x < median(d$x) & !is.na(d$y))
  for (model in list(meanfield_gp, ivm, local_gp, greedy_gp, ep_gp)) {
    fit <- suppressMessages(model(y ~ x, d, kernel_rbf(), lik_gaussian(0.1), optimise = FALSE,
      weights = w, subset = x < median(x), seed = 1))
    found <- loo(fit, d)
    expect_length(found, length(took_part))
    expect_identical(loo(fit, d[18:1, ]), rev(found))
    expect_equal(loo(fit, d[took_part, ]), found, tolerance = 1e-8)
    expect_error(loo(fit, transform(d, y = y + 1)), "has learned", class = "gpsieve_error_data")
  }
  unknown <- suppressMessages(meanfield_gp(y ~ x, d, optimise = FALSE,
    control = control_meanfield(keep = FALSE)))
  expect_error(loo(unknown, d), "keeps nothing", class = "gpsieve_error_unsupported")
  expect_length(loo(unknown), 17L)
  fit <- suppressMessages(greedy_gp(y ~ x, d, optimise = FALSE, na.action = na.exclude, seed = 1))
  expect_identical(which(is.na(loo(fit, d))), 4L)
  whole <- greedy_gp(y ~ x, d[-4, ], optimise = FALSE, seed = 1)
  expect_error(loo(whole, rbind(d[-4, ], d[-4, ])), "17 others", class = "gpsieve_error_data")
  # Noise of the kernel belongs to the rows that are left out.
  noisy <- lapply(list(ivm, meanfield_gp), function(model) {
    model(y ~ x, d[-4, ], kernel_rbf() + kernel_white(0.2), lik_gaussian(0.05),
      optimise = FALSE, seed = 1)
  })
  expect_equal(loo(noisy[[1]], d[-4, ]), loo(noisy[[2]]), tolerance = 1e-8)
  classes <- meanfield_gp(Species ~ ., iris[c(1:5, 51:55, 101:105), ], optimise = FALSE, seed = 1)
  expect_identical(loo(classes, iris[c(105:101, 55:51, 5:1), ]), rev(loo(classes)))
})

test_that("standard errors of weighted rows know neither units nor rows of weight 0", {
  set.seed(3)
  d <- data.frame(x = runif(30), w = rep(1:3, 10), fold = rep(1:5, 6))
  d$y <- 100 + sin(5 * d$x) + rnorm(30, 0, 0.5)
  errors <- function(data, unit = 1) {
    data$y <- data$y * unit
    fit <- meanfield_gp(y ~ x, data, weights = w, optimise = FALSE, seed = 1)
    found <- cv(fit, data, data$fold, seed = 1)$measures$std_error
    c(found[1L], found[2L] / unit)
  }
  expect_equal(errors(d, 1e4), errors(d), tolerance = 1e-8)
  expect_equal(errors(rbind(d, transform(d, w = 0))), errors(d), tolerance = 1e-8)
  # Of three numbers that count 1, 1 and 2 times.
  x <- c(1, 2, 6)
  expect_equal(error_of_mean(x, c(1, 1, 2)), sqrt(1.5 * sum((c(1, 1, 2) * (x - 3.75))^2)) / 4)
  expect_equal(error_of_mean(x, rep(2, 3)), error_of_mean(x))
})

test_that("held-out figures of numbers leave out all copies of a row, compare() warns", {
  set.seed(3)
  d <- data.frame(x = runif(30))
  d$y <- sin(5 * d$x) + rnorm(30, 0, 0.5)
  fit <- function(model, noise, ...) {
    model(y ~ x, d, kernel_rbf(1, 0.3), lik_gaussian(noise), optimise = FALSE, standardise = FALSE,
      prior_mean = 0, seed = 1, ...)
  }
  for (model in list(meanfield_gp, ivm, greedy_gp)) {
    twice <- fit(model, 0.5, weights = rep(2, 30))
    once <- fit(model, 0.25)
    expect_equal(twice$held_out[c("rmse", "r2")], once$held_out[c("rmse", "r2")], tolerance = 1e-6)
    expect_gte(twice$held_out[["coverage95"]], once$held_out[["coverage95"]])
  }
  twice <- fit(meanfield_gp, 0.5, weights = rep(2, 30))
  expect_warning(compare(twice, fit(meanfield_gp, 0.3, weights = rep(2, 30))), "copy",
    class = "gpsieve_warning_copies")
  expect_no_warning(compare(fit(meanfield_gp, 0.5), fit(meanfield_gp, 0.3)))
})

test_that("weights come as hardhat's classes, by every interface, and in recipes", {
  skip_if_not_installed("hardhat")
  toy <- weighted_data("real")
  plain <- predict(ivm(y ~ a + b, toy$data, weights = w, seed = 1), toy$new)
  classed <- hardhat::frequency_weights(as.integer(toy$data$w))
  expect_identical(predict(ivm(y ~ a + b, toy$data, weights = classed, seed = 1), toy$new), plain)
  by_columns <- ivm(toy$data[c("a", "b")], toy$data$y, weights = toy$data$w, seed = 1)
  expect_identical(predict(by_columns, toy$new), plain)
  x <- as.matrix(toy$data[c("a", "b")])
  expect_identical(predict(ivm(x, toy$data$y, weights = toy$data$w, seed = 1), toy$new), plain)
  skip_if_not_installed("recipes")
  toy$data$w <- classed
  recipe <- recipes::recipe(y ~ ., toy$data)
  expect_identical(predict(ivm(recipe, toy$data, seed = 1), toy$new), plain)
})

test_that("gpsieve(), cv() and update() count weights", {
  toy <- weighted_data("real")
  fit <- gpsieve(y ~ a + b, toy$data, weights = w, seed = 1, candidates = list(kernel_rbf()),
    likelihood = lik_gaussian(), verbose = FALSE)
  expect_identical(nobs(fit), sum(toy$data$w) + 0)
  fit <- meanfield_gp(y ~ a + b, toy$data, weights = w, optimise = FALSE)
  expect_identical(predict(update(fit, data = toy$data), toy$new), predict(fit, toy$new))
  folds <- rep(1:4, length.out = nrow(toy$data))
  weighted <- cv(fit, toy$data, folds)
  copied <- cv(meanfield_gp(y ~ a + b, toy$unmerged, optimise = FALSE), toy$unmerged,
    rep(folds, toy$data$w))
  expect_close(weighted$measures$estimate, copied$measures$estimate, 1e-8)
  numbers <- meanfield_gp(y ~ a + b, toy$data, weights = as.numeric(toy$data$w), optimise = FALSE)
  expect_error(update(numbers, data = toy$data), class = "gpsieve_error_argument")
})

test_that("weights that cannot be are refused", {
  toy <- weighted_data("real")
  fit <- function(w, ...) ivm(toy$data[c("a", "b")], toy$data$y, weights = w, ...)
  expect_snapshot(error = TRUE, {
    fit("a")
    fit(as.list(toy$data$w))
    fit(1:3)
    fit(replace(toy$data$w, 5, -1))
    fit(replace(toy$data$w, 5, Inf))
    fit(rep(1 / nrow(toy$data), nrow(toy$data)))
    fit(toy$data$w, kernel = kernel_rbf() + kernel_white())
    online_gp(y ~ a + b, toy$data, weights = w / 2)
    ivm(y ~ a + b, toy$data, weights = absent_column)
    online_gp(y ~ a + b, rows_of_frame(toy$data), weights = w)
  })
})

test_that("weights must leave rows, and those of one class are fitted with a warning", {
  toy <- weighted_data("binary")
  one_class <- as.numeric(toy$data$y == "yes")
  for (spec in model_specs()) {
    fit <- function(w) fit_cheaply(spec, toy$data[c("a", "b")], toy$data$y, weights = w)
    expect_error(fit(rep(0, nrow(toy$data))), "add up to more than 1", class = "gpsieve_error_data")
    expect_warning(fit(one_class), "have the class \"yes\"", class = "gpsieve_warning_little_data")
  }
})
