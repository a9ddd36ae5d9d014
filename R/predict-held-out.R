# How good predictions are of rows that the fit has not seen, in numbers that people compare.

# Root mean squared error and its standard error, share of the variance explained, and the share of
# the responses within their 95 % intervals. `weights` are how often each row counts, or NULL.
figures_of_numbers <- function(y, mean, lower, upper, weights = NULL) {
  w <- if (length(weights)) weights / sum(weights) else rep(1 / length(y), length(y))
  squares <- (y - mean)^2
  squared <- sum(w * squares)
  variance <- sum(w * (y - sum(w * y))^2)
  # That of the mean square, times the derivative of its root.
  error <- sqrt(sum(w * (squares - squared)^2) / (rows_that_count(w) - 1)) / (2 * sqrt(squared))
  c(
    rmse = sqrt(squared), r2 = if (any(y != y[1L])) 1 - squared / variance else NA_real_,
    coverage95 = sum(w * (y >= lower & y <= upper)),
    rmse_error = if (is.finite(error)) error else NA_real_, rows = length(y)
  )
}

# As many rows of equal weight have a mean of the same variance; `w` sum to 1.
rows_that_count <- function(w) 1 / sum(w^2)

# Share of wrong classes and its standard error, the share that the commonest class of the same rows
# would have wrong as the answer for all of them, mean negative log probability of the true class,
# for two classes the area under the ROC curve, and the mean distance between probability and
# frequency in bins of rows. The standard error is that of Agresti and Coull (1998), as if there
# were two wrong rows and two right ones more, so that it is not 0 where no row is wrong. `log_p` is
# an n x K matrix of log probabilities, `codes` the true column of each row.
figures_of_classes <- function(log_p, codes, weights = NULL) {
  n <- length(codes)
  w <- if (length(weights)) weights / sum(weights) else rep(1 / n, n)
  bins <- calibration_table(exp(log_p), codes)$reliability
  bins <- bins[bins$count > 0, ]
  error <- sum(w * (max.col(log_p, "first") != codes))
  rows <- rows_that_count(w) + 4
  wrong <- (error * (rows - 4) + 2) / rows
  shares <- vapply(seq_len(ncol(log_p)), function(k) sum(w[codes == k]), 0)
  c(
    error = error, guess = 1 - max(shares),
    log_loss = -sum(w * log_p[cbind(seq_len(n), codes)]),
    if (ncol(log_p) == 2L) c(auc = area_under_roc(log_p[, 2L] - log_p[, 1L], codes == 2L, w)),
    calibration = sum(bins$count * abs(bins$predicted - bins$observed)) / sum(bins$count),
    error_error = sqrt(wrong * (1 - wrong) / rows), rows = n
  )
}

# The probability that a positive row has a higher score than a negative one, ties counting half
area_under_roc <- function(score, positive, weights = rep(1, length(score))) {
  at <- match(score, sort(unique(score)))
  positives <- drop(rowsum(weights * positive, at))
  negatives <- drop(rowsum(weights * !positive, at))
  pairs <- sum(positives) * sum(negatives)
  if (pairs > 0) sum(positives * (cumsum(negatives) - negatives / 2)) / pairs else NA_real_
}

# Pairs of at most so many rows are compared.
most_ranked_rows <- 1000

# The share of the pairs of rows known to differ whose predictions are in the same order (Harrell's
# concordance index), ties of predictions counting half.
# Censored numbers lie between `lower` and `upper`. The first row of a pair is known to be smaller
# if its upper end is below the other's lower end, or equal to it where only the other is censored.
# The error of a predicted mean is not known for censored rows, and the rows that are not censored
# have smaller numbers than all, so that their errors alone would mislead.
figures_of_censored <- function(lower, upper, mean, weights = NULL) {
  rows <- evenly_spaced(length(mean), most_ranked_rows)
  w <- if (length(weights)) weights[rows] else rep(1, length(rows))
  lower <- lower[rows]
  upper <- upper[rows]
  smaller <- outer(upper, lower, "<") |
    outer(upper, lower, "==") & outer(lower == upper, lower < upper, "&")
  order <- (sign(-outer(mean[rows], mean[rows], "-")) + 1) / 2
  pair_weight <- outer(w, w) * smaller
  c(
    concordance = if (any(smaller)) sum(pair_weight * order) / sum(pair_weight) else NA_real_,
    rows = length(mean)
  )
}

