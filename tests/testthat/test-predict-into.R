# Files and tables of predictions: whole or not there, never overwritten.

into_data <- function() {
  data <- toy_data("binary", n = 60)$data
  data$id <- seq_len(60)
  data
}

into_fit <- function(data) {
  ivm(y ~ a + b, data, n_active = 10, optimise = FALSE, seed = 1)
}

# Places for predictions: into, exists(), numbers(), those that are there, left(), the names of what
# is there, put(), which makes something else there, and is_mine(), whether it still is there.
local_places <- function(env = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = env)
  file_place <- function(name, read) {
    path <- file.path(folder, name)
    list(
      into = path, exists = function() file.exists(path), numbers = function() read(path)[[1L]],
      put = function() writeLines("mine", path), is_mine = function() readLines(path) == "mine",
      left = function() list.files(folder, name)
    )
  }
  places <- list(csv = file_place("x.csv", utils::read.csv))
  if (requireNamespace("nanoparquet", quietly = TRUE)) {
    places$parquet <- file_place("x.parquet", nanoparquet::read_parquet)
  }
  if (requireNamespace("RSQLite", quietly = TRUE)) {
    con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
    withr::defer(DBI::dbDisconnect(con), envir = env)
    places$table <- list(
      into = list(con, "answers"), exists = function() DBI::dbExistsTable(con, "answers"),
      numbers = function() DBI::dbReadTable(con, "answers")[[1L]],
      put = function() DBI::dbWriteTable(con, "answers", data.frame(mine = 1)),
      is_mine = function() identical(DBI::dbReadTable(con, "answers"), data.frame(mine = 1)),
      left = function() DBI::dbListTables(con)
    )
  }
  places
}

test_that("a call that fails leaves nothing, and its repetition gives all predictions", {
  data <- into_data()
  fit <- into_fit(data)
  alone <- predict(fit, data, type = "link")
  dying <- rows_of_frame(data, 20, on_block = function(block) if (block == 3) stop("gone"))
  for (place in local_places()) {
    expect_error(predict(fit, dying, type = "link", into = place$into), "gone",
      class = "gpsieve_error_data"
    )
    expect_false(place$exists())
    expect_length(place$left(), 0)
    predict(fit, rows_of_frame(data, 20), type = "link", into = place$into)
    expect_equal(place$numbers(), alone, tolerance = 1e-12)
    expect_length(place$left(), 1)
    # Neither files nor tables are overwritten.
    expect_error(predict(fit, rows_of_frame(data, 20), into = place$into), "must not exist yet",
      class = "gpsieve_error_argument"
    )
    expect_equal(place$numbers(), alone, tolerance = 1e-12)
  }
})

test_that("what appears during the call is not overwritten", {
  data <- into_data()
  fit <- into_fit(data)
  for (place in local_places()) {
    rows <- rows_of_frame(data, 20, on_block = function(block) if (block == 3) place$put())
    expect_error(predict(fit, rows, into = place$into), "must not exist yet",
      class = "gpsieve_error_argument"
    )
    expect_length(place$left(), 1)
    expect_true(place$is_mine())
  }
})

test_that("a source without rows gives predictions without rows", {
  data <- into_data()
  fit <- into_fit(data)
  none <- predict(fit, rows_of_frame(data[0, ]), type = "prob")
  expect_identical(dim(none), c(0L, 2L))
  expect_named(none, levels(data$y))
  for (place in local_places()) {
    predict(fit, rows_of_frame(data[0, ]), type = "prob", into = place$into)
    expect_true(place$exists())
    expect_length(place$numbers(), 0)
  }
})

