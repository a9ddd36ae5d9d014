# Responses of two numbers for each row: successes and failures, and the ends of the interval in
# which a censored number lies, which are equal where the number is known.
#
# Such a response is a matrix of two columns of class gpsieve_pairs and of the kind "trials" or
# "censored". Its elements are its rows. The core takes the same two columns
# (src/core/likelihood/theory.md).

new_pairs <- function(first, second, kind) {
  names <- if (kind == "trials") c("successes", "failures") else c("lower", "upper")
  structure(cbind(as.double(first), as.double(second)), dimnames = list(NULL, names), kind = kind,
    class = "gpsieve_pairs")
}

# Some of the pairs; with two indices the numbers of a matrix
#' @export
`[.gpsieve_pairs` <- function(x, i, j, ..., drop = TRUE) {
  if (!missing(j)) return(unclass(x)[i, j, drop = drop])
  structure(unclass(x)[i, , drop = FALSE], kind = pairs_kind(x), class = "gpsieve_pairs")
}

#' @export
c.gpsieve_pairs <- function(...) {
  parts <- list(...)
  new_pairs(unlist(lapply(parts, pair_first)), unlist(lapply(parts, pair_second)),
    pairs_kind(parts[[1L]]))
}

#' @export
length.gpsieve_pairs <- function(x) nrow(unclass(x))

#' @export
is.na.gpsieve_pairs <- function(x) is.na(pair_first(x))

#' @export
is.numeric.gpsieve_pairs <- function(x) FALSE

#' @export
format.gpsieve_pairs <- function(x, ...) {
  if (pairs_kind(x) == "trials") paste(pair_first(x), "of", pair_first(x) + pair_second(x))
  else paste0("(", pair_first(x), ", ", pair_second(x), ")")
}

is_pairs <- function(y) inherits(y, "gpsieve_pairs")
pairs_kind <- function(y) attr(y, "kind")
pair_first <- function(y) unname(y[, 1L])
pair_second <- function(y) unname(y[, 2L])

# The numbers of a response, a vector for each of its columns; classes as positions of their levels
response_columns <- function(y) {
  if (is_pairs(y)) list(pair_first(y), pair_second(y)) else list(as.double(y))
}

# A response as it came, but pairs as pairs: `survival::Surv()` and matrices of two columns
with_pairs <- function(y) {
  if (inherits(y, "Surv")) return(pairs_of_times(y))
  counts <- is.matrix(y) && is.numeric(y) && !is.object(y) && ncol(y) == 2L
  if (!counts) return(y)
  y <- whole_counts(y)
  bad <- which(is.finite(rowSums(y)) & (rowSums(not_counts(y)) > 0 | rowSums(y) == 0))
  if (length(bad)) {
    abort_gpsieve("A response of two columns must be successes and failures.",
      "Found {format(y[bad[1L], 1L])} and {format(y[bad[1L], 2L])} in row {bad[1L]}.",
      "They are whole numbers from 0, with one trial or more in a row; other responses have one
        column.",
      class = "data")
  }
  absent <- is.na(rowSums(y))
  y[absent, ] <- NA
  new_pairs(y[, 1L], y[, 2L], "trials")
}

# Numbers that differ from whole ones by rounding errors, as 100 * 0.29 does, as these
whole_counts <- function(y) {
  near <- which(abs(y - round(y)) <= 1e-10 * pmax(1, abs(y)))
  y[near] <- round(y[near])
  y
}

not_counts <- function(y) y < 0 | y != trunc(y)

