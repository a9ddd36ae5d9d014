# Plain default calls of every model and of gpsieve(), beside peers called in the same way: nothing
# but the data.

defaults_sets <- c(
  "heart", "crabs", "sonar", "ionosphere", "iris", "pima", "breast", "australian", "boston",
  "ozone",
  "friedman1", "abalone"
)

defaults_problems <- function(quick) {
  sets <- if (quick) defaults_sets[1] else defaults_sets
  lapply(sets, function(set) list(name = set, set = set))
}

#' A data set as a list of inputs and response; NULL where the file is missing
read_defaults_set <- function(set) {
  from <- function(table, response) {
    if (is.null(table)) return(NULL)
    list(x = table[names(table) != response], y = table[[response]])
  }
  packaged <- function(name) {
    held <- new.env()
    utils::data(list = name, package = "mlbench", envir = held)
    held[[name]]
  }
  switch(set,
    iris = from(datasets::iris, "Species"),
    boston = from(packaged("BostonHousing"), "medv"),
    ozone = from(stats::na.omit(packaged("Ozone")[4:12]), "V4"),
    friedman1 = {
      set.seed(1)
      drawn <- mlbench::mlbench.friedman1(500, sd = 1)
      list(x = as.data.frame(drawn$x), y = drawn$y)
    },
    abalone = {
      table <- read_uci("abalone")
      if (!is.null(table)) from(table, names(table)[ncol(table)])
    },
    from(read_uci(set), "class")
  )
}

#' A quarter of the rows to test, at most 1000 to train
defaults_data <- function(problem, seed) {
  set <- read_defaults_set(problem$set)
  if (is.null(set)) return(NULL)
  n <- nrow(set$x)
  set.seed(seed)
  shuffled <- sample(n)
  test <- shuffled[seq_len(round(n / 4))]
  train <- utils::head(shuffled[-seq_along(test)], 1000)
  list(
    x = set$x[train, , drop = FALSE], y = set$y[train], test_x = set$x[test, , drop = FALSE],
    test_y = set$y[test]
  )
}

#' One of the package's functions, called with nothing but the data
default_engine <- function(model) {
  force(model)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      suppressWarnings(do.call(model, list(data$x, data$y,
        seed = job$seed, threads = job$threads, verbose = FALSE
      )), classes = "gpsieve_warning")
    },
    predict = function(fit, data) {
      if (!is.factor(data$test_y)) return(list(mean = predict(fit, data$test_x)))
      list(class = predict(fit, data$test_x), probability = predict(fit, data$test_x,
        type = "prob"))
    },
    size = function(fit) nrow(inducing(fit))
  )
}

#' A peer that takes a formula and a data frame, and predicts by `answer(fit, newdata, classes)`: a
#' matrix of probabilities, or numbers
formula_engine <- function(fit, answer) {
  force(fit)
  force(answer)
  new_engine(
    fit = function(data, job) {
      set.seed(job$seed)
      fit(cbind(data$x, response = data$y))
    },
    predict = function(fit, data) {
      classes <- levels(data$y)
      said <- answer(fit, data$test_x, classes)
      if (!is.factor(data$test_y)) return(list(mean = as.vector(said)))
      said <- said[, classes, drop = FALSE]
      list(class = factor(classes[max.col(said)], classes), probability = said)
    },
    size = function(fit) NA_integer_
  )
}

svm_answer <- function(fit, new, classes) {
  said <- predict(fit, new, probability = TRUE)
  if (is.null(classes)) said else attr(said, "probabilities")
}

#' Nine settings by five folds
tuned_svm <- function(table) {
  p <- ncol(table) - 1
  found <- e1071::tune(e1071::svm, response ~ ., data = table,
    ranges = list(cost = c(0.3, 3, 30), gamma = c(0.3, 1, 3) / p),
    tunecontrol = e1071::tune.control(cross = 5)
  )
  best <- found$best.parameters
  e1071::svm(response ~ ., table, cost = best$cost, gamma = best$gamma, probability = TRUE)
}

linear_fit <- function(table) {
  if (!is.factor(table$response)) return(stats::lm(response ~ ., table))
  suppressWarnings(stats::glm(response ~ ., stats::binomial(), table))
}

linear_answer <- function(fit, new, classes) {
  if (is.null(classes)) return(suppressWarnings(predict(fit, new)))
  p <- suppressWarnings(predict(fit, new, type = "response"))
  p <- pmin(pmax(p, 1e-10), 1 - 1e-10)
  structure(cbind(1 - p, p), dimnames = list(NULL, classes))
}

gausspr_answer <- function(fit, new, classes) {
  if (is.null(classes)) return(kernlab::predict(fit, new))
  pmax(kernlab::predict(fit, new, type = "probabilities"), 1e-10)
}

defaults_engines <- function(problem) {
  own <- c("gpsieve", "meanfield_gp", "ivm", "ep_gp", "online_gp", "greedy_gp", "rvm")
  peers <- list(
    "e1071::svm" = formula_engine(
      function(table) e1071::svm(response ~ ., table, probability = TRUE), svm_answer
    ),
    "e1071::svm, tuned" = formula_engine(tuned_svm, svm_answer),
    "kernlab::gausspr" = formula_engine(function(table) {
      kernlab::gausspr(response ~ ., data = table)
    }, gausspr_answer)
  )
  # Two classes or numbers: glm() has no more.
  if (problem$set != "iris") {
    peers[["lm or glm"]] <- formula_engine(linear_fit, linear_answer)
  }
  c(stats::setNames(lapply(own, default_engine), own), peers)
}

defaults_case <- list(
  about = "default calls of every model and of gpsieve() beside default and tuned peers",
  packages = c("e1071", "kernlab", "mlbench"), seeds = 1:5, problems = defaults_problems,
  data = defaults_data, engines = defaults_engines
)
