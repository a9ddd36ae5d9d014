#' Relevance vector machine
#'
#' A linear model in many basis functions, most of which are pruned during training. Regression has
#' Gaussian noise, classification a probit likelihood and mean-field inference. *Subspace EM* starts
#' from an empty model and adds functions one by one, so that training with thousands of candidates
#' costs little.
#'
#' The latent function is \eqn{f(x) = b + \sum_j w_j \phi_j(x)} with \eqn{\phi_j(x) = k(x, c_j) /
#' h_j} for the centres \eqn{c_j}, and an intercept \eqn{\phi_0 = 1}; \eqn{b} is `prior_mean`, and
#' \eqn{h_j} is the scale of the function, so that the fit does not depend on the scale of the
#' kernel (see [control_rvm()]). Every weight has a prior precision of its own, \eqn{w_j \sim N(0,
#' 1/\alpha_j)}. Maximising the evidence over the precisions sends most of them to infinity, which
#' removes their functions from the model. The kernel need not be positive definite. If every kernel
#' function is pruned, the predictions are the same for all rows, and a warning of class
#' `gpsieve_warning_empty` says so, or one of class `gpsieve_warning_no_signal` where learning had
#' found nothing.
#'
#' The design matrix of all candidates is stored if it has at most 2^26 entries (512 MB); of a
#' larger one the columns of the m functions in the model are, 8 n m bytes, and training takes about
#' six times as much memory as those of the most functions that it has had.
#'
#' @section Noise:
#' The variance of Gaussian noise is learned together with the precisions, whatever `optimise` is,
#' if the likelihood leaves it open (`lik_gaussian()`) or `control_rvm(noise_start = )` gives a
#' starting value, and if there are two rows that differ. A given variance, `lik_gaussian(0.1)`,
#' is the starting value with `optimise = TRUE`, and with `optimise = FALSE` it is kept unless there
#' is a `noise_start`; `lik_gaussian(fixed(0.1))` is kept. In classification the input noise of
#' [lik_probit()] is never changed, since the scale of the weights is free.
#'
#' @section Error bars:
#' The variance of the latent function, \eqn{\phi(x)' \Sigma \phi(x)}, *shrinks* away from the
#' relevance vectors: where all basis functions vanish, it is the variance of the intercept alone.
#' `variance = "augmented"` corrects this after Rasmussen and Quinonero-Candela (2005), but with
#' another precision, and without a change of the mean. For every point of prediction
#' \eqn{x_*} the model gets one more basis function \eqn{\phi_*(x) = k(x, x_*)}, whose prior
#' precision makes its prior variance at its own centre equal to the noise variance,
#' \eqn{\alpha_* = k(x_*, x_*)^2 / \sigma^2}. With
#' \eqn{\Omega} the precisions of the rows (\eqn{1/\sigma^2}; the sites' in classification, where
#' \eqn{\sigma^2} is the input noise), the variance grows by
#' \deqn{\frac{e_*^2}{\alpha_* + s_*}, \quad
#'   e_* = k(x_*, x_*) - \phi(x_*)' \Sigma \Phi' \Omega \phi_*, \quad
#'   s_* = \phi_*' \Omega \phi_* - \phi_*' \Omega \Phi \Sigma \Phi' \Omega \phi_*,}
#' which is close to 0 among the data and \eqn{\sigma^2} far from them. Such a fit keeps the
#' training inputs, n (p + 1) numbers, and a prediction takes n m operations.
#'
#' The line "held out" of a printed fit judges each row by the posterior without it. The functions,
#' their precisions and the noise were chosen with that row ("at best"), so that the figures of a
#' few hundred rows or fewer are too good; [cv()] fits anew without each part of the rows.
#'
#' @section Evidence:
#' [evidence()] is of kind `"marginal likelihood"` in regression (exact, given the precisions and
#' the noise), `"ep"` (TAP), `"laplace"` or `"saddle point"` (naive). Its gradient is partial, at
#' fixed precisions of the weights of \eqn{k(x, c_j)}; at the optimum over the precisions it is the
#' whole gradient. The degrees of freedom of `logLik()` count the free hyper-parameters of kernel
#' and likelihood, and not the precisions: AIC and BIC computed from it compare kernels, and not
#' numbers of functions.
#'
#' @section Learning the kernel:
#' With `optimise = TRUE` a common factor of all lengthscales, between 0.04 and 5.7, and the
#' capacity of the machine are those with the greatest log predictive density of held-out rows
#' plus the log density of the prior. The rows are a random subset, 1000 of numbers and 500 of
#' classes, with as many candidates, of the machines of the three classes with most rows; each fifth
#' of them is left out for classes, each third for numbers. With a precision for every
#' candidate the evidence rewards lengthscales that are too short for new data, and for classes
#' weights that are so large that the machine is too sure. The capacity is
#' * for classes a smallest precision of the weights, `control_rvm(alpha_min = )`: the maximum of
#'   the evidence is sought among the precisions that are not smaller;
#' * for numbers and `algorithm = "ssem"` the noise variance that the sweep holds,
#'   `control_rvm(noise_start = , noise_grow = FALSE)`: a sweep that learns the variance begins with
#'   that of a model without functions, and rejects functions of long lengthscales, which raise the
#'   evidence only together.
#'
#' In regression, where a kernel has several lengthscales or other hyper-parameters, an outer search
#' comes first that maximises the evidence of the trained machine: a scan over a common factor of
#' all lengthscales, then quasi-Newton steps with the gradient of the evidence. The variance of a
#' kernel that is no sum only scales the weights: its value does not change the predictions.
#'
#' @param x,y,formula,data,kernel,likelihood,size,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,cluster,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param basis The centres: `NULL` for all training rows, a matrix with a centre in each row, in
#'   the units of `x`, or a number of centres to be found by k-means.
#' @param intercept Is there a constant function among the candidates? The constant has a
#'   precision like the other functions, and may be pruned.
#' @param algorithm `"ssem"`, subspace EM: each candidate is visited once, in n m + m^3 operations.
#'   After a candidate that enters (see [control_rvm()]), one EM step follows on the functions in
#'   the model, and EM on them until convergence ends the training. Functions that raise the
#'   evidence only together do not enter. `"em"`: EM on all candidates at once, in n m^2 + m^3
#'   operations an iteration; with more columns than rows it may find functions
#'   where `"ssem"` finds none, with standard deviations that are too small. `"fast"`, the updates
#'   of Tipping and Faul: each adds, removes or re-estimates the one function of K candidates for
#'   which this raises the evidence most, in K m^2 operations.
#' @param inference In classification the approximation of the posterior of the weights: `"tap"`,
#'   the adaptive TAP mean field, whose fixed point is that of expectation propagation; `"laplace"`,
#'   whose precisions are a fixed point of EM and not exactly a stationary point of its evidence; or
#'   `"naive"` mean field, for comparison, which has its own M-step and does not go with
#'   `algorithm = "fast"`. Several classes have one machine each, against all other rows.
#' @param variance `"posterior"` for the posterior variance of the latent function, or
#'   `"augmented"`; see the section on error bars.
#' @param control Settings of the training: [control_rvm()].
#' @return A fit: a plain list of class `gpsieve_rvm`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors]. [active_set()]
#'   gives the rows of the relevance vectors (rows of `basis`, if that was a matrix) in order of
#'   inclusion, the intercept not counted; centres found by k-means are no rows, and [inducing()]
#'   has them.
#' @references Quinonero-Candela, J. and Winther, O. (2003). Incremental Gaussian processes.
#'   *Advances in Neural Information Processing Systems* 15, 1025-1032. Equations (6) and (7) are
#'   the posterior of the weights, (11) the evidence, (12) the update of the precisions, and (14) to
#'   (19) classification.
#'
#'   Tipping, M. E. (2001). Sparse Bayesian learning and the relevance vector machine. *Journal of
#'   Machine Learning Research* 1, 211-244.
#'
#'   Tipping, M. E. and Faul, A. C. (2003). Fast marginal likelihood maximisation for sparse
#'   Bayesian models. *Artificial Intelligence and Statistics*.
#'
#'   Rasmussen, C. E. and Quinonero-Candela, J. (2005). Healing the relevance vector machine through
#'   augmentation. *International Conference on Machine Learning*, 689-696.
#' @examples
#' fit <- rvm(dist ~ speed, cars, seed = 1)
#' fit
#' active_set(fit)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#'
#' fit <- rvm(Species ~ ., iris, inference = "laplace", optimise = FALSE, seed = 1)
#' mean(predict(fit, iris) == iris$Species)
#' @export
rvm <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, basis = NULL, ..., intercept = TRUE,
                algorithm = c("ssem", "em", "fast"), inference = c("tap", "laplace", "naive"),
                variance = c("posterior", "augmented"), optimise = TRUE, standardise = TRUE,
                prior_mean = NULL, cluster = NULL, control = control_rvm(), seed = NULL,
                threads = NULL, verbose = interactive(), size = NULL, weights = NULL, offset = NULL,
                noise_sd = NULL, subset = NULL, na.action = NULL, formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(rvm_of_rows, match.call(), size = "basis", noise = "even", gap_noise = FALSE)
}

