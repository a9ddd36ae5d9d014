# The models in caret, mlr3, insight, marginaleffects, DALEX, vetiver and butcher. `make
# test-ecosystem` installs these packages.

test_that("caret trains, tunes and predicts in both modes", {
  skip_on_cran()
  skip_if_not_installed("caret")
  folds <- caret::trainControl("cv", number = 2, classProbs = TRUE)
  set.seed(1)
  found <- caret::train(Volume ~ ., trees,
    method = caret_gpsieve("ivm"), trControl = caret::trainControl("cv", number = 2),
    tuneGrid = data.frame(size = c(5, 20)), seed = 1
  )
  expect_identical(found$results$size, c(5, 20))
  expect_false(anyNA(found$results$RMSE))
  expect_equal(predict(found, trees), predict(found$finalModel, trees[1:2]), ignore_attr = TRUE)
  for (model in c("meanfield_gp", "rvm")) {
    found <- caret::train(Species ~ ., iris,
      method = caret_gpsieve(model), trControl = folds, seed = 1
    )
    expect_gt(max(found$results$Accuracy), 0.9)
    expect_named(predict(found, iris, type = "prob"), levels(iris$Species))
  }
  expect_identical(caret_gpsieve("ep_gp")$grid(trees, NULL, 3)$size, c(10, 20, 31))
  expect_error(caret_gpsieve("svm"), class = "gpsieve_error_argument")
})

test_that("caret's weights reach the model", {
  skip_on_cran()
  skip_if_not_installed("caret")
  w <- rep_len(1:3, nrow(trees))
  found <- caret::train(Volume ~ ., trees,
    method = caret_gpsieve("meanfield_gp"), weights = w, seed = 1, optimise = FALSE,
    trControl = caret::trainControl("none")
  )
  fit <- function(...) meanfield_gp(trees[1:2], trees$Volume, ..., optimise = FALSE, seed = 1)
  expect_equal(predict(found, trees), predict(fit(weights = w), trees), ignore_attr = TRUE)
  expect_gt(max(abs(predict(found, trees) - predict(fit(), trees))), 0.01)
})

test_that("mlr3's learners pass its own tests", {
  skip_on_cran()
  skip_if_not_installed("mlr3")
  helpers <- list.files(system.file("testthat", package = "mlr3"), "^helper.*[.]R$",
    full.names = TRUE
  )
  lgr <- getExportedValue("lgr", "get_logger")("mlr3")
  before <- lgr$threshold
  withr::defer(lgr$set_threshold(before))
  lgr$set_threshold("warn")
  tests <- new.env(parent = asNamespace("mlr3"))
  for (file in helpers) sys.source(file, tests)
  for (type in c("regr", "classif")) {
    learner <- mlr3::lrn(paste0(type, ".gpsieve"), seed = 1L, size = 20L)
    tests$expect_learner(learner)
    result <- suppressWarnings(tests$run_autotest(learner), classes = "gpsieve_warning")
    expect_identical(result, TRUE)
  }
  learner <- mlr3_learner("regr")
  learner$predict_type <- "se"
  learner$param_set$set_values(model = "meanfield_gp")
  task <- mlr3::as_task_regr(trees, "Volume")
  learner$train(task)
  sigma <- predict(learner$model, trees, type = "quantile", probs = pnorm(1)) -
    predict(learner$model, trees)
  expect_equal(learner$predict(task)$se, as.vector(sigma), tolerance = 1e-6)
  expect_error(mlr3_learner("cluster"), class = "gpsieve_error_argument")
})

test_that("mlr3mbo optimises with the learner as its surrogate", {
  skip_on_cran()
  skip_if_not_installed("mlr3mbo")
  skip_if_not_installed("bbotk")
  loggers <- lapply(c("mlr3", "mlr3/bbotk", "bbotk"), getExportedValue("lgr", "get_logger"))
  before <- lapply(loggers, function(logger) logger$threshold)
  withr::defer(Map(function(logger, threshold) logger$set_threshold(threshold), loggers, before))
  for (logger in loggers) logger$set_threshold("warn")
  minimise <- function(domain, f, evaluations) {
    objective <- bbotk::ObjectiveRFun$new(fun = function(xs) list(y = f(xs)), domain = domain,
      codomain = paradox::ps(y = paradox::p_dbl(tags = "minimize")))
    instance <- bbotk::OptimInstanceBatchSingleCrit$new(objective,
      terminator = bbotk::trm("evals", n_evals = evaluations))
    learner <- mlr3::lrn("regr.gpsieve", model = "meanfield_gp", seed = 1L, predict_type = "se")
    surrogate <- mlr3mbo::SurrogateLearner$new(learner)
    search <- mlr3mbo::AcqOptimizer$new(bbotk::opt("random_search", batch_size = 100L),
      bbotk::trm("evals", n_evals = 300L))
    optimizer <- bbotk::opt("mbo", loop_function = mlr3mbo::bayesopt_ego, surrogate = surrogate,
      acq_function = mlr3mbo::AcqFunctionEI$new(), acq_optimizer = search)
    # A surrogate that fails is replaced by random rows in silence, unless it must not fail.
    surrogate$param_set$set_values(catch_errors = FALSE)
    suppressWarnings(optimizer$optimize(instance), classes = "gpsieve_warning")
    instance
  }
  found <- withr::with_seed(1, minimise(paradox::ps(x = paradox::p_dbl(0, 1)),
    function(xs) (xs$x - 0.7)^2, 14L))
  expect_lt(found$result_y, 0.002)
  expect_identical(nrow(found$archive$data), 14L)
  # The acquisition function scored what was chosen after the first design.
  expect_true(any(found$archive$data$acq_ei > 0))
  # A factor, a whole number and a number.
  mixed <- paradox::ps(x = paradox::p_dbl(0, 1), n = paradox::p_int(1L, 5L),
    level = paradox::p_fct(c("a", "b", "c")))
  found <- withr::with_seed(1, minimise(mixed, function(xs) {
    (xs$x - 0.3)^2 + (xs$n - 2)^2 / 10 + (xs$level != "b")
  }, 30L))
  expect_identical(found$result_x_domain$level, "b")
  expect_lt(found$result_y, 0.15)
})

