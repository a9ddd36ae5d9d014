# The sparse greedy method by brute force: in every step each candidate is tried, and the quadratic
# form is minimised anew over the weights of the functions that would then be in the model.

# The primal form on the columns `set`: the minimum over a of
# Q(a) = -y'K a + a'(K'K + s2 K_set) a / 2, and the weights that reach it. With R'R = K_set it is a
# least-squares problem with rows sqrt(s2) R below those of K, solved by QR.
greedy_primal <- function(k, y, s2, set) {
  root <- chol(k[set, set, drop = FALSE])
  qr <- qr(rbind(k[, set, drop = FALSE], sqrt(s2) * root), LAPACK = TRUE)
  fitted <- qr.qty(qr, c(y, numeric(length(set))))[seq_along(set)]
  weights <- numeric(length(set))
  weights[qr$pivot] <- backsolve(qr.R(qr), fitted)
  list(value = -sum(fitted^2) / 2, weights = weights)
}

# The dual form on the rows `set`: the minimum over a of Q*(a) = -y'a + a'(K_set + s2 I) a / 2.
greedy_dual <- function(k, y, s2, set) {
  factor <- chol(k[set, set, drop = FALSE] + diag(s2, length(set)))
  u <- backsolve(factor, y[set], transpose = TRUE)
  list(value = -sum(u^2) / 2, weights = backsolve(factor, u))
}

# Includes the best candidate n times. `margin`: the second best gain divided by the best.
greedy_search <- function(form, k, y, s2, n, lists) {
  set <- integer()
  value <- margin <- numeric()
  for (step in seq_len(n)) {
    candidates <- if (is.null(lists)) seq_along(y) else lists[[step]]
    candidates <- setdiff(candidates, set)
    tried <- vapply(candidates, function(j) form(k, y, s2, c(set, j))$value, 0)
    best <- which(tried <= min(tried))
    chosen <- min(candidates[best])
    before <- if (step == 1) 0 else value[step - 1]
    gains <- sort(before - tried, decreasing = TRUE)
    margin <- c(margin, gains[2] / gains[1])
    value <- c(value, min(tried))
    set <- c(set, chosen)
  }
  list(set = set, value = value, margin = margin, weights = form(k, y, s2, set)$weights)
}

greedy_lists <- function(expected) {
  lists <- expected$candidate_lists
  if (is.matrix(lists)) split(lists, row(lists)) else lists
}

greedy_kernel <- function(problem) {
  params <- problem$expected$params
  sf2 <- if (is.null(params$sf2)) 1 else params$sf2
  force(sf2)
  function(x, z) golden_rbf(x, z, sf2, rep(sqrt(params$tw2 / 2), ncol(x)))
}

greedy_matrix <- function(x) if (is.matrix(x)) x else matrix(x, 1)

greedy_regression <- function(problem) {
  expected <- problem$expected
  params <- expected$params
  kernel <- greedy_kernel(problem)
  k <- kernel(problem$X, problem$X)
  y <- problem$y
  s2 <- params$noise_s2
  primal <- greedy_search(greedy_primal, k, y, s2, params$n, greedy_lists(expected))
  dual <- greedy_search(greedy_dual, k, y, s2, params$n, greedy_lists(expected))
  lower <- -sum(y^2) / 2 - s2 * dual$value
  all <- solve(k + diag(s2, nrow(k)), y)
  made <- list(
    idx_Q = primal$set, idx_Qstar = dual$set, Q = primal$value, Qstar = dual$value,
    lower_bound = lower, relgap = 2 * (primal$value - lower) / (abs(primal$value) + abs(lower)),
    beta_Q = primal$weights, beta_Qstar = dual$weights, margin_Q = primal$margin,
    margin_Qstar = dual$margin, half_yy = sum(y^2) / 2, Qmin_exact = -sum(y * (k %*% all)) / 2,
    Qstar_min_exact = -sum(y * all) / 2,
    predict = greedy_predictions(problem, kernel, k, primal, dual),
    evidence_DTC = greedy_evidence(problem, k, primal$set, 0),
    evidence_VFE = greedy_evidence(problem, k, primal$set, 1),
    evidence_exact = greedy_log_density(y, k + diag(s2, nrow(k)))
  )
  expected[names(made)] <- made
  expected
}

