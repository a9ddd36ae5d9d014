# CSV files in blocks give what read.csv() reads at once, or one message.

csv_data <- with_own_seed(1, {
  d <- data.frame(x = round(runif(90), 4), n = 1:90, s = rep(c("a", "b"), 45), l = rep(TRUE, 90))
  d$y <- round(sin(5 * d$x) + d$n / 100, 4)
  d$l[80] <- FALSE
  d$late <- c(rep(NA, 60), 1:30) # no value in the first blocks
  d
})

blocks_of <- function(path, ...) {
  source <- rows_from_files(path, block_rows = 25, ...)
  source$read(TRUE)
  out <- NULL
  while (!is.null(block <- source$read(FALSE))) out <- rbind(out, block)
  out
}

test_that("every way of writing numbers reads as read.csv() reads it", {
  path <- withr::local_tempfile(fileext = ".csv")
  as_text <- as.data.frame(lapply(csv_data, as.character))
  ways <- list(
    function() write.csv(csv_data, path), function() write.csv(csv_data, path, row.names = FALSE),
    function() write.csv(csv_data, path, row.names = FALSE, quote = FALSE),
    function() write.csv(as_text, path), function() write.csv(csv_data, path, na = "")
  )
  for (write in ways) {
    write()
    expect_equal(blocks_of(path), read.csv(path))
    expect_equal(blocks_of(path, types = c(x = "numeric", n = "integer")), read.csv(path))
  }
  # Row names without a name of their own are none of the columns.
  write.table(csv_data, path, sep = ",")
  expect_equal(blocks_of(path), read.csv(path), ignore_attr = TRUE)
  write.csv(csv_data, path)
  expect_type(blocks_of(path, types = c(n = "character"))$n, "character")
})

test_that("types go on from one file to the next", {
  folder <- withr::local_tempdir()
  write.csv(csv_data[1:50, ], file.path(folder, "1.csv"), row.names = FALSE)
  write.csv(transform(csv_data[51:90, ], s = 7), file.path(folder, "2.csv"), row.names = FALSE)
  expect_identical(unique(blocks_of(folder)$s), c("a", "b", "7"))
})

test_that("what cannot be read so is said with the place, and what to do", {
  path <- withr::local_tempfile(pattern = "rows", fileext = ".csv")
  fit <- function(...) {
    ep_gp(y ~ ., rows_from_files(path, block_rows = 25, ...), inducing = 5, optimise = FALSE,
      seed = 1)
  }
  sex <- transform(csv_data, s = ifelse(n < 60, "F", "M"), late = NULL, l = NULL)
  write.csv(sex, path, row.names = FALSE)
  words <- "\"s\" holds TRUE or FALSE.*\"M\".*types = c\\(s = \"character\"\\).*row 60"
  expect_error(fit(), words, class = "gpsieve_error_data")
  expect_s3_class(fit(types = c(s = "character")), "gpsieve_fit")
  numbers <- transform(csv_data, s = NULL, late = NULL, x = ifelse(n == 70, "?", x))
  write.csv(numbers, path, row.names = FALSE)
  expect_error(fit(), "\"x\" holds numbers.*\"\\?\".*types = .*row 70",
    class = "gpsieve_error_data")
  write.csv2(csv_data, path)
  expect_error(fit(), "semicolons", class = "gpsieve_error_data")
  write.table(csv_data, path, sep = "\t")
  expect_error(fit(), "tabs", class = "gpsieve_error_data")
})

test_that("a file in UTF-8 says the same in every locale", {
  toy <- data.frame(x = 1:12 / 12, drink = rep(c("caf\u00e9", "th\u00e9", "\u6c34"), 4))
  toy$y <- sin(5 * toy$x) + nchar(toy$drink)
  fit <- meanfield_gp(y ~ x + drink, toy, optimise = FALSE)
  wanted <- predict(fit, toy)
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  lines <- c("x,drink", sprintf("%.17g,%s", toy$x, toy$drink))
  writeLines(enc2utf8(lines), file, useBytes = TRUE)
  withr::with_locale(c(LC_CTYPE = "C"), {
    expect_equal(predict(fit, rows_from_files(file))[[1]], wanted, tolerance = 1e-12)
    classes <- meanfield_gp(drink ~ x, toy, optimise = FALSE)
    for (type in c("class", "prob")) {
      into <- tempfile(fileext = ".csv")
      predict(classes, rows_from_files(file), type = type, into = into)
      written <- readLines(into, encoding = "UTF-8")
      unlink(into)
      labels <- if (type == "class") written[-1] else strsplit(written[1], ",")[[1]]
      expected <- if (type == "class") as.character(predict(classes, toy)) else unique(toy$drink)
      expect_setequal(gsub("\"", "", labels), expected)
    }
  })
})

test_that("text that is not in UTF-8 is refused with its row and what to do", {
  skip_if(l10n_info()[["Latin-1"]])
  path <- withr::local_tempfile(fileext = ".csv")
  writeBin(c(charToRaw("x,s\n1,a\n2,J"), as.raw(0xf6), charToRaw("rg\n3,b\n")), path)
  source <- rows_from_files(path)
  expect_error(online_gp(x ~ s, source), "not in UTF-8.*row 2", class = "gpsieve_error_data")
  writeBin(c(charToRaw("x,Gr"), as.raw(0xf6), charToRaw("sse\n1,2\n")), path)
  expect_error(online_gp(x ~ ., source), "not in UTF-8", class = "gpsieve_error_data")
})

test_that("a file in UTF-16 is named as such", {
  for (encoding in c("UTF-16LE", "UTF-16BE")) {
    for (mark in c("", "\ufeff")) {
      path <- withr::local_tempfile(fileext = ".csv")
      connection <- file(path, "w", encoding = encoding)
      writeLines(paste0(mark, "x,y\n1,2\n2,3"), connection)
      close(connection)
      expect_error(online_gp(y ~ x, rows_from_files(path)), "UTF-16.*fileEncoding",
        class = "gpsieve_error_data")
    }
  }
})
