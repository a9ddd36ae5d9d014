# Predictions by the workers of a cluster: the bits of predictions in one process.

fits_to_predict <- function() {
  of <- function(kind, ...) {
    data <- toy_data(kind, n = 120)$data
    fit <- suppressWarnings(
      ep_gp(y ~ a + b, data, inducing = 6, optimise = FALSE, seed = 1, ...,
        control = control_ep(max_iter = 5)
      ),
      classes = "gpsieve_warning_convergence"
    )
    list(data = data, fit = fit)
  }
  list(
    binary = of("binary"), multiclass = of("multiclass", multiclass = "ovr"),
    joint = of("multiclass"), regression = of("regression")
  )
}

test_that("0, 1, 2 and 3 workers give the same predictions, from memory and from a source", {
  skip_on_cran()
  workers <- local_workers(3)
  turn <- 0 # the number of workers goes on from call to call
  for (one in fits_to_predict()) {
    classes <- is.factor(one$data$y)
    gaps <- one$data
    gaps$a[c(3, 50)] <- NA
    gaps <- gaps[rep(seq_len(120), 175), ] # more than two blocks
    calls <- list(
      list(type = "response"), list(type = "link", se.fit = TRUE),
      list(type = "link", interval = "confidence"),
      if (classes) list(type = "prob") else list(type = "quantile")
    )
    for (arguments in calls) {
      answer <- function(newdata, ...) do.call(predict, c(list(one$fit, newdata), arguments, ...))
      alone <- answer(gaps)
      from_source <- answer(rows_of_frame(gaps, 5000))
      turn <- turn + 1
      some <- list(workers[seq_len(1 + turn %% 3)])
      expect_identical(answer(gaps, cluster = some), alone)
      expect_identical(answer(rows_of_frame(gaps, 5000), cluster = some), from_source)
    }
    expect_identical(predict(one$fit, gaps[0, ], cluster = workers), predict(one$fit, gaps[0, ]))
  }
  held <- parallel::clusterCall(workers, function() {
    length(ls(utils::getFromNamespace("worker_store", "gpsieve")))
  })
  expect_identical(unlist(held), c(0L, 0L, 0L))
})

test_that("offsets go with their rows", {
  skip_on_cran()
  data <- data.frame(a = sin(1:60), y = 1:60 %% 5)
  exposure <- log(seq_len(60))
  fit <- ivm(y ~ a, data, likelihood = lik_poisson(), offset = exposure, n_active = 10,
    optimise = FALSE, seed = 1
  )
  many <- data[rep(1:60, 400), ]
  offset <- rep(exposure, 400)
  workers <- local_workers(2)
  expect_identical(
    predict(fit, many, offset = offset, cluster = workers), predict(fit, many, offset = offset)
  )
})

test_that("predictions go on without the workers that die", {
  skip_on_cran()
  skip_on_os("windows")
  one <- fits_to_predict()$binary
  data <- one$data[rep(1:120, 300), ]
  alone <- predict(one$fit, data, type = "prob")
  dying <- function(which) local_mortals(2, which, "predict_newdata", env = parent.frame())
  expect_no_warning(found <- predict(one$fit, data, type = "prob", cluster = dying(1)))
  expect_identical(found, alone)
  expect_warning(found <- predict(one$fit, data, type = "prob", cluster = dying(1:2)),
    "All workers", class = "gpsieve_warning_workers"
  )
  expect_identical(found, alone)
})

test_that("faults are those of a prediction in one process", {
  skip_on_cran()
  one <- fits_to_predict()$binary
  workers <- local_workers(2)
  infinite <- replace(one$data, "a", replace(one$data$a, 70, Inf))
  expect_snapshot(error = TRUE, {
    predict(one$fit, one$data["a"], cluster = workers)
    predict(one$fit, rows_of_frame(infinite, 25), cluster = workers)
    predict(one$fit, one$data, type = "link", cov = TRUE, cluster = workers)
    predict(one$fit, one$data, cluster = 2)
  })
})
