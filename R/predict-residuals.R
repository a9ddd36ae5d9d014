# Fitted values, residuals and the noise, of the training rows that a fit keeps or of other rows.

#' Fitted values and residuals
#'
#' Of the training rows, from what the fit keeps of them, or of other rows with a response. Without
#' `newdata` the rows that `na.action = na.exclude` left out of the fit are `NA`, as in
#' [stats::residuals()].
#'
#' @param object A fit.
#' @param newdata Rows with the training columns and, for a fit made from a formula or a recipe, the
#'   response. Without it the training rows; a fit that keeps nothing of them (see the setting
#'   `keep` of its control function) needs `newdata`.
#' @param y The response of `newdata` where it is not among its columns.
#' @param type
#' * `"response"`: the response minus what `predict()` gives, its predictive mean or, with
#'   [lik_quantile()], the quantile; for successes among trials their share minus the probability;
#'   for two classes 1 or 0 for the second
#'   class minus its probability, for more classes a matrix with a column for each.
#' * `"pearson"`: divided by the standard deviation of the predictive distribution.
#' * `"deviance"`: the signed square root of twice the log likelihood that the response loses
#'   against a perfect fit: \eqn{(y - \mu) / \sigma}{(y - mu) / sigma} for Gaussian noise of
#'   standard deviation \eqn{\sigma}{sigma}. For more than two classes all are positive.
#'   [lik_function()] has none.
#' * `"quantile"`: standard normal quantiles of the predictive distribution function at the response
#'   (Dunn and Smyth 1996): standard normal if the predictions are right. For counts, two or ordered
#'   classes and numbers of which only an interval is known the distribution function has jumps, and
#'   a uniform number is drawn within each. More classes without an order have none.
#' @param ... Not used; anything here is an error.
#' @param seed For `type = "quantile"` where numbers are drawn: a whole number, or `NULL` to draw
#'   from R's generator where it stands.
#' @return A number for each row, or a matrix; `NA` where a value is missing. `fitted()` gives what
#'   `predict()` gives for a numeric response, the probability of the second of two classes, or a
#'   matrix with the probability of each of more classes, and `sigma()` the standard deviation of
#'   noise that is added to a numeric response (Gaussian, also with censored numbers, or Student's
#'   t): one number, or, where the noise depends on the inputs, one for each row. `sigma()` of other
#'   likelihoods, and of rows with a known `noise_sd`, is an error.
#' @references Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of
#'   Computational and Graphical Statistics* 5, 236-244.
#' @seealso [augment()][augment.gpsieve_fit] for data with predictions and residuals.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' head(residuals(fit, "pearson"))
#' head(fitted(fit))
#' residuals(fit, newdata = data.frame(speed = c(5, 15), dist = c(4, 45)))
#' sigma(fit)
#' @name residuals
NULL

#' @rdname residuals
#' @importFrom stats residuals
#' @export
residuals.gpsieve_fit <- function(object, type = c("response", "pearson", "deviance", "quantile"),
                                  newdata, y = NULL, ..., seed = NULL) {
  check_dots(...)
  validate_fit(object)
  type <- check_choice(type)
  training <- missing(newdata)
  if (training) check_goes_without_newdata(list(y = y))
  from_fit({
    at <-
      if (training) predictive_at_training(object)
      else predictive_at(object, newdata, y, type != "response")
    compute <- if (is_classification(object$response)) class_residuals else number_residuals
    found <- under_seed(seed, compute(object, at, type))
    if (training) for_training_rows(object, found)
    else with_row_names(found, text_row_names(newdata))
  })
}

#' @rdname residuals
#' @importFrom stats fitted
#' @export
fitted.gpsieve_fit <- function(object, newdata, ...) {
  check_dots(...)
  validate_fit(object)
  type <- if (is_classification(object$response)) "prob" else "response"
  if (missing(newdata)) kept_rows(object, "fitted")
  p <- if (missing(newdata)) predict(object, type = type) else predict(object, newdata, type = type)
  if (object$response$kind == "binary") p[, second_level(object$response)] else p
}

#' @rdname residuals
#' @importFrom stats sigma
#' @export
sigma.gpsieve_fit <- function(object, newdata, ...) {
  check_dots(...)
  validate_fit(object)
  if (has_learned_noise(object)) {
    if (!missing(newdata)) return(from_fit(learned_noise_sd(object, newdata, "newdata")))
    return(for_training_rows(object, kept_rows(object, "sigma")$noise_sd))
  }
  if (!missing(newdata)) {
    abort_gpsieve("The noise of this fit does not depend on {.arg newdata}.",
      hint = "{.code lik_gaussian(noise = )} makes noise that depends on the inputs.",
      class = "unsupported")
  }
  if (has_known_noise(object)) {
    abort_gpsieve("The rows of this fit have noises of their own: {.arg noise_sd}.",
      class = "unsupported")
  }
  noise_sd <- family_of(object$likelihood)$noise_sd
  if (!is.null(noise_sd)) return(noise_sd(object$likelihood$values) * latent_scale(object))
  maker <- likelihood_maker(object$likelihood)
  abort_gpsieve("{.fn {maker}} has no noise of its own scale.",
    hint = "{.fn sigma} is the standard deviation of noise that is added to a numeric response.",
    class = "unsupported")
}

