# Which inputs matter? One lengthscale for each column, and what it says.
library(gpsieve)

fit <- meanfield_gp(mpg ~ wt + hp + qsec + drat, mtcars,
  kernel = kernel_rbf(lengthscale = rep(1, 4)))
tidy(fit)
relevance(fit)
plot(fit, "relevance")
plot(fit, "effects", newdata = mtcars)
