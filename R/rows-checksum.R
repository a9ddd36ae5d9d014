# Checksums of the rows of a source, by which a later pass that brings other values, or the rows in
# another order, is noticed.
#
# There is one for each stretch of consecutive rows (core/math/row_checksums.h). It does not depend
# on the blocks in which the rows arrive.

# Rows in a stretch
checked_rows <- function() call_core(core_checked_rows)

# Adds up checksums: add(data, schema, first), where `first` is the number of the first row of
# `data`; sums(), one for each stretch that has begun, NA for those that have been skipped
checksum_gatherer <- function() {
  stretch <- checked_rows()
  sums <- numeric()
  list(
    add = function(data, schema, first) {
      found <- call_core(core_row_checksums, row_numbers(data, schema), nrow(data), first - 1)
      at <- (first - 1) %/% stretch + seq_along(found)
      before <- sums[at]
      before[is.na(before)] <- 0
      sums[at] <<- (before + found) %% 2^52
    },
    sums = function() sums
  )
}

# Compares a later pass, which begins with the row after `skip`, the end of a stretch, with what
# the first one found: a function(data, first)
checksum_checker <- function(scan, rows, skip = 0) {
  stretch <- checked_rows()
  gatherer <- checksum_gatherer()
  compared <- skip / stretch
  function(data, first) {
    gatherer$add(data, scan$schema, first)
    read <- first - 1 + nrow(data)
    complete <- if (read == scan$n) length(scan$checksums) else min(read, scan$n) %/% stretch
    at <- compared + seq_len(max(0, complete - compared))
    compared <<- max(compared, complete)
    other <- at[gatherer$sums()[at] != scan$checksums[at]]
    if (length(other)) abort_other_rows(other[1L], scan, rows)
  }
}

abort_other_rows <- function(stretch, scan, rows) {
  ends <- pmin(c((stretch - 1) * checked_rows() + 1, stretch * checked_rows()), scan$n)
  between <- format(ends, scientific = FALSE, trim = TRUE)
  abort_gpsieve("A later pass over a source must bring the rows of the first one.",
    paste(
      "The source ({rows$label}) returned other values in rows {between[1]} to {between[2]},",
      "or these rows in another order."
    ),
    "Sort the rows by a key; or let the source be read once, with {.code copy = TRUE}.",
    class = "data")
}

# The columns of rows as numbers that are the same in every pass
row_numbers <- function(data, schema) {
  numbers <- lapply(names(schema), function(name) column_numbers(data[[name]], schema[[name]]))
  unlist(numbers, recursive = FALSE)
}

# The columns of one variable: numbers, or for text the order in which its values first appeared
column_numbers <- function(column, known) {
  if (known$kind == "character" && is.character(column)) column <- match(column, known$levels)
  if (inherits(column, "difftime")) units(column) <- "secs"
  if (!is.factor(column) && is.object(column)) column <- as.double(column)
  if (!typeof(column) %in% c("double", "integer", "logical")) return(NULL) # refused later
  if (known$kind == "character" && !is.null(known$seen)) column <- known$seen[column]
  if (is.matrix(column)) return(apply(column, 2L, as.double, simplify = FALSE))
  list(as.double(column))
}
