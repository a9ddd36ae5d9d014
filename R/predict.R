# The one way to predict, whatever model made the fit.

#' Predictions
#'
#' Every model of the package ends in the same kind of posterior, so one function predicts from all:
#' \deqn{mean(x) = b + k_B(x)'\alpha, \quad var(x) = c\,k(x,x) - |D k_B(x)|^2 + |U k_B(x)|^2.}
#'
#' @param object A fit.
#' @param newdata Data frame or matrix with the training columns, or a source of rows; extra columns
#'   are ignored. There is no default.
#' @param type
#' * `"response"`: the mean of a numeric response, or the most probable class as a factor with the
#'   training levels.
#' * `"prob"`: an n x K matrix of class probabilities, columns named by level. For more than two
#'   classes these are the odds of the one-vs-rest machines, normalised to sum to one: the
#'   probability of each class given that exactly one machine says yes. A joint [ep_gp()] has no
#'   machines; its probabilities are those of the largest latent function.
#' * `"link"`: the latent function's mean, prior mean included (a matrix for several classes).
#' * `"quantile"`: quantiles of the predictive distribution of a numeric response, an
#'   n x `length(probs)` matrix.
#' @param se.fit Also the latent standard deviation? Then the answer is `list(fit, se.fit)`.
#' @param probs Probabilities of the quantiles; only with `type = "quantile"`.
#' @param into Where predictions for a source of rows (see [rows_from_function()]) go, block by block:
#'   the name of a `.csv` or `.parquet` file, or `list(con, "table")` for a new table of a database.
#'   `NULL` collects them in one data frame.
#' @param threads Number of threads; results do not depend on it.
#' @param verbose Show a progress bar for long predictions?
#' @param ... Not used; anything here is an error.
#' @return As many rows as `newdata`, in its order. A row with a missing value gives `NA`. A row's
#'   prediction does not depend on the other rows.
#' @section Errors: classed `gpsieve_error_data` for missing columns, new factor levels and infinite
#'   values; `gpsieve_error_unsupported` for a type the response does not have.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' @importFrom stats predict
#' @export
predict.gpsieve_fit <- function(object, newdata, type = c("response", "prob", "link", "quantile"),
                                se.fit = FALSE, probs = c(0.05, 0.95), ..., into = NULL,
                                threads = NULL, verbose = FALSE) {
  call <- rlang::current_env()
  check_dots(..., call = call)
  validate_fit(object, call)
  type <- check_choice(type, c("response", "prob", "link", "quantile"), call = call)
  se.fit <- check_flag(se.fit, call = call)
  if (missing(newdata)) {
    abort_gpsieve("{.arg newdata} is missing.",
      hint = "There is no default: a fit does not keep its training rows.", call = call
    )
  }
  check_type_is_offered(object, type, se.fit, call)
  if (!missing(probs) && type != "quantile") {
    abort_gpsieve("{.arg probs} goes with {.code type = \"quantile\"} only.",
      "Found {.code type = \"{type}\"}.", call = call
    )
  }
  if (type == "quantile") probs <- check_probs(probs, call)
  threads <- resolve_threads(threads, call)
  bar <- progress_bar(check_flag(verbose, call = call), "Predicting")

  answer <- function(newdata) {
    x <- from_fit(forge_new(object, newdata, call), call)
    from_fit(predict_rows(object, x, type, se.fit, probs, core_settings(threads, bar), call), call)
  }
  if (is_rows(newdata)) return(predict_source(object, newdata, into, answer, call))
  if (!is.null(into)) {
    abort_gpsieve("{.arg into} goes with a source of rows as {.arg newdata} only.", call = call)
  }
  answer(newdata)
}

#' Predictions for the rows of a model matrix; rows with missing values give NA
#' @noRd
predict_rows <- function(object, x, type, se.fit, probs, settings, call) {
  complete <- which(rowSums(is.na(x)) == 0)
  rows <- apply_scales(x[complete, , drop = FALSE], object$inputs)
  wants <- type %in% c("prob", "quantile") || se.fit || needs_variance(object)
  latent <- latent_marginals(object, rows, wants, settings, call)
  spread <- function(values) fill_rows(values, complete, nrow(x))
  switch(type,
    response = if (is_classification(object$response)) {
      predicted_class(object, latent, spread)
    } else {
      with_error(
        spread(predicted_mean(object, latent)), spread(latent_sd(object, latent)), se.fit
      )
    },
    prob = spread(predicted_probabilities(object, latent)),
    link = with_error(
      spread(latent_mean(object, latent)), spread(latent_sd(object, latent)), se.fit
    ),
    quantile = spread(predicted_quantiles(object, latent, probs, call))
  )
}

#' Latent means and variances on the scale of computation, n x K matrices
#' @noRd
latent_marginals <- function(fit, x, variance, settings, call) {
  call_core(core_predict, kernel_spec(fit$kernel), fit$basis, fit$posteriors, x, variance, settings,
    call = call
  )
}

# A binary class is decided by the sign of the latent mean (both links are symmetric), a Gaussian
# or Student mean by the latent mean alone.
needs_variance <- function(fit) fit$response$kind %in% c("multiclass", "count")

