# Checks of the data themselves: columns of usable type, finite values, a response of one kind.

check_has_size <- function(x, arg, call) {
  if (nrow(x) == 0L || ncol(x) == 0L) {
    abort_gpsieve("{.arg {arg}} must have at least one row and one column.",
      "Found {nrow(x)} row{?s} and {ncol(x)} column{?s}.", class = "data", call = call
    )
  }
}

#' A numeric matrix with column names; unnamed columns become V1, V2, ...
#' @noRd
check_numeric_matrix <- function(x, arg, call, width = NULL) {
  if (!is.numeric(x) && !is.logical(x)) {
    abort_gpsieve("{.arg {arg}} must be a numeric matrix.", "Found a {typeof(x)} matrix.",
      class = "data", call = call
    )
  }
  if (is.null(colnames(x))) {
    if (!is.null(width) && ncol(x) != width) {
      abort_gpsieve("{.arg {arg}} must have as many columns as the training data: {width}.",
        "Found {ncol(x)}.", class = "data", call = call
      )
    }
    colnames(x) <- paste0("V", seq_len(ncol(x)), recycle0 = TRUE)
  }
  x
}

check_column_names <- function(x, arg, call) {
  names <- colnames(x)
  bad <- anyNA(names) || any(names == "") || anyDuplicated(names)
  if (bad) {
    twice <- unique(names[duplicated(names)])
    found <-
      if (length(twice)) paste0("Repeated: ", toString(dQuote(twice, FALSE)), ".")
      else "Found an empty name."
    abort_gpsieve("The columns of {.arg {arg}} must have distinct names.", "{found}",
      class = "data", call = call
    )
  }
}

#' Columns must be numeric, logical or (unless a recipe has had its chance) factors
#' @noRd
check_columns <- function(x, arg, call, factors = TRUE) {
  for (name in names(x)) {
    column <- x[[name]]
    plain <- is.null(dim(column)) && !is.list(column)
    known <- is.logical(column) || (is.numeric(column) && !inherits(column, "integer64")) ||
      (factors && is.factor(column))
    if (plain && known) next
    kind <- if (is.object(column)) class(column)[1] else typeof(column)
    abort_gpsieve("Column {.val {name}} of {.arg {arg}} must be numeric, logical or a factor.",
      "Found a column of type {.cls {kind}}.",
      if (is.character(column)) "Turn it into a factor if its values are categories.",
      class = "data", call = call
    )
  }
}

#' A column of newdata must be of the training column's kind and bring no new level
#' @noRd
check_like_training <- function(new, trained, column, call, arg = "newdata") {
  if (is.factor(trained)) {
    novel <- setdiff(unique(as.character(new)), c(levels(trained), NA))
    if (length(novel)) {
      abort_gpsieve(
        "Column {.val {column}} of {.arg {arg}} has {length(novel)} level{?s} the training data lack.",
        "New: {.val {novel}}. Known: {.val {levels(trained)}}.", class = "data", call = call
      )
    }
  } else if (is.numeric(trained) && !is.numeric(new) && !is.logical(new) && !all(is.na(new))) {
    kind <- if (is.object(new)) class(new)[1] else typeof(new)
    abort_gpsieve(
      "Column {.val {column}} of {.arg {arg}} must be numeric, as in the training data.",
      "Found {.cls {kind}}.", class = "data", call = call
    )
  }
}

#' Refuses missing and infinite values, saying where the first of them is
#' @noRd
check_finite <- function(x, arg, call) {
  if (!all(is.finite(x))) abort_not_finite(x, colnames(x), arg, call)
}

abort_not_finite <- function(x, columns, arg, call) {
  cell <- which(!is.finite(x), arr.ind = TRUE)
  count <- nrow(cell)
  first <- cell[1L, ]
  value <- format(x[first[1L], first[2L]])
  name <- columns[first[2L]]
  abort_gpsieve("{.arg {arg}} must hold finite numbers only.",
    "Found {count} value{?s} that {?is/are} not, the first {value} in row {first[1L]} of column {.val {name}}.",
    "Remove or impute those rows first.",
    class = "data", call = call
  )
}

#' newdata may have missing values (they give NA) but no infinite ones, whether they came so or were
#' made by the formula
#' @noRd
check_finite_or_missing <- function(x, newdata, call, arg = "newdata") {
  if (!any(is.infinite(x)) && !any(vapply(newdata, has_infinite, NA))) return(invisible())
  came <- Filter(has_infinite, newdata)
  columns <- if (length(came)) came else as.data.frame(x, optional = TRUE)
  columns <- Filter(has_infinite, columns)
  name <- names(columns)[1L]
  row <- which(is.infinite(columns[[1L]]))[1L]
  abort_gpsieve("{.arg {arg}} must not hold infinite values.",
    "Found {format(columns[[1L]][row])} in row {row} of column {.val {name}}.",
    class = "data", call = call
  )
}

has_infinite <- function(column) is.numeric(column) && any(is.infinite(column))
