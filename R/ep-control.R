#' Settings of expectation propagation
#'
#' What [ep_gp()] takes as `control`: how long it iterates, how it learns, what it keeps. Few of
#' these settings are ever needed. A warning that the sites or the objective had not settled asks
#' for more `max_iter`, or for `damping` below its default where the trace ([fit_trace()]) goes up
#' and down. *Sites* and the *shared factor* are explained in [model_arguments].
#'
#' @param max_iter Passes over all rows (without minibatches), and quasi-Newton steps of `"nlminb"`.
#'   `NULL`: 50 passes of learning that starts from the dense model (`warm_rows`), otherwise 250.
#'   Where learning has two stages (see [ep_gp()]), a quarter of the passes moves the inducing
#'   inputs, and both stages together make at most 750,000 divided by the number of rows. With three
#'   or more classes and at most 2000 rows, learning that starts from the dense model makes at most
#'   750,000 passes divided by the number of rows and by that of the classes, but 15 where that is
#'   more; `epochs` of [ep_gp()] sets the number itself.
#' @param tol At fixed hyper-parameters: stop when no site changes by more than this, in units of
#'   the posterior standard deviation (stochastic EP: when the shared factor changes by no more than
#'   this, relative to its largest entry).
#' @param damping Share of every change of the sites that is made, in (0, 1]. `NULL`: 0.5 where
#'   hyper-parameters are learned from all rows at once, otherwise 1; if several classes are
#'   modelled jointly 0.25 with learning and 0.5 without. Minibatches with which `"ep"` learns make
#'   the whole change but for such classes.
#' @param optimiser The rule by which hyper-parameters and inducing inputs are learned.
#'   `"adadelta"`, `"adam"` and `"sign_adaptive"` make one step in every pass or minibatch;
#'   `"sign_adaptive"` multiplies the gradient by step sizes that grow by 2 % while its sign stays
#'   the same and are halved when it changes. `"nlminb"`, for `method = "ep"`, runs EP to
#'   convergence before every quasi-Newton step and follows the exact gradient of its evidence.
#' @param start Stochastic EP in minibatches: `"warm"` makes the shared factor a running mean during
#'   the first epoch, so that it stands for all rows from the first minibatch on; `"plain"` starts
#'   from a factor without weight, as Hernandez-Lobato et al. (2015) do.
#' @param gradient `"fixed_point"`: the gradient of the evidence with the sites held fixed, which is
#'   exact at a fixed point of EP; `"exact"`: for stochastic EP and ADF, the partial derivative of
#'   log Z with the shared factor held fixed.
#' @param validation Rows that take no part in learning: a share of all rows, from which they are
#'   drawn at random, or two or more row numbers, counted among the rows that take part; not of
#'   a source. Their mean log loss is recorded
#'   in `fit_trace()`; the fit stops when it no longer falls and returns the state with the least
#'   loss.
#' @param patience Passes over the rows without a lower loss of the held-out rows before the fit
#'   stops; with minibatches it may be a fraction. `NULL`: 10 with minibatches, otherwise 50. Only
#'   with `validation`.
#' @param warm_rows Hyper-parameters first maximise EP's evidence of the dense model on at most so
#'   many rows, drawn at random, and start from there; 0 starts from the kernel and the likelihood
#'   as they are given. `NULL` is 400 for `"adadelta"` and `"adam"`, 0 for the other rules.
#' @param window Rows from which minibatches are drawn. Windows of so many consecutive rows are
#'   visited in their order, and of a source of rows (see [rows_from_function()]) one is held in
#'   memory at a time, with and without minibatches. `NULL`: all rows in memory, 10,000 rows of a
#'   source.
#' @param checkpoint Name of a file for the state of the fit, written every `every` seconds; the
#'   state before is kept as `<file>.previous`. Each is an ordinary fit, which [readRDS()] reads,
#'   and what `resume` of [ep_gp()] takes. A state replaces the one before only after it has been
#'   read back whole; if it cannot be written, as on a full disk, the fit warns once and goes on.
#' @param every Seconds between two states of the fit that are kept: in the file `checkpoint`, for
#'   [last_fit()], and for when a worker of a `cluster` dies; 0 keeps the state after every
#'   iteration. `NULL` is 60; with `"ep"` states are then kept for a file and a cluster only. With
#'   `"sep"` and `"adf"`, whose state is small, all but the file keep it at least every second.
#' @param shards In how many parts the rows are divided for `ep_gp(cluster = )`, or in the calling
#'   process without a cluster. The last bits of a fit depend on it. `NULL`: 16 with a cluster,
#'   otherwise the rows are not divided. It should be a few times the number of workers.
#' @inheritParams control_ivm
#' @return A list of class `gpsieve_control_ep`.
#' @examples
#' control_ep(optimiser = "adam", validation = 0.1)
#' @export
control_ep <- function(max_iter = NULL, tol = 1e-6, damping = NULL,
                       optimiser = c("adadelta", "adam", "sign_adaptive", "nlminb"),
                       start = c("warm", "plain"), gradient = c("fixed_point", "exact"),
                       validation = 0, patience = NULL, prior = prior_weak(), warm_rows = NULL,
                       window = NULL, checkpoint = NULL, every = NULL, shards = NULL, keep = NULL,
                       ...) {
  check_dots(...)
  structure(
    list(
      max_iter = if (!is.null(max_iter)) check_count(max_iter, max = 1e6),
      tol = check_number(tol, min = 0),
      damping = if (!is.null(damping)) check_number(damping, above = 0, max = 1),
      optimiser = check_choice(optimiser),
      start = check_choice(start),
      gradient = check_choice(gradient),
      validation = check_validation(validation),
      patience = if (!is.null(patience)) check_number(patience, above = 0, max = 1e6),
      prior = check_prior(prior),
      warm_rows = if (!is.null(warm_rows)) check_count(warm_rows, min = 0),
      window = if (!is.null(window)) check_count(window),
      checkpoint = checkpoint,
      every = if (!is.null(every)) check_number(every, min = 0),
      shards = if (!is.null(shards)) check_count(shards),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_ep", "gpsieve_control")
  )
}

# A share of the rows, or the numbers of the rows themselves
check_validation <- function(validation) {
  if (!is.numeric(validation) || length(validation) < 2L) {
    return(check_number(validation, "validation", min = 0, max = 0.9,
      hint = "It is a share of the rows, or a vector of row numbers."))
  }
  for (row in validation) check_count(row, "validation")
  if (anyDuplicated(validation)) {
    twice <- validation[anyDuplicated(validation)]
    abort_gpsieve("{.arg validation} must name each row once.", "Row {twice} is there twice.")
  }
  as.double(validation)
}

# Settings that would have no effect on the fit are refused
check_ep_control_used <- function(problem, settings, cluster) {
  control <- settings$control
  sharded <- has_shards(settings, cluster)
  window <- window_rows(problem, control)
  batches <- batches_per_epoch(problem$n, window, settings$batch_size)
  refuse_unused(
    "window", !is.null(control$window) && (sharded || is.null(problem$rows) && batches == 1),
    if (sharded) "Rows are divided into shards, each of which is held as a whole."
    else "All rows are in memory and make an update together.",
    "It goes with minibatches, or with a source of rows."
  )
  refuse_unused("patience", !is.null(control$patience) && all(control$validation == 0),
    "No rows are held out.", "It goes with {.arg validation}.")
}
