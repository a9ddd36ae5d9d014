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
