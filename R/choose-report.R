# What is said about the choice of gpsieve(): the table of candidates, a few words about the others,
# and the call to write instead.

#' What gpsieve() chose, and among what
#'
#' @param fit A fit made by [gpsieve()].
#' @param what `"table"` for what was compared, `"call"` for the call that makes the same fit
#'   without choosing.
#' @return With `what = "table"` a data frame with a row for each candidate, which prints as a line
#'   for each:
#'   * `stage` (`"function"`, `"inputs"` or `"likelihood"`) and `label`: what was compared;
#'   * `model`, `kernel` with the values learned from all rows, `likelihood`;
#'   * `score`: the mean log predictive density of held-out rows, of a response in units of its
#'     standard deviation, and the standard error of this mean, `std_error`. Where the
#'     hyper-parameters have been learned from the held-out rows too, as they are with more than
#'     1000 rows (times latent functions), the number of those that the rows determine, over that
#'     of the rows, has been subtracted;
#'   * `difference`: the score minus that of the chosen candidate on the same rows, and the
#'     standard error of the mean of these paired differences, `std_error_difference`. Candidates
#'     are told apart by the second standard error, which is mostly smaller, because both judge the
#'     same rows;
#'   * `rows`: how many rows the score is of. Candidates that would hardly be taken are judged on
#'     fewer of them;
#'   * `seconds`, and whether the candidate was `chosen`;
#'   * `not_taken`: why a candidate was not taken that was better on the same rows, or that came
#'     first until it was fitted to all rows.
#'
#'   Scores and differences are `NA` where nothing was compared. With `what = "call"` an unevaluated
#'   call, which makes the same fit where it is evaluated beside the data.
#' @seealso [gpsieve()]
#' @examples
#' fit <- gpsieve(dist ~ speed, cars, seed = 1)
#' choice(fit)
#' choice(fit, "call")
#' @export
choice <- function(fit, what = c("table", "call")) {
  check_fit(fit)
  what <- check_choice(what)
  if (is.null(fit$choice)) {
    abort_gpsieve("This fit was not chosen among others.", hint = "{.fn gpsieve} chooses.",
      class = "unsupported")
  }
  if (what == "table") new_choice_table(fit$choice$table) else fit$choice$call
}

choice_table <- function(entries) {
  of <- function(field) vapply(entries, function(entry) entry$candidate[[field]], "")
  judged <- lapply(entries, function(entry) entry$judged$density)
  beyond <- lapply(entries, density_beyond, entries[[1L]])
  text <- function(value, otherwise) if (is.null(value)) otherwise else format(value)
  data.frame(
    stage = vapply(entries, `[[`, "", "stage"), label = of("label"), model = of("model"),
    kernel = vapply(entries, function(entry) {
      format(if (is.null(entry$kernel)) entry$candidate$kernel else entry$kernel)
    }, ""),
    likelihood = vapply(entries, function(entry) text(entry$candidate$likelihood, "default"), ""),
    score = vapply(entries, function(entry) {
      if (length(entry$judged$density)) held_out_score(entry) else NA_real_
    }, 0),
    std_error = vapply(entries, function(entry) {
      if (length(entry$judged$density)) error_of_score(entry$judged) else NA_real_
    }, 0),
    difference = vapply(beyond, function(x) if (length(x)) mean(x) else NA_real_, 0),
    std_error_difference = vapply(beyond, function(x) {
      if (length(x)) error_of_mean(x) else NA_real_
    }, 0),
    rows = lengths(judged), seconds = vapply(entries, `[[`, 0, "seconds"),
    chosen = seq_along(entries) == 1L,
    not_taken = vapply(entries, function(entry) {
      why <- why_not_taken(entry, entries[[1L]])
      if (is.null(why)) NA_character_ else why
    }, ""),
    row.names = NULL
  )
}

# The standard error of the mean density of rows, which were multiplied by their weights
error_of_score <- function(judged) {
  weight <- if (is.null(judged$said)) 1 else judged$said[, ncol(judged$said)]
  error_of_mean(judged$density / weight, rep_len(weight, length(judged$density)))
}

