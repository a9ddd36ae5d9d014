# What more rows buy: gpsieve() with nothing but the data, beside an additive model and boosted
# trees by default, on growing parts of the same rows and on the same test rows.
#
# The boosted trees are those of Debian's python3-xgboost and python3-sklearn. Without them, and
# without the package that holds a set, the engine or the set is left out with a message.

#' The sets: the package that holds one, NULL where the rows are drawn; rows; test rows among them;
#' how to read them
row_sets <- list(
  flights = list(
    package = "nycflights13", rows = 327346, test = 10000, read = function() {
      rows <- flight_rows()
      list(x = as.data.frame(rows$x), y = rows$y)
    }
  ),
  diamonds = list(
    package = "ggplot2", rows = 53940, test = 3940, read = function() {
      table <- as.data.frame(packaged("diamonds", "ggplot2"))
      list(x = table[names(table) != "price"], y = log(table$price))
    }
  ),
  letters = list(
    package = "mlbench", rows = 20000, test = 4000, several_classes = TRUE, read = function() {
      response_of(packaged("LetterRecognition"), "lettr")
    }
  ),
  wide = list(package = NULL, rows = 55000, test = 5000, read = drawn_wide),
  smooth = list(package = NULL, rows = 165000, test = 5000, read = function() drawn_smooth(165000))
)

# Sets of other packages, all rows of each. bench/CASES.md describes them.
other_row_sets <- list(
  shuttle = list(
    package = "mlbench", rows = 58000, test = 6000, several_classes = TRUE, read = function() {
      response_of(packaged("Shuttle"), "Class")
    }
  ),
  wages = list(
    package = "AER", rows = 28155, test = 3000, read = function() {
      table <- packaged("CPS1988", "AER")
      list(x = table[names(table) != "wage"], y = log(table$wage))
    }
  ),
  vehicles = list(
    package = "fueleconomy", rows = 33382, test = 3400, read = function() {
      table <- as.data.frame(packaged("vehicles", "fueleconomy"))
      table <- table[stats::complete.cases(table), ]
      texts <- c("make", "class", "trans", "drive", "fuel")
      table[texts] <- lapply(table[texts], factor)
      list(x = table[c("year", "cyl", "displ", texts)], y = table$cty)
    }
  ),
  weather = list(
    package = "nycflights13", rows = 25654, test = 2500, read = function() {
      table <- as.data.frame(packaged("weather", "nycflights13"))
      inputs <- c("origin", "month", "day", "hour", "wind_dir", "wind_speed", "visib", "precip")
      table <- table[stats::complete.cases(table[c("temp", inputs)]), ]
      table$origin <- factor(table$origin)
      list(x = table[inputs], y = table$temp)
    }
  ),
  houston = list(
    package = "hflights", rows = 223874, test = 10000, read = function() {
      table <- packaged("hflights", "hflights")
      table <- table[!is.na(table$ArrDelay), ]
      x <- table[c("Month", "DayofMonth", "DayOfWeek", "Distance", "AirTime")]
      x$departure <- table$DepTime %/% 100 * 60 + table$DepTime %% 100
      x$carrier <- factor(table$UniqueCarrier)
      x$to <- factor(table$Dest)
      late <- factor(ifelse(table$ArrDelay > 0, "late", "in time"), levels = c("in time", "late"))
      list(x = x, y = late)
    }
  ),
  ratings = list(
    package = "lme4", rows = 73421, test = 7000, read = function() {
      table <- packaged("InstEval", "lme4")
      # Of the two factors with thousands of levels the one with fewer: that of the lecturers.
      list(x = table[c("d", "studage", "lectage", "service", "dept")], y = table$y)
    }
  )
)

#' A smooth function of eight inputs, with noise of a tenth of its standard deviation
drawn_smooth <- function(n) {
  set.seed(1)
  x <- as.data.frame(matrix(stats::runif(n * 8), n))
  y <- sin(5 * x$V1) + sin(4 * x$V2 * x$V3) + 4 * (x$V4 - 0.5)^2 + cos(6 * x$V5 + 2 * x$V6) +
    x$V7 * x$V8
  list(x = x, y = y + stats::rnorm(n, sd = 0.1))
}

# Rows that learn, before all rows that are no test rows.
row_counts <- c(5000, 20000, 80000)

row_set <- function(problem) c(row_sets, other_row_sets)[[problem$set]]

#' The problems of a case with these sets and numbers of rows, as a function of `quick`
rows_problems <- function(sets, counts) {
  function(quick) {
    held <- Filter(function(set) {
      package <- sets[[set]]$package
      there <- is.null(package) || requireNamespace(package, quietly = TRUE)
      if (!there) message(set, " is left out, it needs the package ", package)
      there
    }, names(sets))
    unlist(lapply(held, function(set) {
      most <- sets[[set]]$rows - sets[[set]]$test
      counts <- if (quick) 1000 else c(Filter(function(count) count < most, counts), Inf)
      lapply(counts, function(count) {
        rows <- if (is.finite(count)) sprintf("%.0f rows", count) else "all rows"
        list(name = paste0(set, ", ", rows), set = set, rows = count)
      })
    }), recursive = FALSE)
  }
}

