# From checked arguments of ep_gp() to a fit: options, learning, the call of the core.

fit_ep_gp <- function(problem, settings, joint, from = NULL, asked = NULL, cluster = NULL) {
  if (!is.null(from)) problem$seed <- from$object$seed
  held_out <- held_out_rows(problem, settings)
  if (!is.null(held_out)) {
    problem[c("raw", "y", "cases", "n", "start_rows")] <- c(held_out$others, list(NULL))
  }
  start <- if (is.null(from)) start_ep(problem, settings, joint) else from$extra$start
  problem[names(start$problem)] <- start$problem
  fit_of <- function(result) ep_fit(problem, result, settings, start)
  kept <- ep_checkpoints(settings, start, asked, from, fit_of, !is.null(cluster))
  done <- FALSE
  on.exit(if (!done && !is.null(kept$latest())) interrupted$fit <- kept$latest())
  found <- iterate_ep(problem, settings, joint, start, held_out$part, kept, cluster)
  done <- TRUE
  result <- judge_learning(found$result, problem, start$learns)
  problem$y <- found$responses
  ep_fit(problem, result, settings, start)
}

# The result of the core and the responses of all rows.
# When a worker has died, the fit goes on from its last state, with the shards divided anew among
# the other workers: the result does not depend on where the shards are.
iterate_ep <- function(problem, settings, joint, start, held_out, kept, cluster) {
  options <- ep_options(problem, settings, start$learns, joint)
  workers <- if (has_shards(settings, cluster)) worker_group(cluster, shard_work)
  bar <- progress_bar(problem$verbose, ep_label(settings$method))
  attempt <- function() {
    rows <-
      if (is.null(workers)) ep_rows(problem, settings, joint)
      else shard_rows(problem, settings, joint, options, start$inducing, workers)
    on.exit(rows$close())
    result <- call_core(core_fit_ep, kernel_spec(problem$kernel),
      likelihood_spec(problem$likelihood), ep_data(problem, rows$core, held_out), start$inducing,
      options, kept$core(), problem$seed, core_settings(problem$threads, bar))
    list(result = result, responses = rows$responses())
  }
  repeat {
    found <- tryCatch(attempt(), gpsieve_lost_worker = function(e) NULL)
    if (!is.null(found)) return(found)
    warn_without_workers(workers, "The fit goes on in this process.")
  }
}

# What core_fit_ep() learns from: rows as it takes them, and those held out
ep_data <- function(problem, rows, held_out = NULL) {
  list(
    rows = rows, scales = scales_for_core(problem), prior_mean = latent_prior_means(problem),
    held_out = held_out
  )
}

# Where the iterations begin: list(problem, inducing, learns), of which `problem` holds the parts
# of the problem that learning beforehand has changed
start_ep <- function(problem, settings, joint) {
  if (settings$optimise) {
    warm <- warm_hyper_parameters(at_start(problem), settings$control)
    changed <- intersect(changed_by_learning, names(warm))
    problem[changed] <- warm[changed]
  }
  inducing <- starting_inducing(at_start(problem), settings)
  if (moves_beforehand(problem, settings, inducing)) {
    inducing <- moved_inducing(problem, inducing, settings, joint)
  }
  learns <- settings$optimise &&
    (any(learned_by_ep(problem, settings, joint)) || isTRUE(settings$learn_inducing))
  if (learns && settings$control$optimiser == "nlminb") {
    prior_means <- latent_prior_means(problem)
    learned <- learn_converged_ep(problem, inducing, prior_means, settings, joint)
    problem <- with_learned(problem, learned)
    problem$steps_ended <- learned$steps_ended
    inducing <- learned$inducing
    learns <- FALSE
  }
  changed <- intersect(changed_by_learning, names(problem))
  list(problem = problem[changed], inducing = inducing, learns = learns)
}

# What learning changes in a problem.
changed_by_learning <- c("kernel", "likelihood", "at_bound", "steps_ended")

# The fit that a result of the core describes
ep_fit <- function(problem, result, settings, start) {
  if (start$learns) problem[c("kernel", "likelihood")] <- learned_values(problem, result)
  # update() repeats the fit from a number of inducing inputs, not from the learned ones.
  if (!is.matrix(settings$inducing)) settings$inducing <- nrow(start$inducing)
  evidence <- account_of_evidence(problem, ep_evidence_kinds[[settings$method]],
    rows = if (is.null(problem$rows)) total_weight(problem) else problem$n)
  assemble_fit("ep_gp", problem, carry_evidence(result, problem), settings,
    new_labels("Gaussian process", "inducing inputs", ep_method(settings)), evidence,
    keep_loo = settings$method == "ep",
    state = list(jitter = result$jitter, inducing_gradient = result$evidence$inducing))
}

# Where learning begins: at the greatest evidence of the dense model on a few rows.
# One step for each pass or minibatch moves hyper-parameters a short way only. The sign-adaptive
# rule starts from the kernel as it is given, as in the paper; "nlminb" needs no better start.
warm_hyper_parameters <- function(problem, control) {
  if (!starts_warm(control)) return(problem)
  learn_on_subset(problem, list(
    learn_rows = warm_rows(control), rounds = 3, steps = 20, prior = control$prior
  ))
}