# The interval in which each time of a `survival::Surv()` lies; both ends are equal where the time
# is known
pairs_of_times <- function(y) {
  type <- attr(y, "type")
  if (!type %in% c("right", "left", "interval", "interval2")) {
    abort_gpsieve("{.fn Surv} must be of type right, left or interval.", "Found {.val {type}}.",
      class = "unsupported")
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

response_matrix <- function(y) do.call(cbind, response_columns(y))

# A response as one number for each row: the share of successes, the known end or the middle of an
# interval
one_number <- function(y) {
  if (is_pairs(y) && pairs_kind(y) == "censored") middle_of(pair_first(y), pair_second(y))
  else plain_numbers(y)
}

middle_of <- function(lower, upper) {
  ifelse(is.infinite(lower), upper, ifelse(is.infinite(upper), lower, (lower + upper) / 2))
}

# A response as one number for each row: the share of successes, NA where a number is censored
plain_numbers <- function(y) {
  if (!is_pairs(y)) return(y)
  if (pairs_kind(y) == "trials") return(pair_first(y) / (pair_first(y) + pair_second(y)))
  ifelse(pair_first(y) == pair_second(y), pair_first(y), NA)
}

has_censored <- function(y) is_pairs(y) && pairs_kind(y) == "censored" && anyNA(plain_numbers(y))

# The response as the core has it -----------------------------------------------------------------

trials_of <- function(y) y[, 1L] + y[, 2L]
successes_of <- function(y) y[, 1L]

# In which rows of a response as the core has it only an interval is known
is_interval <- function(y, likelihood) {
  if (takes_intervals(likelihood)) y[, 1L] < y[, 2L] else logical(nrow(y))
}

# Stops where a time has no logarithm, and where one is only known to be more than 0, which all are;
# times censored at the left lie between 0 and their end
positive_intervals <- function(y) {
  empty <- which(y[, 1L] <= 0 & y[, 2L] == Inf)
  if (length(empty)) {
    abort_gpsieve("A time that is censored at 0 says nothing: all times are greater.",
      "Found {length(empty)} of them, the first in row {empty[1L]}.",
      "Leave such rows out.", class = "data")
  }
  bad <- which(y[, 1L] == y[, 2L] & y[, 1L] <= 0)
  if (length(bad) || any(y[, 2L] <= 0, na.rm = TRUE)) {
    found <-
      if (length(bad)) "{format(y[bad[1L], 1L])} in row {bad[1L]}" else "an interval below 0"
    abort_gpsieve("{.code lik_censored(\"lognormal\")} needs positive numbers.",
      paste0("Found ", found, "."), "{.code lik_censored(\"gaussian\")} takes other numbers.",
      class = "data")
  }
  y[, 1L] <- pmax(y[, 1L], 0)
  y
}

# The matrix of a response of numbers on the scale of computation, with the columns that the core
# takes: a number is an interval whose ends are equal where the likelihood is one of intervals
encode_numbers <- function(y, response, likelihood) {
  if (ncol(y) == 2L && response$kind == "positive") y <- positive_intervals(y)
  if (is_of_counts(likelihood)) y <- whole_counts(y)
  if (response$kind == "real") y <- (y - response$center) / response$scale
  if (ncol(y) < likelihood_columns(likelihood)) cbind(y, y) else y
}

# The response of new rows as the core has it
code_response <- function(truth, fit) {
  kind <- fit$response$kind
  truth <- with_pairs(truth)
  found <- if (is_pairs(truth)) pairs_kind(truth) else "number"
  suits <- if (kind == "trials") found == "trials"
    else found == "number" || (found == "censored" && takes_intervals(fit$likelihood))
  if (!suits || (found == "number" && !is.numeric(truth))) {
    wanted <- if (kind == "trials") "successes and failures" else "numeric"
    found <- describe(truth)
    abort_gpsieve("The response must be {wanted}, as in training.", "Found {found}.",
      class = "data")
  }
  encode_numbers(response_matrix(truth), fit$response, fit$likelihood)
}

# How many of the responses of a problem, with their weights, are numbers and no intervals
known_share <- function(y, weight) {
  known <- y[, 1L] == y[, 2L]
  if (length(weight)) sum(weight[known]) / sum(weight) else mean(known)
}
