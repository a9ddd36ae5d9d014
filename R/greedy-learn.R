# Learning the hyper-parameters of the sparse greedy Gaussian process: selecting a basis alternates
# with a few quasi-Newton steps on the evidence of the model projected on it (math: greedy,
# section 7). Selection makes the evidence jump, so it is never differentiated through.

#' The problem with learned hyper-parameters
#' @noRd
learn_greedy <- function(problem, rule, control) {
  free <- theta_free(problem$kernel, problem$likelihood)
  if (!any(free)) return(problem)
  sample <- learning_subset(problem, control)
  objective <- function(sample) {
    projected_objective(sample, learning_bases(sample, rule, control), control)
  }
  learn_in_rounds(problem, sample, objective, control)
}

#' Rows to project on, one set per latent function
#'
#' The variational bound pays for kernel variance outside the span, so regression takes the rows
#' that leave least of it, by pivoted Cholesky; a basis chosen for the fit alone would make the
#' bound prefer long lengthscales and much noise. Laplace's approximation has no such term.
#' @noRd
learning_bases <- function(problem, rule, control) {
  n <- min(control$learn_basis, nrow(problem$x))
  if (problem$likelihood$type == "gaussian") {
    return(list(call_core(core_pivoted_rows, kernel_spec(problem$kernel), problem$x, n,
      core_settings(problem$threads), call = problem$call
    )))
  }
  settings <- list(
    n_basis = n, tol = 1, candidates = 59, rule = rule, certify = FALSE, variance = "dtc",
    control = control
  )
  lapply(run_greedy(problem, settings)$latents, function(l) l$posterior$basis)
}

#' The projected evidence as a function of the full vector of log hyper-parameters
#'
#' Newton's method starts from the mode of the previous call.
#' @noRd
projected_objective <- function(problem, bases, control) {
  prior_means <- latent_prior_means(problem, 0)
  modes <- rep(list(numeric()), length(bases))
  settings <- core_settings(problem$threads)
  function(theta) {
    at <- set_theta(problem$kernel, problem$likelihood, theta)
    parts <- lapply(seq_along(bases), function(k) {
      call_core(core_greedy_evidence, kernel_spec(at$kernel), likelihood_spec(at$likelihood),
        problem$x, bases[[k]], problem$y[, k], prior_means[k], modes[[k]],
        control$evidence == "vfe", TRUE, settings,
        call = problem$call
      )
    })
    if (all(vapply(parts, function(part) is.finite(part$value), NA))) {
      modes <<- lapply(parts, `[[`, "mode")
    }
    add_evidence(parts)
  }
}
