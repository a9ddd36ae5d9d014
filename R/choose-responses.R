# Likelihoods that the values of a response suggest beside Gaussian noise, among the candidates of
# gpsieve(): of counts, of shares between 0 and 1, and of positive numbers that differ by factors.

# Whole numbers from 0 of which some occur more than once, of a mean below `most` and as spread as
# counts are
are_counts <- function(y, most = largest_mean_count) {
  spread_as_counts(y) && anyDuplicated(y) > 0L && length(unique(y)) > 2L && mean(y) < most
}

# The likelihoods that the response suggests, by their labels; none where one was given or where the
# rows have noise of their own. An offset adds to the logarithm of a count's mean, as that of its
# exposure, and to a number itself, which of counts is taken only if held-out rows clearly say so.
# Shares and positive numbers with an offset are numbers. Counts of which none is 0 are positive
# numbers, too: of four samples of two such sets the logarithm was taken in three, where new rows
# are more probable by .09 to .25 nats than with Gaussian or robust noise.
suggested_likelihoods <- function(task) {
  molded <- task$molded
  y <- molded$y
  in_time <- isTRUE(task$series$ordered)
  if (!chooses_noise(task) || length(y) < fewest_to_suggest) return(list())
  of_counts <-
    if (are_counts(y, most = if (is.null(molded$offset)) largest_mean_count else Inf)) {
      list("negative binomial" = lik_negative_binomial(), "Poisson" = lik_poisson())
    }
  of_numbers <-
    if (!is.null(molded$offset)) list()
    else if (all(y > 0 & y < 1) && max(y) > least_greatest_share) list("beta" = lik_beta())
    else if (all(y > 0) && max(y) > least_growth[[if (in_time) "series" else "rows"]] * min(y)) {
      list("log-normal" = lik_lognormal())
    }
  c(of_counts, of_numbers)
}

# The task with a likelihood of counts where these have an exposure and one likelihood is fitted, to
# a source or by machines on parts of the rows: an exposure that is added to numbers is no use
with_likelihood_of_rates <- function(task) {
  of_source <- !is.null(task$molded$rows)
  task_in_memory <- task
  task_in_memory$molded["rows"] <- list(NULL)
  counts <- any(names(suggested_likelihoods(task_in_memory)) == "Poisson")
  if (counts && !is.null(task$molded$offset) && (of_source || has_leaves(task))) {
    task$likelihood <- lik_negative_binomial()
  }
  task
}

# The task with smaller blocks to learn the functions of counts from, where the user has said
# nothing of blocks: Gaussian noise only compares them, and their likelihood learns them again
with_blocks_to_compare <- function(task) {
  if (isTRUE(task$molded$counted) && identical(task$control$blocks, learn_on_blocks())) {
    task$control$blocks$rows <- short_block_rows
  }
  task
}

# Numbers where the latent function of a likelihood is
near_latent <- function(likelihood, y) {
  switch(likelihood_response(likelihood),
    count = log(y + 0.5), positive = log(y), share = stats::qlogis(y))
}

# Stage: a likelihood that the response suggests, with the function that is best with Gaussian
# noise, first if the density of held-out rows is clearly greater.
# The sites of likelihoods that are not log-concave are found one by one, which takes long: two
# splits judge them.
response_stage <- function(label) {
  said <- said_of_responses[[label]]
  new_stage(
    candidate = said[["candidate"]], where = said[["where"]],
    beside = function(entries) Find(has_gaussian_noise, entries),
    propose = function(choice, usual) {
      likelihood <- likelihood_to_compare(label, choice, usual)
      if (is.null(likelihood)) return(list())
      task <- response_task(choice$task, likelihood)
      found <- learned_under(response_entries(functions_of(choice), task, label), task,
        choice$splits)
      if (is_short_series(task)) found[is_plausible(found, task)] else found
    },
    splits = function(entry, usual, choice) {
      likelihood <- entry$candidate$likelihood
      all <- takes_mean_field(likelihood) || has_few_shares(choice$task, likelihood)
      if (all) choice$splits else utils::head(choice$splits, 2L)
    },
    race = function(entry, usual, choice) {
      if (family_of(entry$candidate$likelihood)$row_seconds == 0) return(NULL)
      list(needed = if (isTRUE(choice$task$series$ordered)) 0 else 2,
        suits = function(entry, usual) TRUE)
    },
    better = function(entry, first, usual) {
      if (isTRUE(entry$task$series$ordered)) is_likelier(entry, first)
      else if (!is.null(entry$task$molded$offset)) suits_exposure(entry, first)
      else if (has_few_shares(entry$task, entry$candidate$likelihood)) is_likelier(entry, first)
      else suits_response(entry, first, usual)
    }
  )
}

