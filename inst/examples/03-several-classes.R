# Several classes.
library(gpsieve)

train <- seq(1, 150, 2)
fit <- ivm(Species ~ ., iris[train, ], seed = 1)
table(predicted = predict(fit, iris[-train, ]), truth = iris$Species[-train])
round(head(predict(fit, iris[-train, ], type = "prob")), 3)
plot(fit)
