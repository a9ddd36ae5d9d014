# Learning the hyper-parameters of the sparse greedy Gaussian process: selecting a basis alternates
# with a few quasi-Newton steps on the evidence of the model projected on it
# (models/greedy/theory.md#evidence-of-the-projected-model). Selecting another basis makes the
# evidence jump, so the basis is held fixed while the evidence is differentiated.

# Rows, and functions that they are projected on. An evidence that takes several of Newton's steps
# learns from fewer of both.
gaussian_learning_size <- list(learn_rows = 2000, learn_basis = 200)
newton_learning_size <- list(learn_rows = 1000, learn_basis = 100)
# Rounds of selection and learning, and quasi-Newton steps within a round.
greedy_learning_effort <- list(rounds = 2, steps = 10)

# The settings with the rows, functions, rounds and steps of learning
with_learning_size <- function(control, problem) {
  size <-
    if (adds_gaussian_noise(problem$likelihood)) gaussian_learning_size else newton_learning_size
  c(control["prior"], size, greedy_learning_effort)
}

# The problem with learned hyper-parameters
learn_greedy <- function(problem, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  sample <- learning_subset(problem, control$learn_rows)
  objective <- function(sample) {
    projected_objective(sample, learning_basis(sample, control))
  }
  learn_in_rounds(problem, sample, objective, control)
}

# Rows to project on: those that leave least of the kernel's variance, by pivoted Cholesky.
# A basis that was chosen for the fit would mislead the evidence. The variational bound of a
# regression contains minus the kernel variance outside the span: on such a basis it would be
# largest at long lengthscales and much noise. Of other responses it would contain the rows that
# are hardest to explain, and the evidence would be largest where each function explains its own
# row, at short lengthscales and large variances.
learning_basis <- function(problem, control) {
  n <- min(control$learn_basis, nrow(problem$x))
  call_core(core_pivoted_rows, kernel_spec(problem$kernel), problem$x, n,
    core_settings(problem$threads))
}

# The projected evidence as a function of the full vector of log hyper-parameters.
# Newton's method starts from the mode of the previous call.
projected_objective <- function(problem, basis) {
  prior_means <- latent_prior_means(problem)
  modes <- rep(list(numeric()), n_latents(problem))
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    parts <- lapply(seq_along(modes), function(k) {
      call_core(core_greedy_evidence, kernel_spec(at$kernel), likelihood_spec(at$likelihood),
        core_rows(problem, prior_means[k], y = responses_of(problem, k)), basis,
        list(start = modes[[k]], trace_term = has_trace_term, gradient = TRUE), settings)
    })
    if (all(vapply(parts, function(part) is.finite(part$value), NA))) {
      modes <<- lapply(parts, `[[`, "mode")
    }
    add_evidence(parts)
  }
}

# The result with the lower bound that learning maximised, where that is the better one.
# The functions of a fit explain the response, those of learning the kernel: a fit with few
# functions has a lower bound far below the log evidence. Both bounds are bounds on the log
# evidence of the same Gaussian process if learning used all rows.
with_learned_bound <- function(result, problem, control) {
  bounded <- adds_gaussian_noise(problem$likelihood) && nrow(problem$x) <= control$learn_rows
  if (!bounded) return(result)
  theta <- theta_of(problem$kernel, problem$likelihood)
  learned <- tryCatch(
    projected_objective(problem, learning_basis(problem, control))(theta),
    gpsieve_error_numerical = function(e) NULL
  )
  if (isTRUE(learned$value > result$latents[[1L]]$log_evidence)) {
    result$latents[[1L]]$log_evidence <- learned$value
    result$latents[[1L]]$evidence_gradient <- learned$gradient
  }
  result
}
