# Likelihoods of numbers that are positive or lie between 0 and 1.

#' Gamma likelihood
#'
#' Positive numbers whose mean is \eqn{m = e^f}{m = exp(f)} and whose standard deviation is
#' proportional to the mean:
#' \deqn{p(y \mid f) = \frac{1}{\Gamma(\mathrm{shape})\, y}
#'   \Big(\frac{\mathrm{shape}\, y}{m}\Big)^{\mathrm{shape}}
#'   \exp\Big(-\frac{\mathrm{shape}\, y}{m}\Big)}{
#'   p(y | f) = (shape y / m)^shape exp(-shape y / m) / (Gamma(shape) y)}
#'
#' The response is not standardised. The prior mean of the latent function is the logarithm of the
#' mean response, with `standardise = FALSE` 0. Integrals over the latent function are computed by
#' quadrature.
#'
#' @param shape Shape of the distribution: one positive number, learned unless it is [fixed()]; the
#'   coefficient of variation is \eqn{\mathrm{shape}^{-1/2}}{1 / sqrt(shape)}. `NULL` starts from 2.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_lognormal()], which has heavier tails; [lik_censored()] for times.
#' @references
#' McCullagh, P. and Nelder, J. A. (1989). *Generalized Linear Models*, chapter 8. Chapman and Hall.
#' @examples
#' fit <- ivm(Volume ~ Girth + Height, trees, likelihood = lik_gamma(), seed = 1)
#' predict(fit, trees[c(1, 15, 31), ], interval = "prediction")
#' @export
lik_gamma <- function(shape = NULL, ...) {
  check_dots(...)
  new_likelihood("gamma", shape = shape, open = "shape")
}

#' Log-normal likelihood
#'
#' Positive numbers whose logarithm is observed with Gaussian noise:
#' \deqn{p(y \mid f) = \frac{1}{y}\, \mathcal{N}(\log y \mid f, \mathrm{variance})}{
#'   p(y | f) = N(log y | f, variance) / y}
#'
#' The latent function is that of the same model of `log(y)`; predictions, densities and evidence
#' are those of the response itself, so that [compare()] can set the fit beside others. The response
#' is not standardised; the prior mean of the latent function is the mean of the logarithms, with
#' `standardise = FALSE` 0. All integrals have a closed form, and inference is exact wherever it is
#' with [lik_gaussian()].
#'
#' @param variance Variance of the noise of the logarithm: one positive number, learned unless it is
#'   [fixed()]. `NULL` starts from a tenth of the variance of `log(y)`.
#' @inheritParams lik_gamma
#' @inherit lik_gaussian return
#' @seealso [lik_gamma()]; [lik_censored()] where some numbers are known to lie in an interval only.
#' @references
#' Johnson, N. L., Kotz, S. and Balakrishnan, N. (1994). *Continuous Univariate Distributions*,
#' volume 1, chapter 14. Wiley.
#' @examples
#' fit <- ivm(Volume ~ Girth + Height, trees, likelihood = lik_lognormal(), seed = 1)
#' predict(fit, trees[c(1, 15, 31), ], type = "quantile", probs = c(0.1, 0.5, 0.9))
#' @export
lik_lognormal <- function(variance = NULL, ...) {
  check_dots(...)
  new_likelihood("lognormal", variance = variance, open = "variance")
}

#' Beta likelihood
#'
#' Numbers between 0 and 1, such as shares and rates, whose mean is
#' \eqn{m = 1 / (1 + e^{-f})}{m = 1 / (1 + exp(-f))}:
#' \deqn{p(y \mid f) = \frac{\Gamma(\mathrm{precision})}{
#'   \Gamma(m\,\mathrm{precision})\,\Gamma((1 - m)\,\mathrm{precision})}
#'   y^{m\,\mathrm{precision} - 1} (1 - y)^{(1 - m)\,\mathrm{precision} - 1}}{
#'   p(y | f) = y^(m precision - 1) (1 - y)^((1 - m) precision - 1) /
#'   B(m precision, (1 - m) precision)}
#' of variance \eqn{m (1 - m) / (1 + \mathrm{precision})}{m (1 - m) / (1 + precision)}.
#'
#' The prior mean of the latent function is the log-odds of the mean response, with
#' `standardise = FALSE` 0. Integrals over the latent function are computed by quadrature. The
#' likelihood is not log-concave: [ivm()], [ep_gp()], [greedy_gp()] and [online_gp()] take it, and
#' [meanfield_gp()] refuses it. Responses that are 0 or 1 have no density and are refused.
#'
#' @param precision Precision of the distribution: one positive number, learned unless it is
#'   [fixed()]. `NULL` starts from 10.
#' @inheritParams lik_gamma
#' @inherit lik_gaussian return
#' @seealso [lik_binomial()] for successes among trials.
#' @references
#' Ferrari, S. and Cribari-Neto, F. (2004). Beta regression for modelling rates and proportions.
#' *Journal of Applied Statistics* 31, 799-815.
#' @examples
#' rooms <- transform(attitude / 100)
#' fit <- ivm(rating ~ complaints + learning, rooms, likelihood = lik_beta(), seed = 1)
#' predict(fit, rooms[1:3, ], interval = "prediction")
#' @export
lik_beta <- function(precision = NULL, ...) {
  check_dots(...)
  new_likelihood("beta", precision = precision, open = "precision")
}

