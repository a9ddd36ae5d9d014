# Posteriors of the relevance vector machine from their definition: the full matrices of the
# functions in the model are factored anew. `p` is the design matrix, one column per function;
# functions have weights N(0, 1 / alpha).

# --- the posterior of a regression with noise variance s2

rvm_gaussian <- function(p, t, alpha, s2) {
  n <- length(t)
  m <- length(alpha)
  if (!m) {
    return(list(mu = numeric(), sigma = numeric(), covariance = matrix(0, 0, 0), rest = sum(t^2),
      logml = -(n * log(2 * pi * s2) + sum(t^2) / s2) / 2
    ))
  }
  root <- 1 / sqrt(alpha)
  b <- diag(m) + outer(root, root) * crossprod(p) / s2
  if (rcond(b) > 1e-13) {
    factor <- chol(b)
    mu <- root * backsolve(factor, backsolve(factor, root * crossprod(p, t) / s2, transpose = TRUE))
    inverse <- chol2inv(factor)
  } else {
    # The same factor by QR, whose error is that of the square root of b's condition number.
    qr <- qr(rbind(sweep(p, 2, root, "*") / sqrt(s2), diag(m)), LAPACK = TRUE)
    factor <- qr.R(qr)
    half <- backsolve(factor, diag(m))[order(qr$pivot), , drop = FALSE]
    inverse <- tcrossprod(half)
    mu <- root * half %*% qr.qty(qr, c(t / sqrt(s2), numeric(m)))[seq_len(m)]
  }
  mu <- drop(mu)
  covariance <- outer(root, root) * inverse
  rest <- sum((t - drop(p %*% mu))^2)
  list(
    mu = mu, sigma = diag(covariance), covariance = covariance, rest = rest,
    determined = 1 - diag(inverse), # 1 - alpha sigma
    logml = -(n * log(2 * pi * s2) + 2 * sum(log(abs(diag(factor)))) + rest / s2 +
      sum(alpha * mu^2)) / 2
  )
}

# --- the posterior of a classification with probit noise `noise`

# At outputs y whose cavity variances are v: the field z of each row, which solves
# z + v / (v + noise) r(z) = t y / sqrt(v + noise); the gradient `tau` of the log integral by y, its
# curvature `omega`, and the log integral plus v tau^2 / 2.
rvm_site <- function(y, t, v, noise) {
  total <- v + noise
  share <- v / total
  u <- t * y / sqrt(total)
  z <- u
  slope <- function(ratio) noise / total + share * ratio$slope
  for (step in 1:100) {
    ratio <- normal_ratio(z)
    move <- (z + share * ratio$r - u) / slope(ratio)
    z <- z - move
    if (all(abs(move) <= 1e-15 * (1 + abs(z)))) break
  }
  ratio <- normal_ratio(z)
  tau <- t * ratio$r / sqrt(total)
  list(
    tau = tau, omega = ratio$r * ratio$sum / total / slope(ratio),
    value = sum(ratio$log_cdf + v * tau^2 / 2)
  )
}

# Newton's method for the mean at given cavity variances; for TAP these are then computed from the
# posterior, until both agree.
rvm_probit <- function(p, t, alpha, noise, method, start = NULL) {
  m <- length(alpha)
  prior <- drop(p^2 %*% (1 / alpha))
  v <- switch(method,
    laplace = numeric(length(t)), naive = prior,
    tap = if (is.null(start)) numeric(length(t)) else pmin(start$v, prior)
  )
  if (!m) {
    site <- rvm_site(numeric(length(t)), t, numeric(length(t)), noise)
    return(list(mu = numeric(), sigma = numeric(), covariance = matrix(0, 0, 0), tau = site$tau,
      omega = site$omega, v = numeric(length(t)), psi = site$value, logml = site$value,
      logml_det = site$value
    ))
  }
  mu <- if (is.null(start)) numeric(m) else start$mu
  root <- 1 / sqrt(alpha)
  objective <- function(site, mu) site$value - sum(alpha * mu^2) / 2
  for (outer in 1:500) {
    site <- rvm_site(drop(p %*% mu), t, v, noise)
    for (inner in 1:100) {
      factor <- chol(diag(m) + outer(root, root) * crossprod(p * sqrt(site$omega)))
      slope <- drop(crossprod(p, site$tau)) - alpha * mu
      step <- root * backsolve(factor, backsolve(factor, root * slope, transpose = TRUE))
      gain <- sum(slope * step)
      if (gain < 1e-12) break
      now <- objective(site, mu)
      for (part in 2^-(0:29)) {
        there <- rvm_site(drop(p %*% (mu + part * step)), t, v, noise)
        if (objective(there, mu + part * step) >= now + 1e-4 * part * gain - 1e-12 * abs(now)) break
      }
      mu <- mu + part * step
      site <- there
    }
    covariance <- outer(root, root) * chol2inv(factor)
    if (method != "tap") break
    s <- rowSums((p %*% covariance) * p)
    next_v <- pmin(pmax(s / (1 - site$omega * s), 0), prior)
    change <- max(abs(next_v - v) / (noise + v))
    if (change < 1e-7 && gain < 1e-12) break
    v <- next_v
  }
  psi <- objective(site, mu)
  determinant <- psi - sum(log(diag(factor))) + sum(log1p(site$omega * v)) / 2
  list(
    mu = mu, sigma = diag(covariance), covariance = covariance, tau = site$tau,
    omega = site$omega, v = v, psi = psi, logml_det = determinant,
    logml = if (method == "naive") psi else determinant
  )
}
