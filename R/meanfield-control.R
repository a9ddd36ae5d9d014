#' Settings of the mean-field computation
#'
#' What [meanfield_gp()] takes as `control`. `blocks` learns kernels with many hyper-parameters,
#' `learn_rows` and `steps` trade time for accuracy of learning; a warning that the fit has not
#' converged asks for more `max_iter`.
#' ```r
#' meanfield_gp(y ~ ., data, kernel_rich(), control = control_meanfield(blocks = learn_on_blocks()))
#' ```
#'
#' @param max_iter At most so many rounds of `"tap"`, or Newton steps of the other methods;
#'   conjugate gradients take at most ten times as many steps.
#' @param tol `"tap"` stops when no cavity variance changed by more than this, in units of the
#'   inverse curvature of its log Z. The mean-field equations themselves are solved to the square of
#'   this, but never beyond rounding error. `NULL`: 1e-7. Conjugate gradients stop when the residual
#'   of the weights, relative to the response in the norm of the preconditioner's inverse, is this;
#'   predictions are then off by some times as much, in units of the response's standard deviation.
#'   The moments of sites that are found in rounds are solved for to a hundred times as much.
#'   `NULL`: 1e-5.
#' @param solver How the weights are solved for: `"cholesky"`, by factors of n x n matrices;
#'   `"iterative"`, by conjugate gradients, which Gaussian noise and `"tap"` allow, see the section
#'   on many rows of [meanfield_gp()]; `"auto"`, by conjugate gradients with a `cluster`, where n x
#'   n matrices do not fit into memory, and from 8000 rows on unless Gaussian noise is less than a
#'   millionth of the variance of the latent function, and by factors if they do not converge and
#'   these have room.
#' @param learn_rows With `optimise = TRUE`: hyper-parameters are learned on at most this many rows,
#'   drawn at random. `NULL`: 1000, and 500 for three or more classes without an order, each of
#'   which has a latent function.
#' @param steps At most so many quasi-Newton steps of a search. From each start there is one search,
#'   before it one for all but the periods where a kernel has periods, and before these one for the
#'   common value of several lengthscales that begin equal.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param blocks [learn_on_blocks()] learns the hyper-parameters on blocks of all rows, in place of
#'   what the settings from `learn_rows` to `prior` describe, which must then keep their defaults.
#' @param keep Keep about 32 bytes for each training row (the mean and variance of the latent
#'   function, the response and a number by which the row is found again; 16 more for each further
#'   latent function, of which three or more classes without an order have one each)
#'   and, for pictures that need them, the inputs of up to 1,000 rows, so that `predict()`,
#'   [fitted()], [residuals()] and [augment()][augment.gpsieve_fit] need no data? `NULL`: for up
#'   to 100,000 rows, unless predicting them takes more than 1e11 multiplications (rows times
#'   squared basis points), which is some seconds.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_meanfield`.
#' @examples
#' control_meanfield(learn_rows = 500)
#' @export
control_meanfield <- function(max_iter = 100, tol = NULL, learn_rows = NULL, steps = 50,
                              prior = prior_weak(), blocks = NULL, keep = NULL,
                              solver = c("auto", "cholesky", "iterative"), ...) {
  check_dots(...)
  out <- list(
    max_iter = check_count(max_iter, max = 1e6),
    tol = if (!is.null(tol)) check_number(tol, above = 0, max = 1),
    learn_rows = if (!is.null(learn_rows)) check_count(learn_rows, min = 2),
    steps = check_count(steps, max = 1e6),
    prior = check_prior(prior),
    blocks = check_blocks(blocks),
    keep = check_keep(keep),
    solver = check_choice(solver, meanfield_solvers, "solver")
  )
  other <- out[c("learn_rows", "steps", "prior")]
  check_beside_blocks(out$blocks, other, "control_meanfield")
  structure(out, class = c("gpsieve_control_meanfield", "gpsieve_control"))
}
