#' Sparse greedy Gaussian process with a certified gap
#'
#' Few kernel functions fitted to *all* rows. Functions are added one by one, each time the one of a
#' set of candidates that decreases the negative log posterior most. A lower bound on the negative
#' log posterior of the full Gaussian process says how far the fit is from the full process.
#'
#' For regression with noise variance \eqn{\sigma^2} the fit minimises
#' \deqn{Q(\alpha) = -y'K\alpha + \tfrac12 \alpha'(K'K + \sigma^2 K)\alpha}{
#'   Q(a) = -y'K a + a'(K'K + s2 K) a / 2}
#' over coefficients of the chosen functions; \eqn{Q + \tfrac12|y|^2}{Q + |y|^2 / 2} is
#' \eqn{\sigma^2}{s2} times the negative log posterior. For any coefficients of the dual form
#' \eqn{Q^*(\alpha) = -y'\alpha + \tfrac12\alpha'(K + \sigma^2 I)\alpha}{
#'   Q*(a) = -y'a + a'(K + s2 I) a / 2}, \eqn{-\tfrac12|y|^2 - \sigma^2 Q^*}{-|y|^2 / 2 - s2 Q*} is
#' a lower bound. Other likelihoods are fitted by Newton's method on the chosen functions,
#' \eqn{\beta \leftarrow \beta - (I + Z'C''Z)^{-1}(Z'c' + \beta)}{
#'   beta <- beta - (I + Z'C''Z)^-1 (Z'c' + beta)} (the slides of Smola
#' (2002) print it without the identity). Several classes have one machine each, against the rest.
#'
#' With m rows, n functions and \eqn{\kappa}{kappa} candidates the time is
#' \eqn{\kappa m n^2}{kappa m n^2} multiply-adds, and memory 8 m n bytes. `candidates = Inf` keeps
#' all m slopes up to date at 2 m^2 a step; a kernel matrix of more than 512 MB (8000 rows) is not
#' stored, and its values are computed again in each step. A dense certificate costs m^2 kernel
#' values.
#'
#' @section Certificates: With `certify = TRUE` the fit computes lower bounds and reports the best
#' of them, see [certificate()]. In regression that is the dual form at the dense point
#' \eqn{(y - f)/\sigma^2}{(y - f) / s2}, which costs one product with the kernel matrix (computed
#' in blocks, and stored only where `candidates = Inf` stores the matrix in any case), or the dual
#' form on few rows, chosen one by one, whichever is better.
#' For log-concave likelihoods it is the gradient bound
#' \eqn{\tfrac12|h|^2 + \tfrac12 c''(K - ZZ')c'}{|h|^2 / 2 + c''(K - Z Z')c' / 2}. With a
#' likelihood that is not known to be log-concave, such as [lik_student()], the fit is a stationary
#' point and has no certificate.
#'
#' The published stopping rule divides the gap by \eqn{|Q|}, which contains the offset
#' \eqn{-\tfrac12|y|^2}{-|y|^2 / 2}: if the mean of y is far from zero, every gap is small.
#' By default the fit stops on the gap relative to the negative log posterior, which has no offset.
#'
#' @section Learning hyper-parameters: With `optimise = TRUE` selecting a basis alternates with
#' quasi-Newton steps on the evidence of the model projected on it: the variational lower bound for
#' regression (noise included), Laplace's approximation otherwise, on a random subset of rows: 2000
#' rows and 200 functions for Gaussian noise, 1000 and 100 for other likelihoods, whose evidence
#' takes several of Newton's steps; with several classes of the machines of the two with most rows.
#' The basis of learning is the one that leaves the least kernel variance unexplained.
#'
#' @section What the evidence can be compared with: In regression [evidence()] is a lower bound on
#' the log evidence of the full Gaussian process. The bound lacks
#' \eqn{\mathrm{tr}(K - ZZ') / (2\sigma^2)}{tr(K - Z Z') / (2 s2)}, the kernel variance that the
#' functions leave unexplained over twice the noise variance, and is far too low where few functions
#' suffice for the response. If the hyper-parameters were learned from all rows (at most 2000), the
#' fit therefore reports the better of two bounds, on its own functions and on those that learning
#' used; with no more than 200 rows the latter is the exact log evidence. Otherwise compare this
#' evidence only between fits with the same functions, and not with the evidence of another model.
#'
#' @param x,y,formula,data,kernel,likelihood,size,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,cluster,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param n_basis Number of kernel functions (per class); `NULL`: as many as it takes to bring the
#'   relative gap below `tol`, at most 1000, and 1000 for a likelihood that has no certificate.
#' @param tol The fit stops when the relative gap is smaller; only with `n_basis = NULL`.
#' @param candidates How many random rows compete in each step. The best of 59 is among the best
#'   5 % of all with probability 0.95. `Inf`: all rows, ties to the lowest. A list of vectors of
#'   row numbers, counted among the rows that take part: the candidates of each step; the fit ends
#'   with the list.
#' @param rule How the next function is chosen: `"gain"`, the decrease of the objective;
#'   `"pivot"`, the residual kernel times the squared slope of the log likelihood, over all rows
#'   (the rule of Smola (2002) for Newton's method; often no better than chance); `"random"`.
#' @param certify Compute lower bounds on the optimum for [certificate()]? Without `n_basis` the
#'   search computes those by which it stops in any case.
#' @param variance Which error bars predictions come with. `"dtc"`: those of the projected model
#'   plus the prior's variance outside the span; `"sor"`: without that part, far too small away from
#'   the basis; `"upper"` ([lik_gaussian()]): given the observations of the dual form's rows alone,
#'   never smaller than the exact variance. [variance_bounds()] gives two-sided bounds for single
#'   points.
#' @param control Settings of the search and its bounds: [control_greedy()].
#' @return A fit: a plain list of class `gpsieve_greedy_gp`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [certificate()], [plot][plot.gpsieve_fit] and the [accessors].
#'   A fit that ran out of functions to add (fewer distinct rows than `n_basis`, say) is valid and
#'   says "exhausted".
#' @references Smola, A. J. (2002). Sparse greedy approximations. Slides, International Conference
#'   on Machine Learning.
#'
#'   Smola, A. J. and Bartlett, P. L. (2001). Sparse greedy Gaussian process regression. *Advances
#'   in Neural Information Processing Systems* 13, 619-625.
#' @examples
#' fit <- greedy_gp(dist ~ speed, cars, n_basis = 5, seed = 1)
#' fit
#' certificate(fit)
#' predict(fit, data.frame(speed = c(5, 15, 25)), se.fit = TRUE)
#'
#' # Classes, with the bound of the gradient lemma
#' fit <- greedy_gp(Species ~ ., iris, likelihood = lik_logit(), n_basis = 10, seed = 1)
#' certificate(fit)
#' @export
greedy_gp <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, n_basis = NULL, ...,
                      tol = 0.025, candidates = 59, rule = c("gain", "pivot", "random"),
                      certify = TRUE, variance = c("dtc", "sor", "upper"), optimise = TRUE,
                      standardise = TRUE, prior_mean = NULL, cluster = NULL,
                      control = control_greedy(), seed = NULL, threads = NULL,
                      verbose = interactive(), size = NULL, weights = NULL, offset = NULL,
                      noise_sd = NULL, subset = NULL, na.action = NULL, formula = NULL,
                      data = NULL) {
  check_dots(...)
  fit_model(greedy_gp_of_rows, match.call(), size = "n_basis")
}

