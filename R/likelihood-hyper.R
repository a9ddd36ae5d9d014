# The hyper-parameters of likelihoods as one vector in which they are unbounded, in the order of the
# core: logarithms, but log odds of a share, a skew itself and, of cut points, the first one and the
# logarithms of the distances between neighbours.

# The names of the hyper-parameters that a likelihood has
likelihood_hyper <- function(likelihood) {
  if (is_noiseless(likelihood)) return(character())
  intersect(family_of(likelihood)$hyper, names(likelihood$values))
}

# The values of the hyper-parameters, or an error where some are still NULL
hyper_values <- function(likelihood) {
  open <- open_values(likelihood)
  if (length(open)) {
    abort_gpsieve("The likelihood's {.field {open}} has not been chosen yet.",
      hint = "Fitting a model chooses from the data what was left {.code NULL}.", class = "object")
  }
  lapply(likelihood$values[likelihood_hyper(likelihood)], as.double)
}

# Hyper-parameters as a named vector without bounds, in the order of the core
likelihood_theta <- function(likelihood) {
  values <- hyper_values(likelihood)
  hyper_vector(Map(unbounded, names(values), values))
}

hyper_vector <- function(values) {
  names <- rep(names(values), lengths(values))
  several <- rep(lengths(values) > 1L, lengths(values))
  names <- paste0(names, ifelse(several, sequence(lengths(values)), ""), recycle0 = TRUE)
  stats::setNames(as.double(unlist(values, use.names = FALSE)),
    paste0("likelihood.", names, recycle0 = TRUE))
}

# The likelihood with these hyper-parameters: the inverse of likelihood_theta()
likelihood_set_theta <- function(likelihood, theta) {
  values <- hyper_values(likelihood)
  if (length(theta) != sum(lengths(values))) {
    n <- sum(lengths(values))
    abort_gpsieve("The likelihood has {n} hyper-parameter{?s}.", "Found {length(theta)}.",
      class = "object")
  }
  parts <- split(unname(theta), rep(factor(names(values), names(values)), lengths(values)))
  for (name in names(values)) {
    # Values that did not move are kept, because exp(log(x)) may differ from x by rounding.
    moved <- any(parts[[name]] != unbounded(name, values[[name]]))
    if (moved) likelihood$values[[name]] <- bounded(name, parts[[name]])
  }
  likelihood
}

# Which entries of likelihood_theta() are to be learned
likelihood_free <- function(likelihood) {
  hyper <- likelihood_hyper(likelihood)
  rep(!hyper %in% likelihood$fixed, pmax(1L, lengths(likelihood$values[hyper])))
}

# The precision of the prior of each entry of likelihood_theta(), about 0; 0 where there is none
likelihood_prior_precision <- function(likelihood) {
  sd <- family_of(likelihood)$prior_sd
  hyper <- likelihood_hyper(likelihood)
  precision <- ifelse(hyper %in% names(sd), sd[hyper]^-2, 0)
  as.double(rep(precision, pmax(1L, lengths(likelihood$values[hyper]))))
}

# The deviance of each response against the largest likelihood that a latent value can give, which
# is searched for about `f_of_y`; `f_of_mean` are the latent values of the predictive means
deviance_by_density <- function(likelihood, y, mean, f_of_mean, f_of_y) {
  density <- function(f, y) log_density(likelihood, y, f, 0 * f)
  best <- vapply(seq_along(y), function(i) {
    stats::optimize(density, f_of_y[i] + c(-5, 5), y = y[i], maximum = TRUE, tol = 1e-8)$objective
  }, 0)
  signed_root(y - mean, 2 * (best - density(f_of_mean, y)))
}
