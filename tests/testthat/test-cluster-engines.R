# Part of the extended tests: clusters of mirai and of Open MPI give the bits of this process.

skip_unless_engine <- function(...) {
  skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
  for (package in c(...)) skip_if_not_installed(package)
}

# Makes a cluster, compares a fit and its predictions with and without it, and prints what is equal.
# The script is an R process of its own, because MPI ends the process that used it.
compare_on_cluster <- function(make) {
  bquote({
    cluster <- .(make)
    x <- matrix(sin(1:600), 300, 2, dimnames = list(NULL, c("a", "b")))
    y <- factor(x[, 1] > x[, 2])
    fit <- function(..., shards = 5, method = "sep") {
      suppressWarnings(classes = "gpsieve_warning_convergence", gpsieve::ep_gp(x, y,
        inducing = 8, method = method, seed = 1, verbose = FALSE, ...,
        control = gpsieve::control_ep(max_iter = 20, shards = shards)
      ))
    }
    alone <- fit()
    # The fit of this process, and not because it went on in this process.
    same <- function(..., than = alone) {
      tryCatch(identical(fit(..., cluster = cluster)$posteriors, than$posteriors),
        gpsieve_warning_workers = function(w) FALSE
      )
    }
    cat("fit", same(), "\n")
    cat("sites", same(method = "ep", than = fit(method = "ep")), "\n")
    cat("one shard", same(shards = 1, than = fit(shards = 1)), "\n")
    predicted <- predict(alone, x, type = "prob")
    there <- predict(alone, x, type = "prob", cluster = cluster)
    cat("prediction", identical(there, predicted), "\n")
    if (.(identical(make[[1]], quote(mirai::make_cluster)))) {
      tools::pskill(unlist(parallel::clusterCall(cluster, Sys.getpid))[1], tools::SIGKILL)
      Sys.sleep(1)
      cat("without one worker", same(), "\n")
    }
    parallel::stopCluster(cluster)
  })
}

printed_by <- function(expr) {
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(expr), script)
  r <- file.path(R.home("bin"), "Rscript")
  suppressWarnings(system2(r, shQuote(script), stdout = TRUE, stderr = FALSE, timeout = 900))
}

test_that("a cluster of mirai gives the same bits, also when a daemon is killed", {
  skip_unless_engine("mirai")
  found <- printed_by(compare_on_cluster(quote(mirai::make_cluster(2))))
  expect_identical(trimws(found),
    c("fit TRUE", "sites TRUE", "one shard TRUE", "prediction TRUE", "without one worker TRUE")
  )
})

test_that("a cluster of Open MPI gives the same bits", {
  skip_unless_engine("Rmpi", "snow")
  withr::local_envvar(
    OMPI_ALLOW_RUN_AS_ROOT = "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = "1",
    OMPI_MCA_rmaps_base_oversubscribe = "1",
    OMPI_MCA_mpi_yield_when_idle = "1" # a process that waits gives way to those that compute
  )
  found <- printed_by(compare_on_cluster(quote(parallel::makeCluster(2, type = "MPI"))))
  expect_identical(
    trimws(grep("TRUE|FALSE", found, value = TRUE)),
    c("fit TRUE", "sites TRUE", "one shard TRUE", "prediction TRUE")
  )
})
