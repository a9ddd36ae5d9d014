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
#' marginal (`"infogain"`); or it is drawn at random. With d = `n_active` the selection costs at
#' most n d^2 multiply-adds, a refining pass about 1.5 n d^2, and memory is 8 n d bytes; the fit
#' itself takes O(d^2 + d p), beside what `keep` of [control_ivm()] keeps of the rows.
#'
#' Several classes have one machine each, against the rest. The predicted class is that of the
#' machine with the largest probability of its class; the class probabilities are the odds of the
#' machines to a common power, normalised to sum to one. The power lies between 1/4 and 4, near 1
#' where rows are few, and gives the training classes the greatest probability by predictions of
#' each row without itself; it is 1 with `refine = 0`. A row of weight w counts as w copies, which
#' have one site: the w-th power of the site of one copy, whose cavity leaves out that copy alone.
#'
#' @section The size:
#' With `size = "auto"` hyper-parameters are learned once, and one selection then
#' grows to 25, 50, 100, ... active rows of the data but a fifth (at most 1000 rows). It stops when
#' two doublings in a row raise the mean log predictive density of that fifth by no more than the
#' standard error of the rise or by no more than 0.002. The fit to all rows then has as many active
#' rows as before these two doublings, and [fit_trace()] begins with the densities. With `leaf_rows`
#' the machines are fitted anew at every size, as in the other models.
#'
#' @section Many rows:
#' One machine with d active points learns the less about each part of the inputs the more rows
#' there are. With `leaf_rows` the rows are divided by cuts of the inputs, and each part, a leaf of
#' the tree of cuts, has a machine of its own with the same hyper-parameters. By default all rows of
#' a leaf take part in its machine, and the fit is that of [local_gp()], whose page says
#' how rows are cut, predictions of neighbouring leaves joined, and sources of rows read. An
#' `n_active` smaller than `leaf_rows`, `refine = 0`, or a likelihood that is not log-concave, gives
#' each leaf active points instead, at n d^2.
#'
#' @section Learning hyper-parameters:
#' With `optimise = TRUE` and `refine > 0` the hyper-parameters are those of greatest evidence of
#' the dense Gaussian process on a random subset of rows (see [control_ivm()]). With `refine = 0`,
#' the machine of the paper, selection on a subset alternates with a few quasi-Newton steps on the
#' evidence of an active set of 300 rows, its sites held fixed. Evidences of two active sets are not
#' comparable: a round is kept if it raises the log predictive density of rows that are held out of
#' the selection, in five parts. A warning of class `gpsieve_warning_not_learned` says where no
#' round did.
#'
#' @param x,y,formula,data,kernel,likelihood,size,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,resume,cluster,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param n_active Size of the active set (per class); by default `min(n, 500)`, and with
#'   `leaf_rows` all rows of a leaf, unless `refine` is 0 or the likelihood is not log-concave.
#'   `"auto"`: see the section on the size.
#' @param criterion What makes a row informative: `"entropy"`, `"infogain"` or `"random"`.
#' @param refine Passes of expectation propagation over all rows after the selection; 0 for none, as
#'   in the paper. They begin with the sites that the selection has found, or without sites where
#'   the likelihood is not log-concave; Gaussian noise needs, and takes, one pass only. If a pass
#'   turns back what the pass before has changed, all sites make half of their changes from the
#'   third pass on (without first sites the fourth). Where sites have not settled after these
#'   passes, up to 200 more follow; a fit whose sites still change then says so.
#' @param leaf_rows `NULL`: one machine for all rows. A number: the rows are divided among machines,
#'   by cuts of the inputs, until no part has more rows, see [local_gp()].
#' @param trees With `leaf_rows`: how many divisions are made and averaged, or `"terms"`: a division
#'   for each term of the kernel, see [local_gp()].
#' @param control Settings of the search: [control_ivm()].
#' @return A fit: a plain list of class `gpsieve_ivm`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors].
#' @references Lawrence, N., Seeger, M. and Herbrich, R. (2002). Fast sparse Gaussian process
#'   methods: the informative vector machine. *Advances in Neural Information Processing Systems*
#'   15, 625-632. Equation (2) is the site of a row, (4) the score and (5) the prediction.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' fit
#' mean(predict(fit, iris) == iris$Species)
#'
#' # Regression, with error bars
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#'
#' # Machines of 50 active rows on parts of the rows
#' x <- runif(2000)
#' waves <- data.frame(x, y = sin(40 * x) + rnorm(2000, sd = 0.3))
#' ivm(y ~ x, waves, kernel_rbf(1, 0.1), leaf_rows = 250, n_active = 50, optimise = FALSE)
#' @export
ivm <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, n_active = NULL, ...,
                criterion = c("entropy", "infogain", "random"), refine = 3, leaf_rows = NULL,
                trees = 1, optimise = TRUE, standardise = TRUE, prior_mean = NULL, resume = NULL,
                cluster = NULL, control = control_ivm(), seed = NULL, threads = NULL,
                verbose = interactive(), size = NULL, weights = NULL, offset = NULL,
                noise_sd = NULL, subset = NULL, na.action = NULL, formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(ivm_of_rows, match.call(), size = "n_active", grows = is.null(leaf_rows))
}

