# Pictures for tests: drawn into no file, of small fits.

expect_picture <- function(code) {
  withr::local_pdf(NULL)
  expect_error(expect_no_condition_here(drawn <- withVisible(code)), NA)
  expect_false(drawn$visible)
  invisible(drawn$value)
}

expect_no_condition_here <- function(code) expect_warning(code, NA)

plot_fit <- function(task, columns, ...) {
  toy <- toy_data(task)
  ivm(reformulate(columns, "y"), toy$data, n_active = 12, optimise = FALSE, seed = 1, ...)
}

pictures <- function(fit) {
  classes <- c("calibration", "reject", "reliability")
  c(
    "trace", "effects", "relevance", if (ncol(inducing(fit)) <= 2) "function",
    if (!is.null(fit_classes(fit))) classes
  )
}

fit_classes <- function(fit) {
  if (is_regression(fit)) NULL else levels(predict(fit, inducing(fit)[0, , drop = FALSE]))
}
