# What gpsieve() chooses among. A candidate is a model and the arguments with which it is called, as
# expressions: they are evaluated to fit it and printed as the call to write instead.

#' @noRd
new_candidate <- function(model, kernel, likelihood = NULL, ...) {
  arguments <- list(kernel = kernel, likelihood = likelihood, ...)
  list(model = model, arguments = Filter(Negate(is.null), arguments))
}

# Kernels of different roughness, each with one lengthscale and with one for each column, and the
# linear functions alone and with a rough remainder.
standard_kernels <- list(
  quote(kernel_rbf()),
  quote(kernel_matern(nu = 2.5)),
  quote(kernel_matern(nu = 0.5)),
  quote(kernel_rbf(ard = TRUE)),
  quote(kernel_matern(nu = 2.5, ard = TRUE)),
  quote(kernel_matern(nu = 0.5, ard = TRUE)),
  quote(kernel_linear() + kernel_constant()),
  quote(kernel_linear() + kernel_constant() + kernel_matern(nu = 2.5))
)
# With more columns the gradient by every lengthscale costs more than the fit.
most_ard_columns <- 100

#' The kernels to compare: those the user gave, or the standard ones that make sense here
#' @noRd
candidate_kernels <- function(task) {
  if (length(task$kernels)) return(lapply(task$kernels, kernel_expression))
  p <- ncol(task$molded$x)
  ard <- vapply(standard_kernels, function(kernel) grepl("ard", deparse1(kernel)), NA)
  standard_kernels[!ard | (p > 1 & p <= most_ard_columns)]
}

#' The robust alternative to the likelihood that the response asks for by itself
#' @noRd
robust_likelihood <- function(task) {
  if (task$kind == "number") quote(lik_student()) else quote(lik_label_noise())
}

#' The model that compares kernels: the dense one, whose evidence is the most accurate; a likelihood
#' it does not have is left to ivm()
#' @noRd
comparing_candidate <- function(task, kernel, likelihood = task$likelihood) {
  type <- if (is.null(likelihood)) "" else eval(likelihood, topenv())$type
  dense <- !type %in% c("student", "label_noise")
  new_candidate(if (dense) "meanfield_gp" else "ivm", kernel, likelihood)
}

#' Sparse models to compare on many rows, with the kernel as it was learned on fewer
#'
#' The informative vector machine keeps it as it is; EP in minibatches goes on learning from all
#' rows.
#' @noRd
sparse_candidates <- function(task, kernel, likelihood) {
  n <- nrow(task$molded$x)
  # As many as every fold has rows to train on.
  fewest <- floor(min(n, 2 * task$control$validation_rows) * (1 - 1 / task$control$folds)) - 1
  size <- function(default) min(fewest, if (is.null(task$size)) default else task$size)
  all <- list(
    ivm = new_candidate("ivm", kernel, likelihood, n_active = size(500), optimise = FALSE),
    ep_gp = new_candidate("ep_gp", kernel, likelihood, inducing = size(200),
      batch_size = if (fewest > 2 * usual_batch) usual_batch,
      control = quote(control_ep(warm_rows = 0))
    ),
    greedy_gp = new_candidate("greedy_gp", kernel, likelihood, n_basis = size(300),
      certify = FALSE, optimise = FALSE
    )
  )
  wanted <- task$models
  if (is.null(wanted)) wanted <- if (n > most_ivm_rows) "ep_gp" else c("ivm", "ep_gp")
  all[wanted]
}

# Beyond it a pass over all rows for every class costs more than minibatches.
most_ivm_rows <- 30000

sparse_models <- c("ivm", "ep_gp", "greedy_gp")

#' What `candidates` says: kernels, or names of models, or both; list(kernels, models)
#' @noRd
check_candidates_argument <- function(candidates, call) {
  if (is.null(candidates)) return(list())
  if (inherits(candidates, "gpsieve_kernel")) candidates <- list(candidates)
  named <- vapply(candidates, is.character, NA)
  models <- unlist(candidates[named])
  known <- c("meanfield_gp", sparse_models)
  good <- (is.list(candidates) || is.character(candidates)) && length(candidates) > 0L &&
    all(models %in% known)
  if (!good) {
    found <- if (is.character(models)) toString(dQuote(models, FALSE)) else describe(candidates)
    abort_gpsieve("{.arg candidates} must be a list of kernels, names of models, or both.",
      "Found {found}.", "Models to choose among are {.val {known}}.",
      call = call
    )
  }
  list(
    kernels = lapply(candidates[!named], as_kernel, "candidates", call),
    models = if (length(models)) unique(models)
  )
}
