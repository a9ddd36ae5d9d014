# Comparing the candidates of gpsieve() on held-out rows, and what is said about the result.

#' All entries, the chosen one first
#' @noRd
choose_entries <- function(task, report) {
  task$unit <- response_unit(task$molded$y)
  task$alike <- of_one_kind(task)
  entries <- learn_entries(first_entries(task), task)
  splits <- held_out_splits(task)
  task$compared <- length(entries)
  task$anew <- learns_anew(task, lapply(entries, `[[`, "candidate"), length(splits))
  judge <- function(entries) lapply(entries, judge_entry, task, splits, report)
  # The fit of a source reads all of its rows: one candidate is not worth another fit.
  alone <- length(entries) == 1L && !is.null(task$molded$rows)
  if (alone || !length(splits)) return(entries[1L])
  entries <- judge(entries)
  entries <- entries[order(-vapply(entries, score_of, 0))]
  if (!is.null(task$molded$rows)) entries <- parts_unless_worse(entries)
  entries <- with_trees(entries, judge(tree_entries(entries, task)))
  entries <- with_robust(entries, task, splits, report)
  best <- entries[[1L]]$judged
  signal_found(sum(best$density), density_of_constant(task, splits), list(y = cbind(best$density)),
    "held-out log density", clear_held_out_gain
  )
  if (has_leaves(task)) entries[[1L]]$grew <- growth_words(entries[[1L]], task, splits)
  entries
}

#' The entries and that of trees of terms, first if its density is greater than that of the best of
#' them by more than two standard errors
#'
#' Trees of terms share the active points among the terms. What they gain on the rows of a
#' comparison can be lost on all rows, where each term changes within fewer rows.
#' @noRd
with_trees <- function(entries, of_trees) {
  for (entry in of_trees) {
    entries <-
      if (gains_clearly(entry, entries[[1L]])) c(list(entry), entries)
      else c(entries, list(entry))
  }
  entries
}

#' Is the density of an entry greater than the usual one's by more than two standard errors?
#' @noRd
gains_clearly <- function(entry, usual) {
  gain <- entry$judged$density - usual$judged$density[match(entry$judged$row, usual$judged$row)]
  isTRUE(mean(gain) > 2 * error_of_mean(gain))
}

#' The entries and that of a robust likelihood, first if it is clearly better than the best of them
#'
#' The first split decides whether the others are worth their time: learning with a robust
#' likelihood costs several times as much as with the usual one.
#' @noRd
with_robust <- function(entries, task, splits, report) {
  usual <- entries[[1L]]
  for (entry in robust_entries(usual, task)) {
    entry <- judge_entry(entry, task, splits[1L], report)
    better <- clearly_better(entry, usual)
    if (better && length(splits) > 1L) {
      entry <- judge_entry(entry, task, splits, report)
      better <- clearly_better(entry, usual)
    }
    entries <- if (better) c(list(entry), entries) else c(entries, list(entry))
  }
  entries
}

#' The standard deviation of a numeric response, in which densities are measured; 1 for classes
#' @noRd
response_unit <- function(y) {
  if (is.factor(y)) 1 else positive_or_one(stats::sd(plain_numbers(y), na.rm = TRUE))
}

# The log density of judged rows must exceed that of a constant by so much for the function to be
# more than chance: an odds ratio of 7. Several candidates were judged on these rows, and the best
# taken.
clear_held_out_gain <- 2

# So many judged rows tell candidates apart that differ enough to matter. With fewer rows in all
# than the least, nothing can be compared.
enough_judged <- 200
fewest_to_compare <- 10
# With at most so many rows, times latent functions, hyper-parameters are learned anew without the
# rows to judge, if there is time: with those of all rows, held-out scores of sets of 100 to 400
# rows were too good by up to 1.3 standard errors.
most_learned_anew <- 1000
# Rows that learn in a comparison of candidates for many rows, at most.
most_trial_rows <- 40000

