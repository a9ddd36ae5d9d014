# Lists of named parts, of which the parts are written down once.

# A list that has exactly the named parts of `fields`, with the values given in `...`; those that
# are not given are as in `fields`
new_record <- function(fields, ...) {
  given <- list(...)
  unknown <- setdiff(names(given), names(fields))
  if (length(unknown)) stop("a record has no part ", toString(unknown), call. = FALSE)
  fields[names(given)] <- given
  fields
}
