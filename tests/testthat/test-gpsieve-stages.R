# The stages of the choice: every one proposes entries and has a rule, and an entry takes the place
# that its rule gives it.

a_choice <- function() {
  entry <- function(label, density) {
    judged <- list(row = 1:40, density = density, residual = rep(1, 40))
    list(candidate = list(label = label), judged = judged)
  }
  list(task = list(), entries = list(entry("usual", sin(1:40))), report = function() NULL,
    splits = list(list(test = 1:20), list(test = 21:40)))
}

adding <- function(by, ...) {
  new_stage(
    propose = function(choice, usual) {
      entry <- usual
      entry$candidate$label <- "new"
      entry$judged <- NULL
      entry$seconds <- 0
      list(entry)
    },
    judge = function(entry, usual, choice, i) {
      rows <- unlist(lapply(choice$splits[i], `[[`, "test"))
      entry$judged <- list(row = rows, density = usual$judged$density[rows] + by)
      entry
    },
    better = function(entry, first, usual) gains_clearly(entry, first), ...
  )
}

labels_of <- function(choice) {
  vapply(choice$entries, function(entry) entry$candidate$label, "")
}

test_that("every stage of the choice proposes entries and has a rule for them", {
  stages <- choice_stages()
  for (stage in stages) {
    expect_named(stage, names(stage_fields))
    optional <- c("candidate", "where", "learn_anew", "judge_as_fitted")
    for (part in setdiff(names(stage_fields), optional)) {
      expect_true(is.function(stage[[part]]), info = part)
    }
    expect_identical(is.null(stage$candidate), is.null(stage$where))
  }
  said <- Filter(Negate(is.null), lapply(stages, `[[`, "where"))
  table <- strsplit(table_of_candidates(), "\n")[[1L]]
  expect_length(table, 2L + length(first_candidates) + length(said))
  expect_error(new_stage(rule = identity), "no part rule")
})

test_that("an entry comes first by the rule of its stage, and last otherwise", {
  by <- 0.5 + 0.01 * cos(1:40)
  better <- after_stage(a_choice(), adding(by))
  expect_identical(labels_of(better), c("new", "usual"))
  worse <- after_stage(a_choice(), adding(-by))
  expect_identical(labels_of(worse), c("usual", "new"))
  expect_identical(worse$entries[[2L]]$judged$row, 1:40)
  dropping <- adding(by, taken = function(choice) replace(choice, "entries", list(list())))
  expect_length(after_stage(a_choice(), dropping)$entries, 0L)
  skipped <- adding(by, beside = function(entries) NULL)
  expect_identical(after_stage(a_choice(), skipped), a_choice())
})

test_that("splits that would change nothing are left out where the stage says so", {
  worse <- rep(c(-0.5, -0.6), 20)
  racing <- adding(worse, race = function(entry, usual, choice) {
    list(needed = 2, suits = function(entry, usual) TRUE)
  })
  expect_identical(after_stage(a_choice(), racing)$entries[[2L]]$judged$row, 1:20)
  few <- adding(worse, splits = function(entry, usual, choice) choice$splits[2L])
  expect_identical(after_stage(a_choice(), few)$entries[[2L]]$judged$row, 21:40)
})

