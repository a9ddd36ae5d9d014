# Learning the hyper-parameters of the informative vector machine. A machine that passes of EP
# refine learns from the dense model's evidence on a random subset of the rows (R/learn.R). The
# machine of the paper has sites for its active points only: there selection alternates with a few
# quasi-Newton steps on the evidence of the active set with its sites held fixed. With noisy labels
# or many classes that evidence prefers lengthscales that are too short, since the active rows are
# unusual ones.

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
  sample <- learning_subset(problem, control$learn_rows)
  objective <- function(sample) {
    options <- ivm_options(sample, active_in_learning, criterion, 0L, control)
    active_objective(sample, run_ivm(sample, options)$latents)
  }
  learn_in_rounds(problem, sample, objective, control, comparable = FALSE)
}

# Quasi-Newton steps within a round. With `refine = 0` each round selects an active set of its own,
# which has so many points whatever `n_active` is.
ivm_learning_steps <- 10
active_in_learning <- 300

# The settings of learning, with those that the call leaves open.
# An evaluation of the dense evidence takes the cube of the number of rows, and several times as
# long where each row keeps an EP site of its own.
ivm_learning <- function(problem, refine, control) {
  control$steps <- ivm_learning_steps
  if (is.null(control$learn_rows)) {
    control$learn_rows <-
      if (refine == 0) 5000 else if (is_not_log_concave(problem$likelihood)) 500 else 1000
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
    # The copies of a row have a density each (models/ivm/theory.md#case-weights).
    part$value <- part$value +
      sum((w - 1) * (log(precision) - log(2 * pi)) - w * log(w)) / 2
    part$likelihood <- numeric(n_own)
    if (gaussian) part$likelihood[1L] <- -sum(part$log_precision + (w - 1) / 2)
    part
  }))
}

evidence_gradient <- function(fit) UseMethod("evidence_gradient")

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
  gradient <- active_evidence(fit$kernel, fit$likelihood, sets)$gradient /
    counted_trees(fit$partition)
  stats::setNames(gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}
