# Likelihoods that are functions of the user's, which the core calls.

#' A likelihood of your own
#'
#' Any density of a numeric response given the latent function, written in R. Integrals over the
#' latent function are computed by quadrature, some hundred values a row, for which the function is
#' called with many rows at once: 1000 rows take seconds, on one thread. It has no hyper-parameters;
#' parameters of the function can be learned from outside, by the evidence, as the last example
#' does. A fit keeps the functions, with the environments they were made in.
#'
#' The response is not standardised, and the prior mean of the latent function is 0 unless
#' `prior_mean` is given: subtract a constant inside of the density, or give it, where the response
#' lies elsewhere.
#'
#' @param log_density `function(y, f)`: takes numeric vectors of one length, a response and a value
#'   of the latent function in each element, and returns \eqn{\log p(y \mid f)}{log p(y | f)}
#'   of each element. It must be finite, also where it is far below its largest value: compute the
#'   logarithm, as `dnorm(log = TRUE)` does, because `log(dnorm())` is `-Inf` from 38 standard
#'   deviations on. Responses whose range depends on f are not supported.
#' @param quantile `function(p, f)`: the quantile of the response at probability `p` given `f`, for
#'   vectors of one length. From it come means, variances and quantiles of new responses, and
#'   [simulate()][simulate.gpsieve_fit] needs nothing else. `NULL`: they are integrals of the
#'   density over responses, which take some milliseconds a row. Of counts these are sums.
#' @param simulate `function(f)`: one random response for each element of `f`, for
#'   [simulate()][simulate.gpsieve_fit]. `NULL`: quantiles at random probabilities, if there is a
#'   `quantile`.
#' @param derivatives `function(y, f)`: a matrix of two columns, the first and second derivatives of
#'   the log density by f, for methods that use those (`greedy_gp()`, Laplace's method). `NULL`:
#'   central differences of fourth order.
#' @param counts Is the response a count, a whole number from 0, so that `log_density` is the
#'   logarithm of a probability?
#' @param log_concave Is the log density finite and concave in f for every y? [meanfield_gp()] needs
#'   that, and other models may use that no site is negative. A wrong `TRUE` may give a wrong
#'   posterior, or an error.
#' @param name The name to print; `NULL` takes the name `log_density` was passed by.
#' @param ... Not used; anything here is an error.
#' @return A likelihood, as [lik_gaussian()] returns it.
#' @section Equation: the predictive distribution of a response whose quantile given f is
#'   \eqn{q(p, f)}{q(p, f)} is
#'   \deqn{P(Y \le y) = \int \max\{p : q(p, f) \le y\} \, N(f; \mu, v) \, df}{
#'   P(Y <= y) = integral of max{p: q(p, f) <= y} N(f; mu, v) df}
#'   with \eqn{\mu}{mu} and \eqn{v}{v} the posterior mean and variance of the latent function.
#' @section Errors: classed `gpsieve_error_likelihood` where the function stops, returns something
#'   else than a number for each element, or `NaN`.
#' @seealso [lik_gaussian()] for the likelihoods of the package, [kernel_function()].
#' @examples
#' # logistic noise of scale s
#' logistic <- function(s) {
#'   lik_function(function(y, f) dlogis(y, f, s, log = TRUE),
#'     quantile = function(p, f) qlogis(p, f, s), log_concave = TRUE, name = "logistic"
#'   )
#' }
#' d <- data.frame(x = seq(-3, 3, length.out = 12))
#' d$y <- sin(d$x) + c(0, 0, 2, 0)
#' fit_at <- function(s) {
#'   ep_gp(y ~ x, d, inducing = 5, likelihood = logistic(s), optimise = FALSE, seed = 1)
#' }
#' fit <- fit_at(0.3)
#' predict(fit, d[1:2, ], interval = "prediction")
#' # the scale, by the evidence
#' c(evidence(fit)$value, evidence(fit_at(1))$value)
#' @export
lik_function <- function(log_density, quantile = NULL, simulate = NULL, derivatives = NULL,
                         counts = FALSE, log_concave = FALSE, name = NULL, ...) {
  passed <- substitute(log_density)
  check_dots(...)
  if (missing(log_density)) {
    abort_gpsieve("{.arg log_density} is missing.",
      hint = "It is a function of a response and a latent value, {.code log_density(y, f)}.")
  }
  wanted <- list(log_density = c("y", "f"), quantile = c("p", "f"), simulate = "f",
    derivatives = c("y", "f"))
  functions <- list(log_density = log_density, quantile = quantile, simulate = simulate,
    derivatives = derivatives)
  for (part in names(wanted)) {
    check_own_function(functions[[part]], part, wanted[[part]], part != "log_density")
  }
  if (!is.null(name) && !is_string(name)) {
    found <- describe(name)
    abort_gpsieve("{.arg name} must be a single string or NULL.", "Found {found}.")
  }
  flags <- list(counts = check_flag(counts), log_concave = check_flag(log_concave))
  out <- new_likelihood("function", counts = flags$counts, log_concave = flags$log_concave,
    check_value = function(value, name) as.double(value))
  out$functions <- functions
  out$name <- if (is.null(name) && is.symbol(passed)) as.character(passed) else name
  out
}

