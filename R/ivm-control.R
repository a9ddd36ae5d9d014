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
