#' Settings of the sparse greedy Gaussian process
#'
#' @param stop What `tol` is compared with: `"posterior"`, the gap relative to the negative log
#'   posterior, with the best bound known; `"slides"`, the published rule,
#'   \eqn{2(U - L)/(|U| + |L|)} with the bound of the sparse dual form alone, which depends on the
#'   offset of the targets (see [greedy_gp()]).
#' @param max_basis With `n_basis = NULL`: at most so many functions. A fit that stops here has not
#'   converged and says so. Memory grows to 8 m `max_basis` bytes at most.
#' @param dual_candidates How many random rows compete for the next place in the dual form. `Inf`:
#'   all rows, which costs no more; the slides used 59.
#' @param dual_rows The dual form looks among at most so many rows, drawn at random: it keeps a
#'   column of them for every function.
#' @param certify_rows With more rows than this there is no dense certificate (it costs m^2 kernel
#'   values), only the sparse dual form or, for other likelihoods, the bound in blocks.
#' @param bound,block_size The form of the gradient bound for likelihoods other than Gaussian:
#'   `"exact"` (m^2 kernel values), `"block"` (m `block_size` kernel values), or `"cheap"` (none; it
#'   grows with m and is too loose to stop on).
#' @param stored_mb With `candidates = Inf` the kernel matrix is kept if it takes at most so many
#'   megabytes; otherwise it is computed anew in each step.
#' @param grow Newton's method starts anew when the basis has grown by this share; in between, each
#'   function gets one quasi-Newton step. 0: always anew.
#' @param evidence Regression's evidence: `"vfe"`, the variational lower bound, or `"dtc"`, the
#'   marginal likelihood of the projected model, which over-fits when it is climbed.
#' @param learn_rows,learn_basis,learn_classes With `optimise = TRUE`: hyper-parameters are learned
#'   on at most this many rows, drawn at random, projected on this many functions, by at most this
#'   many of the one-vs-rest machines.
#' @param rounds,steps Rounds of selection and learning, and quasi-Newton steps within a round.
#' @return A list of class `gpsieve_control_greedy`.
#' @examples
#' # The slides' protocol
#' control_greedy(stop = "slides", dual_candidates = 59)
#' @export
control_greedy <- function(stop = c("posterior", "slides"), max_basis = 1000, dual_candidates = Inf,
                           dual_rows = 20000, certify_rows = 50000,
                           bound = c("exact", "block", "cheap"), block_size = 50, stored_mb = 512,
                           grow = 0.1, evidence = c("vfe", "dtc"), learn_rows = 4000,
                           learn_basis = 200, learn_classes = 2, rounds = 3, steps = 15) {
  structure(
    list(
      stop = check_choice(stop, c("posterior", "slides")),
      max_basis = check_count(max_basis),
      dual_candidates = check_count(dual_candidates, allow_inf = TRUE),
      dual_rows = check_count(dual_rows),
      certify_rows = check_count(certify_rows, min = 0),
      bound = check_choice(bound, c("exact", "block", "cheap")),
      block_size = check_count(block_size),
      stored_mb = check_number(stored_mb, min = 0),
      grow = check_number(grow, min = 0),
      evidence = check_choice(evidence, c("vfe", "dtc")),
      learn_rows = check_count(learn_rows, min = 2),
      learn_basis = check_count(learn_basis),
      learn_classes = check_count(learn_classes),
      rounds = check_count(rounds, max = 1e6),
      steps = check_count(steps, max = 1e6)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}
