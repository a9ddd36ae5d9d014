# How much each column of the data matters for what a fit predicts.

#' How much each input column matters
#'
#' The share of the variance of the posterior mean that is lost when the values of one column are
#' permuted among the rows and all other columns stay: with the posterior mean \eqn{m} at a row
#' \eqn{x_i} and at the same row with the column of another row, \eqn{x_{i \leftarrow j}}{x_i<-j},
#' \deqn{\mathrm{relevance} = \frac{\tfrac12\,\mathrm{mean}_{i \ne j}\,(m(x_i) - m(x_{i \leftarrow
#' j}))^2}{ \mathrm{var}_i\, m(x_i)}}{ relevance = mean over i != j of (m(x_i) - m(x_i<-j))^2 / 2,
#' divided by the variance of m(x_i)} The variance is that with the divisor n - 1, so that a column
#' that is alone has relevance 1, up to its standard error. The relevance of a constant column, and
#' of one that changes no prediction, is 0. If the columns are independent and their effects add up,
#' all relevances add up to 1. Columns that act together share what they explain, so that the sum
#' exceeds 1. Of two columns that say nearly the same, each has what the fit uses of it: little
#' where it averages them, more than 1 where it uses their difference, which is large once one of
#' them is permuted. Relevances say what the predictions of this fit rest on, whatever the kernel.
#' They say nothing of the world: a fit that predicts badly has relevances too.
#'
#' For classes the posterior means are those of the latent functions, whose squared changes and
#' variances are added up over the classes; for counts, that of the log rate. Lengthscales stay in
#' [coef()]: a short one says that the function bends along a column, not that the column matters.
#'
#' @param fit A fit made by one of the package's models.
#' @param newdata Rows at which the posterior mean is looked at: a data frame or matrix with the
#'   training columns; rows with missing values that the fit does not model are left out. `NULL`
#'   takes the fit's basis points (active rows, inducing inputs; all training rows of a dense
#'   model). A few basis points, such as relevance vectors, do not represent the rows: give
#'   `newdata` then.
#' @return A data frame with a row for each input column of the data, the most relevant first:
#'   `term`, its name; `relevance`; and `std_error`, the standard error of the relevance that comes
#'   from looking at some rows and permutations only, 0 where all are looked at. All that a formula
#'   makes of one column, such as the indicators of a factor, `x` and `log(x)`, or its products
#'   with other columns in `a * b`, is permuted together; a product without its columns, `y ~ a:b`,
#'   has a row of its own. The permutations depend on the fit's seed, and R's generator is left
#'   alone.
#' @seealso [plot()][plot.gpsieve_fit] draws it.
#' @references
#' Jansen, M. J. W. (1999). Analysis of variance designs for model output. *Computer Physics
#' Communications* 117, 35-43.
#' @examples
#' fit <- meanfield_gp(Volume ~ ., trees)
#' relevance(fit)
#' relevance(fit, newdata = trees[trees$Height > 70, ])
#' @export
relevance <- function(fit, newdata = NULL) {
  check_fit(fit)
  if (is.null(newdata)) return(from_fit(relevance_at(fit, fit$basis, user_columns(fit))))
  rows <- complete_rows(fit, forge_predictors(fit, newdata, "newdata", "NA"))$rows
  if (nrow(rows) < 2L) {
    abort_gpsieve("{.arg newdata} must have at least two rows without missing values.",
      "Found {nrow(rows)}.", class = "data")
  }
  from_fit(relevance_at(fit, rows, user_columns(fit)))
}

# At most so many rows are looked at, and each column is permuted often enough for about
# `most_permuted` rows, or for fewer where many columns and basis points make rows dear:
# `permuted_work` is in multiplications of all columns together.
most_relevance_rows <- 500L
most_permuted <- 16000
fewest_permuted <- 60
permuted_work <- 5e8

