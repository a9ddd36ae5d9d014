# Whether the first candidates of gpsieve() learn from long blocks of rows: those that learn from
# short ones, in little time, are compared with a linear function before.

# The entries that are compared first, with what their candidates learn.
# Functions that have learned from short blocks and predict held-out rows no better than a linear
# one, by more than a standard error, learn no more: they are compared as they are.
learn_first_entries <- function(task, report) {
  entries <- first_entries(task)
  linear <- Filter(is_linear_entry, entries)
  usual <- if (length(linear) == 1L && has_time_to_ask(entries[[1L]], task)) {
    learn_what_can(linear, task)
  }
  if (!length(usual)) return(learn_entries(entries, task))
  splits <- held_out_splits(task)
  usual <- judge_entry(usual[[1L]], task, splits, report)
  others <- lapply(Filter(Negate(is_linear_entry), entries), function(entry) {
    short <- learned_briefly(entry, usual, task, splits, report)
    if (is.null(short) || is_promising(bounded_gain(short, usual))) entry else short
  })
  known <- vapply(others, function(entry) !is.null(entry$judged), NA)
  c(learn_what_can(others[!known], task), others[known], list(usual))
}

# The entry that has learned from short blocks in few steps, judged beside the usual one on the
# splits that say whether it promises a gain; NULL where it breaks down
learned_briefly <- function(entry, usual, task, splits, report) {
  entry$candidate <- with_short_blocks(entry$candidate)
  steps <- entry$candidate$settings$control$blocks$steps
  entry$candidate$settings$control$blocks$steps <- min(steps, brief_steps)
  short <- learn_what_can(list(entry), task)
  if (!length(short)) return(NULL)
  judge <- function(i) judge_entry(short[[1L]], task, splits[i], report)
  judge_beside(short[[1L]], usual, splits, judge, needed = 1)
}

is_linear_entry <- function(entry) identical(entry$candidate$kernel, linear_function())

# Does such a comparison cost no more than the learning that it may save? Later rows of a series are
# too few for it.
has_time_to_ask <- function(first, task) {
  blocks <- first$candidate$settings$control$blocks
  short <- with_short_blocks(first$candidate)$settings$control$blocks
  !isTRUE(task$series$ordered) && !is.null(blocks) &&
    learning_seconds(task, short) + dense_seconds(task) <= learning_seconds(task, blocks)
}

# What the help page says of the candidates that are compared first
first_candidates <- c(
  "the rich function, [kernel_rich()], and with few rows a linear one" =
    "always, but for quantiles",
  "Gaussian processes on parts of the rows" = "more rows than `control_gpsieve(dense_rows = )`",
  "a trend with periods" = "times with a period, and `folds = \"time\"`"
)

# The entries that are compared first: functions of different kinds, by the model that the rows
# allow
first_entries <- function(task) {
  kernels <- candidate_kernels(task)
  candidates <- unlist(Map(function(label, kernel) {
    lapply(models_of(task), function(model) sized_candidate(task, label, model, kernel))
  }, names(kernels), kernels), recursive = FALSE, use.names = FALSE)
  if (has_leaves(task)) {
    parts <- lapply(names(kernels), function(label) leaf_candidate(task, label, kernels[[label]]))
    candidates <- c(parts, list(alternative_to_leaves(task, candidates[[1L]])))
  } else if (task$alike) {
    candidates <- c(candidates, lapply(candidates[1L], scaled_alike))
  }
  lapply(c(candidates, forecast_candidates(task)), new_entry, "function")
}

# The kernels to compare, by their labels
# Learning of one column can end where the rough part takes many turns of a smooth function for
# noise, or for steps.
candidate_kernels <- function(task) {
  given <- task$kernels
  if (length(given)) return(stats::setNames(given, vapply(given, kernel_label, "")))
  by_level <- if (!has_leaves(task)) levels_kernel(task)
  dense <- fits_densely(task)
  if (predicts_quantile(task$likelihood)) {
    return(c(list("smooth" = smooth_function()), if (dense) list("linear" = linear_function())))
  }
  rough <-
    if (has_leaves(task)) reads_fast(task)
    else task$latents > 1L && nrow(task$molded$x) <= short_block_rows
  c(
    list("rough and smooth" = kernel_rich()),
    if (rough) list("rough" = rough_kernel()),
    if (dense && ncol(task$molded$x) == 1L) list("smooth" = kernel_rich(nu = c(2.5, 2.5))),
    if (dense) list("linear" = linear_function()),
    if (!is.null(by_level)) list("constants of levels" = by_level)
  )
}
