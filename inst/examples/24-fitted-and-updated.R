# Fitted values, residuals and fits with another formula, without giving the data again.
library(gpsieve)

fit <- gpsieve(medv ~ ., MASS::Boston, seed = 1, verbose = FALSE)
head(predict(fit))
head(fitted(fit))
head(residuals(fit))
head(augment(fit)[c("medv", ".pred", ".resid")])
plot(fit, "residuals")

without <- update(fit, . ~ . - dis)
c(sd(residuals(fit)), sd(residuals(without)))
