# Models for package parsnip: their specifications, and what it calls to fit and to predict. They
# are registered when parsnip is loaded, here or by the user, and nothing here needs it before.

#' Gaussian processes and relevance vector machines in tidymodels
#'
#' Model specifications for package parsnip, for use in its workflows and in tuning.
#'
#' `gaussian_process()` has the modes `"regression"` and `"classification"` and the engines
#' `"gpsieve"` and `"kernlab"` (kernlab's `gausspr()`, which is dense). `relevance_vector()` has the
#' same modes with the engine `"gpsieve"` and regression with `"kernlab"` (its `rvm()`).
#'
#' Engine `"gpsieve"` takes any argument of the model in `set_engine()` but `formula`, `data` and
#' `subset`, for example `kernel`, `likelihood` or `seed`, and for `gaussian_process()` also
#' `inference`, the model itself: `"ep"` ([ep_gp()], the default), `"ivm"`, `"meanfield"`,
#' `"online"`, `"greedy"` or `"auto"`, which leaves the choice to [gpsieve()]. Factors are encoded
#' by the model. Sparse matrices in `fit_xy()`, and sparse columns that recipes make, stay sparse
#' ([sparse-inputs]). It predicts `"numeric"`, `"conf_int"`, `"pred_int"`, `"quantile"`, `"class"`,
#' `"prob"` and `"raw"` (the mean of the latent function); `"conf_int"` of a classification needs
#' two classes.
#'
#' @param mode `"regression"` or `"classification"`.
#' @param engine `"gpsieve"` or `"kernlab"`.
#' @param num_inducing The number of points that the posterior is made of (`size` of the models);
#'   not for `inference = "meanfield"`, and not for engine `"kernlab"`.
#' @param rbf_sigma Inverse width of a squared exponential kernel exp(-rbf_sigma |x - z|^2) of
#'   standardised columns, which is then kept as it is. `NULL`: engine `"gpsieve"` learns the
#'   kernel, `"kernlab"` uses its `"automatic"` rule.
#' @param object A specification.
#' @param parameters,fresh,... As in the methods of [stats::update()] of package parsnip.
#' @param range,trans As in package dials.
#' @return A model specification of package parsnip; `num_inducing()` a parameter of package dials.
#' @examples
#' if (requireNamespace("parsnip", quietly = TRUE)) {
#'   spec <- gaussian_process("regression", num_inducing = 20) |>
#'     parsnip::set_engine("gpsieve", inference = "ivm", seed = 1)
#'   fit <- parsnip::fit(spec, dist ~ speed, data = cars)
#'   predict(fit, cars[1:3, ], type = "pred_int")
#' }
#' @name parsnip-models
NULL

#' @rdname parsnip-models
#' @export
gaussian_process <- function(mode = "unknown", engine = "gpsieve", num_inducing = NULL,
                             rbf_sigma = NULL) {
  rlang::check_installed("parsnip", "for model specifications.")
  parsnip::new_model_spec("gaussian_process",
    args = list(num_inducing = rlang::enquo(num_inducing), rbf_sigma = rlang::enquo(rbf_sigma)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine))
}

#' @rdname parsnip-models
#' @export
relevance_vector <- function(mode = "unknown", engine = "gpsieve", rbf_sigma = NULL) {
  rlang::check_installed("parsnip", "for model specifications.")
  parsnip::new_model_spec("relevance_vector",
    args = list(rbf_sigma = rlang::enquo(rbf_sigma)),
    eng_args = NULL, mode = mode, user_specified_mode = !missing(mode), method = NULL,
    engine = engine, user_specified_engine = !missing(engine))
}

#' @rdname parsnip-models
#' @export
update.gaussian_process <- function(object, parameters = NULL, num_inducing = NULL,
                                    rbf_sigma = NULL, fresh = FALSE, ...) {
  parsnip::update_spec(
    object = object, parameters = parameters, fresh = fresh, cls = "gaussian_process",
    args_enquo_list = list(
      num_inducing = rlang::enquo(num_inducing), rbf_sigma = rlang::enquo(rbf_sigma)
    ), ...
  )
}

#' @rdname parsnip-models
#' @export
update.relevance_vector <- function(object, parameters = NULL, rbf_sigma = NULL, fresh = FALSE,
                                    ...) {
  parsnip::update_spec(object = object, parameters = parameters, fresh = fresh,
    cls = "relevance_vector", args_enquo_list = list(rbf_sigma = rlang::enquo(rbf_sigma)), ...)
}

