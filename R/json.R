# Values of R as JSON (RFC 8259), in which every number keeps all of its digits.

# So many significant digits tell any two doubles apart.
all_digits <- 17L

# A value as JSON: a list with names is an object, one without an array; numbers and texts of
# length one are themselves unless in I(), all others arrays; TRUE and FALSE are 1 and 0
as_json <- function(x) {
  if (is.list(x)) {
    parts <- vapply(x, as_json, "", USE.NAMES = FALSE)
    if (is.null(names(x))) return(json_array(parts))
    return(paste0("{", paste0(json_text(names(x)), ": ", parts, collapse = ",\n"), "}"))
  }
  parts <- if (is.character(x)) json_text(x) else json_number(x)
  if (length(parts) == 1L && !inherits(x, "AsIs")) parts else json_array(parts)
}

json_array <- function(parts) paste0("[", paste(parts, collapse = ","), "]")

json_number <- function(x) {
  stopifnot(is.numeric(x) || is.logical(x), is.finite(x))
  sprintf("%.*g", all_digits, as.double(x))
}

# Texts in quotes, in UTF-8; control characters by their numbers
json_text <- function(x) {
  x <- gsub("([\"\\\\])", "\\\\\\1", enc2utf8(x))
  for (code in unique(unlist(lapply(x, utf8ToInt)))) {
    if (code < 32L) x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  }
  paste0("\"", x, "\"", recycle0 = TRUE)
}
