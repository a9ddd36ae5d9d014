# Likelihoods. A likelihood is a list:
#
#   type    the core's name for it ("gaussian", "probit", ...)
#   values  hyper-parameters and constants by argument name, natural scale; NULL = still to be
#           resolved from the data (likelihood_resolve())
#   fixed   names of the values that are not to be learned
#   noise   only of Gaussian noise that depends on the inputs (learned-noise.R)

# Flags of a likelihood, those of the core's class of it (core_likelihood_traits()): is the log
# density known to be concave in f, has the response the numbers 0, 1, 2 and so on, or -1 and 1, is
# inference exact, and how many numbers has the response of a row?
likelihood_traits <- function(likelihood) {
  family <- family_of(likelihood)
  own <- has_own_function(likelihood)
  list(
    log_concave =
      if (own) likelihood$values$log_concave > 0
      else family$concave && !"zero_inflation" %in% names(likelihood$values),
    count =
      if (own) likelihood$values$counts > 0
      else family$response %in% c("count", "trials", "ordinal"),
    binary = family$response == "binary",
    gaussian = has_gaussian_sites(likelihood), columns = likelihood_columns(likelihood)
  )
}

# Is the likelihood of a row, as a function of f, that of Gaussian noise, so that inference is
# exact? A warped response has Gaussian noise on another scale.
has_gaussian_sites <- function(likelihood) is_gaussian(likelihood) || is_warped(likelihood)

# How many numbers the response of a row has
likelihood_columns <- function(likelihood) {
  family <- family_of(likelihood)
  if (family$censored || family$response == "trials") 2L else 1L
}

# Is the log density of a likelihood not known to be concave in f? NULL, which stands for one that
# the package chooses, is concave.
is_not_log_concave <- function(likelihood) {
  !is.null(likelihood) && !likelihood_traits(likelihood)$log_concave
}

# A likelihood from the arguments of its constructor. Every value is what `check_value` says, one
# positive number, and may be wrapped in `fixed()`; those in `open` may be NULL.
new_likelihood <- function(type, ..., open = character(), fixed = character(),
                           check_value = single_positive) {
  given <- list(...)
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value)) {
      if (name %in% likelihood_families[[type]]$hyper) fixed <- union(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) value <- check_value(value, name)
    given[name] <- list(value)
  }
  structure(
    list(type = type, values = given, fixed = fixed),
    class = c(paste0("gpsieve_likelihood_", type), "gpsieve_likelihood")
  )
}

#' @export
format.gpsieve_likelihood <- function(x, digits = 3, ...) {
  if (has_own_function(x)) {
    return(paste0("lik_function(", if (is.null(x$name)) "<function>" else x$name, ")"))
  }
  # The noise of a probit is always fixed; it is printed without fixed().
  if (x$type %in% c("probit", "label_noise")) x$fixed <- character()
  text <- if (length(x$values)) format_values(x, digits) else character()
  if (identical(x$type, "warped_log")) text <- c(text, "log = TRUE")
  if (is_censored(x)) text <- c(dQuote(sub("censored_", "", x$type), FALSE), text)
  if (!is.null(x$noise)) text <- c(text, paste("noise = ~", expr_text(x$noise$formula[[2L]])))
  # TRUE asks for a share that is still to be chosen.
  if (is.null(x$values$zero_inflation) && "zero_inflation" %in% names(x$values)) {
    text <- c(text, "zero_inflation = TRUE")
  }
  paste0(likelihood_maker(x), "(", paste(text[nzchar(text)], collapse = ", "), ")")
}

# The functions that make likelihoods, and the one that makes this likelihood
likelihood_makers <- function() {
  unique(vapply(names(likelihood_families), function(type) likelihood_maker(list(type = type)), "",
    USE.NAMES = FALSE))
}

likelihood_maker <- function(likelihood) {
  if (is_censored(likelihood)) "lik_censored"
  else if (is_warped(likelihood)) "lik_warped"
  else paste0("lik_", likelihood$type)
}

# The arguments of the function that makes a likelihood
likelihood_arguments <- function(likelihood) {
  given <- likelihood$values
  if (has_own_function(likelihood)) {
    return(c(likelihood$functions, lapply(given, `>`, 0), list(name = likelihood$name)))
  }
  share <- match("zero_inflation", names(given))
  if (!is.na(share) && is.null(given[[share]])) given[[share]] <- TRUE
  if (!is.null(likelihood$noise)) given$noise <- likelihood$noise$formula
  if (is_warped(likelihood)) given$log <- identical(likelihood$type, "warped_log")
  if (is_censored(likelihood)) given$distribution <- sub("censored_", "", likelihood$type)
  given
}

is_censored <- function(likelihood) family_of(likelihood)$censored

#' @export
print.gpsieve_likelihood <- print_formatted

# The likelihood that an argument is, or an error that says how to make one
as_likelihood <- function(x, arg = rlang::caller_arg(x)) {
  if (inherits(x, "gpsieve_likelihood")) return(check_likelihood_parts(x, arg))
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
  abort_gpsieve("{.arg {arg}} must be a likelihood.", "Found {found}.", hint)
}

likelihood_response <- function(likelihood) family_of(likelihood)$response

# Chooses the values that were left NULL from the response, on the scale of computation
likelihood_resolve <- function(likelihood, y, levels = max(y) + 1) {
  open <- open_values(likelihood)
  if (length(open)) likelihood$values[open] <- family_of(likelihood)$start(y, levels)[open]
  likelihood
}

open_values <- function(likelihood) {
  as.character(names(likelihood$values)[vapply(likelihood$values, is.null, NA)])
}

# The log predictive density of responses as the core has them
log_density <- function(likelihood, y, mean, variance) {
  call_core(core_log_density, likelihood_spec(likelihood), as.matrix(y), mean, variance)
}

# The list from which the core makes the likelihood
likelihood_spec <- function(likelihood) {
  hyper_values(likelihood)
  spec <- list(type = likelihood$type, values = likelihood$values)
  if (has_own_function(likelihood)) spec$functions <- guarded_functions(likelihood$functions)
  spec
}
