# What a fit says: the print, what was compared, the parameters.
library(gpsieve)

for (formula in c(dist ~ speed, medv ~ ., type ~ ., Species ~ .)) {
  data <- switch(as.character(formula[[2]]),
    dist = cars, medv = MASS::Boston, type = MASS::Pima.tr, Species = iris
  )
  fit <- gpsieve(formula, data, seed = 1, verbose = FALSE)
  print(fit)
  print(choice(fit))
}
summary(fit)
choice(fit, "call")
