# The models in parsnip, workflows and tune. `make test-ecosystem` installs these packages.

skip_without_parsnip <- function(...) {
  skip_on_cran()
  for (package in c("parsnip", "dials", ...)) skip_if_not_installed(package)
}

specification <- function(mode, ...) {
  parsnip::set_engine(gaussian_process(mode, num_inducing = 15), "gpsieve", seed = 1, ...)
}

test_that("specifications print, update and can be made before parsnip is loaded", {
  skip_without_parsnip()
  spec <- specification("regression", inference = "ivm")
  expect_s3_class(spec, c("gaussian_process", "model_spec"))
  expect_output(print(spec), "num_inducing = 15")
  expect_output(print(parsnip::translate(spec)), "fit_gaussian_process")
  changed <- update(spec, num_inducing = 30, rbf_sigma = 0.5)
  expect_equal(rlang::eval_tidy(changed$args$num_inducing), 30)
  expect_s3_class(update(relevance_vector("regression"), rbf_sigma = 1), "relevance_vector")
  expect_true("gpsieve" %in% generics::required_pkgs(spec))
  # A second registration changes nothing.
  expect_no_error(register_parsnip_models())
})

test_that("every inference makes the fit of its model", {
  skip_without_parsnip()
  for (inference in setdiff(names(inference_models), c("auto", "meanfield"))) {
    fit <- parsnip::fit(specification("regression", inference = inference), dist ~ speed, cars) |>
      suppressWarnings(classes = "gpsieve_warning")
    expect_s3_class(fit$fit, paste0("gpsieve_", inference_models[[inference]]))
    expect_equal(predict(fit, cars)$.pred, predict(fit$fit, cars["speed"]))
  }
  expect_error(
    parsnip::fit(specification("regression", inference = "mcmc"), dist ~ speed, cars),
    class = "gpsieve_error_argument"
  )
})

test_that("regression answers every type of prediction", {
  skip_without_parsnip()
  skip_if_not_installed("hardhat", "1.4.1")
  fit <- parsnip::fit(specification("regression", inference = "ivm"), dist ~ speed, cars)
  new <- cars[c(1, 25, 50), ]
  expect_equal(predict(fit, new)$.pred, predict(fit$fit, new))
  for (type in c("conf_int", "pred_int")) {
    found <- predict(fit, new, type = type, level = 0.8)
    limits <- predict(fit$fit, new, level = 0.8,
      interval = c(conf_int = "confidence", pred_int = "prediction")[[type]]
    )
    expect_named(found, c(".pred_lower", ".pred_upper"))
    expect_equal(as.matrix(found), limits[, c("lwr", "upr")], ignore_attr = TRUE)
  }
  quantiles <- predict(fit, new, type = "quantile", quantile_levels = c(0.1, 0.5))
  expect_equal(
    as.matrix(quantiles$.pred_quantile),
    predict(fit$fit, new, type = "quantile", probs = c(0.1, 0.5)),
    ignore_attr = TRUE
  )
  expect_equal(predict(fit, new, type = "raw"), predict(fit$fit, new, type = "link"))
  expect_named(parsnip::augment(fit, new), c(".pred", ".resid", "speed", "dist"),
    ignore.order = TRUE
  )
})

test_that("classification answers every type of prediction", {
  skip_without_parsnip()
  new <- iris[c(1, 60, 120), ]
  fit <- parsnip::fit(specification("classification", inference = "ivm"), Species ~ ., iris)
  expect_equal(predict(fit, new)$.pred_class, predict(fit$fit, new))
  found <- predict(fit, new, type = "prob")
  expect_named(found, paste0(".pred_", levels(iris$Species)))
  expect_equal(as.matrix(found), predict(fit$fit, new, type = "prob"), ignore_attr = TRUE)
  two <- droplevels(iris[1:100, ])
  two$group <- rep(c("a", "b"), 50) # a factor goes in as it is
  fit <- parsnip::fit(specification("classification", inference = "ivm"), Species ~ ., two)
  limits <- predict(fit, two[c(1, 60), ], type = "conf_int")
  middle <- predict(fit, two[c(1, 60), ], type = "prob")
  expect_true(all(limits$.pred_lower_setosa <= middle$.pred_setosa + 1e-8))
  expect_true(all(limits$.pred_upper_versicolor >= middle$.pred_versicolor - 1e-8))
  raw <- predict(fit, two[c(1, 60), ], type = "raw")
  expect_equal(raw, predict(fit$fit, two[c(1, 60), ], type = "link"))
})

