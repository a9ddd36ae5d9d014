# gpsieve(): what it returns and prints, what it compares, and which arguments are errors.

few <- control_gpsieve(folds = 2, blocks = learn_on_blocks(steps = 10))
two_kernels <- list(kernel_rbf(), kernel_linear() + kernel_constant())

chosen <- function(task, ..., kernels = two_kernels, n = 60) {
  toy <- toy_data(task, n = n)
  gpsieve(y ~ a + b, toy$data, candidates = kernels, control = few, seed = 1, verbose = FALSE, ...)
}

test_that("a choice is an ordinary fit, and the call to write instead makes the same one", {
  for (task in tasks) {
    toy <- toy_data(task)
    fit <- chosen(task)
    expect_s3_class(fit, c("gpsieve_chosen", paste0("gpsieve_", fit$model), "gpsieve_fit"),
      exact = TRUE)
    answers <- all_predictions(fit, toy$new)
    again <- eval(choice(fit, "call"), list(toy = toy, data = toy$data))
    expect_identical(all_predictions(again, toy$new), answers, info = task)
    saved <- unserialize(serialize(fit, NULL))
    expect_identical(all_predictions(saved, toy$new), answers)
  }
})

test_that("the call that is learned on blocks is short and makes the same fit", {
  toy <- toy_data("regression", n = 80)
  fit <- gpsieve(toy$x, toy$y, seed = 3, verbose = FALSE)
  call <- choice(fit, "call")
  expect_lt(nchar(paste(deparse(call), collapse = "")), 250)
  again <- eval(call, list(toy = toy))
  expect_identical(again$posteriors, fit$posteriors)
  expect_identical(coef(again), coef(fit))
})

test_that("numbers of a kernel that the user gave stand in the call with all their digits", {
  toy <- toy_data("regression", n = 40)
  kernel <- kernel_rbf(fixed(1.23456789), fixed(pi))
  fit <- gpsieve(toy$x, toy$y, kernel, lik_gaussian(fixed(0.123456789)), seed = 1, verbose = FALSE)
  again <- eval(choice(fit, "call"), list(toy = toy))
  expect_equal(predict(again, toy$new), predict(fit, toy$new), tolerance = 1e-13)
  expect_equal(kernel_of(fit)$values$lengthscale, pi)
})

test_that("the table tells what was compared, one candidate is chosen, and the best is", {
  table <- choice(chosen("regression"))
  expect_named(table, c("stage", "label", "model", "kernel", "likelihood", "score", "std_error",
    "difference", "std_error_difference", "rows", "seconds", "chosen", "not_taken"))
  expect_identical(sum(table$chosen), 1L)
  functions <- table[table$stage == "function", ]
  expect_identical(nrow(functions), 2L)
  # The response is a sine plus a line, so that a linear kernel fits it badly.
  expect_match(functions$kernel[which.max(functions$score)], "kernel_rbf", fixed = TRUE)
  expect_false("likelihood" %in% choice(chosen("multiclass"))$stage)
})

test_that("the choice does not depend on the unit of the response", {
  toy <- toy_data("regression", n = 80)
  plain <- gpsieve(toy$x, toy$y, seed = 1, verbose = FALSE)
  for (unit in c(1e-12, 1e12)) {
    fit <- gpsieve(toy$x, unit * toy$y - 5 * unit, seed = 1, verbose = FALSE)
    expect_equal(choice(fit)$score, choice(plain)$score, tolerance = 1e-6)
    expect_equal(predict(fit, toy$new) / unit + 5, predict(plain, toy$new), tolerance = 1e-5)
    expect_lt(fit$choice$held_out[["rmse"]] / (unit * sd(toy$y)), 0.9)
  }
})

test_that("a linear function is chosen where the response is one", {
  set.seed(4)
  x <- matrix(rnorm(300), 100)
  y <- drop(x %*% c(1, -2, 0)) + rnorm(100)
  fit <- gpsieve(x, y, likelihood = lik_gaussian(), seed = 1, verbose = FALSE)
  expect_equal(choice(fit)$label, c("linear", "rough and smooth"))
  wavy <- gpsieve(x, sin(3 * x[, 1]) + rnorm(100, sd = 0.1), likelihood = lik_gaussian(),
    seed = 1, verbose = FALSE
  )
  expect_match(choice(wavy)$label[1], "^rough and smooth")
  expect_match(wavy$choice$beside, "a linear function predicts clearly worse", all = FALSE)
})

