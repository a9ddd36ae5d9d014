# Adding rows to a finished online fit.

#' @rdname online_gp
#' @param object A fit made by `online_gp()`.
#' @export
update.gpsieve_online_gp <- function(object, x, y, ..., data, weights = NULL, offset = NULL,
                                     threads = NULL, verbose = interactive()) {
  if (!missing(x) && inherits(x, "formula")) {
    given <- as.list(match.call(expand.dots = FALSE))[-(1:3)]
    asked <- c(rlang::enquos(...),
      lapply(given[names(given) != "..."], rlang::new_quosure, rlang::caller_env()))
    return(refit(object, x, asked, rlang::caller_env()))
  }
  if (...length()) {
    abort_gpsieve("{.fn update} of an online fit takes new rows and nothing else.",
      "Found {length(list(...))} other argument{?s}.",
      "{.code update(fit, . ~ .)} and {.fn online_gp} fit anew, with other settings.")
  }
  validate_fit(object)
  if (has_known_noise(object)) {
    abort_gpsieve("A fit with {.arg noise_sd} absorbs no further rows.",
      hint = "{.fn online_gp} fits all rows anew.", class = "unsupported")
  }
  threads <- resolve_threads(threads)
  verbose <- check_flag(verbose)
  if (missing(x) && missing(data)) {
    abort_gpsieve("{.fn update} needs new rows.",
      hint = "Give {.arg x} and {.arg y}, or {.arg data} for a fit made from a formula.")
  }
  if (!missing(x) && missing(y)) {
    abort_gpsieve("{.arg y}, the response of the new rows, is missing.")
  }
  columns <- if (missing(x) && is.data.frame(data)) data
  offset <- eval_in_data(rlang::enquo(offset), columns, "offset")
  weights <- weights_of_new_rows(object, rlang::enquo(weights), columns, rlang::caller_env())
  new <- if (missing(x)) {
    from_fit(forge_both(object, data, offset))
  } else {
    list(x = from_fit(forge_training(object, x, "x", offset)), y = y)
  }
  new <- complete_new_rows(object, new, weights, if (missing(x)) data else x)
  arg <- if (missing(x)) "data" else "x"
  if (!is.null(new$weights)) new <- repeat_rows(new)
  from_fit(absorb_rows(object, new, arg, threads, verbose))
}

# The weights of new rows: those that are given, else the columns that the first call named. Numbers
# that the first call gave have to be given again.
weights_of_new_rows <- function(object, asked, columns, env) {
  if (!rlang::quo_is_null(asked)) return(eval_in_data(asked, columns, "weights"))
  described <- object$blueprint$weights
  if (!is.null(described)) return(follow_rules(described, columns, "data", "weights")[[1L]])
  # Offsets of new rows are asked for where the rows are read.
  if (is.null(object$settings$weights)) return(check_given_again(object, list(offset = NULL)))
  abort_gpsieve("The {.arg weights} of this fit depend on other rows than their own.",
    hint = "Give those of the new rows: {.code update(fit, weights = )}.", class = "data")
}

# New rows and their `weights` without those that lack a value, which na.action leaves out or
# refuses, as it did in the first fit; `columns` are the rows as they came
complete_new_rows <- function(object, new, weights, columns) {
  n <- nrow(new$x)
  new$y <- canonical_response(new$y)
  check_response_length(new$y, n)
  new$weights <- check_weights(weights, n, FALSE, missing = TRUE)
  outcome <- names(object$blueprint$ptypes$outcomes)
  absent <- c(missing_inputs_of(object, new$x, columns),
    missing_in_columns(list(offset = attr(new$x, "offset"), weights = new$weights)),
    missing_in_columns(stats::setNames(list(new$y), object$response$name)))
  action <- check_na_action(object$settings$na.action)
  left_out <- rows_left_out(absent, c(outcome, object$response$name), n, text_row_names(columns),
    action)
  if (!length(left_out)) return(new)
  kept <- seq_len(n)[-left_out]
  some <- some_new_rows(new, kept)
  some$weights <- new$weights[kept]
  some
}

# The values that are missing in the inputs of new rows, by the columns of the data where these
# have them
missing_inputs_of <- function(object, x, columns) {
  lacking <- has_missing(x)
  if (!any(lacking)) return(NULL)
  predictors <- names(object$blueprint$ptypes$predictors)
  if (is.data.frame(columns)) x <- columns[intersect(predictors, names(columns))]
  found <- lapply(missing_in_columns(x), `&`, lacking)
  # A function of the columns may lack a value where they have theirs.
  unexplained <- lacking & !Reduce(`|`, found, logical(length(lacking)))
  Filter(any, c(found, list(inputs = unexplained)))
}