test_that("sparse predictors stay sparse", {
  skip_without_parsnip("sparsevctrs", "Matrix", "workflows", "recipes")
  words <- function(n) 1 + rpois(n, 1)
  counts <- with_own_seed(1, Matrix::rsparsematrix(60, 30, 0.1, rand.x = words))
  colnames(counts) <- paste0("w", 1:30)
  y <- as.vector(counts %*% rep(c(1, -1, 0), 10)) + with_own_seed(2, rnorm(60, sd = 0.1))
  for (inference in c("ivm", "ep", "meanfield")) {
    spec <- gaussian_process("regression") |>
      parsnip::set_engine("gpsieve", inference = inference, seed = 1, standardise = FALSE,
        kernel = kernel_linear(), optimise = FALSE)
    fit <- parsnip::fit_xy(spec, counts, y)
    expect_true(is_sparse(fit$fit$basis))
    dense <- parsnip::fit_xy(spec, as.data.frame(as.matrix(counts)), y)
    expect_false(is_sparse(dense$fit$basis))
    for (new in list(counts, as.data.frame(as.matrix(counts)))) {
      if (inference != "ep") expect_equal(predict(fit, new), predict(dense, new), tolerance = 1e-10)
      expect_equal(predict(fit, new)$.pred, predict(fit$fit, counts))
    }
    expect_equal(predict(dense, counts), predict(dense, as.data.frame(as.matrix(counts))))
  }
  spec <- parsnip::set_engine(relevance_vector("classification"), "gpsieve", seed = 1,
    standardise = FALSE, kernel = kernel_linear(), optimise = FALSE)
  fit <- parsnip::fit_xy(spec, counts, factor(y > 0))
  expect_true(is_sparse(fit$fit$basis))
  expect_length(predict(fit, counts)$.pred_class, 60)
  # A workflow takes a sparse tibble; factors beside sparse columns are refused.
  table <- sparsevctrs::coerce_to_sparse_tibble(counts)
  table$y <- y
  spec <- specification("regression", inference = "ivm")
  fit <- parsnip::fit(workflows::workflow(recipes::recipe(y ~ ., table), spec), table)
  expect_true(is_sparse(fit$fit$fit$fit$basis))
  expect_length(predict(fit, table)$.pred, 60)
  table$kind <- rep(c("a", "b"), 30)
  expect_error(parsnip::fit_xy(spec, table[names(table) != "y"], y), "all columns must be numbers",
    class = "gpsieve_error_data")
})

test_that("rbf_sigma keeps the kernel it describes", {
  skip_without_parsnip()
  spec <- gaussian_process("regression", rbf_sigma = 2) |>
    parsnip::set_engine("gpsieve", inference = "ivm", seed = 1)
  fit <- parsnip::fit(spec, dist ~ speed, cars)
  expect_equal(coef(fit$fit)[["lengthscale"]], 0.5)
  twice <- parsnip::set_engine(spec, "gpsieve", kernel = kernel_matern())
  expect_error(parsnip::fit(twice, dist ~ speed, cars), class = "gpsieve_error_argument")
})

