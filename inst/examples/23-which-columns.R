# Which columns matter: the share of the variance of the prediction that is lost when a column is
# permuted among the rows.
library(gpsieve)

set.seed(1)
n <- 300
data <- as.data.frame(matrix(rnorm(n * 8), n))
data$y <- 5 * data$V1 + data$V2 + rnorm(n)
relevance(gpsieve(y ~ ., data, seed = 1, verbose = FALSE))

# A function in which five of ten columns take part, one of them with the fourth alone.
x <- matrix(runif(n * 10), n, dimnames = list(NULL, paste0("x", 1:10)))
y <- 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] + rnorm(n)
relevance(gpsieve(x, y, seed = 1, verbose = FALSE))

houses <- gpsieve(medv ~ ., MASS::Boston, seed = 1, verbose = FALSE)
relevance(houses)
plot(houses, "relevance")
