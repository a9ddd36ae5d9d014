# A response on a learned scale among the candidates of gpsieve(): lik_warped() beside Gaussian
# noise, with the best function.

# Stage: the best function with a warped response, first if its density is clearly greater and its
# mean about as good. It learns for the comparison as warped inputs do.
# Of fifteen samples of 120 and 250 rows, of eight tables, the scale was taken in eleven. Log losses
# of new rows were .51 nats less in the mean (2.0 less to .01 greater), and root mean squared errors
# 1.00 times those without (.79 to 1.19).
learned_scale_stage <- function() {
  new_stage(
    candidate = "a response on a learned scale, [lik_warped()]",
    where = "100 numbers or more, by the best function",
    propose = function(choice, usual) {
      task <- choice$task
      if (!takes_learned_scale(usual, task)) return(list())
      task$likelihood <- lik_warped()
      candidate <- usual$candidate
      candidate$label <- paste0(learned_scale_words, candidate$label)
      candidate$likelihood <- task$likelihood
      entry <- new_entry(candidate, "likelihood")
      entry$begin <- usual$learned
      learned_under(list(entry), task, choice$splits)
    },
    race = function(entry, usual, choice) hopeless_below(2),
    better = function(entry, first, usual) {
      gains_in_most_rows(entry, first) && has_mean_as_good(entry, first)
    }
  )
}

# How the labels of candidates on a learned scale begin
learned_scale_words <- "learned scale, "

# Is a learned scale compared? Not where an offset, known noise, a kernel or a prior mean of
# the user's have a scale of their own, or for later rows of a series, which are few.
# A function with hardly any noise is no exception: a table of occupations (925 rows) of which the
# usual function follows single rows has the held-out log density 1.09 with a learned scale and .41
# without, and errors of new rows of 16.3 in place of 17.7.
# Nor are counts: of three splits of 2,674 rings of molluscs, which vary as counts do but have no
# likelihood of counts that is better than Gaussian noise, errors of new rows are .98 times and
# pinball losses .946 times those without.
takes_learned_scale <- function(usual, task) {
  molded <- task$molded
  of_scale <- !is.null(molded$offset) || length(task$kernels) > 0L ||
    !is.null(task$prior_mean) || isFALSE(task$standardise)
  chooses_noise(task) && has_gaussian_noise(usual) && !of_scale &&
    length(molded$y) >= fewest_to_warp && !isTRUE(task$series$ordered) &&
    usual$candidate$model %in% c("meanfield_gp", "ivm", "local_gp")
}
