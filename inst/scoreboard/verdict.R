# The rule that gives every row of vignette("scoreboard") its verdict; base R only. Every row of the
# vignette takes its verdict from here, and tests/testthat/test-scoreboard.R feeds it numbers whose
# verdict is known, among them ones that must fail.
#
# A row sets a claim of a paper beside what was computed here. A claim is made by one of
#
#   claim_value("1.54")     the paper prints a number
#   claim_below()           the paper says that one thing is smaller than another
#   claim_near(limit)       the paper says that two things hardly differ
#   claim_without_number()  the paper has a curve without numbers, a time on another computer, or a
#                           quantity that it does not define
#   claim_by_construction() what was computed here could not have come out otherwise
#
# and `verdict(claim, found)` compares. `found` are the values of single runs (for claims about two
# things: the differences within each run), or `summary_of_runs()` where a results file has no more.
# With two runs or more their interval is the mean plus and minus the 0.975 quantile of Student's t
# times the standard error of the mean. One value of a random protocol has no standard error and
# decides nothing. One value of a computation without randomness (`exact = TRUE`) is its own
# interval. A row that could not have failed says nothing, and its verdict is "cannot be told".

verdicts <- c(
  "reproduced", "better", "not reproduced", "undecided", "cannot be told", "not comparable"
)

#' Half a unit of the last printed digit: "1.54" stands for the numbers between 1.535 and 1.545
half_a_unit <- function(printed) {
  decimals <- if (grepl(".", printed, fixed = TRUE)) nchar(sub("^[^.]*[.]", "", printed)) else 0L
  10^-decimals / 2
}

#' The paper prints a number
#'
#' @param printed The number as the paper prints it, a string.
#' @param half Half the unit to which the number can be read, where it is not that of the last
#'   digit: for numbers that are read off a figure, and for differences of two printed numbers.
#' @param se The standard error of the printed number, where the paper gives it or gives the
#'   standard deviation and the number of runs.
#' @param runs The number of runs of which the printed number is the mean, where the paper gives no
#'   spread: the standard deviation of the runs here then stands for that of the paper.
#' @param better "smaller" or "larger" if the quantity is one to be made small or large and protocol
#'   and data are those of the paper; otherwise a difference to either side is a difference.
#' @param peer What the paper compares with, on the same rows: a list of its `printed` number and of
#'   what was `found` here. A number that lies on the better side together with its peer shows a
#'   difference of the rows and not of the method.
#' @param resolution An interval that reaches further than this to either side decides nothing when
#'   it holds the number: a tenth of the number; for a difference of two numbers the difference.
#'   Nothing has to be known better than the paper knows it by its own standard error.
#' @param has_zero Whether the quantity has a zero, at which the printed number would be nothing: no
#'   error, no difference. A logarithm has none.
claim_value <- function(printed, half = half_a_unit(printed), se = 0, runs = NULL,
                        better = "neither", peer = NULL,
                        resolution = abs(as.numeric(printed)) / 10, has_zero = TRUE) {
  stopifnot(is.character(printed), better %in% c("neither", "smaller", "larger"))
  list(
    kind = "value", value = as.numeric(printed), half = half, se = se, runs = runs,
    better = better, peer = peer, resolution = max(resolution, half, stats::qnorm(0.975) * se),
    has_zero = has_zero
  )
}

#' The paper says that a is below b; `found` are the differences a - b
#'
#' @param margin By how much, if the paper says so.
#' @param half,se,runs How well the margin is known, as for `claim_value()`.
claim_below <- function(margin = Inf, half = 0, se = 0, runs = NULL) {
  list(kind = "below", margin = margin, half = half, se = se, runs = runs)
}

#' The paper says that a and b hardly differ; `found` are the differences a - b
#'
#' @param limit The largest difference that the paper itself calls similar, or a tenth of b where
#'   the paper gives no number.
claim_near <- function(limit) list(kind = "near", limit = limit)

claim_without_number <- function() list(kind = "none")

claim_by_construction <- function() list(kind = "certain")

#' Mean, standard deviation over runs and their number, as `found`
summary_of_runs <- function(mean, sd, runs) {
  structure(
    list(mean = mean, se = if (runs > 1) sd / sqrt(runs) else Inf, df = runs - 1, runs = runs),
    class = "summary_of_runs"
  )
}

#' The mean over the members of a whole population, such as the seven sets of a table, as `found`
#'
#' @param parts The runs of each member. The standard error is that of the mean over runs of these
#'   members (degrees of freedom after Welch), because no other members could have been drawn.
mean_over <- function(parts) {
  square <- vapply(parts, function(runs) stats::var(runs) / length(runs), 0)
  df <- sum(square)^2 / sum(square^2 / (lengths(parts) - 1))
  structure(
    list(
      mean = mean(vapply(parts, mean, 0)), se = sqrt(sum(square)) / length(parts), df = df,
      runs = length(parts)
    ),
    class = "summary_of_runs"
  )
}

