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
      rounds = check_count(rounds, max = 1e6),
      steps = check_count(steps, max = 1e6)
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
#' @param patience Passes over the rows without improvement on held-out rows before the fit stops; in
#'   minibatches it may be a fraction. `NULL`: 10 in minibatches, 50 where a pass is a single step.
#' @return A list of class `gpsieve_control_ep`.
#' @examples
#' control_ep(optimiser = "adam", rate = 0.02)
#' @export
control_ep <- function(max_iter = 250, tol = 1e-6, damping = NULL,
                       optimiser = c("adadelta", "adam", "authors", "nlminb"),
                       start = c("warm", "plain"), gradient = c("paper", "exact"), rate = NULL,
                       validation = 0, patience = NULL) {
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
      patience = if (!is.null(patience)) check_number(patience, above = 0, max = 1e6)
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
      rounds = check_count(rounds, max = 1e6),
      steps = check_count(steps, max = 1e6)
    ),
    class = c("gpsieve_control_greedy", "gpsieve_control")
  )
}

#' Settings of the mean-field computation
#'
#' @param max_iter At most so many rounds of `"tap"`, or Newton steps of the other methods.
#' @param tol `"tap"` stops when no cavity variance changed by more than this, in units of the
#'   inverse curvature of its log Z. The mean-field equations themselves are always solved to
#'   rounding error.
#' @param learn_rows,learn_classes With `optimise = TRUE`: hyper-parameters are learned on at most
#'   this many rows, drawn at random, by at most this many of the one-vs-rest machines.
#' @param steps Quasi-Newton steps from each start.
#' @return A list of class `gpsieve_control_meanfield`.
#' @examples
#' control_meanfield(learn_rows = 500)
#' @export
control_meanfield <- function(max_iter = 100, tol = 1e-8, learn_rows = 1000, learn_classes = Inf,
                              steps = 50) {
  structure(
    list(
      max_iter = check_count(max_iter, max = 1e6),
      tol = check_number(tol, above = 0, max = 1),
      learn_rows = check_count(learn_rows, min = 2),
      learn_classes = check_count(learn_classes, allow_inf = TRUE),
      steps = check_count(steps, max = 1e6)
    ),
    class = c("gpsieve_control_meanfield", "gpsieve_control")
  )
}

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

#' Settings of online learning
#'
#' @param learn_rows,learn_classes With `optimise = TRUE`: hyper-parameters are learned by EP's
#'   evidence of at most this many rows, drawn at random, and at most this many of the one-vs-rest
#'   machines. Time grows with the cube of `learn_rows`.
#' @param rounds,steps Quasi-Newton steps in a round; another round follows where a hyper-parameter
#'   moved as far as one round allows, a factor of 20.
#' @param tol Sweeps of EP stop when no site moved by more than this, in units of its marginal.
#' @return A list of class `gpsieve_control_online`.
#' @examples
#' control_online(learn_rows = 200)
#' @export
control_online <- function(learn_rows = 400, learn_classes = 2, rounds = 3, steps = 20,
                           tol = 1e-8) {
  structure(
    list(
      learn_rows = check_count(learn_rows, min = 2),
      learn_classes = check_count(learn_classes),
      rounds = check_count(rounds, max = 1e6),
      steps = check_count(steps, max = 1e6),
      tol = check_number(tol, min = 0)
    ),
    class = c("gpsieve_control_online", "gpsieve_control")
  )
}

#' @export
print.gpsieve_control <- function(x, ...) {
  name <- sub("gpsieve_", "", class(x)[1L])
  shown <- vapply(x, function(v) if (is.character(v)) dQuote(v, FALSE) else deparse1(v), "")
  cat(name, "(", paste0(names(x), " = ", shown, collapse = ", "), ")\n", sep = "")
  invisible(x)
}

check_control <- function(control, model, call) {
  maker <- paste0("control_", model)
  settings <- names(formals(maker))
  if (!inherits(control, paste0("gpsieve_", maker)) || !setequal(names(control), settings)) {
    found <- describe(control)
    abort_gpsieve("{.arg control} must come from {.fn {maker}}.", "Found {found}.", call = call)
  }
  # What was changed in it by hand is looked at like what is given to its maker.
  tryCatch(do.call(maker, unclass(control), quote = TRUE), gpsieve_error = function(e) {
    e$call <- rlang::error_call(call)
    rlang::cnd_signal(e)
  })
}
