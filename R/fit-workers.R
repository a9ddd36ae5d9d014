# Work that is divided among the processes of a cluster of package parallel. Every worker has an
# own store, in which tasks keep objects between calls; without workers the calling process does
# all tasks.

check_cluster <- function(cluster) {
  if (is.null(cluster)) return(invisible())
  if (!inherits(cluster, "cluster")) {
    found <- describe(cluster)
    abort_gpsieve("{.arg cluster} must be a cluster of package parallel.", "Found {found}.",
      "{.code parallel::makeCluster(2)} makes one.")
  }
  busy <- sum(were_given_up(nodes_of(cluster)))
  if (busy > 0L) {
    abort_gpsieve("{.arg cluster} was left in the middle of an earlier computation.",
      "{busy} of its {length(cluster)} worker{?s} had not answered when it was stopped.",
      "Make a new cluster with {.fn parallel::makeCluster}.", class = "workers")
  }
  check_package_of_workers(cluster)
}

# Workers must have this version of this package; those that have died are looked after elsewhere
check_package_of_workers <- function(cluster) {
  nodes <- nodes_of(cluster)
  said <- exchange(nodes, version_at_worker, rep(list(list("gpsieve")), length(nodes)))$answers
  found <- unlist(lapply(said, `[[`, "value"))
  own <- version_at_worker("gpsieve")
  others <- sum(found != own)
  if (others == 0L) return(invisible())
  lacking <- sum(found == "")
  abort_gpsieve("The workers of {.arg cluster} must have gpsieve {own}.",
    if (lacking) "{lacking} of {length(nodes)}{cli::qty(lacking)} do{?es/} not find the package."
    else "{others} of {length(nodes)}{cli::qty(others)} ha{?s/ve} {setdiff(found, own)}.",
    "Workers do not inherit the library paths of this session:
      {.code parallel::clusterCall(cluster, function(paths) .libPaths(paths), .libPaths())}
      gives them.",
    class = "workers")
}

# The version of a package in this process, "" without the package
version_at_worker <- function(package) {
  tryCatch(unname(getNamespaceVersion(loadNamespace(package))), error = function(e) "")
}
environment(version_at_worker) <- baseenv()

nodes_of <- function(cluster) lapply(seq_along(cluster), function(i) cluster[[i]])

# What tasks keep between calls, in the process that does them.
worker_store <- new.env(parent = emptyenv())

# What this process keeps under a name. Some clusters, such as those of mirai, give the task of a
# process that has died to another process, which does not have it: this counts as a worker that
# has died.
kept_by_worker <- function(key) {
  kept <- worker_store[[key]]
  if (is.null(kept)) rlang::abort("Another process does this task.", class = "gpsieve_lost_state")
  kept
}

# Removes an object from the store of this process
forget <- function(key) if (!is.null(worker_store[[key]])) rm(list = key, envir = worker_store)

# A group of workers: ask(tasks), everywhere(task), alive(), how many there are, and drop(), which
# gives up one of them. `ask(tasks)` gives each task, a list of arguments of `work`, to the worker
# of its number and returns list(answers, dead): the answers in the order of the tasks, and which of
# the workers have died; their answers are NULL. An error of a task is raised here. Without a
# cluster, or once all workers have died, the calling process does the tasks. `everywhere(task)` has
# a task done by all workers and by the calling process, and passes over errors of the workers.
worker_group <- function(cluster, work) {
  nodes <- if (is.null(cluster)) list() else nodes_of(cluster)
  list(
    alive = function() length(nodes),
    drop = function() nodes <<- utils::head(nodes, -1L),
    ask = function(tasks) {
      if (!length(nodes)) {
        return(list(answers = lapply(tasks, function(task) do.call(work, task)), dead = integer()))
      }
      found <- exchange(nodes[seq_along(tasks)], work, tasks)
      nodes[found$dead] <<- NULL
      failures <- Filter(Negate(is.null), lapply(found$answers, `[[`, "error"))
      if (length(failures)) rlang::cnd_signal(failures[[1L]])
      list(answers = lapply(found$answers, `[[`, "value"), dead = found$dead)
    },
    everywhere = function(task) {
      nodes <<- nodes[!were_given_up(nodes)]
      if (length(nodes)) exchange(nodes, work, rep(list(task), length(nodes)))
      do.call(work, task)
      invisible()
    }
  )
}

# The answers to any number of tasks, in their order.
# One task at a time is given to each worker. The task of a worker that dies is given to another
# one; without workers the calling process does the tasks, after a warning, which `then` completes.
ask_all <- function(workers, tasks, then) {
  answers <- vector("list", length(tasks))
  open <- seq_along(tasks)
  while (length(open)) {
    now <- utils::head(open, max(1, workers$alive()))
    found <- workers$ask(tasks[now])
    done <- setdiff(seq_along(now), found$dead)
    answers[now[done]] <- found$answers[done]
    open <- setdiff(open, now[done])
    if (length(found$dead)) warn_without_workers(workers, then)
  }
  answers
}

# Workers that hold an object and do tasks with it: list(many(tasks), width(), close()).
# `many()` returns work(held, task) for every task, in their order; `width()` is how many tasks are
# done at the same time; `then` completes the warning that all workers have died.
holding_workers <- function(cluster, held, work, then) {
  key <- paste("held", Sys.getpid(), as.numeric(Sys.time()))
  workers <- worker_group(cluster, held_work)
  open <- list("open", key, list(held = held, work = work))
  workers$ask(rep(list(open), max(1, workers$alive())))
  do.call(held_work, open) # for when all workers have died
  list(
    many = function(tasks) {
      ask_all(workers, lapply(tasks, function(task) list("do", key, task)), then)
    },
    width = function() max(1, workers$alive()),
    close = function() workers$everywhere(list("close", key))
  )
}

# What such a worker does: keeps the object, does a task with it, forgets it
held_work <- function(what, key, with = NULL) {
  switch(what,
    open = {
      worker_store[[key]] <- with
      NULL
    },
    do = {
      kept <- kept_by_worker(key)
      kept$work(kept$held, with)
    },
    close = {
      forget(key)
      NULL
    }
  )
}

# Warns if all workers have died; `then` says what happens next
warn_without_workers <- function(workers, then) {
  if (workers$alive() > 0L) return(invisible())
  warn_gpsieve("All workers of {.arg cluster} have died.", then, class = "workers")
}
