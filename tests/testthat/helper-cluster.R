# Workers that end with the frame `env`.
local_workers <- function(count, env = parent.frame()) {
  cluster <- parallel::makeCluster(count)
  withr::defer(try(parallel::stopCluster(cluster), silent = TRUE), envir = env)
  cluster
}
