# The width and the capacity of the relevance vector machine that predict held-out rows best. With a
# precision for every candidate the evidence rewards lengthscales that are too short for new rows,
# and weights of classes that are too large.

# Steps of the common factor of all lengthscales about the best of the scanned ones.
finer_steps <- 2^c(-0.5, 0.5)
# The rows are left out in as many parts.
held_out_parts <- c(classes = 5L, numbers = 3L)
# A trial is given up after a part where it is behind the best one by so many standard errors of the
# difference.
errors_behind <- 2
# A larger capacity of more rows than `rows_of_a_lead` is taken where it leads by more than so many
# standard errors of the difference: a sweep of all rows with little noise visits the candidates
# with many more functions in the model, and may take a hundred times as long as one with the
# learned noise.
errors_ahead <- c(classes = 0, numbers = 1)
rows_of_a_lead <- 1000
# Smallest precisions of the weights of classes that are tried.
smallest_precisions <- c(0.03, 0.01, 0.003, 0.001)
# Noise variances that the sweep of a regression holds, as shares of a learned one.
held_noise_shares <- c(1, 1 / 4, 1 / 16)
# With more rows than this, sweeps hold the learned one: with less noise far more functions enter.
most_rows_of_less_noise <- 4000
# The learned one is that of a machine whose sweep holds this share of the starting value.
small_start <- 1 / 10
# A machine of all rows that finds nothing, although the search found much, is trained again with
# this share of the noise variance that its sweep held, and so many times in all at most.
less_noise <- 1 / 4
most_trainings <- 5
# A second search takes so many rows: functions of short lengthscales and little noise are many.
rows_of_second_search <- 300

# The problem with the common factor of all lengthscales, and the options with the capacity, that
# have the greatest sum of held-out log densities and the prior's log density; `signal` says whether
# that sum exceeds the log likelihood of a constant, and `found_much` whether by more than a little
# for each row. Where it hardly does, the capacities may be wrong, because they are those of a
# machine with the lengthscales that the search began with, which may have found nothing. The search
# is then made again on few rows, with capacities that suit each factor.
learn_rvm_held_out <- function(problem, lengthscales, options, control) {
  learned <- nothing_learned(problem, options)
  sample <- rvm_learning_subset(problem)
  rows <- nrow(problem$x)
  capacities <- rvm_capacities(sample, rows, options, control)
  # One row leaves none to learn from.
  if (nrow(sample$x) < 2L || !any(lengthscales) && length(capacities) == 1L) return(learned)
  origin <- kernel_theta(problem$kernel)
  kernel_at <- function(factor) {
    kernel_set_theta(problem$kernel, origin + log(factor) * lengthscales)
  }
  factors <- if (any(lengthscales)) list(coarse = scanned_factors, finer = finer_steps)
  ahead <- if (rows > rows_of_a_lead) of_response(errors_ahead, sample) else 0
  search <- function(sample, capacities_at) {
    found <- search_held_out(held_out_trial(sample, kernel_at, options, control), factors,
      capacities_at, ahead, progress_bar(problem$verbose, "Learning the kernel"))
    constant <- evidence_of_constant(sample, search_range)
    gain <- if (!is.null(constant)) (found$score - constant) / total_size(sample)
    c(found, list(constant = constant, gain = gain, sample = sample))
  }
  best <- search(sample, function(factor) capacities)
  if (any(lengthscales)) {
    if (gains_little(best$score, best$constant, sample) && holds_learned_noise(options, control)) {
      n <- nrow(sample$x)
      few <- some_rows(sample, draw(n, min(n, rows_of_second_search), sample$seed))
      again <- search(few, function(factor) {
        few$kernel <- kernel_at(factor)
        rvm_capacities(few, rows, options, control)
      })
      if (isTRUE(again$gain > best$gain)) best <- again
    }
    learned$signal <- signal_found(best$score, best$constant, best$sample, "held-out log density")
  }
  learned$found_much <- !gains_little(best$score, best$constant, best$sample)
  learned$problem$kernel <- kernel_at(best$factor)
  learned$options[names(best$capacity)] <- best$capacity
  learned
}

# What learn_rvm_held_out() returns, before anything is learned
nothing_learned <- function(problem, options) {
  list(problem = problem, options = options, signal = TRUE, found_much = FALSE)
}

# The machine of all rows, list(result, options), with the problem and options that were learned.
# `train` is a function of the options. A sweep of all rows may find nothing with the noise
# variance that served the rows of the search, because functions that raise the evidence only
# together with others are rejected. Where the search found much, the sweep is then repeated with
# less noise, and the machine of greatest evidence is kept. Where it found little, little is to be
# expected of all rows, and sweeps with less noise would take long for nothing.
train_rvm <- function(learned, control, train) {
  options <- learned$options
  best <- list(result = train(options), options = options)
  if (!learned$found_much || !holds_learned_noise(options, control)) return(best)
  constant <- evidence_of_constant(learned$problem, search_range)
  evidence <- function(trained) {
    sum(vapply(trained$result$latents, function(l) l$log_evidence, 0))
  }
  for (training in seq_len(most_trainings - 1)) {
    if (!gains_little(evidence(best), constant, learned$problem)) return(best)
    options$noise_start <- less_noise * options$noise_start
    again <- tryCatch(list(result = train(options), options = options),
      gpsieve_error_numerical = function(e) NULL)
    if (!is.null(again) && isTRUE(evidence(again) > evidence(best))) best <- again
  }
  best
}

