# Likelihoods. A likelihood is a list:
#
#   type    the core's name for it ("gaussian", "probit", ...)
#   values  hyper-parameters and constants by argument name, natural scale; NULL = still to be
#           resolved from the data (likelihood_resolve())
#   fixed   names of the values that are not to be learned

# What each type observes and what it could learn, hyper-parameters in the order of the core. The
# others among its values are constants.
likelihood_types <- list(
  gaussian = list(response = "real", hyper = "variance"),
  probit = list(response = "binary", hyper = "noise"),
  label_noise = list(response = "binary", hyper = "noise"),
  logit = list(response = "binary", hyper = character()),
  poisson = list(response = "count", hyper = character()),
  student = list(response = "real", hyper = "scale")
)

#' A likelihood from the arguments of its constructor
#'
#' Every value is one positive number and may be wrapped in `fixed()`; those in `open` may be NULL.
#' @noRd
new_likelihood <- function(type, ..., open = character(), fixed = character(),
                           call = rlang::caller_env()) {
  given <- list(...)
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value)) {
      if (name %in% likelihood_types[[type]]$hyper) fixed <- union(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) {
      value <- check_positive(value, name, call, single = TRUE)
    }
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
#' @param ... Not used; anything here is an error.
#' @return A likelihood: an object of class `gpsieve_likelihood`. `print()` returns it invisibly,
#'   `format()` gives the expression as a string, numbers to four significant digits.
#' @seealso [lik_student()] for numbers with outliers, [lik_probit()] and [lik_logit()] for classes,
#'   [lik_poisson()] for counts.
#' @references
#' Rasmussen, C. E. and Williams, C. K. I. (2006). *Gaussian Processes for Machine Learning*,
#' chapter 2. MIT Press.
#' @examples
#' lik_gaussian()
#' lik_gaussian(variance = fixed(0.01))
#' @export
lik_gaussian <- function(variance = NULL, ...) {
  check_dots(...)
  new_likelihood("gaussian", variance = variance, open = "variance")
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
#' @param noise Variance of the noise: one positive number. Kept as given.
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
#' @export
lik_probit <- function(noise = 1, ...) {
  check_dots(...)
  new_likelihood("probit", noise = noise, fixed = "noise")
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
#' @inheritParams lik_probit
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
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_gaussian()]
#' @references
#' Diggle, P. J., Tawn, J. A. and Moyeed, R. A. (1998). Model-based geostatistics. *Applied
#' Statistics* 47, 299-350.
#' @examples
#' lik_poisson()
#' @export
lik_poisson <- function(...) {
  check_dots(...)
  new_likelihood("poisson")
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
format.gpsieve_likelihood <- function(x, ...) {
  # The noise of a probit is always fixed; it is printed without fixed().
  if (x$type %in% c("probit", "label_noise")) x$fixed <- character()
  text <- if (length(x$values)) format_values(x) else ""
  paste0("lik_", x$type, "(", text, ")")
}

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
  makers <- paste0("lik_", names(likelihood_types))
  uncalled <- is.function(x) && identical(environment(x), environment(as_likelihood))
  maker <- if (uncalled) {
    makers[vapply(makers, function(name) identical(x, get(name, environment(x))), NA)]
  } else if (rlang::is_string(x)) {
    intersect(paste0("lik_", sub("^lik_", "", sub("\\(\\)$", "", x))), makers)
  }
  hint <- if (!length(maker)) {
    "Likelihoods are made by {.or {.fn {makers}}}."
  } else if (uncalled) {
    "Add the parentheses: {.code {arg} = {maker}()}."
  } else {
    "Without the quotes: {.code {arg} = {maker}()}."
  }
  abort_gpsieve("{.arg {arg}} must be a likelihood.", "Found {found}.", hint, call = call)
}

likelihood_response <- function(likelihood) likelihood_types[[likelihood$type]]$response

#' The kind of response, or an error where the likelihood is not for responses of this kind
#'
#' `kind` describes the data: "number", "binary" or "multiclass", with `y` encoded for the core (n x
#' K). The value says how they are modelled: "real", "count", "binary" or "multiclass".
#' @noRd
check_response_matches <- function(likelihood, kind, y, call = rlang::caller_env()) {
  wanted <- likelihood_response(likelihood)
  maker <- paste0("lik_", likelihood$type)
  if (kind == "number") {
    if (wanted == "binary") {
      what <- if (all(y %in% 0:1)) "numbers, 0 and 1" else "numbers"
      abort_gpsieve("{.fn {maker}} is a likelihood for classes.",
        "The response consists of {what}.",
        "If they stand for classes, use {.code factor(y)}; otherwise {.fn lik_gaussian}.",
        class = "data", call = call
      )
    }
    if (wanted == "count") check_counts(y, maker, call)
    return(wanted)
  }
  if (wanted != "binary") {
    things <- if (wanted == "count") "counts" else "numbers"
    classes <- max(2L, NCOL(y))
    abort_gpsieve("{.fn {maker}} is a likelihood for {things}.",
      "The response consists of {classes} classes.",
      "Use {.fn lik_probit} or {.fn lik_logit}, or a response of numbers.",
      class = "data", call = call
    )
  }
  kind
}

check_counts <- function(y, maker, call) {
  bad <- which(y < 0 | y != trunc(y))
  if (!length(bad)) return(invisible())
  others <- if (length(bad) > 1L) ", and others" else ""
  abort_gpsieve("{.fn {maker}} needs counts: whole numbers from 0.",
    "Found {format(y[bad[1]])} in row {bad[1]}{others}.",
    "For other numbers use {.fn lik_gaussian} or {.fn lik_student}.",
    class = "data", call = call
  )
}

# The start value of the noise variance is this share of the variance of the response.
noise_share <- 0.1

#' Chooses the values that were left NULL from the response, on the scale of computation
#' @noRd
likelihood_resolve <- function(likelihood, y) {
  for (name in open_values(likelihood)) {
    likelihood$values[[name]] <- switch(name,
      variance = noise_share * first_positive(stats::var(y), 1),
      scale = sqrt(noise_share) * first_positive(stats::mad(y), stats::sd(y), 1)
    )
  }
  likelihood
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

#' The values of the hyper-parameters, or an error where some are still NULL
#' @noRd
hyper_values <- function(likelihood) {
  open <- open_values(likelihood)
  if (length(open)) {
    abort_gpsieve("The likelihood's {.field {open}} has not been chosen yet.",
      hint = "Fitting a model chooses from the data what was left {.code NULL}.",
      class = "object", call = NULL
    )
  }
  vapply(likelihood$values[likelihood_types[[likelihood$type]]$hyper], as.double, 0)
}

#' Hyper-parameters as a named vector on the log scale, in the order of the core
#' @noRd
likelihood_theta <- function(likelihood) {
  values <- hyper_values(likelihood)
  stats::setNames(log(values), paste0("likelihood.", names(values), recycle0 = TRUE))
}

#' The likelihood with these hyper-parameters: the inverse of likelihood_theta()
#' @noRd
likelihood_set_theta <- function(likelihood, theta) {
  old <- hyper_values(likelihood)
  if (length(theta) != length(old)) {
    abort_gpsieve("The likelihood has {length(old)} hyper-parameter{?s}.", "Found {length(theta)}.",
      class = "object", call = NULL
    )
  }
  # Values whose logarithm is unchanged are kept, because exp(log(x)) may differ from x by rounding.
  moved <- unname(theta) != log(old)
  likelihood$values[names(old)[moved]] <- as.list(exp(unname(theta)[moved]))
  likelihood
}

#' Which entries of likelihood_theta() are to be learned
#' @noRd
likelihood_free <- function(likelihood) {
  !likelihood_types[[likelihood$type]]$hyper %in% likelihood$fixed
}

#' The list from which the core makes the likelihood
#' @noRd
likelihood_spec <- function(likelihood) {
  hyper_values(likelihood)
  list(type = likelihood$type, values = likelihood$values)
}
