# Numbers of rows and sizes of models from the seconds that a choice may take. Costs are computed
# from constants and not measured while the choice runs, so that the same data and seed give the
# same choice on every computer.

# What a dense fit with learned hyper-parameters costs: seconds per cubed row and latent function,
# and at least, on one core.
dense_seconds <- 4e-9
least_seconds <- 0.05
# Shares of the time for the last comparison of kernels, for trials of sparse models and for the fit
# of one.
kernel_share <- 0.4
model_share <- 0.1
fit_share <- 0.45
# All kernels are compared on so many rows, the best of them on as many as the time allows, if these
# are all rows or at least `worthwhile_rows`.
screening_rows <- 250
worthwhile_rows <- 500
most_choosing_rows <- 1000
finalists <- 3

# A few rows are chosen and fitted well within this time; more may take about what a support vector
# machine takes that is tuned over nine settings by five folds, and at most so many seconds.
few_rows_seconds <- 22
tuned_svm_seconds <- 1.5e-6
most_seconds <- 75

#' The seconds the call may take
#' @noRd
choice_seconds <- function(task) {
  if (!is.null(task$time)) return(task$time)
  n <- nrow(task$molded$x)
  if (n <= most_choosing_rows) few_rows_seconds else min(most_seconds, tuned_svm_seconds * n^2)
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

#' The rows from which a dense fit to all rows learns: as many as there is time for
#' @noRd
learning_rows <- function(task) {
  each <- dense_seconds * task$latents
  in_time <- (fit_share * choice_seconds(task) / each)^(1 / 3)
  round(min(nrow(task$molded$x), most_choosing_rows, max(screening_rows, in_time)))
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

# Fits in which sparse models with different kernels are tried, and the largest share of the rows in
# one of them: the others are held out.
most_trials <- 12
largest_trial_share <- 0.8

#' The share of the rows, and of the points, that the trials of sparse models have: both are reduced
#' alike, so that a trial resembles the fit to come, until all trials are paid for
#' @noRd
trial_share <- function(task, machines) {
  whole <- ivm_flops * nrow(task$molded$x) * machines * affordable_active(task)^2
  each <- model_share * choice_seconds(task) * flops_a_second / most_trials
  min(largest_trial_share, (each / whole)^(1 / 3))
}
