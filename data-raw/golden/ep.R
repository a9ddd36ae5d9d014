# Expectation propagation, its stochastic form and assumed density filtering for the probit with
# inducing inputs (FITC), in the coordinates w in which the values at the inducing inputs are L w,
# L L' = K_uu, and w is standard normal before any data. Every posterior is factored anew.
#
# A posterior is N(mean, (I + precision)^-1) of w, proportional to exp(-w'w / 2 - w' precision w / 2
# + w' linear); a row i sees w through its features a_i = L^-1 k_i, with the variance s_i that the
# inducing inputs do not explain.

ep_prepare <- function(x, inducing, hyp) {
  jitter <- hyp$sn2 + hyp$jit_abs + hyp$jit_rel * hyp$sf2
  among <- golden_rbf(inducing, inducing, hyp$sf2, hyp$ell)
  factor <- chol(among + diag(jitter, nrow(inducing))) # L'
  cross <- golden_rbf(x, inducing, hyp$sf2, hyp$ell)
  list(
    x = x, inducing = inducing, hyp = hyp, factor = factor, among = among, cross = cross,
    a = ep_features(cross, factor), s = ep_unexplained(cross, factor, hyp)
  )
}

ep_features <- function(cross, factor) t(backsolve(factor, t(cross), transpose = TRUE))

ep_unexplained <- function(cross, factor, hyp) {
  pmax(hyp$sf2 + hyp$sn2 + hyp$jit_abs - rowSums(ep_features(cross, factor)^2), 0)
}

# Mean, factor of the precision, and log of the normalising constant of a posterior.
ep_gaussian <- function(sites) {
  factor <- chol(diag(length(sites$linear)) + sites$precision)
  u <- backsolve(factor, sites$linear, transpose = TRUE)
  list(factor = factor, mean = backsolve(factor, u), log_z = sum(u^2) / 2 - sum(log(diag(factor))))
}

# Means and variances of a_i' w.
ep_project <- function(a, posterior) {
  list(
    mean = drop(a %*% posterior$mean),
    variance = colSums(backsolve(posterior$factor, t(a), transpose = TRUE)^2)
  )
}

# The probit's integral over a cavity N(mean, variance) of a_i' w: log Z, its first derivative by
# the mean (alpha), minus the second (nu), its derivative by the variance, and the site that gives
# the same first two moments.
ep_tilt <- function(y, cavity, s) {
  total <- 1 + s + cavity$variance
  ratio <- normal_ratio(y * cavity$mean / sqrt(total))
  alpha <- y * ratio$r / sqrt(total)
  nu <- ratio$r * ratio$sum / total
  list(
    log_z = ratio$log_cdf, alpha = alpha, nu = nu, by_variance = -alpha * cavity$mean / total / 2,
    precision = nu / (1 - nu * cavity$variance),
    linear = (alpha + cavity$mean * nu) / (1 - nu * cavity$variance)
  )
}

ep_sum <- function(a, precision, linear) {
  list(precision = crossprod(a, a * precision), linear = drop(crossprod(a, linear)))
}

ep_scaled <- function(sites, by) lapply(sites, `*`, by)
ep_added <- function(one, other) Map(`+`, one, other)

# The cavity of rows with sites (precision, linear): their marginals without their own site.
ep_cavity <- function(marginal, precision, linear) {
  left <- 1 - precision * marginal$variance
  list(
    mean = (marginal$mean - marginal$variance * linear) / left, variance = marginal$variance / left
  )
}

# Passes over the data in batches of rows. EP keeps a site for each row; SEP keeps the sum of all
# sites, of which a cavity leaves out one in n; ADF adds the sites of a batch to what there is.
ep_run <- function(method, data, y, batches, damping, tolerance = 0) {
  n <- length(y)
  own <- list(precision = numeric(n), linear = numeric(n))
  sum <- list(precision = matrix(0, ncol(data$a), ncol(data$a)), linear = numeric(ncol(data$a)))
  for (rows in batches) {
    a <- data$a[rows, , drop = FALSE]
    cavity_sum <- if (method == "SEP") ep_scaled(sum, 1 - 1 / n) else sum
    marginal <- ep_project(a, ep_gaussian(cavity_sum))
    if (method == "EP") {
      cavity <- ep_cavity(marginal, own$precision[rows], own$linear[rows])
      site <- ep_tilt(y[rows], cavity, data$s[rows])
      by_precision <- damping * (site$precision - own$precision[rows])
      by_linear <- damping * (site$linear - own$linear[rows])
      own$precision[rows] <- own$precision[rows] + by_precision
      own$linear[rows] <- own$linear[rows] + by_linear
      sum <- ep_sum(data$a, own$precision, own$linear)
      if (max(abs(by_precision), abs(by_linear)) < tolerance * damping) break
    } else {
      site <- ep_tilt(y[rows], marginal, data$s[rows])
      kept <- if (method == "SEP") 1 - damping * length(rows) / n else 1
      found <- ep_scaled(ep_sum(a, site$precision, site$linear), damping)
      sum <- ep_added(ep_scaled(sum, kept), found)
    }
  }
  list(method = method, sum = sum, own = own)
}

