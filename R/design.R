# The matrix of numbers that a model computes with, made from columns of a data frame by the same
# rule for new rows as for the training rows.
#
# A *variable* of a formula is a column's name or a call such as log(a), factor(b) or poly(a, 2).
# A *term* is a variable or a product of variables, a:b. A variable becomes one or more columns of
# numbers (encoding.R), a term the products of its variables' columns. There is no intercept.
#
# A design is list(variables, encodings, terms): the calls to evaluate in the data, named as the
# user wrote them; how each value becomes numbers; and for each term the positions of its variables.

# The design of a formula's right-hand side, list(design, x) for the training rows; `levels` names
# the variables of which kernels read levels
design_from_terms <- function(described, data, env, levels = NULL, models_missing = FALSE,
                              weights = NULL) {
  factors <- attr(described, "factors")
  terms <- lapply(seq_len(ncol(factors)), function(j) unname(which(factors[, j] > 0L)))
  used <- sort(unique(unlist(terms)))
  written <- as.list(attr(described, "variables"))[-1L][used]
  names(written) <- vapply(written, expr_text, "")
  variables <- lapply(written, remember, data, env)
  values <- evaluate_all(variables, data, "data")
  check_alone(variables, values, data)
  design_of(variables, values, lapply(terms, match, used), nrow(data), "data", levels,
    models_missing, weights)
}

# The design that takes every column as it is
design_from_columns <- function(data, arg, models_missing = FALSE, weights = NULL) {
  variables <- lapply(names(data), as.name)
  names(variables) <- names(data)
  design_of(variables, unclass(data), as.list(seq_along(data)), nrow(data), arg,
    models_missing = models_missing, weights = weights)
}

# `weights` of the rows, NULL where all are 1, are for means of missing values and shares of levels
design_of <- function(variables, values, terms, n, arg, levels = NULL, models_missing = FALSE,
                      weights = NULL) {
  encodings <- Map(encoding_of, values, names(variables), n, arg, models_missing, list(weights))
  read <- names(variables) %in% levels
  encodings[read] <- lapply(encodings[read], read_as_levels)
  design <- list(variables = variables, encodings = unname(encodings), terms = terms)
  list(design = design, x = encode_terms(design, values, arg))
}

# The rows of a data frame as the design makes them. `unseen` says what becomes of levels that the
# training data lack (new-levels.R). A term that is a category itself sees them in `categories`, the
# columns as they came; a call such as as.integer(f) sees NA in `data`.
design_matrix <- function(design, data, arg, unseen = refuse_unseen(arg), categories = data) {
  values <- evaluate_all(design$variables, data, arg)
  kinds <- vapply(design$encodings, `[[`, "", "kind")
  itself <- vapply(design$variables, is.symbol, NA) & kinds %in% c("category", "order", "level")
  values[itself] <- columns_named(design$variables[itself], categories)
  x <- encode_terms(design, values, arg, unseen)
  x[rows_of_unknown_levels(design, data, categories, unseen), ] <- NA
  x
}

encode_terms <- function(design, values, arg, unseen = refuse_unseen(arg)) {
  columns <- Map(encode, values, design$encodings, names(design$variables), arg, list(unseen))
  do.call(cbind, lapply(design$terms, function(term) Reduce(multiply_columns, columns[term])))
}

# All products of a column of `x` with a column of `y`, the columns of `x` varying fastest
multiply_columns <- function(x, y) {
  i <- rep(seq_len(ncol(x)), ncol(y))
  j <- rep(seq_len(ncol(y)), each = ncol(x))
  out <- x[, i, drop = FALSE] * y[, j, drop = FALSE]
  colnames(out) <- paste(colnames(x)[i], colnames(y)[j], sep = ":")
  out
}

# Functions of a formula are looked up in the packages that belong to R, which every session has.
# Functions of other packages are written with the package's name.
formula_functions <- function() parent.env(globalenv())

# The values of the variables of a formula for the rows of `data`
evaluate_all <- function(variables, data, arg) {
  columns <- vapply(variables, is.symbol, NA)
  values <- vector("list", length(variables))
  values[columns] <- columns_named(variables[columns], data)
  values[!columns] <- Map(evaluate, variables[!columns], names(variables)[!columns],
    MoreArgs = list(data = data, arg = arg))
  values
}

# The columns that these symbols name; `[[` would look through all names for each of them
columns_named <- function(symbols, data) {
  unname(as.list(data)[match(vapply(symbols, as.character, ""), names(data))])
}

# The value of one variable of a formula for the rows of `data`.
# Some functions, such as poly(), take no missing values. They then see the complete rows only.
evaluate <- function(variable, name, data, arg) {
  if (is.symbol(variable)) return(data[[as.character(variable)]])
  value <- on_error(eval(variable, data, formula_functions()), identity)
  if (inherits(value, "error")) {
    complete <- is_complete(variable, data)
    if (any(complete) && !all(complete)) {
      few <- on_error(value_of(variable, data[complete, , drop = FALSE]), identity)
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

# Which rows have a value in every column that a variable needs?
is_complete <- function(variable, data) {
  stats::complete.cases(data[intersect(all.vars(variable), names(data))])
}

value_of <- function(expr, data) {
  suppressWarnings(eval(expr, data, formula_functions()))
}

# A variable must have the same value for a row alone as for the row among all others.
# Whatever remember() could not make so, such as rank(a), would give wrong predictions. Eight rows
# are looked at.
check_alone <- function(variables, values, data) {
  if (nrow(data) == 1L) return(invisible())
  made <- which(!vapply(variables, is.symbol, NA))
  if (!length(made)) return(invisible())
  rows <- evenly_spaced(nrow(data), 8L)
  alone_rows <- lapply(rows, function(row) data[row, , drop = FALSE])
  for (i in made) {
    size <- max(if (is.numeric(values[[i]])) abs(as.vector(unclass(values[[i]]))), 0, na.rm = TRUE)
    for (j in seq_along(rows)) {
      row <- rows[j]
      among <- if (is.matrix(values[[i]])) values[[i]][row, ] else values[[i]][row]
      if (all(is.na(among))) next
      alone <- on_error(value_of(variables[[i]], alone_rows[[j]]), identity)
      if (!inherits(alone, "error") && same_value(alone, among, size)) next
      abort_gpsieve(
        paste(
          "The formula's {.code {names(variables)[i]}} depends on other rows of {.arg data}",
          "than its own."
        ),
        "Row {row} alone gives another value, so new rows could not be treated alike.",
        "Add it to {.arg data} as a column, and to new data likewise.",
        class = "data"
      )
    }
  }
}

same_value <- function(x, y, size) {
  if (is.factor(x) || is.character(x)) return(identical(as.character(x), as.character(y)))
  if (length(x) != length(y) || !identical(as.vector(is.na(x)), as.vector(is.na(y)))) return(FALSE)
  if (inherits(x, "difftime")) return(identical(as.double(x, "secs"), as.double(y, "secs")))
  x <- as.vector(unclass(x))
  y <- as.vector(unclass(y))
  if (is.numeric(x)) all(x == y | abs(x - y) <= 1e-8 * size, na.rm = TRUE) else identical(x, y)
}
