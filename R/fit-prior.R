# Weak priors of hyper-parameters: Gaussian on the log scale, in the units of the data, so that one
# description serves every data set. Learning maximises the evidence plus the prior's log density.

#' Weak prior of a kernel's hyper-parameters
#'
#' What learning assumes about hyper-parameters before it has seen an evidence. It keeps the
#' lengthscales of many columns (`ard = TRUE`) near each other unless the rows are many enough to
#' say that they differ, and a variance finite where classes are separable. Learning maximises the
#' evidence plus the log density of this prior (a penalised evidence);
#' [evidence()] and [logLik()] report the evidence alone.
#'
#' For the p columns that a kernel sees, with variances \eqn{v_j} on the scale of computation (1
#' where the fit standardises),
#' \deqn{\log \mathrm{lengthscale}_j = \mu + d_j, \quad \mu \sim N(\log D, 1),
#'   \quad d_j \sim N(0, \mathrm{spread}^2), \quad D^2 = 2 \textstyle\sum_j v_j,}{
#'   log lengthscale_j = mu + d_j, mu ~ N(log D, 1), d_j ~ N(0, spread^2),
#'   D^2 = 2 sum_j v_j,}
#' where D is the root mean square distance of two rows. A single lengthscale has no
#' \eqn{d_j}. The lengthscales of [kernel_linear()] and [kernel_periodic()] have no unit: their
#' prior is about 1. That of [kernel_great_circle()] is in its own unit, and D about the root mean
#' square distance of two places. The logarithm of a kernel's variance has standard deviation 1.5
#' about the logarithm of the response's variance (2 about 0 for classes, 1.5 about 0 for counts and
#' other responses that no model standardises); for [kernel_linear()] it is that of its variance
#' times the sum of the \eqn{v_j}. The variances of the factors of a product, of [kernel_affine()]
#' and of [kernel_polynomial()], noise, and all other hyper-parameters have no prior, but for those
#' of [kernel_warped()], [kernel_mixed()] and [lik_warped()], whose help pages say what it is.
#'
#' With and without a prior, learning by quasi-Newton steps moves a hyper-parameter by a factor of
#' at most 1000 from where it starts (of a correlation its odds; skews and mixing weights by
#' log(1000)), and warns where it stops there (but for the noise of rows with
#' gaps that becomes next to nothing, and hyper-parameters that follow a stream). The steps of EP in
#' [ep_gp()] stay within a factor of exp(10), those of [learn_on_blocks()] within exp(12).
#'
#' @param spread Standard deviation of the log lengthscales of different columns about their common
#'   level: a positive number. Small values make all columns equally relevant.
#' @return An object of class `gpsieve_prior` for the argument `prior` of [control_ivm()] and the
#'   other `control_*()` functions, where `NULL` means no prior.
#' @seealso [kernel_rbf()] for `ard = TRUE`.
#' @examples
#' prior_weak(spread = 0.3)
#' meanfield_gp(Volume ~ ., trees, kernel_rbf(ard = TRUE),
#'   control = control_meanfield(prior = NULL)
#' )
#' @export
prior_weak <- function(spread = 0.6) {
  structure(list(spread = check_number(spread, above = 0)), class = "gpsieve_prior")
}

# Standard deviations of the common level of log lengthscales, and of log variances, which are
# greater for classes, where a large variance only says that they are well separated. Only the
# spread is a setting: it says how relevant all columns are, which users may know beforehand.
prior_level <- 1
prior_of_variance <- c(other = 1.5, classes = 2)

#' @export
format.gpsieve_prior <- function(x, ...) {
  paste0("prior_weak(spread = ", format_numbers(x$spread), ")")
}

#' @export
print.gpsieve_prior <- print_formatted

check_prior <- function(prior) {
  if (is.null(prior)) return(NULL)
  if (!inherits(prior, "gpsieve_prior") || !is.list(prior) ||
        !setequal(names(prior), names(formals(prior_weak)))) {
    found <- describe(prior)
    abort_gpsieve("{.arg prior} must come from {.fn prior_weak}, or be NULL for no prior.",
      "Found {found}.")
  }
  # Values that were changed by hand are checked as those given to prior_weak() are.
  do.call(prior_weak, unclass(prior), quote = TRUE)
}

