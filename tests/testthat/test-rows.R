# Sources of rows: fits and predictions agree with those of the same rows in memory.

stream_data <- function(n = 90) {
  toy <- toy_data("binary", n = n)
  toy$data$g <- factor(rep_len(c("u", "v", "w"), n))
  toy$data
}

fit_stream <- function(data, ..., formula = y ~ a + b + g, control = stream_control(data)) {
  online_gp(formula, data, kernel = kernel_rbf(1, 1), budget = 12, optimise = FALSE,
    shuffle = FALSE, control = control, seed = 1, verbose = FALSE, ...
  )
}

stream_control <- function(data) {
  control_online(window = if (inherits(data, "gpsieve_rows")) 30)
}

same_posterior <- function(a, b) {
  expect_identical(a$posteriors, b$posteriors)
  expect_identical(a$basis, b$basis)
  expect_identical(a$rows, b$rows)
  expect_identical(evidence(a)$value, evidence(b)$value)
}

test_that("a source gives the bits that the rows in memory give, in blocks of any size", {
  data <- stream_data()
  reference <- fit_stream(data)
  for (size in c(1, 7, 30, 1000)) same_posterior(fit_stream(rows_of_frame(data, size)), reference)
  data$y <- toy_data("regression", n = 90)$y
  same_posterior(fit_stream(rows_of_frame(data, 11)), fit_stream(data))
  data$y <- toy_data("multiclass", n = 90)$y
  same_posterior(fit_stream(rows_of_frame(data, 11)), fit_stream(data))
})

test_that("the scales of many blocks are those of all rows at once, bit for bit", {
  x <- cbind(a = with_own_seed(1, rnorm(10000, 1e6)), b = 3, c = rep_len(c(1e200, -1e200), 10000))
  whole <- gpsieve:::column_scales(x)
  for (size in c(1000, 4096, 9999)) {
    gatherer <- gpsieve:::scale_gatherer()
    for (start in seq(1, 10000, by = size)) {
      gatherer$add(x[start:min(10000, start + size - 1), , drop = FALSE])
    }
    found <- gatherer$scales()
    expect_identical(found$center, unname(whole$center))
    expect_identical(found$scale, unname(whole$scale))
  }
  expect_equal(unname(whole$center), unname(colMeans(x)), tolerance = 1e-14)
  expect_equal(unname(whole$scale), c(sd(x[, 1]), 1, 1e200 * sd(x[, 3] / 1e200)), tolerance = 1e-12)
})

test_that("with shuffling the fit depends on the window, not on the blocks", {
  data <- stream_data()
  shuffled <- function(size, window = 30) {
    online_gp(y ~ a + b, rows_of_frame(data, size), kernel = kernel_rbf(1, 1), budget = 12,
      optimise = FALSE, seed = 3, control = control_online(window = window), verbose = FALSE
    )
  }
  same_posterior(shuffled(7), shuffled(45))
  expect_false(identical(shuffled(7)$posteriors, shuffled(7, window = 60)$posteriors))
})

test_that("hyper-parameters are learned from a sample that does not depend on the blocks", {
  data <- stream_data()
  learned <- lapply(c(7, 50), function(size) {
    online_gp(y ~ a + b, rows_of_frame(data, size), budget = 12, seed = 3, verbose = FALSE)
  })
  expect_identical(coef(learned[[1]]), coef(learned[[2]]))
  expect_false(isTRUE(all.equal(coef(learned[[1]]), coef(fit_stream(data)))))
})

test_that("character columns become factors with all values of the source", {
  data <- stream_data()
  text <- transform(data, g = as.character(g), y = as.character(y))
  fit <- fit_stream(rows_of_frame(text, 8))
  data$y <- factor(as.character(data$y)) # levels in the order of the C locale
  same_posterior(fit, fit_stream(data))
})

test_that("predictions for a source are those of the rows in memory", {
  data <- stream_data()
  fit <- fit_stream(data)
  source <- rows_of_frame(data, 13)
  expect_identical(predict(fit, source)$prediction, predict(fit, data))
  expect_equal(as.matrix(predict(fit, source, type = "prob")), predict(fit, data, type = "prob"),
    ignore_attr = TRUE, tolerance = 0
  )
  path <- withr::local_tempfile(fileext = ".csv")
  expect_identical(predict(fit, source, type = "prob", into = path), path)
  expect_equal(as.matrix(read.csv(path)), predict(fit, data, type = "prob"), ignore_attr = TRUE)
  expect_snapshot(error = TRUE, predict(fit, data, into = path))
  expect_error(predict(fit, source, into = "out.txt"), class = "gpsieve_error_argument")
})

test_that("a source may return tables of other packages", {
  data <- stream_data()
  reference <- fit_stream(data)
  if (requireNamespace("data.table", quietly = TRUE)) {
    same_posterior(fit_stream(rows_of_frame(data, 20, convert = data.table::as.data.table)),
      reference
    )
  }
  skip_if_not_installed("tibble")
  same_posterior(fit_stream(rows_of_frame(data, 20, convert = tibble::as_tibble)), reference)
})