# Latent marginals and the response at the rows of data: list(latent, y), scale of computation;
# rows with missing values are missing in both
predictive_at <- function(fit, data, y, speaks_of_noise = TRUE) {
  at <- known_rows(fit, data, y)
  latent <- latent_marginals(fit, at$rows, TRUE, core_settings(1L), at$offset)
  noise_sd <- if (speaks_of_noise && has_row_noise(fit)) {
    noise_of_rows(fit, data, NULL)
  }
  if (!is.null(noise_sd)) at$y[is.na(noise_sd)] <- NA
  list(latent = lapply(latent, fill_rows, at$complete, NROW(at$y)), y = at$y, noise_sd = noise_sd)
}

# The response of all rows of data, and the inputs and offsets of those without missing inputs, as
# complete_rows() returns them; scale of computation
known_rows <- function(fit, data, y) {
  truth <- response_of(fit, data, y)
  x <- forge_new(fit, data)
  coded <- if (is_classification(fit$response)) truth else code_response(truth, fit)
  c(list(y = coded), complete_rows(fit, x))
}

number_residuals <- function(fit, at, type) {
  known <- which(!is.na(at$latent$mean[, 1L]) & !is.na(at$y[, 1L]))
  latent <- list(
    mean = at$latent$mean[known, , drop = FALSE],
    variance = at$latent$variance[known, , drop = FALSE]
  )
  y <- at$y[known, , drop = FALSE]
  noise_sd <- at$noise_sd[known]
  if (!is.null(noise_sd) && type != "response") {
    if (type == "deviance") {
      found <- (y[, 1L] - latent$mean[, 1L]) * latent_scale(fit) / noise_sd
      return(fill_rows(found, known, nrow(at$latent$mean)))
    }
    changed <- with_noise_of_rows(fit, latent, noise_sd)
    fit <- changed$fit
    latent <- changed$latent
  }
  if (fit$response$kind == "trials") {
    return(fill_rows(trials_residual(fit, y, latent, type), known, nrow(at$latent$mean)))
  }
  if (type == "deviance" && is.null(family_of(fit$likelihood)$deviance)) {
    abort_gpsieve("{.fn lik_function} has no deviance: the best fit of a response is not known.",
      class = "unsupported")
  }
  moments <- call_core(core_response, likelihood_spec(fit$likelihood), latent$mean, latent$variance)
  if (fit$response$kind == "real") moments[, 1L] <- latent$mean
  number <- ifelse(is_interval(y, fit$likelihood), NA, y[, 1L])
  found <- switch(type,
    response = (number - moments[, 1L]) * latent_scale(fit),
    pearson = (number - moments[, 1L]) / sqrt(predictive_variance(fit, latent, moments)),
    deviance = family_of(fit$likelihood)$deviance(fit$likelihood,
      if (ncol(y) == 1L) y[, 1L] else y, moments[, 1L], latent),
    quantile = quantile_residual(fit$likelihood, y, latent))
  fill_rows(found, known, nrow(at$latent$mean))
}

predictive_variance <- function(fit, latent, moments) {
  noise_sd <- family_of(fit$likelihood)$noise_sd
  if (is.null(noise_sd)) moments[, 2L]
  else latent$variance[, 1L] + noise_sd(fit$likelihood$values)^2
}

quantile_residual <- function(likelihood, y, latent) {
  if (has_gaussian_sites(likelihood)) {
    sd <- sqrt(latent$variance[, 1L] + likelihood$values$variance)
    return((latent_responses(likelihood, y[, 1L]) - latent$mean[, 1L]) / sd)
  }
  spec <- likelihood_spec(likelihood)
  mean <- latent$mean[, 1L]
  variance <- latent$variance[, 1L]
  if (family_of(likelihood)$symmetric) {
    # The smaller of the two tails keeps its digits.
    away <- abs(y[, 1L] - mean)
    lower_tail <- call_core(core_cdf, spec, mean - away, mean, variance)
    return(-sign(y[, 1L] - mean) * stats::qnorm(lower_tail))
  }
  upper <- call_core(core_cdf, spec, y[, ncol(y)], mean, variance)
  jumps <- is_interval(y, likelihood) | is_of_counts(likelihood)
  if (!any(jumps)) return(stats::qnorm(upper))
  p <- jumps * exp(log_density(likelihood, y, mean, variance))
  stats::qnorm(pmin(pmax(upper - stats::runif(nrow(y)) * p, 0), 1))
}

