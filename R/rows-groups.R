# Terms (1 | g) and (x | g) of a formula: groups of rows that have a function of their own.

#' Groups in formulas
#'
#' Terms with a bar, as in package lme4, add a function for each group of rows to the function of
#' the other inputs. All models and [gpsieve()] take them, in formulas with data in memory. These
#' are the terms and the kernels that they add:
#'
#' * `(1 | g)`, a constant for each group: `kernel_categorical("g", correlation = 0)`.
#' * `(x | g)`, a line in x for each group, its intercept and slope correlated:
#'   `kernel_categorical("g", fixed(1), 0) * kernel_on(kernel_affine(), "x")`.
#' * `(0 + x | g)`, a line through the origin:
#'   `kernel_categorical("g", fixed(1), 0) * kernel_on(kernel_linear(), "x")`.
#' * `(x || g)`, a line with independent intercept and slope: `(1 | g) + (0 + x | g)`.
#' * `(1 | a:b)`, a constant for each combination:
#'   `kernel_categorical(c("a", "b"), correlation = 0)`.
#'
#' Functions of different groups are independent. The argument `kernel` describes the function of
#' the other inputs, those of the formula outside bars; a kernel that names g itself takes the place
#' of these terms. Where there are no other inputs that function is a constant.
#'
#' The cost of a kernel does not depend on the number of groups: a group is a number in one column.
#' A model of a basis needs about a point for each group that it is to know, so that thousands of
#' groups need a basis of as many points.
#'
#' @section New groups:
#' Rows of groups that the training rows lack are predicted by the function of the other inputs; the
#' variance of a group's own function is added (but in [rvm()], whose functions have no variance
#' away from its basis). Rows of the same new group are then correlated in
#' [posterior_draws()]. `predict(new_levels = "error")` refuses them.
#'
#' @section Variances:
#' With a Gaussian likelihood and [kernel_linear()] plus [kernel_constant()] the model is the linear
#' mixed model, with a prior on the fixed coefficients in place of their maximum likelihood
#' estimates. [coef()] has the variances, on the scale of computation: with `standardise = FALSE` in
#' the units of the data. Where inputs are standardised, the intercept of `(x | g)` is the value at
#' the mean of x; since intercept and slope are correlated this describes the same functions, while
#' the slopes of `(0 + x | g)` and `(x || g)` have their origin at the mean of x.
#'
#' @return This page describes terms of formulas and no function.
#' @name groups
#' @seealso [kernel_categorical()], [kernel_affine()].
#' @examples
#' # The growth of chicks: one curve, and a line for each chick
#' chicks <- subset(ChickWeight, as.integer(Chick) %% 4 == 0)
#' fit <- meanfield_gp(weight ~ Time + (Time | Chick), chicks, optimise = FALSE)
#' kernel_of(fit)
#' predict(fit, data.frame(Time = c(5, 20), Chick = "new"), interval = "confidence")
#'
#' @examplesIf requireNamespace("lme4", quietly = TRUE)
#' fit <- meanfield_gp(Reaction ~ Days + (Days | Subject), lme4::sleepstudy, standardise = FALSE,
#'   kernel = kernel_linear(fixed(1000)) + kernel_constant(fixed(1e5)),
#'   likelihood = lik_gaussian(500)
#' )
#' coef(fit)
NULL

# A formula with plain terms in place of bars, and the groups: list(formula, main, groups).
# `main` is the formula without bars. A group is list(levels, slope, intercept, correlated), where
# `levels` and `slope` are terms as text.
split_bars <- function(formula) {
  bars <- bars_of(formula[[length(formula)]])
  if (!length(bars)) return(NULL)
  groups <- do.call(c, lapply(bars, read_bar))
  levels <- unique(unlist(lapply(groups, `[[`, "levels")))
  main <- formula
  main[[length(main)]] <- without_bars(formula[[length(formula)]])
  both <- intersect(levels, all.vars(main[[length(main)]]))
  if (length(both)) {
    abort_gpsieve("A group is no input beside its own term.",
      "{.val {both}} stand{?s/} inside a bar and outside of it.", class = "unsupported")
  }
  extra <- c(levels, unlist(lapply(groups, `[[`, "slope")))
  full <- main
  full[[length(full)]] <- Reduce(function(sum, term) call("+", sum, str2lang(term)), unique(extra),
    main[[length(main)]])
  list(formula = full, main = main, groups = groups, levels = levels)
}

is_bar <- function(x) operator_of(x) %in% c("|", "||")

# Is a term of a sum a bar, be it in parentheses?
is_bar_term <- function(x) is_bar(x) || (operator_of(x) == "(" && is_bar(x[[2L]]))

