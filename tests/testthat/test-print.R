# What fits, summaries and tables of candidates print.

expect_page <- function(lines, most = 14) {
  expect_lte(length(lines), most)
  expect_lte(max(nchar(lines, "width")), 80)
  expect_false(any(grepl("evidence|kernel_", lines)))
}

page <- function(fit) {
  lines <- capture.output(print(fit))
  expect_page(lines)
  writeLines(lines)
}

test_that("ordinary calls print a page each", {
  skip_if_not_installed("MASS")
  quiet <- function(fit) suppressMessages(suppressWarnings(fit))
  boston <- MASS::Boston[seq(1, 506, 4), ]
  expect_snapshot({
    page(quiet(meanfield_gp(medv ~ ., boston, kernel_matern(0.5, ard = TRUE), seed = 1)))
    page(quiet(meanfield_gp(Species ~ ., iris, seed = 1)))
    page(quiet(ivm(type ~ ., MASS::Pima.tr, n_active = 50, seed = 1)))
    page(quiet(ivm(Species ~ ., iris, n_active = 20, optimise = FALSE, seed = 1)))
    page(quiet(ivm(dist ~ speed, cars, likelihood = lik_student(), seed = 1)))
    page(quiet(ivm(count ~ spray, InsectSprays, likelihood = lik_poisson(), seed = 1)))
    page(quiet(ep_gp(mpg ~ ., mtcars, inducing = 10, method = "ep", seed = 1,
      control = control_ep(max_iter = 20)
    )))
    page(quiet(ep_gp(tension ~ breaks + wool, warpbreaks, inducing = 8, method = "sep", seed = 1,
      control = control_ep(max_iter = 5)
    )))
    page(quiet(online_gp(Volume ~ ., trees, budget = 10, seed = 1)))
    page(quiet(greedy_gp(log(Volume) ~ Girth + Height, trees, n_basis = 8, seed = 1)))
    page(quiet(rvm(am ~ wt + hp, transform(mtcars, am = factor(am, labels = c("auto", "hand"))),
      seed = 1)))
    page(quiet(meanfield_gp(co2 ~ time, data.frame(co2 = c(co2), time = c(time(co2)))[1:120, ],
      kernel_linear() + kernel_periodic(period = 1) * kernel_rbf() + kernel_matern(1.5),
      optimise = FALSE, seed = 1
    )))
    page(quiet(gpsieve(dist ~ speed, cars, candidates = list(kernel_rbf(), kernel_linear() + 1),
      seed = 1, control = control_gpsieve(folds = 2)
    )))
  })
})

test_that("what a choice adds is printed where it is present", {
  fit <- meanfield_gp(Volume ~ ., trees, optimise = FALSE, seed = 1)
  fit$choice <- list(
    call = quote(meanfield_gp()), held_out = c(rmse = 3.204, r2 = 0.857, coverage95 = 0.921),
    beside = c("a linear model predicts clearly worse", "Student noise as well"),
    grew = "RMSE falls by 9 % with twice the rows"
  )
  class(fit) <- c("gpsieve_chosen", class(fit))
  expect_snapshot(page(fit))
  fit$choice[c("held_out", "beside", "grew")] <- NULL
  expect_snapshot(page(fit))
  classes <- meanfield_gp(Species ~ ., iris, optimise = FALSE)
  classes$choice$held_out <-
    c(error = 0.04, log_loss = 0.09, auc = 0.987, calibration = 0.3, rows = 150)
  expect_output(page(classes),
    "held out   150 rows: error 4 %, log loss .09, AUC .99; badly calibrated\n", fixed = TRUE)
})

