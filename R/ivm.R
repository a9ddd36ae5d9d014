#' Informative vector machine
#'
#' A sparse Gaussian process for classification and regression. Rows are included in an *active
#' set* one by one, each time the row whose response is the most informative about the latent
#' function; a Gaussian *site* replaces its likelihood (assumed density filtering). The active
#' points then serve as inducing inputs for a few passes of expectation propagation over *all* rows
#' (`refine`), without which the probabilities of a small active set are too close to one half.
#'
#' The model is \eqn{f \sim GP(b, k)}, \eqn{y_i \sim p(y | f(x_i))}. With the Cholesky factor
#' \eqn{L L' = I + S K_{II} S}, \eqn{S = \mathrm{diag}(\sqrt{p_i})} of the active set \eqn{I} and
#' its site precisions \eqn{p_i}, including a row updates the mean and variance of every candidate
#' in O(d). The next row is the one with the largest score: the reduction of the entropy of its
#' marginal (\eqn{-\tfrac12\log(1 - a_j\nu_j)}, with the variance \eqn{a_j} and the curvature
#' \eqn{\nu_j} of its log normaliser), or the Kullback-Leibler divergence from its old to its new
#' marginal (`"infogain"`); or it is drawn at random.
#'
#' @section Cost:
#' Time at most n d^2 multiply-adds for the selection, with d = `n_active`, and about 1.5 n d^2 for
#' each refining pass; memory 8 n d bytes. A fit itself takes O(d^2 + d p) and does not grow with n.
#'
#' @section Case weights: A row of weight w takes one place of the active set, with one site for its
#'   w copies: the w-th power of the site of a copy that is left out of its own cavity. Its score is
#'   that of the w copies together. [sites()] gives the precision of all copies together.
#'
#' @section Several classes:
#' One machine per class is fitted against the rest; the machines share kernel columns and scaled
#' inputs. The predicted class is that of the machine with the largest probability of its class. The
#' class probabilities are the odds of the machines, normalised to sum to one.
#'
#' @section Learning hyper-parameters:
#' With `optimise = TRUE` selection alternates with a few quasi-Newton steps on an evidence, on a
#' random subset of rows (see [control_ivm()]): with `refine > 0` EP's evidence of all these rows
#' with the active points as inducing inputs, with `refine = 0` the evidence of the active set,
#' \eqn{\log N(m_I | 0, K_{II} + \mathrm{diag}(1/p_I))}, its sites held fixed. The best round is
#' kept. A vector `lengthscale` is learned by input (ARD); wrap values in [fixed()] to keep them.
#'
#' @section Errors:
#' Wrong input is refused before any work with a condition of class `gpsieve_error`:
#' `gpsieve_error_argument` (an argument's type, size or value), `gpsieve_error_data` (missing or
#' infinite values, one class, wrong lengths, unusable columns), `gpsieve_error_unsupported`.
#'
#' @param x A matrix or data frame of predictors, a sparse matrix ([sparse-inputs]), or a recipe.
#'   Factor columns become indicators.
#' @param formula,data A formula with one response, and its data frame.
#' @param y The response: numbers (regression), or a factor, character or logical vector
#'   (classification; the second level is the positive class). 0/1 numbers are numbers.
#' @param kernel A kernel such as [kernel_rbf()], or a sum or product of kernels.
#' @param likelihood A likelihood such as [lik_probit()]; `NULL` chooses [lik_gaussian()] for
#'   numbers and [lik_probit()] for classes.
#' @param n_active Size of the active set (per class); by default `min(n, 500)`.
#' @param size Another name for the argument that sets the size of the model, the same in every
#'   model: a number, or `"auto"`: the size is doubled, from 25, until the log predictive density
#'   of a fifth of the rows, held out, stops improving; [fit_trace()] shows that curve. The argument
#'   itself takes `"auto"` too. By either name, a number above that of the rows means all rows, with
#'   a message; only a budget stays as it is, since rows may still come.
#' @param ... Not used: anything here is an error.
#' @param criterion What makes a row informative: `"entropy"`, `"infogain"` or `"random"`.
#' @param refine Passes of expectation propagation over all rows after the selection; 0 is the plain
#'   machine of the paper.
#' @param optimise Learn the hyper-parameters? `FALSE` keeps the kernel and likelihood as given.
#' @param standardise Centre and scale inputs, and a numeric response, by their training mean and
#'   standard deviation? Hyper-parameters then refer to the standardised scale; predictions come
#'   back on the original one. `"common"` divides all inputs by one scale, the root of their mean
#'   variance, which suits columns of one kind, such as the pixels of pictures.
#' @param prior_mean Constant prior mean of the latent function, for regression on the response's
#'   scale. `NULL`: the normal quantile of the share of positives for classes; with
#'   `standardise = TRUE` the mean of a numeric response, or the logarithm of the mean count for
#'   [lik_poisson()]; otherwise 0.
#' @param weights Case weights, one for each row: a row of weight w counts as w equal rows, so that
#'   a weight of 0 leaves a row out. Frequency and importance weights are the same here, as are
#'   hardhat's classes of them and a recipe's role `"case_weights"`. With a formula or a recipe the
#'   argument is evaluated among the columns of `data`; a dot in the formula stands for the column
#'   of weights too. Functions of the formula such as `scale()` see every row once. [ivm()],
#'   [meanfield_gp()], [greedy_gp()] and [rvm()] see equal rows - the same inputs, response and
#'   offset - as one row with the sum of their weights, so that w copies give the fit that a weight
#'   of w gives, bit for bit, and the size of a model counts different rows; with [kernel_white()]
#'   equal rows stay apart. For [ep_gp()] copies and weights agree where the inducing inputs are
#'   given and no minibatches are drawn, for [online_gp()] where hyper-parameters are not learned:
#'   both draw rows at random otherwise.
#' @param offset A number for each row that is added to the latent function, on the scale of a
#'   numeric response; with a formula the same as an `offset()` term, and evaluated among the
#'   columns of `data`. New rows need the columns of an `offset()` term, or numbers in
#'   [`predict(offset = )`][predict.gpsieve_fit] where numbers were given here. It counts in
#'   addition to `prior_mean`, so that `prior_mean = 0` makes it a prior mean that differs between
#'   rows. Pictures show the function without it.
#' @param subset Which rows of `data` take part: TRUE or FALSE for each row, or row numbers,
#'   evaluated among the columns of `data`. [active_set()] and [sites()] give row numbers of `data`.
#' @param na.action What is done where a value that the model needs is missing: `na.fail`, an error
#'   (the default), or `na.omit` or `na.exclude`, the row takes no part; after `na.exclude` [loo()]
#'   has `NA` there. [fitted()] and [residuals()] have `NA` for such rows of their `data` in any
#'   case.
#' @param cluster A cluster of package parallel, such as [parallel::makeCluster()] and
#'   `mirai::make_cluster()` return: with three or more classes its workers fit the machines, each
#'   with one thread or `threads`. The bits do not depend on the number of workers. A machine whose
#'   worker dies goes to another worker, and to the calling process when there is none left, after a
#'   warning.
#' @param control Settings of the search: [control_ivm()].
#' @param seed A whole number that fixes all randomness; `NULL` draws one from R's generator, so
#'   that `set.seed()` does.
#' @param threads Number of threads; `NULL` means option `gpsieve.threads`, else environment
#'   variable `GPSIEVE_THREADS`, else 1. Results do not depend on it.
#' @param verbose Show a progress bar for fits that take longer than two seconds?
#' @return A fit: a plain list of class `gpsieve_ivm`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors].
#' @references Lawrence, N., Seeger, M. and Herbrich, R. (2002). Fast sparse Gaussian process
#'   methods: the informative vector machine. *Advances in Neural Information Processing Systems*
#'   15, 625-632.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' fit
#' mean(predict(fit, iris) == iris$Species)
#'
#' # Regression, with error bars
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#' @export
ivm <- function(x, ...) UseMethod("ivm")

