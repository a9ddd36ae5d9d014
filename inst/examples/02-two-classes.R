# Two classes: probabilities, and whether they can be trusted.
library(gpsieve)

flowers <- droplevels(subset(iris, Species != "setosa"))
train <- seq(1, 100, 2)
fit <- meanfield_gp(Species ~ ., flowers[train, ])
test <- flowers[-train, ]
head(predict(fit, test, type = "prob"))
head(predict(fit, test, type = "prob", interval = "confidence")) # of the second class
mean(predict(fit, test) == test$Species)
plot(fit, "calibration", newdata = test)