test_that("an entry that its fit shows to be worse gives way to the next one", {
  choice <- after_stage(a_choice(), adding(0.5 + 0.01 * cos(1:40),
    judge_as_fitted = function(entry, fit, task, split) {
      list(density = sin(split$test) + fit$gain,
        residual = rep_len(fit$error, 40)[split$test])
    }
  ))
  expect_identical(labels_of(choice), c("new", "usual"))
  fit_that_gains <- function(gain, error = 1, rows = 40) {
    choice$task <- list(molded = list(x = matrix(0, rows, 1)))
    fit_first(choice, function(entry, task) {
      list(of = entry$candidate$label, gain = gain, error = error, kernel = kernel_rbf(1, 1),
        likelihood = lik_gaussian(0.1))
    })
  }
  kept <- fit_that_gains(0.2)
  expect_identical(labels_of(kept), c("new", "usual"))
  expect_identical(kept$fit$of, "new")
  expect_equal(kept$entries[[1L]]$judged$density, sin(1:40) + 0.2)
  worse <- fit_that_gains(-0.2)
  expect_identical(labels_of(worse), c("usual", "new"))
  expect_identical(worse$fit$of, "usual")
  expect_match(worse$entries[[2L]]$verdict, "learned anew")
  expect_identical(labels_of(fit_that_gains(0.2, error = 1.2)), c("usual", "new"))
  # A gain within its standard error is none.
  by_chance <- fit_that_gains(rep(c(-0.8, 0.9), 10))
  expect_identical(labels_of(by_chance), c("usual", "new"))
  # Two rows do not decide by how large errors are.
  few_rows <- fit_that_gains(0.2, error = c(3, 3, rep(1, 38)))
  expect_identical(labels_of(few_rows), c("new", "usual"))
  # Three hyper-parameters that five rows have learned take .3.
  expect_identical(labels_of(fit_that_gains(0.2, rows = 5)), c("usual", "new"))
})

test_that("what a stage learns anew is judged before it is fitted", {
  fitted_after <- function(gain) {
    choice <- after_stage(a_choice(), adding(0.5 + 0.01 * cos(1:40),
      learn_anew = function(entry, task) {
        list(kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(0.1), learned = list(gain = gain))
      },
      judge_as_fitted = function(entry, fit, task, split) {
        list(density = sin(split$test) + fit$learned$gain, residual = rep(1, 20))
      }
    ))
    choice$task <- list(molded = list(x = matrix(0, 40, 1)))
    tried <- character()
    found <- fit_first(choice, function(entry, task) {
      tried <<- c(tried, entry$candidate$label)
      list(learned = entry$learned)
    })
    list(tried = tried, learned = found$fit$learned)
  }
  expect_identical(fitted_after(0.2), list(tried = "new", learned = list(gain = 0.2)))
  expect_identical(fitted_after(-0.2)$tried, "usual")
})

test_that("an entry that began where another ended is judged with what it learns from its start", {
  molded <- list(x = matrix(0, 40, 1))
  began <- function(choice, anew) {
    choice$as_given <- list(given = TRUE)
    choice$entries[[1L]]$begin <- list()
    choice$entries[[1L]]$task <- list(molded = molded, anew = anew, replaced = TRUE)
    choice
  }
  by <- 0.5 + 0.01 * cos(1:40)
  learned <- function(choice, loss, breaks = FALSE) {
    with_functions(list(
      learn_what_can = function(entries, task) if (breaks) list() else entries,
      judge_entry = function(entry, task, splits, report) {
        entry$judged$density <- entry$judged$density - loss
        entry
      }
    ), learned_from_the_start(choice))
  }
  usual <- a_choice()
  expect_identical(learned_from_the_start(usual), usual)
  choice <- after_stage(usual, adding(by))
  kept <- learned(began(choice, FALSE), 0.1)
  expect_identical(labels_of(kept), c("new", "usual"))
  expect_equal(kept$entries[[1L]]$judged$density, sin(1:40) + by - 0.1)
  expect_null(kept$entries[[1L]]$begin)
  worse <- learned(began(choice, FALSE), 1)
  expect_identical(labels_of(worse), c("usual", "new"))
  expect_match(worse$entries[[2L]]$verdict, "learned anew")
  expect_true(worse$task$given)
  expect_identical(labels_of(learned(began(choice, TRUE), 0, breaks = TRUE)), c("usual", "new"))
  # A row counts for at most a nat, as in the stages: one that the entry thinks impossible does not
  # decide, whether or not every split learns for itself, nor does one that the next entry does.
  for (anew in c(TRUE, FALSE)) {
    choice$entries[[1L]]$judged$density <- replace(sin(1:40) + by, 7, -40)
    expect_identical(labels_of(learned(began(choice, anew), 0)), c("new", "usual"))
    choice$entries[[1L]]$judged$density <- replace(sin(1:40) - by, 7, 40)
    expect_identical(labels_of(learned(began(choice, anew), 0)), c("usual", "new"))
  }
})
