# Levels of new rows that the training data lack.
#
# `unseen` goes with new rows on their way to numbers: note(value, known, name) returns TRUE for
# each row whose value is no known level and remembers these levels, and `average` says whether such
# rows get the average of the levels instead of NA.

# What predict(new_levels = ) may be.
new_level_rules <- c("NA", "error", "average")

# What to do where new levels are an error: in rows to predict, in rows to learn from, and in rows
# that a fit has seen.
hints_of_new_levels <- list(
  error = "{.code new_levels} may be {.val NA} or {.val average} too.",
  training = "Levels that may come later must be levels of the factor in the first fit.",
  "known rows" = NULL
)

# New levels are an error, with a hint
refuse_unseen <- function(arg, hint = NULL) {
  note <- function(value, known, name) {
    check_known_levels(value, known, name, arg, hint)
    FALSE
  }
  list(note = note, average = FALSE, refuses = TRUE)
}

# New levels are gathered by column, for warn_unseen()
gather_unseen <- function(average) {
  found <- list()
  note <- function(value, known, name) {
    novel <- !(as.character(value) %in% c(known, NA))
    if (any(novel)) found[[name]] <<- union(found[[name]], as.character(value)[novel])
    novel
  }
  list(note = note, average = average, found = function() found)
}

# The average of the levels in the training rows: the share of each, or their mean position
average_level <- function(encoding) {
  shares <- encoding$shares
  if (encoding$kind == "category") shares else sum(shares * seq_along(shares))
}

check_known_levels <- function(value, known, name, arg, hint = NULL) {
  novel <- setdiff(unique(as.character(value)), c(known, NA))
  if (!length(novel)) return(invisible())
  abort_gpsieve(
    "Column {.val {name}} of {.arg {arg}} has {length(novel)} level{?s} the training data lack.",
    "New: {.val {novel}}. Known: {.val {known}}.", hint, class = "data")
}

most_levels_shown <- 5L

# One warning about new levels, gathered by column
warn_unseen <- function(found, rule) {
  if (!length(found)) return(invisible())
  columns <- vapply(names(found), function(name) {
    shown <- utils::head(found[[name]], most_levels_shown)
    more <- length(found[[name]]) - length(shown)
    paste0(name, ": ", toString(dQuote(shown, FALSE)), if (more) paste(" and", more, "more"))
  }, "")
  fate <- if (rule == "NA") "are NA" else "are those of the average level"
  warn_gpsieve(
    c("Some rows have levels that the training data lack: their predictions {fate}.",
      x = "New: {toString(columns)}."),
    "{.code predict(new_levels = )} takes {.val {new_level_rules}}.",
    class = "new_levels", found = found, rule = rule
  )
}

# Several looks at the same rows, or at consecutive ones, give one warning about their levels
once_unseen <- function(expr) {
  gathered <- list()
  rule <- new_level_rules[1L]
  value <- withCallingHandlers(expr, gpsieve_warning_new_levels = function(w) {
    rule <<- w$rule
    for (name in names(w$found)) gathered[[name]] <<- union(gathered[[name]], w$found[[name]])
    tryInvokeRestart("muffleWarning")
  })
  warn_unseen(gathered, rule)
  value
}
