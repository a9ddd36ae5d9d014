# A formula's call with everything it takes from the training rows written into it, so that new rows
# are treated as the training rows were:
#
#   mean(a), quantile(a), levels(f)  a summary of columns becomes its value;
#   poly(a, 2), ns(a, 3), scale(a)   basis functions keep their coefficients, knots and scales
#                                    as stats::makepredictcall() says;
#   cut(a, 3)                        a number of intervals becomes their break points;
#   Surv(time, status)               events that are coded as numbers become flags;
#   k                                a name that is no column becomes its value;
#   end - start                      time differences keep the units of the training rows;
#   ns(a, 3)                         functions of other packages get the package's name.

remember <- function(expr, data, env) {
  if (is.symbol(expr)) {
    if (as.character(expr) %in% names(data)) return(expr)
    abort_no_column(as.character(expr), data)
  }
  out <- remember_call(expr, data, env)
  if (is.call(out)) return(out)
  if (!names_column(expr, data)) {
    abort_gpsieve("The variables of {.arg formula} must be columns of {.arg data}.",
      "{.code {expr_text(expr)}} uses no column of {.arg data}.",
      "Add its values to {.arg data} as a column.", class = "data")
  }
  abort_gpsieve("The formula's {.code {expr_text(expr)}} does not have one value for each row.",
    class = "data")
}

remember_part <- function(expr, data, env) {
  if (is.symbol(expr)) remember_name(expr, data, env)
  else if (is.call(expr)) remember_call(expr, data, env)
  else expr
}

# An operation on two values, each of which has a value for each row or one for all of them
is_arithmetic <- function(expr, env) {
  length(expr) == 3L && operator_of(expr) %in% c("+", "-", "*", "/", "^") &&
    is.primitive(get0(operator_of(expr), env, mode = "function"))
}

# A chain of such operations, from its first value on: as calls it is nested as deep as it is long
remember_arithmetic <- function(expr, data, env) {
  chain <- list()
  while (is_arithmetic(expr, env)) {
    chain[[length(chain) + 1L]] <- expr
    expr <- expr[[2L]]
  }
  left <- remember_part(expr, data, env)
  for (operation in rev(chain)) {
    right <- remember_part(operation[[3L]], data, env)
    if (!is.null(left)) operation[[2L]] <- left
    if (!is.null(right)) operation[[3L]] <- right
    left <- if (names_column(operation, data)) operation else vector_or_call(operation, data)
  }
  if (!is.call(left) || is.null(units_of(left, data))) left else with_units(left, data, env)
}

# A chain of operations on time differences: each is in the units that it has for the training rows,
# which R chooses by the rows
with_units <- function(expr, data, env) {
  if (is_arithmetic(expr, env)) expr[[2L]] <- with_units(expr[[2L]], data, env)
  units <- if (is.call(expr)) units_of(expr, data)
  if (is.null(units)) expr else call("units<-", expr, value = units)
}

# The units of an expression whose value is a time difference, otherwise NULL
units_of <- function(expr, data) {
  value <- on_error(value_of(expr, data), function(e) NULL)
  if (inherits(value, "difftime")) units(value)
}

names_column <- function(expr, data) any(all.vars(expr) %in% names(data))

# The value of a call where it is a vector, otherwise the call
vector_or_call <- function(expr, data) {
  value <- on_error(value_of(expr, data), function(e) NULL)
  if (is.atomic(value) && !is.null(value)) value else expr
}

