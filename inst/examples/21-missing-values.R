# Missing values: rows are left out as in lm(), and a message counts them.
library(gpsieve)

fit <- gpsieve(Ozone ~ ., airquality, seed = 1, verbose = FALSE)
fit
nobs(fit)
length(na.action(fit))

# na.exclude keeps the places of the rows that were left out.
padded <- update(fit, na.action = na.exclude, data = airquality)
head(fitted(padded))
# A new row with a missing value is predicted as NA.
predict(fit, airquality[1:6, ])
