#' Choose a model and fit it, from a formula and a data frame
#'
#' Compares functions, likelihoods and models on rows that are held out and fits the best to all
#' rows: the way in for those who have a formula and a data frame. One rich function, with rough,
#' smooth and linear parts ([kernel_rich()]), is learned from all rows ([learn_on_blocks()]). What
#' held-out rows must decide is compared on them: a linear function, likelihoods that the response
#' suggests, and with many rows machines on parts of the rows. The result is an ordinary fit of the
#' chosen model; printing it says how well rows were predicted that it had not seen, and [choice()]
#' has the candidates and the call to write instead.
#'
#' @section What is compared:
#' 1. Functions. The hyper-parameters of every candidate are learned from all rows. Candidates are
#'    then fitted to some of the rows and judged by the log predictive density of the others; with
#'    at most 1000 rows (times latent functions) their hyper-parameters are learned again without
#'    the rows to judge, from those of all rows on. The candidate with the greatest density is
#'    taken.
#'    * With few rows the candidates are the rich function and a linear one, for several classes of
#'      at most 500 rows one without the smooth part, and for a single column one without the rough
#'      part, by [meanfield_gp()]; with more than `control_gpsieve(dense_rows = )` the rich function
#'      is fitted by [ivm()]. Learning ends after a third of the steps if held-out rows are then not
#'      more probable than under a linear function, by a standard error.
#'    * For numbers and two classes, and for several classes of at least 8000 rows times the square
#'      root of the number of latent functions, dense Gaussian processes on parts of the rows
#'      (`leaf_rows` of [ivm()]; as many rows as the time allows, at most 3000) with two functions,
#'      of which one is rougher, are compared with one machine for all rows. For numbers and two
#'      classes of at least four columns the better function is also fitted with a tree for each of
#'      its parts (`trees = "terms"`), which is taken if its density is greater by more than two
#'      standard errors and, where these were compared on less than half of the rows, if fits to all
#'      rows predict each row without itself better than with one tree. Rows with more than 3e7
#'      numbers are compared with one function in parts and without these trees; at most 40,000 rows
#'      are compared, with smaller parts and fewer active points where there is no time for as many.
#'    * Where numeric inputs have values whose distance from the median is more than ten times the
#'      standard deviation that the first and the last tenth suggest, with more than 1000 rows
#'      (times latent functions): the best function, of the inverse hyperbolic sines of these
#'      inputs. All terms of the formula must be columns, as in `y ~ .`; `choice(fit, "call")` has
#'      the formula that was taken. Nothing is replaced with `I(x)` in place of a column, inputs
#'      that are given as `x`, a kernel of yours, noise of a formula, missing values that are
#'      modelled, later rows that are predicted (`folds = "time"`), sources and sparse matrices.
#'    * Where at least ten columns lie between the same least and greatest value, as pixels do, one
#'      scale for all of them (`standardise = "common"`); with machines on parts the one machine has
#'      this scale and one lengthscale, [kernel_rbf()]. With a factor of at least 60 levels, for one
#'      machine, the rich function of the other inputs plus a constant for each level.
#'    * Where the best candidate explains at least 95 % of the variance of held-out numbers, as for
#'      most computer codes, and noise is at most half of the rest: a very smooth function,
#'      [kernel_rbf()] plus [kernel_separable()] and a plane, whose noise starts at a millionth of
#'      the variance and whose hyper-parameters no prior holds (`learn_on_blocks(prior = 0)`); of at
#'      most 400 rows also the rich function in this way. If one of them is the best, the next items
#'      are left out, and its variances are multiplied by the mean square of the standardised errors
#'      of held-out rows where that is greater than 1 (`learn_on_blocks(widen = )`).
#' 2. For at least 500 numbers without an offset, a kernel or a prior mean of yours that are no
#'    counts, the best function of a response on a learned scale, [lik_warped()]. It is taken if its
#'    density is greater by more than two standard errors where no row counts for more than one nat,
#'    and squared errors are at most a tenth greater.
#' 3. For numbers what their values suggest beside Gaussian noise, with the best function. Whole
#'    numbers from 0 with a mean below 50 that vary as counts do: [lik_negative_binomial()], and
#'    [lik_poisson()] where they vary little more than Poisson counts; functions that are
#'    compared for counts learn from blocks of 400 rows, unless `control` names others. Numbers
#'    between 0 and 1, some above 0.1: [lik_beta()]. Positive numbers, the greatest more than
#'    three times the least: [lik_lognormal()], if squared errors are at most a tenth greater and no
#'    learned scale was taken.
#'    Each is fitted where rows held out are more probable under it with the predicted means of
#'    Gaussian noise, by more than two standard errors, and taken if its density is greater by as
#'    much.
#' 4. Noise that changes: `lik_gaussian(noise = )` of at most three inputs, where the sizes of the
#'    residuals of held-out rows depend on numeric inputs, by rank correlations with an input or its
#'    distance from its median. The variance is log-linear in an input, or a natural spline of the
#'    only input or of one with whose distance from the median the sizes vary. For at most 1000 rows
#'    without weights and offset that are no counts. Where the log-normal likelihood is better than
#'    Gaussian noise too, changing noise is taken unless it is clearly worse. Beside a learned scale
#'    the residuals are those on that scale, and changing noise must be clearly better.
#' 5. A robust likelihood, [lik_student()], if the residuals of at least 20 held-out rows have heavy
#'    tails, the noise is at least a thousandth of the response's variance, and its predictions do
#'    not differ on average by more than two standard errors. It is compared with the function that
#'    Gaussian noise has learned and the scale that the residuals show; all hyper-parameters are
#'    learned in the fit to all rows.
#'
#' Smooth functions with little noise, counts, and items 4 and 5 are judged fold by fold. From 20
#' rows on the other folds are left out where they would hardly bring the density to what is needed,
#' and, but for smooth functions, from 50 rows on where it is greater by more than three standard
#' errors and what else is asked holds.
#'
#' Changing noise and a robust likelihood are taken if their density is greater by more than two
#' standard errors where no row counts for more than one nat: a few outliers would decide both the
#' difference and its standard error. Items 2 to 5 are for numbers whose `likelihood` is not given,
#' by one model for all rows. Densities are those of the response in units of its standard
#' deviation: only that counts and shares are known by their values depends on its units.
#'
#' Of a source such as [rows_from_db()], hyper-parameters are learned on the random sample of its
#' rows that the first pass keeps. [ep_gp()] is then fitted to all rows, with the usual likelihood
#' or the one that is given; with 8000 rows (twice `control_gpsieve(leaf_rows = )`) or more, [ivm()]
#' on parts of the rows, unless it predicts a fifth of the sample worse than [ep_gp()] by more than
#' two standard errors after both have learned from the rest.
#'
#' @section Places:
#' Longitude and latitude are taken for a plane. Where they extend over the globe, the three
#' coordinates of places on a sphere can take their part, here of degrees:
#' ```r
#' d <- transform(d, lat = lat * pi / 180, lon = lon * pi / 180)
#' d <- transform(d, a = cos(lat) * cos(lon), b = cos(lat) * sin(lon), c = sin(lat))
#' gpsieve(y ~ a + b + c + time, d)
#' ```
#' Kernels of [kernel_great_circle()] can be given in `candidates`. Random folds say how well gaps
#' are predicted that are as small as the distances between rows; for larger gaps hold out whole
#' blocks:
#' ```r
#' block <- interaction(floor(d$lon / 10), floor(d$lat / 10), drop = TRUE)
#' gpsieve(y ~ ., d, folds = as.integer(block) %% 5)
#' ```
#'
#' @section Forecasts:
#' `folds = "time"` judges candidates by later rows: the last three tenths of the rows, each
#' predicted by the fit to all rows before it, or three times the last `ahead` times. Time is the
#' column of dates or times, else the only input, else the order of the rows. Beside the functions
#' above, a trend with and without a smooth part is compared, and for each period a pattern that
#' repeats and changes slowly: [kernel_periodic()] times [kernel_rbf()]. Of a positive response, the
#' greatest more than 1.2 times the least, all functions are compared for its logarithm too,
#' [lik_lognormal()]; the greatest density of later rows decides.
#'
#' Periods that are not given are looked for. Of dates and times they are the year, the week
#' and the day, where the rows extend over nearly two of them and they explain the response beside
#' a slow curve (an F test). Of numbers they are at most two clear peaks of the spectrum, or 1 if
#' the steps are a whole fraction of it, as those of years in months are. Periods are not learned
#' further. A single input of dates or times, or of numbers at equal distances with a clear
#' period, is judged in this way without being asked; `folds = 5` judges it by random rows.
#'
#' @param x,y,formula,data,...,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param kernel,likelihood A kernel or a likelihood to use: then none is chosen. `NULL` compares
#'   functions, and likelihoods that the response suggests.
#' @param size Number of active, inducing or basis points of a sparse model. A number smaller than
#'   the rows asks for one sparse model for all rows.
#' @param time About how many seconds the whole call may take on one core; numbers of steps, rows
#'   and points follow from it by what fits cost, not by a clock, so that the same data and seed
#'   give the same choice everywhere. `NULL`: 20, with more than 20,000 rows a thousandth of a
#'   second for each (times the square root of the number of latent functions), at most 75; two
#'   fifths of this for more than `control_gpsieve(dense_rows = )` numbers as a function of at most
#'   three columns. Many columns of many rows, and many classes, take more: informative vector
#'   machines have at least 150 active points, or 50 in each part of the rows. `Inf`: no limit.
#' @param candidates What to choose among: a list of kernels, names of models (`"meanfield_gp"`,
#'   `"ivm"`, `"ep_gp"`, `"greedy_gp"`), or both.
#' @param folds How rows are held out to judge candidates: a number of folds drawn at random; a
#'   vector with the fold of each row; or `"time"`, see the section on forecasts. `NULL` is
#'   `control_gpsieve(folds = )`, and `"time"` for a single input that is a series of dates,
#'   times or, with a clear period, numbers.
#' @param ahead How many times (different values of the time column) ahead predictions are wanted:
#'   a whole number. Implies `folds = "time"`.
#' @param period Periods of the series: positive numbers in units of the time column (days for
#'   dates, seconds for times), or of dates and times the names `"year"`, `"quarter"`, `"month"`,
#'   `"week"`, `"day"`, `"hour"`. Names of the vector say which column is the time, where several
#'   could be: `c(day = 7)`. `NULL` looks for them.
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