test_that("rare classes, single rows and many classes have their fit", {
  set.seed(5)
  x <- matrix(rnorm(600), 300)
  for (rare in 1:3) {
    y <- factor(replace(rep("no", 300), seq_len(rare), "yes"))
    fit <- whatever_it_learns(gpsieve(x, y, seed = 1, verbose = FALSE))
    p <- predict(fit, x, type = "prob")
    expect_true(all(is.finite(p)) && all(abs(rowSums(p) - 1) < 1e-12))
    expect_lt(mean(p[, "yes"]), 0.1)
  }
  one <- whatever_it_learns(gpsieve(dist ~ speed, cars[1, ], seed = 1, verbose = FALSE))
  expect_equal(predict(one, cars[1, ]), cars$dist[1], ignore_attr = TRUE)
  expect_true(is.na(choice(one)$score))
  expect_warning(class = "gpsieve_warning_text",
    many <- whatever_it_learns(gpsieve(x[1:100, ], factor(rep(1:50, 2)), seed = 1, verbose = FALSE,
      control = control_gpsieve(blocks = learn_on_blocks(steps = 5))
    )))
  expect_identical(dim(predict(many, x, type = "prob")), c(300L, 50L))
})

test_that("a response without a function is named in a warning", {
  set.seed(6)
  noise <- data.frame(a = rnorm(60), b = rnorm(60), y = rnorm(60))
  classes <- transform(noise, y = factor(y > 0))
  # The scores of the constants and of the chosen functions differ by chance only.
  for (data in list(noise, classes)) {
    found <- vapply(1:4, function(seed) {
      warned <- FALSE
      withCallingHandlers(gpsieve(y ~ ., data, seed = seed, verbose = FALSE, control = few),
        gpsieve_warning_no_signal = function(w) {
          warned <<- TRUE
          invokeRestart("muffleWarning")
        }
      )
      warned
    }, NA)
    expect_true(any(found))
  }
  expect_warning(gpsieve(dist ~ speed, cars, seed = 1, verbose = FALSE), NA)
  # Weights count copies, of which a share is held out, and a row counts by its weight for the
  # constant too.
  expect_warning(gpsieve(Survived ~ Class + Sex + Age, as.data.frame(Titanic), weights = Freq,
    seed = 1, verbose = FALSE), NA)
})

test_that("the constant that a choice is compared with counts rows by their weights", {
  splits <- list(list(train = 1:6, test = 7:8))
  y <- c(1, 2, 4, 3, 5, 2, 6, 1)
  w <- c(1, 2, 1, 3, 1, 1, 1, 3)
  copies <- rep(y[1:6], w[1:6])
  density <- dnorm(y[7:8], mean(copies), sd(copies), log = TRUE)
  task <- list(molded = list(x = matrix(y), y = y, weights = w), unit = 2)
  expect_equal(density_of_constant(task, splits), sum((density + log(2)) * c(0.5, 1.5)))
  task$molded$y <- factor(y > 2)
  share <- (c(sum(copies > 2), sum(copies <= 2)) + 0.5) / (length(copies) + 1)
  expect_equal(density_of_constant(task, splits), sum(log(share) * c(0.5, 1.5)))
})

