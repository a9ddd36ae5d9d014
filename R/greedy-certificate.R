# What a sparse greedy fit can guarantee: bounds on its objective and on its error bars.

#' How far a fit may be from the full Gaussian process
#'
#' Two-sided bounds on the smallest value of the objective that [greedy_gp()] minimises: over all
#' coefficients of all rows' kernel functions it lies between `lower` and `upper`.
#'
#' With Gaussian noise the objective is \eqn{Q(\alpha)} of [greedy_gp()] (on the scale of
#' computation, targets minus prior mean), for other likelihoods the negative log posterior
#' \eqn{-\log p(y | f) + \tfrac12 \alpha'K\alpha}{-log p(y | f) + a'K a / 2}, so that the gap is in
#' nats.
#'
#' @param fit A fit made by [greedy_gp()].
#' @param ... Not used.
#' @return A data frame with one row (for several classes without an order one per class, and a
#'   column `class`): `upper`, the objective of the fit; `lower`; `gap`, their difference;
#'   `relative_gap`, the gap divided by the lower bound of the negative log posterior, counted from
#'   that of a function which explains each row as well as any can, so that neither units nor
#'   constants of a density change it (`Inf` where that bound is not above 0); `duality_gap`, the
#'   gap relative to the objective,
#'   \eqn{2(U - L)/(|U| + |L|)}, which depends on the offset of the targets; and `rule`, where the
#'   bound comes from: `"dense dual"`,
#'   `"sparse dual"`, `"gradient, exact"`, `"gradient, blocks"`, `"gradient, cheap"`, or `"none"`,
#'   in which case `lower` and the gaps are missing, and with `certify = FALSE` `upper` too.
#' @examples
#' certificate(greedy_gp(dist ~ speed, cars, n_basis = 3, optimise = FALSE, seed = 1))
#' @export
certificate <- function(fit, ...) {
  check_fit(fit)
  found <- fit$state$certificate
  if (is.null(found)) {
    abort_gpsieve("Only fits made by {.fn greedy_gp} have a certificate.",
      "This one was made by {.fn {fit$model}}.", class = "unsupported")
  }
  found
}

certificate_frame <- function(problem, certificates) {
  rows <- lapply(certificates, function(bound) {
    data.frame(
      upper = bound$objective, lower = bound$lower, gap = bound$gap,
      relative_gap = bound$posterior_gap, duality_gap = bound$duality_gap,
      rule = bound$rule
    )
  })
  frame <- do.call(rbind, rows)
  known <- !is.na(frame$lower)
  frame[!known, c("gap", "relative_gap", "duality_gap")] <- NA_real_
  if (nrow(frame) == 1L) return(frame)
  cbind(class = factor(problem$response$present, levels = problem$response$levels), frame)
}

# The core's result with the best lower bound known at each step in the trace
with_bounds <- function(result) {
  result$latents <- lapply(result$latents, function(latent) {
    trace <- latent$trace
    if (is.null(trace$lower)) trace$lower <- rep(NaN, nrow(trace))
    trace$gap <- trace$objective - trace$lower
    latent$trace <- trace
    latent
  })
  result
}

#' Guaranteed error bars for single points
#'
#' The exact posterior variance at \eqn{x_*} is \eqn{k_{**} - E},
#' \eqn{E = k'(K + \sigma^2 I)^{-1}k}{E = k'(K + s2 I)^-1 k}. Both quadratic forms of
#' [greedy_gp()], with k in the place of y, bound E, and this function grows a basis for each new
#' point until the bounds are close. The bounds need the training inputs, of which a fit keeps
#' at most some for pictures.
#'
#' Smola (2002) stops when the interval of E is narrow relative to E (`stop = "explained"`). Where
#' data are dense E is close to the prior variance, and one per cent of E can be many times the
#' remaining variance \eqn{k_{**} - E}; the default therefore compares the interval with the
#' variance of a new observation, \eqn{k_{**} - E + \sigma^2}{k** - E + s2}.
#'
#' @param fit A fit made by [greedy_gp()] with [lik_gaussian()], without case weights and with noise
#'   that is the same for all rows.
#' @param newdata New inputs: a data frame or matrix with the training columns.
#' @param x The training inputs: what the fit was made from, in the form of `newdata`.
#' @param tol Width of the interval at which a point is done, relative to what `stop` names.
#' @param max_basis At most so many functions for a point.
#' @param stop `"variance"`: relative to the variance of a new observation; `"explained"`: relative
#'   to E.
#' @param threads Number of threads; results do not depend on it.
#' @return A data frame with a row for each row of `newdata`: `lower` and `upper` bounds of the
#'   latent variance of the full Gaussian process, on the scale of the response squared, and
#'   `size`, the number of functions. `NA` for rows with missing values.
#' @examples
#' fit <- greedy_gp(dist ~ speed, cars, n_basis = 5, optimise = FALSE, seed = 1)
#' variance_bounds(fit, data.frame(speed = c(5, 15, 25)), cars)
#' @export
variance_bounds <- function(fit, newdata, x, tol = 0.025, max_basis = 200,
                            stop = c("variance", "explained"), threads = NULL) {
  check_fit(fit)
  if (!identical(fit$model, "greedy_gp") || !adds_gaussian_noise(fit$likelihood)) {
    abort_gpsieve("{.fn variance_bounds} needs a fit of {.fn greedy_gp} with {.fn lik_gaussian}.",
      class = "unsupported")
  }
  validate_fit(fit)
  lacking <- c("newdata", "x")[c(missing(newdata), missing(x))]
  if (length(lacking)) {
    abort_gpsieve("{.arg {lacking}} {?is/are} missing.",
      hint = "{.arg newdata} are the points of the bounds, {.arg x} the training inputs.")
  }
  if (!is.null(fit$cases$total)) {
    abort_gpsieve("{.fn variance_bounds} takes fits without case weights.",
      hint = "Repeat the rows instead.", class = "unsupported")
  }
  if (has_row_noise(fit)) {
    abort_gpsieve("{.fn variance_bounds} takes fits whose noise is the same in all rows.",
      "The noise of this fit is known or changes.", class = "unsupported")
  }
  tol <- check_number(tol, "tol", min = 0, max = 1)
  max_basis <- check_count(max_basis, "max_basis")
  stop <- check_choice(stop)
  settings <- core_settings(resolve_threads(threads))
  rows <- apply_scales(forge_new(fit, x, "x", new_levels = "known rows"), fit$inputs)
  check_finite(rows, "x")
  if (nrow(rows) != fit$n) {
    abort_gpsieve("{.arg x} must be the training inputs.",
      "Found {nrow(rows)} row{?s}; the fit was made from {fit$n}.", class = "data")
  }
  new <- forge_new(fit, newdata)
  complete <- which(!has_missing(new))
  found <- call_core(core_error_bars, kernel_spec(fit$kernel), rows, fit$likelihood$values$variance,
    apply_scales(new[complete, , drop = FALSE], fit$inputs),
    list(
      tol = tol, max_basis = min(max_basis, nrow(x)), explained = stop == "explained",
      stored_bytes = most_stored_bytes
    ),
    settings)
  scale <- fit$response$scale^2
  found <- t(found) * rep(c(scale, scale, 1), each = length(complete))
  bounds <- fill_rows(found, complete, nrow(new))
  colnames(bounds) <- c("lower", "upper", "size")
  as.data.frame(bounds)
}
