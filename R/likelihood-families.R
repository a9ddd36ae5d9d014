#' @include likelihood-gaussian.R likelihood-classes.R likelihood-student.R likelihood-quantile.R
#' @include likelihood-counts.R likelihood-bounded.R likelihood-ordinal.R likelihood-censored.R
#' @include likelihood-function.R
NULL

# The families of likelihoods: what R knows of each type, answered in the file of its constructor.

#' The answers of a family, of which one that a family must give and does not give is an error
#'
#' * `response`: what it observes, a kind of response of response.R; `hyper`: the values that it
#'   could learn, in the order of the core; the others among its values are constants.
#' * `link`: the function of the mean response that f is.
#' * `exported(values)`: what predictions of an exported fit need to know, or "none": it cannot be
#'   exported.
#' * `start(y, levels)`: the values that are left open, from the response on the scale of
#'   computation.
#' * `draw(likelihood, f, unit, trials)`: a response for each latent value, in the units of the
#'   data, of which `unit` is the scale; classes are drawn by their probabilities.
#' * `deviance(likelihood, y, mean, latent)`: signed roots of deviances, given the predictive mean.
#' * `words(likelihood, unit)`: the noise as print() says it.
#' * `prior_mean(y, weights, offset)`: the latent value of the mean response, where f has another
#'   scale than the response.
#' * `noise_sd(values)`: the standard deviation of noise that is added to f.
#' * `concave`: does the core know that log p is concave in f? `curved`: has log p a second
#'   derivative other than 0? `censored`: may a response be an interval? `symmetric`: is the
#'   distribution of y symmetric about f?
#' * `more_noise`: the value to which the variance of independent noise of f can be added.
#' * `constant(y, mean, variance, known)`: log densities of numbers where nothing is learned from
#'   inputs, by the mean and the variance of those that are `known`.
#' * `row_seconds`: what the integrals of a row take in one evaluation by numerical integration.
#' * `note(values)`: what print() adds to the classes.
#' @noRd
new_family <- function(response, hyper, link, exported, start = NULL, draw = NULL, deviance = NULL,
                       words = NULL, prior_mean = NULL, noise_sd = NULL, concave = TRUE,
                       curved = TRUE, censored = FALSE, symmetric = FALSE, more_noise = NULL,
                       constant = NULL, row_seconds = 0, note = NULL) {
  force(c(hyper, link))
  force(exported)
  of_numbers <- !response %in% c("binary", "ordinal")
  if (of_numbers && (is.null(draw) || is.null(words))) {
    stop("a family of numbers must say how responses are drawn and what print() says of its noise")
  }
  if (length(hyper) && is.null(start) && !"noise" %in% hyper) {
    stop("a family with values that are learned must say where they start")
  }
  as.list(environment())
}

likelihood_families <- lapply(
  list(
    gaussian = gaussian_family, probit = probit_family, label_noise = label_noise_family,
    logit = logit_family, ordinal = ordinal_family, poisson = poisson_family,
    negative_binomial = negative_binomial_family, binomial = binomial_family,
    student = student_family, quantile = quantile_family, gamma = gamma_family,
    lognormal = lognormal_family, beta = beta_family, "function" = function_family,
    censored_gaussian = censored_gaussian_family, censored_lognormal = censored_lognormal_family
  ),
  function(answers) do.call(new_family, answers)
)

#' What is known of the type of a likelihood
#' @noRd
family_of <- function(likelihood) likelihood_families[[likelihood$type]]

#' The type of a likelihood, for programs
#' @noRd
likelihood_type <- function(likelihood) likelihood$type

has_known_type <- function(likelihood) {
  isTRUE(likelihood$type %in% names(likelihood_families))
}
