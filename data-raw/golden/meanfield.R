# Dense Gaussian process classification by mean fields, and the online algorithm, by full matrices.
# The likelihood is a step, and its noise v stands on the diagonal of the kernel matrix k = k0 + v
# I.
#
# A method chooses variances lambda_i; the weights u then solve u_i = g((k - diag(lambda)) u)_i,
# where g is the derivative of log Phi(y m / sqrt(lambda)) by m.

meanfield_state <- function(k, y, lambda, u) {
  m <- drop(k %*% u) - lambda * u
  ratio <- normal_ratio(y * m / sqrt(lambda))
  list(u = u, m = m, ratio = ratio, residual = sqrt(mean((sqrt(lambda) * u - y * ratio$r)^2)))
}

# The factor of diag(1 - r (r + z)) + sqrt(w) k sqrt(w), whose inverse between sqrt(w) is
# (k + diag(1 / w - lambda))^-1; w is minus the second derivative of log Phi.
meanfield_factor <- function(k, lambda, ratio) {
  w <- ratio$r * ratio$sum / lambda
  root <- sqrt(w)
  list(w = w, root = root, factor = chol(diag(ratio$slope) + outer(root, root) * k))
}

# Newton's method with halved steps; where no step helps, sweeps over single weights.
meanfield_weights <- function(k, y, lambda) {
  now <- meanfield_state(k, y, lambda, numeric(length(y)))
  for (iteration in 1:200) {
    if (now$residual < 1e-13) break
    part <- meanfield_factor(k, lambda, now$ratio)
    right <- y * sqrt(now$ratio$r / now$ratio$sum) + part$root * now$m
    target <- part$root *
      backsolve(part$factor, backsolve(part$factor, right, transpose = TRUE))
    better <- FALSE
    for (step in 2^-(0:13)) {
      there <- meanfield_state(k, y, lambda, now$u + step * (target - now$u))
      better <- is.finite(there$residual) && there$residual < now$residual * (1 - 0.1 * step)
      if (better) break
    }
    if (!better) {
      if (now$residual < 1e-9) break
      there <- meanfield_state(k, y, lambda, meanfield_sweeps(k, y, lambda, now$u))
    }
    now <- there
  }
  now
}

meanfield_sweeps <- function(k, y, lambda, u) {
  h <- drop(k %*% u)
  for (i in rep(seq_along(y), 5)) {
    others <- h[i] - k[i, i] * u[i]
    own <- k[i, i] - lambda[i]
    m <- others + own * u[i]
    for (step in 1:50) {
      ratio <- normal_ratio(y[i] * m / sqrt(lambda[i]))
      move <- (m - own * y[i] * ratio$r / sqrt(lambda[i]) - others) /
        (1 + own * ratio$r * ratio$sum / lambda[i])
      m <- m - move
      if (abs(move) < 1e-14 * (abs(m) + sqrt(lambda[i]))) break
    }
    new <- y[i] * normal_ratio(y[i] * m / sqrt(lambda[i]))$r / sqrt(lambda[i])
    h <- h + k[, i] * (new - u[i])
    u[i] <- new
  }
  u
}

# The variances of the method TAP are those of the cavities: lambda, weights and posterior variances
# are computed in turn until lambda no longer changes, accelerated as Anderson proposed.
meanfield_tap <- function(k, y, v) {
  x <- log(diag(k))
  moves <- changes <- NULL
  for (iteration in 1:500) {
    lambda <- exp(x)
    now <- meanfield_weights(k, y, lambda)
    part <- meanfield_factor(k, lambda, now$ratio)
    scaled <- backsolve(part$factor, part$root * k, transpose = TRUE)
    variance <- diag(k) - colSums(scaled^2)
    tau <- part$w / now$ratio$slope
    cavity <- variance / (1 - tau * variance)
    steep <- tau * variance > 0.5
    inverse <- diag(chol2inv(part$factor))[steep]
    cavity[steep] <- (1 / inverse - now$ratio$slope[steep]) / part$w[steep]
    move <- log(pmin(pmax(cavity, v), diag(k))) - x
    if (max(abs(move)) < 1e-11) break
    following <- x + move
    if (iteration > 1) {
      moves <- cbind(x - before$x, moves)[, seq_len(min(5, NCOL(moves) + !is.null(moves))),
        drop = FALSE
      ]
      changes <- cbind(move - before$move, changes)[, seq_len(ncol(moves)), drop = FALSE]
      if (sum(move^2) > 4 * sum(before$move^2)) {
        moves <- changes <- NULL
      } else {
        share <- qr.coef(qr(changes, tol = 1e-10), move)
        share[is.na(share)] <- 0
        following <- following - drop((moves + changes) %*% share)
      }
    }
    before <- list(x = x, move = move)
    x <- log(pmin(pmax(exp(following), v), diag(k)))
  }
  lambda
}

