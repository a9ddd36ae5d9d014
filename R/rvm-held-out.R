# The width and the capacity of the relevance vector machine that predict held-out rows best. With a
# precision for every candidate the evidence rewards lengthscales that are too short for new rows,
# and weights of classes that are too large.

# Steps of the common factor of all lengthscales about the best of the scanned ones.
finer_steps <- 2^c(-0.5, 0, 0.5)
# The rows are left out in as many parts.
held_out_parts <- c(classes = 5L, numbers = 3L)
# Smallest precisions of the weights of classes that are tried.
smallest_precisions <- c(0.03, 0.01, 0.003, 0.001)
# Noise variances that the sweep of a regression holds, as shares of a learned one.
held_noise_shares <- c(1, 1 / 4, 1 / 16)
# The learned one is that of a machine whose sweep holds this share of the starting value.
small_start <- 1 / 10

#' The problem with the common factor of all lengthscales, and the options with the capacity, that
#' have the greatest sum of held-out log densities and the prior's log density
#'
#' One is varied while the other is held: factors that are powers of two at the least capacity, then
#' capacities, then the factors in between.
#' @noRd
learn_rvm_held_out <- function(problem, lengthscales, options, control) {
  learned <- list(problem = problem, options = options)
  sample <- rvm_learning_subset(problem, control)
  capacities <- rvm_capacities(sample, options, control)
  # One row leaves none to learn from.
  if (nrow(sample$x) < 2L || !any(lengthscales) && length(capacities) == 1L) return(learned)
  factors <- if (any(lengthscales)) scanned_factors else 1
  finer <- if (any(lengthscales)) finer_steps else 1
  capacity <- capacities[[1L]]
  origin <- kernel_theta(problem$kernel)
  kernel_at <- function(factor) {
    kernel_set_theta(problem$kernel, origin + log(factor) * lengthscales)
  }
  total <- length(factors) + length(capacities) + length(finer)
  score <- counted_trials(
    held_out_score(sample, kernel_at, options, control), total,
    progress_bar(problem$verbose, "Learning the kernel")
  )
  factor <- best_of(factors, 1, function(factor, floor) score(factor, capacity, floor))
  capacity <- best_of(capacities, capacity, function(capacity, floor) {
    score(factor, capacity, floor)
  })
  factor <- best_of(factor * finer, factor, function(factor, floor) score(factor, capacity, floor))
  learned$problem$kernel <- kernel_at(factor)
  learned$options[names(capacity)] <- capacity
  learned
}

#' Options of training that decide how closely the machine can follow its training rows, from the
#' least to the most; one without options where none is left open
#'
#' Classes: the smallest precision of a weight. The precisions of greatest evidence make the machine
#' too sure of its classes where rows are few or columns many. Numbers: the noise variance that
#' the sweep of subspace EM holds. A sweep that learns it begins with that of a model without
#' functions, and rejects functions that raise the evidence only together with others.
#' @noRd
rvm_capacities <- function(sample, options, control) {
  open <- list()
  if (is_classification(sample$response)) {
    if (is.null(control$alpha_min)) {
      open <- lapply(smallest_precisions[smallest_precisions < options$prune],
        function(alpha_min) list(alpha_min = alpha_min)
      )
    }
  } else if (holds_learned_noise(options, control)) {
    noise <- learned_noise(sample, options)
    open <- lapply(held_noise_shares * noise,
      function(noise_start) list(noise_start = noise_start, noise_grow = FALSE)
    )
  }
  if (length(open)) open else list(list())
}

#' Is it learned which noise variance the sweep holds?
#' @noRd
holds_learned_noise <- function(options, control) {
  options$learn_noise && options$algorithm == "ssem" && is.null(control$noise_grow) &&
    is.null(control$noise_start)
}

#' The noise variance that a machine learns whose sweep held a small one
#' @noRd
learned_noise <- function(sample, options) {
  options <- rvm_trial_options(options)
  options[c("noise_start", "noise_grow")] <- list(small_start * options$noise_start, FALSE)
  exp(run_rvm(sample, options)$likelihood_params)
}

#' A function of a factor and a capacity: the sum of the held-out log densities and the prior's,
#' -Inf where it is below `floor`
#'
#' Classes are predicted by Laplace's method, which costs far less than the others; its best factors
#' and capacities suit them as well.
#' @noRd
held_out_score <- function(sample, kernel_at, options, control) {
  trial <- rvm_trial_options(options)
  classes <- is_classification(sample$response)
  if (classes) trial$inference <- "laplace"
  parts <- held_out_parts[[if (classes) "classes" else "numbers"]]
  fold <- rep_len(seq_len(min(parts, nrow(sample$x))), nrow(sample$x))
  prior <- first_of_prior(
    hyper_prior(sample, control$prior, variance = FALSE), length(kernel_theta(sample$kernel))
  )
  log_prior <- with_prior(function(theta) list(value = 0), prior)
  function(factor, capacity, floor) {
    sample$kernel <- kernel_at(factor)
    trial[names(capacity)] <- capacity
    offset <- log_prior(kernel_theta(sample$kernel))$value
    tryCatch(offset + parts_log_density(sample, fold, trial, floor - offset),
      gpsieve_error_numerical = function(e) -Inf
    )
  }
}

counted_trials <- function(score, total, bar) {
  done <- 0
  function(...) {
    done <<- done + 1
    if (!is.null(bar)) bar(done / total, done)
    score(...)
  }
}

#' The value of greatest score, or `otherwise` where no score is finite
#'
#' `score(value, floor)` need not be computed to its end where it is below `floor`.
#' @noRd
best_of <- function(values, otherwise, score) {
  if (length(values) == 1L) return(values[[1L]])
  best <- -Inf
  for (value in values) {
    reached <- score(value, best)
    if (isTRUE(reached > best)) {
      best <- reached
      otherwise <- value
    }
  }
  otherwise
}

#' Log predictive density of all parts of the rows, each by machines trained on the others
#'
#' Log probabilities of classes are never positive: their sum ends where it is below `floor`.
#' @noRd
parts_log_density <- function(sample, fold, options, floor) {
  classes <- is_classification(sample$response)
  total <- 0
  for (part in unique(fold)) {
    if (classes && total < floor) return(-Inf)
    total <- total + part_log_density(sample, fold == part, options)
  }
  total
}

#' Log predictive density of the held-out rows by machines trained on the others
#' @noRd
part_log_density <- function(sample, held_out, options) {
  train <- some_rows(sample, which(!held_out))
  found <- run_rvm(train, options)
  if (length(found$likelihood_params)) {
    train$likelihood <- likelihood_set_theta(train$likelihood, found$likelihood_params)
  }
  held_out_log_likelihood(train, found$latents, sample$x[held_out, , drop = FALSE],
    sample$y[held_out, , drop = FALSE], part_of_cases(sample$cases, held_out)
  )
}

held_out_log_likelihood <- function(problem, latents, x, y, cases) {
  points <- if (nrow(problem$centres)) problem$centres else problem$x
  marginals <- call_core(core_predict, kernel_spec(problem$kernel), without_names(points),
    lapply(latents, `[[`, "posterior"), x, TRUE, core_settings(problem$threads),
    call = problem$call
  )
  w <- if (length(cases$weight)) cases$weight else 1
  offset <- if (length(cases$offset)) cases$offset else 0
  sum(vapply(seq_len(ncol(y)), function(k) {
    sum(w * call_core(core_log_density, likelihood_spec(problem$likelihood), y[, k],
      marginals$mean[, k] + offset, marginals$variance[, k]
    ))
  }, 0))
}