# Figures of every row's prediction without that row, where the core returned its cavities; NULL
# elsewhere. Cavities leave out one copy of a row: of numbers the others would tell what it is.
leave_one_out_figures <- function(problem, latents) {
  if (!has_cavities(latents) || nrow(problem$y) < fewest_left_out) return(NULL)
  if (copies_tell(given_weights(problem), problem)) return(NULL)
  weights <- problem$cases$weight
  if (is_classification(problem$response)) {
    return(figures_of_classes(cavity_log_probabilities(problem, latents), class_codes(problem),
      weights))
  }
  if (isTRUE(problem$response$known < 1)) {
    return(figures_of_censored(problem$y[, 1L], problem$y[, 2L],
      predicted_mean(problem[c("response", "likelihood")], cavity_marginals(problem, latents)),
      weights))
  }
  rows <- if (adds_gaussian_noise(problem$likelihood)) seq_len(nrow(problem$y)) else
    evenly_spaced(nrow(problem$y), most_quantile_rows)
  cavity <- cavity_marginals(problem, latents)
  latent <- lapply(cavity, function(moments) moments[rows, , drop = FALSE])
  predicted <- problem[c("response", "likelihood")]
  y <- problem$y[rows, 1L] * latent_scale(predicted) + latent_center(predicted)
  if (problem$response$kind == "trials") {
    latent$trials <- trials_of(problem$y[rows, , drop = FALSE])
    y <- y / latent$trials
  }
  of_rows <- if (length(weights)) weights[rows]
  if (predicts_quantile(problem$likelihood)) {
    return(figures_of_quantile(y, predicted_mean(predicted, latent), of_rows))
  }
  band <- predicted_quantiles(predicted, latent, c(0.025, 0.975)) /
    trials_or_one(latent)
  figures_of_numbers(y, predicted_mean(predicted, latent), band[, 1L], band[, 2L], of_rows)
}

# Are there rows that count more than once, as weights say, and whose response is a number with
# noise, which the copies of a row share? Those of classes and counts are further observations.
copies_tell <- function(weights, fit) {
  any(weights > 1) && !is_classification(fit$response) && fit$response$kind != "trials" &&
    !is_of_counts(fit$likelihood)
}

# The share of the responses below the predicted quantile
figures_of_quantile <- function(y, quantile, weights = NULL) {
  w <- if (length(weights)) weights else rep(1, length(y))
  c(below = stats::weighted.mean(y < quantile, w), rows = length(y))
}

# Held-out figures of a fit that has no cavities but Gaussian noise, where a row can be taken out
# of the posterior with the basis held fixed (moments_without()); NULL elsewhere
figures_without_rows <- function(fit, molded) {
  of_numbers <- removes_rows(fit) && adds_gaussian_noise(fit$likelihood)
  if (!of_numbers || nrow(molded$x) < fewest_left_out) return(NULL)
  rows <- evenly_spaced(nrow(molded$x), most_removed_rows)
  scale <- latent_scale(fit)
  noise <-
    if (has_row_noise(fit)) (noise_of_training(fit, molded)[rows] / scale)^2
    else fit$likelihood$values$variance
  some <- as_fit_reads(fit, molded_rows(molded, rows))
  y <- some$y - if (is.null(some$offset)) 0 else some$offset
  # All copies of a row are taken out.
  copies <- if (has_row_noise(fit)) 1 else case_weights_of(some)
  truth <- (y - latent_center(fit)) / scale
  among_all <- function() {
    if (length(rows) == nrow(molded$x)) responses_without_row(fit, truth)
  }
  of_rows <- basis_has_noise(fit)
  without <- if (of_rows) among_all()
  if (is.null(without) && !(of_rows && is_partitioned(fit))) {
    without <- on_error(moments_without(fit, rows_for_fit(fit, some$x), truth, noise / copies,
      noise, if (of_rows) basis_points_of(fit, rows)), function(e) NULL)
  }
  if (is.null(without)) without <- among_all()
  if (is.null(without)) return(NULL)
  mean <- without$mean[, 1L] * scale + latent_center(fit)
  reach <- stats::qnorm(0.975) * sqrt(without$variance[, 1L]) * scale
  figures_of_numbers(y, mean, mean - reach, mean + reach, some$weights)
}

