# The formula of noise that depends on inputs, as columns of training rows and new ones.

# Has the fit learned how its noise depends on the inputs?
has_learned_noise <- function(fit) !is.null(fit$likelihood$noise$coefficients)

# The coefficients of the logarithm of the noise's variance, by the names that coef() gives them
noise_coefficients <- function(likelihood) {
  found <- likelihood$noise$coefficients
  if (length(found)) stats::setNames(found, paste0("likelihood.noise.", names(found)))
}

# The data frame in which the formula of the noise is evaluated
noise_frame <- function(data, arg) plain_columns(frame_of_rows(data, arg))

# The formula's matrix of new rows; rows with missing values have NA
noise_columns <- function(noise, data, arg) {
  if (is.null(noise$design)) return(matrix(0, nrow(data), 0L))
  frame <- noise_frame(data, arg)
  check_no_column_lacks(names(noise$columns), names(frame), arg)
  unseen <- gather_unseen(FALSE)
  frame <- all_as_training(frame, noise$columns, arg, function(column) unseen)
  design_matrix(noise$design, flags_to_numbers(frame), arg, unseen, frame)
}

# Log variances of the noise of rows, relative to the variance of the likelihood
relative_noise <- function(noise, z) drop(z %*% noise$coefficients) + noise$shift

# The standard deviations of the noise of new rows, in units of the response
learned_noise_sd <- function(fit, newdata, arg) {
  noise <- fit$likelihood$noise
  eta <- relative_noise(noise, noise_columns(noise, newdata, arg))
  sqrt(fit$likelihood$values$variance) * exp(eta / 2) * latent_scale(fit)
}

# The standard deviations of the noise of the training rows, in units of the response; NULL where
# the noise was not learned as a function of the inputs
noise_of_training <- function(fit, molded) {
  noise <- fit$likelihood$noise
  if (is.null(noise)) return(molded$noise_sd)
  terms <- molded$noise_terms
  # gpsieve() chooses a formula of inputs; what was learned before has columns of its own.
  z <-
    if (is.null(terms)) noise_columns(noise, molded$x, "data")
    else if (identical(noise$design, terms$design)) terms$z
    else terms$given
  sqrt(fit$likelihood$values$variance) * exp(relative_noise(noise, z) / 2) * latent_scale(fit)
}

# Standard deviations of the noise of molded rows, given a fit to others of its rows
noise_of_molded <- function(fit, molded) {
  noise <- molded[["noise"]]
  if (!isTRUE(noise$learned)) return(molded$noise_sd)
  sqrt(fit$likelihood$values$variance) * exp(noise$eta / 2) * latent_scale(fit)
}