#' Rows to fit and rows to judge: a list of list(train, test)
#'
#' Classes are spread evenly over the folds, and every class is among the rows to fit.
#' @noRd
held_out_splits <- function(task) {
  y <- task$molded$y
  n <- length(y)
  if (n < fewest_to_compare) return(list())
  if (isTRUE(task$series$ordered)) return(splits_in_time(task))
  few <- fits_densely(task)
  folds <-
    if (few) min(task$control$folds, n) else max(5, ceiling(n / task$control$validation_rows))
  given <- !is.null(task$folds)
  copies <- !given && counts_copies(task$molded)
  counted <- if (copies) sum(task$molded$weights) else n
  judged <- if (few) min(folds, max(2, ceiling(enough_judged * folds / counted))) else 1
  learning <- function(rows) rows[draw(length(rows), min(length(rows), most_trial_rows), task$seed)]
  if (copies) {
    return(lapply(splits_of_copies(task$molded, folds, judged, task$seed), function(split) {
      split$train <- learning(split$train)
      split
    }))
  }
  fold <- if (given) task$folds else
    fold_of_rows(folds, n, if (is.factor(y)) y, task$seed, task$call)
  ids <- sort(unique(fold))
  if (given) judged <- length(ids)
  lapply(ids[seq_len(min(length(ids), judged))], function(k) {
    train <- fold != k
    if (is.factor(y)) train <- train | !y %in% y[train]
    list(train = learning(which(train)), test = which(!train))
  })
}

#' The entry with `judged`, what its candidate says about held-out rows; a fit that breaks down says
#' that nothing is possible
#' @noRd
judge_entry <- function(entry, task, splits, report) {
  start <- proc.time()[["elapsed"]]
  learner <- entry
  if (task$anew && !is.null(learner$learned)) learner$learned$again <- TRUE
  parts <- lapply(splits, function(split) {
    report()
    c(list(row = split$test), judge_split(learner, task, split))
  })
  join <- function(field) do.call(c, lapply(parts, `[[`, field))
  entry$judged <- list(
    row = join("row"), density = join("density"), residual = join("residual"),
    surprise = join("surprise"), said = do.call(rbind, lapply(parts, `[[`, "said"))
  )
  entry$seconds <- entry$seconds + proc.time()[["elapsed"]] - start
  entry
}

#' Does every judged split learn for itself, beginning with what all rows have learned? Where the
#' rows are few, and there is time. In folds in time each has nearly as many rows as all.
#' @noRd
learns_anew <- function(task, candidates, splits) {
  most <- most_learned_anew / (if (isTRUE(task$series$ordered)) judged_blocks else 1)
  if (nrow(task$molded$x) * task$latents > most) return(FALSE)
  learning <- vapply(candidates, function(candidate) {
    blocks <- candidate$settings$control$blocks
    if (is.null(blocks)) 0 else learning_seconds(task, blocks)
  }, 0)
  (1 + share_again * splits) * sum(learning) + dense_seconds(task) <= choice_seconds(task)
}

judge_split <- function(entry, task, split) {
  entry$candidate <- trial_candidate(entry$candidate, task, length(split$train))
  tryCatch(
    muffle_warnings({
      molded <- molded_for(entry$candidate, task)
      fit <- fit_entry(entry, task, molded_part(molded, split, "train"))
      held_out_scores(fit, molded_part(molded, split, "test"), task$unit, task$call)
    }),
    gpsieve_error = function(e) {
      rows <- length(split$test)
      list(density = rep(density_floor, rows), residual = rep(Inf, rows),
        surprise = rep(NA_real_, rows)
      )
    }
  )
}

score_of <- function(entry) mean(entry$judged$density)

