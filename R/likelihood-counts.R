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
#' it by itself. A row has at least one trial and fewer than 2^26.
#' `predict()` gives the probability of a success, and its confidence intervals; quantiles,
#' prediction intervals, `simulate()` and residuals are about the number of successes among the
#' trials of the row, for which `newdata` must have the columns of the response. The prior mean of
#' the latent function is the log-odds of all trials together.
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

#' A likelihood of counts with its zero inflation
#' @noRd
new_counts <- function(type, zero_inflation, ..., open = character(), call = rlang::caller_env()) {
  given <- list(...)
  share <- if (is_fixed(zero_inflation)) zero_inflation$value else zero_inflation
  if (isTRUE(share)) {
    given["zero_inflation"] <- list(if (is_fixed(zero_inflation)) fixed(NULL))
    open <- c(open, "zero_inflation")
  } else if (!is.null(share) && !isFALSE(share)) {
    given$zero_inflation <- zero_inflation
  }
  check <- function(value, name, call) {
    if (name != "zero_inflation") return(single_positive(value, name, call))
    value <- check_number(value, name, call, above = 0)
    if (value < 1) return(value)
    abort_gpsieve("{.arg zero_inflation} must be a probability below 1.", "Found {format(value)}.",
      call = call
    )
  }
  do.call(new_likelihood,
    c(list(type), given, list(open = open, check_value = check, call = call)), quote = TRUE
  )
}
