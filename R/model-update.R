# Fits anew: with other data, another formula, other settings.

#' Refit with other data or other settings
#'
#' Starts from the fit's kernel, likelihood (learned values included) and settings; arguments given
#' here replace them. As in [stats::update()] the data need not be given again: a fit remembers how
#' its `data` (or `x` and `y`) were written, and they are evaluated anew where `update()` is called.
#' A fit whose data stood in the call as values, as [do.call()] puts them there, needs them.
#'
#' The formula, `subset`, `weights`, `offset` and `noise_sd` mean what they meant in the first call:
#' they are computed from the columns of the data, and names that are no columns have the values
#' that they had then. Arguments that name no column, as `subset = 1:20`, have to be given again
#' with other data; without other data they are evaluated anew, as the data are.
#'
#' @param object A fit.
#' @param formula For a fit made from a formula, another one, in which a dot stands for what was
#'   there ([stats::update.formula()]): `. ~ . - a` leaves a column out.
#' @param ... `data`, or `x` and `y`, for other rows; and any argument of the model, by name.
#'   `subset`, `weights`, `offset` and `noise_sd` are evaluated among the columns of the data, as in
#'   the first call.
#' @return A new fit.
#' @seealso [online_gp()], whose fits absorb new rows by `update()`.
#' @examples
#' fit <- ivm(mpg ~ wt + hp + qsec, mtcars, n_active = 20, seed = 1)
#' update(fit, . ~ . - qsec)
#' update(fit, data = mtcars[1:20, ], n_active = 10)
#' @importFrom stats update
#' @export
update.gpsieve_fit <- function(object, formula = NULL, ...) {
  validate_fit(object)
  refit(object, formula, rlang::enquos(...), rlang::caller_env())
}

# The model of a fit, fitted anew. `asked` are the arguments of update() as quosures, `env` is where
# update() was called.
refit <- function(object, formula, asked, env) {
  if (any(rlang::names2(asked) == "")) {
    abort_gpsieve("All arguments of {.fn update} but a formula must be named.")
  }
  written <- data_expressions(lapply(asked, rlang::quo_get_expr))
  of_columns <- names(asked) %in% column_arguments
  given <- lapply(asked[!of_columns], rlang::eval_tidy)
  if (!is.null(formula) && !inherits(formula, "formula")) {
    found <- describe(formula)
    abort_gpsieve("{.arg formula} must be a formula.", "Found {found}.",
      "Data come by name: {.code update(fit, data = )}.")
  }
  if (!is.null(formula) && is.null(object$formula)) {
    abort_gpsieve("This fit was not made from a formula.", "Found one in {.arg formula}.",
      "Give {.arg x} without the columns that are to be left out.", class = "unsupported")
  }
  needed <-
    if (!is.null(object$formula)) "data"
    else if (!is.null(object$blueprint$recipe) && is.null(given$y)) c("x", "data")
    else c("x", "y")
  anew <- !any(needed %in% names(given))
  if (anew) {
    found <- data_again(object, needed, names(asked), env)
    given <- c(given, found[setdiff(names(found), names(asked))])
    written <- c(written, object$origin[setdiff(names(object$origin), names(written))])
  } else if (!all(needed %in% names(given))) {
    abort_gpsieve("{.fn update} needs both {.arg {needed}}, or neither.")
  }
  if (is.null(object$blueprint$recipe)) {
    given[[needed[1L]]] <- with_levels_of(object, given[[needed[1L]]])
  }
  given <- c(given, among_columns(asked[of_columns], given$data))
  check_given_again(object, given)
  if (!is.null(formula)) formula <- updated_formula(object, formula, given$data)
  own <- c(
    list(kernel = reported_kernel(object), likelihood = object$likelihood,
      seed = object$seed, standardise = standardised_by(object$inputs)),
    object$settings
  )
  if (!isFALSE(given$optimise)) own <- before_widening(own)
  # What makes the likelihood of known noise is noise_sd, which the fit repeats.
  replaced <- c(names(given), if (has_known_noise(object)) "likelihood",
    if ("size" %in% names(given)) size_arguments)
  own <- own[setdiff(names(own), replaced)]
  first <-
    if (is.null(object$formula)) given[needed]
    else c(list(if (is.null(formula)) stats::formula(object) else formula), given["data"])
  others <- given[setdiff(names(given), needed)]
  if (!is.null(own$kernel)) {
    own$kernel <- kernel_again(object, first, c(own, others), !is.null(formula))
  }
  # Called by its name, so that an error names the model.
  fit <- do.call(object$model, c(first, own, others), envir = topenv())
  fit$origin <- written
  fit
}