# The fit of rows that have been read, see R/model.R
rvm_of_rows <- function(molded, given) {
  settings <- rvm_settings(given, molded)
  problem <- prepare_problem(molded, given, merge_equal = TRUE, round_response = TRUE,
    takes_gap_noise = FALSE)
  check_rvm_likelihood(problem$likelihood)
  check_rvm_training(problem, settings$algorithm, settings$inference)
  check_machine_cluster(given$cluster, problem)
  problem$centres <- basis_centres(settings$basis, problem)
  check_rvm_memory(problem, settings$algorithm)
  asked_likelihood <- if (is.null(molded[["noise"]])) given$likelihood else problem$likelihood
  options <- rvm_options(problem, settings, nrow(problem$x) > 1L &&
    learns_noise(asked_likelihood, settings$optimise, settings$control))
  check_starts(options$alpha_start, problem, settings$intercept)
  known <- !settings$optimise ||
    identical(attr(settings$control, "learned_from"), what_rvm_learns_from(problem, settings))
  learned <-
    if (known) nothing_learned(problem, options)
    else learn_rvm(problem, options, settings$control)
  problem <- learned$problem
  trained <- train_rvm(learned, settings$control, function(options) {
    bar <- progress_bar(problem$verbose, "Relevance vector machine")
    run_machines(run_rvm, problem, options, bar, given$cluster, given$threads)
  })
  result <- trained$result
  if (length(result$likelihood_params)) {
    problem$likelihood <- likelihood_set_theta(problem$likelihood, result$likelihood_params)
  }
  settings$control <- trained_settings(settings$control, trained$options, settings$optimise)
  if (settings$optimise) {
    attr(settings$control, "learned_from") <- what_rvm_learns_from(problem, settings)
  }
  if (learned$signal) warn_empty_model(problem, result, settings$algorithm)
  inference <- if (is_classification(problem$response)) settings$inference else "regression"
  assemble_fit("rvm", problem, result, settings,
    new_labels("Relevance vector machine", "relevance vectors", rvm_words[[settings$algorithm]]),
    account_of_evidence(problem, rvm_evidence_kinds[[inference]]),
    rows = if (is.matrix(settings$basis)) seq_len(nrow(settings$basis)))
}

