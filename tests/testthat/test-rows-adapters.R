# Sources of Arrow data and of matrices that are not held in memory.

adapted_data <- function(n = 90) {
  data <- toy_data("binary", n = n)$data
  data$g <- factor(rep_len(c("u", "v", "w"), n))
  data$y <- factor(as.character(data$y))
  data
}

fit_adapted <- function(data, formula = y ~ a + b + g, ...) {
  online_gp(formula, data, kernel = kernel_rbf(1, 1), budget = 10, optimise = FALSE,
    shuffle = FALSE, seed = 1, verbose = FALSE, ...
  )
}

test_that("streams of Arrow data are sources, whatever their batches and their types of text", {
  skip_if_not_installed("nanoarrow")
  data <- adapted_data()
  reference <- fit_adapted(data)
  halves <- list(data[1:50, ], data[51, ], data[0, ], data[52:90, ])
  as_text <- function(part) transform(part, g = as.character(g), y = as.character(y))
  for (parts in list(halves, lapply(halves, as_text))) {
    stream <- function() {
      nanoarrow::basic_array_stream(lapply(parts, nanoarrow::as_nanoarrow_array))
    }
    expect_identical(fit_adapted(rows_from_arrow(stream))$posteriors, reference$posteriors)
    expect_identical(fit_adapted(stream())$posteriors, reference$posteriors)
    expect_identical(predict(reference, stream())$prediction, predict(reference, data))
  }
  path <- withr::local_tempfile(fileext = ".arrows")
  nanoarrow::write_nanoarrow(as_text(data), path)
  from_file <- rows_from_arrow(function() nanoarrow::read_nanoarrow(path))
  expect_identical(fit_adapted(from_file)$posteriors, reference$posteriors)
  again <- rows_from_arrow(function() nanoarrow::read_nanoarrow(path), copy = FALSE)
  expect_identical(fit_adapted(again)$posteriors, reference$posteriors)
  expect_error(fit_adapted(rows_from_arrow(stream(), copy = FALSE)), "could not be read",
    class = "gpsieve_error_data"
  )
  expect_error(meanfield_gp(y ~ a, stream()), class = "gpsieve_error_unsupported")
  expect_snapshot(error = TRUE, rows_from_arrow(data))
})

test_that("matrices are sources, in blocks of any size", {
  data <- adapted_data()
  x <- cbind(as.matrix(data[c("a", "b")]), y = toy_data("regression", n = 90)$y)
  reference <- fit_adapted(as.data.frame(x), y ~ .)
  for (rows in list(rows_from_matrix(x, 7), rows_from_matrix(function() x, 1000, copy = TRUE))) {
    expect_identical(fit_adapted(rows, y ~ .)$posteriors, reference$posteriors)
  }
  unnamed <- fit_adapted(rows_from_matrix(unname(x)), V3 ~ V1 + V2)
  expect_identical(unname(unnamed$posteriors), unname(reference$posteriors))
  expect_error(fit_adapted(rows_from_matrix(x[0, ]), y ~ .), class = "gpsieve_error_data")
  expect_snapshot(error = TRUE, rows_from_matrix(1:3))
})

# A matrix of class big.matrix whose columns lie in a file one after the other: the part of package
# bigmemory's class that a source of rows uses. A process that attaches it gets its methods.
file_matrix <- function(path, columns) {
  force(path)
  force(columns)
  read <- function(x, i, j, drop = FALSE) {
    rows <- dim(x)[[1L]]
    all <- readBin(path, "double", rows * length(columns))
    matrix(all, rows, dimnames = list(NULL, columns))[i, , drop = drop]
  }
  registerS3method("[", "big.matrix", read)
  registerS3method("dim", "big.matrix", function(x) {
    c(file.size(path) / 8 / length(columns), length(columns))
  })
  registerS3method("dimnames", "big.matrix", function(x) list(NULL, columns))
  structure(list(), class = "big.matrix")
}

test_that("a big.matrix in a file is a source, and workers attach it themselves", {
  x <- cbind(as.matrix(adapted_data()[c("a", "b")]), y = toy_data("regression", n = 90)$y)
  folder <- withr::local_tempdir()
  path <- file.path(folder, "x.bin")
  writeBin(as.vector(x), path)
  big <- file_matrix(path, colnames(x))
  reference <- fit_adapted(as.data.frame(x), y ~ .)
  columns <- colnames(x)
  attach <- function() file_matrix(path, columns)
  for (data in list(big, rows_from_matrix(big, 20), rows_from_matrix(attach))) {
    expect_identical(fit_adapted(data, y ~ .)$posteriors, reference$posteriors)
  }
  expect_identical(predict(reference, big)$prediction, predict(reference, as.data.frame(x)))
  shards <- control_ep(shards = 3, warm_rows = 0, max_iter = 3)
  fit <- function(cluster, rows) {
    suppressWarnings(ep_gp(y ~ ., rows, kernel = kernel_rbf(1, 1), inducing = 5, seed = 1,
      optimise = FALSE, verbose = FALSE, cluster = cluster, control = shards
    ), classes = "gpsieve_warning_convergence")
  }
  cluster <- local_workers(1)
  expect_identical(fit(cluster, rows_from_matrix(attach))$posteriors, fit(NULL, big)$posteriors)
  expect_error(fit(cluster, big), "Workers cannot read a matrix of this process",
    class = "gpsieve_error_argument"
  )
})

test_that("arrow tables in memory are the data frames that as.data.frame() makes of them", {
  .S3method("as.data.frame", "ArrowTabular", function(x, ...) x$frame())
  table <- function(frame) {
    structure(list2env(list(frame = function() frame)),
      class = c("Table", "ArrowTabular", "ArrowObject", "R6"))
  }
  fit <- ivm(dist ~ poly(speed, 2), cars, optimise = FALSE, seed = 1)
  same <- ivm(dist ~ poly(speed, 2), table(cars), optimise = FALSE, seed = 1)
  expect_equal(predict(same, table(cars[1:5, ])), predict(fit, cars[1:5, ]))
  expect_equal(fitted(same, table(cars[1:5, ])), fitted(fit, cars[1:5, ]))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_no_error(plot(same, newdata = table(cars)))
  broken <- structure(list2env(list(frame = function() stop("no rows"))), class = class(table(1)))
  for (call in list(quote(ivm(dist ~ speed, broken)), quote(predict(fit, broken)),
    quote(plot(fit, newdata = broken)))) {
    expect_error(eval(call), "as.data.frame", class = "gpsieve_error_data")
  }
})

test_that("what as.data.frame() reads is refused with its name", {
  .S3method("as.data.frame", "some_lazy_table", function(x, ...) cars)
  lazy <- structure(list(), class = "some_lazy_table")
  expect_error(ivm(dist ~ speed, lazy), "as.data.frame", class = "gpsieve_error_argument")
  fit <- ivm(dist ~ speed, cars, optimise = FALSE, seed = 1)
  expect_error(predict(fit, lazy), "as.data.frame", class = "gpsieve_error_argument")
  expect_error(plot(fit, newdata = lazy), "as.data.frame", class = "gpsieve_error_argument")
})