# What a fit gives to its update, with variances as they were learned: the update learns on from
# these, and widens them again (learn_on_blocks())
before_widening <- function(own) {
  widen <- own$control$blocks$widen
  if (!isTRUE(own$optimise) || is.null(widen) || widen == 1) return(own)
  own$kernel <- with_variances_times(own$kernel, 1 / widen)
  own$likelihood$values$variance <- own$likelihood$values$variance / widen
  own
}

# Data in which text that lacks a level of the fit is a factor that has it. A column that a function
# of the formula sees stays text.
with_levels_of <- function(fit, data) {
  if (!is.data.frame(data)) return(data)
  design <- fit$blueprint$design
  response <- if (is_classification(fit$response)) list(fit$blueprint$outcome$rule)
  variables <- c(design$variables, response)
  # The level that stands for missing values is made anew.
  levels <- c(
    lapply(design$encodings, function(encoding) if (is.null(encoding$missing)) encoding$levels),
    list(fit$response$levels)[seq_along(response)]
  )
  plain <- vapply(variables, is.symbol, NA) & lengths(levels) > 0L
  calls <- c(variables[!plain], fit$blueprint$offset$rules, fit$settings[column_arguments])
  in_calls <- unlist(lapply(Filter(is.call, calls), all.vars))
  for (v in which(plain)) {
    name <- as.character(variables[[v]])
    text <- data[[name]]
    if (!is.character(text) || name %in% in_calls || all(levels[[v]] %in% text)) next
    data[[name]] <- factor(text, union(levels[[v]], levels_of(text)))
  }
  data
}

# Arguments of update() that may name columns: an expression of columns stays one, which the new fit
# repeats for other data; every other one becomes its value
among_columns <- function(asked, data) {
  if (!is.data.frame(data)) data <- NULL
  sapply(names(asked), function(arg) {
    expr <- expression_in_data(asked[[arg]], data)
    if (is.null(expr)) eval_in_data(asked[[arg]], data, arg) else expr
  }, simplify = FALSE)
}

# Arguments that were values, not an expression of the data's columns, have to be given again
check_given_again <- function(object, given) {
  lacking <- setdiff(object$blueprint$given, names(given))
  if (!length(lacking)) return(invisible())
  abort_gpsieve("This fit had {.arg {lacking}}, which {.fn update} must be given again.",
    hint = "Where they are columns of {.arg data} it finds them itself.")
}

# A formula in which dots stand for what was there, with the constants of both formulas
updated_formula <- function(fit, new, data) {
  env <- environment(new)
  old <- fit$formula
  environment(old) <- with_names(fit$blueprint$constants, if (is.null(env)) globalenv() else env)
  # A dot of the old formula stands for columns, one of the new formula for the old one.
  if ("." %in% all.vars(old) && is.data.frame(data)) {
    old <- stats::formula(stats::terms(old, data = data))
  }
  stats::update.formula(old, new)
}

# The quosures by which the arguments of a call are read among columns, from the list of these
cases_of_arguments <- function(given) {
  quosures <- lapply(given[intersect(column_arguments, names(given))], rlang::new_quosure, topenv())
  do.call(new_cases, c(quosures, list(na_action = given$na.action)))
}

