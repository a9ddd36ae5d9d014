# The inputs that pictures move.
#
# They are the columns of the model matrix; but where a formula computes with columns of the data,
# as y ~ poly(x, 2) and y ~ a:b do, they are these columns of the data themselves, and the model
# matrix is computed from them. `blueprint$drawn` then holds what pictures must know of them: a
# design (rows-design.R) that takes each of them as it is, the range of its numbers in the training
# rows, and `typical`, a row of medians and most frequent levels.

# A factor or text with more levels than this, as in nchar(name), is no axis of a picture: the
# number that is computed of it is.
most_opened_levels <- 30L

# A fit keeps the drawn inputs of no more training rows, and no more numbers in all, than this.
most_drawn_rows <- 1000L
most_drawn_numbers <- 1e5

# What pictures must know of the columns that a formula computes with; NULL where they move columns
# of the model matrix
drawn_design <- function(design, data) {
  opened <- is_opened(design, data)
  alone <- unlist(design$terms[lengths(design$terms) == 1L])
  if (!any(opened) && all(unlist(design$terms) %in% alone)) return(NULL)
  variables <- do.call(c, Map(function(variable, name, opened) {
    if (!opened) return(stats::setNames(list(variable), name))
    columns <- intersect(all.vars(variable), names(data))
    stats::setNames(lapply(columns, as.name), columns)
  }, unname(design$variables), names(design$variables), opened))
  variables <- variables[!duplicated(names(variables))]
  values <- evaluate_all(variables, data, "data")
  known <- match(names(variables), names(design$variables))
  encodings <- lapply(seq_along(variables), function(v) {
    if (!is.na(known[v])) design$encodings[[known[v]]]
    else encoding_of(values[[v]], names(variables)[v], nrow(data), "data")
  })
  own <- list(variables = variables, encodings = encodings, terms = as.list(seq_along(variables)))
  parts <- Map(drawn_summary, values, encodings, names(variables))
  own$range <- do.call(cbind, lapply(parts, `[[`, "range"))
  own$typical <- unlist(lapply(parts, `[[`, "typical"))
  own
}

# Which variables of a design are numbers computed of columns that can be axes of a picture?
is_opened <- function(design, data) {
  vapply(seq_along(design$variables), function(v) {
    variable <- design$variables[[v]]
    if (is.symbol(variable) || design$encodings[[v]]$kind != "number") return(FALSE)
    columns <- intersect(all.vars(variable), names(data))
    all(vapply(data[columns], can_be_axis, NA))
  }, NA)
}

can_be_axis <- function(column) {
  kind <- kind_of(column)
  !is.null(kind) &&
    (!kind %in% c("category", "order") || length(levels_of(column)) <= most_opened_levels)
}

# The ranges and the typical values of the columns of numbers that a variable becomes
drawn_summary <- function(value, encoding, name) {
  if (encoding$kind %in% c("category", "level")) {
    count <- length(encoding$levels)
    most <- which.max(encoding$shares)
    if (encoding$kind == "level") {
      return(list(range = matrix(c(1, count), 2L, dimnames = list(NULL, name)), typical = most))
    }
    columns <- paste0(name, encoding$levels)
    return(list(range = matrix(c(0, 1), 2L, count, dimnames = list(NULL, columns)),
      typical = as.numeric(seq_len(count) == most)))
  }
  numbers <- encode(value, encoding, name, "data")
  range <- vapply(seq_len(ncol(numbers)), function(j) range(numbers[, j], na.rm = TRUE), c(0, 0))
  list(range = matrix(range, 2L, dimnames = list(NULL, colnames(numbers))),
    typical = apply(numbers, 2L, stats::median, na.rm = TRUE))
}

# The drawn inputs of evenly spaced training rows, where a formula computes with columns of `data`
drawn_of_data <- function(own, data) {
  if (is.null(own)) return(NULL)
  rows <- data[rows_to_keep(nrow(data), ncol(own$range)), , drop = FALSE]
  unname(encode_terms(own, evaluate_all(own$variables, rows, "data"), "data"))
}

rows_to_keep <- function(n, columns) {
  evenly_spaced(n, max(most_effect_rows, min(most_drawn_rows, most_drawn_numbers %/% columns)))
}

# The drawn inputs of training rows that a fit keeps, a matrix: where these are no columns of the
# model matrix, or a picture shows rows and the function together; NULL otherwise
drawn_to_keep <- function(fit, molded) {
  if (!is.null(fit$blueprint$drawn)) return(molded$drawn)
  if (is_sparse(molded$x) || !is_drawable_function(fit)) return(NULL)
  x <- unname(molded$x)
  x[rows_to_keep(nrow(x), ncol(x)), , drop = FALSE]
}