golden_meanfield_method <- function(stored, method, case, k0) {
  y <- case$y
  v <- case$v
  k <- k0 + diag(v, length(y))
  whole <- chol2inv(chol(k))
  lambda <- switch(method,
    ensemble = 1 / diag(whole), naive = diag(k), laplace = rep(v, length(y)),
    tap = meanfield_tap(k, y, v)
  )
  now <- meanfield_weights(k, y, lambda)
  part <- meanfield_factor(k, lambda, now$ratio)
  u <- now$u
  base <- sum(u * (drop(k %*% u) - lambda * u)) / 2 - sum(now$ratio$log_cdf)
  log_determinant <- sum(log(diag(part$factor)))
  r <- outer(part$root, part$root) * chol2inv(part$factor)
  z <- y * now$m / sqrt(lambda)
  # The free energy changes by the sum of the elements of `by` times those of a change of k.
  by <- switch(method,
    ensemble = (whole - tcrossprod(u) - whole %*% (lambda * now$ratio$slope * whole)) / 2,
    naive = diag(now$ratio$r * now$ratio$sum / lambda) / 2 - tcrossprod(u) / 2,
    tap = (r - tcrossprod(u)) / 2,
    laplace = meanfield_laplace_gradient(now, k0, r, y, v)
  )
  products <- by * k0
  amp <- sum(products)
  made <- list(
    free_energy = switch(method,
      naive = base, tap = , laplace = base + log_determinant,
      ensemble = base + sum(log(diag(chol(k)))) - sum(log(lambda)) / 2
    ),
    free_energy_lr = base + log_determinant,
    alpha_first10 = (y * u)[1:10], lambda_first10 = lambda[1:10],
    loo_prob_y_first10 = pnorm(z)[1:10], sum_alpha = sum(y * u),
    grad_log_w = -case$w *
      (colSums(case$X^2 * rowSums(products)) - colSums(case$X * (products %*% case$X))),
    grad_log_amp = amp, grad_log_v = if (method == "laplace") -amp else v * sum(diag(by))
  )
  new <- golden_rbf(case$Xtest, case$X, case$amp, 1 / sqrt(case$w))
  mean <- drop(new %*% u)
  predicted <- function(variance, suffix) {
    stats::setNames(list(variance, pnorm(mean / sqrt(variance + v))),
      paste0(c("var", "prob"), suffix)
    )
  }
  explained <- rowSums((new %*% whole) * new)
  made <- c(made, list(mean = mean), predicted(case$amp - rowSums((new %*% r) * new), ""))
  if (method == "naive") made <- c(made, predicted(rep(case$amp, length(mean)), "_cavity"))
  if (method == "ensemble") {
    added <- drop((new %*% whole)^2 %*% (lambda * now$ratio$slope))
    made <- c(made, predicted(case$amp - explained, "_cavity"),
      predicted(case$amp - explained + added, "_marginal")
    )
  }
  stored[intersect(names(stored), names(made))] <- made[intersect(names(stored), names(made))]
  stored
}

# For Laplace's method the curvature w depends on the mode, which depends on k0.
meanfield_laplace_gradient <- function(now, k0, r, y, v) {
  ratio <- now$ratio
  z <- y * now$m / sqrt(v)
  slope <- y * v^-1.5 * ratio$r * (1 - ratio$sum * (z + 2 * ratio$r))
  by_mode <- (diag(k0) - rowSums((k0 %*% r) * k0)) * slope / 2
  moved <- by_mode - drop(r %*% (k0 %*% by_mode))
  (r - tcrossprod(now$u) + outer(moved, now$u) + outer(now$u, moved)) / 2
}

