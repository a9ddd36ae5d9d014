# The informative vector machine by dense algebra: after every inclusion the posterior of all rows
# is computed again from the full kernel matrix by Woodbury's formula.

# Means and variances of all rows given sites (precision, mean) on the rows `active`.
ivm_posterior <- function(k, active, precision, mean) {
  if (!length(active)) return(list(mean = numeric(nrow(k)), variance = diag(k)))
  root <- sqrt(precision)
  factor <- chol(diag(length(active)) + k[active, active] * outer(root, root))
  scaled <- backsolve(factor, root * k[active, , drop = FALSE], transpose = TRUE)
  list(
    mean = drop(crossprod(scaled, backsolve(factor, root * mean, transpose = TRUE))),
    variance = diag(k) - colSums(scaled^2), factor = factor
  )
}

# First derivative (alpha) and minus the second (nu) of the log of the integral of
# p(y | f) N(f | mean, variance) by the mean.
ivm_site <- function(case, y, mean, variance) {
  if (case$likelihood == "gaussian") {
    total <- case$noise_variance + variance
    return(list(alpha = (y - mean) / total, nu = 1 / total))
  }
  scale <- sqrt(1 + variance)
  ratio <- normal_ratio(y * (mean + case$bias) / scale)
  list(alpha = y * ratio$r / scale, nu = ratio$r * ratio$sum / scale^2)
}

golden_ivm_case <- function(case) {
  kernel <- function(x, z) {
    constant <- if (is.null(case$kernel$constant)) 0 else case$kernel$constant
    golden_rbf(x, z, case$kernel$rbf_variance, case$kernel$lengthscale) + constant
  }
  k <- kernel(case$X, case$X)
  active <- integer()
  precision <- mean <- numeric()
  for (i in seq_len(case$n_active)) {
    now <- ivm_posterior(k, active, precision, mean)
    free <- setdiff(seq_along(case$y), active)
    site <- ivm_site(case, case$y[free], now$mean[free], now$variance[free])
    reduction <- now$variance[free] * site$nu
    score <- -log1p(-reduction)
    if (case$criterion == "infogain") {
      score <- score - reduction + site$alpha^2 * now$variance[free]
    }
    best <- which.max(score)
    row <- free[best]
    precision <- c(precision, site$nu[best] / (1 - reduction[best]))
    mean <- c(mean, now$mean[row] + site$alpha[best] / site$nu[best])
    active <- c(active, row)
  }
  case$active <- active
  case$site_precision <- precision
  case$site_mean <- mean
  factor <- chol(k[active, active] + diag(1 / precision))
  case$evidence_active <- -sum(log(diag(factor))) -
    sum(backsolve(factor, mean, transpose = TRUE)^2) / 2 - length(active) / 2 * log(2 * pi)
  now <- ivm_posterior(k, active, precision, mean)
  root <- sqrt(precision)
  cross <- kernel(case$X[active, ], case$Xtest)
  scaled <- backsolve(now$factor, root * cross, transpose = TRUE)
  case$pred_mean <- drop(crossprod(scaled, backsolve(now$factor, root * mean, transpose = TRUE)))
  case$pred_var <- diag(kernel(case$Xtest, case$Xtest)) - colSums(scaled^2)
  if (!is.null(case$pred_prob)) {
    case$pred_prob <- pnorm((case$pred_mean + case$bias) / sqrt(1 + case$pred_var))
  }
  case
}

golden_ivm <- function(stored) lapply(stored, golden_ivm_case)
