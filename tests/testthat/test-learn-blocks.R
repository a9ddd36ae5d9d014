# learn_on_blocks() and kernel_rich(): what is learned, from which rows, and what is refused.

blocks_of <- function(...) control_meanfield(blocks = learn_on_blocks(...))

rich_fit <- function(toy, ..., kernel = kernel_rich(), threads = 1) {
  meanfield_gp(toy$x, toy$y, kernel, seed = 2, threads = threads, control = blocks_of(...))
}

test_that("learning on one block of all rows increases the evidence and ends by itself", {
  toy <- toy_data("regression", n = 80)
  fits <- lapply(c(0, 10, 120, 1000), function(steps) rich_fit(toy, steps = steps))
  values <- vapply(fits, function(fit) evidence(fit)$value, 0)
  expect_true(all(diff(values[1:3]) > 0))
  expect_identical(coef(fits[[3L]]), coef(fits[[4L]]))
  start <- meanfield_gp(toy$x, toy$y, kernel_rich(), optimise = FALSE)
  expect_identical(coef(fits[[1L]]), coef(start))
})

test_that("without a prior the gradient of the evidence is small where learning ended", {
  toy <- toy_data("regression", n = 60)
  none <- list(pull_of_level = 0, pull_of_differences = 0, pull_of_others = 0)
  fit <- with_functions(none, rich_fit(toy, kernel = kernel_rbf(), steps = 500))
  expect_lt(max(abs(evidence(fit, gradient = TRUE)$gradient)), 0.6)
  quasi_newton <- meanfield_gp(toy$x, toy$y, kernel_rbf(),
    control = control_meanfield(prior = NULL)
  )
  expect_equal(evidence(fit)$value, evidence(quasi_newton)$value, tolerance = 2e-3)
})

test_that("a strong prior keeps what it holds and lets go of what it does not", {
  toy <- toy_data("regression", n = 60)
  kernel <- kernel_matern(2.5, ard = TRUE)
  start <- coef(meanfield_gp(toy$x, toy$y, kernel, optimise = FALSE))
  moved <- function(...) {
    pulls <- c(...)
    names(pulls) <- paste0("pull_of_", names(pulls))
    log(coef(with_functions(as.list(pulls), rich_fit(toy, kernel = kernel))) / start)
  }
  held <- moved(level = 1e5, others = 1e5, differences = 1e5)
  expect_lt(max(abs(held)), 0.1)
  # The lengthscales move together, and the other hyper-parameters stay.
  together <- moved(level = 0, others = 200, differences = 200)
  lengths <- grepl("lengthscale", names(start))
  expect_lt(max(abs(together[!lengths])), 0.1)
  expect_lt(abs(diff(together[lengths])), 0.1)
  expect_gt(abs(mean(together[lengths])), 0.1)
})

test_that("values in fixed() stay, and the bits do not depend on the number of threads", {
  for (task in tasks) {
    toy <- toy_data(task, n = 90)
    kernel <- kernel_matern(0.5, variance = fixed(0.3), ard = TRUE) + kernel_rbf()
    one <- rich_fit(toy, kernel = kernel, rows = 40, steps = 15)
    expect_identical(coef(one)[["matern.variance"]], 0.3)
    many <- rich_fit(toy, kernel = kernel, rows = 40, steps = 15, threads = 3)
    expect_identical(many$posteriors, one$posteriors, info = task)
  }
})

test_that("blocks of some rows find nearly what all rows say", {
  set.seed(7)
  x <- matrix(runif(1600, -2, 2), 800)
  y <- sin(2 * x[, 1]) + rnorm(800, sd = 0.2)
  all_rows <- meanfield_gp(x, y, kernel_rbf(ard = TRUE), seed = 1, control = blocks_of(rows = 800))
  blocks <- meanfield_gp(x, y, kernel_rbf(ard = TRUE), seed = 1, control = blocks_of(rows = 150))
  found <- coef(blocks)[c(2, 4)]
  expect_match(names(found), "lengthscale.*1|likelihood")
  expect_equal(found, coef(all_rows)[names(found)], tolerance = 0.25)
  expect_gt(coef(blocks)[[3]], 3)
})

test_that("several classes share what is learned, a few machines a step", {
  toy <- toy_data("multiclass", n = 60)
  few <- rich_fit(toy, steps = 60)
  all_machines <- with_functions(list(machines_of_step = 3), rich_fit(toy, steps = 60))
  gain <- function(fit) evidence(fit)$value - evidence(rich_fit(toy, steps = 0))$value
  expect_gt(gain(few), 0.7 * gain(all_machines))
})

