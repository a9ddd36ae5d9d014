# What kind of value something is.

is_gpsieve_fit <- function(x) inherits(x, "gpsieve_fit")

is_string <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

is_number <- function(x) is.double(x) && length(x) == 1L && is.finite(x)

is_whole <- function(x) is.numeric(x) && length(x) == 1L && is.finite(x) && x == trunc(x) && x >= 0

is_flag <- function(x) is.logical(x) && length(x) == 1L && !is.na(x)

is_finite_matrix <- function(x) {
  if (is_sparse(x)) valid_sparse(x) else is.matrix(x) && is.double(x) && all(is.finite(x))
}

is_names <- function(x) is.character(x) && !anyNA(x)

# A data frame that really has these columns, each as long as the frame has rows
is_frame <- function(x, columns = NULL) {
  is.data.frame(x) && is.character(names(x)) && all(columns %in% names(x)) &&
    all(vapply(unclass(x), function(v) is.null(dim(v)) && length(v) == nrow(x), NA))
}

is_arrow <- function(x) {
  inherits(x, c("ArrowObject", "arrow_dplyr_query", "nanoarrow_array_stream", "nanoarrow_array"))
}
