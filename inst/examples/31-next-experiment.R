# Bayesian optimisation: find the lowest point of a function that is costly to compute.
library(gpsieve)

# Branin's function on the unit square; its least value is 0.398.
branin <- function(x) {
  a <- 15 * x[, 1] - 5
  b <- 15 * x[, 2]
  (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
}
pool <- as.matrix(expand.grid(a = seq(0, 1, length.out = 41), b = seq(0, 1, length.out = 41)))
# The function has no noise; a little keeps the covariance matrix well conditioned.
noise <- lik_gaussian(fixed(1e-4))
set.seed(1)
tried <- sample(nrow(pool), 10)
for (step in 1:20) {
  fit <- meanfield_gp(pool[tried, ], branin(pool[tried, ]), kernel_rbf(ard = TRUE), noise)
  rest <- setdiff(seq_len(nrow(pool)), tried)
  tried <- c(tried, rest[what_next(fit, pool[rest, ], goal = "minimum")$.row])
}
min(branin(pool[tried, ]))
min(branin(pool[sample(nrow(pool), 30), ])) # as many rows at random
min(branin(pool))

# Four experiments at once, where those with a large `b` cost twice as much.
rest <- setdiff(seq_len(nrow(pool)), tried)
what_next(fit, pool[rest, ], 4, goal = "minimum", cost = ifelse(pool[rest, "b"] > 0.5, 2, 1))
