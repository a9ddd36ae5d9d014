#' Dense Gaussian processes, exact with Gaussian noise and by mean-field methods otherwise
#'
#' Gaussian process models of classes, counts and numbers without a sparse approximation. With
#' Gaussian noise the result is the exact Gaussian process regression. With other likelihoods the
#' posterior of the latent function is approximated by one of four methods, of which `"tap"` is the
#' most accurate and `"naive"` needs the fewest operations.
#'
#' The model is \eqn{f = b + a}, \eqn{a \sim N(0, K)}, \eqn{y_i \sim p(y_i | f_i)}. Every method
#' gives row i a *cavity* variance \eqn{s_i}, the variance of \eqn{f_i} when the response of row i
#' is left out, and solves the same equations for one weight per row,
#' \deqn{u_i = \partial \log Z_i / \partial m_i, \quad m = (K - \mathrm{diag}(s)) u, \quad
#'   Z_i = \int p(y_i | f) N(f | b + m_i, s_i) df,}{
#'   u_i = d log Z_i / d m_i, m = (K - diag(s)) u,
#'   Z_i = integral p(y_i | f) N(f | b + m_i, s_i) df,}
#' by Newton's method. Here \eqn{b} is the prior mean, \eqn{m_i} the mean of \eqn{f_i - b} when the
#' response of row i is left out, and \eqn{K} the kernel matrix. The posterior mean is
#' \eqn{b + k(x)' u}. The methods differ in \eqn{s}:
#' * `"tap"` (Thouless, Anderson and Palmer): \eqn{s_i} is such that the variance of \eqn{f_i} by
#'   linear response (the derivative of the posterior means) equals that of the tilted distribution,
#'   which is the cavity times the exact likelihood. The solution and the evidence are those of
#'   expectation propagation (kind `"ep"`).
#' * `"ensemble"`: the best variational distribution that is a product over the rows, of the latent
#'   function plus the noise; \eqn{s_i + v = 1 / [(K + v I)^{-1}]_{ii}} with the noise variance
#'   \eqn{v} of the probit. The evidence is a `"lower bound"` on the exact one.
#' * `"naive"`: \eqn{s_i = K_{ii}}. Its evidence (`"saddle point"`) is far too small if rows are
#'   strongly correlated.
#' * `"laplace"`: \eqn{s_i = 0}, a Gaussian at the mode of the posterior (kind `"laplace"`).
#'
#' With Gaussian noise all four give the exact posterior, and the kind is `"exact"`. Of the other
#' likelihoods `"ensemble"` takes [lik_probit()] only. Likelihoods that are not log-concave, such as
#' [lik_student()] and [lik_label_noise()], are refused, because their sites may have negative
#' precision; [ivm()] takes them. Several classes have one model each, against the rest, with one
#' kernel matrix for all models. The evidence is the sum of the evidences of the models, and class
#' probabilities are the odds of the models, to a common power as in [ivm()], divided by their sum.
#'
#' Two n x n matrices are in memory during the computation and a triangle of one in the fit (with
#' three or more classes without an order, one for each class). The time is n^3 / 3 multiply-adds
#' for each of about five rounds of `"tap"`, and n^3 / 6 for each of about six Newton steps of the
#' other methods.
#'
#' @section Many rows:
#' From 8000 different rows of dense inputs on (unless Gaussian noise is next to nothing), or where
#' n x n matrices do not fit into memory, Gaussian noise and, with `method = "tap"`, every other
#' likelihood of one latent function but the step, `lik_probit(noise = 0)`, are solved for in
#' another way (`solver` of [control_meanfield()]). The weights of all rows come from conjugate
#' gradients, whose products with the kernel matrix compute its values in small blocks and keep as
#' many of them as memory allows; with Gaussian noise the mean is that of the exact posterior, up to
#' some times `tol` of the response's standard deviation. Variances are those of a model that is
#' exact within leaves of about 1000 near rows and knows all other rows through 1000 rows drawn at
#' random (the partially independent conditional approximation), so they change a little at the
#' border of a leaf; covariances between points are that model's too. Leaving a row out takes the
#' exact weights and that model's variances. Other likelihoods are solved for in rounds: the weights
#' \eqn{u} come from all rows, the cavity variances \eqn{s} from that model, and both give new
#' sites, until the equations above hold.
#'
#' The evidence is an estimate from random vectors, the same for the same `seed`: its kind is
#' `"exact, estimated"` or `"ep, estimated"`, `summary()` has its standard error
#' (`evidence_error`), the number of `rounds` and of `steps`, and the relative `residual` of the
#' weights, and it has no gradient. The fit keeps about 1500 numbers for each row, and the
#' computation needs about 30 kB for each.
#'
#' With `cluster` (and `solver` left at `"auto"`) any number of rows is solved for in this way: at
#' most 16 workers share the products with the kernel matrix, which are nearly all of the work, and
#' each holds the inputs of all rows.
#'
#' @section Learning hyper-parameters:
#' With `optimise = TRUE` a quasi-Newton method (PORT, [stats::nlminb()]) maximises the evidence of
#' the method on at most `learn_rows` rows, see [control_meanfield()]; a vector `lengthscale` is
#' learned by input (ARD). With a probit only the *ratio* of the kernel's variance and the noise can
#' be learned, because the class is the sign of the latent function plus noise: the noise is kept as
#' given and the kernel's variance is learned.
#'
#' @section Leaving one out: [loo()] returns \eqn{\log Z_i}, the log predictive density of each
#'   response given the other rows, which the fit contains. This density is exact for Gaussian
#'   noise, but for the variances of conjugate gradients (many rows, above), accurate for `"tap"`,
#'   far too small for `"naive"`, somewhat too large for `"ensemble"`, and too large for
#'   `"laplace"`, because the posterior mode, which depends on the response of the row itself, takes
#'   the place of the cavity.
#'
#' @param x,y,formula,data,kernel,likelihood,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,cluster,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param method The approximation: `"tap"`, `"ensemble"`, `"naive"` or `"laplace"`.
#' @param variance What the variance of the latent function at a new point means. `"response"`: the
#'   linear response of the fields, a Gaussian process posterior for all four methods. `"cavity"`:
#'   the variance that the mean-field method assigns to a latent value without a likelihood, which
#'   is the prior variance for `"naive"` and \eqn{k(x,x) - k(x)'(K + v I)^{-1} k(x)} for
#'   `"ensemble"`; for the other two, and with Gaussian noise, it is the same as `"response"`. Of
#'   two classes the predicted one does not depend on `variance`; of more it may where two are
#'   nearly equally probable.
#' @param control Settings of the computation: [control_meanfield()].
#' @return A fit: a plain list of class `gpsieve_meanfield_gp`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors]. Its `summary()`
#'   has an element `corrected_evidence`: the log evidence with the linear-response correction
#'   \eqn{-(F_0 + \frac12 \log|B|)}{-(F0 + log|B| / 2)}, for `"ensemble"` and `"naive"` much nearer
#'   the truth than their evidence, but no bound.
#' @references Snelson, E. and Ghahramani, Z. (2007). Local and global sparse Gaussian process
#'   approximations. *Artificial Intelligence and Statistics* 11, 524-531.
#'
#'   Csato, L., Fokoue, E., Opper, M., Schottky, B. and Winther, O. (2000). Efficient
#'   approaches to Gaussian process classification. *Advances in Neural Information Processing
#'   Systems* 12, 251-257. Equations (6) and (7) are the ensemble and its evidence, (9) the naive
#'   method.
#'
#'   Opper, M. and Winther, O. (2000). Gaussian processes for classification: mean-field algorithms.
#'   *Neural Computation* 12, 2655-2684.
#' @examples
#' two <- subset(iris, Species != "setosa")
#' two$Species <- factor(two$Species)
#' fit <- meanfield_gp(Species ~ ., two, optimise = FALSE)
#' fit
#' mean(exp(loo(fit)))
#'
#' # The exact Gaussian process
#' fit <- meanfield_gp(dist ~ speed, cars)
#' predict(fit, data.frame(speed = c(5, 15, 25)), type = "quantile")
#' @export
meanfield_gp <- function(x, y, kernel = kernel_rbf(), likelihood = NULL,
                         method = c("tap", "ensemble", "naive", "laplace"), ...,
                         variance = c("response", "cavity"), optimise = TRUE, standardise = TRUE,
                         prior_mean = NULL, cluster = NULL, control = control_meanfield(),
                         seed = NULL, threads = NULL, verbose = interactive(), weights = NULL,
                         offset = NULL, noise_sd = NULL, subset = NULL, na.action = NULL,
                         formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(meanfield_gp_of_rows, match.call())
}

