#' Gaussian process on inducing inputs by expectation propagation
#'
#' Fits a sparse Gaussian process to classes, counts or numbers, of few rows or of millions that are
#' read from files or a database. The function is described by its values at m *inducing inputs*
#' (the FITC approximation), whose positions and whose kernel are learned while the rows are
#' visited.
#'
#' The likelihood of each row is replaced by a Gaussian function of the latent function there, its
#' *site* (see [model_arguments] for these words). `method` says which sites there are: one for
#' every row (`"ep"`, expectation propagation); one function, the *shared factor*, that stands for
#' the average site of all rows (`"sep"`, stochastic EP, whose memory does not grow with the
#' rows); or sites that are added in every pass and never taken out (`"adf"`, assumed density
#' filtering, a cheap baseline).
#'
#' With \eqn{K_{uu} = L L'}, \eqn{f_u = L w}, \eqn{v_i = L^{-1} k_u(x_i)} and
#' \eqn{s_i = k_{ii} - |v_i|^2}, the posterior is
#' \eqn{q(w) \propto N(w | 0, I)\,\prod_i \exp(-\tfrac12\tau_i (v_i'w)^2 + \nu_i v_i'w)}.
#' A site matches the first two moments of \eqn{\int p(y_i | f) N(f | m_i, s_i + c_i)\,df}
#' under the *cavity* \eqn{N(m_i, c_i)} of \eqn{v_i'w}, that is q without the row's own site
#' (`"ep"`), q without the n-th part of the shared factor (`"sep"`), or q (`"adf"`). The copies of a
#' row with a case weight have one site in common, and a cavity leaves out one copy.
#'
#' A pass costs about \eqn{3 n m^2 + n m p} multiply-adds, two to three times as much with learning;
#' each update, of whatever number of rows, adds \eqn{O(m^3)}. Beyond the data, memory is
#' \eqn{O(m^2)} for `"sep"` and `"adf"`; `"ep"` keeps two numbers per row, and m more per row where
#' it learns from minibatches.
#'
#' @section Learning:
#' Hyper-parameters start where the evidence of the dense model is greatest on a few rows
#' (`control_ep(warm_rows = )`). Which steps follow depends on the data, unless the call says it.
#' * Numbers, at most 5000 rows: EP over all rows in two stages. In the first quarter of the passes
#'   the inducing inputs move, unless they are given as a matrix or the inputs are sparse, and the
#'   hyper-parameters keep the values of the dense model; then the inducing inputs stay, and the
#'   kernel is learned. The noise keeps the value of the dense model,
#'   because the variance that the inducing inputs leave undetermined would take its place.
#' * Classes, counts and other responses, at most 2000 rows: EP over all rows, with the inducing
#'   inputs where they start. Moving them costs more on new rows than it gains.
#' * More rows: stochastic EP in minibatches, in which everything is learned together. If the
#'   evidence is not finite after a step, the parameters from before it are restored and later steps
#'   are half as long.
#'
#' @section Evidence: For `"ep"` and `"sep"` `evidence()` is the \eqn{\log Z} of the method.
#' Evidences of the two methods do not compare: at the same hyper-parameters that of `"sep"` is
#' mostly larger. `"adf"` counts every row once in each pass, and the value that it reports is the
#' function whose gradient it follows, not an evidence. With `gradient = TRUE` the answer also has
#' `inducing`, the gradient by the inducing inputs if these are dense. Fits in which rows times
#' inducing inputs are more than five million have no gradient.
#'
#' @section Several classes:
#' `multiclass = "joint"` models the class as that of the largest of K latent functions with one
#' kernel and one set of inducing inputs, plus noise. While the model is trained, each pair of
#' functions has noise of its own, an approximation that makes a row between several classes less
#' probable than it is. `"ovr"` fits one model per class against the rest, as [ivm()] does; it is
#' cheaper and takes any likelihood for two classes.
#'
#' @section Rows that do not fit into memory:
#' `data` may be a source of rows, see [rows_from_function()]. They are read once in every epoch of
#' minibatches, in windows of `control_ep(window = )` rows, and once more for the evidence; without
#' minibatches an iteration reads them once or twice. First inducing inputs and first
#' hyper-parameters, and the medians to which a hyper-prior refers, come from a random sample of
#' 10,000 rows. The fit has the same bits as one to the same rows in memory with the same `window`,
#' which starts from the same sample. An interrupted fit leaves its last state in [last_fit()].
#'
#' @section Many computers:
#' With `cluster` the rows are divided into `control_ep(shards = )` parts, of which each worker
#' reads and keeps its own and answers every pass with sums over its rows; there are no minibatches.
#' The fit has the same bits with any number of workers, and those of `control_ep(shards = )`
#' without a cluster. Rows with weights, known noise or, but for numbers
#' of which the noise is added, offsets cannot be divided. gpsieve must be installed on
#' the workers, and a source of rows must be one that they can read, such as files that all see or a
#' database to which [rows_from_db()] is given a function that connects. When a worker dies the fit
#' goes on from its last state with the others, or in the calling process after a warning; the
#' result is the same. Workers that do not answer within five seconds after a fit was stopped are
#' given up: a later call with this cluster is an error of class `gpsieve_error_workers`.
#'
#' @param x,y,formula,data,kernel,likelihood,size,...,optimise,standardise,prior_mean
#'   As in all models: see [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,resume,seed,threads,verbose
#'   As in all models: see [model_arguments].
#' @param inducing A number of inducing inputs (at most one per row), or a matrix of them in the
#'   scale of `x`, one column per column of the model matrix.
#' @param inducing_init Where a number of them start: `"kmeans"`, cluster centres of a subset
#'   (rows of it where inputs are sparse, or levels of a kernel);
#'   `"ivm"`, the rows that a fast [ivm()] selects on a subset, which may be the unusual ones;
#'   `"random"`, rows at random.
#' @param method `"sep"`, `"ep"` or `"adf"`, see the details. `NULL`: `"ep"` for few rows (at
#'   most 5000 of numbers where learning has two stages, otherwise 2000) and for the optimiser
#'   `"nlminb"`, without `batch_size`; `"sep"` otherwise. The noise that `"sep"` learns is
#'   somewhat too small: on few rows its intervals cover less than they say.
#' @param learn_inducing Move the inducing inputs together with the hyper-parameters while learning
#'   (`optimise = TRUE`)? `NULL`: where there are more than 2000 rows of dense inputs, or they move
#'   first in a stage of their own.
#' @param batch_size Rows in a minibatch; the number of rows means all rows in every pass. `NULL`:
#'   all rows, but 200 where hyper-parameters are learned from more than 2000 rows (5000 where
#'   learning has two stages), neither by `"nlminb"` nor in shards.
#' @param epochs Passes over the data. `NULL`: in minibatches as many as make 2000 of them, at least
#'   2 and at most 250; over all rows `control_ep(max_iter = )`.
#' @param shuffle Draw the minibatches anew in every epoch? `FALSE` takes blocks in row order.
#' @param power Power EP: the fraction of each factor that a site stands for, in (0, 1]; 1 is EP,
#'   and towards 0 it approaches a variational posterior.
#' @param jitter Added to the diagonal of \eqn{K_{uu}}, relative to the mean prior variance there;
#'   multiplied by ten up to 0.01 where the factor breaks down.
#' @param multiclass More than two classes: `"joint"` (probit with `power = 1` only; otherwise the
#'   default is `"ovr"`) or `"ovr"`.
#' @param cluster A cluster of package parallel whose workers hold the rows, see the section on many
#'   computers.
#' @param control Settings of the computation: [control_ep()].
#' @return A fit: a plain list of class `gpsieve_ep_gp`, safe to save with [saveRDS()]. See
#'   [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors].
#' @references
#' Hernandez-Lobato, D., Hernandez-Lobato, J. M., Li, Y., Bui, T. and Turner, R. E. (2015).
#' Stochastic expectation propagation for large scale Gaussian process classification.
#' *arXiv* 1511.03249. Equation (1) is the posterior, (2) the gradient of the evidence.
#'
#' Hernandez-Lobato, D. and Hernandez-Lobato, J. M. (2016). Scalable Gaussian process classification
#' via expectation propagation. *Artificial Intelligence and Statistics* 51, 168-176.
#'
#' Villacampa-Calvo, C. and Hernandez-Lobato, D. (2017). Scalable multi-class Gaussian process
#' classification using expectation propagation. *International Conference on Machine Learning* 70,
#' 3550-3559.
#' @examples
#' fit <- ep_gp(Species ~ ., iris, inducing = 15, seed = 1, control = control_ep(max_iter = 30))
#' fit
#' mean(predict(fit, iris) == iris$Species)
#'
#' # EP at fixed hyper-parameters, and its leave-one-out densities
#' virginica <- transform(iris, Species = Species == "virginica")
#' fit <- ep_gp(Species ~ ., virginica, inducing = 20, method = "ep", optimise = FALSE, seed = 1)
#' mean(loo(fit))
#' @export
ep_gp <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, inducing = 100, ...,
                  inducing_init = c("kmeans", "ivm", "random"), method = NULL,
                  learn_inducing = NULL, batch_size = NULL, epochs = NULL, shuffle = TRUE,
                  power = 1, jitter = 1e-6, multiclass = c("joint", "ovr"), optimise = TRUE,
                  standardise = TRUE, prior_mean = NULL, resume = NULL, cluster = NULL,
                  control = control_ep(), seed = NULL, threads = NULL, verbose = interactive(),
                  size = NULL, weights = NULL, offset = NULL, noise_sd = NULL, subset = NULL,
                  na.action = NULL, formula = NULL, data = NULL) {
  check_dots(...)
  fit_model(ep_gp_of_rows, match.call(), size = "inducing")
}