# The arguments of rvm() that a fit keeps, checked
rvm_settings <- function(given, molded) {
  chosen <- function(arg) check_choice(given[[arg]], offered(arg, rvm), arg)
  list(
    basis = check_basis(given$basis, molded$x),
    intercept = check_flag(given$intercept, "intercept"),
    algorithm = chosen("algorithm"), inference = chosen("inference"),
    variance = chosen("variance"), optimise = check_flag(given$optimise, "optimise"),
    prior_mean = given$prior_mean, control = check_control(given$control, "rvm")
  )
}

# The settings of a fit: update() trains with the learned capacity, and starts from the same noise
# variance, although it passes the learned one as that of the likelihood
trained_settings <- function(control, options, optimise) {
  if (options$learn_noise) control$noise_start <- options$noise_start
  if (!optimise) return(control)
  if (is.null(control$alpha_min)) control$alpha_min <- options$alpha_min
  if (is.null(control$noise_grow)) control$noise_grow <- options$noise_grow
  control
}

# The rows, the kernel and the settings as text. A search from the kernel that an earlier one has
# found, with the capacity that it has found, would go on: it tries widths about the best one again.
# A refit to the same rows keeps what was learned from them.
what_rvm_learns_from <- function(problem, settings) {
  theta <- kernel_theta(problem$kernel)
  rlang::hash(list(without_names(problem$x), unname(problem$y), problem$cases,
    unname(problem$centres), names(theta), signif(unname(theta), 6L),
    settings[c("algorithm", "inference", "intercept", "prior_mean")],
    structure(settings$control, learned_from = NULL)))
}

