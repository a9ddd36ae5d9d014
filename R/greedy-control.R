#' Settings of the sparse greedy Gaussian process
#'
#' What [greedy_gp()] takes as `control`. They concern the search's stopping rule and its
#' certificate, and the evidence that learning maximises.
#'
#' @param stop What is compared with `tol`, where U is the objective of the fit and L a lower bound
#'   on its minimum (see [certificate()]). `"posterior"`: the gap U - L divided by the lower bound
#'   on the negative log posterior, with the best bound known. `"duality_gap"`: the relative
#'   duality gap of the objective, \eqn{2(U - L)/(|U| + |L|)}, with the bound of the sparse dual
#'   form alone, as Smola (2002) has it. It depends on the offset of the targets (see
#'   [greedy_gp()]).
#' @param dual_candidates The number of random rows from which the next row of the dual form is
#'   chosen. `Inf`: all rows, which costs no more. Smola (2002) used 59.
#' @param certify_rows The largest number of rows for which the dense bound is computed, which
#'   needs m^2 kernel values. With more rows the bound is that of the sparse dual form or, for
#'   likelihoods other than Gaussian, the gradient bound in blocks.
#' @param bound The form of the gradient bound for likelihoods other than Gaussian:
#'   `"exact"` (m^2 kernel values), `"block"` (50 m kernel values), or `"cheap"` (none;
#'   it grows with m and is too loose for a stopping rule).
#' @param evidence The evidence of a regression: `"vfe"`, the variational lower bound on the log
#'   evidence of the full Gaussian process, or `"dtc"`, the marginal likelihood of the projected
#'   model, which is no bound and over-fits when hyper-parameters maximise it.
#' @inheritParams control_ivm
#' @return A list of class `gpsieve_control_greedy`.
#' @examples
#' # The stopping rule and the candidates of Smola (2002)
#' control_greedy(stop = "duality_gap", dual_candidates = 59)
#' @export
control_greedy <- function(stop = c("posterior", "duality_gap"), dual_candidates = Inf,
                           certify_rows = 50000, bound = c("exact", "block", "cheap"),
                           evidence = c("vfe", "dtc"), prior = prior_weak(), keep = NULL, ...) {
  check_dots(...)
  structure(
    list(
      stop = check_choice(stop),
      dual_candidates = check_count(dual_candidates, allow_inf = TRUE),
      certify_rows = check_count(certify_rows, min = 0),
      bound = check_choice(bound),
      evidence = check_choice(evidence),
      prior = check_prior(prior),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}