# The fit of rows that have been read, see R/model.R
ivm_of_rows <- function(molded, given) {
  settings <- ivm_settings(given)
  leaf_rows <- settings$leaf_rows
  control <- settings$control
  problem <- prepare_problem(molded, given, takes_rows = !is.null(leaf_rows),
    merge_equal = is.null(molded$rows))
  check_shared_function(problem, "ivm")
  if (is.null(settings$n_active)) {
    settings$n_active <- usual_active(problem, leaf_rows, settings$refine)
  }
  if (identical(settings$trees, "terms")) check_terms(problem, settings$refine)
  if (is.null(leaf_rows)) check_machine_cluster(given$cluster, problem)
  else check_cluster(given$cluster)
  check_has_leaves(leaf_rows, given$resume, control)
  grown <- identical(settings$n_active, "auto")
  check_memory_of <- function(sizes, n_active, together = FALSE) {
    if (!grown && has_exact_leaves(problem, settings)) check_exact_leaves_memory(problem, sizes)
    else check_ivm_memory(problem, n_active, settings$criterion, control, sizes, together)
  }
  if (!grown) {
    trees <- count_trees(settings$trees, problem)
    check_memory_of(even_leaves(problem$n, leaf_rows, trees, control$overlap), settings$n_active)
  }
  if (settings$optimise && is.null(leaf_rows)) {
    problem <- learn_ivm(problem, settings$criterion, settings$refine, control)
  }
  curve <- NULL
  if (grown) {
    found <- grow_active_set(problem, settings$criterion, settings$refine, control, check_memory_of)
    settings$n_active <- found$size
    curve <- found$curve
  }
  if (is.null(leaf_rows)) {
    options <- ivm_options(problem, settings$n_active, settings$criterion, settings$refine, control)
    bar <- progress_bar(problem$verbose, "Informative vector machine")
    found <- list(
      result = run_machines(run_ivm, problem, options, bar, given$cluster, given$threads)
    )
  } else {
    found <- fit_partition(problem, settings, given$resume, given$seed, given$cluster,
      given$threads, function(sizes) check_memory_of(sizes, settings$n_active))
    problem <- found$problem
  }
  labels <- leaf_labels(problem, settings)
  latents <- found$result$latents
  # The evidence of active rows is that of these rows alone.
  if (labels$kind == "active set") found$partition$counts <- NULL
  evidence <- account_of_evidence(problem, labels$kind,
    rows = active_weight(problem, latents, found$partition),
    log_shares = active_shares(problem, latents, found$partition))
  fit <- assemble_fit("ivm", problem, found$result, settings,
    new_labels(labels$title, labels$basis, labels$method), evidence, rows = found$rows,
    partition = found$partition)
  if (is.null(curve)) fit else with_size_curve(fit, curve)
}

# The arguments of ivm() that a fit keeps, checked
ivm_settings <- function(given) {
  sized <- !is.null(given$n_active) && !identical(given$n_active, "auto")
  leaf_rows <- if (!is.null(given$leaf_rows)) check_count(given$leaf_rows, "leaf_rows")
  list(
    n_active = if (sized) check_count(given$n_active, "n_active") else given$n_active,
    criterion = check_choice(given$criterion, offered("criterion", ivm), "criterion"),
    refine = check_count(given$refine, "refine", min = 0, max = 1e6),
    leaf_rows = leaf_rows, trees = check_trees(given$trees, leaf_rows),
    optimise = check_flag(given$optimise, "optimise"), prior_mean = given$prior_mean,
    control = check_control(given$control, "ivm")
  )
}