# The fit of rows that have been read, see R/model.R
ep_gp_of_rows <- function(molded, given) {
  settings <- ep_settings(given, molded)
  control <- settings$control
  cluster <- given$cluster
  problem <- prepare_problem(molded, given, scale_inputs = FALSE, takes_rows = TRUE,
    start_rows = start_of_windows(molded, control))
  settings <- with_ep_defaults(settings, problem, has_shards(settings, cluster))
  if (has_shards(settings, cluster)) settings$control$shards <- count_shards(settings$control)
  problem$worker_threads <- if (is.null(given$threads)) 1L else problem$threads
  check_checkpoint(control$checkpoint)
  check_ep_rows(problem, settings)
  check_ep_control_used(problem, settings, cluster)
  check_kept_in_memory(molded$x, given$resume, control, cluster)
  if (has_shards(settings, cluster)) check_ep_shards(problem, settings, cluster)
  check_ep_memory(problem, settings)
  joint <- models_jointly(problem, settings,
    !identical(given$multiclass, offered("multiclass", ep_gp)))
  if (joint) problem$response$scheme <- "joint"
  # What a default became is what update() repeats.
  if (!joint && problem$response$kind == "multiclass") settings$multiclass <- "ovr"
  asked <- if (!is.null(given$resume) || !is.null(control$checkpoint)) {
    asked_for(problem, settings, fingerprint_of_rows(problem))
  }
  from <- resumed_fit(given$resume, "ep_gp", asked, given$seed)
  fit_ep_gp(problem, settings, joint, from, asked, cluster)
}

