#' @include likelihood-gaussian.R likelihood-classes.R likelihood-student.R likelihood-quantile.R
#' @include likelihood-counts.R likelihood-bounded.R likelihood-ordinal.R likelihood-censored.R
#' @include likelihood-warped.R likelihood-function.R record.R
NULL

# The families of likelihoods: what R knows of each type, answered in the file of its constructor.

# The answers of a family. Those of `needed_answers` must be given; the others are as here where
# they are not.
family_fields <- list(
  # What it observes, a kind of response of response.R.
  response = NULL,
  # The values that it could learn, in the order of the core; the others are constants.
  hyper = NULL,
  # The function of the mean response that f is.
  link = NULL,
  # exported(values): what predictions of an exported fit need to know, or "none": it cannot be
  # exported.
  exported = NULL,
  # The standard deviations of a normal prior, about 0, of some of these as learning moves them.
  prior_sd = NULL,
  # start(y, levels): the values that are left open, from the response on the scale of computation.
  start = NULL,
  # draw(likelihood, f, unit, trials): a response for each latent value, in the units of the data,
  # of which `unit` is the scale; classes are drawn by their probabilities.
  draw = NULL,
  # deviance(likelihood, y, mean, latent): signed roots of deviances, given the predictive mean.
  deviance = NULL,
  # words(likelihood, unit): the noise as print() says it.
  words = NULL,
  # prior_mean(y, weights, offset): the latent value of the mean response, where f has another scale
  # than the response.
  prior_mean = NULL,
  # noise_sd(values): the standard deviation of noise that is added to f.
  noise_sd = NULL,
  # Does the core know that log p is concave in f?
  concave = TRUE,
  # Has log p a second derivative other than 0?
  curved = TRUE,
  # May a response be an interval?
  censored = FALSE,
  # Is the distribution of y symmetric about f?
  symmetric = FALSE,
  # The value to which the variance of independent noise of f can be added.
  more_noise = NULL,
  # constant(y, mean, variance, known): log densities of numbers where nothing is learned from
  # inputs, by the mean and the variance of those that are `known`.
  constant = NULL,
  # What the integrals of a row take in one evaluation by numerical integration.
  row_seconds = 0,
  # note(values): what print() adds to the classes.
  note = NULL
)

needed_answers <- c("response", "hyper", "link", "exported")

# The answers of a family, of which one that it must give and does not give is an error
new_family <- function(answers) {
  lacking <- setdiff(needed_answers, names(answers))
  if (length(lacking)) stop("a family must answer ", toString(lacking))
  family <- do.call(new_record, c(list(family_fields), answers))
  of_numbers <- !family$response %in% c("binary", "ordinal")
  if (of_numbers && (is.null(family$draw) || is.null(family$words))) {
    stop("a family of numbers must say how responses are drawn and what print() says of its noise")
  }
  if (length(family$hyper) && is.null(family$start) && !"noise" %in% family$hyper) {
    stop("a family with values that are learned must say where they start")
  }
  family
}

likelihood_families <- lapply(
  list(
    gaussian = gaussian_family, probit = probit_family, label_noise = label_noise_family,
    logit = logit_family, ordinal = ordinal_family, poisson = poisson_family,
    negative_binomial = negative_binomial_family, binomial = binomial_family,
    student = student_family, quantile = quantile_family, gamma = gamma_family,
    lognormal = lognormal_family, beta = beta_family, "function" = function_family,
    censored_gaussian = censored_gaussian_family, censored_lognormal = censored_lognormal_family,
    warped = warped_family, warped_log = warped_log_family
  ),
  new_family
)

family_of <- function(likelihood) likelihood_families[[likelihood$type]]

likelihood_type <- function(likelihood) likelihood$type

has_known_type <- function(likelihood) {
  isTRUE(likelihood$type %in% names(likelihood_families))
}
