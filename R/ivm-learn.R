# Learning the hyper-parameters of the informative vector machine: selection alternates with a few
# quasi-Newton steps on the evidence of the active set, whose sites are held fixed.

#' The problem with learned hyper-parameters
#' @noRd
learn_ivm <- function(problem, n_active, criterion, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  n <- nrow(problem$x)
  sample <- if (n > control$learn_rows) {
    subset_problem(problem, draw_rows(n, control$learn_rows, problem$seed))
  } else {
    problem
  }
  options <- ivm_options(sample, min(n_active, control$learn_active), criterion, 0L, control)
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  for (round in seq_len(control$rounds)) {
    latents <- run_ivm(sample, options)$latents
    theta <- theta_of(sample$kernel, sample$likelihood)
    theta <- maximise_theta(active_objective(sample, latents), theta, free, control$steps)
    sample[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, theta)
    if (!is.null(bar)) bar(round / control$rounds, options$n_active)
  }
  problem[c("kernel", "likelihood")] <- sample[c("kernel", "likelihood")]
  problem
}

#' Evidence of the active sets as a function of the full vector of log hyper-parameters
#' @noRd
active_objective <- function(problem, latents) {
  sets <- lapply(latents, function(l) {
    list(
      x = problem$x[l$posterior$basis, , drop = FALSE], precision = l$site_precision,
      mean = l$site_mean
    )
  })
  function(theta, gradient = TRUE) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    active_evidence(at$kernel, at$likelihood, sets, problem$call, gradient)
  }
}

#' Summed evidence of active sets and its gradient, kernel first
#'
#' With Gaussian noise the sites are the observations themselves, so the noise variance takes part
#' as the inverse of every site precision; other likelihoods act only through sites held fixed.
#' @noRd
active_evidence <- function(kernel, likelihood, sets, call, gradient = TRUE) {
  gaussian <- likelihood$type == "gaussian"
  parts <- lapply(sets, function(set) {
    precision <- if (gaussian) rep(1 / likelihood$values$variance, length(set$mean)) else set$precision
    call_core(core_active_evidence, kernel_spec(kernel), set$x, precision, set$mean, gradient,
      call = call
    )
  })
  add <- function(field) Reduce(`+`, lapply(parts, `[[`, field))
  value <- add("value")
  if (!gradient) return(list(value = value))
  by_likelihood <- numeric(length(likelihood_theta(likelihood)))
  if (gaussian) by_likelihood[] <- -sum(add("log_precision"))
  list(value = value, gradient = c(add("kernel"), by_likelihood))
}

#' @noRd
evidence_gradient <- function(fit) UseMethod("evidence_gradient")

#' @export
evidence_gradient.gpsieve_ivm <- function(fit) {
  sets <- lapply(fit$sites, function(site) {
    list(
      x = fit$basis[match(site$row, fit$rows), , drop = FALSE], precision = site$precision,
      mean = site$mean
    )
  })
  theta <- theta_of(fit$kernel, fit$likelihood, names(fit$inputs$center))
  gradient <- active_evidence(fit$kernel, fit$likelihood, sets, rlang::current_env())$gradient
  stats::setNames(gradient, names(theta))[theta_free(fit$kernel, fit$likelihood)]
}

#' Rows drawn by a seed of their own, leaving R's generator as it was
#' @noRd
draw_rows <- function(n, size, seed) {
  env <- globalenv()
  before <- env$.Random.seed
  on.exit(if (is.null(before)) {
    rm(".Random.seed", envir = env)
  } else {
    assign(".Random.seed", before, envir = env)
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  sort(sample.int(n, size))
}
