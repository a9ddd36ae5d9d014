# Responses of two numbers a row: successes and failures, and intervals. Whatever chooses, orders,
# divides or reads rows moves both numbers of a row.

pair_kinds <- c("trials", "censored_gaussian", "censored_lognormal")

# list(data, formula, likelihood): inputs a and b, and the columns `first` and `second`
pairs_of_kind <- function(kind, n = 90) {
  if (kind != "trials") skip_if_not_installed("survival")
  toy <- toy_data("regression", n)
  data <- toy$x
  f <- (toy$y - 5) / 2
  u <- with_own_seed(7, stats::runif(n))
  if (kind == "trials") {
    size <- rep_len(1:9, n)
    data$first <- stats::qbinom(u, size, stats::plogis(f))
    data$second <- size - data$first
    formula <- cbind(first, second) ~ a + b
  } else {
    y <- if (kind == "censored_gaussian") f else exp(f)
    data$first <- ifelse(u > 0.9, NA, y)
    data$second <- ifelse(u < 0.15, NA, ifelse(u < 0.3, y + 0.1, y))
    formula <- survival::Surv(first, second, type = "interval2") ~ a + b
  }
  data[] <- lapply(data, round, 6) # so that text has the same numbers
  environment(formula) <- globalenv()
  likelihood <- switch(kind,
    trials = lik_binomial(), censored_gaussian = lik_censored("gaussian", fixed(0.2)),
    censored_lognormal = lik_censored("lognormal", fixed(0.2))
  )
  list(data = data, formula = formula, likelihood = likelihood, new = toy$new)
}

fit_pairs <- function(of, fit = ivm, ..., data = of$data, kernel = kernel_rbf(1, 1)) {
  suppressWarnings(suppressMessages(fit(of$formula, data, kernel, of$likelihood, ...,
    optimise = FALSE, seed = 1, verbose = FALSE)))
}

link_of <- function(fit, data) predict(fit, data, type = "link", se.fit = TRUE)

every_kind <- function(check) for (kind in pair_kinds) check(pairs_of_kind(kind), kind)

test_that("pairs are a vector whose elements are rows of two numbers", {
  y <- new_pairs(c(1, 2, NA, 0), c(4, 0, NA, 3), "trials")
  expect_length(y, 4)
  expect_identical(seq_along(y), 1:4)
  expect_identical(is.na(y), c(FALSE, FALSE, TRUE, FALSE))
  expect_identical(format(y[1:2]), c("1 of 5", "2 of 2"))
  expect_identical(pair_second(y[c(4, 1)]), c(3, 4))
  expect_identical(y[y[, 1L] %in% c(1, 2)], y[-(3:4)])
  expect_identical(c(y[1:3], y[4]), y)
  expect_length(y[0], 0)
  expect_identical(is.na(y[c(NA, 1)]), c(TRUE, FALSE))
  expect_false(is.numeric(y))
  expect_identical(colnames(y[, 1:2]), c("successes", "failures"))
  expect_identical(colnames(new_pairs(0, 1, "censored")), c("lower", "upper"))
  expect_identical(format(new_pairs(0, Inf, "censored")), "(0, Inf)")
})

test_that("numbers in a file are read as the response that was written", {
  responses <- list(new_pairs(1:3, c(2, Inf, 3), "censored"), c(0.1, -2, 1e300),
    factor(c("x", "z", "x"), c("x", "y", "z")))
  for (y in responses) {
    numbers <- numbers_of_block(list(x = matrix(1, length(y)), y = y))
    expect_identical(block_of_numbers(numbers, 1L, y[0L], FALSE)$y, y)
  }
})