# The prior of the full vector of log hyper-parameters: list(center, precision), or NULL.
# `variance = FALSE` leaves the variances of kernels out.
hyper_prior <- function(problem, prior, variance = TRUE) {
  if (is.null(prior)) return(NULL)
  problem <- at_start(problem)
  weight <- problem$cases$weight
  middle <- middle_of(problem$y[, 1L], problem$y[, ncol(problem$y)])
  rows <- scaled_rows(problem,
    representative_rows(nrow(problem$y), weight, median_rows, row_keys(problem, middle)))
  y <- representative_values(middle, weight)
  units <- list(
    columns = column_variances(rows), rows = nrow(problem$y),
    response = if (problem$response$kind == "real") positive_or_one(stats::var(y)) else 1
  )
  prior$variance <-
    if (!variance) Inf
    else prior_of_variance[[if (is_classification(problem$response)) "classes" else "other"]]
  parts <- leaf_priors(problem$kernel, seq_along(units$columns), prior, units)
  own <- likelihood_prior_precision(problem$likelihood)
  list(
    center = c(unlist(lapply(parts, `[[`, "center")), 0 * own),
    precision = block_diagonal(c(lapply(parts, `[[`, "precision"), list(diag(own, length(own)))))
  )
}

# The prior of the first `size` hyper-parameters: the kernel's come before the likelihood's
first_of_prior <- function(prior, size) {
  if (is.null(prior)) return(NULL)
  first <- seq_len(size)
  list(center = prior$center[first], precision = prior$precision[first, first, drop = FALSE])
}

# The priors of all hyper-parameters of a tree of kernels, in the order of kernel_theta()
leaf_priors <- function(kernel, columns, prior, units) {
  if (is_restricted(kernel)) columns <- columns[kernel$dims]
  # Only the product of the variances of its factors has an effect.
  if (is_product(kernel)) prior$variance <- Inf
  of_children <- do.call(c, lapply(kernel$children, leaf_priors, columns, prior, units))
  c(of_children, own_priors(kernel, columns, prior, units))
}

# The priors of the hyper-parameters that a kernel has beside those of its children
own_priors <- function(kernel, columns, prior, units) {
  kind <- kernel_kind(kernel)
  sd <- kind$prior_sd(kernel, units$rows)
  lapply(hyper_names(kernel), function(name) {
    size <- length(kernel$values[[name]])
    precision <- if (name %in% names(sd)) sd[[name]]^-2 else 0
    switch(name,
      lengthscale = lengthscale_prior(kernel, size, units$columns[columns], prior),
      variance = variance_prior(kind, units$columns[columns], prior, units$response),
      list(center = numeric(size), precision = diag(precision, size)))
  })
}

# Common level and differences, the level integrated out: the mean of the log lengthscales has
# variance level^2 + spread^2 / p, what they differ from it by has variance spread^2
lengthscale_prior <- function(kernel, size, variances, prior) {
  center <- log(kernel_kind(kernel)$lengthscale$mean_square(kernel, variances)) / 2
  precision <- if (size == 1L) {
    matrix(1 / prior_level^2)
  } else {
    average <- matrix(1 / size, size, size)
    (diag(size) - average) / prior$spread^2 +
      average / (size * prior_level^2 + prior$spread^2)
  }
  list(center = rep(center, size), precision = precision)
}

variance_prior <- function(kind, variances, prior, response) {
  if (!is.function(kind$unit_variance)) return(list(center = 0, precision = matrix(0)))
  list(center = log(response / kind$unit_variance(variances)),
    precision = matrix(prior$variance^-2))
}

block_diagonal <- function(blocks) {
  sizes <- vapply(blocks, nrow, 0L)
  out <- matrix(0, sum(sizes), sum(sizes))
  before <- cumsum(sizes) - sizes
  for (i in seq_along(blocks)) {
    at <- before[i] + seq_len(sizes[i])
    out[at, at] <- blocks[[i]]
  }
  out
}

# The objective plus the prior's log density, up to its constant
with_prior <- function(objective, prior) {
  if (is.null(prior)) return(objective)
  function(theta) {
    at <- objective(theta)
    away <- theta - prior$center
    pull <- drop(prior$precision %*% away)
    at$value <- at$value - sum(away * pull) / 2
    if (!is.null(at$gradient)) at$gradient <- at$gradient - pull
    at
  }
}
