# Groups of columns in formulas, y ~ g(x1) + g(x2, x3): the function is a sum with one term for each
# group, and one for all columns that stand outside of groups.

# The groups of a formula: list(formula, groups), the formula with the columns of the groups as
# plain terms, and for each group the labels of its terms; NULL where a formula has none.
# A function g() of the user's own is that function.
formula_groups <- function(formula, env) {
  found <- list()
  plain <- function(expr) {
    sum <- terms_of_sum(expr)
    added <- sum$signs == "+"
    sum$terms[added] <- lapply(sum$terms[added], plain_term)
    as_sum(sum)
  }
  plain_term <- function(expr) {
    if (operator_of(expr) == "(") return(call("(", plain(expr[[2L]])))
    if (operator_of(expr) != "g") return(expr)
    sum <- sum_of_group(expr)
    found[[length(found) + 1L]] <<- attr(stats::terms(stats::as.formula(call("~", sum))),
      "term.labels")
    call("(", sum)
  }
  if (!"g" %in% all.names(formula[[3L]]) || is.function(get0("g", env, mode = "function"))) {
    return(list(formula = formula))
  }
  formula[[3L]] <- plain(formula[[3L]])
  if ("g" %in% setdiff(all.names(formula[[3L]]), all.vars(formula[[3L]]))) {
    abort_gpsieve("{.fn g} must be a term of its own, as in {.code y ~ g(a) + g(b, c)}.",
      "Found it inside of another term of {.arg formula}.")
  }
  list(formula = formula, groups = found)
}

# The sum of the columns that stand in g()
sum_of_group <- function(expr) {
  inside <- as.list(expr)[-1L]
  if (!length(inside) || !is.null(names(inside)) || "." %in% unlist(lapply(inside, all.names))) {
    abort_gpsieve("{.fn g} must name the columns of a group, as in {.code g(a, b)}.",
      "Found {.code {expr_text(expr)}}.")
  }
  Reduce(function(a, b) call("+", a, b), inside)
}

# The numbers of the columns of each group, and of those outside of groups but for the columns
# `of_levels`, which only terms with bars see (rows-groups.R); NULL without groups
columns_of_groups <- function(grouped, described, design, of_levels) {
  if (!length(grouped$groups)) return(NULL)
  widths <- vapply(design$encodings, encoding_width, 0)
  ends <- cumsum(vapply(design$terms, function(term) prod(widths[term]), 0))
  columns <- Map(seq, c(0, utils::head(ends, -1L)) + 1, ends)
  labels <- attr(described, "term.labels")
  found <- lapply(grouped$groups, function(group) {
    as.integer(unlist(columns[match(group, labels)]))
  })
  others <- setdiff(seq_len(max(ends)), c(unlist(found), of_levels))
  unique(c(found, if (length(others)) list(others)))
}

# A kernel as a sum with one term for each group; as it is where it is such a sum already
with_column_groups <- function(kernel, molded) {
  groups <- molded$column_groups
  if (is.null(groups) || is_sum_over(kernel, groups, molded$columns)) return(kernel)
  if (restricts_columns(kernel)) {
    abort_gpsieve("Either {.fn g} or {.fn kernel_on} says which columns go together.",
      "Found both.", "Give a kernel without {.fn kernel_on}: each group gets one like it.",
      class = "unsupported")
  }
  parts <- lapply(groups, function(columns) {
    new_kernel("on", children = list(kernel), dims = columns)
  })
  if (length(parts) == 1L) parts[[1L]] else new_kernel("sum", children = parts)
}

restricts_columns <- function(kernel) {
  is_restricted(kernel) || any(vapply(kernel$children, restricts_columns, NA))
}

# Is every term of the kernel, but for those of levels and gaps, restricted to one of the groups,
# and has every group a term?
is_sum_over <- function(kernel, groups, columns) {
  terms <- if (is_sum(kernel)) kernel$children else list(kernel)
  terms <- Filter(function(term) !sees_levels(term) && !has_gap_noise(term), terms)
  dims <- lapply(terms, function(term) {
    if (is.character(term$dims)) match(term$dims, columns) else as.integer(term$dims)
  })
  setequal(lapply(dims, sort), lapply(groups, sort))
}
