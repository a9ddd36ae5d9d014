# A formula and a data frame as a numeric matrix, the response and the blueprint for new data.

# A formula and a data frame; `given` has the quosures of new_cases(), `na_action` is a name that
# check_na_action() returned, or "na.pass": then whoever calls looks after missing values
mold_frame <- function(formula, data, given, na_action) {
  if (length(formula) != 3L) {
    abort_gpsieve("{.arg formula} must have a response on its left side, as in {.code y ~ x}.")
  }
  check_has_size(data, "data")
  data <- as.data.frame(data)
  used <- all.vars(formula)
  check_distinct_names(names(data)["." %in% used | names(data) %in% used], "data")
  data <- plain_columns(data)
  env <- environment(formula)
  if (is.null(env)) env <- formula_functions()
  check_no_smooths(formula, env)
  additive <- formula_groups(formula, env)
  grouped <- split_bars(additive$formula)
  whole <- if (is.null(grouped)) additive$formula else grouped$formula
  described <- describe_terms(whole, names(data))
  used <- columns_of_terms(described, data)
  check_not_response(used, all.vars(formula[[2L]]))
  response <- formula[[2L]]
  offsets <- offsets_of_terms(described)
  needed <- c(if (na_action != "model") variables_of_terms(described), offsets, response)
  missing_among <- function(rows) missing_in_variables(needed, elements_of(data, rows), env)
  part <- rows_taking_part(read_cases(given, data), nrow(data), missing_among,
    c(all.vars(response), expr_text(response)), rownames(data), na_action,
    could_stay = !lacks_times(data[intersect(used, names(data))]))
  all_rows <- data
  data <- elements_of(data, part$kept)
  outcome <- mold_response(response, data, env)
  predictors <- data[used]
  check_columns(predictors, "data")
  flags <- flags_among(predictors)
  predictors <- flags_to_numbers(predictors)
  attr(predictors, "present") <- names(data)
  made <- design_from_terms(described, predictors, env, grouped$levels,
    models_missing = na_action == "model", weights = part$weights)
  attr(predictors, "present") <- NULL
  blueprint <- new_blueprint(predictors, made$design, outcome, flags = flags)
  blueprint$constants <- constants_in(formula, names(data), env)
  blueprint$drawn <- drawn_design(made$design, predictors)
  environment(formula) <- NULL
  molded <- new_molded(made$x, outcome$y, blueprint, formula = formula, outcome = outcome$name)
  molded$drawn <- drawn_of_data(blueprint$drawn, predictors)
  if (!is.null(grouped)) molded <- add_groups(molded, grouped, described, names(data))
  of_levels <- match(c(molded$levels, molded$hidden), molded$columns)
  molded$column_groups <- columns_of_groups(additive, described, made$design, of_levels)
  molded <- with_cases(molded, part, all_rows)
  with_offsets(molded, rules_of(offsets, data, env))
}

# Molded data whose offset has the sum of the offsets in a formula, `made` by rules_of(), beside the
# argument `offset`
with_offsets <- function(molded, made) {
  if (!length(made$rules)) return(molded)
  check_units(made$columns, "data")
  sum <- add_offsets(made$values, names(made$rules), "data")
  molded$offset <- if (is.null(molded$offset)) sum else sum + molded$offset
  argument <- molded$blueprint$offset
  if (isTRUE(argument$given)) return(molded)
  more <- setdiff(names(argument$columns), names(made$columns))
  molded$blueprint$offset <- list(rules = c(made$rules, argument$rules),
    columns = cbind(made$columns, argument$columns[more]))
  molded
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

# Names of the columns that the terms need. A term taken away, as in y ~ . - a, needs none.
columns_of_terms <- function(described, data) {
  intersect(unique(unlist(lapply(variables_of_terms(described), all.vars))), names(data))
}

# The expressions in the offset() of a formula
offsets_of_terms <- function(described) {
  variables <- as.list(attr(described, "variables"))[-1L]
  lapply(variables[attr(described, "offset")], `[[`, 2L)
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
  made <- rules_of(list(expr), data, env)
  check_units(made$columns, "data")
  y <- with_pairs(made$values[[1L]])
  if (NCOL(y) != 1L && !is_pairs(y)) {
    abort_gpsieve("{.arg formula} must have exactly one response.", "Found {NCOL(y)}.")
  }
  list(y = y, name = names(made$rules), rule = made$rules[[1L]], columns = made$columns)
}
