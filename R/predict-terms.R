# The terms of a fit whose kernel is a sum: src/core/posterior/theory.md (13).

# The terms of the kernel's sum: list(kernel, label, columns), columns by their numbers.
# A term restricted to some columns is labelled by these, others by their kernel. Independent noise
# is no term: its mean at new rows is 0.
kernel_parts <- function(fit) {
  kernel <- fit$kernel
  inputs <- input_terms(fit, model_view(fit))
  owner <- names(fit$inputs$center)
  owner[unlist(inputs)] <- rep(names(inputs), lengths(inputs))
  parts <- lapply(kernel_sum_terms(kernel), function(part) {
    columns <- if (is_restricted(part)) part$dims else seq_along(owner)
    label <- if (is_restricted(part)) toString(unique(owner[columns])) else part_label(part)
    list(kernel = part, label = label, columns = columns)
  })
  parts <- Map(function(part, number) c(part, list(number = number)), parts, seq_along(parts))
  parts <- Filter(function(part) !is_noise(part$kernel), parts)
  labels <- make.unique(vapply(parts, function(part) part$label, ""), sep = " ")
  Map(function(part, label) {
    part$label <- label
    part
  }, parts, labels)
}

is_noise <- function(kernel) {
  all(vapply(kernel_leaves(kernel), function(leaf) kernel_kind(leaf$kernel)$noise, NA))
}

part_label <- function(kernel) {
  if (!length(kernel$children)) return(kernel$type)
  if (is_input_map(kernel)) return(part_label(kernel$children[[1L]]))
  inner <- vapply(kernel$children, part_label, "")
  paste(inner, collapse = if (is_sum(kernel)) " + " else " * ")
}

# The fit with one term in place of its kernel: no prior mean, and an intercept that is 0
fit_of_term <- function(fit, kernel) {
  fit$kernel <- kernel
  fit$posteriors <- lapply(fit$posteriors, function(posterior) {
    posterior$prior_mean <- 0
    if (!posterior$intercept) return(posterior)
    size <- length(posterior$weights)
    posterior$weights[1L] <- 0
    for (map in c("down", "up")) {
      if (!length(posterior[[map]])) next
      scale <- posterior[[map]]$scale
      posterior[[map]]$scale <- replace(if (length(scale)) scale else rep(1, size), 1L, 0)
    }
    posterior
  })
  fit
}

# What the terms are added to, for each latent function: the prior mean, and the intercept that
# rvm() has
constant_of_terms <- function(fit) {
  latents <- latent_names(fit$response)
  value <- vapply(fit$posteriors[seq_along(latents)], function(posterior) {
    posterior$prior_mean + if (posterior$intercept) posterior$weights[1L] else 0
  }, 0)
  stats::setNames(value * latent_scale(fit) + latent_center(fit), latents)
}

# Means and, where wanted, standard deviations of the terms at rows of the model matrix: a list
# with list(mean, sd) for each latent function, n x T matrices
terms_at <- function(fit, x, se, settings, parts = kernel_parts(fit)) {
  rows <- rows_for_fit(fit, x)
  found <- lapply(parts, function(part) {
    own <- fit_of_term(fit_with_term(fit, part$number), part$kernel)
    latent_marginals(own, rows, se, settings)
  })
  latents <- latent_names(fit$response)
  labels <- vapply(parts, function(part) part$label, "")
  table <- function(what, k) {
    columns <- unlist(lapply(found, function(latent) latent[[what]][, k]))
    matrix(as.double(columns), nrow(x), length(parts), dimnames = list(NULL, labels))
  }
  stats::setNames(lapply(seq_along(latents), function(k) {
    list(
      mean = latent_scale(fit) * table("mean", k),
      sd = if (se) latent_scale(fit) * sqrt(table("variance", k))
    )
  }), latents)
}

