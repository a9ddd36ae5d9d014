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
#' @section Rows and responses:
#' A difference of scores means something where both are about the same numbers. Rows are matched by
#' their names or numbers in the data frame, or by responses that differ from each other; fits of
#' other rows are refused. Where the responses are different functions of one column, such as `y`
#' and `log(y)`, densities are converted to those of the column by the slope of the function, with a
#' warning of class `gpsieve_warning_response`; fits of other responses are refused.
#'
#' Every row of `newdata` counts once. Without `newdata` a row counts as often as its case weight
#' says, which must be the same for all fits. Where it is not, every row counts once in results of
#' [cv()], with a warning of class
#' `gpsieve_warning_weights`. Leave-one-out densities are then refused, because all copies of a row
#' but one stay where it is left out. Those copies also tell what the number of the row is, so that
#' leave-one-out densities of numbers whose weights are above 1 come with a warning of class
#' `gpsieve_warning_copies`.
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
compare <- function(..., newdata = NULL, y = NULL) {
  compare_fits(list(...), as.list(substitute(list(...)))[-1L], newdata, y)
}

#' @rdname compare
#' @param object A fit: `anova()` does what `compare()` does.
#' @importFrom stats anova
#' @export
anova.gpsieve_fit <- function(object, ..., newdata = NULL, y = NULL) {
  compare_fits(list(object, ...), as.list(substitute(list(object, ...)))[-1L], newdata, y)
}

# compare() of a list of fits, whose labels are their names or how they were `written`
compare_fits <- function(fits, written, newdata, y) {
  labels <- rlang::names2(fits)
  labels[labels == ""] <- vapply(written, rlang::as_label, "")[labels == ""]
  if (length(fits) < 2L) {
    abort_gpsieve("A comparison needs two or more fits.", "Found {length(fits)}.")
  }
  crossed <- vapply(fits, inherits, NA, "gpsieve_cv")
  for (fit in fits[!crossed]) check_fit(fit, "...")
  if (any(crossed) && (!all(crossed) || !is.null(newdata))) {
    abort_gpsieve("Results of {.fn cv} compare with each other only, and without {.arg newdata}.")
  }
  judged <- Map(function(fit, label) {
    if (crossed[1L]) judged_by_folds(fit)
    else if (is.null(newdata)) judged_without_rows(fit, label)
    else judged_on_rows(fit, newdata, y)
  }, fits, labels)
  check_same_rows(fits, judged)
  judged <- with_same_weights(in_same_order(judged, labels), crossed[1L])
  judged <- in_same_units(judged, newdata)
  densities <- do.call(cbind, lapply(judged, `[[`, "density"))
  weights <- rep_len(judged[[1L]]$weight, nrow(densities))
  kind <-
    if (crossed[1L]) "cross-validation" else if (is.null(newdata)) "leave one out" else "held out"
  if (kind == "leave one out") warn_of_copies(fits)
  comparison(densities, weights, labels, kind)
}

# What is compared of a fit is a list with a number for each row in `density`, the log predictive
# density, and `weight`, how often the row counts; `y`, the response, and `id`, by which rows are
# told apart (NULL where they are not known), and whether the data gave the latter as `numbered`
# "names" or "numbers"; and `response`, by which the response is computed from
# columns, unless the user has `given` it.

judged_by_folds <- function(crossed) {
  rows <- crossed$rows
  list(density = rows$log_density, weight = rows$weight, y = crossed$response$y,
    response = crossed$response)
}

judged_on_rows <- function(fit, newdata, y) {
  density <- log_predictive(fit, newdata, y)
  list(density = density, weight = 1, y = response_of(fit, newdata, y), given = !is.null(y),
    response = response_rule(fit))
}

# Leave-one-out densities of a fit, called `label` by the user
judged_without_rows <- function(fit, label) {
  refuse <- function(e) {
    abort_gpsieve("The fit {.code {label}} does not keep leave-one-out densities.",
      hint = "Give {.arg newdata}, rows that no fit was trained on, or compare results of
        {.fn cv}.",
      class = "unsupported")
  }
  # What loo() says of a damaged fit stays.
  density <- tryCatch(loo(fit), gpsieve_error_unsupported = refuse, gpsieve_error_argument = refuse)
  c(list(density = density), rows_of_fit(fit))
}

