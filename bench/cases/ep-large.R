# Stochastic EP with many rows: the effect of n and m (Figure 3 of the paper), flights, and memory.

# --- n and m -----------------------------------------------------------------------------------

size_problems <- function(quick) {
  grid <- expand.grid(m = c(50, 100, 200, 400), n = c(1000, 5000, 20000))
  if (quick) grid <- grid[grid$n == 1000 & grid$m <= 100, ]
  Map(function(n, m) {
    list(name = sprintf("n = %d, m = %d", n, m), quick = quick, n = n, m = m)
  }, grid$n, grid$m)
}

#' MNIST, even or odd, random training rows and the whole test set
size_data <- function(problem, seed) {
  rows <- parity_rows(problem$quick)
  if (is.null(rows)) return(NULL)
  set.seed(seed)
  train <- sample(nrow(rows$x), problem$n)
  test <- seq_len(min(4000, nrow(rows$test_x)))
  x <- rows$x[train, ]
  list(
    x = x, y = rows$y[train], test_x = rows$test_x[test, ], test_y = rows$test_y[test],
    start = start_lengthscale(x)
  )
}

#' 200 minibatches of 200 rows for every n, which is 40, 8 and 2 epochs
size_case <- list(
  about = "Figure 3: EP, stochastic EP and ADF on MNIST for n = 1000 to 20000, m = 50 to 400",
  shows = paste(
    "Their Figure 3: MNIST, n = 1000, 5000, 20000, m = 50 to 400, 200 minibatches whatever n,",
    "4000 test rows."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = size_problems,
  data = size_data,
  engines = function(problem) {
    steps <- 200
    engine <- function(method) {
      ep_engine(
        inducing = problem$m, inducing_init = "random", method = method, batch_size = 200,
        epochs = steps * 200 / problem$n, steps = steps,
        gflop = steps * minibatch_gflop(784, problem$m, 200)
      )
    }
    list("adf" = engine("adf"), "ep" = engine("ep"), "sep" = engine("sep"))
  }
)

# --- flights -----------------------------------------------------------------------------------

#' The eight inputs of the paper's airline experiment, for the flights out of New York in 2013
flight_rows <- function() {
  folder <- new.env()
  utils::data("flights", "planes", package = "nycflights13", envir = folder)
  flights <- as.data.frame(folder$flights)
  built <- folder$planes$year[match(flights$tailnum, folder$planes$tailnum)]
  minutes <- function(clock) clock %/% 100 * 60 + clock %% 100
  x <- cbind(
    age = 2013 - built, distance = flights$distance, air_time = flights$air_time,
    departure = minutes(flights$sched_dep_time), arrival = minutes(flights$sched_arr_time),
    weekday = as.POSIXlt(ISOdate(2013, flights$month, flights$day))$wday, day = flights$day,
    month = flights$month
  )
  # A plane of unknown age gets the average age; otherwise a sixth of the rows would be left out.
  x[is.na(x[, "age"]), "age"] <- mean(x[, "age"], na.rm = TRUE)
  complete <- stats::complete.cases(x) & !is.na(flights$arr_delay)
  late <- factor(ifelse(flights$arr_delay > 0, "late", "in time"), levels = c("in time", "late"))
  list(x = x[complete, ], y = late[complete])
}

flights_data <- function(problem, seed) {
  all <- flight_rows()
  set.seed(seed)
  rows <- sample(nrow(all$x), if (problem$quick) 20000 else nrow(all$x))
  test <- rows[seq_len(if (problem$quick) 2000 else 10000)]
  train <- setdiff(rows, test)
  x <- all$x[train, ]
  list(
    x = x, y = all$y[train], test_x = all$x[test, ], test_y = all$y[test],
    start = start_lengthscale(x)
  )
}

#' An engine whose predict(type = "response") returns P(second class)
formula_engine <- function(fit, size, packages = character()) {
  frame <- function(x, y) data.frame(x, y = y)
  new_engine(
    packages = packages,
    fit = function(data, job) fit(frame(data$x, data$y)),
    predict = function(fit, data) {
      late <- as.vector(stats::predict(fit, data.frame(data$test_x), type = "response"))
      names <- levels(data$test_y)
      list(
        class = names[1L + (late > 0.5)],
        probability = two_columns(late, data$test_y)
      )
    },
    size = size
  )
}

flights_case <- list(
  about = "327,000 flights, delayed or not: SEP, logistic regression, additive model",
  shows = paste(
    "The 327,346 flights of `nycflights13` with the inputs of the paper's airline experiment (age",
    "of the plane, distance, air time, scheduled departure and arrival, day of week, of month,",
    "month), arrival delayed or not, 10000 test rows: one and four epochs beside `glm()` and",
    "`mgcv::bam()` (discrete)."
  ),
  packages = c("gpsieve", "mgcv", "nycflights13"),
  seeds = 1L,
  problems = function(quick) list(list(name = "delayed or not", quick = quick)),
  data = flights_data,
  engines = function(problem) {
    sep <- function(epochs) {
      ep_engine(
        inducing = 200, inducing_init = "random", method = "sep", batch_size = 200, epochs = epochs
      )
    }
    list(
      "glm" = formula_engine(
        function(data) stats::glm(y ~ ., stats::binomial(), data),
        size = function(fit) length(stats::coef(fit))
      ),
      "bam" = formula_engine(
        function(data) {
          bam(
            y ~ s(age) + s(distance) + s(air_time) + s(departure) + s(arrival) +
              s(weekday, k = 7) + s(day) + s(month), stats::binomial(), data, discrete = TRUE
          )
        },
        size = function(fit) length(stats::coef(fit)), packages = "mgcv"
      ),
      "sep, 1 epoch" = sep(1), "sep, 4 epochs" = sep(4)
    )
  }
)

# --- memory of sites ---------------------------------------------------------------------------

#' While hyper-parameters are learned, the site of a row is a vector of m numbers. With fixed ones
#' it is two numbers and a vector that can be computed again, and both methods need the same memory.
sites_case <- list(
  about = "Memory of EP, which stores a site for each row, and of stochastic EP, by number of rows",
  shows = paste(
    "The same rows, 25,000 to 100,000 of them: memory of EP, which stores a site for each row",
    "while hyper-parameters are learned, beside stochastic EP."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = function(quick) {
    lapply(if (quick) 5000 else c(25000, 50000, 100000), function(n) {
      list(name = sprintf("%d rows", n), n = n, p = 8)
    })
  },
  data = function(problem, seed) memory_data(problem, seed),
  engines = function(problem) {
    engine <- function(method) {
      ep_engine(
        inducing = 200, inducing_init = "random", method = method, batch_size = 200, epochs = 1
      )
    }
    list("sep" = engine("sep"), "ep" = engine("ep"))
  }
)

# --- memory ------------------------------------------------------------------------------------

#' `rows` is in millions; the matrix takes 61 MB for each million
memory_problems <- function(quick) {
  lapply(if (quick) 0.1 else c(1, 2), function(millions) {
    list(name = sprintf("%g million rows", millions), n = 1e6 * millions, p = 8)
  })
}

#' Two classes separated by a curved surface; a tenth of the labels are exchanged
memory_data <- function(problem, seed) {
  set.seed(seed)
  draw <- function(n) {
    x <- matrix(stats::rnorm(n * problem$p), n)
    signal <- sin(2 * x[, 1L]) + x[, 2L] * x[, 3L]
    flip <- stats::runif(n) < 0.1
    list(x = x, y = factor(ifelse((signal > 0) != flip, "b", "a")))
  }
  train <- draw(problem$n)
  test <- draw(1000)
  list(
    x = train$x, y = train$y, test_x = test$x, test_y = test$y, start = start_lengthscale(train$x)
  )
}

memory_case <- list(
  about = "Stochastic EP on 1,000,000 and 2,000,000 rows of 8 inputs: time and memory",
  shows = paste(
    "1,000,000 and 2,000,000 synthetic rows of 8 inputs, m = minibatch = 200, one epoch, with the",
    "progress bar: time, and peak memory over `base_mb`, the process with the data in it, once."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = memory_problems,
  data = memory_data,
  engines = function(problem) {
    steps <- problem$n / 200
    engine <- function(optimise) {
      ep_engine(
        inducing = 200, inducing_init = "random", method = "sep", batch_size = 200, epochs = 1,
        optimise = optimise, verbose = TRUE, steps = steps,
        gflop = if (optimise) steps * minibatch_gflop(problem$p, 200, 200) else NA_real_
      )
    }
    # The larger problem measures memory only.
    if (problem$n > 1e6) return(list("sep, nothing learned" = engine(FALSE)))
    list("sep" = engine(TRUE))
  }
)
