# Cross-validation in one call.

#' Cross-validate a model
#'
#' Fits the model anew without each of the folds in turn and predicts the rows of that fold.
#'
#' @param object A function that takes the training rows of a fold and returns a fit, as in
#'   `function(data) ivm(y ~ ., data)`; or a fit made from a formula, but not of
#'   [online_gp()], which [update()][update.gpsieve_fit] fits anew to each training part: its
#'   learned hyper-parameters, which have seen all rows, are then the start of learning (all there
#'   is if `optimise` was `FALSE`).
#' @param data All rows, with the response. Of those that the `subset` of the fit, an expression of
#'   columns, leaves out none takes part; of a fit with a `subset` of row numbers this is refused.
#' @param folds A number of folds, drawn at random, where `object` is a fit with classes spread
#'   evenly; a vector with the fold of each row; or `"time"`: the rows, in the order of the one
#'   column of dates or times or, without such a column, as they stand, are divided into at most ten
#'   blocks, rows of one time together, and the fit to all earlier blocks predicts each block but
#'   the first.
#' @param ... Not used; anything here is an error.
#' @param seed A whole number for the folds and for what the fits draw, or `NULL` to draw one from
#'   R's generator.
#' @return A list of class `gpsieve_cv` with the data frames `rows` (`row`, `fold`, its case
#'   `weight`, the prediction `.pred` or `.pred_class`, and `log_density`, the log predictive
#'   density of the response) and `measures` (`measure`, `estimate` and `std_error` over the rows:
#'   the mean log density, and the root mean squared error or the error rate). The error of
#'   successes among trials is that of their share; of censored numbers, whose errors are not known,
#'   the mean log density is the only measure. [compare()] takes several of them. Folds run in
#'   parallel under the user's [future::plan()] if package future.apply is installed; results do not
#'   depend on it.
#' @examples
#' cv(function(data) ivm(dist ~ speed, data, seed = 1), cars, folds = 5, seed = 1)
#' @export
cv <- function(object, data, folds = 10, ..., seed = NULL) {
  check_dots(...)
  fit_to <- fold_model(object)
  if (missing(data) || !is.data.frame(data)) {
    found <- if (missing(data)) "nothing" else describe(data)
    abort_gpsieve("{.arg data} must be a data frame.", "Found {found}.",
      if (!missing(data)) meant_frame(data, "data"))
  }
  seed <- resolve_seed(seed)
  probe <- if (is_gpsieve_fit(object)) object
  if (!is.null(probe)) {
    lacking <- setdiff(names(columns_of_new(probe)), names(data))
    if (length(lacking)) abort_no_column(lacking[1L], data)
  }
  strata <- if (!is.null(probe)) response_of(probe, data, NULL, "data")
  parted <- parts_of_rows(folds, data, if (is.factor(strata)) strata, seed)
  run <- function(k) {
    part <- parted[[k]]
    gather_said({
      fit <- fit_fold(fit_to, data[part$train, , drop = FALSE], part$fold, seed + k)
      fold_answers(fit, data, intersect(part$test, rows_to_judge(fit, data)), part$fold)
    })
  }
  # Every fold has a seed of its own, so that the future package needs no streams of its own.
  parts <-
    if (rlang::is_installed("future.apply")) {
      future.apply::future_lapply(seq_along(parted), run, future.seed = NULL,
        future.packages = "gpsieve")
    } else {
      lapply(seq_along(parted), run)
    }
  say_once(lapply(parts, `[[`, "said"))
  rows <- do.call(rbind, lapply(parts, function(part) part$value$answers))
  order <- order(rows$row)
  truth <- do.call(c, lapply(parts, function(part) part$value$truth))[order]
  rows <- rows[order, ]
  rownames(rows) <- NULL
  structure(
    list(rows = rows[names(rows) != "loss"], measures = cv_measures(rows),
      response = c(parts_response(rows), list(y = truth), parts[[1L]]$value$rule)),
    class = "gpsieve_cv"
  )
}

