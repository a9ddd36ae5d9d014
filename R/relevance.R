# The relevance of each column of the data for the kernel of a fit.

#' How much each input column matters
#'
#' By how much the latent function changes where one column changes and all others stay: the root
#' mean square change under the prior with the fit's hyper-parameters, for a number when it moves by
#' one standard deviation (of the training rows; where the fit did not standardise, by one unit),
#' for a factor when it goes from one level to another. The changes are averaged over at most 50 of
#' the fit's basis points. With [kernel_rbf()] and one lengthscale for each column (`ard = TRUE`)
#' that is
#' \eqn{\sqrt{2\,\mathrm{variance}\,(1 - e^{-1 / (2\,\mathrm{lengthscale}^2)})}}{
#'   sqrt(2 variance (1 - exp(-1 / (2 lengthscale^2))))}; the definition holds for any kernel. A
#' kernel with a single lengthscale finds all numbers equally relevant.
#'
#' @param fit A fit made by one of the package's models.
#' @return A data frame with a row for each column of the training data, the most relevant first:
#'   `term`, its name, and `relevance`, in the units of the latent function (for a numeric response
#'   those of the response). A column that the formula made, such as `log(x)`, is a term of its own.
#' @seealso [kernel_rbf()] for `ard = TRUE`.
#' @examples
#' fit <- meanfield_gp(Volume ~ ., trees, kernel = kernel_rbf(ard = TRUE))
#' relevance(fit)
#' @export
relevance <- function(fit) {
  check_fit(fit)
  call <- rlang::current_env()
  from_fit({
    points <- fit$basis[evenly_spaced(nrow(fit$basis), relevance_points), , drop = FALSE]
    if (is_sparse(points)) points <- unname(as.matrix(points))
    terms <- input_terms(fit)
    values <- vapply(terms, function(columns) term_change(fit, points, columns, call), 0)
    order <- order(-values)
    data.frame(
      term = names(terms)[order], relevance = latent_scale(fit) * unname(values)[order]
    )
  })
}

relevance_points <- 50L

#' The columns of the model matrix that belong to each term: the indicators of a factor or of text,
#' or one column
#' @noRd
input_terms <- function(fit) {
  columns <- names(fit$inputs$center)
  terms <- columns
  design <- fit$blueprint$design
  for (v in seq_along(design$variables)) {
    if (design$encodings[[v]]$kind != "category") next
    name <- names(design$variables)[v]
    terms[columns %in% paste0(name, design$encodings[[v]]$levels)] <- name
  }
  split(seq_along(columns), factor(terms, unique(terms)))
}

#' Root mean square change of the latent function when these columns change
#' @noRd
term_change <- function(fit, points, columns, call) {
  changed <- changed_points(fit, points, columns)
  covariance <- function(a, b) {
    diag(call_core(core_kernel_matrix, kernel_spec(fit$kernel), a, b, call = call))
  }
  # Between different points throughout, so that white noise does not count as a change.
  before <- covariance(points, points)
  squares <- lapply(changed, function(to) {
    before + covariance(to, to) - 2 * covariance(points, to)
  })
  # At one of the levels, its own, the point does not change: the mean is over the others.
  others <- if (length(changed) > 1L) length(changed) - 1L else 1L
  sqrt(max(0, sum(unlist(squares)) / (nrow(points) * others)))
}

#' The points with a number moved by one unit of computation, or with a factor at each level that
#' would be another
#' @noRd
changed_points <- function(fit, points, columns) {
  if (length(columns) == 1L) {
    return(list(replace(points, cbind(seq_len(nrow(points)), columns), points[, columns] + 1)))
  }
  off <- -fit$inputs$center[columns] / fit$inputs$scale[columns]
  on <- (1 - fit$inputs$center[columns]) / fit$inputs$scale[columns]
  lapply(seq_along(columns), function(level) {
    values <- replace(off, level, on[level])
    to <- points
    to[, columns] <- rep(values, each = nrow(points))
    to
  })
}
