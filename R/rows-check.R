# Checks of the data themselves: columns of usable type, finite values, a response of one kind.

check_has_size <- function(x, arg) {
  if (nrow(x) == 0L || ncol(x) == 0L) {
    abort_gpsieve("{.arg {arg}} must have at least one row and one column.",
      "Found {nrow(x)} row{?s} and {ncol(x)} column{?s}.", class = "data")
  }
  if (is.data.frame(x)) check_whole_columns(x, arg)
}

# A numeric matrix with column names; unnamed columns become V1, V2, ...
check_numeric_matrix <- function(x, arg, width = NULL) {
  if (!is.numeric(x) && !is.logical(x)) {
    abort_gpsieve("{.arg {arg}} must be a numeric matrix.", "Found a {typeof(x)} matrix.",
      class = "data")
  }
  if (is.null(colnames(x))) {
    if (!is.null(width) && ncol(x) != width) {
      abort_gpsieve("{.arg {arg}} must have as many columns as the training data: {width}.",
        "Found {ncol(x)}.", class = "data")
    }
    colnames(x) <- paste0("V", seq_len(ncol(x)), recycle0 = TRUE)
  }
  x
}

check_column_names <- function(x, arg) check_distinct_names(colnames(x), arg, ncol(x))

# Columns must be told apart by their names
check_distinct_names <- function(names, arg, count = length(names)) {
  bad <- length(names) != count || anyNA(names) || any(names == "") || anyDuplicated(names)
  if (bad) {
    twice <- unique(names[duplicated(names)])
    found <-
      if (length(twice)) paste0("Repeated: ", toString(dQuote(twice, FALSE)), ".")
      else "Found a column without a name."
    abort_gpsieve("The columns of {.arg {arg}} must have distinct names.", "{found}",
      class = "data")
  }
}

# Every column must have a value for each row, which a data frame that was taken apart may lack
check_whole_columns <- function(data, arg) {
  sizes <- vapply(as.list(data), NROW, 0L)
  broken <- which(sizes != nrow(data))
  if (!length(broken)) return(invisible())
  first <- broken[1L]
  abort_gpsieve("Every column of {.arg {arg}} must have one value for each row.",
    "Column {.val {names(data)[first]}} has {sizes[first]} value{?s} for {nrow(data)} row{?s}.",
    class = "data")
}

# Columns must be of a kind that numbers can be made of
check_columns <- function(x, arg) {
  usable <- vapply(x, function(column) {
    is.null(dim(column)) && !is.null(kind_of(column)) && !has_unknown_unit(column)
  }, NA)
  bad <- which(!usable)
  if (length(bad)) abort_type(x[[bad[1L]]], names(x)[bad[1L]], arg)
}

# Columns of which an expression makes something must not be numbers whose unit it does not see
check_units <- function(x, arg) {
  bad <- which(vapply(x, has_unknown_unit, NA))
  if (length(bad)) abort_type(x[[bad[1L]]], names(x)[bad[1L]], arg)
}

# Periods of package lubridate are other numbers in other units, and so are numbers of package
# units, which that package converts
has_unknown_unit <- function(column) {
  (inherits(column, "units") && !isNamespaceLoaded("units")) ||
    (isS4(column) && is.numeric(column))
}

abort_type <- function(column, name, arg) {
  kind <- if (is.object(column) || is.matrix(column)) class(column)[1] else typeof(column)
  abort_gpsieve(
    paste(
      "Column {.val {name}} of {.arg {arg}} must be numeric, logical, a factor, text, a date",
      "or a time."
    ),
    "Found a column of type {.cls {kind}}.", hint_of_type(column),
    class = "data"
  )
}

# What makes numbers or columns of a value that is neither
hint_of_type <- function(value) {
  if (length(dim(value)) == 2L) "Give each of its columns as a column of its own."
  else if (inherits(value, "difftime")) "{.code as.numeric(, units = )} makes numbers of it."
  else if (has_unknown_unit(value)) "{.fn as.numeric} of it in one unit makes numbers."
  else if (is.numeric(unclass(value))) "{.fn as.numeric} makes numbers of it."
}

# A column of new data as the training column is stored, which must be of its kind. `unseen` says
# what becomes of other levels (rows-new-levels.R), NULL that they stay.
as_training <- function(new, trained, column, arg, unseen = refuse_unseen(arg)) {
  kind <- kind_of(trained)
  if (is.null(kind) || !is.null(dim(trained))) return(new) # a response, or what a recipe takes
  if (is.null(dim(new)) && all(is.na(new))) return(trained[rep(NA_integer_, length(new))])
  kinds <- if (kind %in% c("category", "order")) c("category", "order") else kind
  if (!is.null(dim(new)) || !isTRUE(kind_of(new) %in% kinds) || has_unknown_unit(new)) {
    found <- if (is.object(new) || is.matrix(new)) class(new)[1] else typeof(new)
    abort_gpsieve(
      paste(
        "Column {.val {column}} of {.arg {arg}} must be {kind_words[[kind]]},",
        "as in the training data."
      ),
      "Found {.cls {found}}.", class = "data"
    )
  }
  switch(kind,
    category = , order = in_levels(new, trained, column, unseen),
    time = .POSIXct(as.double(new), attr(trained, "tzone")),
    duration = , quantity = in_unit(new, units(trained), column, arg),
    number = stored_as(new, trained),
    new)
}