# The table of candidates as a data frame that prints one line for each
new_choice_table <- function(table) {
  structure(as.data.frame(table), class = c("gpsieve_choice", "data.frame"))
}

# What print() needs; a part of the table without these columns is an ordinary data frame.
choice_columns <- c("model", "kernel", "label", "score", "difference", "std_error_difference",
  "rows", "seconds", "chosen", "not_taken")

#' @export
`[.gpsieve_choice` <- function(x, ...) {
  out <- NextMethod()
  if (is.data.frame(out) && !all(choice_columns %in% names(out))) class(out) <- "data.frame"
  out
}

#' @export
as.data.frame.gpsieve_choice <- function(x, ...) {
  class(x) <- "data.frame"
  x
}

#' @export
print.gpsieve_choice <- function(x, ...) {
  writeLines(choice_lines(x))
  invisible(x)
}

# What the columns of the printed table are, which a reader meets without the help page.
choice_legend <- paste("score: mean log density of so many held-out rows, corrected where they",
  "took part in learning, the higher the better; to chosen: difference to the chosen candidate on",
  "the rows that both judged, and its standard error (s.e.)")
# What is said where the scores of a table are not of the same rows.
other_rows_legend <- "; scores of other rows do not compare"

# A line for each candidate, the stages of the choice one after the other: its score and of how many
# rows that is, how far it is from that of the chosen one with the standard error of this
# difference, the seconds it took, and which one was chosen; a line more where one that was better
# was not
choice_lines <- function(table) {
  if (!nrow(table)) return("No candidates were compared.")
  stage <- if (is.null(table$stage)) rep("", nrow(table)) else as.character(table$stage)
  known <- !is.na(table$difference) & !table$chosen
  column <- function(head, text, width = max(nchar(c(head, text), "width"))) {
    formatC(c(head, text), width = width)
  }
  decimals <- function(form, x) with_decimal_mark(sprintf(form, x))
  only <- function(shown, text) ifelse(shown, text, "")
  mark <- c("", ifelse(table$chosen, "  <- chosen", ""))
  scores <- paste0(
    column("score", only(!is.na(table$score), decimals("%.3f", table$score))),
    column("  rows", only(table$rows > 0, vapply(table$rows, in_thousands, ""))),
    column("  to chosen", only(known, decimals("%+.3f", table$difference))),
    column("  (s.e.)", only(known, decimals("(%.3f)", table$std_error_difference)))
  )
  numbers <- paste0(scores, column("  seconds", decimals("%.1f", table$seconds)), mark)
  room <- page_width() - max(nchar(numbers)) - 4L
  if (room < shortest_label) {
    numbers <- paste0(scores, substr(mark, 1L, 4L))
    room <- max(page_width() - max(nchar(numbers)) - 4L, shortest_label)
  }
  labels <- c(list(""), lapply(table$label, label_lines, room))
  width <- max(nchar(unlist(labels), "width"))
  lines <- Map(function(label, numbers) {
    beside <- c(rep("", length(label) - 1L), paste0("  ", numbers))
    sub(" +$", "", paste0("  ", formatC(label, width = -width), beside))
  }, labels, numbers)
  several <- length(unique(table$rows[!is.na(table$score)])) > 1L
  c(lines[[1L]], unlist(lapply(unique(stage), function(one) {
    c(if (nzchar(one)) one, unlist(lapply(which(stage == one), function(i) {
      why <- table$not_taken[i]
      c(lines[[i + 1L]], if (!is.na(why)) paste("    not taken:", why))
    })))
  })), if (any(known)) on_page(paste0(choice_legend, if (several) other_rows_legend)))
}

# The label of a candidate in one or two lines of so many letters, since labels of one likelihood
# may differ at their ends only
label_lines <- function(label, room) {
  lines <- strwrap(gsub("[\n\t]+", " ", label), room + 1L, exdent = 2L)
  if (length(lines) > 2L) lines <- c(lines[1L], paste(lines[-1L], collapse = " "))
  vapply(lines, shortened, "", room, USE.NAMES = FALSE)
}

