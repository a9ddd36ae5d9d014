# The engines of the comparison of default calls. Each is function(data, seed), which returns what
# it says about the test rows: a matrix of probabilities, or a data frame with the column `mean`
# and, where there are intervals of 90 %, `lower` and `upper`.

#' One of the package's functions, called with nothing but the data and what `more(data)` returns;
#' gpsieve() by a formula where the inputs are a data frame, as its users call it
own_engine <- function(model, more = function(data) list()) {
  force(model)
  function(data, seed) {
    rows <-
      if (model == "gpsieve" && is.data.frame(data$x)) list(response ~ ., training_table(data))
      else list(data$x, data$y)
    given <- c(rows, list(seed = seed, threads = 1, verbose = FALSE), more(data))
    fit <- suppressWarnings(do.call(getExportedValue("gpsieve", model), given, quote = TRUE),
      classes = "gpsieve_warning"
    )
    if (is.factor(data$y)) return(stats::predict(fit, data$test_x, type = "prob"))
    limits <- stats::predict(fit, data$test_x, type = "quantile", probs = c(0.05, 0.95))
    data.frame(mean = stats::predict(fit, data$test_x), lower = limits[, 1], upper = limits[, 2])
  }
}

#' The training rows as one data frame with a column `response`
training_table <- function(data) cbind(as.data.frame(data$x), response = data$y)

svm_peer <- function(fit_svm) {
  force(fit_svm)
  function(data, seed) {
    set.seed(seed) # Platt's probabilities cross-validate
    fit <- fit_svm(training_table(data))
    said <- stats::predict(fit, as.data.frame(data$test_x), probability = TRUE)
    if (is.factor(data$y)) attr(said, "probabilities") else data.frame(mean = said)
  }
}

default_svm <- function(table) e1071::svm(response ~ ., table, probability = TRUE)

#' Nine settings by five folds
tuned_svm <- function(table) {
  p <- ncol(stats::model.matrix(response ~ . - 1, table))
  found <- e1071::tune(e1071::svm, response ~ ., data = table,
    ranges = list(cost = c(0.3, 3, 30), gamma = c(0.3, 1, 3) / p),
    tunecontrol = e1071::tune.control(cross = 5)
  )
  best <- found$best.parameters
  e1071::svm(response ~ ., table, cost = best$cost, gamma = best$gamma, probability = TRUE)
}

forest_peer <- function(data, seed) {
  classes <- is.factor(data$y)
  fit <- ranger::ranger(response ~ ., training_table(data), probability = classes,
    quantreg = !classes, num.threads = 1, seed = seed
  )
  new <- as.data.frame(data$test_x)
  if (classes) return(stats::predict(fit, new, num.threads = 1)$predictions)
  limits <- stats::predict(fit, new, type = "quantiles", quantiles = c(0.05, 0.95))$predictions
  data.frame(mean = stats::predict(fit, new, num.threads = 1)$predictions, lower = limits[, 1],
    upper = limits[, 2]
  )
}

dense_peer <- function(data, seed) {
  set.seed(seed)
  utils::capture.output(fit <- kernlab::gausspr(response ~ ., data = training_table(data)))
  new <- as.data.frame(data$test_x)
  if (is.factor(data$y)) return(kernlab::predict(fit, new, type = "probabilities"))
  data.frame(mean = drop(kernlab::predict(fit, new)))
}

#' lm(), glm(), or nnet::multinom() for more than two classes
linear_peer <- function(data, seed) {
  table <- training_table(data)
  new <- as.data.frame(data$test_x)
  if (!is.factor(data$y)) {
    said <- stats::predict(stats::lm(response ~ ., table), new, interval = "prediction",
      level = 0.9
    )
    return(data.frame(mean = said[, 1], lower = said[, 2], upper = said[, 3]))
  }
  if (nlevels(data$y) == 2L) {
    fit <- stats::glm(response ~ ., stats::binomial(), table)
    return(two_columns(stats::predict(fit, new, type = "response"), data$y))
  }
  fit <- nnet::multinom(response ~ ., table, trace = FALSE, MaxNWts = 1e5)
  stats::predict(fit, new, type = "probs")
}

two_columns <- function(p, y) structure(cbind(1 - p, p), dimnames = list(NULL, levels(y)))

#' A smooth term for every column with ten values or more; NULL where they are too many for the rows
additive_formula <- function(table) {
  inputs <- setdiff(names(table), "response")
  smooth <- vapply(table[inputs], function(v) is.numeric(v) && length(unique(v)) >= 10, NA)
  if (10 * sum(smooth) > 0.6 * nrow(table)) return(NULL)
  terms <- ifelse(smooth, paste0("s(", inputs, ")"), inputs)
  stats::reformulate(terms, "response")
}

