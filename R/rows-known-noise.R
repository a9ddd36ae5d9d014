# Known noise: measurements whose standard deviations are given, noise_sd.
#
# As a function of f, N(y | f, s^2) is a multiple of N(y | f, v)^(v / s^2): a row whose noise has
# the variance s^2 is v / s^2 copies of a row whose noise has the variance v. Models in which the
# weight w of a row with Gaussian noise of variance v gives it the precision w / v are therefore
# fitted with these weights and the fixed variance v, which is chosen such that the weights add up
# to the number of rows. Their log evidence lacks the sum of log(v / s^2) / 2 over the rows that it
# counts. The online model visits the rows themselves, each with its own variance.

# Molded data with known noise as data with weights
with_known_noise <- function(molded, likelihood) {
  if (is.null(molded$noise_sd)) return(molded)
  if (!is.null(likelihood)) {
    abort_gpsieve("{.arg noise_sd} is all of the noise: leave {.arg likelihood} away.",
      "Found {.code {format(likelihood)}}.",
      "Noise of another variance v beside it makes standard deviations {.code sqrt(s^2 + v)}.",
      class = "unsupported")
  }
  if (!is.numeric(canonical_response(molded$y))) {
    abort_gpsieve("{.arg noise_sd} needs a numeric response.", "Found classes.",
      class = "unsupported")
  }
  copies <- if (is.null(molded$weights)) rep(1, nrow(molded$x)) else molded$weights
  # Divided by one of them first: squares of great numbers overflow.
  unit <- stats::median(molded$noise_sd)
  precision <- (unit / molded$noise_sd)^2
  variance <- sum(copies) / sum(copies * precision)
  molded[["noise"]] <- list(
    sd = unit * sqrt(variance), weights = molded$weights,
    log_shares = copies * log(variance * precision) / 2
  )
  molded$weights <- copies * variance * precision
  molded
}

# The weights with which rows count for the scales of columns: those of known noise, but not those
# of noise that is still being learned
weights_of_scales <- function(molded) {
  noise <- molded[["noise"]]
  if (!isTRUE(noise$learned)) return(as.double(molded$weights))
  group <- molded$merged$group
  if (is.null(group)) return(as.double(noise$weights))
  as.vector(rowsum(if (is.null(noise$weights)) rep(1, length(group)) else noise$weights, group))
}

# What the log evidence of rows of the problem, by default all of them, lacks because of known
# noise; rows may be merged ones
log_shares_of <- function(problem, rows = NULL) {
  shares <- problem$molded[["noise"]]$log_shares
  if (is.null(rows)) return(sum(shares))
  group <- problem$molded$merged$group
  sum(if (is.null(group)) shares[rows] else shares[group %in% rows])
}

# The variance of the noise of each copy of a row, on the scale of computation; NULL if not known
noise_variances <- function(problem) {
  noise <- problem$molded[["noise"]]
  if (is.null(noise)) return(NULL)
  copies <- if (is.null(noise$weights)) 1 else noise$weights
  problem$likelihood$values$variance * copies / problem$cases$weight
}

has_known_noise <- function(fit) !is.null(fit$blueprint$noise)

# The standard deviations of new rows: given, or computed as those of the training rows were
noise_of_rows <- function(fit, newdata, given) {
  if (has_learned_noise(fit)) return(learned_noise_sd(fit, newdata, "newdata"))
  if (!is.null(given)) return(check_noise_sd(given, nrow(newdata)))
  described <- fit$blueprint$noise
  known <- !is.null(described$rules) && is.data.frame(newdata) &&
    all(names(described$columns) %in% names(newdata))
  if (!known) {
    abort_gpsieve("This fit knows the noise of its rows, so new responses need theirs.",
      hint = "{.code predict(noise_sd = )} takes it, or a column of {.arg newdata} holds it.",
      class = "data")
  }
  check_noise_sd(follow_rules(described, newdata, "newdata", "noise")[[1L]], nrow(newdata))
}

# A fit and latent marginals that say of new responses what rows with noise of their own ask for:
# list(fit, latent).
# The likelihood has the least variance of all rows, the latent function what a row has beyond it.
with_noise_of_rows <- function(fit, latent, noise_sd) {
  variance <- (noise_sd / latent_scale(fit))^2
  least <- if (length(variance)) min(variance) else 1
  fit$likelihood$values$variance <- least
  latent$variance <- latent$variance + (variance - least)
  list(fit = fit, latent = latent)
}

# Does the answer speak of new responses, whose noise must be known?
asks_for_noise <- function(fit, wanted) {
  has_row_noise(fit) &&
    (wanted$type %in% c("quantile", "survival") || wanted$interval == "prediction")
}

# Have the rows of the fit noises of their own, known or learned?
has_row_noise <- function(fit) has_known_noise(fit) || has_learned_noise(fit)
