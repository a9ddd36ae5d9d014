# Learning hyper-parameters on blocks of rows: the core takes stochastic gradient steps on the
# evidences of dense machines (src/core/learning/theory.md#learning-on-blocks).

#' Learn hyper-parameters on blocks of rows
#'
#' A way to learn the hyper-parameters of a kernel with many of them, such as [kernel_rich()], from
#' many rows. By default every step takes one block of rows that are near each other and one of
#' random rows, computes the evidence of a dense Gaussian process on each and its gradient, and
#' moves all hyper-parameters a little (Adam). Near rows show fine structure, random rows coarse
#' structure.
#' Where the rows are no more than one block, all of them take part in every step, and after the
#' first steps a quasi-Newton method goes on to a maximum (with three or more classes, of which each
#' step takes one, the first steps go on); a fit whose steps ended before says so
#' when it is printed. Where the evidence hardly exceeds that of a constant function, learning
#' begins again from other lengthscales, once. With less than the whole prior, and rows that are no
#' more than one block, it also begins from a smoother function, from one with noise and from random
#' lengthscales, 40 steps from each at most; the greatest of these evidences is followed to its
#' maximum, and the greater one stands.
#'
#' With the log evidence \eqn{\log Z_b(\theta)} of block b of \eqn{|b|} rows, the log
#' hyper-parameters \eqn{\theta}, and n rows in all, the objective is
#' \deqn{\mathrm{mean}_b\, \frac{\log Z_b(\theta)}{|b|} + \frac{1}{n} \log p(\theta), \quad
#'   \log p(\theta) = -\sum_g h(m_g)
#'   - 4 \sum_j h(d_j - m_{g(j)}).}{
#'   mean over b of log Z_b(theta) / |b| + log p(theta) / n,
#'   log p(theta) = - sum_g h(m_g) - 4 sum_j h(d_j - m_g(j)).}
#' Here \eqn{d_j} is how far log hyper-parameter j is from its start, \eqn{m_g} the mean of these
#' distances over the lengthscales of one kernel, and h(d) is \eqn{d^2 / 2} for
#' \eqn{|d| < 1}{|d| < 1} and \eqn{|d| - 1/2} beyond: Gaussian near the start, with tails that give
#' way to an evidence that rises steadily. The values before learning are the centers of this prior.
#' Each hyper-parameter that is no lengthscale has the term \eqn{-h(d_j) / 2}{-h(d_j) / 2} in their
#' place, and for the lengthscales of [kernel_linear()], [kernel_periodic()] and
#' [kernel_great_circle()] \eqn{h(m_g)}{h(m_g)} counts half; the skew and the tail of
#' [lik_warped()], and the parameters of [kernel_warped()] and [kernel_mixed()], have
#' \eqn{-h(d_j) / s_j^2}{-h(d_j) / s_j^2}, where \eqn{s_j}{s_j} is the standard deviation of their
#' prior, .7 for the response and as their help pages say for inputs. Of several one-against-rest
#' machines, which have the same hyper-parameters, one takes part in a step, in turn. Where Gaussian
#' noise is learned, \eqn{\log Z_b} is less by its rounding error, so that the noise stays as large
#' as a covariance matrix needs for its factor.
#'
#' @param rows Most rows of a block. A step costs about `rows`^3 operations for each block. Blocks
#'   of fewer than all rows have half as many in the first two thirds of the steps, which lead to
#'   where the last third is averaged, unless `prior` is less than 1 or half a block has fewer than
#'   18 rows for each of several classes.
#' @param steps At most so many steps.
#' @param kind The blocks of a step: `"both"`, one of near and one of random rows, or one of them
#'   only. `"near"` suits machines on parts of the rows, the `leaf_rows` of [ivm()]. Blocks of
#'   sparse inputs are random.
#' @param prior The factor of the log density of the prior, \eqn{\log p(\theta)} above: a number
#'   from 0 on. 0, no prior, suits functions with hardly any noise, whose evidence determines all
#'   hyper-parameters; with noise, and with many columns and few rows, it fits what is not there.
#' @param widen All variances of the kernel (of a product that of one factor) and that of Gaussian
#'   noise, [fixed()] ones too, are multiplied by this number after learning, unless there was
#'   nothing to learn. The posterior mean of the latent function stays as
#'   it is, and standard deviations become `sqrt(widen)` times as large. Variances that few rows
#'   have learned with hardly a prior, or that a series has learned, are too small; the mean square
#'   of the standardised errors of held-out rows says by how much, and is what [gpsieve()] gives,
#'   with the number of hyper-parameters where rows are few. Likelihoods other than
#'   [lik_gaussian()] with one noise and [lik_lognormal()], and kernels without a variance such as
#'   [kernel_function()], are refused where it is not 1.
#' @param ... Not used; anything here is an error.
#' @return An object of class `gpsieve_blocks` for the argument `blocks` of [control_ivm()] and
#'   [control_meanfield()].
#' @seealso [kernel_rich()]
#' @examples
#' learn_on_blocks(rows = 400)
#' meanfield_gp(Volume ~ ., trees, kernel_rich(), seed = 1,
#'   control = control_meanfield(blocks = learn_on_blocks())
#' )
#' @export
learn_on_blocks <- function(rows = 800, steps = 120, kind = c("both", "near", "random"),
                            prior = 1, widen = 1, ...) {
  check_dots(...)
  structure(
    list(
      rows = check_count(rows, "rows", min = 2),
      steps = check_count(steps, "steps", min = 0, max = 1e6),
      kind = check_choice(kind),
      prior = check_number(prior, "prior", min = 0),
      widen = check_number(widen, "widen", above = 0)
    ),
    class = "gpsieve_blocks"
  )
}