# The active points of a machine for all rows, or of the machine of a leaf, unless a number is
# given
usual_active <- function(problem, leaf_rows, refine) {
  every_row <- list(n_active = leaf_rows, leaf_rows = leaf_rows, refine = refine)
  if (has_exact_leaves(problem, every_row)) leaf_rows else min(problem$n, 500)
}

ivm_method <- function(refine) {
  if (refine == 0) return(NULL)
  # sprintf() because the fit keeps the text, and paste() would follow options(scipen).
  sprintf("refined by %d %s of EP", as.integer(refine), if (refine == 1) "pass" else "passes")
}

ivm_options <- function(problem, n_active, criterion, refine, control) {
  n <- if (is.null(problem$rows)) nrow(problem$x) else problem$n
  list(
    n_active = min(n_active, n), criterion = criterion, refine = as.integer(refine),
    n_random = min(control$n_random, n), n_full = min(control$n_full, n),
    pool = min(control$pool, n), retain = control$retain, cavities = FALSE,
    settle = if (isTRUE(problem$trial)) most_settling_of_trials else most_settling,
    settle_log_z = if (isTRUE(problem$trial)) ep_learning_options$log_z_tolerance else 0
  )
}

# The passes of EP after those of `refine` until sites settle, at most. A fit that only judges a
# candidate ends after fewer, and where passes hardly change log Z.
most_settling <- 200L
most_settling_of_trials <- 40L

run_ivm <- function(problem, options, progress = NULL) {
  call_core(core_fit_ivm, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    core_rows(problem, ivm_prior_means(problem)), options, problem$seed,
    machine_settings(problem, progress))
}

# The prior mean of each latent function: for classes the normal quantile of the share of positive
# rows, which the paper calls the bias, and zero for numbers
ivm_prior_means <- function(problem) {
  if (!is.null(problem$prior_means)) return(problem$prior_means)
  if (!problem$response$kind %in% c("binary", "multiclass")) return(latent_prior_means(problem))
  w <- problem$cases$weight
  offset <- problem$cases$offset
  n <- if (is.null(problem$rows)) total_weight(problem) else problem$n
  positives <- positive_weights(problem) / n
  # A subset may contain no row of a class; counting half a row then keeps the quantile finite.
  share <- pmin(pmax(unname(positives), 0.5 / n), 1 - 0.5 / n)
  # With an offset the mean of the latent function and its offset together.
  of_rows <-
    if (!length(offset)) 0 else if (length(w)) sum(w * offset) / n else mean(offset)
  latent_prior_means(problem, stats::qnorm(share) - of_rows)
}

# What the evidence of the active rows lacks because of known noise, on average over the trees
active_shares <- function(problem, latents, partition) {
  if (is.null(problem$molded[["noise"]])) return(0)
  shares <- vapply(latents, function(latent) log_shares_of(problem, latent$site_rows), 0)
  sum_of_machines(shares, partition)
}

# How many rows the active rows count as, of the first class where there are several: in all leaves
# of a tree, on average over the trees
active_weight <- function(problem, latents, partition) {
  latents <- counted_latents(latents, partition)
  machines <- latents[seq(1L, length(latents), by = n_latents(problem))]
  weight <- vapply(machines, function(latent) {
    if (!length(problem$cases$weight)) return(as.double(length(latent$site_precision)))
    sum(problem$cases$weight[latent$site_rows])
  }, 0)
  sum_of_machines(weight, partition)
}

# Checkpoints are made between leaves
check_has_leaves <- function(leaf_rows, resume, control) {
  if (!is.null(leaf_rows)) return(invisible())
  given <- c(if (!is.null(resume)) "resume", if (!is.null(control$checkpoint)) "checkpoint")
  if (!length(given)) return(invisible())
  abort_gpsieve(
    "{.arg {given[1L]}} goes with {.arg leaf_rows}: checkpoints are made between leaves.",
    hint = "One machine for all rows is fitted at once.")
}

check_trees <- function(trees, leaf_rows) {
  of_terms <- identical(trees, "terms")
  if (is.character(trees) && !of_terms) {
    abort_gpsieve("{.arg trees} must be a number of trees or {.val terms}.",
      "Found {describe(trees)}.")
  }
  if (!of_terms) trees <- check_count(trees, "trees", max = 1000)
  if ((of_terms || trees > 1) && is.null(leaf_rows)) {
    abort_gpsieve("{.arg trees} goes with {.arg leaf_rows}.",
      "Found {.code trees = {deparse(trees)}} and one machine for all rows.",
      "{.code leaf_rows = 4000} divides the rows among machines.")
  }
  trees
}
