# The relevance vector machine by batch EM, subspace EM and fast updates, with every posterior
# computed from its definition.

source("data-raw/golden/rvm-posterior.R")

# --- what the algorithms share

# The gain of log evidence of a function with precision alpha, given its sparsity s and quality q.
rvm_gain <- function(alpha, s, q) (log(alpha) - log(alpha + s) + q^2 / (alpha + s)) / 2

# One problem with the model that an algorithm changes: the functions in it, their precisions, the
# noise, the posterior and the trace.
rvm_model <- function(p, t, run) {
  regression <- !is.null(run$s2_init)
  model <- new.env()
  model$active <- integer()
  model$alpha <- numeric()
  model$s2 <- run$s2_init
  model$trace <- list()
  model$fit <- function() {
    part <- p[, model$active, drop = FALSE]
    if (regression) {
      model$post <- rvm_gaussian(part, t, model$alpha, model$s2)
      return(invisible())
    }
    start <- NULL
    if (!is.null(model$post)) {
      mu <- model$post$mu[match(model$active, model$of)]
      start <- list(mu = ifelse(is.na(mu), 0, mu), v = model$post$v)
    }
    model$post <- rvm_probit(part, t, model$alpha, run$noise2, run$method, start)
    model$of <- model$active
  }
  # Sparsity and quality of functions that are not in the model.
  model$factors <- function(j) {
    phi <- p[, j, drop = FALSE]
    part <- p[, model$active, drop = FALSE]
    weight <- if (regression) rep(1 / model$s2, length(t)) else model$post$omega
    pull <- if (regression) (t - drop(part %*% model$post$mu)) / model$s2 else model$post$tau
    s <- colSums(phi^2 * weight)
    if (length(model$active)) {
      common <- crossprod(phi, part * weight)
      if (regression && length(j) == 1L) {
        # As a sum of squares, so that a function that the model contains has a small positive s.
        u <- drop(model$post$covariance %*% t(common))
        left <- drop(phi) - drop(part %*% u)
        s <- sum(left^2) / model$s2 + sum(model$alpha * u^2)
        if (sum(left^2) < 1e-13 * sum(phi^2)) s <- -1
      } else {
        s <- s - rowSums((common %*% model$post$covariance) * common)
      }
    }
    list(s = s, q = drop(crossprod(phi, pull)))
  }
  model$note <- function(...) {
    model$trace <- c(model$trace, list(list(..., active = model$active, alpha = model$alpha,
      mu = model$post$mu, s2 = model$s2, logml = model$post$logml
    )))
  }
  # New precisions and noise by EM or by MacKay's rule; functions above the limit leave. TRUE if
  # none did.
  model$reestimate <- function() {
    post <- model$post
    determined <- if (regression) post$determined else 1 - model$alpha * post$sigma
    alpha <- if (run$rule == "em") {
      1 / (post$mu^2 + post$sigma)
    } else {
      pmax(determined, 1e-300) / post$mu^2
    }
    if (regression) {
      model$s2 <- if (run$rule == "em") {
        (post$rest + model$s2 * sum(determined)) / length(t)
      } else {
        post$rest / max(length(t) - sum(determined), 1e-8 * length(t))
      }
    }
    keep <- alpha <= run$L
    model$active <- model$active[keep]
    model$alpha <- alpha[keep]
    all(keep)
  }
  model$include <- function(j, alpha) {
    model$active <- c(model$active, j)
    model$alpha <- c(model$alpha, alpha)
  }
  model
}

# --- batch EM, and subspace EM, which first offers the functions one by one