test_that("ivm() learns on blocks as the dense model does, with its own prior mean", {
  toy <- toy_data("regression", n = 60)
  control <- control_ivm(blocks = learn_on_blocks(steps = 20))
  machine <- ivm(toy$x, toy$y, kernel_rich(), seed = 2, control = control)
  expect_identical(coef(machine), coef(rich_fit(toy, steps = 20)))
  toy <- toy_data("binary", n = 60)
  machine <- ivm(toy$x, toy$y, kernel_rich(), seed = 2, control = control)
  expect_false(identical(coef(machine), coef(rich_fit(toy, steps = 20))))
})

test_that("near rows show shorter lengthscales than random ones", {
  set.seed(3)
  x <- matrix(runif(3000, -6, 6), 1500)
  # A slow wave and a fast one: 40 random rows are too far apart to show the fast one.
  y <- sin(0.3 * x[, 1]) + sin(8 * x[, 1]) + rnorm(1500, sd = 0.1)
  shortest <- function(kind) {
    fit <- ivm(x, y, kernel_rbf(lengthscale = 1), n_active = 50, seed = 1,
      control = control_ivm(blocks = learn_on_blocks(rows = 40, steps = 90, kind = kind))
    )
    coef(fit)[["lengthscale"]]
  }
  expect_lt(shortest("near"), 0.7 * shortest("random"))
})

test_that("sparse inputs have random blocks", {
  skip_if_not_installed("Matrix")
  toy <- toy_data("regression", n = 60)
  x <- Matrix::Matrix(as.matrix(toy$x) * (as.matrix(toy$x) > 0), sparse = TRUE)
  kernel <- kernel_rbf(lengthscale = 2) + kernel_linear(0.5)
  sparse <- meanfield_gp(x, toy$y, kernel, seed = 1, control = blocks_of(rows = 30, steps = 10))
  dense <- meanfield_gp(as.matrix(x), toy$y, kernel, seed = 1, standardise = "common",
    control = blocks_of(rows = 30, steps = 10, kind = "random")
  )
  expect_true(all(is.finite(coef(sparse))))
  expect_false(identical(coef(sparse), exp(kernel_theta(kernel))))
  expect_true(all(is.finite(coef(dense))))
})

test_that("lengthscales know their columns", {
  kernel <- kernel_on(kernel_rbf(lengthscale = c(1, 2)), c(3, 1)) + kernel_linear(1) +
    kernel_matern(lengthscale = 4) + kernel_periodic(period = 1)
  expect_identical(as.list(lengthscale_columns(kernel, 3L)),
    list(parameter = c(2L, 3L, 6L, 6L, 6L), column = c(3L, 1L, 1L, 2L, 3L)))
  expect_identical(lengthscale_columns(kernel_linear(1), 3L),
    list(parameter = integer(), column = integer()))
})

test_that("a rich kernel prints as its call until a fit resolves it", {
  expect_output(print(kernel_rich()), "kernel_rich()", fixed = TRUE)
  expect_output(print(kernel_rich(nu = c(0.5, 0.5), linear = FALSE)),
    "kernel_rich(nu = c(0.5, 0.5), linear = FALSE)", fixed = TRUE)
  expect_identical(eval(str2lang(format(kernel_rich(linear = FALSE)))), kernel_rich(linear = FALSE))
  longer <- kernel_rich() + kernel_white(0.1)
  expect_match(format(longer), "^kernel_rich\\(\\) \\+ kernel_white")
  toy <- toy_data("regression")
  resolved <- kernel_of(meanfield_gp(toy$x, toy$y, longer, optimise = FALSE))
  expect_match(format(resolved), "^kernel_matern\\(nu = 0.5, variance = 0.5, lengthscale")
  ratio <- coef(meanfield_gp(toy$x, toy$y, kernel_rich(), optimise = FALSE))
  expect_equal(ratio[["matern1.lengthscale.a"]] / ratio[["matern2.lengthscale.a"]], exp(0.5))
  expect_equal(ratio[["linear.variance"]], 0.25)
})