warm_rows <- function(control) {
  if (!is.null(control$warm_rows)) return(control$warm_rows)
  if (control$optimiser %in% c("adadelta", "adam")) 400 else 0
}

starts_warm <- function(control) warm_rows(control) >= 2

# Which hyper-parameters the iterations of EP learn.
# In two stages the likelihood keeps the values of the dense model: each row has a variance of its
# own in the sparse model, that part of the latent function which the inducing inputs do not
# determine, and the evidence goes on rising while this variance takes the place of the noise. The
# factors of classes that are modelled jointly have no parameters.
learned_by_ep <- function(problem, settings, joint) {
  of_kernel <- kernel_free(problem$kernel)
  if (joint) return(of_kernel)
  of_likelihood <- likelihood_free(problem$likelihood)
  c(of_kernel, of_likelihood & !learns_in_stages(settings))
}

# Learning has converged when, from one fifth of the trace to the next, the objective changes by
# less than this for each row, or by no more than its random variation.
settled_change <- 0.002

# The result, not converged if the objective was still changing when the iterations ended, or if
# there were too few of them to tell
judge_learning <- function(result, problem, learns) {
  if (!result$converged) return(result)
  size <- if (is.null(problem$rows)) total_weight(problem) else problem$n
  if (learns) {
    result$reason <- unsettled(result$latents[[1L]]$trace$objective, size)
  } else if (isTRUE(problem$steps_ended)) {
    result$reason <- "the objective of learning was still rising when max_iter steps were made"
  }
  result$converged <- !nzchar(result$reason)
  result
}

# Why learning has not converged, "" if it has
unsettled <- function(objective, n) {
  fifth <- max(1L, length(objective) %/% 5L)
  if (length(objective) < 2L * fifth) {
    return("one iteration does not tell whether the objective of learning has settled")
  }
  last <- utils::tail(objective, fifth)
  before <- utils::head(utils::tail(objective, 2L * fifth), fifth)
  spread <- if (fifth > 1L) sqrt((stats::var(last) + stats::var(before)) / fifth) else 0
  change <- mean(last) - mean(before)
  if (!isTRUE(abs(change) > settled_change * n + 2 * spread)) return("")
  paste("the objective of learning was still", if (change > 0) "rising" else "falling")
}

ep_evidence_kinds <- list(ep = "ep", sep = "sep", adf = "no evidence: ADF counts rows repeatedly")

ep_label <- function(method) {
  switch(method, ep = "Expectation propagation", sep = "Stochastic EP",
    adf = "Assumed density filtering")
}

ep_method <- function(settings) {
  paste0(switch(settings$method,
    ep = "expectation propagation", sep = "stochastic expectation propagation",
    adf = "assumed density filtering"
  ), if (settings$power != 1) sprintf(" of power %s", format_plain(settings$power)),
  if (!is.null(settings$batch_size)) {
    sprintf(", minibatches of %d", as.integer(settings$batch_size))
  })
}

# Numbers as text whatever options(scipen, OutDec) say.
format_plain <- function(x) sprintf("%.6g", x)

# The settings of a fit in the form that the core expects
ep_options <- function(problem, settings, learns, joint) {
  control <- settings$control
  window <- window_rows(problem, control)
  batches <- batches_per_epoch(problem$n, window, settings$batch_size)
  epochs <- settings$epochs
  if (is.null(epochs)) {
    epochs <-
      if (batches == 1) {
        learning_passes(settings, problem$n, if (learns) n_latents(problem) else 1, learns)$learning
      } else {
        min(250, max(2, ceiling(2000 / batches)))
      }
    # After nlminb, `max_iter` was the number of its steps; the final run of EP may need more
    # passes.
    if (batches == 1 && control$optimiser == "nlminb") epochs <- max(epochs, settling_passes)
  }
  free <- learned_by_ep(problem, settings, joint)
  list(
    method = settings$method, joint = joint, power = settings$power,
    damping = starting_damping(control, batches, learns, joint),
    warm_start = control$start == "warm",
    batch_size = if (batches == 1) 0 else settings$batch_size, window = window,
    iterations = epochs * batches,
    shuffle = settings$shuffle, jitter = settings$jitter, tol = control$tol,
    patience = patience_in_updates(control, batches),
    input_gradient = has_input_gradient(problem),
    gradient = control$gradient,
    learning = if (learns) list(
      free = free, group = theta_groups(problem$kernel, problem$likelihood)[seq_along(free)],
      prior = first_of_prior(hyper_prior(problem, control$prior), length(free)),
      inducing = isTRUE(settings$learn_inducing) && has_input_gradient(problem),
      optimiser = control$optimiser, rate = learning_rate(control, batches > 1)
    )
  )
}

# With classes modelled jointly, the latent function of a row's class has one site for every other
# class. These sites are updated at the same time and each corrects the same error, so that the sum
# of their changes is too large: half of the usual damping compensates for it.
starting_damping <- function(control, batches, learns, joint) {
  if (!is.null(control$damping)) return(control$damping)
  if (joint) return(if (learns) 0.25 else 0.5)
  if (batches == 1 && learns) 0.5 else 1
}

