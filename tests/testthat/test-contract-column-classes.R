# Columns of every class and type of storage: equal values give equal answers, in training rows, in
# new rows, as a response, and from a source.

whole <- rep(c(3L, 1L, 4L, 1L, 5L, 9L, 2L, 6L), 4) * 10L
moment <- 1.6e9 + 3600 * whole

# What each class holds as plain columns of numbers, and the ways in which it may be stored.
labelled <- function(x, ...) {
  structure(x, label = "l", labels = c(few = 10), ...,
    class = c("haven_labelled", "vctrs_vctr", typeof(x)))
}
stored <- list(
  number = list(
    plain = whole + 0, whole, I(whole), ts(whole), labelled(whole), labelled(whole + 0),
    structure(whole, label = "l", class = c("labelled", "integer")), matrix(whole),
    matrix(whole + 0, dimnames = list(NULL, "v")), array(whole), ts(matrix(whole))
  ),
  scaled = list(plain = as.vector(scale(whole)), scale(whole), I(scale(whole))),
  date = list(
    plain = .Date(18000 + whole), .Date(18000L + whole),
    structure(18000L + whole, class = c("IDate", "Date"))
  ),
  time = list(
    plain = .POSIXct(moment, "UTC"), .POSIXct(as.integer(moment), "UTC"),
    .POSIXct(moment, "Asia/Tokyo"), as.POSIXlt(.POSIXct(moment, "UTC"))
  ),
  duration = list(
    plain = .difftime(whole + 0, "mins"), .difftime(whole, "mins"), .difftime(60 * whole, "secs"),
    structure(60L * whole, units = "secs", class = c("hms", "difftime"))
  ),
  category = list(
    plain = factor(letters[whole / 10]), letters[whole / 10], matrix(letters[whole / 10]),
    structure(factor(letters[whole / 10]), label = "l", class = c("labelled", "factor")),
    labelled(letters[whole / 10])
  )
)

frame_with <- function(column) {
  data <- data.frame(y = sin(whole / 20) + rep(c(0, 0.1), 16))
  data$v <- column
  data
}

# One function reads the columns of every model: each way of storage meets two of them, each model
# every kind of column.
next_functions <- turns(fit_functions())
for (kind in names(stored)) {
  test_that(paste0("a column's class and storage change no answer, in a formula [", kind, "]"), {
    plain <- frame_with(stored[[kind]]$plain)
    fit_to <- function(spec, data) suppressWarnings(fit_cheaply(spec, y ~ v, data))
    for (column in stored[[kind]][-1L]) for (spec in next_functions(2)) {
      label <- paste(class(column)[1L], spec$class)
      reference <- fit_to(spec, plain)
      expected <- predict(reference, plain)
      expect_false(anyNA(expected))
      data <- frame_with(column)
      expect_identical(predict(reference, data), expected, info = label)
      fit <- fit_to(spec, data)
      expect_equal(predict(fit, plain), expected, tolerance = 1e-10, info = label)
      expect_equal(predict(fit, data), expected, tolerance = 1e-10, info = label)
      expect_equal(plain$y - augment(fit, data = data)$.resid, expected, tolerance = 1e-10)
    }
  })
}

test_that("nor do they as columns, in a recipe or from a source", {
  sources <- function(data) {
    ep_gp(y ~ v, rows_of_frame(data, 10), inducing = 6, optimise = FALSE, seed = 1)
  }
  doors <- list(
    columns = function(data) meanfield_gp(data["v"], data$y, optimise = FALSE),
    recipe = function(data) {
      skip_if_not_installed("recipes")
      meanfield_gp(recipes::recipe(y ~ v, data), data, optimise = FALSE)
    },
    source = sources
  )
  for (door in names(doors)) for (kind in names(stored)) {
    # A recipe leaves what to make of durations to its steps.
    if (door == "recipe" && kind %in% c("duration", "category")) next
    plain <- frame_with(stored[[kind]]$plain)
    expected <- predict(doors[[door]](plain), plain)
    for (column in stored[[kind]][-1L]) {
      # recipe() itself takes no lists, as POSIXlt is one.
      if (door == "recipe" && is.list(column)) next
      data <- frame_with(column)
      fit <- doors[[door]](data)
      label <- paste(door, kind, class(column)[1L])
      expect_equal(predict(fit, data), expected, tolerance = 1e-10, label = label)
      expect_equal(predict(fit, plain), expected, tolerance = 1e-10, label = label)
    }
  }
})

test_that("levels made from numbers do not depend on their storage", {
  data <- data.frame(n = c(1e5, 2e5, 3e5, 1e5, 2e5, 3e5), y = c(1, 2, 3, 1.1, 2.1, 3.1))
  other <- transform(data, n = as.integer(n))
  for (trained in list(data, other)) {
    fit <- meanfield_gp(y ~ factor(n), trained, optimise = FALSE)
    expect_identical(predict(fit, other), predict(fit, data))
    expect_false(anyNA(predict(fit, data)))
  }
})

