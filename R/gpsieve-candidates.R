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
  quote(kernel_linear(NULL) + kernel_constant()),
  quote(kernel_linear(NULL) + kernel_constant() + kernel_matern(nu = 2.5)),
  quote(kernel_linear(NULL) + kernel_constant() + kernel_matern(nu = 2.5, ard = TRUE))
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
  # Hyper-parameters that suit a few classes suit all; learning from all of them costs too much.
  control <- if (dense && task$latents > most_learning_classes) {
    call("control_meanfield", learn_classes = most_learning_classes)
  }
  new_candidate(if (dense) "meanfield_gp" else "ivm", kernel, likelihood, control = control)
}

most_learning_classes <- 3

#' The sparse models to compare on many rows, with the hyper-parameters that a dense `fit` learned
#' on fewer
#'
#' EP in minibatches goes on learning from all rows. The other models keep the hyper-parameters,
#' which choose_sparse() adapts to more rows. Classes go to the informative vector machine wherever
#' enough active points can be paid for.
#' @noRd
sparse_candidates <- function(task, fit) {
  n <- nrow(task$molded$x)
  likelihood <- str2lang(format(fit$likelihood))
  kernel <- kernel_expression(reported_kernel(fit))
  size <- function(default) min(n, if (is.null(task$size)) default else task$size)
  learned <- function(model, ...) {
    new_candidate(model, kernel, likelihood, optimise = FALSE, ...)
  }
  make <- list(
    ivm = function() learned("ivm", n_active = size(affordable_active(task))),
    ep_gp = function() {
      new_candidate("ep_gp", kernel, likelihood, inducing = size(200),
        batch_size = if (n > 2 * usual_batch) usual_batch,
        control = quote(control_ep(warm_rows = 0))
      )
    },
    greedy_gp = function() learned("greedy_gp", n_basis = size(300), certify = FALSE)
  )
  models <- intersect(sparse_models_of(task), names(make))
  lapply(make[models], function(candidate) candidate())
}

#' A sum of leaves with its variances multiplied by a number
#' @noRd
with_variance_share <- function(kernel, share) {
  theta <- kernel_theta(kernel)
  kernel_set_theta(kernel, theta + log(share) * grepl("variance", names(theta), fixed = TRUE))
}

#' The sparse models that are compared: those that the user named, or the usual one
#' @noRd
sparse_models_of <- function(task) {
  if (is.null(task$models)) usual_sparse_model(task, affordable_active(task)) else task$models
}

usual_sparse_model <- function(task, active) {
  if (task$kind %in% c("number", "count") && nrow(task$molded$x) > most_ivm_rows) return("ep_gp")
  if (active < fewest_active) "ep_gp" else "ivm"
}

# Numbers vary smoothly: on many rows, learning from all of them gains more than many active points.
most_ivm_rows <- 30000
fewest_active <- 300

#' The candidate with this share of its points
#' @noRd
with_points <- function(candidate, share) {
  size <- c(ivm = "n_active", ep_gp = "inducing", greedy_gp = "n_basis")[[candidate$model]]
  candidate$arguments[[size]] <- ceiling(share * candidate$arguments[[size]])
  candidate
}

sparse_models <- c("ivm", "ep_gp", "greedy_gp")

#' The models among which a source of rows leaves a choice: the one that reads rows in blocks
#' @noRd
models_of_source <- function(asked, call) {
  others <- setdiff(asked, "ep_gp")
  if (!length(others)) return("ep_gp")
  abort_gpsieve("Models of {.arg candidates} must read rows in blocks, as {.fn ep_gp} does.",
    "Found {.val {others}}, and a source of rows.", class = "unsupported", call = call
  )
}

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
