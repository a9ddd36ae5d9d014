# Fits anew: with other data, another formula, other settings.

#' Refit with other data or other settings
#'
#' Starts from the fit's kernel, likelihood (learned values included) and settings; arguments given
#' here replace them. As in [stats::update()] the data need not be given again: a fit remembers how
#' its `data` (or `x` and `y`), `subset`, `weights` and `offset` were written, and they are
#' evaluated anew where `update()` is called. A fit whose data stood in the call as values, as
#' [do.call()] puts them there, needs them.
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
  refit(object, formula, rlang::enquos(...), data_expressions(match.call()), rlang::caller_env())
}

# The model of a fit, fitted anew. `asked` are the arguments of update() as quosures, `written` the
# expressions of those that hold data, `env` where update() was called.
refit <- function(object, formula, asked, written, env) {
  if (any(rlang::names2(asked) == "")) {
    abort_gpsieve("All arguments of {.fn update} but a formula must be named.")
  }
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
  given <- c(given, among_columns(asked[of_columns], given$data))
  if (!is.null(formula)) formula <- updated_formula(stats::formula(object), formula, given$data)
  own <- c(
    list(kernel = kernel_again(object, formula, given), likelihood = object$likelihood,
      seed = object$seed, standardise = standardised_by(object$inputs)),
    object$settings
  )
  # What makes the likelihood of known noise is noise_sd, which the fit repeats.
  replaced <- c(names(given), if (has_known_noise(object)) "likelihood",
    if ("size" %in% names(given)) size_arguments)
  own <- own[setdiff(names(own), replaced)]
  first <-
    if (is.null(object$formula)) given[needed]
    else c(list(if (is.null(formula)) stats::formula(object) else formula), given["data"])
  check_weights_again(object, given)
  others <- given[setdiff(names(given), needed)]
  # Called by its name, so that an error names the model.
  fit <- do.call(object$model, c(first, own, others), envir = topenv())
  fit$origin <- written
  fit
}

# Arguments of a model that are evaluated among the columns of its data.
column_arguments <- c("subset", "weights", "offset", "noise_sd")

# Arguments of update() that may name columns: an expression of columns alone stays one, which the
# new fit repeats for other data; every other one, and a subset, becomes its value
among_columns <- function(asked, data) {
  if (!is.data.frame(data)) data <- NULL
  sapply(names(asked), function(arg) {
    expr <- if (arg != "subset") expression_in_data(asked[[arg]], data)
    if (is.null(expr)) eval_in_data(asked[[arg]], data, arg) else expr
  }, simplify = FALSE)
}

# Weights that were numbers, not an expression of the data's columns, have to be given again
check_weights_again <- function(object, given) {
  weighted <- !is.null(object$cases$total) && is.null(object$settings$weights)
  numbers <- c(
    weights = weighted && !"weights" %in% names(given),
    offset = isTRUE(object$blueprint$offset$given) && !"offset" %in% names(given),
    noise_sd = has_known_noise(object) && is.null(object$settings$noise_sd) &&
      !"noise_sd" %in% names(given)
  )
  if (!any(numbers)) return(invisible())
  lacking <- names(numbers)[numbers]
  abort_gpsieve("This fit had {.arg {lacking}}, which {.fn update} must be given again.",
    hint = "Where they are columns of {.arg data} it finds them itself.")
}

updated_formula <- function(old, new, data) {
  # A dot of the old formula stands for columns, one of the new formula for the old one.
  if ("." %in% all.vars(old) && is.data.frame(data)) {
    old <- stats::formula(stats::terms(old, data = data))
  }
  stats::update.formula(old, new)
}

# The fit's kernel for the columns of another formula
kernel_again <- function(fit, formula, given) {
  kernel <- reported_kernel(fit)
  same <- is.null(formula) || !is.null(given$kernel) || !is.data.frame(given$data)
  if (same) return(kernel)
  molded <- suppressMessages(mold_formula(formula, given$data))
  molded <- read_levels(molded, list(kernel))
  old <- setdiff(names(fit$inputs$center), fit$inputs$levels)
  kernel_for_columns(kernel, old, setdiff(molded$columns, c(molded$levels, molded$hidden)))
}

# A kernel of the columns `old` as one of the columns `new`: a column keeps its lengthscale, one
# that is new gets the geometric mean of them
kernel_for_columns <- function(kernel, old, new) {
  if (identical(old, new)) return(kernel)
  if (kernel$type == "on") {
    # Beside kernels of levels columns have names (levels.R), which stay.
    if (is.character(kernel$dims)) return(kernel)
    columns <- old[kernel$dims]
    absent <- setdiff(columns, new)
    if (length(absent)) {
      abort_gpsieve(
        "The kernel of this fit needs {.val {absent}}, which {.arg formula} leaves out.",
        hint = "Give another {.arg kernel}.")
    }
    kernel$dims <- match(columns, new)
    return(kernel)
  }
  kernel$children <- lapply(kernel$children, kernel_for_columns, old, new)
  if (kernel$type == "warped") return(warp_for_columns(kernel, old, new))
  lengthscale <- kernel$values$lengthscale
  if (length(lengthscale) == length(old) && length(old) > 1L) {
    kept <- unname(lengthscale)[match(new, old)]
    kept[is.na(kept)] <- exp(mean(log(lengthscale)))
    kernel$values$lengthscale <- kept
  }
  kernel
}
