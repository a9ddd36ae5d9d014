#' Choose a model and fit it
#'
#' Compares functions, likelihoods and models on rows that are held out and fits the best of them to
#' all rows. Printing the fit says how well rows were predicted that it had not seen; [choice()] has
#' the candidates and the call to write instead.
#'
#' @section What is compared:
#' One rich function, with rough, smooth and linear parts ([kernel_rich()]), is learned from all
#' rows. Candidates are then fitted to some of the rows and judged by the log predictive density of
#' the others:
#'
#' `r table_of_candidates()`
#'
#' The function with the greatest density is taken, of fewer than 50 numbers as a rule that with the
#' greatest evidence. What is compared with it must as a rule be clearly better, with means about as
#' good; [control_gpsieve()] has the rules with their numbers. Of a large source two candidates are
#' compared on a sample.
#'
#' @section Jobs:
#' ```r
#' gpsieve(Species ~ ., iris)                                 # classes
#' gpsieve(claims ~ age + offset(log(years)), d)              # counts with an exposure
#' gpsieve(rain ~ longitude + latitude, d)                    # places
#' gpsieve(sales ~ month, d, ahead = 12)                      # a series, and the next twelve months
#' gpsieve(height ~ age + (age | child), d)                   # repeated measures
#' ```
#' Longitude and latitude are taken for a plane; [kernel_great_circle()] knows the globe. Random
#' folds say how well gaps as small as those between rows are predicted: give `folds` by regions
#' where gaps are larger.
#'
#' A series is judged by its last rows, or by three times the last `ahead` times, each part being
#' predicted from all rows before it. The time is the only column of dates or times, else the only
#' input, else the order of the rows; a named `period` names it.
#'
#' @param x,y,formula,data,...,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param kernel,likelihood A kernel or a likelihood to use; none is then compared with it.
#' @param size Number of active, inducing or basis points: fewer than the rows ask for one sparse
#'   model of all rows.
#' @param time About how many seconds the call may take on one core. Steps, rows and points follow
#'   from what fits cost and not from a clock: the choice does not depend on the computer's speed.
#'   `NULL`: 20 for few to 75 for many rows, less for few columns. `Inf`: no limit.
#' @param candidates What to choose among: a list of kernels, names of models (`"meanfield_gp"`,
#'   `"ivm"`, `"ep_gp"`, `"greedy_gp"`), or both.
#' @param folds How rows are held out: a number of random folds; a vector with the fold of each row;
#'   or `"time"`, by later rows. `NULL` is `control_gpsieve(folds = )`, and `"time"` for a single
#'   input of dates, times or, with a clear period, numbers.
#' @param ahead How many times (different values of the time column) ahead to predict. Implies
#'   `folds = "time"`.
#' @param period Periods of a series: positive numbers in units of the time column (days for dates,
#'   seconds for times), or for dates and times names such as `"year"`, `"quarter"`, `"month"`,
#'   `"week"`, `"day"`, `"hour"`. Where several columns could be the time, the vector is named:
#'   `c(day = 7)`. `NULL` looks for periods.
#' @param control Settings of the choice: [control_gpsieve()].
#' @return A fit of the chosen model, of class `gpsieve_chosen` too, with all that such fits answer;
#'   [choice()] tells what was compared. `update()` refits the chosen model without choosing.
#' @seealso [choice()]; the models [meanfield_gp()], [ivm()], [ep_gp()], [greedy_gp()].
#' @examples
#' fit <- gpsieve(dist ~ speed, cars, seed = 1, control = control_gpsieve(folds = 3))
#' fit
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#'
#' # A forecast: the two years after the data, with a period that is found
#' deaths <- data.frame(year = as.vector(time(ldeaths)), deaths = as.vector(ldeaths))
#' fit <- gpsieve(deaths ~ year, deaths, folds = "time", seed = 1)
#' plot(fit, newdata = data.frame(year = seq(1980, 1982, by = 1 / 12)))
#' @export
gpsieve <- function(x, y, kernel = NULL, likelihood = NULL, size = NULL, ..., time = NULL,
                    candidates = NULL, folds = NULL, ahead = NULL, period = NULL,
                    standardise = TRUE, prior_mean = NULL, control = control_gpsieve(), seed = NULL,
                    threads = NULL, verbose = interactive(), weights = NULL, offset = NULL,
                    noise_sd = NULL, subset = NULL, na.action = NULL, formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(gpsieve_of_rows, match.call(), noise = "chosen")
}