# log Z, and its gradient by equation (2) of the paper of stochastic EP; `exact` adds for SEP and
# ADF what holding the sum of the sites fixed at the values of the inducing inputs leaves out there.
ep_evidence <- function(data, y, fit) {
  n <- length(y)
  a <- data$a
  posterior <- ep_gaussian(fit$sum)
  if (fit$method == "EP") {
    own <- fit$own
    marginal <- ep_project(a, posterior)
    cavity <- ep_cavity(marginal, own$precision, own$linear)
    site <- ep_tilt(y, cavity, data$s)
    spread <- 1 + own$precision * cavity$variance
    # log of the integral of a site over its cavity, in closed form
    share <- own$linear * cavity$mean + own$linear^2 * cavity$variance / 2 -
      own$precision * cavity$mean^2 / 2
    value <- posterior$log_z + sum(site$log_z + log(spread) / 2 - share / spread)
    weight <- (site$alpha * (own$precision * marginal$mean - own$linear) + 2 * site$by_variance) /
      (1 - own$precision * marginal$variance)
    centre <- posterior
  } else {
    left <- if (fit$method == "SEP") 1 - 1 / n else 1
    centre <- ep_gaussian(ep_scaled(fit$sum, left))
    site <- ep_tilt(y, ep_project(a, centre), data$s)
    value <- posterior$log_z + sum(site$log_z) + n * (centre$log_z - posterior$log_z)
    weight <- 2 * site$by_variance
  }
  # Derivatives of log Z by the features (h) and by K_uu in the coordinates w (g).
  h <- outer(site$alpha, centre$mean) + weight * a %*% chol2inv(centre$factor)
  second <- chol2inv(posterior$factor) + tcrossprod(posterior$mean)
  g <- crossprod(a, a * site$by_variance) - crossprod(h, a)
  g <- (g + t(g)) / 2 + (second - diag(ncol(a))) / 2
  out <- list(value = value, posterior = posterior, grad = ep_chain(data, site, h, g))
  if (fit$method != "EP") {
    covariance <- chol2inv(centre$factor)
    moved <- a %*% covariance
    tilted_mean <- sweep(site$alpha * moved, 2, centre$mean, "+")
    tilted_second <- n * covariance - crossprod(moved, moved * site$nu) + crossprod(tilted_mean)
    out$exact <- ep_chain(data, site, h, g + (tilted_second - n * second) / 2)
  }
  out
}

# From derivatives by features and K_uu to those by the logarithms of the hyper-parameters and by
# the inducing inputs.
ep_chain <- function(data, site, h, g) {
  hyp <- data$hyp
  x <- data$x
  z <- data$inducing
  by_cross <- t(backsolve(data$factor, t(h - 2 * site$by_variance * data$a)))
  by_among <- backsolve(data$factor, t(backsolve(data$factor, g)))
  by_among <- (by_among + t(by_among)) / 2
  by_diagonal <- sum(site$by_variance)
  trace <- sum(diag(by_among))
  cross <- by_cross * data$cross
  among <- by_among * data$among
  rows <- rowSums(cross)
  columns <- colSums(cross)
  all <- colSums(among)
  list(
    log_sf2 = sum(cross) + sum(among) + hyp$sf2 * by_diagonal + hyp$jit_rel * hyp$sf2 * trace,
    log_ell = drop(crossprod(x^2, rows) + crossprod(z^2, columns)) / hyp$ell^2 +
      (2 * drop(crossprod(z^2, all)) - 2 * colSums(x * (cross %*% z)) -
        2 * colSums(z * (among %*% z))) / hyp$ell^2,
    log_sn2 = hyp$sn2 * (by_diagonal + trace),
    Xbar_first5rows = sweep(crossprod(cross, x) - columns * z + 2 * (among %*% z - all * z), 2,
      hyp$ell^2, "/"
    )[1:5, ]
  )
}

ep_batches <- function(algorithm, n) {
  if (identical(algorithm$mode, "minibatch")) {
    return(rep(split(seq_len(n), (seq_len(n) - 1) %/% 20), 2))
  }
  passes <- if (is.null(algorithm$iterations)) 2000 else algorithm$iterations
  rep(list(seq_len(n)), passes)
}

golden_ep_algorithm <- function(algorithm, input) {
  data <- ep_prepare(input("Xtr"), input("Xbar"), algorithm$hyp)
  y <- drop(input("ytr"))
  damping <- if (is.null(algorithm$damping)) 0.5 else algorithm$damping
  tolerance <- if (isTRUE(algorithm$converged)) 1e-13 else 0
  fit <- ep_run(algorithm$method, data, y, ep_batches(algorithm, length(y)), damping, tolerance)
  found <- ep_evidence(data, y, fit)
  new <- golden_rbf(input("Xts"), data$inducing, data$hyp$sf2, data$hyp$ell)
  marginal <- ep_project(ep_features(new, data$factor), found$posterior)
  variance <- ep_unexplained(new, data$factor, data$hyp) + marginal$variance
  algorithm$result[c("logZ", "mean_fbar_first5", "pred_mean", "pred_var", "pred_prob")] <- list(
    found$value, drop(crossprod(data$factor, found$posterior$mean))[1:5], marginal$mean, variance,
    pnorm(marginal$mean / sqrt(1 + variance))
  )
  for (part in c("grad", "exact")) {
    name <- c(grad = "grad", exact = "grad_exact_theta_fixed")[[part]]
    if (!is.null(algorithm$result[[name]])) algorithm$result[[name]] <- found[[part]]
  }
  algorithm
}

golden_ep_case <- function(case) {
  input <- function(what) {
    file <- golden_file(file.path("ep_inputs", sprintf("%s_%s.csv", case$name, what)))
    unname(as.matrix(read.csv(file, header = FALSE)))
  }
  case$algorithms <- lapply(case$algorithms, golden_ep_algorithm, input)
  case
}

golden_ep <- function(stored) {
  stored$cases <- lapply(stored$cases, golden_ep_case)
  stored
}
