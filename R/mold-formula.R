# A formula and a data frame as a numeric matrix, the response and the blueprint for new data.

# A formula and its data; a source of rows is read in blocks
mold_formula <- function(formula, data, cases = new_cases()) {
  action <- check_na_action(cases$na_action)
  data <- as_source(data)
  if (is_source(data)) {
    check_no_groups(formula)
    check_plain_rows(cases)
    return(mold_rows(formula, data))
  }
  if (!is.data.frame(data)) {
    found <- describe(data)
    abort_gpsieve("{.arg data} must be a data frame.", "Found {found}.", meant_frame(data, "data"))
  }
  molded <- mold_frame(formula, data, cases, action)
  if (!is.null(cases$na_action)) molded$repeatable$na.action <- action
  molded
}

# A formula and a data frame; `given` has the quosures of new_cases(), `na_action` is a name that
# check_na_action() returned, or "na.pass": then whoever calls looks after missing values
mold_frame <- function(formula, data, given, na_action) {
  if (length(formula) != 3L) {
    abort_gpsieve("{.arg formula} must have a response on its left side, as in {.code y ~ x}.")
  }
  check_has_size(data, "data")
  data <- plain_columns(as.data.frame(data))
  env <- environment(formula)
  if (is.null(env)) env <- formula_functions()
  check_no_smooths(formula, env)
  additive <- formula_groups(formula, env)
  grouped <- split_bars(additive$formula)
  whole <- if (is.null(grouped)) additive$formula else grouped$formula
  described <- describe_terms(whole, names(data))
  used <- columns_of_terms(described, data)
  check_not_response(used, all.vars(formula[[2L]]))
  cases <- rows_of_formula(data, formula, described, env, given, na_action)
  row_names <- text_row_names(data)
  row_numbers <- given_row_numbers(data)
  if (!is.null(cases$kept)) data <- data[cases$kept, , drop = FALSE]
  outcome <- mold_response(formula[[2L]], data, env)
  predictors <- data[used]
  check_column_names(data[names(data) %in% used], "data")
  check_columns(predictors, "data")
  flags <- flags_among(predictors)
  predictors <- flags_to_numbers(predictors)
  attr(predictors, "present") <- names(data)
  made <- design_from_terms(described, predictors, env, grouped$levels,
    models_missing = na_action == "model", weights = cases$weights)
  offsets <- mold_offsets(cases$offsets, data, env)
  environment(formula) <- NULL
  attr(predictors, "present") <- NULL
  blueprint <- new_blueprint(predictors, made$design, outcome, offset = offsets, flags = flags)
  blueprint$drawn <- drawn_design(made$design, predictors)
  molded <- new_molded(made$x, outcome$y, blueprint, formula = formula, outcome = outcome$name)
  molded$drawn <- drawn_of_data(blueprint$drawn, predictors)
  if (!is.null(grouped)) molded <- add_groups(molded, grouped, described, names(data))
  of_levels <- match(c(molded$levels, molded$hidden), molded$columns)
  molded$column_groups <- columns_of_groups(additive, described, made$design, of_levels)
  if (length(offsets$rules)) {
    molded$offset <- check_offset(evaluate_offset(offsets$rules, data, "data"), nrow(data))
  }
  if (!is.null(cases$offset)) {
    molded$blueprint$offset <- list(given = TRUE)
    molded$offset <- if (is.null(molded$offset)) cases$offset else molded$offset + cases$offset
  }
  molded[c("weights", "noise_sd", "kept", "na_action", "repeatable")] <-
    cases[c("weights", "noise_sd", "kept", "na_action", "repeatable")]
  molded$blueprint$noise <- cases$noise
  molded$row_names <- if (is.null(cases$kept)) row_names else row_names[cases$kept]
  molded$row_numbers <- if (is.null(cases$kept)) row_numbers else row_numbers[cases$kept]
  molded
}

# Which rows of `data` take part in a fit, and with which weights and offsets.
# Returns a list: `kept`, row numbers, or NULL for all; `na_action`; `weights` and `offset` of
# these rows; `offsets`, expressions to be computed from the data, for these rows and new ones; and
# `repeatable`, the arguments that update() gives again.
rows_of_formula <- function(data, formula, described, env, given, na_action) {
  n <- nrow(data)
  variables <- as.list(attr(described, "variables"))[-1L]
  offsets <- lapply(variables[attr(described, "offset")], `[[`, 2L)
  weights <- check_weights(eval_in_data(given$weights, data, "weights"), n, missing = TRUE)
  of_weights <- expression_in_data(given$weights, data)
  expr <- expression_in_data(given$offset, data)
  offset <- if (is.null(expr)) {
    check_offset(eval_in_data(given$offset, data, "offset"), n, missing = TRUE)
  }
  offsets <- c(offsets, expr)
  noise_sd <- check_noise_sd(eval_in_data(given$noise_sd, data, "noise_sd"), n)
  of_noise <- expression_in_data(given$noise_sd, data)
  subset <- eval_in_data(given$subset, data, "subset")
  kept <- rows_in_subset(subset, weights, n)
  if (is.null(kept)) kept <- seq_len(n)
  all_rows <- identical(kept, seq_len(n))
  needed <- c(if (na_action != "model") variables_of_terms(described), offsets, formula[[2L]])
  columns <- if (all_rows) data else data[kept, , drop = FALSE]
  absent <- c(missing_in_variables(needed, columns, env),
    missing_in_columns(list(weights = weights[kept], offset = offset[kept],
      noise_sd = noise_sd[kept])))
  left_out <- rows_left_out(absent, all.vars(formula[[2L]]), length(kept), rownames(columns),
    na_action, could_stay = TRUE)
  if (length(left_out)) kept <- kept[-left_out]
  list(
    kept = if (!all_rows || length(left_out)) kept, na_action = left_out, weights = weights[kept],
    offset = offset[kept], offsets = offsets, noise_sd = noise_sd[kept],
    noise = if (!is.null(noise_sd)) list(expr = of_noise),
    repeatable = Filter(Negate(is.null), list(weights = of_weights, offset = expr,
      noise_sd = of_noise))
  )
}

