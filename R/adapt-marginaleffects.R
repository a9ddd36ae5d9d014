# What packages marginaleffects and DALEX ask of a model. Their methods are registered when those
# packages are loaded.

# nolint start: object_name_linter, object_length_linter. The generics' names.

#' Methods for packages marginaleffects and DALEX
#'
#' `predictions()`, `comparisons()` and `slopes()` of package marginaleffects work with `newdata`,
#' since a fit does not keep the data frame that it was fitted to. They give no standard errors: a
#' Gaussian process has no coefficients whose covariance could be propagated.
#' [predict()][predict.gpsieve_fit] has intervals, [posterior_draws()] has joint draws. `explain()`
#' of package DALEX sees means, the probability of the second of two classes, or the probabilities
#' of all classes.
#'
#' @param model,X.model A fit.
#' @param newdata Rows to predict for.
#' @param type `"response"`, `"link"`, or `"prob"` for classes, which is what they have by default.
#' @param ... Not used.
#' @return What the generics return.
#' @examples
#' fit <- meanfield_gp(Volume ~ ., trees)
#' if (requireNamespace("marginaleffects", quietly = TRUE)) {
#'   marginaleffects::avg_slopes(fit, newdata = trees)
#' }
#' @name marginaleffects
NULL

#' @rdname marginaleffects
#' @exportS3Method marginaleffects::get_predict
get_predict.gpsieve_fit <- function(model, newdata, type = "response", ...) {
  if (is_classification(model$response) && type %in% c("response", "prob")) type <- "prob"
  found <- predict(model, with_numbers(model, newdata), type = type)
  if (is.matrix(found) && model$response$kind == "binary") {
    found <- found[, second_level(model$response)]
  }
  rows <- if (is.null(newdata$rowid)) seq_len(nrow(newdata)) else newdata$rowid
  if (!is.matrix(found)) return(data.frame(rowid = rows, estimate = unname(found)))
  data.frame(
    rowid = rep(rows, ncol(found)), group = rep(colnames(found), each = nrow(found)),
    estimate = as.vector(found)
  )
}

# Numbers that marginaleffects has made levels of, as it does where a formula says factor(x)
with_numbers <- function(fit, newdata) {
  trained <- fit$blueprint$ptypes$predictors
  for (name in intersect(names(trained)[vapply(trained, is.numeric, NA)], names(newdata))) {
    column <- newdata[[name]]
    numbers <- if (is.factor(column)) suppressWarnings(as.numeric(levels(column)))
    if (is.factor(column) && !anyNA(numbers)) newdata[[name]] <- numbers[as.integer(column)]
  }
  newdata
}

#' @rdname marginaleffects
#' @exportS3Method marginaleffects::get_vcov
get_vcov.gpsieve_fit <- function(model, ...) FALSE

#' @rdname marginaleffects
#' @exportS3Method marginaleffects::get_coef
get_coef.gpsieve_fit <- function(model, ...) stats::coef(model)

#' @rdname marginaleffects
#' @exportS3Method DALEX::yhat
yhat.gpsieve_fit <- function(X.model, newdata, ...) {
  if (!is_classification(X.model$response)) return(unname(predict(X.model, newdata)))
  found <- predict(X.model, newdata, type = "prob")
  if (X.model$response$kind == "binary") found[, second_level(X.model$response)] else found
}

# marginaleffects takes the classes that an option names
register_with_marginaleffects <- function() {
  add <- function(...) {
    classes <- union(getOption("marginaleffects_model_classes"), "gpsieve_fit")
    options(marginaleffects_model_classes = classes)
  }
  if (isNamespaceLoaded("marginaleffects")) add()
  else setHook(packageEvent("marginaleffects", "onLoad"), add)
}

# nolint end