# The table of relevance() for some rows on the scale of computation; `groups` are the columns of
# the model matrix that are permuted together, by name
relevance_at <- function(fit, rows, groups) {
  total <- nrow(rows)
  permuted <- permuted_rows(fit, length(groups))
  size <- min(total, most_relevance_rows, permuted)
  points <- rows[draw(total, size, fit$seed, sorted = FALSE), , drop = FALSE]
  if (is_sparse(points)) points <- unname(as.matrix(points))
  # Inducing inputs that were learned need not hold the products of their columns.
  products <- product_terms(fit)
  points <- with_scaled_products(points, products, fit$inputs)
  before <- posterior_means(fit, points)
  deviation <- rowSums(sweep(before, 2L, colMeans(before))^2)
  # As in a mean over pairs of different rows, so that the only column of a fit has all of it.
  variance <- if (size > 1L) sum(deviation) / (size - 1) else 0
  deviation <- deviation / variance
  shifts <- if (variance > 0) {
    unique(round(seq(1, size - 1, length.out = min(size - 1, ceiling(permuted / size)))))
  }
  found <- vapply(groups, function(columns) {
    if (!(variance > 0) || all_equal_rows(points[, columns, drop = FALSE])) return(c(0, 0))
    lost <- squared_changes(fit, points, columns, products, shifts, before) / (2 * variance)
    c(mean(lost), permutation_error(lost, shifts, deviation, total))
  }, numeric(2))
  order <- order(-found[1L, ])
  data.frame(
    term = names(groups)[order], relevance = unname(found[1L, order]),
    std_error = unname(found[2L, order])
  )
}

# How many rows with a permuted column are predicted for each column
permuted_rows <- function(fit, columns) {
  affordable <- permuted_work / work_of_a_row(fit, columns)
  round(min(max(affordable, fewest_permuted), most_permuted))
}

# Multiplications that the table of all these columns takes
relevance_work <- function(fit, columns) {
  permuted_rows(fit, columns) * work_of_a_row(fit, columns)
}

# Multiplications for one permuted row of each column; the product of these counts may be no
# integer of R
work_of_a_row <- function(fit, columns) {
  as.double(columns) * nrow(fit$basis) * length(fit$inputs$center)
}

all_equal_rows <- function(x) all(x == rep(x[1L, ], each = nrow(x)))

# Squared changes of the posterior mean, rows x shifts: row i has these columns of the row that is
# `shift` places further on, the last row being followed by the first, and their products
squared_changes <- function(fit, points, columns, products, shifts, before) {
  n <- nrow(points)
  partner <- (outer(seq_len(n), shifts, `+`) - 1) %% n + 1
  permuted <- points[rep(seq_len(n), length(shifts)), , drop = FALSE]
  permuted[, columns] <- points[partner, columns]
  permuted <- with_scaled_products(permuted, products, fit$inputs)
  after <- posterior_means(fit, permuted)
  matrix(rowSums((after - before[rep(seq_len(n), length(shifts)), , drop = FALSE])^2), n)
}

# The standard error of the mean of such a matrix: the shifts are some of all n - 1, the rows some
# of `total`. A row counts as the one whose column is replaced, as the one that gives its value, and
# in the variance; `deviation` is its squared distance from the mean in units of the variance.
permutation_error <- function(lost, shifts, deviation, total) {
  n <- nrow(lost)
  receiver <- (outer(seq_len(n), shifts, `-`) - 1) %% n + 1
  given <- matrix(lost[cbind(c(receiver), rep(seq_along(shifts), each = n))], n)
  influence <- rowMeans(lost) + rowMeans(given) - mean(lost) * deviation
  of_mean <- function(means, size) {
    if (length(means) > 1L) stats::var(means) / length(means) * (1 - length(means) / size) else 0
  }
  sqrt(of_mean(colMeans(lost), n - 1) + of_mean(influence, total))
}

# The posterior means of the latent functions at rows on the scale of computation, rows x functions
posterior_means <- function(fit, x) {
  if (is_sparse(fit$basis)) x <- rows_for_fit(fit, undo_scales(x, fit$inputs))
  latent_marginals(fit, x, FALSE, core_settings(1L))$mean
}

# The columns of the model matrix by the terms that they come from, named as the formula has them:
# wt and I(wt^2) are two. The attribute `written` says whether a term is not just a column.
written_columns <- function(fit) {
  terms <- columns_by(fit, function(design, term) {
    paste(names(design$variables)[term], collapse = ":")
  })
  attr(terms, "written") <- !identical(names(terms), names(user_columns(fit)))
  terms
}
