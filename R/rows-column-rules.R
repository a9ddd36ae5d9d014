# Rules: expressions that have one value for each row of a data frame, computed for new rows as they
# were for the training rows. The inputs of a formula, its response, its offsets, known noise and
# case weights have rules.
#
# A set of rules is list(rules, columns): the calls, named as the user wrote them, with everything
# written into them that they take from the training rows (rows-remember.R), and the columns that
# they need, without rows. Columns of new rows take the types, units, time zones and levels of these
# columns before any function sees them (as_training()).

# The rules of expressions, with their `values` for the rows of `data`. Unless they may depend on
# other rows, each must have the same value for a row alone as among all others.
rules_of <- function(expressions, data, env, alone = TRUE) {
  names(expressions) <- vapply(expressions, expr_text, "")
  rules <- lapply(expressions, remember, data, env)
  values <- evaluate_all(rules, data, "data")
  if (alone) check_alone(rules, values, data)
  needed <- intersect(unique(unlist(lapply(rules, all.vars))), names(data))
  list(rules = rules, columns = data[0L, needed, drop = FALSE], values = values)
}

# The values of rules for the rows of `data`; `what` says in messages what they compute
follow_rules <- function(described, data, arg, what) {
  columns <- with_native_names(described$columns)
  data <- with_native_names(data)
  check_no_column_lacks(names(columns), names(data), arg, what)
  evaluate_all(described$rules, all_as_training(data, columns, arg), arg)
}

# Functions of a formula are looked up in the packages that belong to R, which every session has.
# Functions of other packages are written with the package's name.
formula_functions <- function() parent.env(globalenv())

# The values of rules for the rows of `data`
evaluate_all <- function(rules, data, arg) {
  columns <- vapply(rules, is.symbol, NA)
  values <- vector("list", length(rules))
  values[columns] <- columns_named(rules[columns], data)
  values[!columns] <- Map(evaluate, rules[!columns], names(rules)[!columns],
    MoreArgs = list(data = data, arg = arg))
  values
}

# The columns that these symbols name; `[[` would look through all names for each of them
columns_named <- function(symbols, data) {
  unname(as.list(data)[match(vapply(symbols, as.character, ""), names(data))])
}

# The value of one rule for the rows of `data`.
# Some functions, such as poly(), take no missing values. They then see the complete rows only.
evaluate <- function(rule, name, data, arg) {
  if (is.symbol(rule)) return(data[[as.character(rule)]])
  value <- on_error(computed(rule, data), identity)
  if (inherits(value, "error")) {
    complete <- is_complete(rule, data)
    if (any(complete) && !all(complete)) {
      few <- on_error(value_of(rule, data[complete, , drop = FALSE]), identity)
      row <- match(seq_len(nrow(data)), which(complete))
      if (!inherits(few, "error")) {
        value <- if (is.matrix(few)) few[row, , drop = FALSE] else few[row]
      }
    }
  }
  if (inherits(value, "error")) {
    said <- conditionMessage(value)
    abort_gpsieve("The formula's {.code {name}} cannot be computed from {.arg {arg}}.", "{said}",
      class = "data")
  }
  value
}

# Which rows have a value in every column that a rule needs?
is_complete <- function(rule, data) stats::complete.cases(columns_of(rule, data))

# The columns of a data frame that a rule needs
columns_of <- function(rule, data) data[intersect(all.vars(rule), names(data))]

value_of <- function(expr, data) suppressWarnings(computed(expr, data))

# The value of an expression among columns. Whole numbers whose product or sum no integer holds are
# computed as doubles.
computed <- function(expr, data, env = formula_functions()) {
  used <- match(all.vars(expr), names(data), nomatch = 0L)
  whole <- used[vapply(.subset(data, used), is.integer, NA)] # factors are none
  if (!length(whole)) return(eval(expr, data, env))
  value <- suppressWarnings(eval(expr, data, env))
  if (!is.numeric(value) || !anyNA(value)) return(value)
  data[whole] <- lapply(data[whole], as.double)
  wide <- eval(expr, data, env)
  lacking <- is.na(value)
  value[lacking] <- wide[lacking]
  value
}

