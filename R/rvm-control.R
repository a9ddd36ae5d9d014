#' Settings of the relevance vector machine's training
#'
#' @param update Rule of the M-step: `"mackay"`, the fixed point \eqn{\alpha = \gamma / \mu^2},
#'   or `"em"`, \eqn{\alpha = 1 / (\mu^2 + \Sigma)}. Both have the same stationary points. EM
#'   never lowers the evidence of a regression but prunes slowly; MacKay's rule is much faster and
#'   has no such guarantee.
#' @param entry What `algorithm = "ssem"` does with a function when it is visited. `"optimal"`: it
#'   enters at the precision that raises the evidence most, if there is one. `"guarded"`: it enters
#'   at `alpha_start` if that raises the evidence. `"fixed"`: it always enters at `alpha_start`.
#'   `"literal"`: it always enters at `prune`, as the paper has it.
#' @param prune A function whose precision exceeds this leaves the model: the finite number that
#'   stands for infinity.
#' @param alpha_start Precision to start from: one positive number, or one per candidate, the
#'   intercept first. `NULL`: \eqn{1/n^2} for `algorithm = "em"` in regression, otherwise 1.
#' @param noise_start Variance of the noise to start from, on the scale of computation (that of the
#'   standardised response, if it is). `NULL`: the likelihood's variance if it has one, else a tenth
#'   of the response's variance.
#' @param max_iter Most iterations of the batch phase, after the sweep of `"ssem"`; most actions
#'   of `"fast"`. `algorithm = "em", max_iter = 0` is the E-step at `alpha_start`.
#' @param tol Training has converged when the relative change of the evidence is smaller and no
#'   function left; for `"fast"` when no action gains as much.
#' @param order Order in which `"ssem"` visits the candidates: at random, or as they are given. The
#'   intercept is always the first.
#' @param sweeps How many times `"ssem"` visits the candidates outside the model.
#' @param noise_grow Learn the noise during the sweep of `"ssem"`, too? The empty model explains
#'   nothing, so that the sweep then begins with noise as large as the response and selects few
#'   functions. `FALSE` keeps `noise_start` until the batch phase: for data with little noise it
#'   finds better models, with more functions, at a higher cost.
#' @param learn_rows,learn_classes With `optimise = TRUE`: the kernel is learned on at most this
#'   many rows, drawn at random (and at most as many candidates), by at most this many of the
#'   one-vs-rest machines; for classes on the evidence of Laplace's method, whatever `inference`
#'   is, because it costs far less.
#' @param steps Quasi-Newton steps of that search.
#' @return A list of class `gpsieve_control_rvm`.
#' @examples
#' control_rvm(update = "em", order = "given")
#' @export
control_rvm <- function(update = c("mackay", "em"),
                        entry = c("optimal", "guarded", "fixed", "literal"), prune = 1e6,
                        alpha_start = NULL, noise_start = NULL, max_iter = 1000, tol = 1e-6,
                        order = c("random", "given"), sweeps = 1, noise_grow = TRUE,
                        learn_rows = 200, learn_classes = 1, steps = 5) {
  structure(
    list(
      update = check_choice(update, c("mackay", "em")),
      entry = check_choice(entry, c("optimal", "guarded", "fixed", "literal")),
      prune = check_number(prune, above = 0),
      alpha_start = if (!is.null(alpha_start)) check_positive(alpha_start),
      noise_start = if (!is.null(noise_start)) check_positive(noise_start, single = TRUE),
      max_iter = check_count(max_iter, min = 0, max = 1e6),
      tol = check_number(tol, min = 0),
      order = check_choice(order, c("random", "given")),
      sweeps = check_count(sweeps, max = 1e6),
      noise_grow = check_flag(noise_grow),
      learn_rows = check_count(learn_rows, min = 2),
      learn_classes = check_count(learn_classes),
      steps = check_count(steps, max = 1e6)
    ),
    class = c("gpsieve_control_rvm", "gpsieve_control")
  )
}
