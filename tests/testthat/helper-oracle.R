# Dense Gaussian processes in plain R. A sparse model with all rows as basis must agree with them.
# Every step is computed anew from the full matrices, which is slow.

rbf <- function(x, z = x, variance = 1, lengthscale = 1) {
  force(z) # before x changes
  x <- sweep(x, 2, lengthscale, "/")
  z <- sweep(z, 2, lengthscale, "/")
  d2 <- matrix(0, nrow(x), nrow(z))
  for (l in seq_len(ncol(x))) d2 <- d2 + outer(x[, l], z[, l], "-")^2
  variance * exp(-d2 / 2)
}

# log N(y | 0, c)
log_normal_density <- function(y, c) {
  u <- chol(c)
  -sum(log(diag(u))) - sum(backsolve(u, y, transpose = TRUE)^2) / 2 - length(y) * log(2 * pi) / 2
}

# The exact posterior of f given y = f + noise: k among the training rows, k_new training by new,
# k_diag at the new rows.
dense_gp <- function(k, y, noise, k_new, k_diag, mean = 0) {
  c <- k + diag(noise, nrow(k))
  solved <- solve(c, cbind(y - mean, k_new))
  list(
    mean = mean + drop(crossprod(k_new, solved[, 1])),
    variance = k_diag - colSums(k_new * solved[, -1, drop = FALSE]),
    evidence = log_normal_density(y - mean, c)
  )
}

# Derivatives in h of log Z, the log of the integral of p(y | f + mean) N(f | h, a): alpha is the
# first, nu minus the second.
probit_site <- function(mean = 0) {
  function(y, h, a) {
    s <- sqrt(1 + a)
    z <- y * (h + mean) / s
    r <- exp(dnorm(z, log = TRUE) - pnorm(z, log.p = TRUE))
    alpha <- y * r / s
    list(alpha = alpha, nu = alpha * (alpha + (h + mean) / (1 + a)))
  }
}

gaussian_site <- function(noise) {
  function(y, h, a) list(alpha = (y - h) / (noise + a), nu = rep(1, length(h)) / (noise + a))
}

# Posterior means and variances at all rows from sites (p, m) on the rows `set`.
posterior_from_sites <- function(k, set, p, m) {
  if (!length(set)) return(list(h = numeric(nrow(k)), a = diag(k)))
  part <- k[, set, drop = FALSE]
  weights <- solve(k[set, set, drop = FALSE] + diag(1 / p, length(p)), cbind(m, t(part)))
  list(
    h = drop(part %*% weights[, 1]), a = diag(k) - rowSums(part * t(weights[, -1, drop = FALSE]))
  )
}

# The informative vector machine: sites are included one by one, each time at the row with the best
# score.
dense_ivm <- function(k, y, n_active, site, criterion = "entropy") {
  set <- integer()
  p <- m <- numeric()
  for (i in seq_len(n_active)) {
    state <- posterior_from_sites(k, set, p, m)
    s <- site(y, state$h, state$a)
    score <- -log1p(-state$a * s$nu)
    if (criterion == "infogain") score <- score - state$a * s$nu + s$alpha^2 * state$a
    score[set] <- -Inf
    j <- unname(which.max(score))
    set <- c(set, j)
    p <- unname(c(p, s$nu[j] / (1 - state$a[j] * s$nu[j])))
    m <- unname(c(m, state$h[j] + s$alpha[j] / s$nu[j]))
  }
  list(
    active = set, precision = p, mean = m,
    evidence = log_normal_density(m, k[set, set] + diag(1 / p, length(p)))
  )
}

# Probit EP on the full matrix until the sites no longer change, with the predictions at new rows.
dense_ep <- function(k, y, k_new, k_diag, mean = 0, sweeps = 200) {
  n <- length(y)
  tau <- nu <- numeric(n)
  moments <- function() {
    root <- sqrt(tau)
    b <- diag(n) + k * outer(root, root)
    sigma <- k - k %*% (root * solve(b, root * k))
    list(sigma = sigma, mu = drop(sigma %*% nu))
  }
  site <- probit_site(mean)
  for (sweep in seq_len(sweeps)) {
    before <- c(tau, nu)
    for (i in seq_len(n)) {
      now <- moments()
      a <- 1 / (1 / now$sigma[i, i] - tau[i])
      h <- a * (now$mu[i] / now$sigma[i, i] - nu[i])
      s <- site(y[i], h, a)
      tau[i] <- s$nu / (1 - a * s$nu)
      nu[i] <- (s$alpha + h * s$nu) / (1 - a * s$nu)
    }
    if (max(abs(c(tau, nu) - before)) < 1e-12) break
  }
  weights <- solve(k + diag(1 / tau), cbind(nu / tau, k_new))
  h <- drop(crossprod(k_new, weights[, 1])) + mean
  a <- k_diag - colSums(k_new * weights[, -1, drop = FALSE])
  list(mean = h, variance = a, prob = pnorm(h / sqrt(1 + a)))
}

# Central differences of value() at x.
central_gradient <- function(value, x, step = 1e-5) {
  vapply(seq_along(x), function(i) {
    move <- replace(numeric(length(x)), i, step)
    (value(x + move) - value(x - move)) / (2 * step)
  }, 0)
}
