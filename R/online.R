#' Online Gaussian process
#'
#' Learns from a stream: every row is used once and moves the Gaussian posterior to the moments of
#' the posterior times the likelihood of that row. With a `budget` the posterior rests on so many
#' *basis points* at most, so that a stream of any length is learned in constant memory and constant
#' time per row. `update(fit, x, y)` absorbs rows that come later.
#'
#' The posterior is \eqn{mean(x) = k_B(x)'u}, \eqn{var(x) = k(x,x) + k_B(x)'C k_B(x)}. With
#' \eqn{\kappa_1, \kappa_2} the first two derivatives of the log predictive density \eqn{\log Z} of
#' a new row in its latent mean, \eqn{u} moves by \eqn{\kappa_1 s} and \eqn{C} by \eqn{\kappa_2 s
#' s'}, where \eqn{s = C k + e} and \eqn{e} is the row as the basis explains it: its own unit vector
#' if it joins the basis, \eqn{K_{BB}^{-1} k_B(x)} if it does not. Several classes have one machine
#' each, against the rest, with a basis of its own; probabilities are their normalised odds, after
#' sweeps of EP to a common power as in [ivm()].
#'
#' A row joins the basis when the basis leaves more than the share `novelty` of its prior variance
#' unexplained (shares below 1e-8 are rounding and count as nothing). `novelty = 0` without a
#' budget keeps every row, equal ones too, with a Gaussian site for each. When the basis exceeds
#' the `budget`, the point leaves whose removal changes the posterior least and the others are
#' adjusted.
#'
#' With B basis points a row that does not join them costs about 2 B^2 multiply-adds, one that does
#' 7 B^2, and about 15 B^2 once the budget is full; memory is three matrices of B^2 numbers.
#'
#' @section Rows that come later:
#' `update(fit, x, y)`, or `update(fit, data = )` for a fit made from a formula, visits new rows
#' once each, in the order given. (`update()` of other models fits anew.) The standardisation stays
#' that of the first fit, and so do the hyper-parameters unless they follow (see below):
#' lengthscales and variances are in units of the first rows' standard deviations. After one sweep,
#' with hyper-parameters that stay, the result is that of one fit with these values to all rows in
#' the order of the visits, however the rows are split, though with other last digits where the fit
#' keeps every row. More `sweeps` visit the rows of the first call again, but no later ones, and the
#' result is not that of one fit to all rows. Levels of a factor response that had no row then may
#' appear later; new levels, new or missing columns are errors, and the fit is left as it was.
#' `fit_trace()` describes the latest call only; row numbers continue those of the earlier rows. A
#' fit that keeps every row computes its posterior again with each `update()`, in O(n^3): give it
#' rows in batches. A fit with `noise_sd` absorbs no further rows.
#'
#' @section Streams that change:
#' With `control_online(learn_every = r)` hyper-parameters follow the stream: after every r rows, in
#' the first call and in each `update()`, they climb EP's evidence of the last `learn_window` rows,
#' which the fit keeps. What all rows so far said about the function at the basis points, a Gaussian
#' factor, is then multiplied by the prior of the new kernel; with Gaussian noise the precision of
#' the factor is divided by the ratio of the new noise to the old one.
#'
#' With `control_online(forget = h)` the latent function changes from row to row,
#' \eqn{f_t = \rho f_{t-1} + \sqrt{1 - \rho^2} e_t} with new draws \eqn{e_t} from the prior and
#' \eqn{\rho = 2^{-1/h}}. The posterior is that of the function at the last row.
#'
#' `learn_every` needs `optimise = TRUE`, dense inputs, no weight above 1, plain numbers or classes
#' and no `noise_sd`; neither setting goes with sweeps or with a fit that keeps a site for each row.
#'
#' @section Learning hyper-parameters:
#' With `optimise = TRUE` the hyper-parameters maximise EP's (TAP's) evidence of a random subset of
#' rows (of a source, see [rows_from_function()], of a sample of 10,000 rows) before the stream
#' begins; see [control_online()]. The evidence of the fit itself is the sum of log predictive
#' densities of every row before it was absorbed, which depends on the order, and after sweeps of EP
#' that of EP; it has no gradient. An interrupted fit to a source of rows leaves what it has learned
#' in [last_fit()].
#'
#' @param x,formula,data,kernel,likelihood,size,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param offset,noise_sd,subset,na.action,resume,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param weights Whole numbers: a row of weight w is visited w times.
#' @param y The response, as in all models; in `update()` that of new rows. Rows that lack a value
#'   are left out or refused as the rows of the first fit were (`na.action`), and `weights` and
#'   `offset` are evaluated among the columns of `data`. New rows have the levels of the first fit.
#' @param budget Largest number of basis points (per class); `Inf` for no limit.
#' @param novelty Share of its prior variance that the basis must leave unexplained for a row to
#'   join it.
#' @param deletion Which basis point leaves: the one whose removal has the least divergence
#'   KL(after || before) between the posteriors after and before (`"reverse_kl"`) or
#'   KL(before || after) (`"forward_kl"`), or changes the posterior mean least (`"cheap"`).
#' @param sweeps How often the rows are visited; EP stops earlier when its sites have converged.
#' @param sweep_type What sweeps after the first do. `"ep"`, the default without a budget, takes out
#'   the site of a row before it is visited again: the fixed point is that of `meanfield_gp()` with
#'   `method = "tap"`, and every row must be in the basis, whatever `novelty` is. `"adf"` visits the
#'   rows as if they were new ones, as the paper does: the mean may improve, the variance becomes
#'   too small, and the evidence remains that of the first sweep.
#' @param shuffle Visit the rows in a random order (the same for every class and sweep)? Data sorted
#'   by class mislead an online learner. `FALSE` keeps the order of the rows; with it and the same
#'   hyper-parameters a source of rows gives the bits of the rows in memory.
#' @param control Settings of learning and EP: [control_online()].
#' @return A fit: a plain list of class `gpsieve_online_gp`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [query_score()], [plot][plot.gpsieve_fit] and the [accessors].
#' @references Csato, L., Fokoue, E., Opper, M., Schottky, B. and Winther, O. (2000). Efficient
#'   approaches to Gaussian process classification. *Advances in Neural Information Processing
#'   Systems* 12, 251-257. Equations (10) and (11) are mean and variance, (12) is the update.
#'
#'   Csato, L. and Opper, M. (2002). Sparse on-line Gaussian processes. *Neural Computation* 14,
#'   641-668.
#' @examples
#' fit <- online_gp(Species ~ ., iris, budget = 20, seed = 1)
#' fit
#' mean(predict(fit, iris) == iris$Species)
#'
#' # A stream
#' fit <- online_gp(cars["speed"], cars$dist, budget = 10, shuffle = FALSE, seed = 1)
#' fit <- update(fit, data.frame(speed = c(10, 20)), c(25, 55))
#' nobs(fit)
#' @export
online_gp <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, budget = Inf, ...,
                      novelty = 1e-6, deletion = c("reverse_kl", "forward_kl", "cheap"), sweeps = 1,
                      sweep_type = c("ep", "adf"), shuffle = TRUE, resume = NULL, optimise = TRUE,
                      standardise = TRUE, prior_mean = NULL, control = control_online(),
                      seed = NULL, threads = NULL, verbose = interactive(), size = NULL,
                      weights = NULL, offset = NULL, noise_sd = NULL, subset = NULL,
                      na.action = NULL, formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(online_gp_of_rows, match.call(), size = "budget", noise = "even")
}

