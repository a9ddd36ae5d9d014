# Centring and scaling of inputs and of a numeric response, safe from overflow at any scale.

# Mean, standard deviation and range of every column of numbers, sparse or not
scales_of_columns <- function(x, weights) {
  if (is_sparse(x)) return(sparse_column_scales(x, weights))
  call_core(core_column_scales, x, weights)
}

# The mean squared deviation of every column from its mean
column_variances <- function(x) {
  if (!is_sparse(x)) return(colMeans(sweep(x, 2L, colMeans(x))^2))
  found <- sparse_column_scales(x, numeric())
  ifelse(found$lowest < found$highest, found$scale^2 * (nrow(x) - 1) / nrow(x), 0)
}

# Column means and standard deviations; the scale of a constant column is 1
column_scales <- function(x, weights = numeric()) {
  found <- call_core(core_column_scales, x, weights)
  input_scales(found, colnames(x), TRUE)[c("center", "scale")]
}

# Centre, scale and range of every input column.
# Centre 0 and scale 1 if `standardise` is FALSE; one scale for all columns, the root of their mean
# variance, if it is "common". Columns of level numbers, `levels`, stay as they are.
input_scales <- function(found, columns, standardise, levels = NULL) {
  p <- length(found$center)
  none <- isFALSE(standardise)
  kept <- columns %in% levels
  scale <-
    if (none) rep(1, p)
    else if (isTRUE(standardise)) found$scale
    else rep(common_scale(found, !kept), p)
  center <- if (none) numeric(p) else found$center
  c(list(
    center = stats::setNames(replace(center, kept, 0), columns),
    scale = stats::setNames(replace(scale, kept, 1), columns),
    range = rbind(found$lowest, found$highest, deparse.level = 0)
  ), if (length(levels)) list(levels = levels, standardise = standardise))
}

# The root of the mean variance of the columns that vary, 1 if none does
common_scale <- function(found, counted = TRUE) {
  varying <- found$scale[found$lowest < found$highest & counted]
  if (!length(varying)) return(1)
  # Divided by the largest first: squares of great numbers overflow.
  largest <- max(varying)
  largest * sqrt(mean((varying / largest)^2))
}

check_standardise <- function(standardise) {
  if (identical(standardise, "common")) return(standardise)
  if (is.logical(standardise)) return(check_flag(standardise, "standardise"))
  found <- describe(standardise)
  abort_gpsieve("{.arg standardise} must be TRUE or FALSE, or {.val common} for one common scale.",
    "Found {found}.")
}

# What `standardise` made these scales
standardised_by <- function(scales) {
  # Scales of level numbers do not tell.
  if (!is.null(scales$standardise)) scales$standardise
  else if (all(scales$center == 0) && all(scales$scale == 1)) FALSE
  else if (length(scales$scale) > 1L && all(scales$scale == scales$scale[1L])) "common"
  else TRUE
}

# The centred and scaled matrix, with the column names of the scales
apply_scales <- function(x, scales) {
  if (is_sparse(x)) return(scale_sparse(x, scales))
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
  if (is_sparse(x)) x <- as.matrix(x)
  sweep(sweep(x, 2L, scales$scale, "*"), 2L, scales$center, "+")
}

# Digits after the point of a rounded response, as a power of two: about nine decimal digits.
response_digits <- 30

# A standardised response, rounded to 2^-30 of its standard deviation.
# Training that decides about one function after another can turn with the last bit of the
# response, which depends on its unit. Rounded responses that differ by their unit are equal.
rounded_response <- function(y) round(y * 2^response_digits) / 2^response_digits

# May the columns have one scale: are they numbers between the same least and greatest value?
# Columns that are constant have these ends nowhere, as pixels at the edge of pictures do.
of_one_kind <- function(task) {
  x <- task$molded$x
  if (is_sparse(x) || !isTRUE(task$standardise) || ncol(x) < fewest_alike) return(FALSE)
  ends <- vapply(seq_len(ncol(x)), function(j) range(x[, j]), c(0, 0))
  varies <- ends[1L, ] < ends[2L, ]
  numbers <- function(j) any(x[, j] != round(x[, j]))
  more_than_two <- max(ends) - min(ends) > 1 || !is.null(Find(numbers, which(varies)))
  more_than_two && all(ends[1L, varies] == min(ends)) && mean(ends[2L, varies] == max(ends)) > 0.5
}

fewest_alike <- 10
