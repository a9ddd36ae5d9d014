# Predictions for rows that are read in blocks, written in blocks.

#' Predictions for a source of rows, as a data frame or written to where `into` says
#'
#' `predict_block(data)` predicts in this process, and names the place of a fault. With `workers`
#' (see prediction_workers()) as many blocks are predicted at the same time as there are workers.
#' @noRd
predict_source <- function(rows, into, predict_block, workers, call) {
  sink <- prediction_sink(into, call)
  on.exit(sink$close())
  here <- function(block) {
    tryCatch(predict_block(block$data), gpsieve_error_data = function(e) {
      abort_rows("The rows of a source must be like the training rows.",
        sub("\n.*", "", conditionMessage(e)), block$place, call,
        row = first_fault(block$data, predict_block)
      )
    })
  }
  there <- function(blocks) {
    sent <- lapply(blocks, function(block) list(newdata = block$data))
    tryCatch(workers$many(sent), gpsieve_error_data = function(e) lapply(blocks, here))
  }
  read <- list() # blocks without predictions
  predict_read <- function() {
    answers <- if (is.null(workers)) lapply(read, here) else there(read)
    for (answer in answers) sink$write(as_answer_frame(answer))
    read <<- list()
  }
  each_block(rows, function(data, place) {
    read[[length(read) + 1L]] <<- list(data = data, place = place)
    if (is.null(workers) || length(read) >= workers$width()) predict_read()
  }, call)
  predict_read()
  sink$answers()
}

#' The number of the first row of a block that makes its prediction fail, by bisection: the rows up
#' to `good` can be predicted, those up to `bad` cannot
#' @noRd
first_fault <- function(data, predict_block) {
  good <- 0
  bad <- nrow(data)
  while (bad - good > 1) {
    middle <- (good + bad) %/% 2
    fails <- tryCatch({
      predict_block(data[seq_len(middle), , drop = FALSE])
      FALSE
    }, gpsieve_error_data = function(e) TRUE)
    if (fails) bad <- middle else good <- middle
  }
  bad
}

#' The predictions of one block as columns of a data frame
#' @noRd
as_answer_frame <- function(answer) {
  if (is.list(answer) && !is.data.frame(answer)) {
    parts <- lapply(answer, function(part) if (is.matrix(part)) as.data.frame(part) else part)
    return(data.frame(parts, check.names = FALSE))
  }
  if (is.matrix(answer)) return(as.data.frame(answer))
  data.frame(prediction = answer)
}

#' Collects or writes the predictions of the blocks: list(write(frame), answers(), close())
#' @noRd
prediction_sink <- function(into, call) {
  if (is.null(into)) return(frame_sink())
  if (is.list(into) && !is.data.frame(into)) return(table_sink(into, call))
  check_name(into, "into", call)
  switch(tolower(tools::file_ext(into)),
    csv = csv_sink(into),
    parquet = parquet_sink(into, call),
    abort_gpsieve("{.arg into} must name a file that ends in {.val .csv} or {.val .parquet}.",
      "Found {.file {into}}.",
      "Or give {.code list(con, \"table\")} for a table of a database.",
      call = call
    )
  )
}

frame_sink <- function() {
  blocks <- list()
  list(
    write = function(frame) blocks[[length(blocks) + 1L]] <<- frame,
    answers = function() do.call(rbind, blocks),
    close = function() NULL
  )
}

csv_sink <- function(path) {
  connection <- file(path, "w")
  first <- TRUE
  list(
    write = function(frame) {
      utils::write.table(frame, connection,
        sep = ",", row.names = FALSE, col.names = first, qmethod = "double"
      )
      first <<- FALSE
    },
    answers = function() invisible(path),
    close = function() close(connection)
  )
}

parquet_sink <- function(path, call) {
  rlang::check_installed("nanoparquet", "to write Parquet files.", version = "0.4.0", call = call)
  first <- TRUE
  list(
    write = function(frame) {
      if (first) nanoparquet::write_parquet(frame, path)
      else nanoparquet::append_parquet(frame, path)
      first <<- FALSE
    },
    answers = function() invisible(path),
    close = function() NULL
  )
}

#' Writes the predictions to a new table of a database; an existing table is an error
#' @noRd
table_sink <- function(into, call) {
  rlang::check_installed("DBI", "to write to a database.", call = call)
  good <- length(into) == 2L && inherits(into[[1L]], "DBIConnection") &&
    is.character(into[[2L]]) && length(into[[2L]]) == 1L
  if (!good) {
    abort_gpsieve("As a list, {.arg into} must hold a DBI connection and the name of a new table.",
      "Found {describe(into)}.", call = call
    )
  }
  con <- into[[1L]]
  table <- into[[2L]]
  if (DBI::dbExistsTable(con, table)) {
    abort_gpsieve("The table that {.arg into} names must not exist yet.", "Found {.val {table}}.",
      call = call
    )
  }
  list(
    write = function(frame) {
      classes <- vapply(frame, is.factor, NA)
      frame[classes] <- lapply(frame[classes], as.character)
      DBI::dbWriteTable(con, table, frame, append = DBI::dbExistsTable(con, table))
    },
    answers = function() invisible(table),
    close = function() NULL
  )
}
