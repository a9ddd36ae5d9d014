# What gpsieve() may spend: seconds, turned into steps of learning, rows and points by what fits
# cost. Costs come from constants and are not measured while the choice runs, so that the same data
# and seed give the same choice on every computer.

#' Settings of the choice that gpsieve() makes
#'
#' What [gpsieve()] takes as `control`: how candidates are judged, and where the rows are too many
#' for the dense model. Most calls need none of these settings: `time` of [gpsieve()] says how long
#' a call may take. The sections below are for readers who want the rules of the choice with their
#' numbers. Without `time` a call may take about 20 seconds, with more than 20,000 rows a thousandth
#' of a second for each (times the square root of the number of latent functions), at most 75; two
#' fifths of this for more than `dense_rows` numbers as a function of at most three columns. Many
#' columns of many rows, and many classes, take more: informative vector machines have at least 150
#' active points (or 1e8 over the number of rows, if that is less), or 50 in each part of the rows.
#'
#' @section The rules of the choice:
#' 1. Functions. The hyper-parameters of every candidate are learned from all rows. Candidates are
#'    then fitted to some of the rows and judged by the log predictive density of the others; with
#'    at most 1000 rows (times latent functions; a third as many where later rows are judged), and
#'    time for it, their hyper-parameters are learned again without the rows to judge, from those of
#'    all rows on. A learned scale, warped and mixed inputs and inverse hyperbolic sines begin where
#'    the best function so far has ended, in a third of the steps; what comes first then learns from
#'    its usual start, and is judged with that where splits do not learn for themselves: the next
#'    candidate is taken if it is better. The candidate with the greatest density is taken. Of fewer
#'    than 50 numbers the evidence of all rows decides between functions with Gaussian noise, in
#'    place of held-out rows, unless `folds` has the fold of each row, later rows are predicted, or
#'    functions, the likelihood or the noise are given.
#'    * Of [lik_quantile()] a very smooth function and, with few rows, a linear one. Otherwise:
#'    * With few rows the candidates are the rich function and a linear one, for several classes of
#'      at most 400 rows one without the smooth part, and for a single column one without the rough
#'      part, by [meanfield_gp()] ([ivm()] if a given likelihood is not log-concave); with more than
#'      `control_gpsieve(dense_rows = )` the rich function is fitted by [ivm()]. Beside a linear
#'      function the others learn from blocks of 400 rows first, where that can save time, and no
#'      more if held-out rows are then not more probable than under the linear function, by a
#'      standard error.
#'    * For numbers and two classes with more rows than the dense model takes, and for several
#'      classes of at least 8000 rows (twice `leaf_rows`, if given) times the square root of the
#'      number of latent functions, dense Gaussian processes on parts of the rows (`leaf_rows` of
#'      [ivm()]; as many rows as the time allows, at most 3000) with two functions, of which one is
#'      rougher, are compared with one machine for all rows; with a given likelihood that is not
#'      log-concave, and 8000 rows, machines with active points on parts. For numbers and two
#'      classes of at least four columns, with the usual likelihood, the best function is in the end
#'      also fitted with a tree for each of its parts (`trees = "terms"`), unless all rows at once
#'      came first. That is taken if its density is greater by more than two standard errors and,
#'      where these were compared on less than half of the rows, if fits to all rows predict each
#'      row without itself better than with one tree. Rows with more than 3e7 numbers are compared
#'      with one function in parts and without these trees; at most 40,000 rows are compared, with
#'      smaller parts and fewer active points where there is no time for as many.
#'    * Of numbers with Gaussian noise or a learned scale, where machines on parts have come first
#'      in the end: all rows at once with what they have learned, by conjugate gradients
#'      ([control_meanfield()], `solver = "iterative"`), by the rule of warped inputs. The fit and
#'      its comparison cost 6e-8 seconds for each squared row, and may cost two fifths of the time.
#'    * With 100 rows or more the best rich function of warped inputs, [kernel_warped()], whose
#'      monotone warps are learned with its other hyper-parameters, on the scale of item 2 if that
#'      was taken; [warps()] has them. It is taken if its density is greater by more than a
#'      standard error where no row counts for more than one nat, and squared errors are at most a
#'      tenth greater. Not for columns of one kind, a kernel of yours, sources, sparse matrices, and
#'      later rows that are predicted, nor where a warped value is beyond 10000 spreads.
#'    * With 100 rows or more and two columns or more with several values, the best function so far
#'      of mixed inputs, [kernel_mixed()]; [mixing()] has the weights. Not with more weights than
#'      rows, or more than classes that are predicted so well can gain by, nor where warped
#'      inputs are not compared. It is taken if its density is greater by more than two standard
#'      errors where no row counts for more than one nat, and squared errors are at most a tenth
#'      greater.
#'    * Where numeric inputs of more than ten different values have some whose distance from the
#'      median is more than ten times the standard deviation that the first and the last tenth
#'      suggest, with more than 1000 rows (times latent functions): the best function, of the
#'      inverse hyperbolic sines of these inputs, taken by the rule of warped inputs. All terms of
#'      the formula must be columns, as in `y ~ .`; `choice(fit, "call")` has the formula that was
#'      taken. Nothing is replaced with `I(x)` in place of a column, terms of groups such as
#'      `(1 | g)`, columns whose missing values are modelled, inputs that are given as `x`, a kernel
#'      of yours, noise of a formula, later rows that are predicted (`folds = "time"`), sources and
#'      sparse matrices.
#'    * Where at least ten columns have the same least and most of them the same greatest value, as
#'      pixels have, and not only the values 0 and 1, one scale for all of them
#'      (`standardise = "common"`); with machines on parts the one machine has this scale and one
#'      lengthscale, [kernel_rbf()]. With a factor of at least 60 levels, for one machine, the rich
#'      function of the other inputs plus a constant for each level.
#'    * With at most 50 columns, where the noise of the best candidate is at most a thousandth of
#'      the variance of the numbers, as for most computer codes, of at most 400 rows also where it
#'      is at most half of the squared errors of held-out numbers, and of fewer than 50 rows
#'      whatever the noise (unless `folds` has the fold of each row): a very smooth function,
#'      [kernel_rbf()] plus [kernel_separable()] and a plane, whose noise starts at a millionth of
#'      the variance and whose hyper-parameters hardly a prior holds (`learn_on_blocks(prior = )`,
#'      half the number of columns over that of the rows); of at most 400 rows also the rich
#'      function in this way. Not with a kernel, a likelihood, known noise, a `size` or models of
#'      yours, nor for later rows, sources and sparse matrices. Such a function is taken if its
#'      density is greater, of fewer than 50 judged rows by two nats in all. Where the noise that
#'      the best candidate has learned is more than a thousandth of the variance, its density must
#'      be greater by more than two standard errors where no row counts for more than one nat and,
#'      if that noise is more than half of the squared errors of held-out numbers, its squared
#'      errors must be at most half of these. Where such a function is the best, items 3 (but for
#'      counts with an offset) and 4 are left out, and the density of a robust likelihood must be
#'      greater by more than two standard errors. The variances of such a function are multiplied
#'      by the mean square of its standardised errors of at least 10 held-out rows or, of n < 50
#'      rows that determine d hyper-parameters, by n / (n - d), whichever is greater and above 1
#'      (`learn_on_blocks(widen = )`). Of fewer than 50 rows so are those of any function with
#'      Gaussian noise of one variance, unless you gave a kernel or later rows are judged.
#' 2. For at least 100 numbers without an offset, a kernel or a prior mean of yours, with
#'    `standardise` other than `FALSE` and not for later rows, the best function of a response on a
#'    learned scale, [lik_warped()], before its inputs are warped. It is taken if its density is
#'    greater by more than two standard errors where no row counts for more than one nat, and
#'    squared errors are at most a tenth greater.
#' 3. For at least 20 numbers what their values suggest beside Gaussian noise, with the best
#'    function. Whole numbers from 0 with a mean below 50 that vary as counts do:
#'    [lik_negative_binomial()], and [lik_poisson()] where they vary little more than Poisson
#'    counts; functions that are compared for counts learn from blocks of 400 rows, unless `control`
#'    names others. An offset of a count, as `offset(log(exposure))`, adds to the logarithm of its
#'    mean and, under Gaussian noise, to the number itself: then all functions are fitted with a
#'    likelihood of counts too, whatever the mean of the counts, and Gaussian noise is kept only if
#'    its density is greater by more than two standard errors; in parts the likelihood is the
#'    negative binomial one. Numbers between 0 and 1, some above 0.1: [lik_beta()]. Positive
#'    numbers, counts of which none is 0 among them, the greatest more than three times the least:
#'    [lik_lognormal()], if squared errors are at most a tenth greater. Each is fitted where rows
#'    held out are more probable under it with the predicted means of Gaussian noise, by more than
#'    two standard errors, and taken if its density is greater by as much. Beside a learned scale
#'    each is taken if its density is greater by as much than with Gaussian noise and, of shares,
#'    greater than on that scale, of counts and the logarithm not less by more than two standard
#'    errors. The function is then that of the learned scale, warps and mixes included.
#' 4. Noise that changes: `lik_gaussian(noise = )` of at most three inputs, where the sizes of the
#'    residuals of held-out rows depend on numeric inputs, by rank correlations with an input or
#'    its distance from its median. The variance is log-linear in an input, or a natural spline of
#'    the only input or of one with whose distance from the median the sizes vary, if it has more
#'    than 12 different values. For at most 1000 rows without weights and offset that are no counts,
#'    and not for later rows. Squared errors must be at most a tenth greater. Where the log-normal
#'    likelihood is better than Gaussian noise too, changing noise is taken unless it is clearly
#'    worse. Beside a learned scale the greater density decides.
#' 5. A robust likelihood, [lik_student()], if the residuals of at least 20 held-out rows have
#'    heavy tails, the noise is at least a thousandth of the response's variance, and its
#'    predictions do not differ on average by more than chance explains (probability .01); where
#'    the usual residuals are farther from 0 than that, its own must not be. Of at most 1000 rows
#'    that are no series it learns its function for itself, also a rich one where a linear one is
#'    the best, and begins where Gaussian noise ends without the rows that are outliers to it; of
#'    more it is compared with the function that Gaussian noise of one variance has learned and the
#'    scale that the residuals show, and all hyper-parameters are learned in the fit to all rows.
#'    Beside a learned scale it is compared only if that scale's residuals have heavy tails too. It
#'    is not compared where the best candidate is clearly more probable even with what heavy tails
#'    would gain nor, with the function of Gaussian noise, where they would gain less than two
#'    standard errors. Of more rows than the dense model takes, and at most three columns, it is one
#'    machine with inducing inputs for all rows, [ep_gp()], whose function and scale 400 of the rows
#'    have learned in this way. It is not taken if squared errors are more than a tenth, and by two
#'    standard errors, greater. Where noise that changes is better than one variance too, the
#'    greater density decides. Where the variance of the response is more than 100 times that of its
#'    quartiles, neither this nor a very smooth function is compared, but the rich function with
#'    Student noise around the median of the response.
#'
#' A learned scale, warped and mixed inputs, inverse hyperbolic sines, smooth functions with little
#' noise, counts, and items 4 and 5 are judged fold by fold. From 20 rows on the other folds are
#' left out where they would hardly bring the density to what is needed, and, for counts and items 4
#' and 5, from 50 rows on where it is greater by more than three standard errors and what else is
#' asked holds. Of fewer than 50 rows a very smooth function is judged, and used, with variances as
#' wide as its held-out errors.
#'
#' Of more than 1000 rows (times latent functions), or without time to learn again, the
#' hyper-parameters under which held-out rows are predicted have been learned from all rows, these
#' too, and a candidate with more of them is
#' judged too well. Its mean log density therefore counts for less by the number of its
#' hyper-parameters that the rows determine over that of the rows. Each hyper-parameter counts by
#' \eqn{d^2 / (d^2 + s^2)}{d^2 / (d^2 + s^2)}, with the distance d that learning has moved its
#' logarithm from where the prior of [learn_on_blocks()] holds it, and the standard deviation s of
#' that prior, at most 1/2.
#'
#' Changing noise and a robust likelihood are taken if their density is greater by more than two
#' standard errors where no row counts for more than one nat: a few outliers would decide both the
#' difference and its standard error. Where only the fit to all rows learns function and noise anew,
#' the candidate is then judged with these, and must still gain as much on Gaussian noise of one
#' variance, if that is the next candidate. The next candidate is fitted in place of one that is
#' judged once more and is then less likely than the next one, where no row counts for more than one
#' nat, or has squared errors that are more than a tenth, and by two standard errors, greater.
#' Items 2 to 5 are for numbers in memory whose `likelihood` and `noise_sd` are not given, items 3
#' to 5 by one model for all rows; in parts only item 2 and counts with an offset lead to another
#' likelihood. Densities are those of the response in units of its standard deviation: only that
#' counts and shares are known by their values depends on its units.
#'
#' Of a source such as [rows_from_db()], hyper-parameters are learned on the random sample of its
#' rows that the first pass keeps. [ep_gp()] then goes on learning from all rows, with the usual
#' likelihood, the negative binomial one for counts with an offset, or the one that is given; with
#' 8000 rows (twice `control_gpsieve(leaf_rows = )`, where that is given) times the square root of
#' the number of latent functions, or more, [local_gp()] (or [ivm()] on parts, if the likelihood is
#' not log-concave), unless it predicts a fifth of the sample worse than [ep_gp()] by more than two
#' standard errors after both have learned from the rest.
#'
#' @section The rules of forecasts:
#' `folds = "time"` judges candidates by later rows: the last three tenths of the rows, each tenth
#' predicted by the fit to all rows before it, or three times the last `ahead` times (fewer where
#' these are more than half of the times); of more rows than the dense model takes, the last tenth
#' or the last `ahead` times only. Time is the only column of dates or times, else the only input,
#' else the order of the rows; a named `period` names it. Beside the functions above one more is
#' compared where a column is the time: a line with slow and fast deviations and, for each period, a
#' pattern that repeats and changes slowly, [kernel_periodic()] times [kernel_rbf()]. Of a positive
#' response, the greatest more than 1.2 times the least, all functions are compared for its
#' logarithm too, [lik_lognormal()]; the greatest density of later rows decides. Of at most 1000
#' rows of numbers without known noise, and functions that you have not named, it decides between
#' those that the evidence of all rows does not contradict: with one likelihood, those at most two
#' nats below the best. Later values err together, and few blocks of them say how wide intervals
#' should be: with m blocks, variances that were learned are multiplied by 1 + 1/m and, where the
#' response itself has Gaussian noise, by the mean square of the standardised errors of later rows
#' if that is above 1 (`learn_on_blocks(widen = )`). The mean of a log-normal response grows with
#' its variances, which stay as they are if held-out squared errors would then be more than a tenth
#' greater.
#'
#' Periods of a numeric response that are not given are looked for. Of dates and times they are the
#' year, the week and the day, where the rows extend over nearly two of them and they explain the
#' response beside a slow curve (an F test); the year of dates a month or a quarter apart is then
#' offered whether or not it explains them (20 times are needed). Of a time in numbers that is the
#' only input they are at most two clear peaks of the spectrum, or 1 if the steps are a whole
#' fraction of it, as those of years in months are, and it explains the response. Periods
#' are not learned further. A single input of dates or times, or of numbers at equal distances with
#' a clear period, is judged in this way without being asked; `folds = 5` judges it by random rows.
#'
#' @param folds Folds of the rows on which candidates are compared where the rows are few. With
#'   many rows, or where enough rows have been judged, not all folds are held out; with many rows
#'   it is one of at most 5000.
#' @param dense_rows With at most so many rows (times the square root of the number of latent
#'   functions; half as many for two classes, ordered classes, trials and censored numbers) the
#'   dense model, [meanfield_gp()], is fitted, if there is time for it; with more, machines on
#'   parts of the rows, or one machine for all of them.
#' @param leaf_rows Most rows of a part where machines on parts of the rows are compared: the
#'   `leaf_rows` of [ivm()]. `NULL`: as many as the time allows, at least 400 and at most 3000, and
#'   4000 where parts have active points.
#' @param blocks How hyper-parameters are learned: [learn_on_blocks()]. Where there is no time for
#'   its `rows` and `steps`, both are fewer. A linear function learns from blocks of at most 200
#'   rows. With several classes, and one machine for all rows, the usual blocks have 500 rows, of
#'   fewer than 1000 rows random ones only. On parts of the rows a rough function learns from blocks
#'   of near rows only, in twice as many steps of one block each. With a `widen` other than 1 the
#'   noise of numbers is Gaussian and the same everywhere: no other is compared.
#' @param keep Passed to the control of the chosen model, such as [control_meanfield()].
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_gpsieve`.
#' @examples
#' control_gpsieve(folds = 3)
#' @export
control_gpsieve <- function(folds = 5, dense_rows = 4000, leaf_rows = NULL,
                            blocks = learn_on_blocks(), keep = NULL, ...) {
  check_dots(...)
  if (is.null(blocks)) {
    abort_gpsieve("{.arg blocks} must come from {.fn learn_on_blocks}.", "Found NULL.")
  }
  structure(
    list(
      folds = check_count(folds, min = 2, max = 100),
      dense_rows = check_count(dense_rows, min = 0),
      leaf_rows = if (!is.null(leaf_rows)) check_count(leaf_rows, min = 10),
      blocks = check_blocks(blocks),
      keep = check_keep(keep)
    ),
    class = c("gpsieve_control_gpsieve", "gpsieve_control")
  )
}

# The time that a call may take by itself: it grows with the rows, times the square root of the
# number of latent functions, up to a bound.
least_seconds <- 20
most_seconds <- 75
seconds_a_row <- 1e-3

# The seconds the call may take
choice_seconds <- function(task) {
  if (!is.null(task$time)) return(task$time)
  rows <- count_rows(task$molded) * sqrt(task$latents)
  share <- if (has_few_columns(task)) share_of_few_columns else 1
  share * min(most_seconds, max(least_seconds, seconds_a_row * rows))
}

# Are there many numbers to model as a function of few columns, such as places and times? The few
# hyper-parameters of such a function are learned in fewer steps.
has_few_columns <- function(task) {
  task$kind == "number" && ncol(task$molded$x) <= few_columns &&
    nrow(task$molded$x) > task$control$dense_rows
}

# Shares of the time for learning the hyper-parameters of all functions, and of one of them at most
# (leaves are compared with two functions, each of which is judged with them),
# for the fit, and for the comparisons of all candidates.
learning_share <- c(alone = 0.45, with_leaves = 0.33)
most_of_learning <- 0.3
fit_share <- 0.4
leaf_fit_share <- 0.12
trial_share <- 0.1

share_of_few_columns <- 0.4

# With more numbers machines on parts are compared with one function, without trees of terms: 20,000
# of 60,000 rows of 784 columns take 16 CPU seconds with 65 active points in each part, nearly all
# of it for what is done to every number.
most_numbers_compared <- 3e7

# The function has been learned with Gaussian noise, and a likelihood whose integrals are numerical
# learns it again in this share of the time. Errors of the logarithm of the mean of 300 to 2500
# counts (six simulated sets) are .95 to 1.05 of those in all of the time.
share_of_integrals <- 0.4

# Noise that depends on inputs is learned by turns with the function, in so many times as long.
share_by_turns <- 4

# Smaller blocks are preferred to fewer steps than `enough_steps`, down to `fewest_block_rows`.
enough_steps <- 80
fewest_steps <- 20
fewest_block_rows <- 250

# So many steps say whether another function promises more than a linear one. Of eight sets of 1,800
# rows of two classes, nearly linear functions of 4 and 8 columns, the mean divergence from the true
# probabilities is .0091 with 40 steps, .0088 with 80 and .0100 with 120; of seven others all three
# lead to the same choice.
brief_steps <- 40

# A kernel whose hyper-parameters do not grow with the columns learns from smaller blocks, but in as
# many steps as any other: the noise of censored times starts at a tenth of their variance, and 40
# steps left it at a third of what 120 steps and more find. It takes at most so much of the time of
# learning another function.
simple_rows <- 200
simple_share <- 0.2

# The way to learn that the time allows: smaller blocks, then fewer steps
affordable_blocks <- function(task, simple = FALSE) {
  blocks <- task$control$blocks
  if (task$kind == "multiclass" && !has_leaves(task))
    blocks <- blocks_of_classes(blocks, nrow(task$molded$x))
  if (simple) blocks$rows <- min(blocks$rows, simple_rows)
  of_steps <- function(steps) {
    blocks$steps <- steps
    learning_seconds(task, blocks)
  }
  functions <- max(1L, length(task$kernels)) + has_leaves(task) + isTRUE(task$alike) +
    (length(task$far) > 0L) +
    (!length(task$kernels) && length(factors_of_many_levels(task$molded)) > 0L)
  share <- learning_share[[if (has_leaves(task)) "with_leaves" else "alone"]]
  allowed <- min(most_of_learning, share / functions) * choice_seconds(task) *
    if (simple) simple_share else 1
  enough <- min(enough_steps, blocks$steps)
  while (blocks$rows > fewest_block_rows && of_steps(enough) > allowed) {
    blocks$rows <- max(fewest_block_rows, round(0.8 * min(nrow(task$molded$x), blocks$rows)))
  }
  blocks$steps <- max(min(fewest_steps, blocks$steps),
    min(blocks$steps, floor(allowed / of_steps(1))))
  blocks
}

# A linear function of classes has at least so many inducing inputs, which stand for its rows where
# relevance() takes averages: of 1,150 rows of three inputs 50 have .51, .37 and .045 where all rows
# have .53, .37 and .06, and ten .48, .27 and .14.
centres_of_rows <- 50L

most_active <- 2000
fewest_active <- 150
# The matrix of as many rows as active points that a machine holds has at most so many numbers.
most_ivm_numbers <- 1e8

# Active points of one informative vector machine for all rows that can be fitted in the time
affordable_active <- function(task) {
  n <- nrow(task$molded$x)
  in_time <- active_in_time(task, n, fit_share * choice_seconds(task))
  round(min(n, most_active, most_ivm_numbers / n, max(fewest_active, in_time)))
}

# Active points of the machine of each leaf
leaf_active <- function(task) {
  rows <- count_rows(task$molded) * overlapping
  in_time <- active_in_time(task, rows, fit_share * choice_seconds(task))
  # The fit holds a square of active points for each leaf.
  in_memory <- sqrt(leaf_memory_share * memory_limit()$bytes *
    usual_part(task) / (8 * rows * task$latents))
  round(min(usual_part(task), most_leaf_active, in_memory, max(fewest_active / 3, in_time)))
}

# The share of the memory that a fit of many leaves may take.
leaf_memory_share <- 0.25

most_leaf_active <- 500
# A row takes part in so many leaves on average.
overlapping <- 1.3

# The candidate with as many active points as there is time for in a fit to `rows` rows that is
# judged on others
trial_candidate <- function(candidate, task, rows) {
  active <- candidate$settings$n_active
  leaf <- candidate$settings$leaf_rows
  if (is.null(active) && !is.null(leaf)) return(trial_leaves(candidate, task, rows))
  if (is.null(active) || !is.null(leaf)) return(candidate)
  in_time <- active_in_time(as_read_by(candidate$kernel, task), rows, trial_seconds(task))
  candidate$settings$n_active <- round(min(active, max(smallest_trial * active, in_time)))
  candidate
}

smallest_trial <- 0.3

# Are the rows few enough for the dense model?
fits_densely <- function(task) {
  n <- nrow(task$molded$x)
  if (!is.null(task$molded$rows)) return(FALSE)
  if (!is.null(task$models)) return(identical(task$models, "meanfield_gp"))
  if (!is.null(task$size) && task$size < n) return(FALSE)
  # One informative vector machine for each of several classes costs more than the dense model.
  most <- task$control$dense_rows / (if (task$kind %in% c("number", "multiclass")) 1 else 2)
  n * sqrt(task$latents) <= most && dense_seconds(task) <= fit_share * choice_seconds(task)
}

# Are there machines on parts of the rows among the candidates? For numbers and two classes
# wherever the dense model is too large; several classes have a machine each in every part, and of
# a source a model of a fixed size is the other candidate, so that both need many rows.
has_leaves <- function(task) {
  if (!is.null(task$models) || !is.null(task$size)) return(FALSE)
  many <- count_rows(task$molded) >= 2 * usual_part(task) * sqrt(task$latents)
  many || (is.null(task$molded$rows) && task$latents == 1L && takes_exact_leaves(task) &&
    !fits_densely(task))
}

# The rows of a part of active points, and half of those from which on parts are compared at all
# where they have to
usual_part <- function(task) {
  if (is.null(task$control$leaf_rows)) 4000 else task$control$leaf_rows
}

takes_exact_leaves <- function(task) takes_mean_field(task$likelihood)

# The rows with which candidates are compared, at most: where machines on parts take part, as many
# as there is time for, up to `most_trial_rows`
trial_rows <- function(task) {
  if (!has_leaves(task)) return(most_trial_rows)
  seconds <- trial_seconds(task)
  leaf <- fewest_trial_rows
  in_time <- seconds / (
    if (takes_exact_leaves(task)) exact_leaf_seconds(task, 1, leaf)
    else overlapping * ivm_seconds(task, 1, leaf_active(task))
  )
  floor(min(most_trial_rows, max(4 * leaf, in_time)))
}

# The seconds of one fit that is judged
trial_seconds <- function(task) trial_share * choice_seconds(task) / task$compared

# The candidate of exact leaves as it is judged: with smaller leaves where there is no time for as
# many rows, so that a comparison with one machine for all rows is a careful one
trial_leaves <- function(candidate, task, rows) {
  in_time <- leaf_rows_in_time(as_read_by(candidate$kernel, task), rows, trial_seconds(task))
  leaf <- candidate$settings$leaf_rows
  candidate$settings$leaf_rows <- round(min(leaf, max(min(fewest_trial_rows, leaf), in_time)))
  candidate
}
