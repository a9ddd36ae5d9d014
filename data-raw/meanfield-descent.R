# Table 1 of Csato et al. (2000) by the paper's own optimiser, gradient descent of the free energy.
# From the root of the repository:
#
#   Rscript data-raw/meanfield-descent.R
#
# The steps are in log w_1, ..., log w_7 and log v, all of the same rate, from equal w = 1/7 and
# v = 1, where w are the inverse squared lengthscales of the paper and v is the variance that the
# paper adds on the diagonal. The paper states neither the rate nor where it started and stopped. A
# noise of v beside a kernel of variance 1 is a noise of 1 beside a kernel of variance 1/v. Needs
# the package installed, and MASS; takes three minutes. Writes
#
#   vignettes/results/meanfield-descent.csv   both free energies and numbers of test errors at each
#                                             step, by the free energy that is minimised

suppressPackageStartupMessages(library(gpsieve))
data(Pima.tr, Pima.te, package = "MASS")
source("data-raw/units.R")

# With 0.5 the descent of the naive free energy oscillates; with 0.1 and less that of the ensemble
# is not near its end after 300 steps.
rate <- 0.2
x <- scale(as.matrix(Pima.tr[1:7]))
x_test <- scale(as.matrix(Pima.te[1:7]), attr(x, "scaled:center"), attr(x, "scaled:scale"))
dimnames(x) <- dimnames(x_test) <- NULL

#' The fit at log w_1, ..., log w_7, log v
fit_at <- function(theta, method) {
  kernel <- kernel_rbf(exp(-theta[8L]), exp(-theta[1:7] / 2))
  meanfield_gp(x, Pima.tr$type, kernel,
    method = method, optimise = FALSE, standardise = FALSE, verbose = FALSE
  )
}

#' The gradient of the free energy by theta
slope <- function(fit) {
  gradient <- evidence(fit, gradient = TRUE)$gradient # by log variance and log lengthscales
  unname(c(gradient[2:8] / 2, gradient[1L]))
}

methods <- c("ensemble", "naive")
descend <- function(minimised, steps = 700) {
  theta <- c(rep(log(1 / 7), 7), 0)
  rows <- list()
  for (step in 0:steps) {
    fits <- lapply(stats::setNames(nm = methods), fit_at, theta = theta)
    errors <- vapply(fits, function(fit) sum(predict(fit, x_test) != Pima.te$type), 0)
    energy <- vapply(fits, function(fit) -evidence(fit)$value, 0)
    rows[[step + 1L]] <- data.frame(minimised, step, evaluated = methods, errors, energy)
    theta <- theta - rate * slope(fits[[minimised]])
  }
  do.call(rbind, rows)
}
first_units("meanfield-descent.csv" = descend("ensemble", 10))
store_results(do.call(rbind, lapply(methods, descend)), "meanfield-descent.csv")
