# Formulas of many terms and rows of many columns.

wide_data <- function(p, n = 12) {
  with_own_seed(1, {
    data <- as.data.frame(matrix(rnorm(n * p), n))
    data$y <- rnorm(n)
    data
  })
}

written_out <- function(terms) stats::reformulate(terms, "y", env = globalenv())

test_that("every model takes a formula with a thousand terms written out", {
  data <- wide_data(1000)
  names <- paste0("V", 1:1000)
  fit_to <- function(spec, formula) suppressWarnings(fit_cheaply(spec, formula, data))
  # The call of every model holds the formula; one function makes columns of it.
  every_model(function(spec) expect_length(fitted(fit_to(spec, written_out(names))), 12))
  spec <- model_specs()$ivm
  expect_identical(predict(fit_to(spec, written_out(names)), data),
    predict(fit_to(spec, y ~ .), data))
})

test_that("no part of a formula is limited in the number of its terms", {
  data <- wide_data(1000)
  data$f <- rep(c("u", "v", "w"), 4)
  names <- paste0("V", 1:1000)
  dense <- function(formula) meanfield_gp(formula, data, optimise = FALSE)
  sum <- paste(names, collapse = " + ")
  formulas <- list(
    written_out(c(names, "(1 | f)")), written_out(c("(1 | f)", names)),
    written_out(c("g(V1, V2)", names[-(1:2)])), written_out(paste0("g(", names[1:500], ")")),
    written_out(paste0("I(", sum, ")")), written_out(c("V1", paste0("offset(", sum, ")"))),
    stats::as.formula(paste("I(", sum, ") ~ f"), globalenv()),
    written_out(paste0("sin(", names, ")"))
  )
  for (formula in formulas) expect_false(anyNA(predict(dense(formula), data)))
  # The formula stands in the call itself.
  fit <- eval(call("meanfield_gp", written_out(names), quote(data), optimise = FALSE))
  expect_identical(predict(update(fit), data), predict(fit, data))
  nested <- Reduce(function(a, b) call("+", a, b), lapply(names, as.name), right = TRUE)
  fit <- dense(eval(call("~", quote(y), nested)))
  expect_identical(predict(fit, data), predict(dense(written_out(names)), data))
})

test_that("the time of a prediction grows with the number of columns, not with its square", {
  skip_on_cran()
  seconds <- function(p) {
    x <- as.matrix(wide_data(p, n = 4)[seq_len(p)])
    fit <- meanfield_gp(x, 1:4 + 0, optimise = FALSE)
    once <- function() sum(system.time(predict(fit, as.data.frame(x)[1, ]))[1:2])
    min(once(), once(), once())
  }
  expect_lt(seconds(8000), 8 * seconds(2000)) # 16 times if it grew with the square
})
