# All rows at once beside machines on parts of them: with what the best function in parts has
# learned, the exact mean by conjugate gradients (control_meanfield(solver = "iterative")).

# Stage: the best function, if it is in parts, on all rows at once, by the rule of mapped inputs:
# it knows more of the same function than any part.
# The error of new rows of a table of robot arms (6,554 rows, 8 columns) is .0626 where the parts
# have .0653, in 4 CPU seconds more.
all_rows_stage <- function() {
  new_stage(
    candidate = "all rows at once, by conjugate gradients",
    where = "numbers, by the best function in parts, as far as the time suffices for squared rows",
    propose = function(choice, usual) {
      task <- task_of_entry(usual, choice)
      if (!takes_all_rows(usual, task, choice$splits)) return(list())
      list(all_rows_entry(usual, task))
    },
    better = better_by_map
  )
}

# Suit all rows at once, and is there time to fit them and to judge the fit? Conjugate gradients
# need noise.
takes_all_rows <- function(usual, task, splits) {
  task$likelihood <- usual$candidate$likelihood
  suits <- in_leaves(usual) && usual$candidate$model == "local_gp" && task$kind == "number" &&
    has_known_sites(task) && is.null(task$molded$rows) && is.null(task$molded[["noise"]]) &&
    !is_sparse(task$molded$x) && !hardly_noisy(usual)
  rows <- c(nrow(task$molded$x), lengths(lapply(splits, `[[`, "train")))
  suits && sum(iterative_seconds(rows)) <= fit_share * choice_seconds(task)
}

has_all_rows <- function(entry) {
  identical(entry$candidate$settings$control$solver, "iterative")
}

# The entry of parts as one of all rows, which has learned what the parts have
all_rows_entry <- function(usual, task) {
  entry <- usual
  settings <- usual$candidate$settings
  entry$candidate$model <- "meanfield_gp"
  entry$candidate$label <-
    sub(", in parts$", ", all rows at once", usual$candidate$label)
  entry$candidate$settings <- Filter(Negate(is.null), list(
    standardise = settings$standardise,
    control = control_meanfield(blocks = settings$control$blocks, keep = task$control$keep,
      solver = "iterative")
  ))
  entry["judged"] <- list(NULL)
  entry$seconds <- 0
  entry
}