shortest_label <- 8L
# The names of inputs stand in a label where they have at most so many characters.
widest_names <- 20L

# How the other candidates did beside the chosen one, a short phrase for each
beside_words <- function(entries) {
  unlist(lapply(entries[-1L], function(entry) {
    paste(candidate_words(entry$candidate, entries[[1L]]$candidate),
      beside_verdict(entry, entries[[1L]]))
  }))
}

# A candidate in a sentence: its function, and in parentheses what else its label says, as in
# "learned scale, rough and smooth, warped". Where the chosen candidate has a likelihood of its own,
# one of the same function without it must not look like the chosen one.
candidate_words <- function(candidate, chosen) {
  parts <- strsplit(candidate$label, ", ", fixed = TRUE)[[1L]]
  of_function <- grepl("(linear|smooth|rough)$", parts)
  parts[of_function] <- sprintf("a %s function", parts[of_function])
  parts <- c(parts[of_function], parts[!of_function])
  of_inputs <- parts %in% c("warped", "mixed")
  parts[of_inputs] <- paste(parts[of_inputs], "inputs")
  own <- chosen$likelihood
  of_numbers <- !is.null(own) && !likelihood_response(own) %in% c("binary", "ordinal")
  if (of_numbers && is.null(candidate$likelihood)) parts <- append(parts, "Gaussian noise", 1L)
  paste0(parts[1L], if (length(parts) > 1L) sprintf(" (%s)", toString(parts[-1L])))
}

# What the paired differences of log densities to the chosen candidate say, by their standard error
beside_verdict <- function(entry, chosen) {
  beyond <- density_beyond(entry, chosen)
  errors <- mean(beyond) / error_of_mean(beyond)
  if (!is.null(entry$verdict)) paste("is", entry$verdict)
  else if (is_clear(-beyond) && mean(beyond) < -least_worse) "predicts clearly worse"
  else if (is_clear(beyond)) paste("has a better score but", why_not_taken(entry, chosen))
  else if (isTRUE(errors < -1) && mean(beyond) < -least_worse) "predicts somewhat worse"
  else "predicts as well"
}

# Log densities that differ by less are those of predictions that nobody can tell apart, however
# sure the difference is.
least_worse <- 0.005

# Why a candidate was not taken that was better than the chosen one on the rows that both judged:
# what the stages of the choice ask for beside a greater density. NULL where it was not better.
why_not_taken <- function(entry, chosen) {
  beyond <- density_beyond(entry, chosen)
  if (!is.null(entry$verdict)) entry$verdict
  else if (!isTRUE(mean(beyond) > 0)) NULL
  else if (entry$stage == "inputs" && !is_promising(beyond)) "a gain within a standard error"
  else if (entry$stage != "inputs" && !is_clear(beyond)) "a gain within two standard errors"
  else if (!has_mean_as_good(entry, chosen)) "larger squared errors"
  else if (!gains_in_most_rows(entry, chosen)) "a gain that few rows decide"
  else if (!has_same_mean(entry, chosen)) "predictions that are shifted on average"
  else "a worse result in another comparison"
}

# The call to write instead of gpsieve().
# `frame` is that of the user's call; data that stand in the call as values are replaced by the
# argument's name.
chosen_call <- function(candidate, task, frame) {
  asked <- without_dots(rlang::frame_call(frame), frame)
  given <- as.list(asked)[-1L]
  names(given) <- rlang::names2(given)
  of_data <- utils::head(which(names(given) %in% c("", "formula", "x", "data", "y")), 2L)
  data <- given[of_data]
  cases <- cases_as_written(task$molded, frame)
  names_of_data <-
    if (inherits(task$molded$formula, "formula")) c("formula", "data") else c("x", "y")
  for (i in seq_along(data)) {
    if (!is.language(data[[i]]) || utils::object.size(data[[i]]) > 1e5) {
      data[[i]] <- as.name(names_of_data[i])
    }
  }
  constants <- task$molded$blueprint$constants
  if (task$replaced || length(constants)) {
    at <- match(place_of_formula(asked, frame), of_data)
    data[[at]] <- with_constants(task$molded$formula, constants)
  }
  settings <- lapply(candidate_settings(candidate, task), function(value) {
    if (inherits(value, "gpsieve_control")) control_expression(value) else value
  })
  # Where no likelihood is written the model advises one, which gpsieve() has compared or advised.
  advised <- chooses_noise(task) && !is.null(advice_on_response(task$molded$y, ""))
  if (is.null(candidate$likelihood) && advised) candidate$likelihood <- lik_gaussian()
  values <- lapply(Filter(Negate(is.null), candidate[c("kernel", "likelihood")]), kernel_expression)
  as.call(c(as.name(candidate$model), data, values, settings, cases, list(seed = task$seed)))
}