rvm_em <- function(p, t, run) {
  model <- rvm_model(p, t, run)
  regression <- !is.null(run$s2_init)
  if (run$algorithm == "em") {
    model$active <- seq_len(ncol(p))
    model$alpha <- rep(run$alpha0, ncol(p))
    model$fit()
  } else {
    model$fit()
    model$note(stage = "start")
    for (j in seq_len(ncol(p))) {
      alpha <- run$L
      if (!identical(run$entry, "literal")) {
        found <- model$factors(j)
        alpha <- found$s^2 / (found$q^2 - found$s)
        enters <- found$q^2 > found$s && found$s > 0 && alpha <= run$L
      } else {
        enters <- TRUE
      }
      if (enters) model$include(j, alpha)
      if (!enters && !regression) next
      model$fit()
      model$note(stage = "grow")
      model$reestimate()
      model$fit()
    }
  }
  model$note(stage = "batch")
  for (iteration in seq_len(run$max_iter)) {
    before <- model$post$logml
    none_left <- model$reestimate()
    model$fit()
    model$note(stage = "batch")
    converged <- none_left && abs(model$post$logml - before) < run$tol * abs(model$post$logml)
    if (converged) break
  }
  list(model = model, converged = converged, iterations = iteration)
}

# --- fast updates: the one action with the largest gain in every iteration

rvm_fast <- function(p, t, run) {
  regression <- !is.null(run$s2_init)
  model <- rvm_model(p, t, run)
  norm <- colSums(p^2)
  if (regression) {
    pull <- drop(crossprod(p, t))
    first <- which.max(pull^2 / norm)
    rest <- pull[first]^2 / norm[first] - model$s2
    model$include(first, if (rest > 0) norm[first] / rest else 1e3)
  }
  model$fit()
  model$note(stage = "start", action = "start", index = model$active,
    chosen = model$alpha
  )
  converged <- FALSE
  for (iteration in seq_len(run$max_iter)) {
    now <- rep(Inf, ncol(p))
    now[model$active] <- model$alpha
    inside <- is.finite(now)
    all <- rvm_all_factors(model, p, t, regression)
    s <- all$s
    q <- all$q
    surplus <- q^2 - s
    best <- ifelse(surplus > 0, s^2 / surplus, Inf)
    wanted <- surplus > 0 & s > 0
    if (!regression) wanted <- wanted & best <= run$L
    able <- wanted & (if (regression) inside | s >= 1e-10 * norm / model$s2 else TRUE)
    gain <- rep(-Inf, ncol(p))
    gain[able] <- rvm_gain(best[able], s[able], q[able]) -
      ifelse(inside[able], rvm_gain(now[able], s[able], q[able]), 0)
    leaves <- inside & (if (regression) !wanted else surplus <= 0 & s > 0)
    if (!regression || length(model$active) > 1) {
      gain[leaves] <- -rvm_gain(now[leaves], s[leaves], q[leaves])
    }
    j <- which.max(gain)
    still <- gain[j] < run$tol
    action <- "none"
    if (still && !regression) {
      converged <- TRUE
      break
    }
    if (!still) {
      at <- match(j, model$active)
      if (is.na(at)) {
        model$include(j, best[j])
        action <- "add"
      } else if (is.finite(best[j])) {
        model$alpha[at] <- best[j]
        action <- "reestimate"
      } else {
        model$active <- model$active[-at]
        model$alpha <- model$alpha[-at]
        action <- "delete"
      }
    }
    model$fit()
    if (regression) {
      s2 <- model$s2
      logml <- model$post$logml
      left <- length(t) - sum(1 - model$alpha * model$post$sigma)
      model$s2 <- max(model$post$rest / max(left, 1e-8 * length(t)), 1e-12 * mean(t^2))
      model$fit()
      converged <- still && abs(log(model$s2 / s2)) < 1e-6 &&
        abs(model$post$logml - logml) < run$tol
    }
    model$note(stage = paste(action, j), action = action, index = j, chosen = best[j])
    if (converged) break
  }
  list(model = model, converged = converged, iterations = iteration)
}

# Sparsity and quality of all functions; of those in the model without themselves.
rvm_all_factors <- function(model, p, t, regression) {
  part <- p[, model$active, drop = FALSE]
  weight <- if (regression) rep(1 / model$s2, length(t)) else model$post$omega
  common <- crossprod(p, part * weight)
  s <- colSums(p^2 * weight)
  if (length(model$active)) s <- s - rowSums((common %*% model$post$covariance) * common)
  q <- if (regression) {
    (drop(crossprod(p, t)) / model$s2 - drop(common %*% model$post$mu))
  } else {
    drop(crossprod(p, model$post$tau))
  }
  s[model$active] <- 1 / model$post$sigma - model$alpha
  q[model$active] <- model$post$mu / model$post$sigma
  list(s = s, q = q)
}