# The calls `|` and `||` of a sum of terms
bars_of <- function(x) {
  bars <- Filter(is_bar_term, terms_of_sum(x)$terms)
  lapply(bars, function(term) if (is_bar(term)) term else term[[2L]])
}

# A sum of terms without its bars, 1 where nothing else is there
without_bars <- function(x) {
  sum <- terms_of_sum(x)
  others <- !vapply(sum$terms, is_bar_term, NA)
  if (!any(others)) return(1)
  as_sum(list(terms = sum$terms[others], signs = sum$signs[others]))
}

read_bar <- function(bar) {
  levels <- combined_terms(bar[[3L]])
  described <- on_error(stats::terms(eval(call("~", bar[[2L]]))), function(e) NULL)
  slopes <- attr(described, "term.labels")
  intercept <- isTRUE(attr(described, "intercept") == 1L)
  independent <- identical(bar[[1L]], quote(`||`))
  good <- !is.null(described) && !is.null(levels) && (intercept || length(slopes)) &&
    (length(slopes) <= 1L || independent || !intercept)
  if (!good) {
    written <- expr_text(bar)
    abort_gpsieve("{.code ({written})} is no term of groups.",
      "Known are {.code (1 | g)}, {.code (x | g)}, {.code (0 + x | g)} and {.code (x || g)}, with
       one {.code g} or {.code a:b}.",
      "Several slopes are several terms: {.code (x | g) + (0 + z | g)}.")
  }
  group <- function(slope, intercept) {
    list(levels = levels, slope = slope, intercept = intercept)
  }
  if (intercept && length(slopes) && !independent) return(list(group(slopes, TRUE)))
  c(if (intercept) list(group(NULL, TRUE)), lapply(slopes, group, intercept = FALSE))
}

# The factors of a:b as text; NULL where an operator is another one
combined_terms <- function(x) {
  if (is.call(x) && identical(x[[1L]], quote(`:`))) {
    return(c(combined_terms(x[[2L]]), combined_terms(x[[3L]])))
  }
  if (is.call(x) && as.character(x[[1L]])[1L] %in% c("/", "*", "+", "-", "|", "%in%")) return(NULL)
  expr_text(x)
}

# The kernel with the functions of the formula's groups, unless it names their factors itself
with_groups <- function(kernel, molded) {
  named <- level_columns(kernel, molded$columns)
  added <- Filter(function(group) !any(group$levels %in% named), molded$groups)
  Reduce(`+`, lapply(added, group_kernel, molded), kernel)
}

group_kernel <- function(group, molded) {
  if (is.null(group$slope)) return(kernel_categorical(group$levels, correlation = 0))
  line <- if (group$intercept) kernel_affine() else kernel_linear()
  kernel_categorical(group$levels, fixed(1), 0) *
    kernel_on(line, molded$slopes[[group$slope]])
}

# Molded data with the groups of the formula, the columns of level numbers, those that only groups
# see, and the columns of each slope
add_groups <- function(molded, grouped, described, columns) {
  design <- molded$blueprint$design
  widths <- vapply(design$encodings, encoding_width, 0L)
  each <- vapply(design$terms, function(term) prod(widths[term]), 0)
  labels <- attr(described, "term.labels")
  of_terms <- split(molded$columns, factor(rep(seq_along(labels), each), seq_along(labels)))
  names(of_terms) <- labels
  main <- stats::terms(grouped$main[-2L], data = others_of(columns, grouped$main))
  hidden <- setdiff(labels, c(attr(main, "term.labels"), grouped$levels))
  molded$groups <- grouped$groups
  molded$levels <- grouped$levels
  molded$hidden <- unlist(of_terms[hidden], use.names = FALSE)
  molded$slopes <- of_terms
  molded
}

check_no_groups <- function(formula) {
  if (length(formula) < 3L || !length(bars_of(formula[[3L]]))) return(invisible())
  abort_gpsieve("Groups need rows in memory.", "Found a source of rows.",
    "Without bars a factor of the source becomes indicators.", class = "unsupported")
}

level_columns <- function(kernel, columns) {
  if (!sees_levels(kernel)) return(character())
  leaves <- Filter(function(leaf) is_level_leaf(leaf$kernel), kernel_leaves(kernel, columns))
  unique(unlist(lapply(leaves, `[[`, "columns")))
}

# What a dot stands for: all columns but the response's, as terms() takes them
others_of <- function(columns, formula) {
  others <- as.list(setdiff(columns, all.vars(formula[[2L]])))
  names(others) <- others
  others
}
