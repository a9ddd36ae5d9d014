# Likelihoods. A likelihood is a list:
#
#   type    the core's name for it ("gaussian", "probit", ...)
#   values  hyper-parameters and constants by argument name, natural scale; NULL = still to be
#           resolved from the data (likelihood_resolve())
#   fixed   names of the values that are not to be learned
#   noise   only of Gaussian noise that depends on the inputs (learned-noise.R)

# What each type observes and what it could learn, hyper-parameters in the order of the core. The
# others among its values are constants. Kinds of responses are those of response.R. Not `concave`
# is a type whose log density the core does not know to be concave in f; likelihood_traits() says
# what depends on values.
likelihood_types <- list(
  gaussian = list(response = "real", hyper = "variance"),
  probit = list(response = "binary", hyper = "noise"),
  label_noise = list(response = "binary", hyper = "noise", concave = FALSE),
  logit = list(response = "binary", hyper = character()),
  ordinal = list(response = "ordinal", hyper = "cuts"),
  poisson = list(response = "count", hyper = "zero_inflation"),
  negative_binomial = list(response = "count", hyper = c("size", "zero_inflation")),
  binomial = list(response = "trials", hyper = character()),
  student = list(response = "real", hyper = "scale", concave = FALSE),
  gamma = list(response = "positive", hyper = "shape"),
  lognormal = list(response = "positive", hyper = "variance"),
  beta = list(response = "share", hyper = "precision", concave = FALSE),
  "function" = list(response = "free", hyper = character()),
  censored_gaussian = list(response = "real", hyper = "variance", censored = TRUE),
  censored_lognormal = list(response = "positive", hyper = "variance", censored = TRUE)
)

#' Flags of a likelihood, those of the core's class of it (core_likelihood_traits()): is the log
#' density known to be concave in f, has the response the numbers 0, 1, 2 and so on, or -1 and 1, is
#' inference exact?
#' @noRd
likelihood_traits <- function(likelihood) {
  type <- likelihood_types[[likelihood$type]]
  own <- has_own_function(likelihood)
  list(
    log_concave =
      if (own) likelihood$values$log_concave > 0
      else !isFALSE(type$concave) && !"zero_inflation" %in% names(likelihood$values),
    count =
      if (own) likelihood$values$counts > 0
      else type$response %in% c("count", "trials", "ordinal"),
    binary = type$response == "binary",
    gaussian = likelihood$type == "gaussian"
  )
}

#' Is the log density of a likelihood not known to be concave in f? NULL, which stands for one that
#' the package chooses, is concave.
#' @noRd
is_not_log_concave <- function(likelihood) {
  !is.null(likelihood) && !likelihood_traits(likelihood)$log_concave
}

#' A likelihood from the arguments of its constructor
#'
#' Every value is what `check_value` says, one positive number, and may be wrapped in `fixed()`;
#' those in `open` may be NULL.
#' @noRd
new_likelihood <- function(type, ..., open = character(), fixed = character(),
                           check_value = single_positive, call = rlang::caller_env()) {
  given <- list(...)
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value)) {
      if (name %in% likelihood_types[[type]]$hyper) fixed <- union(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) value <- check_value(value, name, call)
    given[name] <- list(value)
  }
  structure(
    list(type = type, values = given, fixed = fixed),
    class = c(paste0("gpsieve_likelihood_", type), "gpsieve_likelihood")
  )
}

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
#' @section Noise that depends on the inputs:
#' With `noise = ~ x1 + x2` the logarithm of the variance is linear in the columns \eqn{z} of the
#' formula's matrix,
#' \deqn{p(y \mid f, z) = \mathcal{N}(y \mid f, \mathrm{variance}\, e^{z'\gamma + c})}{
#'   p(y | f, z) = N(y | f, variance exp(z'gamma + c)),}
#' where the constant \eqn{c} makes the precisions of the training rows average to
#' \eqn{1 / \mathrm{variance}}{1 / variance}. The formula takes functions of columns, as
#' `~ splines::ns(x, 5)`, factors and products, as R's other formulas do; a dot stands for all
#' columns but the response. Columns of the data that are no inputs may occur in it. Between and
#' beyond the training rows the same law holds, so that a steep line says much of rows far away.
#' AIC compares formulas.
#'
#' The coefficients \eqn{\gamma}{gamma} are learned by turns with the kernel: given the posterior of
#' the function, with mean \eqn{m_i}{m[i]} and variance \eqn{v_i}{v[i]} in row \eqn{i}, they are
#' those of a gamma regression with a logarithmic link of
#' \eqn{(y_i - m_i)^2 + v_i}{(y[i] - m[i])^2 + v[i]}, which is a step of expectation maximisation
#' and never lowers the evidence. A fit takes some times as long as with the same noise everywhere;
#' of more than 4000 rows a random sample learns the coefficients. [meanfield_gp()], [ivm()],
#' [ep_gp()], [greedy_gp()] and [gpsieve()] take it.
#'
#' Prediction intervals, quantiles, log densities, residuals, draws and [loo()] use the noise of
#' each row; [sigma()][sigma.gpsieve_fit] says what it is. `optimise = FALSE` keeps what a fit has
#' learned, `likelihood = likelihood_of(fit)`.
#' @return A likelihood: an object of class `gpsieve_likelihood`. `print()` returns it invisibly,
#'   `format()` gives the expression as a string, learned numbers to three significant digits.
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
  noise <- check_noise_formula(noise, rlang::current_env())
  if (is.null(noise)) return(likelihood)
  if (length(likelihood$fixed)) {
    abort_gpsieve("{.arg variance} is learned where the noise depends on the inputs.",
      "Found {.code {format(likelihood)}}.", "Known noise is {.code noise_sd} of the model.",
      class = "unsupported"
    )
  }
  likelihood$noise <- list(formula = noise)
  likelihood
}