#' @export
format.gpsieve_blocks <- function(x, ...) {
  usual <- lapply(names(x), function(name) offered(name, learn_on_blocks)[1L])
  changed <- names(x)[!mapply(function(a, b) isTRUE(a == b), x, usual)]
  text <- vapply(unclass(x)[changed], function(value) {
    if (is.character(value)) deparse(value) else code_text(value)
  }, "")
  paste0("learn_on_blocks(", paste(changed, text, sep = " = ", collapse = ", ",
    recycle0 = TRUE), ")")
}

#' @export
print.gpsieve_blocks <- print_formatted

check_blocks <- function(blocks) {
  if (is.null(blocks)) return(NULL)
  if (!inherits(blocks, "gpsieve_blocks") || !is.list(blocks)) {
    found <- describe(blocks)
    abort_gpsieve("{.arg blocks} must come from {.fn learn_on_blocks}, or be NULL.",
      "Found {found}.")
  }
  # Values that were changed by hand are checked as those given to learn_on_blocks() are.
  do.call(learn_on_blocks, unclass(blocks), quote = TRUE)
}

# The problem with the hyper-parameters that learning on blocks ends with. `prior_means`: the prior
# mean of each latent function. A caller that has learned the hyper-parameters from all rows before
# it fits a part of them gives them as `problem$learned`, which learned_by() makes: lengths in the
# units of the data and warps stay those of all rows. With `again`, these rows learn from there in a
# share of the steps.
learn_blocks <- function(problem, prior_means, blocks) {
  if (blocks$widen != 1) check_can_widen(problem)
  learned <- learn_unwidened(problem, prior_means, blocks)
  if (blocks$widen == 1) return(learned)
  learned$kernel <- with_variances_times(learned$kernel, blocks$widen)
  noise <- learned$likelihood$values$variance
  learned$likelihood$values$variance <- blocks$widen * noise
  learned
}

check_can_widen <- function(problem) {
  likelihood <- problem$likelihood
  known <- !is.null(problem$molded[["noise"]])
  if (!is.null(problem$kernel) && !has_variance(problem$kernel)) {
    abort_gpsieve("{.code learn_on_blocks(widen = )} needs a kernel whose parts have variances.",
      "Found {format(problem$kernel)}.", class = "unsupported")
  }
  if (has_one_noise(likelihood) && !known) return(invisible())
  found <- if (known) "noise that differs between rows" else format(likelihood)
  abort_gpsieve("{.code learn_on_blocks(widen = )} needs {.fn lik_gaussian} with one noise, or
    {.fn lik_lognormal}.", "Found {found}.", class = "unsupported")
}

# Has every part that is added to the others a variance, of a product one of the factors?
has_variance <- function(kernel) {
  own <- "variance" %in% names(kernel$values)
  inner <- vapply(kernel$children, has_variance, NA)
  if (!length(inner)) own
  else if (is_product(kernel)) any(inner)
  else own || all(inner)
}

# A kernel of a function whose variance is so many times as great; of a product the first factor
# that has one
with_variances_times <- function(kernel, by) {
  own <- seq_along(kernel$children)
  if (is_product(kernel)) own <- Position(has_variance, kernel$children)
  kernel$children[own] <- lapply(kernel$children[own], with_variances_times, by)
  scales <- intersect(kernel_kind(kernel)$scales, names(Filter(Negate(is.null), kernel$values)))
  kernel$values[scales] <- lapply(kernel$values[scales], `*`, by)
  kernel
}

# learn_blocks() before variances are widened
learn_unwidened <- function(problem, prior_means, blocks) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  check_block_likelihood(problem)
  if (!is.null(problem$learned)) return(from_learned(problem, prior_means, blocks))
  steps_from <- block_steps(problem, prior_means, blocks)
  search <- list(origin = theta_of(problem$kernel, problem$likelihood), free = free)
  search_from <- function(theta) steps_from(theta, blocks$steps)
  best <- best_of_starts(problem, search, search_from,
    function(theta) steps_from(theta, 1)$value,
    if (blocks$steps > 0) evidence_of_constant(problem, block_range))
  if (blocks$prior < 1 && blocks$steps > 0 && nrow(problem$x) <= blocks$rows) {
    starts <- starts_with_little_prior(search, problem$seed, nrow(problem$x))
    best <- best_of_many_starts(best, starts, steps_from, blocks$steps)
  }
  problem[c("kernel", "likelihood")] <-
    set_theta(problem$kernel, problem$likelihood, best$theta)
  problem$steps_ended <- best$steps_ended
  problem
}

