# Prediction, the same for fits of all models.

#' Predictions
#'
#' Predicts new rows from a fit of any model: numbers or classes, their probabilities, intervals and
#' quantiles, or the latent function with its standard deviation.
#' ```r
#' fit <- gpsieve(dist ~ speed, cars)
#' predict(fit, data.frame(speed = c(5, 25)))                           # means
#' predict(fit, data.frame(speed = c(5, 25)), interval = "prediction")  # and where new values lie
#' predict(fit, new, type = "prob")                                     # probabilities of classes
#' ```
#'
#' Models end in the same kind of posterior of the latent function f at a row x, from the
#' kernel values \eqn{k_B(x)} between x and the basis points:
#' \deqn{mean(x) = b + k_B(x)'\alpha, \quad var(x) = c\,k(x,x) - |D k_B(x)|^2 + |U k_B(x)|^2.}
#' Each leaf of [local_gp()] and `ivm(leaf_rows = )` has one, [rvm()] with `variance = "augmented"`
#' adds a term to the variance, and the variance of [meanfield_gp()] by conjugate gradients is
#' another one (see its section on many rows).
#'
#' @param object A fit.
#' @param newdata Data frame or matrix with the training columns (also a sparse one, see
#'   [sparse-inputs]), or a source of rows, but for `type = "terms"`, `cov` and `offset`; extra
#'   columns with names are ignored. Without it the answer is for the training rows, of which the
#'   fit keeps what that needs (setting `keep` of the model's control function), but for `type =
#'   "terms"` and `cov`, which need it; rows left out by `na.action = na.exclude` are `NA`.
#' @param type
#' * `"response"`: the mean of a numeric response, or the most probable class as a factor with the
#'   training levels.
#' * `"class"`: the same as `"response"` where the response is a class.
#' * `"prob"`: an n x K matrix of class probabilities, columns named by level. For more than two
#'   classes without an order, each class has a machine that tells the class from the rest, and the
#'   probabilities are the odds of the machines divided by the sum of the odds: the probability of
#'   each class given that exactly one machine says yes. Before that the odds are raised to a power,
#'   for which the leave-one-out probabilities of the training rows are largest, with a prior that
#'   holds the power near 1, where the fit has such probabilities ([meanfield_gp()], [local_gp()],
#'   refined [ivm()], [ep_gp()] with `method = "ep"` and `multiclass = "ovr"`, [rvm()] with
#'   `inference = "tap"`, [online_gp()] with sweeps of EP). A joint [ep_gp()] has no machines: the
#'   probability of a class is that of its latent function being the largest.
#' * `"link"`: the latent function's mean, prior mean included (a matrix for several classes without
#'   an order).
#' * `"quantile"`: quantiles of the predictive distribution of a numeric response, an
#'   n x `length(probs)` matrix.
#' * `"survival"`: the probability that a numeric response exceeds each of `times`, an
#'   n x `length(times)` matrix; not with `noise_sd`, nor of successes among trials.
#' * `"terms"`: where the kernel is a sum, as `y ~ g(a) + g(b, c)` makes it, the latent function's
#'   terms, an n x T matrix (a list of them for several latent functions). With `constant`, its
#'   attribute, and an offset the rows add up to `"link"`. Independent noise, such as
#'   [kernel_white()], is no term: its mean is 0.
#' @param se.fit Also the standard deviation? Then the answer is `list(fit, se.fit)`. With
#'   `type = "link"` it is the posterior standard deviation of the latent function, with
#'   `type = "response"` that of the mean response, which for counts is the exponential of the
#'   latent function. Classes and their probabilities have none; see `interval`.
#' @param probs Probabilities of the quantiles; only with `type = "quantile"`.
#' @param times Numbers in the unit of the response; only with `type = "survival"`.
#' @param into Where predictions for a source of rows (see [rows_from_function()]) go: the name of a
#'   new `.csv` or `.parquet` file, or `list(con, "table")` for a new table of a database, which may
#'   be the one that is read. The file or table appears when all predictions are in it; an
#'   interrupted or failed call leaves none, and one that exists is never overwritten. `NULL`
#'   collects the predictions in one data frame.
#' @param interval As in [stats::predict.lm()], a matrix with the columns `fit`, `lwr` and `upr`.
#'   * `"confidence"`: where the mean response lies (`type = "response"`), the latent function
#'     (`type = "link"`; a list with one matrix for each of several latent functions), or the
#'     probability of the second of two classes (`type = "prob"`). The limits are quantiles of the
#'     posterior of the latent function, transformed to the response.
#'   * `"prediction"`: where a new numeric response lies; the limits are quantiles of its predictive
#'     distribution.
#' @param level Probability that an interval covers.
#' @param cov With `type = "link"`: also the joint posterior covariance of the latent function
#'   between all rows of `newdata`? Then the answer is `list(fit, cov)`; `cov` is an n x n matrix
#'   with the squares of `se.fit` on its diagonal, or a list with one matrix for each of several
#'   latent functions, which are independent of each other. Rows with missing values are `NA`. Rows
#'   that ask no machine in common of a fit with `leaf_rows` ([ivm()]) have covariance 0. A fit by
#'   [rvm()] with `variance = "augmented"` has no covariances.
#' @param new_levels What becomes of a row with a level of a factor that the training data lack:
#'   `"NA"`, its prediction is `NA`, with one warning that names up to five levels of each column;
#'   `"error"`, nothing is predicted; `"average"`, the row gets the average of the levels by how
#'   often the training rows have each, case weights included, with the same warning. Levels that
#'   [kernel_categorical()] or a group reads are predicted, see there, unless `"error"`. Columns
#'   that a recipe makes and functions of factors in a formula have no average: such rows are `NA`.
#' @param offset The offset of each row of `newdata`, for fits that were given one as numbers; an
#'   `offset()` in the formula is computed from `newdata`.
#' @param noise_sd For fits with known noise: the standard deviation of the noise of each row of
#'   `newdata`, which prediction intervals and quantiles need. It is computed from `newdata` where
#'   the fit's was an expression of columns.
#' @param cluster A cluster of package parallel, such as [parallel::makeCluster()] and
#'   `mirai::make_cluster()` return: its workers predict blocks of rows, each with one thread or
#'   `threads`. The bits do not depend on the number of workers. A block whose worker dies goes to
#'   another worker, and to the calling process when there is none left, after a warning.
#' @param threads Number of threads; results do not depend on it.
#' @param verbose Show a progress bar for long predictions?
#' @param ... Not used; anything here is an error.
#' @return As many rows as `newdata`, in its order, with its row names if these are text (but for
#'   those of a source). A row with
#'   a missing value gives `NA`, unless the fit models missing values of that column
#'   (`na.action = "model"`). Predicted means, classes, probabilities and quantiles of
#'   a row do not depend on the other rows.
#' @section Errors: classed `gpsieve_error_data` for missing columns and infinite values;
#'   `gpsieve_error_unsupported` for a type the response does not have.
#' @seealso [simulate()][simulate.gpsieve_fit] and [posterior_draws()] for joint draws.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' line <- ivm(dist ~ speed, cars, seed = 1)
#' predict(line, cars[1:3, ], interval = "prediction")
#' predict(line, cars[1:3, ], type = "link", cov = TRUE)$cov
#' @importFrom stats predict
#' @export
predict.gpsieve_fit <- function(object, newdata,
                                type = c("response", "prob", "link", "quantile", "class",
                                  "survival", "terms"),
                                se.fit = FALSE, probs = c(0.05, 0.95), ...,
                                interval = c("none", "confidence", "prediction"), level = 0.95,
                                cov = FALSE, new_levels = c("NA", "error", "average"),
                                offset = NULL, noise_sd = NULL, times = NULL, into = NULL,
                                cluster = NULL,
                                threads = NULL, verbose = FALSE) {
  check_dots(...)
  validate_fit(object)
  wanted <- list(
    type = check_choice(type),
    se.fit = check_flag(se.fit), cov = check_flag(cov),
    interval = check_choice(interval),
    level = check_level(level),
    new_levels = check_choice(new_levels, new_level_rules)
  )
  check_answer_is_offered(object, wanted)
  if (wanted$type == "class") wanted$type <- "response"
  if (!missing(probs) && wanted$type != "quantile") {
    abort_gpsieve("{.arg probs} goes with {.code type = \"quantile\"} only.",
      "Found {.code type = \"{wanted$type}\"}.")
  }
  if (is.null(times) != (wanted$type != "survival")) {
    abort_gpsieve("{.arg times} and {.code type = \"survival\"} go together.",
      if (is.null(times)) "Found no {.arg times}." else "Found {.code type = \"{wanted$type}\"}.")
  }
  if (!missing(level) && wanted$interval == "none") {
    abort_gpsieve("{.arg level} goes with an {.arg interval}.",
      hint = "Add {.code interval = \"confidence\"} or {.code \"prediction\"}.")
  }
  if (!is.null(noise_sd) && !has_known_noise(object)) {
    abort_gpsieve("This fit has no known noise.", "Found {.arg noise_sd}.", class = "unsupported")
  }
  wanted["noise_sd"] <- list(noise_sd)
  wanted$probs <- if (wanted$type == "quantile") check_probs(probs)
  wanted$times <- if (wanted$type == "survival") check_times(times)
  if (wanted$type == "terms") {
    given <- list(offset = offset, noise_sd = noise_sd, into = into, cluster = cluster)
    return(predict_terms(object, newdata, wanted, given, threads))
  }
  if (missing(newdata)) {
    check_goes_without_newdata(
      list(cov = if (cov) cov, offset = offset, noise_sd = noise_sd, into = into))
    return(from_fit(predict_training(object, wanted)))
  }
  check_predict_cluster(cluster, wanted)
  worker_threads <- if (is.null(threads)) 1L else resolve_threads(threads)
  threads <- resolve_threads(threads)
  bar <- progress_bar(check_flag(verbose), "Predicting")

  answer <- function(newdata) {
    predict_newdata(object, newdata, offset, wanted, core_settings(threads, bar))
  }
  workers <- if (!is.null(cluster)) prediction_workers(object, wanted, cluster, worker_threads)
  if (!is.null(workers)) on.exit(workers$close())
  newdata <- as_source(newdata)
  if (is_source(newdata)) {
    all_at_once <- if (wanted$cov) "cov" else if (!is.null(offset)) "offset"
    if (!is.null(all_at_once)) {
      abort_gpsieve("{.arg {all_at_once}} needs all rows at once.", "Found a source of rows.",
        "Give a data frame as {.arg newdata}.", class = "unsupported")
    }
    return(once_missing(once_unseen(predict_source(newdata, into, answer, columns_of_new(object),
      workers, function(data) look_for_new_levels(object, data, wanted)))))
  }
  if (!is.null(into)) {
    abort_gpsieve("{.arg into} goes with a source of rows as {.arg newdata} only.")
  }
  found <- if (is.null(workers) || !isTRUE(nrow(newdata) > 0)) {
    answer(newdata)
  } else {
    # Faults of the data are found again here, where the message is about all rows.
    tryCatch({
      look_for_new_levels(object, newdata, wanted)
      predict_on_cluster(workers, newdata, offset)
    }, gpsieve_error = function(e) answer(newdata))
  }
  with_row_names(found, text_row_names(newdata))
}

