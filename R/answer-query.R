# Scores of rows without a response for active learning, the same for every model.

#' Scores of rows for active learning
#'
#' Scores rows whose response is not known yet by how much the fit would gain from their response.
#' The scores are computed from the latent posterior and the likelihood, for fits of every model.
#' Active learning observes the response of the row with the largest score, adds the row to the fit
#' (by `update()` of a fit of [online_gp()]) and computes the scores again.
#'
#' @param fit A fit.
#' @param newdata Rows to score: a data frame or matrix with the training columns.
#' @param criterion
#' * `"entropy"`: entropy of the predictive distribution of the response in nats (differential
#'   entropy on the response's own scale for real numbers). It is large where the response is
#'   uncertain, also where the reason is noise.
#' * `"bald"`: mutual information of response and latent function (Bayesian active learning by
#'   disagreement), \eqn{H[y] - E_f H[y | f]}: noise does not count, because observing a response
#'   does not reduce it. With several classes it is the sum over their latent functions, each with
#'   a label of its own.
#' * `"variance"`: variance of the latent function, the square of `se.fit` of
#'   `predict(type = "link")`, summed over the latent functions of several classes.
#'
#' The response is a single trial where the fit is of successes among trials, and has the noise that
#' is common to the rows where these have known noise of their own (`noise_sd`).
#' @param ... Not used: anything here is an error.
#' @param threads Number of threads; results do not depend on it.
#' @return A number for each row of `newdata`, `NA` where it has a missing value that the fit does
#'   not model. Integrals over one latent function are by adaptive quadrature.
#' @seealso [what_next()], which chooses rows by such scores.
#' @references Houlsby, N., Huszar, F., Ghahramani, Z. and Lengyel, M. (2011). Bayesian active
#'   learning for classification and preference learning. arXiv:1112.5745.
#' @examples
#' fit <- ivm(Species ~ ., iris[c(1:20, 51:70, 101:120), ], seed = 1)
#' pool <- iris[-c(1:20, 51:70, 101:120), ]
#' score <- query_score(fit, pool, "bald")
#' pool[which.max(score), ]
#' @export
query_score <- function(fit, newdata, criterion = c("entropy", "bald", "variance"), ...,
                        threads = NULL) {
  check_dots(...)
  validate_fit(fit)
  criterion <- check_choice(criterion)
  if (missing(newdata)) {
    abort_gpsieve("{.arg newdata} is missing.",
      hint = "{.arg newdata} are the rows to choose from; there is no default.")
  }
  settings <- core_settings(resolve_threads(threads))
  from_fit({
    x <- forge_new(fit, newdata)
    new <- complete_rows(fit, x)
    latent <- latent_marginals(fit, new$rows, TRUE, settings, new$offset)
    if (has_learned_noise(fit) && criterion != "variance") {
      noise_sd <- noise_of_rows(fit, newdata, NULL)
      return(fill_rows(gaussian_score(latent, noise_sd[new$complete], fit, criterion), new$complete,
        nrow(x)))
    }
    score <- switch(criterion,
      entropy = predictive_entropy(fit, latent, settings),
      bald = rowSums(information(fit, latent, settings)),
      variance = rowSums(latent$variance) * latent_scale(fit)^2)
    fill_rows(score, new$complete, nrow(x))
  })
}

# Entropy of a response, or its information about the function, where each row has noise of its own
gaussian_score <- function(latent, noise_sd, fit, criterion) {
  variance <- latent$variance[, 1L] * latent_scale(fit)^2
  if (criterion == "bald") return(log1p(variance / noise_sd^2) / 2)
  log(2 * pi * exp(1) * (variance + noise_sd^2)) / 2
}

predictive_entropy <- function(fit, latent, settings) {
  if (fit$response$kind == "multiclass") {
    log_p <- log_class_probabilities(fit$likelihood, fit$response, latent)
    return(rowSums(ifelse(log_p > -700, -log_p * exp(log_p), 0)))
  }
  response_entropy(fit, latent, FALSE, settings)[, 1L] + log(latent_scale(fit))
}

# n x K: mutual information of the response and each latent function
information <- function(fit, latent, settings) {
  response_entropy(fit, latent, TRUE, settings)
}

# n x K: predictive entropy of the response, or its information about the latent function
response_entropy <- function(fit, latent, information, settings) {
  out <- latent$mean
  for (k in seq_len(ncol(out))) {
    out[, k] <- call_core(core_entropy, likelihood_spec(fit$likelihood), latent$mean[, k],
      latent$variance[, k], information, settings)
  }
  out
}
