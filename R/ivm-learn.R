# Learning the hyper-parameters of the informative vector machine. A machine that passes of EP
# refine learns from the dense model's evidence on a random subset of the rows (R/fit-learn.R). The
# machine of the paper has sites for its active points only: there selection alternates with a few
# quasi-Newton steps on the evidence of the active set with its sites held fixed. The evidences of
# two active sets are not comparable, since they are densities of different rows and sites; rows
# that are held out of the selection say which hyper-parameters are better.

# The problem with learned hyper-parameters
learn_ivm <- function(problem, criterion, refine, control) {
  if (!any(theta_free(problem$kernel, problem$likelihood))) return(problem)
  if (!is.null(control$blocks)) {
    return(learn_blocks(problem, ivm_prior_means(problem), control$blocks))
  }
  control <- ivm_learning(problem, refine, control)
  if (refine > 0) {
    check_ivm_learning_memory(problem, control$learn_rows)
    return(learn_on_subset(problem, control, ivm_prior_means))
  }
  learn_by_selections(problem, criterion, control)
}

# Quasi-Newton steps within a round. With `refine = 0` each round selects an active set of its own,
# which has so many points whatever `n_active` is.
ivm_learning_steps <- 10
active_in_learning <- 300
# Rounds of learning, and those of the machine of the paper, whose sites keep to the present
# hyper-parameters, so that a round moves only a part of the way.
ivm_rounds <- 3
selection_rounds <- 20
# Rows are held out in five parts, of which as many are judged as have so many rows.
selection_parts <- 5L
judged_in_selection <- 500
# A round goes as far as the maximiser of its evidence, or the last round's multiple of this way if
# rows that are held out gain more there, or a share of it if they gain nothing at the maximiser.
longest_reach <- 8
shorter_reaches <- c(1, 1 / 2, 1 / 4)
# A round that gains less than so much log density of a row is the last one.
least_round_gain <- 1e-4

# The problem with the hyper-parameters under which an active set of some of the rows predicts the
# others best, along the way that the evidences of active sets point
# (src/core/models/ivm/theory.md#learning-hyper-parameters)
learn_by_selections <- function(problem, criterion, control) {
  sample <- learning_subset(problem, control$learn_rows)
  search <- new_search(sample, control)
  at <- function(theta) {
    sample[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, theta)
    sample
  }
  select <- function(sample) {
    run_ivm(sample, ivm_options(sample, active_in_learning, criterion, 0L, control))
  }
  value_of <- held_out_value(sample, select, at, search$prior)
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  maximiser_of <- function(theta, round) {
    evidence <- with_prior(active_objective(at(theta), select(at(theta))$latents), search$prior)
    maximise_in_stages(counted(evidence, bar, control, round), theta, search)
  }
  search_from <- function(theta) {
    ascend_by_rounds(theta, value_of, maximiser_of, search, control$rounds,
      least_round_gain * total_size(sample))
  }
  constant <- evidence_of_constant(sample, search$range)
  best <- best_of_starts(sample, search, search_from, value_of, constant)
  signal_found(best$value, constant, sample, "held-out log density")
  if (!is.finite(best$value)) return(problem)
  warn_if_at_start(best$theta, search)
  with_learned(problem, set_theta(problem$kernel, problem$likelihood, best$theta))
}

# The summed log density of the rows that are held out, as of all rows, plus the log density of the
# prior, as a function of the log hyper-parameters; -Inf where a selection fails
held_out_value <- function(sample, select, at, prior) {
  held_out <- held_out_weights(sample, selection_parts)
  judged <- pmin(ceiling(judged_in_selection / (nrow(sample$x) / ncol(held_out))), ncol(held_out))
  share <- sum(held_out[, seq_len(judged)]) / sum(held_out)
  density <- function(theta) {
    now <- at(theta)
    sum(vapply(seq_len(judged), function(part) {
      sum(part_log_densities(now, held_out[, part], select))
    }, 0)) / share
  }
  penalised <- with_prior(function(theta) list(value = density(theta)), prior)
  function(theta) value_at(penalised, theta)
}

