# What follows from the marginals of latent functions: classes, probabilities, means, quantiles.

# Posterior covariances of the latent functions on the response's scale, one matrix for each
latent_covariances <- function(fit, x, settings) {
  functions <- length(latent_names(fit$response))
  check_memory((functions + 1) * doubles(nrow(x), nrow(x)),
    "covariances between {nrow(x)} rows",
    "Fewer rows at a time need less; {.code predict(type = \"link\", se.fit = TRUE)} gives standard
      deviations without covariances.")
  found <- if (is_partitioned(fit)) {
    partition_covariances(fit, x, settings)
  } else {
    call_core(core_joint_covariance, kernel_spec(fit$kernel), fit$basis, fit$posteriors, x,
      settings)
  }
  scale <- latent_scale(fit)^2
  stats::setNames(lapply(found, function(k) scale * k), latent_names(fit$response))
}

latent_mean <- function(fit, latent) {
  shape_latent(fit, latent$mean * latent_scale(fit) + latent_center(fit))
}

latent_sd <- function(fit, latent) {
  if (is.null(latent$variance)) return(NULL)
  shape_latent(fit, sqrt(latent$variance) * latent_scale(fit))
}

shape_latent <- function(fit, values) {
  if (ncol(values) == 1L) return(drop(values))
  colnames(values) <- latent_names(fit$response)
  values
}

predicted_mean <- function(fit, latent) {
  if (fit$response$kind == "real") return(drop(latent_mean(fit, latent)))
  call_core(core_response, likelihood_spec(fit$likelihood), latent$mean, latent$variance)[, 1L]
}

predicted_quantiles <- function(fit, latent, probs) {
  out <- for_each_trials(fit$likelihood, latent, length(probs), function(spec, mean, variance) {
    call_core(core_quantile, spec, mean, variance, probs)
  })
  out <- out * latent_scale(fit) + latent_center(fit)
  colnames(out) <- paste0(code_text(100 * probs), "%")
  out
}

# Class probabilities for all training levels; a level without a training row has probability 0
predicted_probabilities <- function(fit, latent) {
  response <- fit$response
  out <- matrix(0, nrow(latent$mean), length(response$levels),
    dimnames = list(NULL, response$levels))
  out[, present_levels(response)] <- exp(log_class_probabilities(fit$likelihood, response, latent))
  out
}

# One-vs-rest machines each give P_c = P(class is c) on their own. That exactly one of them is right
# has probability proportional to P_c times the product of 1 - P_k over the others, that is to the
# odds P_c / (1 - P_c): normalised odds, which keep the order of the P_c. (Normalised P_c would be
# far too small for the right class, because the probabilities of K - 1 wrong classes add up.)
# Before that the odds are raised to the power 1 / temperature.
log_class_probabilities <- function(likelihood, response, latent, threads = 1L) {
  spec <- likelihood_spec(likelihood)
  if (response$kind == "ordinal") return(log_level_probabilities(spec, response, latent))
  if (identical(response$scheme, "joint")) {
    return(call_core(core_argmax_probability, spec, latent$mean, latent$variance,
      core_settings(threads)))
  }
  if (response$kind == "binary") return(log_sides(spec, latent, 1L)[, 2:1, drop = FALSE])
  temperature <- if (is.null(response$temperature)) 1 else response$temperature
  normalise_log(log_odds(likelihood, latent) / temperature)
}

# Log probabilities of yes and no of one machine, n x 2
log_sides <- function(spec, latent, k) {
  call_core(core_log_probability, spec, latent$mean[, k], latent$variance[, k])
}

# The log odds of every one-vs-rest machine, n x K
log_odds <- function(likelihood, latent) {
  spec <- likelihood_spec(likelihood)
  do.call(cbind, lapply(seq_len(ncol(latent$mean)), function(k) {
    sides <- log_sides(spec, latent, k)
    sides[, 1L] - sides[, 2L]
  }))
}

# Rows of log weights, normalised to log probabilities
normalise_log <- function(weights) {
  if (nrow(weights) == 0L) return(weights)
  largest <- weights[cbind(seq_len(nrow(weights)), max.col(weights, "first"))]
  weights <- weights - largest
  weights - log(rowSums(exp(weights)))
}