# Held-out figures of an online fit that has deleted no point and visited every row once; NULL
# where the marginals at the training rows say nothing about leaving a row out.
marginal_figures <- function(fit) {
  settings <- fit$settings
  counts_once <- fit$model == "online_gp" && nrow(fit$basis) < settings$budget &&
    settings$sweeps == 1 && is.null(settings$control$forget) &&
    is.null(settings$control$learn_every)
  plain <- adds_gaussian_noise(fit$likelihood) && !has_row_noise(fit) && is.null(fit$cases$total)
  if (!counts_once || !plain || fit$n < fewest_left_out) return(NULL)
  kept <- fit$kept
  noise <- fit$likelihood$values$variance
  y <- (kept$y - latent_center(fit)) / latent_scale(fit)
  if (!all(kept$variance[, 1L] < noise)) return(NULL)
  without <- without_own_row(kept$mean[, 1L], kept$variance[, 1L], y, noise)
  mean <- without$mean[, 1L]
  reach <- stats::qnorm(0.975) * sqrt(without$variance[, 1L] + noise)
  figures <- figures_of_numbers(y, mean, mean - reach, mean + reach)
  in_units <- c("rmse", "rmse_error")
  figures[in_units] <- figures[in_units] * latent_scale(fit)
  figures
}

# Fits of fewer rows have no figures of rows left out: without its one row a fit has no data.
fewest_left_out <- 2
# Quantiles of other than Gaussian distributions are found by root finding: so many rows suffice.
most_quantile_rows <- 1000
# A fit that has to predict each row without itself does so for at most so many rows.
most_removed_rows <- 2000

# Judging fits on rows that they have not seen -----------------------------------------------------

# No log density, of a response in units of its standard deviation, counts as less: one row that a
# candidate thinks impossible must not decide.
density_floor <- log(1e-10)

# What a fit says about rows that it has not seen, a number for each row.
# A list of `density`, the log predictive density of the response in units of `unit`, times the
# row's weight over the mean weight; of `residual`, the response minus its predictive mean in the
# same units, or 1 minus the probability of the true class, negative where that is not the second
# class, times the root of that weight; and of `surprise`, which is not weighted: the residual in
# predictive standard deviations, or the log probability of the true class. `said` is what
# held_out_figures() needs, of a real response less its offset.
held_out_scores <- function(fit, molded, unit) {
  latent <- latent_marginals(fit, apply_scales(molded$x, fit$inputs), TRUE, core_settings(1L),
    offset = molded$offset)
  says <- if (is_classification(fit$response)) held_out_classes else held_out_numbers
  if (!is.null(molded[["noise"]])) {
    known <- with_noise_of_rows(fit, latent, noise_of_molded(fit, molded))
    fit <- known$fit
    latent <- known$latent
  }
  found <- says(fit, molded$y, latent, unit)
  if (isTRUE(molded$counted) && (fit$response$kind == "real" || bends_response(fit$likelihood))) {
    found$density <- log_share_of_counts(fit, molded$y, latent) + log(unit)
  }
  if (fit$response$kind == "real" && !is.null(molded$offset)) {
    found$said <- found$said - molded$offset
  }
  weights <- case_weights_of(molded)
  weight <- weights / mean(weights)
  found$density <- weight * pmax(found$density, density_floor)
  found$residual <- sqrt(weight) * found$residual
  found$said <- cbind(found$said, weight = rep_len(weight, length(found$density)))
  found
}

held_out_classes <- function(fit, y, latent, unit) {
  log_p <- log_class_probabilities(fit$likelihood, fit$response, latent)
  column <- match(as.character(y), fit$response$present)
  density <- ifelse(is.na(column), -Inf, log_p[cbind(seq_along(column), column)])
  second <- as.character(y) == fit$response$levels[2L]
  all <- matrix(density_floor, length(y), length(fit$response$levels),
    dimnames = list(NULL, fit$response$levels))
  all[, present_levels(fit$response)] <- log_p
  list(
    density = density, residual = ifelse(second, 1, -1) * (1 - exp(density)),
    surprise = pmax(density, density_floor), said = all
  )
}

