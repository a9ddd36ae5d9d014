# Messages to the workers of a cluster of package parallel, and their answers.
#
# parallel::clusterApply() stops at the first worker that has died and leaves the answers of the
# others unread. The functions for single nodes on which it rests, which parallel does not export,
# let the others go on. Their methods are what makes a cluster of package parallel.
#
# If a computation is stopped (by a time limit, an interrupt, or an error in a handler of the user)
# while workers are at work, their answers would be read by the next call that uses the cluster. The
# answers are therefore read before the computation ends. A worker that does not answer soon, and
# one of which a message has been read or sent in part, is given up: its connection is closed, and
# the cluster cannot be used any more.

# Seconds for which the answers of workers are awaited after a computation was stopped.
patience_with_workers <- 5

# The workers of this session that were given up, as a list of nodes.
given_up <- new.env(parent = emptyenv())

# Which nodes were given up in an earlier call
were_given_up <- function(nodes) {
  vapply(nodes, function(node) any(vapply(given_up$nodes, identical, NA, node)), NA)
}

give_up <- function(node) {
  given_up$nodes <- c(given_up$nodes, list(node))
  if (inherits(node$con, "connection")) on_error(close(node$con), function(e) NULL)
}

# A number that no other message of this process has, so that an answer is that to the message.
tickets <- new.env(parent = emptyenv())

next_ticket <- function() {
  tickets$last <- if (is.null(tickets$last)) 1 else tickets$last + 1
  c(Sys.getpid(), tickets$last)
}

# The answers of nodes to one task each: list(answers, dead), where `dead` says which nodes have
# died; their answers are NULL.
# A task is a list of arguments of `work`. The answer of a node is what do_task() returns.
exchange <- function(nodes, work, tasks) {
  ticket <- next_ticket()
  state <- rep("idle", length(nodes)) # or "at work", "in a message", "dead"
  on.exit(settle(nodes, state, ticket))
  for (i in seq_along(nodes)) {
    has_message(nodes[[i]], 0)
    state[i] <- "in a message"
    state[i] <- if (send_task(nodes[[i]], work, tasks[[i]], ticket)) "at work" else "dead"
  }
  answers <- vector("list", length(nodes))
  for (i in which(state == "at work")) {
    while (state[i] == "at work") {
      while (!has_message(nodes[[i]], 0.2)) NULL
      has_message(nodes[[i]], 0)
      state[i] <- "in a message"
      message <- read_message(nodes[[i]])
      state[i] <- message$state
      if (is_answer(message$value, ticket)) {
        state[i] <- if (isTRUE(message$value$lost)) "dead" else "idle"
        answers[i] <- list(message$value)
      }
    }
  }
  dead <- which(state == "dead")
  answers[dead] <- list(NULL)
  list(answers = answers, dead = dead)
}

# What a worker does with a task. Where another process has what the task needs, the worker counts
# as one that has died.
do_task <- function(work, task, ticket) {
  tryCatch(list(value = do.call(work, task), ticket = ticket),
    gpsieve_lost_state = function(e) list(lost = TRUE, ticket = ticket),
    error = function(e) list(error = e, ticket = ticket))
}
# A worker without this package could not read a function of the package's namespace.
environment(do_task) <- baseenv()

# Sends a task; FALSE if the worker has died
send_task <- function(node, work, task, ticket) {
  send <- utils::getFromNamespace("sendCall", "parallel")
  on_error({
    send(node, do_task, list(work, task, ticket))
    TRUE
  }, function(e) FALSE)
}

# Waits at most `seconds` for the beginning of a message of a worker. Only a connection can be
# asked; of another node the message itself has to be awaited.
# R notices here that a time limit has run out. With 0 seconds it does so before a message is sent
# or read, in which it would notice it otherwise.
has_message <- function(node, seconds) {
  if (!inherits(node$con, "sockconn")) return(TRUE)
  on_error(socketSelect(list(node$con), timeout = seconds), function(e) TRUE)
}

# The next message of a worker, and the state in which it leaves the worker
read_message <- function(node) {
  receive <- utils::getFromNamespace("recvResult", "parallel")
  on_error(list(value = receive(node), state = "at work"), function(e) list(state = "dead"))
}

is_answer <- function(value, ticket) is.list(value) && identical(value$ticket, ticket)

# Reads the answers of the workers that are still at work, and gives up those that do not answer
settle <- function(nodes, state, ticket) {
  left <- nodes[state %in% c("at work", "in a message")]
  on.exit(for (node in left) give_up(node))
  until <- proc.time()[["elapsed"]] + patience_with_workers
  for (node in nodes[state == "at work"]) {
    if (is_settled(node, until, ticket)) left <- Filter(function(x) !identical(x, node), left)
  }
}

# Whether a worker answers a message before a time, or has died
is_settled <- function(node, until, ticket) {
  repeat {
    if (!has_message(node, max(0, until - proc.time()[["elapsed"]]))) return(FALSE)
    message <- read_message(node)
    if (message$state == "dead" || is_answer(message$value, ticket)) return(TRUE)
  }
}
