# Tiny simulated data, the same at every call.

tasks <- c("binary", "multiclass", "regression")

# Runs code with the given seed and restores the state of the generator afterwards.
with_own_seed <- function(seed, code) {
  withr::with_seed(seed, code, .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion",
    .rng_sample_kind = "Rejection"
  )
}

uniform_inputs <- function(n, p = 2, seed = 1) {
  x <- with_own_seed(seed, matrix(runif(n * p, -2, 2), n, p))
  colnames(x) <- letters[seq_len(p)]
  x
}

# list(x, y, data, new): inputs a and b on different scales, the response, both together, and rows
# to predict.
toy_data <- function(task, n = 60, seed = 1) {
  x <- as.data.frame(uniform_inputs(n, 2, seed))
  noise <- with_own_seed(seed + 1, rnorm(n))
  f <- sin(2 * x$a) + x$b
  x$b <- 10 * x$b + 3
  y <- switch(task,
    binary = factor(ifelse(f + 0.5 * noise > 0, "yes", "no"), levels = c("no", "yes")),
    multiclass = factor(c("low", "mid", "high")[findInterval(f + 0.3 * noise, c(-0.7, 0.7)) + 1],
      levels = c("mid", "low", "high")
    ),
    regression = 5 + 2 * f + 0.3 * noise
  )
  new <- as.data.frame(uniform_inputs(9, 2, seed + 2))
  new$b <- 10 * new$b + 3
  list(x = x, y = y, data = cbind(x, y = y), new = new)
}

# Two classes by the sign of a smooth function of a matrix, with some labels flipped.
noisy_labels <- function(x, flip = 0.1, seed = 5) {
  sign <- ifelse(sin(2 * x[, 1]) + x[, ncol(x)] > 0, 1, -1)
  flipped <- with_own_seed(seed, runif(nrow(x))) < flip
  factor(ifelse(flipped, -sign, sign), levels = c(-1, 1))
}

# Friedman's first function of five of ten uniform inputs, with noise.
friedman_data <- function(n, seed = 1) {
  with_own_seed(seed, {
    x <- as.data.frame(matrix(runif(10 * n), n))
    x$y <- with(x, 10 * sin(pi * V1 * V2) + 20 * (V3 - 0.5)^2 + 10 * V4 + 5 * V5) + rnorm(n)
    x
  })
}

# Six rows, a response of numbers and one of classes, for what is refused before it is computed.
six_rows <- function() {
  data.frame(
    a = c(1, 3, 2, 5, 4, 6), b = c(2, 1, 4, 3, 6, 5), y = c(1, 2, 4, 3, 5, 6),
    f = factor(c("u", "v", "u", "v", "u", "v"))
  )
}
