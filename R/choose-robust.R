# A robust likelihood among the candidates of gpsieve(): lik_student() beside Gaussian noise, where
# the residuals of held-out rows have heavy tails.

# Stage: a robust likelihood, first if it is clearly better than the best entry with Gaussian noise
# of one variance.
# Learning with a robust likelihood costs several times as much as with Gaussian noise. Of few rows
# outliers can be all that Gaussian noise has learned from, and every split learns for itself.
# Of more it is judged with the function that Gaussian noise has learned from the same rows and with
# the scale that held-out residuals show; if it comes first, it is judged once more with the
# function and the scale that its fit to all rows has learned.
# Outliers that happen to be more frequent at some inputs look like noise that changes: of two that
# are clearly better than one variance, the one with the greater density stands, where no row counts
# for more than a nat.
robust_stage <- function() {
  new_stage(
    candidate = "Student noise, [lik_student()]",
    where = "residuals have heavy tails",
    beside = function(entries) {
      first <- entries[[1L]]
      # A learned scale has drawn the tails in unless its own residuals have heavy ones.
      if (has_warp(first) && !has_heavy_tails(first$judged$surprise)) return(NULL)
      of_other_noise <- has_warp(first) || has_changing_noise(first$candidate$likelihood) ||
        begins_with_little_noise(first$candidate)
      if (of_other_noise) Find(has_one_variance, entries) else first
    },
    propose = function(choice, usual) robust_entries(usual, choice$task, choice$entries[[1L]]),
    splits = function(entry, usual, choice) choice$splits[seq_along(usual$judged$ended)],
    race = function(entry, usual, choice) list(needed = 2, suits = has_same_mean),
    judge = function(entry, usual, choice, i) {
      if (is.null(entry$learned)) entry <- held_robust_entry(entry, usual, i, choice$task)
      judge_entry(entry, choice$task, choice$splits[i], choice$report)
    },
    learn_anew = learn_robust_entry,
    judge_as_fitted = robust_scores_as_fitted,
    better = function(entry, first, usual) {
      # The errors of a function without noise have heavy tails too, in its corners.
      exact <- begins_with_little_noise(first$candidate)
      beats <- if (exact) gains_in_most_rows else is_bounded_gain
      clearly_better(entry, usual) && beats(entry, first) && !has_clearly_worse_mean(entry, first)
    }
  )
}

is_bounded_gain <- function(entry, first) isTRUE(mean(bounded_gain(entry, first)) > 0)

has_one_variance <- function(entry) {
  has_gaussian_noise(entry) && !has_changing_noise(entry$candidate$likelihood) &&
    !begins_with_little_noise(entry$candidate)
}

# Does a robust function learn for itself, in every split too, whatever Gaussian noise has learned?
# Of 40 rows of a smooth function of which four are outliers, that was a constant or the outliers in
# 14 of 20 sets: the robust function that began there was 2.8 times as far from the truth as
# gam(family = scat()) in the median. Of 450 and 900 rows of a smooth function of three of 20
# inputs, a tenth of them outliers, a robust function that began there was not taken in three of six
# sets, whose errors were .38, .42 and .63; where it learns for itself it is taken in all six, and
# they are .06 to .09.
learns_robustly <- function(task) {
  # Of AirPassengers, judged by random folds, the errors are greater where it does (RMSE of the
  # logarithms .082): a series begins where Gaussian noise has ended.
  nrow(task$molded$x) <= most_learned_anew && is.null(task$series)
}

# The entry with a likelihood that allows for outliers, beside the entry it may replace, where
# held-out residuals ask for it.
# Student's likelihood is not log-concave: the dense model does not have it, and the factor that
# all rows of a source share in stochastic EP can become improper with it. Where Gaussian noise is
# hardly any, no row is far from what it predicts.
robust_entries <- function(best, task, first = best) {
  applies <- chooses_noise(task) && has_gaussian_noise(best) &&
    !begins_with_little_noise(best$candidate) && !isTRUE(task$outlying) && !hardly_noisy(best)
  if (!applies || !promises_heavy_tails(best, task, first)) return(list())
  of_many <- robust_entries_of_many(best, task)
  if (length(of_many) || in_leaves(best)) return(of_many)
  kernels <- robust_kernels(best, task)
  entries <- unname(Map(function(label, kernel) {
    new_entry(not_concave_candidate(task, label, kernel, lik_student(), best), "likelihood")
  }, names(kernels), kernels))
  if (!learns_robustly(task)) return(entries)
  learned <- lapply(entries, function(entry) {
    tryCatch(learned_robustly(entry, best, task), gpsieve_error = function(e) NULL)
  })
  Filter(Negate(is.null), learned)
}