test_that("files and folders of CSV files are sources", {
  data <- stream_data()
  data[c("a", "b")] <- round(data[c("a", "b")], 6) # what 15 digits hold exactly
  folder <- withr::local_tempdir()
  halves <- split(data, rep(1:2, each = 45))
  for (i in 1:2) write.csv(halves[[i]], file.path(folder, paste0(i, ".csv")), row.names = FALSE)
  data$y <- factor(as.character(data$y))
  reference <- fit_stream(data)
  same_posterior(fit_stream(rows_from_files(folder, block_rows = 8)), reference)
  some <- rows_from_files(folder, columns = c("y", "a", "b", "g"), block_rows = 100)
  same_posterior(fit_stream(some), reference)
  expect_snapshot(error = TRUE, rows_from_files("nowhere.csv"))
  expect_error(rows_from_files(1), class = "gpsieve_error_argument")
  expect_error(fit_stream(rows_from_files(folder, columns = "z")), class = "gpsieve_error_data")
})

test_that("Parquet files are sources, and take predictions", {
  skip_if_not_installed("nanoparquet", "0.4.0")
  data <- stream_data()
  folder <- withr::local_tempdir()
  for (i in 1:2) {
    nanoparquet::write_parquet(data[45 * (i - 1) + 1:45, ],
      file.path(folder, paste0(i, ".parquet")), row_groups = c(1L, 18L, 35L)[seq_len(4L - i)])
  }
  source <- rows_from_files(folder)
  fit <- fit_stream(source)
  same_posterior(fit, fit_stream(data))
  # The blocks are the row groups.
  source$read(TRUE)
  sizes <- integer()
  while (!is.null(block <- source$read(FALSE))) sizes <- c(sizes, nrow(block))
  expect_identical(sizes, c(17L, 17L, 11L, 17L, 28L))
  out <- withr::local_tempfile(fileext = ".parquet")
  predict(fit, rows_of_frame(data, 20), type = "prob", into = out)
  expect_equal(as.matrix(nanoparquet::read_parquet(out)), predict(fit, data, type = "prob"),
    ignore_attr = TRUE
  )
})

test_that("tables and queries of a database are sources, and take predictions", {
  skip_if_not_installed("RSQLite")
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(con))
  data <- stream_data()
  data$y <- factor(as.character(data$y))
  data$id <- seq_len(nrow(data))
  data[["odd \"name\""]] <- data$a
  DBI::dbWriteTable(con, "the rows", data)
  reference <- fit_stream(data)
  same_posterior(fit_stream(rows_from_db(con, "the rows", block_rows = 8)), reference)
  same_posterior(fit_stream(rows_from_db(con, "the rows", key = "id", block_rows = 8)), reference)
  query <- "SELECT y, a, b, g FROM \"the rows\" ORDER BY id"
  same_posterior(fit_stream(rows_from_db(con, query, block_rows = 50)), reference)

  opened <- list()
  open <- function() {
    opened[[length(opened) + 1]] <<- DBI::dbConnect(RSQLite::SQLite(), path)
    opened[[length(opened)]]
  }
  same_posterior(fit_stream(rows_from_db(open, "the rows", key = "id")), reference)
  expect_length(opened, 2)
  expect_false(any(vapply(opened, DBI::dbIsValid, NA)))
  by_name <- rows_from_db(path, "the rows", key = "id")
  same_posterior(fit_stream(by_name), reference)
  reading <- gpsieve:::sqlite_opener(path)()
  expect_error(DBI::dbExecute(reading, "DELETE FROM \"the rows\""), "readonly")
  DBI::dbDisconnect(reading)
  expect_snapshot(error = TRUE, rows_from_db("nowhere.sqlite", "rows"))

  source <- rows_from_db(con, "the rows", key = "id", block_rows = 20)
  expect_identical(predict(reference, source, into = list(con, "answers")), "answers")
  expect_identical(DBI::dbReadTable(con, "answers")$prediction,
    as.character(predict(reference, data))
  )
  expect_error(predict(reference, source, into = list(con, "answers")),
    class = "gpsieve_error_argument"
  )

  DBI::dbExecute(con, "UPDATE \"the rows\" SET id = 3 WHERE id = 4")
  expect_error(fit_stream(rows_from_db(con, "the rows", key = "id")), "value of its own",
    class = "gpsieve_error_data"
  )
  expect_error(fit_stream(rows_from_db(con, "no such table")), class = "gpsieve_error_data")
})

