# The quantile of a numeric response at a given probability.

#' Quantile regression
#'
#' The latent function is the quantile of a numeric response at probability `tau`: a share `tau` of
#' the responses lies below it. Responses have the asymmetric Laplace distribution,
#' \deqn{p(y \mid f) = \frac{\tau (1 - \tau)}{\mathrm{scale}}
#'   \exp\Big(-\frac{\rho(y - f)}{\mathrm{scale}}\Big), \quad
#'   \rho(r) = r\,(\tau - [r < 0])}{
#'   p(y | f) = tau (1 - tau) / scale exp(-rho(y - f) / scale), rho(r) = r (tau - [r < 0])}
#' whose logarithm is the loss of quantile regression.
#'
#' `predict()` gives the quantile and `interval = "confidence"` how sure it is. Where only one
#' quantile is wanted, this needs no assumption about the others; all quantiles of a likelihood for
#' the whole distribution come from one fit by `predict(type = "quantile")`. What is said of new
#' responses, such as prediction intervals and densities, is that of the asymmetric Laplace
#' distribution, which is seldom that of data: residuals and coverage tell. Quantiles that are
#' fitted one by one may cross.
#'
#' The likelihood is log-concave. It has no curvature, which `greedy_gp()` needs. Integrals over the
#' latent function have a closed form.
#'
#' @param tau Probability: one number between 0 and 1. A constant, not learned.
#' @param scale Scale of the noise: one positive number, learned unless it is [fixed()]. `NULL`
#'   starts from a tenth of the standard deviation of the response.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @section Errors: `tau` that is not between 0 and 1 is an error of class
#'   `gpsieve_error_argument`; [greedy_gp()] refuses the likelihood with
#'   `gpsieve_error_unsupported`.
#' @seealso [lik_gaussian()] with `noise = ` for noise that depends on the inputs.
#' @references
#' Koenker, R. and Bassett, G. (1978). Regression quantiles. *Econometrica* 46, 33-50.
#'
#' Yu, K. and Moyeed, R. A. (2001). Bayesian quantile regression. *Statistics and Probability
#' Letters* 54, 437-447.
#' @examples
#' fit <- meanfield_gp(dist ~ speed, cars, likelihood = lik_quantile(0.9), seed = 1)
#' mean(cars$dist < predict(fit, cars))
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "confidence")
#' @export
lik_quantile <- function(tau = 0.5, scale = NULL, ...) {
  check_dots(...)
  if (is_fixed(tau)) tau <- tau$value
  tau <- check_number(tau, "tau", above = 0, below = 1)
  new_likelihood("quantile", tau = tau, scale = scale, open = "scale")
}

quantile_family <- list(
  response = "real", hyper = "scale", link = "identity", exact = "tau", curved = FALSE,
  exported = "none",
  level = function(values) values$tau,
  start = function(y, levels) list(scale = 0.1 * first_positive(stats::sd(y), 1)),
  draw = function(likelihood, f, unit, trials) {
    values <- likelihood$values
    n <- length(f)
    f + unit * values$scale *
      (stats::rexp(n) / values$tau - stats::rexp(n) / (1 - values$tau))
  },
  deviance = function(likelihood, y, mean, latent) {
    values <- likelihood$values
    below <- y < mean
    signed_root(y - mean, 2 * (y - mean) * (values$tau - below) / values$scale)
  },
  words = function(likelihood, unit) {
    values <- likelihood$values
    paste0("asymmetric Laplace, scale ", plain_number(values$scale * unit),
      "; the function is the ", number_text(values$tau), " quantile")
  }
)
