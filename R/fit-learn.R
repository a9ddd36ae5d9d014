# What the learning of hyper-parameters shares between models: random subsets of the data, and EP's
# evidence as an objective function.

# The problem with the hyper-parameters of the greatest EP evidence of the dense model (TAP) on a
# random subset of rows, or with those that all rows have learned before.
# `prior_means_of` gives the prior means of the latent functions of the rows of a problem.
learn_on_subset <- function(problem, control, prior_means_of = latent_prior_means) {
  if (!any(theta_free(problem$kernel, problem$likelihood))) return(problem)
  learned <- problem$learned
  if (!is.null(learned) && !isTRUE(learned$again)) {
    return(with_learned(problem, problem_as_learned(problem)))
  }
  best <- maximum_on_subset(problem, control, prior_means_of)
  with_learned(problem, set_theta(problem$kernel, problem$likelihood, best$theta))
}

# That greatest evidence, plus the prior's log density, and its log hyper-parameters: list(theta,
# value). Where `problem$learned` says so, the search begins with what all rows have learned.
maximum_on_subset <- function(problem, control, prior_means_of) {
  sample <- learning_subset(problem, control$learn_rows)
  search <- new_search(sample, control)
  objective_of <- function() {
    with_prior(dense_objective(sample, prior_means_of(sample)), search$prior)
  }
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  search_from <- function(theta) {
    objective <- objective_of()
    for (round in seq_len(control$rounds)) {
      maximiser <- maximise_in_stages(counted(objective, bar, control, round), theta, search)
      moved <- max(abs(maximiser - theta))
      theta <- maximiser
      # Another round is useful only where the bounds of a step stopped this one.
      if (moved < log_step_limit) break
    }
    list(theta = theta, value = value_at(objective, theta))
  }
  if (!is.null(problem$learned)) {
    begun <- problem_as_learned(problem)
    return(search_from(theta_of(begun$kernel, begun$likelihood)))
  }
  search_from_starts(sample, search, search_from, function(theta) {
    value_at(objective_of(), theta)
  })
}

# The problem with the best hyper-parameters of a few rounds of selection and learning.
# `evidence_of(sample)` selects a basis with the sample's present hyper-parameters and returns the
# evidence of the model on it, as maximise_theta() takes it.
learn_in_rounds <- function(problem, sample, evidence_of, control) {
  search <- new_search(sample, control)
  objective_of <- function(sample) with_prior(evidence_of(sample), search$prior)
  at <- function(theta) {
    sample[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, theta)
    sample
  }
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  best <- search_from_starts(sample, search,
    function(theta) rounds_from(at(theta), objective_of, search, control, bar),
    function(theta) value_at(objective_of(at(theta)), theta))
  if (is.finite(best$value)) with_learned(problem, best) else problem
}

# The best of the values that rounds of selection and learning reach: list(value, kernel,
# likelihood)
rounds_from <- function(sample, objective_of, search, control, bar) {
  start <- theta_of(sample$kernel, sample$likelihood)
  if (control$rounds > 1) sample <- coarse_start(sample, objective_of, search)
  # Learning on a part of the rows was one of the rounds.
  coarse <- !identical(theta_of(sample$kernel, sample$likelihood), start)
  rounds <- control$rounds - coarse
  best <- list(value = -Inf)
  # The last turn of the loop only evaluates the result of the last step, on a basis of its own.
  for (round in seq_len(rounds + 1L)) {
    objective <- counted(objective_of(sample), bar, control, round)
    theta <- theta_of(sample$kernel, sample$likelihood)
    value <- value_at(objective, theta)
    # An evidence that is NaN, as with a prior mean of 1e300, is never the best.
    if (isTRUE(value > best$value)) {
      best <- c(list(value = value), sample[c("kernel", "likelihood")])
    }
    if (round > rounds) break
    maximiser <- maximise_in_stages(objective, theta, search)
    sample[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, maximiser)
    if (max(abs(maximiser - theta)) < negligible_step) break
  }
  best
}

# A search begins on a part of the learning subset with this share of its rows, where an evaluation
# of the evidence costs a fraction, if the part has enough of them.
coarse_share <- 1 / 4
fewest_coarse_rows <- 500

# The sample with the hyper-parameters of the greatest evidence of a random part of its rows.
# The lengthscales of one kernel keep one common value: a part says too little about their
# differences. The sample stays as it is where the part would be too small, and where the evidence
# of all rows is not greater at the new hyper-parameters.
coarse_start <- function(sample, objective_of, search) {
  n <- nrow(sample$y)
  few <- floor(coarse_share * n)
  theta <- theta_of(sample$kernel, sample$likelihood)
  isotropic <- all(theta == theta[match(search$groups, search$groups)])
  if (few < fewest_coarse_rows || !isotropic) return(sample)
  part <- objective_of(some_rows(sample, draw(n, few, sample$seed)))
  found <- maximise_common(part, theta, search, log_step_limit)
  moved <- sample
  moved[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, found)
  value_of <- function(sample, theta) value_at(objective_of(sample), theta)
  if (isTRUE(value_of(moved, found) > value_of(sample, theta))) moved else sample
}

# The objective's value, -Inf where it cannot be computed
value_at <- function(objective, theta) {
  tryCatch(objective(theta)$value, gpsieve_error_numerical = function(e) -Inf)
}

