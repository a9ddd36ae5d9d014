# A time limit that runs out is an error, a user's Ctrl-C an interrupt (test-interrupt.R), and the
# session goes on after both.

test_that("a time limit arrives as an error and leaves a session that can go on", {
  skip_on_cran()
  x <- with_own_seed(1, matrix(rnorm(4e4), 2000))
  y <- x[, 1] > 0
  limits <- list(list(elapsed = 0.5), list(cpu = 0.5))
  works <- list(
    function() meanfield_gp(x, y, optimise = FALSE, verbose = FALSE),
    function() online_gp(x, y, budget = 500, novelty = 0, optimise = FALSE, verbose = FALSE)
  )
  for (limit in limits) for (work in works) {
    caught <- tryCatch(
      {
        do.call(setTimeLimit, c(limit, transient = TRUE))
        work()
      },
      interrupt = function(e) "interrupt", error = identity
    )
    setTimeLimit()
    expect_s3_class(caught, "error")
    expect_match(conditionMessage(caught), "time limit")
    again <- ivm(x[1:50, ], factor(y[1:50]), optimise = FALSE, seed = 1, verbose = FALSE)
    expect_false(anyNA(predict(again, x[1:50, ])))
  }
})

test_that("a time limit in a script that catches it does not end the script", {
  skip_on_cran()
  skip_if_not_installed("callr")
  said <- callr::r(function() {
    library(gpsieve)
    set.seed(1)
    x <- matrix(rnorm(1e5), 5000)
    setTimeLimit(elapsed = 1, transient = TRUE)
    first <- tryCatch(meanfield_gp(x, x[, 1] > 0, optimise = FALSE), error = conditionMessage)
    setTimeLimit()
    c(first, class(ivm(x[1:50, ], x[1:50, 1], optimise = FALSE))[1])
  })
  expect_match(said[1], "time limit")
  expect_identical(said[2], "gpsieve_ivm")
})

test_that("a warning made an error ends a computation cleanly", {
  withr::local_options(warn = 2)
  toy <- toy_data("binary")
  expect_error(
    ep_gp(toy$x, toy$y, inducing = 5, optimise = FALSE, seed = 1,
      control = control_ep(max_iter = 1, tol = 0)
    ),
    "converged"
  )
})
