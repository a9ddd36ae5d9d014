#' Poisson likelihood
#'
#' Counts whose logarithmic rate is the latent function:
#' \deqn{P(y \mid f) = \frac{e^{y f} \exp(-e^f)}{y!}, \quad y = 0, 1, 2, \ldots}{
#'   P(y | f) = exp(y f - exp(f)) / y!, y = 0, 1, 2, ...}
#'
#' Integrals over the latent function are computed by quadrature. The prior mean of the latent
#' function is the logarithm of the mean count (with 1/2 added to the sum of the counts, so that it
#' is finite if all counts are zero). With `standardise = FALSE` it is 0, which is a rate of 1. The
#' argument `prior_mean` of the model sets another value.
#'
#' With a zero inflation \eqn{\pi}{z} a count is zero with this probability whatever the latent
#' function says, \eqn{\pi [y = 0] + (1 - \pi) P(y \mid f)}{z [y = 0] + (1 - z) P(y | f)}. Such a
#' likelihood is not log-concave: [ivm()], [ep_gp()], [greedy_gp()] and [online_gp()] take it, and
#' [meanfield_gp()] refuses it.
#'
#' @param zero_inflation Probability of an additional zero: `NULL` for none, `TRUE` to learn it from
#'   a start that the share of zeros suggests, a number between 0 and 1 to learn it from there, or
#'   [fixed()].
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_negative_binomial()] for counts that vary more, [lik_binomial()] for counts among
#'   trials.
#' @references
#' Diggle, P. J., Tawn, J. A. and Moyeed, R. A. (1998). Model-based geostatistics. *Applied
#' Statistics* 47, 299-350.
#'
#' Lambert, D. (1992). Zero-inflated Poisson regression, with an application to defects in
#' manufacturing. *Technometrics* 34, 1-14.
#' @examples
#' lik_poisson()
#' lik_poisson(zero_inflation = TRUE)
#' fit <- ivm(count ~ spray, InsectSprays, likelihood = lik_poisson(), seed = 1)
#' predict(fit, data.frame(spray = c("A", "C")), interval = "prediction")
#' @export
lik_poisson <- function(zero_inflation = NULL, ...) {
  check_dots(...)
  new_counts("poisson", zero_inflation)
}

#' Negative binomial likelihood
#'
#' Counts that vary more than Poisson counts do: their mean is \eqn{m = e^f}{m = exp(f)} and their
#' variance \eqn{m + m^2 / \mathrm{size}}{m + m^2 / size},
#' \deqn{P(y \mid f) = \frac{\Gamma(y + \mathrm{size})}{\Gamma(\mathrm{size})\, y!}
#'   \Big(\frac{\mathrm{size}}{\mathrm{size} + m}\Big)^{\mathrm{size}}
#'   \Big(\frac{m}{\mathrm{size} + m}\Big)^{y}}{
#'   P(y | f) = Gamma(y + size) / (Gamma(size) y!) (size / (size + m))^size (m / (size + m))^y}
#'
#' With a large `size` they are Poisson counts. The prior mean of the latent function and the zero
#' inflation are as for [lik_poisson()].
#'
#' @param size Size of the distribution, as in [stats::dnbinom()]: one positive number, learned
#'   unless it is [fixed()]. `NULL` starts from 2.
#' @inheritParams lik_poisson
#' @inherit lik_gaussian return
#' @seealso [lik_poisson()]; `MASS::glm.nb()` calls the size theta.
#' @references
#' Lawless, J. F. (1987). Negative binomial and mixed Poisson regression. *Canadian Journal of
#' Statistics* 15, 209-225.
#' @examples
#' lik_negative_binomial()
#' fit <- ivm(breaks ~ wool + tension, warpbreaks, likelihood = lik_negative_binomial(), seed = 1)
#' likelihood_of(fit)
#' @export
lik_negative_binomial <- function(size = NULL, zero_inflation = NULL, ...) {
  check_dots(...)
  new_counts("negative_binomial", zero_inflation, size = size, open = "size")
}

#' Binomial likelihood
#'
#' Successes among a known number of trials in each row, with log-odds \eqn{f}:
#' \deqn{P(y \mid f) = {n \choose y} p^y (1 - p)^{n - y}, \quad p = \frac{1}{1 + e^{-f}}}{
#'   P(y | f) = choose(n, y) p^y (1 - p)^(n - y), p = 1 / (1 + exp(-f))}
#'
#' The response has two numbers in each row, as in [stats::glm()]: `cbind(successes, failures)` in a
#' formula, or such a matrix as `y`. A model must be told of the likelihood; [gpsieve()] takes
#' it by itself. A row has at least one trial.
#' `predict()` gives the probability of a success, and its confidence intervals; quantiles,
#' prediction intervals, `simulate()` and residuals are about the number of successes among the
#' trials of the row (residuals of type `"response"` about their share), for which `newdata` must
#' have the columns of the response. The prior mean of
#' the latent function is the log-odds of all trials together, with half a success and half a
#' failure added; with `standardise = FALSE` it is 0.
#'
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_logit()] and [lik_probit()] for single trials, whose response is a class.
#' @references
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, chapter 4. Chapman and Hall.
#' @examples
#' cancer <- transform(esoph, controls = ncontrols)
#' fit <- ivm(cbind(ncases, controls) ~ agegp + alcgp + tobgp, cancer,
#'   likelihood = lik_binomial(), seed = 1)
#' predict(fit, cancer[c(1, 40, 80), ], interval = "confidence")
#' @export
lik_binomial <- function(...) {
  check_dots(...)
  new_likelihood("binomial")
}