test_that("a source that changes between passes is an error that names block and row", {
  data <- stream_data()
  mixed <- function(block_of) {
    blocks <- split(data, (seq_len(nrow(data)) - 1) %/% 10)
    at <- 0
    rows_from_function(function(reset) {
      if (reset) {
        at <<- 0
        return(NULL)
      }
      at <<- at + 1
      if (at > length(blocks)) NULL else block_of(blocks[[at]], at)
    })
  }
  in_text <- function(block) transform(block, a = as.character(a))
  expect_snapshot(error = TRUE, {
    fit_stream(mixed(function(block, at) if (at == 5) transform(block, a = NA_real_) else block))
    fit_stream(mixed(function(block, at) if (at == 5) in_text(block) else block))
    fit_stream(mixed(function(block, at) if (at == 5) transform(block, g = factor("x")) else block))
    fit_stream(mixed(function(block, at) if (at == 5) block["a"] else block))
    fit_stream(mixed(function(block, at) if (at == 5) stop("the disk is gone") else block))
    fit_stream(mixed(function(block, at) if (at == 5) as.matrix(block) else block))
    fit_stream(mixed(function(block, at) if (at < 20) block[0, ]))
  })
})

test_that("later passes must bring the rows of the first one", {
  data <- stream_data()
  changing <- function(change) {
    passes <- 0
    inner <- NULL
    rows_from_function(function(reset) {
      if (!reset) return(inner$read(FALSE))
      passes <<- passes + 1
      inner <<- rows_of_frame(if (passes == 1) data else change(data), 10)
      inner$read(TRUE)
    })
  }
  expect_snapshot(error = TRUE, {
    fit_stream(changing(function(data) data[1:50, ]))
    fit_stream(changing(function(data) data[0, ]))
  })
  text <- transform(data, g = as.character(g))
  data <- text
  expect_error(
    fit_stream(changing(function(data) replace(data, "g", "new"))), "New in column",
    class = "gpsieve_error_data"
  )
})

test_that("the first blocks may have rows of one class only", {
  data <- stream_data()
  data <- data[order(data$y), ]
  same_posterior(fit_stream(rows_of_frame(data, 5), control = control_online(window = 10)),
    fit_stream(data)
  )
})

test_that("unsupported uses of a source are an error", {
  data <- stream_data()
  expect_snapshot(error = TRUE, {
    meanfield_gp(y ~ a, rows_of_frame(data))
    online_gp(y ~ poly(a, 2), rows_of_frame(data))
    online_gp(y ~ I(a - mean(a)), rows_of_frame(data))
    online_gp(y ~ a, rows_of_frame(data), sweeps = 2)
    rows_from_function(1)
    online_gp(y ~ a, data, resume = "x.rds")
  })
})

test_that("the source is closed however a pass ends", {
  data <- stream_data()
  closed <- 0
  source <- rows_of_frame(data, 10, on_block = function(block) if (block == 4) stop("gone"))
  source$close <- function() closed <<- closed + 1
  expect_error(fit_stream(source), class = "gpsieve_error_data")
  expect_equal(closed, 1)
})

test_that("an interrupted fit resumes from its checkpoint with the same bits", {
  data <- stream_data()
  reference <- fit_stream(rows_of_frame(data, 10), control = control_online(window = 10))
  path <- withr::local_tempfile(fileext = ".rds")
  control <- control_online(window = 10, checkpoint = path, every = 0)
  passes <- 0
  dying <- rows_of_frame(data, 10, on_block = function(block) {
    if (block == 1) passes <<- passes + 1
    if (passes == 2 && block == 6) stop("killed")
  })
  expect_error(fit_stream(dying, control = control), class = "gpsieve_error_data")
  so_far <- last_fit()
  expect_equal(nobs(so_far), 50)
  expect_equal(nobs(readRDS(path)), 50)
  expect_length(predict(readRDS(path), data), 90)
  resumed <- fit_stream(rows_of_frame(data, 10), control = control, resume = path)
  same_posterior(resumed, reference)

  # If the checkpoint is damaged, the previous one is read; two damaged files are an error.
  writeBin(readBin(path, "raw", 200), path)
  resumed <- fit_stream(rows_of_frame(data, 10), control = control_online(window = 10),
    resume = path)
  same_posterior(resumed, reference)
  writeBin(raw(0), paste0(path, ".previous"))
  expect_error(fit_stream(rows_of_frame(data, 10), resume = path), class = "gpsieve_error_object")
  expect_error(fit_stream(rows_of_frame(data, 10), resume = "none.rds"), "There is no file",
    class = "gpsieve_error_object"
  )
  other <- control_online(window = 20, checkpoint = path)
  fit_stream(rows_of_frame(data, 10), control = control)
  expect_error(fit_stream(rows_of_frame(data, 10), control = other, resume = path), "same call",
    class = "gpsieve_error_argument"
  )
  other_model <- function(kernel, seed) {
    online_gp(y ~ a + b + g, rows_of_frame(data, 10), kernel = kernel, budget = 12,
      optimise = FALSE, shuffle = FALSE, control = control, seed = seed, resume = path,
      verbose = FALSE
    )
  }
  expect_error(other_model(kernel_rbf(1, 2), 1), "same call", class = "gpsieve_error_argument")
  expect_error(other_model(kernel_rbf(1, 1), 2), "same call", class = "gpsieve_error_argument")
})
