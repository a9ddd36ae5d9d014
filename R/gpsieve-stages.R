# The stages of a choice: kernels, first all of them on few rows and then the best on more; the sum
# of those that held-out rows do not tell apart; how the columns are scaled; the likelihood; and,
# with many rows, sparse models.

#' The candidate to fit to all rows, the tables of all comparisons, and what was beaten
#' @noRd
choose_candidate <- function(task, bar) {
  stages <- list()
  report <- choice_report(task, bar)
  # `entries` are list(candidate, start), where `start` begins learning at what an earlier stage
  # learned; the answer is them in the order of their scores, each with its `plausibility` and its
  # `judgement`, what was found out about it on these rows.
  record <- function(stage, candidates, race, chosen) {
    stages[[stage]] <<- list(
      table = stage_table(stage, candidates, race, chosen),
      beat = describe_stage(stage, candidates, race, chosen)
    )
  }
  compare <- function(stage, entries, molded) {
    if (length(entries) < 2L) return(entries)
    candidates <- lapply(entries, `[[`, "candidate")
    race <- race_candidates(entries, task, molded, report)
    # What is not usual must be clearly better: a robust likelihood, one scale for all columns. So
    # must the kernel with the best of several scores on these rows, which is too good by chance.
    usual_first <- stage %in% c("sum", "likelihood", "scale")
    ranking <-
      if (usual_first) clearly_better(race, unbiased = stage == "likelihood") else ranking_of(race)
    record(stage, candidates, race, ranking[1L])
    Map(new_entry, candidates[ranking], race$starts[ranking], plausibility(race)[ranking],
      race$judgements[ranking]
    )
  }
  chosen <- choose_kernel(task, compare)
  molded <- chosen$molded
  best <- chosen$best
  if (of_one_kind(task)) {
    best <- compare("scale", list(best, scaled_alike(best)), molded)[[1L]]
  }
  if (compares_likelihoods(task)) best <- with_judgement(best, task, molded, report)
  robust <- choose_robust(best, chosen$alone, task, molded, compare)
  candidate <-
    if (!fits_densely(task)) {
      entries <- c(list(best), undecided(chosen, best))
      choose_sparse(task, entries, robust, molded, record, report)
    } else {
      with_time_to_learn(if (is.null(robust)) best else robust, task)
    }
  list(candidate = candidate, tables = unname(lapply(stages, `[[`, "table")),
    beat = unlist(lapply(stages, `[[`, "beat"), use.names = FALSE)
  )
}

new_entry <- function(candidate, start = candidate, plausibility = 1, judgement = NULL) {
  list(candidate = candidate, start = start, plausibility = plausibility, judgement = judgement)
}

#' The best candidate, the best kernel alone, those behind it, and the rows they were judged on, as
#' list(best, alone, others, molded)
#'
#' Where the time does not allow to compare all kernels on many rows, all are compared on few and
#' the best of them on more, if it allows all or enough rows.
#' @noRd
choose_kernel <- function(task, compare) {
  entries <- lapply(candidate_kernels(task), function(kernel) {
    new_entry(comparing_candidate(task, kernel))
  })
  n <- nrow(task$molded$x)
  sample_of <- function(rows) molded_rows(task$molded, draw(n, rows, task$seed))
  rows <- choosing_rows(task, length(entries))
  more <- choosing_rows(task, finalists)
  many <- more == n || more >= worthwhile_rows
  if (length(entries) > finalists && more > rows && many) {
    screened <- compare("screen", entries, sample_of(min(rows, screening_rows)))
    entries <- utils::head(screened, finalists)
    rows <- more
  }
  molded <- sample_of(rows)
  entries <- compare("kernel", entries, molded)
  best <- compare("sum", c(sum_of_entries(entries, task), entries[1L]), molded)[[1L]]
  list(best = best, alone = entries[[1L]], others = utils::head(entries[-1L], finalists - 1L),
    molded = molded
  )
}

#' The kernels that may yet turn out the best for a sparse model, which more rows judge: all that
#' were not clearly worse
#' @noRd
undecided <- function(chosen, best) {
  Filter(function(entry) entry$candidate$model == best$candidate$model, chosen$others)
}