class_residuals <- function(fit, at, type) {
  p <- predicted_probabilities(fit, at$latent)
  codes <- as.integer(at$y)
  truth <- cbind(seq_along(codes), codes)
  happened <- outer(codes, seq_len(ncol(p)), "==") + 0
  dimnames(happened) <- dimnames(p)
  second <- if (fit$response$kind == "binary") second_level(fit$response)
  residual <- happened - p
  sd <- sqrt(p * (1 - p))
  if (type == "response" || type == "pearson") {
    if (type == "pearson") residual <- residual / sd
    return(if (is.null(second)) residual else residual[, second])
  }
  if (type == "deviance") {
    size <- sqrt(pmax(0, -2 * log(p[truth])))
    return(if (is.null(second)) size else sign(residual[, second]) * size)
  }
  if (fit$response$kind == "ordinal") {
    below <- cbind(0, cumulated(p))[truth]
    return(stats::qnorm(below + stats::runif(length(codes)) * p[truth]))
  }
  if (is.null(second)) {
    abort_gpsieve("Quantile residuals need two classes or numbers.",
      "This fit has {length(fit$response$present)} classes, which have no order.",
      class = "unsupported")
  }
  below <- ifelse(happened[, second] == 1, 1 - p[, second], 0)
  stats::qnorm(below + stats::runif(length(codes)) * p[truth])
}

# Log predictive density of the response of every row, on the response's own scale
log_predictive <- function(fit, data, y) log_density_at(fit, predictive_at(fit, data, y))

# The same from latent marginals and responses, as predictive_at() has them
log_density_at <- function(fit, at) {
  known <- which(!is.na(at$latent$mean[, 1L]) & !rowSums(is.na(cbind(at$y))))
  n <- nrow(at$latent$mean)
  latent <- lapply(at$latent, function(v) v[known, , drop = FALSE])
  if (is_classification(fit$response)) {
    codes <- match(fit$response$levels[as.integer(at$y)[known]], fit$response$present)
    p <- log_class_probabilities(fit$likelihood, fit$response, latent)
    found <- p[cbind(seq_along(codes), codes)]
    found[is.na(codes)] <- -Inf # a class without a training row has probability 0
  } else {
    if (has_row_noise(fit)) {
      changed <- with_noise_of_rows(fit, latent, at$noise_sd[known])
      fit <- changed$fit
      latent <- changed$latent
    }
    y <- at$y[known, , drop = FALSE]
    found <- log_density(fit$likelihood, y, latent$mean[, 1L], latent$variance[, 1L]) -
      log(latent_scale(fit)) * !is_interval(y, fit$likelihood)
  }
  fill_rows(found, known, n)
}

# The response that belongs to rows of data: y if given, else the formula's left side or the
# recipe's outcome
response_of <- function(fit, newdata, y, arg = "newdata") {
  if (!is.data.frame(newdata) && !is.matrix(newdata) && !is_of_matrix_package(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("The rows must be a data frame or a matrix.", "Found {found}.",
      meant_frame(newdata, arg))
  }
  if (is.null(y)) {
    computed <- names(fit$blueprint$ptypes$outcomes)
    if (is.null(computed) || !(is.data.frame(newdata) || all(computed %in% colnames(newdata)))) {
      abort_gpsieve("{.arg y}, the response of the rows, is missing.",
        hint = if (length(computed)) "Beside a matrix give {.arg y}; a data frame may hold the
          response, computed from {.val {computed}}, itself.")
    }
    y <- forge_response(fit$blueprint, frame_of_rows(newdata, arg), arg)
  }
  if (length(y) != nrow(newdata)) {
    abort_gpsieve("{.arg y} must have one value for each row.",
      "Found {length(y)} for {nrow(newdata)}.", class = "data")
  }
  if (is_classification(fit$response)) as_classes(as.character(y), fit$response)
  else with_pairs(y)
}

# Degrees of freedom of Student's t that are tried.
tried_df <- c(2, 4, 8)

# Log density of every standardised residual under the best Student t minus that under the best
# normal distribution with mean 0. Where the usual likelihood's residuals show no heavy tails, a fit
# with the robust one is not worth its time.
heavy_tails_gain <- function(residual) {
  residual <- residual[is.finite(residual)] # all fits may have broken down
  if (!any(residual != 0)) return(0)
  normal <- stats::dnorm(residual, sd = sqrt(mean(residual^2)), log = TRUE)
  student <- lapply(tried_df, function(df) {
    student_density(residual, df, student_scale(residual, df))
  })
  student[[which.max(vapply(student, mean, 0))]] - normal
}

student_density <- function(residual, df, scale) {
  stats::dt(residual / scale, df, log = TRUE) - log(scale)
}

# The scale of Student's t under which residuals are most probable
student_scale <- function(residual, df) {
  residual <- residual[is.finite(residual)]
  middle <- log(stats::median(abs(residual)) + 1e-3 * max(abs(residual)))
  exp(stats::optimise(function(at) sum(student_density(residual, df, exp(at))), middle + c(-3, 3),
    maximum = TRUE)$maximum)
}
