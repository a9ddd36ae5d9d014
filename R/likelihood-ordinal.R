#' Ordinal likelihood
#'
#' Classes with an order, such as grades. A class says between which two cut points the latent
#' function plus standard normal noise lies (ordered probit):
#' \deqn{P(y = k \mid f) = \Phi(c_k - f) - \Phi(c_{k-1} - f),
#'   \quad -\infty = c_0 < c_1 < \ldots < c_K = \infty}{
#'   P(y = k | f) = Phi(c_k - f) - Phi(c_(k-1) - f), -Inf = c_0 < c_1 < ... < c_K = Inf}
#'
#' The cut points are learned: the first one, and the logarithms of the distances between
#' neighbours, so that they keep their order. The variance of the noise is 1, which sets the unit of
#' the latent function. Integrals over the latent function have a closed form.
#'
#' An ordered factor of which three levels or more have rows uses this likelihood by default as the
#' response, in all models but [rvm()], which refuses it, and in [gpsieve()]. The order of two
#' levels says no more than two classes do: they use [lik_probit()]. `predict()` gives the most
#' probable level, as an ordered factor, and `type = "prob"` the probability of each.
#'
#' @param cuts The K - 1 cut points of the K levels that have rows, in ascending order, or
#'   [fixed()]. `NULL` starts from those at which the shares of the levels are those of the
#'   response.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_probit()] for two classes, and several without an order.
#' @references
#' Chu, W. and Ghahramani, Z. (2005). Gaussian processes for ordinal regression. *Journal of Machine
#' Learning Research* 6, 1019-1041.
#' @examples
#' air <- na.omit(airquality)
#' air$level <- cut(air$Ozone, c(0, 30, 60, 200), c("low", "medium", "high"), ordered_result = TRUE)
#' fit <- ivm(level ~ Wind + Temp + Solar.R, air, seed = 1)
#' likelihood_of(fit)
#' predict(fit, air[1:3, ], type = "prob")
#' @export
lik_ordinal <- function(cuts = NULL, ...) {
  check_dots(...)
  check <- function(value, name) {
    good <- is.numeric(value) && !is.object(value) && length(value) && all(is.finite(value)) &&
      all(diff(value) > 0)
    if (good) return(as.double(value))
    found <- if (is.numeric(value) && length(value)) toString(format(value)) else describe(value)
    abort_gpsieve("{.arg cuts} must be finite numbers in ascending order.", "Found {found}.")
  }
  new_likelihood("ordinal", cuts = cuts, open = "cuts", check_value = check)
}

ordinal_family <- list(
  response = "ordinal", hyper = "cuts", link = "probit",
  start = function(y, levels) list(cuts = first_cuts(y, levels)),
  exported = function(values) list(cuts = I(values$cuts))
)

# Cut points at which the shares of the levels are those among the codes 0, 1, ..., where the
# latent function has the variance 1
first_cuts <- function(y, levels) {
  counts <- tabulate(y + 1, levels) + 0.5
  sqrt(2) * stats::qnorm(cumsum(counts)[-levels] / sum(counts))
}

# Stops unless there is one cut point between any two neighbours among the levels
check_cuts <- function(likelihood, response) {
  wanted <- length(response$present) - 1L
  found <- length(likelihood$values$cuts)
  if (response$kind != "ordinal" || found %in% c(0L, wanted)) return(invisible())
  abort_gpsieve(
    "{.arg cuts} must lie between neighbouring levels: {wanted} for {wanted + 1} levels.",
    "Found {found}.", class = "data")
}

# The log probability of every level, n x K
log_level_probabilities <- function(spec, response, latent) {
  n <- nrow(latent$mean)
  levels <- seq_along(response$present) - 1
  matrix(vapply(levels, function(level) {
    call_core(core_log_density, spec, matrix(level, n), latent$mean[, 1L], latent$variance[, 1L])
  }, numeric(n)), n)
}
