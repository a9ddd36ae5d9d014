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
    fit <- function(...) {
      suppressWarnings(gpsieve::ep_gp(x, y, inducing = 8, seed = 1, verbose = FALSE, ...,
        control = gpsieve::control_ep(max_iter = 5, shards = 5)
      ))
    }
    alone <- fit()
    same <- function(...) identical(fit(...)$posteriors, alone$posteriors)
    cat("fit", same(cluster = cluster), "\n")
    predicted <- predict(alone, x, type = "prob")
    there <- predict(alone, x, type = "prob", cluster = cluster)
    cat("prediction", identical(there, predicted), "\n")
    if (.(identical(make[[1]], quote(mirai::make_cluster)))) {
      tools::pskill(unlist(parallel::clusterCall(cluster, Sys.getpid))[1], tools::SIGKILL)
      Sys.sleep(1)
      cat("without one worker", same(cluster = cluster), "\n")
    }
    parallel::stopCluster(cluster)
  })
}

printed_by <- function(expr) {
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(expr), script)
  r <- file.path(R.home("bin"), "Rscript")
  suppressWarnings(system2(r, shQuote(script), stdout = TRUE, stderr = FALSE, timeout = 120))
}

test_that("a cluster of mirai gives the same bits, also when a daemon is killed", {
  skip_unless_engine("mirai")
  found <- printed_by(compare_on_cluster(quote(mirai::make_cluster(2))))
  expect_identical(trimws(found), c("fit TRUE", "prediction TRUE", "without one worker TRUE"))
})

test_that("a cluster of Open MPI gives the same bits", {
  skip_unless_engine("Rmpi", "snow")
  withr::local_envvar(
    OMPI_ALLOW_RUN_AS_ROOT = "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = "1",
    OMPI_MCA_rmaps_base_oversubscribe = "1"
  )
  found <- printed_by(compare_on_cluster(quote(parallel::makeCluster(2, type = "MPI"))))
  expect_identical(
    trimws(grep("TRUE|FALSE", found, value = TRUE)), c("fit TRUE", "prediction TRUE")
  )
})
