#' @include interfaces.R
NULL

#' Choose a model, a kernel and a likelihood by held-out rows, and fit
#'
#' The way in for those who have a formula and a data frame. Kernels (isotropic and with one
#' lengthscale per column, of three degrees of roughness, and linear ones) are compared by
#' cross-validation, their hyper-parameters learned inside every fold, then the likelihood that the
#' response asks for with a robust one, then, where the rows are many, sparse models. The candidate
#' with the greatest log predictive density of held-out rows is fitted to all rows. The result is an
#' ordinary fit of the chosen model; printing it tells what was chosen, why, what it beat and by how
#' much, and the call to write instead.
#'
#' Neither the evidence nor leave-one-out densities at learned values choose well: both prefer one
#' lengthscale per column where it loses on new rows.
#'
#' @section What is compared:
#' 1. Kernels, by [meanfield_gp()] on at most 1000 rows: as many as the `time` allows. A candidate
#'    that is clearly worse after two folds is given up.
#' 2. Likelihoods, with the best kernel: [lik_student()] beside [lik_gaussian()], and
#'    [lik_label_noise()] beside [lik_probit()] for two classes, by [ivm()] in the same folds. They
#'    are taken only if they are better by more than a standard error.
#' 3. With few rows the dense model is fitted, learning anew on all rows. With more than
#'    `control_gpsieve(dense_rows = )`, [ivm()] and [ep_gp()] in minibatches, both starting from the
#'    hyper-parameters learned on the rows of the first step, are compared on rows held out; with
#'    more than 30000 rows [ep_gp()] is taken.
#'
#' @section Time:
#' `time` is turned into numbers of rows and candidates by what fits cost, not by a clock: the same
#' data and seed give the same choice on every machine, busy or not.
#'
#' @inheritParams ivm
#' @inheritSection ivm Errors
#' @param kernel A kernel to use: then none is chosen. `NULL` compares kernels.
#' @param likelihood A likelihood to use: then none is chosen.
#' @param size Number of active, inducing or basis points of a sparse model. A number smaller than
#'   the rows asks for a sparse model.
#' @param time About how many seconds the whole call may take. `NULL`: 10 for a few hundred rows, 60
#'   for thousands, about what a support vector machine tuned over nine settings would take.
#' @param candidates What to choose among: a list of kernels, names of models (`"meanfield_gp"`,
#'   `"ivm"`, `"ep_gp"`, `"greedy_gp"`), or both.
#' @param weights Case weights, one per row, for models that take them.
#' @param control Settings of the choice: [control_gpsieve()].
#' @param verbose Show a progress bar for choices that take longer than two seconds?
#' @return A fit of the chosen model, of class `gpsieve_chosen` too, with all that such fits answer;
#'   [choice()] tells what was compared. `update()` refits the chosen model without choosing.
#' @seealso [choice()]; the models [meanfield_gp()], [ivm()], [ep_gp()], [greedy_gp()].
#' @examples
#' fit <- gpsieve(dist ~ speed, cars, seed = 1, control = control_gpsieve(folds = 3))
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#' @export
gpsieve <- function(x, ...) UseMethod("gpsieve")

gpsieve_bridge <- new_bridge("gpsieve_bridge", function(
    molded, kernel = NULL, likelihood = NULL, size = NULL, ..., time = NULL, candidates = NULL,
    weights = NULL, standardise = TRUE, prior_mean = NULL, control = control_gpsieve(),
    seed = NULL, threads = NULL, verbose = interactive(), call) {
  check_dots(..., call = call)
  task <- choice_task(molded, kernel, likelihood, size, time, candidates, weights, standardise,
    prior_mean, control, seed, threads, call
  )
  verbose <- check_flag(verbose, "verbose", call)
  bar <- progress_bar(verbose, "Choosing")
  found <- choose_candidate(task, bar)
  fit <- fit_candidate(found$candidate, task)
  fit$choice <- list(
    table = do.call(rbind, found$tables),
    call = chosen_call(found$candidate, task, rlang::frame_call(call)),
    why = why_chosen(found$candidate, task), beat = paste(found$beat, collapse = "; ")
  )
  if (!nzchar(fit$choice$beat)) fit$choice$beat <- "nothing: there was one candidate"
  structure(fit, class = c("gpsieve_chosen", class(fit)))
})

#' @rdname gpsieve
#' @export
gpsieve.formula <- formula_method(gpsieve_bridge)

#' @rdname gpsieve
#' @export
gpsieve.data.frame <- xy_method(gpsieve_bridge)

#' @rdname gpsieve
#' @export
gpsieve.matrix <- xy_method(gpsieve_bridge)

#' @rdname gpsieve
#' @export
gpsieve.recipe <- recipe_method(gpsieve_bridge)

#' @export
gpsieve.default <- default_method("gpsieve")