valid_drawn <- function(drawn) {
  is.list(drawn$variables) && length(drawn$encodings) == length(drawn$variables) &&
    all(vapply(drawn$encodings, valid_encoding, NA)) && is_finite_matrix(drawn$range) &&
    is_names(colnames(drawn$range)) && is.double(drawn$typical) &&
    length(drawn$typical) == ncol(drawn$range)
}

valid_drawn_rows <- function(fit) {
  rows <- fit$kept$drawn
  is.null(rows) || (is.matrix(rows) && is.double(rows) && nrow(rows) <= length(fit$kept$y) &&
    ncol(rows) == length(drawn_view(fit)$columns))
}

# The inputs that pictures of a fit move: list(columns, design, range, levels, flags), the names of
# their columns of numbers, of which `levels` hold numbers of levels from 1 on, those of ordered
# factors and of factors whose levels a kernel reads, and `flags` 0 and 1 for FALSE
# and TRUE, or numbers of two different values
drawn_view <- function(fit) {
  own <- fit$blueprint$drawn
  if (is.null(own)) return(model_view(fit))
  list(columns = colnames(own$range), design = own, range = own$range,
    levels = variables_of_kind(own, c("level", "order")),
    flags = flags_of(fit, colnames(own$range)))
}

# The same of the columns of the model matrix
model_view <- function(fit) {
  columns <- names(fit$inputs$center)
  design <- fit$blueprint$design
  list(columns = columns, design = design, range = fit$inputs$range,
    levels = c(fit$inputs$levels, intersect(variables_of_kind(design, "order"), columns)),
    flags = flags_of(fit, columns))
}

variables_of_kind <- function(design, kinds) {
  names(design$variables)[vapply(design$encodings, function(own) own$kind %in% kinds, NA)]
}

flags_of <- function(fit, columns) {
  intersect(columns, c(fit$blueprint$flags, fit$blueprint$twofold))
}

# The two values of a column that has no others
two_values <- function(fit, column) {
  view <- drawn_view(fit)
  if (view$columns[column] %in% fit$blueprint$flags) c(0, 1) else unname(view$range[, column])
}

# Rows of the drawn inputs that stand for the data: the basis points, the training rows that the
# fit keeps, or else the typical row
drawn_rows <- function(fit) {
  own <- fit$blueprint$drawn
  if (is.null(own)) return(undo_scales(fit$basis, fit$inputs))
  if (is.null(fit$kept$drawn)) matrix(own$typical, 1L) else fit$kept$drawn
}

# Some columns of these rows, to be marked in a picture: none where the fit keeps no rows
marked_rows <- function(fit, columns) {
  rows <- drawn_rows(fit)[, columns, drop = FALSE]
  if (is.null(fit$blueprint$drawn) || !is.null(fit$kept$drawn)) rows else rows[0L, , drop = FALSE]
}

marked_words <- function(fit) if (is.null(fit$blueprint$drawn)) fit$labels$basis else "rows"

# New data as rows of the drawn inputs
forge_drawn <- function(fit, newdata) {
  design <- drawn_view(fit)$design
  forge_predictors(fit, as.data.frame(newdata), "newdata", "NA", design)
}

# The rows of the model matrix that belong to rows of the drawn inputs
model_rows <- function(fit, rows) {
  own <- fit$blueprint$drawn
  if (is.null(own)) return(with_products(rows, product_terms(fit)))
  design <- fit$blueprint$design
  blocks <- columns_of_design(own)
  prototypes <- fit$blueprint$ptypes$predictors
  values <- Map(function(name, encoding, block) {
    decode(encoding, rows[, block, drop = FALSE], prototypes[[name]])
  }, names(own$variables), own$encodings, blocks)
  data <- structure(values, class = "data.frame", row.names = seq_len(nrow(rows)))
  columns <- Map(function(variable, name, encoding) {
    at <- match(name, names(own$variables))
    if (!is.na(at) && identical(encoding, own$encodings[[at]])) {
      return(rows[, blocks[[at]], drop = FALSE])
    }
    value <- if (is.na(at)) evaluate(variable, name, data, "newdata") else values[[at]]
    encode(value, encoding, name, "newdata", gather_unseen(FALSE))
  }, unname(design$variables), names(design$variables), design$encodings)
  x <- do.call(cbind, lapply(design$terms, function(term) {
    Reduce(multiply_columns, lapply(columns[term], `colnames<-`, NULL))
  }))
  dimnames(x) <- list(NULL, names(fit$inputs$center))
  x
}

