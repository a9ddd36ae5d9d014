# Measurements with their own standard deviations.
library(gpsieve)

set.seed(1)
n <- 150
data <- data.frame(at = runif(n, -2, 2), error = exp(runif(n, log(0.02), log(2))))
truth <- sin(2 * data$at)
data$value <- truth + data$error * rnorm(n)

known <- gpsieve(value ~ at, data, noise_sd = error, seed = 1, verbose = FALSE)
known
ignored <- gpsieve(value ~ at, data, seed = 1, verbose = FALSE)
rmse <- function(fit) sqrt(mean((fitted(fit) - truth)^2))
c(known = rmse(known), ignored = rmse(ignored))
limits <- predict(known, interval = "confidence")
mean(limits[, "lwr"] <= truth & truth <= limits[, "upr"]) # 0.95 are promised

# Where new measurements of a given precision would lie
predict(known, data.frame(at = 0:1, error = 0.1), interval = "prediction")