# The robust entry of few columns where the rows are too many for the dense model: one machine with
# inducing inputs for all rows, whose function and scale some of the rows have learned.
# Of 20,000 rows of a smooth function of one input, a tenth of them outliers, a learned scale in
# parts was .058 from the truth, this entry is .0031 and gam(family = scat()) .0034. Of 9,000 rows
# of two inputs, with weights and gaps, one machine of 812 active points was .23 and this is .005.
robust_entries_of_many <- function(best, task) {
  size <- sized_candidate(task, "", "ep_gp", NULL, lik_student())$settings$inducing
  n <- nrow(task$molded$x)
  applies <- !fits_densely(task) && ncol(task$molded$x) <= few_columns && is.null(task$models) &&
    ivm_seconds(replace(task, "likelihood", list(lik_student())), n, size) <=
      fit_share * choice_seconds(task)
  if (!applies) return(list())
  kernel <- if (length(task$kernels)) best$candidate$kernel else kernel_rich(nu = c(2.5, 2.5))
  some <- draw(n, min(n, short_block_rows), task$seed)
  part <- replace(task, "molded", list(molded_part(task$molded, list(train = some), "train")))
  entry <- new_entry(not_concave_candidate(part, "", kernel, lik_student(), best), "likelihood")
  entry <- tryCatch(learned_robustly(entry, best, part), gpsieve_error = function(e) NULL)
  if (is.null(entry)) return(list())
  scale <- signif(exp(entry$learned$theta[["likelihood.scale"]]), 3)
  entry$candidate <- sized_candidate(task, "Student noise, inducing inputs", "ep_gp",
    held(rounded_for_code(entry$kernel)), lik_student(scale = fixed(scale)))
  # With given hyper-parameters a few passes over all rows settle the sites.
  entry$candidate$settings$batch_size <- NULL
  entry$candidate$settings$optimise <- FALSE
  list(entry)
}

# So many standard deviations are what chance explains at most.
largest_by_chance <- function() stats::qnorm(1 - by_chance / 2)

# The robust entry with `learned`, what its candidate learns from all rows. It begins where Gaussian
# noise ends without the rows that are outliers to what that has learned of all of them.
# The evidence under Student noise has many maxima. Of 300 rows of a smooth function of three of 20
# inputs, 30 of them outliers, two draws, learning from the usual start ends 18 and 15 nats below
# this one, of Boston's house prices, two parts, 2 and 4 nats; of seven sets of 40 and 150 rows of
# one input at most .7 nats above it.
learned_robustly <- function(entry, usual, task) {
  start <- proc.time()[["elapsed"]]
  if (!is.null(usual$learned)) {
    entry <-
      tryCatch(begun_without_outliers(entry, usual, task), gpsieve_error = function(e) entry)
  }
  problem <- problem_to_learn(entry$candidate, task)
  control <- ivm_learning(problem, 1L, entry$candidate$settings$control)
  found <- muffle_warnings(maximum_on_subset(problem, control, ivm_prior_means))
  entry$learned <- learned_by(problem, found$theta)
  problem[c("kernel", "likelihood")] <-
    set_theta(problem$kernel, problem$likelihood, found$theta)
  entry$kernel <- reported_kernel(problem)
  entry$seconds <- proc.time()[["elapsed"]] - start
  entry
}

# The robust entry whose learning begins where Gaussian noise ends without outliers. Their residuals
# from the robust function that has what the usual entry has learned are larger than chance explains
# for normal ones, given the median of their sizes.
begun_without_outliers <- function(entry, usual, task) {
  held <- held_at(entry, usual, usual$kernel, noise_of_entry(usual), task)
  molded <- molded_for(entry$candidate, task)
  fit <- muffle_warnings(fit_entry(held, task, replace(molded, "trial", TRUE)))
  residual <- held_out_scores(fit, molded, task$unit)$residual
  away <- abs(residual - stats::median(residual))
  near <- which(away <= largest_by_chance() * stats::mad(residual))
  gaussian <- sized_candidate(task, "", "meanfield_gp", entry$candidate$kernel, lik_gaussian())
  gaussian$settings$standardise <- entry$candidate$settings$standardise
  part <- replace(task, "molded", list(molded_part(task$molded, list(train = near), "train")))
  learned <- learn_entry(new_entry(gaussian, "likelihood"), part)
  entry$candidate$kernel <- rounded_for_code(learned$kernel)
  entry
}

# The kernels with which robust functions begin, by their labels.
# Learning begins where the usual likelihood ended, unless outliers may be all that it has learned;
# the kernel is typed into the call. Outliers hide a function behind a line, too: the rough and
# smooth one, of which a line is a part, joins it. Of few rows, whose folds would hide it again, it
# takes the place of the line.
robust_kernels <- function(best, task) {
  kernel <- best$candidate$kernel
  begun <- !is.null(best$kernel) && !learns_robustly(task)
  hidden <- !length(task$kernels) && learns_robustly(task) && is_linear_entry(best)
  few <- hidden && nrow(task$molded$x) < fewest_to_decide
  c(
    if (!few) list("Student noise" = if (begun) rounded_for_code(best$kernel) else kernel),
    if (hidden) list("Student noise, rough and smooth" = kernel_rich())
  )
}

