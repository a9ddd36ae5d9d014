# Numbers of rows and sizes of models from the seconds that a choice may take. Costs are computed
# from constants and not measured while the choice runs, so that the same data and seed give the
# same choice on every computer.

# What a dense fit with learned hyper-parameters costs: seconds per cubed row and latent function,
# and at least, on one core.
dense_seconds <- 4e-9
least_seconds <- 0.05
# Shares of the time for the last comparison of kernels, for that of sparse models and for the fit
# of a sparse model.
kernel_share <- 0.4
model_share <- 0.1
fit_share <- 0.55
# All kernels are compared on so many rows, the best of them on as many as the time allows, if these
# are all rows or at least `worthwhile_rows`.
screening_rows <- 250
worthwhile_rows <- 500
most_choosing_rows <- 1000
finalists <- 3

#' The seconds the call may take
#' @noRd
choice_seconds <- function(task) {
  if (!is.null(task$time)) return(task$time)
  min(75, 20 + (nrow(task$molded$x) / 500)^2)
}

#' How many rows kernels are compared on: as many as the dense fits of all folds leave time for
#' @noRd
choosing_rows <- function(task, candidates) {
  n <- nrow(task$molded$x)
  if (!is.null(task$control$rows)) return(min(n, task$control$rows))
  folds <- task$control$folds
  seconds <- function(rows) {
    train <- rows * (1 - 1 / folds)
    candidates * folds_to_judge(rows, folds) * (least_seconds + dense_seconds * task$latents *
      train^3)
  }
  rows <- seq(screening_rows, most_choosing_rows, by = 10)
  paid_for <- rows[vapply(rows, seconds, 0) <= kernel_share * choice_seconds(task)]
  min(n, max(screening_rows, paid_for))
}

# Floating-point operations in a second, and those of an informative vector machine for each row,
# latent function and squared active point: selection and the passes that refine it.
flops_a_second <- 2e10
ivm_flops <- 6
# The matrix of as many rows as active points that a machine holds has at most so many numbers.
most_ivm_numbers <- 1e8

#' Active points of an informative vector machine that can be fitted in the time
#' @noRd
affordable_active <- function(task) {
  n <- nrow(task$molded$x)
  flops <- fit_share * choice_seconds(task) * flops_a_second
  in_time <- sqrt(flops / (ivm_flops * n * task$latents))
  round(min(n, 2000, most_ivm_numbers / n, max(300, in_time)))
}

# The sparse models of a comparison have at most one point for so many rows.
validation_cut <- 10

#' Rows on which sparse models are compared: at most as many as `validation_rows` held out in every
#' fold, fewer where so many fits would cost more than their share of the time
#' @noRd
affordable_validation <- function(task, candidates) {
  n <- nrow(task$molded$x)
  folds <- task$control$folds
  judged <- folds_to_judge(n, folds)
  flops <- model_share * choice_seconds(task) * flops_a_second
  in_time <- (flops * validation_cut^2 / (ivm_flops * candidates * judged * task$latents))^(1 / 3)
  floor(min(n, folds * task$control$validation_rows, max(in_time, fewest_validation_rows)))
}

fewest_validation_rows <- 1000