# The fit of rows that have been read, see R/model.R
meanfield_gp_of_rows <- function(molded, given) {
  settings <- meanfield_settings(given)
  method <- settings$method
  control <- settings$control
  problem <- prepare_problem(molded, given, merge_equal = TRUE,
    takes_step = method %in% c("tap", "naive") && is.null(control$blocks))
  check_one_class_a_point(problem)
  check_meanfield_likelihood(problem$likelihood, method)
  check_shared_function(problem, "meanfield_gp")
  check_meanfield_solver(problem, method, control)
  check_meanfield_cluster(given$cluster, problem, method, control)
  check_solver_memory(problem, method, control)
  options <- meanfield_options(method, settings$variance, control$max_iter, meanfield_tol(control))
  if (settings$optimise) problem <- learn_meanfield(problem, options, control)
  result <- run_solver(problem, options, control, given$cluster, given$threads)
  way <- if (has_gaussian_sites(problem$likelihood)) "exact" else method
  if (!is.null(result$solver)) way <- paste(way, result$solver)
  assemble_fit("meanfield_gp", problem, result, settings,
    new_labels("Gaussian process", "rows", meanfield_words[[way]]),
    account_of_evidence(problem, meanfield_evidence_kinds[[way]]), keep_loo = TRUE,
    state = c(list(corrected_evidence = sum(result$corrected)), solver_state(problem, result)))
}

