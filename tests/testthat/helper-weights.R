# Rows with case weights, for the tests of weights.

# Distinct rows and how often each is repeated, with the response of a likelihood.
weighted_data <- function(task, n = 24) {
  x <- as.data.frame(uniform_inputs(n, 2, 3))
  noise <- with_own_seed(4, rnorm(n))
  f <- sin(1.5 * x$a) + 0.7 * x$b + 0.4 * noise
  y <- switch(task,
    real = 3 + 2 * f,
    count = with_own_seed(5, rpois(n, exp(1 + 0.6 * f))),
    binary = factor(ifelse(f > 0, "yes", "no"), levels = c("no", "yes")),
    multiclass = factor(c("low", "mid", "high")[findInterval(f, c(-0.6, 0.6)) + 1])
  )
  data <- cbind(x, y = y, w = with_own_seed(6, sample(1:4, n, replace = TRUE)))
  copies <- data[rep(seq_len(n), data$w), ]
  # Rows that are equal but for rounding are not merged: the models see every copy.
  unmerged <- copies
  unmerged$a <- unmerged$a * (1 + 1e-14 * (seq_len(nrow(copies)) - match(copies$a, copies$a)))
  list(data = data, copies = copies, unmerged = unmerged,
    new = as.data.frame(uniform_inputs(7, 2, 8))
  )
}