# The best of the values that rounds reach: list(theta, value). `maximiser_of(theta, round)` is
# where the evidence of the active set of theta is greatest, and the round goes the multiple of the
# way to there that raises `value_of` first.
ascend_by_rounds <- function(theta, value_of, maximiser_of, search, rounds, least_gain) {
  best <- list(theta = theta, value = value_of(theta))
  reach <- 1
  for (round in seq_len(rounds)) {
    way <- maximiser_of(best$theta, round) - best$theta
    if (max(abs(way)) < negligible_step) break
    before <- best$value
    for (share in unique(c(reach, shorter_reaches))) {
      to <- pmin(pmax(best$theta + share * way, search$origin - search$range),
        search$origin + search$range)
      value <- value_of(to)
      if (isTRUE(value > before)) {
        best <- list(theta = to, value = value)
        break
      }
    }
    if (!isTRUE(best$value > before + least_gain)) break
    reach <- if (share == reach) min(2 * share, longest_reach) else max(share, 1)
  }
  best
}

# Learning that ends where it began has found no better hyper-parameters, which is said
warn_if_at_start <- function(theta, search) {
  if (!identical(theta, search$origin)) return(invisible())
  warn_gpsieve("Learning found no hyper-parameters that predict held-out rows better than those
    with which it began.",
    "{.code refine = 3}, the default, learns from the evidence of the dense model.",
    class = "not_learned")
}

# The settings of learning, with those that the call leaves open.
# An evaluation of the dense evidence takes the cube of the number of rows, and several times as
# long where each row keeps an EP site of its own.
ivm_learning <- function(problem, refine, control) {
  control$steps <- ivm_learning_steps
  if (is.null(control$rounds)) control$rounds <- if (refine == 0) selection_rounds else ivm_rounds
  if (is.null(control$learn_rows)) {
    control$learn_rows <-
      if (refine == 0) 5000 else if (takes_mean_field(problem$likelihood)) 1000 else 500
  }
  control
}

# Evidence of the active sets as a function of the full vector of log hyper-parameters
active_objective <- function(problem, latents) {
  sets <- lapply(latents, function(l) {
    list(
      x = problem$x[l$posterior$basis, , drop = FALSE], precision = l$site_precision,
      mean = l$site_mean,
      weight = if (length(problem$cases$weight)) problem$cases$weight[l$posterior$basis]
    )
  })
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    active_evidence(at$kernel, at$likelihood, sets)
  }
}

# Summed evidence of active sets and its gradient, kernel first. With Gaussian noise the sites are
# the observations, and the noise variance is learned as the inverse of all site precisions. The
# other parameters of likelihoods have no gradient here, because the sites are held fixed.
active_evidence <- function(kernel, likelihood, sets) {
  gaussian <- has_gaussian_sites(likelihood)
  n_own <- length(likelihood_theta(likelihood))
  add_evidence(lapply(sets, function(set) {
    w <- if (is.null(set$weight)) rep(1, length(set$mean)) else set$weight
    precision <- if (gaussian) w / likelihood$values$variance else set$precision
    part <- call_core(core_active_evidence, kernel_spec(kernel), set$x, precision, set$mean, TRUE)
    part$value <- part$value + sum(density_of_copies(precision, w))
    part$likelihood <- numeric(n_own)
    if (gaussian) part$likelihood[1L] <- -sum(part$log_precision + (w - 1) / 2)
    part
  }))
}

# What the log density of the w copies of a row exceeds that of one row by whose site has their
# precision together: src/core/models/ivm/theory.md (18)
density_of_copies <- function(precision, w) {
  ((w - 1) * (log(precision) - log(2 * pi)) - w * log(w)) / 2
}

#' @export
evidence_gradient.gpsieve_fit <- function(fit) {
  if (!is.null(fit$evidence$gradient)) return(fit$evidence$gradient)
  if (has_exact_evidence(fit)) return(exact_gradient(fit))
  abort_gpsieve("This fit has no gradient of its evidence.", class = "unsupported")
}

#' @export
evidence_gradient.gpsieve_ivm <- function(fit) {
  if (is_of_terms(fit)) return(evidence_gradient.gpsieve_fit(fit))
  sets <- lapply(fit$sites, function(site) {
    list(
      x = fit$basis[match(site$row, fit$rows), , drop = FALSE], precision = site$precision,
      mean = site$mean, weight = site$weight
    )
  })
  theta <- theta_of(fit$kernel, fit$likelihood, names(fit$inputs$center))
  counts <- fit$evidence$counts
  gradient <-
    if (is.null(counts)) {
      active_evidence(fit$kernel, fit$likelihood, sets)$gradient / counted_trees(fit$partition)
    } else {
      counts <- rep(counts, each = length(sets) / length(counts))
      Reduce(`+`, Map(function(set, count) {
        count * active_evidence(fit$kernel, fit$likelihood, list(set))$gradient
      }, sets, counts))
    }
  stats::setNames(gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}
