# Machines on parts of the rows among the candidates of gpsieve().

test_that("many rows go to machines on parts of the rows, compared with one for all", {
  toy <- toy_data("regression", n = 1200)
  control <- control_gpsieve(leaf_rows = 300, dense_rows = 200,
    blocks = learn_on_blocks(rows = 200, steps = 20)
  )
  fit <- gpsieve(toy$x, toy$y, likelihood = lik_gaussian(), control = control, seed = 1,
    verbose = FALSE
  )
  table <- choice(fit)
  # With two columns there is no tree for each term.
  expect_setequal(table$label[table$stage == "function"],
    c("rough and smooth, in parts", "rough, in parts", "rough and smooth")
  )
  expect_match(table$label[table$stage == "inputs"], ", (warped|mixed)")
  expect_identical(table$score[table$chosen], max(table$score[table$stage == "function"]))
  expect_match(fit$choice$beside, "^[^,]*$")
  expect_match(fit$choice$grew, "^RMSE [0-9.]+ from [0-9]+ rows, [0-9.]+ from [0-9]+$")
  again <- eval(choice(fit, "call"), list(toy = toy))
  expect_identical(predict(again, toy$new), predict(fit, toy$new))
  # A size asks for one machine.
  small <- gpsieve(toy$x, toy$y, size = 20, likelihood = lik_gaussian(), control = control,
    seed = 1, verbose = FALSE
  )
  expect_identical(nrow(inducing(small)), 20L)
})

test_that("beside machines on parts, one for all rows of pixels has one lengthscale", {
  x <- matrix(with_own_seed(1, sample(0:255, 12 * 300, TRUE)), 300)
  x[1:2, ] <- c(0, 255)
  y <- sin(x[, 1] / 50) + x[, 2] / 255
  fit <- gpsieve(x, y, likelihood = lik_gaussian(0.01), seed = 1, verbose = FALSE,
    control = control_gpsieve(leaf_rows = 100, dense_rows = 50,
      blocks = learn_on_blocks(rows = 100, steps = 10)
    )
  )
  table <- choice(fit)
  labels <- table$label
  expect_setequal(labels[!grepl("in 2 trees$", labels)],
    c("rough and smooth, in parts", "rough, in parts", "one lengthscale, one scale")
  )
  expect_match(table$kernel[table$label == "one lengthscale, one scale"],
    "^kernel_rbf\\(variance = [0-9.e+-]+, lengthscale = [0-9.e+-]+\\)$"
  )
})

test_that("rows with very many numbers are compared with one function in parts", {
  task <- function(columns) {
    list(molded = list(x = matrix(raw(1), most_numbers_compared / 1000, columns)), alike = FALSE,
      kernels = list(), latents = 1, kind = "number", control = control_gpsieve()
    )
  }
  expect_identical(names(candidate_kernels(task(1000))), c("rough and smooth", "rough"))
  expect_identical(names(candidate_kernels(task(1001))), "rough and smooth")
})

test_that("a sum of functions of different columns goes to a tree for each term", {
  drawn <- with_own_seed(1, list(runif(24000), rnorm(6000, sd = 0.2)))
  x <- stats::setNames(as.data.frame(matrix(drawn[[1]], 6000)), letters[1:4])
  y <- sin(20 * x$a) * sin(20 * x$b) + sin(12 * x$c) * sin(12 * x$d) + drawn[[2]]
  fit <- gpsieve(x, y,
    time = 6, seed = 1, verbose = FALSE, control = control_gpsieve(leaf_rows = 500,
      dense_rows = 200, blocks = learn_on_blocks(rows = 400, steps = 80)
    )
  )
  table <- choice(fit)
  expect_match(table$label[1], ", in 2 trees$")
  one_tree <- table$score[table$label == sub("2 trees", "parts", table$label[1])]
  expect_gt(table$score[1], one_tree + 2 * table$std_error[1])
  again <- eval(choice(fit, "call"))
  expect_identical(again$settings$trees, "terms")
  expect_identical(predict(again, x[1:20, ]), predict(fit, x[1:20, ]))
})

test_that("trees compared on few rows meet the best single tree on all rows", {
  entry_of <- function(label, trees = NULL) {
    candidate <- new_candidate(label, "ivm", kernel_rich(), NULL,
      list(leaf_rows = 500, trees = trees))
    new_entry(candidate, "function")
  }
  entries <- list(entry_of("two trees", "terms"), entry_of("rough"), entry_of("smooth"))
  task_of <- function(rows) list(molded = list(x = matrix(0, rows, 1)), models = "ivm")
  expect_identical(rival_of_trees(entries, task_of(3 * most_trial_rows)), 2L)
  # Compared on half of the rows or more, the comparison stands; one tree has no rival.
  expect_identical(rival_of_trees(entries, task_of(2 * most_trial_rows)), NA)
  expect_identical(rival_of_trees(entries[-1L], task_of(3 * most_trial_rows)), NA)

  fit_with <- function(...) list(held_out = c(...))
  expect_true(predicts_better(fit_with(log_loss = 0.4, error = 0.2), fit_with(log_loss = 0.5)))
  expect_false(predicts_better(fit_with(rmse = 2, r2 = 0.1), fit_with(rmse = 1)))
  expect_false(predicts_better(fit_with(log_loss = NA), fit_with(log_loss = 1)))

  entries[[2L]]$verdict <- "worse on all rows"
  for (i in seq_along(entries)) {
    entries[[i]]$judged <- list(row = 1:9, density = (1:9) / 10 - i)
  }
  expect_match(beside_words(entries)[1L], "rough function is worse on all rows")
})