test_that("a page stays a page whatever the names, the classes and the kernel", {
  long <- strrep("a_column_with_a_very_long_name_", 5)
  data <- trees
  names(data) <- c(paste0(long, 1:2), long)
  kernels <- Reduce(`+`, lapply(c(0.5, 1.5, 2.5), function(nu) {
    kernel_matern(nu, lengthscale = c(1, 2)) * kernel_periodic(period = 2) +
      kernel_on(kernel_matern(nu), 1) * (kernel_rational_quadratic() + kernel_white())
  })) + kernel_polynomial(3) + kernel_function(function(x, z) tcrossprod(x, z))
  fit <- meanfield_gp(reformulate(names(data)[1:2], long), data, kernels, optimise = FALSE)
  fit$choice$beside <- rep("another model that is described at length predicts clearly worse", 8)
  fit$choice$grew <- strrep("much ", 40)
  fit$reason <- strrep("because of everything ", 20)
  fit$cases <- list(total = 1e6 / 3, distinct = 12345L)
  fit$evidence$at_bound <- 1:5
  fit$held_out <- c(rmse = 123456.7, r2 = 0.123, coverage95 = 1, rows = 31)
  said <- capture.output(print(fit))
  expect_page(said)
  expect_match(said, "^  stopped    early: because of .*\\.\\.\\.$", all = FALSE)
  expect_match(said, "^             fairly smooth times periodic and .*\\.\\.\\.$", all = FALSE)
  many <- meanfield_gp(y ~ x, data.frame(x = 1:60, y = factor(rep(sprintf("class number %d", 1:30),
    2))), optimise = FALSE)
  expect_page(capture.output(print(many)))
  toy <- toy_data("regression")
  parts <- ivm(y ~ ., toy$data, leaf_rows = 40, n_active = 10, optimise = FALSE, seed = 1)
  expect_page(capture.output(print(parts)))
})

test_that("parts of a kernel are described in words", {
  said <- function(kernel) {
    kernel <- kernel_resolve(kernel, as.matrix(trees))
    fit <- meanfield_gp(as.matrix(trees), trees$Volume, kernel, optimise = FALSE)
    function_words(fit)
  }
  expect_snapshot({
    said(kernel_rbf())
    said(kernel_matern(0.5, ard = TRUE) + kernel_matern(2.5) + kernel_linear() + kernel_constant())
    said(kernel_on(kernel_periodic(), 1) + kernel_on(kernel_polynomial(), "Height"))
    said(kernel_rbf(1, 1) + kernel_rbf(1, 2) + kernel_white())
    said(2 * kernel_rbf() * (kernel_linear() + kernel_constant()))
    said(kernel_on(kernel_linear(), 1) * kernel_on(kernel_matern(1.5), 2:3))
    said(kernel_constant())
    said(kernel_function(function(x, z) tcrossprod(x, z)))
  })
  expect_identical(kernel_label(kernel_matern(0.5, ard = TRUE)), "rough, ARD")
  expect_identical(kernel_label(kernel_linear(NULL) + kernel_constant() + kernel_rbf()),
    "linear + very smooth")
  for (leaf in every_kernel_leaf()) expect_true(nzchar(kernel_label(leaf)))
})

test_that("a summary has the parameters of each kernel, columns as rows", {
  kernel <- kernel_matern(2.5, 1, fixed(c(Girth = 1, Height = 2))) + kernel_linear(0.5) +
    kernel_on(kernel_rational_quadratic(1, 2, 3), "Height")
  expect_snapshot({
    print(summary(meanfield_gp(Volume ~ ., trees, kernel, optimise = FALSE, seed = 1)))
    print(summary(meanfield_gp(Volume ~ ., trees, kernel, seed = 1)))
    print(summary(meanfield_gp(Species ~ ., iris[seq(1, 150, 3), ], optimise = FALSE,
      seed = 1)))
  })
  wide <- meanfield_gp(matrix(rnorm(400), 4), 1:4, kernel_rbf(ard = TRUE), optimise = FALSE)
  expect_match(capture.output(print(summary(wide))), "and 40 more: coef\\(\\)", all = FALSE)
})

