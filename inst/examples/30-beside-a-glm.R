# Cross-validated beside a generalised linear model, on the same folds.
library(gpsieve)

pima <- MASS::Pima.tr
set.seed(1)
folds <- sample(rep(1:5, length.out = nrow(pima)))
crossed <- cv(function(data) gpsieve(type ~ ., data, seed = 1, verbose = FALSE), pima, folds,
  seed = 1
)
crossed

# The log probability that a glm, fitted without the row's fold, gives to each row's class.
log_probability <- numeric(nrow(pima))
for (k in 1:5) {
  linear <- glm(type ~ ., binomial, pima[folds != k, ])
  p <- predict(linear, pima[folds == k, ], type = "response")
  log_probability[folds == k] <- log(ifelse(pima$type[folds == k] == "Yes", p, 1 - p))
}
gain <- crossed$rows$log_density - log_probability
c(gpsieve = mean(crossed$rows$log_density), glm = mean(log_probability), gain = mean(gain),
  std_error = sd(gain) / sqrt(length(gain))
)
