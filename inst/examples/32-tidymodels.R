# Settings of a model tuned with tidymodels: gaussian_process() of gpsieve is a model of parsnip.
library(gpsieve)

needed <- c("parsnip", "workflows", "tune", "rsample", "yardstick")
lacking <- needed[!vapply(needed, requireNamespace, NA, quietly = TRUE)]
if (length(lacking)) {
  message("This example needs ", toString(lacking), ".")
} else {
  library(parsnip)
  spec <- gaussian_process("regression", num_inducing = tune::tune(), rbf_sigma = tune::tune()) |>
    set_engine("gpsieve", seed = 1)
  set.seed(1)
  folds <- rsample::vfold_cv(faithful, v = 3)
  grid <- expand.grid(num_inducing = c(5, 20), rbf_sigma = c(0.1, 1, 10))
  tried <- tune::tune_grid(workflows::workflow(waiting ~ eruptions, spec), folds, grid = grid)
  print(tune::show_best(tried, metric = "rmse"))

  # The best settings, fitted to all rows
  best <- tune::finalize_workflow(workflows::workflow(waiting ~ eruptions, spec),
    tune::select_best(tried, metric = "rmse"))
  chosen <- fit(best, faithful)
  print(predict(chosen, data.frame(eruptions = c(2, 4)), type = "pred_int"))
}