held_out_numbers <- function(fit, y, latent, unit) {
  scale <- latent_scale(fit)
  at <- list(latent = latent, y = code_response(y, fit))
  density <- log_density(fit$likelihood, at$y, latent$mean[, 1L], latent$variance[, 1L])
  if (fit$response$kind == "trials") latent$trials <- trials_of(at$y)
  band <- predicted_quantiles(fit, latent, c(0.025, 0.975)) / trials_or_one(latent)
  standardised <- if (learns_scale(fit$likelihood)) "quantile" else "pearson"
  list(
    density = density - log(scale / unit) * !is_interval(at$y, fit$likelihood),
    residual = number_residuals(fit, at, "response") / unit,
    surprise = number_residuals(fit, at, standardised),
    said = cbind(mean = predicted_mean(fit, latent), lower = band[, 1L], upper = band[, 2L])
  )
}

# The figures of rows that were held out, by figures_of_numbers(), figures_of_quantile() or
# figures_of_classes() as the response asks
held_out_figures <- function(judged, y, likelihood = NULL) {
  y <- y[judged$row]
  said <- judged$said
  # By position: a level may have any name.
  weight <- said[, ncol(said)]
  if (is.factor(y)) {
    return(figures_of_classes(said[, -ncol(said), drop = FALSE], as.integer(y), weight))
  }
  if (has_censored(y)) {
    return(figures_of_censored(pair_first(y), pair_second(y), said[, "mean"], weight))
  }
  if (predicts_quantile(likelihood)) {
    return(figures_of_quantile(plain_numbers(y), said[, "mean"], weight))
  }
  figures_of_numbers(plain_numbers(y), said[, "mean"], said[, "lower"], said[, "upper"], weight)
}

# The standard error of the mean of numbers, each of which counts as often as its weight says
error_of_mean <- function(x, weights = NULL) {
  if (is.null(weights)) return(stats::sd(x) / sqrt(length(x)))
  n <- sum(weights > 0)
  away <- weights * (x - stats::weighted.mean(x, weights))
  if (n > 1L) sqrt(sum(away^2) * n / (n - 1)) / sum(weights) else NA_real_
}

# The standard deviation of a numeric response, in which densities are measured; 1 for classes
response_unit <- function(y) {
  if (is.factor(y)) 1 else positive_or_one(stats::sd(plain_numbers(y), na.rm = TRUE))
}

# Does the offset of molded rows add to the logarithm of the mean of counts?
has_exposure <- function(likelihood, molded) {
  !is.null(likelihood) && likelihood_response(likelihood) == "count" && !is.null(molded$offset)
}

# Log densities of counts with the same rate per unit of exposure, whose variance exceeds the mean
# by the same share of its square everywhere
density_of_constant_rate <- function(likelihood, known, new, weights) {
  rate <- exp(log_mean_count(known$y, weights, known$offset))
  mean <- rate * exp(known$offset)
  excess <- sum(weights * ((known$y - mean)^2 - mean)) / sum(weights * mean^2)
  mean <- rate * exp(new$offset)
  family_of(likelihood)$constant(new$y, mean, mean + max(excess, 0) * mean^2, known$y)
}

most_trial_rows <- 40000

# Log probability of counts of a fit whose response is a number: that of the numbers that round to
# the count
log_share_of_counts <- function(fit, y, latent) {
  likelihood <- fit$likelihood
  mean <- latent$mean[, 1L]
  from_mean <- function(y) {
    coded <- (y - latent_center(fit)) / latent_scale(fit)
    latent_responses(likelihood, coded) - mean
  }
  lower <- from_mean(y - 0.5)
  upper <- from_mean(y + 0.5)
  # Where the function is, noise is symmetric: the smaller tail keeps its digits.
  above <- lower + upper > 0
  bent <- bends_response(likelihood)
  noise <- if (bent) lik_gaussian(likelihood$values$variance) else likelihood
  below <- function(distance) {
    call_core(core_cdf, likelihood_spec(noise), mean + distance, mean, latent$variance[, 1L])
  }
  log(drop(below(ifelse(above, -lower, upper)) - below(ifelse(above, -upper, lower))))
}

# Log densities of numbers under the distribution of a likelihood with the mean and the standard
# deviation of those that are known, `scales`; of logarithms for the log-normal one
constant_density <- function(y, scales, known, likelihood) {
  own <- if (!is.null(likelihood)) family_of(likelihood)$constant
  if (is.null(own)) stats::dnorm(y, scales$center, scales$scale, log = TRUE)
  else own(y, scales$center, scales$scale^2, known)
}
