# Joint draws and covariances.
library(gpsieve)

fit <- ivm(dist ~ speed, cars, seed = 1)
new <- data.frame(speed = c(10, 11, 25))
joint <- predict(fit, new, type = "link", cov = TRUE)
cov2cor(joint$cov) # near speeds go together
curves <- posterior_draws(fit, data.frame(speed = 4:25), 20, seed = 1)
matplot(4:25, curves, type = "l", lty = 1, xlab = "speed", ylab = "dist")
# The probability that the mean distance rises by more than 30 from speed 10 to speed 25.
draws <- posterior_draws(fit, new, 5000, seed = 1)
mean(draws[3, ] - draws[1, ] > 30)
simulate(fit, 3, seed = 1, newdata = new)
