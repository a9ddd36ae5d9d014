# Learning the kernel of the relevance vector machine: a search for the hyper-parameters of largest
# evidence, where the evidence is that of a machine trained on a subset of rows.

# Common factors of all lengthscales that are tried first, because the evidence has several local
# maxima in the lengthscale.
scanned_factors <- 2^(-4:2)
# Settings of the machines that are trained during the search.
learning_iterations <- 20
learning_tol <- 1e-4

#' The problem with a learned kernel
#' @noRd
learn_rvm <- function(problem, options, control) {
  free <- kernel_free(problem$kernel)
  if (!any(free)) return(problem)
  sample <- rvm_learning_subset(problem, control)
  options$max_iter <- min(options$max_iter, learning_iterations)
  options$tol <- max(options$tol, learning_tol)
  # Laplace's method costs far less, and its lengthscales suit the other methods as well.
  options$inference <- "laplace"
  if (length(options$alpha_start) > 1L) options$alpha_start <- stats::median(options$alpha_start)
  bar <- progress_bar(problem$verbose, "Learning the kernel")
  origin <- kernel_theta(sample$kernel)
  lengthscales <- free & grepl("lengthscale", names(kernel_theta(sample$kernel)))
  total <- length(scanned_factors) * any(lengthscales) + 2 * control$steps
  best <- list(value = -Inf, theta = origin)
  done <- 0
  objective <- function(theta) {
    at <- rvm_evidence_at(theta, sample, options)
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
  maximise_theta(objective, best$theta, free, control$steps, origin)
  with_learned(problem, list(
    kernel = kernel_set_theta(problem$kernel, best$theta), likelihood = problem$likelihood
  ))
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