# What the help page says of these stages
said_of_responses <- list(
  "negative binomial" = c(candidate = "counts: negative binomial, Poisson",
    where = "whole numbers that vary as counts do"),
  "beta" = c(candidate = "shares: beta", where = "numbers between 0 and 1"),
  "log-normal" = c(candidate = "log-normal",
    where = paste("positive numbers, the greatest more than three times the least, if held-out",
      "rows promise a gain"))
)

# The likelihood of a label where it is compared: where the values of the response suggest it and
# held-out rows promise a gain. Poisson counts are compared where negative binomial ones vary little
# more. The logarithm is compared beside a learned scale too: of eight sets of 120 and 200 positive
# numbers drawn around the exponential of a function the log losses of new rows are less by .21 to
# .40 nats, with the same squared errors.
likelihood_to_compare <- function(label, choice, usual) {
  task <- choice$task
  likelihood <- suggested_likelihoods(task)[[label]]
  if (is.null(likelihood) || in_leaves(usual)) return(NULL)
  if (has_few_shares(task, likelihood)) return(likelihood)
  exposed <- !is.null(task$molded$offset)
  applies <- (exposed || !begins_with_little_noise(usual$candidate)) &&
    (label != "Poisson" || vary_little(choice$entries, task)) &&
    promises_gain(likelihood, usual, task)
  if (applies) likelihood
}

# Has a task shares of so few rows that hardly a gain is clear? All held-out rows then say which
# likelihood is the more probable. Of 24 simulated sets of 24 to 33 shares new rows are more
# probable by .175 nats than by the rules of more rows where the truth is a beta variable (all eight
# sets), by .036 where it is Gaussian on the log-odds (-.009 to .158) and by .007 where it is
# Gaussian (-.029 to .048); on twelve splits of six real sets by .039 (-.22 to .32), but for one
# whose new rows have a share of 1.
has_few_shares <- function(task, likelihood) {
  has_few_rows(task) && likelihood_response(likelihood) == "share"
}

# Are held-out rows more probable under a likelihood than under Gaussian noise where both have the
# means that the usual entry predicts, by more than two standard errors where no row counts for more
# than a nat? Of 24 splits of eight sets of 25 to 120 counts these are the 15 where their likelihood
# was taken, by 2.05 standard errors and more, and 3 of the others. The few later rows of a series
# do not say, nor does a function to which an exposure was added as to a number.
promises_gain <- function(likelihood, usual, task) {
  if (isTRUE(task$series$ordered) || !is.null(task$molded$offset)) return(TRUE)
  y <- task$molded$y[usual$judged$row]
  mean <- usual$judged$said[, "mean"]
  error <- y - mean
  if (!all(is.finite(mean)) || !any(error != 0)) return(FALSE)
  is_clear(within_reach(density_about(likelihood, y, mean) -
    stats::dnorm(error, sd = sqrt(mean(error^2)), log = TRUE), most_nats))
}

