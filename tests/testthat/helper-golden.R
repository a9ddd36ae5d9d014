# The reference values of the folder golden, and the fits that must reproduce those of ivm.json.

read_golden <- function(name, ...) {
  skip_if_not_installed("jsonlite")
  jsonlite::fromJSON(test_path("golden", paste0(name, ".json")), ...)
}

golden_ivm <- function() read_golden("ivm")

golden_fit <- function(case, control, kernel = golden_kernel(case), ...) {
  ivm(case$X, golden_response(case),
    kernel = kernel, n_active = case$n_active, criterion = case$criterion,
    refine = 0, optimise = FALSE, standardise = FALSE, control = control, seed = 1,
    likelihood = if (is_gaussian(case)) lik_gaussian(case$noise_variance) else lik_probit(),
    prior_mean = case$bias, verbose = FALSE, ...
  )
}

is_gaussian <- function(case) case$likelihood == "gaussian"

golden_kernel <- function(case) {
  kernel <- kernel_rbf(case$kernel$rbf_variance, case$kernel$lengthscale)
  if (is.null(case$kernel$constant)) kernel else kernel + kernel_constant(case$kernel$constant)
}

golden_response <- function(case) {
  if (is_gaussian(case)) case$y else factor(case$y, levels = c(-1, 1))
}

golden_bias <- function(case) if (is.null(case$bias)) 0 else case$bias

full_search <- control_ivm(n_random = 0, n_full = Inf)

# A selection index that holds every row and drops none is a full search too.
whole_index <- function(case) {
  control_ivm(n_random = 0, n_full = 0, pool = length(case$y), retain = 1)
}