test_that("kernlab is an engine too", {
  skip_without_parsnip("kernlab")
  capture.output( # kernlab tells how it finds the width
    fit <- parsnip::fit(gaussian_process("regression", "kernlab"), Volume ~ ., trees)
  )
  expect_equal(
    predict(fit, trees)$.pred, as.vector(kernlab::predict(fit$fit, as.matrix(trees[1:2])))
  )
  fit <- parsnip::fit(gaussian_process("classification", "kernlab", rbf_sigma = 0.2),
    Species ~ ., iris
  )
  expect_gt(mean(predict(fit, iris)$.pred_class == iris$Species), 0.9)
  expect_equal(rowSums(predict(fit, iris, type = "prob")), rep(1, 150), ignore_attr = TRUE)
  fit <- parsnip::fit(relevance_vector("regression", "kernlab", rbf_sigma = 1), Volume ~ ., trees)
  expect_length(predict(fit, trees)$.pred, 31)
})

test_that("relevance vector machines regress and classify", {
  skip_without_parsnip()
  fit <- parsnip::fit(parsnip::set_engine(relevance_vector("regression"), "gpsieve", seed = 1),
    dist ~ speed, cars
  )
  expect_s3_class(fit$fit, "gpsieve_rvm")
  fit <- parsnip::fit(parsnip::set_engine(relevance_vector("classification"), "gpsieve", seed = 1),
    Species ~ ., droplevels(iris[51:150, ])
  )
  predicted <- as.character(predict(fit, iris[51:150, ])$.pred_class)
  expect_gt(mean(predicted == iris$Species[51:150]), 0.9)
})

test_that("a workflow with a recipe is tuned over a grid, in both modes", {
  skip_without_parsnip("workflows", "tune", "recipes", "rsample")
  spec <- gaussian_process("regression", num_inducing = parsnip::tune()) |>
    parsnip::set_engine("gpsieve", inference = "ivm", seed = 1)
  expect_true(all(c("num_inducing", "rbf_sigma") %in% generics::tunable(spec)$name))
  set <- hardhat::extract_parameter_set_dials(spec)
  expect_identical(set$id, "num_inducing")
  recipe <- recipes::recipe(Volume ~ ., trees) |>
    recipes::step_normalize(recipes::all_numeric_predictors())
  set.seed(1)
  folds <- rsample::vfold_cv(trees, v = 3)
  grid <- data.frame(num_inducing = c(5L, 20L))
  found <- tune::tune_grid(workflows::workflow(recipe, spec), folds, grid = grid)
  metrics <- tune::collect_metrics(found)
  expect_identical(sort(unique(metrics$num_inducing)), c(5L, 20L))
  expect_false(anyNA(metrics$mean))
  best <- tune::select_best(found, metric = "rmse")
  final <- parsnip::fit(
    tune::finalize_workflow(workflows::workflow(recipe, spec), best), trees
  )
  expect_length(predict(final, trees)$.pred, nrow(trees))

  spec <- gaussian_process("classification", rbf_sigma = parsnip::tune()) |>
    parsnip::set_engine("gpsieve", inference = "ivm", n_active = 20, seed = 1)
  found <- tune::tune_grid(workflows::workflow(Species ~ ., spec), rsample::vfold_cv(iris, v = 2),
    grid = data.frame(rbf_sigma = c(0.1, 1))
  )
  expect_false(anyNA(tune::collect_metrics(found)$mean))
})

test_that("case weights reach the model, alone and in a workflow", {
  skip_without_parsnip("workflows")
  w <- rep_len(c(1, 3, 0, 2), 50)
  spec <- specification("regression", inference = "ivm", optimise = FALSE)
  weighted <- ivm(dist ~ speed, cars, size = 15, weights = w, optimise = FALSE, seed = 1)
  expected <- predict(weighted, cars)
  expect_gt(max(abs(expected - predict(update(weighted, data = cars, weights = NULL), cars))), 0.1)
  fit <- parsnip::fit(spec, dist ~ speed, cars, case_weights = hardhat::frequency_weights(w))
  expect_equal(predict(fit, cars)$.pred, expected)
  counted <- cbind(cars, w = hardhat::importance_weights(w))
  flow <- workflows::workflow() |>
    workflows::add_case_weights(w) |>
    workflows::add_formula(dist ~ speed) |>
    workflows::add_model(spec)
  expect_equal(predict(parsnip::fit(flow, counted), cars)$.pred, expected)
})