test_that("single trials are two classes, and numbers that are known are not censored", {
  toy <- toy_data("binary", 60)
  classes <- cbind(toy$x, y = toy$y, yes = as.numeric(toy$y == levels(toy$y)[2L]))
  known <- cbind(toy$x, number = exp(sin(toy$x$a)))
  each <- list(
    ivm = function(...) ivm(..., n_active = 20, refine = 3),
    leaves = function(...) ivm(..., n_active = 10, leaf_rows = 20, trees = 2),
    meanfield = meanfield_gp, online = function(...) online_gp(..., budget = 15, novelty = 0),
    ep = function(...) ep_gp(..., inducing = as.matrix(toy$x[1:8, ])),
    power = function(...) ep_gp(..., inducing = as.matrix(toy$x[1:8, ]), power = 0.5),
    greedy = function(...) greedy_gp(..., n_basis = 10)
  )
  # With a prior mean of 0 all rows would be equal to the selection of ivm(), but for rounding.
  settings <- list(optimise = FALSE, seed = 1, verbose = FALSE, standardise = FALSE,
    prior_mean = 0.2)
  for (name in names(each)) {
    answer <- function(formula, data, likelihood) {
      fit <- suppressWarnings(do.call(each[[name]], c(list(formula, data, kernel_rbf(1, 0.5),
        likelihood), settings)))
      link_of(fit, toy$new)
    }
    expect_equal(answer(cbind(yes, 1 - yes) ~ a + b, classes, lik_binomial()),
      answer(y ~ a + b, classes, lik_logit()), tolerance = 1e-6, label = name)
    skip_if_not_installed("survival")
    for (y in c("number", "log(number)")) {
      kind <- if (y == "number") "lognormal" else "gaussian"
      plain <- if (y == "number") lik_lognormal(fixed(0.1)) else lik_gaussian(fixed(0.1))
      left <- stats::reformulate(c("a", "b"), str2lang(y))
      times <- stats::reformulate(c("a", "b"), str2lang(sprintf("survival::Surv(%s)", y)))
      expected <- answer(left, known, plain)
      censored <- lik_censored(kind, fixed(0.1))
      # A model that is exact for Gaussian noise approximates it as any other likelihood here.
      tolerance <- if (name %in% c("power", "online")) 1e-4 else 1e-6
      if (kind == "lognormal" || name != "greedy") {
        expect_equal(answer(left, known, censored), expected, tolerance = tolerance, label = name)
      }
      expect_identical(answer(times, known, censored), answer(left, known, censored))
    }
  }
})

test_that("the order of the rows does not matter where all take part", {
  every_kind(function(of, kind) {
    order <- with_own_seed(3, sample(nrow(of$data)))
    one <- fit_pairs(of, meanfield_gp)
    two <- fit_pairs(of, meanfield_gp, data = of$data[order, ])
    expect_equal(link_of(one, of$new), link_of(two, of$new), tolerance = 1e-8)
    expect_equal(loo(one)[order], loo(two), tolerance = 1e-6, ignore_attr = TRUE)
    expect_equal(residuals(one, "deviance")[order], residuals(two, "deviance"), tolerance = 1e-6,
      ignore_attr = TRUE)
    comparison <- compare(one, two)
    expect_equal(comparison$difference[2L], 0, tolerance = 1e-6)
  })
})

test_that("a subset, a weight of 0 and an update are fits to the rows that are left", {
  every_kind(function(of, kind) {
    rows <- seq(1, 90, by = 2)
    fit <- fit_pairs(of, n_active = 20)
    half <- fit_pairs(of, n_active = 20, data = of$data[rows, ])
    expect_identical(link_of(fit_pairs(of, n_active = 20, subset = rows), of$new),
      link_of(half, of$new))
    weights <- as.numeric(seq_len(90) %in% rows)
    expect_identical(link_of(fit_pairs(of, n_active = 20, weights = weights), of$new),
      link_of(half, of$new))
    again <- suppressWarnings(update(fit, data = of$data[rows, ], verbose = FALSE))
    expect_identical(link_of(again, of$new), link_of(half, of$new))
    # equal rows are one row with a weight
    twice <- of$data[rep(rows, each = 2), ]
    expect_identical(link_of(fit_pairs(of, n_active = 20, data = twice), of$new),
      link_of(fit_pairs(of, n_active = 20, data = of$data[rows, ], weights = rep(2, 45)), of$new))
  })
})

