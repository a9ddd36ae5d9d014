# Columns of all types, and formulas whose terms depend on the training rows: a row of new data is
# processed as a training row, whichever other rows are predicted with it.

columns <- with_own_seed(11, {
  n <- 24
  data <- data.frame(
    i = rep(1:4, 6), a = runif(n), f = factor(rep(c("u", "v", "w"), 8), levels = c("w", "u", "v")),
    text = rep(c("p", "q"), each = 12), day = as.Date("2020-01-01") + rev(seq_len(n)),
    time = as.POSIXct("2020-01-01", tz = "UTC") + 3600 * seq_len(n)
  )
  data$grade <- factor(rep(c("low", "mid", "high"), 8), c("low", "mid", "high"), ordered = TRUE)
  data$waited <- as.difftime(c(5:1, rep(7, n - 5)), units = "hours")
  data$y <- sin(3 * data$a) + data$i + rnorm(n) / 5
  data
})

quick <- function(...) {
  ivm(..., n_active = 8, refine = 1, optimise = FALSE, seed = 1, verbose = FALSE)
}

one_by_one <- function(fit, new) {
  vapply(seq_len(nrow(new)), function(r) predict(fit, new[r, , drop = FALSE]), 0)
}

knots <- 3
remembering <- list(
  y ~ base::scale(a) + base::cut(a, 3),
  y ~ factor(i), y ~ as.factor(i) + a, y ~ ordered(i), y ~ cut(a, 3), y ~ cut(a, knots),
  y ~ as.integer(cut(a, 3)), y ~ cut(a, quantile(a), include.lowest = TRUE),
  y ~ poly(a, 2), y ~ stats::poly(a, 2) * f, y ~ splines::ns(a, 3), y ~ splines::bs(a, df = knots),
  y ~ scale(a) + i, y ~ scale(cbind(a, i)), y ~ I(scale(a)^2), y ~ I(a - mean(a)),
  y ~ I((a - min(a)) / (max(a) - min(a))), y ~ f * a, y ~ f:text, y ~ interaction(f, text),
  y ~ paste(f, text), y ~ relevel(f, "v"), y ~ months(day) + a, y ~ I(day - min(day)),
  y ~ I(time - time[1]), y ~ (a > median(a)) + i, y ~ ., y ~ . - day, y ~ day + time + waited,
  y ~ grade:a, log(y + 5) ~ .
)

test_that("a formula treats a row alone as among all others", {
  for (formula in remembering) {
    fit <- quick(formula, columns)
    together <- predict(fit, columns)
    expect_false(anyNA(together))
    expect_equal(one_by_one(fit, columns), together, tolerance = 1e-12,
      label = paste(deparse(formula), collapse = "")
    )
    expect_identical(foreign_parts(fit), character())
  }
})

test_that("every model treats a row alone as among all others", {
  every_model(function(spec) {
    fit <- fit_cheaply(spec, y ~ factor(i) + cut(a, 3) + splines::ns(a, 3) + day, columns)
    expect_equal(one_by_one(fit, columns), predict(fit, columns), tolerance = 1e-12)
    expect_error(
      predict(fit, transform(columns[1:3, ], i = 11:13), new_levels = "error"), "factor\\(i\\).*11",
      class = "gpsieve_error_data"
    )
  })
})

test_that("basis functions and break points are those of the training rows", {
  new <- data.frame(a = c(0.2, 0.7), i = 2:3)
  by_hand <- function(make) {
    x <- make(columns$a)
    predict(quick(unclass(x)[, , drop = FALSE] |> named(letters[seq_len(ncol(x))]), columns$y),
      unclass(predict(x, new$a))[, , drop = FALSE] |> named(letters[seq_len(ncol(x))])
    )
  }
  expect_equal(predict(quick(y ~ poly(a, 2), columns), new), by_hand(function(a) poly(a, 2)),
    tolerance = 1e-10
  )
  expect_equal(predict(quick(y ~ splines::ns(a, 3), columns), new),
    by_hand(function(a) splines::ns(a, 3)), tolerance = 1e-10
  )
  expect_equal(predict(quick(y ~ I(a - mean(a)), columns), new),
    predict(
      quick(y ~ a, transform(columns, a = a - mean(a))), transform(new, a = a - mean(columns$a))
    ),
    tolerance = 1e-10
  )
  expect_identical(
    colnames(inducing(quick(y ~ cut(a, 3), columns))),
    paste0("cut(a, 3)", levels(cut(columns$a, 3)))
  )
  # One interval is left out of the new rows, none of the columns.
  few <- columns[columns$a < 0.3, ]
  fit <- quick(y ~ cut(a, 3), columns)
  expect_equal(predict(fit, few), predict(fit, columns)[columns$a < 0.3], tolerance = 1e-12)
  expect_true(is.na(predict(fit, data.frame(a = 5))))
})

test_that("a new row may miss values where a basis function takes none", {
  fit <- quick(y ~ poly(a, 2) + f, columns)
  gap <- columns
  gap$a[3] <- NA
  expect_identical(which(is.na(predict(fit, gap))), 3L)
  expect_equal(predict(fit, gap)[-3], predict(fit, columns)[-3], tolerance = 1e-12)
})