# New rows as often as their weights say
repeat_rows <- function(new) {
  n <- nrow(new$x)
  check_response_values(new$y, n)
  problem <- list(y = matrix(0, n), cases = list(weight = new$weights))
  visits <- visits_of_rows(problem)
  offset <- attr(new$x, "offset")
  new$x <- new$x[visits, , drop = FALSE]
  attr(new$x, "offset") <- offset[visits]
  new$y <- new$y[visits]
  new
}

# The fit after new rows; `trace` is that of earlier rows of the same call
absorb_rows <- function(object, new, arg, threads, verbose, trace = NULL) {
  check_finite(new$x, arg)
  new$y <- later_response(object, new$y, nrow(new$x))
  n <- nrow(new$x)
  if (n == 0L) return(object)
  if (!follows(object$settings)) return(absorb_part(object, new, threads, verbose))
  begun <- object$n - max(0L, trace$iteration)
  for (part in parts_until_learning(object$n, n, object$settings$control$learn_every)) {
    before <- object$n
    object <- absorb_part(object, some_new_rows(new, part), threads, verbose)
    own <- object$trace
    own$iteration <- own$iteration + as.integer(before - begun)
    own$seconds <- own$seconds + max(0, trace$seconds)
    trace <- rbind(trace, own)
  }
  with_trace(object, trace)
}

# The fit after new rows that have been checked, without learning but after the last of them
absorb_part <- function(object, new, threads, verbose) {
  y <- new$y
  inputs <- object$inputs
  found <- scales_of_columns(new$x, numeric())
  inputs$range[1L, ] <- pmin(inputs$range[1L, ], found$lowest)
  inputs$range[2L, ] <- pmax(inputs$range[2L, ], found$highest)
  offset <- attr(new$x, "offset")
  if (is.numeric(y) && object$response$kind == "real" && !is.null(offset)) {
    y <- y - offset
    offset <- NULL
  }
  coded <-
    if (is.factor(y)) class_indicators(y, object$response) else code_response(y, object)
  problem <- list(
    x = apply_scales(new$x, object$inputs), y = coded, inputs = inputs,
    cases = list(weight = numeric(), offset = as.double(offset)), response = object$response,
    kernel = object$kernel, likelihood = object$likelihood,
    seed = object$seed, threads = threads,
    molded = object[c("blueprint", "formula")]
  )
  stream <- later_stream(object, problem, y)
  run_and_follow(stream, y, object$state$recent, object$settings,
    progress_bar(verbose, "Absorbing rows"))
}

# New training rows, processed by the blueprint of the fit; columns that are not in it are refused
forge_training <- function(object, x, arg, offset) {
  known <- names(object$blueprint$ptypes$predictors)
  takes_all <- is.null(object$formula) && is.null(object$blueprint$recipe)
  other <- if (takes_all) setdiff(colnames(x), known)
  if (length(other)) {
    abort_gpsieve("{.arg {arg}} has {length(other)} column{?s} the training data lack.",
      "New: {.val {other}}. Known: {.val {known}}.", class = "data")
  }
  forge_new(object, x, arg, offset, "training")
}

# Predictors and response from a data frame, for fits made from a formula or a recipe
forge_both <- function(object, data, offset) {
  outcomes <- object$blueprint$ptypes$outcomes
  if (!length(outcomes)) {
    abort_gpsieve("This fit was not made from a formula or a recipe.",
      hint = "Give {.arg x} and {.arg y}.", class = "unsupported")
  }
  x <- forge_training(object, data, "data", offset)
  list(x = x, y = forge_response(object$blueprint, data, "data"))
}

# The response of later rows: of the same kind as the first ones', with no new level
later_response <- function(object, y, n) {
  y <- canonical_response(y)
  response <- object$response
  if (is_classification(response) != is.factor(y)) {
    wanted <- if (is.factor(y)) "numeric" else "a factor, character or logical"
    abort_gpsieve("{.arg y} must be {wanted}, as in the training data.", class = "data")
  }
  check_response_values(y, n)
  if (is.factor(y)) {
    # Ordered classes have cut points between the levels that had rows only.
    known <- if (response$kind == "ordinal") response$present else response$levels
    novel <- setdiff(as.character(y), known)
    if (length(novel)) {
      abort_gpsieve("{.arg y} has {length(novel)} level{?s} the training data lack.",
        "New: {.val {novel}}. Known: {.val {known}}.",
        "Levels that may come later must be levels of the factor in the first fit.", class = "data")
    }
  } else {
    kind <- if (is_pairs(y)) pairs_kind(y) else "number"
    check_response_matches(object$likelihood, kind, y)
  }
  y
}
