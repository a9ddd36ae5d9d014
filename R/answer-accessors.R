# Functions by which users read a fit. What its fields hold is written in fit-object.R.

#' Points, sites, hyper-parameters and history of a fit
#'
#' @param fit,object,x A fit made by one of the package's models.
#' @param gradient Also the gradient with respect to the free log hyper-parameters?
#' @param newdata Rows with their response that the fit has not seen.
#' @param y The response of `newdata` where it is not among its columns.
#' @param ... Not used.
#' @return
#' * `active_set()`: training row numbers of the active points, of one [ivm()] and of [greedy_gp()]
#'   in the order of inclusion; for several classes without an order a list with one vector per
#'   class. An error for inducing inputs that are no training rows, as those of [ep_gp()].
#' * `inducing()`: the m x d matrix of active or inducing points, in the scale of the training
#'   inputs; columns are those of the model matrix (factors as indicators).
#' * `sites()`: a data frame with `row`, `precision` and `mean` of the Gaussian sites (and `weight`,
#'   as how many rows the row counts, where rows have weights or noise of their own or equal ones
#'   are computed together; `class` where there are several without an order, and `leaf` for an
#'   [ivm()] with `leaf_rows`, of which a row near a border or of several trees has more than one).
#'   Means leave out the prior mean. No rows where there are no sites of single rows, as for [rvm()]
#'   and [greedy_gp()].
#' * `evidence()`: a list with the approximate log evidence `value`, the `kind` of approximation and
#'   the named `gradient` (`NULL` unless asked for; an error where there is none; that of [ep_gp()]
#'   has that by the inducing inputs beside it). A standardised response counts on its original
#'   scale. For `ivm()` the kind is `"active set"`:
#'   \eqn{\log N(m_I \mid 0, K_{II} + \mathrm{diag}(1/p))} of the selection's sites \eqn{(p, m)},
#'   held fixed in the gradient. This evidence depends on the size of the active set and lacks the
#'   normalisers of non-Gaussian sites: it compares hyper-parameters on one active set, not models,
#'   so `AIC()` and `BIC()` refuse it; [compare()] sets fits side by side. Where parts of the rows
#'   have exact processes, as in [local_gp()], the kind is `"exact"` or `"ep"`; with
#'   `trees = "terms"` it says that the value is no evidence, as it does with ADF.
#'   For `meanfield_gp()` it is minus the free energy of the fixed point and counts all rows: kind
#'   `"ep"` (method TAP), `"lower bound"` (ensemble), `"saddle point"` (naive), `"laplace"`, or
#'   `"exact"` with Gaussian noise; its gradient is exact. By conjugate gradients, for many rows,
#'   `"exact, estimated"` and `"ep, estimated"` have no gradient. `ep_gp()`: its method, `"ep"` or
#'   `"sep"`, unless that is ADF.
#'   `greedy_gp()`: `"lower bound"`, or `"laplace"`, of the model on its basis.
#'   `rvm()`: the `"marginal likelihood"`, or what `inference` makes of it. `online_gp()`:
#'   `"online"`, the sum of the log predictive densities of every row given those before it;
#'   `"ep"` after sweeps of EP; both without a gradient.
#' * `logLik()`: the same value as class `logLik`; `df` is the number of
#'   hyper-parameters that were learned.
#' * `coef()`: all hyper-parameters by name, natural scale, kernel first. They refer to standardised
#'   inputs (and response) if the fit standardised them, except periods and lengthscales in the
#'   units of the data (`units = "data"` of the kernel, as in [kernel_periodic()] by default) and
#'   distances on the globe. Attribute
#'   `at_bound` names those that ended at a bound of learning, if any did: the data do not determine
#'   them. Noise that depends on the inputs adds the coefficients of the logarithm of its variance,
#'   `likelihood.noise.<column>`, for each unit of the columns of its formula.
#' * `fit_trace()`: a data frame with `iteration`, `objective`, `seconds` and `size`,
#'   after `size = "auto"` with these and `phase` (`"size"` for the search, then `"fit"`); else of
#'   [greedy_gp()] with one latent function also `lower`, a lower bound on the least objective, and
#'   `gap`, the objective less that bound; of [ep_gp()] with held-out rows also `validation`, their
#'   mean log loss; of one [ivm()] for all rows also `information`, the nats by which the row
#'   included last reduced the entropy of its marginal, summed over classes. With
#'   `newdata`, rows that the fit has not seen, it is that of an [ivm()] without `leaf_rows` and has
#'   a row for every inclusion: in place of `seconds` there are `log_loss`, the mean negative log
#'   predictive density of these rows, and `error`, the share of wrong classes or the root mean
#'   squared error, of the machine of the paper (`refine = 0`) with so many active rows.
#' * `kernel_of()`, `likelihood_of()`: the values in use, with learned hyper-parameters.
#' @examples
#' fit <- ivm(Species ~ ., iris, n_active = 30, seed = 1)
#' active_set(fit)$setosa
#' evidence(fit)
#' coef(fit)
#'
#' # How the error of other rows falls while rows are included
#' train <- seq(1, 150, by = 2)
#' fit <- ivm(Species ~ ., iris[train, ], n_active = 30, seed = 1)
#' tail(fit_trace(fit, iris[-train, ]), 3)
#' @name accessors
NULL

