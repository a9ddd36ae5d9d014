# Fits whose rows are divided into shards, which may be held by the workers of a cluster. Every pass
# sends the parameters and q to the shards, and the sums over rows that they answer with are added
# in the order of the shards, so that the fit does not depend on who holds them.

# Shards of a fit, unless the user says otherwise.
usual_shards <- 16

#' Whether the rows are divided into shards
#' @noRd
has_shards <- function(settings, cluster) !is.null(cluster) || !is.null(settings$control$shards)

check_ep_shards <- function(problem, settings, cluster, call) {
  check_cluster(cluster, call)
  size <- settings$batch_size
  if (!is.null(size) && size < problem$n) {
    abort_gpsieve("Minibatches cannot be divided among shards.",
      "Found {.code batch_size = {size}} for {problem$n} rows.",
      "Leave {.arg batch_size} away, or {.arg cluster} and {.code control_ep(shards = )}.",
      class = "unsupported", call = call
    )
  }
  if (any(lengths(problem$cases) > 0L)) {
    abort_gpsieve("Rows with weights or offsets cannot be divided among shards.",
      hint = "Leave {.arg cluster} and {.code control_ep(shards = )} away.",
      class = "unsupported", call = call
    )
  }
  if (is.null(cluster)) return(invisible())
  if (!is.null(problem$rows) && !isTRUE(problem$rows$portable)) {
    abort_gpsieve("Workers cannot use a database connection of this process.",
      hint = "Give {.fn rows_from_db} a function that opens a connection.", call = call
    )
  }
}

#' How many rows each shard has: as many as the others, the last one the rest
#' @noRd
shard_sizes <- function(n, control) {
  shards <- if (is.null(control$shards)) usual_shards else control$shards
  each <- ceiling(n / min(shards, n))
  rest <- n %% each
  c(rep(each, n %/% each), if (rest > 0) rest)
}

#' The rows of a fit in shards, as core_fit_ep() takes them; like ep_rows()
#' @noRd
shard_rows <- function(problem, settings, joint, options, inducing, workers) {
  sizes <- shard_sizes(problem$n, settings$control)
  fit <- paste(Sys.getpid(), as.numeric(Sys.time()))
  recipe <- list(
    kernel = kernel_spec(problem$kernel),
    likelihood = likelihood_spec(problem$likelihood), scales = problem$inputs[c("center", "scale")],
    class_rows = class_rows(problem, joint), prior_means = latent_prior_means(problem, 0),
    options = options, inducing = nrow(inducing), size = sizes[1L], n = problem$n,
    threads = if (workers$alive()) problem$worker_threads else problem$threads,
    keeps_y = settings$method == "ep",
    rows = problem$rows, problem = problem[c("molded", "scan", "response")]
  )
  mine <- deal_out(length(sizes), max(1, workers$alive()))
  opened <- tell(workers, lapply(mine, function(shards) {
    recipe$part <- if (is.null(problem$rows)) shard_part(problem, shards, sizes)
    list("open", fit, shards, recipe)
  }))
  ask <- function(questions) {
    unlist(tell(workers, lapply(mine, function(shards) {
      list("ask", fit, shards, if (length(questions) == 1L) questions else questions[shards])
    })), recursive = FALSE)
  }
  list(
    core = list(ask = ask, sizes = sizes, class_rows = recipe$class_rows),
    close = function() {
      try(tell(workers, lapply(mine, function(shards) list("close", fit, shards))), silent = TRUE)
    },
    responses = function() {
      if (is.null(problem$rows)) problem$y
      else do.call(rbind, unlist(opened, recursive = FALSE))
    }
  )
}

#' Consecutive shards for each worker; no more workers than shards
#' @noRd
deal_out <- function(shards, workers) {
  workers <- min(shards, workers)
  unname(split(seq_len(shards), ceiling(seq_len(shards) * workers / shards)))
}

#' The answers of all workers; a worker that has died is a condition of class gpsieve_lost_worker
#' @noRd
tell <- function(workers, tasks) {
  found <- workers$ask(tasks)
  if (length(found$dead)) {
    rlang::abort("A worker has died.", class = "gpsieve_lost_worker", count = length(found$dead))
  }
  found$answers
}

#' Raw inputs and responses of some shards of rows in memory
#' @noRd
shard_part <- function(problem, shards, sizes) {
  ends <- cumsum(sizes)
  rows <- seq(ends[shards[1L]] - sizes[shards[1L]] + 1, ends[shards[length(shards)]])
  list(raw = problem$raw[rows, , drop = FALSE], y = problem$y[rows, , drop = FALSE])
}

#' What a worker does: opens shards, answers questions to them, closes them. It keeps them under the
#' name of the fit and of the first shard, because two workers may be one process.
#' @noRd
shard_work <- function(what, fit, shards, with = NULL) {
  key <- paste(fit, shards[1L])
  switch(what,
    open = open_shards(shards, with, key),
    ask = {
      held <- kept_by_worker(key)
      lapply(seq_along(shards), function(i) {
        question <- with[[if (length(with) == 1L) 1L else i]]
        call_core(core_ep_shard_answer, held$shards[[i]], question, core_settings(held$threads))
      })
    },
    close = {
      forget(key)
      NULL
    }
  )
}

#' Makes shards of their rows, which come with the recipe or from a source; returns the responses
#' of a source where the fit keeps a number for each row
#' @noRd
open_shards <- function(shards, recipe, key) {
  y <- list()
  make <- function(part) {
    if (recipe$keeps_y && !is.null(recipe$rows)) y[[length(y) + 1L]] <<- part$y
    call_core(core_ep_shard, recipe$kernel, recipe$likelihood, part, recipe$scales,
      recipe$class_rows, recipe$prior_means, recipe$options, recipe$inducing
    )
  }
  worker_store[[key]] <- list(
    threads = recipe$threads,
    shards = each_shard(shards, recipe, make)
  )
  y
}

each_shard <- function(shards, recipe, make) {
  if (is.null(recipe$rows)) {
    first <- (seq_along(shards) - 1) * recipe$size
    return(lapply(first, function(before) {
      rows <- before + seq_len(min(recipe$size, nrow(recipe$part$y) - before))
      make(lapply(recipe$part, function(x) x[rows, , drop = FALSE]))
    }))
  }
  call <- rlang::current_env()
  reader <- window_reader(recipe$rows, recipe$size, call, skip = (shards[1L] - 1) * recipe$size)
  on.exit(reader$close())
  lapply(shards, function(shard) {
    window <- reader$next_window()
    expected <- min(recipe$size, recipe$n - (shard - 1) * recipe$size)
    if (is.null(window) || nrow(window$data) < expected) {
      check_same_length(reader$total(), recipe$n, recipe$rows, call)
    }
    make(forge_encoded(recipe$problem, window, call))
  })
}