test_that("predictions go into the database that is read", {
  skip_if_not_installed("RSQLite")
  data <- into_data()
  fit <- into_fit(data)
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "data", data)
  sources <- list(
    rows_from_db(con, "data", block_rows = 20),
    rows_from_db(con, "data", key = "id", block_rows = 20),
    rows_from_db(function() DBI::dbConnect(RSQLite::SQLite(), path), "data", block_rows = 20),
    rows_from_db(path, "data", block_rows = 20)
  )
  for (i in seq_along(sources)) {
    table <- paste0("answers", i)
    predict(fit, sources[[i]], type = "link", into = list(con, table))
    expect_identical(DBI::dbReadTable(con, table)$prediction, predict(fit, data, type = "link"))
  }
  # Inside a transaction of the user, whose end decides.
  DBI::dbBegin(con)
  predict(fit, sources[[1]], into = list(con, "mine"))
  DBI::dbRollback(con)
  expect_false(DBI::dbExistsTable(con, "mine"))
})

test_that("a table that cannot be filled is not there", {
  skip_if_not_installed("RSQLite")
  data <- into_data()
  fit <- into_fit(data)
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  # The second block has other columns, as no prediction has.
  count <- 0
  other <- function(answer) {
    count <<- count + 1
    stats::setNames(data.frame(1), if (count == 1) "x" else "y")
  }
  for (begun in c(FALSE, TRUE)) {
    count <- 0
    if (begun) DBI::dbBegin(con)
    expect_error(
      with_functions(list(as_answer_frame = other),
        predict(fit, rows_of_frame(data, 20), into = list(con, "answers"))
      ),
      "could not be written to the table", class = "gpsieve_error_data"
    )
    expect_false(DBI::dbExistsTable(con, "answers"))
    if (begun) DBI::dbRollback(con)
  }
})

test_that("a full disk is an error, and no part of a file is left", {
  skip_on_cran()
  skip_on_os("windows")
  data <- into_data()
  folder <- withr::local_tempdir()
  said <- print_on_full_disk(bquote({
    library(gpsieve)
    source(.(normalizePath("helper-rows.R")))
    data <- .(data)
    fit <- ivm(y ~ a + b, data, n_active = 10, optimise = FALSE, seed = 1)
    many <- data.frame(a = sin(1:6000), b = cos(sqrt(2) * 1:6000))
    for (file in file.path(.(folder), c("x.csv", "x.parquet"))) {
      cat(tryCatch(
        {
          predict(fit, rows_of_frame(many, 500), type = "prob", into = file)
          "written\n"
        },
        gpsieve_error_data = function(e) "refused\n"
      ))
    }
  }))
  installed <- requireNamespace("nanoparquet", quietly = TRUE)
  expect_identical(said[said %in% c("written", "refused")], rep("refused", 1 + installed))
  expect_length(list.files(folder), 0)
})

test_that("a place that cannot be is an error before any work", {
  data <- into_data()
  fit <- into_fit(data)
  unread <- rows_of_frame(data, 20, on_block = function(block) stop("the source is read"))
  withr::local_dir(withr::local_tempdir())
  dir.create("a.csv")
  writeLines("x", "b.csv")
  expect_snapshot(error = TRUE, {
    predict(fit, unread, into = "nodir/x.csv")
    predict(fit, unread, into = "a.csv")
    predict(fit, unread, into = "b.csv")
    predict(fit, unread, offset = 1:20)
  })
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbDisconnect(con)
  expect_error(predict(fit, unread, into = list(con, "x")), class = "gpsieve_error_data")
})

test_that("verbs that need rows in memory refuse a source", {
  toy <- toy_data("regression")
  fit <- meanfield_gp(y ~ a + b, toy$data, optimise = FALSE)
  source <- rows_from_function(function() {
    blocks <- list(toy$data)
    function() {
      out <- if (length(blocks)) blocks[[1]]
      blocks <<- blocks[-1]
      out
    }
  })
  expect_error(augment(fit, source), "rows in memory", class = "gpsieve_error_unsupported")
  for (verb in list(residuals, query_score)) {
    expect_error(verb(fit, newdata = source), class = "gpsieve_error")
  }
})
