# Randomness and threads, for every model.

test_that("the same seed gives the same fit, and R's generator is left alone", {
  every_task(function(spec, task) {
    toy <- toy_data(task)
    expect_false(generator_moved(one <- fit_cheaply(spec, toy$x, toy$y, seed = 3)))
    set.seed(99)
    two <- fit_cheaply(spec, toy$x, toy$y, seed = 3)
    expect_identical(without_clock(one), without_clock(two))
    other <- fit_cheaply(spec, toy$x, toy$y, seed = 4)
    if (spec$random) expect_false(identical(inducing(one), inducing(other)))
    expect_false(generator_moved(all_predictions(one, toy$new)))
  })
})

test_that("learning leaves R's generator alone, whatever its kind", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    learn <- function() fit_cheaply(spec, toy$x, toy$y, settings = spec$drawing)
    kind <- RNGkind()
    withr::defer(do.call(RNGkind, as.list(kind)))
    expect_false(generator_moved(one <- learn()))
    RNGkind("L'Ecuyer-CMRG", "Box-Muller")
    set.seed(1)
    now <- RNGkind()
    expect_false(generator_moved(two <- learn()))
    expect_identical(RNGkind(), now)
    expect_identical(without_clock(one), without_clock(two))
  })
})

test_that("a session that never drew a random number can fit with a seed", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    seed <- get0(".Random.seed", globalenv())
    if (!is.null(seed)) {
      withr::defer(assign(".Random.seed", seed, envir = globalenv()))
      rm(".Random.seed", envir = globalenv())
    }
    fit_cheaply(spec, toy$x, toy$y, settings = spec$drawing)
    expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  })
})

test_that("without a seed set.seed() decides", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    fit_after <- function(seed) {
      set.seed(seed)
      fit_cheaply(spec, toy$x, toy$y, seed = NULL)
    }
    withr::local_preserve_seed()
    expect_identical(without_clock(fit_after(5)), without_clock(fit_after(5)))
    if (spec$random) {
      expect_false(identical(inducing(fit_after(5)), inducing(fit_after(6))))
    }
    # The seed that was drawn is stored, and gives the fit again.
    drawn <- fit_after(5)
    again <- fit_cheaply(spec, toy$x, toy$y, seed = drawn$seed)
    expect_identical(without_clock(again), without_clock(drawn))
  })
})

test_that("the number of threads changes no bit of a fit or prediction", {
  every_task(function(spec, task) {
    toy <- toy_data(task, n = 300)
    fits <- lapply(c(1, 3), function(threads) {
      fit_cheaply(spec, toy$x, toy$y, threads = threads, settings = spec$wide)
    })
    expect_identical(without_clock(fits[[1]]), without_clock(fits[[2]]))
    many <- toy_data(task, n = 3000, seed = 9)$x
    expect_identical(
      all_predictions(fits[[1]], many, threads = 1), all_predictions(fits[[1]], many, threads = 2)
    )
    learned <- lapply(1:2, function(threads) {
      fit_cheaply(spec, toy$x, toy$y, threads = threads, settings = spec$learning)
    })
    expect_identical(without_clock(learned[[1]]), without_clock(learned[[2]]))
  })
})

test_that("threads come from the argument, the option, the environment, in this order", {
  spec <- model_specs()[[1]]
  toy <- toy_data("binary")
  withr::local_options(gpsieve.threads = 0)
  expect_error(fit_cheaply(spec, toy$x, toy$y), class = "gpsieve_error_argument")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y, threads = 1))
  withr::local_options(gpsieve.threads = 1)
  withr::local_envvar(GPSIEVE_THREADS = "many")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y))
  withr::local_options(gpsieve.threads = NULL)
  expect_error(fit_cheaply(spec, toy$x, toy$y), class = "gpsieve_error_argument")
  withr::local_envvar(GPSIEVE_THREADS = "2")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y))
})
