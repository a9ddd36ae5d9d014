# When gpsieve() tries a likelihood that allows for outliers or wrong labels: if the predictions of
# the usual likelihood for held-out rows give a sign of outliers or wrong labels.

#' Robust likelihoods are not log-concave: the factor that all rows of a source share in stochastic
#' EP can become improper with them
#' @noRd
compares_likelihoods <- function(task) {
  is.null(task$likelihood) && task$kind != "multiclass" && is.null(task$molded$rows)
}

#' The entry with the robust likelihood and the best kernel alone, if it is clearly better than the
#' best entry; NULL if it is not, or is not tried
#'
#' The evidence of a robust likelihood has several maxima. Learning from all rows begins where the
#' last fold ended: anew, it could end at another one than those that were judged.
#' @noRd
choose_robust <- function(best, alone, task, molded, compare) {
  if (!compares_likelihoods(task) || !suspects_outliers(best, task)) return(NULL)
  robust <- with_robust_likelihood(alone, best$candidate$arguments$standardise, task)
  chosen <- compare("likelihood", list(best, robust), molded)[[1L]]
  if (!identical(chosen$candidate, best$candidate)) where_it_learned(chosen)
}

#' Is it worth learning with the robust likelihood?
#'
#' TRUE if a distribution with heavy tails describes the held-out residuals of the usual likelihood
#' better than a normal one, or if held-out log probabilities of true classes increase when each
#' probability is mixed with that of the other class. Neither takes a fit.
#' @noRd
suspects_outliers <- function(entry, task) {
  surprise <- entry$judgement$found[, 3L]
  surprise <- surprise[!is.na(surprise)]
  # All fits may have broken down.
  if (!length(surprise)) return(FALSE)
  gain <- if (task$kind == "number") heavy_tails_gain(surprise) else mixing_gain(surprise)
  isTRUE(mean(gain) > error_of_mean(gain))
}

#' The entry with what folds find out about it, if no stage has judged it yet
#' @noRd
with_judgement <- function(entry, task, molded, report) {
  if (is.null(entry$judgement)) {
    entry$judgement <- race_candidates(list(entry), task, molded, report)$judgements[[1L]]
  }
  entry
}

# Degrees of freedom of Student's t, and shares of wrong labels, that are tried.
tried_df <- c(2, 4, 8)
tried_shares <- c(0.01, 0.02, 0.05, 0.1)

#' Log density of every standardised residual under the best Student t minus that under the best
#' normal distribution with mean 0
#' @noRd
heavy_tails_gain <- function(residual) {
  residual <- residual[is.finite(residual)]
  if (!any(residual != 0)) return(0)
  normal <- stats::dnorm(residual, sd = sqrt(mean(residual^2)), log = TRUE)
  student <- lapply(tried_df, function(df) {
    density <- function(log_scale) {
      stats::dt(residual / exp(log_scale), df, log = TRUE) - log_scale
    }
    middle <- log(stats::median(abs(residual)) + 1e-3 * max(abs(residual)))
    best <- stats::optimise(function(at) sum(density(at)), middle + c(-3, 3), maximum = TRUE)
    density(best$maximum)
  })
  student[[which.max(vapply(student, mean, 0))]] - normal
}

#' Log probability of every true class after mixing with the other class, in the share that suits
#' these rows best, minus that before
#' @noRd
mixing_gain <- function(log_p) {
  p <- exp(log_p)
  mixed <- lapply(tried_shares, function(share) log((1 - share) * p + share * (1 - p)))
  mixed[[which.max(vapply(mixed, mean, 0))]] - log_p
}

#' The entry with the robust likelihood, which learns anew: what the usual likelihood learned from
#' all folds would be a start that knows the rows held out
#' @noRd
with_robust_likelihood <- function(entry, standardise, task) {
  robust <- comparing_candidate(task, entry$candidate$arguments$kernel, robust_likelihood(task))
  robust$arguments$standardise <- standardise
  new_entry(robust)
}
