# Where a search for hyper-parameters begins, and whether it has found a function at all.
#
# The evidence has several local maxima in a lengthscale. From the usual start, the median distance
# between rows, a search can end where everything is noise: a function that changes over much
# shorter distances looks like noise there. Such an end is recognised by its evidence, which is no
# greater than that of a constant function. The search then begins again elsewhere. Where hardly
# a prior holds the hyper-parameters, several starts are tried in any case.

# Common factors of all lengthscales that are tried.
scanned_factors <- 2^c(0, 1, -1, 2, -2, -3, -4)
# A search begins again where the evidence exceeds that of a constant by less than this for each
# row. In a regression this is what a function gains that explains a tenth of the variance.
small_gain <- 0.05

# The best result of searches from several starts, and a warning where it is no better than a
# constant function. `search_from(theta)` returns the result of a search that begins at theta, with
# its `value`, the evidence plus the prior's log density; `value_of(theta)` is that value without a
# search. There are at most two searches: one from the usual start, and, if that gained little, one
# from the start of greatest value among those whose lengthscales are `scanned_factors` times as
# long. An evidence that is not an estimate of the log probability of the responses is `comparable`
# with that of no constant, and there is one search.
search_from_starts <- function(sample, search, search_from, value_of, comparable = TRUE) {
  if (!comparable) return(search_from(search$origin))
  constant <- evidence_of_constant(sample, search$range)
  best <- best_of_starts(sample, search, search_from, value_of, constant)
  signal_found(best$value, constant, sample)
  best
}

# search_from_starts() without the warning, given the evidence of a constant function
best_of_starts <- function(sample, search, search_from, value_of, constant) {
  best <- search_from(search$origin)
  starts <- other_starts(search)
  if (length(starts) && gains_little(best$value, constant, sample)) {
    values <- vapply(starts, value_of, 0)
    # A value is not a number where the evidence could not be computed.
    if (any(is.finite(values))) {
      again <- search_from(starts[[which.max(values)]])
      if (!isTRUE(best$value >= again$value)) best <- again
    }
  }
  best
}

# The starts that differ from the usual one by a common factor of all lengthscales
other_starts <- function(search) {
  lengths <- search$free & grepl("lengthscale", names(search$origin), fixed = TRUE)
  if (!any(lengths)) return(list())
  lapply(setdiff(scanned_factors, 1), function(factor) search$origin + log(factor) * lengths)
}

# The better of a result and the maximum that a search reaches from the most promising of several
# starts, the one whose value is greatest after a few steps. `steps_from(theta, steps)` returns the
# result of so many steps.
best_of_many_starts <- function(best, starts, steps_from, steps) {
  tried <- lapply(starts, steps_from, min(steps, trial_steps))
  values <- vapply(tried, `[[`, 0, "value")
  if (!any(is.finite(values))) return(best)
  found <- steps_from(tried[[which.max(values)]]$theta, steps)
  if (isTRUE(found$value > best$value)) found else best
}

# So many steps show which start is promising: for ten of 12 computer codes of 50 points the most
# promising of 14 starts ended within a nat of the greatest maximum.
trial_steps <- 40
# At most so many starts are random, and no more than take the time of one with so many rows.
most_random_starts <- 8
rows_of_random_starts <- 400

# The starts that are tried where hardly a prior holds the hyper-parameters: a smoother function
# that varies more, the usual one with noise, and smooth ones with little noise and random
# lengthscales, the more the fewer the rows are.
# The evidence of few rows has many maxima without a prior. Of 50 points of 12 computer codes of 2
# to 20 inputs the usual start and the smoother one together ended within a nat of the greatest
# evidence that 14 starts found for a third of the codes, and 11 nats below it on average.
starts_with_little_prior <- function(search, seed, rows) {
  is <- function(name) search$free & grepl(paste0("(^|[.])", name), names(search$origin))
  lengths <- is("lengthscale")
  noise <- is("likelihood.variance")
  varying <- is("variance") & !noise
  start <- function(length, variance, noise_variance = exp(search$origin[noise])) {
    replace(search$origin + length * lengths + log(variance) * varying, noise, log(noise_variance))
  }
  random <- min(most_random_starts, ceiling(rows_of_random_starts / rows))
  steps <- with_own_seed(seed, stats::rnorm(random * length(lengths)))
  steps <- split(steps, rep(seq_len(random), each = length(lengths)))
  c(
    list(start(log(2), 10), start(0, 1, 0.05)),
    lapply(unname(steps), function(step) start(log(2) + step, 3, 0.01))
  )
}

# Does a value exceed that of a constant by too little for the search to end?
gains_little <- function(value, constant, sample) {
  !is.null(constant) && !isTRUE(value > constant + small_gain * total_size(sample))
}

# How many responses the evidence of a sample counts: rows with their weights, for each machine
total_size <- function(sample) {
  n_latents(sample) * total_weight(sample)
}

# The greatest log likelihood of a latent function that is constant, with the likelihood's free
# hyper-parameters; NULL where the response is constant itself.
# Each machine has a constant of its own.
evidence_of_constant <- function(sample, range) {
  single <- n_latents(sample) == 1L
  first <- if (single) rep(sample$y[1L, ], each = nrow(sample$y)) else sample$y[1L]
  if (all(sample$y == first)) return(NULL)
  if (is_noiseless(sample$likelihood)) return(-Inf) # no constant has both classes
  w <- if (length(sample$cases$weight)) sample$cases$weight else rep(1, nrow(sample$y))
  offset <- if (length(sample$cases$offset)) sample$cases$offset else 0
  theta <- likelihood_theta(sample$likelihood)
  # The noise of classes is kept, because the scale of the latent function takes its place.
  free <- likelihood_free(sample$likelihood) &
    !sample$response$kind %in% c("binary", "multiclass")
  prior_means <- latent_prior_means(sample)
  sum(vapply(seq_len(n_latents(sample)), function(k) {
    y <- responses_of(sample, k)
    log_likelihood <- function(at) {
      likelihood <- likelihood_set_theta(sample$likelihood, replace(theta, free, at[-1L]))
      mean <- rep_len(at[1L] + offset, nrow(sample$y))
      sum(w * log_density(likelihood, y, mean, numeric(nrow(y))))
    }
    if (adds_gaussian_noise(sample$likelihood) && any(free)) {
      mean <- stats::weighted.mean(y[, 1L], w)
      return(log_likelihood(c(mean, log(stats::weighted.mean((y[, 1L] - mean)^2, w)))))
    }
    start <- c(prior_means[k], theta[free])
    reach <- c(Inf, rep(range, sum(free)))
    -stats::nlminb(start, function(at) -log_likelihood(at), lower = start - reach,
      upper = start + reach)$objective
  }, 0))
}

# A log evidence must exceed that of a constant by so much for the function to be more than chance:
# an odds ratio of e.
clear_gain <- 1

# Does the value that learning reached exceed that of a constant by more than `clear`? Warns if it
# does not.
signal_found <- function(value, constant, sample, measure = "log evidence", clear = clear_gain) {
  if (is.null(constant) || isTRUE(value > constant + clear)) return(TRUE)
  copies <- copies_of_rows(sample)
  n <- if (is.null(copies)) nrow(sample$y) else sum(copies)
  warn_gpsieve(
    c("Learning found no function of the inputs that is clearly better than a constant.",
      x = "The {measure} of {n} row{?s} is {sprintf('%.2f', value)}, that of a constant
           {sprintf('%.2f', constant)}."),
    "The predictions may be no better than a constant. If the response does depend on the inputs,
     more rows or another kernel may show it.",
    class = "no_signal"
  )
  FALSE
}
