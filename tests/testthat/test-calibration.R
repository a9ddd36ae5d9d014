# Reject curves and reliability tables against the definitions, row by row.

calibration_case <- function(k, n = 237) {
  weights <- with_own_seed(k, matrix(rexp(n * k), n, k))
  p <- weights / rowSums(weights)
  truth <- with_own_seed(k + 1, apply(p, 1, function(row) sample.int(k, 1, prob = row)))
  list(p = p, truth = truth)
}

naive_reject <- function(p, truth, share) {
  confidence <- apply(p, 1, max)
  wrong <- apply(p, 1, which.max) != truth
  kept <- order(confidence, decreasing = TRUE)[seq_len(max(1, nrow(p) - floor(share * nrow(p))))]
  mean(wrong[kept])
}

test_that("the reject curve is the error of the rows that are kept", {
  for (k in c(2, 3, 7)) {
    case <- calibration_case(k)
    curve <- calibration_table(case$p, case$truth)$reject
    expect_equal(curve$rejected, seq(0, 0.99, by = 0.01))
    expected <- vapply(curve$rejected, function(r) naive_reject(case$p, case$truth, r), 0)
    expect_equal(curve$error, expected)
    expect_equal(curve$error[1], mean(apply(case$p, 1, which.max) != case$truth))
  }
})

test_that("the reliability table counts frequencies bin by bin", {
  for (k in c(2, 5)) {
    case <- calibration_case(k)
    table <- calibration_table(case$p, case$truth)$reliability
    probability <- if (k == 2) case$p[, 2] else apply(case$p, 1, max)
    happened <- if (k == 2) case$truth == 2 else apply(case$p, 1, which.max) == case$truth
    expect_identical(nrow(table), 10L)
    expect_identical(sum(table$count), nrow(case$p))
    for (b in 1:10) {
      inside <- probability >= (b - 1) / 10 & (probability < b / 10 | b == 10)
      expect_identical(table$count[b], sum(inside))
      if (any(inside)) {
        expect_equal(table$predicted[b], mean(probability[inside]))
        expect_equal(table$observed[b], mean(happened[inside]))
      } else {
        expect_true(is.na(table$predicted[b]) && is.na(table$observed[b]))
      }
    }
  }
})

test_that("rows without probabilities or truth do not count", {
  case <- calibration_case(3)
  p <- rbind(case$p, NA, c(0.2, 0.3, 0.5))
  truth <- c(case$truth, 1, NA)
  expect_identical(calibration_table(p, truth), calibration_table(case$p, case$truth))
})

test_that("probabilities of 0, 1/2 and 1 belong to a bin", {
  p <- cbind(c(1, 0, 0.5, 0), c(0, 1, 0.5, 1))
  table <- calibration_table(p, c(1, 2, 1, 1))$reliability
  expect_identical(table$count[c(1, 6, 10)], c(1L, 1L, 2L))
  expect_equal(table$observed[c(1, 6, 10)], c(0, 0, 0.5))
})

test_that("the size of a table does not depend on the number of rows", {
  small <- calibration_case(3, 20)
  large <- calibration_case(3, 5000)
  sizes <- lapply(list(small, large), function(case) {
    table <- calibration_table(case$p, case$truth)
    c(dim(table$reject), dim(table$reliability))
  })
  expect_identical(sizes[[1]], sizes[[2]])
})

test_that("a refined fit keeps the table of its cavities, close to that of new rows", {
  x <- uniform_inputs(800)
  y <- noisy_labels(x, flip = 0.15)
  fit <- ivm(x, y, kernel_rbf(3, 1), n_active = 60, optimise = FALSE, seed = 1)
  new <- uniform_inputs(2000, seed = 12)
  truth <- noisy_labels(new, flip = 0.15, seed = 13)
  kept <- summary(fit)$calibration
  fresh <- calibration_table(predict(fit, new, type = "prob"), truth)
  expect_identical(sum(kept$reliability$count), 800L)
  expect_lt(abs(kept$reject$error[1] - fresh$reject$error[1]), 0.03)
  expect_null(summary(ivm(x, y, n_active = 5, refine = 0, optimise = FALSE))$calibration)
  expect_lt(abs(mean(predict(fit, new, type = "prob")[, "1"]) - mean(truth == "1")), 0.03)
})

test_that("normalised log weights are log probabilities", {
  log_weights <- rbind(c(0, 0), c(-1000, -1001), c(-1e5, 0), log(c(0.2, 0.6)))
  p <- exp(normalise_log(log_weights))
  expect_equal(rowSums(p), rep(1, 4))
  expect_equal(p[1, ], c(0.5, 0.5))
  expect_equal(p[2, 1] / p[2, 2], exp(1))
  expect_equal(p[4, ], c(0.25, 0.75))
  expect_identical(dim(normalise_log(log_weights[0, , drop = FALSE])), c(0L, 2L))
})

test_that("the temperature of one-vs-rest odds has the best leave-one-out probabilities", {
  toy <- toy_data("multiclass")
  fit <- meanfield_gp(toy$x, toy$y, optimise = FALSE)
  temperature <- fit$response$temperature
  expect_gt(temperature, 0.25)
  expect_lt(temperature, 4)
  at <- function(temperature) {
    changed <- fit
    changed$response$temperature <- temperature
    predict(changed, toy$new, type = "prob")
  }
  plain <- fit
  plain$response$temperature <- NULL
  expect_equal(at(1), predict(plain, toy$new, type = "prob"))
  # Odds to the power 1 / T: ratios of log probabilities tell T, and no class changes.
  ratio <- function(p) log(p[, 1] / p[, 2])
  expect_equal(ratio(at(2)), ratio(at(1)) / 2)
  expect_identical(predict(fit, toy$new), predict(plain, toy$new))
  # Joint models and two classes have no such odds.
  joint <- muffle_warnings(ep_gp(toy$x, toy$y, inducing = 5, optimise = FALSE, seed = 1))
  expect_null(joint$response$temperature)
})
