# One row at a time: how long predict() takes on a fit, beside predict() of lm() and of mgcv::gam()
# on the same rows in the same process; and many rows, with and without an interval.

serving_rows <- 1000L
many_new_rows <- 20000L

serving_data <- function(n, seed) {
  set.seed(seed)
  data <- data.frame(
    a = rnorm(n), b = runif(n), c = rnorm(n), f = factor(sample(letters[1:4], n, TRUE))
  )
  data$y <- sin(data$a) + data$b^2 + as.integer(data$f) / 3 + rnorm(n, sd = 0.2)
  data
}

#' Calls that predict `new`, for each engine the fit's own
serving_calls <- function(data) {
  suppressPackageStartupMessages(library(gpsieve))
  formula <- y ~ a + b + c + f
  fits <- list(
    "gpsieve()" = gpsieve(formula, data, seed = 1, verbose = FALSE),
    "ivm()" = ivm(formula, data, seed = 1, verbose = FALSE),
    "meanfield_gp()" = meanfield_gp(formula, data, seed = 1, verbose = FALSE)
  )
  own <- lapply(fits, function(fit) {
    list(
      mean = function(new) predict(fit, new),
      interval = function(new) predict(fit, new, interval = "prediction")
    )
  })
  linear <- lm(formula, data)
  additive <- mgcv::gam(y ~ s(a) + s(b) + s(c) + f, data = data)
  c(own, list(
    "lm()" = list(
      mean = function(new) predict(linear, new),
      interval = function(new) predict(linear, new, interval = "prediction")
    ),
    "mgcv::gam()" = list(
      mean = function(new) predict(additive, new),
      interval = function(new) predict(additive, new, se.fit = TRUE)
    )
  ))
}

#' Milliseconds of one call, the median over rounds in which the engines take turns, so that other
#' work on the computer slows all of them alike
time_in_turns <- function(calls, new, times, rounds) {
  seconds <- replicate(rounds, vapply(calls, function(call) {
    system.time(for (i in seq_len(times)) call(new))[["elapsed"]] / times
  }, 0))
  1000 * apply(seconds, 1L, stats::median)
}

serving_timings <- function(options) {
  calls <- serving_calls(serving_data(serving_rows, 1))
  one <- serving_data(1L, 2)
  many <- serving_data(if (options$quick) many_new_rows %/% 20L else many_new_rows, 3)
  do.call(rbind, lapply(c("mean", "interval"), function(answer) {
    asked <- lapply(calls, `[[`, answer)
    for (call in asked) for (i in 1:5) call(one) # compiles and loads what the first calls need
    single <- time_in_turns(asked, one, 20L, if (options$quick) 3L else 25L)
    block <- time_in_turns(asked, many, 1L, if (options$quick) 1L else 5L)
    data.frame(
      answer = answer, engine = names(calls), one_row_ms = single,
      one_row_over_lm = single / single[["lm()"]], rows = nrow(many), many_rows_ms = block,
      many_rows_over_gam = block / block[["mgcv::gam()"]], row.names = NULL
    )
  }))
}

serving_case <- list(
  about = "predict() of one row and of many, beside lm() and mgcv::gam()",
  shows = paste(
    "How long `predict()` of one row takes, and of 20,000, with and without an interval, on fits",
    "of 1000 rows with three columns of numbers and a factor, beside `predict()` of `lm()` and of",
    "`mgcv::gam()` in the same process. The engines take turns, so that other work on the",
    "computer slows all of them alike: the ratios count, not the milliseconds."
  ),
  timings = serving_timings
)

markdown_timings <- function(timings) {
  markdown_table(list(
    answer = timings$answer, engine = timings$engine,
    "one row, ms" = decimals(timings$one_row_ms, 2),
    "over lm()" = decimals(timings$one_row_over_lm, 1),
    "rows" = timings$rows, "all of them, ms" = decimals(timings$many_rows_ms, 0),
    "over gam()" = decimals(timings$many_rows_over_gam, 2)
  ))
}
