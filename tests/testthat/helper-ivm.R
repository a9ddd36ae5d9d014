# Small problems with given hyper-parameters, for the laws of the informative vector machine.

given <- function(x, y, ..., seed = 1) {
  ivm(x, y, ..., standardise = FALSE, optimise = FALSE, seed = seed, verbose = FALSE)
}

law_x <- uniform_inputs(30)
law_new <- uniform_inputs(12, seed = 8)
law_y <- sin(2 * law_x[, 1]) + law_x[, 2]^2 + with_own_seed(6, rnorm(30, sd = 0.3))
law_class <- noisy_labels(law_x)
