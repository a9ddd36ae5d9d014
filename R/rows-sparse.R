# Sparse matrices as the inputs of a fit, and new rows where the fit or the rows are sparse.

# New rows for a fit whose inputs are sparse: columns by name, or in order where they have no names
forge_sparse <- function(fit, newdata, arg) {
  columns <- names(fit$inputs$center)
  x <- if (is_of_matrix_package(newdata)) {
    as_sparse(newdata, arg, missing = TRUE)
  } else if (is.matrix(newdata) || is.data.frame(newdata)) {
    given <- if (is.matrix(newdata)) newdata else as.matrix(newdata[names(newdata) %in% columns])
    given <- check_numeric_matrix(given, arg, width = length(columns))
    check_sparse_values(dense_to_sparse(given), arg, missing = TRUE)
  } else {
    found <- describe(newdata)
    abort_gpsieve("{.arg {arg}} must be a matrix or a data frame.", "Found {found}.")
  }
  if (is.null(x$columns)) {
    if (x$p != length(columns)) {
      abort_gpsieve(
        "{.arg {arg}} must have as many columns as the training data: {length(columns)}.",
        "Found {x$p}.", class = "data")
    }
    x$columns <- columns
  }
  check_no_column_lacks(columns, x$columns, arg)
  if (identical(x$columns, columns)) x else some_columns(x, match(columns, x$columns))
}

# New rows of package Matrix for a fit whose inputs are dense
made_dense <- function(x, arg) {
  check_memory(doubles(dim(x)), "the inputs of this fit are dense, and so become these rows",
    "Predict fewer rows at a time, or fit the model to a sparse matrix.")
  dense_matrix(x, arg)
}