# The problem with the kernel and likelihood of `learned`, and a warning of every hyper-parameter
# that ended at a bound of learning.
# `problem` must still hold the values that learning started from: the bounds are `search_range`
# away from their logarithms. A value at a bound is not a maximum of the evidence.
with_learned <- function(problem, learned) {
  start <- theta_of(problem$kernel, problem$likelihood)
  moved <- theta_of(learned$kernel, learned$likelihood) - start
  bounded <- which(abs(abs(moved) - search_range) < bound_rounding)
  # Rows with gaps may need no noise of their own, which nobody asked for.
  none <- grepl("gap_noise[.]variance$", names(moved)) & moved < 0
  bounded <- bounded[!none[bounded]]
  problem[c("kernel", "likelihood")] <- learned[c("kernel", "likelihood")]
  problem$at_bound <- unname(bounded)
  if (length(bounded)) {
    # Said in the units that the fit reports.
    reported <- natural_values(kernel_in_units(problem), problem$likelihood)
    ends <- vapply(reported[bounded], format_numbers, "", digits = 3)
    sides <- ifelse(moved[bounded] > 0, "upper", "lower")
    where <- sprintf("the %s bound %s of %s", sides, ends, names(moved)[bounded])
    warn_gpsieve(
      c("Learning stopped at a bound of {length(bounded)} hyper-parameter{?s}.",
        x = "Reached: {where}."),
      "The data do not determine {cli::qty(length(bounded))}{?this value/these values}: give
       {?a value/values} in {.fn fixed}, or start learning from {?another/others}.",
      class = "bound"
    )
  }
  problem
}

# Bounds are reached exactly, but for the exponential and logarithm between two scales.
bound_rounding <- 1e-8

# The objective with a progress bar; nobody knows how many evaluations a round will take, so the
# bar nears the round's end ever more slowly
counted <- function(objective, bar, control, round = 1L) {
  if (is.null(bar)) return(objective)
  rounds <- if (is.null(control$rounds)) 1 else control$rounds
  calls <- 0
  function(theta) {
    calls <<- calls + 1
    bar((round - exp(-calls / control$steps)) / rounds, calls)
    objective(theta)
  }
}

# Log hyper-parameters that moved less than this in a round will not change the next selection much.
negligible_step <- 0.02

# Hyper-parameters are learned from the one-vs-rest machines of so many classes: an evaluation of
# the evidence takes time in proportion to their number, and all machines share the
# hyper-parameters.
learned_classes <- 2

# At most `rows` rows, drawn at random, and the one-vs-rest machines of the `classes` classes with
# most rows
learning_subset <- function(problem, rows, classes = learned_classes) {
  n <- nrow(problem$y)
  problem$y <- responses_of(problem, utils::head(machine_order(problem), classes))
  some_rows(problem, draw(n, min(n, rows), problem$seed))
}

# EP's evidence of the dense model as a function of the full vector of log hyper-parameters
dense_objective <- function(problem, prior_means = latent_prior_means(problem)) {
  if (!takes_mean_field(problem$likelihood)) {
    k <- n_latents(problem)
    return(ep_objective(problem, rep(list(problem$x), k), rep_len(prior_means, k)))
  }
  options <- meanfield_learning(meanfield_options("tap", "response", 100, 0))
  meanfield_objective(problem, options, prior_means)
}

some_rows <- function(problem, rows) {
  problem[c("x", "raw")] <- list(scaled_rows(problem, rows), NULL)
  problem$y <- problem$y[rows, , drop = FALSE]
  problem$cases <- part_of_cases(problem$cases, rows)
  problem$is_judged <- problem$is_judged[rows]
  problem
}

# EP's evidence of all rows as a function of the full vector of log hyper-parameters.
# `inducing` holds the inducing inputs of each latent function, one matrix for each.
# EP starts from the sites of the previous call, so that nearby evaluations cost a few passes each.
# Where these have no posterior with the present kernel, as some of negative precision may have
# none, EP starts without sites.
ep_objective <- function(problem, inducing, prior_means) {
  none <- list(precision = matrix(0, 0L, 0L), shift = matrix(0, 0L, 0L))
  sites <- list()
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    kernel <- kernel_spec(at$kernel)
    likelihood <- likelihood_spec(at$likelihood)
    parts_from <- function(sites) {
      lapply(seq_along(inducing), function(k) {
        data <- core_rows(problem, prior_means[k], y = responses_of(problem, k))
        call_core(core_ep_evidence, kernel, likelihood, inducing[[k]], data,
          if (length(sites)) sites[[k]] else none, ep_learning_options, settings)
      })
    }
    parts <- tryCatch(parts_from(sites), gpsieve_error_numerical = function(e) {
      if (length(sites)) parts_from(list()) else rlang::cnd_signal(e)
    })
    if (all(vapply(parts, function(part) is.finite(part$value), NA))) sites <<- parts
    add_evidence(parts)
  }
}

# Passes end when they change log Z by less than 0.05: log Z is stationary in the sites, so that a
# few of them may still change.
ep_learning_options <- list(
  jitter = 1e-6, max_passes = 10L, tolerance = 1e-2, log_z_tolerance = 0.05, power = 1,
  joint = FALSE, by_inputs = FALSE
)

add_evidence <- function(parts) {
  add <- function(field) Reduce(`+`, lapply(parts, `[[`, field))
  list(value = add("value"), gradient = c(add("kernel"), add("likelihood")))
}
