# The table of candidates that gpsieve() compared, as a data frame that prints one line for each.

#' @noRd
new_choice_table <- function(table) {
  table <- as.data.frame(table)
  if (is.null(table$label)) table$label <- candidate_labels(table)
  structure(table, class = c("gpsieve_choice", "data.frame"))
}

# What print() needs; a part of the table without these columns is an ordinary data frame.
choice_columns <- c("model", "kernel", "label", "score", "std_error", "seconds", "chosen")

#' Short names of candidates: the kernel in words, with the model or the likelihood where they
#' differ within a stage
#' @noRd
candidate_labels <- function(table) {
  kernels <- vapply(as.list(table$kernel), kernel_text_label, "")
  stage <- if (is.null(table$stage)) rep("", nrow(table)) else table$stage
  differs <- function(values) {
    if (is.null(values)) return(rep(FALSE, nrow(table)))
    number <- match(values, unique(values))
    as.logical(stats::ave(number, stage, FUN = function(v) diff(range(v)) > 0))
  }
  likelihood <- sub("\\(.*", "()", as.character(table$likelihood))
  named <- differs(table$likelihood) & likelihood != "default"
  paste0(
    kernels, ifelse(named, paste0(", ", likelihood), ""),
    ifelse(differs(table$model), paste0(", ", table$model, "()"), "")
  )
}

#' A kernel, or the text of the call that makes it, in few words
#' @noRd
kernel_text_label <- function(kernel) {
  if (is.character(kernel)) {
    # Text that does not make a kernel, such as that of a user's function, stands for itself.
    kernel <- tryCatch(eval(str2lang(kernel), topenv()), error = function(e) kernel)
  }
  if (is.language(kernel)) kernel <- eval(kernel, topenv())
  if (inherits(kernel, "gpsieve_kernel")) kernel_label(kernel) else paste(kernel)
}

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

#' A line for each candidate: its score with its standard error, how far below the best of its stage
#' it is, the seconds it took, and which one was chosen
#' @noRd
choice_lines <- function(table) {
  if (!nrow(table)) return("No candidates were compared.")
  stage <- if (is.null(table$stage)) rep("", nrow(table)) else as.character(table$stage)
  best <- stats::ave(table$score, stage, FUN = function(score) max(c(score, -Inf), na.rm = TRUE))
  behind <- ifelse(is.na(table$score), "", ifelse(table$score >= best, "best",
    sprintf("%.3f", table$score - best)))
  column <- function(head, text, width = max(nchar(c(head, text), "width"))) {
    formatC(c(head, text), width = width)
  }
  numbers <- paste0(
    column("score", sprintf("%.3f", table$score)),
    column("  (s.e.)", ifelse(is.na(table$std_error), "", sprintf("(%.3f)", table$std_error))),
    column("  to best", behind), column("  seconds", sprintf("%.1f", table$seconds)), "  ",
    c("", ifelse(table$chosen, "<- chosen", ""))
  )
  room <- page_width - max(nchar(numbers)) - 4L
  labels <- c("", vapply(table$label, shortened, "", room))
  lines <- sub(" +$", "", paste0("  ", formatC(labels, width = -max(nchar(labels))), "  ", numbers))
  heads <- ifelse(!duplicated(stage) & nzchar(stage), stage, NA)
  c(lines[1L], unlist(lapply(seq_along(stage), function(i) {
    c(if (!is.na(heads[i])) heads[i], lines[i + 1L])
  })))
}
