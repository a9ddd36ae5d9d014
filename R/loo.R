# Leave-one-out predictive densities.

#' Leave-one-out predictive densities
#'
#' The log predictive density of each training response under the model without that row, with the
#' hyper-parameters of the fit.
#'
#' @param fit A fit.
#' @param data,y The training rows, in any order, and their response where it is not among their
#'   columns: for fits of Gaussian noise that keep no cavities.
#' @param ... Not used.
#' @return A number for each row that took part in the fit. With case weights one copy of the row is
#'   left out, so that the sum over the data counts each number as often as its weight says. With
#'   `na.action = na.exclude` the rows left out are `NA`. Sum and standard error of several fits:
#'   [compare()].
#' @section Which fits have them:
#' * [meanfield_gp()], [ep_gp()] with `method = "ep"`, and [online_gp()] with sweeps of EP keep
#'   them: exact with Gaussian noise in a dense model, else from the cavities, which are what the
#'   posterior is without the row's own site.
#' * With Gaussian noise, [rvm()], [greedy_gp()], and [ep_gp()] and refined [ivm()] otherwise have
#'   them if `data` is given. They are computed from the posterior by taking out the row's
#'   likelihood. This is exact for the sparse model with its basis held fixed (for stochastic EP at
#'   the fixed point of EP): the row has also helped to choose the basis.
#' * Others have none: [cv()] fits anew.
#' @examples
#' fit <- meanfield_gp(dist ~ speed, cars)
#' sum(loo(fit))
#' few <- greedy_gp(dist ~ speed, cars, seed = 1)
#' sum(loo(few, cars))
#' @export
loo <- function(fit, ...) UseMethod("loo")

#' @rdname loo
#' @export
loo.default <- function(fit, data = NULL, y = NULL, ...) {
  call <- rlang::current_env()
  check_fit(fit)
  if (!is.null(fit$loo)) return(stats::naresid(fit$cases$na_action, fit$loo))
  if (!removes_rows(fit)) {
    abort_gpsieve("This fit keeps no cavities, so it has no leave-one-out densities.",
      hint = "{.fn cv} fits anew without each fold of the rows. {.fn meanfield_gp} keeps cavities,
        {.fn ep_gp} with {.code method = \"ep\"}, and {.fn online_gp} with {.code sweeps} of EP.",
      class = "unsupported", call = call
    )
  }
  if (is.null(data)) {
    abort_gpsieve("{.arg data}, the training rows, is missing.",
      hint = "This fit keeps no cavities; with Gaussian noise they follow from the rows.",
      call = call
    )
  }
  from_fit(gaussian_loo(fit, data, y, call), call)
}

#' Can a Gaussian row be taken out of the posterior? Where U holds what the rows taught about the
#' basis functions, or where every row is a basis point. An online machine may have forgotten the
#' row, and an IVM without refinement has not used most of them.
#' @noRd
removes_rows <- function(fit) {
  posterior <- fit$posteriors[[1L]]
  known <- length(posterior$up) > 0L || is_dense_posterior(fit)
  fit$likelihood$type == "gaussian" && known && is.null(posterior$augmentation)
}

is_dense_posterior <- function(fit) {
  posterior <- fit$posteriors[[1L]]
  length(posterior$up) == 0L && length(posterior$down) > 0L &&
    length(posterior$basis) == distinct_rows(fit) && !anyNA(fit$rows)
}

#' Removes each row from the posterior of the projection g of the latent function onto the basis
#'
#' p = |U k_B|^2 is the variance of g, r = prior_scale k(x, x) - |D k_B|^2 what the basis leaves
#' open. In training the row was g plus noise of variance s: the likelihood's, and r as well in
#' FITC. Without the row, the variance of g is 1 / (1/p - 1/s), and the prediction adds r again.
#' @noRd
gaussian_loo <- function(fit, data, y, call) {
  at <- predictive_at(fit, data, y, call)
  left_open <- variance_left_open(fit, data, y, call)
  p <- pmax(at$latent$variance[, 1L] - left_open, 0)
  noise <- fit$likelihood$values$variance
  s <- noise + if (fit$model %in% c("ivm", "ep_gp")) left_open else 0
  room <- 1 - p / s
  if (any(room <= 0, na.rm = TRUE)) {
    abort_gpsieve("Some rows cannot be taken out of this posterior.",
      "It is more certain of them than their noise allows.",
      "Are these the training rows? {.fn cv} fits anew.",
      class = "data", call = call
    )
  }
  mean <- (at$latent$mean[, 1L] - at$y * p / s) / room
  total <- p / room + left_open + noise
  stats::dnorm(at$y, mean, sqrt(total), log = TRUE) - log(latent_scale(fit))
}

#' What the basis leaves open of the variance at every row: nothing where every row is in the basis
#' @noRd
variance_left_open <- function(fit, data, y, call) {
  if (is_dense_posterior(fit)) return(0)
  fit$posteriors[[1L]]$up <- list()
  predictive_at(fit, data, y, call)$latent$variance[, 1L]
}
