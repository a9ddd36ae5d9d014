#' @include likelihood-gaussian.R likelihood-bounded.R
NULL

#' Censored numbers
#'
#' Gaussian or log-normal noise where some responses are known to lie in an interval only: above a
#' number (right-censored, as a patient who left the study), below one (left-censored, as a
#' concentration below the limit of detection), or between two. A row whose response lies between
#' \eqn{l} and \eqn{u} has the likelihood
#' \deqn{P(l < y < u \mid f) = \Phi\Big(\frac{u - f}{\sqrt{\mathrm{variance}}}\Big) -
#'   \Phi\Big(\frac{l - f}{\sqrt{\mathrm{variance}}}\Big)}{
#'   P(l < y < u | f) = Phi((u - f) / sqrt(variance)) - Phi((l - f) / sqrt(variance))}
#' where for log-normal noise \eqn{l} and \eqn{u} are replaced by their logarithms; a known response
#' has the density of [lik_gaussian()] or [lik_lognormal()]. Integrals over the latent function have
#' a closed form.
#'
#' The response is a `Surv()` of package survival, of type right, left, interval or interval2, in a
#' formula or as `y`. Without a `likelihood` it uses `lik_censored("lognormal")`, an accelerated
#' failure time model. Predictions are about the response itself, not about when it is censored:
#' `type = "quantile"` with `probs = 0.5` is the median, and `predict(type = "survival", times = )`
#' has the probability to exceed each of the times. Residuals of type `"response"` and `"pearson"`
#' are `NA` in censored rows; quantile residuals are drawn within the interval.
#'
#' @param distribution `"lognormal"` for positive numbers such as times, or `"gaussian"`.
#' @param variance Variance of the noise, of the logarithm where it is log-normal: one positive
#'   number, learned unless it is [fixed()]. `NULL` starts from a tenth of the variance of the
#'   response, or of its logarithm. Gaussian responses are standardised as for [lik_gaussian()].
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso `survival::survreg()` for functions that are linear; `survival::concordance()` compares
#'   predictions with censored times.
#' @references
#' Kalbfleisch, J. D. and Prentice, R. L. (2002). *The Statistical Analysis of Failure Time Data*.
#' Wiley.
#' @examplesIf requireNamespace("survival", quietly = TRUE)
#' library(survival)
#' fit <- ivm(Surv(futime, fustat) ~ age + ecog.ps, ovarian, seed = 1)
#' predict(fit, ovarian[1:3, ], type = "quantile", probs = 0.5)
#' predict(fit, ovarian[1:3, ], type = "survival", times = c(100, 365, 730))
#' @export
lik_censored <- function(distribution = c("lognormal", "gaussian"), variance = NULL, ...) {
  check_dots(...)
  distribution <- check_choice(distribution)
  new_likelihood(paste0("censored_", distribution), variance = variance, open = "variance")
}

# The probability that the response exceeds each of the times, n x length(times)
predicted_survival <- function(fit, latent, times) {
  at <- (times - latent_center(fit)) / latent_scale(fit)
  spec <- likelihood_spec(fit$likelihood)
  n <- nrow(latent$mean)
  out <- vapply(at, function(t) {
    1 - call_core(core_cdf, spec, rep(t, n), latent$mean[, 1L], latent$variance[, 1L])
  }, numeric(n))
  matrix(out, n, dimnames = list(NULL, code_text(times)))
}

check_times <- function(times) {
  if (!is.numeric(times) || !length(times) || !all(is.finite(times))) {
    found <- describe(times)
    abort_gpsieve("{.arg times} must be finite numbers, in the unit of the response.",
      "Found {found}.")
  }
  as.double(times)
}

censored_arguments <- function(distribution) {
  function(likelihood) c(likelihood$values, list(distribution = distribution))
}

censored_gaussian_family <- list(
  response = "real", hyper = "variance", link = "identity", intervals = TRUE, exported = "none",
  maker = "lik_censored", arguments = censored_arguments("gaussian"),
  text = function(likelihood, values) c("\"gaussian\"", values),
  without_offset = "Subtract it from the numbers and their bounds.",
  start = gaussian_family$start, draw = gaussian_family$draw, noise_sd = gaussian_family$noise_sd,
  deviance = function(likelihood, y, mean, latent) {
    censored_deviance(likelihood, y, latent$mean[, 1L], identity)
  },
  words = gaussian_family$words
)

censored_lognormal_family <- list(
  response = "positive", hyper = "variance", link = "log", intervals = TRUE, exported = "none",
  maker = "lik_censored", arguments = censored_arguments("lognormal"),
  text = function(likelihood, values) c("\"lognormal\"", values),
  start = lognormal_family$start, draw = lognormal_family$draw,
  prior_mean = lognormal_family$prior_mean,
  deviance = function(likelihood, y, mean, latent) {
    censored_deviance(likelihood, y, latent$mean[, 1L], log)
  },
  words = function(likelihood, unit) lognormal_words(likelihood)
)

# A known number has the deviance of Gaussian noise, an interval minus twice its log probability
censored_deviance <- function(likelihood, y, f, line) {
  log_p <- log_density(likelihood, y, f, 0 * f)
  lower <- line(y[, 1L])
  middle <- middle_of(lower, line(y[, 2L]))
  ifelse(is_interval(y, likelihood), signed_root(middle - f, -2 * log_p),
    (lower - f) / sqrt(likelihood$values$variance))
}
