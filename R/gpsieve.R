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
#' 1. Kernels, by [meanfield_gp()] on at most 1000 rows: as many as the `time` allows. Where it does
#'    not allow all rows, all kernels are compared on 250 and the best three on more. A candidate
#'    that is clearly worse after two folds is given up. With so few rows that the dense model is
#'    fitted, the best kernels, at most three, that differ by less than two standard errors are also
#'    added up: the sum starts from what each of them learned and learns how much of the variance
#'    each has. It is taken unless the best kernel alone is better by more than two standard errors,
#'    because the best of several scores is too good by chance. Where at least ten columns lie
#'    between the same least and greatest value, as pixels do, one scale for all of them
#'    (`standardise = "common"`) is compared with a scale for each.
#' 2. Robust likelihoods, with the best kernel alone, by [ivm()] in the same folds: [lik_student()]
#'    beside [lik_gaussian()] if the residuals of the rows held out have heavy tails, and
#'    [lik_label_noise()] beside [lik_probit()] for two classes if the probabilities of these rows
#'    become better when they are mixed with those of the other class. A robust likelihood is taken
#'    only if it is better by more than two standard errors, its squared errors of means or
#'    probabilities are no greater, and the mean of its residuals is within two standard errors of
#'    0: where the noise is skewed, the location of a distribution with heavy tails is not the mean.
#' 3. With few rows the dense model is fitted, learning anew on all rows, or on as many as there is
#'    time for, from where the folds ended. With more than
#'    `control_gpsieve(dense_rows = )` a sparse model starts from the hyper-parameters learned on
#'    the rows of the first step: [ivm()], with as many active points as the time allows, for
#'    classes and for at most 30000 rows of numbers, otherwise [ep_gp()] in minibatches, which goes
#'    on learning from all rows. For [ivm()] the best kernels, at most three, that were not clearly
#'    worse are compared again on many rows held out, and a robust likelihood with the usual one.
#'    More rows also tell finer structure, so that the kernel is then changed step by step: 0.7
#'    times the lengthscales; 4 times the variance for classes, 0.8 times the noise for numbers; the
#'    next smoother and the next rougher kernel. A step is kept if it improves the log predictive
#'    density of held-out rows by more than a standard error and their squared errors are no
#'    greater. At most 12 fits are tried, with most of the rows and points of the fit to come, and
#'    of several classes with the machines of three.
#'
#' @section Rows that are read in blocks:
#' Of a source such as [rows_from_db()], kernels are compared on the random sample of its rows that
#' the first pass keeps. [ep_gp()] is then fitted to all rows. The likelihood is the usual one, or
#' the one that is given: robust ones are not compared.
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
#' @param time About how many seconds the whole call may take. `NULL`: 22 for up to 1000 rows, of
#'   which most choices take a few; for more rows about what a support vector machine takes that is
#'   tuned over nine settings by five folds, 1.5 microseconds times the squared number of rows, at
#'   most 75.
#' @param candidates What to choose among: a list of kernels, names of models (`"meanfield_gp"`,
#'   `"ivm"`, `"ep_gp"`, `"greedy_gp"`), or both.
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
    standardise = TRUE, prior_mean = NULL, control = control_gpsieve(),
    seed = NULL, threads = NULL, verbose = interactive(), call) {
  check_dots(..., call = call)
  task <- choice_task(molded, kernel, likelihood, size, time, candidates, standardise,
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
gpsieve.Matrix <- xy_method(gpsieve_bridge)

#' @rdname gpsieve
#' @export
gpsieve.recipe <- recipe_method(gpsieve_bridge)

#' @export
gpsieve.default <- default_method("gpsieve")

#' Everything the choice needs, checked before any work
#' @noRd
choice_task <- function(molded, kernel, likelihood, size, time, candidates, standardise,
                        prior_mean, control, seed, threads, call) {
  check_finite_inputs(molded, call)
  molded$y <- canonical_response(molded$y, call)
  response <-
    new_response(molded$y, nrow(molded$x), molded$outcome, call, molded$scan$counts)$description
  asked <- check_candidates_argument(candidates, call)
  if (!is.null(molded$rows)) asked$models <- models_of_source(asked$models, call)
  if (!is.null(kernel)) asked$kernels <- list(as_kernel(kernel, "kernel", call))
  if (!is.null(likelihood)) {
    likelihood <- as_likelihood(likelihood, "likelihood", call)
    check_response_matches(likelihood, response$kind, molded$y, call)
    likelihood <- str2lang(format(likelihood))
  }
  list(
    molded = molded, kind = response$kind, latents = max(1L, length(response$present) - 1L),
    kernels = asked$kernels, models = asked$models, likelihood = likelihood,
    size = if (!is.null(size)) check_count(size, "size", call),
    time = if (!is.null(time)) check_number(time, "time", call, above = 0),
    standardise = check_standardise(standardise, call),
    prior_mean = if (!is.null(prior_mean)) check_number(prior_mean, "prior_mean", call),
    control = check_control(control, "gpsieve", call), seed = resolve_seed(seed, call),
    threads = resolve_threads(threads, call), call = call
  )
}
