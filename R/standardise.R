# Centring and scaling of inputs and of a numeric response, safe from overflow at any scale.

#' Column means and standard deviations; a constant column keeps its scale (sd 0 becomes 1)
#' @noRd
column_scales <- function(x) {
  center <- colMeans(x)
  largest <- apply(abs(sweep(x, 2L, center)), 2L, max)
  # Constant up to rounding: the deviations of equal numbers from their own mean.
  constant <- largest <= 1e-14 * abs(center) | largest == 0 | nrow(x) == 1L
  unit <- ifelse(constant, 1, largest)
  spread <- sqrt(colSums((sweep(sweep(x, 2L, center), 2L, unit, "/"))^2) / max(nrow(x) - 1L, 1L))
  list(center = center, scale = ifelse(constant, 1, unit * spread))
}

no_scales <- function(x) {
  p <- ncol(x)
  list(
    center = stats::setNames(numeric(p), colnames(x)),
    scale = stats::setNames(rep(1, p), colnames(x))
  )
}

apply_scales <- function(x, scales) {
  if (all(scales$center == 0) && all(scales$scale == 1)) return(x)
  sweep(sweep(x, 2L, scales$center), 2L, scales$scale, "/")
}

undo_scales <- function(x, scales) {
  sweep(sweep(x, 2L, scales$scale, "*"), 2L, scales$center, "+")
}
