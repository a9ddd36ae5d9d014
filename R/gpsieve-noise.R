# gpsieve() where the noise depends on the inputs: a small model learns how before candidates are
# compared, all with these relative precisions of the rows; then the chosen one learns it anew.

# So many rows, at most, learn the noise with which candidates are compared.
most_rows_before <- 500

#' What an earlier fit has learned of its noise is not kept by a choice
#' @noRd
without_coefficients <- function(likelihood) {
  likelihood$noise <- likelihood$noise["formula"]
  likelihood
}

#' Molded data with the noise that a dense model of some rows has learned
#' @noRd
with_noise_for_choice <- function(molded, kernel, likelihood, standardise, prior_mean, seed, call) {
  terms <- molded$noise_terms
  if (!ncol(terms$z)) return(molded)
  n <- nrow(molded$x)
  seed <- resolve_seed(seed, call)
  rows <- draw(n, min(n, most_rows_before), seed)
  control <- control_meanfield(keep = FALSE)
  fit_at <- function(molded, kernel, likelihood, optimise) {
    without_advice(meanfield_bridge(read_levels(molded, list(kernel), call), kernel = kernel,
      likelihood = likelihood, optimise = optimise, standardise = standardise,
      prior_mean = prior_mean, control = control, seed = seed, verbose = FALSE, call = call))
  }
  if (is.null(kernel)) kernel <- kernel_matern(nu = 2.5, ard = TRUE) + kernel_linear()
  likelihood$noise <- NULL
  learned <- learn_noise(fit_at, molded_rows(molded, rows), kernel, likelihood,
    terms$z[rows, , drop = FALSE], call)
  with_uneven_noise(molded, drop(terms$z %*% learned$coefficients))
}

#' The fit of the chosen candidate, as its call makes it; `molded` are the data as they were given
#' @noRd
fit_entry_uneven <- function(entry, task, molded, likelihood) {
  molded <- read_levels(molded, list(entry$candidate$kernel), task$call)
  fit_at <- function(molded, kernel, likelihood, optimise) {
    entry$candidate[c("kernel", "likelihood")] <- list(kernel, likelihood)
    entry$candidate$settings$optimise <- optimise
    entry$learned <- NULL
    fit_entry(entry, task, read_levels(molded, list(kernel), task$call))
  }
  fit_uneven(fit_at, molded, entry$candidate$kernel, likelihood, TRUE,
    task$seed, task$call)
}