remember_call <- function(expr, data, env) {
  if (is_arithmetic(expr, env)) return(remember_arithmetic(expr, data, env))
  head <- if (is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
  if (head %in% c("::", ":::", "function")) return(expr)
  if (head == "$") check_whose_column(expr, data)
  parts <- if (head %in% c("$", "@")) 2L else seq_along(expr)[-1L]
  for (i in parts) {
    # An empty argument, as in m[, 1], cannot be held by a variable.
    if (identical(expr[[i]], quote(expr = ))) next
    part <- remember_part(expr[[i]], data, env)
    if (!is.null(part)) expr[[i]] <- part
  }
  function_name <- qualified(expr[[1L]], env)
  named <- expr
  named[[1L]] <- function_name
  if (!names_column(named, data) || is_summary(named, data)) return(vector_or_call(named, data))
  expr <- keep_basis(expr, named, data)
  expr[[1L]] <- function_name
  with_units(expr, data, env)
}

# A column that is written with the name of the data frame, as cars$dist is
check_whose_column <- function(expr, data) {
  owner <- all.vars(expr[[2L]])
  column <- as.character(expr[[3L]])
  if (!is.symbol(expr[[2L]]) || owner %in% names(data) || !column %in% names(data)) {
    return(invisible())
  }
  abort_gpsieve("The variables of {.arg formula} must be columns of {.arg data}.",
    "Found {.code {expr_text(expr)}}, which would be the same for all data.",
    "Write {.code {column}}.", class = "data")
}

# A name that is no column: a function, or a constant from where the formula was written
remember_name <- function(name, data, env) {
  text <- as.character(name)
  if (text %in% names(data)) return(name)
  value <- get0(text, env)
  if (is.function(value)) return(qualified(name, env))
  if (is.atomic(value) && !is.null(value)) return(value)
  abort_no_column(text, data)
}

# `data` may be a part of the user's columns, whose names are then its attribute `present`
abort_no_column <- function(name, data) {
  columns <- attr(data, "present")
  if (is.null(columns)) columns <- names(data)
  abort_gpsieve("The variables of {.arg formula} must be columns of {.arg data}.",
    "There is no column {.val {name}}.", meant_values(name, columns), class = "data")
}

# The function's name as any session finds it
qualified <- function(head, env) {
  if (!is.symbol(head)) return(head)
  name <- as.character(head)
  found <- get0(name, env, mode = "function")
  if (is.primitive(found)) return(head)
  home <- if (is.function(found)) topenv(environment(found))
  package <- if (isNamespace(home)) getNamespaceName(home)[[1L]] else ""
  if (package %in% always_there) return(head)
  if (nzchar(package) && name %in% getNamespaceExports(home)) {
    return(call("::", as.name(package), head))
  }
  abort_gpsieve("{.arg formula} can call functions of R and of packages only.",
    if (is.null(found)) "There is no function {.fn {name}}."
    else "{.fn {name}} was made in this session, and a fit does not keep it.",
    if (length(home_of(name)) && is.null(found)) "Package {.pkg {home_of(name)}} has it: write
      {.code {home_of(name)}::{name}()}, or attach the package by {.code library({home_of(name)})}."
    else "Add its value to {.arg data} as a column, and to new data likewise.",
    class = "data")
}

# The package that has a function which formulas often use and which is not attached
home_of <- function(name) {
  packages <- c("survival", "splines", "lubridate", "Hmisc", "rms")
  Find(function(package) {
    requireNamespace(package, quietly = TRUE) && name %in% getNamespaceExports(package)
  }, packages)
}

always_there <- c("base", "stats", "utils", "methods", "graphics", "grDevices")

# Does the call sum up its rows? Then it is as long for two copies of a row as for three.
is_summary <- function(expr, data) {
  data <- data[intersect(all.vars(expr), names(data))]
  sizes <- vapply(2:3, function(copies) {
    rows <- data[rep(1L, copies), , drop = FALSE]
    on_error(NROW(value_of(expr, rows)), function(e) -copies)
  }, 0L)
  sizes[1L] == sizes[2L]
}

# Writes the coefficients, knots, scales or break points of the training rows into a call
keep_basis <- function(expr, named, data) {
  # stats::makepredictcall() knows functions by their names alone.
  head <- expr[[1L]]
  if (is.call(head) && identical(head[[1L]], quote(`::`))) expr[[1L]] <- head[[3L]]
  if (identical(expr[[1L]], quote(cut))) return(keep_breaks(expr, data))
  if (identical(expr[[1L]], quote(Surv))) return(keep_coding(expr, data))
  # Some functions, such as poly(), take no missing values.
  value <- on_error(value_of(named, data), function(e) {
    on_error(value_of(named, data[is_complete(named, data), , drop = FALSE]), function(e) NULL)
  })
  if (is.object(value) || is.matrix(value)) stats::makepredictcall(value, expr) else expr
}

# cut() with a number of intervals: their break points, computed as cut.default() does
keep_breaks <- function(expr, data) {
  matched <- match.call(base::cut.default, expr)
  breaks <- matched$breaks
  x <- on_error(value_of(matched$x, data), function(e) NULL)
  if (!is.numeric(breaks) || length(breaks) != 1L || is.object(x) || !is.numeric(x)) return(expr)
  ends <- range(x, na.rm = TRUE)
  width <- diff(ends)
  outer <- ends + c(-1, 1) * (if (width > 0) width else max(abs(ends[1L]), ends[1L] == 0)) / 1000
  inner <- if (width > 0) ends else outer
  points <- seq(inner[1L], inner[2L], length.out = breaks + 1)
  points[c(1L, breaks + 1)] <- outer
  matched$breaks <- points
  matched
}

# survival::Surv() takes the numbers of an event for 1 and 2 if the greatest is 2, and for 0 and 1
# otherwise: they become flags, missing for other numbers
keep_coding <- function(expr, data) {
  named <- names(expr)
  event <- if ("event" %in% named) "event" else if ("time2" %in% named) "time2" else 3L
  coded <- length(expr) > 2L && is.null(expr$type) || isTRUE(expr$type %in% c("right", "left"))
  numbers <- if (coded) on_error(value_of(expr[[event]], data), function(e) NULL)
  if (!is.numeric(numbers) || all(is.na(numbers))) return(expr)
  codes <- if (max(numbers, na.rm = TRUE) == 2) c(1, 2) else c(0, 1)
  expr[[event]] <- call("==", call("match", expr[[event]], codes), 2)
  expr
}