# The values of which an encoding made these numbers, in the class of the training column
decode <- function(encoding, numbers, prototype) {
  levels <- encoding$levels
  level <- function(code) {
    if (is.character(prototype)) levels[code]
    else factor(levels[code], levels, ordered = encoding$kind == "order")
  }
  first <- numbers[, 1L]
  switch(encoding$kind,
    category = level(max.col(numbers, "first")),
    order = , level = level(pmin(pmax(round(first), 1), length(levels))),
    date = .Date(first), time = .POSIXct(first, attr(prototype, "tzone")),
    duration = .difftime(first, encoding$units),
    quantity = structure(first, units = encoding$units, class = "units"),
    if (length(encoding$columns) > 1L) numbers[, seq_along(encoding$columns)] else first)
}

# The columns of the model matrix that change with each input that is drawn; products of columns
# that are there by themselves belong to none
moved_columns <- function(fit) {
  inputs <- input_terms(fit)
  own <- fit$blueprint$drawn
  if (is.null(own)) return(inputs)
  design <- fit$blueprint$design
  columns <- columns_of_design(design)
  made <- columns_of_products(design)
  blocks <- columns_of_design(own)
  uses <- function(term, name) {
    parts <- design$variables[term]
    name %in% names(parts) ||
      name %in% unlist(lapply(parts[!names(parts) %in% names(own$variables)], all.vars))
  }
  lapply(inputs, function(places) {
    name <- names(own$variables)[vapply(blocks, function(block) places[1L] %in% block, NA)]
    setdiff(unlist(columns[vapply(design$terms, uses, NA, name)]), made)
  })
}

# The columns of the drawn inputs that belong to each term that pictures draw: the indicators of a
# factor or of text, or one column; products of columns that are there by themselves are no term
input_terms <- function(fit, view = drawn_view(fit)) {
  columns <- view$columns
  terms <- columns
  design <- view$design
  for (v in seq_along(design$variables)) {
    if (design$encodings[[v]]$kind != "category") next
    name <- names(design$variables)[v]
    terms[columns %in% paste0(name, design$encodings[[v]]$levels)] <- name
  }
  places <- setdiff(seq_along(columns), columns_of_products(design))
  split(places, factor(terms[places], unique(terms[places])))
}

# Rows of the drawn inputs with these values in the columns of all terms, in their order
rows_of_terms <- function(fit, values) {
  rows <- matrix(0, nrow(values), length(drawn_view(fit)$columns))
  rows[, unlist(input_terms(fit))] <- values
  rows
}

# Does a term have an indicator for each of several levels?
is_factor_term <- function(fit, columns) length(columns) > 1L

# Points along an input, over the training rows and, where there are some, the rows `x` that are
# drawn with them
axis_points <- function(fit, column, count, x = NULL) {
  view <- drawn_view(fit)
  if (view$columns[column] %in% view$levels) return(axis_levels(view$range[, column], count))
  if (view$columns[column] %in% view$flags) return(two_values(fit, column))
  range <- drawn_range(fit, column, x)
  seq(range[1L], range[2L], length.out = count)
}

# Level numbers of a factor that is one column, at most `count` of them
axis_levels <- function(range, count) {
  known <- seq(range[1L], range[2L])
  known[evenly_spaced(length(known), count)]
}

# Labels of the axis of an input with dates, times or ordered levels, see axis_ticks()
term_ticks <- function(fit, term, range) {
  design <- drawn_view(fit)$design
  place <- match(term, names(design$variables))
  if (!is.na(place)) axis_ticks(design$encodings[[place]], range)
}

# Is a term one column that holds the numbers of levels, flags or two different numbers?
is_level_term <- function(fit, columns) {
  view <- drawn_view(fit)
  length(columns) == 1L && view$columns[columns] %in% c(view$levels, view$flags)
}

is_flag_term <- function(fit, columns) {
  view <- drawn_view(fit)
  length(columns) == 1L && view$columns[columns] %in% view$flags
}

# Is a term drawn as points side by side, one for each level?
is_discrete_term <- function(fit, columns) {
  is_factor_term(fit, columns) || is_level_term(fit, columns)
}