# The fit of the model that is chosen for rows that have been read, see R/fit-model.R
gpsieve_of_rows <- function(molded, given) {
  uneven <- if (is_uneven(given$likelihood)) without_coefficients(given$likelihood)
  if (!is.null(uneven)) given["likelihood"] <- list(NULL)
  task <- choice_task(molded, given)
  task <- with_folds(task, given$folds, given$ahead, given$period)
  bar <- progress_bar(check_flag(given$verbose, "verbose"), "Choosing")
  as_given <- task$molded
  if (!is.null(uneven)) task$molded <- with_noise_for_choice(task, given$kernel, uneven)
  chosen <- choose_entries(task, choice_report(bar))
  task <- chosen$task
  entries <- chosen$entries
  decided <-
    if (!is.null(uneven)) {
      list(entries = entries, fit = fit_entry_uneven(entries[[1L]], task, as_given, uneven))
    } else {
      fit_first(entries, task)
    }
  entries <- decided$entries
  best <- entries[[1L]]
  fit <- decided$fit
  if (!is.null(uneven)) best$candidate$likelihood <- uneven
  fit$choice <- list(
    table = choice_table(entries),
    call = chosen_call(best$candidate, task, user_frame()),
    held_out = if (!is.null(best$judged)) {
      held_out_figures(best$judged, response_less_offset(task), task$likelihood)
    },
    in_time = isTRUE(task$series$ordered), ahead = end_of_forecast(task$series),
    beside = beside_words(entries), grew = best$grew,
    far = if (task$replaced) paste0(far_words(task$far), ": some values lie far from the others")
  )
  # Every row without itself says more about exact leaves than the smaller ones that were judged.
  if (has_own_figures(fit, task)) fit$choice$held_out <- NULL
  structure(fit, class = c("gpsieve_chosen", class(fit)))
}

# The parts of a task, the choice among models for some data.
task_fields <- list(
  molded = NULL, # the data
  kind = NULL, latents = NULL, # of the response, and how many latent functions it has
  kernels = NULL, models = NULL, likelihood = NULL, # those that the user allows, NULL for any
  size = NULL, time = NULL, standardise = NULL, prior_mean = NULL, # as the user gave them
  control = NULL, seed = NULL, threads = NULL,
  folds = NULL, series = NULL, # how rows are held out, see gpsieve-forecast.R
  unit = NULL, # of the response, see response_unit()
  alike = FALSE, # may the columns have one scale, as the pixels of pictures?
  far = NULL, # what stands for inputs with values far from others, see gpsieve-far.R
  replaced = FALSE, # does it, in the data?
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
