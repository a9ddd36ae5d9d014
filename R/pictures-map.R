# The numbers of a map: what the fit says on a grid over two inputs.

#' The function of two inputs on a grid: mean or probability, its standard deviation, and for more
#' classes the most probable one and its probability. A mean far from all data is NA.
#' @noRd
map_frame <- function(fit, points, grid, call) {
  first <- axis_points(fit, 1L, grid, points$x)
  second <- axis_points(fit, 2L, grid, points$x)
  out <- expand.grid(x = first, y = second, KEEP.OUT.ATTRS = FALSE)
  latent <- marginals_at(fit, as.matrix(out), call)
  response <- fit$response
  if (!is_classification(response)) {
    out$value <- predicted_mean(fit, latent)
    out$sd <- standard_error(fit, latent, "response")
    unknown <- prior_share(fit, as.matrix(out[c("x", "y")]), latent) > most_prior
    if (!all(unknown)) out[unknown, c("value", "sd")] <- NA
    return(out)
  }
  p <- predicted_probabilities(fit, latent)[, response$present, drop = FALSE]
  winner <- max.col(p, "first")
  out$value <- if (response$kind == "binary") p[, 2L] else p[cbind(seq_along(winner), winner)]
  out$class <- factor(response$present[winner], levels = response$levels)
  if (response$kind == "binary") out$sd <- latent_sd(fit, latent)
  out
}

# A map has no mean where the data leave more than this share of the prior variance.
most_prior <- 0.5

#' The latent variance divided by that before any data; 0 for relevance vectors, whose variance is
#' not that of a process with the kernel's prior
#' @noRd
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

#' What the signs of a map mean, in words
#' @noRd
map_words <- function(fit) {
  paste0(
    if (!is_classification(fit$response)) {
      "colour: mean where data tell it; dashed: standard deviation; "
    },
    "rings: ", fit$labels$basis
  )
}
