# Outliers: noise with heavy tails.
library(gpsieve)

set.seed(1)
x <- seq(0, 10, length.out = 80)
truth <- sin(x)
y <- truth + rnorm(80, sd = 0.1)
y[c(10, 40, 70)] <- c(4, -5, 6)
normal <- ivm(cbind(x), y, seed = 1)
robust <- ivm(cbind(x), y, likelihood = lik_student(), seed = 1)
error <- function(fit) sqrt(mean((predict(fit, cbind(x)) - truth)^2))
c(normal = error(normal), robust = error(robust))
