# The numbers of a map: what the fit says on a grid over two inputs.

# The function of two inputs on a grid: mean or probability, its standard deviation, and for more
# classes the most probable one and its probability. A mean far from all data is NA.
map_frame <- function(fit, points, grid) {
  columns <- unlist(input_terms(fit))
  first <- axis_points(fit, columns[1L], grid, points$x)
  second <- axis_points(fit, columns[2L], grid, points$x)
  out <- expand.grid(x = first, y = second, KEEP.OUT.ATTRS = FALSE)
  rows <- model_rows(fit, rows_of_terms(fit, as.matrix(out)))
  latent <- marginals_at(fit, rows)
  response <- fit$response
  if (!is_classification(response)) {
    out$value <- predicted_mean(fit, latent)
    out$sd <- standard_error(fit, latent, "response")
    unknown <- prior_share(fit, rows, latent) > most_prior
    if (!all(unknown)) out[unknown, c("value", "sd")] <- NA
    return(out)
  }
  p <- predicted_probabilities(fit, latent)[, present_levels(response), drop = FALSE]
  winner <- max.col(p, "first")
  out$value <- if (response$kind == "binary") p[, 2L] else p[cbind(seq_along(winner), winner)]
  out$class <- factor(response$present[winner], levels = response$levels)
  if (has_many_classes(response)) out$lead <- leads(p)
  if (response$kind == "binary") out$sd <- latent_sd(fit, latent)
  out
}

# How far each class is ahead of the most probable other one, a matrix: its zero is a border, which
# lies between the points of a grid
leads <- function(p) {
  vapply(seq_len(ncol(p)), function(k) {
    others <- p[, -k, drop = FALSE]
    p[, k] - others[cbind(seq_len(nrow(p)), max.col(others, "first"))]
  }, numeric(nrow(p)))
}

# A map has no mean where the data leave more than this share of the prior variance.
most_prior <- 0.5

# The latent variance divided by that before any data; 0 for relevance vectors, whose variance is
# not that of a process with the kernel's prior
prior_share <- function(fit, x, latent) {
  kernel <- fit$kernel
  if (is.null(kernel) || fit$model == "rvm") return(numeric(nrow(x)))
  scaled <- rows_for_fit(fit, x)
  blocks <- split(seq_len(nrow(x)), (seq_len(nrow(x)) - 1L) %/% 64L)
  prior <- lapply(blocks, function(rows) {
    diag(as.matrix(kernel_matrix(kernel, scaled[rows, , drop = FALSE])))
  })
  latent$variance[, 1L] / unlist(prior)
}

# Points along each axis: borders between classes need more than a smooth mean
map_grid <- function(fit) if (has_many_classes(fit$response)) 120L else 80L

# What the signs of a map mean, in words
map_words <- function(fit, frame, points) {
  numbers <- !is_classification(fit$response)
  paste(c(
    if (numbers) "colour: mean", if (numbers && anyNA(frame$value)) "white: data do not tell it",
    if (numbers) "dashed: its standard deviation", paste("rings:", marked_words(fit)),
    if (any(points$open)) "squares: censored rows", share_of_rows(points$x, points$total)
  ), collapse = "; ")
}

# Filled signs of rows on a map: squares where a number is known to lie in an interval only
map_signs <- function(points) {
  if (is.null(points$open)) 21L else ifelse(points$open, 22L, 21L)
}
