#' Settings of online learning
#'
#' What [online_gp()] takes as `control`: how hyper-parameters are learned before the stream begins,
#' and for rows that are read from a source how many are in memory and where the state is kept.
#'
#' @param learn_rows With `optimise = TRUE`: hyper-parameters are learned by EP's evidence of at
#'   most this many rows, drawn at random, with several classes by that of the one-vs-rest machines
#'   of the two with most rows. Time grows with the cube of `learn_rows`.
#' @param window Rows of a source (see [rows_from_function()]) that are visited together; with
#'   `shuffle = TRUE` they are visited in a random order. The fit does not depend on the blocks in
#'   which the source returns its rows. `NULL` is 10,000; rows in memory are visited together.
#' @param checkpoint Name of a file for the state of a fit to a source of rows, written every
#'   `every` seconds and at the end; the state before is kept as `<file>.previous`. Each is an
#'   ordinary fit to the rows so far, which [readRDS()] reads, and what `resume` of [online_gp()]
#'   takes. A state replaces the one before only after it has been read back whole; if it cannot be
#'   written, as on a full disk, the fit warns once and goes on.
#' @param every Seconds between two checkpoints; 0 writes one after every window. `NULL` is 60; only
#'   with `checkpoint`.
#' @param learn_every Hyper-parameters follow the stream: after every so many rows, counted from the
#'   first row of the fit, they take up to five quasi-Newton steps up EP's evidence of the last
#'   `learn_window` rows, and the posterior is expressed by the new kernel (see [online_gp()]).
#'   `NULL`: they stay those of the first fit.
#' @param learn_window How many of the last rows the fit keeps for this, beside its basis; an
#'   evaluation of the evidence takes time in proportion to its cube. `NULL` is 500; only with
#'   `learn_every`.
#' @param forget Number of rows after which the correlation of the latent function with what it was
#'   has fallen to one half, or `NULL`: the function stays the same (see [online_gp()]).
#' @inheritParams control_ivm
#' @return A list of class `gpsieve_control_online`.
#' @examples
#' control_online(learn_rows = 200)
#' control_online(learn_every = 100, forget = 1000)
#' @export
control_online <- function(learn_rows = 400, window = NULL, checkpoint = NULL, every = NULL,
                           prior = prior_weak(), keep = NULL, learn_every = NULL,
                           learn_window = NULL, forget = NULL, ...) {
  check_dots(...)
  structure(
    list(
      learn_rows = check_count(learn_rows, min = 2),
      window = if (!is.null(window)) check_count(window),
      checkpoint = checkpoint,
      every = if (!is.null(every)) check_number(every, min = 0),
      prior = check_prior(prior),
      keep = check_keep(keep),
      learn_every = if (!is.null(learn_every)) check_count(learn_every),
      learn_window = if (!is.null(learn_window)) check_count(learn_window, min = 2),
      forget = if (!is.null(forget)) check_number(forget, above = 0)
    ),
    class = c("gpsieve_control_online", "gpsieve_control")
  )
}

# Settings that would have no effect on the fit are refused
check_online_control_used <- function(molded, control) {
  refuse_unused("window", !is.null(control$window) && is.null(molded$rows),
    "All rows are in memory.", "It goes with a source of rows.")
  refuse_unused("every", !is.null(control$every) && is.null(control$checkpoint),
    "There is no {.arg checkpoint}.", "It goes with a {.arg checkpoint}.")
}