# Log densities of responses about given means, with the spread that suits them best: of counts the
# negative binomial ones, of shares those of beta variables, of other responses those of Gaussian
# noise where the latent function is. Shares next to 0 and 1 are far from the others in their
# log-odds: of three sets of 300 shares with precisions of 7 to 150, some within .001 of 1, Gaussian
# noise of the log-odds promised nothing, and new rows are more probable under beta variables.
density_about <- function(likelihood, y, mean) {
  kind <- likelihood_response(likelihood)
  if (kind == "count") {
    # Gaussian noise may predict counts below zero.
    mean <- pmax(mean, 0.1)
    of_size <- function(size) stats::dnbinom(y, mu = mean, size = size, log = TRUE)
    return(most_probable(of_size, c(-3, 8)))
  }
  # Halfway between the least response and 0, or the greatest and 1, where a mean lies beyond.
  mean <- pmin(pmax(mean, min(y) / 2), if (kind == "share") (1 + max(y)) / 2 else Inf)
  if (kind == "share") {
    of_precision <- function(precision) {
      stats::dbeta(y, mean * precision, (1 - mean) * precision, log = TRUE)
    }
    return(most_probable(of_precision, c(-3, 16)))
  }
  away <- near_latent(likelihood, y) - near_latent(likelihood, mean)
  stats::dnorm(away, sd = sqrt(mean(away^2)), log = TRUE) - log(y)
}

# The log densities with the positive number, of a logarithm in this range, for which their sum is
# greatest
most_probable <- function(density, range) {
  best <- stats::optimise(function(at) sum(density(exp(at))), range, maximum = TRUE)
  density(exp(best$maximum))
}

# Is a likelihood of counts to be taken where the counts have an exposure? Added to a number an
# exposure has no meaning, so that Gaussian noise has to be clearly better; of two likelihoods the
# one with the greater density is taken.
suits_exposure <- function(entry, first) {
  if (has_gaussian_noise(first)) !is_clear(-density_beyond(entry, first))
  else is_likelier(entry, first)
}

# Is the density of an entry clearly greater and, for the logarithm of the response, its mean about
# as good? The mean of a log-normal prediction grows with the exponential of its variance: beyond
# the rows, where little is known of the function, it can be far from all of them. Counts without
# their likelihood have negative predictions, so that there the density alone decides.
# A learned scale has a distribution of each of these kinds. Of it and of shares, where both are
# clearly better than the usual entry, the more probable one stands. The logarithm and likelihoods
# of counts, of whose scale nothing has to be learned, stand unless a learned scale is clearly
# better. Of eleven splits of seven sets of positive numbers (80 to 270 rows) where this decided,
# new rows are more probable on the logarithm in ten, by .042 nats in the mean (.058 less to .106
# more), and squared errors are the same.
suits_response <- function(entry, first, usual) {
  likelihood <- entry$candidate$likelihood
  beside_scale <- has_warp(first)
  stands <-
    if (!beside_scale) TRUE
    else if (likelihood_response(likelihood) == "share") is_likelier(entry, first)
    else !is_clear(density_beyond(first, entry))
  gains_clearly(entry, if (beside_scale) usual else first) && stands &&
    (!bends_response(likelihood) || has_mean_as_good(entry, first))
}

# Are the held-out squared errors of an entry at most so many times those of the usual one on the
# same rows, by default about as small?
has_mean_as_good <- function(entry, usual, at_most = hardly_greater) {
  same <- match(entry$judged$row, usual$judged$row)
  squared <- function(residual) mean(residual^2)
  isTRUE(squared(entry$judged$residual) <= at_most * squared(usual$judged$residual[same]))
}

# Are the squared errors of an entry more than a tenth greater than the usual one's, and by more
# than two standard errors? Where noise has heavy tails, or grows, a few rows make up most of them.
has_clearly_worse_mean <- function(entry, usual) {
  same <- match(entry$judged$row, usual$judged$row)
  more <- entry$judged$residual^2 - usual$judged$residual[same]^2
  !has_mean_as_good(entry, usual) && is_clear(more)
}

# Has a negative binomial entry learned that counts vary hardly more than Poisson counts do? Those
# of mean m and size r have the variance m (1 + m / r).
vary_little <- function(others, task) {
  any(vapply(others, function(entry) {
    size <- exp(entry$learned$theta["likelihood.size"])
    isTRUE(1 + mean(task$molded$y) / size < hardly_greater)
  }, NA))
}

# The task of a likelihood, of whose sites its costs are those
response_task <- function(task, likelihood) {
  task$likelihood <- likelihood
  offset <- if (is.null(task$molded$offset)) 0 else task$molded$offset
  task$spread <- stats::var(near_latent(likelihood, task$molded$y) - offset)
  if (family_of(likelihood)$row_seconds > 0) task$time <- share_of_integrals * choice_seconds(task)
  task
}

