# tidy, glance and augment, for those who work with data frames.

#' @return What the method for the class of the argument returns; for fits of this package see
#'   [tidiers].
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
#' @param newdata,data Rows to predict for: `newdata` needs the training columns only; for `data`,
#'   whose response is known, residuals are added. Without either the training rows, of which the
#'   fit keeps the response: the answer then begins with it (after `.rownames`, where rows have
#'   names), not with the inputs.
#' @param interval,level As in [predict()][predict.gpsieve_fit]: limits of an interval of the
#'   response, `.lower` and `.upper`, or of the probability of the second of two classes.
#' @param ... Not used; anything here is an error.
#' @return A tibble if package tibble is installed, else a data frame. `tidy()`: one row per
#'   hyper-parameter (`term`, `estimate`, `learned`, and `at_bound`: learning ended at a bound, so
#'   that the data do not determine the value). `glance()`: one row with the evidence, its `kind`
#'   and the number of rows it counts (`evidence_rows`), sizes and status. `augment()`: the rows
#'   with columns `.pred` and `.std_error` (of the mean response), or `.pred_class` and
#'   `.pred_<level>` (`.pred_class_1` for a level called class); with `data`, and for the training
#'   rows, also `.resid`, that of [residuals()], for numbers and two classes. Rows that have
#'   columns of these names already are an error.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' tidy(fit)
#' glance(fit)
#' head(augment(fit, iris))
#' line <- ivm(dist ~ speed, cars, seed = 1)
#' head(augment(line, data = cars, interval = "prediction"))
#' @name tidiers
NULL

#' @rdname tidiers
#' @export
tidy.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  check_dots(...)
  table <- summary(x)$hyperparameters
  as_tibble_or_frame(data.frame(term = rownames(table), table, row.names = NULL))
}

#' @rdname tidiers
#' @export
glance.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  check_dots(...)
  as_tibble_or_frame(data.frame(
    model = x$model, log_evidence = evidence(x)$value, kind = x$evidence$kind,
    evidence_rows = x$evidence$rows, nobs = counted_rows(x), size = nrow(x$basis),
    likelihood = likelihood_type(x$likelihood), converged = x$converged
  ))
}

#' @rdname tidiers
#' @export
augment.gpsieve_fit <- function(x, newdata = NULL, ..., data = NULL,
                                interval = c("none", "confidence", "prediction"), level = 0.95) {
  check_dots(...)
  validate_fit(x)
  interval <- check_choice(interval)
  if (!is.null(data) && !is.null(newdata)) {
    abort_gpsieve("{.fn augment} takes {.arg data} or {.arg newdata}, not both.")
  }
  rows <- in_memory(if (is.null(data)) newdata else data)
  if (is_source(as_source(rows))) {
    abort_gpsieve("{.fn augment} needs rows in memory.", "Found a source of rows.",
      "{.code predict(into = )} writes the predictions of a source to a file.",
      class = "unsupported")
  }
  if (is_of_matrix_package(rows)) {
    abort_gpsieve("{.fn augment} needs a data frame or a dense matrix.",
      "Found {describe(rows)}.", "{.fn predict} takes sparse rows.", class = "unsupported")
  }
  if (is.null(rows)) kept_rows(x, "augment")
  rlang::try_fetch(once_unseen(augmented(x, rows, !is.null(data), interval, level)),
    gpsieve_error = function(e) blame_user(e) # who did not call predict() and residuals()
  )
}

augmented <- function(x, rows, has_response, interval, level) {
  training <- is.null(rows)
  ask <- function(...) {
    answer <- if (training) stats::predict(x, ...) else stats::predict(x, rows, ...)
    without_row_names(answer)
  }
  classes <- is_classification(x$response)
  if (classes) {
    probabilities <- ask(type = "prob")
    added <- data.frame(ask(), probabilities)
    # A level may be called "class".
    names(added) <- make.unique(paste0(".pred_", c("class", colnames(probabilities))), sep = "_")
  } else {
    predicted <- ask(se.fit = TRUE)
    added <- data.frame(.pred = predicted$fit, .std_error = predicted$se.fit)
  }
  if (interval != "none") {
    limits <- ask(type = if (classes) "prob" else "response", interval = interval, level = level)
    added$.lower <- limits[, "lwr"]
    added$.upper <- limits[, "upr"]
  }
  if ((training || has_response) && !x$response$kind %in% c("multiclass", "ordinal")) {
    added$.resid <- unname(
      if (training) stats::residuals(x, "response") else stats::residuals(x, "response", rows)
    )
  }
  own <- if (training) training_frame(x) else as.data.frame(rows, optional = TRUE)
  check_distinct_names(names(own), if (has_response) "data" else "newdata")
  both <- intersect(names(added), names(own))
  if (length(both)) {
    abort_gpsieve("{.fn augment} adds columns that the rows must not have already.",
      "Found {.val {both}}.", "Rename or remove them.", class = "data")
  }
  as_tibble_or_frame(cbind(own, added))
}

# The names and the response of the training rows as a data frame
training_frame <- function(fit) {
  y <- for_training_rows(fit, fit$kept$y)
  names <- if (is_pairs(y)) rownames(y) else names(y)
  values <- if (is_pairs(y)) without_row_names(y[, 1:2, drop = FALSE]) else unname(y)
  out <- stats::setNames(data.frame(I(values)), fit$response$name)
  if (!is_pairs(y)) out[[1L]] <- values
  if (is.null(names)) out else cbind(.rownames = names, out)
}

as_tibble_or_frame <- function(x) {
  if (rlang::is_installed("tibble")) tibble::as_tibble(x, .name_repair = "minimal") else x
}
