# Likelihoods that are functions of the user's: the core calls the log density, and what it would
# compute slowly from that alone is computed here from the quantile function.

#' A likelihood of your own
#'
#' Any density of a numeric response given the latent function, written in R. Integrals over the
#' latent function are computed by quadrature, which calls the function hundreds of times for each
#' row: it is slow, on one thread, and meant for research. It has no hyper-parameters; parameters of
#' the function can be learned from outside, by the evidence, as the last example does. A fit keeps
#' the functions, with the environments they were made in.
#'
#' The response is not standardised, and the prior mean of the latent function is 0 unless
#' `prior_mean` is given: subtract a constant inside of the density, or give it, where the response
#' lies elsewhere.
#'
#' @param log_density `function(y, f)`: takes numeric vectors of one length, a response and a value
#'   of the latent function in each element, and returns \eqn{\log p(y \mid f)}{log p(y | f)} of each
#'   element; `-Inf` where the response is impossible.
#' @param quantile `function(p, f)`: the quantile of the response at probability `p` given `f`, for
#'   vectors of one length. With it means, variances and quantiles of new responses are computed
#'   quickly, and [simulate()][simulate.gpsieve_fit] needs nothing else. `NULL`: they are integrals
#'   of the density, which take seconds a row. Not used for counts.
#' @param simulate `function(f)`: one random response for each element of `f`, for
#'   [simulate()][simulate.gpsieve_fit]. `NULL`: quantiles at random probabilities.
#' @param derivatives `function(y, f)`: a matrix of two columns, the first and second derivatives of
#'   the log density by f. `NULL`: central differences of fourth order, which need five values.
#' @param counts Is the response a count, a whole number from 0, so that `log_density` is the
#'   logarithm of a probability?
#' @param log_concave Is the log density concave in f for every y? If so, the integrand is known to
#'   have one mode, which takes fewer calls, and models may use that no site is negative. A wrong
#'   `TRUE` gives wrong integrals.
#' @param name The name to print; `NULL` takes the name `log_density` was passed by.
#' @param ... Not used; anything here is an error.
#' @return A likelihood, as [lik_gaussian()] returns it.
#' @section Errors: classed `gpsieve_error_likelihood` where the function stops, returns something
#'   else than a number for each element, or `NaN`.
#' @seealso [lik_gaussian()] for the likelihoods of the package, [kernel_function()].
#' @examples
#' # Laplace noise of scale b
#' laplace <- function(b) {
#'   lik_function(function(y, f) -abs(y - f) / b - log(2 * b),
#'     quantile = function(p, f) f - b * sign(p - 0.5) * log(1 - 2 * abs(p - 0.5)),
#'     log_concave = TRUE, name = "laplace"
#'   )
#' }
#' d <- data.frame(x = seq(-3, 3, length.out = 15))
#' d$y <- sin(d$x) + c(0, 0, 2, 0, 0)
#' fit_at <- function(b) {
#'   ep_gp(y ~ x, d, inducing = 6, likelihood = laplace(b), optimise = FALSE, seed = 1)
#' }
#' predict(fit_at(0.3), d[1:3, ], interval = "prediction")
#' # the scale, by the evidence
#' sapply(c(0.1, 0.3, 1), function(b) evidence(fit_at(b))$value)
#' @export
lik_function <- function(log_density, quantile = NULL, simulate = NULL, derivatives = NULL,
                         counts = FALSE, log_concave = FALSE, name = NULL, ...) {
  passed <- substitute(log_density)
  check_dots(...)
  if (missing(log_density)) {
    abort_gpsieve("{.arg log_density} is missing.",
      hint = "It is a function of a response and a latent value, {.code log_density(y, f)}."
    )
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
    check_value = function(value, name, call) as.double(value)
  )
  out$functions <- functions
  out$name <- if (is.null(name) && is.symbol(passed)) as.character(passed) else name
  out
}

check_own_function <- function(f, arg, arguments, optional, call = rlang::caller_env()) {
  if (is.null(f) && optional) return(invisible())
  known <- if (is.function(f)) formals(args(f))
  required <- vapply(known, function(default) identical(default, quote(expr = )), NA)
  open <- "..." %in% names(known)
  good <- is.function(f) && (open || length(known) >= length(arguments)) &&
    !any(utils::tail(required & names(known) != "...", -length(arguments)))
  if (good) return(invisible())
  wanted <- paste0(arg, "(", toString(arguments), ")")
  found <- describe_function(f)
  abort_gpsieve("{.arg {arg}} must be a function, {.code {wanted}}.", "Found {found}.",
    call = call
  )
}

has_own_function <- function(likelihood) identical(likelihood$type, "function")

#' What the core needs of a likelihood of the user's beside its values; NULL for others
#' @noRd
own_functions_spec <- function(likelihood) {
  if (!has_own_function(likelihood)) return(NULL)
  functions <- likelihood$functions
  list(
    log_density = guarded_density(functions$log_density, "log_density", 1L),
    derivatives =
      if (!is.null(functions$derivatives)) guarded_density(functions$derivatives, "derivatives", 2L)
  )
}

