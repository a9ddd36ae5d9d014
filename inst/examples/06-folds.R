# Cross-validation: in one call, and by hand.
library(gpsieve)

model <- function(data) ivm(mpg ~ wt + hp, data, seed = 1)
cv(model, mtcars, folds = 10, seed = 1)

fold <- rep_len(1:10, nrow(mtcars))
by_hand <- lapply(1:10, function(k) {
  fit <- model(mtcars[fold != k, ])
  predict(fit, mtcars[fold == k, ]) - mtcars$mpg[fold == k]
})
sqrt(mean(unlist(by_hand)^2))
