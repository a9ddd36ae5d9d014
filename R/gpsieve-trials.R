# The sparse model of a choice. Its kernel was learned by a dense model on few rows. More rows tell
# finer structure, so the kernel is changed step by step as long as the log predictive density of
# held-out rows increases, in trials that are nearly as large as the fit to come.

#' A sparse model whose kernel suits all rows
#'
#' `entries` are dense candidates, the best first, `robust` is one with a robust likelihood that
#' was better than these on few rows, or NULL, and all learn from `molded`. EP in minibatches, which
#' goes on learning, takes the best as it is.
#' @noRd
choose_sparse <- function(task, entries, robust, molded, record, report) {
  adapts <- any(c("ivm", "greedy_gp") %in% sparse_models_of(task))
  standardise <- entries[[1L]]$candidate$arguments$standardise
  starts_of <- function(entries) {
    starts <- lapply(entries, function(entry) {
      sparse_candidates(task, muffle_warnings(fit_candidate(entry$start, task, molded)))
    })
    lapply(unlist(starts, recursive = FALSE, use.names = FALSE), function(candidate) {
      candidate$arguments$standardise <- standardise
      candidate
    })
  }
  if (!adapts) entries <- if (is.null(robust)) entries[1L] else list(robust)
  starts <- starts_of(entries)
  if (!adapts && length(starts) < 2L) return(starts[[1L]])
  trials <- new_trials(task, report)
  best <- trials$best(starts)
  if (adapts && !is.null(robust)) {
    best <- trials$robust_or_usual(trials$best(starts_of(list(robust))), best)
  }
  best <- climb(best, trials$is_better, task)
  tried <- trials$all()
  record("model", lapply(tried, `[[`, "candidate"), race_of_trials(tried), trial_of(best, tried))
  best
}

#' Trials of sparse candidates on the same held-out rows, at most `most_trials`
#'
#' A list of `best(candidates)`, the one with the greatest log density of these rows;
#' `robust_or_usual(robust, usual)`, the one with the robust likelihood if it is clearly better;
#' `is_better(further, candidate)`, whether it is by a standard error, FALSE where there may be no
#' further trial; and `all()`, the trials so far.
#' @noRd
new_trials <- function(task, report = NULL) {
  machines <- trial_machines(task$molded)
  share <- trial_share(task, length(machines))
  held <- trial_rows(task, share)
  tried <- list()
  run <- function(candidate) {
    start <- proc.time()[["elapsed"]]
    smaller <- with_points(candidate, share)
    judged <- lapply(machines, function(molded) {
      judge_candidate(smaller, task, molded, held$train, held$test)
    })
    if (!is.null(report)) report()
    c(list(candidate = candidate), mean_judgement(judged),
      seconds = proc.time()[["elapsed"]] - start
    )
  }
  trial <- function(candidate) {
    at <- trial_of(candidate, tried)
    if (is.na(at)) {
      tried <<- c(tried, list(run(candidate)))
      at <- length(tried)
    }
    tried[[at]]
  }
  against <- function(further, candidate, ...) {
    clearly_better(race_of_trials(list(trial(candidate), trial(further))), ...) == 2L
  }
  list(
    best = function(candidates) {
      scores <- vapply(candidates, function(candidate) mean(trial(candidate)$density), 0)
      candidates[[which.max(scores)]]
    },
    robust_or_usual = function(robust, usual) {
      if (against(robust, usual, unbiased = TRUE)) robust else usual
    },
    is_better = function(further, candidate) {
      if (is.na(trial_of(further, tried)) && length(tried) >= most_trials) return(FALSE)
      against(further, candidate, by = 1)
    },
    all = function() tried
  )
}

#' The mean log density of what several machines say about the same rows, and their residuals: of
#' several the roots of their mean squares
#' @noRd
mean_judgement <- function(judged) {
  mean_of <- function(values) Reduce(`+`, values) / length(values)
  residual <- judged[[1L]]$residual
  if (length(judged) > 1L) {
    residual <- sqrt(mean_of(lapply(judged, function(machine) machine$residual^2)))
  }
  list(density = mean_of(lapply(judged, `[[`, "density")), residual = residual)
}

#' The number of the trial of a candidate, NA where it was not tried
#' @noRd
trial_of <- function(candidate, tried) {
  Position(function(trial) identical(trial$candidate, candidate), tried)
}

#' The data of a trial: with several classes the machines of the most frequent of them against the
#' rest, because a kernel that suits a few classes suits all
#' @noRd
trial_machines <- function(molded) {
  if (!is.factor(molded$y) || nlevels(droplevels(molded$y)) < 3L) return(list(molded))
  frequent <- names(sort(table(molded$y), decreasing = TRUE))
  lapply(utils::head(frequent, most_learning_classes), function(class) {
    molded$y <- factor(molded$y == class)
    molded
  })
}

