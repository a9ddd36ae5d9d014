# Forecasts of a monthly and of a daily series, drawn with their bands.
library(gpsieve)

air <- data.frame(year = as.vector(time(AirPassengers)), log_number = log(as.vector(AirPassengers)))
known <- air[1:120, ]
later <- air[121:144, ]
fit <- gpsieve(log_number ~ year, known, folds = "time", seed = 1, verbose = FALSE)
fit
choice(fit)
rmse <- function(predicted, seen) sqrt(mean((predicted - seen)^2))
seasons <- HoltWinters(ts(known$log_number, frequency = 12))
c(
  gpsieve = rmse(predict(fit, later), later$log_number),
  holt_winters = rmse(predict(seasons, 24), later$log_number)
)
plot(fit, newdata = rbind(later, data.frame(year = seq(1961, 1963, by = 1 / 12), log_number = NA)))

# A daily series with a week and a year, which are found in the dates.
set.seed(1)
day <- as.Date("2020-01-01") + 0:1095
weekend <- as.POSIXlt(day)$wday %in% c(0, 6)
visits <- 20 + 5 * cos(2 * pi * as.numeric(day) / 365.25) - 4 * weekend + rnorm(1096)
series <- data.frame(day, visits)
fit <- gpsieve(visits ~ day, series[1:731, ], ahead = 60, seed = 1, verbose = FALSE)
fit
next_year <- series[732:1096, ]
limits <- predict(fit, next_year, interval = "prediction")
c(
  rmse = rmse(limits[, "fit"], next_year$visits), # the noise has 1
  covered = mean(limits[, "lwr"] <= next_year$visits & next_year$visits <= limits[, "upr"])
)
plot(fit, newdata = next_year)
