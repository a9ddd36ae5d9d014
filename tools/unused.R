# Variables that a function assigns and never uses, as file: function: variable; exits 1 when there
# is one. lintr's object_usage_linter would name those too that messages quote in braces.
#
#   Rscript tools/unused.R R/ivm.R ...

#' The texts in a function's code
texts_in <- function(code) {
  parts <- if (is.recursive(code)) lapply(as.list(code), texts_in) else if (is.character(code)) code
  unlist(parts)
}

#' The names that messages quote: those of the code in braces, also in braces within braces
quoted_in <- function(f) {
  texts <- texts_in(body(f))
  braced <- grep("{", texts, fixed = TRUE, value = TRUE)
  unlist(regmatches(braced, gregexpr("[A-Za-z._][A-Za-z0-9._]*", braced)))
}

unused_in <- function(f, name) {
  said <- character()
  codetools::checkUsage(f, name, function(text) said <<- c(said, text), all = FALSE,
    suppressParamUnused = TRUE)
  found <- regmatches(said, regexec("local variable .([^ ]+). assigned but may not be used", said))
  setdiff(vapply(Filter(length, found), `[[`, "", 2L), quoted_in(f))
}

faults <- 0
for (file in commandArgs(TRUE)) for (code in parse(file, keep.source = FALSE)) {
  defines <- is.call(code) && identical(code[[1L]], as.name("<-")) && is.name(code[[2L]]) &&
    is.call(code[[3L]]) && identical(code[[3L]][[1L]], as.name("function"))
  if (!defines) next
  name <- as.character(code[[2L]])
  for (variable in unused_in(eval(code[[3L]], globalenv()), name)) {
    cat(sprintf("%s: %s() assigns %s and does not use it\n", file, name, variable))
    faults <- faults + 1
  }
}
if (faults) quit(status = 1)
