# gpsieve() with nothing but the data on tables for which others have published the errors of tuned
# methods. A row of results is one call on one split; it is written as soon as it is known, and a
# run with the same file goes on where the last one stopped.

#' The tables, those of numbers first, with what is published of tuned methods: the least error, the
#' method that has it where it is known, and the errors of xgboost and catboost
published_tables <- local({
  of <- function(table, best, method = "", xgboost = NA, catboost = NA) {
    data.frame(table, best, method, xgboost, catboost)
  }
  rbind(
    of("Abalone_reg", 2.089, "ResNet", 2.172, 2.179),
    of("airfoil_self_noise", 1.26, "TabR", 1.77, 1.39),
    of("analcatdata_supreme", 0.0764, "CatBoost", 0.081, 0.076),
    of("concrete_compressive_strength", 4.38, "CatBoost", 4.83, 4.38),
    of("house_8L", 28461, "LightGBM", 28713, 28472),
    of("houses", 42138, "TabR", 47966, 45455),
    of("kin8nm", 0.0622, "RealMLP", 0.132, 0.090),
    of("socmob", 11.1, "PTaRL", 18.9, 24.6),
    of("wind", 2.88, "MLP", 3.00, 2.92),
    of("car-evaluation", 0.0046), of("cmc", 0.425), of("credit-g", 0.209),
    of("eucalyptus", 0.291), of("page-blocks", 0.0255)
  )
})
tables_of_classes <- c("car-evaluation", "cmc", "credit-g", "eucalyptus", "page-blocks")

#' The rows of a table with the response `y`; NULL where the table is not there
read_tuned_table <- function(table) {
  path <- gpsieve_data(file.path("tables", paste0(table, ".csv.gz")))
  if (is.null(path)) return(NULL)
  rows <- utils::read.csv(gzfile(path), stringsAsFactors = TRUE)
  if (table %in% tables_of_classes) rows$y <- factor(rows$y)
  rows
}

#' Four fifths of the rows learn and the others are the test; NULL where the table is not there
table_split <- function(rows, seed) {
  if (is.null(rows)) return(NULL)
  set.seed(seed)
  test <- sample(nrow(rows))[seq_len(round(nrow(rows) / 5))]
  list(train = rows[-test, ], test = rows[test, ])
}

#' One plain call on one split, a row of results. Test rows without an answer count as errors.
plain_call <- function(table, seed, data) {
  fitted <- measure(suppressWarnings(suppressMessages(
    gpsieve::gpsieve(y ~ ., data$train, na.action = "model", seed = seed, threads = 1,
      verbose = FALSE)
  )))
  fit <- fitted$value
  candidates <- gpsieve::choice(fit)
  judged <- measure(
    if (is.factor(data$test$y)) judge_classes(fit, data$test)
    else judge_numbers(fit, data$test, stats::sd(data$train$y))
  )
  cbind(
    data.frame(table, seed, rows = nrow(data$train), cpu = fitted$cpu, predict_cpu = judged$cpu),
    judged$value, chosen = candidates$label[candidates$chosen], core = machine()$core
  )
}

#' Share of wrong classes and mean of -log P(true class)
judge_classes <- function(fit, test) {
  said <- stats::predict(fit, test, type = "prob")
  answered <- !is.na(said[, 1L])
  right <- levels(test$y)[max.col(replace(said, is.na(said), 0), "first")] == test$y
  data.frame(
    answered = mean(answered), error = mean(!(answered & right)),
    loss = log_loss(said[answered, , drop = FALSE], test$y[answered]), covered = NA_real_
  )
}

#' Root mean squared error, the mean pinball loss of 19 quantiles in standard deviations of the
#' training responses, and the share of rows within the intervals of 90 %
judge_numbers <- function(fit, test, sd) {
  levels <- seq_len(19L) / 20
  mean <- stats::predict(fit, test)
  quantiles <- stats::predict(fit, test, type = "quantile", probs = levels)
  answered <- !is.na(mean)
  away <- test$y - quantiles
  pinball <- pmax(sweep(away, 2L, levels, `*`), sweep(away, 2L, levels - 1, `*`))
  inside <- quantiles[, 1L] <= test$y & test$y <= quantiles[, 19L]
  data.frame(
    answered = mean(answered), error = rmse_of(mean[answered], test$y[answered]),
    loss = mean(pinball[answered, ]) / sd, covered = mean(inside[answered])
  )
}

#' All calls, after those that `before` has
#'
#' @param keep A function that is called with the rows so far after every call.
#' @param tables,seeds Which tables, and which splits of each.
#' @param read A function that gives the rows of a table.
plain_calls <- function(options, before, keep, tables = published_tables$table, seeds = 1:3,
                        read = read_tuned_table) {
  calls <- before
  if (options$quick) tables <- tables[1L]
  if (!is.null(options$only)) tables <- grep(options$only, tables, value = TRUE)
  for (seed in if (is.null(options$seeds)) seeds else options$seeds) {
    for (table in tables) {
      if (any(calls$table == table & calls$seed == seed)) next
      data <- table_split(read(table), seed)
      if (is.null(data)) return(calls)
      if (options$quick) data$train <- utils::head(data$train, 200L)
      call <- plain_call(table, seed, data)
      cat(sprintf("%-30s %d  error %9.5g  loss %6.4f  covered %5.3f  %5.1f CPU s  %s\n",
        table, seed, call$error, call$loss, call$covered, call$cpu, call$chosen
      ))
      calls <- rbind(calls, call)
      keep(calls)
    }
  }
  calls
}

tuned_tables_case <- list(
  about = "gpsieve() as it comes beside published errors of tuned methods",
  shows = paste(
    "Nine tables of numbers and five of classes, of 589 to 18,227 rows that learn, for which the",
    "benchmark TALENT (<https://github.com/LAMDA-Tabular/TALENT>) publishes the errors of 27 to 30",
    "methods: boosted trees, networks with attention or retrieval, multilayer perceptrons. Each",
    "method was tuned on 16 % of the rows, learned from 64 % and averaged over 15 seeds. Here one",
    "call `gpsieve(y ~ ., data, na.action = \"model\")`, which answers rows with gaps (one table",
    "has some), learns from 80 % of the rows, and the others are the test; the test rows differ",
    "from the published ones. The error is the RMSE or the share of wrong classes, where a row",
    "without an answer is wrong; the loss the mean pinball loss of the quantiles .05, .10, ...,",
    ".95 in standard deviations of the training responses, or",
    "-log P(true class). The tables are read from the folder `GPSIEVE_DATA` (tables/). Every",
    "call is written into the file",
    "at once, and a run with the same file goes on where the last one stopped; calls that took",
    "place before are not repeated."
  ),
  calls = plain_calls
)
