# Leave-one-out predictive densities.

#' Leave-one-out predictive densities
#'
#' The log predictive density of each training response under the model without that row, with the
#' hyper-parameters of the fit.
#'
#' @param fit A fit.
#' @param newdata,y The training rows, in any order, and their response where it is not among their
#'   columns: for fits of Gaussian noise that keep no cavities. Rows that took no part, because of
#'   their weight of 0, `subset` or missing values, may be among them where the fit keeps its rows
#'   (setting `keep` of its control function); otherwise all rows given are taken for training rows.
#' @param ... Not used.
#' @return A number for each row that took part in the fit, in the order of `newdata` where that is
#'   given. With case weights one copy of the row is left out, so that the sum over the data counts
#'   each number as often as its weight says. The copies that stay tell what the number of the row
#'   is; [cv()] leaves out all copies. With `na.action = na.exclude` rows with missing values are
#'   `NA`. Sum and standard error of several fits: [compare()].
#' @section Which fits have them:
#' * [meanfield_gp()], [ep_gp()] with `method = "ep"` unless the noise is known, and [online_gp()]
#'   with sweeps of EP keep them: exact with Gaussian noise in a dense model, else from the
#'   cavities, which are what the posterior is without the row's own site.
#' * With Gaussian noise, also that of [lik_lognormal()] and [lik_warped()], [rvm()], [greedy_gp()],
#'   [local_gp()], [ivm()] that is refined or has every row active, and [ep_gp()] otherwise have
#'   them if `newdata` is given, with the column that `noise_sd` named where the noise is known, but
#'   not with `trees = "terms"`, variances that are `"augmented"` or `"upper"`, noise in the kernel
#'   of [local_gp()], or no function left. They are computed from the posterior by taking out the
#'   row's likelihood. This is exact for the sparse model with its basis held fixed (for stochastic
#'   EP at the fixed point of EP): the row has also helped to choose the basis, or the parts.
#' * Others have none: [cv()] fits anew.
#' @examples
#' fit <- meanfield_gp(dist ~ speed, cars)
#' sum(loo(fit))
#' few <- greedy_gp(dist ~ speed, cars, seed = 1)
#' sum(loo(few, cars))
#' @export
loo <- function(fit, ...) UseMethod("loo")