test_that("what cannot be remembered is refused when the model is fitted", {
  half_of <- function(v) v / 2
  refused <- list(
    y ~ rank(a), y ~ cumsum(a), y ~ as.integer(factor(i)), y ~ factor(i, labels = letters[1:4]),
    y ~ rev(a), y ~ half_of(a), y ~ mean(a), y ~ absent, y ~ I(absent + a),
    y ~ log(columns$a), columns$y ~ a
  )
  for (formula in refused) {
    expect_error(quick(formula, columns), class = "gpsieve_error_data",
      label = paste(deparse(formula), collapse = "")
    )
  }
  expect_error(quick(y ~ y, columns), class = "gpsieve_error_argument")
  expect_error(quick(log(y) ~ a + y, columns), class = "gpsieve_error_argument")
  expect_accepted(quick(y ~ . - odd, transform(columns, odd = I(as.list(i)))))
  fit <- quick(y ~ factor(i), columns)
  expect_snapshot(error = TRUE, {
    predict(fit, data.frame(i = c(1, 11:13)), new_levels = "error")
    ivm(y ~ rank(a), columns)
    ivm(y ~ half_of(a), columns)
    ivm(y ~ mean(a), columns)
    ivm(rnorm(60) ~ a, columns)
    ivm(y ~ a + absent, columns)
    ivm(columns$y ~ a, columns)
    ivm(y ~ y, columns)
    ivm(y ~ a^f, columns)
  })
})

test_that("dates, times and durations are numbers of days, seconds and the training unit", {
  numbers <- transform(columns,
    day = as.numeric(day), time = as.numeric(time), waited = as.numeric(waited, units = "hours")
  )
  parts <- c("day", "time", "waited")
  expected <- predict(quick(numbers[parts], columns$y), numbers)
  fits <- list(quick(columns[parts], columns$y), quick(y ~ day + time + waited, columns))
  elsewhere <- columns
  units(elsewhere$waited) <- "mins"
  attr(elsewhere$time, "tzone") <- "Asia/Tokyo"
  for (fit in fits) {
    expect_equal(predict(fit, columns), expected, tolerance = 1e-12)
    expect_equal(predict(fit, elsewhere), expected, tolerance = 1e-10)
    expect_error(predict(fit, numbers), "day", class = "gpsieve_error_data")
    expect_identical(is.na(predict(fit, transform(columns, day = NA))), rep(TRUE, nrow(columns)))
  }
})

test_that("text is a factor, an ordered factor the position of its level", {
  as_factor <- transform(columns, text = factor(text))
  expect_equal(
    predict(quick(columns[c("a", "text")], columns$y), columns),
    predict(quick(as_factor[c("a", "text")], columns$y), as_factor), tolerance = 1e-12
  )
  position <- transform(columns, grade = as.integer(grade))
  fit <- quick(columns[c("a", "grade")], columns$y)
  expect_equal(predict(fit, columns),
    predict(quick(position[c("a", "grade")], columns$y), position), tolerance = 1e-12
  )
  expect_equal(predict(fit, transform(columns, grade = as.character(grade))), predict(fit, columns))
  expect_equal(predict(fit, droplevels(columns[columns$grade == "high", ])),
    predict(fit, columns)[columns$grade == "high"], tolerance = 1e-12
  )
  expect_error(predict(fit, transform(columns, grade = "top"), new_levels = "error"), "grade.*top",
    class = "gpsieve_error_data"
  )
  expect_error(
    predict(quick(y ~ text, columns), transform(columns, text = "r"), new_levels = "error"),
    "text.*r",
    class = "gpsieve_error_data"
  )
})

test_that("whole numbers in training take fractions later", {
  years <- data.frame(year = 1860:1899, y = sin(1:40 / 5))
  new <- data.frame(year = c(1860.5, 1870))
  expected <- predict(quick(y ~ year, transform(years, year = year + 0)), new)
  expect_identical(predict(quick(y ~ year, years), new), expected)
  expect_identical(predict(quick(years["year"], years$y), new), expected)
  skip_if_not_installed("recipes")
  expect_identical(predict(quick(recipes::recipe(y ~ year, years), years), new), expected)
})

test_that("a recipe's factors and new levels are handled as the recipe says", {
  skip_if_not_installed("recipes")
  plain <- quick(recipes::recipe(y ~ a + f, columns), columns)
  expect_equal(predict(plain, columns), predict(quick(y ~ a + f, columns), columns),
    tolerance = 1e-12
  )
  expect_error(predict(plain, transform(columns, f = "new"), new_levels = "error"), "new",
    class = "gpsieve_error_data"
  )
  novel <- recipes::recipe(y ~ a + f, columns) |>
    recipes::step_novel(f) |>
    recipes::step_dummy(f)
  fit <- quick(novel, columns)
  expect_false(anyNA(predict(fit, transform(columns, f = "new"))))
})

test_that("contrasts and the locale change nothing", {
  reference <- quick(y ~ text * grade, columns)
  withr::local_options(contrasts = c("contr.sum", "contr.helmert"))
  expect_identical(predict(quick(y ~ text * grade, columns), columns), predict(reference, columns))
})

test_that("a data frame with a column of another length is refused", {
  whole <- data.frame(a = sin(1:15), b = cos(1:15), y = gl(3, 5))
  broken <- whole
  attr(broken, "row.names") <- 1:16
  fit <- ivm(y ~ poly(a, 2) + b, whole, optimise = FALSE, verbose = FALSE)
  words <- "Column \"a\" has 15 values for 16 rows"
  for (call in list(
    quote(ivm(y ~ poly(a, 2), broken)), quote(ivm(broken[c("a", "b")], gl(3, 5))),
    quote(gpsieve(y ~ poly(a, 2), broken)), quote(predict(fit, broken))
  )) {
    expect_error(eval(call), words, class = "gpsieve_error_data")
  }
})
