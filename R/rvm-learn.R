# Learning the kernel of the relevance vector machine on a subset of rows. The common factor of all
# lengthscales is the one that predicts held-out rows best. In regression the differences between
# lengthscales, and all other hyper-parameters, are first those of the greatest evidence of a
# trained machine.

# Common factors of all lengthscales that are tried: the evidence has several local maxima in the
# lengthscale. Regression, which costs less, is tried at the factors between them too.
scanned_factors <- 2^(-4:2)
finer_scanned_factors <- 2^seq(-4, 2, by = 0.5)
# Settings of the machines that are trained during the search.
learning_iterations <- 20
learning_tol <- 1e-4

#' The problem with a learned kernel
#' @noRd
learn_rvm <- function(problem, options, control) {
  free <- kernel_free(problem$kernel)
  lengthscales <- free & is_lengthscale(problem$kernel)
  # The variance of a single kernel only scales the weights, whose precisions are learned.
  effective <- free & (length(problem$kernel$children) > 0L |
    names(kernel_theta(problem$kernel)) != "variance")
  one_width <- sum(effective) == 1L && any(lengthscales)
  if (any(effective) && !one_width && !is_classification(problem$response)) {
    problem <- learn_rvm_evidence(problem, options, control)
  }
  if (any(lengthscales)) learn_rvm_width(problem, lengthscales, options, control) else problem
}

is_lengthscale <- function(kernel) grepl("lengthscale", names(kernel_theta(kernel)), fixed = TRUE)

#' The problem with the kernel of the greatest evidence of a trained machine
#' @noRd
learn_rvm_evidence <- function(problem, options, control) {
  free <- kernel_free(problem$kernel)
  sample <- rvm_learning_subset(problem, control)
  options$max_iter <- min(options$max_iter, learning_iterations)
  options$tol <- max(options$tol, learning_tol)
  if (length(options$alpha_start) > 1L) options$alpha_start <- stats::median(options$alpha_start)
  bar <- progress_bar(problem$verbose, "Learning the kernel")
  origin <- kernel_theta(sample$kernel)
  # The kernel's variance only scales the weights, whose precisions are learned.
  prior <- first_of_prior(
    hyper_prior(sample, control$prior, variance = FALSE), length(origin)
  )
  lengthscales <- free & is_lengthscale(sample$kernel)
  total <- length(scanned_factors) * any(lengthscales) + 2 * control$steps
  best <- list(value = -Inf, theta = origin)
  done <- 0
  evidence <- with_prior(function(theta) rvm_evidence_at(theta, sample, options), prior)
  objective <- function(theta) {
    at <- evidence(theta)
    if (is.finite(at$value) && at$value > best$value) {
      best <<- list(value = at$value, theta = theta)
    }
    done <<- done + 1
    if (!is.null(bar)) bar(done / total, length(theta))
    at
  }
  if (any(lengthscales)) {
    for (factor in scanned_factors) {
      tryCatch(objective(origin + log(factor) * lengthscales),
        gpsieve_error_numerical = function(e) NULL
      )
    }
  }
  search <- list(
    free = free, groups = theta_groups(sample$kernel, sample$likelihood)[seq_along(origin)],
    origin = origin, range = log(control$range), steps = control$steps
  )
  maximise_in_stages(objective, best$theta, search)
  with_learned(problem, list(
    kernel = kernel_set_theta(problem$kernel, best$theta), likelihood = problem$likelihood
  ), control$range)
}

