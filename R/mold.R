# From the arguments of the user to a numeric matrix and the response, and the same for new data.

#' Predictors as a numeric matrix, the outcome as it came, and the blueprint for new data
#' @noRd
new_molded <- function(x, y, blueprint, formula = NULL, outcome = "y", columns = colnames(x)) {
  list(
    x = x, y = y, blueprint = blueprint, formula = formula, outcome = outcome, columns = columns
  )
}

mold_xy <- function(x, y, call, weights = NULL, offset = NULL) {
  if (missing(y)) {
    abort_gpsieve("{.arg y}, the response, is missing.", class = "argument", call = call)
  }
  molded <-
    if (is_of_matrix_package(x)) mold_sparse(x, y, call)
    else if (is.matrix(x)) mold_matrix(x, y, call)
    else mold_columns(x, y, call)
  if (is.null(weights) && is.null(offset)) return(molded)
  molded$y <- canonical_response(molded$y, call)
  check_response_values(molded$y, nrow(molded$x), call)
  with_cases(molded, weights, offset, call)
}

mold_columns <- function(x, y, call) {
  check_columns(x, "x", call)
  check_has_size(x, "x", call)
  check_column_names(x, "x", call)
  x <- flags_to_numbers(as.data.frame(x, optional = TRUE))
  made <- design_from_columns(x, "x", call)
  new_molded(made$x, y, new_blueprint(x, made$design))
}

#' A matrix of numbers is already what the core computes with: it may be large and is not copied.
#' @noRd
mold_matrix <- function(x, y, call) {
  first <- check_numeric_matrix(x[seq_len(min(1L, nrow(x))), , drop = FALSE], "x", call)
  check_has_size(x, "x", call)
  check_column_names(first, "x", call)
  first <- as.data.frame(flags_to_numbers(first), optional = TRUE)
  if (!is.double(x)) x <- flags_to_numbers(x)
  design <- design_from_columns(first, "x", call)$design
  new_molded(x, y, new_blueprint(first, design), columns = names(first))
}

#' `weights`, `offset` and `subset` are quosures, evaluated among the columns of `data`
#' @noRd
mold_formula <- function(formula, data, call, weights = rlang::quo(NULL),
                         offset = rlang::quo(NULL), subset = rlang::quo(NULL), na_action = NULL) {
  if (missing(data)) {
    abort_gpsieve("{.arg data} is missing.",
      hint = "Give the data frame that holds the formula's variables.", call = call
    )
  }
  na_action <- check_na_action(na_action, call)
  data <- as_source(data)
  if (is_rows(data)) {
    check_plain_rows(weights, offset, subset, na_action, call)
    return(mold_rows(formula, data, call))
  }
  if (!is.data.frame(data)) {
    found <- describe(data)
    abort_gpsieve("{.arg data} must be a data frame.", "Found {found}.", call = call)
  }
  if (length(formula) != 3L) {
    abort_gpsieve("{.arg formula} must have a response on its left side, as in {.code y ~ x}.",
      call = call
    )
  }
  check_has_size(data, "data", call)
  env <- environment(formula)
  if (is.null(env)) env <- formula_functions()
  described <- describe_terms(formula, names(data), call)
  used <- columns_of_terms(described, data)
  check_not_response(used, all.vars(formula[[2L]]), call)
  cases <- rows_of_formula(data, formula, described, used,
    list(weights = weights, offset = offset, subset = subset), na_action, call
  )
  if (!is.null(cases$kept)) data <- data[cases$kept, , drop = FALSE]
  outcome <- mold_response(formula[[2L]], data, env, call)
  predictors <- as.data.frame(data)[used]
  check_column_names(data[names(data) %in% used], "data", call)
  check_columns(predictors, "data", call)
  predictors <- flags_to_numbers(predictors)
  made <- design_from_terms(described, predictors, env, call)
  offsets <- mold_offsets(cases$offsets, data, env, call)
  attr(formula, ".Environment") <- NULL
  blueprint <- new_blueprint(predictors, made$design, outcome, offset = offsets)
  molded <- new_molded(made$x, outcome$y, blueprint, formula = formula, outcome = outcome$name)
  if (length(offsets$rules)) {
    molded$offset <- check_offset(evaluate_offset(offsets$rules, as.data.frame(data), "data", call),
      nrow(data), call)
  }
  if (!is.null(cases$offset)) {
    molded$blueprint$offset <- list(given = TRUE)
    molded$offset <- if (is.null(molded$offset)) cases$offset else molded$offset + cases$offset
  }
  molded[c("weights", "kept", "na_action", "repeatable")] <-
    cases[c("weights", "kept", "na_action", "repeatable")]
  molded
}

