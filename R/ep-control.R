#' Settings of expectation propagation
#'
#' @param max_iter Passes over all rows (without minibatches), and quasi-Newton steps of `"nlminb"`.
#' @param tol At fixed hyper-parameters: stop when no site moves by more than this, in units of its
#'   marginal (stochastic EP: when the common factor moves by no more than this, relatively).
#' @param damping How far of the way sites move, in (0, 1]. `NULL`: 0.5 where hyper-parameters are
#'   learned from all rows at once, otherwise 1; half as much for several classes at once.
#' @param optimiser How hyper-parameters and inducing inputs are learned: `"adadelta"`, `"adam"`, or
#'   the paper's `"authors"` rule (step sizes that grow while a gradient's sign lasts), one step per
#'   pass or minibatch; `"nlminb"` for `method = "ep"` lets EP settle before every step and follows
#'   the exact gradient of its evidence.
#' @param start Stochastic EP in minibatches: `"warm"` makes the first epoch a running mean, so that
#'   the common factor has its full weight from the first minibatch; `"plain"` is the paper's rule.
#' @param gradient `"paper"`: the gradient that is exact at a fixed point of EP; `"exact"`: for
#'   stochastic EP and ADF, the partial derivative of log Z with the common factor held fixed.
#' @param rate Scale of the optimiser's steps; `NULL` is 1 for `"adadelta"`, 0.01 for the others.
#' @param validation Share of the rows, drawn at random, that is held out of the fit; its mean
#'   log loss stands in `fit_trace()` and stops the fit early, and the best state is returned.
#' @param patience Passes over the rows without improvement on held-out rows before the fit stops; in
#'   minibatches it may be a fraction. `NULL`: 10 in minibatches, 50 where a pass is a single step.
#' @return A list of class `gpsieve_control_ep`.
#' @examples
#' control_ep(optimiser = "adam", rate = 0.02)
#' @export
control_ep <- function(max_iter = 250, tol = 1e-6, damping = NULL,
                       optimiser = c("adadelta", "adam", "authors", "nlminb"),
                       start = c("warm", "plain"), gradient = c("paper", "exact"), rate = NULL,
                       validation = 0, patience = NULL) {
  structure(
    list(
      max_iter = check_count(max_iter, max = 1e6),
      tol = check_number(tol, min = 0),
      damping = if (!is.null(damping)) check_number(damping, above = 0, max = 1),
      optimiser = check_choice(optimiser, c("adadelta", "adam", "authors", "nlminb")),
      start = check_choice(start, c("warm", "plain")),
      gradient = check_choice(gradient, c("paper", "exact")),
      rate = if (!is.null(rate)) check_number(rate, above = 0),
      validation = check_number(validation, min = 0, max = 0.9),
      patience = if (!is.null(patience)) check_number(patience, above = 0, max = 1e6)
    ),
    class = c("gpsieve_control_ep", "gpsieve_control")
  )
}
