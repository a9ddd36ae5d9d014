# Counts, skewed positive numbers, and numbers that are only 0 and 1: a message suggests the model.
library(gpsieve)

# Counts: the log density of a count is compared on the same held-out rows.
numbers <- gpsieve(count ~ spray, InsectSprays, seed = 1, verbose = FALSE)
counts <- gpsieve(count ~ spray, InsectSprays, likelihood = lik_poisson(), seed = 1,
  verbose = FALSE
)
c(numbers = mean(loo(numbers)), counts = mean(loo(counts)))
sprays <- unique(InsectSprays["spray"])
cbind(sprays, predict(counts, sprays, interval = "confidence"))

# Skewed positive numbers: the logarithm as the response makes intervals wider for large values.
train <- seq(1, nrow(MASS::Cars93), 2)
prices <- gpsieve(log(Price) ~ Horsepower + Weight + Type, MASS::Cars93[train, ], seed = 1,
  verbose = FALSE
)
others <- MASS::Cars93[-train, ]
limits <- exp(predict(prices, others, interval = "prediction", level = 0.9))
mean(limits[, "lwr"] <= others$Price & others$Price <= limits[, "upr"])

# 0 and 1: as a factor they have probabilities.
automatic <- gpsieve(factor(am) ~ wt + hp, mtcars, seed = 1, verbose = FALSE)
head(predict(automatic, type = "prob"))