# --- the online algorithm: posterior mean k' u and variance k(x, x) + k' c k

online_sweep <- function(k0, y, v, state) {
  log_z <- 0
  for (i in seq_along(y)) {
    direction <- drop(state$c %*% k0[, i])
    total <- v + k0[i, i] + sum(k0[, i] * direction)
    ratio <- normal_ratio(y[i] * sum(k0[, i] * state$u) / sqrt(total))
    log_z <- log_z + ratio$log_cdf
    direction[i] <- direction[i] + 1
    state$u <- state$u + y[i] * ratio$r / sqrt(total) * direction
    state$c <- state$c - ratio$r * ratio$sum / total * tcrossprod(direction)
  }
  state$free_energy <- -log_z
  state
}

# Sweeps of EP: the site (tau, nu) of a row leaves before the row is seen again.
online_ep_sweeps <- function(k0, y, v, sweeps) {
  n <- length(y)
  state <- list(u = numeric(n), c = matrix(0, n, n))
  tau <- nu <- numeric(n)
  for (sweep in seq_len(sweeps)) {
    for (i in seq_len(n)) {
      direction <- drop(state$c %*% k0[, i])
      direction[i] <- direction[i] + 1
      variance <- sum(k0[, i] * direction)
      mean <- sum(k0[, i] * state$u)
      left <- variance / (1 - tau[i] * variance)
      centre <- (mean - nu[i] * variance) / (1 - tau[i] * variance)
      ratio <- normal_ratio(y[i] * centre / sqrt(v + left))
      alpha <- y[i] * ratio$r / sqrt(v + left)
      w <- ratio$r * ratio$sum / (v + left)
      by_tau <- w / (1 - w * left) - tau[i]
      by_nu <- (alpha + centre * w) / (1 - w * left) - nu[i]
      tau[i] <- tau[i] + by_tau
      nu[i] <- nu[i] + by_nu
      change <- 1 + by_tau * variance
      state$u <- state$u + direction * (by_nu - by_tau * mean) / change
      state$c <- state$c - by_tau / change * tcrossprod(direction)
    }
    root <- sqrt(tau)
    factor <- chol(diag(n) + outer(root, root) * k0)
    state$c <- -outer(root, root) * chol2inv(factor)
    state$u <- nu + drop(state$c %*% (k0 %*% nu))
  }
  state
}

# With a budget of basis points. `q` is the inverse kernel matrix of the basis, `a` what c lacks to
# the inverse of the covariance of the data; a novel row enters, and the basis point with the lowest
# score leaves.
online_bounded <- function(k0, y, v, budget, novelty, score) {
  s <- list(
    basis = integer(), u = numeric(), c = matrix(0, 0, 0), q = matrix(0, 0, 0), a = matrix(0, 0, 0),
    log_z = 0, added = 0, deleted = 0
  )
  pad <- function(m) rbind(cbind(m, numeric(nrow(m))), numeric(ncol(m) + 1))
  for (i in seq_along(y)) {
    k <- k0[s$basis, i]
    direction <- drop(s$c %*% k)
    projection <- drop(s$q %*% k)
    left <- max(k0[i, i] - sum(k * projection), 0)
    variance <- k0[i, i] + sum(k * direction)
    ratio <- normal_ratio(y[i] * sum(k * s$u) / sqrt(v + variance))
    s$log_z <- s$log_z + ratio$log_cdf
    first <- y[i] * ratio$r / sqrt(v + variance)
    second <- -ratio$r * ratio$sum / (v + variance)
    if (left < novelty * k0[i, i]) {
      move <- direction + projection
      s$u <- s$u + first * move
      s$c <- s$c + second * tcrossprod(move)
      s$a <- s$a - second / (1 + second * (variance - left)) * tcrossprod(projection)
      next
    }
    move <- c(direction, 1)
    n <- length(move)
    s$u <- c(s$u, 0) + first * move
    s$c <- pad(s$c) + second * tcrossprod(move)
    s$q <- pad(s$q) + tcrossprod(c(projection, -1)) / left
    s$a <- pad(s$a)
    s$a[n, n] <- -second / (1 + second * variance)
    s$basis <- c(s$basis, i)
    s$added <- s$added + 1
    if (n > budget) {
      q <- diag(s$q)
      c <- diag(s$c)
      scores <- switch(score,
        kl = s$u^2 / q + c / q + log1p(diag(s$a) / q), cheap = s$u^2 / (q + c),
        rev = s$u^2 / (q + c) + diag(s$a) / q + log1p(c / q)
      )
      s <- online_without(s, which.min(scores), score)
      s$deleted <- s$deleted + 1
    }
  }
  s
}

