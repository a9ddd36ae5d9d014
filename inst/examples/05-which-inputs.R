# Which inputs matter? The share of the variance of the prediction that each one accounts for.
library(gpsieve)

fit <- meanfield_gp(mpg ~ wt + hp + qsec + drat, mtcars,
  kernel = kernel_rbf(lengthscale = rep(1, 4)))
tidy(fit)
relevance(fit)
plot(fit, "relevance")
plot(fit, "effects", newdata = mtcars)