#' Probit likelihood
#'
#' Two classes, coded \eqn{y = -1} and \eqn{y = +1} (the second level of the factor). The class is
#' the sign of the latent function plus Gaussian noise:
#' \deqn{P(y \mid f) = \Phi\Big(\frac{y f}{\sqrt{\mathrm{noise}}}\Big)}{
#'   P(y | f) = Phi(y f / sqrt(noise))}
#' with the standard normal distribution function \eqn{\Phi}{Phi}.
#'
#' Multiplying the variance of the kernel and `noise` by the same factor changes no class
#' probability, so that only their ratio can be learned from data. Therefore `noise`, which sets the
#' unit of the latent function, is not learned, and the variance of the kernel is.
#'
#' The integral over a Gaussian \eqn{f} has a closed form:
#' \deqn{\int P(y \mid f)\, \mathcal{N}(f \mid \mu, \sigma^2)\, df =
#'   \Phi\Big(\frac{y \mu}{\sqrt{\mathrm{noise} + \sigma^2}}\Big)}{
#'   integral P(y | f) N(f | mu, sigma^2) df = Phi(y mu / sqrt(noise + sigma^2))}
#'
#' @section Without noise:
#' `noise = 0` is the step function: the class is the sign of the latent function. It goes with
#' [meanfield_gp()] with `method` `"tap"` or `"naive"` and with [online_gp()], which need no more of
#' a likelihood than its integrals; all other models and methods refuse it with an error of class
#' `gpsieve_error_unsupported`. Class probabilities then do not depend on the variance of the
#' kernel, of which the evidence says nothing. Rows with the same inputs and different classes are
#' an error of class `gpsieve_error_data` in [meanfield_gp()]. With a [kernel_white()] of variance v
#' in the kernel the model is that of `noise = v`, and v is learned beside the variance of the
#' kernel. Mean field papers write the probit like this.
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
    check_value = function(x, arg, call) check_number(x, arg, call, min = 0)
  )
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
      "Found {format(likelihood$values$flip)}."
    )
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

#' Student-t likelihood
#'
#' Numbers observed with heavy-tailed noise, so that observations far from the others have little
#' influence:
#' \deqn{p(y \mid f) = \frac{\Gamma((\mathrm{df} + 1)/2)}{
#'     \Gamma(\mathrm{df}/2) \sqrt{\pi\,\mathrm{df}}\,\mathrm{scale}}
#'   \Big(1 + \frac{(y - f)^2}{\mathrm{df}\,\mathrm{scale}^2}\Big)^{-(\mathrm{df} + 1)/2}}{
#'   p(y | f) = Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df) scale) *
#'   (1 + (y - f)^2 / (df scale^2))^(-(df + 1) / 2)}
#'
#' It is not log-concave in \eqn{f}: the posterior may have several modes, and sites may have
#' negative precision.
#'
#' @param df Degrees of freedom: one positive number. A constant, not learned. The predictive
#'   variance is infinite for `df <= 2`.
#' @param scale Scale of the noise: one positive number, or [fixed()]. `NULL` starts from
#'   \eqn{\sqrt{0.1}}{sqrt(0.1)} times the median absolute deviation of the response. Models
#'   standardise a numeric response unless told otherwise; the scale then refers to the standardised
#'   response.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_gaussian()]
#' @references
#' Jylanki, P., Vanhatalo, J. and Vehtari, A. (2011). Robust Gaussian process regression with a
#' Student-t likelihood. *Journal of Machine Learning Research* 12, 3227-3257.
#' @examples
#' lik_student()
#' lik_student(df = 3, scale = 0.2)
#' @export
lik_student <- function(df = 4, scale = NULL, ...) {
  check_dots(...)
  new_likelihood("student", df = df, scale = scale, open = "scale")
}

