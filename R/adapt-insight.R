# Methods for the generics of package insight. They are registered when that package is loaded.

#' Methods for package insight
#'
#' `find_formula()` and `n_obs()` of package insight work on fits without methods of their own, and
#' `find_response()` names the columns of which the response is made, `"y"` for `log(y)`. A fit does
#' not keep the data frame that it was fitted to, so `get_data()` refuses, and `get_predicted()`,
#' which is offered for numbers and two classes, needs `data`.
#'
#' @param x A fit.
#' @param data Rows to predict for.
#' @param ci Coverage of the interval.
#' @param ... Not used.
#' @return What the generics of package insight return.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' if (requireNamespace("insight", quietly = TRUE)) {
#'   insight::model_info(fit)$is_linear
#'   as.data.frame(insight::get_predicted(fit, data = cars[1:3, ]))
#' }
#' @name insight
#' @exportS3Method insight::model_info
model_info.gpsieve_fit <- function(x, ...) {
  kind <- x$response$kind
  likelihood <- likelihood_type(x$likelihood)
  list(
    is_binomial = kind == "binary", is_bernoulli = kind == "binary",
    is_logit = likelihood == "logit",
    is_probit = likelihood == "probit", is_linear = kind == "real", is_count = kind == "count",
    is_poisson = likelihood == "poisson", is_categorical = kind == "multiclass",
    is_multinomial = kind == "multiclass", is_mixed = FALSE, is_bayesian = FALSE, is_gam = FALSE,
    is_multivariate = FALSE, is_zero_inflated = FALSE, family = likelihood,
    link_function = family_of(x$likelihood)$link,
    n_obs = counted_rows(x)
  )
}

#' @rdname insight
#' @exportS3Method insight::is_model
is_model.gpsieve_fit <- function(x, ...) TRUE

#' @rdname insight
#' @exportS3Method insight::get_data
get_data.gpsieve_fit <- function(x, ...) {
  abort_gpsieve("A fit does not keep the data frame that it was fitted to.",
    hint = "Use that data frame itself.", class = "unsupported")
}

#' @rdname insight
#' @exportS3Method insight::get_predicted
get_predicted.gpsieve_fit <- function(x, data = NULL, ci = 0.95, ...) {
  if (is.null(data)) {
    abort_gpsieve("{.arg data} is missing.", hint = "Give the rows to predict for.")
  }
  classes <- is_classification(x$response)
  if (has_many_classes(x$response)) {
    abort_gpsieve("{.fn get_predicted} is offered for numbers and two classes.",
      hint = "{.code predict(type = \"prob\")} has a column for every class.",
      class = "unsupported")
  }
  found <- predict(x, data, type = if (classes) "prob" else "response", interval = "confidence",
    level = ci)
  # insight names the columns of an interval so.
  limits <- data.frame(
    Row = seq_len(nrow(found)), CI_low = found[, "lwr"], CI_high = found[, "upr"]
  )
  structure(unname(found[, "fit"]), class = c("get_predicted", "numeric"), data = data, ci = ci,
    ci_data = limits, predict = "expectation", model = NULL)
}

#' @rdname insight
#' @exportS3Method insight::find_predictors
find_predictors.gpsieve_fit <- function(x, ..., flatten = FALSE) {
  names <- names(x$blueprint$ptypes$predictors)
  if (flatten) names else list(conditional = names)
}

#' @rdname insight
#' @param flatten A vector instead of a list?
#' @exportS3Method insight::find_response
find_response.gpsieve_fit <- function(x, ...) {
  columns <- names(x$blueprint$ptypes$outcomes)
  if (length(columns)) columns else x$response$name
}
