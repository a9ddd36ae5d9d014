# Carbon dioxide at Mauna Loa: trend and season, and eight years predicted from those before.
library(gpsieve)

air <- data.frame(year = as.vector(time(co2)), ppm = as.vector(co2))

# A smooth curve over decades, deviations from it on several scales, and a season of one year that
# changes slowly. The fit standardises the years; the period and these lengthscales are in years
# nevertheless.
season <- kernel_rbf(0.1, lengthscale = 100, units = "data") * kernel_periodic(period = hold(1))
trend <- kernel_rbf(lengthscale = 50, units = "data") + kernel_rational_quadratic()

# The months of the eight years from `start` on, predicted from all months before: the share that
# the 95 % intervals cover, the error and the width of the intervals.
predicted <- function(start, kernel) {
  later <- air[air$year >= start & air$year < start + 8, ]
  fit <- meanfield_gp(ppm ~ year, air[air$year < start, ], kernel = kernel)
  ahead <- predict(fit, later, interval = "prediction")
  data.frame(
    start = start, covered = mean(ahead[, "lwr"] <= later$ppm & later$ppm <= ahead[, "upr"]),
    error = sqrt(mean((ahead[, "fit"] - later$ppm)^2)),
    width = mean(ahead[, "upr"] - ahead[, "lwr"])
  )
}

# A kernel is judged by years that it has not seen, several times, and the last eight years have
# no part in its choice. Among trends by a line and a Matern curve, by a line and an RBF curve, and
# this one, this one has the smallest errors, and its intervals cover nearly what they promise on
# average; a line and an RBF curve are too certain of a trend that nobody can know. Some fits warn
# that `alpha` has reached its lower bound: the deviations have all scales.
do.call(rbind, lapply(c(1970, 1975, 1980, 1985), predicted, kernel = trend + season))
predicted(1990, trend + season)

fit <- meanfield_gp(ppm ~ year, air[air$year < 1990, ], kernel = trend + season)
coef(fit)
plot(fit, newdata = air, level = 0.95, xlab = "year", ylab = "ppm")
