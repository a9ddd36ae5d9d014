# Intervals of predictions: where the mean response, the latent function or a new response lies.

# A matrix with the columns fit, lwr and upr, or a list with one for each latent function
predicted_interval <- function(fit, latent, wanted) {
  tails <- (1 + c(-1, 1) * wanted$level) / 2
  if (wanted$interval == "prediction") {
    limits <- predicted_quantiles(fit, latent, tails)
    middle <- predicted_mean(fit, latent) * trials_or_one(latent)
    return(interval_matrix(middle, limits[, 1L], limits[, 2L]))
  }
  if (wanted$type == "link") return(latent_interval(fit, latent, tails))
  middle <-
    if (wanted$type == "prob") predicted_probabilities(fit, latent)[, second_level(fit$response)]
    else predicted_mean(fit, latent)
  limits <- mean_limits(fit, latent, tails)
  interval_matrix(middle, limits[, 1L], limits[, 2L])
}

# Quantiles of the mean response, or of the probability of the second class, at `tails`: n x 2.
# Most response functions are increasing, and map quantiles of the latent function to their own.
# That of a user's density need not be: its values where the latent function may be are sorted.
mean_limits <- function(fit, latent, tails) {
  if (fit$response$kind != "free") {
    limits <- vapply(stats::qnorm(tails), function(away) {
      response_at(fit, latent$mean + away * sqrt(latent$variance))
    }, numeric(nrow(latent$mean)))
    return(matrix(limits, ncol = 2L))
  }
  at <- response_at_nodes(fit, latent)
  fine <- seq(min(latent_nodes), max(latent_nodes), by = 0.05)
  out <- apply(at, 1L, function(values) {
    between <- stats::spline(latent_nodes, values, xout = fine)$y
    rank <- order(between)
    weights <- stats::dnorm(fine[rank]) / sum(stats::dnorm(fine))
    below <- stats::qnorm(cumsum(weights) - weights / 2)
    stats::approx(below, between[rank], stats::qnorm(tails), rule = 2)$y
  })
  matrix(out, ncol = 2L, byrow = TRUE)
}

# Standard deviations from the mean of the latent function at which a response function of which
# nothing is known is looked at, and their weights, a trapezoidal rule.
latent_nodes <- seq(-7, 7, by = 0.5)
latent_weights <- stats::dnorm(latent_nodes) / sum(stats::dnorm(latent_nodes))

# Above this number of latent values a response function is looked at so often, and interpolated.
most_response_values <- 500L

# The mean response if the latent function were known, rows x nodes
response_at_nodes <- function(fit, latent) {
  f <- outer(sqrt(latent$variance[, 1L]), latent_nodes) + latent$mean[, 1L]
  if (length(f) <= most_response_values) {
    return(matrix(response_at(fit, matrix(f, ncol = 1L)), nrow(f)))
  }
  places <- seq(min(f), max(f), length.out = most_response_values)
  matrix(stats::splinefun(places, response_at(fit, matrix(places)))(f), nrow(f))
}

interval_matrix <- function(fit, lwr, upr) {
  cbind(fit = as.double(fit), lwr = as.double(lwr), upr = as.double(upr))
}

latent_interval <- function(fit, latent, tails) {
  middle <- as.matrix(latent_mean(fit, latent))
  sd <- as.matrix(latent_sd(fit, latent))
  latents <- stats::setNames(seq_len(ncol(middle)), latent_names(fit$response))
  one_or_all(lapply(latents, function(k) {
    interval_matrix(middle[, k], middle[, k] + stats::qnorm(tails[1L]) * sd[, k],
      middle[, k] + stats::qnorm(tails[2L]) * sd[, k])
  }))
}

# The mean response, or the probability of the second class, if the latent function were known.
# `f` is on the scale of computation, n x 1.
response_at <- function(fit, f) {
  known <- list(mean = f, variance = 0 * f)
  if (fit$response$kind == "binary") {
    return(predicted_probabilities(fit, known)[, second_level(fit$response)])
  }
  predicted_mean(fit, known)
}

# The only element of a list, or the list
one_or_all <- function(parts) if (length(parts) == 1L) parts[[1L]] else parts

# The posterior standard deviation of the latent function, or of the mean response.
# Through a logarithmic link the mean response is log-normal: its standard deviation is its mean
# times sqrt(exp(variance of f) - 1). Through a logistic link, and where a user's density decides,
# it is integrated by the trapezoidal rule.
standard_error <- function(fit, latent, type) {
  if (type == "response" && fit$response$kind %in% c("count", "positive")) {
    return(predicted_mean(fit, latent) * sqrt(expm1(latent$variance[, 1L])))
  }
  if (type == "response" && fit$response$kind %in% c("share", "trials")) {
    z <- seq(-8, 8, by = 0.125)
    at <- stats::plogis(outer(sqrt(latent$variance[, 1L]), z) + latent$mean[, 1L])
    w <- stats::dnorm(z) / sum(stats::dnorm(z))
    return(sqrt(drop((at - drop(at %*% w))^2 %*% w)))
  }
  if (type == "response" && fit$response$kind %in% c("free", "warped", "warped_positive")) {
    at <- response_at_nodes(fit, latent)
    return(sqrt(drop((at - drop(at %*% latent_weights))^2 %*% latent_weights)))
  }
  latent_sd(fit, latent)
}

check_interval_is_offered <- function(fit, wanted, of_class, refuse) {
  type <- wanted$type
  if (of_class) {
    refuse("A class has no {.arg interval}.",
      "{.code type = \"prob\"} (two classes) and {.code type = \"link\"} have.")
  }
  if (type %in% c("quantile", "survival")) {
    refuse("{.arg interval} does not go with {.code type = \"{type}\"}.",
      "The quantiles at {.arg probs} are the limits of an interval.")
  }
  if (wanted$interval == "prediction" && type != "response") {
    refuse("{.code interval = \"prediction\"} is about a new numeric response.",
      "Found {.code type = \"{type}\"}; {.code interval = \"confidence\"} goes with it.")
  }
  if (type == "prob" && fit$response$kind != "binary") {
    refuse("Intervals of probabilities are offered for two classes.",
      "{.code type = \"link\"} has intervals for every class's latent function.")
  }
}

check_level <- function(x) {
  if (!is.numeric(x) || length(x) != 1L || is.na(x) || x <= 0 || x >= 1) {
    found <- describe(x)
    abort_gpsieve("{.arg level} must be a number strictly between 0 and 1.", "Found {found}.",
      meant_probability(x))
  }
  as.double(x)
}
