# Predictions by the workers of a cluster. Every worker holds the fit and is sent blocks of rows.
# The prediction of a row does not depend on the other rows, so that the answers have the same bits
# with any number of workers.

# Rows in a block of data in memory.
block_of_predictions <- 10000

# Workers that predict blocks, each list(newdata, offset), see holding_workers()
prediction_workers <- function(object, wanted, cluster, threads) {
  object$kept <- NULL
  held <- list(object = object, wanted = wanted, threads = threads)
  holding_workers(cluster, held, predict_held, "The other rows are predicted in this process.")
}

# What a worker does with a block of rows
predict_held <- function(held, block) {
  predict_newdata(held$object, block$newdata, block$offset, held$wanted,
    core_settings(held$threads))
}

# The warning about new levels, or the error, in this process: those of a worker do not arrive here
look_for_new_levels <- function(object, newdata, wanted) {
  kinds <- vapply(object$blueprint$design$encodings, `[[`, "", "kind")
  if (!any(kinds %in% c("category", "order"))) return(invisible())
  forge_predictors(object, newdata, "newdata", wanted$new_levels)
  invisible()
}

# Predictions for rows in memory by workers, like predict_newdata()
predict_on_cluster <- function(workers, newdata, offset) {
  first <- seq(1, nrow(newdata), by = block_of_predictions)
  blocks <- lapply(first, function(from) {
    rows <- seq(from, min(nrow(newdata), from + block_of_predictions - 1))
    list(newdata = newdata[rows, , drop = FALSE], offset = offset[rows])
  })
  bind_answers(workers$many(blocks))
}

# The predictions of consecutive blocks as those of all rows
bind_answers <- function(parts) {
  one <- parts[[1L]]
  if (is.list(one)) {
    return(lapply(stats::setNames(names(one), names(one)), function(name) {
      bind_answers(lapply(parts, `[[`, name))
    }))
  }
  do.call(if (is.matrix(one)) rbind else c, parts)
}

check_predict_cluster <- function(cluster, wanted) {
  check_cluster(cluster)
  if (is.null(cluster) || !wanted$cov) return(invisible())
  abort_gpsieve("{.arg cov} needs all rows at once.", "Found a {.arg cluster}.",
    "Leave {.arg cluster} away.", class = "unsupported")
}
