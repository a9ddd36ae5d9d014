# Likelihoods. A likelihood is a list:
#
#   type    the core's name for it ("gaussian", "probit", ...)
#   values  hyper-parameters and constants by argument name, natural scale; NULL = still to be
#           resolved from the data (likelihood_resolve())
#   fixed   names of the values that are not to be learned
#   noise   only of Gaussian noise that depends on the inputs (model-learned-noise.R)

# Flags of a likelihood, those of the core's class of it (core_likelihood_traits()): is the log
# density known to be concave in f, has the response the numbers 0, 1, 2 and so on, or -1 and 1, is
# inference exact, and how many numbers has the response of a row?
likelihood_traits <- function(likelihood) {
  family <- family_of(likelihood)
  list(
    log_concave = takes_mean_field(likelihood),
    count = family$response %in% c("count", "trials", "ordinal") ||
      isTRUE(likelihood$values$counts > 0),
    binary = family$response == "binary",
    gaussian = has_gaussian_sites(likelihood), columns = likelihood_columns(likelihood)
  )
}

# How many numbers the response of a row has
likelihood_columns <- function(likelihood) {
  family <- family_of(likelihood)
  if (family$intervals || family$response == "trials") 2L else 1L
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
  family <- family_of(x)
  # The noise of classes cannot be learned; it is printed without fixed().
  if (family$response == "binary") x$fixed <- character()
  text <- family$text(x, if (length(x$values)) format_values(x, digits))
  if (!is.null(x$noise)) text <- c(text, paste("noise = ~", expr_text(x$noise$formula[[2L]])))
  # TRUE asks for a share that is still to be chosen.
  if (is.null(x$values$zero_inflation) && "zero_inflation" %in% names(x$values)) {
    text <- c(text, "zero_inflation = TRUE")
  }
  call_text(x, text)
}

# The call of the function that makes a likelihood, with this text of its arguments
call_text <- function(likelihood, text) {
  paste0(likelihood_maker(likelihood), "(", paste(text[nzchar(text)], collapse = ", "), ")")
}

# Why a likelihood is not one that takes_mean_field(), as the text of a message
why_not_log_concave <- function(likelihood) {
  paste0("{.fn ", likelihood_maker(likelihood), "} ",
    if (evaluates_r(likelihood)) "is not known to be, without {.code log_concave = TRUE}."
    else if ("zero_inflation" %in% names(likelihood$values)) "with a zero inflation is not."
    else "is not.")
}

# The functions that make likelihoods
likelihood_makers <- function() unique(vapply(likelihood_families, `[[`, "", "maker"))

# The arguments of the function that makes a likelihood
likelihood_arguments <- function(likelihood) {
  given <- family_of(likelihood)$arguments(likelihood)
  share <- match("zero_inflation", names(given))
  if (!is.na(share) && is.null(given[[share]])) given[[share]] <- TRUE
  if (!is.null(likelihood$noise)) given$noise <- likelihood$noise$formula
  given
}

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
  if (evaluates_r(likelihood)) spec$functions <- guarded_functions(likelihood$functions)
  spec
}

# Stops unless every part of a likelihood is what its constructor makes
check_likelihood_parts <- function(likelihood, arg) {
  check_parts(is_remade(likelihood, likelihood_maker(likelihood), likelihood_arguments(likelihood)),
    arg, "likelihood")
  likelihood
}

likelihood_maker <- function(likelihood) family_of(likelihood)$maker

# Only a standardised real response puts the latent function on another scale.
latent_scale <- function(fit) if (fit$response$kind == "real") fit$response$scale else 1

latent_center <- function(fit) if (fit$response$kind == "real") fit$response$center else 0