#' @rdname loo
#' @export
loo.default <- function(fit, newdata = NULL, y = NULL, ...) {
  check_fit(fit)
  check_dots(...)
  if (!is.null(fit$loo)) {
    if (is.null(newdata)) return(for_data_rows(fit, fit$loo))
    if (is.null(fit$kept)) {
      abort_gpsieve("This fit keeps nothing by which the rows of {.arg newdata} could be found.",
        hint = "It has the densities of its rows: leave {.arg newdata} out.", class = "unsupported")
    }
    return(once_unseen({
      at <- training_rows_among(fit, newdata, y)
      in_rows_of(fit, fit$loo[at$place], at)
    }))
  }
  if (!removes_rows(fit)) {
    abort_gpsieve("This fit keeps no cavities, so it has no leave-one-out densities.",
      hint = "{.fn cv} fits anew without each fold of the rows. {.fn meanfield_gp} keeps cavities,
        {.fn ep_gp} with {.code method = \"ep\"}, and {.fn online_gp} with {.code sweeps} of EP.",
      class = "unsupported")
  }
  if (is.null(newdata) && has_row_noise(fit) && keeps_dense_rows(fit)) {
    return(for_training_rows(fit, kept_loo(fit)))
  }
  if (is.null(newdata)) {
    abort_gpsieve("{.arg newdata}, the training rows, is missing.",
      hint = "This fit keeps no cavities; with Gaussian noise they follow from the rows.")
  }
  once_unseen(from_fit(gaussian_loo(fit, newdata, y)))
}

# The training rows among the rows of data, in the order of the data: list(row, place, y, rows,
# offset, lack), the numbers of these rows in the data, their places among the rows that took part,
# their response, inputs and offsets, and the numbers of those rows of the data that lack values. A
# fit that keeps nothing of its rows takes every row for one of them, and `place` means nothing.
training_rows_among <- function(fit, data, y) {
  truth <- response_of(fit, data, y)
  x <- forge_new(fit, data)
  at <- complete_rows(fit, x)
  known <- !is.na(response_columns(truth)[[1L]][at$complete])
  row <- at$complete[known]
  marks <- fit$kept$marks
  place <- seq_along(row)
  if (!is.null(marks)) {
    place <- match(
      row_names_by_values(row_marks(x, fit$inputs$scale)[row], elements_of(truth, row)),
      row_names_by_values(marks, training_response(fit)))
  }
  took_part <- !is.na(place) & place <= fit$n
  # Where every row of the data took part, a row that did not is none of them.
  if (!any(took_part) || (is.null(fit$cases$kept) || is.null(marks)) && !all(took_part)) {
    abort_gpsieve("{.arg newdata} must be rows from which the fit has learned.",
      "Found {sum(!took_part)} other{?s} among {nrow(data)}.", class = "data")
  }
  known[known] <- took_part
  list(row = row[took_part], place = place[took_part], y = elements_of(truth, row[took_part]),
    rows = at$rows[known, , drop = FALSE], offset = at$offset[known],
    lack = setdiff(seq_len(nrow(data)), row))
}

# Texts by which rows are found that have the same inputs, the same response, and as many equal rows
# before them
row_names_by_values <- function(marks, y) {
  columns <- lapply(c(list(marks), response_columns(y)), signif, 10)
  values <- do.call(paste, unname(columns))
  paste(values, stats::ave(seq_along(values), values, FUN = seq_along))
}

# Numbers for the training rows among rows of data; after `na.exclude` with NA where values lack
in_rows_of <- function(fit, numbers, at) {
  if (!inherits(fit$cases$na_action, "exclude")) return(numbers)
  numbers <- c(numbers, rep(NA_real_, length(at$lack)))
  numbers[order(c(at$row, at$lack))]
}

# Can a Gaussian row be taken out of the posterior? Where U holds what the rows taught about the
# basis functions, or where every row is a basis point. An online machine may have forgotten the
# row, and an IVM without refinement has not used most of them.
removes_rows <- function(fit) {
  known <- vapply(fit$posteriors, function(posterior) {
    length(posterior$up) > 0L && is.null(posterior$augmentation)
  }, NA)
  has_gaussian_sites(fit$likelihood) && !is_of_terms(fit) && all(known | is_dense_posterior(fit))
}

# For each machine of a fit: is every row one of its basis points?
is_dense_posterior <- function(fit) {
  rows <- if (is_partitioned(fit)) fit$partition$rows else distinct_rows(fit)
  dense <- vapply(fit$posteriors, function(posterior) {
    length(posterior$up) == 0L &&
      length(c(posterior$down, posterior$local, posterior$dense_scale)) > 0L
  }, NA)
  dense & lengths(lapply(fit$posteriors, `[[`, "basis")) == rows & !anyNA(fit$rows)
}

# Removes each row from the posterior of the projection g of the latent function onto the basis.
# p = |U k_B|^2 is the variance of g, r = prior_scale k(x, x) - |D k_B|^2 what the basis leaves
# open. In training the row was g plus noise of variance s: the likelihood's, and r as well in
# FITC. Without the row, the variance of g is 1 / (1/p - 1/s), and the prediction adds r again. A
# row that took part in several machines is removed from each of them.
gaussian_loo <- function(fit, data, y) {
  at <- training_rows_among(fit, data, y)
  noise <- fit$likelihood$values$variance
  if (has_row_noise(fit)) noise <- (noise_of_rows(fit, data, NULL)[at$row] / latent_scale(fit))^2
  truth <- code_response(at$y, fit)[, 1L]
  offset <- if (is.null(at$offset)) 0 else at$offset / latent_scale(fit)
  z <- latent_responses(fit$likelihood, truth) - offset
  without <- if (basis_has_noise(fit)) moments_among_all(fit, at, z)
  if (is.null(without)) {
    without <- moments_without(fit, at$rows, z, noise, points = basis_points_among(fit, at))
  }
  density <- density_of(z, without) +
    family_of(fit$likelihood)$log_slope(fit$likelihood, truth)
  in_rows_of(fit, density - log(latent_scale(fit)), at)
}

# Mean and variance of the responses `truth` of training rows, each without itself, of a fit whose
# basis all rows are and that knows which of them these are; NULL of others
moments_among_all <- function(fit, at, truth) {
  if (is.null(fit$kept$marks)) return(NULL)
  of_all <- rep(NA_real_, fit$n)
  of_all[at$place] <- truth
  without <- responses_without_row(fit, of_all)
  if (!is.null(without)) lapply(without, function(moments) moments[at$place, , drop = FALSE])
}

# Have the training rows among the basis points noise of the kernel that is also that of the points?
# It would be new where other rows with the same inputs are predicted. In FITC and in rvm() rows are
# apart from the points at their inputs.
basis_has_noise <- function(fit) {
  has_white_noise(fit$kernel) && (fit$model == "greedy_gp" || any(is_dense_posterior(fit)))
}

# The places of training rows among the basis points of the fit's one machine, NA of rows that are
# none. NULL where what is predicted at the inputs of a row is what was learned of the row.
basis_points_among <- function(fit, at) {
  if (!basis_has_noise(fit)) return(NULL)
  if (is.null(fit$kept$marks) || is_partitioned(fit)) {
    abort_gpsieve("The kernel has noise that belongs to single rows, and this fit does not say
      which of its points the rows of {.arg newdata} are.", hint = "{.fn cv} fits anew.",
      class = "unsupported")
  }
  basis_points_of(fit, at$place)
}

# The same of rows by their numbers among those that took part in the fit
basis_points_of <- function(fit, rows) {
  if (!is.null(fit$cases$kept)) rows <- fit$cases$kept[rows]
  match(rows, fit$rows[fit$posteriors[[1L]]$basis])
}

# Mean, variance and variance left open, (1) and (2) of src/core/posterior/theory.md, of the
# function with its noise at basis points of the fit's one machine
moments_at_basis <- function(fit, points) {
  posterior <- fit$posteriors[[1L]]
  gram <- call_core(core_kernel_matrix, kernel_spec(fit$kernel),
    fit$basis[posterior$basis, , drop = FALSE], NULL)
  k <- gram[, points, drop = FALSE]
  if (posterior$intercept) k <- rbind(1, k)
  squares <- function(map) if (length(map)) colSums(under_map(map, k)^2) else 0
  open <- posterior$prior_scale * diag(gram)[points] - squares(posterior$down)
  list(mean = posterior$prior_mean + colSums(k * posterior$weights),
    variance = open + squares(posterior$up), open = open)
}

# The triangular map D or U of a posterior, (3) of src/core/posterior/theory.md, of columns
under_map <- function(map, k) {
  if (length(map$scale)) k <- k * map$scale
  forwardsolve(unpacked_triangle(map$factor, nrow(k)), k)
}

# The lower triangle whose columns stand one after the other in `packed`
unpacked_triangle <- function(packed, n) {
  factor <- matrix(0, n, n)
  factor[lower.tri(factor, diag = TRUE)] <- packed
  factor
}

# Mean and variance of the responses of rows, each without itself; `noise` is one variance for all
# rows or one for each, `observed` the variance of the noise that the responses will have, `points`
# what basis_points_among() says of the rows
moments_without <- function(fit, rows, truth, noise, observed = noise, points = NULL) {
  n <- length(truth)
  marginals <- function(fit) machine_marginals(fit, rows, TRUE, core_settings(1L))
  found <- marginals(fit)
  visited <- if (is.null(found$visits)) seq_len(n) else found$visits$row
  y_at <- truth[visited]
  noise <- rep_len(noise, n)[visited]
  left_open <- variance_left_open(fit, found$visits, marginals)
  if (any(!is.na(points))) {
    known <- which(!is.na(points))
    own <- moments_at_basis(fit, points[known])
    found$mean[known, 1L] <- own$mean
    found$variance[known, 1L] <- own$variance
    if (length(left_open) == n) left_open[known] <- own$open
  }
  p <- pmax(found$variance[, 1L] - left_open, 0)
  # A row with noise of its own was so many copies of a row that has the noise of the likelihood,
  # and FITC takes what the basis leaves open as noise of each copy.
  shares <- noise / fit$likelihood$values$variance
  s <- noise + if (fit$model %in% c("ivm", "ep_gp")) shares * left_open else 0
  if (any(p >= s, na.rm = TRUE)) {
    abort_gpsieve("Some rows cannot be taken out of this posterior.",
      "It is more certain of them than their noise allows.",
      "Are these the training rows? {.fn cv} fits anew.", class = "data")
  }
  # The variance p is a difference of numbers of the order of the prior variance.
  prior <- max(found$variance[, 1L], latent_prior_variance(fit))
  if (any(1 - p / s < least_room * .Machine$double.eps * prior / s, na.rm = TRUE)) {
    abort_gpsieve("Some rows cannot be taken out of this posterior.",
      "Their noise is so small that what the other rows say of them is lost in rounding errors.",
      "{.fn cv} fits anew.", class = "data")
  }
  without <- without_own_row(found$mean[, 1L], p, y_at, s)
  observed <- rep_len(observed, n)[visited]
  mix_visits(list(mean = without$mean, variance = without$variance + left_open + observed,
    visits = found$visits), n)
}

# So many times the rounding error of the posterior variance in units of the noise must be left of a
# row without itself.
least_room <- 1e4

# The variance of the function before any row, at the first basis point of the first machine
latent_prior_variance <- function(fit) {
  one <- fit$basis[1L, , drop = FALSE]
  fit$posteriors[[1L]]$prior_scale *
    call_core(core_kernel_matrix, kernel_spec(fit$kernel), one, one)[1L]
}

# The normal posterior of the function at rows, of these means and variances, divided by the density
# of the row's own response with this noise
without_own_row <- function(mean, variance, truth, noise) {
  room <- 1 - variance / noise
  list(mean = cbind((mean - truth * variance / noise) / room), variance = cbind(variance / room))
}

density_of <- function(truth, moments) {
  stats::dnorm(truth, moments$mean[, 1L], sqrt(moments$variance[, 1L]), log = TRUE)
}

# Log densities of the training rows, each without itself, from what a dense fit keeps of them
kept_loo <- function(fit) {
  kept <- fit$kept
  truth <- (kept$y - latent_center(fit)) / latent_scale(fit)
  without <- responses_without_row(fit, truth)
  if (is.null(without)) {
    noise <- (kept$noise_sd / latent_scale(fit))^2
    without <- without_own_row(kept$mean[, 1L], kept$variance[, 1L], truth, noise)
    without$variance <- without$variance + noise
  }
  density_of(truth, without) - log(latent_scale(fit))
}

# Mean and variance of the responses `truth` of all training rows, each without itself, of a dense
# fit in which each row is a basis point and counts once; NULL of other fits.
# With P the inverse of the covariance of the responses, the mean is y_i - (P y)_i / P_ii and the
# variance 1 / P_ii (Rasmussen and Williams 2006, section 5.4.2), which lose no digits however small
# the noise is. P is D'D, and P y are the weights of the posterior.
responses_without_row <- function(fit, truth) {
  posterior <- fit$posteriors[[1L]]
  down <- posterior$down
  n <- length(truth)
  simple <- !is_partitioned(fit) && is_dense_posterior(fit)[1L] && is.null(posterior$local) &&
    is.null(fit$cases$total) && is.null(fit$cases$distinct) && length(posterior$weights) == n &&
    length(down$scale) == n && length(down$factor) == n * (n + 1) / 2
  if (!simple) return(NULL)
  factor <- unpacked_triangle(down$factor, n)
  precision <- colSums(forwardsolve(factor, diag(n))^2) * down$scale^2
  rows <- if (is.null(fit$cases$kept)) seq_len(n) else fit$cases$kept
  at <- match(rows, fit$rows[posterior$basis])
  if (anyNA(at)) return(NULL)
  list(mean = cbind(truth - (posterior$weights / precision)[at]),
    variance = cbind((1 / precision)[at]))
}

keeps_dense_rows <- function(fit) {
  !is.null(fit$kept) && !is_partitioned(fit) && all(is_dense_posterior(fit))
}

# What the basis leaves open of the variance at every visit: nothing where every row of the machine
# is in its basis
variance_left_open <- function(fit, visits, marginals) {
  dense <- is_dense_posterior(fit)
  if (all(dense)) return(0)
  fit$posteriors <- lapply(fit$posteriors, function(posterior) {
    posterior$up <- list()
    posterior
  })
  open <- marginals(fit)$variance[, 1L]
  if (is.null(visits)) open else ifelse(dense[visits$machine], 0, open)
}
