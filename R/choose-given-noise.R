# gpsieve() where the noise depends on the inputs: a dense model of some rows learns the
# coefficients of the noise, all candidates are compared with the precisions of the rows that follow
# from them, and the chosen candidate learns the coefficients anew.

# The likelihood with the formula of its noise, without coefficients that a fit has learned
without_coefficients <- function(likelihood) {
  likelihood$noise <- likelihood$noise["formula"]
  likelihood
}

# The task's molded data with the noise that a dense model of some rows has learned
with_noise_for_choice <- function(task, kernel, likelihood) {
  molded <- task$molded
  terms <- molded$noise_terms
  if (!ncol(terms$z)) return(molded)
  n <- nrow(molded$x)
  rows <- draw(n, min(n, short_block_rows), task$seed)
  fit_at <- function(molded, kernel, likelihood, optimise) {
    given <- given_or_default(meanfield_gp, list(kernel = kernel, likelihood = likelihood,
      optimise = optimise, standardise = task$standardise, prior_mean = task$prior_mean,
      control = control_meanfield(keep = FALSE), seed = task$seed, threads = task$threads,
      verbose = FALSE))
    molded <- read_levels(molded, list(kernel))
    without_advice(meanfield_gp_of_rows(molded, given))
  }
  if (is.null(kernel)) kernel <- kernel_matern(nu = 2.5, ard = TRUE) + kernel_linear()
  likelihood$noise <- NULL
  learned <- learn_noise(fit_at, molded_rows(molded, rows), kernel, likelihood,
    terms$z[rows, , drop = FALSE])
  with_changing_noise(molded, drop(terms$z %*% learned$coefficients))
}

# The fit of the chosen candidate, as its call makes it; `molded` are the data as they were given
fit_entry_by_turns <- function(entry, task, molded, likelihood) {
  molded <- read_levels(molded, list(entry$candidate$kernel))
  fit_at <- function(molded, kernel, likelihood, optimise) {
    entry$candidate[c("kernel", "likelihood")] <- list(kernel, likelihood)
    entry$candidate$settings$optimise <- optimise
    entry$learned <- NULL
    fit_entry(entry, task, read_levels(molded, list(kernel)))
  }
  fit_changing_noise(fit_at, molded, entry$candidate$kernel, likelihood, TRUE, task$seed)
}
