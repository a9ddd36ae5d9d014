# Workers that end with the frame `env`.
local_workers <- function(count, env = parent.frame()) {
  cluster <- parallel::makeCluster(count)
  withr::defer(try(parallel::stopCluster(cluster), silent = TRUE), envir = env)
  cluster
}

# Workers that end themselves, as if their computer failed, in the given call of a function of the
# core.
die_in_call <- function(cluster, name, number = 1) {
  parallel::clusterCall(cluster, function(name, number) {
    real <- utils::getFromNamespace(name, "gpsieve")
    count <- 0
    utils::assignInNamespace(name, function(...) {
      count <<- count + 1
      if (count == number) tools::pskill(Sys.getpid(), tools::SIGKILL)
      real(...)
    }, "gpsieve")
    NULL
  }, name, number)
}