# The arguments of a call that are evaluated among columns and `na.action`: their expressions, with
# the values of names that are no columns, or the name of an argument that stands in the call as a
# value
cases_as_written <- function(molded, frame) {
  written <- Filter(Negate(is.null),
    lapply(cases_of_call(frame)[column_arguments], rlang::quo_get_expr))
  written[!vapply(written, is_plain_code, NA)] <-
    lapply(names(written)[!vapply(written, is_plain_code, NA)], as.name)
  again <- molded$repeatable
  written[names(again)] <- again
  written
}

# A call of gpsieve(), given its frame, in which the data stand as they were written where a
# function passes them on by its dots
without_dots <- function(asked, frame) {
  if (!any(vapply(as.list(asked), identical, NA, quote(...)))) return(asked)
  given <- Filter(function(arg) is_given(arg, frame), c("x", "y", "formula", "data"))
  written <- lapply(given, function(arg) {
    expr <- rlang::quo_get_expr(eval(bquote(rlang::enquo(.(as.name(arg)))), frame))
    # Where the value stands in a call, a formula has an environment, which holds data.
    if (inherits(expr, "formula")) `attributes<-`(expr, NULL) else expr
  })
  # Without their names they can stand in the place of others, as x and y do for formula and data.
  names(written) <- ifelse(given %in% c("x", "y"), "", given)
  as.call(c(asked[[1L]], written))
}

# Which of the arguments of a call of gpsieve() is the formula, given the frame of the call
place_of_formula <- function(asked, frame) {
  given <- as.list(asked)[-1L]
  numbered <- as.call(c(asked[[1L]], stats::setNames(as.list(seq_along(given)), names(given))))
  holds <- function(arg) is_given(arg, frame) && inherits(frame[[arg]], "formula")
  as.integer(match.call(gpsieve, numbered)[[Find(holds, c("formula", "x", "y"))]])
}

# A kernel or a likelihood as the expression that makes it; a kernel that holds a function stands
# for itself
kernel_expression <- function(value) {
  if (inherits(value, "gpsieve_kernel")) {
    functions <- vapply(kernel_leaves(value), function(leaf) is.function(leaf$kernel$fn), NA)
    if (any(functions)) return(value)
  }
  str2lang(format(value, digits = exact_digits))
}

# In a few words how predictions improve with the rows: the same candidate on a quarter of them
growth_words <- function(entry, task, splits) {
  split <- splits[[1L]]
  few <- draw(length(split$train), round(length(split$train) / 4), task$seed)
  fewer <- split
  fewer$train <- split$train[few]
  before <- c(list(row = split$test), judge_split(entry, task, fewer))
  if (is.null(before$said) || is.null(entry$judged$said)) return(NULL)
  if (predicts_quantile(task$likelihood)) return(NULL)
  y <- response_less_offset(task, likelihood = entry$candidate$likelihood)
  name <- if (is.factor(y)) "log_loss" else if (has_censored(y)) "concordance" else "rmse"
  figure <- function(judged) {
    number_text(held_out_figures(judged, y)[[name]], 3)
  }
  sprintf("%s %s from %s rows, %s from %s", sub("rmse", "RMSE", sub("_", " ", name)),
    figure(before), in_thousands(length(fewer$train)), figure(entry$judged),
    in_thousands(length(split$train)))
}
