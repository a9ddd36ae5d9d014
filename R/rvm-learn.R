# Learning the kernel of the relevance vector machine on a subset of rows. In regression the
# differences between lengthscales, and all hyper-parameters but lengthscales, are those of the
# greatest evidence of a trained machine. Held-out rows then choose the common factor of all
# lengthscales and the capacity of the machine: R/rvm-held-out.R.

# Settings of the machines that are trained during the search.
learning_iterations <- 20
learning_tol <- 1e-4
# The smallest precision of a regression whose kernel is learned, for a response of unit variance.
# Smooth functions that are nearly dependent get weights that cancel at the training rows and not
# beyond them. With standard deviations of at most 1000 predictions beyond the training rows stay
# within the range of the response; with smaller ones smooth functions are followed less closely.
smallest_regression_precision <- 1e-6

# The problem with a learned kernel, and the options of training with a learned capacity
learn_rvm <- function(problem, options, control) {
  free <- kernel_free(problem$kernel)
  lengthscales <- free & is_lengthscale(problem$kernel)
  # The variance of a single kernel only scales the weights, whose precisions are learned.
  effective <- free & (length(problem$kernel$children) > 0L |
    names(kernel_theta(problem$kernel)) != "variance")
  if (!is_classification(problem$response) && is.null(control$alpha_min)) {
    options$alpha_min <- smallest_regression_precision
  }
  one_width <- sum(effective) == 1L && any(lengthscales)
  if (any(effective) && !one_width && !is_classification(problem$response)) {
    problem <- learn_rvm_evidence(problem, options, control)
  }
  learn_rvm_held_out(problem, lengthscales, options, control)
}

is_lengthscale <- function(kernel) grepl("lengthscale", names(kernel_theta(kernel)), fixed = TRUE)

# The problem with the kernel of the greatest evidence of a trained machine
learn_rvm_evidence <- function(problem, options, control) {
  free <- kernel_free(problem$kernel)
  sample <- rvm_learning_subset(problem)
  options <- rvm_trial_options(options)
  bar <- progress_bar(problem$verbose, "Learning the kernel")
  origin <- kernel_theta(sample$kernel)
  # The kernel's variance only scales the weights, whose precisions are learned.
  prior <- first_of_prior(hyper_prior(sample, control$prior, variance = FALSE), length(origin))
  lengthscales <- free & is_lengthscale(sample$kernel)
  total <- length(scanned_factors) * any(lengthscales) + 2 * rvm_learning_steps
  best <- list(value = -Inf, theta = origin)
  done <- 0
  evidence <- with_prior(function(theta) rvm_evidence_at(theta, sample, options), prior)
  objective <- function(theta) {
    at <- evidence(theta)
    if (is.finite(at$value) && at$value > best$value) best <<- list(value = at$value, theta = theta)
    done <<- done + 1
    if (!is.null(bar)) bar(done / total, length(theta))
    at
  }
  if (any(lengthscales)) {
    for (factor in scanned_factors) {
      tryCatch(objective(origin + log(factor) * lengthscales),
        gpsieve_error_numerical = function(e) NULL)
    }
  }
  search <- list(
    free = free, groups = theta_groups(sample$kernel, sample$likelihood)[seq_along(origin)],
    origin = origin, range = search_range, steps = rvm_learning_steps
  )
  maximise_in_stages(objective, best$theta, search)
  with_learned(problem, list(
    kernel = kernel_set_theta(problem$kernel, best$theta), likelihood = problem$likelihood
  ))
}

# The options of the machines that are trained during the search
rvm_trial_options <- function(options) {
  options$max_iter <- min(options$max_iter, learning_iterations)
  options$tol <- max(options$tol, learning_tol)
  options$sweeps <- max(options$sweeps, 1) # a second sweep by itself would make the search slow
  # The candidates of a subset of rows are others.
  if (length(options$alpha_start) > 1L) options$alpha_start <- stats::median(options$alpha_start)
  options
}

# The kernel is learned from the machines of so many classes, those with most rows.
rvm_learned_classes <- 3

# Rows of learning, drawn at random; machines of classes take longer. Predictions of held-out rows
# of classes are those of Laplace's method, whatever `inference` is, because it costs far less.
rvm_learning_rows <- c(numbers = 1000, classes = 500)
# Quasi-Newton steps of the search for the greatest evidence.
rvm_learning_steps <- 5

# The rows of learning and as many centres
rvm_learning_subset <- function(problem) {
  rows <- rvm_learning_rows[[if (is_classification(problem$response)) "classes" else "numbers"]]
  sample <- learning_subset(problem, rows, rvm_learned_classes)
  centres <- nrow(problem$centres)
  few <- draw(centres, min(centres, rows), problem$seed)
  sample$centres <- problem$centres[few, , drop = FALSE]
  sample
}

# Evidence of the machines trained with this kernel, and its gradient by the kernel's parameters.
# The partial gradient at fixed precisions and noise is the whole gradient, because the evidence is
# stationary in both after training.
rvm_evidence_at <- function(theta, sample, options) {
  sample$kernel <- kernel_set_theta(sample$kernel, theta)
  latents <- run_rvm(sample, options)$latents
  gradients <- lapply(latents, function(l) l$evidence_gradient[seq_along(theta)])
  list(
    value = sum(vapply(latents, function(l) l$log_evidence, 0)), gradient = Reduce(`+`, gradients)
  )
}
