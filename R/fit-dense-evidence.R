# The dense model of a block of rows, whose evidence and gradient learning uses.

# Tolerance of TAP while learning. The evidence is stationary in the cavity variances, so that its
# error is of second order in their errors, which are about a tenth of their last change.
meanfield_learning_tol <- 1e-3

# A step on blocks uses no difference of two evidences.
meanfield_block_tol <- 1e-2

# The settings of the core while hyper-parameters are learned
meanfield_learning <- function(options) {
  options$tol <- max(options$tol, meanfield_learning_tol)
  options
}

# The evidence as a function of the full vector of log hyper-parameters.
# Each evaluation starts from the means and cavity variances of the one before.
meanfield_objective <- function(problem, options, prior_means = latent_prior_means(problem)) {
  rows <- core_rows(problem, prior_means)
  empty <- list(means = matrix(0, 0, 0), cavity = matrix(0, 0, 0))
  start <- empty
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    found <- call_core(core_meanfield_evidence, kernel_spec(at$kernel),
      likelihood_spec(at$likelihood), rows, options, start, settings)
    good <- found$converged && is.finite(found$value) && all(is.finite(found$means))
    start <<- if (good) found[c("means", "cavity")] else empty
    found
  }
}

meanfield_options <- function(method, variance, max_iter, tol, gradient = TRUE,
                              keep_factor = TRUE) {
  list(
    method = method, cavity_variance = variance == "cavity", max_iter = as.integer(max_iter),
    tol = tol, gradient = gradient, keep_factor = keep_factor
  )
}
