# Changes of the data that change no prediction, for every model and kind of response.

# Predictions of the data as they are, with which several laws compare, made when first asked for.
plain_answers <- new.env()
plain <- function(spec, toy, task) {
  key <- paste(spec$name, task)
  if (is.null(plain_answers[[key]])) {
    plain_answers[[key]] <- all_predictions(fit_every_row(spec, toy$x, toy$y), toy$new)
  }
  plain_answers[[key]]
}

conformance("neither the order of the rows nor the seed matters", function(spec, toy, task) {
  expected <- plain(spec, toy, task)
  order <- with_own_seed(5, sample(nrow(toy$x)))
  mixed <- fit_every_row(spec, toy$x[order, ], toy$y[order], seed = 2)
  expect_equal(all_predictions(mixed, toy$new), expected, tolerance = 1e-9)
})

conformance("the order of the columns does not matter", function(spec, toy, task) {
  fits <- list(
    fit_every_row(spec, toy$x, toy$y, kernel = kernel_rbf(1, c(0.5, 2))),
    fit_every_row(spec, toy$x[2:1], toy$y, kernel = kernel_rbf(1, c(2, 0.5)))
  )
  answers <- lapply(fits, all_predictions, toy$new)
  expect_equal(answers[[2]], answers[[1]], tolerance = 1e-9)
})

conformance("turned and shifted inputs change nothing", function(spec, toy, task) {
  turn <- function(x) {
    turned <- as.matrix(x) %*% matrix(c(cos(1), sin(1), -sin(1), cos(1)), 2) + 5
    as.data.frame(turned |> named(names(x)))
  }
  expect_equal(
    all_predictions(fit_every_row(spec, turn(toy$x), toy$y), turn(toy$new)),
    plain(spec, toy, task), tolerance = 1e-9
  )
})

conformance("a lengthscale has the unit of its column", function(spec, toy, task) {
  wider <- function(x) data.frame(a = 10 * x$a, b = x$b / 4)
  one <- fit_every_row(spec, toy$x, toy$y, kernel = kernel_matern(1.5, 2, c(1, 0.5)))
  two <- fit_every_row(spec, wider(toy$x), toy$y, kernel = kernel_matern(1.5, 2, c(10, 0.125)))
  expect_equal(all_predictions(two, wider(toy$new)), all_predictions(one, toy$new),
    tolerance = 1e-9
  )
})

conformance("a constant column and rounding errors change nothing", function(spec, toy, task) {
  expected <- plain(spec, toy, task)
  wide <- fit_every_row(spec, cbind(toy$x, c = 7), toy$y)
  expect_equal(all_predictions(wide, cbind(toy$new, c = 7)), expected, tolerance = 1e-9)
  standardised <- function(x) fit_every_row(spec, x, toy$y, standardise = TRUE)
  expect_equal(
    all_predictions(standardised(cbind(toy$x, c = 7)), cbind(toy$new, c = 7)),
    all_predictions(standardised(toy$x), toy$new), tolerance = 1e-9
  )
  rounded <- as.data.frame(lapply(toy$x, function(column) column * (1 + 1e-15)))
  expect_equal(all_predictions(fit_every_row(spec, rounded, toy$y), toy$new), expected,
    tolerance = 1e-9
  )
})

conformance("exchanged levels exchange the probabilities", on = c("binary", "multiclass"),
  function(spec, toy, task) {
    one <- plain(spec, toy, task)
    two <- fit_every_row(spec, toy$x, factor(toy$y, rev(levels(toy$y))))
    expect_close(predict(two, toy$new, type = "prob")[, colnames(one$prob)], one$prob, 1e-9)
    expect_identical(as.character(predict(two, toy$new)), as.character(one$response))
  }
)

conformance("the unit and the origin of a numeric response do not matter", on = "regression",
  function(spec, toy, task) {
    fit <- fit_cheaply(spec, toy$x, toy$y)
    other <- fit_cheaply(spec, toy$x, 1000 * toy$y - 32)
    expect_equal(predict(other, toy$new), 1000 * predict(fit, toy$new) - 32, tolerance = 1e-8)
    expect_equal(predict(other, toy$new, type = "quantile"),
      1000 * predict(fit, toy$new, type = "quantile") - 32, tolerance = 1e-8
    )
  }
)

conformance("it does not matter how a matrix is stored", function(spec, toy, task) {
  x <- as.matrix(toy$x)
  x[, "a"] <- rep(1:20, 2)
  expected <- all_predictions(fit_cheaply(spec, x, toy$y), x[1:5, ])
  attributed <- structure(x, note = "kept by nobody")
  part <- cbind(1, x, 2)[, 2:3]
  for (same in list(t(t(x)), attributed, part)) {
    fit <- fit_cheaply(spec, same, toy$y)
    expect_identical(all_predictions(fit, same[1:5, ]), expected)
  }
  # A compact sequence, which has no memory of its own until it is written to.
  frame <- data.frame(a = 1:40, b = x[, "b"])
  compact <- fit_cheaply(spec, frame, toy$y)
  written <- fit_cheaply(spec, transform(frame, a = a[seq_along(a)] + 0), toy$y)
  expect_identical(all_predictions(compact, frame), all_predictions(written, frame))
  skip_if_not_installed("data.table")
  table <- data.table::as.data.table(toy$x)
  fit <- fit_cheaply(spec, table, toy$y)
  expect_identical(all_predictions(fit, data.table::as.data.table(toy$new)),
    all_predictions(fit_cheaply(spec, toy$x, toy$y), toy$new)
  )
})