# The fit of the model that is chosen for rows that have been read, see R/model.R
gpsieve_of_rows <- function(molded, given) {
  changing <- if (has_changing_noise(given$likelihood)) without_coefficients(given$likelihood)
  if (!is.null(changing)) given["likelihood"] <- list(NULL)
  task <- choice_task(molded, given)
  task <- with_folds(task, given$folds, given$ahead, given$period)
  bar <- progress_bar(check_flag(given$verbose, "verbose"), "Choosing")
  as_given <- task$molded
  if (!is.null(changing)) task$molded <- with_noise_for_choice(task, given$kernel, changing)
  chosen <- choose_entries(task, choice_report(bar))
  task <- chosen$task
  entries <- chosen$entries
  decided <-
    if (!is.null(changing)) {
      list(entries = entries, fit = fit_entry_by_turns(entries[[1L]], task, as_given, changing))
    } else {
      fit_first(chosen)
    }
  entries <- decided$entries
  best <- as_fitted(entries[[1L]], task)
  fit <- decided$fit
  if (!is.null(changing)) best$candidate$likelihood <- changing
  fit$choice <- list(
    table = choice_table(entries),
    call = chosen_call(best$candidate, task, user_frame()),
    held_out = if (!is.null(best$judged)) {
      figures_of_entry(best, task)
    },
    in_time = isTRUE(task$series$ordered), ahead = end_of_forecast(task$series),
    beside = beside_words(entries), grew = best$grew,
    far = if (task$replaced) paste0(far_words(task$far), ": some values lie far from the others")
  )
  # Every row without itself says more about exact leaves than the smaller ones that were judged.
  if (has_own_figures(fit, task)) fit$choice$held_out <- NULL
  structure(fit, class = c("gpsieve_chosen", class(fit)))
}

# How good the predictions of held-out rows are that an entry has judged
figures_of_entry <- function(entry, task) {
  likelihood <- entry$candidate$likelihood
  held_out_figures(entry$judged, response_less_offset(task, likelihood = likelihood),
    task$likelihood)
}

# The parts of a task, the choice among models for some data.
task_fields <- list(
  molded = NULL, # the data
  kind = NULL, latents = NULL, # of the response, and how many latent functions it has
  kernels = NULL, models = NULL, likelihood = NULL, # those that the user allows, NULL for any
  size = NULL, time = NULL, standardise = NULL, prior_mean = NULL, # as the user gave them
  control = NULL, seed = NULL, threads = NULL,
  folds = NULL, series = NULL, # how rows are held out, see choose-forecast.R
  unit = NULL, # of the response, see response_unit()
  alike = FALSE, # may the columns have one scale, as the pixels of pictures?
  far = NULL, # what stands for inputs with values far from others, see choose-heavy-tailed-inputs.R
  replaced = FALSE, # does it, in the data?
  outlying = FALSE, # has the response values that make up most of its variance?
  warped = FALSE, # is a function of warped inputs compared, see choose-warped-inputs.R?
  mixed = FALSE, # is one of mixed inputs, see choose-mixed-inputs.R?
  compared = NULL, # how many candidates are compared
  anew = FALSE, # does every judged split learn for itself?
  column_flops = NULL, # operations for each element of a kernel matrix and column
  spread = NULL # the variance of the response where a likelihood's latent function is
)

# Everything the choice needs, checked before any work
choice_task <- function(molded, given) {
  kernel <- given$kernel
  likelihood <- given$likelihood
  time <- given$time
  check_finite_inputs(molded)
  molded$y <- canonical_response(molded$y)
  response <-
    new_response(molded$y, nrow(molded$x), molded$outcome, molded$scan$counts)$description
  asked <- check_candidates_argument(given$candidates)
  if (!is.null(molded$rows)) check_models_of_source(asked$models)
  if (!is.null(kernel)) asked$kernels <- list(as_kernel(kernel, "kernel"))
  if (is.null(likelihood) && response$kind == "trials") likelihood <- lik_binomial()
  if (is.null(likelihood)) {
    used <- default_likelihood(response) # or an error where there is none
  } else {
    used <- likelihood <- as_likelihood(likelihood, "likelihood")
    check_response_matches(likelihood, response$kind, molded$y)
  }
  control <- check_control(given$control, "gpsieve")
  if (control$blocks$widen != 1) check_can_widen(list(likelihood = used, molded = molded))
  new_record(task_fields,
    # One of several classes is worked out from the others.
    molded = molded, kind = response$kind,
    latents = if (response$kind == "multiclass") length(response$present) - 1L else 1L,
    kernels = asked$kernels, models = asked$models, likelihood = likelihood,
    size = if (!is.null(given$size)) check_count(given$size, "size"),
    time =
      if (is.null(time) || identical(time, Inf)) time
      else check_number(time, "time", above = 0),
    standardise = check_standardise(given$standardise),
    prior_mean = if (!is.null(given$prior_mean)) check_number(given$prior_mean, "prior_mean"),
    control = control, seed = resolve_seed(given$seed),
    threads = resolve_threads(given$threads))
}