#' The problem with the common factor of all lengthscales that predicts held-out rows best: the one
#' with the greatest sum of their log densities and the prior's log density
#'
#' With a precision for every candidate the evidence rewards lengthscales that are too short for new
#' rows. Machines of classes are judged on halves of the rows, since larger training parts choose
#' lengthscales at which they are too sure; those of numbers on fifths.
#' @noRd
learn_rvm_width <- function(problem, lengthscales, options, control) {
  classes <- is_classification(problem$response)
  sample <- rvm_learning_subset(problem, control)
  # One row leaves none to learn from.
  if (nrow(sample$x) < 2L) return(problem)
  options$max_iter <- min(options$max_iter, learning_iterations)
  # Laplace's method costs far less, and its lengthscales suit the other methods as well.
  if (classes) options$inference <- "laplace" else options$tol <- max(options$tol, learning_tol)
  if (length(options$alpha_start) > 1L) options$alpha_start <- stats::median(options$alpha_start)
  bar <- progress_bar(problem$verbose, "Learning the kernel")
  origin <- kernel_theta(problem$kernel)
  factors <- if (classes) scanned_factors else finer_scanned_factors
  kernels <- lapply(log(factors), function(by) {
    kernel_set_theta(problem$kernel, origin + by * lengthscales)
  })
  fold <- rep_len(seq_len(if (classes) 2L else 5L), nrow(sample$x))
  prior <- first_of_prior(hyper_prior(sample, control$prior, variance = FALSE), length(origin))
  scores <- vapply(seq_along(kernels), function(i) {
    if (!is.null(bar)) bar(i / length(kernels), i)
    density <- function(theta) list(value = parts_log_density(sample, fold, kernels[[i]], options))
    tryCatch(with_prior(density, prior)(kernel_theta(kernels[[i]]))$value,
      gpsieve_error_numerical = function(e) -Inf
    )
  }, 0)
  if (any(is.finite(scores))) problem$kernel <- kernels[[which.max(scores)]]
  problem
}

#' Log predictive density of each part of the rows by machines trained on the others
#' @noRd
parts_log_density <- function(sample, fold, kernel, options) {
  sample$kernel <- kernel
  sum(vapply(unique(fold), function(held_out) {
    train <- fold != held_out
    part <- sample
    part$x <- sample$x[train, , drop = FALSE]
    part$y <- sample$y[train, , drop = FALSE]
    part$cases <- part_of_cases(sample$cases, train)
    found <- run_rvm(part, options)
    if (length(found$likelihood_params)) {
      part$likelihood <- likelihood_set_theta(part$likelihood, found$likelihood_params)
    }
    held_out_log_likelihood(part, found$latents, sample$x[!train, , drop = FALSE],
      sample$y[!train, , drop = FALSE], part_of_cases(sample$cases, !train)
    )
  }, 0))
}

held_out_log_likelihood <- function(problem, latents, x, y, cases) {
  points <- if (nrow(problem$centres)) problem$centres else problem$x
  marginals <- call_core(core_predict, kernel_spec(problem$kernel), without_names(points),
    lapply(latents, `[[`, "posterior"), x, TRUE, core_settings(problem$threads),
    call = problem$call
  )
  w <- if (length(cases$weight)) cases$weight else 1
  offset <- if (length(cases$offset)) cases$offset else 0
  sum(vapply(seq_len(ncol(y)), function(k) {
    sum(w * call_core(core_log_density, likelihood_spec(problem$likelihood), y[, k],
      marginals$mean[, k] + offset, marginals$variance[, k]
    ))
  }, 0))
}

#' At most `learn_rows` rows and as many centres
#' @noRd
rvm_learning_subset <- function(problem, control) {
  sample <- learning_subset(problem, control)
  centres <- nrow(problem$centres)
  few <- draw(centres, min(centres, control$learn_rows), problem$seed)
  sample$centres <- problem$centres[few, , drop = FALSE]
  sample
}

#' Evidence of the machines trained with this kernel, and its gradient by the kernel's parameters
#'
#' The partial gradient at fixed precisions and noise is the whole gradient, because the evidence is
#' stationary in both after training.
#' @noRd
rvm_evidence_at <- function(theta, sample, options) {
  sample$kernel <- kernel_set_theta(sample$kernel, theta)
  latents <- run_rvm(sample, options)$latents
  gradients <- lapply(latents, function(l) l$evidence_gradient[seq_along(theta)])
  list(
    value = sum(vapply(latents, function(l) l$log_evidence, 0)), gradient = Reduce(`+`, gradients)
  )
}
