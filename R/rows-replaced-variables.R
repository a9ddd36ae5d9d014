# Molded data of a formula in which expressions stand for some of its columns, such as asinh(x / 3)
# for x: as if the user had written these in the formula.

# Is every variable of the formula a column of the data, and a term by itself?
has_plain_variables <- function(blueprint) {
  is.null(blueprint$recipe) && is.null(blueprint$drawn) &&
    all(vapply(blueprint$design$variables, is.symbol, NA)) &&
    all(lengths(blueprint$design$terms) == 1L)
}

# The places of the columns of the model matrix that each variable makes
places_of_variables <- function(design) {
  columns_of_design(design)[match(seq_along(design$variables), unlist(design$terms))]
}

# The molded data with `variables`, expressions named by the columns that they stand for
with_variables <- function(molded, variables) {
  design <- molded$blueprint$design
  places <- places_of_variables(design)
  drawn <- values_of_variables(molded)
  for (name in names(variables)) {
    v <- match(name, names(design$variables))
    design$variables[[v]] <- variables[[name]]
    names(design$variables)[v] <- expr_text(variables[[name]])
    molded$x[, places[[v]]] <- value_of(variables[[name]], drawn[name])
    molded$columns[places[[v]]] <- names(design$variables)[v]
  }
  colnames(molded$x) <- molded$columns
  molded$blueprint$design <- design
  offset <- molded$blueprint$offset
  molded$blueprint$offset <- NULL
  molded$blueprint$drawn <- drawn_design(design, drawn)
  molded$blueprint$offset <- offset # follows what is drawn, as in a formula written in full
  molded$drawn <- drawn_of_data(molded$blueprint$drawn, drawn)
  molded$formula <- formula_with(molded$formula, variables, names(drawn))
  molded
}

# The molded data with the variables of a fit, which gpsieve() may have replaced
with_variables_of <- function(fit, molded) {
  own <- molded$blueprint$design$variables
  of_fit <- fit$blueprint$design$variables
  replaced <- names(own) != names(of_fit)
  if (!any(replaced)) return(molded)
  with_variables(molded, stats::setNames(of_fit[replaced], names(own)[replaced]))
}

# The values of the variables of molded data whose variables are columns
values_of_variables <- function(molded) {
  design <- molded$blueprint$design
  prototypes <- molded$blueprint$ptypes$predictors
  values <- Map(function(name, encoding, block) {
    decode(encoding, molded$x[, block, drop = FALSE], prototypes[[name]])
  }, names(design$variables), design$encodings, places_of_variables(design))
  structure(values, class = "data.frame", row.names = seq_len(nrow(molded$x)))
}

# The formula with expressions in place of columns; `columns` are those that a dot stands for
formula_with <- function(formula, variables, columns) {
  replace <- function(expr) {
    if (is.symbol(expr)) {
      name <- as.character(expr)
      if (name == ".") return(Reduce(function(a, b) call("+", a, b), lapply(columns, in_place)))
      return(in_place(name))
    }
    if (!is.call(expr) || identical(expr[[1L]], quote(offset))) return(expr)
    as.call(c(expr[[1L]], lapply(as.list(expr)[-1L], replace)))
  }
  in_place <- function(name) if (name %in% names(variables)) variables[[name]] else as.name(name)
  formula[[3L]] <- replace(formula[[3L]])
  formula
}
