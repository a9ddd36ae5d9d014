#' Settings of the mean-field computation
#'
#' @param max_iter At most so many rounds of `"tap"`, or Newton steps of the other methods.
#' @param tol `"tap"` stops when no cavity variance changed by more than this, in units of the
#'   inverse curvature of its log Z. The mean-field equations themselves are always solved to
#'   rounding error.
#' @param learn_rows,learn_classes With `optimise = TRUE`: hyper-parameters are learned on at most
#'   this many rows, drawn at random, by at most this many of the one-vs-rest machines.
#' @param steps Quasi-Newton steps from each start.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param range Learning may move a hyper-parameter by this factor from where it starts, up or down.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_meanfield`.
#' @examples
#' control_meanfield(learn_rows = 500)
#' @export
control_meanfield <- function(max_iter = 100, tol = 1e-8, learn_rows = 1000, learn_classes = Inf,
                              steps = 50, prior = prior_weak(),
                              range = 1000, ...) {
  check_dots(...)
  structure(
    list(
      max_iter = check_count(max_iter, max = 1e6),
      tol = check_number(tol, above = 0, max = 1),
      learn_rows = check_count(learn_rows, min = 2),
      learn_classes = check_count(learn_classes, allow_inf = TRUE),
      steps = check_count(steps, max = 1e6),
      prior = check_prior(prior),
      range = check_number(range, min = 1)
    ),
    class = c("gpsieve_control_meanfield", "gpsieve_control")
  )
}