# Predictions for new data
predict_newdata <- function(object, newdata, offset, wanted, settings) {
  x <- from_fit(forge_new(object, newdata, offset = offset, new_levels = wanted$new_levels))
  if (asks_for_noise(object, wanted)) {
    attr(x, "noise_sd") <- noise_of_rows(object, newdata, wanted$noise_sd)
  }
  if (asks_for_trials(object, wanted)) {
    attr(x, "trials") <- trials_of_rows(object, newdata)
  }
  from_fit(predict_rows(object, x, wanted, settings))
}

# Predictions for the rows of a model matrix; rows with missing values give NA. `wanted` is a list
# with the `type`, `se.fit`, `interval`, `level`, `cov` and `probs` of predict().
predict_rows <- function(object, x, wanted, settings) {
  new <- complete_rows(object, x)
  variance <- wanted$type %in% c("prob", "quantile", "survival") || wanted$se.fit ||
    wanted$interval != "none" || needs_variance(object)
  latent <- latent_marginals(object, new$rows, variance, settings, new$offset)
  spread <- function(values) fill_rows(values, new$complete, nrow(x))
  if (wanted$cov) {
    covariance <- latent_covariances(object, new$rows, settings)
    return(list(
      fit = spread(latent_mean(object, latent)),
      cov = one_or_all(lapply(covariance, fill_square, new$complete, nrow(x)))
    ))
  }
  answer_from(object, latent, wanted, spread, new$noise_sd, new$trials)
}

