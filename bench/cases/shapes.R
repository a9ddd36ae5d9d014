# Default calls of every model on drawn data of many shapes, beside LIBSVM with Platt's
# probabilities: one of the numbers of rows, columns and classes moves at a time.

shape_of <- function(rows = 2000, columns = 20, classes = 2) {
  list(
    name = sprintf("%d x %d, %s", rows, columns,
      if (classes == 0) "numbers" else paste(classes, "classes")
    ),
    rows = rows, columns = columns, classes = classes
  )
}

shape_problems <- c(
  lapply(c(500, 2000, 8000, 20000), function(rows) shape_of(rows = rows)),
  lapply(c(2, 100, 500), function(columns) shape_of(columns = columns)),
  lapply(c(5, 10, 30), function(classes) shape_of(classes = classes)),
  lapply(c(500, 2000, 8000, 20000), function(rows) shape_of(rows = rows, classes = 0)),
  lapply(c(2, 100, 500), function(columns) shape_of(columns = columns, classes = 0))
)

#' Gaussian inputs, of which a fifth, ten at most, matters, half of that by smooth functions and the
#' others linearly. A class is the largest of as many such functions with noise.
shape_data <- function(problem, seed) {
  set.seed(seed)
  n <- problem$rows + 2000
  x <- matrix(stats::rnorm(n * problem$columns), n)
  matter <- seq_len(min(problem$columns, max(2, min(10, problem$columns / 5))))
  one_function <- function() {
    bent <- rep_len(c(TRUE, FALSE), length(matter))
    parts <- x[, matter, drop = FALSE]
    phase <- stats::runif(sum(bent), 0, 6)
    parts[, bent] <- sin(sweep(2 * parts[, bent, drop = FALSE], 2L, phase, "+"))
    parts %*% stats::rnorm(length(matter)) + stats::rnorm(n, sd = 0.3)
  }
  said <- replicate(max(1, problem$classes - (problem$classes == 2)), drop(one_function()))
  y <- if (problem$classes == 0) said[, 1L]
  else if (problem$classes == 2) factor(said[, 1L] > 0)
  else factor(max.col(said), levels = seq_len(problem$classes))
  train <- seq_len(problem$rows)
  colnames(x) <- paste0("x", seq_len(problem$columns))
  data <- list(
    x = as.data.frame(x[train, , drop = FALSE]), y = y[train],
    test_x = as.data.frame(x[-train, , drop = FALSE]), test_y = y[-train]
  )
  if (is.factor(y)) {
    data$y <- droplevels(data$y)
    kept <- data$test_y %in% levels(data$y)
    data$test_x <- data$test_x[kept, , drop = FALSE]
    data$test_y <- factor(data$test_y[kept], levels(data$y))
  }
  data
}

#' What default_engine() makes, for numbers as well
shape_engine <- function(model) {
  engine <- default_engine(model)
  of_classes <- engine$predict
  engine$predict <- function(fit, data) {
    if (is.factor(data$test_y)) of_classes(fit, data)
    else list(mean = predict(fit, data$test_x))
  }
  if (model == "gpsieve") {
    engine$fit <- function(data, job) {
      suppressWarnings(
        gpsieve(data$x, data$y, seed = job$seed, threads = job$threads, verbose = FALSE),
        classes = "gpsieve_warning"
      )
    }
  }
  engine$size <- function(fit) NA
  engine
}

shape_peer <- function(numbers) {
  engine <- platt_engine()
  of_classes <- engine$predict
  engine$predict <- function(fit, data) {
    if (numbers) list(mean = predict(fit, data$test_x)) else of_classes(fit, data)
  }
  engine
}

shape_models <- c("gpsieve", "ivm", "ep_gp", "greedy_gp", "online_gp", "meanfield_gp", "rvm")

shapes_case <- list(
  about = "Default calls of every model by numbers of rows, columns and classes, beside LIBSVM",
  shows = paste(
    "Default calls of every model on drawn data of 500 to 20,000 rows, 2 to 500 columns, 2 to 30",
    "classes or numbers, one of these varied at a time, beside LIBSVM with Platt's probabilities.",
    "A default call of every model, one thread, one seed, on drawn data (`bench/cases/shapes.R`):",
    "one of the numbers of rows, columns and classes moves at a time. LIBSVM estimates",
    "probabilities for classes and none for numbers. `meanfield_gp()` and `online_gp()`, which",
    "keep all rows, are not run with 20,000."
  ),
  packages = c("gpsieve", "e1071"),
  seeds = 1L,
  problems = function(quick) if (quick) shape_problems[1L] else shape_problems,
  data = shape_data,
  engines = function(problem) {
    # Nobody waits for models that keep all of 20,000 rows, and the dense one would need 7 GB.
    keep_all <- c("meanfield_gp", "online_gp")
    models <- if (problem$rows > 8000) setdiff(shape_models, keep_all) else shape_models
    c(
      stats::setNames(lapply(models, shape_engine), models),
      list("svm, Platt" = shape_peer(problem$classes == 0))
    )
  }
)
