# Learning the hyper-parameters of a mean-field approximation: the core computes its evidence and
# the gradient, stats::nlminb() maximises.

#' The problem with learned hyper-parameters
#' @noRd
learn_meanfield <- function(problem, options, control) {
  if (!any(theta_free(problem$kernel, problem$likelihood))) return(problem)
  sample <- learning_subset(problem, control)
  options$tol <- max(options$tol, meanfield_learning_tol)
  search <- new_search(sample, control)
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  objective <- counted(
    with_prior(meanfield_objective(sample, options), search$prior), bar, control
  )
  maximise <- function(start) {
    theta <- maximise_in_stages(objective, start, search, step = search$range)
    list(theta = theta, value = value_at(objective, theta))
  }
  best <- maximise(search$origin)
  no_signal <- value_without_signal(sample)
  for (start in other_starts(search$origin, search$free)) {
    # The value is NA where the evidence could not be computed at any point.
    if (isTRUE(best$value > no_signal + no_signal_margin * abs(no_signal))) break
    again <- maximise(start)
    if (!isTRUE(best$value >= again$value)) best <- again
  }
  if (!is.finite(best$value)) return(problem)
  with_learned(problem, set_theta(problem$kernel, problem$likelihood, best$theta), control$range)
}

# Tolerance of TAP while learning. The evidence is stationary in the cavity variances, so that its
# error is of second order in their errors.
meanfield_learning_tol <- 1e-5
# An evidence within this share of that of a constant latent function means that the maximisation
# ended where all is noise.
no_signal_margin <- 0.01

#' The evidence as a function of the full vector of log hyper-parameters
#'
#' Each evaluation starts from the weights and cavity variances of the one before.
#' @noRd
meanfield_objective <- function(problem, options) {
  prior_means <- latent_prior_means(problem, 0)
  empty <- list(weights = matrix(0, 0, 0), cavity = matrix(0, 0, 0))
  start <- empty
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    found <- call_core(core_meanfield_evidence, kernel_spec(at$kernel),
      likelihood_spec(at$likelihood), problem$x, problem$y, problem$cases, prior_means, options,
      start$weights, start$cavity, settings,
      call = problem$call
    )
    good <- found$converged && is.finite(found$value) && all(is.finite(found$weights))
    start <<- if (good) found[c("weights", "cavity")] else empty
    found
  }
}

#' The log evidence of a latent function that is its prior mean everywhere
#' @noRd
value_without_signal <- function(problem) {
  prior_means <- latent_prior_means(problem, 0)
  spec <- likelihood_spec(problem$likelihood)
  n <- nrow(problem$y)
  w <- if (length(problem$cases$weight)) problem$cases$weight else rep(1, n)
  offset <- if (length(problem$cases$offset)) problem$cases$offset else numeric(n)
  sum(vapply(seq_len(ncol(problem$y)), function(k) {
    sum(w * call_core(core_log_density, spec, problem$y[, k], prior_means[k] + offset, numeric(n)))
  }, 0))
}

# Factors of the lengthscales of other starts: first smoother, then rougher functions.
restart_factors <- c(3, 1 / 3, 10)

other_starts <- function(theta, free) {
  lengths <- free & grepl("lengthscale", names(theta), fixed = TRUE)
  if (!any(lengths)) return(list())
  lapply(restart_factors, function(by) replace(theta, lengths, theta[lengths] + log(by)))
}
