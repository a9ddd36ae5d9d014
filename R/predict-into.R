# Where the predictions for a source of rows go: a data frame, a file or a table of a database.
#
# A file or a table is there when all predictions are in it, and not before. It must not exist yet:
# nothing is overwritten. Predictions are written to another file, which is renamed at the end, or
# whose content is then put into the table in one transaction. The database is therefore not written
# to while rows are read from it.
#
# A sink is list(write(frame), finish(), discard()). finish() returns the value of predict();
# discard(), which may follow it, removes what is unfinished.

prediction_sink <- function(into) {
  if (is.null(into)) return(frame_sink())
  if (is.list(into) && !is.data.frame(into)) return(table_sink(into))
  check_name(into, "into")
  kind <- tolower(tools::file_ext(into))
  if (!kind %in% c("csv", "parquet")) {
    abort_gpsieve("{.arg into} must name a file that ends in {.val .csv} or {.val .parquet}.",
      "Found {.file {into}}.", "Or give {.code list(con, \"table\")} for a table of a database.")
  }
  check_can_make(into, "into")
  if (file.exists(into)) abort_exists("file", into)
  unfinished <- unfinished_name(file.path(normalizePath(dirname(into)), basename(into)))
  file_sink(into, unfinished, switch(kind,
    csv = csv_writer(unfinished), parquet = parquet_writer(unfinished)))
}

abort_exists <- function(kind, name) {
  abort_gpsieve("The {kind} that {.arg into} names must not exist yet.", "Found {.val {name}}.",
    "Remove it first, or give another name.")
}

frame_sink <- function() {
  blocks <- list()
  list(
    write = function(frame) blocks[[length(blocks) + 1L]] <<- frame,
    finish = function() do.call(rbind, blocks),
    discard = function() NULL
  )
}

# A file, renamed when it is whole. `writer` writes the file: list(write(frame), close(), whole()),
# where whole() says whether all that was written is in the file.
file_sink <- function(path, unfinished, writer) {
  list(
    write = function(frame) {
      on_error(writer$write(frame), function(e) abort_not_written(path))
    },
    finish = function() {
      writer$close()
      if (!writer$whole() || !flushed(unfinished)) abort_not_written(path)
      if (file.exists(path)) abort_exists("file", path)
      if (!rename_over(unfinished, path)) abort_not_written(path)
      invisible(path)
    },
    discard = function() {
      writer$close()
      unlink(unfinished)
    }
  )
}

abort_not_written <- function(path) {
  abort_gpsieve("The predictions could not be written to {.file {path}}.",
    hint = "Is the disk full? Nothing of them is left there.", class = "data")
}

# Writes a CSV file in UTF-8, whatever the session's locale says. The bytes of each block are
# counted, because R does not say that a disk is full.
csv_writer <- function(path) {
  connection <- file(path, "wb")
  bytes <- 0
  list(
    write = function(frame) {
      block <- bytes_of_csv(frame, header = bytes == 0)
      suppressWarnings(writeBin(block, connection))
      bytes <<- bytes + length(block)
    },
    close = function() {
      if (!is.null(connection)) close(connection)
      connection <<- NULL
    },
    whole = function() isTRUE(file.size(path) == bytes)
  )
}

# A data frame as the bytes of a CSV file in UTF-8. write.table() converts text to the encoding of
# the locale unless it does not know of another: it is given the bytes without their encoding.
bytes_of_csv <- function(frame, header) {
  unmarked <- function(text) iconv(enc2utf8(text), "UTF-8", "UTF-8", mark = FALSE)
  frame[] <- lapply(frame, function(column) {
    if (is.factor(column)) levels(column) <- unmarked(levels(column))
    if (is.character(column)) unmarked(column) else column
  })
  names(frame) <- unmarked(names(frame))
  connection <- rawConnection(raw(), "w")
  on.exit(close(connection))
  utils::write.table(frame, connection,
    sep = ",", row.names = FALSE, col.names = header, qmethod = "double")
  rawConnectionValue(connection)
}

# Writes a Parquet file, which ends in a description of its row groups
parquet_writer <- function(path) {
  rlang::check_installed("nanoparquet", "to write Parquet files.", version = "0.4.0",
    call = user_frame())
  rows <- -1 # none written, not even an empty frame
  list(
    write = function(frame) {
      if (rows < 0) nanoparquet::write_parquet(frame, path)
      else if (nrow(frame)) nanoparquet::append_parquet(frame, path)
      rows <<- max(rows, 0) + nrow(frame)
    },
    close = function() NULL,
    whole = function() {
      groups <- on_error(nanoparquet::read_parquet_metadata(path)$row_groups, function(e) NULL)
      isTRUE(sum(groups$num_rows) == rows)
    }
  )
}

# A new table of a database. Until all predictions are there, they are in a temporary file.
table_sink <- function(into) {
  rlang::check_installed("DBI", "to write to a database.", call = user_frame())
  good <- length(into) == 2L && inherits(into[[1L]], "DBIConnection") &&
    is.character(into[[2L]]) && length(into[[2L]]) == 1L
  if (!good) {
    abort_gpsieve("As a list, {.arg into} must hold a DBI connection and the name of a new table.",
      "Found {describe(into)}.")
  }
  con <- into[[1L]]
  table <- into[[2L]]
  exists <- on_error(DBI::dbExistsTable(con, table), function(e) {
    abort_gpsieve("The database of {.arg into} cannot be used.", "{conditionMessage(e)}",
      class = "data")
  })
  if (exists) abort_exists("table", table)
  folder <- tempfile("predictions-")
  dir.create(folder)
  blocks <- character()
  list(
    write = function(frame) {
      classes <- vapply(frame, is.factor, NA)
      frame[classes] <- lapply(frame[classes], as.character)
      block <- file.path(folder, length(blocks) + 1L)
      on_error(saveRDS(frame, block, compress = FALSE), function(e) abort_not_written(folder))
      blocks <<- c(blocks, block)
    },
    finish = function() {
      fill_table(con, table, blocks)
      invisible(table)
    },
    discard = function() unlink(folder, recursive = TRUE)
  )
}

# Puts blocks of predictions into a new table, all of them or none. Where no transaction can be
# begun, as inside one of the user, the table is removed after a failure.
fill_table <- function(con, table, blocks) {
  if (DBI::dbExistsTable(con, table)) abort_exists("table", table)
  transaction <- on_error({
    DBI::dbBegin(con)
    TRUE
  }, function(e) FALSE)
  done <- FALSE
  on.exit(if (!done) {
    if (transaction) on_error(DBI::dbRollback(con), function(e) NULL)
    if (on_error(DBI::dbExistsTable(con, table), function(e) FALSE)) {
      on_error(DBI::dbRemoveTable(con, table), function(e) NULL)
    }
  })
  on_error({
    for (i in seq_along(blocks)) DBI::dbWriteTable(con, table, readRDS(blocks[i]), append = i > 1L)
    if (transaction) DBI::dbCommit(con)
  }, function(e) {
    abort_gpsieve("The predictions could not be written to the table {.val {table}}.",
      "{conditionMessage(e)}", class = "data")
  })
  done <- TRUE
}