check_own_function <- function(f, arg, arguments, optional) {
  if (is.null(f) && optional) return(invisible())
  known <- if (is.function(f)) formals(args(f))
  required <- vapply(known, function(default) identical(default, quote(expr = )), NA)
  open <- "..." %in% names(known)
  good <- is.function(f) && (open || length(known) >= length(arguments)) &&
    !any(utils::tail(required & names(known) != "...", -length(arguments)))
  if (good) return(invisible())
  wanted <- paste0(arg, "(", toString(arguments), ")")
  found <- describe_function(f)
  abort_gpsieve("{.arg {arg}} must be a function, {.code {wanted}}.", "Found {found}.")
}

function_family <- list(
  response = "free", hyper = character(), link = "unknown", exported = "none",
  concave = function(values) values$log_concave > 0,
  arguments = function(likelihood) {
    c(likelihood$functions, lapply(likelihood$values, `>`, 0), list(name = likelihood$name))
  },
  text = function(likelihood, values) {
    if (is.null(likelihood$name)) "<function>" else likelihood$name
  },
  draw = function(likelihood, f, unit, trials) own_draws(likelihood, f),
  words = function(likelihood, unit) format(likelihood)
)

# What the core calls
guarded_functions <- function(functions) {
  columns <- c(log_density = 1L, derivatives = 2L, quantile = 1L)
  lapply(rlang::set_names(names(columns)), function(name) {
    if (!is.null(functions[[name]])) guarded_function(functions[[name]], name, columns[[name]])
  })
}

# The user's own function, whose errors and wrong shapes must say whose they are
guarded_function <- function(fn, name, columns) {
  function(y, f) {
    value <- withCallingHandlers(fn(y, f), error = function(e) {
      if (is_time_limit(e)) return()
      said <- conditionMessage(e)
      abort_gpsieve("{.fn {name}} of the likelihood stopped with an error.", "{said}",
        class = "likelihood")
    })
    if (is.numeric(value) && length(value) == columns * length(f)) return(as.double(value))
    found <- describe(value)
    abort_gpsieve("{.fn {name}} of the likelihood must return {columns} number{?s} a row.",
      "Found {found} for {length(f)} row{?s}.", class = "likelihood")
  }
}

# A random response for each latent value
own_draws <- function(likelihood, f) {
  functions <- likelihood$functions
  if (!is.null(functions$simulate)) {
    draw <- function(y, f) functions$simulate(f)
    return(guarded_function(draw, "simulate", 1L)(f, f))
  }
  if (!is.null(functions$quantile)) {
    return(guarded_function(functions$quantile, "quantile", 1L)(stats::runif(length(f)), f))
  }
  abort_gpsieve("{.fn simulate} needs to draw responses.",
    "{.fn lik_function} of this fit has neither {.arg simulate} nor {.arg quantile}.",
    class = "unsupported")
}
