# Conjugate gradients on all functions, the peer of greedy functions in the slides of Smola (2002),
# for greedy-slides.R and causes.R.

#' The objective Q = a'K (K + noise I) a / 2 - y'K a after each of so many steps of conjugate
#' gradients on all weights a, with the CPU seconds until then
#'
#' The steps minimise Q itself, with two products with K each, or solve (K + noise I) a = y, with
#' one.
conjugate_gradients <- function(k, y, noise, steps, on) {
  begun <- proc.time()[["user.self"]]
  times <- function(v) drop(k %*% v)
  apply_to <- function(v) {
    image <- times(v) + noise * v
    if (on == "Q") times(image) else image
  }
  target <- if (on == "Q") times(y) else y
  residual <- target
  weights <- numeric(length(y))
  direction <- residual
  out <- NULL
  for (step in seq_len(steps)) {
    image <- apply_to(direction)
    square <- sum(residual^2)
    length <- square / sum(direction * image)
    weights <- weights + length * direction
    residual <- residual - length * image
    # (K + noise I) a = y - residual of the second way; K a follows without another product.
    q <- if (on == "Q") -sum(weights * (target + residual)) / 2
      else -sum((y - residual - noise * weights) * (y + residual)) / 2
    out <- rbind(out, data.frame(
      way = paste("conjugate gradients,", on), size = step, q = q,
      seconds = proc.time()[["user.self"]] - begun
    ))
    direction <- residual + sum(residual^2) / square * direction
  }
  out
}
