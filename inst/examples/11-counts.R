# Counts.
library(gpsieve)

data <- data.frame(year = as.numeric(time(discoveries)), count = as.numeric(discoveries))
fit <- meanfield_gp(count ~ year, data, likelihood = lik_poisson())
head(predict(fit, data, interval = "confidence")) # of the rate
head(predict(fit, data, interval = "prediction")) # of the count
sd(residuals(fit, "quantile", data, seed = 1)) # 1 if the counts are as spread as they should be
plot(fit, newdata = data)