test_that("figures of held-out rows are what their names say", {
  y <- c(1, 2, 3, 6)
  found <- figures_of_numbers(y, c(1, 2, 3, 4), rep(0, 4), rep(5, 4))
  expect_equal(found, c(rmse = 1, r2 = 1 - 4 / sum((y - 3)^2), coverage95 = 0.75,
    rmse_error = sd(c(0, 0, 0, 4)) / sqrt(4) / 2, rows = 4))
  # Of equal numbers rounding leaves a variance, of which no share can be explained.
  flat <- figures_of_numbers(rep(0.3, 7), rep(0.3, 7), 0, 1)
  expect_identical(flat[["r2"]], NA_real_)
  copies <- rep(1:4, c(1, 1, 1, 3))
  weighted <- figures_of_numbers(y, c(1, 2, 3, 4), rep(0, 4), rep(5, 4), c(1, 1, 1, 3))
  repeated <- figures_of_numbers(y[copies], c(1, 2, 3, 4)[copies], 0, 5)
  expect_equal(weighted[1:3], repeated[1:3])
  p <- cbind(c(0.9, 0.8, 0.3, 0.4), c(0.1, 0.2, 0.7, 0.6))
  classes <- figures_of_classes(log(p), c(1, 2, 2, 2))
  expect_equal(classes[["error"]], 0.25)
  expect_equal(classes[["guess"]], 0.25)
  weighed <- figures_of_classes(log(p), c(1, 2, 2, 2), c(3, 1, 1, 1))
  expect_equal(weighed[["guess"]], 0.5)
  expect_equal(classes[["error_error"]], sqrt(3 / 8 * 5 / 8 / 8))
  expect_equal(classes[["log_loss"]], -mean(log(c(0.9, 0.2, 0.7, 0.6))))
  expect_equal(classes[["auc"]], 1)
  expect_equal(classes[["calibration"]], mean(c(0.1, 0.8, 0.3, 0.4)))
  expect_equal(area_under_roc(c(1, 1, 2, 0), c(TRUE, FALSE, TRUE, FALSE)), 0.875)
  many <- rep(c(TRUE, FALSE), 60000)
  expect_equal(area_under_roc(as.double(many), many), 1)
  copies <- rep(1:4, c(3, 1, 2, 5))
  score <- c(1, 1, 2, 0)
  expect_equal(area_under_roc(score, c(TRUE, FALSE, TRUE, FALSE), c(3, 1, 2, 5)),
    area_under_roc(score[copies], c(TRUE, FALSE, TRUE, FALSE)[copies])
  )
  expect_false("auc" %in% names(figures_of_classes(log(cbind(p, 1)), c(1, 2, 2, 2))))
})

test_that("censored numbers are judged by the order of predictions", {
  skip_if_not_installed("survival")
  kept <- with_own_seed(1, list(a = runif(80), end = stats::rexp(80, 0.5), ties = rep(1:4, 20)))
  time <- with(kept, round(stats::qexp(0.2 + 0.6 * a) + ties / 10, 1))
  truth <- survival::Surv(pmin(time, kept$end), time <= kept$end)
  y <- with_pairs(truth)
  figures <- function(mean, weights = NULL) {
    figures_of_censored(pair_first(y), pair_second(y), mean, weights)[["concordance"]]
  }
  noisy <- round(kept$a + kept$ties / 5, 1)
  expect_equal(figures(noisy), survival::concordance(truth ~ noisy)$concordance)
  expect_identical(figures(-unclass(truth)[, 1L]), 0)
  expect_equal(figures(noisy, kept$ties),
    survival::concordance(truth ~ noisy, weights = kept$ties)$concordance
  )
  none <- figures_of_censored(c(0, 0), c(1, 1), 1:2)
  expect_identical(none[["concordance"]], NA_real_)
  data <- data.frame(a = kept$a, truth = truth)
  fit <- meanfield_gp(truth ~ a, data, optimise = FALSE)
  expect_match(capture.output(print(fit)),
    "held out   each of 80 rows: concordance \\.[0-9]+ \\(pairs in the right order\\)$",
    all = FALSE
  )
  chosen <- gpsieve(truth ~ a, data, seed = 1, verbose = FALSE)
  expect_gt(chosen$choice$held_out[["concordance"]], 0.6)
  expect_named(chosen$choice$held_out, c("concordance", "rows"))
})

test_that("leave-one-out figures are those of fits without the row", {
  fit <- meanfield_gp(Volume ~ ., trees, optimise = FALSE, standardise = FALSE,
    kernel = kernel_rbf(100, 5), likelihood = lik_gaussian(4))
  again <- t(vapply(seq_len(31), function(i) {
    predict(update(fit, data = trees[-i, ]), trees[i, ], interval = "prediction")[1, ]
  }, numeric(3)))
  expected <- figures_of_numbers(trees$Volume, again[, 1], again[, 2], again[, 3])
  expect_equal(fit$held_out, expected, tolerance = 1e-6)
  every_row <- ivm(Volume ~ ., trees, n_active = 31, optimise = FALSE, standardise = FALSE,
    kernel = kernel_rbf(100, 5), likelihood = lik_gaussian(4), control = control_ivm(n_full = Inf))
  expect_equal(every_row$held_out, expected, tolerance = 1e-6)
})