#' Which rows of `data` take part in a fit, and with which weights and offsets
#'
#' Returns a list: `kept`, row numbers, or NULL for all; `na_action`; `weights` and `offset` of
#' these rows; `offsets`, expressions to be computed from the data, for these rows and new ones; and
#' `repeatable`, the arguments that update() gives again.
#' @noRd
rows_of_formula <- function(data, formula, described, used, given, na_action, call) {
  n <- nrow(data)
  variables <- as.list(attr(described, "variables"))[-1L]
  offsets <- lapply(variables[attr(described, "offset")], `[[`, 2L)
  weights <- check_weights(eval_in_data(given$weights, data, "weights", call), n, call)
  of_weights <- expression_in_data(given$weights, data)
  expr <- expression_in_data(given$offset, data)
  offset <- if (is.null(expr)) {
    check_offset(eval_in_data(given$offset, data, "offset", call), n, call)
  }
  offsets <- c(offsets, expr)
  subset <- eval_in_data(given$subset, data, "subset", call)
  kept <- rows_in_subset(subset, weights, n, call)
  if (is.null(kept)) kept <- seq_len(n)
  needed <- unique(c(used, unlist(lapply(c(offsets, formula[[2L]]), all.vars))))
  left_out <- rows_left_out(
    as.data.frame(data)[kept, intersect(needed, names(data)), drop = FALSE], na_action
  )
  if (length(left_out)) kept <- kept[-left_out]
  if (!length(kept)) {
    abort_gpsieve("{.arg data} must have at least one row without missing values.",
      "Found none.", class = "data", call = call
    )
  }
  repeatable <- list(
    weights = of_weights, offset = expr, na.action = if (na_action != "na.fail") na_action
  )
  all_rows <- identical(kept, seq_len(n))
  list(
    kept = if (!all_rows) kept, na_action = left_out, weights = weights[kept],
    offset = offset[kept], offsets = offsets, repeatable = Filter(Negate(is.null), repeatable)
  )
}

#' The offsets of a formula as rules that new rows follow too; NULL if there are none
#' @noRd
mold_offsets <- function(expressions, data, env, call) {
  if (!length(expressions)) return(NULL)
  columns <- as.data.frame(data)
  names(expressions) <- vapply(expressions, expr_text, "")
  rules <- lapply(expressions, remember, columns, env, call)
  needed <- intersect(unique(unlist(lapply(rules, all.vars))), names(data))
  list(rules = rules, columns = columns[0L, needed, drop = FALSE])
}

#' A source of rows has neither weights nor offsets, and all of its rows take part
#' @noRd
check_plain_rows <- function(weights, offset, subset, na_action, call) {
  quosures <- list(weights = weights, offset = offset, subset = subset)
  given <- names(quosures)[!vapply(quosures, function(q) {
    rlang::quo_is_missing(q) || rlang::quo_is_null(q)
  }, NA)]
  if (na_action != "na.fail") given <- c(given, "na.action")
  if (!length(given)) return(invisible())
  abort_gpsieve("A source of rows takes no {.arg {given}}.",
    hint = "Let the source return the rows that take part, as often as they count.",
    class = "unsupported", call = call
  )
}

#' The terms of a formula's right-hand side; a dot stands for all columns but the response's
#' @noRd
describe_terms <- function(formula, columns, call) {
  others <- as.list(setdiff(columns, all.vars(formula[[2L]])))
  names(others) <- others
  described <- tryCatch(stats::terms(formula[-2L], data = others), error = function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("{.arg formula} cannot be read.", "{said}.", call = call)
  })
  if (!length(attr(described, "term.labels"))) {
    abort_gpsieve("{.arg formula} must have at least one predictor.",
      "Found none on its right side.", class = "data", call = call
    )
  }
  described
}

#' Names of the columns that the terms need. A term taken away, as in y ~ . - a, needs none.
#' @noRd
columns_of_terms <- function(described, data) {
  kept <- rowSums(attr(described, "factors") > 0L) > 0L
  variables <- as.list(attr(described, "variables"))[-1L][kept]
  intersect(unique(unlist(lapply(variables, all.vars))), names(data))
}

