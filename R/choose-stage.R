# What a stage of the choice is, and how the choice goes through one.

# The parts of a stage
stage_fields <- list(
  candidate = NULL, where = NULL, # its line of the table in ?gpsieve, without one where it is NULL
  # function(choice, usual): entries that have learned, none where the stage does not apply. An
  # entry may have a `task` of its own, the data or the likelihood under which it is judged.
  propose = NULL,
  # function(entries): the usual entry, beside which the others are judged; NULL ends the stage
  beside = function(entries) entries[[1L]],
  # function(entry, usual, choice): the splits that judge it
  splits = function(entry, usual, choice) choice$splits,
  # function(entry, usual, choice): what judge_beside() needs to leave out splits that would change
  # nothing, list(needed, suits); NULL where all splits are judged
  race = function(entry, usual, choice) NULL,
  # function(entry, usual, choice, i): the entry as the i-th split judges it
  judge = function(entry, usual, choice, i) {
    judge_entry(entry, task_of_entry(entry, choice), choice$splits[i], choice$report)
  },
  # function(entry, task): what all rows learn for an entry that came first, before it is fitted;
  # NULL where its fit learns
  learn_anew = NULL,
  # function(entry, fit, task, split): the scores of an entry that came first, as the split judges
  # it with what it, or its `fit`, has learned from all rows; NULL where `judge` does as the fit
  # does
  judge_as_fitted = NULL,
  # function(entry, first, usual): does the entry come before the first one?
  better = NULL,
  # function(choice): the choice after an entry of the stage came first
  taken = identity,
  # function(choice): the choice after the stage, whatever came first
  after = identity
)

# A race that an entry leaves whose gain will hardly be so many standard errors, and no other
hopeless_below <- function(needed) list(needed = needed, suits = function(entry, usual) FALSE)

new_stage <- function(...) new_record(stage_fields, ...)

task_of_entry <- function(entry, choice) if (is.null(entry$task)) choice$task else entry$task

# The choice after a stage
after_stage <- function(choice, stage) {
  usual <- stage$beside(choice$entries)
  proposed <- if (!is.null(usual)) stage$propose(choice, usual)
  for (entry in proposed) {
    # What has learned nothing yet has the hyper-parameters of the usual entry, and is judged with
    # its own once its fit to all rows has learned them.
    if (is.null(entry$learned)) {
      entry$optimism <- usual$optimism
      entry[c("learn_anew", "judge_as_fitted")] <- stage[c("learn_anew", "judge_as_fitted")]
    }
    entry <- judge_in_stage(entry, usual, stage, choice)
    first <- choice$entries[[1L]]
    if (stage$better(entry, first, usual)) {
      choice$entries <- c(list(entry), choice$entries)
      choice <- stage$taken(choice)
    } else {
      choice$entries <- c(choice$entries, list(entry))
    }
  }
  stage$after(choice)
}

judge_in_stage <- function(entry, usual, stage, choice) {
  choice$splits <- stage$splits(entry, usual, choice)
  judge <- function(i) stage$judge(entry, usual, choice, i)
  race <- stage$race(entry, usual, choice)
  if (is.null(race)) return(judge(seq_along(choice$splits)))
  judge_beside(entry, usual, choice$splits, judge, race$suits, race$needed)
}

# Entries that have learned under a task of their own, by which they are judged; those that break
# down are left out. `splits`: those for which it is decided anew whether each learns for itself
learned_under <- function(entries, task, splits = NULL) {
  if (!is.null(splits)) {
    task$anew <- learns_anew(task, lapply(entries, `[[`, "candidate"), length(splits))
  }
  lapply(learn_what_can(entries, task), function(entry) c(entry, list(task = task)))
}