# Is the density of an entry greater on the rows that both judged? Later rows are few, and all
# predictions of a series err together, so that no standard error is known.
is_likelier <- function(entry, usual) isTRUE(mean(density_beyond(entry, usual)) > 0)

# Entries of a likelihood, for the functions of the others: all of them of a series; of counts with
# an exposure those that were not made for numbers with hardly any noise, because which is the best
# of the numbers says nothing of the rates; of other rows the best
response_entries <- function(entries, task, label) {
  if (!isTRUE(task$series$ordered)) {
    entries <-
      if (is.null(task$molded$offset)) entries[1L]
      else Filter(function(entry) !begins_with_little_noise(entry$candidate), entries)
  }
  lapply(entries, function(entry) {
    usual <- entry$candidate
    if (!takes_mean_field(task$likelihood)) return(held_function_entry(usual, task, label))
    kernel <- times_variance(usual$kernel, signif(task$spread, 3), ncol(task$molded$x))
    model <- if (usual$model == "meanfield_gp" && !fits_densely(task)) "ivm" else usual$model
    candidate <- sized_candidate(task, response_label(usual, label), model, kernel)
    candidate$settings$standardise <- usual$settings$standardise
    new_entry(candidate, "likelihood")
  })
}

# An entry of a likelihood that is not log-concave, which has no evidence on blocks of rows: the
# function is learned where the latent function is, with Gaussian noise, and held; the likelihood
# learns its own parameter
held_function_entry <- function(usual, task, label) {
  likelihood <- task$likelihood
  task["likelihood"] <- list(NULL)
  task$molded$y <- near_latent(likelihood, task$molded$y)
  learned <- learn_entry(new_entry(usual, "likelihood"), task)
  kernel <- if (is.null(learned$kernel)) usual$kernel else learned$kernel
  kernel <- held(rounded_for_code(times_variance(kernel, task$spread, ncol(task$molded$x))))
  entry <- new_entry(not_concave_candidate(task, response_label(usual, label), kernel, likelihood,
    list(candidate = usual)), "likelihood")
  entry$seconds <- learned$seconds
  entry
}

response_label <- function(usual, label) paste0(label, ", ", usual$label)

# The kernel with all of its hyper-parameters held
held <- function(kernel) {
  kernel$children <- lapply(kernel$children, held)
  if (length(kernel$values)) kernel$fixed <- union(kernel$fixed, hyper_names(kernel))
  kernel
}

# A kernel of a function whose variance is so many times as great; `p` columns.
# Of a product the first factor has the variance.
times_variance <- function(kernel, by, p) {
  if (!is.null(kernel$rich)) {
    kernel$rich$variance <- kernel$rich$variance * by
    return(do.call(kernel_rich, kernel$rich))
  }
  own <- if (is_product(kernel)) 1L else seq_along(kernel$children)
  columns <- if (is_restricted(kernel)) length(kernel$dims) else p
  kernel$children[own] <- lapply(kernel$children[own], times_variance, by, columns)
  for (name in setdiff(intersect(kernel_kind(kernel)$scales, names(kernel$values)), kernel$fixed)) {
    now <- kernel$values[[name]]
    kernel$values[[name]] <- signif(by * if (is.null(now)) 1 / p else now, 3)
  }
  kernel
}

# The entries whose functions other likelihoods have: those with Gaussian noise, the best one with
# the inputs that were warped or mixed on a learned scale, if that came first
functions_of <- function(choice) {
  functions <- Filter(has_gaussian_noise, choice$entries)
  first <- choice$entries[[1L]]
  if (has_warp(first)) {
    functions[[1L]]$candidate$kernel <- first$candidate$kernel
    functions[[1L]]$candidate$label <- sub(learned_scale_words, "", first$candidate$label)
  }
  functions
}

# Has an entry the usual likelihood of numbers?
has_gaussian_noise <- function(entry) {
  likelihood <- entry$candidate$likelihood
  is.null(likelihood) || adds_gaussian_noise(likelihood)
}
