# Learners for package mlr3.

# What methods of R6 classes see.
utils::globalVariables(c("private", "self", "super"))

#' Learners for mlr3
#'
#' After `library(mlr3)` and `library(gpsieve)`, `lrn("regr.gpsieve")` and `lrn("classif.gpsieve")`
#' are these learners.
#'
#' With `predict_type = "se"` the regression learner is a surrogate for mlr3mbo,
#' `mlr3mbo::SurrogateLearner$new(lrn("regr.gpsieve", model = "meanfield_gp"))`, on spaces of
#' numbers and factors.
#'
#' Regression predicts the response, its standard error (`predict_type = "se"`, that of a new
#' response, half the distance of its quantiles at one normal standard deviation either way) and
#' quantiles; classification predicts classes and probabilities. Hyper-parameters of the learner:
#' `model`, one of those of [caret_gpsieve()] (by default `"ivm"`), `size`, `kernel`, `likelihood`,
#' `standardise`, `seed` and `threads`.
#'
#' @param type `"regr"` or `"classif"`.
#' @return An object of mlr3's class `Learner`.
#' @examples
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   learner <- mlr3_learner("regr")
#'   learner$param_set$set_values(size = 20, seed = 1)
#'   learner$train(mlr3::tsk("mtcars"))
#'   learner$predict(mlr3::tsk("mtcars"))
#' }
#' @export
mlr3_learner <- function(type = c("regr", "classif")) {
  type <- check_choice(type)
  rlang::check_installed(c("mlr3", "paradox", "R6"), "for learners of mlr3.")
  mlr3_learner_class(type)$new()
}

# The class of a learner, made when it is needed: its parent lives in mlr3
mlr3_learner_class <- function(type) {
  regression <- type == "regr"
  parent <- getExportedValue("mlr3", if (regression) "LearnerRegr" else "LearnerClassif")
  R6::R6Class(if (regression) "LearnerRegrGpsieve" else "LearnerClassifGpsieve",
    inherit = parent,
    public = list(
      initialize = function() {
        super$initialize(
          id = paste0(type, ".gpsieve"), param_set = mlr3_parameters(),
          feature_types = c("logical", "integer", "numeric", "character", "factor", "ordered"),
          predict_types =
            if (regression) c("response", "se", "quantiles") else c("response", "prob"),
          properties = if (!regression) c("twoclass", "multiclass") else character(),
          packages = "gpsieve", label = "Sparse Gaussian process", man = "gpsieve::mlr3_learner"
        )
      }
    ),
    private = list(
      .train = function(task) {
        values <- self$param_set$get_values(tags = "train")
        model <- if (is.null(values$model)) "ivm" else values$model
        values$model <- NULL
        fit_engine(model, mlr3_features(task), task$truth(), list(), values)
      },
      .predict = function(task) {
        new <- mlr3_features(task)[task$feature_names]
        if (!regression) mlr3_classes(self$model, new, self$predict_type)
        else if (self$predict_type == "quantiles")
          mlr3_quantiles(self$model, new, private$.quantiles, private$.quantile_response)
        else mlr3_numbers(self$model, new, self$predict_type)
      }
    ),
    # The methods see the functions of this package and `type`.
    parent_env = rlang::current_env())
}

mlr3_features <- function(task) as.data.frame(task$data(cols = task$feature_names))

# Quantiles of a new response; `response` is the one that mlr3 takes as the prediction
mlr3_quantiles <- function(fit, new, probs, response) {
  found <- unname(predict(fit, new, type = "quantile", probs = probs))
  list(quantiles = structure(found, probs = probs, response = response))
}

mlr3_numbers <- function(fit, new, type) {
  if (type == "response") return(list(response = unname(predict(fit, new))))
  # The standard error of a Gaussian response: half the interval between the normal quantiles of
  # one standard deviation.
  limits <- predict(fit, new, type = "quantile", probs = stats::pnorm(c(-1, 1)))
  list(response = unname(predict(fit, new)), se = unname(limits[, 2L] - limits[, 1L]) / 2)
}

mlr3_classes <- function(fit, new, type) {
  if (type == "prob") return(list(prob = predict(fit, new, type = "prob")))
  list(response = unname(predict(fit, new)))
}

mlr3_parameters <- function() {
  paradox::ps(model = paradox::p_fct(framework_models, default = "ivm", tags = "train"),
    size = paradox::p_int(1L, tags = "train"), kernel = paradox::p_uty(tags = "train"),
    likelihood = paradox::p_uty(tags = "train"),
    standardise = paradox::p_lgl(default = TRUE, tags = "train"),
    seed = paradox::p_int(tags = "train"),
    threads = paradox::p_int(1L, tags = c("train", "threads")))
}

# Adds the learners to mlr3's dictionary as soon as mlr3 is there
register_with_mlr3 <- function() {
  add <- function(...) {
    if (!all(rlang::is_installed(c("paradox", "R6")))) return(invisible())
    learners <- getExportedValue("mlr3", "mlr_learners")
    learners$add("regr.gpsieve", function() mlr3_learner("regr"))
    learners$add("classif.gpsieve", function() mlr3_learner("classif"))
  }
  if (isNamespaceLoaded("mlr3")) add() else setHook(packageEvent("mlr3", "onLoad"), add)
}