# What is known of the training rows of a fit
rows_of_fit <- function(fit) {
  weights <- fit$cases$weights
  list(weight = if (is.null(weights)) 1 else for_data_rows(fit, weights),
    y = if (!is.null(fit$kept)) for_data_rows(fit, fit$kept$y), id = row_ids(fit),
    numbered = given_ids(fit)$kind, response = response_rule(fit))
}

# Stops where fits are known to have other rows or another response than the first, for the
# function called `name`, which compares their evidences
check_same_training_rows <- function(fits, name) {
  if (length(fits) < 2L) return(invisible())
  rows <- lapply(fits, function(fit) {
    known <- rows_of_fit(fit)
    c(list(density = numeric(if (is.null(known$y)) fit$n else length(known$y))), known)
  })
  tryCatch({
    check_same_rows(fits, rows)
    rows <- Filter(function(part) !is.null(part$y), rows)
    rows <- with_same_weights(in_same_order(rows, character()), FALSE)
    same <- vapply(rows, function(part) same_values(rows[[1L]]$y, part$y), NA)
    if (!all(same)) abort_other_response(rows)
  }, gpsieve_error_data = function(e) {
    said <- sub("\n.*", "", conditionMessage(e))
    abort_gpsieve("{.fn {name}} compares fits to the same rows.", "{said}",
      "{.fn compare} takes {.arg newdata}, rows that no fit has seen.", class = "data")
  })
}

# By what the training rows are told apart: their names, else their numbers in the data
row_ids <- function(fit) {
  id <- given_ids(fit)$id
  if (is.null(id)) id <- seq_along(fit$kept$y)
  for_data_rows(fit, as.character(id))
}

# The names or numbers of the training rows where they are not 1, 2, 3 and so on, and which of the
# two they are
given_ids <- function(fit) {
  names <- fit$kept$row_names
  if (!is.null(names)) return(list(id = names, kind = "names"))
  id <- fit$kept$row_numbers
  if (is.null(id)) id <- fit$cases$kept
  if (!is.null(id)) list(id = id, kind = "numbers")
}

# How the response of a fit is computed from columns, as forge_response() takes it
response_rule <- function(fit) {
  list(outcome = fit$blueprint$outcome, ptypes = fit$blueprint$ptypes["outcomes"],
    name = fit$response$name, levels = fit$response$levels,
    discrete = is_classification(fit$response) || is_of_counts(fit$likelihood) ||
      fit$response$kind == "trials")
}

check_same_rows <- function(fits, judged) {
  rows <- lengths(lapply(judged, `[[`, "density"))
  if (length(unique(rows)) > 1L) {
    abort_gpsieve("The fits must be judged by the same rows.", "Found {rows} rows.",
      "Give {.arg newdata} that no fit has seen.", class = "data")
  }
  same <- function(fit) c(is_classification(fit$response), fit$response$levels)
  if (length(unique(lapply(fits, same))) > 1L) abort_other_response(judged)
}

# Warns where copies of a row that is left out tell what its number is
warn_of_copies <- function(fits) {
  if (!any(vapply(fits, function(fit) copies_tell(fit$cases$weights, fit), NA))) return(invisible())
  warn_gpsieve(
    c("Only one copy of each row is left out, and those that stay tell what its number is.",
      x = "Some rows have a weight above 1."),
    "Compare results of {.fn cv}, which leaves out all copies.", class = "copies",
    call = user_frame()
  )
}

# One row for each column of an n x models matrix of log densities, of which each row counts as
# often as its weight says
comparison <- function(densities, weights, labels, kind) {
  known <- rowSums(is.na(densities)) == 0
  densities <- densities[known, , drop = FALSE]
  weights <- weights[known]
  error <- function(x) sum(weights) * error_of_mean(x, weights)
  total <- colSums(weights * densities)
  order <- order(-total)
  best <- densities[, order[1L]]
  out <- data.frame(
    model = labels, score = total, std_error = apply(densities, 2L, error),
    difference = total - total[order[1L]],
    std_error_difference = apply(densities - best, 2L, error),
    rows = nrow(densities), kind = kind
  )[order, ]
  rownames(out) <- NULL
  out
}
