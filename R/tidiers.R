# tidy, glance and augment, for those who work with data frames.

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' Tidy a fit
#'
#' @param x A fit.
#' @param newdata Data to predict for.
#' @param ... Not used.
#' @return `tidy()`: one row per hyper-parameter (`term`, `estimate`, `learned`). `glance()`: one
#'   row with evidence, sizes and status. `augment()`: `newdata` with columns `.pred` (and
#'   `.std_error`) or `.pred_class` and `.pred_<level>`.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' tidy(fit)
#' glance(fit)
#' head(augment(fit, iris))
#' @name tidiers
NULL

#' @rdname tidiers
#' @export
tidy.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  table <- summary(x)$hyperparameters
  data.frame(term = rownames(table), table, row.names = NULL)
}

#' @rdname tidiers
#' @export
glance.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  data.frame(
    model = x$model, log_evidence = evidence(x)$value, kind = x$evidence$kind, nobs = x$n,
    size = nrow(x$basis), likelihood = x$likelihood$type, converged = x$converged
  )
}

#' @rdname tidiers
#' @export
augment.gpsieve_fit <- function(x, newdata, ...) {
  check_fit(x, "x")
  if (is_classification(x$response)) {
    probabilities <- predict(x, newdata, type = "prob")
    colnames(probabilities) <- paste0(".pred_", colnames(probabilities))
    added <- data.frame(.pred_class = predict(x, newdata), probabilities, check.names = FALSE)
  } else {
    predicted <- predict(x, newdata, se.fit = TRUE)
    added <- data.frame(.pred = predicted$fit, .std_error = predicted$se.fit)
  }
  cbind(as.data.frame(newdata), added)
}