# What predict() says of latent marginals; `spread` puts the answers of complete rows in all rows
answer_from <- function(object, latent, wanted, spread, noise_sd = NULL, trials = NULL) {
  latent$trials <- trials
  if (!is.null(noise_sd) && asks_for_noise(object, wanted)) {
    changed <- with_noise_of_rows(object, latent, noise_sd)
    object <- changed$fit
    latent <- changed$latent
  }
  if (wanted$type == "response" && is_classification(object$response)) {
    return(predicted_class(object, latent, spread))
  }
  answer <-
    if (wanted$interval != "none") predicted_interval(object, latent, wanted)
    else point_prediction(object, latent, wanted)
  answer <- if (is.list(answer)) lapply(answer, spread) else spread(answer)
  if (!wanted$se.fit) return(answer)
  list(fit = answer, se.fit = spread(standard_error(object, latent, wanted$type)))
}

point_prediction <- function(fit, latent, wanted) {
  switch(wanted$type,
    response = predicted_mean(fit, latent),
    prob = predicted_probabilities(fit, latent),
    link = latent_mean(fit, latent),
    quantile = predicted_quantiles(fit, latent, wanted$probs),
    survival = predicted_survival(fit, latent, wanted$times))
}

# The rows of forged data without missing values: `complete`, their numbers; `rows`, their inputs
# on the scale of computation; `offset`, NULL if the fit has none
complete_rows <- function(fit, x) {
  offset <- attr(x, "offset")
  absent <- has_missing(x)
  if (!is.null(offset)) absent <- absent | is.na(offset)
  noise_sd <- attr(x, "noise_sd")
  if (!is.null(attr(x, "trials"))) absent <- absent | is.na(attr(x, "trials"))
  if (!is.null(noise_sd)) absent <- absent | is.na(noise_sd)
  complete <- which(!absent)
  list(
    complete = complete, rows = rows_for_fit(fit, x[complete, , drop = FALSE]),
    offset = offset[complete], noise_sd = noise_sd[complete],
    trials = attr(x, "trials")[complete]
  )
}