# The fit's kernel for other columns: those of another formula, or of data with other levels or
# other gaps. `first` are the formula and the data, or x and what stands beside it, `given` all
# other arguments.
kernel_again <- function(fit, first, given, other_formula) {
  kernel <- given$kernel
  kinds <- vapply(fit$blueprint$design$encodings, `[[`, "", "kind")
  models_gaps <- identical(given$na.action, "model") ||
    length(gap_columns(fit$blueprint$design)) > 0L
  same <- !other_formula && !any(kinds == "category") && !models_gaps
  if (same || is_source(as_source(first[[2L]]))) return(kernel)
  molded <- suppressMessages(read_rows(first[[1L]], first[[2L]], cases_of_arguments(given)))
  if (other_formula) kernel <- without_other_groups(kernel, fit, molded)
  molded <- read_levels(molded, list(kernel))
  old <- setdiff(names(fit$inputs$center), fit$inputs$levels)
  again <- kernel_for_columns(kernel, old, setdiff(molded$columns, c(molded$levels, molded$hidden)),
    molded$columns)
  if (!is.null(again)) return(again)
  abort_gpsieve("The kernel of this fit needs columns that are left out.",
    "Found none of the columns of {.code {format(kernel)}}.", "Give another {.arg kernel}.")
}

# A kernel without the terms of groups that another formula has otherwise or not at all; those that
# it has are added anew
without_other_groups <- function(kernel, fit, molded) {
  groups <- split_bars(fit$formula)$groups
  gone <- unique(unlist(lapply(setdiff(groups, molded$groups), `[[`, "levels")))
  if (!length(gone) || !is_sum(kernel)) return(kernel)
  of_others <- vapply(kernel$children, function(term) {
    !any(level_columns(term, names(fit$inputs$center)) %in% gone)
  }, NA)
  terms <- kernel$children[of_others]
  if (!length(terms)) return(kernel)
  Reduce(`+`, terms)
}

# A kernel of the columns `old` as one of the columns `new`, among `all` that there are: a column
# keeps its lengthscale, one that is new gets the geometric mean of them. A term of which no column
# is left is left out; NULL where it is the kernel.
kernel_for_columns <- function(kernel, old, new, all) {
  if (is_restricted(kernel)) {
    # Beside kernels of levels columns have names (rows-levels.R), which stay.
    columns <- if (is.character(kernel$dims)) kernel$dims else old[kernel$dims]
    absent <- setdiff(columns, all)
    if (length(absent) == length(columns)) return(NULL)
    if (length(absent)) {
      abort_gpsieve(
        "The kernel of this fit needs {.val {absent}}, which {?is/are} left out.",
        hint = "Give another {.arg kernel}.")
    }
    if (is.numeric(kernel$dims)) kernel$dims <- match(columns, new)
    return(kernel)
  }
  children <- lapply(kernel$children, kernel_for_columns, old, new, all)
  lacking <- vapply(children, is.null, NA)
  if (any(lacking) && !is_sum(kernel)) return(NULL)
  children <- children[!lacking]
  if (is_sum(kernel) && length(children) < 2L) return(if (length(children)) children[[1L]])
  kernel$children <- children
  if (identical(old, new)) return(kernel)
  if (is_input_map(kernel)) return(map_for_columns(kernel, old, new))
  lengthscale <- kernel$values$lengthscale
  if (length(lengthscale) == length(old) && length(old) > 1L) {
    kept <- unname(lengthscale)[match(new, old)]
    kept[is.na(kept)] <- exp(mean(log(lengthscale)))
    kernel$values$lengthscale <- kept
  }
  kernel
}

# An environment in which these constants have their names, and all other names mean what they mean
# in `env`
with_names <- function(constants, env) {
  if (length(constants)) list2env(constants, parent = env) else env
}
