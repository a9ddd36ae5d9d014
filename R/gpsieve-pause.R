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
    own <- judge_entry(entry, task, splits, report)$judged$density
    is_promising(own - done[[1L]]$judged$density)
  }
  append(learn_what_can(entries[-linear], task, promises), done, linear - 1L)
}

is_linear_entry <- function(entry) identical(entry$candidate$kernel, linear_function())

# Do fits for such a comparison take little of the time of learning? Few rows learn in little time,
# and end where steps gain nothing; later rows of a series are too few.
has_time_to_pause <- function(first, task) {
  blocks <- first$candidate$settings$control$blocks
  !isTRUE(task$series$ordered) && !is.null(blocks) && nrow(task$molded$x) > blocks$rows &&
    dense_seconds(task) <= most_to_pause * learning_seconds(task, blocks)
}

# The most that a dense fit may take of the time of learning.
most_to_pause <- 0.1