test_that("what has no meaning is refused", {
  toy <- toy_data("regression")
  expect_error(
    ivm(toy$x, toy$y, likelihood = lik_student(),
      control = control_ivm(blocks = learn_on_blocks())
    ),
    class = "gpsieve_error_unsupported"
  )
  expect_snapshot(error = TRUE, {
    control_ivm(blocks = TRUE)
    control_ivm(blocks = learn_on_blocks(), learn_rows = 10, prior = NULL)
    learn_on_blocks(rows = 1)
    learn_on_blocks(pull = 2)
    kernel_rich(nu = 1)
    kernel_rich(nu = c(0.5, 2))
    meanfield_gp(toy$x, factor(toy$y > 4), likelihood = lik_label_noise(),
      control = control_meanfield(blocks = learn_on_blocks())
    )
  })
})

test_that("parts of the rows learn again, and not from the rows that are judged", {
  toy <- toy_data("regression", n = 80)
  task <- choice_task(mold_xy(toy$x, toy$y), given_or_default(gpsieve, list(seed = 1)))
  task$alike <- FALSE
  entry <- learn_entry(first_entries(task)[[1L]], task)
  part <- molded_part(task$molded, held_out_splits(task)[[1L]], "train")
  of_all <- fit_entry(entry, task, part)
  entry$learned$again <- TRUE
  again <- fit_entry(entry, task, part)
  lengths <- function(fit) {
    unlist(lapply(kernel_leaves(fit$kernel), function(leaf) leaf$kernel$values$lengthscale))
  }
  expect_false(isTRUE(all.equal(lengths(again), lengths(of_all), tolerance = 1e-3)))
  afresh <- meanfield_gp(part$x, toy$y[held_out_splits(task)[[1L]]$train], kernel_rich(), seed = 1,
    control = control_meanfield(blocks = learn_on_blocks())
  )
  # Both end at the same maximum.
  expect_equal(evidence(again)$value, evidence(afresh)$value, tolerance = 1e-3)
})

test_that("learning from one block ends at a maximum, and a fit that has not says so", {
  toy <- toy_data("regression", n = 60)
  fit_in <- function(steps) {
    meanfield_gp(toy$x, toy$y, kernel_rich(), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(steps = steps, prior = 0))
    )
  }
  early <- fit_in(12)
  expect_true(early$evidence$steps_ended)
  expect_output(print(early), "learning +ended before a maximum")
  whole <- fit_in(400)
  expect_false(whole$evidence$steps_ended)
  expect_false(any(grepl("before a maximum", capture.output(print(whole)))))
  expect_lt(max(abs(evidence(whole, gradient = TRUE)$gradient)), 0.1)
  expect_gt(evidence(whole)$value, evidence(early)$value)
})

test_that("learned noise keeps the factor of a function without noise, known noise stays", {
  x <- cbind(seq(0, 1, length.out = 60))
  y <- sin(6 * x[, 1L])
  fit <- meanfield_gp(x, y, kernel_rbf(), lik_gaussian(1e-10), seed = 1,
    control = control_meanfield(blocks = learn_on_blocks(steps = 400, prior = 0))
  )
  expect_gt(fit$likelihood$values$variance, 1e-13)
  expect_lt(max(abs(predict(fit, x) - y)), 1e-5)
  expect_error(
    meanfield_gp(x, y, kernel_rbf(variance = 100), lik_gaussian(1e-17), optimise = FALSE),
    class = "gpsieve_error_numerical"
  )
})

test_that("rows determine the hyper-parameters that they move from where the prior holds them", {
  x <- with_own_seed(1, matrix(rnorm(400), 50))
  problem <- prepare_problem(mold_xy(x, x[, 1L]),
    given_or_default(meanfield_gp, list(kernel = kernel_rich(), seed = 1L)))
  start <- theta_of(problem$kernel, problem$likelihood)
  of_rough <- which(grepl("^matern1.lengthscale", names(start)))
  moved <- function(which, by) {
    determined_number(problem, replace(start, which, start[which] + by))
  }
  expect_length(of_rough, 8L)
  expect_equal(moved(1L, 0), 0)
  # All eight together are one number: their common level.
  expect_equal(moved(of_rough, 100), 1, tolerance = 1e-3)
  expect_equal(moved(of_rough, 100 * c(1, -1)), 8, tolerance = 1e-3)
  expect_equal(moved(of_rough, 0.5 * c(1, -1)), 4)
})

test_that("the first steps have whole blocks where half of one has few rows of a class", {
  expect_identical(share_of_first_rows(learn_on_blocks(800), 1L), 0.5)
  expect_identical(share_of_first_rows(learn_on_blocks(800), 10L), 0.5)
  expect_identical(share_of_first_rows(learn_on_blocks(800), 26L), 1)
  expect_identical(share_of_first_rows(learn_on_blocks(800, prior = 0.1), 1L), 1)
})
