# Regression with error bars and a picture.
library(gpsieve)

fit <- ivm(dist ~ speed, cars, seed = 1)
fit
new <- data.frame(speed = c(5, 15, 25))
predict(fit, new, interval = "confidence") # of the mean
predict(fit, new, interval = "prediction", level = 0.9) # of a new stopping distance
plot(fit, newdata = cars)
plot(fit, "residuals", newdata = cars)