#' @rdname parsnip-models
#' @export
num_inducing <- function(range = c(10L, 300L), trans = NULL) {
  rlang::check_installed("dials", "for tuning parameters.")
  dials::new_quant_param(type = "integer", range = range, inclusive = c(TRUE, TRUE), trans = trans,
    label = c(num_inducing = "# Inducing Points"), finalize = NULL)
}

# The names of `inference` and their models.
inference_models <- c(
  ep = "ep_gp", ivm = "ivm", meanfield = "meanfield_gp", online = "online_gp",
  greedy = "greedy_gp", auto = "gpsieve"
)

#' Fits that package parsnip calls
#'
#' @param x,y Predictors and response.
#' @param weights Case weights.
#' @param inference,num_inducing,rbf_sigma,... See [gaussian_process()].
#' @return A fit.
#' @keywords internal
#' @export
fit_gaussian_process <- function(x, y, weights = NULL, inference = names(inference_models),
                                 num_inducing = NULL, rbf_sigma = NULL, ...) {
  inference <- check_choice(inference, names(inference_models))
  fit_engine(inference_models[[inference]], x, y,
    list(weights = weights, size = num_inducing, rbf_sigma = rbf_sigma), list(...))
}

#' @rdname fit_gaussian_process
#' @export
fit_relevance_vector <- function(x, y, weights = NULL, rbf_sigma = NULL, ...) {
  fit_engine("rvm", x, y, list(weights = weights, rbf_sigma = rbf_sigma), list(...))
}

# The fit of a model by the arguments that frameworks use, `given`, and those of the model, `more`;
# what is NULL is left to the model
fit_engine <- function(model, x, y, given, more) {
  if (!is.null(given$rbf_sigma)) {
    sigma <- check_number(given$rbf_sigma, "rbf_sigma", above = 0)
    given$kernel <- kernel_rbf(lengthscale = fixed(1 / sqrt(2 * sigma)))
  }
  given["rbf_sigma"] <- NULL
  if (is.null(more$verbose)) more$verbose <- FALSE
  arguments <- c(Filter(Negate(is.null), given), more)
  if (anyDuplicated(names(arguments))) {
    twice <- unique(names(arguments)[duplicated(names(arguments))])
    abort_gpsieve("{.arg {twice}} is given twice.",
      hint = "{.arg rbf_sigma} sets the kernel, {.arg num_inducing} the size.")
  }
  # By its name, so that an error says which model it was.
  without_advice(do.call(model, c(list(engine_inputs(x), y), arguments), envir = topenv()))
}

# The inputs of a framework as a model takes them: a data frame, or a sparse matrix where columns
# are vectors of package sparsevctrs, into which parsnip takes sparse matrices apart
engine_inputs <- function(x) {
  if (is_of_matrix_package(x)) return(x)
  x <- as.data.frame(x)
  # Such vectors need their package to be loaded.
  if (!isNamespaceLoaded("sparsevctrs")) return(x)
  if (!getExportedValue("sparsevctrs", "has_sparse_elements")(x)) return(x)
  other <- names(x)[!vapply(x, is.numeric, NA)]
  if (length(other)) {
    abort_gpsieve("Where some columns are sparse all columns must be numbers.",
      "Found {length(other)} other column{?s}: {.val {other}}.",
      "{.fn step_dummy} of package recipes makes numbers of factors.", class = "data")
  }
  getExportedValue("sparsevctrs", "coerce_to_sparse_matrix")(x)
}

#' @rdname fit_gaussian_process
#' @param model `"gausspr"` or `"rvm"` of package kernlab.
#' @export
fit_kernlab <- function(x, y, model = c("gausspr", "rvm"), rbf_sigma = NULL, ...) {
  rlang::check_installed("kernlab", "for the engine \"kernlab\".")
  model <- check_choice(model)
  scales <- if (is.null(rbf_sigma)) "automatic" else list(sigma = rbf_sigma)
  fitter <- getExportedValue("kernlab", model)
  fitter(as.matrix(x), y, kernel = "rbfdot", kpar = scales, ...)
}

register_parsnip_models <- function() {
  known <- parsnip::get_model_env()$models
  if ("gaussian_process" %in% known) return(invisible())
  parsnip::set_new_model("gaussian_process")
  parsnip::set_new_model("relevance_vector")
  for (mode in c("regression", "classification")) {
    parsnip::set_model_mode("gaussian_process", mode)
    parsnip::set_model_mode("relevance_vector", mode)
    register_engine("gaussian_process", "gpsieve", mode, "fit_gaussian_process")
    register_engine("relevance_vector", "gpsieve", mode, "fit_relevance_vector")
    register_engine("gaussian_process", "kernlab", mode, "fit_kernlab", list(model = "gausspr"))
  }
  register_engine("relevance_vector", "kernlab", "regression", "fit_kernlab", list(model = "rvm"))
}

