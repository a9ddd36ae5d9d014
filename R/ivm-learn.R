# Learning the hyper-parameters of the informative vector machine on a subset of rows: selection of
# an active set alternates with a few quasi-Newton steps that hold it fixed.
#
# The objective depends on `refine`. For a refined machine it is the evidence of EP over all rows of
# the subset with the active points as inducing inputs. For the machine of the paper it is the
# evidence of the active set with its sites held fixed. With noisy labels or many classes the latter
# prefers lengthscales that are too short, since the active rows are unusual ones.

#' The problem with learned hyper-parameters
#' @noRd
learn_ivm <- function(problem, criterion, refine, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  if (!is.null(control$blocks)) {
    return(learn_blocks(problem, ivm_prior_means(problem), control$blocks))
  }
  sample <- learning_subset(problem, control)
  # The number of active points does not depend on that of the fit: with few inducing inputs the
  # evidence is largest for hyper-parameters that explain the data as noise.
  objective <- function(sample) {
    options <- ivm_options(sample, control$learn_active, criterion, 0L, control)
    latents <- run_ivm(sample, options)$latents
    if (refine > 0) ep_objective(sample, active_inputs(sample, latents), ivm_prior_means(sample))
    else active_objective(sample, latents)
  }
  learn_in_rounds(problem, sample, objective, control, comparable = refine > 0)
}

active_inputs <- function(problem, latents) {
  lapply(latents, function(l) problem$x[l$posterior$basis, , drop = FALSE])
}

#' Evidence of the active sets as a function of the full vector of log hyper-parameters
#' @noRd
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
    active_evidence(at$kernel, at$likelihood, sets, problem$call)
  }
}

#' Summed evidence of active sets and its gradient, kernel first
#'
#' With Gaussian noise the sites are the observations, and the noise variance is learned as the
#' inverse of all site precisions. The parameters of other likelihoods have no gradient here,
#' because the sites are held fixed.
#' @noRd
active_evidence <- function(kernel, likelihood, sets, call) {
  gaussian <- likelihood$type == "gaussian"
  n_own <- length(likelihood_theta(likelihood))
  add_evidence(lapply(sets, function(set) {
    w <- if (is.null(set$weight)) rep(1, length(set$mean)) else set$weight
    precision <- if (gaussian) w / likelihood$values$variance else set$precision
    part <- call_core(core_active_evidence, kernel_spec(kernel), set$x, precision, set$mean, TRUE,
      call = call
    )
    # The copies of a row have a density each (models/ivm/theory.md#case-weights).
    part$value <- part$value +
      sum((w - 1) * (log(precision) - log(2 * pi)) - w * log(w)) / 2
    part$likelihood <-
      if (gaussian) -sum(part$log_precision + (w - 1) / 2) else numeric(n_own)
    part
  }))
}

#' @noRd
evidence_gradient <- function(fit) UseMethod("evidence_gradient")

#' @export
evidence_gradient.gpsieve_fit <- function(fit) {
  if (!is.null(fit$evidence$gradient)) return(fit$evidence$gradient)
  abort_gpsieve("This fit has no gradient of its evidence.", class = "unsupported",
    call = rlang::caller_env(2L)
  )
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
  gradient <- active_evidence(fit$kernel, fit$likelihood, sets, rlang::current_env())$gradient /
    counted_trees(fit$partition)
  stats::setNames(gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}
