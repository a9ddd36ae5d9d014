#' Settings of the informative vector machine's search
#'
#' What [ivm()] takes as `control`. The search for active points is needed as it is in most cases;
#' `blocks` learns kernels with many hyper-parameters, `learn_rows` trades time for accuracy of
#' learning, `keep = FALSE` makes a fit small.
#'
#' @param n_random How many rows are included at random at first, since all scores are equal as long
#'   as the prior variance is constant.
#' @param n_full How many rows are then included by scores of all n rows; `Inf` scores all rows at
#'   every inclusion. With `n_random = 0, n_full = Inf` a selection by scores does not depend on the
#'   seed (the rows from which hyper-parameters are learned do); among rows with equal scores the
#'   first is included.
#' @param pool Size of the selection index: after `n_full` inclusions only the rows of this random
#'   subset are scored.
#' @param retain Share of the selection index, the rows with the best scores, that is kept after an
#'   inclusion; the others are replaced by rows drawn at random.
#' @param learn_rows With `optimise = TRUE`: hyper-parameters are learned from at most this many
#'   rows, drawn at random, with several classes by the one-vs-rest machines of the two with most
#'   rows. A machine that passes of EP refine learns from the evidence of the dense model of these
#'   rows, the machine of the paper (`refine = 0`) from that of an active set of 300 of
#'   them. `NULL`: 1000 rows, 500 where the likelihood is not log-concave, and 5000 with
#'   `refine = 0`.
#' @param rounds The greatest number of rounds of learning. A search of a round moves a
#'   hyper-parameter by a factor of about 20 at most (a round with `refine = 0` may go on in the
#'   same direction); lengthscales of several columns that begin equal have a search for their
#'   common value first, and periods stay as they are in a first search. With `refine = 0` each
#'   round selects an active set of its own. `NULL`: 3, and 20 with `refine = 0`.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param blocks [learn_on_blocks()] learns the hyper-parameters on blocks of all rows, in place of
#'   what the settings from `learn_rows` to `prior` describe, which must then keep their defaults.
#' @param overlap With `leaf_rows`: about how many rows near the borders of the leaves take part on
#'   both sides, as a share of all rows, where rows are divided along one column; where they are
#'   divided along q columns about a q-th of that. Predictions there pass from one leaf to the other
#'   gradually; with 0 they jump.
#' @param keep Keep about 32 bytes for each training row (the mean and variance of the latent
#'   function, the response and a number by which the row is found again; 16 more for each further
#'   latent function, of which three or more classes without an order have one each)
#'   and, for pictures that need them, the inputs of up to 1,000 rows, so that `predict()`,
#'   [fitted()], [residuals()] and [augment()][augment.gpsieve_fit] need no data? `NULL`: for up
#'   to 100,000 rows, unless predicting them takes more than 1e11 multiplications (rows times
#'   squared basis points), which is some seconds.
#' @param checkpoint With `leaf_rows`: name of a file to which every leaf is added when it has been
#'   fitted, or `NULL`. [`ivm(resume = )`][ivm] continues from it.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_ivm`.
#' @examples
#' control_ivm(n_random = 0, n_full = Inf)
#' @export
control_ivm <- function(n_random = 2, n_full = 198, pool = 500, retain = 0.5, learn_rows = NULL,
                        rounds = NULL, prior = prior_weak(), blocks = NULL, overlap = 0.3,
                        keep = NULL, checkpoint = NULL, ...) {
  check_dots(...)
  out <- list(
    n_random = check_count(n_random, min = 0),
    n_full = check_count(n_full, min = 0, allow_inf = TRUE),
    pool = check_count(pool),
    retain = check_number(retain, min = 0, max = 1),
    learn_rows = if (!is.null(learn_rows)) check_count(learn_rows, min = 2),
    rounds = if (!is.null(rounds)) check_count(rounds, max = 1e6),
    prior = check_prior(prior),
    blocks = check_blocks(blocks),
    overlap = check_number(overlap, min = 0, max = 1),
    keep = check_keep(keep), checkpoint = checkpoint
  )
  check_beside_blocks(out$blocks, out[c("learn_rows", "rounds", "prior")], "control_ivm")
  structure(out, class = c("gpsieve_control_ivm", "gpsieve_control"))
}
