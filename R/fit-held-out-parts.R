# Rows that are held out in parts while hyper-parameters are learned: how they are dealt, and what
# machines of the other parts say about them.

# The weight with which each row is held out in each part, a matrix with a column for every part.
# Rows are dealt to the parts in turn: those of each class in random order, numbers in the order of
# their size. What is held out therefore does not depend on the order of rows or class levels.
# Weights that count copies, such as those of equal rows, are dealt copy by copy: where columns have
# few values, all rows that say what the response is at some place would else be held out together.
held_out_weights <- function(sample, parts) {
  n <- nrow(sample$y)
  weight <- if (length(sample$cases$weight)) sample$cases$weight else rep(1, n)
  copies <- copies_of_rows(sample)
  if (is.null(copies)) copies <- rep(1, n)
  groups <- list(order(sample$y[, 1L]))
  if (is_classification(sample$response)) {
    rows <- draw(n, n, sample$seed, sorted = FALSE)
    groups <- split(rows, max.col(cbind(sample$y, 0), ties.method = "first")[rows])
  }
  # Single rows of all classes would all be held out in the same part.
  if (all(lengths(groups) == 1L)) groups <- list(unlist(groups))
  parts <- min(parts, sum(copies))
  out <- matrix(0, n, parts)
  for (rows in groups) out[rows, ] <- dealt(copies[rows], parts)
  out * (weight / copies)
}

# How many copies of each row every part gets, a matrix, when all copies are dealt in turn
dealt <- function(copies, parts) {
  # Of the first `count` copies the part numbered `part` gets as many.
  given <- function(count) {
    outer(count, seq_len(parts), function(count, part) floor((count + parts - part) / parts))
  }
  last <- cumsum(copies)
  given(last) - given(last - copies)
}

# Log predictive densities of what is held out, given as the weight of each row, by machines
# trained on the rest. `run` is a function of a problem and returns what the core does.
part_log_densities <- function(sample, weight, run) {
  kept <- (if (length(sample$cases$weight)) sample$cases$weight else 1) - weight
  train <- weighted_rows(sample, kept)
  test <- weighted_rows(sample, weight)
  found <- run(train)
  if (length(found$likelihood_params)) {
    train$likelihood <- likelihood_set_theta(train$likelihood, found$likelihood_params)
  }
  held_out_log_densities(train, found$latents, test$x, test$y, test$cases)
}

weighted_rows <- function(problem, weight) {
  rows <- which(weight > 0)
  out <- some_rows(problem, rows)
  if (length(problem$cases$weight)) out$cases$weight <- weight[rows]
  out
}

# Each row's counts by its weight, and is the sum over all machines
held_out_log_densities <- function(problem, latents, x, y, cases) {
  points <- if (NROW(problem$centres)) problem$centres else problem$x
  marginals <- call_core(core_predict, kernel_spec(problem$kernel), without_names(points),
    lapply(latents, `[[`, "posterior"), x, TRUE, core_settings(problem$threads))
  w <- if (length(cases$weight)) cases$weight else 1
  offset <- if (length(cases$offset)) cases$offset else 0
  w * Reduce(`+`, lapply(seq_len(ncol(y)), function(k) {
    log_density(problem$likelihood, y[, k], marginals$mean[, k] + offset, marginals$variance[, k])
  }))
}
