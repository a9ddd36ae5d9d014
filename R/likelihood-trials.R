# Answers about the number of successes among the trials of a row.

# Does the answer speak of a number of successes, so that the trials must be known?
asks_for_trials <- function(fit, wanted) {
  fit$response$kind == "trials" && (wanted$type == "quantile" || wanted$interval == "prediction")
}

# What the core says of rows whose numbers of trials differ: a matrix of `columns` numbers for each
# row from f(spec, mean, variance), called once for each number of trials
for_each_trials <- function(likelihood, latent, columns, f) {
  spec <- likelihood_spec(likelihood)
  if (likelihood_response(likelihood) != "trials") return(f(spec, latent$mean, latent$variance))
  out <- matrix(NA_real_, nrow(latent$mean), columns)
  for (n in unique(latent$trials)) {
    rows <- which(latent$trials == n)
    spec$values$trials <- n
    out[rows, ] <- f(spec, latent$mean[rows, 1L], latent$variance[rows, 1L])
  }
  out
}

# Residuals of the share of successes; deviance and quantile residuals are those of their number
trials_residual <- function(fit, y, latent, type) {
  latent$trials <- trials_of(y)
  successes <- successes_of(y)
  share <- successes / latent$trials
  if (type == "quantile") {
    limits <- for_each_trials(fit$likelihood, latent, 2L, function(spec, mean, variance) {
      now <- latent$trials == spec$values$trials
      k <- successes[now]
      cbind(call_core(core_cdf, spec, k - 1, mean, variance),
        call_core(core_cdf, spec, k, mean, variance))
    })
    u <- stats::runif(nrow(y))
    return(stats::qnorm(pmin(pmax(limits[, 1L] + u * (limits[, 2L] - limits[, 1L]), 0), 1)))
  }
  moments <- for_each_trials(fit$likelihood, latent, 2L, function(spec, mean, variance) {
    call_core(core_response, spec, mean, variance)
  }) / cbind(latent$trials, latent$trials^2)
  if (type == "response") return(share - moments[, 1L])
  if (type == "pearson") return((share - moments[, 1L]) / sqrt(moments[, 2L]))
  term <- function(y, mean) ifelse(y > 0, y * log(y / mean), 0)
  signed_root(share - moments[, 1L], 2 * latent$trials *
    (term(share, moments[, 1L]) + term(1 - share, 1 - moments[, 1L])))
}

# The trials of the rows where answers are about successes, otherwise 1
trials_or_one <- function(latent) if (is.null(latent$trials)) 1 else latent$trials