test_that("a response is one of numbers or classes in whatever class it is stored", {
  x <- data.frame(a = whole + 0)
  y <- rep(c(1, 2, 5, 3), 8)
  next_responses <- turns(list(labelled(y), array(y), matrix(y), I(y), ts(matrix(y)),
    structure(as.integer(y), label = "l", class = c("labelled", "integer"))))
  every_fit_function(function(spec) {
    expected <- predict(suppressWarnings(fit_cheaply(spec, x, y)), x)
    for (other in next_responses(2)) {
      expect_equal(predict(suppressWarnings(fit_cheaply(spec, x, other)), x), expected,
        tolerance = 1e-10, info = class(other)[1L])
      data <- x
      data$y <- other
      fit <- suppressWarnings(fit_cheaply(spec, y ~ a, data))
      expect_equal(predict(fit, x), expected, tolerance = 1e-10, info = class(other)[1L])
    }
    classes <- factor(y > 2)
    said <- structure(classes, label = "l", class = c("labelled", "factor"))
    expect_identical(predict(suppressWarnings(fit_cheaply(spec, x, said)), x, type = "prob"),
      predict(suppressWarnings(fit_cheaply(spec, x, classes)), x, type = "prob"))
  })
})

test_that("values that were declared to be missing are missing", {
  data <- frame_with(labelled(replace(whole, 1:2, c(99L, -7L)), na_values = 99L,
    na_range = c(-9, -1)))
  expect_message(fit <- meanfield_gp(y ~ v, data, optimise = FALSE), "2 of 32 rows left out")
  expect_identical(which(is.na(predict(fit, data))), 1:2)
})

test_that("64-bit integers are numbers, also where their own package is not loaded", {
  numbers <- c(0, 1, -1, 2^31, -2^31, 2^32, 2^53, -2^53 - 2)
  bits <- structure(
    readBin(as.raw(c(
      rep(0, 8), 1, rep(0, 7), rep(255, 8), 0, 0, 0, 128, rep(0, 4), 0, 0, 0, 128, rep(255, 4),
      rep(0, 4), 1, 0, 0, 0, rep(0, 6), 32, 0, 254, rep(255, 5), 223, 255
    )), "double", 8, endian = "little"), class = "integer64"
  )
  y <- c(1, 3, 2, 5, 4, 6, 8, 7)
  plain <- data.frame(v = numbers, y = y)
  wide <- plain
  wide$v <- bits
  fit <- meanfield_gp(y ~ v, plain, optimise = FALSE)
  expect_identical(predict(fit, wide), predict(fit, plain))
  expect_identical(predict(meanfield_gp(y ~ v, wide, optimise = FALSE), plain),
    predict(fit, plain))
})

test_that("what is no column of values is refused by class", {
  for (column in list(as.list(whole), cbind(whole, whole), whole + 0i, data.frame(whole))) {
    expect_error(meanfield_gp(y ~ v, frame_with(column)), class = "gpsieve_error_data")
    fit <- meanfield_gp(y ~ v, frame_with(whole), optimise = FALSE)
    expect_error(predict(fit, frame_with(column)), class = "gpsieve_error_data")
  }
})

test_that("numbers of package units are read in the unit of the training column", {
  skip_if_not_installed("units")
  metres <- getExportedValue("units", "set_units")(1000 * whole, "m", mode = "standard")
  miles <- getExportedValue("units", "set_units")(metres, "mi", mode = "standard")
  for (formula in list(y ~ v, y ~ log(v))) {
    fit <- meanfield_gp(formula, frame_with(metres), optimise = FALSE)
    expect_equal(predict(fit, frame_with(miles)), predict(fit, frame_with(metres)))
    expect_error(predict(fit, frame_with(whole)), class = "gpsieve_error_data")
    seconds <- getExportedValue("units", "set_units")(whole, "s", mode = "standard")
    expect_error(predict(fit, frame_with(seconds)), class = "gpsieve_error_data")
  }
  plain <- meanfield_gp(y ~ v, frame_with(1000 * whole), optimise = FALSE)
  expect_equal(predict(plain, frame_with(1000 * whole)),
    predict(meanfield_gp(y ~ v, frame_with(metres), optimise = FALSE), frame_with(metres)))
  expect_error(predict(plain, frame_with(metres)), class = "gpsieve_error_data")
})

test_that("text is the same in whatever encoding it is marked, and refused where it has none", {
  text <- rep(c("\u00c4rzte", "Bonn", "K\u00f6ln"), 10)
  rows <- data.frame(x = 1:30 / 10, y = sin(1:30), text = text)
  fit_to <- function(text) {
    rows$text <- text
    meanfield_gp(y ~ ., rows, optimise = FALSE, seed = 1, verbose = FALSE)
  }
  unmarked <- function(text) {
    Encoding(text) <- "bytes"
    Encoding(text) <- "unknown"
    text
  }
  expected <- predict(fit_to(text), rows)
  expect_identical(predict(fit_to(iconv(text, "UTF-8", "latin1")), rows), expected)
  skip_if_not(l10n_info()[["UTF-8"]])
  expect_identical(predict(fit_to(unmarked(text)), rows), expected)
  expect_error(fit_to(unmarked(iconv(text, "UTF-8", "latin1"))), class = "gpsieve_error_data")
  as_bytes <- function(text) {
    Encoding(text) <- "bytes"
    text
  }
  expect_identical(predict(fit_to(as_bytes(text)), rows), expected)
  levels <- factor(text)
  levels(levels) <- as_bytes(levels(levels))
  expect_identical(predict(fit_to(levels), rows), expected)
  expect_identical(predict(fit_to(text), transform(rows, text = as_bytes(text))), expected)
  odd <- as_bytes(iconv(text, "UTF-8", "latin1"))
  expect_error(fit_to(odd), class = "gpsieve_error_data")
  expect_error(predict(fit_to(text), transform(rows, text = odd)), "makes UTF-8 of Latin-1",
    class = "gpsieve_error_data")
})
