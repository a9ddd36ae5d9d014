# Fitted values, residuals and the noise. A fit holds no training rows, so they come as `data`.

#' Fitted values and residuals
#'
#' A fit does not keep its training rows, so `data` is needed: the training rows for residuals in
#' the usual sense, or other rows with a response.
#'
#' @param object A fit.
#' @param data Data with the training columns and, for a fit made from a formula or a recipe, the
#'   response.
#' @param y The response of `data` where it is not among its columns.
#' @param type
#' * `"response"`: the response minus its predictive mean; for two classes 1 or 0 for the second
#'   class minus its probability, for more classes a matrix with a column for each.
#' * `"pearson"`: divided by the standard deviation of the predictive distribution.
#' * `"deviance"`: the signed square root of twice the log likelihood that the response loses
#'   against a perfect fit: \eqn{(y - \mu) / \sigma}{(y - mu) / sigma} for Gaussian noise of
#'   standard deviation \eqn{\sigma}{sigma}. For more than two classes all are positive.
#' * `"quantile"`: standard normal quantiles of the predictive distribution function at the response
#'   (Dunn and Smyth 1996): standard normal if the predictions are right. For counts and two classes
#'   the distribution function has jumps, and a uniform number is drawn within each.
#' @param ... Not used; anything here is an error.
#' @param seed For `type = "quantile"` of counts and classes: a whole number, or `NULL` to draw from
#'   R's generator where it stands.
#' @return A number for each row of `data`, or a matrix; `NA` where a value is missing.
#' @references Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of
#'   Computational and Graphical Statistics* 5, 236-244.
#' @seealso [augment()][augment.gpsieve_fit] for data with predictions and residuals.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' head(residuals(fit, "pearson", data = cars))
#' head(fitted(fit, cars))
#' sigma(fit)
#' @name residuals
NULL

#' @rdname residuals
#' @importFrom stats residuals
#' @export
residuals.gpsieve_fit <- function(object, type = c("response", "pearson", "deviance", "quantile"),
                                  data, y = NULL, ..., seed = NULL) {
  call <- rlang::current_env()
  check_dots(..., call = call)
  validate_fit(object, call)
  type <- check_choice(type, c("response", "pearson", "deviance", "quantile"), call = call)
  if (missing(data)) abort_without_data("residuals", call)
  from_fit({
    at <- predictive_at(object, data, y, call)
    compute <- if (is_classification(object$response)) class_residuals else number_residuals
    under_seed(seed, call, compute(object, at, type, call))
  }, call)
}

#' @rdname residuals
#' @importFrom stats fitted
#' @export
fitted.gpsieve_fit <- function(object, data, ...) {
  call <- rlang::current_env()
  check_dots(..., call = call)
  validate_fit(object, call)
  if (missing(data)) abort_without_data("fitted", call)
  type <- if (is_classification(object$response)) "prob" else "response"
  p <- predict(object, data, type = type)
  if (object$response$kind == "binary") p[, object$response$present[2L]] else p
}

abort_without_data <- function(name, call) {
  abort_gpsieve("{.arg data} is missing.",
    hint = "A fit does not keep its training rows: give them to {.fn {name}}, or use
      {.code augment(fit, data)}.",
    call = call
  )
}

#' @rdname residuals
#' @importFrom stats sigma
#' @export
sigma.gpsieve_fit <- function(object, ...) {
  call <- rlang::current_env()
  validate_fit(object, call)
  values <- object$likelihood$values
  switch(object$likelihood$type,
    gaussian = sqrt(values$variance) * latent_scale(object),
    student = student_sd(values) * latent_scale(object),
    abort_gpsieve("{.fn {paste0('lik_', object$likelihood$type)}} has no noise of its own scale.",
      hint = "{.fn sigma} is the standard deviation of noise that is added to a numeric response.",
      class = "unsupported", call = call
    )
  )
}

student_sd <- function(values) {
  if (values$df > 2) values$scale * sqrt(values$df / (values$df - 2)) else Inf
}

#' Latent marginals and the response at the rows of data: list(latent, y), scale of computation;
#' rows with missing values are missing in both
#' @noRd
predictive_at <- function(fit, data, y, call) {
  truth <- response_of(fit, data, y, call, "data")
  x <- forge_new(fit, data, call)
  new <- complete_rows(fit, x)
  latent <- latent_marginals(fit, new$rows, TRUE, core_settings(1L), call, new$offset)
  if (!is_classification(fit$response)) {
    if (!is.numeric(truth)) {
      found <- describe(truth)
      abort_gpsieve("The response must be numeric, as in training.", "Found {found}.",
        class = "data", call = call
      )
    }
    truth <- (truth - latent_center(fit)) / latent_scale(fit)
  }
  list(latent = lapply(latent, fill_rows, new$complete, nrow(x)), y = truth)
}

number_residuals <- function(fit, at, type, call) {
  spec <- likelihood_spec(fit$likelihood)
  known <- which(!is.na(at$latent$mean[, 1L]) & !is.na(at$y))
  latent <- list(
    mean = at$latent$mean[known, , drop = FALSE],
    variance = at$latent$variance[known, , drop = FALSE]
  )
  y <- at$y[known]
  moments <- call_core(core_response, spec, latent$mean, latent$variance, call = call)
  if (fit$response$kind == "real") moments[, 1L] <- latent$mean
  found <- switch(type,
    response = (y - moments[, 1L]) * latent_scale(fit),
    pearson = (y - moments[, 1L]) / sqrt(predictive_variance(fit, latent, moments)),
    deviance = deviance_residual(fit$likelihood, y, moments[, 1L]),
    quantile = quantile_residual(fit$likelihood, y, latent)
  )
  fill_rows(found, known, nrow(at$latent$mean))
}

