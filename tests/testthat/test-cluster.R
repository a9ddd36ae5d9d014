# Fits whose rows are divided into shards: the same bits whoever holds the shards.

shard_data <- function(kind = "binary", n = 230) toy_data(kind, n = n)$data

fit_in_shards <- function(data, ..., method = "sep", optimise = FALSE, shards = 5, every = 60,
                          max_iter = 4, warm_rows = 0) {
  suppressWarnings(ep_gp(y ~ a + b, data,
    inducing = 8, method = method, optimise = optimise, learn_inducing = optimise, seed = 1,
    verbose = FALSE, ...,
    control = control_ep(
      max_iter = max_iter, shards = shards, every = every, warm_rows = warm_rows
    )
  ), classes = "gpsieve_warning_convergence")
}

same_sharded_fit <- function(a, b) {
  for (part in c("posteriors", "basis", "sites", "loo", "calibration", "n", "kernel", "state")) {
    expect_identical(a[[part]], b[[part]])
  }
  expect_identical(evidence(a, gradient = TRUE), evidence(b, gradient = TRUE))
  expect_identical(a$trace$objective, b$trace$objective)
}

test_that("one shard is a fit without shards, and more differ by rounding", {
  data <- shard_data()
  for (method in c("sep", "ep", "adf")) {
    whole <- fit_in_shards(data, method = method, shards = NULL, optimise = TRUE)
    same_sharded_fit(fit_in_shards(data, method = method, shards = 1, optimise = TRUE), whole)
    parts <- fit_in_shards(data, method = method, optimise = TRUE)
    expect_false(identical(parts$posteriors, whole$posteriors))
    expect_equal(evidence(parts)$value, evidence(whole)$value, tolerance = 1e-8)
  }
})

test_that("0, 1, 2 and 3 workers give the same bits, from memory and from a source", {
  skip_on_cran()
  workers <- local_workers(3)
  path <- withr::local_tempfile(fileext = ".csv")
  turn <- 0 # the number of workers goes on from fit to fit
  for (kind in c("binary", "multiclass", "regression")) {
    data <- shard_data(kind)
    data[c("a", "b")] <- round(data[c("a", "b")], 6) # what 15 digits hold exactly
    if (kind == "regression") data$y <- round(data$y, 6)
    else data$y <- factor(as.character(data$y)) # levels in the order of the C locale
    write.csv(data, path, row.names = FALSE)
    rows <- rows_from_files(path, block_rows = 37)
    for (method in c("sep", "ep")) {
      for (optimise in c(FALSE, TRUE)) {
        reference <- fit_in_shards(data, method = method, optimise = optimise)
        same_sharded_fit(fit_in_shards(rows, method = method, optimise = optimise), reference)
        for (source in list(data, rows)) {
          turn <- turn + 1
          same_sharded_fit(
            fit_in_shards(source, method = method, optimise = optimise,
              cluster = workers[seq_len(1 + turn %% 3)]
            ),
            reference
          )
        }
      }
    }
  }
})

test_that("a fit goes on without the workers that die, with the same bits", {
  skip_on_cran()
  skip_on_os("windows")
  data <- shard_data(n = 400)
  for (method in c("sep", "ep")) {
    fit <- function(...) {
      fit_in_shards(data, method = method, optimise = TRUE, max_iter = 30, every = 0, ...)
    }
    reference <- fit()
    workers <- local_mortals(2, 1, "core_ep_shard_answer", 40)
    expect_no_warning(survived <- fit(cluster = workers), class = "gpsieve_warning_workers")
    same_sharded_fit(survived, reference)
    workers <- local_mortals(2, 1:2, "core_ep_shard_answer", 40)
    expect_warning(alone <- fit(cluster = workers), "All workers",
      class = "gpsieve_warning_workers"
    )
    same_sharded_fit(alone, reference)
  }
})

test_that("a fit with workers resumes from its checkpoint without them", {
  skip_on_cran()
  data <- shard_data()
  path <- withr::local_tempfile(fileext = ".rds")
  fit <- function(...) {
    suppressWarnings(ep_gp(y ~ a + b, data,
      inducing = 8, method = "ep", seed = 1, verbose = FALSE, ...,
      control = control_ep(max_iter = 6, shards = 4, every = 0, checkpoint = path, warm_rows = 0)
    ), classes = "gpsieve_warning_convergence")
  }
  whole <- fit(cluster = local_workers(2))
  same_sharded_fit(fit(resume = path), whole)
})

test_that("what a cluster cannot do is an error before any work", {
  data <- shard_data()
  expect_snapshot(error = TRUE, {
    fit_in_shards(data, cluster = 2)
    fit_in_shards(data, batch_size = 20)
  })
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "data", data)
  skip_on_cran()
  expect_snapshot(error = TRUE, {
    fit_in_shards(rows_from_db(con, "data"), cluster = local_workers(1))
  })
})

test_that("an error of a worker is an error of the fit, and the workers can be used again", {
  skip_on_cran()
  data <- shard_data()
  workers <- local_workers(2)
  flaky <- kernel_function(function(x, z) {
    if (exists("count_of_flaky", globalenv()) && nrow(z) > 20) stop("no such kernel")
    exp(-outer(x[, 1], z[, 1], "-")^2)
  })
  fit <- function() {
    ep_gp(y ~ a + b, data, kernel = flaky, inducing = 8, optimise = FALSE, seed = 1,
      verbose = FALSE, control = control_ep(max_iter = 300, shards = 4), cluster = workers
    )
  }
  good <- fit()
  parallel::clusterCall(workers, function() assign("count_of_flaky", 1, globalenv()))
  expect_error(fit(), "no such kernel")
  parallel::clusterCall(workers, function() rm("count_of_flaky", envir = globalenv()))
  expect_identical(fit()$posteriors, good$posteriors)
})

test_that("workers that lack the package, or have another version, are named before any work", {
  skip_on_cran()
  data <- shard_data()
  classes <- shard_data("multiclass")
  fit <- ivm(y ~ a + b, data, n_active = 10, optimise = FALSE, seed = 1, verbose = FALSE)
  uses <- list(
    function(workers) fit_in_shards(data, cluster = workers),
    function(workers) ivm(y ~ a + b, classes, n_active = 10, optimise = FALSE, cluster = workers),
    function(workers) predict(fit, data, cluster = workers)
  )
  workers <- withr::with_envvar(
    c(R_LIBS = "", R_LIBS_SITE = "/nowhere", R_LIBS_USER = "/nowhere"),
    local_workers(2, harmed = TRUE)
  )
  alone <- parallel::clusterCall(workers, function(name) requireNamespace(name, quietly = TRUE),
    "gpsieve")
  skip_if(any(unlist(alone)), "the package is in R's own library")
  for (use in uses) {
    expect_error(use(workers), "2 of 2 do not find the package", class = "gpsieve_error_workers")
  }
  # What the message says helps.
  parallel::clusterCall(workers, function(paths) .libPaths(paths), .libPaths())
  same_sharded_fit(fit_in_shards(data, cluster = workers), fit_in_shards(data))
  other_version <- list(version_at_worker = function(package) as.character(Sys.getpid()))
  for (use in uses) {
    with_functions(other_version, {
      expect_error(use(workers), "2 of 2 have [0-9]+", class = "gpsieve_error_workers")
    })
  }
})