test_that("a fit to many more rows than took part in its choice is judged by itself", {
  fit <- meanfield_gp(Volume ~ ., trees, optimise = FALSE, seed = 1)
  own <- held_out_words(fit)
  fit$choice <- list(held_out = c(rmse = 50, r2 = 0.1, coverage95 = 0.9, rows = 90))
  expect_match(held_out_words(fit), "^90 rows: RMSE 50,")
  fit$n <- 2 * most_trial_rows + 1
  expect_identical(held_out_words(fit), own)
  fit$choice$in_time <- TRUE
  expect_match(held_out_words(fit), "^90 later rows: RMSE 50,")
  fit$choice$in_time <- fit$held_out <- NULL
  expect_match(held_out_words(fit), "^90 rows: RMSE 50,")
})

test_that("figures of very few rows are not printed", {
  fit <- meanfield_gp(Volume ~ ., trees, optimise = FALSE, seed = 1)
  said <- function(rows) {
    fit$held_out[["rows"]] <- rows
    held_out_words(fit)
  }
  expect_null(said(2))
  expect_no_match(said(12), "intervals")
  expect_match(said(31), "intervals hold")
})

test_that("probabilities that are right are called so, and others not", {
  words <- function(n, wrong) {
    with_own_seed(n, {
      p <- rbeta(n, 1, 1)
      codes <- 1 + (runif(n) < p)
      stated <- if (wrong) plogis(3 * qlogis(p)) else p
      calibration_words(as.list(figures_of_classes(log(cbind(1 - stated, stated)), codes)))
    })
  }
  sizes <- 200 + 40 * (1:20)
  is_good <- function(words) words == "well calibrated" | startsWith(words, "calibrated within")
  expect_gte(sum(is_good(vapply(sizes, words, "", FALSE))), 18)
  expect_false(any(is_good(vapply(sizes, words, "", TRUE))))
  expect_identical(words(200, FALSE), "calibrated within 10 %")
  expect_identical(words(2000, FALSE), "well calibrated")
})

test_that("numbers are printed in few digits", {
  expect_identical(plain_number(1.2345), "1.2")
  expect_identical(plain_number(0.0012345), "0.0012")
  expect_identical(plain_number(26341.3), "26,341")
  expect_identical(plain_number(Inf), "Inf")
  expect_identical(share(c(0.86, -0.5, 1.2)), c(".86", "-.50", "1.20"))
  expect_identical(percent(0.9199), "92 %")
  expect_identical(with_error(3.2444, 0.0449), "3.24 +- 0.04")
  expect_identical(with_error(26341.3, 1234), "26,000 +- 1,000")
  expect_identical(with_error(16, NA_real_), "16")
})

candidates <- data.frame(
  stage = c("kernel", "kernel", "likelihood", "likelihood"), model = "meanfield_gp",
  label = c("rough, ARD", "kernel_function(<function>)", "very smooth",
    "very smooth, lik_student()"),
  kernel = c("kernel_matern(nu = 0.5, ard = TRUE)", "kernel_function(<function>)",
    "kernel_rbf()", "kernel_rbf()"),
  likelihood = c("default", "default", "default", "lik_student(df = 4)"),
  score = c(-2.374, -2.5, NA, -2), std_error = c(0.1, 0.2, NA, 0.3),
  difference = c(0, -0.126, NA, 0.374), std_error_difference = c(0, 0.02, NA, 0.4),
  rows = c(100, 100, 0, 40), seconds = c(1.84, 0, 10, 100), chosen = c(TRUE, FALSE, FALSE, FALSE),
  not_taken = c(NA, NA, NA, "a gain within two standard errors")
)

test_that("a table of candidates prints a line for each and stays a data frame", {
  table <- new_choice_table(candidates)
  expect_snapshot(print(table))
  expect_snapshot(print(table[table$chosen, ]))
  expect_s3_class(table, c("gpsieve_choice", "data.frame"), exact = TRUE)
  expect_identical(as.data.frame(table)[names(candidates)], candidates)
  expect_identical(class(table[c("kernel", "score")]), "data.frame")
  expect_identical(table[["score"]], candidates$score)
  expect_identical(table[2, "score"], -2.5)
  expect_snapshot(print(table[c("stage", "score")]))
  kernels <- candidates[c(1, 3), ]
  kernels$stage <- NULL
  kernels$label <- c(strrep("a long name ", 10), "short")
  lines <- capture.output(print(new_choice_table(kernels)))
  expect_lte(max(nchar(lines)), 80)
  expect_length(lines, 4)
})