test_that("numbers that marginaleffects gives as levels are the numbers", {
  fit <- ivm(mpg ~ wt + factor(vs), mtcars, seed = 1, optimise = FALSE)
  found <- get_predict.gpsieve_fit(fit, transform(mtcars, vs = factor(vs)))
  expect_equal(found$estimate, unname(predict(fit, mtcars)))
  lettered <- transform(mtcars, vs = factor(vs, labels = c("a", "b")))
  expect_error(get_predict.gpsieve_fit(fit, lettered), class = "gpsieve_error_data")
})

test_that("marginaleffects averages predictions, differences and slopes", {
  skip_if_not_installed("marginaleffects")
  fit <- meanfield_gp(Volume ~ ., trees)
  expect_equal(
    marginaleffects::avg_predictions(fit, newdata = trees)$estimate, mean(predict(fit, trees))
  )
  slopes <- marginaleffects::avg_slopes(fit, newdata = trees)
  expect_identical(sort(slopes$term), c("Girth", "Height"))
  up <- transform(trees, Girth = Girth + 0.5)
  down <- transform(trees, Girth = Girth - 0.5)
  step <- marginaleffects::avg_comparisons(fit, newdata = trees, variables = "Girth")
  expect_equal(step$estimate, mean(predict(fit, up) - predict(fit, down)), tolerance = 0.1)
  classes <- ivm(Species ~ ., iris, seed = 1)
  averages <- marginaleffects::avg_predictions(classes, newdata = iris)
  expect_equal(sum(averages$estimate), 1)
  two <- ivm(Species ~ ., droplevels(iris[51:150, ]), seed = 1)
  expect_equal(
    marginaleffects::predictions(two, newdata = iris[51:60, ])$estimate,
    predict(two, iris[51:60, ], type = "prob")[, 2], ignore_attr = TRUE
  )
})

test_that("insight knows the columns of a fit", {
  skip_if_not_installed("insight")
  fit <- meanfield_gp(Volume ~ ., trees)
  expect_identical(insight::find_response(fit), "Volume")
  expect_identical(insight::find_predictors(fit), list(conditional = c("Girth", "Height")))
  expect_identical(insight::find_predictors(fit, flatten = TRUE), c("Girth", "Height"))
  expect_equal(insight::n_obs(fit), 31)
  expect_true(insight::model_info(fit)$is_linear)
})

test_that("DALEX explains means and probabilities", {
  skip_if_not_installed("DALEX")
  fit <- meanfield_gp(Volume ~ ., trees)
  explained <- DALEX::explain(fit, trees[1:2], trees$Volume, verbose = FALSE)
  expect_equal(explained$y_hat, predict(fit, trees))
  expect_s3_class(DALEX::model_parts(explained, B = 2, N = NULL), "data.frame")
  two <- ivm(Species ~ ., droplevels(iris[51:150, ]), seed = 1)
  expect_equal(DALEX::yhat(two, iris[51:60, ]), predict(two, iris[51:60, ], type = "prob")[, 2])
  three <- ivm(Species ~ ., iris, seed = 1)
  expect_identical(dim(DALEX::yhat(three, iris)), c(150L, 3L))
})

test_that("butcher keeps what predicts, vetiver serves it", {
  skip_if_not_installed("butcher")
  fit <- meanfield_gp(Volume ~ ., trees)
  lean <- butcher::butcher(fit)
  expect_identical(predict(lean, trees, type = "quantile"), predict(fit, trees, type = "quantile"))
  expect_lt(object.size(lean), object.size(fit))
  expect_output(print(lean), "Volume")
  skip_if_not_installed("vetiver")
  model <- vetiver::vetiver_model(fit, "volume")
  expect_match(model$description, "Volume")
  expect_identical(model$metadata$required_pkgs, "gpsieve")
  expect_named(model$prototype, c("Girth", "Height"))
  serve <- vetiver::handler_predict(model)
  expect_equal(serve(list(body = trees))$.pred, predict(fit, trees))
  classes <- vetiver::vetiver_model(ivm(Species ~ ., iris, seed = 1), "flowers")
  answer <- vetiver::handler_predict(classes)(list(body = iris[1:3, ]))
  expect_equal(dim(answer$.pred), c(3L, 3L))
})
