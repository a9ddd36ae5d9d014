# Centring and scaling of inputs and of a numeric response, safe from overflow at any scale.

#' Column means and standard deviations; the scale of a constant column is 1
#' @noRd
column_scales <- function(x) {
  found <- call_core(core_column_scales, x)
  input_scales(found, colnames(x), TRUE)[c("center", "scale")]
}

#' Centre, scale and range of every input column; centre 0 and scale 1 if `standardise` is FALSE
#' @noRd
input_scales <- function(found, columns, standardise) {
  p <- length(found$center)
  list(
    center = stats::setNames(if (standardise) found$center else numeric(p), columns),
    scale = stats::setNames(if (standardise) found$scale else rep(1, p), columns),
    range = rbind(found$lowest, found$highest, deparse.level = 0)
  )
}

#' The centred and scaled matrix, with the column names of the scales
#' @noRd
apply_scales <- function(x, scales) {
  columns <- names(scales$center)
  if (all(scales$center == 0) && all(scales$scale == 1)) {
    if (!identical(colnames(x), columns)) colnames(x) <- columns
    return(x)
  }
  out <- call_core(core_apply_scales, x, scales$center, scales$scale)
  if (!is.null(columns)) dimnames(out) <- list(NULL, columns)
  out
}

undo_scales <- function(x, scales) {
  sweep(sweep(x, 2L, scales$scale, "*"), 2L, scales$center, "+")
}
