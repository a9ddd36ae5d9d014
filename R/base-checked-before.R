# Objects that a check has found good, so that it is not made again.

# Kernels and likelihoods that were found good: their checks write them as text, which takes longer
# than a prediction of one row. They are compared as values, so that an edited one is checked again.
found_good <- new.env(parent = emptyenv())

most_found_good <- 16L

# Is `check` true of these parts of a fit, or were equal parts found good before? Functions are not
# kept: what they refer to may be large.
good_as_before <- function(parts, check) {
  for (good in found_good$last) if (identical(parts, good)) return(TRUE)
  good <- isTRUE(do.call(check, parts, quote = TRUE))
  if (good && !has_function(parts)) {
    found_good$last <- utils::head(c(list(parts), found_good$last), most_found_good)
  }
  good
}

has_function <- function(x) is.function(x) || (is.list(x) && any(vapply(x, has_function, NA)))
