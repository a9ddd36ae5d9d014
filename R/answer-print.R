# What a fit, its summary and a table of candidates print: for a fit at most 14 lines, as wide as
# options(width) says within 40 and 100 columns, and numbers in units of the data. Values of the
# evidence are not printed, because they compare with few others; evidence() and glance() have them.

page_lines <- 14L
label_width <- 13L

# The lines of a narrower page would hold no words, those of a wider one are hard to read.
narrowest_page <- 40L
usual_page <- 80L
widest_page <- 100L

page_width <- function() {
  as.integer(min(max(getOption("width", usual_page), narrowest_page), widest_page))
}

#' @export
print.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  from_fit(writeLines(describe_fit(x)))
  invisible(x)
}

# Text in lines that are not wider than the page
on_page <- function(text) strwrap(text, page_width() + 1L, exdent = 2L)

# The lines that a fit prints. A fit that was chosen among others has `choice`, of which `held_out`,
# `far`, `beside` and `grew` are printed where they are present. The kernel in words, the figures of
# held-out rows and `beside` have at most `most` lines each, on a narrow page what is said under any
# label.
describe_fit <- function(fit, most = 2L) {
  chosen <- fit$choice
  one <- if (page_width() < usual_page) most else 1L
  lines <- c(
    header_line(fit),
    line_of("classes", class_words(fit), one),
    line_of("rows", rows_words(fit), one),
    line_of("fit", method_words(fit), most),
    line_of("parts", partition_words(fit), one),
    line_of("inputs", chosen$far, one),
    line_of("function", function_words(fit), most),
    line_of("offset", added_offset_words(fit), one),
    line_of("noise", noise_words(fit), one),
    line_of("held out", held_out_words(fit), most),
    line_of("matters", relevance_line(fit), one),
    line_of("beside it", as_many_as_fit(chosen$beside, most), most),
    line_of("more rows", chosen$grew, one),
    line_of("at a bound", at_bound_words(fit), one),
    line_of("learning", learning_words(fit), one),
    line_of("stopped", if (nzchar(fit$reason)) paste("early:", fit$reason), one),
    line_of("more", if (is.null(chosen)) "summary() parameters, relevance() inputs, plot() pictures"
      else "summary() parameters, choice() candidates, choice(fit, \"call\") code", one)
  )
  if (length(lines) > page_lines && most > 1L) describe_fit(fit, 1L) else lines
}

# A label and what is said under it, in at most so many lines; nothing if there is nothing to say
line_of <- function(label, text, most) {
  if (is.null(text) || !nzchar(text)) return(NULL)
  room <- page_width() - label_width
  lines <- if (nchar(text, "width") <= room) text else signs_at_numbers(strwrap(text, room + 1L))
  if (length(lines) > most) {
    rest <- seq(most, length(lines))
    lines <- c(lines[-rest], paste(lines[rest], collapse = " "))
  }
  lines <- vapply(lines, shortened, "", room, USE.NAMES = FALSE)
  labels <- c(label, rep("", length(lines) - 1L))
  paste0("  ", formatC(labels, width = 2L - label_width, flag = "-"), lines)
}

# Lines of which none begins with the per cent sign of a number in the line before
signs_at_numbers <- function(lines) {
  for (i in which(startsWith(lines, "%"))) {
    lines[i] <- paste(sub(".* ", "", lines[i - 1L]), lines[i])
    lines[i - 1L] <- sub(" [^ ]*$", "", lines[i - 1L])
  }
  lines
}

# What was compared, without the last of it where the lines have no room for all
as_many_as_fit <- function(parts, most) {
  for (kept in rev(seq_along(parts))) {
    left <- length(parts) - kept
    text <- paste(c(parts[seq_len(kept)], if (left) paste(left, "more")), collapse = ", ")
    if (length(strwrap(text, page_width() - label_width + 1L)) <= most) break
  }
  if (length(parts)) text
}

# The text, or as much of its beginning as has room, with dots
shortened <- function(text, room) {
  text <- gsub("[\n\t]+", " ", text)
  if (nchar(text, "width") <= room) text else paste0(strtrim(text, max(room - 3L, 1L)), "...")
}

# What was fitted to what, and at the right edge the function that made it, in short or not at all
# where the name of the response needs the room
header_line <- function(fit) {
  inputs <- length(user_columns(fit))
  start <- paste0(fit$labels$title, " for ")
  end <- paste0(": ", in_thousands(fit$n), " row", if (fit$n != 1) "s", ", ", in_thousands(inputs),
    " input", if (inputs != 1L) "s")
  makers <-
    if (is.null(fit$choice)) paste0(maker_of(fit), "()") else c("chosen by gpsieve()", "gpsieve()")
  left <- paste0(start, shortened(fit$response$name, page_width() - nchar(paste0(start, end),
    "width")), end)
  gaps <- page_width() - nchar(left, "width") - nchar(makers, "width")
  maker <- which(gaps >= 2L)[1L]
  if (is.na(maker)) shortened(left, page_width())
  else paste0(left, strrep(" ", gaps[maker]), makers[maker])
}

