# What is learned does not depend on how the data are written down: the unit and the origin of the
# response, the order of class levels, the order of rows.

learn_briefly <- function(spec, ..., seed = 1) {
  suppressWarnings(fit_cheaply(spec, ..., settings = spec$learning, seed = seed),
    classes = "gpsieve_warning"
  )
}

test_that("the unit and the origin of the response change nothing that is learned", {
  toy <- toy_data("regression", n = 100)
  every_model(function(spec) {
    fit <- learn_briefly(spec, toy$x, toy$y)
    expected <- (predict(fit, toy$new) - mean(toy$y)) / sd(toy$y)
    # rvm() decides about one function after another: its responses are the same numbers.
    tolerance <- if (identical(spec$fit, rvm)) 1e-9 else 1e-5
    for (unit in c(1e-12, 0.1, 1e12)) {
      y <- unit * (toy$y + 7)
      other <- learn_briefly(spec, toy$x, y)
      expect_equal((predict(other, toy$new) - mean(y)) / sd(y), expected, tolerance = tolerance,
        label = paste(spec$class, unit)
      )
    }
  })
})

test_that("the order of class levels changes nothing that is learned", {
  toy <- toy_data("multiclass", n = 100)
  every_model(function(spec) {
    p <- predict(learn_briefly(spec, toy$x, toy$y), toy$new, type = "prob")
    for (order in list(c(3, 1, 2), c(2, 1, 3))) {
      y <- factor(toy$y, levels(toy$y)[order])
      other <- predict(learn_briefly(spec, toy$x, y), toy$new, type = "prob")
      expect_close(other[, colnames(p)], p, 1e-6)
    }
  })
})

test_that("the order of rows changes what is learned no more than the seed does", {
  toy <- toy_data("regression", n = 100)
  every_model(function(spec) {
    error <- function(rows, seed) {
      fit <- learn_briefly(spec, toy$x[rows, ], toy$y[rows], seed = seed)
      f <- sin(2 * toy$new$a) + (toy$new$b - 3) / 10
      sqrt(mean((predict(fit, toy$new) - 5 - 2 * f)^2)) / sd(toy$y)
    }
    of_seeds <- vapply(1:6, function(seed) error(1:100, seed), 0)
    of_orders <- vapply(1:3, function(i) error(with_own_seed(i, sample(100)), 1), 0)
    spread <- 1e-3 + diff(range(of_seeds))
    expect_true(all(of_orders > min(of_seeds) - spread & of_orders < max(of_seeds) + spread),
      label = spec$class
    )
  })
})

test_that("classes with most rows are learned from, and held-out rows do not depend on the order", {
  machine <- function(classes) {
    names <- c("a", "b", "c")
    list(y = 2 * outer(classes, names, "==") - 1, likelihood = lik_probit(),
      response = list(present = names)
    )
  }
  expect_identical(gpsieve:::machine_order(machine(c("a", "b", "b", "c", "c", "c"))), 3:1)
  expect_identical(gpsieve:::machine_order(machine(c("a", "b", "c"))), 1:3)

  y <- with_own_seed(1, rnorm(31))
  held_out <- function(y) {
    gpsieve:::held_out_weights(list(y = matrix(y), seed = 1, response = list(kind = "real")), 3)
  }
  order <- with_own_seed(2, sample(31))
  expect_identical(held_out(y[order]), held_out(y)[order, ])
  classes <- list(y = cbind(rep(c(1, -1), c(6, 9)), rep(c(-1, 1), c(6, 9))), seed = 1,
    response = list(kind = "multiclass")
  )
  counts <- rowsum(gpsieve:::held_out_weights(classes, 3), classes$y[, 1])
  expect_identical(unname(counts), matrix(rep(c(3, 2), 3), 2))
})