#' The first rows of a random order after the test rows. Test rows with a level that no training row
#' has are left out: additive models cannot predict there.
rows_data <- function(problem, seed) {
  set <- row_set(problem)
  all <- set$read()
  n <- length(all$y)
  set.seed(seed)
  order <- sample(n)
  train <- order[set$test + seq_len(min(problem$rows, n - set$test))]
  test <- order[seq_len(set$test)]
  for (column in names(all$x)[vapply(all$x, is.factor, NA)]) {
    test <- test[all$x[test, column] %in% all$x[train, column]]
  }
  list(
    x = all$x[train, , drop = FALSE], y = all$y[train], test_x = all$x[test, , drop = FALSE],
    test_y = all$y[test]
  )
}

gpsieve_engine <- function() {
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      gpsieve(response ~ ., training_table(data),
        seed = job$seed, threads = job$threads, verbose = FALSE
      )
    },
    predict = function(fit, data) {
      if (is.factor(data$y)) {
        return(said_of_classes(predict(fit, data$test_x, type = "prob")))
      }
      limits <- predict(fit, data$test_x, type = "quantile", probs = c(0.05, 0.95))
      list(mean = predict(fit, data$test_x), lower = limits[, 1], upper = limits[, 2])
    },
    size = function(fit) nrow(inducing(fit))
  )
}

said_of_classes <- function(probability) {
  list(class = colnames(probability)[max.col(probability, "first")], probability = probability)
}

#' mgcv::bam() with a smooth term for each column of numbers
bam_engine <- function() {
  new_engine(
    packages = "mgcv",
    fit = function(data, job) {
      table <- training_table(data)
      formula <- additive_formula(table)
      environment(formula) <- asNamespace("mgcv")
      family <- if (is.factor(data$y)) stats::binomial() else stats::gaussian()
      bam(formula, family, table, discrete = TRUE)
    },
    predict = function(fit, data) {
      said <- stats::predict(fit, as.data.frame(data$test_x), type = "response", se.fit = TRUE)
      if (is.factor(data$y)) return(said_of_classes(two_columns(as.vector(said$fit), data$y)))
      half <- stats::qnorm(0.95) * sqrt(said$se.fit^2 + fit$sig2)
      list(mean = as.vector(said$fit), lower = said$fit - half, upper = said$fit + half)
    },
    size = function(fit) length(stats::coef(fit))
  )
}

#' Boosted trees in a Python process, which measures itself
boosting_engine <- function(name, python) {
  force(python)
  new_engine(
    fit = function(data, job) run_boosting(data, name, python),
    predict = function(fit, data) {
      if (is.factor(data$y)) said_of_classes(fit$said) else list(mean = fit$said)
    },
    size = function(fit) NA_real_, measured = function(fit) fit$measured
  )
}

rows_engines <- function(problem) {
  modules <- c(xgboost = "xgboost", histogram = "sklearn.ensemble")
  pythons <- Filter(Negate(is.null), lapply(modules, python_with))
  c(
    list(gpsieve = gpsieve_engine()),
    # An additive model has one latent function.
    if (is.null(row_set(problem)$several_classes)) list(bam = bam_engine()),
    Map(boosting_engine, names(pythons), pythons)
  )
}

rows_case <- list(
  about = "gpsieve() on 5,000 to 317,000 rows beside an additive model and boosted trees",
  shows = paste(
    "`many-rows` calls `gpsieve(y ~ ., data)` and nothing else on 5,000, 20,000, 80,000 and all",
    "rows of five sets, beside `mgcv::bam()` with a smooth term for each column of numbers, and",
    "the boosted trees of Debian's python3-xgboost and python3-sklearn (histograms), both with",
    "their default settings and one thread. The sets are the flights of `sep-flights`, the",
    "logarithm of the price of the diamonds of `ggplot2`, the letters of `mlbench`, and two that",
    "are drawn: 50,000 rows of 20 columns of which seven matter and most effects add up (`wide`",
    "of the default calls), and a smooth function of eight inputs. A set whose package is not",
    "installed, and an engine whose Python module is not, is left out with a message. The rows of",
    "a smaller number are the first ones of a larger number; the test rows are the same. CPU",
    "seconds of the boosted trees are those of their fit in the Python process, their memory is",
    "that of the process. `covered` in the file is the share of the test rows within their",
    "intervals of 90 %."
  ),
  packages = c("gpsieve", "mgcv", "jsonlite"),
  seeds = 1L,
  problems = rows_problems(row_sets, row_counts),
  data = rows_data,
  engines = rows_engines
)

other_rows_case <- rows_case
other_rows_case$about <- "gpsieve() on all rows of six other sets"
other_rows_case$problems <- rows_problems(other_row_sets, NULL)
other_rows_case$shows <- paste(
  "What `many-rows` does, on all rows of six sets of other packages: `shuttle` (7 classes) of",
  "`mlbench`, the logarithm of `wages` (`CPS1988` of `AER`), the miles per gallon in cities of",
  "`vehicles` (`fueleconomy`; a factor of 128 makes), the temperature at the three airports of",
  "`weather` (`nycflights13`), flights from `houston` late or not (`hflights`; a factor of 116",
  "destinations), and the `ratings` of lecturers (`InstEval` of `lme4`; a factor of 1128",
  "lecturers). Test rows with a level that no training row has are left out, because additive",
  "models cannot predict there. Boosted trees and an additive model with an indicator for each of",
  "the lecturers did not end within some minutes, and have no row."
)