test_that("held-out log densities and residuals are those of the predictions", {
  toy <- toy_data("regression", n = 40)
  molded <- mold_xy(toy$x, toy$y)
  fit <- meanfield_gp(toy$x, toy$y, optimise = FALSE)
  link <- predict(fit, toy$x, type = "link", se.fit = TRUE)
  noise <- likelihood_of(fit)$values$variance * var(toy$y)
  by_hand <- dnorm(toy$y, link$fit, sqrt(link$se.fit^2 + noise), log = TRUE)
  found <- held_out_scores(fit, molded, 1)
  expect_equal(found$density, unname(by_hand))
  expect_equal(found$residual, unname(toy$y - link$fit))
  in_units <- held_out_scores(fit, molded, 10)
  expect_equal(in_units$density, pmax(found$density + log(10), density_floor))
  expect_equal(in_units$residual, found$residual / 10)
  for (task in c("binary", "multiclass")) {
    toy <- toy_data(task)
    fit <- meanfield_gp(toy$x, toy$y, optimise = FALSE)
    p <- predict(fit, toy$x, type = "prob")
    found <- held_out_scores(fit, mold_xy(toy$x, toy$y), 1)
    expect_equal(found$density, log(p[cbind(seq_along(toy$y), match(toy$y, colnames(p)))]))
  }
})

test_that("weights multiply log densities and squared residuals, and leave the surprise alone", {
  toy <- toy_data("binary", n = 40)
  fit <- meanfield_gp(toy$x, toy$y, optimise = FALSE)
  molded <- mold_xy(toy$x, toy$y)
  plain <- held_out_scores(fit, molded, 1)
  molded$weights <- rep(c(1, 3), 20)
  weighted <- held_out_scores(fit, molded, 1)
  expect_equal(weighted$density, plain$density * rep(c(0.5, 1.5), 20))
  expect_equal(weighted$residual^2, plain$residual^2 * rep(c(0.5, 1.5), 20))
  expect_identical(weighted$surprise, plain$surprise)
})

test_that("figures of held-out rows are those of the rows that were judged", {
  toy <- toy_data("regression", n = 80)
  fit <- gpsieve(toy$x, toy$y, likelihood = lik_gaussian(), seed = 1, verbose = FALSE)
  task <- choice_task(mold_xy(toy$x, toy$y), given_or_default(gpsieve, list(seed = 1)))
  squared <- 0
  for (split in held_out_splits(task)) {
    part <- meanfield_gp(toy$x[split$train, ], toy$y[split$train], kernel_rich(), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks())
    )
    squared <- squared + sum((toy$y[split$test] - predict(part, toy$x[split$test, ]))^2)
  }
  # The parts of the comparison begin to learn where all rows have ended, these at the usual start.
  expect_equal(fit$choice$held_out[["rmse"]], sqrt(squared / 80), tolerance = 0.005)
})

# An entry that has judged rows with these standardised residuals and log densities
judged_with <- function(surprise, density = 0) {
  list(judged = list(
    row = seq_along(surprise), surprise = surprise, density = rep_len(density, length(surprise))
  ))
}

test_that("a robust likelihood is tried where held-out residuals ask for it", {
  suspects <- function(surprise, rows = 200) {
    promises_heavy_tails(judged_with(surprise), list(molded = list(x = matrix(0, rows, 1))))
  }
  quantiles <- stats::qnorm(stats::ppoints(200))
  expect_false(suspects(quantiles))
  expect_false(suspects(3 * quantiles))
  expect_false(suspects(rep(0, 200)))
  expect_true(suspects(stats::qt(stats::ppoints(200), 2)))
  expect_true(suspects(c(NA, replace(quantiles, 1:4, c(20, -30, 40, -25)))))
  expect_false(suspects(rep(NA_real_, 20)))
  # One and a half standard errors: with the function of Gaussian noise, as of more than 1000 rows,
  # it can gain no more than these residuals say.
  little <- stats::qt(stats::ppoints(200), 4)
  expect_true(suspects(little))
  expect_false(suspects(little, 1001))
  expect_true(suspects(stats::qt(stats::ppoints(200), 2), 1001))
})

test_that("a robust likelihood is not tried where heavy tails cannot bring it before the best", {
  task <- list(molded = list(x = matrix(0, 200, 1)))
  usual <- judged_with(stats::qt(stats::ppoints(200), 2))
  # The tails promise .17 nats a row.
  expect_true(promises_heavy_tails(usual, task, judged_with(rep(0, 200), 0.05)))
  expect_false(promises_heavy_tails(usual, task, judged_with(rep(0, 200), 0.3)))
  # Rows that only one of them has judged say nothing.
  better <- judged_with(rep(0, 100), 0.6)
  better$judged$row <- 101:200
  expect_false(promises_heavy_tails(usual, task, better))
})