check_not_response <- function(used, response, call) {
  both <- intersect(used, response)
  if (!length(both)) return(invisible())
  abort_gpsieve("The response must not be a predictor as well.",
    "{.val {both}} stand{?s/} on both sides of {.arg formula}.", call = call
  )
}

#' The left-hand side of a formula: its value, its name and how to compute it for later rows
#' @noRd
mold_response <- function(expr, data, env, call) {
  columns <- as.data.frame(data)
  rule <- remember(expr, columns, env, call)
  name <- expr_text(expr)
  y <- evaluate(rule, name, columns, "data", call)
  if (NCOL(y) != 1L) {
    abort_gpsieve("{.arg formula} must have exactly one response.", "Found {NCOL(y)}.", call = call)
  }
  list(y = y, name = name, rule = rule, columns = columns[intersect(all.vars(rule), names(data))])
}

mold_recipe <- function(x, data, call, weights, offset) {
  if (missing(data) || !is.data.frame(data)) {
    found <- if (missing(data)) "nothing" else describe(data)
    abort_gpsieve("{.arg data} must be a data frame.", "Found {found}.", call = call)
  }
  check_has_size(data, "data", call)
  novel <- any(vapply(x$steps, inherits, NA, c("step_novel", "step_other")))
  recipe <- hardhat::default_recipe_blueprint(composition = "tibble", allow_novel_levels = novel)
  molded <- with_recipe(hardhat::mold(x, data, blueprint = recipe), "data", call)
  if (ncol(molded$outcomes) != 1L) {
    abort_gpsieve("The recipe must have exactly one outcome.", "Found {ncol(molded$outcomes)}.",
      call = call
    )
  }
  weights <- eval_in_data(weights, data, "weights", call)
  in_recipe <- molded$extras$roles$case_weights
  if (!is.null(in_recipe)) {
    if (!is.null(weights)) {
      abort_gpsieve("The recipe has case weights of its own.",
        "Found others in {.arg weights}.", call = call
      )
    }
    weights <- in_recipe[[1L]]
  }
  check_columns(molded$predictors, "x", call)
  check_has_size(molded$predictors, "x", call)
  made <- design_from_columns(flags_to_numbers(as.data.frame(molded$predictors)), "data", call)
  recipe <- lean_recipe_blueprint(molded$blueprint)
  blueprint <- new_blueprint(recipe$ptypes$predictors, made$design,
    list(name = names(molded$outcomes), columns = recipe$ptypes$outcomes), recipe
  )
  out <- new_molded(made$x, molded$outcomes[[1L]], blueprint, outcome = names(molded$outcomes))
  with_cases(out, weights, eval_in_data(offset, data, "offset", call), call)
}

#' What must be known of the training data to treat new rows as they were treated
#'
#' `ptypes` are the columns that new data must have, without rows; `design` makes numbers of them
#' (design.R), after `recipe`, hardhat's blueprint of a recipe, where there is one; `outcome` is the
#' response: its `name`, its `columns` and, for a formula, the `rule` that computes it. `offset`
#' holds the `rules` that compute the offset and the `columns` that they need, or `given = TRUE`
#' where it came as numbers.
#' @noRd
new_blueprint <- function(predictors, design, outcome = NULL, recipe = NULL, offset = NULL) {
  blueprint <- structure(
    list(
      ptypes = list(
        predictors = predictors[0L, , drop = FALSE],
        outcomes = if (!is.null(outcome)) outcome$columns[0L, , drop = FALSE]
      ),
      design = design, outcome = outcome[c("name", "rule")], recipe = recipe
    ),
    class = "gpsieve_blueprint"
  )
  blueprint$offset <- offset
  blueprint
}

#' New data as a numeric matrix with the training columns; rows with missing values stay. The
#' attribute `offset` holds the offset of each row, where the fit has one; `offset` is what the
#' caller gives as such.
#' @noRd
forge_new <- function(fit, newdata, call, arg = "newdata", offset = NULL) {
  x <- forge_predictors(fit, newdata, call, arg)
  offset <- new_offset(fit, newdata, offset, call, arg)
  if (!is.null(offset)) attr(x, "offset") <- offset
  x
}