#' The paper prints a standard deviation over so many runs; `found` is `spread_of()` the runs here
#'
#' Logarithms of standard deviations are compared. To a factor of two is as well as the standard
#' deviation of ten runs is known.
claim_spread <- function(printed, runs) {
  claim_value(format(log(as.numeric(printed))), half_a_unit(printed) / as.numeric(printed),
    se = 1 / sqrt(2 * (runs - 1)), resolution = log(2), has_zero = FALSE
  )
}
spread_of <- function(found, sd = stats::sd(found), runs = length(found)) {
  structure(
    list(mean = log(sd), se = 1 / sqrt(2 * (runs - 1)), df = runs - 1, runs = runs),
    class = "summary_of_runs"
  )
}

#' Mean, standard error, number and interval of runs
interval_of <- function(found, exact = FALSE) {
  if (!inherits(found, "summary_of_runs")) {
    found <- summary_of_runs(mean(found), stats::sd(found), length(found))
  }
  if (exact) {
    stopifnot(found$runs == 1)
    found$se <- 0
  }
  se <- found$se
  half <- if (is.finite(se) && se > 0) stats::qt(0.975, found$df) * se else se
  list(
    mean = found$mean, se = se, runs = found$runs, half = half,
    low = found$mean - half, high = found$mean + half
  )
}

#' The standard error of the paper's number
se_of_paper <- function(claim, here) {
  if (is.null(claim$runs)) claim$se else here$se * sqrt(here$runs / claim$runs)
}

#' How far two means may be apart when both have a standard error: the half widths of both intervals
#' as independent errors, and what rounding adds
#'
#' @param half The half width here; that of the paper alone is reached with 0.
reach <- function(claim, here, half = here$half) {
  sqrt(half^2 + (stats::qnorm(0.975) * se_of_paper(claim, here))^2) + claim$half
}

#' Would a zero agree with a number other than zero?
zero_agrees <- function(claim, ...) {
  claim$has_zero && claim$value != 0 && abs(claim$value) <= reach(claim, ...)
}

judge_value <- function(claim, here, found) {
  apart <- here$mean - claim$value
  if (abs(apart) > reach(claim, here)) {
    good <- switch(claim$better, smaller = apart < 0, larger = apart > 0, FALSE)
    if (!good) return("not reproduced")
    return(if (is.null(claim$peer)) "better" else judge_beside_peer(claim, found))
  }
  # The paper's own interval holds zero, so that no number of runs here could tell.
  if (zero_agrees(claim, here, half = 0)) return("cannot be told")
  if (here$half > claim$resolution) return("undecided")
  if (zero_agrees(claim, here)) "cannot be told" else "reproduced"
}

#' "better", unless the peer on the same rows is on the better side too: then the difference from
#' the peer is judged in place of the number
judge_beside_peer <- function(claim, found) {
  peer <- claim$peer
  if (!on_better_side(peer, claim$better)) return("better")
  apart <- claim$value - as.numeric(peer$printed)
  half <- claim$half + half_a_unit(peer$printed)
  difference <- claim_value(format(apart), half,
    runs = claim$runs, resolution = max(abs(apart), half)
  )
  verdict(difference, found - peer$found)
}

#' Is the mean of what was found on the better side of the printed number, beyond rounding?
on_better_side <- function(peer, better) {
  ahead <- mean(peer$found) - as.numeric(peer$printed)
  if (better == "smaller") ahead <- -ahead
  ahead > half_a_unit(peer$printed)
}

judge_below <- function(claim, here, found) {
  if (here$high < 0) return("reproduced")
  if (here$low > 0) return("not reproduced")
  # The difference that the paper has is ruled out.
  if (is.finite(claim$margin) && here$mean + claim$margin > reach(claim, here)) {
    return("not reproduced")
  }
  if (here$half == 0) "not reproduced" else "undecided"
}

judge_near <- function(claim, here, found) {
  if (here$low >= -claim$limit && here$high <= claim$limit) return("reproduced")
  if (here$low > claim$limit || here$high < -claim$limit) "not reproduced" else "undecided"
}

#' The verdict on a claim
verdict <- function(claim, found, exact = FALSE) {
  if (claim$kind == "none") return("not comparable")
  if (claim$kind == "certain") return("cannot be told")
  here <- interval_of(found, exact)
  stopifnot(is.finite(here$mean))
  if (!is.finite(here$se)) return("undecided")
  judge <- switch(claim$kind, value = judge_value, below = judge_below, near = judge_near)
  judge(claim, here, found)
}

#' The verdict on claims that the paper makes together, such as an error and the number of
#' functions: the worst of those that could have failed
together <- function(...) {
  given <- c(...)
  stopifnot(given %in% verdicts)
  order <- c(
    "not reproduced", "undecided", "reproduced", "better", "cannot be told", "not comparable"
  )
  intersect(order, given)[1L]
}
