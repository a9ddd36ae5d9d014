# The candidates of gpsieve() for functions with little or no noise, such as the output of a
# computer code: very smooth functions whose hyper-parameters hardly a prior holds together, and
# whose noise starts near zero. Learning takes too few steps to bring a tenth of the variance, the
# usual start of the noise, down to what such rows show.

# Stage: smooth functions with little noise, the one of greatest density first. From the split on
# where there is hardly a chance of that, the others are left out.
smooth_stage <- function() {
  new_stage(
    candidate = "a very smooth function, hardly any noise",
    where = "the best one finds little noise",
    propose = function(choice, usual) smooth_entries(usual, choice$task),
    race = function(entry, usual, choice) {
      if (!has_few_rows(choice$task)) hopeless_below(0)
    },
    judge = function(entry, usual, choice, i) {
      entry <- judge_entry(entry, choice$task, choice$splits[i], choice$report)
      if (has_few_rows(choice$task)) judged_as_wide(entry) else entry
    },
    better = function(entry, first, usual) suits_smooth(entry, first, hardly_noisy(usual))
  )
}

# Is the density of a smooth entry greater than the first one's, with few rows by two nats in all?
# Where the first one has learned noise, a function without any can follow it, and is then all but
# certain next to the rows that it has learned. It must show that there is none: its density is
# greater by more than two standard errors, if no row counts for more than a nat, and it leaves at
# most half of the first one's squared errors if noise makes up most of these.
# Of 58 samples of 25, 40 and 70 rows of twelve tables such functions came first in 21 before they
# had to show this, and in three since; in four of these the mean log densities of new rows were 6
# to 280 nats less than those of what comes first now. Of 24 designs of 20 points of computer codes
# nine have another function now, of greater density at new points in five; of 50 points none.
suits_smooth <- function(entry, first, noiseless) {
  few <- length(first$judged$row) < fewest_to_decide
  gain <- sum(density_beyond(entry, first))
  if (!isTRUE(gain > if (few) clear_held_out_gain else 0)) return(FALSE)
  noiseless || (is_clear(bounded_gain(entry, first)) &&
    (!is_all_noise(first) || has_mean_as_good(entry, first, half_of_errors)))
}

# The entry with the normal densities of held-out rows where variances are as wide as their errors.
# Of 20 points of six computer codes, two designs each, a function with hardly any noise comes first
# in 4 cases of 12 with the variances that it has learned, and in 7 with wide ones: with the
# evidence in place of folds the errors of what is chosen are .83 times as large, and 90 % intervals
# hold .90 of new points in place of .84.
judged_as_wide <- function(entry) {
  if (length(entry$judged$surprise) < fewest_to_suggest) return(entry)
  entry <- with_variances_of_errors(entry)
  judged <- entry$judged
  weight <- judged$said[, "weight"]
  sd <- abs(judged$residual / judged$surprise) / sqrt(weight)
  density <- stats::dnorm(judged$surprise, log = TRUE) - log(sd)
  known <- is.finite(density)
  entry$judged$density[known] <- (weight * pmax(density, density_floor))[known]
  entry
}

# Has an entry learned that there is hardly any noise?
hardly_noisy <- function(entry) isTRUE(noise_of_entry(entry) < least_known_noise)

# Entries of smooth functions with little noise, learned, where noise leaves something to explain
# and the best of the others is not the rough one
# Of fewer than 50 rows what the best one takes for noise may be what a line leaves over: with such
# candidates for all of 24 sets of 20 points the errors of what is chosen are .95 times as large.
# Of many rows the best one must have learned that there is hardly any noise. With 800 rows of two
# smooth functions, noise being .0003 to .01 of the variance, the very smooth function comes first
# at the least noise only, and its errors are .99 and 1.02 times those of the usual one.
smooth_entries <- function(best, task) {
  applies <- task$kind == "number" && !isTRUE(task$outlying) && is.null(task$likelihood) &&
    !length(task$kernels) &&
    is.null(task$models) && is.null(task$molded$rows) && is.null(task$molded[["noise"]]) &&
    is.null(task$size) && !is_sparse(task$molded$x) && !isTRUE(task$series$ordered) &&
    ncol(task$molded$x) <= most_smooth_columns && (fits_densely(task) || has_leaves(task))
  if (!applies || is_rough(best$candidate$kernel)) return(list())
  few <- nrow(task$molded$x) <= short_block_rows
  noisy <- is_all_noise(best) || !(few || hardly_noisy(best))
  if (noisy && !has_few_rows(task)) return(list())
  kernels <- c(
    list("very smooth" = very_smooth_kernel()),
    if (few) list("rough and smooth" = kernel_rich())
  )
  candidates <- Map(with_little_noise, names(kernels), kernels, list(task))
  learn_what_can(lapply(unname(candidates), new_entry, "function"), task)
}

# Does the noise that an entry has learned explain more than half of its held-out squared errors, so
# that little is left for another function to explain?
# On nine simulated sets of 200 rows the best smooth function gained .13 to .20 nats a row where the
# noise was .26 to .33 of these errors, .01 to .08 where it was .41 to .56, and .02 or .03 beyond.
is_all_noise <- function(entry) {
  noise <- noise_of_entry(entry)
  isTRUE(noise > half_of_errors * share_unexplained(entry) && noise > least_known_noise)
}

# The variance of Gaussian noise that an entry has learned, of a response of variance 1; NA where it
# has learned none
noise_of_entry <- function(entry) {
  theta <- entry$learned$theta
  if (is.null(theta)) NA_real_ else exp(theta["likelihood.variance"])
}

