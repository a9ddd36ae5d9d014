# Workers that wait for the next test of this process. Starting one takes about a second.
idle_workers <- new.env()
idle_workers$nodes <- list()

# Workers until the frame `env` ends. They are started for this test alone where it harms them, and
# otherwise go back to those that wait.
local_workers <- function(count, env = parent.frame(), harmed = FALSE) {
  waiting <- if (harmed) list() else idle_workers$nodes
  missing <- count - length(waiting)
  if (missing > 0) waiting <- c(waiting, unclass(parallel::makeCluster(missing)))
  cluster <- structure(waiting[seq_len(count)], class = c("SOCKcluster", "cluster"))
  if (harmed) {
    withr::defer(try(parallel::stopCluster(cluster), silent = TRUE), envir = env)
  } else {
    idle_workers$nodes <- waiting[-seq_len(count)]
    withr::defer(idle_workers$nodes <- c(idle_workers$nodes, unclass(cluster)), envir = env)
  }
  cluster
}

# Workers that end themselves, as if their computer failed, in the given call of a function of the
# package; `which` of them do.
local_mortals <- function(count, which, name, number = 1, env = parent.frame()) {
  cluster <- local_workers(count, env, harmed = TRUE)
  parallel::clusterCall(cluster[which], function(name, number) {
    real <- utils::getFromNamespace(name, "gpsieve")
    count <- 0
    utils::assignInNamespace(name, function(...) {
      count <<- count + 1
      if (count == number) tools::pskill(Sys.getpid(), tools::SIGKILL)
      real(...)
    }, "gpsieve")
    NULL
  }, name, number)
  cluster
}
