# gpsieve(): what it returns and prints, and which arguments are errors.

few <- control_gpsieve(folds = 2, rows = 40)
two_kernels <- list(kernel_rbf(), kernel_linear() + kernel_constant())

chosen <- function(task, ..., kernels = two_kernels) {
  toy <- toy_data(task)
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
    expect_identical(chosen(task)$choice$call, fit$choice$call)
  }
})

test_that("the table tells what was compared and one candidate of each stage is chosen", {
  table <- choice(chosen("regression"))
  expect_named(table, c(
    "stage", "model", "kernel", "likelihood", "score", "std_error", "rows", "seconds", "chosen"
  ))
  expect_identical(table$stage, c("kernel", "kernel", "likelihood", "likelihood"))
  expect_identical(unname(c(tapply(table$chosen, table$stage, sum))), c(1L, 1L))
  # The response is a sine plus a line, so that a linear kernel fits it badly.
  expect_match(table$kernel[table$chosen][1], "kernel_rbf", fixed = TRUE)
  expect_false("likelihood" %in% choice(chosen("multiclass"))$stage)
})

test_that("printing tells what was chosen, why, what it beat and what to write", {
  said <- capture.output(print(chosen("binary")))
  expect_match(said, "^  chosen ", all = FALSE)
  expect_match(said, "^  it beat .*standard error", all = FALSE)
  expect_match(said, "^  to write +[a-z_]+\\(y ~ a \\+ b, ", all = FALSE)
})

test_that("a usual candidate that was not clearly beaten is not said to have beaten another", {
  candidates <- list(
    list(arguments = list(likelihood = NULL)), list(arguments = list(likelihood = quote(lik_t())))
  )
  race <- list(scores = cbind(c(0, 0, 1, 1), c(0.1, 0.2, 1.1, 1.2)))
  expect_identical(describe_stage("likelihood", candidates, race, 2L),
    "lik_t() over the default likelihood by 0.150 (standard error 0.029) a row")
  expect_identical(describe_stage("likelihood", candidates, race, 1L), paste(
    "the default likelihood, although lik_t() was better by 0.150 (standard error 0.029) a row"
  ))
})

test_that("held-out log densities are those of the predictions", {
  toy <- toy_data("regression")
  molded <- mold_formula(y ~ a + b, toy$data, NULL)
  fit <- meanfield_gp(y ~ a + b, toy$data, optimise = FALSE)
  link <- predict(fit, toy$data, type = "link", se.fit = TRUE)
  noise <- likelihood_of(fit)$values$variance * var(toy$y)
  by_hand <- dnorm(toy$y, link$fit, sqrt(link$se.fit^2 + noise), log = TRUE)
  expect_equal(held_out_log_density(fit, molded, NULL), by_hand)
  for (task in c("binary", "multiclass")) {
    toy <- toy_data(task)
    molded <- mold_formula(y ~ a + b, toy$data, NULL)
    fit <- meanfield_gp(y ~ a + b, toy$data, optimise = FALSE)
    p <- predict(fit, toy$data, type = "prob")
    expect_equal(
      held_out_log_density(fit, molded, NULL),
      log(p[cbind(seq_along(toy$y), match(toy$y, colnames(p)))])
    )
  }
})

test_that("folds are even, classes spread over them, and the generator is left alone", {
  y <- factor(rep(c("a", "b"), c(40, 10)))
  set.seed(3)
  before <- .Random.seed
  fold <- assign_folds(y, 5L, 1)
  expect_identical(.Random.seed, before)
  expect_true(all(table(y, fold) == c(8, 2)))
  expect_identical(sort(unique(table(assign_folds(rnorm(52), 5L, 1)))), c(10L, 11L))
})

test_that("a candidate is given up only when it is clearly worse", {
  base <- sin(1:50)
  expect_identical(is_beaten(cbind(base, base - 1, base + 0.01 * cos(1:50))), c(FALSE, TRUE, FALSE))
  expect_identical(is_beaten(cbind(base)), FALSE)
  race <- function(gain, error = sin(3 * 1:50), first = TRUE) {
    list(scores = cbind(base, base + gain), residuals = cbind(sin(3 * 1:50), error),
      finished = c(first, TRUE)
    )
  }
  gain <- 0.1 + 0.1 * cos(1:50)
  expect_identical(clearly_better(race(gain)), 2L)
  expect_identical(clearly_better(race(0.02 + 0.1 * cos(1:50))), 1L)
  expect_identical(clearly_better(race(gain, error = 1.01 * sin(3 * 1:50))), 1L)
  # Residuals with a mean that is not 0, although their squares are smaller.
  biased <- 0.1 + 0.1 * sin(3 * 1:50)
  expect_identical(clearly_better(race(gain, error = biased)), 2L)
  expect_identical(clearly_better(race(gain, error = biased), unbiased = TRUE), 1L)
  expect_identical(clearly_better(race(gain), unbiased = TRUE), 2L)
  # The first may have been given up after some folds.
  given_up <- race(gain)
  given_up$scores[26:50, 1L] <- NA
  expect_identical(clearly_better(given_up), 2L)
})

