# Clusters in the middle of whose work a computation is stopped.

# A kernel that takes `nap` seconds in other processes than this one, if they are told so, for one
# minute: a computation that is not stopped as it should be then ends, and the test fails.
napping_kernel <- function() {
  kernel_function(eval(bquote(function(x, z) {
    awake <- get0("awake", globalenv(), ifnotfound = 0)
    if (Sys.getpid() != .(Sys.getpid()) && Sys.time() < awake) {
      Sys.sleep(get("nap", globalenv()))
    }
    exp(-outer(x[, 1], z[, 1], "-")^2)
  })))
}

set_nap <- function(workers, seconds) {
  parallel::clusterCall(workers, function(seconds) {
    assign("nap", seconds, globalenv())
    assign("awake", Sys.time() + 60, globalenv())
    NULL
  }, seconds)
}

work_on_cluster <- local({
  data <- toy_data("binary", n = 80)$data
  classes <- toy_data("multiclass", n = 80)$data
  kernel <- napping_kernel()
  fit <- ivm(y ~ a, data, kernel = kernel, n_active = 10, optimise = FALSE, seed = 1)
  list(
    ep_gp = function(workers) {
      ep_gp(y ~ a, data, kernel = kernel, inducing = 8, method = "sep", optimise = FALSE, seed = 1,
        control = control_ep(max_iter = 200, shards = 4), cluster = workers
      )$posteriors
    },
    ivm = function(workers) {
      ivm(y ~ a, classes, kernel = kernel, n_active = 10, optimise = FALSE, seed = 1,
        cluster = workers
      )$posteriors
    },
    predict = function(workers) {
      predict(fit, data[rep(1:80, 300), ], type = "link", cluster = workers)
    },
    "predict of a source" = function(workers) {
      predict(fit, rows_of_frame(data, 20), cluster = workers)
    }
  )
})

stopped_by_time_limit <- function(work, seconds = 0.6) {
  on.exit(setTimeLimit())
  tryCatch({
    setTimeLimit(elapsed = seconds, transient = TRUE)
    work
  }, error = identity)
}

# The limit may run out while a message is sent or read; the workers are then given up, and others
# are tried.
test_that("a time limit passes, and the workers then answer the next call only", {
  skip_on_cran()
  workers <- local_workers(2, harmed = TRUE)
  for (name in names(work_on_cluster)) {
    work <- work_on_cluster[[name]]
    reference <- work(workers)
    for (attempt in 1:5) {
      set_nap(workers, if (name == "predict of a source") 0.6 else 0.02)
      stopped <- with_functions(list(patience_with_workers = 60),
        stopped_by_time_limit(work(workers))
      )
      expect_true(gpsieve:::is_time_limit(stopped), info = name)
      expect_false(inherits(stopped, "gpsieve_error"), info = name)
      if (!any(gpsieve:::were_given_up(unclass(workers)))) break
      expect_error(work(workers), class = "gpsieve_error_workers")
      workers <- local_workers(2, harmed = TRUE)
    }
    set_nap(workers, 0)
    answers <- parallel::clusterApply(workers, 1:2, function(i) 10 * i)
    expect_identical(answers, list(10, 20), info = name)
    expect_identical(work(workers), reference, info = name)
  }
})

test_that("workers that do not answer are given up, and the next use of the cluster says so", {
  skip_on_cran()
  for (name in names(work_on_cluster)) {
    for (attempt in 1:5) { # on a busy machine the limit may run out before the workers have tasks
      workers <- local_workers(2, harmed = TRUE)
      set_nap(workers, 3)
      stopped <- with_functions(list(patience_with_workers = 0.1),
        stopped_by_time_limit(work_on_cluster[[name]](workers), 0.6 * attempt)
      )
      if (any(gpsieve:::were_given_up(unclass(workers)))) break
    }
    expect_true(gpsieve:::is_time_limit(stopped), info = name)
    for (use in work_on_cluster) expect_error(use(workers), class = "gpsieve_error_workers")
    # Other calls cannot read an answer of the fit.
    expect_error(parallel::clusterApply(workers, 1:2, identity))
  }
  expect_snapshot(error = TRUE, work_on_cluster$ep_gp(workers))
  # A new cluster may have the same numbers of connections.
  expect_type(work_on_cluster$ep_gp(local_workers(2, harmed = TRUE)), "list")
})

test_that("answers that others have left unread are no answers to a fit", {
  skip_on_cran()
  workers <- local_workers(2, harmed = TRUE)
  reference <- work_on_cluster$ep_gp(workers)
  for (left in list(function() NULL, function() 1, function() list(ticket = 1, value = 2))) {
    for (i in 1:2) parallel:::sendCall(workers[[i]], left, list())
    expect_identical(work_on_cluster$ep_gp(workers), reference)
  }
})

test_that("an interrupt leaves workers that answer the next call only", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  child <- callr::r_bg(function() {
    library(gpsieve)
    workers <- parallel::makeCluster(2)
    on.exit(parallel::stopCluster(workers))
    main <- Sys.getpid()
    kernel <- kernel_function(eval(bquote(function(x, z) {
      if (Sys.getpid() != .(main)) Sys.sleep(0.1)
      exp(-outer(x[, 1], z[, 1], "-")^2)
    })))
    data <- data.frame(a = sin(1:60), y = 1:60 %% 3 > 0)
    cat("ready\n")
    ended <- tryCatch(
      ep_gp(y ~ a, data, kernel = kernel, inducing = 8, method = "sep", optimise = FALSE, seed = 1,
        control = control_ep(max_iter = 1000, shards = 4, tol = 0), cluster = workers
      ),
      interrupt = function(e) "interrupted"
    )
    list(ended = ended, answers = parallel::clusterApply(workers, 1:2, function(i) 10 * i))
  }, stdout = "|", stderr = "2>&1")
  withr::defer(child$kill())
  said <- ""
  deadline <- Sys.time() + 60
  while (!grepl("ready", said) && child$is_alive() && Sys.time() < deadline) {
    child$poll_io(200)
    said <- paste0(said, child$read_output())
  }
  Sys.sleep(2)
  child$interrupt()
  child$wait(60000)
  expect_identical(child$get_result(), list(ended = "interrupted", answers = list(10, 20)))
})

test_that("a time limit is no fault of a source or a kernel", {
  data <- data.frame(a = sin(1:60), y = 1:60 %% 3 > 0)
  # The limit passes during the nap, even where what comes before it is slow.
  nap <- function(x) {
    until <- proc.time()[["elapsed"]] + 3
    while (proc.time()[["elapsed"]] < until) NULL
    x
  }
  works <- list(
    function() {
      online_gp(y ~ a, rows_of_frame(data, 10, on_block = nap), budget = 5, optimise = FALSE)
    },
    function() {
      ivm(y ~ a, data, kernel = kernel_function(function(x, z) nap(tcrossprod(x, z))), n_active = 5)
    }
  )
  for (work in works) {
    stopped <- stopped_by_time_limit(work(), 1)
    expect_true(gpsieve:::is_time_limit(stopped))
    expect_false(inherits(stopped, "gpsieve_error"))
  }
})