#' The user's own function, whose errors and wrong shapes must say whose they are
#' @noRd
guarded_density <- function(fn, name, columns) {
  function(y, f) {
    value <- on_error(fn(y, f), function(e) {
      said <- conditionMessage(e)
      abort_gpsieve("{.fn {name}} of the likelihood stopped with an error.", "{said}",
        class = "likelihood", call = NULL
      )
    })
    if (is.numeric(value) && length(value) == columns * length(f)) return(as.double(value))
    found <- describe(value)
    abort_gpsieve("{.fn {name}} of the likelihood must return {columns} number{?s} a row.",
      "Found {found} for {length(f)} row{?s}.", class = "likelihood", call = NULL
    )
  }
}

#' Does the likelihood have a quantile function that stands for integrals of its density?
#' @noRd
has_own_quantile <- function(likelihood) {
  has_own_function(likelihood) && !is.null(likelihood$functions$quantile) &&
    likelihood$values$counts == 0
}

# The trapezoidal rule over standard normal numbers: exact to rounding for smooth functions.
normal_rule <- function(step) {
  z <- seq(-8.5, 8.5, by = step)
  w <- stats::dnorm(z)
  list(z = z, w = w / sum(w))
}

# Widest and narrowest steps, in standard deviations.
normal_steps <- c(narrowest = 0.01, widest = 0.25)

#' The rule over the latent function at marginals, with steps that resolve the noise
#' @noRd
latent_rule <- function(likelihood, mean, sd) {
  at <- function(p, f) conditional_quantile(likelihood, rep(p, length(f)), f)
  noise <- abs(at(0.69, mean) - at(0.31, mean))
  change <- abs(at(0.5, mean + sd) - at(0.5, mean - sd)) / 2
  ratio <- min(noise / pmax(change, .Machine$double.xmin), 1)
  normal_rule(max(normal_steps[["narrowest"]], normal_steps[["widest"]] * ratio))
}

conditional_quantile <- function(likelihood, p, f) {
  value <- guarded_density(likelihood$functions$quantile, "quantile", 1L)(p, f)
  if (!anyNA(value)) return(value)
  abort_gpsieve("{.fn quantile} of the likelihood must return numbers.",
    "Found {.val {value[is.na(value)][1L]}} at p = {p[is.na(value)][1L]}.", class = "likelihood",
    call = NULL
  )
}

#' Mean and variance of new responses, n x 2
#' @noRd
response_moments <- function(likelihood, mean, variance, call = rlang::caller_env()) {
  if (!has_own_quantile(likelihood)) {
    return(call_core(core_response, likelihood_spec(likelihood), mean, variance, call = call))
  }
  inner <- normal_rule(normal_steps[["widest"]])
  found <- vapply(seq_along(mean), function(i) {
    rule <- latent_rule(likelihood, mean[i], sqrt(variance[i]))
    f <- mean[i] + sqrt(variance[i]) * rule$z
    y <- conditional_quantile(likelihood, rep(stats::pnorm(inner$z), length(f)),
      rep(f, each = length(inner$z)))
    w <- outer(inner$w, rule$w)
    middle <- sum(w * y)
    c(middle, sum(w * (y - middle)^2))
  }, c(0, 0))
  t(found)
}

#' Quantiles of new responses, n x length(probs)
#'
#' The distribution function of a new response is the average of those given f, each of which is
#' found from the quantile function by bisection. The quantile lies between those given the values
#' of f.
#' @noRd
response_quantiles <- function(likelihood, spec, mean, variance, probs, call) {
  if (!has_own_quantile(likelihood)) {
    return(call_core(core_quantile, spec, mean, variance, probs, call = call))
  }
  mean <- as.double(mean)
  sd <- sqrt(as.double(variance))
  found <- vapply(seq_along(mean), function(i) {
    rule <- latent_rule(likelihood, mean[i], sd[i])
    f <- mean[i] + sd[i] * rule$z
    vapply(probs, function(p) {
      ends <- range(conditional_quantile(likelihood, rep(p, length(f)), f))
      bisect(ends[1L], ends[2L], function(y) sum(rule$w * own_cdf(likelihood, y, f)) < p)
    }, 0)
  }, numeric(length(probs)))
  matrix(found, length(mean), length(probs), byrow = TRUE)
}

#' P(Y <= y | f) for each f: the probability whose normal quantile is found by bisection
#' @noRd
own_cdf <- function(likelihood, y, f) {
  stats::pnorm(bisect(rep(-38, length(f)), rep(8.2, length(f)), function(z) {
    conditional_quantile(likelihood, stats::pnorm(z), f) < y
  }))
}

#' Where a function of vectors that is TRUE first becomes FALSE, between `low` and `high`
#' @noRd
bisect <- function(low, high, below) {
  for (step in seq_len(60L)) {
    middle <- (low + high) / 2
    left <- below(middle)
    low <- ifelse(left, middle, low)
    high <- ifelse(left, high, middle)
  }
  (low + high) / 2
}

#' A random response for each latent value
#' @noRd
own_draws <- function(likelihood, f, call) {
  functions <- likelihood$functions
  if (!is.null(functions$simulate)) {
    draw <- function(y, f) functions$simulate(f)
    return(guarded_density(draw, "simulate", 1L)(f, f))
  }
  if (!is.null(functions$quantile)) {
    return(conditional_quantile(likelihood, stats::runif(length(f)), f))
  }
  abort_gpsieve("{.fn simulate} needs to draw responses.",
    "{.fn lik_function} of this fit has neither {.arg simulate} nor {.arg quantile}.",
    class = "unsupported", call = call
  )
}