#' Rows to fit, some of every class among them, and rows to judge: list(train, test)
#' @noRd
trial_rows <- function(task, share) {
  y <- task$molded$y
  parts <- min(trial_parts, length(y))
  train <- assign_folds(y, parts, task$seed) <= max(1, floor(share * parts))
  if (is.factor(y)) train <- train | !y %in% y[train]
  rest <- which(!train)
  most <- min(length(rest), task$control$validation_rows)
  list(train = which(train), test = rest[draw(length(rest), most, task$seed)])
}

trial_parts <- 20

#' Trials as race_candidates() returns its comparisons
#' @noRd
race_of_trials <- function(tried) {
  columns <- function(field) do.call(cbind, lapply(tried, `[[`, field))
  list(scores = columns("density"), residuals = columns("residual"),
    seconds = vapply(tried, `[[`, 0, "seconds"), finished = rep(TRUE, length(tried))
  )
}

#' The candidate after all steps that make it better, each taken as often as it does
#' @noRd
climb <- function(candidate, is_better, task) {
  if (!isFALSE(candidate$arguments$optimise)) return(candidate)
  repeat {
    before <- candidate
    for (step in trial_steps(task)) {
      repeat {
        further <- step(candidate)
        if (is.null(further) || !is_better(further, candidate)) break
        candidate <- further
      }
    }
    if (identical(candidate, before)) return(candidate)
  }
}

#' Functions that change a candidate, or return NULL where they cannot
#'
#' On more rows functions are finer; latent functions of classes are steeper, because the border
#' between classes is known more closely; and some of what was noise is not. Small distances, at
#' which the roughness of a function shows, are rare among few rows.
#' @noRd
trial_steps <- function(task) {
  finer <- function(candidate) with_factor(candidate, "lengthscale", 0.7)
  steeper <- function(candidate) with_factor(candidate, "variance", 4)
  less_noise <- function(candidate) with_less_noise(candidate, 0.8)
  smoother <- function(candidate) with_roughness(candidate, 1)
  rougher <- function(candidate) with_roughness(candidate, -1)
  c(
    finer,
    if (task$kind %in% c("binary", "multiclass")) steeper,
    if (is.null(task$likelihood)) less_noise,
    if (!length(task$kernels)) list(smoother, rougher)
  )
}

kernel_of_candidate <- function(candidate) eval(candidate$arguments$kernel, topenv())

#' The candidate with hyper-parameters of its kernel multiplied by a number, but for those that are
#' held fixed
#' @noRd
with_factor <- function(candidate, name, by) {
  kernel <- kernel_of_candidate(candidate)
  theta <- kernel_theta(kernel)
  moved <- kernel_free(kernel) & grepl(name, names(theta), fixed = TRUE)
  if (!any(moved)) return(NULL)
  candidate$arguments$kernel <- kernel_expression(kernel_set_theta(kernel, theta + log(by) * moved))
  candidate
}

#' The candidate with the variance of Gaussian noise multiplied by a number
#' @noRd
with_less_noise <- function(candidate, by) {
  likelihood <- eval(candidate$arguments$likelihood, topenv())
  if (likelihood$type != "gaussian" || length(likelihood$fixed)) return(NULL)
  likelihood$values$variance <- by * likelihood$values$variance
  candidate$arguments$likelihood <- str2lang(format(likelihood))
  candidate
}

# Kernels from rough to smooth, and the distance, in lengthscales, at which their correlation is one
# half.
roughnesses <- list(
  list(make = function(...) kernel_matern(nu = 0.5, ...), half = 0.693),
  list(make = function(...) kernel_matern(nu = 2.5, ...), half = 1.043),
  list(make = function(...) kernel_rbf(...), half = 1.177)
)

#' The candidate with the next smoother kernel (`by` = 1) or the next rougher one (-1), the distance
#' at which the correlation is 1/2 unchanged
#' @noRd
with_roughness <- function(candidate, by) {
  changed <- FALSE
  change <- function(kernel) {
    kernel$children <- lapply(kernel$children, change)
    at <- roughness_of(kernel)
    if (is.na(at) || !(at + by) %in% seq_along(roughnesses)) return(kernel)
    changed <<- TRUE
    values <- kernel$values[c("variance", "lengthscale")]
    values$lengthscale <- values$lengthscale * roughnesses[[at]]$half / roughnesses[[at + by]]$half
    do.call(roughnesses[[at + by]]$make, values)
  }
  kernel <- change(kernel_of_candidate(candidate))
  if (!changed) return(NULL)
  candidate$arguments$kernel <- kernel_expression(kernel)
  candidate
}

roughness_of <- function(kernel) {
  if (kernel$type == "rbf") return(3L)
  if (kernel$type != "matern") return(NA_integer_)
  match(kernel$values$nu, c(0.5, 2.5))
}
