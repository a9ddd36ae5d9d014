# Missing inputs that are modelled, na.action = "model".
#
# An encoding (rows-encoding.R) of a variable that lacks values in training rows says what stands
# for them in its field `missing`: for factors and text the level "(missing)", for all else the mean
# of each column of numbers, beside which an indicator column is 1 where the value is missing.

missing_level <- "(missing)"

# The mean of each column without its missing values; a row of weight w counts as w rows
means_of_known <- function(numbers, weights) {
  if (is.null(weights)) return(colMeans(numbers, na.rm = TRUE))
  colSums(weights * numbers, na.rm = TRUE) / colSums(weights * !is.na(numbers))
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
    paste("Some rows lack {lacking}, which no training row lacked: they are left out, and",
      "predictions for them are NA."),
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

# The kernel with a noise for each column of the molded data that says where values are missing
# and has none yet, one for all columns whose gaps are in the same rows, as those of x and of log(x)
# are: nothing would tell several apart. A row of weight 2 would have two noises (advice_on_gaps()
# says so), and what known or changing noise makes of rows are weights.
with_gap_noise <- function(kernel, molded) {
  gaps <- Filter(length, lapply(molded$gaps, intersect, molded$columns))
  if (!length(gaps) || !is.null(molded$weights)) return(kernel)
  own <- columns_of_gap_noise(kernel, molded$columns)
  lacking <- Filter(function(alike) !any(alike %in% own), gaps)
  Reduce(`+`, lapply(lacking, kernel_gap_noise), kernel)
}

# The names of the columns of x that say where values are missing, together where they say the same
columns_with_same_gaps <- function(design, x, columns) {
  gap <- intersect(gap_columns(design), columns)
  if (!length(gap)) return(NULL)
  says <- lapply(match(gap, columns), function(at) unname(x[, at]) > 0)
  first_alike <- vapply(says, function(own) Position(function(one) identical(one, own), says), 0L)
  unname(split(gap, first_alike))
}

# The names of the columns that say where values are missing
gap_columns <- function(design) {
  lacking <- !vapply(design$encodings, function(encoding) is.null(encoding$missing), NA)
  paste0(names(design$variables)[lacking], missing_level, recycle0 = TRUE)
}
