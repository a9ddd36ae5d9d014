#' Settings of the sparse greedy Gaussian process
#'
#' What [greedy_gp()] takes as `control`. Most settings concern the search and its certificate;
#' `learn_rows` and `steps` trade time for accuracy of learning.
#' ```r
#' greedy_gp(y ~ ., data, control = control_greedy(learn_rows = 1000))
#' ```
#'
#' @param stop What is compared with `tol`, where U is the objective of the fit and L a lower bound
#'   on its minimum (see [certificate()]). `"posterior"`: the gap U - L divided by the lower bound
#'   on the negative log posterior, with the best bound known. `"duality_gap"`: the relative
#'   duality gap of the objective, \eqn{2(U - L)/(|U| + |L|)}, with the bound of the sparse dual
#'   form alone, as Smola (2002) has it. It depends on the offset of the targets (see
#'   [greedy_gp()]).
#' @param max_basis The largest number of functions when `n_basis = NULL`. A fit that stops here
#'   has not converged and warns. The m x `max_basis` matrix of the fit takes at most 8 m
#'   `max_basis` bytes.
#' @param dual_candidates The number of random rows from which the next row of the dual form is
#'   chosen. `Inf`: all rows, which costs no more. Smola (2002) used 59.
#' @param dual_rows The largest number of rows, drawn at random, among which the dual form chooses.
#'   It keeps one number for each of them and each of its functions.
#' @param certify_rows The largest number of rows for which the dense bound is computed, which
#'   needs m^2 kernel values. With more rows the bound is that of the sparse dual form or, for
#'   likelihoods other than Gaussian, the gradient bound in blocks.
#' @param bound,block_size The form of the gradient bound for likelihoods other than Gaussian:
#'   `"exact"` (m^2 kernel values), `"block"` (m `block_size` kernel values), or `"cheap"` (none;
#'   it grows with m and is too loose for a stopping rule).
#' @param stored_mb With `candidates = Inf` the kernel matrix is stored if it takes at most this
#'   many megabytes; otherwise its values are computed again in each step.
#' @param grow For likelihoods other than Gaussian the mode is found to convergence by Newton's
#'   method whenever the basis has grown by this share; every function in between gets one
#'   quasi-Newton step. 0: Newton's method after every function.
#' @param evidence The evidence of a regression: `"vfe"`, the variational lower bound on the log
#'   evidence of the full Gaussian process, or `"dtc"`, the marginal likelihood of the projected
#'   model, which is no bound and over-fits when hyper-parameters maximise it.
#' @param learn_rows,learn_basis With `optimise = TRUE`: hyper-parameters are learned on at most
#'   this many rows, drawn at random, projected on this many functions, with several classes by the
#'   one-vs-rest machines of the two with most rows. `NULL` is 2000 rows and 200 functions for
#'   Gaussian noise, 1000 and 100 for other likelihoods, whose evidence takes several of Newton's
#'   steps.
#' @param rounds,steps Rounds of selection and learning, and quasi-Newton steps within a round. The
#'   first of several rounds learns from a quarter of the rows, if these are 500 or more and
#'   the lengthscales of each kernel start equal.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param keep Keep 24 bytes for each training row (the mean and variance of the latent function and
#'   the response; 16 more for each class above two), so that `predict()`, [fitted()],
#'   [residuals()] and [augment()][augment.gpsieve_fit] need no data? `NULL`: for up to 100,000
#'   rows, unless predicting them takes more than 1e11 multiplications (rows times squared basis
#'   points), which is some seconds.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_greedy`.
#' @examples
#' # The stopping rule and the candidates of Smola (2002)
#' control_greedy(stop = "duality_gap", dual_candidates = 59)
#' @export
control_greedy <- function(stop = c("posterior", "duality_gap"), max_basis = 1000,
                           dual_candidates = Inf, dual_rows = 20000, certify_rows = 50000,
                           bound = c("exact", "block", "cheap"), block_size = 50, stored_mb = 512,
                           grow = 0.1, evidence = c("vfe", "dtc"), learn_rows = NULL,
                           learn_basis = NULL, rounds = 2, steps = 10, prior = prior_weak(),
                           keep = NULL, ...) {
  check_dots(...)
  structure(
    list(
      stop = check_choice(stop),
      max_basis = check_count(max_basis),
      dual_candidates = check_count(dual_candidates, allow_inf = TRUE),
      dual_rows = check_count(dual_rows),
      certify_rows = check_count(certify_rows, min = 0),
      bound = check_choice(bound),
      block_size = check_count(block_size),
      stored_mb = check_number(stored_mb, min = 0),
      grow = check_number(grow, min = 0),
      evidence = check_choice(evidence),
      learn_rows = if (!is.null(learn_rows)) check_count(learn_rows, min = 2),
      learn_basis = if (!is.null(learn_basis)) check_count(learn_basis),
      rounds = check_count(rounds, max = 1e6),
      steps = check_count(steps, max = 1e6),
      prior = check_prior(prior),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}