predictive_variance <- function(fit, latent, moments) {
  values <- fit$likelihood$values
  switch(fit$likelihood$type,
    gaussian = latent$variance[, 1L] + values$variance,
    student = latent$variance[, 1L] + student_sd(values)^2,
    moments[, 2L]
  )
}

deviance_residual <- function(likelihood, y, mean) {
  values <- likelihood$values
  switch(likelihood$type,
    gaussian = (y - mean) / sqrt(values$variance),
    student = sign(y - mean) *
      sqrt((values$df + 1) * log1p((y - mean)^2 / (values$df * values$scale^2))),
    poisson = sign(y - mean) *
      sqrt(pmax(0, 2 * (ifelse(y > 0, y * log(y / mean), 0) - (y - mean))))
  )
}

quantile_residual <- function(likelihood, y, latent) {
  if (likelihood$type == "gaussian") {
    sd <- sqrt(latent$variance[, 1L] + likelihood$values$variance)
    return((y - latent$mean[, 1L]) / sd)
  }
  upper <- predictive_cdf(likelihood, y, latent)
  if (likelihood$type != "poisson") return(stats::qnorm(upper))
  lower <- predictive_cdf(likelihood, y - 1, latent)
  stats::qnorm(lower + stats::runif(length(y)) * (upper - lower))
}

#' P(response <= y): the likelihood's distribution function, averaged over the latent function's
#' normal posterior by Gauss-Hermite quadrature
#' @noRd
predictive_cdf <- function(likelihood, y, latent) {
  values <- likelihood$values
  given <- switch(likelihood$type,
    student = function(f) stats::pt((y - f) / values$scale, values$df),
    poisson = function(f) stats::ppois(y, exp(f))
  )
  rule <- normal_quadrature(40L)
  total <- 0
  for (k in seq_along(rule$node)) {
    total <- total + rule$weight[k] *
      given(latent$mean[, 1L] + rule$node[k] * sqrt(latent$variance[, 1L]))
  }
  pmin(pmax(total, 0), 1)
}

#' Nodes and weights of an integral against the standard normal density (Golub and Welsch 1969):
#' eigenvalues and squared first components of the Jacobi matrix of the Hermite polynomials
#' @noRd
normal_quadrature <- function(size) {
  off <- sqrt(seq_len(size - 1L))
  jacobi <- diag(0, size)
  jacobi[cbind(seq_len(size - 1L), seq_len(size - 1L) + 1L)] <- off
  jacobi[cbind(seq_len(size - 1L) + 1L, seq_len(size - 1L))] <- off
  found <- eigen(jacobi, symmetric = TRUE)
  list(node = found$values, weight = found$vectors[1L, ]^2)
}

class_residuals <- function(fit, at, type, call) {
  p <- predicted_probabilities(fit, at$latent)
  codes <- as.integer(at$y)
  truth <- cbind(seq_along(codes), codes)
  happened <- outer(codes, seq_len(ncol(p)), "==") + 0
  dimnames(happened) <- dimnames(p)
  second <- if (fit$response$kind == "binary") fit$response$present[2L]
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
  if (is.null(second)) {
    abort_gpsieve("Quantile residuals need two classes or numbers.",
      "This fit has {length(fit$response$present)} classes, which have no order.",
      class = "unsupported", call = call
    )
  }
  below <- ifelse(happened[, second] == 1, 1 - p[, second], 0)
  stats::qnorm(below + stats::runif(length(codes)) * p[truth])
}

#' Log predictive density of the response of every row, on the response's own scale
#' @noRd
log_predictive <- function(fit, data, y, call) {
  at <- predictive_at(fit, data, y, call)
  known <- which(!is.na(at$latent$mean[, 1L]) & !is.na(at$y))
  n <- nrow(at$latent$mean)
  latent <- lapply(at$latent, function(v) v[known, , drop = FALSE])
  if (is_classification(fit$response)) {
    codes <- match(fit$response$levels[as.integer(at$y)[known]], fit$response$present)
    p <- log_class_probabilities(fit$likelihood, fit$response, latent)
    found <- p[cbind(seq_along(codes), codes)]
    found[is.na(codes)] <- -Inf # a class without a training row has probability 0
  } else {
    found <- call_core(core_log_density, likelihood_spec(fit$likelihood), at$y[known],
      latent$mean[, 1L], latent$variance[, 1L],
      call = call
    ) - log(latent_scale(fit))
  }
  fill_rows(found, known, n)
}

#' The response that belongs to rows of data: y if given, else the formula's left side or the
#' recipe's outcome
#' @noRd
response_of <- function(fit, newdata, y, call, arg = "newdata") {
  if (!is.data.frame(newdata) && !is.matrix(newdata) && !is_of_matrix_package(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("The rows must be a data frame or a matrix.", "Found {found}.", call = call)
  }
  if (is.null(y)) {
    if (is.null(fit$blueprint$outcome$rule) && is.null(fit$blueprint$recipe)) {
      abort_gpsieve("{.arg y}, the response of the rows, is missing.", call = call)
    }
    y <- forge_response(fit$blueprint, newdata, arg, call)
  }
  if (length(y) != nrow(newdata)) {
    abort_gpsieve("{.arg y} must have one value for each row.",
      "Found {length(y)} for {nrow(newdata)}.", class = "data", call = call
    )
  }
  if (is_classification(fit$response)) factor(as.character(y), levels = fit$response$levels) else y
}