# What predict(type = "terms") answers; `given` are the arguments that it does not take
predict_terms <- function(fit, newdata, wanted, given, threads) {
  refuse <- function(message, hint = NULL, env = parent.frame()) {
    abort_gpsieve(message, hint = hint, class = "unsupported", env = env)
  }
  if (rlang::is_missing(newdata)) {
    refuse("{.code type = \"terms\"} needs {.arg newdata}.", "The training rows may be given.")
  }
  given <- names(Filter(Negate(is.null), given))
  if (wanted$interval != "none") given <- c(given, "interval")
  if (length(given)) refuse("{.code type = \"terms\"} takes no {.arg {given}}.")
  if (is_source(as_source(newdata))) {
    refuse("{.code type = \"terms\"} needs all rows at once.", "Give a data frame.")
  }
  if (wanted$se.fit) check_joint_posterior(fit, refuse)
  settings <- core_settings(resolve_threads(threads))
  from_fit({
    x <- forge_predictors(fit, newdata, "newdata", wanted$new_levels)
    complete <- which(!has_missing(x))
    found <- terms_at(fit, x[complete, , drop = FALSE], wanted$se.fit, settings)
    constant <- constant_of_terms(fit)
    answer <- function(what) {
      one_or_all(Map(function(of_latent, value) {
        out <- fill_rows(of_latent[[what]], complete, nrow(x))
        rownames(out) <- text_row_names(newdata)
        if (what == "mean") structure(out, constant = value) else out
      }, found, constant))
    }
    if (wanted$se.fit) list(fit = answer("mean"), se.fit = answer("sd")) else answer("mean")
  })
}

#' The variance that each term explains
#'
#' For a fit whose kernel is a sum, such as `y ~ g(x1) + g(x2, x3)` makes it: the variance over rows
#' of the posterior mean of each term, and how uncertain the term is there. Terms need not be
#' uncorrelated over the rows, so that their variances need not add up to that of the prediction;
#' `share` is the covariance of the term with the sum of all terms, divided by the variance of the
#' sum. The shares add up to 1.
#'
#' The data say little about a constant that one term has more and another one less. The standard
#' deviations contain it, and are therefore larger than that of the sum.
#'
#' @param fit A fit.
#' @param newdata Rows at which the terms are looked at: a data frame or matrix with the training
#'   columns; rows with missing values are left out. `NULL` takes the fit's basis points.
#' @return A data frame with a row for each term: `class`, where there are several without an order;
#'   `term`, its name; `variance`, the variance of its posterior mean over the rows; `share`; and
#'   `sd`, the root mean square of its posterior standard deviations, all on the scale of
#'   `predict(type = "link")`.
#' @seealso [predict()][predict.gpsieve_fit] with `type = "terms"`, [plot()][plot.gpsieve_fit] with
#'   `which = "terms"`, [relevance()].
#' @examples
#' fit <- meanfield_gp(Volume ~ g(Girth) + g(Height), trees)
#' term_variances(fit)
#' @export
term_variances <- function(fit, newdata = NULL) {
  check_fit(fit)
  from_fit({
    x <- if (is.null(newdata)) undo_scales(fit$basis, fit$inputs)
      else forge_predictors(fit, newdata, "newdata", "NA")
    x <- x[!has_missing(x), , drop = FALSE]
    if (!is_sparse(x)) colnames(x) <- names(fit$inputs$center)
    if (nrow(x) < 2L) {
      abort_gpsieve("Variances need at least two rows without missing values.", "Found {nrow(x)}.",
        class = "data")
    }
    found <- terms_at(fit, x, TRUE, core_settings(1L))
    tables <- lapply(found, function(of_latent) {
      total <- rowSums(of_latent$mean)
      data.frame(
        term = colnames(of_latent$mean), variance = apply(of_latent$mean, 2L, stats::var),
        share = drop(stats::cov(of_latent$mean, total)) / stats::var(total),
        sd = sqrt(colMeans(of_latent$sd^2)), row.names = NULL
      )
    })
    if (length(tables) == 1L) tables[[1L]]
    else do.call(rbind, unname(Map(function(t, class) cbind(class = class, t), tables,
      names(tables))))
  })
}