# What the rows of a problem have learned: log hyper-parameters, how many of these the rows
# determine, how many rows these are, the centres and scales of the columns, the kernel from which
# learning began, and whether it has ended before a maximum
learned_by <- function(problem, theta, steps_ended = NULL) {
  list(
    theta = theta, determined = determined_number(problem, theta), rows = nrow(problem$y),
    scale = problem$inputs$scale, center = problem$inputs$center, kernel = problem$kernel,
    steps_ended = steps_ended
  )
}

# How many log hyper-parameters the rows determine. The others stay where the prior holds them: each
# counts by d^2 / (d^2 + s^2), with its distance d from there and the standard deviation s of the
# prior, at most that of a difference between lengthscales: what is known well may lie near its
# start.
determined_number <- function(problem, theta) {
  away <- unname(theta - theta_of(problem$kernel, problem$likelihood))
  lengths <- lengthscale_columns(problem$kernel, ncol(problem$x))$parameter
  prior <- block_prior(problem, 1, lengths)
  common <- stats::ave(away, prior$group)
  share <- function(away, precision) away^2 / (away^2 + 1 / pmax(precision, pull_of_differences))
  sum(share(common, prior$level)[!duplicated(prior$group)], share(away - common, prior$spread))
}

# The problem with the hyper-parameters that all rows have learned, or its own learn from there
from_learned <- function(problem, prior_means, blocks) {
  begun <- problem_as_learned(problem)
  if (!isTRUE(problem$learned$again)) return(begun)
  problem$kernel <- with_maps_of(problem$kernel, problem$learned, problem$inputs)
  again <- block_steps(problem, prior_means, blocks)(
    theta_of(begun$kernel, begun$likelihood), ceiling(share_again * blocks$steps)
  )
  problem[c("kernel", "likelihood")] <-
    set_theta(problem$kernel, problem$likelihood, again$theta)
  problem$steps_ended <- again$steps_ended
  problem
}

# The problem with the hyper-parameters that all rows have learned
problem_as_learned <- function(problem) {
  learned <- problem$learned
  kernel <- with_maps_of(problem$kernel, learned, problem$inputs)
  problem[c("kernel", "likelihood")] <- set_theta(kernel, problem$likelihood, learned$theta)
  problem$kernel <- in_data_units(problem$kernel, learned$scale / problem$inputs$scale)
  problem$steps_ended <- learned$steps_ended
  problem
}

# The share of the steps in which a part of the rows learns again what all of them have learned. On
# eight sets of 100 to 380 rows, eight splits each, a third of the steps leads to the same choice
# as learning from the start (losses of test rows 1.002 and 1), in seven tenths of the time.
share_again <- 1 / 3

# Steps of learning as a function of the log hyper-parameters they start from and of their number:
# list(theta, value, steps_ended), the value being the penalised evidence of all rows: the greatest
# where all of them are one block, else as the last third of the steps shows it
block_steps <- function(problem, prior_means, blocks) {
  pairs <- lengthscale_columns(problem$kernel, ncol(problem$x))
  sparse <- is_sparse(problem$x)
  learning <- list(
    free = theta_free(problem$kernel, problem$likelihood), lengthscale_of = pairs$parameter,
    column = pairs$column, block_rows = blocks$rows,
    first_rows = ceiling(share_of_first_rows(blocks, n_latents(problem)) * blocks$rows),
    rate = block_rate,
    near = blocks$kind != "random" && !sparse, random = blocks$kind != "near" || sparse,
    machines = machines_of_step, seed = problem$seed
  )
  learning <- c(learning, block_prior(problem, blocks$prior, pairs$parameter))
  if (sparse) learning[c("lengthscale_of", "column")] <- list(integer(), integer())
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  function(theta, steps) {
    found <- call_core(core_learn_on_blocks, kernel_spec(problem$kernel),
      likelihood_spec(problem$likelihood), core_rows(problem, prior_means),
      meanfield_options("tap", "response", block_max_iter, meanfield_block_tol),
      c(learning, list(begin = unname(theta), steps = steps)),
      core_settings(problem$threads, bar))
    list(theta = found$theta, value = nrow(problem$y) * found$value,
      steps_ended = !found$converged && steps > 0)
  }
}

