# All rows at once beside machines on parts of them.

many_rows <- function(n = 400) {
  x <- spread_points(n, 4)
  d <- data.frame(x)
  d$y <- sin(5 * x[, 1]) + x[, 2] * x[, 3] + 0.2 * cos(1e4 * seq_len(n)^1.1)
  d
}

# So few rows go into parts only where the dense model is for fewer
in_parts <- control_gpsieve(dense_rows = 150, leaf_rows = 100,
  blocks = learn_on_blocks(rows = 150, steps = 20))

test_that("all rows at once are compared with parts, and the call gives the same fit", {
  d <- many_rows()
  fit <- with_functions(list(better_by_map = function(entry, first, usual) TRUE), {
    suppressWarnings(gpsieve(y ~ ., d, seed = 1, control = in_parts, verbose = FALSE))
  })
  table <- choice(fit)
  expect_match(table$label[table$chosen], "all rows at once$")
  expect_identical(fit$model, "meanfield_gp")
  expect_gt(table$score[table$chosen], 0)
  again <- suppressWarnings(eval(choice(fit, "call")))
  expect_identical(predict(again, d[1:20, ]), predict(fit, d[1:20, ]))
})

test_that("all rows at once need time, numbers and noise", {
  d <- many_rows()
  suits <- function(d, ...) {
    fit <- suppressWarnings(gpsieve(y ~ ., d, seed = 1, control = in_parts, verbose = FALSE, ...))
    any(grepl("all rows at once", choice(fit)$label))
  }
  expect_false(with_functions(list(iterative_seconds = function(rows) rows), suits(d)))
  d$y <- factor(d$y > 1)
  expect_false(suits(d))
})
