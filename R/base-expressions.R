# Expressions of any length, looked through without recursion: a sum of thousands of terms is a call
# that is nested as deep.

# The variables of an expression, without the names of parts, as hour in as.POSIXlt(at)$hour
names_in <- function(expr) {
  all <- all.vars(expr, unique = FALSE)
  for (call in Filter(function(call) operator_of(call) %in% c("$", "@"), calls_in(expr))) {
    all <- all[-match(as.character(call[[3L]]), all, nomatch = length(all) + 1L)]
  }
  unique(all)
}

# The terms of a sum: list(terms, signs), signs "+" or "-", in the order in which they are written.
# What is taken away, and what stands in parentheses, is one term.
terms_of_sum <- function(expr) {
  found <- list()
  signs <- character()
  pending <- list(expr)
  sign <- "+"
  add <- function(term) {
    found[[length(found) + 1L]] <<- term
    signs[length(found)] <<- sign
    sign <<- "+"
  }
  # From the last term to the first: sums are nested on the left.
  while (length(pending)) {
    last <- length(pending)
    expr <- pending[[last]]
    pending[[last]] <- NULL
    operator <- operator_of(expr)
    if (!operator %in% c("+", "-")) {
      add(expr)
    } else if (operator == "+") {
      pending <- c(pending, as.list(expr)[-1L])
    } else {
      sign <- "-"
      add(expr[[length(expr)]])
      if (length(expr) == 3L) pending <- c(pending, expr[[2L]])
    }
  }
  list(terms = rev(found), signs = rev(signs))
}

# The sum of terms with signs, as terms_of_sum() returns them
as_sum <- function(sum) {
  terms <- sum$terms
  expr <- if (sum$signs[1L] == "-") call("-", terms[[1L]]) else terms[[1L]]
  for (i in seq_along(terms)[-1L]) expr <- call(sum$signs[i], expr, terms[[i]])
  expr
}

# The operator or function of a call as text, "" of anything else
operator_of <- function(expr) {
  if (is.call(expr) && is.symbol(expr[[1L]])) as.character(expr[[1L]]) else ""
}

# All calls in an expression, those that stand in others after these
calls_in <- function(expr) {
  found <- list()
  level <- Filter(is.call, list(expr))
  while (length(level)) {
    found <- c(found, list(level))
    level <- Filter(is.call, unlist(lapply(level, as.list), recursive = FALSE))
  }
  unlist(found, recursive = FALSE)
}

# An expression as the user wrote it, in one line; a column's name as it is, without backticks
expr_text <- function(expr) {
  if (is.symbol(expr)) as.character(expr)
  else paste(trimws(deparse(expr, width.cutoff = 500L)), collapse = " ")
}

# Names, constants and calls of these, without any value that is not one number or text
is_plain_code <- function(expr) {
  calls <- calls_in(expr)
  if (any(vapply(calls, operator_of, "") == "function")) return(FALSE)
  parts <- unlist(lapply(calls, as.list), recursive = FALSE)
  all(vapply(c(list(expr), parts), function(part) is.call(part) || is_plain_word(part), NA))
}

# A name, one number or text, or NULL
is_plain_word <- function(expr) {
  # ..1 stands for an argument of a function that is no longer there.
  if (is.symbol(expr)) return(!startsWith(as.character(expr), ".."))
  is.null(expr) || (is.atomic(expr) && length(expr) == 1L && is.null(attributes(expr)))
}