# The fit of rows that have been read, see R/model.R
greedy_gp_of_rows <- function(molded, given) {
  settings <- greedy_settings(given, nrow(molded$x))
  n_basis <- settings$n_basis
  control <- settings$control
  check_curved(given$likelihood)
  problem <- prepare_problem(molded, given, merge_equal = TRUE)
  check_variance_is_offered(settings$variance, problem)
  check_shared_function(problem, "greedy_gp")
  check_machine_cluster(given$cluster, problem)
  largest <- if (is.null(n_basis)) min(most_functions, nrow(problem$x)) else n_basis
  check_greedy_memory(problem, largest)
  learning <- with_learning_size(control, problem)
  if (settings$optimise) problem <- learn_greedy(problem, learning)
  bar <- progress_bar(problem$verbose, "Sparse greedy Gaussian process")
  result <- with_bounds(run_machines(run_greedy, problem, settings, bar, given$cluster,
    given$threads))
  if (settings$optimise) result <- with_learned_bound(result, problem, learning)
  assemble_fit("greedy_gp", problem, result, settings,
    new_labels("Sparse greedy Gaussian process", "basis functions"),
    account_of_evidence(problem,
      if (adds_gaussian_noise(problem$likelihood)) "lower bound" else "laplace"),
    state = list(certificate = certificate_frame(problem, result$certificates)))
}

# The arguments of greedy_gp() that a fit keeps, checked
greedy_settings <- function(given, n) {
  chosen <- function(arg) check_choice(given[[arg]], offered(arg, greedy_gp), arg)
  list(
    n_basis = if (!is.null(given$n_basis)) check_count(given$n_basis, "n_basis"),
    tol = check_number(given$tol, "tol", above = 0, max = 1),
    candidates = check_candidates(given$candidates, n), rule = chosen("rule"),
    certify = check_flag(given$certify, "certify"), variance = chosen("variance"),
    optimise = check_flag(given$optimise, "optimise"), prior_mean = given$prior_mean,
    control = check_control(given$control, "greedy")
  )
}