gamma_family <- list(
  response = "positive", hyper = "shape", link = "log", row_seconds = 1.5e-4,
  start = function(y, levels) list(shape = 2),
  prior_mean = function(y, weights, offset) log(sum(weights * y) / sum(weights * exp(offset))),
  draw = function(likelihood, f, unit, trials) {
    shape <- likelihood$values$shape
    stats::rgamma(length(f), shape, shape * exp(-f))
  },
  deviance = function(likelihood, y, mean, latent) {
    signed_root(y - mean, 2 * likelihood$values$shape * ((y - mean) / mean - log(y / mean)))
  },
  words = function(likelihood, unit) {
    in_proportion(1 / sqrt(likelihood$values$shape), "gamma")
  },
  exported = function(values) moments_through_log(1, 0, 1 / values$shape)
)

lognormal_family <- list(
  response = "positive", hyper = "variance", link = "log", observed = "exponential",
  to_latent = function(likelihood, y) log(y), to_response = function(likelihood, z) exp(z),
  log_slope = function(likelihood, y) -log(y),
  start = function(y, levels) list(variance = first_variance(log(y))),
  prior_mean = function(y, weights, offset) stats::weighted.mean(log(y) - offset, weights),
  draw = function(likelihood, f, unit, trials) {
    stats::rlnorm(length(f), f, sqrt(likelihood$values$variance))
  },
  # Of the normal distribution of log y.
  deviance = function(likelihood, y, mean, latent) {
    (log(y) - latent$mean[, 1L]) / sqrt(likelihood$values$variance)
  },
  words = function(likelihood, unit) lognormal_words(likelihood),
  constant = function(y, mean, variance, known) {
    stats::dlnorm(y, mean(log(known)), stats::sd(log(known)), log = TRUE)
  },
  exported = function(values) {
    moments_through_log(exp(values$variance / 2), 0, expm1(values$variance))
  }
)

# The noise of responses whose standard deviation is a share of their mean
in_proportion <- function(share, name) {
  paste0(name, ", of standard deviation ", percent(share), " of the mean")
}

# Beyond its mean a standard deviation says little of a distribution that is so skewed.
lognormal_words <- function(likelihood) {
  variance <- likelihood$values$variance
  share <- sqrt(expm1(variance))
  if (share <= 1) return(in_proportion(share, "log-normal"))
  paste("log-normal, two thirds within a factor of", number_text(exp(sqrt(variance)), 2),
    "of the median")
}

beta_family <- list(
  response = "share", hyper = "precision", link = "logit", exported = "none",
  concave = function(values) FALSE,
  start = function(y, levels) list(precision = 10),
  prior_mean = function(y, weights, offset) {
    log_odds_without(stats::weighted.mean(y, weights), weights, offset)
  },
  draw = function(likelihood, f, unit, trials) {
    mean <- stats::plogis(f)
    precision <- likelihood$values$precision
    stats::rbeta(length(f), mean * precision, (1 - mean) * precision)
  },
  deviance = function(likelihood, y, mean, latent) {
    deviance_by_density(likelihood, y, mean, stats::qlogis(mean), stats::qlogis(y))
  },
  words = function(likelihood, unit) {
    paste("beta, of variance mean x (1 - mean) /", plain_number(1 + likelihood$values$precision))
  },
  constant = function(y, mean, variance, known) {
    precision <- mean * (1 - mean) / variance - 1
    stats::dbeta(y, mean * precision, (1 - mean) * precision, log = TRUE)
  }
)