# --- the file

rvm_predictions <- function(p, post, rows, extra) {
  part <- p[rows, , drop = FALSE]
  variance <- rowSums((part %*% post$covariance) * part) + extra
  list(mean = drop(part %*% post$mu), var = variance)
}

golden_rvm_run <- function(run, p, t) {
  found <- (if (run$algorithm == "fast") rvm_fast else rvm_em)(p, t, run)
  model <- found$model
  regression <- !is.null(run$s2_init)
  first <- lapply(model$trace[seq_along(run$trace_first)], function(entry) {
    entry$n_active <- length(entry$active)
    if (!is.null(entry$chosen) && regression) entry$alpha <- entry$chosen
    if (any(is.infinite(entry$alpha))) entry$alpha <- "Inf" # what JSON has for it
    for (part in c("active", "mu", "alpha")) {
      entry[[part]] <- if (length(entry[[part]])) utils::head(entry[[part]], 8) else list()
    }
    entry
  })
  run$trace_first <- Map(function(made, stored) made[names(stored)], first, run$trace_first)
  if (!is.null(run$trace_logml)) {
    run$trace_logml <- vapply(model$trace, `[[`, 0, "logml")
    run$trace_M <- vapply(model$trace, function(entry) length(entry$active), 0L)
  }
  post <- model$post
  predicted <- rvm_predictions(p[, model$active, drop = FALSE], post, run$pred_rows,
    if (regression) model$s2 else 0
  )
  made <- list(
    converged = found$converged, active = model$active, alpha = model$alpha, mu = post$mu,
    Sigma_diag = post$sigma, s2 = model$s2, logml = post$logml, logml_det = post$logml_det,
    psi = post$psi, pred_mean = predicted$mean, pred_var = predicted$var,
    pred_prob = if (!regression) pnorm(predicted$mean / sqrt(run$noise2 + predicted$var))
  )
  # The number of iterations has its own name in each part of the file.
  made[c("batch_iter", "iter")] <- found$iterations
  run[intersect(names(run), names(made))] <- made[intersect(names(run), names(made))]
  run
}

golden_rvm_estep <- function(step, p, t, method) {
  post <- rvm_probit(p, t, rep(1, ncol(p)), step$noise2, method)
  predicted <- rvm_predictions(p, post, step$pred_rows, 0)
  made <- list(
    mu = post$mu, Sigma_diag = post$sigma, psi = post$psi, logml = post$logml,
    logml_det = post$logml_det, tau_rows = post$tau[step$pred_rows],
    Omega_rows = post$omega[step$pred_rows], V_rows = post$v[step$pred_rows],
    pred_mean = predicted$mean, pred_var = predicted$var,
    pred_prob = pnorm(predicted$mean / sqrt(step$noise2 + predicted$var))
  )
  step[names(made)] <- made
  step
}

rvm_rows <- function(name, problem) {
  switch(name,
    sinc = list(x = matrix(problem$x), t = problem$t),
    mcycle = list(x = matrix(MASS::mcycle$times / 10), t = as.vector(scale(MASS::mcycle$accel))),
    synth = list(
      x = unname(as.matrix(MASS::synth.tr[c("xs", "ys")])), t = 2 * MASS::synth.tr$yc - 1
    )
  )
}

golden_rvm_problem <- function(name, problem) {
  rows <- rvm_rows(name, problem)
  centres <- rows$x[problem$centres, , drop = FALSE]
  p <- cbind(1, golden_rbf(rows$x, centres, 1, sqrt(problem$nu2)))
  problem$design_check <- list(sum = sum(p), row7_first5 = p[7, 1:5])
  problem$t_first5 <- rows$t[1:5]
  problem$runs <- lapply(problem$runs, golden_rvm_run, p, rows$t)
  steps <- problem$fixed_alpha_estep
  for (method in names(steps)) {
    problem$fixed_alpha_estep[[method]] <- golden_rvm_estep(steps[[method]], p, rows$t, method)
  }
  problem
}

golden_rvm <- function(stored) {
  stored$problems <- Map(golden_rvm_problem, names(stored$problems), stored$problems)
  stored
}
