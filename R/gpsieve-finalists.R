# The last comparison among machines on parts of the rows: a tree for each part of the function, and
# one tree, are both fitted to all rows where they were compared on less than half of them.
#
# The leaves of several trees are smaller, and what the trees gain depends on how many rows there
# are: of 60,000 flights the trees had the smaller log loss with 7,211 rows (.596 and .604) and the
# greater one with all of them.

# The fit to all rows of the first entry or, where it has several trees, of the best one that has
# one tree if that predicts rows without themselves better: list(entries, fit), that entry first.
# Where the computation of a fit breaks down, the next entry takes its place.
fit_first <- function(entries, task) {
  best <- entries[[1L]]
  fit <- tryCatch(
    if (is.null(best$noise_terms)) fit_entry(best, task) else fit_uneven_entry(best, task),
    gpsieve_error_numerical = function(e) if (length(entries) == 1L) rlang::cnd_signal(e)
  )
  if (is.null(fit)) {
    best$verdict <- "the fit to all rows broke down"
    others <- fit_first(entries[-1L], task)
    others$entries <- append(others$entries, list(best), 1L)
    return(others)
  }
  rival <- rival_of_trees(entries, task)
  if (is.na(rival) || !has_own_figures(fit, task)) return(list(entries = entries, fit = fit))
  other <- fit_entry(entries[[rival]], task)
  if (!predicts_better(other, fit)) return(list(entries = entries, fit = fit))
  entries[[1L]]$verdict <- "better on the rows compared, worse on all rows"
  list(entries = c(entries[rival], entries[-rival]), fit = other)
}

# The position of the best entry with one tree of parts, where the first one has several and they
# were compared on less than half of the rows; NA elsewhere
rival_of_trees <- function(entries, task) {
  if (!has_trees(entries[[1L]]) || 2 * trial_rows(task) >= count_rows(task$molded)) return(NA)
  which(vapply(entries, function(entry) in_leaves(entry) && !has_trees(entry), NA))[1L]
}

has_trees <- function(entry) !is.null(entry$candidate$settings$trees)

# Is the log loss of rows without themselves less, or for numbers their squared error?
predicts_better <- function(fit, other) {
  loss <- intersect(c("log_loss", "rmse"), names(fit$held_out))
  isTRUE(any(fit$held_out[loss] < other$held_out[loss]))
}
