# The copy of the rows of a source that the first pass makes, and the fits that read it.

copied_data <- function(kind = "binary", n = 150) {
  data <- toy_data(kind, n = n)$data
  data$g <- rep_len(c("u", "v", "w"), n)
  data
}

# A source that counts its passes, and what the folder of copies holds.
counted_rows <- function(data, size = 20, ...) {
  passes <- 0
  inner <- rows_of_frame(data, size, ...)
  rows <- rows_from_function(function(reset) {
    if (reset) passes <<- passes + 1
    inner$read(reset)
  }, copy = TRUE)
  list(rows = rows, passes = function() passes)
}

copies <- function() list.files(tempdir(), "^rows-")

fit_copied <- function(rows, method = "sep", batch_size = 25, ..., shards = NULL) {
  whatever_it_learns(ep_gp(y ~ a + b + g, rows,
    kernel = kernel_rbf(1, 1), inducing = 6, method = method, batch_size = batch_size, epochs = 2,
    seed = 1, verbose = FALSE, ...,
    control = control_ep(window = if (is.null(shards)) 50, shards = shards, warm_rows = 40)
  ))
}

stream_copied <- function(rows) {
  online_gp(y ~ a + b + g, rows, kernel = kernel_rbf(1, 1), budget = 8, optimise = FALSE, seed = 1,
    verbose = FALSE, control = control_online(window = 40)
  )
}

test_that("a copied source is read once; the fit has the bits of one that reads it in every pass", {
  for (kind in c("binary", "regression", "multiclass")) {
    data <- copied_data(kind)
    fits <- list(
      fit_copied, stream_copied,
      function(rows) fit_copied(rows, "ep", NULL), function(rows) fit_copied(rows, optimise = FALSE)
    )
    if (kind != "multiclass") {
      fits <- c(fits, function(rows) fit_copied(rows, "ep", NULL, shards = 4))
    }
    for (fit in fits) {
      source <- counted_rows(data)
      copied <- fit(source$rows)
      expect_equal(source$passes(), 1)
      source <- counted_rows(data, 33)
      read <- withr::with_options(list(gpsieve.max_disk = 0), fit(source$rows))
      expect_gt(source$passes(), 1)
      expect_identical(copied[setdiff(names(copied), "trace")], read[setdiff(names(read), "trace")])
      expect_length(copies(), 0)
    }
  }
})

test_that("a copy that is too large, is lost or cannot be written is not used", {
  data <- copied_data()
  reference <- stream_copied(rows_of_frame(data, 20))
  expect_reread <- function(...) {
    source <- counted_rows(data, ...)
    expect_identical(stream_copied(source$rows)$posteriors, reference$posteriors)
    expect_equal(source$passes(), 2)
    expect_length(copies(), 0)
  }
  # Five columns of the model matrix and the response.
  withr::with_options(list(gpsieve.max_disk = 150 * 6 * 8 - 1), expect_reread())
  expect_snapshot(error = TRUE, {
    withr::with_options(list(gpsieve.max_disk = "much"), stream_copied(counted_rows(data)$rows))
  })
  skip_on_os("windows")
  expect_reread(on_block = function(block) if (block == 4) unlink(file.path(tempdir(), copies())))
  skip_if(!file.exists("/dev/full"))
  full <- suppressWarnings(file("/dev/full", "wb"))
  withr::defer(close(full))
  expect_false(gpsieve:::write_numbers(numeric(1e5), full))
})

test_that("a level that appears late is in the copy, which the second pass makes", {
  data <- copied_data()
  data$g[140] <- "new"
  source <- counted_rows(data)
  fit <- stream_copied(source$rows)
  expect_equal(source$passes(), 2)
  reference <- stream_copied(rows_of_frame(transform(data, g = factor(g)), 20))
  expect_identical(fit$posteriors, reference$posteriors)
})

test_that("no copy is left over, however a call ends", {
  data <- copied_data()
  failing <- counted_rows(data, on_block = function(block) if (block == 4) stop("gone"))
  expect_error(stream_copied(failing$rows), class = "gpsieve_error_data")
  expect_length(copies(), 0)
  expect_error(fit_copied(counted_rows(data)$rows, batch_size = 200),
    class = "gpsieve_error_argument"
  )
  expect_length(copies(), 0)
  gpsieve(y ~ a, counted_rows(data, 50)$rows, seed = 1, candidates = "ep_gp")
  expect_length(copies(), 0)
})