test_that("a missing response leaves its row out, and na.exclude gives it back", {
  every_kind(function(of, kind) {
    holes <- of$data
    holes[c(3, 50), c("first", "second")] <- NA
    fit <- fit_pairs(of, n_active = 20, data = holes, na.action = na.exclude)
    left <- fit_pairs(of, n_active = 20, data = holes[-c(3, 50), ])
    expect_identical(link_of(fit, of$new), link_of(left, of$new))
    found <- residuals(fit, "quantile", seed = 1)
    expect_length(found, 90)
    expect_identical(which(is.na(found)), c(3L, 50L), ignore_attr = TRUE)
    listed <- augment(fit)[[1L]]
    expect_identical(dim(listed), c(90L, 2L))
    expect_identical(which(is.na(listed[, 1L])), c(3L, 50L), ignore_attr = TRUE)
    if (kind == "trials") expect_equal(unname(unclass(listed)[, 2L]), holes$second)
  })
})

test_that("folds of cv() judge rows by their own response", {
  every_kind(function(of, kind) {
    folds <- rep(1:3, 30)
    fit <- fit_pairs(of, n_active = 20)
    crossed <- suppressWarnings(cv(fit, of$data, folds, seed = 1))
    y <- canonical_response(with(of$data, eval(of$formula[[2L]])))
    expect_identical(crossed$response$y, y)
    second <- suppressWarnings(update(fit, data = of$data[folds != 2, ], verbose = FALSE))
    judged <- crossed$rows[folds == 2, ]
    density <- log_predictive(second, of$data[folds == 2, ], NULL)
    expect_equal(judged$log_density, unname(density), tolerance = 0.2)
    expect_identical(order(judged$row), seq_along(judged$row))
    expect_identical(compare(crossed, crossed)$difference, c(0, 0))
  })
})

# Fits that read a source, as functions of the data and of further arguments.
fits_of_source <- list(
  ep = function(of, ...) {
    fit_pairs(of, ep_gp, ..., inducing = as.matrix(of$data[1:10, c("a", "b")]))
  },
  minibatches = function(of, ...) {
    fit_pairs(of, ep_gp, ..., inducing = as.matrix(of$data[1:10, c("a", "b")]), method = "sep",
      batch_size = 30, epochs = 3)
  },
  online = function(of, ...) fit_pairs(of, online_gp, ..., budget = 20, shuffle = FALSE),
  leaves = function(of, ...) fit_pairs(of, ivm, ..., n_active = 15, leaf_rows = 30, trees = 2)
)

test_that("rows of a source are the rows in memory, read in one pass or in many", {
  every_kind(function(of, kind) {
    for (name in names(fits_of_source)) {
      fit <- fits_of_source[[name]]
      read <- fit(of, data = rows_of_frame(of$data, 20))
      if (name != "leaves") {
        expect_equal(link_of(read, of$new), link_of(fit(of), of$new), tolerance = 1e-8,
          label = name)
      }
      copied <- fit(of, data = rows_of_frame(of$data, 33))
      expect_identical(link_of(read, of$new), link_of(copied, of$new), label = name)
      file <- withr::local_tempfile(fileext = ".csv")
      utils::write.csv(of$data, file, row.names = FALSE)
      from_file <- fit(of, data = rows_from_files(file, copy = TRUE))
      expect_equal(link_of(read, of$new), link_of(from_file, of$new), tolerance = 1e-10,
        label = name)
    }
  })
})

test_that("shards read from a source are the shards of the rows in memory", {
  every_kind(function(of, kind) {
    fit <- function(data) fits_of_source$ep(of, data = data, control = control_ep(shards = 3))
    expect_equal(link_of(fit(rows_of_frame(of$data, 20)), of$new), link_of(fit(of$data), of$new),
      tolerance = 1e-8)
  })
})

test_that("leaves from a source are the leaves of the rows in memory", {
  every_kind(function(of, kind) {
    fit <- fits_of_source$leaves
    read <- fit(of, data = rows_of_frame(of$data, 20))
    memory <- fit(of)
    expect_identical(nobs(read), nobs(memory))
    whole <- fit_pairs(of, meanfield_gp)
    error <- function(fit) {
      sqrt(mean((predict(fit, of$data, type = "link") - predict(whole, of$data, type = "link"))^2))
    }
    expect_lt(error(read), 2 * error(memory) + 0.05)
  })
})