#' Everything the choice needs, checked before any work
#' @noRd
choice_task <- function(molded, kernel, likelihood, size, time, candidates, weights, standardise,
                        prior_mean, control, seed, threads, call) {
  if (!is.null(molded$rows)) abort_in_memory(call)
  check_finite_inputs(molded, call)
  molded$y <- canonical_response(molded$y, call)
  response <- new_response(molded$y, nrow(molded$x), molded$outcome, call)$description
  asked <- check_candidates_argument(candidates, call)
  if (!is.null(kernel)) asked$kernels <- list(as_kernel(kernel, "kernel", call))
  if (!is.null(likelihood)) {
    likelihood <- as_likelihood(likelihood, "likelihood", call)
    check_response_matches(likelihood, response$kind, molded$y, call)
    likelihood <- str2lang(format(likelihood))
  }
  if (!is.null(weights)) check_weights_offered(call)
  list(
    molded = molded, kind = response$kind, latents = max(1L, length(response$present) - 1L),
    kernels = asked$kernels, models = asked$models, likelihood = likelihood,
    size = if (!is.null(size)) check_count(size, "size", call),
    time = if (!is.null(time)) check_number(time, "time", call, above = 0),
    weights = weights, standardise = check_flag(standardise, "standardise", call),
    prior_mean = if (!is.null(prior_mean)) check_number(prior_mean, "prior_mean", call),
    control = check_control(control, "gpsieve", call), seed = resolve_seed(seed, call),
    threads = resolve_threads(threads, call), call = call
  )
}

# What a dense fit with learned hyper-parameters costs: seconds per cubed row and latent function,
# and at least, on one core.
dense_seconds <- 4e-9
least_seconds <- 0.1
# The comparison of kernels may take this share of the time.
choosing_share <- 0.5
most_choosing_rows <- 1000

#' The seconds the call may take
#' @noRd
choice_seconds <- function(task) {
  if (!is.null(task$time)) return(task$time)
  min(60, 10 + (nrow(task$molded$x) / 500)^2)
}

#' How many rows kernels are compared on: as many as candidates x folds dense fits leave time for
#' @noRd
choosing_rows <- function(task, candidates) {
  n <- nrow(task$molded$x)
  if (!is.null(task$control$rows)) return(min(n, task$control$rows))
  fits <- candidates * task$control$folds
  each <- choosing_share * choice_seconds(task) / fits - least_seconds
  train <- (max(each, 0.01) / (dense_seconds * task$latents))^(1 / 3)
  share <- 1 - 1 / task$control$folds
  min(n, most_choosing_rows, max(100, round(train / share)))
}

#' The candidate to fit to all rows, the tables of all comparisons, and what was beaten
#' @noRd
choose_candidate <- function(task, bar) {
  kernels <- candidate_kernels(task)
  rows <- choosing_rows(task, length(kernels))
  molded <- molded_rows(task$molded, draw(nrow(task$molded$x), rows, task$seed))
  total <- (length(kernels) + 2) * task$control$folds
  done <- 0
  report <- function() {
    done <<- done + 1
    if (!is.null(bar)) bar(min(done / total, 0.99), done)
  }
  stages <- list()
  compare <- function(stage, candidates, molded) {
    if (length(candidates) < 2L) return(candidates[[1L]])
    race <- race_candidates(candidates, task, molded, report)
    # A robust likelihood costs its own approximation: it must be clearly better.
    chosen <- if (stage == "likelihood") clearly_better(race) else best_of(race)
    stages[[stage]] <<- list(
      table = stage_table(stage, candidates, race, chosen),
      beat = describe_stage(stage, candidates, race, chosen)
    )
    candidates[[chosen]]
  }
  chosen <- compare("kernel", lapply(kernels, comparing_candidate, task = task), molded)
  if (is.null(task$likelihood) && task$kind != "multiclass") {
    robust <- comparing_candidate(task, chosen$arguments$kernel, robust_likelihood(task))
    chosen <- compare("likelihood", list(chosen, robust), molded)
  }
  if (!fits_densely(task)) chosen <- choose_sparse(task, chosen, molded, compare)
  list(candidate = chosen, tables = unname(lapply(stages, `[[`, "table")),
    beat = unlist(lapply(stages, `[[`, "beat"), use.names = FALSE)
  )
}

fits_densely <- function(task) {
  n <- nrow(task$molded$x)
  if (!is.null(task$models)) return(identical(task$models, "meanfield_gp"))
  if (!is.null(task$size) && task$size < n) return(FALSE)
  n * sqrt(task$latents) <= task$control$dense_rows
}

#' A sparse model with the hyper-parameters that the chosen candidate learns on the rows kernels
#' were compared on
#' @noRd
choose_sparse <- function(task, chosen, molded, compare) {
  small <- muffle_warnings(fit_candidate(chosen, task, molded, NULL))
  kernel <- kernel_expression(kernel_of(small))
  likelihood <- str2lang(format(small$likelihood))
  candidates <- sparse_candidates(task, kernel, likelihood)
  if (length(candidates) < 2L) return(candidates[[1L]])
  compare("model", candidates, validation_sample(task))
}

#' Rows on which sparse models are compared: a few times as many as are held out in a fold
#' @noRd
validation_sample <- function(task) {
  n <- nrow(task$molded$x)
  molded_rows(task$molded, draw(n, min(n, 2 * task$control$validation_rows), task$seed))
}

why_chosen <- function(candidate, task) {
  n <- nrow(task$molded$x)
  reason <- if (candidate$model == "meanfield_gp") {
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

check_weights_offered <- function(call) {
  if (all(vapply(candidate_bridges(), function(b) "weights" %in% names(formals(b)), NA))) {
    return(invisible())
  }
  abort_gpsieve("{.arg weights} needs models that take weights.",
    hint = "Call a model that takes them by itself.", class = "unsupported", call = call
  )
}