test_that("plausibility falls with the standard errors that a score is below the best", {
  base <- sin(1:50)
  scores <- cbind(base, base - 0.1 + cos(1:50), base - 1, base)
  scores[26:50, 3L] <- NA
  race <- list(scores = scores, finished = c(TRUE, TRUE, FALSE, TRUE))
  gap <- base - scores[, 2L]
  z <- mean(gap) / (sd(gap) / sqrt(50))
  expect_equal(unname(plausibility(race)), c(1, exp(-z^2 / 2), 0, 1))
})

test_that("kernels that held-out rows do not tell apart are added up", {
  toy <- toy_data("binary", n = 60)
  fit <- gpsieve(toy$x, toy$y, likelihood = lik_probit(), seed = 2, verbose = FALSE,
    control = control_gpsieve(folds = 2)
  )
  table <- choice(fit)
  sum <- table[table$stage == "sum", ]
  expect_identical(nrow(sum), 2L)
  gain <- diff(sum$score)
  expect_true(sum$chosen[1L] || gain > 0)
  again <- eval(choice(fit, "call"), list(toy = toy))
  expect_identical(predict(again, toy$new), predict(fit, toy$new))
  # Kernels that the user gave are compared as they are.
  expect_false("sum" %in% choice(chosen("binary"))$stage)
  kernel <- kernel_linear(2, 3) + kernel_rbf(4, 5)
  shared <- with_variance_share(kernel, 0.25)
  expect_equal(kernel_matrix(shared, toy$x), kernel_matrix(kernel, toy$x) / 4)
})

test_that("held-out residuals are those of the predictions", {
  numbers <- toy_data("regression", n = 40)
  molded <- mold_xy(numbers$x, numbers$y, NULL)
  fit <- meanfield_gp(numbers$x, numbers$y, optimise = FALSE)
  found <- held_out_scores(fit, molded, NULL)
  expect_equal(found$residual, unname(residuals(fit, data = numbers$x, y = numbers$y)))
  expect_equal(found$surprise, unname(residuals(fit, "pearson", data = numbers$x, y = numbers$y)))
  classes <- toy_data("binary", n = 40)
  fit <- meanfield_gp(classes$x, classes$y, optimise = FALSE)
  p <- predict(fit, classes$x, type = "prob")
  found <- held_out_scores(fit, mold_xy(classes$x, classes$y, NULL), NULL)
  expect_equal(found$residual, unname((classes$y == colnames(p)[2L]) - p[, 2L]))
  expect_equal(found$surprise, log(p[cbind(1:40, as.integer(classes$y))]))
})

test_that("weights multiply log densities and squared residuals, and leave the surprise alone", {
  toy <- toy_data("binary", n = 40)
  fit <- meanfield_gp(toy$x, toy$y, optimise = FALSE)
  molded <- mold_xy(toy$x, toy$y, NULL)
  plain <- held_out_scores(fit, molded, NULL)
  molded$weights <- rep(c(1, 3), 20)
  weighted <- held_out_scores(fit, molded, NULL)
  expect_equal(weighted$density, plain$density * rep(c(0.5, 1.5), 20))
  expect_equal(weighted$residual^2, plain$residual^2 * rep(c(0.5, 1.5), 20))
  expect_identical(weighted$surprise, plain$surprise)
})

test_that("robust likelihoods are tried where held-out rows ask for them", {
  asks <- function(surprise, kind) {
    suspects_outliers(list(judgement = list(found = cbind(0, 0, surprise))), list(kind = kind))
  }
  quantiles <- stats::qnorm(stats::ppoints(200))
  expect_false(asks(quantiles, "number"))
  expect_false(asks(3 * quantiles, "number"))
  expect_false(asks(rep(0, 200), "number"))
  expect_true(asks(stats::qt(stats::ppoints(200), 2), "number"))
  expect_true(asks(c(NA, replace(quantiles, 1:4, c(20, -30, 40, -25))), "number"))
  # Probabilities of true classes that are right as often as they say, and some surely wrong ones.
  right <- rep(c(0.7, 0.3), c(140, 60))
  expect_false(asks(log(right), "binary"))
  sure <- rep(c(0.999, 1e-8), c(190, 10))
  expect_true(asks(log(sure), "binary"))
  for (kind in c("number", "binary")) expect_false(asks(c(NA_real_, NA), kind))
})

