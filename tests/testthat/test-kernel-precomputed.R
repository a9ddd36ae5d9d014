# Kernels that are matrices of the user's.

places <- function() {
  x <- spread_points(24, 2)
  rownames(x) <- paste0("p", seq_len(nrow(x)))
  k <- exp(-as.matrix(stats::dist(x))^2)
  list(x = x, k = k, data = data.frame(name = rownames(x), z = x[, 2]^2, y = sin(4 * x[, 1])))
}

test_that("a fit is that of the kernel whose matrix it is", {
  at <- places()
  rows <- 1:16
  fit <- function(formula, data, kernel) {
    meanfield_gp(formula, data, kernel, likelihood = lik_gaussian(0.01), standardise = FALSE,
      optimise = FALSE
    )
  }
  named <- fit(y ~ name, at$data[rows, ], kernel_precomputed(at$k, "name", 2))
  other <- meanfield_gp(at$x[rows, ], at$data$y[rows], kernel_rbf(2, sqrt(0.5)),
    likelihood = lik_gaussian(0.01), standardise = FALSE, optimise = FALSE
  )
  expect_equal(evidence(named)$value, evidence(other)$value, tolerance = 1e-8)
  expect_equal(unname(predict(named, at$data[17:24, ], se.fit = TRUE)$se.fit),
    unname(predict(other, at$x[17:24, ], se.fit = TRUE)$se.fit), tolerance = 1e-6)
  numbered <- fit(y ~ row, transform(at$data, row = 1:24)[rows, ],
    kernel_precomputed(unname(at$k), variance = 2)
  )
  expect_equal(unname(predict(numbered, data.frame(row = 17:24))),
    unname(predict(named, at$data[17:24, ])), tolerance = 1e-8)
})

test_that("every model takes items beside other inputs", {
  at <- places()
  kernel <- kernel_precomputed(at$k, "name") + kernel_linear()
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- do.call(spec$fit, c(list(y ~ name + z, at$data[1:18, ], kernel = kernel, seed = 1),
      spec$learning)) |> suppressWarnings(classes = "gpsieve_warning")
    again <- unserialize(serialize(fit, NULL))
    expect_true(all(is.finite(predict(fit, at$data[19:24, ]))), label = name)
    expect_identical(predict(again, at$data), predict(fit, at$data))
    expect_output(print(fit), "precomputed")
  }
})

test_that("new rows of known items update a fit", {
  at <- places()
  kernel <- kernel_precomputed(at$k, "name")
  fit <- online_gp(y ~ name, at$data[1:12, ], kernel, optimise = FALSE, seed = 1)
  later <- update(fit, at$data[13:20, ], at$data$y[13:20])
  error <- function(fit) mean(abs(predict(fit, at$data[21:24, ]) - at$data$y[21:24]))
  expect_lt(error(later), error(fit))
})

test_that("gpsieve() chooses among kernels of items, and rows are divided by items", {
  at <- places()
  kernel <- kernel_precomputed(at$k, "name")
  fit <- gpsieve(y ~ name + z, at$data, candidates = list(kernel, kernel + kernel_rbf()), seed = 1,
    verbose = FALSE, control = control_gpsieve(folds = 2)
  )
  expect_identical(nrow(choice(fit)), 2L)
  parts <- ivm(y ~ name + z, at$data, kernel + kernel_rbf(), leaf_rows = 12, seed = 1,
    optimise = FALSE
  )
  expect_true(all(is.finite(predict(parts, at$data))))
})

test_that("items that the matrix lacks are NA, or an error", {
  at <- places()
  fit <- meanfield_gp(y ~ name, at$data, kernel_precomputed(at$k, "name"), optimise = FALSE)
  new <- data.frame(name = c("p3", "elsewhere"))
  expect_warning(said <- predict(fit, new), class = "gpsieve_warning_new_levels")
  expect_identical(is.na(said), c(FALSE, TRUE))
  expect_error(predict(fit, new, new_levels = "error"), class = "gpsieve_error_data")
  expect_error(predict(fit, new, new_levels = "average"), class = "gpsieve_error_unsupported")
  expect_equal(fitted(update(fit, optimise = FALSE)), fitted(fit), tolerance = 1e-8)
})

test_that("what is no covariance matrix, or not its rows, is refused", {
  k <- diag(3)
  expect_silent(kernel_precomputed(matrix(1, 3, 3)))
  lopsided <- replace(k, 2, 0.5)
  indefinite <- matrix(c(1, 2, 2, 1), 2)
  data <- data.frame(name = c("a", "b", "d"), row = c(1, 2.5, 3), y = 1:3)
  named <- matrix(diag(3), 3, dimnames = list(letters[1:3], NULL))
  expect_snapshot(error = TRUE, {
    kernel_precomputed(1:3)
    kernel_precomputed(k[, 1:2])
    kernel_precomputed(replace(k, 1, NA))
    kernel_precomputed(lopsided)
    kernel_precomputed(indefinite)
    kernel_precomputed(`colnames<-`(named, letters[3:1]))
    kernel_precomputed(`rownames<-`(named, c("a", "a", "b")))
    kernel_precomputed(named, variance = -1)
    meanfield_gp(y ~ name, data, kernel_precomputed(named))
    meanfield_gp(y ~ row, data, kernel_precomputed(k))
    kernel_matrix(kernel_precomputed(k), matrix(4))
  })
})

test_that("kernels of matrices print by the name of the matrix", {
  shared <- diag(2)
  expect_output(print(kernel_precomputed(shared, "item")),
    'kernel_constant(variance = 1) * kernel_on(kernel_precomputed(shared), dims = "item")',
    fixed = TRUE
  )
})
