# Learning the hyper-parameters of a mean-field approximation: the core computes its evidence and
# the gradient, stats::nlminb() maximises.

# The problem with learned hyper-parameters
learn_meanfield <- function(problem, options, control) {
  if (!any(theta_free(problem$kernel, problem$likelihood))) return(problem)
  if (!is.null(control$blocks)) {
    return(learn_blocks(problem, latent_prior_means(problem), control$blocks))
  }
  if (is.null(control$learn_rows)) control$learn_rows <- if (n_latents(problem) > 1L) 500 else 1000
  sample <- learning_subset(problem, control$learn_rows, classes = Inf)
  options <- meanfield_learning(options)
  search <- new_search(sample, control)
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  objective <- counted(with_prior(meanfield_objective(sample, options), search$prior), bar, control)
  search_from <- function(start) {
    theta <- maximise_in_stages(objective, start, search, step = search$range)
    list(theta = theta, value = value_at(objective, theta))
  }
  # The saddle point value of "naive" is far below the log evidence where rows are correlated.
  best <- search_from_starts(sample, search, search_from,
    function(theta) value_at(objective, theta),
    comparable = options$method != "naive" || has_gaussian_sites(problem$likelihood))
  if (!is.finite(best$value)) return(problem)
  with_learned(problem, set_theta(problem$kernel, problem$likelihood, best$theta))
}

# Is the fit the dense model with Gaussian noise, of which the core keeps a factor? The gradient of
# its evidence is computed when it is asked for.
has_exact_evidence <- function(fit) {
  fit$model == "meanfield_gp" && has_gaussian_sites(fit$likelihood) &&
    length(fit$posteriors[[1L]]$down) > 0L
}

# The gradient of an exact evidence: the sites are the response, on the scale of the latent
# function, less its prior mean
exact_gradient <- function(fit) {
  site <- fit$sites[[1L]]
  at <- match(fit$rows, site$row)
  weight <- if (!is.null(site$weight)) as.double(site$weight[at]) else numeric()
  y <- site$mean[at]
  prior_mean <- 0
  if (bends_response(fit$likelihood)) {
    prior_mean <- fit$posteriors[[1L]]$prior_mean
    y <- responses_at(fit$likelihood, y + prior_mean)
  }
  rows <- list(
    x = fit$basis, y = cbind(y), prior_mean = prior_mean,
    cases = list(weight = weight, offset = numeric())
  )
  nothing <- list(means = matrix(0, 0, 0), cavity = matrix(0, 0, 0))
  found <- call_core(core_meanfield_evidence, kernel_spec(fit$kernel),
    likelihood_spec(fit$likelihood), rows, meanfield_options("tap", "response", 100, 1e-7), nothing,
    core_settings(1L))
  theta <- theta_of(fit$kernel, fit$likelihood, names(fit$inputs$center))
  stats::setNames(found$gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}
