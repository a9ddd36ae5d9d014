#' @include likelihood-gaussian.R likelihood-classes.R likelihood-student.R likelihood-quantile.R
#' @include likelihood-counts.R likelihood-bounded.R likelihood-ordinal.R likelihood-censored.R
#' @include likelihood-warped.R likelihood-function.R base-record.R
NULL

# The families of likelihoods: what R knows of each type, answered in the file of its constructor.

# The answers of a family. Those of `needed_answers` must be given; the others are as here where
# they are not.
family_fields <- list(
  # What it observes, a kind of response of rows-response.R.
  response = NULL,
  # The values that it could learn, in the order of the core; the others are constants.
  hyper = NULL,
  # Values of which print() shows as many digits as were typed.
  exact = character(),
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
  # The function that makes it, where that is not lik_<type>().
  maker = NULL,
  # arguments(likelihood): what that function is given.
  arguments = function(likelihood) likelihood$values,
  # text(likelihood, values): what print() shows in its parentheses, from the text of the values.
  text = function(likelihood, values) values,
  # What is observed of f plus Gaussian noise of constant variance: this number "itself", its
  # "sign", its "exponential", or the number on a "learned" scale; NULL, something else.
  observed = NULL,
  # to_latent(likelihood, y): the number of which y is observed, and to_response(likelihood, z), the
  # inverse, where inference is exact.
  to_latent = function(likelihood, y) y,
  to_response = function(likelihood, z) z,
  # log_slope(likelihood, y): the logarithm of the derivative of to_latent() in y.
  log_slope = function(likelihood, y) 0 * y,
  # level(values): the probability whose quantile f is, where f is that in place of a mean.
  level = NULL,
  # concave(values): is log p known to be concave in f?
  concave = function(values) TRUE,
  # noiseless(values): is the response a function of f?
  noiseless = function(values) FALSE,
  # Has log p a second derivative other than 0?
  curved = TRUE,
  # May a response be an interval?
  intervals = FALSE,
  # What to do in place of an offset, where there can be none.
  without_offset = NULL,
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

# The answers of the family of a type, of which one that it must give and does not give is an error
new_family <- function(answers, type) {
  lacking <- setdiff(needed_answers, names(answers))
  if (length(lacking)) stop("a family must answer ", toString(lacking))
  family <- do.call(new_record, c(list(family_fields), answers))
  if (is.null(family$maker)) family$maker <- paste0("lik_", type)
  of_numbers <- !family$response %in% c("binary", "ordinal")
  if (of_numbers && (is.null(family$draw) || is.null(family$words))) {
    stop("a family of numbers must say how responses are drawn and what print() says of its noise")
  }
  if (length(family$hyper) && is.null(family$start) && !"noise" %in% family$hyper) {
    stop("a family with values that are learned must say where they start")
  }
  family
}

families_by_type <- list(
  gaussian = gaussian_family, probit = probit_family, label_noise = label_noise_family,
  logit = logit_family, ordinal = ordinal_family, poisson = poisson_family,
  negative_binomial = negative_binomial_family, binomial = binomial_family,
  student = student_family, quantile = quantile_family, gamma = gamma_family,
  lognormal = lognormal_family, beta = beta_family, "function" = function_family,
  censored_gaussian = censored_gaussian_family, censored_lognormal = censored_lognormal_family,
  warped = warped_family, warped_log = warped_log_family
)
likelihood_families <- Map(new_family, families_by_type, names(families_by_type))

# The answers for a likelihood; NULL, of which every part is NULL, for one still to be chosen
family_of <- function(likelihood) {
  if (!is.null(likelihood)) likelihood_families[[likelihood$type]]
}

likelihood_type <- function(likelihood) likelihood$type

has_known_type <- function(likelihood) {
  isTRUE(likelihood$type %in% names(likelihood_families))
}

likelihood_response <- function(likelihood) family_of(likelihood)$response

# What the rest of the package asks about a likelihood ------------------------------------------

# Is the response f plus Gaussian noise?
adds_gaussian_noise <- function(likelihood) {
  identical(family_of(likelihood)$observed, "itself")
}

# Is the response, or its logarithm, f plus Gaussian noise?
has_one_noise <- function(likelihood) {
  isTRUE(family_of(likelihood)$observed %in% c("itself", "exponential"))
}

# Is the response the sign of f plus Gaussian noise?
observes_sign <- function(likelihood) identical(family_of(likelihood)$observed, "sign")

# Is the scale on which the noise is Gaussian learned?
learns_scale <- function(likelihood) identical(family_of(likelihood)$observed, "learned")

# Is a mean that is predicted an integral over Gaussian noise on another scale, so that it grows
# with the variance?
bends_response <- function(likelihood) {
  isTRUE(family_of(likelihood)$observed %in% c("exponential", "learned"))
}

# Is the likelihood of a row, as a function of f, that of Gaussian noise, which the core knows, so
# that inference is exact?
has_gaussian_sites <- function(likelihood) {
  isTRUE(family_of(likelihood)$observed %in% c("itself", "exponential", "learned"))
}

# The number of which y is observed, and the response that is observed of such a number
latent_responses <- function(likelihood, y) family_of(likelihood)$to_latent(likelihood, y)

responses_at <- function(likelihood, z) family_of(likelihood)$to_response(likelihood, z)

# The probability whose quantile is predicted, or NULL where that is a mean
quantile_level <- function(likelihood) {
  level <- family_of(likelihood)$level
  if (!is.null(level)) level(likelihood$values)
}

predicts_quantile <- function(likelihood) !is.null(quantile_level(likelihood))

# Can its sites be found by the TAP mean field method, for which their precisions must be positive?
# NULL, which stands for a likelihood that the package chooses, can.
takes_mean_field <- function(likelihood) {
  is.null(likelihood) || family_of(likelihood)$concave(likelihood$values)
}

is_noiseless <- function(likelihood) family_of(likelihood)$noiseless(likelihood$values)

takes_intervals <- function(likelihood) family_of(likelihood)$intervals

# Is a response to a likelihood a count, so that its distribution function jumps?
is_of_counts <- function(likelihood) {
  likelihood_response(likelihood) %in% c("count", "free") && likelihood_traits(likelihood)$count
}

# Does the core ask R about the likelihood?
evaluates_r <- function(likelihood) !is.null(likelihood$functions)

#' @export
exact_names.gpsieve_likelihood <- function(x) family_of(x)$exact