greedy_predictions <- function(problem, kernel, k, primal, dual) {
  s2 <- problem$expected$params$noise_s2
  new <- kernel(problem$X, greedy_matrix(problem$Xtest))
  prior <- problem$expected$params$sf2
  set <- primal$set
  among <- k[set, set]
  root <- chol(among)
  triangle <- qr.R(qr(rbind(k[, set], sqrt(s2) * root))) # of K'K + s2 K_set
  sor <- s2 * colSums(backsolve(triangle, new[set, ], transpose = TRUE)^2)
  explained <- colSums(backsolve(root, new[set, ], transpose = TRUE)^2)
  rows <- dual$set
  upper <- chol(k[rows, rows] + diag(s2, length(rows)))
  full <- chol(k + diag(s2, nrow(k)))
  list(
    mean = drop(crossprod(new[set, ], primal$weights)), var_sor = sor,
    var_dtc = prior - explained + sor,
    var_upper_Qstar = prior - colSums(backsolve(upper, new[rows, ], transpose = TRUE)^2),
    exact_mean = drop(crossprod(new, chol2inv(full) %*% problem$y)),
    exact_var = prior - colSums(backsolve(full, new, transpose = TRUE)^2)
  )
}

greedy_log_density <- function(y, covariance) {
  factor <- chol(covariance)
  -sum(log(diag(factor))) - sum(backsolve(factor, y, transpose = TRUE)^2) / 2 -
    length(y) / 2 * log(2 * pi)
}

# log N(y | 0, Q + s2 I), Q = K_.set K_set^-1 K_set., minus `trace` times tr(K - Q) / (2 s2), with
# its derivatives by log tw2 and log s2, all of them from n x n matrices.
greedy_evidence <- function(problem, k, set, trace) {
  params <- problem$expected$params
  y <- problem$y
  s2 <- params$noise_s2
  distance <- as.matrix(dist(problem$X))^2
  by_width <- k * distance / params$tw2 # derivative of k by log tw2
  projection <- solve(k[set, set], k[set, ])
  approximate <- crossprod(projection, k[set, ])
  covariance <- approximate + diag(s2, length(y))
  inverse <- chol2inv(chol(covariance))
  weights <- drop(inverse %*% y)
  outer <- (tcrossprod(weights) - inverse) / 2
  moved <- crossprod(projection, by_width[set, ])
  by_tw2 <- moved + t(moved) - crossprod(projection, by_width[set, set] %*% projection)
  missing <- sum(diag(k) - diag(approximate))
  list(
    value = greedy_log_density(y, covariance) - trace * missing / (2 * s2),
    grad_log_tw2 = sum(outer * by_tw2) + trace * sum(diag(by_tw2)) / (2 * s2),
    grad_log_s2 = s2 * sum(diag(outer)) + trace * missing / (2 * s2)
  )
}

# The bounds of k'(K + s2 I)^-1 k for a new point: both forms with its kernel values as response.
greedy_error_bar <- function(problem) {
  expected <- problem$expected
  params <- expected$params
  kernel <- greedy_kernel(problem)
  k <- kernel(problem$X, problem$X)
  new <- drop(kernel(problem$X, greedy_matrix(problem$Xtest)[1, , drop = FALSE]))
  primal <- greedy_search(greedy_primal, k, new, params$noise_s2, params$n, NULL)
  dual <- greedy_search(greedy_dual, k, new, params$noise_s2, params$n, NULL)
  made <- list(
    idx_Qstar = dual$set, idx_Q = primal$set, lower = -2 * dual$value,
    upper = (sum(new^2) + 2 * primal$value) / params$noise_s2,
    exact = sum(new * solve(k + diag(params$noise_s2, nrow(k)), new)), margin_Q = primal$margin,
    margin_Qstar = dual$margin
  )
  expected[names(made)] <- made
  expected
}

# --- sparse Newton for classes

# Minus the log density of a label and its first two derivatives by f.
greedy_loss <- function(likelihood, y, f) {
  if (likelihood == "logistic") {
    p <- plogis(-y * f)
    return(list(value = -plogis(y * f, log.p = TRUE), first = -y * p, second = p * (1 - p)))
  }
  ratio <- normal_ratio(y * f)
  list(value = -ratio$log_cdf, first = -y * ratio$r, second = ratio$r * ratio$sum)
}

