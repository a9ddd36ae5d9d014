# Fits whose arrays would not fit into memory are refused before anything large is allocated.

with_limit <- function(bytes, code) withr::with_options(list(gpsieve.max_memory = bytes), code)

# Rows that take no time to make and no memory to speak of beside the limits below.
many_rows <- function(n) {
  x <- matrix(rep_len(c(-1, 0, 1, 0.5, -0.5), 2 * n), n, 2, dimnames = list(NULL, c("a", "b")))
  list(x = x, y = factor(rep_len(c("no", "yes"), n)))
}

test_that("a dense process on 60,000 rows is refused at once under 8 GB", {
  d <- many_rows(60000)
  seconds <- system.time(
    error <- expect_error(with_limit(8e9, meanfield_gp(d$x, d$y, method = "laplace")),
      class = "gpsieve_error_memory"
    )
  )[["user.self"]]
  expect_lt(seconds, 5)
  expect_match(conditionMessage(error), "matrices of n rows and n columns")
})

test_that("too large active sets and inducing inputs are refused, a number that fits is named", {
  d <- many_rows(1e6)
  error <- expect_error(
    with_limit(8e9, ivm(d$x, d$y, n_active = 5000)), class = "gpsieve_error_memory"
  )
  fits <- as.numeric(sub(".*n_active = ([0-9]+).*", "\\1", conditionMessage(error)))
  expect_gt(fits, 500)
  expect_lt(fits, 1100)
  d <- many_rows(30000)
  expect_error(
    with_limit(8e9, ep_gp(d$x, d$y, inducing = 20000)), "inducing = [0-9]+",
    class = "gpsieve_error_memory"
  )
})

test_that("every model and kernel_matrix() say what they need", {
  toy <- toy_data("binary", n = 40)
  expect_snapshot(error = TRUE, with_limit(1e4, ivm(toy$x, toy$y, n_active = 30)))
  expect_snapshot(error = TRUE, with_limit(1e4, ep_gp(toy$x, toy$y, inducing = 30)))
  expect_snapshot(error = TRUE, with_limit(1e4, meanfield_gp(toy$x, toy$y)))
  expect_snapshot(error = TRUE, with_limit(1e4, online_gp(toy$x, toy$y, budget = 30)))
  expect_snapshot(error = TRUE, with_limit(5e4, greedy_gp(toy$x, toy$y, n_basis = 30)))
  expect_snapshot(error = TRUE, with_limit(1e4, rvm(toy$x, toy$y, algorithm = "em")))
  wide <- toy_data("binary", n = 200)
  expect_snapshot(error = TRUE, with_limit(5e5, ivm(wide$x, wide$y, n_active = 5)))
  expect_snapshot(error = TRUE, with_limit(1e4, kernel_matrix(kernel_rbf(), as.matrix(toy$x))))
})

test_that("the limit is a positive number, and the number that fits does fit", {
  toy <- toy_data("binary", n = 40)
  expect_error(with_limit("much", ivm(toy$x, toy$y)), class = "gpsieve_error_argument")
  expect_error(with_limit(-1, ivm(toy$x, toy$y)), class = "gpsieve_error_argument")
  error <- expect_error(
    with_limit(2e4, ivm(toy$x, toy$y, n_active = 40, seed = 1)), class = "gpsieve_error_memory"
  )
  fits <- as.numeric(sub(".*n_active = ([0-9]+).*", "\\1", conditionMessage(error)))
  fit <- with_limit(2e4, ivm(toy$x, toy$y, n_active = fits, optimise = FALSE, seed = 1))
  expect_s3_class(fit, "gpsieve_ivm")
})

test_that("covariances of too many rows are refused by their rows", {
  fit <- meanfield_gp(dist ~ speed, cars, optimise = FALSE)
  new <- data.frame(speed = seq(4, 25, length.out = 2000))
  calls <- list(
    function() predict(fit, new, type = "link", cov = TRUE),
    function() posterior_draws(fit, new, 2, seed = 1),
    function() simulate(fit, 2, seed = 1, newdata = new)
  )
  for (call in calls) {
    expect_error(with_limit(1e7, call()), "covariances between 2000 rows.*Fewer rows",
      class = "gpsieve_error_memory")
    expect_no_error(with_limit(1e9, call()))
  }
})

test_that("without the option the limit is positive, finite where the system tells its memory", {
  withr::local_options(gpsieve.max_memory = NULL)
  limit <- gpsieve:::memory_limit()
  expect_gt(limit$bytes, 0)
  skip_if_not(file.exists("/proc/meminfo"))
  expect_true(is.finite(limit$bytes))
  expect_lte(limit$bytes, 1024 * gpsieve:::number_after("/proc/meminfo", "^MemTotal:"))
})

test_that("an address space bounded by ulimit is respected", {
  skip_on_os(c("windows", "mac"))
  skip_if_not(file.exists("/proc/self/limits"))
  skip_if_not_installed("callr")
  command <- paste(
    "ulimit -v 3000000;",
    shQuote(file.path(R.home("bin"), "Rscript")), "-e",
    shQuote("cat(gpsieve:::memory_limit()$bytes)")
  )
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  bytes <- as.numeric(system(paste("bash -c", shQuote(command)), intern = TRUE))
  expect_gt(bytes, 0)
  expect_lt(bytes, 3e9)
})

test_that("in a process of 8 GB the three large fits are refused at once, and the process lives", {
  skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
  skip_on_os(c("windows", "mac"))
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(bquote({
    library(gpsieve)
    many_rows <- .(many_rows)
    refused <- function(fit) {
      taken <- system.time(kind <- tryCatch(fit(), error = class))
      cat(kind[1], sum(taken[1:2]) < 5, "\n")
    }
    d <- many_rows(60000)
    dense <- control_meanfield(solver = "cholesky")
    refused(function() meanfield_gp(d$x, d$y, control = dense))
    d <- many_rows(1e6)
    refused(function() ivm(d$x, d$y, n_active = 5000))
    refused(function() ep_gp(d$x, d$y, inducing = 20000))
    few <- many_rows(100)
    cat(class(ivm(few$x, few$y, n_active = 5, seed = 1, verbose = FALSE))[1], "\n")
  })), script)
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  r <- shQuote(file.path(R.home("bin"), "Rscript"))
  printed <- system(
    paste("bash -c", shQuote(paste("ulimit -v 8000000;", r, script, "2> /dev/null"))),
    intern = TRUE
  )
  expect_identical(trimws(printed), c(rep("gpsieve_error_memory TRUE", 3), "gpsieve_ivm"))
})