# A likelihood of counts with its zero inflation
new_counts <- function(type, zero_inflation, ..., open = character()) {
  given <- list(...)
  share <- if (is_fixed(zero_inflation)) zero_inflation$value else zero_inflation
  if (isTRUE(share)) {
    given["zero_inflation"] <- list(if (is_fixed(zero_inflation)) fixed(NULL))
    open <- c(open, "zero_inflation")
  } else if (!is.null(share) && !isFALSE(share)) {
    given$zero_inflation <- zero_inflation
  }
  check <- function(value, name) {
    if (name != "zero_inflation") return(single_positive(value, name))
    check_number(value, name, above = 0, below = 1)
  }
  do.call(new_likelihood,
    c(list(type), given, list(open = open, check_value = check)), quote = TRUE)
}

# The start of a zero inflation: half of the share of zeros
first_inflation <- function(y) min(0.5, max(0.02, mean(y == 0) / 2))

# The logarithm of the mean count.
# Half a count is added to the sum, so that counts that are all zero have a finite logarithm. With
# an offset it is the logarithm of the count per unit of exposure, exp(offset).
log_mean_count <- function(y, weights, offset) {
  log((sum(weights * y) + 0.5) / sum(weights * exp(offset)))
}

# Counts of which `drawn` are without additional zeros
with_zeros <- function(likelihood, drawn) {
  share <- likelihood$values$zero_inflation
  as.double(if (is.null(share)) drawn else drawn * (stats::runif(length(drawn)) > share))
}

# The mean exp(f), factor m of it, and the variance per_mean m + spread m^2
moments_through_log <- function(factor, per_mean, spread, values = list()) {
  zero <- if (is.null(values$zero_inflation)) 0 else values$zero_inflation
  list(factor = factor, per_mean = per_mean, spread = spread, zero = zero)
}

# The deviance of counts by a closed form, with additional zeros by search
deviance_of_counts <- function(likelihood, y, mean, twice) {
  if (is.null(likelihood$values$zero_inflation)) return(signed_root(y - mean, twice(y, mean)))
  f <- log(mean / (1 - likelihood$values$zero_inflation))
  deviance_by_density(likelihood, y, mean, f, log(pmax(y, 1e-8)))
}

is_not_inflated <- function(values) !"zero_inflation" %in% names(values)

poisson_family <- list(
  response = "count", hyper = "zero_inflation", link = "log", row_seconds = 1e-4,
  concave = is_not_inflated,
  start = function(y, levels) list(zero_inflation = first_inflation(y)),
  prior_mean = log_mean_count,
  draw = function(likelihood, f, unit, trials) {
    with_zeros(likelihood, stats::rpois(length(f), exp(f)))
  },
  deviance = function(likelihood, y, mean, latent) {
    deviance_of_counts(likelihood, y, mean, function(y, mean) {
      2 * (ifelse(y > 0, y * log(y / mean), 0) - (y - mean))
    })
  },
  words = function(likelihood, unit) paste0("Poisson", zeros_words(likelihood)),
  constant = function(y, mean, variance, known) stats::dpois(y, mean, log = TRUE),
  exported = function(values) moments_through_log(1, 1, 0, values)
)

negative_binomial_family <- list(
  response = "count", hyper = c("size", "zero_inflation"), link = "log", row_seconds = 2e-4,
  concave = is_not_inflated,
  start = function(y, levels) list(size = 2, zero_inflation = first_inflation(y)),
  prior_mean = log_mean_count,
  draw = function(likelihood, f, unit, trials) {
    with_zeros(likelihood, stats::rnbinom(length(f), size = likelihood$values$size, mu = exp(f)))
  },
  deviance = function(likelihood, y, mean, latent) {
    size <- likelihood$values$size
    deviance_of_counts(likelihood, y, mean, function(y, mean) {
      2 * (ifelse(y > 0, y * log(y / mean), 0) - (y + size) * log((y + size) / (mean + size)))
    })
  },
  words = function(likelihood, unit) {
    paste0("negative binomial, of variance mean + mean^2 / ",
      plain_number(likelihood$values$size), zeros_words(likelihood))
  },
  constant = function(y, mean, variance, known) {
    stats::dnbinom(y, mu = mean, size = mean^2 / max(variance - mean, 1e-3 * mean), log = TRUE)
  },
  exported = function(values) moments_through_log(1, 1, 1 / values$size, values)
)

# Its deviances and residuals need the trials of each row: likelihood-trials.R has them.
binomial_family <- list(
  response = "trials", hyper = character(), link = "logit", exported = "none",
  row_seconds = 1.2e-4,
  prior_mean = function(y, weights, offset) {
    share <- (sum(weights * successes_of(y)) + 0.5) / (sum(weights * trials_of(y)) + 1)
    log_odds_without(share, weights, offset)
  },
  draw = function(likelihood, f, unit, trials) {
    as.double(stats::rbinom(length(f), trials, stats::plogis(f)))
  },
  words = function(likelihood, unit) "binomial"
)

# The share of zeros that are no counts, where there is one
zeros_words <- function(likelihood) {
  inflation <- likelihood$values$zero_inflation
  if (!is.null(inflation)) paste0(", and ", percent(inflation), " of the rows always zero")
}

# Log-odds of a share less the mean offset
log_odds_without <- function(share, weights, offset) {
  stats::qlogis(share) - stats::weighted.mean(rep_len(offset, length(weights)), weights)
}