# The parameters of package dials for the arguments of a specification.
spec_parameters <- list(
  num_inducing = list(pkg = "gpsieve", fun = "num_inducing"),
  rbf_sigma = list(pkg = "dials", fun = "rbf_sigma")
)

register_engine <- function(model, engine, mode, fitter, defaults = list()) {
  own <- engine == "gpsieve"
  parsnip::set_model_engine(model, mode, engine)
  for (package in unique(c(engine, "gpsieve"))) {
    parsnip::set_dependency(model, engine, package, mode)
  }
  # An argument is registered for an engine, whatever the mode.
  for (name in c(if (own && model == "gaussian_process") "num_inducing", "rbf_sigma")) {
    parsnip::set_model_arg(model, engine,
      parsnip = name, original = name, func = spec_parameters[[name]], has_submodel = FALSE)
  }
  parsnip::set_fit(model, mode, engine, value = list(
    interface = if (own) "data.frame" else "matrix",
    protect = c("x", "y", if (own) "weights"),
    func = c(pkg = "gpsieve", fun = fitter), defaults = defaults
  ))
  parsnip::set_encoding(model, mode, engine, options = list(
    predictor_indicators = if (own) "none" else "one_hot", compute_intercept = FALSE,
    remove_intercept = TRUE, allow_sparse_x = own
  ))
  predictions <- if (own) gpsieve_predictions[[mode]] else kernlab_predictions(mode)
  for (type in names(predictions)) parsnip::set_pred(model, mode, engine, type, predictions[[type]])
}

# How parsnip asks a fit for an answer: the arguments of predict(), and what becomes of its value.
new_parsnip_prediction <- function(..., post = NULL, func = c(fun = "predict")) {
  list(pre = NULL, post = post, func = func,
    args = c(list(object = quote(object$fit), newdata = quote(new_data)), list(...)))
}

as_limits <- function(x, object) {
  tibble::tibble(.pred_lower = unname(x[, "lwr"]), .pred_upper = unname(x[, "upr"]))
}

# Limits of the probabilities of both classes, from those of the second
as_class_limits <- function(x, object) {
  limits <- cbind(1 - x[, "upr"], 1 - x[, "lwr"], x[, "lwr"], x[, "upr"])
  colnames(limits) <- paste0(c(".pred_lower_", ".pred_upper_"), rep(object$lvl, each = 2L))
  tibble::as_tibble(as.data.frame(limits, optional = TRUE))
}

as_quantiles <- function(x, object) {
  levels <- object$spec$quantile_levels
  # Not in the versions of hardhat that the package can live with.
  quantile_pred <- getExportedValue("hardhat", "quantile_pred")
  tibble::tibble(.pred_quantile = quantile_pred(unname(x), levels))
}

without_row_labels <- function(x, object) unname(x)

as_class_tibble <- function(x, object) tibble::as_tibble(as.data.frame(x, optional = TRUE))

gpsieve_predictions <- list(
  regression = list(
    numeric = new_parsnip_prediction(type = "response", post = without_row_labels),
    conf_int = new_parsnip_prediction(interval = "confidence", level = quote(level),
      post = as_limits),
    pred_int = new_parsnip_prediction(interval = "prediction", level = quote(level),
      post = as_limits),
    quantile = new_parsnip_prediction(type = "quantile", probs = quote(object$spec$quantile_levels),
      post = as_quantiles),
    raw = new_parsnip_prediction(type = "link")
  ),
  classification = list(
    class = new_parsnip_prediction(type = "class", post = without_row_labels),
    prob = new_parsnip_prediction(type = "prob", post = as_class_tibble),
    conf_int = new_parsnip_prediction(type = "prob", interval = "confidence", level = quote(level),
      post = as_class_limits),
    raw = new_parsnip_prediction(type = "link")
  )
)

# kernlab's predictions: matrices of one column for numbers
kernlab_predictions <- function(mode) {
  ask <- function(type, post = NULL) {
    new_parsnip_prediction(type = type, post = post, func = c(pkg = "kernlab", fun = "predict"))
  }
  column <- function(x, object) x[, 1L]
  if (mode == "regression") return(list(numeric = ask("response", column), raw = ask("response")))
  list(
    class = ask("response"), prob = ask("probabilities", as_class_tibble),
    raw = ask("probabilities")
  )
}
