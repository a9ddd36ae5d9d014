# Machines on parts of the rows among the candidates of gpsieve(), for many rows, and one machine
# for all rows beside them.

# The rows of an exact leaf: those that are given, or as many as the time for the fit allows
leaf_rows_for <- function(task) {
  if (!is.null(task$control$leaf_rows)) return(task$control$leaf_rows)
  in_time <- leaf_rows_in_time(task, count_rows(task$molded), leaf_fit_share * choice_seconds(task))
  round(min(most_leaf_rows, max(fewest_leaf_rows, in_time)))
}

# A candidate of machines on parts of the rows; of a source, it has what the sample has learned. The
# rough kernel is for what a function does over short distances, which blocks of near rows show.
leaf_candidate <- function(task, label, kernel) {
  on_sample <- !is.null(task$molded$rows)
  blocks <- if (!on_sample) affordable_blocks(task)
  if (!on_sample && is_rough(kernel)) blocks <- near_blocks(blocks)
  exact <- takes_exact_leaves(task)
  model <- if (exact) "local_gp" else "ivm"
  new_candidate(paste0(label, ", in parts"), model, kernel, task$likelihood, list(
    n_active = if (!exact) leaf_active(task),
    leaf_rows = if (exact) leaf_rows_for(task) else usual_part(task),
    optimise = if (on_sample) FALSE,
    control = control_ivm(blocks = blocks, keep = task$control$keep)
  ))
}

# Stage: machines on parts of the rows with a tree for each part of the function, whose gain must
# be clear: what trees gain on the rows of a comparison can be lost on all rows, where each term
# changes within fewer rows. All rows at once know more of every part than its tree does.
trees_stage <- function() {
  new_stage(
    propose = function(choice, usual) {
      if (!has_all_rows(usual)) tree_entries(choice$entries, choice$task)
    },
    better = function(entry, first, usual) gains_clearly(entry, first)
  )
}

# The entry of such machines, beside the best of those that have the whole function; none where
# they do not apply. Every tree is fitted `rounds_of_terms` times, so that active points are fewer.
# Exact leaves have as many rows as those of one tree: of 317,346 flights two trees with leaves of
# half as many rows took 16 CPU seconds and had the log loss .524, with as many rows 20 and .520.
tree_entries <- function(entries, task) {
  entry <- Find(in_leaves, entries)
  of_noise <- is.null(task$likelihood) || !is.null(added_noise(task$likelihood, 0))
  applies <- !is.null(entry) && of_noise && task$kind %in% c("number", "binary") &&
    ncol(task$molded$x) > few_columns &&
    is.null(task$molded$rows) && is.null(task$molded[["noise"]]) && reads_fast(task)
  trees <- if (applies) length(terms_of_trees(entry$kernel)) else 0L
  if (trees == 0L) return(list())
  settings <- entry$candidate$settings
  entry$candidate$label <-
    sprintf("%s, in %d trees", sub(", in parts$", "", entry$candidate$label), trees)
  entry$candidate$settings$trees <- "terms"
  if (!is.null(settings$n_active)) {
    entry$candidate$settings$n_active <-
      ceiling(settings$n_active / sqrt(trees * rounds_of_terms))
  }
  entry$judged <- NULL
  entry$seconds <- 0
  list(entry)
}

# One machine for all rows beside machines on parts of them: with constants of the levels of
# factors that have many, because a leaf has few rows of each; for columns of one kind, such as
# pixels, with one lengthscale, which costs little for many columns; otherwise with the first
# kernel
alternative_to_leaves <- function(task, first) {
  by_level <- if (!length(task$kernels)) levels_kernel(task)
  if (!is.null(by_level)) return(sized_candidate(task, "constants of levels", "ivm", by_level))
  if (!task$alike || length(task$kernels) || !is.null(task$molded$rows)) return(first)
  scaled_alike(sized_candidate(task, "one lengthscale", "ivm", kernel_rbf()))
}

# Does a fit of exact leaves say itself how well it predicts rows without themselves? Rows that the
# user has put together in folds are not judged one by one.
has_own_figures <- function(fit, task) {
  is_partitioned(fit) && !is.null(fit$held_out) &&
    is.null(task$folds) && !isTRUE(task$series$ordered)
}

# Entries of a source in their order, but the best of machines on parts first unless it is worse by
# more than two standard errors. They are judged on the sample. On all rows there are as many
# machines more as there are rows, and the model of a fixed size stays as it is.
parts_unless_worse <- function(entries) {
  first <- which(vapply(entries, in_leaves, NA))[1L]
  if (is.na(first)) return(entries)
  if (gains_clearly(entries[[1L]], entries[[first]])) return(entries)
  c(entries[first], entries[-first])
}

# The split with at most so many rows to fit
thinned <- function(split, rows, seed) {
  n <- length(split$train)
  split$train <- split$train[draw(n, min(n, rows), seed)]
  split
}

# Have the rows few enough numbers that reading, scaling and copying them costs little beside the
# machines? Otherwise machines on parts with one kernel are compared, without trees of terms.
reads_fast <- function(task) nrow(task$molded$x) * columns_of_row(task) <= most_numbers_compared