additive_peer <- function(data, seed) {
  if (nlevels(data$y) > 2L) return(NULL)
  table <- training_table(data)
  formula <- additive_formula(table)
  if (is.null(formula)) return(NULL)
  # mgcv looks for s() from the formula's environment.
  environment(formula) <- asNamespace("mgcv")
  family <- if (is.factor(data$y)) stats::binomial() else stats::gaussian()
  fit <-
    if (nrow(table) > 10000) mgcv::bam(formula, family, table, discrete = TRUE)
    else mgcv::gam(formula, family, table)
  said <- stats::predict(fit, as.data.frame(data$test_x), type = "response", se.fit = TRUE)
  if (is.factor(data$y)) return(two_columns(as.vector(said$fit), data$y))
  half <- stats::qnorm(0.95) * sqrt(said$se.fit^2 + fit$sig2)
  data.frame(mean = said$fit, lower = said$fit - half, upper = said$fit + half)
}

#' Boosted trees of xgboost, which have no intervals
trees_peer <- function(name) {
  force(name)
  python <- NULL
  function(data, seed) {
    if (is.null(python)) python <<- python_with("xgboost")
    if (is.null(python)) return(NULL)
    said <- run_boosting(data, name, python)$said
    if (is.factor(data$y)) said else data.frame(mean = said)
  }
}

#' A linear model with half of the absolute and half of the squared penalty, chosen by ten folds
elastic_peer <- function(data, seed) {
  set.seed(seed)
  columns <- function(x) stats::model.matrix(~ ., as.data.frame(x))[, -1L, drop = FALSE]
  classes <- if (is.factor(data$y)) nlevels(data$y) else 0
  if (min(table(droplevels(as.factor(data$y)))) < 2L && classes) return(NULL)
  x <- columns(data$x)
  if (ncol(x) < 2L) return(NULL)
  family <- if (!classes) "gaussian" else if (classes == 2) "binomial" else "multinomial"
  fit <- glmnet::cv.glmnet(x, data$y, family = family, alpha = 0.5)
  said <- stats::predict(fit, columns(data$test_x), s = "lambda.min", type = "response")
  if (!classes) data.frame(mean = drop(said))
  else if (classes == 2) two_columns(drop(said), data$y)
  else said[, , 1L]
}

# What gpsieve() is without parts of its choice.
reduced_engines <- list(
  "one function" = own_engine("gpsieve", function(data) list(kernel = gpsieve::kernel_rich())),
  "linear function" = own_engine("gpsieve", function(data) {
    list(kernel = gpsieve::kernel_linear() + gpsieve::kernel_constant())
  }),
  "usual likelihood" = own_engine("gpsieve", function(data) {
    list(likelihood = if (is.factor(data$y)) gpsieve::lik_probit() else gpsieve::lik_gaussian())
  })
)

own_functions <- c("gpsieve", "meanfield_gp", "ivm", "ep_gp", "online_gp", "greedy_gp", "rvm")

defaults_engines <- function() {
  c(
    stats::setNames(lapply(own_functions, own_engine), own_functions), reduced_engines,
    list(
      svm = svm_peer(default_svm), "tuned svm" = svm_peer(tuned_svm),
      ranger = forest_peer, gausspr = dense_peer, "lm or glm" = linear_peer,
      "gam or bam" = additive_peer, xgboost = trees_peer("xgboost"),
      "slow xgboost" = trees_peer("slow-xgboost"), "elastic net" = elastic_peer
    )
  )
}

# The peers called as they come; the best of them, picked in hindsight, is the mark for each set.
default_peers <- c(
  "svm", "ranger", "gausspr", "lm or glm", "gam or bam", "xgboost", "slow xgboost", "elastic net"
)

#' Engines that are run on a set: on the large ones those that end within minutes. gausspr() takes
#' minutes for 2000 rows of spam (case mf-spam) and for 3000 of credit and incomes, and gam() would
#' have 57 smooth terms of spam.
engines_of <- function(set) {
  all <- setdiff(names(defaults_engines()), names(reduced_engines))
  switch(set,
    spam = setdiff(all, c("gausspr", "gam or bam")),
    credit = , incomes = setdiff(all, "gausspr"),
    parity = c("gpsieve", "ep_gp", "ranger"),
    letters = c("gpsieve", "ivm", "ep_gp", "svm", "ranger"),
    wide = c("gpsieve", "ep_gp", "ranger", "lm or glm", "gam or bam"),
    all
  )
}