# A function that is smooth in all inputs at once and one that is less so in each of them, and a
# plane
very_smooth_kernel <- function() {
  kernel_rbf(ard = TRUE) + kernel_separable(2.5, ard = TRUE) + kernel_linear(NULL) +
    kernel_constant(0.3)
}

# The candidate of a function whose noise starts near zero and whose hyper-parameters are nearly
# free
with_little_noise <- function(label, kernel, task) {
  label <- paste0(label, ", little noise")
  candidate <-
    if (has_leaves(task)) leaf_candidate(task, label, kernel)
    else sized_candidate(task, label, "meanfield_gp", kernel)
  candidate$likelihood <- lik_gaussian(little_noise)
  candidate <- with_short_blocks(candidate)
  blocks <- candidate$settings$control$blocks
  blocks$prior <- prior_of_columns(task$molded$x)
  # Without noise the evidence rises far, and steps that evaluate few rows cost little.
  if (nrow(task$molded$x) <= blocks$rows) blocks$steps <- 2 * blocks$steps
  candidate$settings$control$blocks <- blocks
  candidate
}

# The factor of the prior that smooth functions with little noise learn with: half the number of
# columns to a row, so that it vanishes as the rows determine the hyper-parameters of all columns.
# Without it the lengthscales of 20 columns go to where 50 points cannot tell them from noise. Two
# designs of 12 computer codes of 2 to 20 inputs: of 20 points 90 % intervals hold .86 of new
# points, without this prior .75, at errors 1.02 times as large; of 50 and 100 points they hold .90
# and .93 either way, at errors .93 and .94 times as large.
prior_of_columns <- function(x) min(1, signif(ncol(x) / (2 * nrow(x)), 2))

# The entry with variances as wide as the errors of held-out rows, where these say that they are
# too small, and of few rows at least as wide as those left beside the hyper-parameters say.
# A function with hardly any noise has learned its hyper-parameters with hardly a prior. Of 200
# points of four computer codes (two designs each) 90 % intervals held .76 to .93 of new points, and
# with the errors' variances .82 to .96. Of 20 points of 12 codes, two designs, held-out errors
# hardly say how wide variances should be: intervals held .851 of new points with their mean square
# alone, .868 with both, and hold .896 where functions with more noise have them too; log densities
# are greater by .04 nats in the mean. On twelve codes kept aside .882 became .917, and they are
# greater by .02 nats. Of 50 points intervals hold .912 without and .932 with n / (n - d), at log
# densities that are less by .03 nats.
with_variances_of_errors <- function(entry) {
  least <- variance_of_few(entry$learned) / entry$candidate$settings$control$blocks$widen
  known <- length(entry$judged$surprise) >= fewest_to_compare
  widened(entry, max(if (known) mean_square_of_errors(entry$judged), least, na.rm = TRUE))
}

# The chosen entry with variances as wide as held-out errors, where it has hardly any noise, and of
# few rows where it has one variance of its own.
# What few rows say of the noise is uncertain, and of a straight line or a curve too. Of 10 to 40
# rows of a line, a curve and of noise alone, three inputs, 16 draws each, 90 % intervals held .76
# to .86 of new rows, and hold .85 to .91 (those of lm() .85 to .92, of 10 to 25 rows); log
# densities are .005 to .34 nats greater.
with_variances_as_judged <- function(entry, task) {
  few <- isTRUE(entry$learned$rows < fewest_to_decide) && chooses_noise(task) &&
    !length(task$kernels) && !isTRUE(task$series$ordered) && has_one_variance(entry) &&
    has_variance(entry$candidate$kernel)
  if (few || begins_with_little_noise(entry$candidate)) with_variances_of_errors(entry) else entry
}

# By how much the variances of few rows exceed those that were learned: of n rows that determine d
# hyper-parameters by n / (n - d), as the variance of the errors of least squares does
variance_of_few <- function(learned) {
  if (learned$rows >= fewest_to_decide) return(1)
  learned$rows / max(learned$rows - learned$determined, 1)
}

# The mean square of the standardised errors of held-out rows, of which each counts by its weight
mean_square_of_errors <- function(judged) {
  if (is.null(judged$said)) return(NA_real_)
  stats::weighted.mean(judged$surprise^2, judged$said[, "weight"])
}

# The entry whose variances are so many times as wide, and what it says about held-out rows then;
# they do not become narrower
widened <- function(entry, by) {
  by <- signif(by, 3)
  if (!isTRUE(is.finite(by) && by > 1)) return(entry)
  before <- entry$candidate$settings$control$blocks$widen
  entry$candidate$settings$control$blocks$widen <- by * before
  likelihood <- entry$candidate$likelihood
  limits <- c("lower", "upper")
  said <- entry$judged$said[, limits, drop = FALSE]
  of_logarithm <- !is.null(likelihood) && bends_response(likelihood)
  if (of_logarithm) said <- log(said)
  middle <- rowMeans(said)
  said <- middle + sqrt(by) * (said - middle)
  entry$judged$said[, limits] <- if (of_logarithm) exp(said) else said
  entry$judged$surprise <- entry$judged$surprise / sqrt(by)
  entry
}

# The mean square of held-out residuals, in units of the variance of the response
share_unexplained <- function(entry) {
  unexplained <- mean(entry$judged$residual^2)
  if (is.finite(unexplained)) unexplained else 1
}