# The fit of rows that have been read, see R/model.R
online_gp_of_rows <- function(molded, given) {
  settings <- online_settings(given, molded)
  control <- settings$control
  problem <- prepare_problem(molded, given, takes_rows = TRUE,
    takes_step = is.null(control$learn_every))
  check_kept_in_memory(molded$x, given$resume, control, NULL)
  visits <- visits_of_rows(problem)
  once <- settings$sweeps == 1
  # A site for each row: of rows in a basis without limit, or of sweeps of EP.
  keeps_all <- settings$novelty == 0 && is.infinite(settings$budget) ||
    (!once && settings$sweep_type == "ep")
  check_online_memory(problem, settings$budget, keeps_all, max(length(visits), nrow(molded$x)))
  check_online_control_used(molded, control)
  check_follows(control, problem, settings$optimise, !keeps_all && once, visits)
  check_checkpoint(control$checkpoint)
  check_online_checkpoint(molded, given$resume, control)
  asked <- if (!is.null(molded$rows)) asked_for(problem, settings, molded$scan)
  from <- resumed_fit(given$resume, "online_gp", asked, given$seed)
  if (settings$optimise && is.null(from)) {
    problem <- learn_on_subset(problem, c(control, online_learning_effort))
  }
  if (!is.null(molded$rows)) return(fit_online_rows(problem, molded, settings, from, asked))
  if (follows(settings)) {
    return(follow_from_start(problem, new_rows_of(molded), settings, settings$shuffle))
  }
  stream <- new_stream(problem, molded$y, settings, visits)
  bar <- progress_bar(problem$verbose, "Online Gaussian process")
  online_fit(stream, run_online(stream, settings, settings$shuffle, bar), settings)
}