test_that("candidates are judged by the standard error of paired differences", {
  entry <- function(label, density, row = 1:40) {
    list(stage = "function", seconds = 1, judged = list(row = row, density = density),
      candidate = list(label = label, model = "meanfield_gp", kernel = kernel_rbf()))
  }
  spread <- with_own_seed(1, rnorm(40))
  noise <- rep(c(-1, 1), 20)
  entries <- list(entry("chosen", spread), entry("worse", spread - 0.1 + 0.05 * noise),
    entry("near", spread - 0.012 + 0.05 * noise), entry("equal", spread + 0.002 * noise),
    entry("dense", (spread + 0.1 + 0.05 * noise)[1:20], 1:20))
  expect_identical(beside_words(entries), c("worse predicts clearly worse",
    "near predicts somewhat worse", "equal predicts as well",
    "dense has a better score but larger squared errors"))
  table <- choice_table(entries)
  expect_identical(table$difference[1], 0)
  expect_identical(table$not_taken, c(NA, NA, NA, NA, "larger squared errors"))
  expect_equal(table$difference[5], mean(0.1 + 0.05 * noise[1:20]))
  expect_equal(table$std_error_difference[2], 0.05 * sd(noise) / sqrt(40))
  expect_false(any(grepl("best", capture.output(print(new_choice_table(table))))))
})

test_that("candidates are said by their functions, and what else they have in parentheses", {
  said <- function(label, own = NULL, chosen = NULL) {
    candidate_words(list(label = label, likelihood = own), list(likelihood = chosen))
  }
  expect_identical(said("rough and smooth"), "a rough and smooth function")
  expect_identical(said("learned scale, rough and smooth, warped"),
    "a rough and smooth function (learned scale, warped inputs)")
  expect_identical(said("Student noise"), "Student noise")
  expect_identical(said("linear", NULL, lik_poisson()), "a linear function (Gaussian noise)")
  expect_identical(said("linear", lik_poisson(), lik_poisson()), "a linear function")
  expect_identical(said("linear", NULL, lik_label_noise()), "a linear function")
})

test_that("a share of the variance is not said to be all of it", {
  expect_identical(r2_words(-0.2), "-.20 (no better than the mean)")
  said <- vapply(c(0.4, 0.994, 0.9964, 0.99996, 1), r2_words, "")
  expect_identical(said, c(".40", ".99", ".996", ".99996", "1.00"))
})

test_that("the function is said of what the formula has, and inputs are columns of the data", {
  said <- function(formula, kernel = kernel_linear()) {
    fit <- meanfield_gp(formula, mtcars, kernel, optimise = FALSE, seed = 1)
    list(function_words(fit), sub(".*rows, ([0-9]+ inputs?).*", "\\1", describe_fit(fit)[1]))
  }
  expect_identical(said(mpg ~ wt), list("a linear trend of wt", "1 input"))
  expect_identical(said(mpg ~ poly(wt, 2)), list("a linear trend of poly(wt, 2)", "1 input"))
  expect_identical(said(mpg ~ wt + I(wt^2)), list("a linear trend of wt and I(wt^2)", "1 input"))
  expect_identical(said(mpg ~ splines::ns(wt, 3), kernel_rbf()),
    list("a very smooth function of splines::ns(wt, 3)", "1 input"))
  expect_identical(said(mpg ~ log(wt) + hp), list("a linear trend of log(wt) and hp", "2 inputs"))
  expect_identical(said(mpg ~ wt * hp), list("a linear trend of wt, hp, and wt:hp", "2 inputs"))
  expect_identical(said(mpg ~ wt * hp * qsec), list("a linear trend of all 7 terms", "3 inputs"))
  expect_identical(said(mpg ~ wt + hp), list("a linear trend", "2 inputs"))
})

