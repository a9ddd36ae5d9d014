#' Settings of the mean-field computation
#'
#' What [meanfield_gp()] takes as `control`. `blocks` learns kernels with many hyper-parameters,
#' `learn_rows` and `steps` trade time for accuracy of learning; a warning that the fit has not
#' converged asks for more `max_iter`.
#' ```r
#' meanfield_gp(y ~ ., data, kernel_rich(), control = control_meanfield(blocks = learn_on_blocks()))
#' ```
#'
#' @param max_iter At most so many rounds of `"tap"`, or Newton steps of the other methods.
#' @param tol `"tap"` stops when no cavity variance changed by more than this, in units of the
#'   inverse curvature of its log Z. The mean-field equations themselves are solved to the square of
#'   this, but never beyond rounding error.
#' @param learn_rows,learn_classes With `optimise = TRUE`: hyper-parameters are learned on at most
#'   this many rows, drawn at random, by at most this many of the one-vs-rest machines,
#'   those of the classes with most rows.
#' @param steps Quasi-Newton steps from each start.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param range Learning may move a hyper-parameter by this factor from where it starts, up or down.
#' @param blocks [learn_on_blocks()] learns the hyper-parameters on blocks of all rows, in place of
#'   what the settings from `learn_rows` to `range` describe, which must then keep their defaults.
#' @param keep Keep 24 bytes for each training row (the mean and variance of the latent function and
#'   the response; 16 more for each class above two), so that `predict()`, [fitted()],
#'   [residuals()] and [augment()][augment.gpsieve_fit] need no data? `NULL`: for up to 100,000
#'   rows.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_meanfield`.
#' @examples
#' control_meanfield(learn_rows = 500)
#' @export
control_meanfield <- function(max_iter = 100, tol = 1e-7, learn_rows = 1000, learn_classes = Inf,
                              steps = 50, prior = prior_weak(), range = 1000, blocks = NULL,
                              keep = NULL, ...) {
  check_dots(...)
  out <- list(
    max_iter = check_count(max_iter, max = 1e6),
    tol = check_number(tol, above = 0, max = 1),
    learn_rows = check_count(learn_rows, min = 2),
    learn_classes = check_count(learn_classes, allow_inf = TRUE),
    steps = check_count(steps, max = 1e6),
    prior = check_prior(prior),
    range = check_number(range, min = 1),
    blocks = check_blocks(blocks),
    keep = check_keep(keep)
  )
  check_beside_blocks(out$blocks, out[c("learn_rows", "learn_classes", "steps", "prior", "range")],
    control_meanfield
  )
  structure(out, class = c("gpsieve_control_meanfield", "gpsieve_control"))
}
