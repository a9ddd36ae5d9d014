# Comparison of fits by log predictive densities of the same rows.

#' Compare fits
#'
#' Sets fits of any models, kernels and likelihoods side by side by their log predictive density of
#' the same rows: rows they have not seen (`newdata`), their leave-one-out densities ([loo()]), or
#' those of cross-validation ([cv()]). Evidences are not compared: their kinds differ between
#' models, and some count an active set only.
#'
#' @param ... Two or more fits, or results of [cv()] on the same rows. Names become labels.
#' @param newdata Rows that no fit was trained on. `NULL`: leave-one-out densities of the training
#'   rows, which not every fit keeps ([loo()]); where one does not, `newdata` is asked for.
#' @param y The response of `newdata` where it is not among its columns.
#' @param data The old name of `newdata`, which works in this version, with a warning.
#' @return A data frame, best first: `model` (the label), `score` (sum of the log predictive
#'   densities of the rows), `std_error` of the score, `difference` to the best one's score,
#'   `std_error_difference` (of the paired differences of rows), `rows`, and `kind`: `"held out"`,
#'   `"leave one out"` or `"cross-validation"`. A difference of less than two of its standard errors
#'   decides nothing.
#' @examples
#' train <- seq(1, 150, 2)
#' smooth <- ivm(Species ~ ., iris[train, ], seed = 1)
#' rough <- ivm(Species ~ ., iris[train, ], kernel = kernel_matern(0.5), seed = 1)
#' compare(smooth, rough, newdata = iris[-train, ])
#' @export
compare <- function(..., newdata = NULL, y = NULL, data) {
  call <- rlang::current_env()
  if (!missing(data)) newdata <- renamed_data(data, "compare")
  fits <- list(...)
  labels <- rlang::names2(fits)
  written <- vapply(as.list(substitute(list(...)))[-1L], rlang::as_label, "")
  labels[labels == ""] <- written[labels == ""]
  if (length(fits) < 2L) {
    abort_gpsieve("{.fn compare} needs two or more fits.", "Found {length(fits)}.", call = call)
  }
  crossed <- vapply(fits, inherits, NA, "gpsieve_cv")
  for (fit in fits[!crossed]) check_fit(fit, "...", call)
  if (any(crossed) && (!all(crossed) || !is.null(newdata))) {
    abort_gpsieve("Results of {.fn cv} compare with each other only, and without {.arg newdata}.",
      call = call
    )
  }
  scores <- Map(function(fit, label) {
    if (crossed[1L]) fit$rows$log_density * fit$rows$weight
    else if (is.null(newdata)) counted_loo(fit, label, call)
    else log_predictive(fit, newdata, y, call)
  }, fits, labels)
  check_same_rows(fits, scores, call)
  kind <-
    if (crossed[1L]) "cross-validation" else if (is.null(newdata)) "leave one out" else "held out"
  comparison(do.call(cbind, scores), labels, kind)
}

#' @rdname compare
#' @param object A fit: `anova()` does what `compare()` does.
#' @importFrom stats anova
#' @export
anova.gpsieve_fit <- function(object, ..., newdata = NULL, y = NULL, data) {
  call <- sys.call()
  call[[1L]] <- quote(gpsieve::compare)
  names(call)[names(call) == "object"] <- ""
  eval(call, parent.frame())
}

#' Leave-one-out densities of a fit, called `label` by the user, each as often as its row counts
#' @noRd
counted_loo <- function(fit, label, call) {
  refuse <- function(e) {
    abort_gpsieve("The fit {.code {label}} does not keep leave-one-out densities.",
      hint = "Give {.arg newdata}, rows that no fit was trained on, or compare results of
        {.fn cv}.",
      class = "unsupported", call = call
    )
  }
  # What loo() says of a damaged fit stays.
  density <- tryCatch(loo(fit), gpsieve_error_unsupported = refuse,
    gpsieve_error_argument = refuse
  )
  weights <- fit$cases$weights
  if (is.null(weights)) density else density * for_data_rows(fit, weights)
}

check_same_rows <- function(fits, scores, call) {
  if (length(unique(lengths(scores))) > 1L) {
    abort_gpsieve("The fits must be judged by the same rows.",
      "Found {lengths(scores)} rows.", "Give {.arg newdata} that no fit has seen.",
      class = "data", call = call
    )
  }
  same <- function(fit) c(is_classification(fit$response), fit$response$levels)
  if (length(unique(lapply(fits, same))) > 1L) {
    abort_gpsieve("The fits must be of the same response.", class = "data", call = call)
  }
}

#' One row for each column of an n x models matrix of log densities
#' @noRd
comparison <- function(scores, labels, kind) {
  scores <- scores[rowSums(is.na(scores)) == 0, , drop = FALSE]
  error <- function(x) if (length(x) > 1L) sqrt(length(x)) * stats::sd(x) else NA_real_
  total <- colSums(scores)
  order <- order(-total)
  best <- scores[, order[1L]]
  out <- data.frame(
    model = labels, score = total, std_error = apply(scores, 2L, error),
    difference = total - total[order[1L]],
    std_error_difference = apply(scores - best, 2L, error),
    rows = nrow(scores), kind = kind
  )[order, ]
  rownames(out) <- NULL
  out
}
