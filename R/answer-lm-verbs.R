# What users of lm() and glm() call, whose default methods would read parts that a fit lacks.

#' What a fit has of a linear model
#'
#' `terms()` gives the terms of the formula, with its dot resolved, and `weights()` the case weights
#' of fits that keep them. `model.frame()`, `model.matrix()`, `deviance()`, `df.residual()`,
#' `vcov()` and `confint()` are errors that say what to use: a Gaussian process has no coefficients,
#' and a fit does not keep the data frame that it was made from.
#'
#' @param x,object,formula A fit.
#' @param ... Not used.
#' @return `terms()`: a terms object, as [stats::terms()] returns it. `weights()`: a number for each
#'   row, `NULL` for a fit without weights, and an error for one that does not keep its weights.
#' @section Errors: classed `gpsieve_error_unsupported`.
#' @seealso [coef()][coef.gpsieve_fit] for hyper-parameters, [compare()] for what `anova()` does.
#' @examples
#' fit <- ivm(mpg ~ ., mtcars, seed = 1, optimise = FALSE)
#' attr(terms(fit), "term.labels")
#' @name lm-verbs
NULL

#' @rdname lm-verbs
#' @importFrom stats terms
#' @export
terms.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  written <- formula.gpsieve_fit(x)
  environment(written) <- parent.frame()
  columns <- names(x$blueprint$ptypes$predictors)
  # terms() asks for the names of the columns only.
  stats::terms(written, data = as.list(stats::setNames(columns, columns)))
}

#' @rdname lm-verbs
#' @importFrom stats weights
#' @export
weights.gpsieve_fit <- function(object, ...) {
  check_fit(object, "object")
  if (is.null(object$cases$total)) return(NULL)
  if (!is.null(object$cases$weights)) return(for_data_rows(object, object$cases$weights))
  abort_gpsieve("This fit does not keep its case weights.",
    hint = "Use those it was made with; {.fn nobs} is their sum.", class = "unsupported")
}

#' @rdname lm-verbs
#' @importFrom stats model.frame
#' @export
model.frame.gpsieve_fit <- function(formula, ...) refuse_inputs(formula, "formula")

#' @rdname lm-verbs
#' @importFrom stats model.matrix
#' @export
model.matrix.gpsieve_fit <- function(object, ...) refuse_inputs(object, "object")

#' @rdname lm-verbs
#' @importFrom stats deviance
#' @export
deviance.gpsieve_fit <- function(object, ...) {
  refuse_verb(object, "A Gaussian process has no deviance of its own.",
    "{.code sum(residuals(fit, \"deviance\")^2)} is that of its means; {.fn compare} sets fits side
     by side.")
}

#' @rdname lm-verbs
#' @importFrom stats df.residual
#' @export
df.residual.gpsieve_fit <- function(object, ...) {
  refuse_verb(object, "A Gaussian process has no residual degrees of freedom.",
    "{.code logLik(fit)} counts the hyper-parameters that were learned.")
}

#' @rdname lm-verbs
#' @importFrom stats vcov
#' @export
vcov.gpsieve_fit <- function(object, ...) {
  refuse_verb(object, "A Gaussian process has no coefficients, and so no covariance of them.",
    "{.code predict(type = \"link\", cov = TRUE)} has the covariance of the function between rows.")
}

#' @rdname lm-verbs
#' @importFrom stats confint
#' @export
confint.gpsieve_fit <- function(object, ...) {
  refuse_verb(object, "A Gaussian process has no coefficients, and so no intervals of them.",
    "{.code predict(interval = \"confidence\")} has intervals of the mean response.")
}

refuse_inputs <- function(fit, arg) {
  check_fit(fit, arg)
  abort_gpsieve("A fit does not keep the data frame that it was made from.",
    hint = "Use that data frame; {.fn augment} has the response and predictions.",
    class = "unsupported")
}

refuse_verb <- function(object, message, hint) {
  check_fit(object, "object")
  abort_gpsieve(message, hint = hint, class = "unsupported")
}