# The same of all terms, of which there may be thousands
have_levels <- function(fit, terms) {
  view <- drawn_view(fit)
  first <- view$columns[vapply(terms, `[`, 0L, 1L)]
  lengths(terms) > 1L | first %in% c(view$levels, view$flags)
}

# The columns of a term at each of its levels, a row for each
level_values <- function(fit, columns, labels) {
  if (is_flag_term(fit, columns)) matrix(two_values(fit, columns))
  else if (is_level_term(fit, columns)) matrix(as.double(seq_along(labels)))
  else diag(1, length(labels))
}

# Which level rows have in the columns of a term
level_of_rows <- function(fit, columns, x) {
  if (is_flag_term(fit, columns)) return(1L + (x[, columns] > mean(two_values(fit, columns))))
  if (is_level_term(fit, columns)) return(as.integer(x[, columns]))
  indicators <- x[, columns, drop = FALSE]
  code <- max.col(replace(indicators, is.na(indicators), 0))
  replace(code, is.na(rowSums(indicators)), NA)
}

# Levels of a factor, from the names of its indicators where it has them
factor_labels <- function(fit, term, columns) {
  if (is_flag_term(fit, columns)) {
    if (drawn_view(fit)$columns[columns] %in% fit$blueprint$flags) return(c("FALSE", "TRUE"))
    return(number_text(two_values(fit, columns)))
  }
  if (is_level_term(fit, columns)) {
    design <- drawn_view(fit)$design
    return(design$encodings[[utils::tail(which(names(design$variables) == term), 1L)]]$levels)
  }
  substring(drawn_view(fit)$columns[columns], nchar(term) + 1L)
}

# From where to where an input is drawn: the training rows, rows that are drawn with them, and as
# far ahead as gpsieve() was asked to look
drawn_range <- function(fit, column, x = NULL) {
  ahead <- fit$choice$ahead
  view <- drawn_view(fit)
  until <- if (identical(ahead$column, view$columns[column])) ahead$until
  range <- range(view$range[, column], x[, column], until, na.rm = TRUE)
  range + if (diff(range) > 0) 0 else c(-0.5, 0.5)
}

# One or two numeric inputs, one factor, a number and a factor of few levels, or repeated measures
is_drawable_function <- function(fit) {
  terms <- input_terms(fit)
  two_numbers <- length(terms) == 2L && all(lengths(terms) == 1L)
  length(terms) == 1L || two_numbers || is_by_factor(fit) || !is.null(repeated_measures(fit))
}

# A number by a factor has a curve for each of at most so many levels with bands and a legend, for
# each of at most so many without.
most_curves <- 8L

most_group_curves <- 60L

# One number and one factor, of whose levels each has a curve
is_by_factor <- function(fit) {
  terms <- input_terms(fit)
  leveled <- have_levels(fit, terms)
  if (length(terms) != 2L || sum(leveled) != 1L || has_many_classes(fit$response)) return(FALSE)
  length(factor_labels(fit, names(terms)[leveled], terms[[which(leveled)]])) <= most_group_curves
}

# The inputs of repeated measures: subjects, the levels of a factor of more levels than have a
# legend, and a number that changes within them, beside inputs that do not, such as the sex.
# list(number, factor, rows, beside), names of terms, a row of the drawn inputs for each subject, NA
# where none is known, and the names of the terms that do not change; NULL for other fits
repeated_measures <- function(fit) {
  terms <- input_terms(fit)
  if (length(terms) < 3L || has_many_classes(fit$response)) return(NULL)
  rows <- drawn_rows(fit)
  if (is_sparse(rows) || nrow(rows) < 2L) return(NULL)
  levels <- stats::setNames(integer(length(terms)), names(terms))
  leveled <- names(terms)[have_levels(fit, terms)]
  levels[leveled] <- vapply(leveled, function(term) {
    length(factor_labels(fit, term, terms[[term]]))
  }, 0L)
  subject <- names(terms)[levels > most_curves & levels <= most_group_curves]
  if (length(subject) != 1L) return(NULL)
  code <- level_of_rows(fit, terms[[subject]], rows)
  of_subject <- rows[match(seq_len(levels[[subject]]), code), , drop = FALSE]
  others <- setdiff(names(terms), subject)
  changes <- vapply(others, function(term) {
    columns <- terms[[term]]
    !isTRUE(all(rows[, columns] == of_subject[code, columns]))
  }, NA)
  number <- others[changes]
  if (length(number) != 1L || levels[[number]] > 0L) return(NULL)
  list(number = number, factor = subject, rows = of_subject, beside = setdiff(others, number))
}

most_effect_rows <- 60L
