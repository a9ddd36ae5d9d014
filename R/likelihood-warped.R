#' @include likelihood-gaussian.R
NULL

#' Warped Gaussian likelihood
#'
#' Numbers that have Gaussian noise on another scale than the one in which they were recorded. The
#' scale is learned: the latent function \eqn{f} is that of
#' \deqn{z(y) = \sinh\Big(\mathrm{tail}\,\sinh^{-1}\frac{y - \mathrm{center}}{\mathrm{scale}}
#'   - \mathrm{skew}\Big), \qquad
#'   p(y \mid f) = z'(y)\,\mathcal{N}(z(y) \mid f, \mathrm{variance}).}{
#'   z(y) = sinh(tail asinh((y - center) / scale) - skew),
#'   p(y | f) = z'(y) N(z(y) | f, variance).}
#' A positive `skew` bends the scale as a logarithm does, so that the noise grows with the response;
#' a `tail` below 1 draws distant values in, so that outliers have less influence; `skew = 0` and
#' `tail = 1` are [lik_gaussian()] of the centred and scaled response. This is the sinh-arcsinh
#' transformation of Jones and Pewsey as the warping function of a warped Gaussian process.
#'
#' `skew` and `tail` are learned with the kernel, the evidence being that of the response itself:
#' \eqn{\sum_i \log z'(y_i)}{the sum of log z'(y)} is part of it, so that [evidence()], [compare()],
#' [loo()] and [cv()] can set the fit beside others. `skew` and the logarithm of `tail` have a
#' normal prior with standard deviation 0.7 about the identity. Learning on the active set of
#' [ivm()] with `refine = 0` holds both.
#'
#' The latent function, `type = "link"`, is on the scale of \eqn{z}. The response is not
#' standardised: `center` and `scale` take the place of that. Quantiles of a prediction, and with
#' them intervals, are those of \eqn{z} mapped back. Its mean and variance are integrals, which are
#' finite for any function value, also far from all rows. With `log = TRUE` the logarithm of a
#' positive response is warped in place of the response, so that predictions are positive too; their
#' mean is infinite where `tail` is so small that the integral diverges.
#'
#' An offset has no meaning on a scale that is learned, and is refused. Rows with `noise_sd`, and
#' censored times, are on the scale on which they were recorded. [greedy_gp()] fits a warped
#' response by Newton's method, without a lower bound of the evidence; [rvm()] does not take it.
#'
#' @param variance Variance of the noise of \eqn{z}: one positive number, learned unless it is
#'   [fixed()]. `NULL` starts from a tenth of the variance of \eqn{z}.
#' @param skew,tail Numbers that say how the scale is bent, `tail` a positive one: learned from
#'   there on unless they are [fixed()].
#' @param center,scale Where the scale is bent: a number and a positive number, in the units of the
#'   response, or of its logarithm with `log = TRUE`. They are not learned. `NULL`: the median of
#'   the response and the standard deviation of a normal distribution with its quartiles; the mean
#'   and the standard deviation where the quartiles are equal.
#' @param log Is the logarithm of a positive response warped?
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_gaussian()]; [lik_lognormal()] for a logarithm without further bending,
#'   [lik_student()] for symmetric noise with heavy tails.
#' @references
#' Jones, M. C. and Pewsey, A. (2009). Sinh-arcsinh distributions. *Biometrika* 96, 761-780.
#'
#' Snelson, E., Rasmussen, C. E. and Ghahramani, Z. (2004). Warped Gaussian processes. *Advances in
#' Neural Information Processing Systems* 16.
#' @examples
#' fit <- meanfield_gp(dist ~ speed, cars, likelihood = lik_warped(), seed = 1)
#' likelihood_of(fit)
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "prediction")
#' @export
lik_warped <- function(variance = NULL, skew = 0, tail = 1, center = NULL, scale = NULL,
                       log = FALSE, ...) {
  check_dots(...)
  type <- if (check_flag(log, "log")) "warped_log" else "warped"
  new_likelihood(type, variance = variance, skew = skew, tail = tail, center = center,
    scale = scale, open = c("variance", "center", "scale"),
    check_value = function(value, name) {
      if (name %in% c("skew", "center")) check_number(value, name) else single_positive(value, name)
    })
}

# z(y) of src/core/likelihood/theory.md#warped, where f is; `line` is the response or its logarithm
warped_latent <- function(likelihood, line) {
  at <- likelihood$values
  sinh(at$tail * asinh((line - at$center) / at$scale) - at$skew)
}

# log z'(y)
warped_log_slope <- function(likelihood, y) {
  z <- latent_responses(likelihood, y)
  log_density(likelihood, y, z, 0 * z) -
    stats::dnorm(0, sd = sqrt(likelihood$values$variance), log = TRUE)
}

# The responses whose z(y) are these numbers: medians without noise
warped_response <- function(likelihood, z) {
  call_core(core_quantile, likelihood_spec(likelihood), cbind(z), cbind(0 * z), 0.5)[, 1L]
}

# The quartiles of a normal distribution are so many standard deviations apart.
quartiles_apart <- 2 * stats::qnorm(0.75)

# Where the scale is bent, and a tenth of the variance of what it makes of the response
start_of_warp <- function(line) {
  scale <- diff(stats::quantile(line, c(0.25, 0.75), names = FALSE)) / quartiles_apart
  flat <- !isTRUE(scale > 0)
  center <- if (flat) mean(line) else stats::median(line)
  if (flat) scale <- first_positive(stats::sd(line), 1)
  list(variance = first_variance((line - center) / scale), center = center, scale = scale)
}

# Log densities of numbers under the warped normal distribution under which those that are known
# have the greatest density
density_of_warped_constant <- function(y, known, likelihood) {
  likelihood <- likelihood_resolve(likelihood, known)
  density <- function(at, y) {
    log_density(likelihood_set_theta(likelihood, at[-1L]), y, rep_len(at[1L], length(y)), 0 * y)
  }
  best <- stats::nlminb(c(0, likelihood_theta(likelihood)), function(at) -sum(density(at, known)))
  density(best$par, y)
}

# The family of a response of which `line(y)` is warped
warped_family_of <- function(response, logged, line, of_line = "") {
  list(
    response = response, hyper = c("variance", "skew", "tail"), link = "sinh-arcsinh",
    maker = "lik_warped", exported = "none", prior_sd = c(skew = 0.7, tail = 0.7),
    arguments = function(likelihood) c(likelihood$values, list(log = logged)),
    text = function(likelihood, values) c(values, if (logged) "log = TRUE"),
    observed = "learned", to_response = warped_response, log_slope = warped_log_slope,
    to_latent = function(likelihood, y) warped_latent(likelihood, line(y)),
    without_offset = "Subtract it from the response, or use {.fn lik_gaussian}.",
    start = function(y, levels) start_of_warp(line(y)),
    draw = function(likelihood, f, unit, trials) {
      responses_at(likelihood, f + sqrt(likelihood$values$variance) * stats::rnorm(length(f)))
    },
    # Of the normal distribution of z(y).
    deviance = function(likelihood, y, mean, latent) {
      (latent_responses(likelihood, y) - latent$mean[, 1L]) / sqrt(likelihood$values$variance)
    },
    words = function(likelihood, unit) {
      paste0("Gaussian on a learned scale", of_line, ": it changes with the response")
    },
    more_noise = "variance",
    constant = function(y, mean, variance, known) {
      density_of_warped_constant(y, known, lik_warped(log = logged))
    }
  )
}

warped_family <- warped_family_of("warped", FALSE, identity)

warped_log_family <- warped_family_of("warped_positive", TRUE, log, " of its logarithm")
