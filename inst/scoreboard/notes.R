# What many rows of vignette("scoreboard") say about themselves is said once, as a note above their
# table; base R only. The text of a row consists of phrases between semicolons. Phrases that differ
# in their numbers only are one: the note has dots where the numbers differ, and the row has these
# numbers, in their order, after the mark of the note.

# What stands on more rows than this is a note.
most_repeated <- 3L

number_in_text <- "[+-]?[0-9]+([.,][0-9]+)*( \u00b1 [0-9.]+)?"

#' Phrases without their numbers
form_of <- function(phrases) gsub(number_in_text, "#", phrases)

#' The numbers of phrases of one form: a matrix of text with a row for each phrase
numbers_of <- function(phrases) {
  do.call(rbind, regmatches(phrases, gregexpr(number_in_text, phrases)))
}

#' Texts in which a phrase of many rows is the mark of a note, and the notes
with_notes <- function(texts) {
  phrases <- strsplit(texts, "; ", fixed = TRUE)
  forms <- lapply(phrases, form_of)
  times <- table(unlist(lapply(forms, unique)))
  often <- intersect(unlist(forms), names(times)[times > most_repeated])
  marks <- sprintf("[%s]", letters[seq_along(often)])
  notes <- character()
  for (i in seq_along(often)) {
    at <- lapply(forms, `==`, often[i])
    numbers <- numbers_of(unlist(Map(`[`, phrases, at)))
    differ <- apply(numbers, 2L, function(column) length(unique(column)) > 1L)
    shown <- ifelse(differ, "\u2026", numbers[1L, ])
    said <- often[i]
    for (number in shown) said <- sub("#", number, said, fixed = TRUE)
    notes[i] <- sprintf("* %s %s.", marks[i], said)
    phrases <- Map(function(of_row, here) {
      of_row[here] <- vapply(of_row[here], function(phrase) {
        own <- numbers_of(phrase)[, differ]
        paste(c(marks[i], if (length(own)) toString(own)), collapse = " ")
      }, "")
      of_row
    }, phrases, at)
  }
  list(texts = vapply(phrases, paste, "", collapse = "; "), notes = notes)
}
