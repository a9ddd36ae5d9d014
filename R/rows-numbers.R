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

response_of_numbers <- function(numbers, like) {
  if (is_pairs(like)) return(new_pairs(numbers[1L, ], numbers[2L, ], pairs_kind(like)))
  y <- numbers[1L, ]
  if (is.factor(like)) structure(as.integer(y), levels = levels(like), class = class(like)) else y
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
