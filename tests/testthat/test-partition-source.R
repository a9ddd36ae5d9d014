# ivm(leaf_rows = ) on rows that are read in blocks, and its checkpoints.

partition_rows_of <- function(n = 12000, task = "binary") toy_data(task, n, seed = 4)$data

fit_leaves_of <- function(rows, ..., trees = 1, task = "binary", seed = 3,
                          control = control_ivm()) {
  ivm(y ~ a + b, rows,
    kernel = kernel_rbf(1, c(0.7, 1.5)), likelihood = if (task == "regression") lik_gaussian(0.1),
    n_active = 10, refine = 1, leaf_rows = 500, trees = trees, optimise = FALSE, seed = seed,
    verbose = FALSE, control = control, ...
  )
}

# What a fit says, without the clock and what is kept of rows in memory.
without_memory <- function(fit) {
  fit <- without_clock(fit)
  fit[c("kept", "held_out", "origin", "blueprint")] <- NULL
  fit$settings$control[c("checkpoint", "keep")] <- list(NULL)
  fit
}

expect_same_fit <- function(a, b) expect_identical(without_memory(a), without_memory(b))

test_that("a source gives the fit of the same rows in memory, whatever the blocks", {
  for (task in tasks) {
    data <- partition_rows_of(task = task)
    memory <- fit_leaves_of(data, trees = 2, task = task)
    # More rows than the sample: its cuts make parts.
    expect_gt(nrow(data), sample_size)
    for (size in c(997, 5000)) {
      rows <- rows_of_frame(data, size)
      for (copied in c(FALSE, TRUE)) {
        rows$copied <- copied
        expect_same_fit(fit_leaves_of(rows, trees = 2, task = task), memory)
      }
    }
    expect_true(all(memory$partition$rows <= 500 * 1.3))
  }
  expect_length(list.files(tempdir(), "^(leaves|rows)-"), 0)
})

test_that("few rows of a source, and rows without differences, are ordinary cases", {
  data <- partition_rows_of(300, "regression")
  expect_same_fit(
    fit_leaves_of(rows_of_frame(data), task = "regression"),
    fit_leaves_of(data, task = "regression")
  )
  equal <- data.frame(a = rep(1, 700), b = 2, y = rep_len(c(1, 2, 4), 700))
  fit <- fit_leaves_of(rows_of_frame(equal, 100), trees = 2, task = "regression")
  expect_identical(fit$partition$rows, 700L)
})

test_that("hyper-parameters are learned on the sample of a source", {
  data <- partition_rows_of(11000, "regression")
  fit <- ivm(y ~ a + b, rows_of_frame(data, 4000), n_active = 20, leaf_rows = 2000, seed = 1,
    control = control_ivm(blocks = learn_on_blocks(rows = 100, steps = 20)), verbose = FALSE
  )
  rmse <- sqrt(mean((predict(fit, data) - data$y)^2))
  expect_lt(rmse, 0.5 * sd(data$y))
  expect_equal(nobs(fit), 11000)
})

test_that("little room on the disk means more passes over the source, none an error", {
  data <- partition_rows_of()
  passes <- 0
  rows <- rows_of_frame(data, 2000, function(block) if (block == 1) passes <<- passes + 1)
  memory <- fit_leaves_of(data)
  expect_same_fit(fit_leaves_of(rows), memory)
  expect_identical(passes, 2)
  # All rows take 12000 x 4 x 8 bytes, and those near borders more.
  withr::local_options(gpsieve.max_disk = 2e5)
  passes <- 0
  expect_same_fit(fit_leaves_of(rows), memory)
  expect_gt(passes, 2)
  withr::local_options(gpsieve.max_disk = 100)
  expect_error(fit_leaves_of(rows), "max_disk", class = "gpsieve_error_memory")
})

test_that("workers fit the leaves of a source with the same bits, and one of them may die", {
  skip_on_cran()
  data <- partition_rows_of()
  memory <- fit_leaves_of(data)
  workers <- local_workers(2, harmed = TRUE)
  expect_same_fit(fit_leaves_of(rows_of_frame(data, 3000), cluster = workers), memory)
  # The worker ends in the middle of a fit: when a later block is read.
  pid <- parallel::clusterCall(workers[1], Sys.getpid)[[1]]
  reads <- 0
  dying <- rows_of_frame(data, 3000, function(block) {
    reads <<- reads + 1
    if (reads == 8) tools::pskill(pid, tools::SIGKILL)
  })
  expect_same_fit(fit_leaves_of(dying, cluster = workers), memory)
  expect_gt(reads, 8)
})

# The bytes at which the records of a log end.
record_ends <- function(path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  ends <- numeric()
  while (length(count <- readBin(connection, "double", 1L))) {
    readBin(connection, "raw", 32L + count)
    ends <- c(ends, max(ends, 0) + record_head + count)
  }
  ends
}

