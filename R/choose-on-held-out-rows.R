# Comparing the candidates of gpsieve() on held-out rows.

# Entries in the order of their held-out log densities, of the rows that all of them have judged
by_density <- function(entries) {
  shared <- Reduce(intersect, lapply(entries, function(entry) entry$judged$row))
  entries[order(-vapply(entries, held_out_score, 0, shared))]
}

# The mean log density of held-out rows, less the optimism of the entry
held_out_score <- function(entry, rows = entry$judged$row) {
  mean(entry$judged$density[match(rows, entry$judged$row)]) - optimism(entry)
}

optimism <- function(entry) if (is.null(entry$optimism)) 0 else entry$optimism

# By how much the log density of a held-out row is too great in the mean, where all rows have
# learned hyper-parameters and determine so many of them: their number over that of the rows
# (Akaike's correction). Over 42 candidates for 13 tables of 700 and 1500 rows, each judged on 2600
# to 6000 new rows too, held-out rows were too good by .47 +- .09 times the number of all
# hyper-parameters, of which the rows of such tables determine a third to a half. Of 725 for 2,390
# splice junctions (180 factors) they determine 63. Half of all would have taken .15 nats from the
# rich function, whose log loss of 796 new rows is .111, and a linear one, .159, would come first.
optimism_of <- function(determined, task) determined / nrow(task$molded$x)

# How many of so many hyper-parameters rows usually determine, where it is not known
usually_determined <- function(hyper_parameters) hyper_parameters / 2

optimism_of_learning <- function(entry, task) {
  if (task$anew) 0 else optimism_of(entry$learned$determined, task)
}

# Are the rows so few that folds of them mislead between functions? Then the evidence of all of them
# decides between those of one likelihood.
has_few_rows <- function(task) {
  nrow(task$molded$x) < fewest_to_decide && is.null(task$folds) && !isTRUE(task$series$ordered)
}

# The entries in the order of their evidence, where few rows have Gaussian noise and nobody named
# candidates.
# Folds of 20 rows took a line for two of twelve codes of which the evidence preferred the rough and
# smooth function by 4.5 and 1.7 nats; that function has the line among its parts, and a prior.
by_evidence_of_few <- function(entries, task) {
  dense <- vapply(entries, function(entry) entry$candidate$model == "meanfield_gp", NA)
  applies <- has_few_rows(task) && chooses_noise(task) && !length(task$kernels) && all(dense)
  if (!applies || length(entries) < 2L) return(entries)
  behind_by_evidence(entries[order(-evidence_of_entries(entries, task))])
}

# The log evidence of all rows for each of the entries; a fit that breaks down has none
evidence_of_entries <- function(entries, task) {
  vapply(entries, function(entry) {
    tryCatch(fit_entry(entry, task)$evidence$value, gpsieve_error = function(e) -Inf)
  }, 0)
}

# The entries, of which those whose held-out density is greater than that of the first one say why
# they come after it
behind_by_evidence <- function(entries) {
  entries[-1L] <- lapply(entries[-1L], function(entry) {
    if (is_likelier(entry, entries[[1L]])) {
      entry$verdict <- "less likely by the evidence of all rows"
    }
    entry
  })
  entries
}

# The response of molded rows, a real one less its offset, as a `likelihood` models it: what an
# offset explains is no merit of a fit
response_less_offset <- function(task, molded = task$molded, likelihood = task$likelihood) {
  real <- task$kind == "number" &&
    (is.null(likelihood) || likelihood_response(likelihood) == "real")
  if (real && !is.null(molded$offset)) molded$y - molded$offset else molded$y
}

# Is a mean gain more than two standard errors above 0?
is_clear <- function(gain) isTRUE(mean(gain) > 2 * error_of_mean(gain))

# Is a mean gain more than a standard error above 0, so that what it promises is worth a look?
is_promising <- function(gain) isTRUE(mean(gain) > error_of_mean(gain))

# Is the density of an entry clearly greater than the usual one's on the rows that both judged?
gains_clearly <- function(entry, usual) {
  is_clear(density_beyond(entry, usual))
}

# Rows to fit and rows to judge: a list of list(train, test)
held_out_splits <- function(task) {
  y <- task$molded$y
  if (length(y) < fewest_to_compare) return(list())
  splits <-
    if (isTRUE(task$series$ordered)) splits_in_time(task)
    else if (!is.null(task$folds)) splits_of_folds(task$folds, y)
    else splits_at_random(task)
  # Of classes with one row each no row is held out.
  splits <- Filter(function(split) length(split$test) > 0L, splits)
  lapply(splits, thinned, trial_rows(task), task$seed)
}

# Some of the folds of few rows, one of many rows
splits_at_random <- function(task) {
  molded <- task$molded
  n <- length(molded$y)
  few <- fits_densely(task)
  folds <-
    if (few) min(task$control$folds, n) else max(5, ceiling(n / most_validation_rows))
  # The copies of a row of numbers have the same noise, which those that are fitted would tell of
  # those that are held out; classes and counts, as those of a table, have none.
  copies <- counts_copies(molded) && (task$kind != "number" || isTRUE(molded$counted))
  counted <- if (copies) sum(molded$weights) else n
  judged <- if (few) min(folds, max(2, ceiling(enough_judged * folds / counted))) else 1
  if (copies) return(splits_of_copies(molded, folds, judged, task$seed))
  strata <- if (is.factor(molded$y)) molded$y
  splits_of_folds(fold_of_rows(folds, n, strata, task$seed), molded$y, judged)
}