ivm_bridge <- new_bridge("ivm_bridge", function(
    molded, kernel = kernel_rbf(), likelihood = NULL, n_active = NULL, ...,
    criterion = c("entropy", "infogain", "random"), refine = 3, optimise = TRUE,
    standardise = TRUE, prior_mean = NULL, cluster = NULL, control = control_ivm(), seed = NULL,
    threads = NULL, verbose = interactive(), call) {
  check_dots(..., call = call)
  n <- nrow(molded$x)
  n_active <-
    if (is.null(n_active)) min(n, 500)
    else check_count(n_active, "n_active", call)
  criterion <- check_choice(criterion, c("entropy", "infogain", "random"), "criterion", call)
  refine <- check_count(refine, "refine", call, min = 0, max = 1e6)
  optimise <- check_flag(optimise, "optimise", call)
  control <- check_control(control, "ivm", call)
  problem <- prepare_problem(
    molded, kernel, likelihood, standardise, prior_mean, seed, threads, verbose, call,
    merge_equal = TRUE
  )
  check_shared_function(problem, "ivm")
  check_machine_cluster(cluster, problem)
  check_ivm_memory(problem, n_active, criterion, control)
  if (optimise) problem <- learn_ivm(problem, criterion, refine, control)
  result <- run_machines(run_ivm, problem,
    ivm_options(problem, n_active, criterion, refine, control),
    progress_bar(verbose, "Informative vector machine"), cluster, threads
  )
  settings <- list(
    n_active = n_active, criterion = criterion, refine = refine, optimise = optimise,
    prior_mean = prior_mean, control = control
  )
  assemble_fit("ivm", problem, result, "active set", settings, ivm_title(refine),
    evidence_rows = active_weight(problem, result$latents[[1L]])
  )
}, size = "n_active")