test_that("a fit goes on from any leaf of its checkpoint, also one that is cut short", {
  data <- partition_rows_of()
  path <- withr::local_tempfile(fileext = ".log")
  control <- control_ivm(checkpoint = path)
  for (rows in list(data, rows_of_frame(data, 4000))) {
    reference <- fit_leaves_of(rows, control = control)
    expect_same_fit(fit_leaves_of(rows), reference)
    whole <- readBin(path, "raw", file.size(path))
    ends <- record_ends(path)
    expect_identical(max(ends), as.double(length(whole)))
    expect_gte(length(ends), 1 + count_machines(reference))
    for (size in c(ends[c(1, 2, 5, length(ends) - 1, length(ends))], ends[7] + c(3, 60))) {
      writeBin(whole[seq_len(size)], path)
      expect_same_fit(fit_leaves_of(rows, control = control, resume = path, seed = NULL), reference)
      # The file is whole again, and no other leaf was fitted again.
      expect_identical(file.size(path), as.double(length(whole)))
    }
    other <- withr::local_tempfile()
    writeBin(whole[seq_len(ends[4])], path)
    expect_same_fit(
      fit_leaves_of(rows, control = control_ivm(checkpoint = other), resume = path), reference
    )
    expect_identical(file.size(path), ends[4])
    expect_identical(file.size(other), as.double(length(whole)))
  }
})

test_that("an interrupt loses the leaf in hand only", {
  data <- partition_rows_of(3000)
  path <- withr::local_tempfile()
  reference <- fit_leaves_of(data)
  control <- control_ivm(checkpoint = path)
  fitted <- 0
  counting <- function(stop_at) {
    list(keep_judged = function(result, rows, judged) {
      fitted <<- fitted + 1
      if (fitted == stop_at) rlang::interrupt()
      result
    })
  }
  with_functions(counting(4), tryCatch(
    fit_leaves_of(data, control = control), interrupt = function(e) NULL
  ))
  expect_identical(fitted, 4)
  fitted <- 0
  again <- with_functions(counting(Inf), fit_leaves_of(data, control = control, resume = path))
  expect_same_fit(again, reference)
  expect_equal(fitted, count_machines(reference) - 3)
})

test_that("a checkpoint of another call or of nothing is refused", {
  data <- partition_rows_of(1200)
  path <- withr::local_tempfile()
  control <- control_ivm(checkpoint = path)
  fit <- function(rows = data, ...) fit_leaves_of(rows, control = control, ...)
  fit()
  expect_error(fit(resume = path, seed = 4), "the seed", class = "gpsieve_error_argument")
  expect_error(fit(data[-1, ], resume = path), "the rows", class = "gpsieve_error_argument")
  expect_error(fit(resume = path, trees = 2), "the settings", class = "gpsieve_error_argument")
  expect_error(fit(resume = paste0(path, "x")), "no file", class = "gpsieve_error_object")
  writeLines("not a log", path)
  expect_error(fit(resume = path), "damaged", class = "gpsieve_error_object")
  expect_snapshot(error = TRUE, {
    ivm(y ~ a + b, data, resume = "file")
    ivm(y ~ a + b, data, control = control_ivm(checkpoint = "file"))
    ivm(y ~ a + b, rows_of_frame(data))
    ivm(y ~ a + b, data, leaf_rows = 100, control = control_ivm(checkpoint = 1))
  })
})

test_that("a log that cannot be written is said once, and the fit goes on", {
  data <- partition_rows_of(1500)
  folder <- withr::local_tempdir()
  path <- file.path(folder, "log")
  with_functions(list(append_record = function(...) 0), expect_warning(
    fit <- fit_leaves_of(data, control = control_ivm(checkpoint = path)),
    "could not be written", class = "gpsieve_warning_checkpoint"
  ))
  expect_same_fit(fit, fit_leaves_of(data))
})

test_that("every answer of a fit to a source is that of the fit to its rows", {
  data <- partition_rows_of(11000, "regression")
  memory <- fit_leaves_of(data, task = "regression")
  rows <- rows_of_frame(data, 5000)
  source <- fit_leaves_of(rows, task = "regression")
  few <- data[1:50, ]
  expect_identical(all_predictions(source, few), all_predictions(memory, few))
  expect_identical(predict(source, rows)[[1]], unname(predict(memory, data)))
  expect_identical(loo(source, few), loo(memory, few))
  for (says in list(evidence, active_set, inducing, sites, coef, relevance)) {
    expect_identical(says(source), says(memory))
  }
  expect_error(predict(source), "keeps nothing", class = "gpsieve_error")
})

test_that("the memory of a fit to a source is estimated before its rows are read again", {
  reads <- 0
  rows <- rows_of_frame(partition_rows_of(), 2000, function(block) reads <<- reads + 1)
  withr::local_options(gpsieve.max_memory = 1e6)
  expect_error(fit_leaves_of(rows), "leaves", class = "gpsieve_error_memory")
  expect_lte(reads, 7) # one pass of six blocks
})