# Deletes basis point j so that the Kullback-Leibler divergence from the former posterior to the new
# one is least, or for the score "rev" the divergence from the new one to the former.
online_without <- function(s, j, score) {
  q <- s$q[j, j]
  to_q <- s$q[-j, j]
  to_c <- s$c[-j, j]
  q_left <- s$q[-j, -j, drop = FALSE] - tcrossprod(to_q) / q
  if (score == "rev") {
    both <- to_q + to_c
    to_a <- s$a[-j, j]
    s$a <- s$a[-j, -j, drop = FALSE] - (tcrossprod(to_q, to_a) + tcrossprod(to_a, to_q)) / q +
      s$a[j, j] * tcrossprod(to_q) / q^2
    s$u <- s$u[-j] - s$u[j] * both / (q + s$c[j, j])
    s$c <- s$c[-j, -j, drop = FALSE] + tcrossprod(to_q) / q - tcrossprod(both) / (q + s$c[j, j])
  } else {
    sum <- s$q + s$a
    s$a <- sum[-j, -j, drop = FALSE] - tcrossprod(sum[-j, j]) / sum[j, j] - q_left
    s$u <- s$u[-j] - s$u[j] * to_q / q
    s$c <- s$c[-j, -j, drop = FALSE] + s$c[j, j] * tcrossprod(to_q) / q^2 -
      (tcrossprod(to_q, to_c) + tcrossprod(to_c, to_q)) / q
  }
  s$q <- q_left
  s$basis <- s$basis[-j]
  s
}

golden_online_method <- function(stored, name, case, k0) {
  n <- length(case$y)
  empty <- list(u = numeric(n), c = matrix(0, n, n))
  basis <- seq_len(n)
  if (name %in% c("online_1sweep", "online_2sweeps_adf")) {
    state <- online_sweep(k0, case$y, case$v, empty)
    if (name == "online_2sweeps_adf") state <- online_sweep(k0, case$y, case$v, state)
    made <- list(
      free_energy = state$free_energy, free_energy_second_sweep_only = state$free_energy
    )
  } else if (name == "ep_2sweeps") {
    state <- online_ep_sweeps(k0, case$y, case$v, 2)
    made <- list()
  } else {
    score <- if (is.null(stored$score)) "kl" else stored$score
    state <- online_bounded(k0, case$y, case$v, stored$budget, stored$novelty_tol, score)
    basis <- state$basis
    made <- list(
      bv_1based = basis, free_energy = -state$log_z, u_bv = state$u, n_add = state$added,
      n_del = state$deleted
    )
  }
  new <- golden_rbf(case$Xtest, case$X[basis, , drop = FALSE], case$amp, 1 / sqrt(case$w))
  mean <- drop(new %*% state$u)
  variance <- case$amp + rowSums((new %*% state$c) * new)
  made <- c(made, list(
    mean = mean, var = variance, prob = pnorm(mean / sqrt(variance + case$v)),
    alpha_first10 = (case$y[basis] * state$u)[1:10], C_1to3 = state$c[1:3, 1:3]
  ))
  stored[intersect(names(stored), names(made))] <- made[intersect(names(stored), names(made))]
  stored
}

golden_meanfield_case <- function(case) {
  k0 <- golden_rbf(case$X, case$X, case$amp, 1 / sqrt(case$w))
  for (name in names(case$methods)) {
    compute <- if (grepl("^(online|ep)_", name)) golden_online_method else golden_meanfield_method
    case$methods[[name]] <- compute(case$methods[[name]], name, case, k0)
  }
  case
}

golden_meanfield <- function(stored) lapply(stored, golden_meanfield_case)