# The arguments of ep_gp() that a fit keeps, checked
ep_settings <- function(given, molded) {
  chosen <- function(arg) check_choice(given[[arg]], offered(arg, ep_gp), arg)
  control <- check_control(given$control, "ep")
  method <- given$method
  list(
    inducing = check_inducing(given$inducing, molded$x),
    inducing_init = chosen("inducing_init"),
    method = if (!is.null(method)) check_choice(method, c("sep", "ep", "adf")),
    learn_inducing = check_learn_inducing(given$learn_inducing, molded$x),
    batch_size = if (!is.null(given$batch_size))
      check_count(given$batch_size, "batch_size", max = count_rows(molded)),
    epochs = if (!is.null(given$epochs)) check_count(given$epochs, "epochs", max = 1e6),
    shuffle = check_flag(given$shuffle, "shuffle"),
    power = check_number(given$power, "power", above = 0, max = 1),
    jitter = check_number(given$jitter, "jitter", min = 0, max = 1),
    multiclass = chosen("multiclass"), optimise = check_flag(given$optimise, "optimise"),
    prior_mean = given$prior_mean, control = control
  )
}

check_learn_inducing <- function(learn_inducing, x) {
  if (is.null(learn_inducing)) return(NULL)
  if (check_flag(learn_inducing, "learn_inducing")) {
    refuse_sparse(x, "{.code learn_inducing = TRUE}",
      "Inducing inputs that move would be dense; those of a sparse matrix are rows of it.")
  }
  learn_inducing
}

# A count, or a matrix with as many columns as the model matrix
check_inducing <- function(inducing, x) {
  if (is_of_matrix_package(inducing)) inducing <- dense_matrix(inducing, "inducing")
  if (!is.matrix(inducing) && !is.data.frame(inducing)) {
    return(check_count(inducing,
      hint = "Or a matrix of inducing inputs, one in each row, in the scale of {.arg x}."))
  }
  inducing <- as.matrix(inducing)
  if (!is.numeric(inducing) || !nrow(inducing) || !all(is.finite(inducing))) {
    abort_gpsieve("{.arg inducing} must be a count or a matrix of finite numbers.",
      hint = "Each of its rows is one inducing input.")
  }
  if (ncol(inducing) != ncol(x)) {
    abort_gpsieve("{.arg inducing} must have one column for each column of the model matrix.",
      "Found {ncol(inducing)} column{?s}; the inputs have {ncol(x)}.",
      "Factors count one column per indicator: {.val {colnames(x)}}.")
  }
  storage.mode(inducing) <- "double"
  points_like(x, inducing)
}

# Whether the classes are modelled jointly, which needs the probit likelihood and no power
models_jointly <- function(problem, settings, asked) {
  if (problem$response$kind != "multiclass" || settings$multiclass == "ovr") return(FALSE)
  reason <-
    if (!observes_sign(problem$likelihood)) "{.fn lik_probit}"
    else if (settings$power != 1) "{.code power = 1}"
  if (is.null(reason)) return(TRUE)
  if (!asked) return(FALSE)
  abort_gpsieve(paste0("{.code multiclass = \"joint\"} needs ", reason, "."),
    hint = "{.code multiclass = \"ovr\"} fits one machine per class.", class = "unsupported")
}
