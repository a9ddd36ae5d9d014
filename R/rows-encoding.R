# How a column of the data, or the value of a formula's variable, becomes columns of numbers.
#
#   number     numbers and flags (FALSE is 0, TRUE is 1); a matrix keeps its columns
#   category   factors and text: an indicator for each level
#   order      ordered factors: the position of the level, so that neighbours are alike
#   level      factors and text whose levels a kernel reads: the number of the level (rows-levels.R)
#   date, time, duration   days, seconds since 1970, and the training column's own unit
#   quantity   numbers of package units, in the training column's own unit
#
# An encoding is list(kind, levels, shares, units, columns): what must be known of the training
# rows. Where missing values are modelled it says how, in `missing` (rows-missing-inputs.R).

kind_words <- c(
  number = "numeric or logical", category = "a factor or text", order = "an ordered factor",
  level = "a factor or text", date = "a date",
  time = "a date and time (POSIXct)", duration = "a time difference",
  quantity = "numbers of package units"
)

encoding_of <- function(value, name, n, arg, models_missing = FALSE, weights = NULL) {
  kind <- kind_of(value)
  shaped <- is.null(dim(value)) || (is.matrix(value) && identical(kind, "number"))
  if (is.null(kind) || !shaped || NROW(value) != n) {
    found <-
      if (is.null(kind) || !shaped) "a value of type {.cls {class(value)[1]}}"
      else "{NROW(value)} value{?s} for {n} row{?s}"
    abort_gpsieve(
      "{.code {name}} must give numbers or categories, one for each row of {.arg {arg}}.",
      paste0("Found ", found, "."), class = "data")
  }
  encoding <- list(
    kind = kind,
    levels = switch(kind, category = , order = levels_of(value)),
    shares = switch(kind, category = , order = shares_of(value, weights)),
    units = if (kind %in% c("duration", "quantity")) units(value),
    columns = if (is.matrix(value)) matrix_columns(value)
  )
  if (models_missing) encoding_with_missing(encoding, value, name, arg, weights) else encoding
}

# The share of the training rows that has each level; a row of weight w counts as w rows
shares_of <- function(value, weights) {
  known <- levels_of(value)
  code <- factor(match(as.character(value), known), seq_along(known))
  counts <- if (is.null(weights)) tabulate(code, length(known)) else
    unname(tapply(weights, code, sum, default = 0))
  as.vector(counts) / if (any(counts > 0)) sum(counts) else 1
}

# The levels of a factor, or the different values of text in an order that no locale changes
levels_of <- function(x) if (is.factor(x)) levels(x) else in_order_of_codes(unique(x))

matrix_columns <- function(x) {
  if (!is.null(colnames(x))) colnames(x)
  else if (ncol(x) == 1L) ""
  else as.character(seq_len(ncol(x)))
}

# The numbers of a variable, one column or more, by its encoding; `unseen` says what becomes of
# levels that the training data lack (rows-new-levels.R)
encode <- function(value, encoding, name, arg, unseen = refuse_unseen(arg)) {
  if (is.character(encoding$missing)) value <- with_missing_level(value)
  if (encoding$kind == "level") value <- level_numbers(value, encoding, name, unseen)
  if (encoding$kind %in% c("category", "order")) {
    novel <- unseen$note(value, encoding$levels, name)
    code <- match(as.character(value), encoding$levels)
    average <- if (unseen$average && any(novel)) average_level(encoding)
    if (encoding$kind == "category") {
      out <- indicators(code, paste0(name, encoding$levels))
      if (!is.null(average)) out[novel, ] <- rep(average, each = sum(novel))
      return(out)
    }
    value <- if (is.null(average)) code else replace(as.double(code), novel, average)
  }
  if (!is.null(encoding$units) && inherits(value, c("difftime", "units"))) {
    value <- in_unit(value, encoding$units, name, arg)
  }
  numbers <- matrix(as.double(unclass(value)),
    ncol = max(1L, length(encoding$columns)), dimnames = list(NULL, paste0(name, encoding$columns)))
  if (is.null(encoding$missing) || encoding$kind == "level") return(numbers)
  fill_numbers(numbers, encoding$missing, name)
}

# How many columns of numbers a variable becomes
encoding_width <- function(encoding) {
  if (encoding$kind == "category") return(length(encoding$levels))
  max(1L, length(encoding$columns)) + is.numeric(encoding$missing)
}

# Where to label an axis of such numbers, and the labels: list(at, labels), NULL for plain numbers
axis_ticks <- function(encoding, range) {
  if (encoding$kind %in% c("order", "level")) {
    return(list(at = seq_along(encoding$levels), labels = encoding$levels))
  }
  moment <- switch(encoding$kind,
    date = as.Date(range, origin = "1970-01-01"),
    time = as.POSIXct(range, origin = "1970-01-01"))
  if (is.null(moment)) return(NULL)
  at <- pretty(moment)
  labels <- attr(at, "labels")
  list(at = as.double(at), labels = if (is.null(labels)) format(at) else labels)
}

indicators <- function(code, names) {
  out <- matrix(0, length(code), length(names), dimnames = list(NULL, names))
  out[cbind(seq_along(code), code)[!is.na(code), , drop = FALSE]] <- 1
  out[is.na(code), ] <- NA
  out
}

valid_encoding <- function(encoding) {
  if (!is.list(encoding) || !is_string(encoding$kind)) return(FALSE)
  categories <- encoding$kind %in% c("category", "order", "level")
  encoding$kind %in% names(kind_words) && (!categories || is.character(encoding$levels))
}

# The values of a factor or of text, with a level of its own for those that are missing
with_missing_level <- function(value) {
  if (!is.factor(value)) value <- as.character(value) # a column of nothing but NA is logical
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

# Columns of numbers in which means stand for what is missing, and the indicator beside them
fill_numbers <- function(numbers, means, name) {
  absent <- rowSums(is.na(numbers)) > 0L
  for (j in seq_along(means)) numbers[is.na(numbers[, j]), j] <- means[j]
  columns <- c(colnames(numbers), paste0(name, missing_level))
  matrix(c(numbers, as.double(absent)), nrow(numbers), dimnames = list(NULL, columns))
}
