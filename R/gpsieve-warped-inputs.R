# Warped inputs of gpsieve(): the best of the first functions is compared with the same function of
# inputs whose axes are learned. Where the response has a heavy tail, a warp may set single rows
# apart whose responses are unusual, so that rows held out decide.

# The entries, the best first, after the best function has been compared with the same function of
# warped inputs. That one learns for the comparison from where the other has ended, in a share of
# the steps, and from its usual start if it is taken: the call to write does.
# `judge(entries, task)` compares with rows held out.
with_warped_inputs <- function(entries, task, judge) {
  best <- entries[[1L]]
  kernel <- with_warp(best$candidate$kernel)
  if (!task$warped || is.null(kernel)) return(entries)
  entry <- new_entry(best$candidate, "inputs")
  entry$candidate$kernel <- kernel
  entry$candidate$label <- sub("(, in parts)?$", ", warped\\1", entry$candidate$label)
  entry$begin <- best$learned
  learned <- learn_what_can(list(entry), task)
  if (!length(learned)) return(entries)
  warped <- judge(learned, task)[[1L]]
  if (!gains_clearly(warped, best)) return(c(entries, list(warped)))
  warped["begin"] <- list(NULL)
  anew <- learn_what_can(list(warped), task)
  if (!length(anew)) return(entries)
  anew[[1L]]$seconds <- warped$seconds + anew[[1L]]$seconds
  c(anew, entries)
}

# Where the hyper-parameters of a problem begin that are those of another function, `begin`, and
# others: they learn from there in a share of the steps
begun_at <- function(problem, begin) {
  theta <- theta_of(problem$kernel, problem$likelihood)
  shared <- intersect(names(theta), names(begin$theta))
  theta[shared] <- begin$theta[shared]
  replace(begin, c("theta", "again"), list(theta, TRUE))
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

fewest_to_warp <- 100

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
