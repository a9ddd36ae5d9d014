# Whether the first candidates of gpsieve() go on learning: after a share of the steps they are
# compared with a linear function, which has been learned in little time.

# The entries that are compared first, with what their candidates learn.
# Where functions that have learned in a share of the steps predict held-out rows no better than a
# linear one, by more than a standard error, their learning ends: they are compared as they are.
learn_first_entries <- function(task, report) {
  entries <- first_entries(task)
  linear <- which(vapply(entries, is_linear_entry, NA))
  done <- if (length(linear) == 1L && has_time_to_pause(entries[[1L]], task)) {
    learn_what_can(entries[linear], task)
  }
  if (!length(done)) return(learn_entries(entries, task))
  splits <- held_out_splits(task)
  done <- lapply(done, judge_entry, task, splits, report)
  promises <- function(entry) {
    is_promising(density_beyond(judge_entry(entry, task, splits, report), done[[1L]]))
  }
  append(learn_what_can(entries[-linear], task, promises), done, linear - 1L)
}

is_linear_entry <- function(entry) identical(entry$candidate$kernel, linear_function())

# Do fits for such a comparison take little of the time of learning, `trial_share`? Few rows learn
# in little time, and end where steps gain nothing; later rows of a series are too few.
has_time_to_pause <- function(first, task) {
  blocks <- first$candidate$settings$control$blocks
  !isTRUE(task$series$ordered) && !is.null(blocks) && nrow(task$molded$x) > blocks$rows &&
    dense_seconds(task) <= trial_share * learning_seconds(task, blocks)
}

# What the help page says of the candidates that are compared first
first_candidates <- c(
  "the rich function, [kernel_rich()], and a linear one" = "always",
  "Gaussian processes on parts of the rows" = "more rows than `control_gpsieve(dense_rows = )`",
  "a trend with periods" = "series: `folds = \"time\"`"
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
