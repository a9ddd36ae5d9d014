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
      steps = check_count(steps)
    ),
    class = c("gpsieve_control_meanfield", "gpsieve_control")
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
