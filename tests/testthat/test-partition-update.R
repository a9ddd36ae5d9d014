# update() of ivm(leaf_rows =): machines are fitted again where the rows have changed.

# The data with further rows around one point.
with_rows_near <- function(data, a, b, count = 20) {
  new <- data[rep(1, count), ]
  new$a <- a + 0.01 * sin(seq_len(count))
  new$b <- b + 0.01 * cos(seq_len(count))
  rbind(data, new)
}

test_that("update() fits the leaves only into which new rows fall", {
  for (task in tasks) {
    data <- smooth_data(900, task)$data
    fit <- fit_parts_of(data, trees = 2, leaf_rows = 220)
    same <- update(fit, data = data, leaves = "changed")
    expect_identical(same$posteriors, fit$posteriors)
    expect_identical(same$partition, fit$partition)
    expect_equal(evidence(same)$value, evidence(fit)$value)
    expect_identical(update(fit, leaves = "changed")$posteriors, fit$posteriors)
    more <- with_rows_near(data, 0.5, 0.5, 5)
    added <- rows_of_fit(fit, more[901:905, ])
    asked <- visits_of(fit$partition$trees, added, core_settings(1L))$machine
    fitted <- 0
    counting <- list(keep_judged = function(result, rows, judged) {
      fitted <<- fitted + 1
      result
    })
    fit_again <- with_functions(counting, update(fit, data = more, leaves = "changed"))
    expect_equal(fitted, length(unique(asked)))
    expect_lt(fitted, count_machines(fit))
    expect_identical(fit_again$inputs, fit$inputs)
    expect_identical(fit_again$partition$trees, fit$partition$trees)
    expect_equal(nobs(fit_again), 905)
    # A leaf that was fitted again is the machine of all its rows, new and old ones.
    expect_identical(fit_again$partition$rows - fit$partition$rows,
      tabulate(asked, count_machines(fit)))
    far <- data[abs(data$a - 0.5) > 0.4, ]
    untouched <- visits_of(fit$partition$trees, rows_of_fit(fit, far), core_settings(1L))
    far <- far[!seq_len(nrow(far)) %in% untouched$row[untouched$machine %in% asked], ]
    if (nrow(far) && task != "multiclass") {
      expect_equal(predict(fit_again, far, type = "link"), predict(fit, far, type = "link"))
    }
  }
})

test_that("update() cuts a leaf that has grown, and takes rows away", {
  data <- smooth_data(900)$data
  fit <- fit_parts_of(data, control = no_overlap)
  grown <- update(fit, data = with_rows_near(data, 0.3, -0.4, 300), leaves = "changed")
  expect_gt(count_machines(grown), count_machines(fit))
  expect_true(all(grown$partition$rows <= 200))
  back <- update(grown, data = data, leaves = "changed")
  expect_identical(sum(back$partition$rows), 900L)
  expect_lt(max(abs(predict(back, data) - predict(fit, data))), 0.5)
})

test_that("update() says what it cannot do leaf by leaf", {
  data <- smooth_data(300)$data
  fit <- fit_parts_of(data, leaf_rows = 100)
  one <- fit_parts_of(data, leaf_rows = NULL)
  expect_snapshot(error = TRUE, {
    update(one, data = data, leaves = "changed")
    update(fit, data = data, n_active = 5, leaves = "changed")
    update(fit, . ~ a, data = data, leaves = "changed")
    update(fit, data = rows_of_frame(data), leaves = "changed")
    update(fit, data = data, leaves = "some")
    update(fit, data = transform(data, y = factor(y > 0)), leaves = "changed")
  })
  known <- ivm(y ~ ., data,
    noise_sd = 0.1 + data[[1L]]^2, leaf_rows = 100, optimise = FALSE, seed = 1
  )
  expect_error(update(known, data = data, leaves = "changed"), "noise_sd",
    class = "gpsieve_error_unsupported"
  )
})

test_that("data with another level are refused before any work", {
  data <- smooth_data(200, "regression")$data
  data$kind <- rep(c("u", "v"), 100)
  fit <- ivm(y ~ a + kind, data, leaf_rows = 60, optimise = FALSE, seed = 1)
  data$kind[1] <- "new"
  expect_error(update(fit, data = data, leaves = "changed"), "other columns of the model matrix",
    class = "gpsieve_error_data")
})
