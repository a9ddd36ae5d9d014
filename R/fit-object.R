# The fit: a plain list, made and checked here and nowhere else.
#
#   posteriors  one per latent function: basis (indices into `rows`), weights, down, up, ...
#   basis       the union of basis points, on the scale of computation;  rows: their training rows
#               (NA for points that are none)
#   sites       Gaussian sites of training rows, per latent function
#   loo         leave-one-out log densities per training row, from models that keep them
#   state       what the model itself needs to go on from this fit;  labels: what it is called
#   inputs      centre and scale of every input column;  response: what y was and how it was coded
# No training data beyond the basis, no environment, no external pointer.

fit_fields <- c(
  "model", "posteriors", "basis", "rows", "sites", "kernel", "likelihood", "response", "inputs",
  "blueprint", "formula", "n", "evidence", "trace", "calibration", "loo", "converged", "reason",
  "seed", "settings", "state", "labels"
)

#' @noRd
new_fit <- function(model, ...) {
  fields <- list(model = model, ...)
  stopifnot(setequal(names(fields), fit_fields))
  validate_fit(structure(fields[fit_fields], class = c(paste0("gpsieve_", model), "gpsieve_fit")))
}

#' Stops unless the object has what prediction needs, in sizes that agree
#'
#' A fit may have been edited, truncated or read from a file of unknown origin: whatever is wrong
#' must become an R error here. The core checks indices and factors once more.
#' @noRd
validate_fit <- function(fit, call = rlang::caller_env()) {
  damaged <- function(problem) {
    abort_gpsieve("This is not a valid {.pkg gpsieve} fit.", "{problem}.",
      "Fit the model again, or restore the object from a good copy.",
      class = "object", call = call
    )
  }
  if (!is.list(fit) || !inherits(fit, "gpsieve_fit")) damaged("The object is not a fit")
  lacking <- setdiff(fit_fields, names(fit))
  if (length(lacking)) damaged(paste("It lacks", toString(lacking)))
  if (!is.matrix(fit$basis) || !is.double(fit$basis) || !all(is.finite(fit$basis))) {
    damaged("Its basis is not a matrix of finite numbers")
  }
  scales <- fit$inputs
  if (!is.list(scales) || !is.numeric(scales$center) || !is.numeric(scales$scale) ||
    length(scales$center) != ncol(fit$basis) || length(scales$scale) != ncol(fit$basis) ||
    !all(is.finite(scales$center)) || !all(is.finite(scales$scale)) || any(scales$scale <= 0)) {
    damaged("Its input scales do not match its basis")
  }
  if (!inherits(fit$kernel, "gpsieve_kernel")) damaged("Its kernel is not a kernel")
  if (!inherits(fit$likelihood, "gpsieve_likelihood")) damaged("Its likelihood is not a likelihood")
  described <- tryCatch(
    valid_response(fit$response, length(fit$posteriors)),
    error = function(e) FALSE
  )
  if (!isTRUE(described)) damaged("Its response is not described")
  if (!is.list(fit$posteriors) || !length(fit$posteriors)) damaged("It has no posterior")
  for (posterior in fit$posteriors) {
    fields <- c(
      "basis", "weights", "down", "up", "form", "whitening", "prior_scale",
      "prior_mean", "intercept"
    )
    good <- is.list(posterior) && all(fields %in% names(posterior)) &&
      is.integer(posterior$basis) && is.double(posterior$weights) &&
      is.list(posterior$down) && is.list(posterior$up) && is.matrix(posterior$form) &&
      is.double(posterior$form) && is.matrix(posterior$whitening) &&
      is.double(posterior$whitening) && is.logical(posterior$intercept) &&
      all(is.finite(posterior$weights)) && is_number(posterior$prior_mean) &&
      is_number(posterior$prior_scale)
    if (!good) damaged("A posterior lacks a part or has one of the wrong type")
  }
  fit
}

valid_response <- function(response, latents) {
  if (!is.list(response) || !is_string(response$kind)) return(FALSE)
  switch(response$kind,
    real = latents == 1L && is_number(response$center) && is_number(response$scale) &&
      response$scale > 0,
    count = latents == 1L,
    binary = latents == 1L && length(response$present) == 2L &&
      all(response$present %in% response$levels),
    multiclass = latents == length(response$present) && all(response$present %in% response$levels),
    FALSE
  )
}

#' Evaluates what reads a fit: an error nobody foresaw means the object is damaged
#' @noRd
from_fit <- function(expr, call = rlang::caller_env()) {
  rlang::try_fetch(expr,
    error = function(e) {
      if (inherits(e, "gpsieve_error")) return(rlang::zap()) # said already what is wrong
      said <- conditionMessage(e)
      abort_gpsieve("This is not a valid {.pkg gpsieve} fit.", "{said}",
        "Fit the model again, or restore the object from a good copy.",
        class = "object", call = call
      )
    }
  )
}

is_string <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

is_number <- function(x) is.double(x) && length(x) == 1L && is.finite(x)
