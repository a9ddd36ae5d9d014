# Which of its answers predict() can give for a fit.

check_answer_is_offered <- function(fit, wanted) {
  classes <- is_classification(fit$response)
  type <- wanted$type
  refuse <- function(message, hint = NULL, env = parent.frame()) {
    abort_gpsieve(message, hint = hint, class = "unsupported", env = env)
  }
  if (type %in% c("prob", "class") && !classes) {
    refuse("{.code type = \"{type}\"} needs a classification fit.",
      "For a numeric response use {.val response} or {.val quantile}.")
  }
  if (type %in% c("quantile", "survival") && classes) {
    refuse("{.code type = \"{type}\"} needs a numeric response.", "For classes use {.val prob}.")
  }
  if (type == "survival" && has_known_noise(fit)) {
    refuse("{.code type = \"survival\"} is not offered for fits with known noise.")
  }
  if (type == "survival" && fit$response$kind == "trials") {
    refuse("{.code type = \"survival\"} is about numbers, not about successes among trials.")
  }
  of_class <- classes && type %in% c("response", "class")
  if (wanted$se.fit && (type %in% c("prob", "quantile", "survival") || of_class)) {
    refuse("{.arg se.fit} does not go with {.code type = \"{type}\"}.",
      "The latent standard deviation comes with {.code type = \"link\"}.")
  }
  if (wanted$cov) check_covariance_is_offered(fit, wanted, refuse)
  if (wanted$interval != "none") check_interval_is_offered(fit, wanted, of_class, refuse)
}

check_covariance_is_offered <- function(fit, wanted, refuse) {
  if (wanted$type != "link") {
    refuse("{.arg cov} is the covariance of the latent function.",
      "Use it with {.code type = \"link\"}; {.fn simulate} draws responses jointly.")
  }
  if (wanted$se.fit || wanted$interval != "none") {
    refuse("{.arg cov} does not go with {.arg se.fit} or {.arg interval}.",
      "The squares of {.arg se.fit} are on its diagonal.")
  }
  check_joint_posterior(fit, refuse)
}

check_probs <- function(probs) {
  if (!is.numeric(probs) || !length(probs) || anyNA(probs) || any(probs <= 0 | probs >= 1)) {
    found <- describe(probs)
    abort_gpsieve("{.arg probs} must be probabilities strictly between 0 and 1.", "Found {found}.",
      meant_probability(probs))
  }
  as.double(probs)
}

# An augmented relevance vector machine has another model at every point
check_joint_posterior <- function(fit, refuse) {
  if (is_augmented(fit)) {
    refuse("A fit with {.code variance = \"augmented\"} has no covariance between rows.",
      "It adds another basis function at every row; fit with {.code variance = \"posterior\"}.")
  }
}

is_augmented <- function(fit) {
  any(vapply(fit$posteriors, function(p) length(p$augmentation$points) > 0L, NA))
}
