# The stages of gpsieve(): what is compared beside the first functions, in this order. A stage says
# where it applies, which entries it proposes beside the best one so far, how they are judged, and
# by which rule one of them comes first.
#
# The choice that goes through the stages is list(task, as_given, entries, splits, report): the task
# whose inputs may have been replaced, and with those that were given, the entries so far, the best
# one first, and the rows to fit and to judge.

choice_stages <- function() {
  list(
    learned_scale_stage(), warped_inputs_stage(), mixed_inputs_stage(), far_inputs_stage(),
    smooth_stage(),
    response_stage("negative binomial"), response_stage("Poisson"), response_stage("beta"),
    response_stage("log-normal"), changing_noise_stage(), robust_stage(), outliers_stage(),
    all_rows_stage(), trees_stage()
  )
}

# The table of what is compared, for the help page of gpsieve(): one line for each kind of function
# that is compared first, and for each stage
table_of_candidates <- function() {
  stages <- Filter(function(stage) !is.null(stage$candidate), choice_stages())
  lines <- c(first_candidates, stats::setNames(
    vapply(stages, `[[`, "", "where"), vapply(stages, `[[`, "", "candidate")))
  paste(c("| **candidate** | **where it is compared** |", "|:--|:--|",
    sprintf("| %s | %s |", names(lines), lines)), collapse = "\n")
}

# The choice: all entries, the chosen one first, and the task with the data that it reads
choose_entries <- function(task, report) {
  task <- with_what_rows_suggest(task)
  entries <- learn_first_entries(with_blocks_to_compare(task), report)
  task$compared <- length(entries) + (length(task$far) > 0L) + task$warped + task$mixed
  splits <- held_out_splits(task)
  task$anew <- learns_anew(task, lapply(entries, `[[`, "candidate"), length(splits))
  # The fit of a source reads all of its rows: one candidate is not worth another fit.
  if (!length(splits) || length(entries) == 1L && !is.null(task$molded$rows)) {
    return(list(task = task, entries = entries[1L], splits = list(), report = report))
  }
  entries <- by_density(lapply(entries, function(entry) {
    known <- !is.null(entry$judged) && !task$anew
    if (known) entry else judge_entry(entry, task, splits, report)
  }))
  entries <- by_evidence_of_series(by_evidence_of_few(entries, task), task)
  if (!is.null(task$molded$rows)) entries <- parts_unless_worse(entries)
  choice <- list(task = task, as_given = task, entries = entries, splits = splits,
    report = report)
  choice <- Reduce(after_stage, choice_stages(), choice)
  warn_of_no_signal(choice)
  with_what_held_out_rows_say(choice)
}

# The task with what the values of its rows say about the candidates
with_what_rows_suggest <- function(task) {
  task <- with_likelihood_of_rates(task)
  task$unit <- response_unit(response_less_offset(task))
  task$alike <- of_one_kind(task)
  task$far <- far_inputs(task)
  task$outlying <- has_outlying_responses(task)
  task$warped <- compares_warps(task)
  task$mixed <- compares_mixes(task)
  task$molded$counted <- any(names(suggested_likelihoods(task)) == "Poisson")
  task
}

# Warns where the chosen function predicts held-out rows hardly better than a constant does
warn_of_no_signal <- function(choice) {
  first <- choice$entries[[1L]]
  judged <- Filter(function(split) all(split$test %in% first$judged$row), choice$splits)
  constant <- density_of_constant(choice$task, judged, first$candidate$likelihood)
  signal_found(sum(first$judged$density), constant, list(y = cbind(first$judged$density)),
    "held-out log density", clear_held_out_gain)
}

# The choice whose first entry has variances as wide as held-out errors, and the words for how its
# predictions improve with the rows
with_what_held_out_rows_say <- function(choice) {
  first <- with_variances_as_judged(choice$entries[[1L]], choice$task)
  if (is_short_series(choice$task)) first <- with_variances_of_series(first, choice)
  if (has_leaves(choice$task)) first$grew <- growth_words(first, choice$task, choice$splits)
  choice$entries[[1L]] <- first
  choice
}

# The log density of the judged rows where nothing is known of them: that of the normal
# distribution of the rows to fit, or the share of each class among these; NULL for pairs. A row
# counts by its weight, as it does in held_out_scores(), and known noise is that of the rows. Where
# a `likelihood` was chosen for the values of the response, the distribution is its own.
density_of_constant <- function(task, splits, likelihood = NULL) {
  if (is_pairs(task$molded$y)) return(NULL)
  sum(vapply(splits, function(split) {
    train <- molded_part(task$molded, split, "train")
    test <- molded_part(task$molded, split, "test")
    known <- response_less_offset(task, train, likelihood)
    y <- response_less_offset(task, test, likelihood)
    of_known <- case_weights_of(train)
    of_test <- case_weights_of(test)
    density <- if (is.factor(y)) {
      counts <- tapply(of_known, known, sum, default = 0)
      log((counts[match(y, names(counts))] + 0.5) / sum(counts + 0.5))
    } else if (!is.null(train$noise_sd)) {
      center <- stats::weighted.mean(known, of_known / train$noise_sd^2)
      stats::dnorm(y, center, test$noise_sd, log = TRUE) + log(task$unit)
    } else if (has_exposure(likelihood, train)) {
      density_of_constant_rate(likelihood, train, test, of_known) + log(task$unit)
    } else {
      constant_density(y, column_scales(matrix(known), of_known), known, likelihood) +
        log(task$unit)
    }
    sum(density * of_test / mean(of_test))
  }, 0))
}