# A function of the training rows that makes a fit
fold_model <- function(object) {
  if (is.function(object)) return(function(data) check_fit(without_advice(object(data)), "object"))
  check_fit(object, "object")
  if (is.null(object$formula) || inherits(object, "gpsieve_online_gp")) {
    abort_gpsieve("This fit cannot be fitted anew from {.arg data} alone.",
      hint = "Give a function instead, as in {.code cv(function(data) ivm(y ~ ., data), data)}.",
      class = "unsupported")
  }
  function(data) without_advice(stats::update(object, data = data, verbose = FALSE))
}

# The fit to the training rows of a fold
fit_fold <- function(fit_to, data, fold, seed) {
  rlang::try_fetch(under_seed(seed %% .Machine$integer.max, fit_to(data)),
    gpsieve_error_data = function(e) {
      said <- conditionMessage(e)
      abort_gpsieve("The training rows of fold {.val {fold}} cannot be fitted.", "{said}",
        "{.arg folds} may be a vector that keeps rare classes and levels in the training rows.",
        class = "data")
    }
  )
}

fold_answers <- function(fit, data, rows, fold) {
  weights <- weights_among(fit, data)[rows]
  data <- data[rows, , drop = FALSE]
  truth <- response_of(fit, data, NULL, "data")
  predicted <- unname(stats::predict(fit, data))
  classes <- is_classification(fit$response)
  answers <- data.frame(row = rows, fold = rep(fold, length(rows)))
  answers$weight <- weights
  answers[[if (classes) ".pred_class" else ".pred"]] <- predicted
  answers$log_density <- log_predictive(fit, data, NULL)
  answers$loss <-
    if (classes) as.double(as.character(predicted) != as.character(truth))
    else (predicted - plain_numbers(truth))^2
  list(answers = answers, truth = truth,
    rule = response_rule(fit)[c("outcome", "ptypes", "name", "discrete")])
}

# The weights of rows, where the fit's `weights` are an expression of the data's columns; else 1
weights_among <- function(fit, data) {
  weights <- value_again(fit, "weights", data)
  if (is.null(weights)) return(rep(1, nrow(data)))
  check_weights(weights, nrow(data), FALSE, missing = TRUE)
}

# The rows of data that a fit to them would use: those that its `subset` takes, if their weight is
# known and not 0, where these arguments are expressions of the data's columns
rows_to_judge <- function(fit, data) {
  subset <- value_again(fit, "subset", data)
  rows <- if (is.null(subset)) seq_len(nrow(data)) else rows_in_subset(subset, NULL, nrow(data))
  weights <- weights_among(fit, data)[rows]
  rows[!is.na(weights) & weights > 0]
}

# An argument that a fit repeats for other data, computed from all of these
value_again <- function(fit, arg, data) {
  expr <- fit$settings[[arg]]
  if (!is.null(expr)) eval_in_data(rlang::new_quosure(expr, globalenv()), data, arg)
}

parts_response <- function(rows) {
  list(
    kind = if (is.null(rows$.pred_class)) "real" else "multiclass",
    levels = levels(rows$.pred_class)
  )
}

# Means over the rows with standard errors; that of a root mean square by the delta method
cv_measures <- function(rows) {
  rows <- rows[!is.na(rows$log_density), ]
  # A row counts as often as its weight says.
  mean_of <- function(x) stats::weighted.mean(x, rows$weight)
  error_of <- function(x) error_of_mean(x, rows$weight)
  density <- data.frame(measure = "log density", estimate = mean_of(rows$log_density),
    std_error = error_of(rows$log_density))
  # The errors of censored numbers are not known.
  if (anyNA(rows$loss)) return(density)
  loss <- mean_of(rows$loss)
  rbind(density,
    if (is.null(rows$.pred_class)) {
      data.frame(measure = "root mean squared error", estimate = sqrt(loss),
        std_error = error_of(rows$loss) / (2 * sqrt(loss)))
    } else {
      data.frame(measure = "error rate", estimate = loss, std_error = error_of(rows$loss))
    }
  )
}

#' @export
print.gpsieve_cv <- function(x, ...) {
  cat("Cross-validation: ", nrow(x$rows), " rows, ", length(unique(x$rows$fold)), " folds\n",
    sep = "")
  print_table(x$measures, 4)
  invisible(x)
}