# The arguments of online_gp() that a fit keeps, checked
online_settings <- function(given, molded) {
  budget <- check_count(given$budget, "budget", allow_inf = TRUE)
  sweeps <- check_count(given$sweeps, "sweeps", max = 1e6)
  check_sweeps_of_source(molded, sweeps)
  list(
    budget = budget, novelty = check_number(given$novelty, "novelty", min = 0, max = 1),
    deletion = check_choice(given$deletion, offered("deletion", online_gp), "deletion"),
    sweeps = sweeps, sweep_type = check_sweep_type(given$sweep_type, sweeps, budget),
    shuffle = check_flag(given$shuffle, "shuffle"),
    optimise = check_flag(given$optimise, "optimise"), prior_mean = given$prior_mean,
    control = check_control(given$control, "online")
  )
}

# The kind of sweeps: by default EP without a budget and ADF with one; EP with a budget is refused
check_sweep_type <- function(sweep_type, sweeps, budget) {
  choices <- offered("sweep_type", online_gp)
  if (identical(sweep_type, choices)) return(if (is.finite(budget)) "adf" else "ep")
  sweep_type <- check_choice(sweep_type, choices, "sweep_type")
  if (sweep_type == "ep" && sweeps > 1 && is.finite(budget)) {
    abort_gpsieve("Sweeps of EP need every row in the basis: {.arg budget} must be {.code Inf}.",
      "Found a budget of {budget} and {sweeps} sweeps.",
      "{.code sweep_type = \"adf\"} visits the rows again as if they were new ones.",
      class = "unsupported")
  }
  sweep_type
}

# The rows in the order of visits before they are shuffled: one of weight w is visited w times
visits_of_rows <- function(problem) {
  noise <- problem$molded[["noise"]]
  weight <- if (is.null(noise)) problem$cases$weight else noise$weights
  rows <- seq_len(nrow(problem$y))
  if (!length(weight)) return(rows)
  if (any(weight != trunc(weight)) || sum(weight) > .Machine$integer.max) {
    row <- which(weight != trunc(weight))[1L]
    abort_gpsieve("{.fn online_gp} visits a row as often as its weight says: {.arg weights} must be
        whole numbers.",
      "Found {format(weight[row])} in row {row}.", "The other models take any weights.",
      class = "unsupported")
  }
  rep(rows, weight)
}

# Quasi-Newton steps in a round of learning; another round follows where a hyper-parameter moved as
# far as one round allows.
online_learning_effort <- list(rounds = 3, steps = 20)
# Sweeps of EP stop when no site moved by more than this, in units of its marginal.
sweep_tolerance <- 1e-8

# `learned` are the kernel and the likelihood under which the states are returned, or NULL
run_online <- function(stream, settings, shuffle, progress = NULL, learned = NULL) {
  problem <- stream$problem
  gaussian <- adds_gaussian_noise(problem$likelihood)
  options <- c(settings[c("budget", "novelty", "deletion", "sweep_type")], list(
    sweeps = as.integer(settings$sweeps), shuffle = shuffle, tolerance = sweep_tolerance,
    # The correlation of the latent function with itself one row later.
    persistence = if (is.null(settings$control$forget)) 1 else 2^(-1 / settings$control$forget),
    next_kernel = if (!is.null(learned)) kernel_spec(learned$kernel),
    noise_ratio =
      if (is.null(learned) || !gaussian) 1
      else learned$likelihood$values$variance / problem$likelihood$values$variance
  ))
  # Rows with noise of their own have it beyond the least.
  if (!is.null(stream$noise)) {
    least <- min(stream$noise)
    problem$likelihood$values$variance <- least
    stream$noise <- stream$noise - least
  }
  call_core(core_fit_online, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    list(
      x = stream$x, y = stream$y, cases = list(weight = numeric(), offset = stream$offset),
      prior_mean = rep_len(stream$prior_mean,
        ncol(stream$y) %/% likelihood_columns(problem$likelihood))
    ),
    as.double(stream$noise), stream$states, options, problem$seed,
    core_settings(problem$threads, progress))
}