#' @rdname accessors
#' @export
active_set <- function(fit, ...) {
  check_fit(fit)
  from_fit({
    if (anyNA(fit$rows)) {
      abort_gpsieve("The inducing inputs of this fit are not rows of its training data.",
        hint = "{.fn inducing} returns them.", class = "unsupported")
    }
    sets <- lapply(latent_names(fit$response), function(name) {
      of_machines <- fit$posteriors[names(fit$posteriors) == name]
      fit$rows[unique(unlist(lapply(of_machines, `[[`, "basis")))]
    })
    if (length(sets) == 1L) sets[[1L]] else stats::setNames(sets, latent_names(fit$response))
  })
}

#' @rdname accessors
#' @export
inducing <- function(fit, ...) {
  check_fit(fit)
  from_fit({
    if (is_sparse(fit$basis)) return(sparse_in_data_units(fit$basis, fit$inputs))
    points <- undo_scales(fit$basis, fit$inputs)
    dimnames(points) <- list(NULL, names(fit$inputs$center))
    points
  })
}

#' @rdname accessors
#' @export
sites <- function(fit, ...) {
  check_fit(fit)
  from_fit({
    frames <- lapply(fit$sites, as.data.frame)
    if (is_partitioned(fit)) {
      machine <- rep(seq_along(fit$partition$rows), each = length(frames) / count_machines(fit))
      frames <- Map(function(frame, leaf) cbind(frame, leaf = rep(leaf, nrow(frame))), frames,
        machine)
    }
    if (fit$response$kind == "multiclass") bind_by_class(frames, fit$response$levels)
    else do.call(rbind, unname(frames))
  })
}

bind_by_class <- function(frames, levels) {
  labelled <- Map(function(frame, class) cbind(class = rep(class, nrow(frame)), frame),
    frames, names(frames))
  out <- do.call(rbind, unname(labelled))
  out$class <- factor(out$class, levels = levels)
  out
}

#' @rdname accessors
#' @export
fit_trace <- function(fit, newdata = NULL, y = NULL, ...) {
  check_dots(...)
  check_fit(fit)
  if (!is.null(newdata)) return(from_fit(trace_of_inclusions(fit, newdata, y)))
  if (!is.null(y)) {
    abort_gpsieve("{.arg y} is the response of {.arg newdata}, which is missing.")
  }
  fit$trace
}

#' @rdname accessors
#' @export
kernel_of <- function(fit, ...) {
  check_fit(fit)
  from_fit(reported_kernel(fit))
}

#' @rdname accessors
#' @export
likelihood_of <- function(fit, ...) {
  check_fit(fit)
  fit$likelihood
}

#' @rdname accessors
#' @importFrom stats logLik
#' @export
logLik.gpsieve_fit <- function(object, ...) {
  check_fit(object, "object")
  from_fit(structure(evidence(object)$value,
    df = sum(learned_of_fit(object)), nobs = counted_rows(object), class = "logLik"))
}

#' @importFrom stats AIC
#' @export
AIC.gpsieve_fit <- function(object, ..., k = 2) {
  check_information_criterion(list(object, ...), "AIC")
  NextMethod()
}

#' @importFrom stats BIC
#' @export
BIC.gpsieve_fit <- function(object, ...) {
  check_information_criterion(list(object, ...), "BIC")
  NextMethod()
}

# An information criterion needs an evidence of all rows that approximates the marginal likelihood,
# and several fits are compared by it where they have the same rows
check_information_criterion <- function(fits, name) {
  fits <- Filter(is_gpsieve_fit, fits)
  for (fit in fits) {
    kind <- fit$evidence$kind
    found <-
      if (kind == "active set") "This fit's is that of its active set."
      else if (startsWith(kind, "no evidence"))
        sub("no evidence", "This fit has none", paste0(kind, "."))
    if (is.null(found)) next
    abort_gpsieve("{.fn {name}} needs the evidence of all rows.", found,
      "{.fn compare} sets fits side by side by held-out or leave-one-out densities.",
      class = "unsupported")
  }
  check_same_training_rows(fits, name)
}

#' @rdname accessors
#' @importFrom stats coef
#' @export
coef.gpsieve_fit <- function(object, ...) {
  check_fit(object, "object")
  from_fit({
    found <- c(
      natural_values(kernel_in_units(object), object$likelihood, names(object$inputs$center)),
      noise_coefficients(object$likelihood)
    )
    attr(found, "at_bound") <- if (any(at_bound(object))) names(found)[at_bound(object)]
    found
  })
}

#' @rdname accessors
#' @importFrom stats nobs
#' @export
nobs.gpsieve_fit <- function(object, ...) counted_rows(check_fit(object, "object"))

# How many rows the rows of a fit count as
counted_rows <- function(fit) if (is.null(fit$cases$total)) fit$n else fit$cases$total

#' @rdname accessors
#' @importFrom stats formula
#' @export
formula.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  if (is.null(x$formula)) {
    abort_gpsieve("This fit was not made from a formula.", class = "unsupported")
  }
  out <- x$formula
  environment(out) <- with_names(x$blueprint$constants, parent.frame())
  out
}
