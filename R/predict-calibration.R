# Calibration of class probabilities: reject curves and reliability tables.

# Reject curve and reliability table of class probabilities. For two classes reliability concerns
# the probability of the second class, for more the probability of the predicted class.
# `probabilities` is an n x K matrix, `truth` a factor or the codes of its columns. The list(reject,
# reliability) has a size that does not grow with n.
calibration_table <- function(probabilities, truth) {
  truth <- as.integer(truth)
  known <- !is.na(truth) & !is.na(probabilities[, 1L])
  probabilities <- probabilities[known, , drop = FALSE]
  truth <- truth[known]
  predicted <- max.col(probabilities, "first")
  confidence <- probabilities[cbind(seq_along(predicted), predicted)]
  wrong <- predicted != truth
  list(
    reject = reject_curve(confidence, wrong),
    reliability =
      if (ncol(probabilities) == 2L) reliability(probabilities[, 2L], truth == 2L)
      else reliability(confidence, !wrong)
  )
}

# Error among the rows kept when the least confident share is rejected
reject_curve <- function(confidence, wrong) {
  n <- length(wrong)
  errors <- cumsum(wrong[order(-confidence)])
  rejected <- seq(0, 1, length.out = 101L)[-101L]
  kept <- pmax(1, n - floor(rejected * n))
  data.frame(rejected = rejected, error = errors[kept] / kept)
}

reliability <- function(probability, happened) {
  bins <- 10L
  edges <- seq(0, 1, length.out = bins + 1L)
  bin <- factor(findInterval(probability, edges, rightmost.closed = TRUE), levels = seq_len(bins))
  mean_by <- function(v) as.vector(tapply(v, bin, mean))
  data.frame(
    lower = edges[-(bins + 1L)], upper = edges[-1L],
    predicted = mean_by(probability), observed = mean_by(as.numeric(happened)),
    count = as.vector(table(bin))
  )
}

# The table of a fit's own leave-one-out probabilities, where the core returned them
training_calibration <- function(problem, latents) {
  if (!is_classification(problem$response) || !has_cavities(latents)) return(NULL)
  calibration_table(exp(cavity_log_probabilities(problem, latents)), class_codes(problem))
}

has_cavities <- function(latents) all(vapply(latents, function(l) length(l$cavity_mean) > 0L, NA))

# Means and variances of the latent functions at every row without this row, n x K matrices
cavity_marginals <- function(problem, latents) {
  n <- nrow(problem$y)
  moments <- function(name) matrix(vapply(latents, function(l) l[[name]], numeric(n)), n)
  list(mean = moments("cavity_mean"), variance = moments("cavity_variance"))
}

# n x K matrix of log class probabilities from the cavities
cavity_log_probabilities <- function(problem, latents) {
  log_class_probabilities(problem$likelihood, problem$response, cavity_marginals(problem, latents),
    problem$threads)
}

# The temperature of one-vs-rest odds with the greatest leave-one-out probability of the classes.
# Each machine is fitted without the others, so that their normalised odds together may give
# probabilities that are too close to 0 and 1, or too far from them. The value is NULL where there
# are no such odds or no leave-one-out moments. The log temperature has a normal prior with mean 0,
# so that the temperature stays near 1 where there are few rows.
leave_one_out_temperature <- function(problem, latents) {
  response <- problem$response
  if (response$kind != "multiclass" || identical(response$scheme, "joint")) return(NULL)
  if (!has_cavities(latents)) return(NULL)
  odds <- log_odds(problem$likelihood, cavity_marginals(problem, latents))
  true <- cbind(seq_len(nrow(odds)), class_codes(problem))
  copies <- if (length(problem$cases$weight)) problem$cases$weight else 1
  penalised <- function(log_temperature) {
    log_p <- normalise_log(odds * exp(-log_temperature))[true]
    # The bound keeps a single row of very small probability from deciding the temperature.
    sum(copies * pmax(log_p, density_floor)) - (log_temperature / temperature_spread)^2 / 2
  }
  exp(stats::optimize(penalised, log(c(0.25, 4)), maximum = TRUE, tol = 1e-4)$maximum)
}

temperature_spread <- 0.3

# The class of every training row as a column of the probabilities
class_codes <- function(problem) {
  switch(problem$response$kind,
    binary = (problem$y[, 1L] + 3) / 2, ordinal = problem$y[, 1L] + 1,
    max.col(problem$y, "first"))
}

# Leave-one-out predictive log density of every training row, on the response's own scale
cavity_log_density <- function(problem, latents) {
  if (is_classification(problem$response)) {
    rows <- seq_len(nrow(problem$y))
    return(cavity_log_probabilities(problem, latents)[cbind(rows, class_codes(problem))])
  }
  latent <- latents[[1L]]
  density <- log_density(problem$likelihood, problem$y, latent$cavity_mean, latent$cavity_variance)
  if (problem$response$kind != "real") return(density)
  density - log(problem$response$scale) * !is_interval(problem$y, problem$likelihood)
}
