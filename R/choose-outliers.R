# Responses with values so far from the others that they make up nearly all of the variance, among
# the candidates of gpsieve(): a robust function in units of the other values.
# The response is computed with in units of its standard deviation, and functions with Gaussian
# noise learn little else than such values. In these units the variance of the other values is next
# to nothing, and so has to be that of the function where learning begins.

# Stage: the rich function with Student noise around the median, first if its density is clearly
# greater where no row counts for more than a nat.
# Of 120 rows around a function of two inputs, two of them 1e4 times as large, the median error of
# the mean at new places is then .10 and .12 (two draws; the noise is .3), and 15 of the best other
# candidate.
outliers_stage <- function() {
  new_stage(
    propose = function(choice, usual) {
      task <- choice$task
      applies <- isTRUE(task$outlying) && chooses_noise(task) && !length(task$kernels) &&
        !in_leaves(usual)
      variance <- if (applies) robust_share_of_variance(task)
      if (!isTRUE(variance > 0)) return(list())
      kernel <- kernel_rich(variance = signif(variance, 3))
      candidate <-
        not_concave_candidate(task, "Student noise around the median", kernel, lik_student(), usual)
      if (is.null(task$prior_mean)) {
        candidate$settings$prior_mean <- signif(stats::median(response_less_offset(task)), 4)
      }
      list(new_entry(candidate, "likelihood"))
    },
    better = function(entry, first, usual) gains_in_most_rows(entry, first)
  )
}

# Has the response values so far from the others that they make up nearly all of its variance? What
# is hardly any noise in units of that variance may be all of it for the other rows.
has_outlying_responses <- function(task) {
  if (task$kind != "number") return(FALSE)
  y <- response_less_offset(task)
  isTRUE(stats::var(y) > most_variance_of_outliers * robust_variance(y))
}

# The variance of the normal distribution with the same quartiles
robust_variance <- function(y) (stats::IQR(y) / quartiles_apart)^2

# That of the response, in the units in which it is computed with
robust_share_of_variance <- function(task) {
  y <- response_less_offset(task)
  robust_variance(y) / if (isFALSE(task$standardise)) 1 else stats::var(y)
}