test_that("a robust likelihood is taken only if it is clearly better and unbiased", {
  entry <- function(density, residual) {
    list(judged = list(row = 1:50, density = density, residual = residual))
  }
  base <- sin(1:50)
  error <- sin(3 * 1:50)
  usual <- entry(base, error)
  gain <- 0.1 + 0.1 * cos(1:50)
  expect_true(clearly_better(entry(base + gain, error), usual))
  expect_false(clearly_better(entry(base + 0.02 + 0.1 * cos(1:50), error), usual))
  # One row that the usual likelihood thinks impossible decides nothing.
  expect_true(clearly_better(entry(base + gain, error), entry(replace(base, 7, -23), error)))
  expect_false(clearly_better(entry(base - 0.1, error), entry(replace(base, 7, -23), error)))
  # Residuals with a mean that is not 0, although their squares are smaller.
  expect_false(clearly_better(entry(base + gain, 0.1 + 0.1 * error), usual))
})

test_that("densities are compared on the rows that both entries judged", {
  few <- list(judged = list(row = c(4, 2), density = c(1, 2)))
  all <- list(judged = list(row = 1:5, density = (1:5) / 10))
  expect_equal(density_beyond(few, all), c(0.6, 1.8))
  expect_equal(density_beyond(all, few), c(-1.8, -0.6))
})

test_that("hyper-parameters that judged rows have taught count against an entry", {
  entry <- function(determined, density) {
    list(learned = list(determined = determined), judged = list(row = 1:5, density = density))
  }
  judged_under <- function(entry, anew) {
    task <- list(anew = anew, molded = list(x = matrix(0, 2000, 3)))
    entry$optimism <- optimism_of_learning(entry, task)
    entry
  }
  small <- entry(2, (1:5) / 10)
  large <- entry(102, (1:5) / 10 + 0.04)
  both <- function(anew) lapply(list(small, large), judged_under, anew)
  now <- both(FALSE)
  expect_equal(density_beyond(now[[2]], now[[1]]), rep(0.04 - 100 / 2000, 5))
  expect_equal(by_density(now)[[1]], now[[1]])
  anew <- both(TRUE)
  expect_equal(density_beyond(anew[[2]], anew[[1]]), rep(0.04, 5))
  expect_equal(by_density(anew)[[1]], anew[[2]])
})

test_that("mixes with more weights than rows, or than classes can gain by, are not compared", {
  x <- with_own_seed(1, matrix(rnorm(3000), 150, 20))
  compared <- function(columns) {
    compares_mixes(list(warped = TRUE, molded = list(x = x[, seq_len(columns), drop = FALSE])))
  }
  expect_identical(vapply(c(1, 2, 12, 13), compared, NA), c(FALSE, TRUE, TRUE, FALSE))
  task <- list(anew = FALSE, molded = list(x = x[, 1:6], y = factor(rep(1:2, 75))))
  judged <- function(density) list(judged = list(row = 1:5, density = rep(density, 5)))
  expect_true(mix_may_gain(task, judged(-0.11))) # 30 weights take .1
  expect_false(mix_may_gain(task, judged(-0.09)))
  expect_true(mix_may_gain(replace(task, "anew", TRUE), judged(-0.09)))
})

test_that("a split that judges a robust likelihood has nothing to learn", {
  kernel <- kernel_rbf(2, lengthscale = 3) + kernel_constant(1)
  usual <- list(kernel = kernel, likelihood = lik_gaussian(0.25))
  even <- list(candidate = list(), judged = list(
    surprise = 2 * stats::qt(stats::ppoints(999), 4), ended = list(usual, NULL)
  ))
  task <- list(molded = list(x = matrix(1:30), y = 1:30), kind = "number", latents = 1L,
    control = control_gpsieve())
  entry <- list(candidate = list(label = "Student noise", likelihood = lik_student()))
  held <- held_robust_entry(entry, even, 1L, task)$candidate
  expect_false(any(theta_free(held$kernel, held$likelihood)))
  # Residuals of Student's t, twice as wide, in units of a standard deviation of a half.
  expect_equal(held$likelihood$values$scale, 1, tolerance = 0.02)
  # A fit that broke down has no function to hold.
  expect_identical(held_robust_entry(entry, even, 2L, task), entry)
})

