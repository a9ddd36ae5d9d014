# Missing inputs that are modelled, na.action = "model".
#
# An encoding (encoding.R) of a variable that lacks values in training rows says what stands for
# them in its field `missing`: for factors and text the level "(missing)", for all else the mean of
# each column of numbers, beside which an indicator column is 1 where the value is missing.

missing_level <- "(missing)"

# The values of a factor or of text, with a level of its own for those that are missing
with_missing_level <- function(value) {
  text <- replace(as.character(value), is_missing(value), missing_level)
  factor(text, union(levels_of(value), missing_level), exclude = NULL)
}

encoding_with_missing <- function(encoding, value, name, arg, weights) {
  if (!any(is_missing(value))) return(encoding)
  if (encoding$kind == "category") {
    value <- with_missing_level(value)
    encoding[c("levels", "shares")] <- list(levels_of(value), shares_of(value, weights))
    encoding$missing <- missing_level
    return(encoding)
  }
  numbers <- encode(value, encoding, name, arg)
  means <- unname(means_of_known(numbers, weights))
  if (anyNA(means)) {
    abort_gpsieve("A missing input needs values of its column in other rows.",
      "All values of {.val {name}} are missing.", class = "data")
  }
  encoding$missing <- means
  encoding
}

# The mean of each column without its missing values; a row of weight w counts as w rows
means_of_known <- function(numbers, weights) {
  if (is.null(weights)) return(colMeans(numbers, na.rm = TRUE))
  colSums(weights * numbers, na.rm = TRUE) / colSums(weights * !is.na(numbers))
}

# Columns of numbers in which means stand for what is missing, and the indicator beside them
fill_numbers <- function(numbers, means, name) {
  absent <- rowSums(is.na(numbers)) > 0L
  for (j in seq_along(means)) numbers[is.na(numbers[, j]), j] <- means[j]
  columns <- c(colnames(numbers), paste0(name, missing_level))
  matrix(c(numbers, as.double(absent)), nrow(numbers), dimnames = list(NULL, columns))
}

# Rows of new data in which a variable with modelled missing values is computed from a level that
# the training data lack: it is NA in `data`, but known to be none of the missing in `categories`
rows_of_unknown_levels <- function(design, data, categories, unseen) {
  modelled <- !vapply(design$encodings, function(encoding) is.null(encoding$missing), NA)
  averaged <- unseen$average & vapply(design$variables, is.symbol, NA)
  columns <- intersect(unlist(lapply(design$variables[modelled & !averaged], all.vars)),
    names(categories))
  unknown <- lapply(columns, function(name) {
    is_missing(data[[name]]) & !is_missing(categories[[name]])
  })
  which(Reduce(`|`, unknown, logical(nrow(data))))
}

# Says of which columns new rows lack values though no training row did: nothing stands for these
# values, and the rows of the model matrix `x` have NA. `columns` are those of the new rows.
say_never_missing <- function(design, columns, x) {
  if (!anyNA(x)) return(invisible())
  never <- vapply(design$encodings, function(encoding) is.null(encoding$missing), NA)
  used <- intersect(unlist(lapply(design$variables[never], all.vars)), names(columns))
  lacking <- names(missing_in_columns(columns[rowSums(is.na(x)) > 0L, used, drop = FALSE]))
  if (!length(lacking)) return(invisible())
  inform_gpsieve(
    "Some rows lack {lacking}, which no training row lacked: their predictions are NA.",
    class = "missing")
}

# Blocks of the same source of rows say once which values are missing
once_missing <- function(expr) {
  said <- FALSE
  withCallingHandlers(expr, gpsieve_message_missing = function(m) {
    if (said) rlang::cnd_muffle(m)
    said <<- TRUE
  })
}

# Refuses to model missing inputs of recipes and sparse matrices
check_no_modelled <- function(na_action, what, hint) {
  if (!identical(na_action, "model")) return(invisible())
  abort_gpsieve("{.code na.action = \"model\"} needs a formula, a data frame or a dense matrix.",
    "Found {what}.", hint, class = "unsupported")
}
