# Learning the hyper-parameters of the informative vector machine on a subset of rows: selection of
# an active set alternates with a few quasi-Newton steps that hold it fixed.
#
# What the steps climb depends on what the fit will be. A refined machine climbs EP's evidence of
# all the subset's rows with the active points as inducing inputs. The plain machine of the paper
# has the evidence of its active set only, sites held fixed; where labels are noisy or classes many
# that prefers lengthscales that are too short, since the active rows are the unusual ones.

#' The problem with learned hyper-parameters
#' @noRd
learn_ivm <- function(problem, criterion, refine, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  sample <- learning_subset(problem, control)
  # Not fewer active points than that even for a smaller machine: with few inducing inputs the
  # evidence prefers to call the data noise.
  options <- ivm_options(sample, control$learn_active, criterion, 0L, control)
  objective <- function(sample) {
    latents <- run_ivm(sample, options)$latents
    if (refine > 0) ep_objective(sample, active_inputs(sample, latents), ivm_prior_means(sample))
    else active_objective(sample, latents)
  }
  learn_in_rounds(problem, sample, objective, control)
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
      mean = l$site_mean
    )
  })
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    active_evidence(at$kernel, at$likelihood, sets, problem$call)
  }
}

#' Summed evidence of active sets and its gradient, kernel first
#'
#' With Gaussian noise the sites are the observations themselves, so the noise variance takes part
#' as the inverse of every site precision; other likelihoods act only through sites held fixed.
#' @noRd
active_evidence <- function(kernel, likelihood, sets, call) {
  gaussian <- likelihood$type == "gaussian"
  n_own <- length(likelihood_theta(likelihood))
  add_evidence(lapply(sets, function(set) {
    precision <-
      if (gaussian) rep(1 / likelihood$values$variance, length(set$mean))
      else set$precision
    part <- call_core(core_active_evidence, kernel_spec(kernel), set$x, precision, set$mean, TRUE,
      call = call
    )
    part$likelihood <- if (gaussian) -sum(part$log_precision) else numeric(n_own)
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
  sets <- lapply(fit$sites, function(site) {
    list(
      x = fit$basis[match(site$row, fit$rows), , drop = FALSE], precision = site$precision,
      mean = site$mean
    )
  })
  theta <- theta_of(fit$kernel, fit$likelihood, names(fit$inputs$center))
  gradient <- active_evidence(fit$kernel, fit$likelihood, sets, rlang::current_env())$gradient
  stats::setNames(gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}
