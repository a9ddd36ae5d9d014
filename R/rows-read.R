# What a model learns from: the first arguments of its call, however they are written, as molded
# data (new_molded()).
#
# * `ivm(y ~ x, d)`, `ivm(formula = y ~ x, data = d)`, `d |> ivm(y ~ x)`: a formula and its data;
# * `ivm(x, y)`: inputs as a data frame or a matrix, and their response;
# * `ivm(recipe, d)`: a recipe and its data.

# Rows of any kind as molded data. `beside` is what stands beside `x`: the data of a formula or a
# recipe, the response of inputs. `cases` says which rows take part and how, see cases_of_call().
read_rows <- function(x, beside, cases) UseMethod("read_rows")

#' @export
read_rows.formula <- function(x, beside, cases) mold_formula(x, beside, cases)

#' @export
read_rows.recipe <- function(x, beside, cases) mold_recipe(x, beside, cases)

#' @export
read_rows.data.frame <- function(x, beside, cases) mold_xy(x, beside, cases)

#' @export
read_rows.matrix <- function(x, beside, cases) mold_xy(x, beside, cases)

#' @export
read_rows.Matrix <- function(x, beside, cases) mold_xy(x, beside, cases)

#' @export
read_rows.default <- function(x, beside, cases) {
  abort_no_rows(describe(x), if (!is.atomic(x)) NULL
    else if (is.character(x)) meant_frame(x, "data")
    else if (stats::is.ts(x)) ts_hint
    else "One input is a matrix of one column: {.code matrix(x)}.")
}

abort_no_rows <- function(found, hint = NULL) {
  abort_gpsieve(
    paste(
      "The first argument must be a formula, a data frame, a matrix (dense, or sparse of package",
      "Matrix) or a recipe."
    ),
    "Found {found}.", hint
  )
}

ts_hint <- paste(
  "A series {.code s} is a data frame with a column for the time:",
  "{.code data.frame(time = as.vector(time(s)), y = as.vector(s))}."
)

cases_of_call <- function(frame) {
  quosures <- sapply(column_arguments, function(arg) {
    eval(bquote(rlang::enquo(.(as.name(arg)))), frame)
  }, simplify = FALSE)
  c(quosures, list(na_action = frame$na.action))
}

is_given <- function(arg, frame) !eval(bquote(missing(.(as.name(arg)))), frame)

# What a call of a model gives to learn from.
# Returns a list: `x` and `beside` of read_rows(); `frame`, the columns that further formulas may
# name; and `places`, the arguments in which the first two stand, named by what they are.
data_of_call <- function(frame) {
  given <- mget(Filter(function(arg) is_given(arg, frame), c("x", "y", "formula", "data")), frame)
  for (arg in c("formula", "data")) if (is.null(given[[arg]])) given[arg] <- NULL
  for (value in given) check_not_text_of_formula(value)
  places <- places_of_data(given, names(rlang::frame_call(frame)))
  x <- given[[places[[1L]]]]
  if (!places[[2L]] %in% names(given)) abort_nothing_beside(x)
  beside <- given[[places[[2L]]]]
  tabular <- !inherits(x, c("formula", "recipe"))
  list(x = x, beside = beside, frame = if (tabular) x else beside, places = places)
}

# The names of the arguments that hold x and what stands beside it, named as those of the call that
# is written in full: formula and data, or x and data, or x and y
places_of_data <- function(given, written) {
  if (!is.null(given$formula)) return(places_of_named_formula(given, written))
  has_data <- "data" %in% names(given)
  if (!"x" %in% names(given)) {
    if (has_data) abort_no_formula("data")
    abort_no_rows("nothing")
  }
  if (inherits(given$x, c("formula", "recipe"))) {
    if ("y" %in% written) abort_one_frame("y")
    places <- c("x", if (has_data) "data" else "y")
    return(stats::setNames(places, c(if (inherits(given$x, "recipe")) "x" else "formula", "data")))
  }
  if (inherits(given$y, "formula")) {
    if (has_data) abort_one_frame(c("x", "data"))
    check_frame_of_formula(given$x)
    return(c(formula = "y", data = "x"))
  }
  if (has_data) abort_no_formula("data")
  c(x = "x", y = "y")
}

# Those of `formula =` and its data; x and y without their names may be the next arguments, as
# given_in_call() says
places_of_named_formula <- function(given, written) {
  if ("y" %in% written || (!is.null(given$y) && is.atomic(given$y))) abort_one_frame("y")
  if (is.null(given$data)) return(c(formula = "formula", data = "x"))
  if ("x" %in% written || is_tabular(given$x)) abort_one_frame(c("x", "data"))
  c(formula = "formula", data = "data")
}

# Stops where a text has been given that says a formula
check_not_text_of_formula <- function(x) {
  if (!rlang::is_string(x) || !grepl("~", x, fixed = TRUE)) return(invisible())
  said <- tryCatch(str2lang(x), error = function(e) NULL)
  if (!rlang::is_call(said, "~")) return(invisible())
  abort_gpsieve("A formula must be a formula, not a text that says one.",
    "Found {.code {quoted(x)}} (character).",
    "Leave out the quotes, or write {.code as.formula({quoted(x)})}.")
}

# d |> ivm(y ~ x) needs a data frame in front
check_frame_of_formula <- function(x) {
  if (is.data.frame(x)) return(invisible())
  if (!is_tabular(x)) read_rows(x, NULL, NULL)
  abort_gpsieve("A formula needs a data frame.", "Found {describe(x)}.",
    "Use {.code as.data.frame()}, or give the response as {.arg y}.")
}

is_tabular <- function(x) is.data.frame(x) || is.matrix(x) || is_of_matrix_package(x)

abort_one_frame <- function(beside) {
  abort_gpsieve("A {.arg formula} goes with one data frame.", "Found {.arg {beside}} beside it.")
}

abort_nothing_beside <- function(x) {
  if (inherits(x, "formula")) {
    abort_gpsieve("{.arg data} is missing.",
      hint = "Give the data frame that holds the formula's variables.")
  }
  if (inherits(x, "recipe")) abort_gpsieve("{.arg data} must be a data frame.", "Found nothing.")
  # What is no table is refused for what it is.
  if (!is_tabular(x)) read_rows(x, NULL, NULL)
  abort_gpsieve("{.arg y}, the response, is missing.", class = "argument")
}

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
  mold_frame(formula, data, cases, action)
}