# A rule must have the same value for a row alone as for the row among others.
# Whatever remember() could not make so, such as rank(a), would give wrong predictions. Rows of the
# data are looked at alone, and among rows that the data lack: in these a function shows what it
# takes from other rows where the training rows do not, as duplicated(a) does.
check_alone <- function(rules, values, data) {
  if (nrow(data) == 1L) return(invisible())
  for (i in which(!vapply(rules, is.symbol, NA))) {
    rule <- rules[[i]]
    used <- columns_of(rule, data) # rows of all columns would take seconds where there are many
    for (row in rows_to_look_at(values[[i]], nrow(data))) {
      alone <- on_error(value_of(rule, used[row, , drop = FALSE]), identity)
      check_same(names(rules)[i], values[[i]], row, alone)
    }
    complete <- which(stats::complete.cases(used))
    few <- complete[evenly_spaced(length(complete), 200L)]
    check_same(names(rules)[i], values[[i]], few, among_others(rule, used, few))
  }
}

# Evenly spaced rows, and those of the smallest and the greatest value
rows_to_look_at <- function(value, n) {
  ends <- if (is.numeric(value) && is.null(dim(value))) c(which.min(value), which.max(value))
  unique(c(evenly_spaced(n, 8L), ends))
}

# The value of a rule for the rows `few` of its columns where they stand between rows that the data
# lack: in each column the values of another row, numbers changed. Not every function takes such
# rows; the rows of the data themselves, repeated, are taken then.
among_others <- function(rule, used, few) {
  n <- length(few)
  columns <- unclass(used)
  between <- function(other) {
    parts <- Map(other, columns, seq_along(columns))
    rows <- structure(parts, class = "data.frame", row.names = .set_row_names(3L * n))
    value <- value_of(rule, rows)
    if (NROW(value) != 3L * n) stop("not one value for each row")
    elements_of(value, n + seq_len(n))
  }
  rotated <- function(column, shift) {
    moved <- few[(seq_len(n) + shift - 1L) %% n + 1L]
    elements_of(column, c(moved, few, rev(moved)))
  }
  changed <- function(column, shift) {
    column <- rotated(column, shift)
    if (!is.double(column) || !is.null(dim(column)) || isS4(column)) return(column)
    others <- c(seq_len(n), 2L * n + seq_len(n))
    column[others] <- column[others] + (1 + abs(as.double(column[others]))) / 3
    column
  }
  repeated <- function(column, shift) elements_of(column, c(few, few, few))
  for (other in list(changed, rotated, repeated)) {
    value <- on_error(between(other), identity)
    if (!inherits(value, "error")) break
  }
  value
}

# Some elements of a vector, or rows of a matrix; NULL stands for all
elements_of <- function(value, rows) {
  if (is.null(rows)) value
  else if (length(dim(value)) == 2L) value[rows, , drop = FALSE] else value[rows]
}

# Stops unless the rule called `name` of a formula, or the column of a recipe, has its `value` of
# these rows again; an error that speaks of rows the data lack says nothing
check_same <- function(name, value, rows, again, of = "formula") {
  size <- max(if (is.numeric(value)) abs(as.vector(unclass(value))), 0, na.rm = TRUE)
  among <- elements_of(value, rows)
  if (all(is.na(among)) || (length(rows) > 1L && inherits(again, "error"))) return(invisible())
  if (!inherits(again, "error") && same_value(again, among, size)) return(invisible())
  differs <- Find(function(i) {
    inherits(again, "error") || !same_value(elements_of(again, i), elements_of(among, i), size)
  }, seq_along(rows))
  row <- rows[if (is.null(differs)) 1L else differs]
  abort_gpsieve(
    "The {of}'s {.code {name}} depends on other rows of {.arg data} than its own.",
    if (length(rows) == 1L) "Row {row} alone gives another value, so new rows could not be treated
      alike."
    else "Row {row} among other rows gives another value, so new rows could not be treated alike.",
    "Add it to {.arg data} as a column, and to new data likewise.",
    class = "data"
  )
}

same_value <- function(x, y, size) {
  if (is.factor(x) || is.character(x)) return(identical(as.character(x), as.character(y)))
  if (length(x) != length(y) || !identical(as.vector(is.na(x)), as.vector(is.na(y)))) return(FALSE)
  if (inherits(x, "difftime")) return(identical(as.double(x, "secs"), as.double(y, "secs")))
  x <- as.vector(unclass(x))
  y <- as.vector(unclass(y))
  if (is.numeric(x)) all(x == y | abs(x - y) <= 1e-8 * size, na.rm = TRUE) else identical(x, y)
}