rvm_words <- c(ssem = "subspace EM", em = "batch EM", fast = "fast updates")

rvm_evidence_kinds <- c(regression = "marginal likelihood", tap = "ep", laplace = "laplace",
  naive = "saddle point")

rvm_options <- function(problem, settings, learn_noise) {
  algorithm <- settings$algorithm
  control <- settings$control
  regression <- !is_classification(problem$response)
  start <- control$alpha_start
  if (is.null(start)) start <- if (algorithm == "em" && regression) total_weight(problem)^-2 else 1
  noise <- if (learn_noise) control$noise_start
  if (is.null(noise)) noise <- if (regression) problem$likelihood$values$variance else 1
  list(
    algorithm = algorithm, update = control$update, entry = control$entry,
    inference = settings$inference, intercept = settings$intercept, prune = control$prune,
    alpha_min = if (is.null(control$alpha_min)) 0 else control$alpha_min, alpha_start = start,
    noise_start = noise, learn_noise = learn_noise && regression,
    noise_grow = is.null(control$noise_grow) || control$noise_grow,
    augmented = settings$variance == "augmented", max_iter = control$max_iter, tol = control$tol,
    random_order = control$order == "random",
    sweeps = if (is.null(control$sweeps)) 0 else control$sweeps
  )
}

# Is the noise variance learned? `likelihood` is the argument of rvm()
learns_noise <- function(likelihood, optimise, control) {
  if ("variance" %in% likelihood$fixed) return(FALSE)
  optimise || is.null(likelihood$values$variance) || !is.null(control$noise_start)
}

# Warn if a machine has no kernel function left, unless the response is constant
warn_empty_model <- function(problem, result, algorithm) {
  empty <- vapply(result$latents, function(l) length(l$posterior$basis) == 0L, NA)
  constant <- all(problem$y == problem$y[1L])
  if (!any(empty) || constant) return(invisible())
  machines <- latent_names(problem$response)[empty]
  found <- if (all(empty)) {
    "Every one was pruned, so that the predictions are the same for all rows."
  } else {
    "All functions of the machine{?s} for class{?es} {.val {machines}} were pruned."
  }
  together <- if (algorithm != "em" && ncol(problem$x) > nrow(problem$x)) {
    "There are more columns than rows: {.code algorithm = \"em\"} may find functions that raise
     the evidence only together."
  }
  unrelated <- "The functions may be unrelated to the response: check the kernel and its
    lengthscale, or raise {.code control_rvm(prune = )}."
  warn_gpsieve(c("No basis function is left in the model.", x = found),
    paste(c(unrelated, together), collapse = " "),
    class = "empty")
}

run_rvm <- function(problem, options, progress = NULL) {
  call_core(core_fit_rvm, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    core_rows(problem, latent_prior_means(problem)), problem$centres, options, problem$seed,
    machine_settings(problem, progress))
}