test_that("outliers bring Student noise, one-sided ones do not", {
  set.seed(1)
  x <- matrix(runif(200, -2, 2))
  smooth <- sin(2 * x[, 1]) + rnorm(200, sd = 0.1)
  outlier <- seq(3, 200, by = 10)
  likelihood <- function(y) {
    likelihood_of(gpsieve(x, y, kernel_rbf(), seed = 1, verbose = FALSE))$type
  }
  expect_identical(likelihood(smooth), "gaussian")
  expect_identical(likelihood(replace(smooth, outlier, smooth[outlier] + c(-4, 4))), "student")
  expect_identical(likelihood(replace(smooth, outlier, smooth[outlier] + 4)), "gaussian")
})

test_that("a function of few rows is found behind outliers", {
  for (seed in 1:3) {
    set.seed(seed)
    x <- matrix(runif(40))
    truth <- sin(2 * pi * x[, 1L])
    y <- truth + rnorm(40, sd = 0.15)
    y[1:4] <- y[1:4] + c(-3, 4, 5, -4)
    fit <- gpsieve(x, y, seed = 1, verbose = FALSE)
    expect_identical(likelihood_of(fit)$type, "student")
    expect_lt(sqrt(mean((predict(fit, x) - truth)^2)), 0.15)
  }
})

test_that("a candidate that cannot be judged does not end the choice", {
  toy <- toy_data("regression", n = 40)
  # A kernel that has no value for the rows of a fold, and one that has none for all rows.
  breaks_at <- function(rows) {
    kernel_function(function(x, z) {
      if (nrow(x) %in% rows) stop("no value for these rows")
      exp(-outer(x[, 1L], z[, 1L], "-")^2)
    })
  }
  choose <- function(bad) {
    choice(gpsieve(toy$x, toy$y, candidates = list(kernel_rbf(), bad), control = few, seed = 1,
      likelihood = lik_gaussian(), verbose = FALSE
    ))
  }
  folded <- choose(breaks_at(20))
  expect_match(folded$kernel[folded$chosen], "kernel_rbf")
  expect_identical(min(folded$score), density_floor)
  never <- choose(breaks_at(40))
  expect_identical(nrow(never), 1L)
})

test_that("models that the user names are compared", {
  toy <- toy_data("regression", n = 150)
  fit <- gpsieve(toy$x, toy$y, kernel_rbf(), lik_gaussian(), size = 20, seed = 1, verbose = FALSE,
    candidates = list("ivm", "ep_gp", "greedy_gp"), control = few
  )
  expect_setequal(choice(fit)$model, c("ivm", "ep_gp", "greedy_gp"))
  again <- eval(choice(fit, "call"), list(toy = toy))
  expect_identical(predict(again, toy$new), predict(fit, toy$new))
})

test_that("what cannot be chosen among is refused before any work", {
  toy <- toy_data("binary")
  refuse <- function(...) {
    expect_error(gpsieve(y ~ a + b, toy$data, ...), class = "gpsieve_error_argument")
  }
  refuse(candidates = "svm")
  refuse(candidates = list())
  refuse(time = 0)
  refuse(size = 0)
  refuse(kernels = 1)
  refuse(control = control_ivm())
  expect_error(gpsieve(y ~ a + b, toy$data, likelihood = lik_gaussian()), class = "gpsieve_error")
  expect_error(choice(ivm(dist ~ speed, cars, seed = 1)), class = "gpsieve_error_unsupported")
  expect_error(control_gpsieve(blocks = NULL), class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, {
    gpsieve(y ~ a + b, toy$data, candidates = "svm")
    choice(meanfield_gp(dist ~ speed, cars, optimise = FALSE))
  })
})