# The entry with `judged`, what its candidate says about held-out rows; a fit that breaks down says
# that nothing is possible
judge_entry <- function(entry, task, splits, report) {
  start <- proc.time()[["elapsed"]]
  learner <- entry
  if (task$anew && !is.null(learner$learned)) learner$learned$again <- TRUE
  parts <- lapply(splits, function(split) {
    report()
    c(list(row = split$test), judge_split(learner, task, split))
  })
  entry$judged <- joined_scores(parts)
  if (!is.null(entry$learned)) entry$optimism <- optimism_of_learning(entry, task)
  entry$seconds <- entry$seconds + proc.time()[["elapsed"]] - start
  entry
}

# The entry with `judged`, on the splits that decide whether it is better than the usual one:
# `judge(i)` is an entry that the i-th has judged.
# The others are left out where those before show that the gain in density will hardly be `needed`
# standard errors, or that it is three and the entry `suits` in what else is asked of it.
judge_beside <- function(entry, usual, splits, judge, suits = function(entry, usual) TRUE,
                         needed = 2) {
  start <- proc.time()[["elapsed"]]
  all <- length(unlist(lapply(splits, `[[`, "test")))
  for (i in seq_along(splits)) {
    found <- judge(i)
    entry$judged <- joined_scores(c(list(entry$judged), list(found$judged)))
    entry$optimism <- found$optimism
    gain <- bounded_gain(entry, usual)
    if (length(gain) < fewest_to_suggest) next
    if (is_hopeless(gain, all, needed)) break
    if (length(gain) >= fewest_to_decide && isTRUE(mean(gain) > 3 * error_of_mean(gain)) &&
      suits(entry, usual)) break
  }
  entry$seconds <- entry$seconds + proc.time()[["elapsed"]] - start
  entry
}

# Will the mean gain of `all` rows hardly be so many of its standard errors, given that of some? It
# is predicted from these with a standard deviation of sqrt(1 / share - 1) standard errors, because
# the rows that are left differ and the mean of the known ones is uncertain; 1.5 times it may be
# added.
is_hopeless <- function(gain, all, needed) {
  share <- length(gain) / all
  predicted <- mean(gain) / error_of_mean(gain) / sqrt(share)
  isTRUE(predicted + 1.5 * sqrt(1 / share - 1) < needed)
}

# What several splits say, each a list of `row`, of held_out_scores() and of `ended`, the kernel
# and the likelihood with which the fit to the split ends, as one such list
joined_scores <- function(parts) {
  join <- function(field) do.call(c, lapply(parts, `[[`, field))
  list(
    row = join("row"), density = join("density"), residual = join("residual"),
    surprise = join("surprise"), said = do.call(rbind, lapply(parts, `[[`, "said")),
    ended = join("ended")
  )
}

# The scores of a fit that breaks down
no_scores <- function(rows) {
  list(density = rep(density_floor, rows), residual = rep(Inf, rows),
    surprise = rep(NA_real_, rows), ended = list(NULL))
}

# Does every judged split learn for itself, beginning with what all rows have learned? Where the
# rows are few, and there is time. In folds in time each has nearly as many rows as all.
learns_anew <- function(task, candidates, splits) {
  most <- most_learned_anew / (if (isTRUE(task$series$ordered)) judged_blocks else 1)
  if (nrow(task$molded$x) * task$latents > most) return(FALSE)
  learning <- vapply(candidates, function(candidate) {
    blocks <- candidate$settings$control$blocks
    if (is.null(blocks)) 0 else learning_seconds(task, blocks)
  }, 0)
  (1 + share_again * splits) * sum(learning) + dense_seconds(task) <= choice_seconds(task)
}

# What an entry fitted to the rows of a split says about its others
judge_split <- function(entry, task, split) {
  entry$candidate <- trial_candidate(entry$candidate, task, length(split$train))
  tryCatch(
    muffle_warnings({
      molded <- molded_for(entry$candidate, task)
      train <- molded_part(molded, split, "train")
      train$trial <- TRUE
      fit <- fit_entry(entry, task, train)
      c(held_out_scores(fit, molded_part(molded, split, "test"), task$unit),
        list(ended = list(if (chooses_noise(task) && !in_leaves(entry)) again_from(fit))))
    }),
    gpsieve_error = function(e) no_scores(length(split$test))
  )
}

# Is the density of an entry clearly greater than the usual one's, where no row counts for more
# than a nat?
gains_in_most_rows <- function(entry, usual) {
  is_clear(bounded_gain(entry, usual))
}

# What the density of each row is greater by, at most a nat
bounded_gain <- function(entry, usual) within_reach(density_beyond(entry, usual), most_nats)

within_reach <- function(x, reach) pmin(pmax(x, -reach), reach)

# A function that tells the progress bar, if there is one, of one more fit
choice_report <- function(bar) {
  done <- 0
  function() {
    done <<- done + 1
    if (!is.null(bar)) bar(1 - exp(-done / 10), done)
  }
}

# How much greater the log density of an entry is than the chosen one's, on each row that both
# judged, less by how much its optimism is greater
density_beyond <- function(entry, chosen) {
  same <- match(entry$judged$row, chosen$judged$row)
  beyond <- (entry$judged$density - chosen$judged$density[same])[!is.na(same)]
  beyond - (optimism(entry) - optimism(chosen))
}
