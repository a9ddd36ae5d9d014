# Carbon dioxide at Mauna Loa: trend and season, and the years 1990-97 predicted from those before.
library(gpsieve)

air <- data.frame(year = as.vector(time(co2)), ppm = as.vector(co2))
past <- air[air$year < 1990, ]
later <- air[air$year >= 1990, ]

# A line, a rough curve around it, and a season of one year that changes slowly. The years are
# standardised by the fit; the period and these lengthscales are in years all the same. The curve
# must not be too smooth: an RBF kernel is certain of a trend that nobody can know, and its 95 %
# intervals cover fewer months than they promise.
season <- kernel_rbf(0.1, lengthscale = 100, units = "data") * kernel_periodic(period = hold(1))
trend <- kernel_linear() + kernel_matern(2.5, lengthscale = 50, units = "data")
fit <- meanfield_gp(ppm ~ year, past, kernel = trend + season)
coef(fit)

ahead <- predict(fit, later, interval = "prediction")
mean(ahead[, "lwr"] <= later$ppm & later$ppm <= ahead[, "upr"]) # the share that is covered
sqrt(mean((ahead[, "fit"] - later$ppm)^2))
mean(ahead[, "upr"] - ahead[, "lwr"])

plot(fit, newdata = air, level = 0.95, xlab = "year", ylab = "ppm")
matlines(later$year, ahead[, c("lwr", "upr")], lty = 2, col = "black")