test_that("the name of a response is whole where the line has room for it", {
  fit <- meanfield_gp(log(Volume) ~ Girth, trees, optimise = FALSE, seed = 1)
  fit$choice <- list()
  fit$labels$title <- "Informative vector machine"
  fit$n <- 48940
  expect_match(describe_fit(fit)[1], "log(Volume): 48,940 rows, 1 input", fixed = TRUE)
  expect_match(describe_fit(fit)[1], "  gpsieve\\(\\)$")
})

test_that("no relevance is printed as a share above 1", {
  fit <- meanfield_gp(mpg ~ wt:hp + qsec, mtcars, optimise = FALSE, seed = 1)
  expect_gt(relevance(fit)$relevance[1], 1)
  expect_match(relevance_line(fit), "^wt:hp > 1  ")
})

test_that("every print keeps within the user's width", {
  toy <- toy_data("regression")
  few <- control_gpsieve(folds = 2)
  chosen <- gpsieve(y ~ ., toy$data, seed = 1, verbose = FALSE, control = few,
    candidates = list(kernel_rbf(), kernel_linear() + kernel_matern(0.5, ard = TRUE)))
  prints <- function(fit) {
    print(fit)
    print(summary(fit))
  }
  for (width in c(50, 60, 80, 200)) {
    withr::local_options(width = width)
    for (task in tasks) for (model in names(model_specs())) {
      lines <- capture.output(prints(shared_fit(model, task)))
      expect_lte(max(nchar(lines, "width")), width)
    }
    lines <- capture.output(prints(chosen), print(choice(chosen)))
    expect_lte(max(nchar(lines, "width")), width)
  }
})

test_that("leave-one-out figures of fits without cavities are those of fits without the row", {
  toy <- toy_data("regression")
  # Without learning, and with the functions that all rows have selected.
  online <- function(data) {
    online_gp(y ~ a + b, data, kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(0.3),
      optimise = FALSE, standardise = FALSE, seed = 1
    )
  }
  fit <- online(toy$data)
  without <- vapply(1:60, function(i) predict(online(toy$data[-i, ]), toy$data[i, ]), 0)
  expect_equal(fit$held_out[["rmse"]], sqrt(mean((toy$data$y - without)^2)), tolerance = 1e-4)
  # Each fold of ten rows selects its own functions, which costs a little more.
  fits <- list(
    function(data) rvm(y ~ a + b, data, optimise = FALSE, seed = 1),
    function(data) greedy_gp(y ~ a + b, data, n_basis = 15, optimise = FALSE, seed = 1),
    function(data) ivm(y ~ a + b, data, n_active = 15, optimise = FALSE, seed = 1),
    function(data) ivm(y ~ a + b, data, n_active = 10, leaf_rows = 30, optimise = FALSE, seed = 1),
    function(data) ep_gp(y ~ a + b, data, inducing = 10, method = "sep", optimise = FALSE, seed = 1)
  )
  for (machine in fits) {
    crossed <- suppressWarnings(cv(machine, toy$data, folds = 6, seed = 1))
    rmse <- crossed$measures$estimate[2]
    figures <- machine(toy$data)$held_out
    expect_gt(figures[["rmse"]], 0.75 * rmse)
    expect_lt(figures[["rmse"]], 1.1 * rmse)
    expect_gt(figures[["coverage95"]], 0.85)
    expect_identical(figures[["rows"]], 60)
  }
  expect_null(online_gp(y ~ a + b, toy$data, budget = 10, seed = 1, optimise = FALSE)$held_out)
  not_used <- ivm(y ~ a + b, toy$data, n_active = 15, refine = 0, optimise = FALSE, seed = 1)
  expect_null(not_used$held_out)
  expect_null(rvm(y ~ a + b, toy$data, optimise = FALSE, seed = 1, variance = "augmented")$held_out)
})

test_that("what was compared is cut between candidates, not within one", {
  said <- paste("candidate", letters[1:9], "predicts clearly worse")
  for (most in 1:2) {
    text <- as_many_as_fit(said, most)
    expect_lte(length(strwrap(text, page_width() - label_width + 1L)), most)
    kept <- strsplit(text, ", ")[[1]]
    expect_identical(kept, c(said[seq_len(length(kept) - 1L)],
      paste(length(said) - length(kept) + 1L, "more")))
  }
  expect_identical(as_many_as_fit(said[1], 1), said[1])
  expect_null(as_many_as_fit(NULL, 2))
})
