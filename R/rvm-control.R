#' Settings of the relevance vector machine's training
#'
#' What [rvm()] takes as `control`. Few of these settings are needed: a warning that training has
#' not converged asks for more `max_iter`; `update`, `entry` and `order` select the rules of the
#' different papers.
#'
#' @section Precisions:
#' `prune` and `alpha_start` are precisions of the weights of the basis functions divided by their
#' scale, \eqn{k(x, c_j) / h_j} with
#' \eqn{h_j = \sqrt{k(c_j, c_j) \, \mathrm{mean}_i k(x_i, x_i)}}. They do not depend on the scale of
#' the kernel: `kernel_rbf(1, 1)` and `kernel_rbf(1e6, 1)` give the same predictions. For a
#' stationary kernel of variance 1 all \eqn{h_j = 1}, and the precisions are those of the weights of
#' the kernel functions themselves, which in general are \eqn{\alpha_j h_j^2}. The scale of the
#' intercept is 1.
#'
#' @param update Rule of the M-step: `"mackay"`, the fixed point \eqn{\alpha = \gamma / \mu^2},
#'   or `"em"`, \eqn{\alpha = 1 / (\mu^2 + \Sigma)}. Both have the same stationary points. EM
#'   lowers the evidence of a regression only by removing functions, but prunes slowly. MacKay's
#'   rule is much faster and has no such guarantee.
#' @param entry What `algorithm = "ssem"` does with a function when it is visited. `"optimal"`: the
#'   function enters at the precision that raises the evidence most, if there is one. `"guarded"`:
#'   it enters at `alpha_start` if that raises the evidence. `"fixed"`: it always enters at
#'   `alpha_start`. `"literal"`: it always enters at `prune`, the rule of the paper on subspace EM.
#' @param prune A function whose precision exceeds this limit is removed from the model. The limit
#'   stands for an infinite precision; see the section on precisions for its unit.
#' @param alpha_min Smallest precision: no weight has a larger prior variance than `1 / alpha_min`.
#'   See the section on precisions for its unit; in classification it is divided by the input noise
#'   of the likelihood. It must be smaller than `prune`. `NULL` is 0. With `optimise = TRUE`, `NULL`
#'   is 1e-6 for numbers, and for classes it is learned: 0.001, 0.003, 0.01 or 0.03, whichever
#'   predicts held-out rows best. The fit keeps the value in its settings, and [update()] trains
#'   with it.
#' @param alpha_start Starting precision: one positive number, or one for each candidate, the
#'   intercept first. See the section on precisions for its unit. `NULL` is \eqn{1/n^2} for
#'   `algorithm = "em"` in regression, and 1 otherwise.
#' @param noise_start Starting value of the noise variance, in units of the standardised response if
#'   `standardise = TRUE`. `NULL` is the variance of the likelihood if one was given, and a tenth of
#'   the variance of the response otherwise.
#' @param max_iter Largest number of iterations of batch EM, which follows the sweep of `"ssem"`,
#'   and of updates of `"fast"`. `algorithm = "em", max_iter = 0` computes the E-step at
#'   `alpha_start` alone.
#' @param tol Training has converged when the relative change of the evidence is smaller than this
#'   number and no function was pruned, and for `"fast"` when no update raises the evidence by as
#'   much.
#' @param order Order in which `"ssem"` visits the candidates: at random, or as they are given. The
#'   intercept is always the first.
#' @param sweeps Number of times that `"ssem"` visits the candidates outside the model. `NULL` is
#'   one sweep, and a second one where the first lowered the noise variance to less than a tenth, in
#'   which every function enters at `alpha_start`, whether or not the evidence rises by it. There is
#'   no second sweep with `entry = "fixed"` or `"literal"`.
#' @param noise_grow Does the sweep of `"ssem"` update the noise variance, beginning with that of
#'   the response? `FALSE` keeps `noise_start` until batch EM begins: for data with little noise the
#'   models are better and have more functions, and training takes longer. `NULL` is `TRUE`; with
#'   `optimise = TRUE`, neither `noise_start` nor a variance that is kept, and lengthscales to learn
#'   or at most 4000 rows it is `FALSE`, and the sweep holds the noise variance that a machine of
#'   the learning rows learns.
#'   With at most 4000 rows, a quarter or a sixteenth of that variance is held instead where
#'   held-out rows are then predicted better; with more than 1000 rows, where they are predicted
#'   better by more than one standard error. If a sweep of all rows finds hardly more than a
#'   constant, although the machines of the learning rows found much, the sweep is repeated with a
#'   quarter of the variance, at most four times.
#' @inheritParams control_ivm
#' @return A list of class `gpsieve_control_rvm`.
#' @examples
#' control_rvm(update = "em", order = "given")
#' @export
control_rvm <- function(update = c("mackay", "em"),
                        entry = c("optimal", "guarded", "fixed", "literal"), prune = 1e6,
                        alpha_min = NULL, alpha_start = NULL, noise_start = NULL,
                        max_iter = 1000, tol = 1e-6,
                        order = c("random", "given"), sweeps = NULL, noise_grow = NULL,
                        prior = prior_weak(), keep = NULL, ...) {
  check_dots(...)
  prune <- check_number(prune, above = 0)
  if (!is.null(alpha_min)) alpha_min <- check_smallest_precision(alpha_min, prune)
  structure(
    list(
      update = check_choice(update),
      entry = check_choice(entry),
      prune = prune,
      alpha_min = alpha_min,
      alpha_start = if (!is.null(alpha_start)) check_positive(alpha_start),
      noise_start = if (!is.null(noise_start)) check_positive(noise_start, single = TRUE),
      max_iter = check_count(max_iter, min = 0, max = 1e6),
      tol = check_number(tol, min = 0),
      order = check_choice(order),
      sweeps = if (!is.null(sweeps)) check_count(sweeps, max = 1e6),
      noise_grow = if (!is.null(noise_grow)) check_flag(noise_grow),
      prior = check_prior(prior),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_rvm", "gpsieve_control")
  )
}

check_smallest_precision <- function(alpha_min, prune) {
  alpha_min <- check_number(alpha_min, "alpha_min", min = 0)
  if (alpha_min < prune) return(alpha_min)
  abort_gpsieve("{.arg alpha_min} must be smaller than {.arg prune}: {format_numbers(prune)}.",
    "Found {format_numbers(alpha_min)}, with which every function would be pruned.")
}