# The arguments of meanfield_gp() that a fit keeps, checked
meanfield_settings <- function(given) {
  chosen <- function(arg) check_choice(given[[arg]], offered(arg, meanfield_gp), arg)
  list(
    method = chosen("method"), variance = chosen("variance"),
    optimise = check_flag(given$optimise, "optimise"), prior_mean = given$prior_mean,
    control = check_control(given$control, "meanfield")
  )
}

# The kind of the evidence of the methods, of Gaussian noise, and of conjugate gradients.
meanfield_evidence_kinds <- c(
  tap = "ep", ensemble = "lower bound", naive = "saddle point", laplace = "laplace",
  exact = "exact", "exact iterative" = "exact, estimated", "tap iterative" = "ep, estimated"
)
meanfield_words <- c(
  tap = "approximate (expectation propagation)", ensemble = "ensemble mean field",
  naive = "naive mean field",
  laplace = "Laplace's method", exact = "exact",
  "exact iterative" = "exact mean by conjugate gradients",
  "tap iterative" = "approximate (expectation propagation) by conjugate gradients"
)
# Where the control names no `tol`.
default_tol <- 1e-7

meanfield_tol <- function(control) if (is.null(control$tol)) default_tol else control$tol

# Refuses, before any work, likelihoods for which the method has no equations
check_meanfield_likelihood <- function(likelihood, method) {
  maker <- likelihood_maker(likelihood)
  if (!takes_mean_field(likelihood)) {
    # Sites may have negative precisions, for which TAP has no unique solution.
    abort_gpsieve("{.fn meanfield_gp} needs a likelihood that is log-concave.",
      why_not_log_concave(likelihood), "{.fn ivm} takes it.", class = "unsupported")
  }
  if (method == "ensemble" && !(observes_sign(likelihood) || has_gaussian_sites(likelihood))) {
    abort_gpsieve("{.code method = \"ensemble\"} needs {.fn lik_probit}.", "Found {.fn {maker}}.",
      "The other methods take any likelihood that is log-concave.", class = "unsupported")
  }
}

run_meanfield <- function(problem, options, progress = NULL) {
  call_core(core_fit_meanfield, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    core_rows(problem, latent_prior_means(problem)), options, machine_settings(problem, progress))
}

#' @export
summary.gpsieve_meanfield_gp <- function(object, ...) {
  out <- NextMethod()
  out$corrected_evidence <- from_fit(object$state$corrected_evidence - response_log_scale(object))
  of_solver <- c("rounds", "steps", "residual", "evidence_error")
  out[of_solver] <- object$state[of_solver]
  out
}

# No function has two classes at the same inputs; rows of the same class there have been merged
check_one_class_a_point <- function(problem) {
  if (!is_noiseless(problem$likelihood) || has_white_noise(problem$kernel)) return(invisible())
  n <- nrow(problem$x)
  offset <- problem$cases$offset
  first <- first_equal_row(list(x = problem$x, y = integer(n), offset = if (length(offset)) offset))
  other <- which(first != seq_len(n))
  if (!length(other)) return(invisible())
  abort_gpsieve("Without noise rows with the same inputs must have the same class.",
    "Found {length(other)} row{?s} whose inputs another row has, with another class.",
    "{.fn lik_probit} with noise, or a {.fn kernel_white} in the kernel, allows both.",
    class = "data")
}