test_that("what a stage found out about a candidate is not computed again", {
  toy <- toy_data("regression", n = 60)
  task <- choice_task(mold_xy(toy$x, toy$y, NULL), NULL, NULL, NULL, NULL, NULL, TRUE, NULL,
    control_gpsieve(folds = 3), 1, 1, globalenv()
  )
  entries <- lapply(c(quote(kernel_rbf()), quote(kernel_matern())), function(kernel) {
    new_entry(comparing_candidate(task, kernel))
  })
  first <- race_candidates(entries, task, task$molded)
  known <- Map(new_entry, lapply(entries, `[[`, "candidate"), first$starts, 1, first$judgements)
  again <- race_candidates(known, task, task$molded)
  expect_identical(again$scores, first$scores)
  expect_identical(again$residuals, first$residuals)
  expect_identical(again$seconds, c(0, 0))
  # On other rows it is.
  fewer <- molded_rows(task$molded, 1:50)
  expect_true(all(race_candidates(known, task, fewer)$seconds > 0))
})

test_that("many rows go to sparse models, compared on rows held out", {
  toy <- toy_data("regression", n = 150)
  fit <- gpsieve(toy$x, toy$y, kernel_rbf(), lik_gaussian(), size = 20, seed = 1, verbose = FALSE,
    candidates = list("ivm", "ep_gp"), control = control_gpsieve(folds = 2, rows = 60)
  )
  table <- choice(fit)
  expect_identical(unique(table$stage), "model")
  # Both with what was learned on 60 rows; then the better of them, if its kernel can be adapted.
  expect_identical(table$model[1:2], c("ivm", "ep_gp"))
  expect_lte(nrow(table), most_trials)
  expect_identical(fit$model, table$model[table$chosen])
  expect_gte(table$score[table$chosen], max(table$score[1:2]))
  expect_lte(max(nrow(inducing(fit))), 20)
  again <- eval(choice(fit, "call"), list(toy = toy))
  expect_identical(predict(again, toy$new), predict(fit, toy$new))
})

sparse_candidate <- function(kernel, likelihood = quote(lik_gaussian(variance = 0.1))) {
  new_candidate("ivm", kernel, likelihood, n_active = 10, optimise = FALSE)
}

test_that("a climb ends where no step helps, and changes nothing that is held fixed", {
  task <- list(kind = "number", kernels = list(), likelihood = NULL)
  target <- c(half = 0.5, noise = 0.06)
  score <- function(candidate) {
    kernel <- kernel_of_candidate(candidate)
    noise <- eval(candidate$arguments$likelihood)$values$variance
    half <- kernel$values$lengthscale * roughnesses[[roughness_of(kernel)]]$half
    away <- log(c(half, noise) / target)
    -sum(away^2) - (kernel$type != "rbf") / 10
  }
  is_better <- function(further, candidate) score(further) > score(candidate)
  found <- climb(sparse_candidate(quote(kernel_matern(nu = 0.5, lengthscale = 2))),
    is_better, task
  )
  kernel <- kernel_of_candidate(found)
  expect_identical(kernel$type, "rbf")
  expect_lt(abs(log(1.177 * kernel$values$lengthscale / 0.5)), -log(0.7))
  for (step in trial_steps(task)) {
    further <- step(found)
    if (!is.null(further)) expect_false(is_better(further, found))
  }
  task$kernels <- list(kernel_rbf())
  fixed <- sparse_candidate(quote(kernel_rbf(fixed(1), fixed(2))),
    quote(lik_gaussian(variance = fixed(0.1)))
  )
  expect_identical(climb(fixed, is_better, task), fixed)
})

test_that("a rougher or smoother kernel has half its variance at the same distance", {
  half <- function(kernel, distance) kernel_matrix(kernel, matrix(0), matrix(distance))[1]
  candidate <- sparse_candidate(quote(kernel_matern(nu = 2.5, variance = 3, lengthscale = 2)))
  for (by in c(-1, 1)) {
    moved <- kernel_of_candidate(with_roughness(candidate, by))
    expect_equal(half(moved, 2 * 1.043), 1.5, tolerance = 1e-2)
  }
  expect_null(with_roughness(sparse_candidate(quote(kernel_rbf(1, 2))), 1))
  expect_null(with_roughness(sparse_candidate(quote(kernel_linear(1))), 1))
  sum <- sparse_candidate(quote(kernel_linear(2) + kernel_rbf(1, c(1, 3))))
  back <- with_roughness(with_roughness(sum, -1), 1)
  expect_equal(kernel_of_candidate(back), kernel_of_candidate(sum), tolerance = 1e-3)
})