#' A list of one entry, the sum of the kernels that are about as good as the best; an empty list
#' where there is one such kernel only, where the user gave the kernels, or where the fit is sparse
#'
#' With few rows the best held-out score is often a matter of chance. A sum of Gaussian processes
#' can give each of them as much of the variance as the data ask for. Learning begins at what each
#' kernel learned alone, with its variances multiplied by its share of the plausibility, and ends
#' after few steps: a long maximisation of so many hyper-parameters would follow the noise.
#' @noRd
sum_of_entries <- function(entries, task) {
  dense <- entries[[1L]]$candidate$model == "meanfield_gp" && fits_densely(task)
  learned <- Filter(function(entry) inherits(entry$start$arguments$kernel, "gpsieve_kernel"),
    utils::head(entries, finalists)
  )
  if (length(task$kernels) || !dense || length(learned) < 2L) return(list())
  plausibility <- vapply(learned, `[[`, 0, "plausibility")
  parts <- Map(function(entry, share) with_variance_share(entry$start$arguments$kernel, share),
    learned, plausibility / sum(plausibility)
  )
  candidate <- comparing_candidate(task, kernel_expression(Reduce(`+`, parts)))
  candidate$arguments$control <- control_with(candidate, steps = steps_of_sum)
  list(new_entry(candidate))
}

steps_of_sum <- 10

#' Are all columns numbers between the same least and greatest value, as pixels are?
#' @noRd
of_one_kind <- function(task) {
  x <- task$molded$x
  if (is_sparse(x) || !isTRUE(task$standardise) || ncol(x) < fewest_alike) return(FALSE)
  ends <- apply(x, 2L, range)
  varies <- ends[1L, ] < ends[2L, ]
  numbers <- any(x != round(x)) || max(x) - min(x) > 1
  numbers && all(ends[1L, varies] == min(x)) && mean(ends[2L, varies] == max(x)) > 0.5
}

fewest_alike <- 10

#' The entry with one scale for all columns
#' @noRd
scaled_alike <- function(entry) {
  alike <- function(candidate) {
    candidate$arguments$standardise <- "common"
    candidate
  }
  new_entry(alike(entry$candidate), alike(entry$start))
}

#' The entry whose fit to all rows begins at the hyper-parameters that the last fold learned
#' @noRd
where_it_learned <- function(entry) {
  learned <- entry$start$arguments
  entry$candidate$arguments$kernel <- kernel_expression(learned$kernel)
  if (inherits(learned$likelihood, "gpsieve_likelihood")) {
    entry$candidate$arguments$likelihood <- str2lang(format(learned$likelihood))
  }
  entry
}

fits_densely <- function(task) {
  n <- nrow(task$molded$x)
  if (!is.null(task$models)) return(identical(task$models, "meanfield_gp"))
  if (!is.null(task$size) && task$size < n) return(FALSE)
  n * sqrt(task$latents) <= task$control$dense_rows
}

#' The candidate as it is fitted to all rows: where there is no time to learn from as many rows as
#' it would by itself, it learns from fewer and begins where the last fold ended
#' @noRd
with_time_to_learn <- function(entry, task) {
  rows <- learning_rows(task)
  candidate <- entry$candidate
  if (rows >= min(nrow(task$molded$x), most_choosing_rows)) return(candidate)
  candidate$arguments$control <- control_with(candidate, learn_rows = rows)
  where_it_learned(new_entry(candidate, entry$start))$candidate
}

#' A function that tells the progress bar, if there is one, of one more fit
#' @noRd
choice_report <- function(task, bar) {
  if (is.null(bar)) return(NULL)
  total <- (length(candidate_kernels(task)) + 4) * task$control$folds
  done <- 0
  function() {
    done <<- done + 1
    bar(min(done / total, 0.99), done)
  }
}

why_chosen <- function(candidate, task) {
  n <- format(count_rows(task$molded), scientific = FALSE)
  reason <- if (!is.null(task$molded$rows)) {
    "which are read in blocks"
  } else if (candidate$model == "meanfield_gp") {
    "few enough for the dense model"
  } else if (fits_densely(task)) {
    "and a likelihood that the dense model does not have"
  } else {
    "too many for the dense model, or a size was asked for"
  }
  paste0(candidate$model, "() for ", n, " rows, ", reason,
    "; the rest by the log predictive density of rows held out"
  )
}