# A binary class is decided by the sign of the latent mean (both links are symmetric), a Gaussian
# or Student mean by the latent mean alone.
needs_variance <- function(fit) !fit$response$kind %in% c("real", "binary")

# Spreads predictions of the complete rows over all rows, NA elsewhere
fill_rows <- function(values, complete, n) {
  if (is.null(values)) return(NULL)
  if (is.matrix(values)) {
    out <- matrix(values[NA_integer_][1L], n, ncol(values), dimnames = list(NULL, colnames(values)))
    out[complete, ] <- values
    return(out)
  }
  if (length(complete) == n) return(values)
  out <- rep(values[NA_integer_], n)
  out[complete] <- values
  out
}

predicted_class <- function(fit, latent, spread) {
  response <- fit$response
  chosen <- if (response$kind == "binary") {
    1L + (drop(latent$mean) > 0)
  } else {
    max.col(log_class_probabilities(fit$likelihood, response, latent), "first")
  }
  as_classes(response$present[spread(as.integer(chosen))], response)
}

# Predictions for the training rows, from what the fit keeps of them
predict_training <- function(object, wanted) {
  kept <- kept_rows(object, "predict")
  trials <- if (asks_for_trials(object, wanted)) trials_of(kept$y)
  answer <- answer_from(object, kept[c("mean", "variance")], wanted, identity, kept$noise_sd,
    trials)
  for_training_rows(object, answer)
}
