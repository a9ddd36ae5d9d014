# What gpsieve() may spend: seconds, turned into steps of learning, rows and points by what fits
# cost. Costs come from constants and are not measured while the choice runs, so that the same data
# and seed give the same choice on every computer.

#' Settings of the choice that gpsieve() makes
#'
#' What [gpsieve()] takes as `control`: how candidates are judged, and where the rows are too many
#' for the dense model. None is needed as a rule; `time` of [gpsieve()] says what a choice may cost.
#'
#' @param folds Folds of the rows on which candidates are compared where the rows are few. With many
#'   rows, or where enough rows have been judged, not all folds are held out; with many rows it is
#'   one of at most 5000.
#' @param dense_rows With at most so many rows (times the square root of the number of latent
#'   functions; half as many for two classes and counts) the dense model, [meanfield_gp()], is
#'   fitted; with more, [ivm()].
#' @param leaf_rows Most rows of a part where machines on parts of the rows are compared: the
#'   `leaf_rows` of [ivm()]. `NULL`: as many as the time allows, at least 400 and at most 3000. With
#'   a tree for each part of the function leaves have at most this number divided by that of the
#'   trees.
#' @param blocks How hyper-parameters are learned: [learn_on_blocks()]. Where there is no time for
#'   its `rows` and `steps`, both are fewer. With several classes, and one machine for all rows, the
#'   usual blocks have 500 rows, of fewer than 1000 rows random ones only. On parts of the rows a
#'   rough function learns from blocks of near rows only, in twice as many steps of one block each.
#'   With a `widen` other than 1 the noise of numbers is Gaussian and the same everywhere: no other
#'   is compared.
#' @param keep Passed to the control of the chosen model: [control_meanfield()], [control_ivm()].
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_gpsieve`.
#' @examples
#' control_gpsieve(folds = 3)
#' @export
control_gpsieve <- function(folds = 5, dense_rows = 4000, leaf_rows = NULL,
                            blocks = learn_on_blocks(), keep = NULL, ...) {
  check_dots(...)
  if (is.null(blocks)) {
    abort_gpsieve("{.arg blocks} must come from {.fn learn_on_blocks}.", "Found NULL.")
  }
  structure(
    list(
      folds = check_count(folds, min = 2, max = 100),
      dense_rows = check_count(dense_rows, min = 0),
      leaf_rows = if (!is.null(leaf_rows)) check_count(leaf_rows, min = 10),
      blocks = check_blocks(blocks),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_gpsieve", "gpsieve_control")
  )
}

# The time that a call may take by itself: it grows with the rows, times the square root of the
# number of latent functions, up to a bound.
least_seconds <- 20
most_seconds <- 75
seconds_a_row <- 1e-3

# The seconds the call may take
choice_seconds <- function(task) {
  if (!is.null(task$time)) return(task$time)
  rows <- count_rows(task$molded) * sqrt(task$latents)
  share <- if (has_few_columns(task)) share_of_few_columns else 1
  share * min(most_seconds, max(least_seconds, seconds_a_row * rows))
}

# Are there many numbers to model as a function of few columns, such as places and times? The few
# hyper-parameters of such a function are learned in fewer steps.
has_few_columns <- function(task) {
  task$kind == "number" && ncol(task$molded$x) <= few_columns &&
    nrow(task$molded$x) > task$control$dense_rows
}

# With two fifths of the time the errors of winds in space and time (15,973 rows) rise from .566 to
# .572, those of temperatures in the ocean (10,000 rows) from 1.126 to 1.129.
few_columns <- 3
share_of_few_columns <- 0.4

# Shares of the time for learning the hyper-parameters of all functions, and of one of them at most
# (leaves are compared with two functions, each of which is judged with them),
# for the fit, and for the comparisons of all candidates.
learning_share <- c(alone = 0.45, with_leaves = 0.33)
most_of_learning <- 0.3
fit_share <- 0.4
leaf_fit_share <- 0.12
trial_share <- 0.1

# Smaller blocks are preferred to fewer steps than `enough_steps`, down to `fewest_block_rows`.
enough_steps <- 80
fewest_steps <- 20
fewest_block_rows <- 250

# A kernel whose hyper-parameters do not grow with the columns learns from smaller blocks and in
# fewer steps.
simple_rows <- 200
simple_steps <- 40

# The way to learn that the time allows: smaller blocks, then fewer steps
affordable_blocks <- function(task, simple = FALSE) {
  blocks <- task$control$blocks
  if (task$kind == "multiclass" && !has_leaves(task))
    blocks <- blocks_of_classes(blocks, nrow(task$molded$x))
  if (simple) {
    blocks$rows <- min(blocks$rows, simple_rows)
    blocks$steps <- min(blocks$steps, simple_steps)
  }
  of_steps <- function(steps) {
    blocks$steps <- steps
    learning_seconds(task, blocks)
  }
  functions <- max(1L, length(task$kernels)) + has_leaves(task) + isTRUE(task$alike) +
    (length(task$far) > 0L) + isTRUE(task$warped) +
    (!length(task$kernels) && length(factors_of_many_levels(task$molded)) > 0L)
  share <- learning_share[[if (has_leaves(task)) "with_leaves" else "alone"]]
  allowed <- min(most_of_learning, share / functions) * choice_seconds(task)
  enough <- min(enough_steps, blocks$steps)
  while (blocks$rows > fewest_block_rows && of_steps(enough) > allowed) {
    blocks$rows <- max(fewest_block_rows, round(0.8 * min(nrow(task$molded$x), blocks$rows)))
  }
  blocks$steps <- max(min(fewest_steps, blocks$steps),
    min(blocks$steps, floor(allowed / of_steps(1))))
  blocks
}

most_active <- 2000
fewest_active <- 150
# The matrix of as many rows as active points that a machine holds has at most so many numbers.
most_ivm_numbers <- 1e8

# Active points of one informative vector machine for all rows that can be fitted in the time
affordable_active <- function(task) {
  n <- nrow(task$molded$x)
  in_time <- active_in_time(task, n, fit_share * choice_seconds(task))
  round(min(n, most_active, most_ivm_numbers / n, max(fewest_active, in_time)))
}

# Active points of the machine of each leaf
leaf_active <- function(task) {
  rows <- count_rows(task$molded) * overlapping
  in_time <- active_in_time(task, rows, fit_share * choice_seconds(task))
  # The fit holds a square of active points for each leaf.
  in_memory <- sqrt(leaf_memory_share * memory_limit()$bytes *
    usual_part(task) / (8 * rows * task$latents))
  round(min(usual_part(task), most_leaf_active, in_memory, max(fewest_active / 3, in_time)))
}

# The share of the memory that a fit of many leaves may take.
leaf_memory_share <- 0.25

most_leaf_active <- 500
# A row takes part in so many leaves on average.
overlapping <- 1.3

# The candidate with as many active points as there is time for in a fit to `rows` rows that is
# judged on others
trial_candidate <- function(candidate, task, rows) {
  active <- candidate$settings$n_active
  leaf <- candidate$settings$leaf_rows
  if (is.null(active) && !is.null(leaf)) return(trial_leaves(candidate, task, rows))
  if (is.null(active) || !is.null(leaf)) return(candidate)
  in_time <- active_in_time(as_read_by(candidate$kernel, task), rows, trial_seconds(task))
  candidate$settings$n_active <- round(min(active, max(smallest_trial * active, in_time)))
  candidate
}

smallest_trial <- 0.3

# Are the rows few enough for the dense model?
fits_densely <- function(task) {
  n <- nrow(task$molded$x)
  if (!is.null(task$molded$rows)) return(FALSE)
  if (!is.null(task$models)) return(identical(task$models, "meanfield_gp"))
  if (!is.null(task$size) && task$size < n) return(FALSE)
  # One informative vector machine for each of several classes costs more than the dense model.
  most <- task$control$dense_rows / (if (task$kind %in% c("number", "multiclass")) 1 else 2)
  n * sqrt(task$latents) <= most && dense_seconds(task) <= fit_share * choice_seconds(task)
}
