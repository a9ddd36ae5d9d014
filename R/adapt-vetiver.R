# What packages vetiver and butcher ask of a model that goes into service.

# nolint start: object_name_linter, object_length_linter. The generics' names.

#' Methods for packages vetiver and butcher
#'
#' `vetiver_model()` of package vetiver works on fits; its prototype of new data comes from the fit,
#' since a fit knows its training columns. `butcher()` of package butcher drops what predictions do
#' not need. Its `axe_data()` drops all that a fit holds of single training rows beside its basis
#' points: the fitted values, the response, the names and, for pictures, the inputs of rows
#' (`axe_fitted()` drops these and what the fit says of its calibration), weights, numbers of rows
#' that were left out, sites, leave-one-out densities, the last rows of a stream and where the data
#' were found.
#'
#' @param model,x A fit.
#' @param metadata,vetiver_model,verbose,... As in the generics.
#' @return What the generics return.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' if (requireNamespace("vetiver", quietly = TRUE)) {
#'   vetiver::vetiver_model(fit, "braking")
#' }
#' @name vetiver
NULL

#' @rdname vetiver
#' @exportS3Method vetiver::vetiver_create_description
vetiver_create_description.gpsieve_fit <- function(model) {
  paste(model$labels$title, "for", model$response$name)
}

#' @rdname vetiver
#' @exportS3Method vetiver::vetiver_create_meta
vetiver_create_meta.gpsieve_fit <- function(model, metadata) {
  getExportedValue("vetiver", "vetiver_meta")(metadata, required_pkgs = "gpsieve")
}

#' @rdname vetiver
#' @exportS3Method vetiver::vetiver_ptype
vetiver_ptype.gpsieve_fit <- function(model, ...) {
  as_tibble_or_frame(columns_of_new(model))
}

#' @rdname vetiver
#' @exportS3Method vetiver::vetiver_prepare_model
vetiver_prepare_model.gpsieve_fit <- function(model) {
  getExportedValue("butcher", "butcher")(model)
}

#' @rdname vetiver
#' @exportS3Method vetiver::handler_predict
handler_predict.gpsieve_fit <- function(vetiver_model, ...) {
  prototype <- vetiver_model$prototype
  function(req) {
    new <- req$body
    if (!is.null(prototype)) {
      new <- getExportedValue("vetiver", "vetiver_type_convert")(new, prototype)
    }
    fit <- vetiver_model$model
    # A list, so that a service names what it answers.
    if (is_classification(fit$response)) {
      list(
        .pred_class = unname(predict(fit, new)),
        .pred = as.data.frame(predict(fit, new, type = "prob"))
      )
    } else {
      list(.pred = unname(predict(fit, new)))
    }
  }
}

#' @rdname vetiver
#' @exportS3Method butcher::axe_data
axe_data.gpsieve_fit <- function(x, verbose = FALSE, ...) {
  x[c("loo", "calibration")] <- list(NULL)
  x$kept <- NULL
  x$origin <- NULL
  x$cases <- x$cases[setdiff(names(x$cases), c("weights", "kept", "na_action"))]
  if (!length(x$cases)) x$cases <- NULL
  if (!is.null(x$state)) x$state$recent <- NULL
  none <- list(row = integer(), precision = numeric(), mean = numeric())
  x$sites[] <- rep(list(none), length(x$sites))
  x
}

#' @rdname vetiver
#' @exportS3Method butcher::axe_fitted
axe_fitted.gpsieve_fit <- function(x, verbose = FALSE, ...) {
  x["calibration"] <- list(NULL)
  x$kept <- NULL
  x
}

# nolint end
