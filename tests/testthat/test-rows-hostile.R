# Sources that change or fail: every model and prediction names source, block and row, closes the
# source, and leaves a checkpoint that can be read.

# The second pass of a source is the first one of the fit itself.
hostile_source <- function(good, bad, from_pass, block_rows = 25, on_block = function(block) NULL) {
  passes <- 0
  inner <- NULL
  state <- new.env()
  state$closed <- FALSE
  source <- rows_from_function(function(reset) {
    if (!reset) return(inner$read(FALSE))
    passes <<- passes + 1
    state$closed <- FALSE
    hit <- passes >= from_pass
    inner <<- rows_of_frame(if (hit) bad else good, block_rows,
      on_block = if (hit) on_block else function(block) NULL
    )
    inner$read(TRUE)
  })
  source$close <- function() state$closed <- TRUE
  list(rows = source, state = state)
}

hostile_data <- function(n = 240) {
  data <- toy_data("binary", n = n)$data
  data$g <- rep_len(c("u", "v", "w"), n)
  data
}

hostile_fits <- list(
  ep_gp = function(rows, checkpoint, ...) {
    ep_gp(y ~ a + b + g, rows, kernel = kernel_rbf(1, 1), inducing = 6, batch_size = 20, epochs = 2,
      optimise = FALSE, seed = 1, verbose = FALSE, ...,
      control = control_ep(window = 60, checkpoint = checkpoint, every = 0)
    )
  },
  online_gp = function(rows, checkpoint, ...) {
    online_gp(y ~ a + b + g, rows, kernel = kernel_rbf(1, 1), budget = 6, optimise = FALSE,
      seed = 1, verbose = FALSE, ...,
      control = control_online(window = 60, checkpoint = checkpoint,
        every = if (!is.null(checkpoint)) 0
      )
    )
  }
)

hostile_fit_of <- function(formula, rows) {
  ep_gp(formula, rows, inducing = 5, batch_size = 10, epochs = 1, optimise = FALSE, seed = 1)
}

# What becomes of row 180, which is in block 8.
changes <- list(
  "a missing value" = function(data) replace(data, "a", replace(data$a, 180, NA)),
  "an infinite value" = function(data) replace(data, "b", replace(data$b, 180, Inf)),
  "a missing response" = function(data) replace(data, "y", replace(data$y, 180, NA)),
  "a new level" = function(data) replace(data, "g", replace(data$g, 180, "new"))
)

test_that("a value that a later pass cannot have is named with source, block and row", {
  data <- hostile_data()
  path <- withr::local_tempfile(fileext = ".rds")
  for (model in names(hostile_fits)) {
    fit <- hostile_fits[[model]]
    reference <- fit(rows_of_frame(data, 25), NULL)
    for (change in names(changes)) {
      source <- hostile_source(data, changes[[change]](data), from_pass = 2)
      unlink(c(path, paste0(path, ".previous")))
      error <- expect_error(fit(source$rows, path), class = "gpsieve_error_data")
      expect_match(conditionMessage(error), "In block 8 of a function, row 180 of the source",
        info = paste(model, change)
      )
      expect_true(source$state$closed)
      expect_length(predict(readRDS(path), data), 240)
      resumed <- fit(rows_of_frame(data, 25), path, resume = path)
      expect_identical(resumed$posteriors, reference$posteriors)
    }
  }
})

test_that("a column that changes its type, a reader that throws and an empty pass are errors", {
  data <- hostile_data()
  data$a <- round(100 * data$a)
  text <- function(block) if (block == 6) stop("the disk is gone")
  in_text <- replace(data, "a", as.character(data$a))
  for (fit in hostile_fits) {
    refused <- function(source, what) {
      error <- expect_error(fit(source$rows, NULL), class = "gpsieve_error_data")
      expect_match(conditionMessage(error), what)
      expect_true(source$state$closed)
    }
    refused(hostile_source(data, in_text, 2), "was a number and is a character.*block 1 .*row 1 ")
    refused(hostile_source(data, data, 2, on_block = text),
      "the disk is gone.*block 6 of a function, row 126 of"
    )
    for (pass in 1:2) {
      refused(hostile_source(data, data[0, ], pass),
        if (pass == 1) "returned none" else "returned 240 rows first and 0 later"
      )
    }
  }
})

test_that("a block of another type within the first pass is named by its first row", {
  data <- hostile_data()
  blocks <- split(data, (seq_len(240) - 1) %/% 25)
  blocks[[6]]$a <- as.character(blocks[[6]]$a)
  at <- 0
  source <- rows_from_function(function(reset) {
    at <<- if (reset) 0 else at + 1
    if (!reset && at <= length(blocks)) blocks[[at]]
  })
  for (fit in hostile_fits) {
    expect_error(fit(source, NULL), "was a number and is a character.*block 6 .*row 126 ",
      class = "gpsieve_error_data"
    )
  }
})

# A million rows in blocks of 50,000, of which one may differ.
million_rows <- function(change = function(block, at) block) {
  block <- data.frame(
    a = rep_len(c(-1, 0, 1, 0.5, -0.5), 5e4), g = rep_len(c("u", "v"), 5e4), y = 1:5e4 %% 7 < 3
  )
  at <- 0
  rows_from_function(function(reset) {
    at <<- if (reset) 0 else at + 1
    if (!reset && at <= 20) change(block, at)
  })
}