forge_predictors <- function(fit, newdata, call, arg) {
  if (is_sparse(fit$basis)) return(forge_sparse(fit, newdata, call, arg))
  blueprint <- fit$blueprint
  wanted <- blueprint$ptypes$predictors
  if (is_of_matrix_package(newdata)) newdata <- made_dense(newdata, call)
  if (is.matrix(newdata)) {
    newdata <- check_numeric_matrix(newdata, arg, call, width = ncol(wanted))
    newdata <- as.data.frame(newdata, optional = TRUE)
  } else if (!is.data.frame(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg {arg}} must be a data frame or a matrix.", "Found {found}.", call = call)
  }
  check_no_column_lacks(names(wanted), names(newdata), arg, call)
  newdata <- as.data.frame(newdata)[names(wanted)]
  check_whole_columns(newdata, arg, call)
  novel <- isTRUE(blueprint$recipe$allow_novel_levels)
  for (column in names(wanted)) {
    newdata[[column]] <-
      as_training(newdata[[column]], wanted[[column]], column, arg, call, novel = novel)
  }
  newdata <- flags_to_numbers(newdata)
  if (nrow(newdata) == 0L) {
    return(matrix(0, 0L, length(fit$inputs$center),
      dimnames = list(NULL, names(fit$inputs$center))
    ))
  }
  made <- newdata
  if (!is.null(blueprint$recipe)) {
    forged <- with_recipe(hardhat::forge(newdata, blueprint$recipe), arg, call)
    made <- flags_to_numbers(as.data.frame(forged$predictors))
  }
  x <- design_matrix(blueprint$design, made, arg, call)
  check_finite_or_missing(x, newdata, call, arg)
  x
}

check_no_column_lacks <- function(wanted, found, arg, call) {
  absent <- setdiff(wanted, found)
  if (!length(absent)) return(invisible())
  abort_gpsieve("{.arg {arg}} lacks {length(absent)} column{?s} of the training data.",
    "Missing: {.val {absent}}.", class = "data", call = call
  )
}

#' The response in new rows, for fits made from a formula or a recipe
#' @noRd
forge_response <- function(blueprint, data, arg, call) {
  outcome <- blueprint$outcome
  wanted <- blueprint$ptypes$outcomes
  data <- as.data.frame(data)
  absent <- setdiff(names(wanted), names(data))
  if (length(absent)) {
    abort_gpsieve("{.arg {arg}} lacks the response.", "Missing: {.val {absent}}.",
      class = "data", call = call
    )
  }
  for (column in names(wanted)) {
    data[[column]] <- as_training(data[[column]], wanted[[column]], column, arg, call)
  }
  if (!is.null(blueprint$recipe)) {
    return(with_recipe(
      hardhat::forge(data, blueprint$recipe, outcomes = TRUE), arg, call
    )$outcomes[[1L]])
  }
  evaluate(outcome$rule, outcome$name, data, arg, call)
}

#' TRUE and FALSE are the numbers 1 and 0, through every interface
#' @noRd
flags_to_numbers <- function(x) {
  if (is.matrix(x)) {
    storage.mode(x) <- "double"
    return(x)
  }
  flags <- vapply(x, is.logical, NA)
  x[flags] <- lapply(x[flags], as.double)
  x
}

#' A recipe's own refusals, as errors of this package under the user's call
#' @noRd
with_recipe <- function(expr, arg, call) {
  rlang::try_fetch(expr,
    error = function(e) {
      # Not a handler of its own: what that signals would meet this one next.
      if (inherits(e, "gpsieve_error")) rlang::cnd_signal(e)
      said <- conditionMessage(e)
      abort_gpsieve("The recipe cannot be applied to {.arg {arg}}.", "{said}",
        class = "data", call = call
      )
    }
  )
}

#' A prepared recipe keeps its training rows and the environments it was written in; predictions
#' need neither
#' @noRd
lean_recipe_blueprint <- function(blueprint) {
  predictors <- blueprint$ptypes$predictors
  whole <- vapply(predictors, is.integer, NA) # factors are none
  blueprint$ptypes$predictors[whole] <- lapply(predictors[whole], as.double)
  blueprint$recipe$template <- blueprint$recipe$template[0L, ]
  blueprint$recipe$steps <- lapply(blueprint$recipe$steps, function(step) {
    step$terms <- lapply(step$terms, function(term) {
      if (rlang::is_quosure(term)) rlang::quo_set_env(term, baseenv()) else term
    })
    step
  })
  blueprint
}
