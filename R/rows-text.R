# Text that says something else: numbers, or dates, which as text are classes or levels without an
# order.

# What the values of text say: list(is = "numbers" or "dates", but, format), or NULL where they are
# words. Of `n` rows many must differ for numbers, which may be codes of levels; `but` is a value
# that is no number, as "n/a".
said_by_text <- function(values, n) {
  values <- unique(values[!is.na(values) & nzchar(trimws(values))])
  if (length(values) < 2L) return(NULL)
  number <- !is.na(suppressWarnings(as.double(values)))
  if (mean(number) >= most_of_text && length(values) > max(most_codes, n / 3)) {
    return(list(is = "numbers", but = values[!number][1L]))
  }
  for (format in date_formats) {
    dates <- as.Date(values, format)
    usual <- !is.na(dates) & dates > as.Date("1500-01-01") & dates < as.Date("2500-01-01")
    if (mean(usual) >= most_of_text) return(list(is = "dates", format = format))
  }
}

most_of_text <- 0.9
most_codes <- 10
date_formats <- c("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y")

# What to write in place of a column of text, `name`
conversion_of_text <- function(said, name, factor) {
  if (factor) name <- sprintf("as.character(%s)", name)
  if (said$is == "numbers") sprintf("as.numeric(%s)", name)
  else if (said$format == date_formats[1L]) sprintf("as.Date(%s)", name)
  else sprintf("as.Date(%s, \"%s\")", name, said$format)
}

# Stops where the response is text that says numbers or dates: each of them would be a class. Who
# made a factor of them may have meant classes, so that a factor is fitted with a warning.
check_no_text_of_numbers <- function(molded) {
  y <- molded$y
  if (!is.null(molded$rows) || !(is.character(y) || is.factor(y)) || !is.null(dim(y))) {
    return(invisible())
  }
  said <- said_by_text(if (is.factor(y)) levels(y) else y, length(y))
  if (is.null(said)) return(invisible())
  converted <- conversion_of_text(said, molded$outcome, is.factor(y))
  if (is.factor(y)) {
    warn_gpsieve("The levels of the response say {said$is}, of which each is a class.",
      "{.code {converted}} makes {said$is} of it.", class = "text")
    return(invisible())
  }
  odd <- isTRUE(nzchar(said$but, keepNA = TRUE))
  abort_gpsieve("The response is text that says {said$is}, of which each would be a class.",
    if (odd) "All but some are numbers: found {.val {said$but}}."
    else "Found {.val {as.character(y[!is.na(y)][1L])}}.",
    "{.code {converted}} makes {said$is} of it.", class = "data")
}

# What the columns of text say that is not words, by their names
said_by_columns <- function(molded) {
  if (!is.null(molded$rows)) return(list())
  design <- molded$blueprint$design
  encodings <- stats::setNames(design$encodings, names(design$variables))
  of_levels <- Filter(function(encoding) encoding$kind == "category", encodings)
  said <- lapply(of_levels, function(encoding) said_by_text(encoding$levels, count_rows(molded)))
  Filter(Negate(is.null), said)
}

advice_on_text <- function(said, columns) {
  unlist(Map(function(said, name) {
    sprintf("%s is text that says %s: %s has their order.", name, said$is,
      conversion_of_text(said, name, is.factor(columns[[name]])))
  }, said, names(said)), use.names = FALSE)
}
