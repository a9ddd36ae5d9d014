# Relevance vector machines that are stopped early or lose all functions without a warning.

quiet_rvm <- function(..., seed = 1) {
  suppressWarnings(rvm(..., seed = seed, verbose = FALSE),
    classes = c("gpsieve_warning_convergence", "gpsieve_warning_empty")
  )
}

plain_rvm <- function(...) quiet_rvm(..., optimise = FALSE, standardise = FALSE)

noise_of <- function(fit) likelihood_of(fit)$values$variance
