# Machines on parts of the rows among the candidates of gpsieve(), for many rows, and one machine
# for all rows beside them.

has_leaves <- function(task) {
  is.null(task$models) && is.null(task$size) &&
    count_rows(task$molded) >= 2 * task$control$leaf_rows * sqrt(task$latents)
}

#' A candidate of machines on parts of the rows; of a source, it has what the sample has learned
#'
#' The rough kernel is for what a function does over short distances, which blocks of near rows
#' show.
#' @noRd
leaf_candidate <- function(task, label, kernel) {
  on_sample <- !is.null(task$molded$rows)
  blocks <- if (!on_sample) affordable_blocks(task)
  if (!on_sample && identical(kernel$rich, rough_kernel()$rich)) blocks <- near_blocks(blocks)
  new_candidate(paste0(label, ", in parts"), "ivm", kernel, task$likelihood, list(
    n_active = leaf_active(task), leaf_rows = task$control$leaf_rows,
    optimise = if (on_sample) FALSE,
    control = control_ivm(blocks = blocks, keep = task$control$keep)
  ))
}

#' Stage: machines on parts of the rows with a tree for each part of the function, beside the best
#' of those that have the whole function, in the same time
#'
#' Every tree is fitted `rounds_of_terms` times, so that there is time for fewer active points; the
#' leaves are smaller, so that there are as many active points for a row (with two terms). Trees of
#' terms share the active points among the terms: what they gain on the rows of a comparison can be
#' lost on all rows, where each term changes within fewer rows, so that the gain must be clear.
#' @noRd
tree_entries <- function(entries, task) {
  entry <- Find(in_leaves, entries)
  of_noise <- is.null(task$likelihood) || !is.null(added_noise(task$likelihood, 0))
  applies <- !is.null(entry) && of_noise && task$kind %in% c("number", "binary") &&
    is.null(task$molded$rows) && is.null(task$molded[["noise"]]) && reads_fast(task)
  trees <- if (applies) length(terms_of_trees(entry$kernel)) else 0L
  if (trees == 0L) return(list())
  settings <- entry$candidate$settings
  entry$candidate$label <- sub("in parts$", sprintf("in %d trees", trees), entry$candidate$label)
  entry$candidate$settings[c("n_active", "leaf_rows", "trees")] <- list(
    ceiling(settings$n_active / sqrt(trees * rounds_of_terms)), ceiling(settings$leaf_rows / trees),
    "terms"
  )
  entry$judged <- NULL
  entry$seconds <- 0
  list(entry)
}

#' One machine for all rows beside machines on parts of them: with constants of the levels of
#' factors that have many, because a leaf has few rows of each; for columns of one kind, such as
#' pixels, with one lengthscale, which costs little for many columns; otherwise with the first
#' kernel
#' @noRd
alternative_to_leaves <- function(task, first) {
  by_level <- if (!length(task$kernels)) levels_kernel(task)
  if (!is.null(by_level)) return(sized_candidate(task, "constants of levels", "ivm", by_level))
  if (!task$alike || length(task$kernels) || !is.null(task$molded$rows)) return(first)
  scaled_alike(sized_candidate(task, "one lengthscale", "ivm", kernel_rbf()))
}

in_leaves <- function(entry) !is.null(entry$candidate$settings$leaf_rows)

#' Entries of a source in their order, but the best of machines on parts first unless it is worse by
#' more than two standard errors
#'
#' They are judged on the sample. On all rows there are as many machines more as there are rows, and
#' the model of a fixed size stays as it is.
#' @noRd
parts_unless_worse <- function(entries) {
  first <- which(vapply(entries, in_leaves, NA))[1L]
  if (is.na(first)) return(entries)
  if (gains_clearly(entries[[1L]], entries[[first]])) return(entries)
  c(entries[first], entries[-first])
}

#' The rows with which candidates are compared, at most
#'
#' Where machines on parts take part, every machine has as many active points as it will have in the
#' fit, and there are as many rows as there is time for, at least four parts of them, up to
#' `most_trial_rows`. With fewer points and more rows the comparison would say less: one machine
#' gains more by its points than machines on parts, which have as many in every part.
#' @noRd
trial_rows <- function(task) {
  if (!has_leaves(task)) return(most_trial_rows)
  seconds <- trial_share * choice_seconds(task) / task$compared
  in_time <- seconds / (overlapping * ivm_seconds(task, 1, leaf_active(task)))
  floor(min(most_trial_rows, max(4 * task$control$leaf_rows, in_time)))
}

most_trial_rows <- 40000

#' The split with at most so many rows to fit
#' @noRd
thinned <- function(split, rows, seed) {
  n <- length(split$train)
  split$train <- split$train[draw(n, min(n, rows), seed)]
  split
}

#' Have the rows few enough numbers that reading, scaling and copying them costs little beside the
#' machines? Otherwise machines on parts with one kernel are compared, without trees of terms.
#' @noRd
reads_fast <- function(task) nrow(task$molded$x) * columns_of_row(task) <= most_numbers_compared

# 60,000 rows of 784 columns are more: 20,000 of them take 16 CPU seconds with 65 active points in
# each part, nearly all of it for what is done to every number.
most_numbers_compared <- 3e7