#' @rdname ivm
#' @export
ivm.formula <- formula_method(ivm_bridge)

#' @rdname ivm
#' @export
ivm.data.frame <- xy_method(ivm_bridge)

#' @rdname ivm
#' @export
ivm.matrix <- xy_method(ivm_bridge)

#' @rdname ivm
#' @export
ivm.Matrix <- xy_method(ivm_bridge)

#' @rdname ivm
#' @export
ivm.recipe <- recipe_method(ivm_bridge)

#' @export
ivm.default <- default_method("ivm")

ivm_title <- function(refine) {
  # sprintf() because the fit keeps the title, and paste() would follow options(scipen).
  paste0("Informative vector machine", if (refine > 0) {
    sprintf(", refined by %d %s of EP", as.integer(refine), if (refine == 1) "pass" else "passes")
  })
}

ivm_options <- function(problem, n_active, criterion, refine, control) {
  n <- nrow(problem$x)
  list(
    n_active = min(n_active, n), criterion = criterion, refine = as.integer(refine),
    n_random = min(control$n_random, n), n_full = min(control$n_full, n),
    pool = min(control$pool, n), retain = control$retain
  )
}

run_ivm <- function(problem, options, progress = NULL) {
  call_core(
    core_fit_ivm, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood), problem$x,
    problem$y, problem$cases, ivm_prior_means(problem), options, problem$seed,
    machine_settings(problem, progress), call = problem$call
  )
}

#' The prior mean of each latent function: for classes the normal quantile of the share of positive
#' rows, which the paper calls the bias, and zero for numbers
#' @noRd
ivm_prior_means <- function(problem) {
  if (!is_classification(problem$response)) return(latent_prior_means(problem, 0))
  w <- problem$cases$weight
  offset <- problem$cases$offset
  n <- total_weight(problem)
  positives <- if (length(w)) colSums(w * (problem$y > 0)) / n else colMeans(problem$y > 0)
  # A subset may contain no row of a class; counting half a row then keeps the quantile finite.
  share <- pmin(pmax(positives, 0.5 / n), 1 - 0.5 / n)
  # With an offset the mean of the latent function and its offset together.
  of_rows <-
    if (!length(offset)) 0 else if (length(w)) sum(w * offset) / n else mean(offset)
  latent_prior_means(problem, stats::qnorm(share) - of_rows)
}

#' How many rows the active rows of a machine count as
#' @noRd
active_weight <- function(problem, latent) {
  if (!length(problem$cases$weight)) return(length(latent$site_precision))
  sum(problem$cases$weight[latent$posterior$basis])
}
