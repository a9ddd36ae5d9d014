# From what the user hands over to a plain numeric matrix and back again for new data (hardhat).

#' Predictors as a numeric matrix, the outcome as it came, and the blueprint for new data
#' @noRd
new_molded <- function(x, y, blueprint, formula = NULL, outcome = "y", columns = colnames(x)) {
  list(
    x = x, y = y, blueprint = blueprint, formula = formula, outcome = outcome, columns = columns
  )
}

mold_xy <- function(x, y, call) {
  if (missing(y)) {
    abort_gpsieve("{.arg y}, the response, is missing.", class = "argument", call = call)
  }
  if (is.matrix(x)) return(mold_matrix(x, y, call))
  check_columns(x, "x", call)
  check_has_size(x, "x", call)
  check_column_names(x, "x", call)
  x <- flags_to_numbers(x)
  molded <- if (needs_indicators(x)) {
    with_hardhat(hardhat::mold(~., as.data.frame(x), blueprint = formula_blueprint()), call)
  } else {
    mold_numbers(as.data.frame(x, optional = TRUE), call)
  }
  new_molded(as_double_matrix(molded$predictors), y, molded$blueprint)
}

mold_numbers <- function(x, call) {
  blueprint <- hardhat::default_xy_blueprint(composition = "matrix")
  with_hardhat(hardhat::mold(x, NULL, blueprint = blueprint), call)
}

#' A matrix of numbers is already what the core computes with: it may be large and is not copied.
#' Its first row tells hardhat what new data must look like.
#' @noRd
mold_matrix <- function(x, y, call) {
  first <- check_numeric_matrix(x[seq_len(min(1L, nrow(x))), , drop = FALSE], "x", call)
  check_has_size(x, "x", call)
  check_column_names(first, "x", call)
  first <- flags_to_numbers(first)
  molded <- mold_numbers(as.data.frame(first, optional = TRUE), call)
  if (!is.double(x)) x <- flags_to_numbers(x)
  new_molded(x, y, molded$blueprint, columns = colnames(first))
}

mold_formula <- function(formula, data, call) {
  if (missing(data)) {
    abort_gpsieve("{.arg data} is missing.",
      hint = "Give the data frame that holds the formula's variables.", call = call
    )
  }
  if (is_rows(data)) return(mold_rows(formula, data, call))
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
  used <- intersect(all.vars(formula), names(data))
  if ("." %in% all.vars(formula)) used <- names(data)
  predictors <- setdiff(used, all.vars(formula[[2L]]))
  check_columns(data[predictors], "data", call)
  data[predictors] <- flags_to_numbers(data[predictors])
  molded <- with_hardhat(hardhat::mold(formula, data, blueprint = formula_blueprint()), call)
  if (!is.null(molded$extras$offset)) {
    abort_gpsieve("{.fn offset} terms are not supported.",
      hint = "Use {.arg prior_mean} for a constant mean.", class = "unsupported", call = call
    )
  }
  if (ncol(molded$outcomes) != 1L) {
    abort_gpsieve("{.arg formula} must have exactly one response.",
      "Found {ncol(molded$outcomes)}.", call = call
    )
  }
  check_has_size(molded$predictors, "formula", call)
  attr(formula, ".Environment") <- NULL
  new_molded(as_double_matrix(molded$predictors), molded$outcomes[[1L]], molded$blueprint,
    formula = formula, outcome = names(molded$outcomes)
  )
}

mold_recipe <- function(x, data, call) {
  if (missing(data) || !is.data.frame(data)) {
    found <- if (missing(data)) "nothing" else describe(data)
    abort_gpsieve("{.arg data} must be a data frame.", "Found {found}.", call = call)
  }
  check_has_size(data, "data", call)
  blueprint <- hardhat::default_recipe_blueprint(composition = "tibble")
  molded <- with_hardhat(hardhat::mold(x, data, blueprint = blueprint), call)
  if (ncol(molded$outcomes) != 1L) {
    abort_gpsieve("The recipe must have exactly one outcome.", "Found {ncol(molded$outcomes)}.",
      call = call
    )
  }
  check_columns(molded$predictors, "x", call, factors = FALSE)
  check_has_size(molded$predictors, "x", call)
  new_molded(as_double_matrix(as.matrix(molded$predictors)), molded$outcomes[[1L]],
    lean_recipe_blueprint(molded$blueprint), outcome = names(molded$outcomes)
  )
}

#' New data as a numeric matrix with the training columns; rows with missing values stay
#' @noRd
forge_new <- function(fit, newdata, call, arg = "newdata") {
  blueprint <- fit$blueprint
  wanted <- blueprint$ptypes$predictors
  if (is.matrix(newdata)) {
    newdata <- check_numeric_matrix(newdata, arg, call, width = ncol(wanted))
    newdata <- as.data.frame(newdata, optional = TRUE)
  } else if (!is.data.frame(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg {arg}} must be a data frame or a matrix.", "Found {found}.", call = call)
  }
  absent <- setdiff(names(wanted), names(newdata))
  if (length(absent)) {
    abort_gpsieve("{.arg {arg}} lacks {length(absent)} column{?s} of the training data.",
      "Missing: {.val {absent}}.", class = "data", call = call
    )
  }
  newdata <- newdata[names(wanted)]
  for (column in names(wanted))
    check_like_training(newdata[[column]], wanted[[column]], column, call, arg)
  newdata <- flags_to_numbers(newdata)
  if (nrow(newdata) == 0L) {
    return(matrix(0, 0L, length(fit$inputs$center),
      dimnames = list(NULL, names(fit$inputs$center))
    ))
  }
  forged <- with_hardhat(hardhat::forge(newdata, blueprint), call)
  x <- as_double_matrix(as.matrix(forged$predictors))
  check_finite_or_missing(x, newdata, call, arg)
  x
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

formula_blueprint <- function() {
  hardhat::default_formula_blueprint(indicators = "one_hot", composition = "matrix")
}

#' hardhat's own refusals, as errors of this package under the user's call
#' @noRd
with_hardhat <- function(expr, call) {
  rlang::try_fetch(expr,
    error = function(e) {
      # Not a handler of its own: what that signals would meet this one next.
      if (inherits(e, "gpsieve_error")) rlang::cnd_signal(e)
      said <- conditionMessage(e)
      abort_gpsieve("The data do not fit the model's description.", "{said}",
        class = "data", call = call
      )
    }
  )
}

#' A prepared recipe keeps its training rows and the environments it was written in; predictions
#' need neither
#' @noRd
lean_recipe_blueprint <- function(blueprint) {
  blueprint$recipe$template <- blueprint$recipe$template[0L, ]
  blueprint$recipe$steps <- lapply(blueprint$recipe$steps, function(step) {
    step$terms <- lapply(step$terms, function(term) {
      if (rlang::is_quosure(term)) rlang::quo_set_env(term, baseenv()) else term
    })
    step
  })
  blueprint
}

needs_indicators <- function(x) !is.matrix(x) && any(vapply(x, is.factor, NA))

as_double_matrix <- function(x) {
  storage.mode(x) <- "double"
  attr(x, "assign") <- NULL
  attr(x, "contrasts") <- NULL
  rownames(x) <- NULL
  x
}
