# A model for package caret.

# nolint start: object_name_linter, object_length_linter. caret's names.

#' A model for caret::train()
#'
#' @param model `"ivm"`, `"ep_gp"`, `"meanfield_gp"`, `"online_gp"`, `"greedy_gp"`, `"rvm"`, or
#'   `"gpsieve"`, which chooses one.
#' @return A list that [caret's `train()`](https://topepo.github.io/caret/) takes as `method`. It
#'   tunes `size`, the number of points the posterior is made of; `"meanfield_gp"`, `"rvm"` and
#'   `"gpsieve"` have nothing to tune. Further arguments of `train()` go to the model.
#' @examples
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   caret::train(dist ~ speed, cars,
#'     method = caret_gpsieve("ivm"), tuneGrid = data.frame(size = c(10, 30)),
#'     trControl = caret::trainControl("cv", number = 2), seed = 1
#'   )
#' }
#' @export
caret_gpsieve <- function(model = "ivm") {
  model <- check_choice(model, framework_models)
  sized <- model %in% sized_models
  list(
    label = paste0("gpsieve: ", model, "()"), library = "gpsieve", loop = NULL,
    type = c("Regression", "Classification"),
    parameters = data.frame(
      parameter = if (sized) "size" else "parameter",
      class = if (sized) "numeric" else "character",
      label = if (sized) "Number of Points" else "Parameter"
    ),
    grid = function(x, y, len = NULL, search = "grid") {
      if (!sized) return(data.frame(parameter = "none"))
      sizes <- unique(pmin(nrow(x), round(10 * 2^(seq_len(len) - 1))))
      data.frame(size = if (search == "random") sample(sizes) else sizes)
    },
    fit = function(x, y, wts, param, lev, last, classProbs, ...) {
      fit_engine(model, x, y, list(weights = wts, size = if (sized) param$size), list(...))
    },
    predict = function(modelFit, newdata, submodels = NULL) {
      unname(stats::predict(modelFit, as.data.frame(newdata)))
    },
    prob = function(modelFit, newdata, submodels = NULL) {
      as.data.frame(stats::predict(modelFit, as.data.frame(newdata), type = "prob"))
    },
    levels = function(x) x$response$levels,
    predictors = function(x, ...) names(x$blueprint$ptypes$predictors),
    sort = function(x) x[order(x[[1L]]), , drop = FALSE],
    tags = c("Gaussian Process", "Kernel Method", "Bayesian Model")
  )
}

# Models that frameworks offer, and those of them that have a size.
framework_models <- c("ivm", "ep_gp", "meanfield_gp", "online_gp", "greedy_gp", "rvm", "gpsieve")
sized_models <- c("ivm", "ep_gp", "online_gp", "greedy_gp")

# nolint end