test_that("trials of several machines are judged by their means", {
  one <- list(density = c(-1, -2), residual = c(0.3, -0.4))
  two <- list(density = c(-3, -2), residual = c(-0.1, 0.8))
  expect_identical(mean_judgement(list(one)), one)
  both <- mean_judgement(list(one, two))
  expect_equal(both$density, c(-2, -2))
  expect_equal(both$residual^2, c(0.05, 0.4))
})

test_that("a robust likelihood must be clearly better on many rows too", {
  toy <- toy_data("regression", n = 600)
  candidate <- function(likelihood) {
    new_candidate("ivm", quote(kernel_rbf(1, 1)), likelihood, n_active = 50, optimise = FALSE)
  }
  usual <- candidate(quote(lik_gaussian(0.1)))
  robust <- candidate(quote(lik_student(scale = 0.3)))
  decide <- function(y) {
    task <- choice_task(mold_xy(toy$x, y, NULL), NULL, NULL, 50, NULL, list("ivm"), TRUE, NULL,
      control_gpsieve(), 1, 1, globalenv()
    )
    new_trials(task)$robust_or_usual(robust, usual)
  }
  set.seed(1)
  smooth <- toy$x[, 1] + rnorm(600, sd = 0.3)
  outlier <- seq(3, 600, by = 10)
  expect_identical(decide(smooth), usual)
  expect_identical(decide(replace(smooth, outlier, smooth[outlier] + c(-5, 5))), robust)
  # Outliers on one side move the mean, which a likelihood with heavy tails misses.
  expect_identical(decide(replace(smooth, outlier, smooth[outlier] + 5)), usual)
})

test_that("trials of classes are those of the most frequent ones, on rows that are not learned", {
  y <- factor(rep(c("a", "b", "c", "d", "e"), c(5, 40, 30, 20, 10)))
  molded <- list(x = matrix(0, 105), y = y)
  machines <- trial_machines(molded)
  positives <- vapply(machines, function(machine) sum(machine$y == "TRUE"), 0L)
  expect_identical(positives, c(40L, 30L, 20L))
  molded$y <- factor(y == "b")
  expect_identical(trial_machines(molded), list(molded))
  held <- trial_rows(list(molded = molded, control = control_gpsieve(), seed = 1), 0.8)
  expect_identical(sort(c(held$train, held$test)), 1:105)
  expect_lt(abs(length(held$train) - 84), 5)
  for (seed in 1:20) {
    y <- factor(rep(c("usual", "rare"), c(97, 3)))
    task <- list(molded = list(y = y), control = control_gpsieve(), seed = seed)
    expect_true("rare" %in% y[trial_rows(task, 0.3)$train])
    task$molded$y <- c(2, 3, 5, 7)
    expect_length(trial_rows(task, 0.8)$test, 1L)
  }
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
  expect_snapshot(error = TRUE, {
    gpsieve(y ~ a + b, toy$data, candidates = "svm")
    choice(meanfield_gp(dist ~ speed, cars, optimise = FALSE))
  })
})

test_that("the best kernels of few rows are compared again on more", {
  toy <- toy_data("regression", n = 400)
  fit <- gpsieve(toy$x, toy$y, likelihood = lik_gaussian(), time = 1, seed = 1, verbose = FALSE)
  expect_identical(unique(choice(fit)$stage), c("kernel", "sum"))
  task <- choice_task(mold_xy(toy$x, toy$y, NULL), NULL, NULL, NULL, NULL, NULL, TRUE, NULL,
    control_gpsieve(), 1, 1, globalenv()
  )
  expect_equal(choosing_rows(task, 9), 400)
  task$time <- 8
  expect_lt(choosing_rows(task, 9), choosing_rows(task, 3))
})

test_that("a dense fit for which there is little time learns from fewer rows", {
  toy <- toy_data("regression", n = 300)
  short <- gpsieve(toy$x, toy$y, kernel_rbf(), lik_gaussian(), time = 0.01, seed = 1,
    verbose = FALSE
  )
  call <- choice(short, "call")
  expect_equal(eval(call$control)$learn_rows, 250)
  expect_identical(short$n, 300L)
  again <- eval(call, list(toy = toy))
  expect_identical(predict(again, toy$new), predict(short, toy$new))
  long <- gpsieve(toy$x, toy$y, kernel_rbf(), lik_gaussian(), seed = 1, verbose = FALSE)
  expect_null(choice(long, "call")$control)
  expect_equal(predict(short, toy$new), predict(long, toy$new), tolerance = 0.05)
})

test_that("up to a thousand rows have a fixed time, more that of a tuned support vector machine", {
  seconds <- function(n) choice_seconds(list(molded = list(x = matrix(0, n, 1))))
  expect_identical(seconds(50), seconds(1000))
  expect_equal(seconds(4000) / seconds(2000), 4)
  expect_identical(seconds(1e5), 75)
  expect_identical(choice_seconds(list(time = 3)), 3)
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
