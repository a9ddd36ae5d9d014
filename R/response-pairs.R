# Responses of two numbers for each row: successes and failures, and the ends of the interval in
# which a censored number lies.
#
# In R such a response is a vector of class gpsieve_pairs, whose elements are pairs and whose kind
# is "trials" or "censored". The core knows a response as one number
# (src/core/likelihood/theory.md): successes + 2^26 trials, and 2^1000 j for the j-th interval of a
# table that the likelihood holds.

# Pairs are complex numbers: R subsets, compares and counts them as it does numbers.
new_pairs <- function(first, second, kind) {
  structure(complex(real = first, imaginary = second), kind = kind, class = "gpsieve_pairs")
}

#' @export
`[.gpsieve_pairs` <- function(x, ...) {
  structure(unclass(x)[...], kind = attr(x, "kind"), class = "gpsieve_pairs")
}

#' @export
format.gpsieve_pairs <- function(x, ...) {
  if (pairs_kind(x) == "trials") paste(pair_first(x), "of", pair_first(x) + pair_second(x))
  else paste0("(", pair_first(x), ", ", pair_second(x), ")")
}

is_pairs <- function(y) inherits(y, "gpsieve_pairs")
pairs_kind <- function(y) attr(y, "kind")
pair_first <- function(y) Re(pair_numbers(y))
pair_second <- function(y) Im(pair_numbers(y))
pair_numbers <- function(y) `attr<-`(unclass(y), "kind", NULL)

#' Pairs as a matrix of two columns
#' @noRd
pairs_matrix <- function(y) {
  out <- cbind(pair_first(y), pair_second(y))
  colnames(out) <-
    if (pairs_kind(y) == "trials") c("successes", "failures") else c("lower", "upper")
  out
}

#' A response as it came, but pairs as pairs: `survival::Surv()` and matrices of two columns
#' @noRd
with_pairs <- function(y, call) {
  if (inherits(y, "Surv")) return(pairs_of_times(y, call))
  counts <- is.matrix(y) && is.numeric(y) && !is.object(y) && ncol(y) == 2L
  if (!counts) return(y)
  bad <- which(is.finite(rowSums(y)) & (rowSums(y < 0 | y != trunc(y)) > 0 | rowSums(y) == 0 |
    rowSums(y) >= most_trials))
  if (length(bad)) {
    abort_gpsieve("A response of two columns must be successes and failures.",
      "Found {format(y[bad[1L], 1L])} and {format(y[bad[1L], 2L])} in row {bad[1L]}.",
      "They are whole numbers from 0, with one trial or more in a row; other responses have one
        column.",
      class = "data", call = call
    )
  }
  absent <- is.na(rowSums(y))
  y[absent, ] <- NA
  new_pairs(as.double(y[, 1L]), as.double(y[, 2L]), "trials")
}

# Successes and trials together are a whole number that a double holds exactly.
most_trials <- 2^26

#' The interval in which each time of a `survival::Surv()` lies; both ends are equal where the time
#' is known
#' @noRd
pairs_of_times <- function(y, call) {
  type <- attr(y, "type")
  if (!type %in% c("right", "left", "interval", "interval2")) {
    abort_gpsieve("{.fn Surv} must be of type right, left or interval.", "Found {.val {type}}.",
      class = "unsupported", call = call
    )
  }
  y <- unclass(y)
  time <- as.double(y[, 1L])
  status <- y[, ncol(y)]
  end <- if (ncol(y) == 3L) as.double(y[, 2L]) else time
  # Without status 3, an interval, status 0 is what was not observed.
  if (type == "left") status <- ifelse(status == 0, 2, status)
  lower <- ifelse(status == 2, -Inf, time)
  upper <- ifelse(status == 0, Inf, ifelse(status == 3, end, time))
  absent <- is.na(lower) | is.na(upper)
  new_pairs(replace(lower, absent, NA), replace(upper, absent, NA), "censored")
}

#' Description and codes of a response of pairs, as new_response() returns them, and plain `numbers`
#' for start values: the share of successes, the known end or the middle of an interval
#' @noRd
pairs_response <- function(y, name) {
  description <- list(kind = pairs_kind(y), levels = NULL, center = 0, scale = 1, name = name)
  if (pairs_kind(y) == "trials") {
    return(list(description = description, y = matrix(pack_trials(y)),
      numbers = pair_first(y) / (pair_first(y) + pair_second(y))
    ))
  }
  coded <- code_intervals(pair_first(y), pair_second(y))
  list(description = description, y = matrix(coded$y), table = coded$table,
    numbers = middle_of(pair_first(y), pair_second(y))
  )
}