run_greedy <- function(problem, settings, progress = NULL) {
  call_core(core_fit_greedy, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    core_rows(problem, latent_prior_means(problem)), greedy_options(settings, problem),
    problem$seed, machine_settings(problem, progress))
}

# The largest number of functions where `n_basis` is NULL: a fit that stops here has not converged
# and warns. The m x n matrix of the fit takes at most 8 m n bytes.
most_functions <- 1000
# Rows, drawn at random, among which the dual form chooses; it keeps a number for each of them and
# each of its functions.
most_dual_rows <- 20000
# Rows of a block of the gradient bound with `bound = "block"`.
bound_block <- 50
# With `candidates = Inf` the kernel matrix is stored if it takes at most so many bytes; otherwise
# its values are computed again in each step.
most_stored_bytes <- 512e6
# More rows have no bound that needs the square of their number in kernel values.
most_certified_rows <- 50000
# The evidence of a regression is the variational lower bound. Without the trace of what the
# functions leave unexplained it would be the marginal likelihood of the projected model, which is
# no bound and over-fits when hyper-parameters maximise it.
has_trace_term <- TRUE
# For likelihoods other than Gaussian the mode is found to convergence by Newton's method whenever
# the basis has grown by this share; every function in between gets one quasi-Newton step.
newton_growth <- 0.1

# The settings in the words of the core, where 0 candidates are all rows
greedy_options <- function(settings, problem) {
  n <- nrow(problem$x)
  control <- settings$control
  # A regression has two bounds, that of the sparse dual form and the dense one.
  dense <- !adds_gaussian_noise(problem$likelihood) || control$bound == "exact"
  lists <-
    if (is.list(settings$candidates)) candidate_rows(problem, settings$candidates) else list()
  c(
    list(
      n_basis = if (is.null(settings$n_basis)) 0 else min(settings$n_basis, n),
      candidates = if (length(lists)) 0 else finite_or_zero(settings$candidates),
      candidate_lists = lists, dual_candidates = finite_or_zero(control$dual_candidates),
      dual_rows = min(most_dual_rows, n), max_basis = min(most_functions, n),
      block_size = min(bound_block, n), stored_bytes = most_stored_bytes, grow = newton_growth,
      trace_term = has_trace_term, certify_rows = if (dense) most_certified_rows else 0
    ),
    settings[c("tol", "rule", "certify", "variance")],
    control[c("stop", "bound")]
  )
}

# Lists of the user's row numbers as rows of the problem, of which each stands for all equal ones
candidate_rows <- function(problem, lists) {
  group <- problem$molded$merged$group
  if (is.null(group)) lists else lapply(lists, function(rows) sort(unique(group[rows])))
}

finite_or_zero <- function(count) if (is.finite(count)) count else 0

# Newton steps divide by the second derivative of the log density
check_curved <- function(likelihood) {
  known <- inherits(likelihood, "gpsieve_likelihood") && has_known_type(likelihood)
  if (!known || family_of(likelihood)$curved) return(invisible())
  maker <- likelihood_maker(likelihood)
  abort_gpsieve("{.fn greedy_gp} needs a likelihood whose log density is curved.",
    "That of {.fn {maker}} consists of straight lines.",
    "{.fn meanfield_gp}, {.fn ivm} and {.fn ep_gp} take it.", class = "unsupported")
}

check_candidates <- function(candidates, n) {
  if (!is.list(candidates)) return(check_count(candidates, "candidates", allow_inf = TRUE))
  good <- length(candidates) > 0L && all(vapply(candidates, function(rows) {
    is.numeric(rows) && length(rows) > 0L && !anyNA(rows) && all(rows %in% seq_len(n))
  }, NA))
  if (!good) {
    abort_gpsieve(
      "As a list, {.arg candidates} must hold vectors of row numbers, one for each step.",
      "Found {describe(candidates)}.", "There are {n} rows.")
  }
  lapply(candidates, function(rows) sort(unique(as.integer(rows))))
}

check_variance_is_offered <- function(variance, problem) {
  if (variance == "upper" && !adds_gaussian_noise(problem$likelihood)) {
    abort_gpsieve("{.code variance = \"upper\"} needs {.fn lik_gaussian}.",
      "The likelihood is {.code {format(problem$likelihood)}}.",
      "The bound is one of Gaussian process regression; use {.val dtc}.", class = "unsupported")
  }
}
