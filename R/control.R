# Computational settings: how a model searches, not what it means.

#' Settings of the informative vector machine's search
#'
#' @param n_random Rows included at random first: with a constant prior variance all scores tie.
#' @param n_full Rows then included by a search over all n rows; `Inf` searches them all every time.
#'   `n_random = 0, n_full = Inf` is deterministic, ties going to the lowest row.
#' @param pool Size of the selection index that takes over: only its rows are kept up to date.
#' @param retain Share of the selection index that survives an inclusion; the rest is replaced by
#'   rows drawn at random.
#' @param learn_rows,learn_active,learn_classes With `optimise = TRUE`: hyper-parameters are learned
#'   on at most this many rows, drawn at random, with this many active points (whatever `n_active`
#'   is), by at most this many of the one-vs-rest machines.
#' @param rounds,steps Rounds of selection and learning, and quasi-Newton steps within a round.
#' @return A list of class `gpsieve_control_ivm`.
#' @examples
#' control_ivm(n_random = 0, n_full = Inf)
#' @export
control_ivm <- function(n_random = 2, n_full = 198, pool = 500, retain = 0.5, learn_rows = 5000,
                        learn_active = 300, learn_classes = 2, rounds = 3, steps = 10) {
  structure(
    list(
      n_random = check_count(n_random, min = 0),
      n_full = check_count(n_full, min = 0, allow_inf = TRUE),
      pool = check_count(pool),
      retain = check_number(retain, min = 0, max = 1),
      learn_rows = check_count(learn_rows, min = 2),
      learn_active = check_count(learn_active),
      learn_classes = check_count(learn_classes),
      rounds = check_count(rounds),
      steps = check_count(steps)
    ),
    class = c("gpsieve_control_ivm", "gpsieve_control")
  )
}

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
#' @param patience Evaluations on held-out rows without improvement before the fit stops.
#' @return A list of class `gpsieve_control_ep`.
#' @examples
#' control_ep(optimiser = "adam", rate = 0.02)
#' @export
control_ep <- function(max_iter = 250, tol = 1e-6, damping = NULL,
                       optimiser = c("adadelta", "adam", "authors", "nlminb"),
                       start = c("warm", "plain"), gradient = c("paper", "exact"), rate = NULL,
                       validation = 0, patience = 10) {
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
      patience = check_count(patience, max = 1e6)
    ),
    class = c("gpsieve_control_ep", "gpsieve_control")
  )
}

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
      rounds = check_count(rounds),
      steps = check_count(steps)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}

#' @export
print.gpsieve_control <- function(x, ...) {
  name <- sub("gpsieve_", "", class(x)[1L])
  cat(name, "(", paste0(names(x), " = ", vapply(x, format, ""), collapse = ", "), ")\n", sep = "")
  invisible(x)
}

check_control <- function(control, model, call) {
  class <- paste0("gpsieve_control_", model)
  if (!inherits(control, class)) {
    found <- describe(control)
    abort_gpsieve("{.arg control} must come from {.fn control_{model}}.", "Found {found}.",
      call = call
    )
  }
  control
}