# Updates without improvement after which a fit with held-out rows stops
patience_in_updates <- function(control, batches) {
  passes <- control$patience
  if (is.null(passes)) passes <- if (batches == 1) 50 else 10
  ceiling(passes * batches)
}

has_input_gradient <- function(problem) {
  !has_leaf(problem$kernel, "input_gradient", FALSE) && !is_sparse(problem$raw)
}

# The rows that take no part in learning, and the others; NULL if none are held out
held_out_rows <- function(problem, settings) {
  n <- problem$n
  validation <- settings$control$validation
  rows <- validation
  if (length(validation) == 1L) {
    size <- round(validation * n)
    if (size < 1 || n - size < 1) return(NULL)
    rows <- draw(n, size, problem$seed)
  } else if (max(validation) > n || length(validation) >= n) {
    abort_gpsieve(
      "{.arg validation} must name some, but not all, of the {n} row{?s} of the training data.",
      if (max(validation) > n) "Found row {max(validation)}." else "Found all of them.")
  }
  part <- function(rows) {
    list(raw = problem$raw[rows, , drop = FALSE], y = problem$y[rows, , drop = FALSE],
      cases = part_of_cases(problem$cases, rows))
  }
  list(part = part(rows), others = c(part(-rows), list(n = n - length(rows))))
}

learned_values <- function(problem, result) {
  of_likelihood <- result$likelihood_theta
  if (!length(of_likelihood)) of_likelihood <- likelihood_theta(problem$likelihood)
  set_theta(problem$kernel, problem$likelihood, c(result$kernel_theta, of_likelihood))
}

# The evidence of all latent functions together, stored with the first of them
carry_evidence <- function(result, problem) {
  found <- result$evidence
  by_likelihood <- numeric(length(likelihood_theta(problem$likelihood)))
  by_likelihood[seq_along(found$likelihood)] <- found$likelihood
  gradient <- if (length(found$kernel)) c(found$kernel, by_likelihood) else numeric()
  for (k in seq_along(result$latents)) {
    result$latents[[k]]$log_evidence <- if (k == 1L) found$value else 0
    result$latents[[k]]$evidence_gradient <- if (k == 1L) gradient else 0 * gradient
  }
  result
}

# Hyper-parameters and inducing inputs that maximise the evidence of EP run to convergence, by the
# quasi-Newton method of nlminb()
learn_converged_ep <- function(problem, inducing, prior_means, settings, joint) {
  if (settings$method != "ep" || !is.null(settings$batch_size)) {
    abort_gpsieve("{.code optimiser = \"nlminb\"} needs {.code method = \"ep\"} on all rows.",
      hint = "The other methods have no exact gradient to follow.", class = "unsupported")
  }
  theta <- theta_of(problem$kernel, problem$likelihood)
  logs <- seq_along(theta)
  moves <- isTRUE(settings$learn_inducing) && has_input_gradient(problem)
  moved <- if (moves) inducing else numeric()
  free <- c(theta_free(problem$kernel, problem$likelihood), rep(TRUE, length(moved)))
  prior <- hyper_prior(problem, settings$control$prior)
  data <- core_rows(problem, prior_means, x = scaled_rows(problem, seq_len(nrow(problem$y))))
  options <- list(
    jitter = settings$jitter, max_passes = as.integer(most_passes(settings$control, TRUE)),
    tolerance = settings$control$tol, log_z_tolerance = 0, power = settings$power, joint = joint,
    by_inputs = moves
  )
  sites <- list(precision = matrix(0, 0L, 0L), shift = matrix(0, 0L, 0L))
  place <- function(parameters) {
    at <- set_theta(problem$kernel, problem$likelihood, parameters[logs])
    at$inducing <- if (moves) matrix(parameters[-logs], nrow(inducing)) else inducing
    at
  }
  objective <- function(parameters) {
    at <- place(parameters)
    found <- call_core(core_ep_evidence, kernel_spec(at$kernel), likelihood_spec(at$likelihood),
      at$inducing, data, sites, options, core_settings(problem$threads))
    if (is.finite(found$value)) sites <<- found[c("precision", "shift")]
    by_likelihood <- numeric(length(theta) - length(found$kernel))
    by_likelihood[seq_along(found$likelihood)] <- found$likelihood
    by_theta <- list(value = found$value, gradient = c(found$kernel, by_likelihood))
    at <- with_prior(function(theta) by_theta, prior)(parameters[logs])
    list(value = at$value, gradient = c(at$gradient, if (moves) found$inducing))
  }
  # A single optimisation, so that hyper-parameters may use their whole range in it; the inducing
  # inputs are not on a log scale and have no bounds.
  start <- c(theta, moved)
  reach <- rep(c(search_range, Inf), c(length(theta), length(moved)))
  found <- maximise_theta(objective, start, free, most_passes(settings$control, TRUE), start,
    range = reach, step = reach)
  c(place(found$theta), found["steps_ended"])
}