#' Entries of a source in their order, but the best of machines on parts first unless it is worse by
#' more than two standard errors
#'
#' They are judged on the sample. On all rows there are as many machines more as there are rows, and
#' the model of a fixed size stays as it is.
#' @noRd
parts_unless_worse <- function(entries) {
  in_parts <- !vapply(entries, function(entry) is.null(entry$candidate$settings$leaf_rows), NA)
  first <- which(in_parts)[1L]
  if (is.na(first)) return(entries)
  gap <- entries[[1L]]$judged$density - entries[[first]]$judged$density
  if (isTRUE(mean(gap) > 2 * error_of_mean(gap))) return(entries)
  c(entries[first], entries[-first])
}

#' The log density of the judged rows where nothing is known of them: that of the normal
#' distribution of the rows to fit, or the share of each class among these; NULL for pairs. A row
#' counts by its weight, as it does in held_out_scores(), and known noise is that of the rows.
#' @noRd
density_of_constant <- function(task, splits) {
  if (is_pairs(task$molded$y)) return(NULL)
  sum(vapply(splits, function(split) {
    train <- molded_part(task$molded, split, "train")
    test <- molded_part(task$molded, split, "test")
    known <- train$y
    y <- test$y
    of_known <- case_weights_of(train)
    of_test <- case_weights_of(test)
    density <- if (is.factor(y)) {
      counts <- tapply(of_known, known, sum, default = 0)
      log((counts[as.character(y)] + 0.5) / sum(counts + 0.5))
    } else if (!is.null(train$noise_sd)) {
      center <- stats::weighted.mean(known, of_known / train$noise_sd^2)
      stats::dnorm(y, center, test$noise_sd, log = TRUE) + log(task$unit)
    } else {
      scales <- column_scales(matrix(known), of_known)
      stats::dnorm(y, scales$center, scales$scale, log = TRUE) + log(task$unit)
    }
    sum(density * of_test / mean(of_test))
  }, 0))
}

#' Is an entry better than the usual one by more than two standard errors, its squared error no
#' greater, and the mean of its residuals within two standard errors of 0?
#'
#' A likelihood with heavy tails can have the greater density and the worse mean: where the noise is
#' skewed, its location is not the mean.
#' @noRd
clearly_better <- function(entry, usual) {
  same <- match(entry$judged$row, usual$judged$row)
  residual <- entry$judged$residual
  gains_clearly(entry, usual) &&
    isTRUE(mean(residual^2) <= mean(usual$judged$residual[same]^2)) &&
    isTRUE(abs(mean(residual)) <= 2 * error_of_mean(residual))
}

#' In a few words how predictions improve with the rows: the same candidate on a quarter of them
#' @noRd
growth_words <- function(entry, task, splits) {
  split <- splits[[1L]]
  few <- draw(length(split$train), round(length(split$train) / 4), task$seed)
  fewer <- split
  fewer$train <- split$train[few]
  before <- c(list(row = split$test), judge_split(entry, task, fewer))
  if (is.null(before$said) || is.null(entry$judged$said)) return(NULL)
  y <- task$molded$y
  name <- if (is.factor(y)) "log_loss" else if (has_censored(y)) "concordance" else "rmse"
  figure <- function(judged) {
    format(signif(held_out_figures(judged, y)[[name]], 3), decimal.mark = ".")
  }
  sprintf("%s %s from %s rows, %s from %s", sub("rmse", "RMSE", sub("_", " ", name)),
    figure(before), in_thousands(length(fewer$train)), figure(entry$judged),
    in_thousands(length(split$train))
  )
}

#' A function that tells the progress bar, if there is one, of one more fit
#' @noRd
choice_report <- function(bar) {
  done <- 0
  function() {
    done <<- done + 1
    if (!is.null(bar)) bar(1 - exp(-done / 10), done)
  }
}

