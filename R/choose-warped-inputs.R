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
# It learns for the comparison from where the best one has ended, in a share of the steps, and from
# its usual start if it is taken: the call to write does.
warped_inputs_stage <- function() {
  new_stage(
    candidate = "warped inputs, [kernel_warped()]",
    where = "100 rows or more, by the best function",
    propose = function(choice, usual) {
      kernel <- if (choice$task$warped) with_warp(usual$candidate$kernel)
      if (is.null(kernel)) return(list())
      entry <- new_entry(usual$candidate, "inputs")
      entry$candidate$kernel <- kernel
      entry$candidate$label <- sub("(, in parts)?$", ", warped\\1", entry$candidate$label)
      entry$begin <- usual$learned
      learned_under(list(entry), task_of_entry(usual, choice))
    },
    better = function(entry, first, usual) {
      is_promising(bounded_gain(entry, usual)) && has_mean_as_good(entry, usual)
    },
    taken = learned_from_the_start
  )
}

# The choice whose first entry has learned from its usual start, or without it where that breaks
# down
learned_from_the_start <- function(choice) {
  warped <- choice$entries[[1L]]
  warped["begin"] <- list(NULL)
  anew <- learn_what_can(list(warped), warped$task)
  if (length(anew)) anew[[1L]]$seconds <- warped$seconds + anew[[1L]]$seconds
  choice$entries <- c(anew, choice$entries[-1L])
  choice
}

# Is a function of warped inputs compared?
# Few rows have a prior that leaves hardly any warp (prior_of_warp()), pixels have one scale,
# columns of sparse inputs and of sources are not looked at one by one, and the time of later rows
# is beyond that of the others.
compares_warps <- function(task) {
  nrow(task$molded$x) >= fewest_to_warp && !length(task$kernels) && is.null(task$molded$rows) &&
    !task$alike && !is_sparse(task$molded$x) && !isTRUE(task$series$ordered) &&
    any(apply(task$molded$x, 2L, has_several_values))
}

# The rich functions in a kernel as those of warped inputs; NULL where there are none
with_warp <- function(kernel) {
  if (!is.null(kernel$rich)) {
    kernel$rich$warp <- TRUE
    return(do.call(kernel_rich, kernel$rich))
  }
  inner <- lapply(kernel$children, with_warp)
  found <- !vapply(inner, is.null, NA)
  if (!any(found)) return(NULL)
  kernel$children[found] <- inner[found]
  kernel
}
