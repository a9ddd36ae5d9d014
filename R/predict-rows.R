# Predictions for rows that are read in blocks, written in blocks.

# Predictions for a source of rows, as a data frame or written to where `into` says.
# `predict_block(data)` predicts in this process, and names the place of a fault. With `workers`
# (see prediction_workers()) as many blocks are predicted at the same time as there are workers,
# after `look(data)` at each in this process. `no_rows` is a data frame of the training columns
# without rows.
predict_source <- function(rows, into, predict_block, no_rows, workers, look) {
  sink <- prediction_sink(into)
  on.exit(sink$discard())
  here <- function(block) {
    tryCatch(predict_block(block$data), gpsieve_error_data = function(e) {
      abort_rows("The rows of a source must be like the training rows.",
        sub("\n.*", "", conditionMessage(e)), block$place, row = first_fault(block$data,
          predict_block))
    })
  }
  there <- function(blocks) {
    for (block in blocks) look(block$data)
    sent <- lapply(blocks, function(block) list(newdata = block$data))
    tryCatch(workers$many(sent), gpsieve_error_data = function(e) lapply(blocks, here))
  }
  read <- list() # blocks without predictions
  predict_read <- function() {
    answers <- if (is.null(workers)) lapply(read, here) else there(read)
    for (answer in answers) sink$write(as_answer_frame(answer))
    read <<- list()
  }
  n <- each_block(rows, function(data, place) {
    read[[length(read) + 1L]] <<- list(data = data, place = place)
    if (is.null(workers) || length(read) >= workers$width()) predict_read()
  })
  predict_read()
  if (n == 0) sink$write(as_answer_frame(predict_block(no_rows)))
  sink$finish()
}

# The number of the first row of a block that makes its prediction fail, by bisection: the rows up
# to `good` can be predicted, those up to `bad` cannot
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

# The predictions of one block as columns of a data frame
as_answer_frame <- function(answer) {
  if (is.list(answer) && !is.data.frame(answer)) {
    parts <- lapply(answer, function(part) if (is.matrix(part)) as.data.frame(part) else part)
    return(data.frame(parts, check.names = FALSE))
  }
  if (is.matrix(answer)) return(as.data.frame(answer))
  data.frame(prediction = answer)
}
