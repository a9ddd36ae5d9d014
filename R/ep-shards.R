# Fits whose rows are divided into shards, which may be held by the workers of a cluster. Every pass
# sends the parameters and q to the shards, and the sums over rows that they answer with are added
# in the order of the shards, so that the fit does not depend on who holds them.

# Shards of a fit, unless the user says otherwise.
usual_shards <- 16

count_shards <- function(control) if (is.null(control$shards)) usual_shards else control$shards

# Whether the rows are divided into shards
has_shards <- function(settings, cluster) !is.null(cluster) || !is.null(settings$control$shards)

check_ep_shards <- function(problem, settings, cluster) {
  check_cluster(cluster)
  size <- settings$batch_size
  if (!is.null(size) && size < problem$n) {
    abort_gpsieve("Minibatches cannot be divided among shards.",
      "Found {.code batch_size = {size}} for {problem$n} rows.",
      "Leave {.arg batch_size} away, or {.arg cluster} and {.code control_ep(shards = )}.",
      class = "unsupported")
  }
  if (any(lengths(problem$cases) > 0L)) {
    abort_gpsieve("Rows with weights or offsets cannot be divided among shards.",
      hint = "Leave {.arg cluster} and {.code control_ep(shards = )} away.", class = "unsupported")
  }
  if (is.null(cluster)) return(invisible())
  if (!is.null(problem$rows) && !isTRUE(problem$rows$portable)) {
    abort_gpsieve("Workers cannot read {problem$rows$label} of this process.",
      hint = "Give {.fn rows_from_db}, {.fn rows_from_arrow} or {.fn rows_from_matrix} a function
              that opens what is read.")
  }
}

# How many rows each shard has: as many as the others, the last one the rest
shard_sizes <- function(n, control) {
  shards <- count_shards(control)
  each <- ceiling(n / min(shards, n))
  rest <- n %% each
  c(rep(each, n %/% each), if (rest > 0) rest)
}

# The rows of a fit in shards, as core_fit_ep() takes them; like ep_rows()
shard_rows <- function(problem, settings, joint, options, inducing, workers) {
  sizes <- shard_sizes(problem$n, settings$control)
  fit <- paste(Sys.getpid(), as.numeric(Sys.time()))
  recipe <- list(
    kernel = kernel_spec(problem$kernel),
    likelihood = likelihood_spec(problem$likelihood), scales = problem$inputs[c("center", "scale")],
    class_rows = class_rows(problem, joint), prior_means = latent_prior_means(problem),
    options = options, inducing = nrow(inducing), size = sizes[1L], n = problem$n,
    threads = if (workers$alive()) problem$worker_threads else problem$threads,
    keeps_y = settings$method == "ep",
    problem = problem[c("rows", "molded", "scan", "response", "likelihood")]
  )
  mine <- deal_out(length(sizes), max(1, workers$alive()))
  opened <- tell(workers, lapply(mine, function(shards) {
    if (length(shards) && is.null(problem$rows)) recipe$part <- shard_part(problem, shards, sizes)
    list("open", fit, c(list(shards = shards), if (length(shards)) recipe))
  }))
  turn <- 0
  ask <- function(questions) {
    turn <<- turn + 1
    task <- list("ask", fit, list(turn = turn, questions = questions))
    answers <- unlist(tell(workers, rep(list(task), length(mine))), recursive = FALSE)
    if (length(answers) < length(sizes)) {
      workers$drop()
      abort_lost_worker()
    }
    unname(answers[as.character(seq_along(sizes))])
  }
  list(
    core = list(ask = ask, sizes = sizes, class_rows = recipe$class_rows),
    close = function() workers$everywhere(list("close", fit)),
    responses = function() {
      if (is.null(problem$rows)) problem$y
      else do.call(rbind, unlist(opened, recursive = FALSE))
    }
  )
}

# Consecutive shards for each worker; some have none if there are more workers than shards
deal_out <- function(shards, workers) {
  owner <- ceiling(seq_len(shards) * min(shards, workers) / shards)
  unname(split(seq_len(shards), factor(owner, levels = seq_len(workers))))
}

# The answers of all workers; a worker that has died is a condition of class gpsieve_lost_worker
tell <- function(workers, tasks) {
  found <- workers$ask(tasks)
  if (length(found$dead)) abort_lost_worker()
  found$answers
}

abort_lost_worker <- function() rlang::abort("A worker has died.", class = "gpsieve_lost_worker")

# Raw inputs and responses of some shards of rows in memory
shard_part <- function(problem, shards, sizes) {
  ends <- cumsum(sizes)
  rows <- seq(ends[shards[1L]] - sizes[shards[1L]] + 1, ends[shards[length(shards)]])
  list(raw = problem$raw[rows, , drop = FALSE], y = problem$y[rows, , drop = FALSE])
}

# What a worker does: opens shards, answers questions to them, closes them.
# The task to ask is the same for all workers, and each answers for the shards that it holds: in a
# cluster of mirai any process may take a task, but of as many tasks as there are idle processes
# each takes one. A process that takes two of one turn, because another has not started or has
# died, answers the first of them only.
shard_work <- function(what, fit, with = NULL) {
  switch(what,
    open = open_shards(fit, with$shards, with),
    ask = answer_for_shards(fit, with$turn, with$questions),
    close = {
      forget(fit)
      NULL
    }
  )
}

# Makes shards of their rows, which come with the recipe or from a source; returns the responses
# of a source where the fit keeps a number for each row
open_shards <- function(fit, shards, recipe) {
  if (!length(shards)) return(list())
  y <- list()
  make <- function(part) {
    if (recipe$keeps_y && !is.null(recipe$problem$rows)) y[[length(y) + 1L]] <<- part$y
    call_core(core_ep_shard, recipe$kernel, recipe$likelihood, part, recipe$scales,
      recipe$class_rows, recipe$prior_means, recipe$options, recipe$inducing)
  }
  made <- each_shard(shards, recipe, make)
  held <- worker_store[[fit]]
  worker_store[[fit]] <- list(
    threads = recipe$threads, turn = 0, shards = c(held$shards, stats::setNames(made, shards))
  )
  y
}

# The answers of the shards that this process holds, named by their numbers; `questions` are one
# for each shard, or one for all
answer_for_shards <- function(fit, turn, questions) {
  held <- worker_store[[fit]]
  if (is.null(held) || held$turn == turn) return(list())
  worker_store[[fit]]$turn <- turn
  settings <- core_settings(held$threads)
  lapply(stats::setNames(names(held$shards), names(held$shards)), function(shard) {
    question <- questions[[if (length(questions) == 1L) 1L else as.integer(shard)]]
    call_core(core_ep_shard_answer, held$shards[[shard]], question, settings)
  })
}

each_shard <- function(shards, recipe, make) {
  if (is.null(recipe$problem$rows)) {
    first <- (seq_along(shards) - 1) * recipe$size
    return(lapply(first, function(before) {
      rows <- before + seq_len(min(recipe$size, nrow(recipe$part$y) - before))
      part <- lapply(recipe$part, function(x) x[rows, , drop = FALSE])
      make(c(part, list(offset = numeric())))
    }))
  }
  reader <- number_reader(recipe$problem, recipe$size, skip = (shards[1L] - 1) * recipe$size)
  on.exit(reader$close())
  made <- lapply(shards, function(shard) {
    window <- reader$next_window()
    expected <- min(recipe$size, recipe$n - (shard - 1) * recipe$size)
    if (is.null(window) || nrow(window$x) < expected) {
      check_same_length(reader$total(), recipe$n, recipe$problem$rows)
    }
    make(encode_window(recipe$problem, window))
  })
  reader$finish()
  made
}
