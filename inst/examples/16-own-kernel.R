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
