# Learning the kernel of the relevance vector machine: an outer search on the evidence of machines
# trained on a subset of rows.

# Factors of all lengthscales that are tried first: the evidence has several optima in the width.
scanned_factors <- 2^(-4:2)
# Machines are trained only so far while they are compared.
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
  # Classes by Laplace's method, whose widths suit the other methods and which costs far less.
  options$inference <- "laplace"
  if (length(options$alpha_start) > 1L) options$alpha_start <- stats::median(options$alpha_start)
  bar <- progress_bar(problem$verbose, "Learning the kernel")
  origin <- kernel_theta(sample$kernel)
  widths <- free & grepl("lengthscale", names(kernel_theta(sample$kernel)))
  total <- length(scanned_factors) * any(widths) + 2 * control$steps
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
  if (any(widths)) {
    for (factor in scanned_factors) {
      tryCatch(objective(origin + log(factor) * widths), gpsieve_error_numerical = function(e) NULL)
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
#' The precisions and the noise maximise the evidence, so its partial gradient is the whole one.
#' @noRd
rvm_evidence_at <- function(theta, sample, options) {
  sample$kernel <- kernel_set_theta(sample$kernel, theta)
  latents <- run_rvm(sample, options)$latents
  gradients <- lapply(latents, function(l) l$evidence_gradient[seq_along(theta)])
  list(
    value = sum(vapply(latents, function(l) l$log_evidence, 0)), gradient = Reduce(`+`, gradients)
  )
}
