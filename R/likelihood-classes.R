# Likelihoods of two classes.

#' Probit likelihood
#'
#' Two classes, coded \eqn{y = -1} and \eqn{y = +1} (the second level of the factor). The class is
#' the sign of the latent function plus Gaussian noise:
#' \deqn{P(y \mid f) = \Phi\Big(\frac{y f}{\sqrt{\mathrm{noise}}}\Big)}{
#'   P(y | f) = Phi(y f / sqrt(noise))}
#' with the standard normal distribution function \eqn{\Phi}{Phi}.
#'
#' With a prior mean of 0, multiplying the variance of the kernel and `noise` by the same factor
#' changes no class probability, so that only their ratio can be learned from data. Therefore
#' `noise`, which sets the unit of the latent function, is not learned, and the variance of the
#' kernel is.
#'
#' The integral over a Gaussian \eqn{f} has a closed form:
#' \deqn{\int P(y \mid f)\, \mathcal{N}(f \mid \mu, \sigma^2)\, df =
#'   \Phi\Big(\frac{y \mu}{\sqrt{\mathrm{noise} + \sigma^2}}\Big)}{
#'   integral P(y | f) N(f | mu, sigma^2) df = Phi(y mu / sqrt(noise + sigma^2))}
#'
#' @section Without noise:
#' `noise = 0` is the step function: the class is the sign of the latent function. It goes with
#' [meanfield_gp()] with `method` `"tap"` or `"naive"` and with [online_gp()], which need no more of
#' a likelihood than its integrals; all other models and methods, `control_meanfield(blocks = )` and
#' `control_online(learn_every = )` refuse it with an error of class `gpsieve_error_unsupported`.
#' Class probabilities then do not depend on the variance of the kernel, of which the evidence says
#' nothing. Rows with the same inputs and different classes are an error of class
#' `gpsieve_error_data` in [meanfield_gp()]. With a [kernel_white()] of variance v in the kernel the
#' model is that of `noise = v`, and v is learned beside the variance of the kernel. Mean field
#' papers write the probit like this.
#'
#' @param noise Variance of the noise: one number, 0 or more. Kept as given.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_logit()]; [lik_gaussian()] for numbers.
#' @references
#' Opper, M. and Winther, O. (2000). Gaussian processes for classification: mean-field algorithms.
#' *Neural Computation* 12, 2655-2684.
#'
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#' chapter 3. MIT Press.
#' @examples
#' lik_probit()
#'
#' # The step function
#' two <- droplevels(iris[51:150, ])
#' meanfield_gp(Species ~ Petal.Length, two[!duplicated(two$Petal.Length), ],
#'   likelihood = lik_probit(0), optimise = FALSE
#' )
#' @export
lik_probit <- function(noise = 1, ...) {
  check_dots(...)
  new_likelihood("probit", noise = noise, fixed = "noise",
    check_value = function(x, arg) check_number(x, arg, min = 0))
}

#' Probit likelihood with swapped labels
#'
#' Two classes as for [lik_probit()], some of whose labels are wrong: each is swapped with
#' probability `flip`, however far from the boundary it lies,
#' \deqn{P(y \mid f) = \mathrm{flip} + (1 - 2\,\mathrm{flip})\,
#'   \Phi\Big(\frac{y f}{\sqrt{\mathrm{noise}}}\Big)}{
#'   P(y | f) = flip + (1 - 2 flip) Phi(y f / sqrt(noise))}
#'
#' A single wrong label then changes the posterior little. The likelihood is not log-concave, so
#' that sites may have negative precision. Integrals over a Gaussian latent function have a closed
#' form.
#'
#' @param flip Probability that a label is swapped: one number between 0 and 1/2. A constant, not
#'   learned.
#' @param noise Variance of the noise: one positive number. Kept as given.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @inherit lik_probit seealso
#' @references
#' Kim, H.-C. and Ghahramani, Z. (2006). Bayesian Gaussian process classification with the EM-EP
#' algorithm. *IEEE Transactions on Pattern Analysis and Machine Intelligence* 28, 1948-1959.
#' @examples
#' lik_label_noise(0.1)
#' @export
lik_label_noise <- function(flip = 0.05, noise = 1, ...) {
  check_dots(...)
  if (!is_fixed(flip)) flip <- check_number(flip, "flip", above = 0)
  likelihood <- new_likelihood("label_noise", flip = flip, noise = noise, fixed = "noise")
  if (likelihood$values$flip >= 0.5) {
    abort_gpsieve("{.arg flip} must be below 1/2: beyond it the labels say the opposite.",
      "Found {format(likelihood$values$flip)}.")
  }
  likelihood
}

#' Logit likelihood
#'
#' Two classes, coded \eqn{y = -1} and \eqn{y = +1} (the second level of the factor), with
#' log-odds \eqn{f}:
#' \deqn{P(y \mid f) = \frac{1}{1 + e^{-y f}}}{P(y | f) = 1 / (1 + exp(-y f))}
#'
#' Its tails are heavier than those of [lik_probit()], so that a single observation on the wrong
#' side of the boundary changes the posterior less. Integrals over the latent function are computed
#' by quadrature, which takes longer.
#'
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @inherit lik_probit seealso
#' @references
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#' chapter 3. MIT Press.
#' @examples
#' lik_logit()
#' @export
lik_logit <- function(...) {
  check_dots(...)
  new_likelihood("logit")
}

probit_family <- list(
  response = "binary", hyper = "noise", link = "probit", observed = "sign", more_noise = "noise",
  exact = "noise", exported = identity, noiseless = function(values) isTRUE(values$noise == 0)
)

label_noise_family <- list(
  response = "binary", hyper = "noise", link = "probit",
  exact = c("flip", "noise"),
  concave = function(values) FALSE,
  note = function(values) paste0("; ", percent(values$flip), " of the labels taken to be wrong"),
  exported = identity
)

logit_family <- list(response = "binary", hyper = character(), link = "logit", exported = identity)

# The step lik_probit(noise = 0): the class is the sign of the latent function -------------------

# The step has integrals over a Gaussian function but no derivatives: models that need more than
# the integrals, or of which this is not known, refuse it
check_step <- function(likelihood, takes_step) {
  if (takes_step || !is_noiseless(likelihood)) return(invisible())
  abort_gpsieve("{.code lik_probit(noise = 0)} needs {.fn online_gp}, or {.fn meanfield_gp} with
      {.val tap} or {.val naive}.", "Found another model or {.arg method}, {.arg blocks} to learn
      on, or hyper-parameters that follow a stream.",
    "A small noise goes with all models.",
    class = "unsupported")
}