test_that("a fit that was stopped and resumed is the fit that was not", {
  every_kind(function(of, kind) {
    path <- withr::local_tempfile(fileext = ".rds")
    fit <- function(source, ...) {
      fit_pairs(of, online_gp, data = source, budget = 15, shuffle = FALSE, ...,
        control = control_online(window = 30, checkpoint = path, every = 0))
    }
    blocks <- 0
    stopping <- rows_of_frame(of$data, 20, function(block) {
      blocks <<- blocks + 1
      if (blocks > 9) stop("the source is gone")
    })
    expect_error(fit(stopping))
    expect_lt(read_checkpoint(path)$object$n, 90)
    resumed <- fit(rows_of_frame(of$data, 20), resume = path)
    unlink(path)
    whole <- fit(rows_of_frame(of$data, 20))
    expect_equal(link_of(resumed, of$new), link_of(whole, of$new), tolerance = 1e-10)
  })
})

test_that("the evidence of sweeps of EP is that of dense EP", {
  every_kind(function(of, kind) {
    dense <- fit_pairs(of, meanfield_gp)
    sweeps <- fit_pairs(of, online_gp, sweeps = 100)
    expect_equal(evidence(sweeps)$value, evidence(dense)$value, tolerance = 1e-6)
    expect_equal(loo(sweeps), loo(dense), tolerance = 1e-5, ignore_attr = TRUE)
  })
})

test_that("an online fit that absorbs rows later is the fit to all rows", {
  every_kind(function(of, kind) {
    fit <- function(data) {
      fit_pairs(of, online_gp, data = data, budget = 20, shuffle = FALSE, standardise = FALSE,
        prior_mean = 0)
    }
    later <- update(fit(of$data[1:40, ]), data = of$data[41:90, ])
    expect_equal(link_of(later, of$new), link_of(fit(of$data), of$new), tolerance = 1e-10)
  })
})

test_that("workers that share rows, shards or leaves have both numbers of a row", {
  skip_on_cran()
  workers <- local_workers(2)
  every_kind(function(of, kind) {
    if (kind == "censored_gaussian") return(invisible())
    for (name in c("ep", "leaves")) {
      fit <- fits_of_source[[name]]
      expect_equal(link_of(fit(of, cluster = workers), of$new), link_of(fit(of), of$new),
        tolerance = 1e-7, label = name)
    }
  })
})

test_that("as many trials as one likes are taken", {
  d <- data.frame(a = 1:6 / 6)
  d$yes <- round(3e9 * d$a / 2)
  d$no <- 3e9 - d$yes
  fit <- ivm(cbind(yes, no) ~ a, d, kernel_rbf(4, 1), lik_binomial(), optimise = FALSE, seed = 1)
  expect_equal(predict(fit, d), d$a / 2, tolerance = 1e-4, ignore_attr = TRUE)
  few <- data.frame(a = 0.5, yes = 70, no = 30)
  band <- predict(fit, few, interval = "prediction")
  expect_true(band[, "lwr"] < 25 && 25 < band[, "upr"])
  expect_true(all(is.finite(residuals(fit, "deviance"))))
})

test_that("what is no pair of numbers is refused", {
  skip_if_not_installed("survival")
  d <- pairs_of_kind("trials")$data
  fit <- function(formula, likelihood = NULL) {
    suppressWarnings(ivm(formula, d, likelihood = likelihood, optimise = FALSE, seed = 1))
  }
  d$half <- d$first + 0.5
  d$low <- -Inf
  d$high <- Inf
  expect_snapshot(error = TRUE, {
    fit(cbind(half, second) ~ a, lik_binomial())
    fit(cbind(first, -1) ~ a, lik_binomial())
    fit(cbind(0 * first, 0) ~ a, lik_binomial())
    fit(cbind(Inf, second) ~ a, lik_binomial())
    fit(survival::Surv(first - 20, second, type = "interval2") ~ a)
    fit(survival::Surv(first, first > 2, type = "left") ~ a, lik_poisson())
    fit(survival::Surv(low, high, type = "interval2") ~ a)
    fit(survival::Surv(-half) ~ a)
    fit(survival::Surv(first * 0, second * 0) ~ a)
  })
  # Surv() makes a missing value of an interval whose ends are in the wrong order.
  reversed <- suppressWarnings(survival::Surv(c(2, 1), c(1, 2), type = "interval2"))
  expect_identical(is.na(with_pairs(reversed)), c(TRUE, FALSE))
})
