# Learning the hyper-parameters of the informative vector machine on a subset of rows: selection of
# an active set alternates with a few quasi-Newton steps that hold it fixed.
#
# What the steps climb depends on what the fit will be. A refined machine climbs EP's evidence of
# all the subset's rows with the active points as inducing inputs. The plain machine of the paper
# has the evidence of its active set only, sites held fixed; where labels are noisy or classes many
# that prefers lengthscales that are too short, since the active rows are the unusual ones.

#' The problem with learned hyper-parameters
#' @noRd
learn_ivm <- function(problem, criterion, refine, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  sample <- learning_subset(problem, control)
  # Not fewer active points than that even for a smaller machine: with few inducing inputs the
  # evidence prefers to call the data noise.
  options <- ivm_options(sample, control$learn_active, criterion, 0L, control)
  bar <- progress_bar(problem$verbose, "Learning hyper-parameters")
  origin <- theta_of(sample$kernel, sample$likelihood)
  best <- list(value = -Inf, kernel = sample$kernel, likelihood = sample$likelihood)
  # The last turn of the loop only judges the last step, on an active set of its own.
  for (round in seq_len(control$rounds + 1L)) {
    latents <- run_ivm(sample, options)$latents
    objective <-
      if (refine > 0) ep_objective(sample, latents)
      else active_objective(sample, latents)
    theta <- theta_of(sample$kernel, sample$likelihood)
    value <- objective(theta)$value
    if (value > best$value) {
      best <- list(value = value, kernel = sample$kernel, likelihood = sample$likelihood)
    }
    if (round > control$rounds) break
    climbed <- maximise_theta(objective, theta, free, control$steps, origin)
    sample[c("kernel", "likelihood")] <- set_theta(sample$kernel, sample$likelihood, climbed)
    if (!is.null(bar)) bar(round / control$rounds, options$n_active)
    if (max(abs(climbed - theta)) < settled_step) break
  }
  if (is.finite(best$value)) problem[c("kernel", "likelihood")] <- best[c("kernel", "likelihood")]
  problem
}

# Log hyper-parameters that moved less than this in a round will not change the next selection much.
settled_step <- 0.02

#' At most `learn_rows` rows and `learn_classes` of the one-vs-rest machines, drawn at random
#' @noRd
learning_subset <- function(problem, control) {
  n <- nrow(problem$x)
  k <- ncol(problem$y)
  rows <- draw(n, min(n, control$learn_rows), problem$seed)
  classes <- draw(k, min(k, control$learn_classes), problem$seed)
  problem$x <- problem$x[rows, , drop = FALSE]
  problem$y <- problem$y[rows, classes, drop = FALSE]
  problem
}

#' EP's evidence of all rows as a function of the full vector of log hyper-parameters
#'
#' EP starts from the sites of the previous call, so that nearby evaluations cost a few passes each.
#' @noRd
ep_objective <- function(problem, latents) {
  prior_means <- ivm_prior_means(problem)
  none <- list(precision = matrix(0, 0L, 0L), shift = matrix(0, 0L, 0L))
  sites <- rep(list(none), length(latents))
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    kernel <- kernel_spec(at$kernel)
    likelihood <- likelihood_spec(at$likelihood)
    parts <- lapply(seq_along(latents), function(k) {
      inducing <- problem$x[latents[[k]]$posterior$basis, , drop = FALSE]
      call_core(core_ep_evidence, kernel, likelihood, inducing, problem$x,
        problem$y[, k, drop = FALSE], prior_means[k], ep_learning_options, sites[[k]]$precision,
        sites[[k]]$shift, FALSE, settings,
        call = problem$call
      )
    })
    if (all(vapply(parts, function(part) is.finite(part$value), NA))) sites <<- parts
    add_evidence(parts)
  }
}

# Sites within a hundredth of their marginals: log Z is stationary in them, so its error is far
# smaller.
ep_learning_options <- list(
  jitter = 1e-6, max_passes = 10L, tolerance = 1e-2, power = 1, joint = FALSE
)

add_evidence <- function(parts) {
  add <- function(field) Reduce(`+`, lapply(parts, `[[`, field))
  list(value = add("value"), gradient = c(add("kernel"), add("likelihood")))
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
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    active_evidence(at$kernel, at$likelihood, sets, problem$call)
  }
}

#' Summed evidence of active sets and its gradient, kernel first
#'
#' With Gaussian noise the sites are the observations themselves, so the noise variance takes part
#' as the inverse of every site precision; other likelihoods act only through sites held fixed.
#' @noRd
active_evidence <- function(kernel, likelihood, sets, call) {
  gaussian <- likelihood$type == "gaussian"
  n_own <- length(likelihood_theta(likelihood))
  add_evidence(lapply(sets, function(set) {
    precision <-
      if (gaussian) rep(1 / likelihood$values$variance, length(set$mean))
      else set$precision
    part <- call_core(core_active_evidence, kernel_spec(kernel), set$x, precision, set$mean, TRUE,
      call = call
    )
    part$likelihood <- if (gaussian) -sum(part$log_precision) else numeric(n_own)
    part
  }))
}

#' @noRd
evidence_gradient <- function(fit) UseMethod("evidence_gradient")

#' @export
evidence_gradient.gpsieve_fit <- function(fit) {
  if (!is.null(fit$evidence$gradient)) return(fit$evidence$gradient)
  abort_gpsieve("This fit has no gradient of its evidence.", class = "unsupported",
    call = rlang::caller_env(2L)
  )
}

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
