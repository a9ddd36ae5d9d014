# Numbers with Gaussian noise.

#' Gaussian likelihood
#'
#' Numbers observed with independent Gaussian noise:
#' \deqn{p(y \mid f) = \mathcal{N}(y \mid f, \mathrm{variance})
#'   = \frac{1}{\sqrt{2 \pi\,\mathrm{variance}}}
#'     \exp\Big(-\frac{(y - f)^2}{2\,\mathrm{variance}}\Big)}{
#'   p(y | f) = exp(-(y - f)^2 / (2 variance)) / sqrt(2 pi variance)}
#'
#' A likelihood is an R object that prints as the expression that creates it. Integrals of this
#' likelihood over a Gaussian latent function have a closed form.
#'
#' @param variance Variance of the noise: one positive number, or [fixed()]. `NULL` starts from a
#'   tenth of the response's variance. Models standardise a numeric response unless told otherwise;
#'   the variance then refers to the standardised response.
#' @param noise A formula with one side, as `~ x1 + x2`, of columns on which the variance of the
#'   noise depends; see the section. `NULL` is noise of the same variance everywhere.
#' @param ... Not used; anything here is an error.
#' @section Noise that depends on the inputs: With `noise = ~ x1 + x2` the logarithm of the variance
#' is linear in the columns \eqn{z} of the formula's matrix, \deqn{p(y \mid f, z) = \mathcal{N}(y
#' \mid f, \mathrm{variance}\, e^{z'\gamma + c})}{ p(y | f, z) = N(y | f, variance exp(z'gamma +
#' c)),} where the constant \eqn{c} makes the precisions of the training rows average to \eqn{1 /
#' \mathrm{variance}}{1 / variance}. The formula takes functions of columns, as `~ splines::ns(x,
#' 5)`, factors and products, as R's other formulas do; a dot stands for all columns but the
#' response. Columns of the data that are no inputs may occur in it. The same law is used between
#' and beyond the training rows: rows far from these get a noise that a steep line extrapolates. AIC
#' compares formulas where the model has it.
#'
#' The coefficients \eqn{\gamma}{gamma} are learned by turns with the kernel: given the posterior of
#' the function, with mean \eqn{m_i}{m[i]} and variance \eqn{v_i}{v[i]} in row \eqn{i}, they are
#' those of a gamma regression with a logarithmic link of
#' \eqn{(y_i - m_i)^2 + v_i}{(y[i] - m[i])^2 + v[i]} plus a small share of the average of these
#' numbers. But for that share it is a step of expectation maximisation, which never lowers the
#' evidence. A fit takes some times as long as with the same noise everywhere;
#' of more than 4000 rows a random sample learns the coefficients. [meanfield_gp()], [ivm()],
#' [local_gp()], [ep_gp()], [greedy_gp()] and [gpsieve()] take it, with dense inputs in memory and
#' without `noise_sd` or a [fixed()] variance.
#'
#' Prediction intervals, quantiles, log densities, residuals, draws and [loo()] use the noise of
#' each row; [sigma()][sigma.gpsieve_fit] says what it is. `optimise = FALSE` keeps what a fit has
#' learned, `likelihood = likelihood_of(fit)`.
#' @return A likelihood: an object of class `gpsieve_likelihood`. `print()` returns it invisibly,
#'   `format()` gives the expression as a string, numbers that may be learned to three significant
#'   digits.
#' @seealso [lik_student()] for numbers with outliers, [lik_gamma()] for positive numbers,
#'   [lik_beta()] for numbers between 0 and 1, [lik_censored()] for censored numbers and times,
#'   [lik_poisson()], [lik_negative_binomial()] and [lik_binomial()] for counts, [lik_ordinal()] for
#'   ordered classes, [lik_probit()] and [lik_logit()] for other classes.
#' @references
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#' chapter 2. MIT Press.
#'
#' Goldberg, P. W., Williams, C. K. I. and Bishop, C. M. (1998). Regression with input-dependent
#' noise: a Gaussian process treatment. *Advances in Neural Information Processing Systems* 10.
#' @examples
#' lik_gaussian()
#' lik_gaussian(variance = fixed(0.01))
#'
#' # Measurements whose noise grows
#' fit <- meanfield_gp(dist ~ speed, cars, likelihood = lik_gaussian(noise = ~ speed), seed = 1)
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), interval = "prediction")
#' sigma(fit, data.frame(speed = c(5, 15, 25)))
#' @export
lik_gaussian <- function(variance = NULL, ..., noise = NULL) {
  check_dots(...)
  likelihood <- new_likelihood("gaussian", variance = variance, open = "variance")
  noise <- check_noise_formula(noise)
  if (is.null(noise)) return(likelihood)
  if (length(likelihood$fixed)) {
    abort_gpsieve("{.arg variance} is learned where the noise depends on the inputs.",
      "Found {.code {format(likelihood)}}.", "Known noise is {.code noise_sd} of the model.",
      class = "unsupported")
  }
  likelihood$noise <- list(formula = noise)
  likelihood
}

gaussian_family <- list(
  response = "real", hyper = "variance", link = "identity", observed = "itself",
  more_noise = "variance",
  start = function(y, levels) list(variance = first_variance(y)),
  draw = function(likelihood, f, unit, trials) {
    f + unit * sqrt(likelihood$values$variance) * stats::rnorm(length(f))
  },
  deviance = function(likelihood, y, mean, latent) {
    (y - mean) / sqrt(likelihood$values$variance)
  },
  noise_sd = function(values) sqrt(values$variance),
  words = function(likelihood, unit) {
    paste("standard deviation", plain_number(sqrt(likelihood$values$variance) * unit))
  },
  exported = function(values) list(noise = values$variance)
)

# The start value of the noise variance is this share of the variance of the response.
noise_share <- 0.1

first_variance <- function(y) noise_share * first_positive(stats::var(y), 1)

# The first of several measures of spread that is finite and positive.
# The standard deviation of a single response is not finite, that of a constant one is 0.
first_positive <- function(...) {
  measures <- c(...)
  measures[is.finite(measures) & measures > 0][1L]
}

check_noise_formula <- function(noise) {
  if (is.null(noise)) return(NULL)
  if (!inherits(noise, "formula") || length(noise) != 2L) {
    found <- describe(noise)
    abort_gpsieve("{.arg noise} must be a formula with one side, as in {.code ~ x}.",
      "Found {found}.", "It names the columns on which the variance of the noise depends.")
  }
  refused <- intersect(all.names(noise), c("|", "offset"))
  if (length(refused)) {
    abort_gpsieve("{.arg noise} takes neither groups in bars nor an offset.",
      "Found {.code {expr_text(noise[[2L]])}}.", "A factor is a group: {.code ~ school}.",
      class = "unsupported")
  }
  noise
}

# Does the likelihood ask for noise that depends on the inputs?
has_changing_noise <- function(likelihood) {
  inherits(likelihood, "gpsieve_likelihood") && !is.null(likelihood$noise)
}

# Refuses noise that depends on the inputs, for the models that cannot have it
refuse_changing_noise <- function(likelihood) {
  if (!has_changing_noise(likelihood)) return(invisible())
  abort_gpsieve("This model has the same noise everywhere.", "Found {.code {format(likelihood)}}.",
    "{.or {.fn {models_of_changing_noise}}} learn noise that depends on the inputs.",
    class = "unsupported")
}