class_words <- function(fit) {
  response <- fit$response
  if (!is_classification(response)) return(NULL)
  if (response$kind == "binary") {
    note <- family_of(fit$likelihood)$note
    return(paste0(toString(response$present), " (probabilities are those of ",
      response$present[2L], ")", if (!is.null(note)) note(fit$likelihood$values)))
  }
  end <- paste0("; ", length(response$present), if (response$kind == "ordinal") " ordered",
    " classes",
    if (response$kind == "multiclass" && !identical(response$scheme, "joint")) {
      ", each against the rest"
    }
  )
  paste0(shortened(toString(response$present), page_width() - label_width - nchar(end)), end)
}

# How many rows the rows of a fit count as, are different, or were left out
rows_words <- function(fit) {
  cases <- fit$cases
  said <- c(
    if (!is.null(cases$distinct)) {
      paste(in_thousands(cases$distinct), "different, equal ones computed together")
    },
    if (!is.null(cases$total)) paste("count as", number_text(cases$total, 6)),
    if (length(cases$na_action)) {
      paste(in_thousands(length(cases$na_action)), "more left out because of missing values")
    }
  )
  paste(said, collapse = ", ")
}

# By which method, on how many basis points
method_words <- function(fit) {
  sizes <- vapply(fit$posteriors, function(p) length(p$basis), 0L)
  all_rows <- fit$labels$basis == "rows"
  size <-
    if (all_rows) c("on all rows", if (is_partitioned(fit)) "of each part")
    else c(
      if (min(sizes) == max(sizes)) in_thousands(sizes[1L]) else
        paste(in_thousands(min(sizes)), "to", in_thousands(max(sizes))),
      if (all(sizes == 1L)) sub("s$", "", fit$labels$basis) else fit$labels$basis,
      if (is_partitioned(fit)) "in each part",
      if (fit$response$kind == "multiclass" && any(sizes < nrow(fit$basis))) "for each class"
    )
  size <- paste(size, collapse = " ")
  paste(c(if (all_rows) c(fit$labels$method, size) else c(size, fit$labels$method)),
    collapse = ", ")
}

# The offset, and what it is added to
added_offset_words <- function(fit) {
  offset <- fit$blueprint$offset
  if (is.null(offset)) return(NULL)
  values <- c(names(offset$rules), if (isTRUE(offset$given)) "a given number for each row")
  link <- family_of(fit$likelihood)$link
  of <- switch(link, log = "to the logarithm of the mean", identity = "to the function",
    logit = "to the log-odds", "to the latent function")
  paste0(paste(values, collapse = " + "), ", added ", of)
}

# The noise of a numeric response, in its own units
noise_words <- function(fit) {
  if (is_classification(fit$response)) return(NULL)
  if (has_known_noise(fit)) return("known for each row")
  if (has_learned_noise(fit)) return(learned_noise_words(fit))
  paste0(family_of(fit$likelihood)$words(fit$likelihood, latent_scale(fit)),
    noise_beside_errors(fit))
}

# How much of the squared errors of held-out rows, which stand in the line below, is noise, in
# words: the rest is what the fit does not know of the function. Nothing where either is not known.
noise_beside_errors <- function(fit) {
  figures <- figures_to_print(fit)$figures
  if (!adds_gaussian_noise(fit$likelihood)) return(NULL)
  if (!is_worth_printing(figures) || is.null(figures$rmse)) return(NULL)
  noise <- fit$likelihood$values$variance * latent_scale(fit)^2
  part <- cut(noise / figures$rmse^2, c(0, noise_parts), names(noise_parts))
  if (!is.na(part)) paste0(": ", part, " the squared error below")
}

# The greatest share of the squared error that each of these words stands for; beyond the last one
# nothing is said.
noise_parts <- c(
  "a small part of" = 0.3, "about half of" = 0.7, "most of" = 0.9, "nearly all of" = 1.1
)

# How well rows were predicted that were held out, or each row without itself: list(figures, own).
# A choice from very many rows compares candidates that learn from a part of them: the fit to all
# of them is better. Rows that are later than all that was learned stand for themselves.
figures_to_print <- function(fit) {
  figures <- fit$choice$held_out
  from_part <- fit$n > 2 * most_trial_rows && !isTRUE(fit$choice$in_time)
  own <- is.null(figures) || from_part && !is.null(fit$held_out)
  list(figures = as.list(if (own) fit$held_out else figures), own = own)
}

# Figures of fewer rows than these are chance and are not printed: any at all, and shares of rows.
fewest_judged <- 5
fewest_for_shares <- 20

is_worth_printing <- function(figures) length(figures) > 0L && !isTRUE(figures$rows < fewest_judged)

held_out_words <- function(fit) {
  printed <- figures_to_print(fit)
  figures <- printed$figures
  if (!is_worth_printing(figures)) return(NULL)
  said <- if (is_classification(fit$response)) classes_figures_words(figures)
    else numbers_figures_words(figures)
  if (!is.null(said)) paste0(judged_rows_words(fit, printed), said)
}

