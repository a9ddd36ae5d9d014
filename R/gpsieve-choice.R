# The result of gpsieve(): the table of candidates, the call that makes the same fit, printing.

#' What gpsieve() chose, and among what
#'
#' @param fit A fit made by [gpsieve()].
#' @param what `"table"` for what was compared, `"call"` for the call that makes the same fit
#'   without choosing.
#' @return A data frame with a row for each candidate: `stage` (`"screen"`, `"kernel"`, `"sum"`,
#'   `"scale"`, `"likelihood"` or `"model"`), `model`, `kernel`, `likelihood`; `score`, the mean log
#'   predictive density of the rows it was judged on, and its standard error `std_error`; `rows`,
#'   how many those are (fewer where a candidate was given up after some folds); `seconds`, 0 where
#'   an earlier stage had judged it on these rows; and whether it was `chosen`.
#'   Scores compare within a stage only. With `what = "call"` an unevaluated call; evaluated where
#'   the data are, it makes the same fit.
#' @seealso [gpsieve()]
#' @examples
#' fit <- gpsieve(dist ~ speed, cars, seed = 1, control = control_gpsieve(folds = 3))
#' choice(fit)
#' choice(fit, "call")
#' @export
choice <- function(fit, what = c("table", "call")) {
  check_fit(fit)
  what <- check_choice(what, c("table", "call"))
  if (is.null(fit$choice)) {
    abort_gpsieve("This fit was not chosen among others.", hint = "{.fn gpsieve} chooses.",
      class = "unsupported"
    )
  }
  fit$choice[[what]]
}

#' One stage of comparisons as rows of the table
#' @noRd
stage_table <- function(stage, candidates, race, chosen) {
  text <- function(name, otherwise) {
    vapply(candidates, function(candidate) {
      value <- candidate$arguments[[name]]
      if (is.null(value)) otherwise else if (is.language(value)) deparse1(value) else format(value)
    }, "")
  }
  rows <- colSums(!is.na(race$scores))
  data.frame(
    stage = stage, model = vapply(candidates, `[[`, "", "model"), kernel = text("kernel", ""),
    likelihood = text("likelihood", "default"), score = colMeans(race$scores, na.rm = TRUE),
    std_error = apply(race$scores, 2L, stats::sd, na.rm = TRUE) / sqrt(rows), rows = rows,
    seconds = race$seconds, chosen = seq_along(candidates) == chosen, row.names = NULL
  )
}

#' The candidates that finished, the best first
#' @noRd
ranking_of <- function(race) {
  means <- colMeans(race$scores)
  utils::head(order(-replace(means, !race$finished | is.na(means), -Inf)),
    max(1L, sum(race$finished))
  )
}

#' How plausible it is that a candidate is as good as the best: exp(-z^2 / 2) for a held-out score
#' that is z standard errors of the paired difference below the greatest; 0 where it was given up
#' @noRd
plausibility <- function(race) {
  best <- ranking_of(race)[1L]
  gap <- race$scores[, best] - race$scores
  error <- apply(gap, 2L, error_of_mean)
  z <- ifelse(error > 0, colMeans(gap) / error, 0)
  ifelse(is.na(z), 0, exp(-z^2 / 2))
}

#' The second of two candidates only if it is better by more than `by` standard errors, and its
#' squared error no greater; with `unbiased` also only if the mean of its residuals is within two
#' standard errors of 0
#'
#' A likelihood with heavy tails can have the greater density and the worse mean: where the noise is
#' skewed, its location is not the mean.
#' @noRd
clearly_better <- function(race, by = 2, unbiased = FALSE) {
  both <- !is.na(rowSums(race$scores))
  gain <- race$scores[both, 2L] - race$scores[both, 1L]
  squares <- race$residuals[both, , drop = FALSE]^2
  residual <- race$residuals[!is.na(race$scores[, 2L]), 2L]
  denser <- mean(gain) > by * error_of_mean(gain)
  closer <- mean(squares[, 2L] - squares[, 1L]) <= 0
  centred <- abs(mean(residual)) <= 2 * error_of_mean(residual)
  if (race$finished[2L] && isTRUE(denser && closer && (centred || !unbiased))) 2L else 1L
}

error_of_mean <- function(x) stats::sd(x) / sqrt(length(x))

#' In words: what the chosen candidate beat in each stage, and by how much on the same rows
#'
#' What is usual is chosen although something else was better, unless that was clearly better.
#' @noRd
describe_stage <- function(stage, candidates, race, chosen) {
  if (length(candidates) < 2L || stage == "screen") return(NULL)
  means <- colMeans(race$scores, na.rm = TRUE)
  second <- order(replace(means, chosen, -Inf), decreasing = TRUE)[1L]
  both <- race$scores[, chosen] - race$scores[, second]
  both <- both[!is.na(both)]
  name <- function(k) {
    if (stage == "model") {
      return(paste0(candidates[[k]]$model, "() with ", deparse1(candidates[[k]]$arguments$kernel)))
    }
    if (stage == "sum") return(if (k == 1L) "the sum of the best kernels" else "the best kernel")
    if (stage == "scale") return(if (k == 1L) "a scale for each column" else "one for all columns")
    value <- candidates[[k]]$arguments[[stage]]
    if (is.null(value)) paste("the default", stage) else deparse1(value)
  }
  words <- if (mean(both) < 0) "%s, although %s was better by %.3f" else "%s over %s by %.3f"
  sprintf(paste(words, "(standard error %.3f) a row"), name(chosen), name(second),
    abs(mean(both)), error_of_mean(both)
  )
}

#' A kernel as the expression that makes it, numbers to four digits; a kernel that holds a function
#' stands for itself
#' @noRd
kernel_expression <- function(kernel) {
  if (is.language(kernel)) return(kernel)
  has_function <- any(vapply(kernel_leaves(kernel), function(leaf) leaf$kernel$type == "function",
    NA))
  if (has_function) kernel else str2lang(format(kernel))
}

#' The call to write instead of gpsieve()
#'
#' `asked` is the user's call; data that stand in it as values are replaced by the argument's name.
#' @noRd
chosen_call <- function(candidate, task, asked) {
  given <- as.list(asked)[-1L]
  names(given) <- if (is.null(names(given))) rep("", length(given)) else names(given)
  data <- given[names(given) %in% c("", "formula", "x", "data", "y")]
  data <- utils::head(data, 2L)
  cases <- given[names(given) %in% c("weights", "offset", "subset", "na.action")]
  names_of_data <- c(if (inherits(task$molded$formula, "formula")) "formula" else "x",
    if (inherits(task$molded$formula, "formula")) "data" else "y")
  for (i in seq_along(data)) {
    if (!is.language(data[[i]]) || utils::object.size(data[[i]]) > 1e5) {
      data[[i]] <- as.name(names_of_data[i])
    }
  }
  as.call(c(as.name(candidate$model), data, candidate_arguments(candidate, task),
    cases, list(seed = task$seed)
  ))
}

#' @export
print.gpsieve_chosen <- function(x, ...) {
  NextMethod()
  from_fit(writeLines(c(
    paste0("  chosen       ", x$choice$why),
    paste0("  it beat      ", x$choice$beat),
    paste0("  to write     ", expr_text(x$choice$call))
  )))
  invisible(x)
}