check_type_is_offered <- function(fit, type, se.fit, call) {
  classes <- is_classification(fit$response)
  if (type == "prob" && !classes) {
    abort_gpsieve("{.code type = \"prob\"} needs a classification fit.",
      hint = "For a numeric response use {.val response} or {.val quantile}.",
      class = "unsupported", call = call
    )
  }
  if (type == "quantile" && classes) {
    abort_gpsieve("{.code type = \"quantile\"} needs a numeric response.",
      hint = "For classes use {.val prob}.", class = "unsupported", call = call
    )
  }
  if (se.fit && (type %in% c("prob", "quantile") || (type == "response" && classes))) {
    abort_gpsieve("{.arg se.fit} does not go with {.code type = \"{type}\"}.",
      hint = "The latent standard deviation comes with {.code type = \"link\"}.",
      class = "unsupported", call = call
    )
  }
}

check_probs <- function(probs, call) {
  if (!is.numeric(probs) || !length(probs) || anyNA(probs) || any(probs <= 0 | probs >= 1)) {
    found <- describe(probs)
    abort_gpsieve("{.arg probs} must be probabilities strictly between 0 and 1.", "Found {found}.",
      call = call
    )
  }
  as.double(probs)
}

with_error <- function(fit, se, wanted) if (wanted) list(fit = fit, se.fit = se) else fit

#' Spreads predictions of the complete rows over all rows, NA elsewhere
#' @noRd
fill_rows <- function(values, complete, n) {
  if (is.null(values)) return(NULL)
  if (is.matrix(values)) {
    out <- matrix(values[NA_integer_][1L], n, ncol(values), dimnames = list(NULL, colnames(values)))
    out[complete, ] <- values
    return(out)
  }
  if (length(complete) == n) return(values)
  out <- rep(values[NA_integer_], n)
  out[complete] <- values
  out
}

latent_mean <- function(fit, latent) {
  shape_latent(fit, latent$mean * latent_scale(fit) + latent_center(fit))
}

latent_sd <- function(fit, latent) {
  if (is.null(latent$variance)) return(NULL)
  shape_latent(fit, sqrt(latent$variance) * latent_scale(fit))
}

# Only a standardised real response puts the latent function on another scale.
latent_scale <- function(fit) if (fit$response$kind == "real") fit$response$scale else 1
latent_center <- function(fit) if (fit$response$kind == "real") fit$response$center else 0

shape_latent <- function(fit, values) {
  if (ncol(values) == 1L) return(drop(values))
  colnames(values) <- names(fit$posteriors)
  values
}

predicted_mean <- function(fit, latent) {
  if (fit$response$kind == "real") return(drop(latent_mean(fit, latent)))
  call_core(core_response, likelihood_spec(fit$likelihood), latent$mean, latent$variance)[, 1L]
}

predicted_quantiles <- function(fit, latent, probs, call) {
  out <- call_core(core_quantile, likelihood_spec(fit$likelihood), latent$mean, latent$variance,
    probs,
    call = call
  )
  out <- out * latent_scale(fit) + latent_center(fit)
  colnames(out) <- paste0(formatC(100 * probs, format = "fg", width = 1, digits = 7), "%")
  out
}

#' Class probabilities for all training levels; a level without a training row has probability 0
#' @noRd
predicted_probabilities <- function(fit, latent) {
  response <- fit$response
  out <- matrix(0, nrow(latent$mean), length(response$levels),
    dimnames = list(NULL, response$levels)
  )
  out[, response$present] <- exp(log_class_probabilities(fit$likelihood, response, latent))
  out
}

# One-vs-rest machines each give P_c = P(class is c) on their own. That exactly one of them is right
# has probability proportional to P_c times the product of 1 - P_k over the others, that is to the
# odds P_c / (1 - P_c): normalised odds, which keep the order of the P_c. (Normalised P_c would be
# far too modest: K - 1 machines that are each a little unsure add up.)
log_class_probabilities <- function(likelihood, response, latent) {
  spec <- likelihood_spec(likelihood)
  if (identical(response$scheme, "joint")) {
    return(call_core(core_argmax_probability, spec, latent$mean, latent$variance))
  }
  each <- lapply(seq_len(ncol(latent$mean)), function(k) {
    call_core(core_log_probability, spec, latent$mean[, k], latent$variance[, k])
  })
  if (response$kind == "binary") return(each[[1L]][, 2:1, drop = FALSE])
  normalise_log(do.call(cbind, lapply(each, function(e) e[, 1L] - e[, 2L])))
}

#' Rows of log weights, normalised to log probabilities
#' @noRd
normalise_log <- function(weights) {
  if (nrow(weights) == 0L) return(weights)
  largest <- weights[cbind(seq_len(nrow(weights)), max.col(weights, "first"))]
  weights <- weights - largest
  weights - log(rowSums(exp(weights)))
}

predicted_class <- function(fit, latent, spread) {
  response <- fit$response
  chosen <- if (response$kind == "binary") {
    1L + (drop(latent$mean) > 0)
  } else {
    max.col(log_class_probabilities(fit$likelihood, response, latent), "first")
  }
  factor(response$present[spread(as.integer(chosen))], levels = response$levels)
}
