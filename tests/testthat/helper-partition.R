# Fits of machines on parts of the rows.

smooth_data <- function(n = 900, task = "regression", seed = 1) toy_data(task, n, seed)

fit_parts_of <- function(data, ..., leaf_rows = 200, n_active = 20, seed = 1, refine = 2) {
  ivm(y ~ a + b, data,
    kernel = kernel_rbf(1, c(0.7, 1.5)), n_active = n_active, refine = refine, optimise = FALSE,
    leaf_rows = leaf_rows, seed = seed, verbose = FALSE, ...
  )
}

no_overlap <- control_ivm(overlap = 0)

# Rows of data on the scale of computation.
rows_of_fit <- function(fit, data) apply_scales(as.matrix(data[c("a", "b")]), fit$inputs)
