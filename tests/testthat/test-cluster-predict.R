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
  workers <- parallel::makeCluster(3)
  withr::defer(parallel::stopCluster(workers))
  for (one in fits_to_predict()) {
    classes <- is.factor(one$data$y)
    gaps <- one$data
    gaps$a[c(3, 50)] <- NA
    gaps <- gaps[rep(seq_len(120), 210), ] # more than two blocks
    calls <- list(
      list(type = "response"), list(type = "link", se.fit = TRUE),
      list(type = "link", interval = "confidence"),
      if (classes) list(type = "prob") else list(type = "quantile")
    )
    for (arguments in calls) {
      answer <- function(newdata, ...) do.call(predict, c(list(one$fit, newdata), arguments, ...))
      alone <- answer(gaps)
      from_source <- answer(rows_of_frame(gaps, 5000))
      for (count in 1:3) {
        some <- workers[seq_len(count)]
        expect_identical(answer(gaps, cluster = list(some)), alone)
        expect_identical(answer(rows_of_frame(gaps, 5000), cluster = list(some)), from_source)
      }
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
  workers <- parallel::makeCluster(2)
  withr::defer(parallel::stopCluster(workers))
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
  dying <- function(count, which) {
    workers <- parallel::makeCluster(count)
    parallel::clusterCall(workers[which], function() {
      utils::assignInNamespace("predict_newdata", function(...) {
        tools::pskill(Sys.getpid(), tools::SIGKILL)
      }, "gpsieve")
      NULL
    })
    workers
  }
  workers <- dying(2, 1)
  withr::defer(try(parallel::stopCluster(workers), silent = TRUE))
  expect_no_warning(found <- predict(one$fit, data, type = "prob", cluster = workers))
  expect_identical(found, alone)
  lost <- dying(2, 1:2)
  withr::defer(try(parallel::stopCluster(lost), silent = TRUE))
  expect_warning(found <- predict(one$fit, data, type = "prob", cluster = lost), "All workers",
    class = "gpsieve_warning_workers"
  )
  expect_identical(found, alone)
})

test_that("faults are those of a prediction in one process", {
  skip_on_cran()
  one <- fits_to_predict()$binary
  workers <- parallel::makeCluster(2)
  withr::defer(parallel::stopCluster(workers))
  infinite <- replace(one$data, "a", replace(one$data$a, 70, Inf))
  expect_snapshot(error = TRUE, {
    predict(one$fit, one$data["a"], cluster = workers)
    predict(one$fit, rows_of_frame(infinite, 25), cluster = workers)
    predict(one$fit, one$data, type = "link", cov = TRUE, cluster = workers)
    predict(one$fit, one$data, cluster = 2)
  })
})
