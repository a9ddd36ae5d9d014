# A surface over a map, and its standard deviation.
library(gpsieve)

fit <- meanfield_gp(depth ~ long + lat, quakes[seq(1, 1000, 4), ], kernel = kernel_matern(1.5))
plot(fit, newdata = quakes[seq(1, 1000, 4), ])
place <- data.frame(long = c(170, 180), lat = c(-30, -20))
predict(fit, place, se.fit = TRUE)
