# The experiment of Csato et al. (2000), section 6, that vignettes/meanfield.Rmd shows: Table 1 and
# Figure 1 on the Pima Indians diabetes data (MASS). From the root of the repository:
#
#   Rscript data-raw/meanfield-paper.R
#
# Needs the package installed, MASS and kernlab. Takes half a minute on one core. Writes
#
#   vignettes/results/meanfield-table1.csv   results by method minimised, by start, and by
#                                            method evaluated at the minimum
#   vignettes/results/meanfield-fig1.csv     naive free energy and test errors after each step
#   vignettes/results/meanfield-loo.csv      leave-one-out log loss by cavities and by refitting
#   vignettes/results/meanfield-bound.csv    free energies of three methods at hyper-parameters that
#                                            are drawn at random
#   vignettes/results/meanfield-svm.csv      test errors of a support vector machine with the
#                                            kernels at two minima

suppressPackageStartupMessages(library(gpsieve))
data(Pima.tr, Pima.te, package = "MASS")

methods <- c("ensemble", "naive", "tap", "laplace")
source("data-raw/units.R")

#' A fit of the training rows; hyper-parameters refer to standardised inputs
pima_fit <- function(method, kernel, ...) {
  meanfield_gp(type ~ ., Pima.tr, kernel, method = method, seed = 1, verbose = FALSE, ...)
}

#' Free energy, test errors and test log loss of a fit
judge <- function(fit) {
  p <- predict(fit, Pima.te, type = "prob")
  truth <- as.integer(Pima.te$type)
  data.frame(
    free_energy = -evidence(fit)$value,
    corrected = -summary(fit)$corrected_evidence,
    errors = sum(max.col(p, "first") != truth),
    log_loss = -mean(log(p[cbind(seq_along(truth), truth)])),
    loo = -mean(loo(fit))
  )
}

# The lengthscales to start from, the same for all inputs, in standard deviations of the inputs.
starts <- c(1, sqrt(7), 7)

#' `steps` steps of minimising the plain free energy, without the package's hyper-priors
minimise <- function(method, start, steps = 300) {
  # A minimisation that is stopped early says so.
  suppressWarnings(
    pima_fit(method, kernel_rbf(1, rep(start, 7)),
      control = control_meanfield(steps = steps, prior = NULL)
    ),
    classes = "gpsieve_warning_convergence"
  )
}

minimum_from <- function(minimised, start) {
  taken <- system.time(learned <- minimise(minimised, start))
  do.call(rbind, lapply(methods, function(evaluated) {
    fit <- pima_fit(evaluated, kernel_of(learned), optimise = FALSE)
    cbind(
      minimised, start, evaluated, judge(fit), noise = 1 / coef(learned)[["variance"]],
      cpu = sum(taken[1:2])
    )
  }))
}
first_units("meanfield-table1.csv" = minimum_from("ensemble", 1))
cells <- expand.grid(start = starts, minimised = methods, stringsAsFactors = FALSE)
table1 <- do.call(rbind, Map(minimum_from, cells$minimised, cells$start, USE.NAMES = FALSE))
store_results(table1, "meanfield-table1.csv")

# Free energies away from the minima: lengthscales and the variance of the function in units of that
# of the noise are uniform in their logarithms.
free_energies <- function(draw) {
  set.seed(draw)
  kernel <- kernel_rbf(exp(stats::runif(1, log(0.3), log(10))),
    exp(stats::runif(7, log(0.5), log(8)))
  )
  compared <- c("ensemble", "naive", "tap")
  energy <- vapply(compared, function(method) {
    -evidence(pima_fit(method, kernel, optimise = FALSE))$value
  }, 0)
  data.frame(draw = draw, method = compared, free_energy = energy, row.names = NULL)
}
store_results(do.call(rbind, lapply(1:50, free_energies)), "meanfield-bound.csv")

# The support vector machine that corresponds to the noise of the field: squared slacks, which are
# the noise variance on the diagonal of the kernel matrix of the training rows and no bound.
of_columns <- function(data, like) {
  scaled <- scale(as.matrix(like[1:7]))
  scale(as.matrix(data[1:7]), attr(scaled, "scaled:center"), attr(scaled, "scaled:scale"))
}
svm_errors <- function(minimised) {
  own <- table1[table1$minimised == minimised & table1$evaluated == minimised, ]
  kernel <- kernel_of(minimise(minimised, own$start[which.min(own$free_energy)]))
  train <- of_columns(Pima.tr, Pima.tr)
  inner <- kernel_matrix(kernel, train) + diag(nrow(train)) # the noise of a probit is 1
  machine <- kernlab::ksvm(kernlab::as.kernelMatrix(inner), Pima.tr$type, type = "C-svc", C = 1e6)
  rows <- kernlab::alphaindex(machine)[[1L]]
  new <- kernel_matrix(kernel, of_columns(Pima.te, Pima.tr), train[rows, ])
  said <- kernlab::predict(machine, kernlab::as.kernelMatrix(new))
  data.frame(minimised = minimised, support = length(rows), errors = sum(said != Pima.te$type))
}
store_results(do.call(rbind, lapply(c("ensemble", "naive"), svm_errors)), "meanfield-svm.csv")

# The state after each step of the optimisation. The optimiser is deterministic, so that a run of k
# steps gives the first k steps of a longer run.
after_steps <- function(method, start, k) {
  if (k > 0) return(minimise(method, start, k))
  pima_fit(method, kernel_rbf(1, rep(start, 7)), optimise = FALSE)
}

fig1 <- do.call(rbind, lapply(0:25, function(k) {
  cbind(update = k, judge(after_steps("naive", sqrt(7), k)))
}))
store_results(fig1, "meanfield-fig1.csv")

# Leave-one-out log loss, from the cavities of one fit and from one fit for each row left out. All
# methods use the hyper-parameters that minimise the free energy of TAP.
tap <- table1[table1$minimised == "tap" & table1$evaluated == "tap", ]
best <- minimise("tap", tap$start[which.min(tap$free_energy)])
x <- scale(as.matrix(Pima.tr[1:7]))
left_out <- do.call(rbind, lapply(methods, function(method) {
  fit_rows <- function(rows) {
    meanfield_gp(x[rows, ], Pima.tr$type[rows], kernel_of(best),
      method = method, optimise = FALSE, standardise = FALSE, verbose = FALSE
    )
  }
  refits <- vapply(seq_len(nrow(x)), function(i) {
    p <- predict(fit_rows(-i), x[i, , drop = FALSE], type = "prob")
    log(p[1, as.character(Pima.tr$type[i])])
  }, 0)
  cavities <- loo(fit_rows(seq_len(nrow(x))))
  data.frame(
    method, cavities = -mean(cavities), refits = -mean(refits),
    largest = max(abs(cavities - refits))
  )
}))
store_results(left_out, "meanfield-loo.csv")