# Which rows the figures are of.
# What a relevance vector machine keeps while a row is left out was chosen with that row. The
# machines of several classes predict a row a little too well: where classes hardly overlap,
# 10-fold cross-validation gave a third more errors and up to half more log loss.
judged_rows_words <- function(fit, printed) {
  if (is.null(printed$figures$rows)) return(NULL)
  rows <- in_thousands(printed$figures$rows)
  if (!printed$own) return(paste0(rows, if (isTRUE(fit$choice$in_time)) " later", " rows: "))
  machines <- fit$response$kind == "multiclass" && !identical(fit$response$scheme, "joint")
  paste0("each of ", rows, " rows", if (machines || fit$model == "rvm") ", at best", ": ")
}

numbers_figures_words <- function(figures) {
  if (!is.null(figures$concordance)) {
    if (is.na(figures$concordance)) return(NULL)
    return(paste0("concordance ", share(figures$concordance),
      " (pairs in the right order)"))
  }
  if (!is.null(figures$below)) return(paste(percent(figures$below), "lie below the quantile"))
  paste0(
    "RMSE ", with_error(figures$rmse, figures$rmse_error),
    if (isTRUE(is.finite(figures$r2))) paste0(", R2 ", r2_words(figures$r2)),
    if (says_shares(figures)) paste0("; 95 % intervals hold ", percent(figures$coverage95))
  )
}

# As many nines as say how far it is from 1
r2_words <- function(r2) {
  if (r2 <= 0) return(paste(share(r2), "(no better than the mean)"))
  if (r2 < 0.995 || r2 >= 1 - 1e-6) return(share(r2))
  with_decimal_mark(sub("^0", "", sprintf("%.*f", ceiling(-log10(1 - r2)), r2)))
}

classes_figures_words <- function(figures) {
  error <- if (is.null(figures$error_error)) percent(figures$error)
    else paste(with_error(100 * figures$error, 100 * figures$error_error), "%")
  paste0(
    "error ", error,
    if (!is.null(figures$guess)) {
      paste0(" (", percent(figures$guess), " by guessing the commonest class)")
    },
    ", log loss ", share(figures$log_loss),
    if (isTRUE(is.finite(figures$auc))) paste(", AUC", share(figures$auc)),
    if (says_shares(figures)) paste0("; ", calibration_words(figures))
  )
}

says_shares <- function(figures) !isTRUE(figures$rows < fewest_for_shares)

# The distance of probabilities from frequencies in words.
# Frequencies in ten bins are off their probabilities by chance too: on average by about 1 /
# sqrt(rows) if the rows spread evenly over the bins. Within what chance alone may be no fault of
# probabilities shows, and with few rows that is much.
calibration_words <- function(figures) {
  rows <- if (is.null(figures$rows)) Inf else figures$rows
  by_chance <- 0.01 + 1.3 / sqrt(rows)
  if (figures$calibration > 2 * by_chance) "badly calibrated"
  else if (figures$calibration > by_chance) "fairly calibrated"
  else if (by_chance <= hardly_off) "well calibrated"
  else paste("calibrated within", percent(signif(by_chance, 1)))
}

# Probabilities that are off by so much are hardly worse than right ones.
hardly_off <- 0.05

# Fewer basis points than this do not represent the rows over which relevance() takes averages.
fewest_to_average <- 10
# Printing a fit takes no more multiplications than this for the relevance of its columns.
printed_work <- 2e9

# The most relevant columns, as many as fit into a line
relevance_line <- function(fit) {
  inputs <- length(user_columns(fit))
  if (inputs < 2L) return(NULL)
  if (relevance_work(fit, inputs) > printed_work) return("relevance(fit) says; it takes long here")
  if (nrow(fit$basis) < min(fewest_to_average, distinct_rows(fit))) {
    return("relevance(fit, newdata) says, for rows that you give")
  }
  table <- relevance(fit)
  worth <- sum(table$relevance >= 0.01)
  if (!worth) return("no input by itself")
  # That the prediction changes by more than it varies is no share of anything: see relevance().
  items <- paste(table$term, ifelse(table$relevance > 1, "> 1", share(table$relevance)))
  rest <- function(shown) if (inputs > shown) paste0("  (", inputs - shown, " more)")
  lines <- vapply(seq_len(min(worth, most_printed)), function(shown) {
    paste0(paste(items[seq_len(shown)], collapse = "  "), rest(shown))
  }, "")
  lines[max(1L, sum(nchar(lines, "width") <= page_width() - label_width))]
}

most_printed <- 6L

# That learning ended before a maximum, unless the fit says so where it says why it stopped
learning_words <- function(fit) {
  if (isTRUE(fit$evidence$steps_ended) && !nzchar(fit$reason)) {
    "ended before a maximum of the evidence"
  }
}

at_bound_words <- function(fit) {
  if (!any(at_bound(fit))) return(NULL)
  paste("of learning:", toString(names(coef(fit))[at_bound(fit)]))
}
