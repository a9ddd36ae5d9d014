# A kernel of one's own.
library(gpsieve)

# Brownian motion: the covariance of two times is the smaller one.
brownian <- kernel_function(function(x, z) outer(x[, 1], z[, 1], pmin))
set.seed(1)
time <- cbind(time = 1:60 / 20)
y <- cumsum(rnorm(60, sd = sqrt(1 / 20))) + rnorm(60, sd = 0.05)
fit <- meanfield_gp(time, y, kernel = kernel_constant(1) * brownian, standardise = FALSE)
fit
predict(fit, cbind(time = c(3, 4, 5)), interval = "prediction") # wider the further ahead

# A parameter of the function is learned from outside, by the evidence: the exponent of fractional
# Brownian motion, 0.5 for the motion above. The noise of the measurements is known.
fractional <- function(exponent) {
  power <- function(d) abs(d)^(2 * exponent)
  kernel_function(function(x, z) {
    (outer(power(x[, 1]), power(z[, 1]), `+`) - power(outer(x[, 1], z[, 1], `-`))) / 2
  })
}
fit_at <- function(exponent) {
  meanfield_gp(time, y, kernel = kernel_constant(1) * fractional(exponent), standardise = FALSE,
    likelihood = lik_gaussian(hold(0.05^2))
  )
}
learned <- optimise(function(r) evidence(fit_at(r))$value, c(0.1, 0.9), maximum = TRUE, tol = 0.01)
learned$maximum
fit_at(learned$maximum)