# The mode of the model on the functions `set`, in coordinates in which its prior is N(0, I).
greedy_mode <- function(k, y, likelihood, set) {
  root <- chol(k[set, set, drop = FALSE])
  z <- t(backsolve(root, k[set, , drop = FALSE], transpose = TRUE))
  b <- numeric(length(set))
  objective <- function(b) sum(greedy_loss(likelihood, y, drop(z %*% b))$value) + sum(b^2) / 2
  for (iteration in 1:100) {
    loss <- greedy_loss(likelihood, y, drop(z %*% b))
    slope <- drop(crossprod(z, loss$first)) + b
    factor <- chol(diag(length(b)) + crossprod(z, loss$second * z))
    step <- backsolve(factor, backsolve(factor, slope, transpose = TRUE))
    if (sum(slope * step) < 1e-26) break
    part <- 1
    while (part > 1e-8 && objective(b - part * step) > objective(b) + 1e-13) part <- part / 2
    b <- b - part * step
  }
  loss <- greedy_loss(likelihood, y, drop(z %*% b))
  list(
    b = b, z = z, root = root, loss = loss, objective = objective(b),
    factor = chol(diag(length(b)) + crossprod(z, loss$second * z)),
    left = pmax(diag(k) - rowSums(z^2), 0)
  )
}

greedy_classification <- function(problem) {
  expected <- problem$expected
  likelihood <- expected$params$likelihood
  kernel <- greedy_kernel(problem)
  k <- kernel(problem$X, problem$X)
  y <- problem$y
  set <- integer()
  objective <- exact <- cheap <- margin <- numeric()
  left <- diag(k)
  first <- greedy_loss(likelihood, y, numeric(length(y)))$first
  for (step in seq_len(expected$params$n)) {
    score <- left * first^2
    score[set] <- -Inf
    best <- sort(score, decreasing = TRUE)[1:2]
    margin <- c(margin, best[2] / best[1])
    set <- c(set, which.max(score))
    mode <- greedy_mode(k, y, likelihood, set)
    left <- mode$left
    first <- mode$loss$first
    objective <- c(objective, mode$objective)
    # Half the squared norm of the gradient in the space of the kernel, and what bounds it without
    # kernel values of the other rows. In the model's own directions the gradient is zero.
    others <- setdiff(seq_along(y), set)
    exact <- c(exact, (sum(first * (k %*% first)) - sum(mode$b^2)) / 2)
    cheap <- c(cheap, sum(sqrt(left[others]) * abs(first[others]))^2 / 2)
  }
  new <- kernel(problem$X[set, ], greedy_matrix(problem$Xtest))
  features <- backsolve(mode$root, new, transpose = TRUE)
  mean <- drop(crossprod(features, mode$b))
  own <- colSums(backsolve(mode$factor, features, transpose = TRUE)^2)
  variance <- expected$params$sf2 - colSums(features^2) + own
  whole <- greedy_mode(k + diag(0, nrow(k)), y, likelihood, seq_along(y))
  evidence <- function(mode) mode$objective + sum(log(diag(mode$factor)))
  made <- list(
    idx = set, obj = objective, bound_exact = exact, bound_cheap = cheap, margin = margin,
    gamma = backsolve(mode$root, mode$b), nlZ_laplace = evidence(mode),
    predict = list(
      latent_mean = mean, latent_var = variance, latent_var_sor = own,
      prob = greedy_probability(likelihood, mean, variance)
    ),
    full_model = list(obj = whole$objective, nlZ_laplace = evidence(whole))
  )
  expected[names(made)] <- made
  expected
}

# The probability of the label 1 under N(mean, variance) of the latent value.
greedy_probability <- function(likelihood, mean, variance) {
  if (likelihood == "probit") return(pnorm(mean / sqrt(1 + variance)))
  mapply(function(m, s) {
    integrate(function(u) plogis(m + s * u) * dnorm(u), -Inf, Inf, rel.tol = 1e-12)$value
  }, mean, sqrt(variance))
}

golden_greedy <- function(stored) {
  stored$problems <- lapply(stored$problems, function(problem) {
    compute <- if (problem$id == "boston_errorbar") {
      greedy_error_bar
    } else if (problem$task == "classification") {
      greedy_classification
    } else {
      greedy_regression
    }
    problem$expected <- compute(problem)
    problem
  })
  stored
}
