# A response on a learned scale among the candidates of gpsieve(): lik_warped() beside Gaussian
# noise, with the best function.

# Fewer rows say little about the scale, beside what the values of the response suggest.
fewest_to_warp_response <- 500L

# Stage: the entries and the best one with a warped response, first if its density is clearly
# greater and its mean about as good
with_learned_scale <- function(entries, task, splits, report) {
  usual <- entries[[1L]]
  if (!takes_learned_scale(usual, task)) return(entries)
  own <- task
  own$likelihood <- lik_warped()
  candidate <- usual$candidate
  candidate$label <- paste0("learned scale, ", candidate$label)
  candidate$likelihood <- own$likelihood
  learned <- learn_what_can(list(new_entry(candidate, "likelihood")), own)
  own$anew <- learns_anew(own, list(candidate), length(splits))
  others <- lapply(learned, judge_entry, own, splits, report)
  with_entries(entries, others, function(entry, usual) {
    gains_in_most_rows(entry, usual) && has_mean_as_good(entry, usual)
  })
}

# Is a learned scale compared? Not where an offset, known noise, counts, a kernel or a prior mean of
# the user's have a scale of their own, where a function has hardly any noise, or for later rows of
# a series, which are few.
takes_learned_scale <- function(usual, task) {
  molded <- task$molded
  of_scale <- !is.null(molded$offset) || isTRUE(molded$counted) || length(task$kernels) > 0L ||
    !is.null(task$prior_mean) || isFALSE(task$standardise)
  chooses_noise(task) && has_gaussian_noise(usual) && !of_scale &&
    length(molded$y) >= fewest_to_warp_response && !isTRUE(task$series$ordered) &&
    !begins_with_little_noise(usual$candidate) &&
    usual$candidate$model %in% c("meanfield_gp", "ivm")
}

has_warp <- function(entry) learns_scale(entry$candidate$likelihood)
