# The rows of a source as numbers: model matrix and response, in windows of any size, read from the
# source itself or from the copy that the first pass has made.

# A block of a source, in the types of the schema, as list(x, y, offset), model matrix, response and
# offset, NULL where there is none; every value is checked
forge_block <- function(molded, data, place) {
  blueprint <- molded$blueprint
  columns <- flags_to_numbers(all_as_training(data, blueprint$ptypes$predictors, "data"))
  x <- design_matrix(blueprint$design, columns, "data")
  y <- canonical_response(forge_response(blueprint, data, "data"))
  offset <- offset_by_rules(blueprint$offset, data, "data")
  # The sum is finite only if all numbers are.
  bad <- if (!is.finite(sum(x))) which(!is.finite(x), arr.ind = TRUE)
  if (length(bad)) {
    cell <- bad[1L, ]
    abort_rows("{.arg data} must hold finite numbers only.",
      sprintf("Found %s in column \"%s\".", format(x[cell[1L], cell[2L]]), colnames(x)[cell[2L]]),
      place, row = cell[1L], hint = "Remove or impute such rows in the source.")
  }
  absent <- which(is_unknown(y))
  if (length(absent)) {
    row <- absent[1L]
    abort_rows("The response must not be missing or infinite.",
      sprintf("Found %s.", format(y[row])), place, row = row,
      hint = "Remove such rows in the source.")
  }
  absent <- which(is.na(offset))
  if (length(absent)) {
    abort_rows("The offset must not be missing.", "Found NA.", place, row = absent[1L],
      hint = "Remove such rows in the source.")
  }
  list(x = x, y = y, offset = offset)
}

# A block as numbers that are written to a file, a column for each row: inputs, response, classes as
# positions of their levels, and offset. How they are read is said by the number of inputs, by
# `like`, a part of the response, and by whether there is an offset.
numbers_of_block <- function(block) {
  rbind(t(block$x), do.call(rbind, response_columns(block$y)), block$offset)
}

block_of_numbers <- function(numbers, inputs, like, has_offset) {
  x <- t(numbers[seq_len(inputs), , drop = FALSE])
  list(x = x, y = response_of_numbers(numbers[-seq_len(inputs), , drop = FALSE], like),
    offset = if (has_offset) numbers[nrow(numbers), ])
}

# Windows of `size` rows (the last one may be smaller) after the first `skip` rows:
# next_window() returns list(x, y, offset, first), `first` being the number of its first row, or
# NULL; total() is the number of rows that have been read; finish() reads the other rows of the last
# stretch (see checksum_checker()), so that all windows have been compared; close().
# `problem` holds the `rows`, what the first pass found as `scan`, and the blueprint in `molded`.
number_reader <- function(problem, size, skip = 0) {
  reader <-
    if (has_copy(problem$rows)) copy_reader(problem$rows$copy, size, skip)
    else source_reader(problem, size, skip)
  next_window <- reader$next_window
  reader$next_window <- function() less_offset(next_window(), problem$response)
  reader
}

# A window whose response is less its offset where that is the model without one, as on_scale() has
# rows in memory
less_offset <- function(window, response) {
  if (is.null(window$offset) || response$kind != "real") return(window)
  window$y <- window$y - window$offset
  window["offset"] <- list(NULL)
  window
}

# The windows of the source itself, see number_reader()
source_reader <- function(problem, size, skip) {
  scan <- problem$scan
  # Rows that are skipped are compared too where their stretch has others.
  unused <- skip %% checked_rows()
  position <- skip - unused
  reader <- window_reader(problem$rows, size, position)
  check <- checksum_checker(scan, problem$rows, position)
  # Rows as data and as what `make(data, place)` returns.
  take <- function(count, make) {
    window <- if (count > 0) reader$next_window(count)
    if (is.null(window)) return(NULL)
    data <- as_scanned(window$data, scan$schema, window$place)
    made <- make(data, window$place)
    check(data, window$place$first)
    position <<- window$place$first - 1 + nrow(data)
    c(made, list(first = window$place$first))
  }
  pass_over <- function(count) take(count, function(data, place) list())
  list(
    next_window = function() {
      if (unused > 0) pass_over(unused)
      unused <<- 0
      take(size, function(data, place) forge_block(problem$molded, data, place))
    },
    finish = function() pass_over(-position %% checked_rows()),
    total = reader$total, close = reader$close
  )
}

take_columns <- function(data, used, place) {
  data <- with_native_names(data)
  absent <- setdiff(used, names(data))
  if (length(absent)) {
    abort_rows("Every block of a source must have the columns of the first one.",
      paste0("Missing: ", toString(dQuote(absent, FALSE)), "."), place)
  }
  plain_columns(data[used])
}

# The kind of a column, widened by the values that a character column brings; a change of type or
# of a factor's levels is an error. A column of missing values only may be of any type.
widen_kind <- function(known, column, name, place) {
  if (all_missing(column)) return(known)
  new <- column_kind(column)
  both <- c(known$kind, new$kind)
  # Databases have no logical type of their own: 0 and 1 are numbers.
  same <- both[1L] == both[2L] || setequal(both, c("number", "logical"))
  if (!same) {
    abort_rows("A column of a source must be of the same type in every block.",
      sprintf("Column \"%s\" was a %s and is a %s here.", name, both[1L], both[2L]), place,
      row = which(!is.na(column))[1L])
  }
  if (known$kind == "character") {
    novel <- is.na(match(column, known$levels)) & !is.na(column)
    if (any(novel)) known$levels <- c(known$levels, unique(column[novel]))
  }
  if (known$kind == "factor" && !identical(known, new)) {
    abort_rows("A factor of a source must have the same levels in every block.",
      sprintf("Column \"%s\" had the %s and has %s here.", name, level_words(known),
        level_words(new)),
      place, row = match(TRUE, !as.character(column) %in% c(known$levels, NA), nomatch = 1L))
  }
  if (setequal(both, c("number", "logical"))) known$kind <- "number"
  known
}

# A block in the types of the schema; a value the first pass did not have is an error
as_scanned <- function(data, schema, place = NULL) {
  data <- take_columns(data, names(schema), place)
  for (name in names(schema)) {
    known <- schema[[name]]
    column <- data[[name]]
    if (!is.null(place)) {
      levels <- known$levels
      seen <- widen_kind(known, column, name, place)
      novel <- if (known$kind == "character") setdiff(seen$levels, levels)
      if (length(novel)) {
        abort_rows("A later pass over a source must bring the values of the first one.",
          sprintf("New in column \"%s\": %s.", name, toString(dQuote(novel, FALSE))), place,
          row = match(novel[1L], column))
      }
    }
    data[[name]] <- switch(known$kind,
      character = as_levels(column, known$levels),
      factor = factor(as.character(column), levels = known$levels, ordered = known$ordered),
      number = as.double(column),
      column)
  }
  data
}

# Text as a factor with these levels, which are known to be distinct
as_levels <- function(text, levels) {
  structure(match(text, levels), levels = levels, class = "factor")
}
