# Tables of the machines of ten digits, one against the rest, that ivm-paper.R and ivm-svm.R share.
#
# A unit is what one machine found: list(n, d, error, log_loss, seconds, score, positive, label),
# where `score` orders the test rows by how probable the digit is and is positive where the machine
# says it, `positive` tells the rows of the digit, and `label` their true digits.

#' One row for each unit, and one for the ten machines combined into one classifier, which predicts
#' the digit with the largest score
#'
#' @param units A list of units with the digits as names.
#' @param machine What the machines are called in the table.
digit_rows <- function(run, machine, units) {
  row <- function(class, u) {
    data.frame(
      run = run, machine = machine, class = class, n = u$n, d = u$d, error = u$error,
      log_loss = u$log_loss, seconds = u$seconds
    )
  }
  rows <- do.call(rbind, unname(Map(row, names(units), units)))
  if (length(units) < length(paper_sizes)) return(rows)
  scores <- vapply(units, function(u) as.vector(u$score), units[[1L]]$score)
  combined <- combine_machines(scores, names(units), units[[1L]]$label)
  # Distances from the surface of a support vector machine are no quantiles of probabilities.
  if (anyNA(rows$log_loss)) combined$log_loss <- NA
  rbind(rows, row("all", list(
    n = units[[1L]]$n, d = sum(rows$d), error = combined$error, log_loss = combined$log_loss,
    seconds = sum(rows$seconds)
  )))
}

#' Error among the other rows when a share of the rows with the smallest |score| is rejected
#'
#' |score| orders the rows as |P - 1/2| does.
reject_rows <- function(run, method, u) {
  wrong <- (u$score > 0) != u$positive
  errors <- cumsum(wrong[order(-abs(u$score))])
  rejected <- seq(0, 0.25, by = 0.005)
  kept <- length(wrong) - floor(rejected * length(wrong))
  data.frame(
    run = run, method = method, n = u$n, rejected = rejected, error = errors[kept] / kept
  )
}