# list(factor, capacity, score) of greatest score; the factor is 1 where `factors` is NULL.
# One is varied while the other is held: factors that are powers of two at the least of the
# capacities that belong to them, then capacities, which have to lead by `ahead` standard errors,
# then the factors in between. Each begins with the best trial so far, which is not made again.
search_held_out <- function(trial_of, factors, capacities_at, ahead, bar) {
  if (is.null(factors)) factors <- list(coarse = 1, finer = numeric(0))
  trials <- sum(lengths(factors)) + length(capacities_at(1)) - 1
  trial <- counted_trials(trial_of, trials, bar)
  best <- best_of(factors$coarse, list(value = 1, score = -Inf), function(factor, best) {
    trial(factor, capacities_at(factor)[[1L]], best)
  })
  factor <- best$value
  capacities <- capacities_at(factor)
  best$value <- capacities[[1L]]
  best <- best_of(capacities[-1L], best, function(capacity, best) trial(factor, capacity, best),
    ahead)
  capacity <- best$value
  best$value <- factor
  best <- best_of(factor * factors$finer, best, function(factor, best) {
    trial(factor, capacity, best)
  })
  list(factor = best$value, capacity = capacity, score = best$score)
}

# Options of training that decide how closely a machine of so many `rows` can follow them, from the
# least to the most; one without options where none is left open.
# Classes: the smallest precision of a weight. The precisions of greatest evidence make the machine
# too sure of its classes where rows are few or columns many. Numbers: the noise variance that
# the sweep of subspace EM holds. A sweep that learns it begins with that of a model without
# functions, and rejects functions that raise the evidence only together with others.
rvm_capacities <- function(sample, rows, options, control) {
  open <- list()
  if (is_classification(sample$response)) {
    if (is.null(control$alpha_min)) {
      open <- lapply(smallest_precisions[smallest_precisions < options$prune],
        function(alpha_min) list(alpha_min = alpha_min))
    }
  } else if (holds_learned_noise(options, control)) {
    shares <- if (rows <= most_rows_of_less_noise) held_noise_shares else 1
    open <- lapply(shares * learned_noise(sample, options),
      function(noise_start) list(noise_start = noise_start, noise_grow = FALSE))
  }
  if (length(open)) open else list(list())
}

# Is it learned which noise variance the sweep holds?
holds_learned_noise <- function(options, control) {
  options$learn_noise && options$algorithm == "ssem" && is.null(control$noise_grow) &&
    is.null(control$noise_start)
}

# The noise variance that a machine learns whose sweep held a small one
learned_noise <- function(sample, options) {
  options <- rvm_trial_options(options)
  options[c("noise_start", "noise_grow")] <- list(small_start * options$noise_start, FALSE)
  exp(run_rvm(sample, options)$likelihood_params)
}

# A function of a factor, a capacity and the best trial so far, which returns a trial:
# list(score, densities).
# `densities` are the log densities of the held-out rows, among which the prior's is divided
# equally, and `score` is their sum; -Inf where the trial was given up or failed.
#
# Classes are predicted by Laplace's method, which costs far less than the others; its best factors
# and capacities suit them as well.
held_out_trial <- function(sample, kernel_at, options, control) {
  settings <- rvm_trial_options(options)
  classes <- is_classification(sample$response)
  if (classes) settings$inference <- "laplace"
  held_out <- held_out_weights(sample, of_response(held_out_parts, sample))
  prior <- first_of_prior(hyper_prior(sample, control$prior, variance = FALSE),
    length(kernel_theta(sample$kernel)))
  log_prior <- with_prior(function(theta) list(value = 0), prior)
  function(factor, capacity, best) {
    sample$kernel <- kernel_at(factor)
    settings[names(capacity)] <- capacity
    share <- log_prior(kernel_theta(sample$kernel))$value / sum(held_out > 0)
    densities <- tryCatch(raced_log_densities(sample, held_out, settings, share, best$densities),
      gpsieve_error_numerical = function(e) -Inf)
    list(score = sum(densities), densities = densities)
  }
}

counted_trials <- function(trial, total, bar) {
  done <- 0
  function(...) {
    done <<- done + 1
    if (!is.null(bar)) bar(done / total, done)
    trial(...)
  }
}

# The trial of greatest score among the `best` one so far and those of the values, with its value;
# a trial replaces another if it leads by more than `ahead` standard errors of the difference
best_of <- function(values, best, trial, ahead = 0) {
  for (value in values) {
    found <- trial(value, best)
    lead <- found$score - best$score
    if (ahead > 0 && best$score > -Inf) {
      difference <- found$densities - best$densities
      lead <- lead - ahead * stats::sd(difference) * sqrt(length(difference)) # of the sum
    }
    if (isTRUE(lead > 0)) best <- c(list(value = value), found)
  }
  best
}

# The element of a setting that has one for classes and one for numbers
of_response <- function(setting, sample) {
  setting[[if (is_classification(sample$response)) "classes" else "numbers"]]
}

# `share` plus the log predictive density of each row by machines trained on the other parts, for
# each part in which some of it is held out; -Inf where the rows of the first parts say that the
# best trial is not reached
raced_log_densities <- function(sample, held_out, options, share, best) {
  densities <- matrix(NA_real_, nrow(held_out), ncol(held_out))
  judged <- which(t(held_out) > 0) # row by row
  for (part in unique((judged - 1L) %% ncol(held_out) + 1L)) {
    if (!is.null(best) && falls_behind(t(densities)[judged] - best)) return(-Inf)
    rows <- held_out[, part] > 0
    densities[rows, part] <- share + part_log_densities(sample, held_out[, part],
      function(train) run_rvm(train, options))
  }
  t(densities)[judged]
}

# Is the mean of these differences, some of them unknown, below 0 by more than chance?
falls_behind <- function(lead) {
  lead <- lead[!is.na(lead)]
  isTRUE(mean(lead) < -errors_behind * stats::sd(lead) / sqrt(length(lead)))
}