# The offsets of a formula as rules that new rows follow too; NULL if there are none
mold_offsets <- function(expressions, data, env) {
  if (!length(expressions)) return(NULL)
  names(expressions) <- vapply(expressions, expr_text, "")
  rules <- lapply(expressions, remember, data, env)
  needed <- intersect(unique(unlist(lapply(rules, all.vars))), names(data))
  list(rules = rules, columns = data[0L, needed, drop = FALSE])
}

# A source of rows has neither weights nor offsets, and all of its rows take part
check_plain_rows <- function(cases) {
  given <- Filter(function(arg) {
    !rlang::quo_is_missing(cases[[arg]]) && !rlang::quo_is_null(cases[[arg]])
  }, column_arguments)
  if (!is.null(cases$na_action)) given <- c(given, "na.action")
  if (!length(given)) return(invisible())
  abort_gpsieve("A source of rows takes no {.arg {given}}.",
    hint = "Let the source return the rows that take part, as often as they count.",
    class = "unsupported")
}

# What packages of additive models call their smooth terms, and these packages.
smooth_functions <- c("s", "te", "ti", "t2")
smooth_packages <- c("mgcv", "gam")

# The names of the functions that an expression calls, of pkg::f that of f
called_functions <- function(x) {
  unlist(lapply(calls_in(x), function(call) utils::tail(all.names(call[[1L]]), 1L)))
}

# Refuses s(x), which here is the column itself, unless the user has a function of that name
check_no_smooths <- function(formula, env) {
  found <- intersect(called_functions(formula[[3L]]), smooth_functions)
  found <- Filter(function(name) {
    f <- get0(name, env, mode = "function")
    is.null(f) || environmentName(topenv(environment(f))) %in% smooth_packages
  }, found)
  if (!length(found)) return(invisible())
  abort_gpsieve("{.arg formula} has no smooth terms: every input is smooth.",
    "Found {.fn {found}}.",
    "Write the column itself, as in {.code y ~ x}. Functions of single columns that add up are sums
      of {.fn kernel_on}.",
    class = "unsupported")
}

# The terms of a formula's right-hand side; a dot stands for all columns but the response's
describe_terms <- function(formula, columns) {
  others <- others_of(columns, formula)
  described <- on_error(stats::terms(formula[-2L], data = others), function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("{.arg formula} cannot be read.", "{said}.")
  })
  if (!length(attr(described, "term.labels"))) {
    abort_gpsieve("{.arg formula} must have at least one predictor.",
      "Found none on its right side.", class = "data")
  }
  described
}

# What a dot stands for: all columns but the response's, as terms() takes them
others_of <- function(columns, formula) {
  others <- as.list(setdiff(columns, all.vars(formula[[2L]])))
  names(others) <- others
  others
}

# Names of the columns that the terms need. A term taken away, as in y ~ . - a, needs none.
columns_of_terms <- function(described, data) {
  intersect(unique(unlist(lapply(variables_of_terms(described), all.vars))), names(data))
}

variables_of_terms <- function(described) {
  kept <- rowSums(attr(described, "factors") > 0L) > 0L
  as.list(attr(described, "variables"))[-1L][kept]
}

check_not_response <- function(used, response) {
  both <- intersect(used, response)
  if (!length(both)) return(invisible())
  abort_gpsieve("The response must not be a predictor as well.",
    "{.val {both}} stand{?s/} on both sides of {.arg formula}.")
}

# The left-hand side of a formula: its value, its name and how to compute it for later rows
mold_response <- function(expr, data, env) {
  rule <- remember(expr, data, env)
  name <- expr_text(expr)
  y <- with_pairs(evaluate(rule, name, data, "data"))
  if (NCOL(y) != 1L && !is_pairs(y)) {
    abort_gpsieve("{.arg formula} must have exactly one response.", "Found {NCOL(y)}.")
  }
  list(y = y, name = name, rule = rule, columns = data[intersect(all.vars(rule), names(data))])
}