#' What gpsieve() chose, and among what
#'
#' @param fit A fit made by [gpsieve()].
#' @param what `"table"` for what was compared, `"call"` for the call that makes the same fit
#'   without choosing.
#' @return A data frame with a row for each candidate, which prints as a line for each: `stage`
#'   (`"function"` or `"likelihood"`), `label`, `model`, `kernel` with the values learned from all
#'   rows, `likelihood`; `score`, the mean log predictive density of the rows it was judged on, of
#'   a response in units of its standard deviation, and its standard error `std_error`, both `NA`
#'   where nothing was compared; `rows`, how many those are; `seconds`; and whether it was
#'   `chosen`. With `what = "call"` an unevaluated call; evaluated where the data are, it makes the
#'   same fit.
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
      class = "unsupported"
    )
  }
  if (what == "table") new_choice_table(fit$choice$table) else fit$choice$call
}

choice_table <- function(entries) {
  of <- function(field) vapply(entries, function(entry) entry$candidate[[field]], "")
  judged <- lapply(entries, function(entry) entry$judged$density)
  text <- function(value, otherwise) if (is.null(value)) otherwise else format(value)
  data.frame(
    stage = vapply(entries, `[[`, "", "stage"), label = of("label"), model = of("model"),
    kernel = vapply(entries, function(entry) {
      format(if (is.null(entry$kernel)) entry$candidate$kernel else entry$kernel)
    }, ""),
    likelihood = vapply(entries, function(entry) text(entry$candidate$likelihood, "default"), ""),
    score = vapply(judged, function(x) if (length(x)) mean(x) else NA_real_, 0),
    std_error = vapply(judged, function(x) if (length(x)) error_of_mean(x) else NA_real_, 0),
    rows = lengths(judged), seconds = vapply(entries, `[[`, 0, "seconds"),
    chosen = seq_along(entries) == 1L, row.names = NULL
  )
}

#' How the other candidates did beside the chosen one, a short phrase for each
#' @noRd
beside_words <- function(entries) {
  best <- entries[[1L]]$judged$density
  unlist(lapply(entries[-1L], function(entry) {
    gap <- best[match(entry$judged$row, entries[[1L]]$judged$row)] - entry$judged$density
    error <- error_of_mean(gap)
    verdict <-
      if (isTRUE(mean(gap) > 2 * error)) "clearly worse"
      else if (isTRUE(mean(gap) > error)) "somewhat worse"
      else "no different"
    paste(sub("^linear$", "a linear function", entry$candidate$label), "is", verdict)
  }))
}

#' The call to write instead of gpsieve()
#'
#' `asked` is the user's call; data that stand in it as values are replaced by the argument's name.
#' @noRd
chosen_call <- function(candidate, task, asked) {
  given <- as.list(asked)[-1L]
  names(given) <- if (is.null(names(given))) rep("", length(given)) else names(given)
  data <- utils::head(given[names(given) %in% c("", "formula", "x", "data", "y")], 2L)
  cases <- given[names(given) %in% c("weights", "offset", "noise_sd", "subset", "na.action")]
  names_of_data <-
    if (inherits(task$molded$formula, "formula")) c("formula", "data") else c("x", "y")
  for (i in seq_along(data)) {
    if (!is.language(data[[i]]) || utils::object.size(data[[i]]) > 1e5) {
      data[[i]] <- as.name(names_of_data[i])
    }
  }
  settings <- lapply(candidate_settings(candidate, task), function(value) {
    if (inherits(value, "gpsieve_control")) control_expression(value) else value
  })
  values <- lapply(Filter(Negate(is.null), candidate[c("kernel", "likelihood")]), kernel_expression)
  as.call(c(as.name(candidate$model), data, values, settings, cases, list(seed = task$seed)))
}

#' A kernel or a likelihood as the expression that makes it; a kernel that holds a function stands
#' for itself
#' @noRd
kernel_expression <- function(value, digits = exact_digits) {
  if (inherits(value, "gpsieve_kernel")) {
    leaves <- kernel_leaves(value)
    if (any(vapply(leaves, function(leaf) leaf$kernel$type == "function", NA))) return(value)
  }
  value_expression(value, digits)
}

# So many digits make a number again, but for its last bits.
exact_digits <- 15