test_that("one scale for all columns divides them by the root of their mean variance", {
  x <- cbind(a = c(0, 2, 4), b = c(0, 1, 8), c = 5)
  fit <- meanfield_gp(x, c(1, 3, 2), optimise = FALSE, standardise = "common")
  expected <- sqrt(mean(c(var(x[, "a"]), var(x[, "b"]))))
  expect_equal(unname(fit$inputs$scale), rep(expected, 3))
  expect_equal(unname(fit$inputs$center), c(2, 3, 5))
  again <- update(fit, x = 2 * x, y = c(1, 3, 2))
  expect_equal(unname(again$inputs$scale), rep(2 * expected, 3))
})

test_that("only columns between the same ends may be scaled alike", {
  task <- function(x) list(molded = list(x = x), standardise = TRUE)
  set.seed(1)
  pixels <- matrix(stats::runif(400), 20)
  pixels[1, ] <- 0
  pixels[2, ] <- 1
  expect_true(of_one_kind(task(pixels)))
  expect_false(of_one_kind(task(pixels > 0.5)))
  expect_false(of_one_kind(task(matrix(stats::rnorm(400), 20))))
  expect_false(of_one_kind(task(pixels[, 1:5])))
})

test_that("a call by its full name needs no attached package", {
  skip_on_cran()
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(c(
    "fit <- gpsieve::gpsieve(dist ~ speed, cars, seed = 1)",
    "stopifnot(!\"package:gpsieve\" %in% search(), inherits(fit, \"gpsieve_chosen\"))",
    "print(fit)", "gpsieve::choice(fit)"
  ), script)
  said <- system2(file.path(R.home("bin"), "Rscript"), shQuote(script),
    stdout = TRUE, stderr = TRUE,
    env = paste0("R_LIBS=", paste(.libPaths(), collapse = .Platform$path.sep))
  )
  expect_null(attr(said, "status"), info = paste(said, collapse = "\n"))
})

test_that("factors of many levels have the candidate of a constant for each level", {
  n <- 240
  x <- spread_points(n, 2)
  place <- sprintf("p%02d", 1 + (seq_len(n) * 7) %% 80)
  shift <- stats::setNames(cos(seq_len(80) * 37), unique(place))
  data <- data.frame(x = x[, 1], place, y = sin(4 * x[, 1]) + shift[place] + 0.1 * cos(n * x[, 2]))
  fit <- gpsieve(y ~ x + place, data, seed = 1, likelihood = lik_gaussian(0.01), verbose = FALSE,
    control = control_gpsieve(folds = 2)
  )
  label <- "constants of levels"
  expect_true(label %in% choice(fit)$label)
  expect_identical(choice(fit)$label[1], label)
  expect_match(format(kernel_of(fit)), "kernel_categorical", fixed = TRUE)
  expect_equal(unname(predict(fit, data)), unname(fitted(fit)))
  expect_true(is.finite(predict(fit, data.frame(x = 0.5, place = "elsewhere"))))
  expect_equal(fitted(eval(choice(fit, "call"))), fitted(fit), tolerance = 1e-6)
  # Beside machines on parts of the rows, one for all rows has these constants.
  in_parts <- gpsieve(y ~ x + place, data, seed = 1, likelihood = lik_gaussian(0.01),
    verbose = FALSE, control = control_gpsieve(leaf_rows = 60, dense_rows = 50)
  )
  labels <- with(choice(in_parts), label[stage == "function"])
  expect_setequal(labels[!grepl("in 2 trees$", labels)],
    c("rough and smooth, in parts", "rough, in parts", label)
  )
  few <- subset(data, place %in% unique(place)[1:20])
  fewer <- gpsieve(y ~ x + place, few, seed = 1, likelihood = lik_gaussian(0.01), verbose = FALSE,
    control = control_gpsieve(folds = 2)
  )
  expect_false(label %in% choice(fewer)$label)
})

test_that("where every class has one row nothing is compared", {
  data <- data.frame(a = sin(1:12), k = factor(paste0("c", 1:12)))
  fit <- gpsieve(k ~ a, data, seed = 1, verbose = FALSE, time = 2)
  expect_null(fit$choice$held_out)
  expect_match(capture.output(print(fit)), "each of", all = FALSE)
})