# The robust entry with which the fit to one split is made: nothing is left to learn
held_robust_entry <- function(entry, usual, split, task) {
  ended <- usual$judged$ended[[split]]
  if (is.null(ended)) return(entry)
  held_at(entry, usual, ended$kernel, ended$likelihood$values$variance, task)
}

# The robust entry with the function that Gaussian noise has learned, and with the scale that the
# variance of that noise and its held-out residuals show; nothing is left to learn
held_at <- function(entry, usual, kernel, variance, task) {
  df <- entry$candidate$likelihood$values$df
  scale <- sqrt(variance) * student_scale(usual$judged$surprise, df)
  entry$candidate <- not_concave_candidate(task, entry$candidate$label,
    held(rounded_for_code(kernel)), lik_student(df, fixed(signif(scale, 3))), usual)
  entry
}

# The problem with the function and the scale that all rows learn anew, and as `learned` what the
# fit takes of it. It is judged before it is fitted: of 1,202 airfoils the sites of a fit that was
# not taken had not settled after 200 passes, 30 CPU seconds in a call of 52.
learn_robust_entry <- function(entry, task) {
  problem <- problem_to_learn(entry$candidate, task)
  control <- ivm_learning(problem, 1L, entry$candidate$settings$control)
  anew <- muffle_warnings(learn_on_subset(problem, control, ivm_prior_means))
  anew$learned <- learned_by(problem, theta_of(anew$kernel, anew$likelihood))
  anew
}

# The scores of a split's held-out rows by the fit to its others, with the function and the
# likelihood that all rows have learned
robust_scores_as_fitted <- function(entry, fit, task, split) {
  kernel <- held(rounded_for_code(reported_kernel(fit)))
  values <- fit$likelihood$values
  likelihood <- lik_student(values$df, fixed(values$scale))
  entry$candidate <- not_concave_candidate(task, entry$candidate$label, kernel, likelihood, entry)
  judge_split(entry, task, split)
}

# Is the density of a robust entry clearly greater than the usual one's, and its mean the same?
# A few rows with outliers would decide both the mean difference of the densities and its standard
# error: a row counts for at most one nat. Where the noise is skewed, the location of a
# distribution with heavy tails is not the mean: its predictions then differ from the usual ones on
# average, by more than two standard errors of the mean of its residuals.
clearly_better <- function(entry, usual) {
  gains_in_most_rows(entry, usual) && has_same_mean(entry, usual)
}

# Do the predictions of two entries differ on average by no more than chance explains, given the
# standard error of the mean of the first one's residuals? Four outliers of equal size are all above
# the function, or all below it, by chance in one of eight samples, and their mean is then two
# standard errors. Where the usual entry is biased itself, as one machine of few active points can
# be by outliers, the residuals of the first one are to be 0 on average.
has_same_mean <- function(entry, usual) {
  residual <- entry$judged$residual
  of_usual <- usual$judged$residual[match(entry$judged$row, usual$judged$row)]
  no_more <- function(away) {
    isTRUE(abs(mean(away)) <= largest_by_chance() * error_of_mean(residual))
  }
  if (is_biased(of_usual)) no_more(residual) else no_more(of_usual - residual)
}

# Are residuals on average farther from 0 than chance explains?
is_biased <- function(residual) {
  isTRUE(abs(mean(residual)) > largest_by_chance() * error_of_mean(residual))
}

# Do the residuals of the usual entry promise that Student noise comes before the first one? Not
# where rows would still be clearly less probable than under the first one, if no row counts for
# more than a nat. On six splits of tables with a learned scale that is so, by .10 to .29 nats:
# Student noise did not come first, or had errors of new rows 1.10 times those of the scale. On a
# seventh, less by .01 +- .03, it has .91 times those; on five sets of 150 to 600 rows with outliers
# rows are .29 to .59 nats more probable.
# An entry that learns its function for itself may gain more than these residuals say. One that has
# that of Gaussian noise can not: what it must have gained, they must promise.
promises_heavy_tails <- function(usual, task, first = usual) {
  surprise <- usual$judged$surprise
  if (length(surprise) < fewest_to_suggest) return(FALSE)
  own <- learns_robustly(task) || in_leaves(usual)
  has_heavy_tails(surprise, if (own) is_promising else is_clear) && !falls_short(usual, first)
}

# Are held-out rows clearly less probable than under the first entry, even with what the usual one
# would gain if its residuals are drawn from Student's distribution?
falls_short <- function(usual, first) {
  judged <- usual$judged
  known <- is.finite(judged$surprise)
  gain <- heavy_tails_gain(judged$surprise[known])
  usual$judged <- list(row = judged$row[known], density = judged$density[known] + gain)
  is_clear(-bounded_gain(usual, first))
}

# Are standardised residuals clearly more probable under a distribution with heavy tails, where no
# row counts for more than a nat too?
has_heavy_tails <- function(residual, enough = is_promising) {
  gain <- heavy_tails_gain(residual)
  sum(gain) > clear_held_out_gain && enough(within_reach(gain, most_nats))
}
