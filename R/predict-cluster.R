# Predictions by the workers of a cluster. Every worker holds the fit and is sent blocks of rows.
# The prediction of a row does not depend on the other rows, so that the answers have the same bits
# with any number of workers.

# Rows in a block of data in memory.
block_of_predictions <- 10000

#' Predicts blocks, each list(newdata, offset), on workers: list(many(blocks), width(), close())
#'
#' `many()` returns the answers in the order of the blocks, `width()` is how many blocks are
#' predicted at the same time.
#' @noRd
prediction_workers <- function(object, wanted, cluster, threads) {
  key <- paste("predict", Sys.getpid(), as.numeric(Sys.time()))
  workers <- worker_group(cluster, prediction_work)
  held <- list(object = object, wanted = wanted, threads = threads)
  everywhere <- function(...) {
    workers$ask(rep(list(list(...)), max(1, workers$alive())))
    if (workers$alive()) prediction_work(...) # for when all workers have died
  }
  everywhere("open", key, held)
  list(
    many = function(blocks) {
      ask_all(workers, lapply(blocks, function(block) list("predict", key, block)),
        "The other rows are predicted in this process."
      )
    },
    width = function() max(1, workers$alive()),
    close = function() try(everywhere("close", key), silent = TRUE)
  )
}

#' What a worker does: keeps a fit, predicts blocks of rows, forgets the fit
#' @noRd
prediction_work <- function(what, key, with = NULL) {
  switch(what,
    open = {
      worker_store[[key]] <- with
      NULL
    },
    predict = {
      held <- kept_by_worker(key)
      predict_newdata(held$object, with$newdata, with$offset, held$wanted,
        core_settings(held$threads), rlang::current_env()
      )
    },
    close = {
      forget(key)
      NULL
    }
  )
}

#' Predictions for rows in memory by workers, like predict_newdata()
#' @noRd
predict_on_cluster <- function(workers, newdata, offset) {
  first <- seq(1, nrow(newdata), by = block_of_predictions)
  blocks <- lapply(first, function(from) {
    rows <- seq(from, min(nrow(newdata), from + block_of_predictions - 1))
    list(newdata = newdata[rows, , drop = FALSE], offset = offset[rows])
  })
  bind_answers(workers$many(blocks))
}

#' The predictions of consecutive blocks as those of all rows
#' @noRd
bind_answers <- function(parts) {
  one <- parts[[1L]]
  if (is.list(one)) {
    return(lapply(stats::setNames(names(one), names(one)), function(name) {
      bind_answers(lapply(parts, `[[`, name))
    }))
  }
  do.call(if (is.matrix(one)) rbind else c, parts)
}

check_predict_cluster <- function(cluster, wanted, call) {
  check_cluster(cluster, call)
  if (is.null(cluster) || !wanted$cov) return(invisible())
  abort_gpsieve("{.arg cov} needs all rows at once.", "Found a {.arg cluster}.",
    "Leave {.arg cluster} away.", class = "unsupported", call = call
  )
}
