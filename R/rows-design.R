# The matrix of numbers that a model computes with, made from columns of a data frame by the same
# rule for new rows as for the training rows.
#
# A *variable* of a formula is a column's name or a call such as log(a), factor(b) or poly(a, 2).
# A *term* is a variable or a product of variables, a:b. A variable becomes one or more columns of
# numbers (rows-encoding.R), a term the products of its variables' columns. There is no intercept.
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
  made <- rules_of(written, data, env)
  design_of(made$rules, made$values, lapply(terms, match, used), nrow(data), "data", levels,
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
# training data lack (rows-new-levels.R). A term that is a category itself sees them in
# `categories`, the columns as they came; a call such as as.integer(f) sees NA in `data`.
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

# Products of columns in a formula, a:b, where the columns are in the formula by themselves too.
# Such a product is no input of its own: where a column is moved, its products move with it.

# These products: list(columns, factors) for each, the numbers of its columns in the model matrix
# and, for each variable of the product, the numbers of the columns that it has by itself
product_terms <- function(fit) products_of_design(fit$blueprint$design)

products_of_design <- function(design) {
  if (all(lengths(design$terms) < 2L)) return(list())
  columns <- columns_of_design(design)
  alone <- which(lengths(design$terms) == 1L)
  place <- function(term) alone[match(term, unlist(design$terms[alone]))]
  products <- Filter(function(t) length(design$terms[[t]]) > 1L && !anyNA(place(design$terms[[t]])),
    seq_along(design$terms))
  lapply(products, function(t) {
    list(columns = columns[[t]], factors = columns[place(design$terms[[t]])])
  })
}

columns_of_products <- function(design) {
  unlist(lapply(products_of_design(design), `[[`, "columns"))
}

# The numbers of the columns of the model matrix that each term of a design makes
columns_of_design <- function(design) {
  widths <- vapply(design$encodings, encoding_width, 0L)
  sizes <- vapply(design$terms, function(term) as.integer(prod(widths[term])), 0L)
  Map(function(last, size) seq(last - size + 1L, length.out = size), cumsum(sizes), sizes)
}

# Rows of the model matrix whose products are those of their columns
with_products <- function(x, products) {
  for (product in products) {
    of <- lapply(product$factors, function(columns) x[, columns, drop = FALSE])
    x[, product$columns] <- Reduce(multiply_columns, lapply(of, `colnames<-`, NULL))
  }
  x
}

# Rows on the scale of computation with the products of their columns
with_scaled_products <- function(x, products, scales) {
  if (!length(products)) return(x)
  apply_scales(with_products(undo_scales(x, scales), products), scales)
}

# The columns of the model matrix that come from each of the user's columns; products of columns
# that are there by themselves belong to none
user_columns <- function(fit) {
  groups <- columns_by(fit, function(design, term) {
    used <- unique(unlist(lapply(design$variables[term], all.vars)))
    if (length(used) == 1L) used else paste(names(design$variables)[term], collapse = ":")
  })
  made <- columns_of_products(fit$blueprint$design)
  groups[!vapply(groups, function(columns) any(columns %in% made), NA)]
}

# The columns of the model matrix by what `label(design, term)` calls the term they come from
columns_by <- function(fit, label) {
  columns <- names(fit$inputs$center)
  design <- fit$blueprint$design
  if (!length(design$terms)) return(split(seq_along(columns), factor(columns, unique(columns))))
  labels <- vapply(design$terms, function(term) label(design, term), "")
  each <- rep(labels, lengths(columns_of_design(design)))
  split(seq_along(columns), factor(each, unique(each)))
}