pack_trials <- function(y) pair_first(y) + most_trials * (pair_first(y) + pair_second(y))

trials_of <- function(packed) packed %/% most_trials
successes_of <- function(packed) packed %% most_trials

middle_of <- function(lower, upper) {
  ifelse(is.infinite(lower), upper, ifelse(is.infinite(upper), lower, (lower + upper) / 2))
}

# The code of the first interval; that of the j-th is j times as large.
first_interval <- 2^1000

is_interval <- function(y) !is.na(y) & y >= first_interval

#' Known numbers as they are, others as codes of the intervals in a table
#' @noRd
code_intervals <- function(lower, upper) {
  censored <- which(lower < upper)
  each <- complex(real = lower[censored], imaginary = upper[censored])
  intervals <- unique(each)
  y <- lower
  y[censored] <- first_interval * match(each, intervals)
  list(y = y, table = list(lower = Re(intervals), upper = Im(intervals)))
}

#' The numbers of a coded response, and the `"lower"` or `"upper"` ends of its intervals
#' @noRd
coded_end <- function(y, table, end) {
  hidden <- is_interval(y)
  y[hidden] <- table[[end]][y[hidden] / first_interval]
  y
}

#' A coded response and its table on the scale of computation: list(y, table)
#' @noRd
scale_coded <- function(y, table, response) {
  y <- as.double(y)
  known <- !is_interval(y)
  y[known] <- (y[known] - response$center) / response$scale
  scaled <- function(end) (end - response$center) / response$scale
  list(y = y, table = if (!is.null(table)) lapply(table, scaled))
}

#' Stops where a time has no logarithm; times censored at the left lie between 0 and their end
#' @noRd
positive_intervals <- function(y, table, call) {
  known <- !is_interval(y)
  bad <- which(known & y <= 0)
  if (length(bad) || any(table$upper <= 0)) {
    found <-
      if (length(bad)) "{format(y[bad[1L]])} in row {bad[1L]}" else "an interval below 0"
    abort_gpsieve("{.code lik_censored(\"lognormal\")} needs positive numbers.",
      paste0("Found ", found, "."), "{.code lik_censored(\"gaussian\")} takes other numbers.",
      class = "data", call = call
    )
  }
  table$lower <- pmax(table$lower, 0)
  table
}

#' The response of new rows as the core sees it: list(y, table), scale of computation
#' @noRd
code_response <- function(truth, fit, call) {
  kind <- fit$response$kind
  truth <- with_pairs(truth, call)
  found <- if (is_pairs(truth)) pairs_kind(truth) else "number"
  suits <- if (kind == "trials") found == "trials"
    else found == "number" || (found == "censored" && is_censored(fit$likelihood))
  if (!suits || (found == "number" && !is.numeric(truth))) {
    wanted <- if (kind == "trials") "successes and failures" else "numeric"
    found <- describe(truth)
    abort_gpsieve("The response must be {wanted}, as in training.", "Found {found}.",
      class = "data", call = call
    )
  }
  if (kind == "trials") return(list(y = pack_trials(truth), table = NULL))
  scales <- if (kind == "real") fit$response else list(center = 0, scale = 1)
  if (found == "number") return(scale_coded(truth, NULL, scales))
  coded <- code_intervals(pair_first(truth), pair_second(truth))
  if (kind == "positive") coded$table <- positive_intervals(coded$y, coded$table, call)
  scale_coded(coded$y, coded$table, scales)
}

#' The fit whose likelihood knows the intervals of these responses
#' @noRd
with_table <- function(fit, table) {
  fit$likelihood$table <- table
  fit
}

#' How many of the responses of a problem, with their weights, are numbers and no intervals
#' @noRd
known_share <- function(y, weight) {
  known <- !is_interval(y)
  if (length(weight)) sum(weight[known]) / sum(weight) else mean(known)
}

#' A response as one number for each row: the share of successes, NA where a number is censored
#' @noRd
plain_numbers <- function(y) {
  if (!is_pairs(y)) return(y)
  if (pairs_kind(y) == "trials") return(pair_first(y) / (pair_first(y) + pair_second(y)))
  ifelse(pair_first(y) == pair_second(y), pair_first(y), NA)
}

has_censored <- function(y) is_pairs(y) && pairs_kind(y) == "censored" && anyNA(plain_numbers(y))