# Time differences and numbers of package units, which that package converts where it is loaded, in
# the unit of the training column
in_unit <- function(new, unit, column, arg) {
  on_error(`units<-`(new, unit), function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("Column {.val {column}} of {.arg {arg}} must have a unit like that in training.",
      "{said}", "Package {.pkg units} converts units, where it is loaded.", class = "data")
  })
}

# Text or a factor as the training column is: functions see text as text and levels by their places
in_levels <- function(new, trained, column, unseen) {
  if (is.character(trained)) return(as.character(new))
  same <- identical(attributes(new), attributes(trained))
  if (is.null(unseen) || (same && !anyNA(levels(trained)))) return(new)
  unseen$note(new, levels(trained), column)
  factor(as.character(new), levels(trained), levels(trained), exclude = NULL,
    ordered = is.ordered(trained))
}

# Numbers stored as the training column's are, where that changes none: paste(100000) and
# paste(100000L) are different levels
stored_as <- function(new, trained) {
  if (is.integer(trained) && !is.integer(new) && all_whole(new)) as.integer(new)
  else if (is.double(trained) && !is.double(new)) as.double(new)
  else if (is.logical(trained) && all(new %in% c(0, 1, NA))) as.logical(new)
  else new
}

# New columns in the types of the training columns, under their names; all of these are there
all_as_training <- function(data, trained, arg, unseen = function(column) {
                              refuse_unseen(arg)
                            }) {
  names <- names(trained)
  check_distinct_names(names(data)[names(data) %in% names], arg)
  data <- plain_columns(as.data.frame(data)[names])
  check_whole_columns(data, arg)
  columns <- Map(function(new, trained, column) {
    as_training(new, trained, column, arg, unseen(column))
  }, data, trained, names)
  # `[<-` of a data frame takes a time that grows with the square of the number of columns.
  structure(columns, names = names, class = "data.frame", row.names = attr(data, "row.names"))
}

all_whole <- function(x) all(is.na(x) | (x == trunc(x) & abs(x) <= .Machine$integer.max))

# Refuses missing and infinite values, saying where the first of them is
check_finite <- function(x, arg) {
  if (is_sparse(x)) return(invisible(check_sparse_values(x, arg, missing = FALSE)))
  if (!all(is.finite(x))) abort_not_finite(x, colnames(x), arg)
}

# `kept` are the numbers of the rows of x in the data, where these are not all of them
abort_not_finite <- function(x, columns, arg, kept = NULL) {
  cell <- which(!is.finite(x), arr.ind = TRUE)
  count <- nrow(cell)
  first <- cell[1L, ]
  row <- if (is.null(kept)) first[1L] else kept[first[1L]]
  value <- format(x[first[1L], first[2L]])
  name <- columns[first[2L]]
  abort_gpsieve("{.arg {arg}} must hold finite numbers only.",
    paste(
      "Found {count} value{?s} that {?is/are} not, the first {value} in row {row}",
      "of column {.val {name}}."
    ),
    "Remove or impute those rows first.",
    class = "data")
}

# newdata may have missing values (they give NA) but no infinite ones, whether they came so or were
# made by the formula
check_finite_or_missing <- function(x, newdata, arg = "newdata") {
  if (!any(is.infinite(x)) && !any(vapply(newdata, has_infinite, NA))) return(invisible())
  came <- Filter(has_infinite, newdata)
  columns <- if (length(came)) came else as.data.frame(x, optional = TRUE)
  columns <- Filter(has_infinite, columns)
  name <- names(columns)[1L]
  row <- which(is.infinite(columns[[1L]]))[1L]
  abort_gpsieve("{.arg {arg}} must not hold infinite values.",
    "Found {format(columns[[1L]][row])} in row {row} of column {.val {name}}.", class = "data")
}

has_infinite <- function(column) is.numeric(column) && any(is.infinite(column))

# The kind of a column, NULL if there is no way to make numbers of it
kind_of <- function(column) {
  if (is.ordered(column)) "order"
  else if (is.factor(column) || is.character(column)) "category"
  else if (inherits(column, "Date")) "date"
  else if (inherits(column, "POSIXct")) "time"
  else if (inherits(column, "difftime")) "duration"
  else if (inherits(column, "units") && is.numeric(column)) "quantity"
  else if (is.logical(column) || (is.numeric(column) && !inherits(column, "integer64"))) "number"
}

# `needs` says for what the columns are needed
check_no_column_lacks <- function(wanted, found, arg, needs = NULL) {
  absent <- setdiff(wanted, found)
  if (!length(absent)) return(invisible())
  what <-
    if (identical(needs, "response")) "the response"
    else if (is.null(needs)) "{length(absent)} column{?s} of the training data"
    else "{length(absent)} column{?s} that the {needs} needs"
  abort_gpsieve(paste0("{.arg {arg}} lacks ", what, "."), "Missing: {.val {absent}}.",
    meant_columns(absent, setdiff(found, wanted)), class = "data")
}
