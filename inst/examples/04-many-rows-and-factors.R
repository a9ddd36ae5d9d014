# 50,000 rows, 20 columns, some of them factors: the choice is left to gpsieve().
library(gpsieve)

set.seed(1)
n <- 50000
numbers <- as.data.frame(matrix(rnorm(n * 17), n))
groups <- data.frame(
  region = factor(sample(c("north", "south", "east"), n, TRUE)),
  kind = factor(sample(c("a", "b", "c", "d"), n, TRUE)), seen = sample(c("yes", "no"), n, TRUE)
)
data <- cbind(numbers, groups)
data$y <- with(data, sin(V1) + V2 * (region == "north") + 0.5 * (kind == "b") + rnorm(n, sd = 0.5))
train <- seq_len(n) <= 45000

fit <- gpsieve(y ~ ., data[train, ], seed = 1, verbose = FALSE)
choice(fit)
choice(fit, "call")
# 0.5 is the standard deviation of the noise.
sqrt(mean((predict(fit, data[!train, ]) - data$y[!train])^2))
head(relevance(fit), 5)
