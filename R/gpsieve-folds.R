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
    prior <- task$control$prior
    out$control <- control_with(candidate, prior = if (!is.null(prior)) str2lang(format(prior)))
  }
  out
}

#' The expression of the candidate's control with a further setting
#' @noRd
control_with <- function(candidate, ...) {
  maker <- switch(candidate$model, meanfield_gp = "meanfield", ep_gp = "ep",
    greedy_gp = "greedy", candidate$model
  )
  control <- candidate$arguments$control
  if (is.null(control)) control <- call(paste0("control_", maker))
  setting <- list(...)
  control[names(setting)] <- setting
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

#' What a fit says about rows that it has not seen: list(density, residual, surprise), one number
#' each for every row
#'
#' `density` is that of held_out_log_density(). `residual` is a number minus its predictive mean, or
#' 1 minus the probability of the true class, negative where that is not the second class, each
#' times the square root of the row's weight over the mean weight. `surprise` is not weighted: the
#' residual of a number in predictive standard deviations, or the log probability of the true class.
#' @noRd
held_out_scores <- function(fit, molded, call) {
  latent <- latent_marginals(fit, apply_scales(molded$x, fit$inputs), TRUE,
    core_settings(1L), call,
    offset = molded$offset
  )
  says <- if (is_classification(fit$response)) held_out_classes else held_out_numbers
  found <- says(fit, molded$y, latent, call)
  weight <- if (is.null(molded$weights)) 1 else molded$weights / mean(molded$weights)
  found$density <- weight * pmax(found$density, density_floor)
  found$residual <- sqrt(weight) * found$residual
  found
}

held_out_classes <- function(fit, y, latent, call) {
  log_p <- log_class_probabilities(fit$likelihood, fit$response, latent)
  column <- match(as.character(y), fit$response$present)
  density <- ifelse(is.na(column), -Inf, log_p[cbind(seq_along(column), column)])
  second <- as.character(y) == fit$response$levels[2L]
  list(
    density = density, residual = ifelse(second, 1, -1) * (1 - exp(density)),
    surprise = pmax(density, density_floor)
  )
}

held_out_numbers <- function(fit, y, latent, call) {
  scale <- latent_scale(fit)
  at <- list(latent = latent, y = (y - latent_center(fit)) / scale)
  density <- drop(call_core(core_log_density, likelihood_spec(fit$likelihood), at$y,
    latent$mean[, 1L], latent$variance[, 1L],
    call = call
  )) - log(scale)
  list(density = density, residual = number_residuals(fit, at, "response", call),
    surprise = number_residuals(fit, at, "pearson", call)
  )
}

density_floor <- log(1e-10)

#' A candidate trained on some rows and judged on others: what held_out_scores() returns, and `fit`;
#' a fit that broke down has the lowest density and is NULL
#' @noRd
judge_candidate <- function(candidate, task, molded, train, test) {
  tryCatch(
    muffle_warnings({
      fit <- fit_candidate(candidate, task, molded_rows(molded, train))
      c(held_out_scores(fit, molded_rows(molded, test), task$call), list(fit = fit))
    }),
    gpsieve_error_numerical = function(e) {
      lowest <- function(value) rep(value, length(test))
      list(density = lowest(density_floor), residual = lowest(Inf), surprise = lowest(NA_real_))
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

#' Cross-validated scores of entries (see choose_candidate()) on the same rows
#'
#' A list of `scores`, the log densities of held-out rows, and their `residuals`, both rows x
#' entries; of the `seconds` each entry took; of which `finished`; of `starts`; and of `judgements`,
#' all that was found out about each entry. After two folds an entry that is worse than the best by
#' more than two standard errors of the paired difference is not tried on further folds; its
#' remaining rows stay NA. In the first fold a candidate begins to learn as its entry says, in each
#' later one at what the fold before it learned; `starts` are what the last fold learned. What an
#' earlier stage found out about an entry on these rows is not computed again.
#' @noRd
race_candidates <- function(entries, task, molded, report = NULL) {
  fold <- assign_folds(molded$y, task$control$folds, task$seed)
  last <- folds_to_judge(length(fold), task$control$folds)
  known <- lapply(entries, known_judgement, molded)
  starts <- lapply(entries, `[[`, "start")
  found <- array(NA_real_, c(length(fold), length(entries), 3L))
  seconds <- numeric(length(entries))
  racing <- rep(TRUE, length(entries))
  for (current in seq_len(last)) {
    test <- which(fold == current)
    for (k in which(racing)) {
      if (!is.null(known[[k]])) {
        found[test, k, ] <- known[[k]]$found[test, ]
        next
      }
      start <- proc.time()[["elapsed"]]
      judged <- judge_candidate(starts[[k]], task, molded, which(fold != current), test)
      found[test, k, ] <- cbind(judged$density, judged$residual, judged$surprise)
      starts[[k]] <- start_from(starts[[k]], judged$fit)
      seconds[k] <- seconds[k] + proc.time()[["elapsed"]] - start
      if (!is.null(report)) report()
    }
    if (current > 1L) racing <- racing & !is_beaten(found_of(found, 1L, fold <= current))
  }
  rows <- fold <= last
  list(
    scores = found_of(found, 1L, rows), residuals = found_of(found, 2L, rows), seconds = seconds,
    finished = racing, starts = starts,
    judgements = lapply(seq_along(entries), function(k) {
      list(rows = length(fold), found = matrix(found[, k, ], ncol = 3L))
    })
  )
}

#' One of the numbers of each row and entry, as a matrix
#' @noRd
found_of <- function(found, number, rows) {
  matrix(found[rows, , number], ncol = dim(found)[2L])
}

#' What an earlier stage found out about an entry on the same rows, or NULL: samples of as many rows
#' are the same sample
#' @noRd
known_judgement <- function(entry, molded) {
  if (identical(entry$judgement$rows, length(molded$y))) entry$judgement
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