# The share of a block's rows in the steps before those whose values are averaged. Half of the rows
# show the way in an eighth of the time: errors of the rich function, learned from 1500 and 2000
# rows of seven sets, are .998 to 1.002 times those of whole blocks. With hardly a prior and
# without noise they are not enough: of 600 and 1000 points of three computer codes errors were 1.1
# to 1.6 times as great. Nor are they where half of a block has few rows of each class: of 1000
# letters, 26 classes, on blocks of 400, the log loss of new rows is .614 where it is .569 with
# whole blocks, in 8.7 CPU seconds of 10.3.
share_of_first_rows <- function(blocks, latents) {
  few <- latents > 1L && blocks$rows / 2 < fewest_of_class * latents
  if (blocks$prior < 1 || few) 1 else 0.5
}
fewest_of_class <- 18

# How strongly the prior holds the common level of the lengthscales of one kernel, the differences
# between their logarithms, the logarithms of all other hyper-parameters, and the skews and the
# logarithms of the tails of warps; 0: not at all.
pull_of_level <- 1
pull_of_differences <- 4
pull_of_others <- 0.5

# The pulls of the prior by log hyper-parameter, and the group that each belongs to; `lengths` are
# the numbers of those that are lengthscales
block_prior <- function(problem, strength, lengths) {
  group <- theta_groups(problem$kernel, problem$likelihood)
  level <- rep(pull_of_others, length(group))
  level[lengths] <- pull_of_level
  of_maps <- prior_sd_of_maps(problem$kernel, nrow(problem$y))
  level[which(!is.na(of_maps))] <- 1 / of_maps[!is.na(of_maps)]^2
  own <- likelihood_prior_precision(problem$likelihood)
  known <- which(own > 0)
  level[length(level) - length(own) + known] <- own[known]
  list(
    group = group, level = strength * level,
    spread = rep(strength * pull_of_differences, length(group))
  )
}

# The first rate of Adam; rounds of TAP in one evaluation; how far the noise of a constant function
# may be from its start, as a logarithm.
block_rate <- 0.15
block_range <- 12
block_max_iter <- 30L
# One-against-rest machines that take part in a step, in turn.
machines_of_step <- 1

check_block_likelihood <- function(problem) {
  if (takes_mean_field(problem$likelihood)) return(invisible())
  abort_gpsieve("{.fn learn_on_blocks} needs a likelihood that is log-concave.",
    why_not_log_concave(problem$likelihood), "Leave out {.arg blocks}.", class = "unsupported")
}

# Which log hyper-parameters are lengthscales of which columns: list(parameter, column)
lengthscale_columns <- function(kernel, p) {
  used <- 0L
  pairs <- lapply(kernel_leaves(kernel, seq_len(p)), function(leaf) {
    values <- leaf$kernel$values[hyper_names(leaf$kernel)]
    first <- used + cumsum(lengths(values)) - lengths(values)
    used <<- used + sum(lengths(values))
    at <- match("lengthscale", names(values))
    if (is.na(at) || !kernel_kind(leaf$kernel)$lengthscale$between_rows) return(NULL)
    list(
      parameter = first[[at]] + rep_len(seq_len(lengths(values)[[at]]), length(leaf$columns)),
      column = leaf$columns
    )
  })
  join <- function(part) as.integer(unlist(lapply(pairs, `[[`, part)))
  list(parameter = join("parameter"), column = join("column"))
}

# Refuses settings of the other way to learn beside `blocks`
check_beside_blocks <- function(blocks, settings, maker) {
  if (is.null(blocks)) return(invisible())
  usual <- usual_settings(maker)[names(settings)]
  changed <- names(settings)[!mapply(identical_setting, settings, usual)]
  if (!length(changed)) return(invisible())
  abort_gpsieve("{.arg {changed}} {?has/have} no effect beside {.arg blocks}.",
    hint = "{.fn learn_on_blocks} has settings of its own.")
}

# Blocks of near rows only, and twice as many steps: each has one block instead of two
near_blocks <- function(blocks) {
  if (blocks$kind != "both") return(blocks)
  blocks[c("kind", "steps")] <- list("near", 2 * blocks$steps)
  blocks
}

# Each step of several machines that have the same hyper-parameters takes one of them, so that even
# all rows would not show the whole evidence: smaller blocks cost a third to seven tenths of the
# time, and the loss rises by one to two hundredths.
class_block_rows <- 500

# The usual blocks for several classes; blocks that the user has set stay as they are
blocks_of_classes <- function(blocks, rows) {
  if (!identical(blocks, learn_on_blocks())) return(blocks)
  blocks$rows <- class_block_rows
  if (rows < 2 * class_block_rows) blocks$kind <- "random"
  blocks
}
