# Comparing candidates by the log predictive density of held-out rows.

#' The fold of every row, classes spread evenly over the folds
#' @noRd
assign_folds <- function(y, folds, seed) {
  n <- length(y)
  shuffled <- draw(n, n, seed, sorted = FALSE)
  if (is.factor(y)) shuffled <- shuffled[order(as.integer(y)[shuffled])]
  fold <- integer(n)
  fold[shuffled] <- rep_len(seq_len(folds), n)
  fold
}

#' A fit of the candidate to some rows
#' @noRd
fit_candidate <- function(candidate, task, molded = task$molded) {
  bridge <- candidate_bridges()[[candidate$model]]
  own <- lapply(candidate_arguments(candidate, task), eval, topenv())
  shared <- list(
    seed = task$seed, threads = task$threads, verbose = FALSE, call = task$call
  )
  do.call(bridge, c(list(molded), own, Filter(Negate(is.null), shared)), quote = TRUE)
}

candidate_bridges <- function() {
  list(meanfield_gp = meanfield_bridge, ivm = ivm_bridge, ep_gp = ep_gp_bridge,
    greedy_gp = greedy_bridge
  )
}

#' The candidate's arguments with what the user said about all models, as expressions
#' @noRd
candidate_arguments <- function(candidate, task) {
  out <- candidate$arguments
  if (is.null(out$standardise) && !isTRUE(task$standardise)) out$standardise <- task$standardise
  if (!is.null(task$prior_mean)) out$prior_mean <- task$prior_mean
  if (!identical(task$control$prior, prior_weak()) && is.null(out$optimise)) {
    out$control <- prior_control(candidate$model, out$control, task$control$prior)
  }
  out
}

#' The expression of a control with this prior
#' @noRd
prior_control <- function(model, control, prior) {
  maker <- switch(model, meanfield_gp = "meanfield", ep_gp = "ep", greedy_gp = "greedy", model)
  if (is.null(control)) control <- call(paste0("control_", maker))
  control["prior"] <- list(if (!is.null(prior)) str2lang(format(prior)))
  control
}

#' The log predictive density of every row of new responses, on the responses' own scale
#'
#' No density is below `density_floor`: one row that a candidate thinks impossible must not decide.
#' With case weights each is multiplied by the row's weight over the mean weight.
#' @noRd
held_out_log_density <- function(fit, molded, call) {
  held_out_scores(fit, molded, call)$density
}

#' What a fit says about rows that it has not seen: list(density, error)
#'
#' `density` is that of held_out_log_density(), `error` the squared error of the mean for numbers,
#' and that of the probability of the true class for classes, weighted likewise.
#' @noRd
held_out_scores <- function(fit, molded, call) {
  latent <- latent_marginals(fit, apply_scales(molded$x, fit$inputs), TRUE,
    core_settings(1L), call,
    offset = molded$offset
  )
  response <- fit$response
  if (is_classification(response)) {
    log_p <- log_class_probabilities(fit$likelihood, response, latent)
    column <- match(as.character(molded$y), response$present)
    density <- ifelse(is.na(column), -Inf, log_p[cbind(seq_along(column), column)])
    error <- (1 - exp(density))^2
  } else {
    scale <- latent_scale(fit)
    y <- (molded$y - latent_center(fit)) / scale
    density <- drop(call_core(core_log_density, likelihood_spec(fit$likelihood), y,
      latent$mean[, 1L], latent$variance[, 1L],
      call = call
    )) - log(scale)
    error <- (molded$y - predicted_mean(fit, latent))^2
  }
  weight <- if (is.null(molded$weights)) 1 else molded$weights / mean(molded$weights)
  list(density = weight * pmax(density, density_floor), error = weight * error)
}

density_floor <- log(1e-10)

#' A candidate trained on some rows and judged on others: list(density, error, fit), the first two
#' one number for each row; a fit that broke down has the lowest density and is NULL
#' @noRd
judge_candidate <- function(candidate, task, molded, train, test) {
  tryCatch(
    muffle_warnings({
      fit <- fit_candidate(candidate, task, molded_rows(molded, train))
      c(held_out_scores(fit, molded_rows(molded, test), task$call), list(fit = fit))
    }),
    gpsieve_error_numerical = function(e) {
      list(density = rep(density_floor, length(test)), error = rep(Inf, length(test)))
    }
  )
}

#' The candidate whose learning begins at the hyper-parameters of a fit
#'
#' Learning still maximises the evidence of its own rows; it only has a shorter way to go.
#' @noRd
start_from <- function(candidate, fit) {
  if (is.null(fit) || isFALSE(candidate$arguments$optimise)) return(candidate)
  candidate$arguments$kernel <- reported_kernel(fit)
  if (is.null(candidate$arguments$likelihood)) candidate$arguments$likelihood <- fit$likelihood
  candidate
}

#' Cross-validated log densities of candidates and squared errors, n x candidates, and the seconds
#' each took
#'
#' After two folds a candidate that is worse than the best by more than two standard errors of the
#' paired difference is not tried on further folds; its remaining rows stay NA. In the first fold a
#' candidate begins to learn as `starts` says, in each later one at what the fold before it learned;
#' the `starts` of the answer are what the last fold learned.
#' @noRd
race_candidates <- function(candidates, task, molded, report = NULL, starts = candidates) {
  fold <- assign_folds(molded$y, task$control$folds, task$seed)
  last <- folds_to_judge(length(fold), task$control$folds)
  scores <- errors <- matrix(NA_real_, length(fold), length(candidates))
  seconds <- numeric(length(candidates))
  racing <- rep(TRUE, length(candidates))
  for (current in seq_len(last)) {
    test <- which(fold == current)
    for (k in which(racing)) {
      start <- proc.time()[["elapsed"]]
      judged <- judge_candidate(starts[[k]], task, molded, which(fold != current), test)
      scores[test, k] <- judged$density
      errors[test, k] <- judged$error
      starts[[k]] <- start_from(starts[[k]], judged$fit)
      seconds[k] <- seconds[k] + proc.time()[["elapsed"]] - start
      if (!is.null(report)) report()
    }
    if (current > 1L) racing <- racing & !is_beaten(scores[fold <= current, , drop = FALSE])
  }
  list(
    scores = scores[fold <= last, , drop = FALSE], errors = errors[fold <= last, , drop = FALSE],
    seconds = seconds, finished = racing, starts = starts
  )
}

# So many judged rows tell candidates apart that differ enough to matter.
enough_judged <- 300

#' Folds that are held out in turn: with many rows not all of them
#' @noRd
folds_to_judge <- function(n, folds) min(folds, max(2, ceiling(enough_judged * folds / n)))

#' Which columns are worse than the best by more than two standard errors of the paired difference
#' @noRd
is_beaten <- function(scores) {
  means <- colMeans(scores)
  best <- which.max(means)
  gap <- scores[, best] - scores
  behind <- colMeans(gap)
  error <- apply(gap, 2L, stats::sd) / sqrt(nrow(scores))
  unname(is.na(means) | (behind > 2 * error & seq_along(means) != best))
}
