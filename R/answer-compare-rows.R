# Rows and responses of fits that are compared: densities of one row stand side by side, in units of
# one response.

# What is compared of each fit (answer-compare.R), with the rows in the order of the first fit.
# Rows are matched by their names or numbers in the data and, where these say nothing, by responses
# that differ from each other.
in_same_order <- function(judged, labels) {
  unknown <- vapply(judged, function(part) is.null(part$y), NA)
  if (any(unknown)) {
    warn_gpsieve(
      c("It cannot be checked whether the fits are judged by the same rows in the same order.",
        x = "{.code {labels[unknown]}} keep{?s/} nothing of the training rows."),
      "Give {.arg newdata}.", class = "rows", call = user_frame()
    )
    return(judged)
  }
  first <- judged[[1L]]
  lapply(judged, function(part) {
    at <- place_of_rows(first, part)
    if (is.null(at)) abort_other_order()
    if (identical(at, seq_along(at))) return(part)
    part$density <- part$density[at]
    part$y <- part$y[at]
    if (length(part$weight) > 1L) part$weight <- part$weight[at]
    part
  })
}

# What is compared of each fit, with the same weight of a row for all of them. Of the folds of cv()
# all copies of a row are left out, whatever its weight.
with_same_weights <- function(judged, by_folds) {
  weights <- lapply(judged, function(part) rep_len(part$weight, length(part$density)))
  if (all(vapply(weights, same_values, NA, weights[[1L]]))) return(judged)
  if (!by_folds) {
    abort_gpsieve("The fits must have the same case weights.",
      "Where a row of weight w is left out once, its w - 1 other copies stay.",
      "Give {.arg newdata} that no fit has seen, or compare results of {.fn cv}.", class = "data")
  }
  warn_gpsieve("The fits have different case weights: every row counts once.", class = "weights",
    call = user_frame())
  lapply(judged, replace, "weight", 1)
}

# Where the rows of `first` stand in `part`; NULL where equal responses leave that open
place_of_rows <- function(first, part) {
  as_is <- seq_along(part$density)
  by_id <- match(first$id, part$id)
  known <- !is.null(first$id) && !is.null(part$id) && !anyNA(by_id)
  if (!known && !is.null(first$numbered) && identical(first$numbered, part$numbered)) {
    abort_rows_of_one(setdiff(first$id, part$id))
  }
  other_units <-
    !identical(deparse(first$response$outcome$rule), deparse(part$response$outcome$rule))
  if (known && (other_units || same_values(first$y, part$y[by_id]))) return(by_id)
  if (other_units || same_values(first$y, part$y)) return(as_is)
  by_y <- order_of_response(part$y)[order(order_of_response(first$y))]
  # Of other rows the responses differ: in_same_units() refuses them.
  if (!same_values(first$y, part$y[by_y])) return(as_is)
  if (!anyDuplicated(as.data.frame(response_columns(first$y)))) by_y
}

order_of_response <- function(y) do.call(order, response_columns(y))

abort_rows_of_one <- function(only) {
  abort_gpsieve("The fits must be judged by the same rows.",
    "{length(only)} row{?s} of the first fit {?has/have} no part in another one, the first of them
     {.val {only[1L]}}.",
    "Fit all models to the same rows, or give {.arg newdata}.", class = "data")
}

abort_other_order <- function() {
  abort_gpsieve("The rows of the fits stand in different orders.",
    "Rows of equal responses cannot be told apart without row names.",
    "Fit all models to the same data frame, or give {.arg newdata}.", class = "data")
}

# Are two responses the same, but for rounding?
same_values <- function(a, b) {
  if (is.factor(a) || is.factor(b)) return(identical(as.character(a), as.character(b)))
  if (is_pairs(a) || is_pairs(b)) {
    return(identical(pairs_kind(a), pairs_kind(b)) &&
      identical(response_columns(a), response_columns(b)))
  }
  length(a) == length(b) && identical(is.na(a), is.na(b)) &&
    all(abs(a - b) <= 1e-9 * pmax(abs(a), abs(b)), na.rm = TRUE)
}

# Densities of one response: where the fits have different functions of one column as responses,
# all become densities of that column, with a warning.
# The density of y is the density of a function of y times the absolute slope of the function.
in_same_units <- function(judged, newdata) {
  rules <- lapply(judged, function(part) part$response$outcome$rule)
  one_rule <- length(unique(lapply(Filter(Negate(is.null), rules), deparse))) < 2L
  unchecked <- any(vapply(judged, function(part) is.null(part$y) || isTRUE(part$given), NA))
  if (unchecked && !one_rule) abort_other_response(judged)
  first <- judged[[1L]]
  if (unchecked || all(vapply(judged, function(part) same_values(first$y, part$y), NA))) {
    return(judged)
  }
  column <- unique(unlist(lapply(judged, function(part) names(part$response$ptypes$outcomes))))
  discrete <- any(vapply(judged, function(part) {
    part$response$discrete || !is.double(part$y) || is_pairs(part$y) ||
      is.null(part$response$outcome$rule)
  }, NA))
  if (discrete || length(column) != 1L) abort_other_response(judged)
  base <- values_of_column(judged, column, newdata)
  if (is.null(base)) {
    abort_other_response(judged, paste0("With {.arg newdata}, or a fit of {.code ", column,
      "} itself, all compare as densities of {.code ", column, "}."))
  }
  names <- unique(vapply(judged, function(part) part$response$name, ""))
  out <- lapply(judged, function(part) {
    at <- function(values) response_from(part$response, column, values)
    if (!same_values(at(base), part$y)) abort_other_response(judged)
    step <- 1e-5 * ifelse(base == 0, positive_or_one(stats::sd(base, na.rm = TRUE)), abs(base))
    slope <- (at(base + step) - at(base - step)) / (2 * step)
    if (!all(is.finite(slope[!is.na(base)]) & slope[!is.na(base)] != 0)) {
      abort_other_response(judged)
    }
    part$density <- part$density + log(abs(slope))
    part
  })
  warn_gpsieve(
    c("The fits have different responses: scores are log densities of {.code {column}}.",
      x = "Found {.code {names}}, whose densities were multiplied by the slope of each."),
    class = "response", call = user_frame()
  )
  out
}

# The values of a column in the rows that are compared: in `newdata`, or the response of a fit
# whose response is that column; NULL where neither is there
values_of_column <- function(judged, column, newdata) {
  if (is.data.frame(newdata)) return(as.double(newdata[[column]]))
  plain <- Filter(function(part) identical(part$response$outcome$rule, as.name(column)), judged)
  if (length(plain)) plain[[1L]]$y
}

response_from <- function(response, column, values) {
  data <- stats::setNames(data.frame(values), column)
  as.double(suppressWarnings(forge_response(response, data, "newdata")))
}

abort_other_response <- function(judged, hint = NULL) {
  names <- unique(vapply(judged, function(part) part$response$name, ""))
  abort_gpsieve("The fits must be of the same response.",
    if (length(names) > 1L) "Found {.code {names}}."
    else "Found other values, or other classes, of {.code {names}}.",
    hint, class = "data")
}