test_that("a level of a factor that appears in row 900,000 is named there", {
  skip_on_cran()
  late <- million_rows(function(block, at) {
    block$g <- factor(block$g)
    if (at == 18) block$g <- factor(replace(as.character(block$g), 50000, "new"))
    block
  })
  where <- "In block 18 of a function, row 900000 of the source"
  expect_error(ep_gp(y ~ a + g, late, inducing = 5, seed = 1), where, class = "gpsieve_error_data")
  three <- data.frame(a = c(1, 2, 3), g = c("u", "v", "u"), y = c(TRUE, FALSE, TRUE))
  fit <- ep_gp(y ~ a + g, three, inducing = 2, optimise = FALSE, seed = 1)
  # Predictions have no value for such a row, unless an error is asked for.
  expect_error(predict(fit, late, new_levels = "error"), where, class = "gpsieve_error_data")
})

test_that("a response whose classes are those of a block is an error", {
  data <- hostile_data(60)
  data$s <- rep(1:2, c(50, 10))
  expect_error(hostile_fit_of(ifelse(s > 1, "u", "v") ~ a, rows_of_frame(data, 20)),
    "whose classes depend on the rows of a block",
    class = "gpsieve_error_unsupported"
  )
  shuffled <- data[order(sin(1:60)), ]
  fit <- hostile_fit_of(ifelse(s > 1, "u", "v") ~ a, rows_of_frame(shuffled, 30))
  expect_setequal(fit$response$levels, c("u", "v"))
})

test_that("text has all levels of the source, however late the first row of one comes", {
  skip_on_cran()
  text <- million_rows(function(block, at) {
    if (at == 18) block$g[50000] <- "new"
    block
  })
  fit <- ep_gp(y ~ a + g, text, inducing = 5, optimise = FALSE, batch_size = 10000, epochs = 1,
    seed = 1
  )
  expect_equal(nobs(fit), 1e6)
  expect_length(predict(fit, data.frame(a = 0, g = "new")), 1)
})

test_that("one class in the first million rows is nothing to tell, one class in all rows is", {
  skip_on_cran()
  fit <- function(rows) {
    ep_gp(y ~ a, rows, inducing = 5, optimise = FALSE, batch_size = 10000, epochs = 1, seed = 1)
  }
  late <- million_rows(function(block, at) transform(block, y = at == 20 & 1:5e4 > 4e4))
  expect_equal(nobs(fit(late)), 1e6)
  # One row of a million, which the random sample of the source most likely lacks.
  single <- million_rows(function(block, at) transform(block, y = at == 9 & 1:5e4 == 77))
  expect_equal(nobs(fit(single)), 1e6)
  expect_warning(fit(million_rows(function(block, at) transform(block, y = TRUE))),
    "All 1,000,000 rows have the class \"TRUE\"", class = "gpsieve_warning_little_data")
})

test_that("a query that returns no rows on the second pass is an error, the connection closed", {
  skip_if_not_installed("RSQLite")
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  DBI::dbWriteTable(con, "data", hostile_data())
  DBI::dbDisconnect(con)
  opened <- list()
  source <- rows_from_db(function() {
    con <- DBI::dbConnect(RSQLite::SQLite(), path)
    opened[[length(opened) + 1]] <<- con
    if (length(opened) == 2) DBI::dbExecute(con, "DELETE FROM data")
    con
  }, "SELECT * FROM data", block_rows = 50)
  expect_error(hostile_fits$ep_gp(source, NULL), "returned 240 rows first and 0 later",
    class = "gpsieve_error_data"
  )
  expect_length(opened, 2)
  expect_false(any(vapply(opened, DBI::dbIsValid, NA)))
})

test_that("predictions name the row of a source that cannot be predicted", {
  data <- hostile_data()
  fit <- hostile_fits$ep_gp(rows_of_frame(data, 25), NULL)
  bad <- changes[["a new level"]](data)
  expect_error(predict(fit, rows_of_frame(bad, 25), new_levels = "error"),
    "In block 8 of a function, row 180 of",
    class = "gpsieve_error_data"
  )
  expect_warning(found <- predict(fit, rows_of_frame(bad, 25)),
    class = "gpsieve_warning_new_levels"
  )
  expect_identical(which(is.na(found$prediction)), 180L)
  gaps <- changes[["a missing value"]](data)
  expect_identical(which(is.na(predict(fit, rows_of_frame(gaps, 25))$prediction)), 180L)
})

test_that("settings of control functions that would have no effect are refused", {
  data <- toy_data("binary", n = 40)$data
  fit <- function(..., batch_size = NULL) {
    ep_gp(y ~ a, data, inducing = 5, batch_size = batch_size, optimise = FALSE, seed = 1,
      control = control_ep(...)
    )
  }
  expect_snapshot(error = TRUE, {
    fit(window = 20)
    fit(window = 20, batch_size = 40)
    fit(window = 20, shards = 2)
    fit(patience = 3)
    online_gp(y ~ a, data, control = control_online(window = 20))
    online_gp(y ~ a, rows_of_frame(data), control = control_online(every = 20))
    online_gp(y ~ a, data, control = control_online(every = 20))
  })
})
