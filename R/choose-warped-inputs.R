# Warped inputs of gpsieve(): the best function is compared with the same function of inputs whose
# axes are learned.
# A warp can set single rows apart whose responses are unusual. Where the response has a heavy tail
# the density of held-out rows is then greater and their squared errors are too: under Gaussian
# noise warps made them 2.9 and 3.7 times as great (18,227 districts with prices of houses, 925
# cells of a table of occupations), on a learned scale of the response .92 and .82 times. The stage
# of that scale therefore comes before this one.

# Stage: the best function of warped inputs, first if its density is greater by a standard error
# where no row counts for more than a nat, and its mean about as good.
# Of 28 samples of twelve tables, 120 to 18,227 rows, warps were better by more than two standard
# errors in eleven (errors of new rows .92 times those without, log losses .08 nats less), by one to
# two in eight (.96 times, .02 less), and by less than one in four (1.12 times, .02 greater).
# It learns for the comparison from where the best one has ended, in a share of the steps.
warped_inputs_stage <- function() {
  new_stage(
    candidate = "warped inputs, [kernel_warped()]",
    where = "100 rows or more, by the best function",
    propose = function(choice, usual) {
      if (choice$task$warped) mapped_entries(choice, usual, "warp", "warped")
    },
    race = function(entry, usual, choice) hopeless_below(1),
    better = better_by_map
  )
}

better_by_map <- function(entry, first, usual) {
  is_promising(bounded_gain(entry, usual)) && has_mean_as_good(entry, usual)
}

# The choice whose first entry has learned from its usual start, as the call to write does, where it
# began from another function. The next entry comes first where the entry is worse then on held-out
# rows, or breaks down.
learned_from_the_start <- function(choice) {
  mapped <- choice$entries[[1L]]
  if (is.null(mapped$begin)) return(choice)
  others <- choice$entries[-1L]
  anew <- Filter(keeps_digits, learn_what_can(list(replace(mapped, "begin", list(NULL))),
    mapped$task))
  if (length(anew)) {
    mapped <- judged_anew(anew[[1L]], mapped, choice)
    if (stands_beside(mapped, others[[1L]])) {
      choice$entries <- c(list(mapped), others)
      return(choice)
    }
  }
  mapped$verdict <-
    if (length(anew)) "worse once all is learned anew" else "not computable for all rows"
  choice$entries <- append(others, list(mapped), 1L)
  if (isTRUE(mapped$task$replaced)) choice$task <- choice$as_given
  choice
}

# The entry with what it has learned from its usual start, as those rows judge it that judged it
# before. Where every split learns for itself, they have judged it so.
judged_anew <- function(entry, before, choice) {
  entry$seconds <- before$seconds + entry$seconds
  if (entry$task$anew) return(entry)
  splits <- Filter(function(split) any(split$test %in% before$judged$row), choice$splits)
  judge_entry(entry, entry$task, splits, choice$report)
}

# The best function with a map of the inputs, `map` being its name in kernel_rich()
mapped_entries <- function(choice, usual, map, word) {
  kernel <- with_map(usual$candidate$kernel, map)
  if (is.null(kernel)) return(list())
  entry <- new_entry(usual$candidate, "inputs")
  entry$candidate$kernel <- kernel
  entry$candidate$label <- sub("(, in parts)?$", paste0(", ", word, "\\1"), entry$candidate$label)
  entry$begin <- usual$learned
  Filter(keeps_digits, learned_under(list(entry), task_of_entry(usual, choice)))
}

# Do the warps that an entry has learned keep the digits of its inputs?
# Of 3,451 messages one word is in wanted ones only. A tail of 13 for its column made the greatest
# value 1e16, and new rows were predicted as if nothing were known (log loss .65).
keeps_digits <- function(entry) {
  learned <- entry$learned
  if (is.null(learned)) return(TRUE)
  x <- problem_to_learn(entry$candidate, entry$task)$x
  kernel <- kernel_set_theta(learned$kernel, learned$theta[seq_len(count_hyper(learned$kernel))])
  !length(columns_without_digits(kernel, x))
}

# Is a function of warped inputs compared?
# Few rows have a prior that leaves hardly any warp (prior_of_warp()), pixels have one scale,
# columns of sparse inputs and of sources are not looked at one by one, and the time of later rows
# is beyond that of the others.
compares_warps <- function(task) {
  nrow(task$molded$x) >= fewest_to_warp && !length(task$kernels) && is.null(task$molded$rows) &&
    !task$alike && !is_sparse(task$molded$x) && !isTRUE(task$series$ordered) &&
    length(mapped_dims(NULL, task$molded$x)) > 0L
}

# The rich functions in a kernel as those of mapped inputs; NULL where there are none
with_map <- function(kernel, map) {
  if (!is.null(kernel$rich)) {
    kernel$rich[[map]] <- TRUE
    return(do.call(kernel_rich, kernel$rich))
  }
  inner <- lapply(kernel$children, with_map, map)
  found <- !vapply(inner, is.null, NA)
  if (!any(found)) return(NULL)
  kernel$children[found] <- inner[found]
  kernel
}
