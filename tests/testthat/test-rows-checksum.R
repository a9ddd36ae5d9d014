# Sources whose values or order change between passes.

checked_data <- function(n = 9000) {
  with_own_seed(1, data.frame(
    a = rnorm(n), i = seq_len(n), g = sample(c("w", "u", "v"), n, TRUE),
    h = factor(sample(c("x", "y"), n, TRUE)), l = runif(n) < 0.5,
    d = as.Date("2020-01-01") + seq_len(n),
    y = rnorm(n) > 0
  ))
}

# Rows that are those of `later` from the second pass on.
rows_that_change <- function(first, later, size = 1000, from = 2) {
  passes <- 0
  inner <- NULL
  rows_from_function(function(reset) {
    if (!reset) return(inner$read(FALSE))
    passes <<- passes + 1
    # Blocks of other sizes are the same rows.
    inner <<- if (passes < from) rows_of_frame(first, size) else rows_of_frame(later, size + 77)
    inner$read(TRUE)
  })
}

checked_fits <- list(
  ep_gp = function(rows) {
    ep_gp(y ~ ., rows, kernel = kernel_rbf(1, 1), inducing = 4, batch_size = 100, epochs = 1,
      optimise = FALSE, seed = 1, verbose = FALSE, control = control_ep(window = 3001)
    )
  },
  "ep_gp in shards" = function(rows) {
    ep_gp(y ~ ., rows, kernel = kernel_rbf(1, 1), inducing = 4, method = "sep", optimise = FALSE,
      seed = 1, verbose = FALSE, control = control_ep(shards = 7, max_iter = 2, tol = 1e9)
    )
  },
  online_gp = function(rows) {
    online_gp(y ~ ., rows, kernel = kernel_rbf(1, 1), budget = 4, optimise = FALSE, seed = 1,
      verbose = FALSE, control = control_online(window = 2000)
    )
  }
)

test_that("every change of a value, and of the order, is noticed in the next pass", {
  data <- checked_data()
  n <- nrow(data)
  put <- function(column, row, value) {
    data[[column]][row] <- value
    data
  }
  changes <- list(
    "1 to 4096" = put("a", 1, data$a[1] * (1 + 1e-15)),
    "4097 to 8192" = put("i", 4097, -1L),
    "8193 to 9000" = put("g", n, setdiff(c("u", "v", "w"), data$g[n])[1]),
    "1 to 4096" = put("h", 4096, if (data$h[4096] == "x") "y" else "x"),
    "1 to 4096" = put("l", 17, !data$l[17]),
    "8193 to 9000" = put("d", 8500, as.Date("1970-01-01")),
    "4097 to 8192" = put("y", 5000, !data$y[5000]),
    "1 to 4096" = data[c(2, 1, 3:n), ],
    "1 to 4096" = data[n:1, ]
  )
  for (model in names(checked_fits)) {
    fit <- checked_fits[[model]]
    expect_s3_class(fit(rows_that_change(data, data)), "gpsieve_fit")
    for (i in seq_along(changes)) {
      expect_error(fit(rows_that_change(data, changes[[i]])), paste("rows", names(changes)[i]),
        class = "gpsieve_error_data", info = paste(model, i)
      )
    }
  }
  expect_snapshot(error = TRUE, checked_fits$online_gp(rows_that_change(data, changes[[2]])))
})

test_that("a level that appears late makes a second pass, which is compared with the first", {
  data <- checked_data(300)
  data$g[250] <- "late"
  changed <- replace(data, "a", replace(data$a, 3, 1e-3))
  expect_error(checked_fits$online_gp(rows_that_change(data, changed, 100)), "rows 1 to 300",
    class = "gpsieve_error_data"
  )
  expect_s3_class(checked_fits$online_gp(rows_that_change(data, data, 100)), "gpsieve_fit")
})

test_that("a database without an order whose rows are moved is noticed", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  data <- checked_data(300)[c("a", "i", "g", "y")]
  DBI::dbWriteTable(con, "data", data)
  fit <- function(query) checked_fits$online_gp(rows_from_db(con, query, block_rows = 70))
  expect_error(fit("SELECT * FROM data ORDER BY random()"), "in another order",
    class = "gpsieve_error_data"
  )
  expect_s3_class(fit("SELECT * FROM data"), "gpsieve_fit")
})

test_that("values that are equal in all passes are no change, whatever their types", {
  data <- checked_data(400)
  data$t <- as.POSIXct("2020-01-01", tz = "UTC") + data$i
  data$s <- data$t - data$t[1]
  data$p <- I(2 * data$a)
  as_integers <- transform(data, l = as.integer(l))
  for (fit in checked_fits) {
    expect_s3_class(fit(rows_that_change(data, data, 50)), "gpsieve_fit")
    expect_s3_class(fit(rows_that_change(data, as_integers, 50)), "gpsieve_fit")
  }
})