#' @export
format.gpsieve_likelihood <- function(x, digits = 3, ...) {
  if (has_own_function(x)) {
    return(paste0("lik_function(", if (is.null(x$name)) "<function>" else x$name, ")"))
  }
  # The noise of a probit is always fixed; it is printed without fixed().
  if (x$type %in% c("probit", "label_noise")) x$fixed <- character()
  text <- if (length(x$values)) format_values(x, digits) else character()
  if (is_censored(x)) text <- c(dQuote(sub("censored_", "", x$type), FALSE), text)
  if (!is.null(x$noise)) text <- c(text, paste("noise = ~", expr_text(x$noise$formula[[2L]])))
  # TRUE asks for a share that is still to be chosen.
  if (is.null(x$values$zero_inflation) && "zero_inflation" %in% names(x$values)) {
    text <- c(text, "zero_inflation = TRUE")
  }
  paste0(likelihood_maker(x), "(", paste(text[nzchar(text)], collapse = ", "), ")")
}

#' The functions that make likelihoods, and the one that makes this likelihood
#' @noRd
likelihood_makers <- function() {
  unique(vapply(names(likelihood_types), function(type) likelihood_maker(list(type = type)), "",
    USE.NAMES = FALSE
  ))
}

likelihood_maker <- function(likelihood) {
  if (is_censored(likelihood)) "lik_censored" else paste0("lik_", likelihood$type)
}

#' The arguments of the function that makes a likelihood
#' @noRd
likelihood_arguments <- function(likelihood) {
  given <- likelihood$values
  if (has_own_function(likelihood)) {
    return(c(likelihood$functions, lapply(given, `>`, 0), list(name = likelihood$name)))
  }
  share <- match("zero_inflation", names(given))
  if (!is.na(share) && is.null(given[[share]])) given[[share]] <- TRUE
  if (!is.null(likelihood$noise)) given$noise <- likelihood$noise$formula
  if (is_censored(likelihood)) given$distribution <- sub("censored_", "", likelihood$type)
  given
}

is_censored <- function(likelihood) isTRUE(likelihood_types[[likelihood$type]]$censored)

#' @export
print.gpsieve_likelihood <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' The likelihood that an argument is, or an error that says how to make one
#' @noRd
as_likelihood <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (inherits(x, "gpsieve_likelihood")) return(check_likelihood_parts(x, arg, call))
  found <- describe(x)
  makers <- likelihood_makers()
  uncalled <- is.function(x) && identical(environment(x), environment(as_likelihood))
  maker <- if (uncalled) {
    makers[vapply(makers, function(name) identical(x, get(name, environment(x))), NA)]
  } else {
    likelihood_meant(x, makers)
  }
  hint <- if (inherits(x, "family") && x$family %in% c("binomial", "quasibinomial")) {
    "A factor as the response makes classes of it, without {.arg {arg}}. Successes among trials are
      {.code {arg} = lik_binomial()}."
  } else if (!length(maker)) {
    "Likelihoods are made by {.or {.fn {makers}}}."
  } else if (uncalled) {
    "Add the parentheses: {.code {arg} = {maker}()}."
  } else if (is.character(x)) {
    "Without the quotes: {.code {arg} = {maker}()}."
  } else {
    "Here that is {.code {arg} = {maker}()}."
  }
  abort_gpsieve("{.arg {arg}} must be a likelihood.", "Found {found}.", hint, call = call)
}

likelihood_response <- function(likelihood) likelihood_types[[likelihood$type]]$response

# The start value of the noise variance is this share of the variance of the response.
noise_share <- 0.1

#' Chooses the values that were left NULL from the response, on the scale of computation
#' @noRd
likelihood_resolve <- function(likelihood, y, levels = max(y) + 1) {
  for (name in open_values(likelihood)) {
    likelihood$values[[name]] <- switch(name,
      variance = noise_share * first_positive(stats::var(on_latent_scale(likelihood, y)), 1),
      scale = sqrt(noise_share) * first_positive(stats::mad(y), stats::sd(y), 1),
      cuts = first_cuts(y, levels), shape = , size = 2, precision = 10,
      zero_inflation = min(0.5, max(0.02, mean(y == 0) / 2))
    )
  }
  likelihood
}

#' Numbers of a response where the latent function is: positive numbers as logarithms
#' @noRd
on_latent_scale <- function(likelihood, y) {
  if (likelihood_response(likelihood) == "positive") log(y) else y
}

open_values <- function(likelihood) {
  as.character(names(likelihood$values)[vapply(likelihood$values, is.null, NA)])
}

#' The first of several measures of spread that is finite and positive
#'
#' The standard deviation of a single response is not finite, that of a constant one is 0.
#' @noRd
first_positive <- function(...) {
  candidates <- c(...)
  candidates[is.finite(candidates) & candidates > 0][1L]
}

#' The list from which the core makes the likelihood; its `table` has the intervals of censored
#' responses
#' @noRd
likelihood_spec <- function(likelihood) {
  hyper_values(likelihood)
  spec <- list(type = likelihood$type, values = c(likelihood$values, likelihood$table))
  if (has_own_function(likelihood)) spec$functions <- guarded_functions(likelihood$functions)
  spec
}
