# Default calls on sets where a model is slow, beside LIBSVM with Platt's probabilities on the same
# rows. Run with --profile, it also tells what the time goes into.

corner_problems <- list(
  list(name = "attrition", set = "attrition", models = c("greedy_gp")),
  list(name = "vowel", set = "vowel", models = c("greedy_gp", "meanfield_gp", "rvm")),
  list(name = "spam", set = "spam", models = "ivm"),
  list(name = "drawn classes", set = "drawn", models = "online_gp")
)

#' 80 % of the rows of attrition and vowel, three quarters of spam, 3000 drawn rows; others to test
corner_data <- function(problem, seed) {
  read <- switch(problem$set,
    attrition = response_of(packaged("attrition", "modeldata"), "Attrition"),
    drawn = drawn_classes(),
    read_defaults_set(problem$set)
  )
  share <- c(attrition = 0.8, vowel = 0.8, spam = 0.75, drawn = 0.75)[[problem$set]]
  n <- length(read$y)
  set.seed(seed)
  rows <- sample(n)
  train <- rows[seq_len(share * n)]
  test <- rows[-seq_len(share * n)]
  list(x = read$x[train, ], y = read$y[train], test_x = read$x[test, ], test_y = read$y[test])
}

#' Two classes by a smooth function of four Gaussian inputs plus noise
drawn_classes <- function(n = 4000) {
  set.seed(1)
  x <- as.data.frame(matrix(stats::rnorm(n * 4), n))
  list(x = x, y = factor(sin(2 * x$V1) + x$V2 * x$V3 + stats::rnorm(n, sd = 0.5) > 0))
}

#' A function of the package as it is called without any setting, or with fixed hyper-parameters
default_engine <- function(model, optimise = TRUE) {
  force(model)
  force(optimise)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      suppressWarnings(
        getExportedValue("gpsieve", model)(data$x, data$y,
          optimise = optimise, seed = job$seed, threads = job$threads, verbose = FALSE
        ),
        classes = "gpsieve_warning"
      )
    },
    predict = function(fit, data) {
      probability <- predict(fit, data$test_x, type = "prob")
      list(class = predict(fit, data$test_x), probability = probability)
    },
    size = function(fit) {
      active <- active_set(fit)
      max(lengths(if (is.list(active)) active else list(active)))
    }
  )
}

#' `e1071::svm()` by formula, which turns factors into columns
platt_engine <- function() {
  new_engine(
    packages = "e1071",
    fit = function(data, job) {
      set.seed(job$seed)
      default_svm(training_table(data))
    },
    predict = function(fit, data) {
      class <- predict(fit, as.data.frame(data$test_x), probability = TRUE)
      list(class = class, probability = attr(class, "probabilities"))
    },
    size = function(fit) fit$tot.nSV
  )
}

corners_case <- list(
  about = "Default calls where models are slow, beside LIBSVM with probabilities",
  shows = paste(
    "Default calls on sets where a model is slow, with and without learning, beside LIBSVM with",
    "Platt's probabilities on the same rows."
  ),
  flags = "--profile",
  packages = c("gpsieve", "e1071", "kernlab", "mlbench", "modeldata"),
  seeds = 1L,
  problems = function(quick) if (quick) corner_problems[1L] else corner_problems,
  data = corner_data,
  engines = function(problem) {
    own <- lapply(problem$models, default_engine)
    fixed <- lapply(problem$models, default_engine, optimise = FALSE)
    names(own) <- problem$models
    names(fixed) <- paste0(problem$models, ", nothing learned")
    c(own, fixed, list("svm, Platt" = platt_engine()))
  }
)
