#' Settings of the sparse greedy Gaussian process
#'
#' What [greedy_gp()] takes as `control`. They concern the search's stopping rule and its
#' certificate.
#'
#' @param stop What is compared with `tol`, where U is the objective of the fit and L a lower bound
#'   on its minimum (see [certificate()]). `"posterior"`: the gap U - L divided by the lower bound
#'   on the negative log posterior over that of a function which explains each row as well as any
#'   can, with the best bound known. `"duality_gap"`: the relative
#'   duality gap of the objective, \eqn{2(U - L)/(|U| + |L|)}, with the bound of the sparse dual
#'   form alone, as Smola (2002) has it, so that only fits with Gaussian noise stop by it. It
#'   depends on the offset of the targets (see [greedy_gp()]).
#' @param dual_candidates The number of random rows from which the next row of the dual form is
#'   chosen. `Inf`: all rows, of more than 20,000 as many drawn at random, which costs no
#'   more. Smola (2002) used 59.
#' @param bound What the lower bound of a fit to m rows costs. `"exact"`: m^2 kernel values, with
#'   more than 50,000 rows as `"block"`. `"block"`: 50 m kernel values. `"cheap"`: none; it grows
#'   with m and is too loose for a stopping rule. With Gaussian noise `"block"` and `"cheap"` both
#'   mean the bound of the sparse dual form alone.
#' @inheritParams control_ivm
#' @return A list of class `gpsieve_control_greedy`.
#' @examples
#' # The stopping rule and the candidates of Smola (2002)
#' control_greedy(stop = "duality_gap", dual_candidates = 59)
#' @export
control_greedy <- function(stop = c("posterior", "duality_gap"), dual_candidates = Inf,
                           bound = c("exact", "block", "cheap"), prior = prior_weak(), keep = NULL,
                           ...) {
  check_dots(...)
  structure(
    list(
      stop = check_choice(stop),
      dual_candidates = check_count(dual_candidates, allow_inf = TRUE),
      bound = check_choice(bound),
      prior = check_prior(prior),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}
