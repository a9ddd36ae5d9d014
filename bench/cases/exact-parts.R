# Dense Gaussian processes on parts of the rows: gpsieve() with nothing but the data, on sets for
# which others have published errors, and the same learned kernel with parts of several sizes.
#
# Three sets and the temperatures lie in the folder GPSIEVE_DATA (uci-regression/, spatial/); the
# sea heights and ocean temperatures are those of the package GpGp. What is absent is left out with
# a message.

exact_sets <- list(
  pol = list(file = "uci-regression/pol.csv.gz"),
  elevators = list(file = "uci-regression/elevators.csv.gz"),
  protein = list(file = "uci-regression/protein.csv.gz"),
  temperatures = list(file = "spatial/AllSatelliteTemps.RData"),
  winds = list(package = "GpGp"),
  argo = list(package = "GpGp")
)

exact_path <- function(set) file.path(Sys.getenv("GPSIEVE_DATA"), exact_sets[[set]]$file)

exact_problems <- function(quick) {
  there <- vapply(names(exact_sets), function(set) {
    package <- exact_sets[[set]]$package
    found <-
      if (is.null(package)) file.exists(exact_path(set))
      else requireNamespace(package, quietly = TRUE)
    needed <- if (is.null(package)) "the folder GPSIEVE_DATA" else paste("the package", package)
    if (!found) message(set, " is left out, it needs ", needed)
    found
  }, NA)
  lapply(names(exact_sets)[there], function(set) list(name = set, set = set, quick = quick))
}

#' A fifth of the rows is the test, .64 of them learn; the response has unit variance in training
regression_rows <- function(set, seed) {
  table <- utils::read.csv(gzfile(exact_path(set)), header = FALSE)
  names(table) <- c(paste0("x", seq_len(ncol(table) - 1L)), "y")
  table <- table[vapply(table, function(column) length(unique(column)) > 1L, NA)]
  set.seed(seed)
  n <- nrow(table)
  test <- sample(n, round(0.2 * n))
  train <- sample(setdiff(seq_len(n), test), round(0.64 * n))
  table$y <- (table$y - mean(table$y[train])) / stats::sd(table$y[train])
  list(train = table[train, ], test = table[test, ])
}

#' Rows where MaskTemp is known learn; those that have TrueTemp only are the test
temperature_rows <- function() {
  folder <- new.env()
  load(exact_path("temperatures"), folder)
  table <- folder$all.sat.temps
  names(table)[1:2] <- c("longitude", "latitude")
  rows <- function(which, column) {
    data.frame(table[which, c("longitude", "latitude")], y = table[[column]][which])
  }
  list(
    train = rows(!is.na(table$MaskTemp), "MaskTemp"),
    test = rows(is.na(table$MaskTemp) & !is.na(table$TrueTemp), "TrueTemp")
  )
}

#' Places and times of GpGp: winds at sea, or temperatures at a depth of 100 m, of which at most
#' 10,000 learn
ocean_rows <- function(set, seed) {
  folder <- new.env()
  utils::data(list = if (set == "winds") "jason3" else "argo2016", package = "GpGp", envir = folder)
  all <- if (set == "winds") folder$jason3 else folder$argo2016
  names <-
    if (set == "winds") c("lon", "lat", "time", "windspeed") else c("lon", "lat", "day", "temp100")
  table <- stats::setNames(as.data.frame(all[names]), c("longitude", "latitude", "time", "y"))
  set.seed(seed)
  n <- nrow(table)
  train <- sample(n, if (set == "winds") 15973 else min(10000, round(0.8 * n)))
  list(train = table[train, ], test = table[-train, ])
}

exact_data <- function(problem, seed) {
  rows <-
    if (problem$set == "temperatures") temperature_rows()
    else if (problem$set %in% c("winds", "argo")) ocean_rows(problem$set, seed)
    else regression_rows(problem$set, seed)
  if (isTRUE(problem$quick)) rows$train <- utils::head(rows$train, 3000)
  inputs <- setdiff(names(rows$train), "y")
  list(
    x = rows$train[inputs], y = rows$train$y, test_x = rows$test[inputs], test_y = rows$test$y
  )
}

#' The mean, the limits of 90 %, and the standard deviation as the intervals have it
said_of_numbers <- function(fit, data) {
  limits <- predict(fit, data$test_x, type = "quantile",
    probs = c(0.05, stats::pnorm(-1), stats::pnorm(1), 0.95)
  )
  list(
    mean = predict(fit, data$test_x), lower = limits[, 1], upper = limits[, 4],
    sd = (limits[, 3] - limits[, 2]) / 2
  )
}

plain_exact_engine <- function() {
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      gpsieve(response ~ ., training_table(data),
        seed = job$seed, threads = job$threads, verbose = FALSE
      )
    },
    predict = said_of_numbers, size = function(fit) max(fit$partition$rows, 0)
  )
}

#' Parts of at most so many rows, all of which take part; or `n_active` points in each of them
parts_engine <- function(leaf_rows, n_active = NULL) {
  force(leaf_rows)
  force(n_active)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      ivm(response ~ ., training_table(data), kernel_rich(),
        leaf_rows = leaf_rows, n_active = n_active, seed = job$seed, threads = job$threads,
        verbose = FALSE, control = control_ivm(blocks = learn_on_blocks(), keep = FALSE)
      )
    },
    predict = said_of_numbers, size = function(fit) max(fit$partition$rows)
  )
}

exact_case <- list(
  about = "Dense Gaussian processes on parts of the rows, beside active points in parts",
  shows = paste(
    "`exact-parts` calls `gpsieve(y ~ ., data)` and nothing else on sets for which others have",
    "published errors: `pol`, `elevators` and `protein` of the UCI repository (a fifth of the",
    "rows is the test, .64 of them learn), the satellite `temperatures` of Heaton et al. (2019;",
    "all 105,569 rows that the paper gives learn), winds at sea and ocean temperatures of the",
    "package `GpGp`. Beside it stand the rich kernel ([`kernel_rich()`](../R/kernel-rich.R)) in",
    "parts of 800, 2000 and 4000 rows in which every row takes part, and in parts of 4000 rows",
    "with 300 active points each. The file has the mean negative log density and the CRPS of",
    "normal distributions with the predicted standard deviations, too. The first four sets are",
    "read from the folder `GPSIEVE_DATA`."
  ),
  packages = "gpsieve", seeds = 1:3,
  problems = exact_problems, data = exact_data,
  engines = function(problem) {
    list(
      gpsieve = plain_exact_engine(), "parts 800" = parts_engine(800),
      "parts 2000" = parts_engine(2000), "parts 4000" = parts_engine(4000),
      "300 active of 4000" = parts_engine(4000, 300)
    )
  }
)
