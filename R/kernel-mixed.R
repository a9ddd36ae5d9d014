#' @include kernel-mapped.R
NULL

# Kernels of mixed inputs: along which directions a function varies is learned with the
# hyper-parameters.

#' A kernel of mixed inputs
#'
#' The kernel sees sums of the columns in place of the columns, with weights that are learned:
#' \deqn{k(x, z) = \mathrm{kernel}(w(x), w(z)), \quad w_j(x) = x_j + \sum_{i \ne j} m_{ij} x_i}{
#'   k(x, z) = kernel(w(x), w(z)),
#'   w_j(x) = x_j + sum over i != j of m_ij x_i}
#' A kernel with a lengthscale for each column describes functions that vary fast along some columns
#' and slowly along others. With mixed inputs it describes functions that vary fast along some
#' directions, such as the sum or the difference of two columns: distances are then those of a full
#' matrix (Mahalanobis distances), of which lengthscales alone are the diagonal. Weights of 0, where
#' learning begins, leave the columns as they are. Lengthscales are measured along the mixed
#' columns.
#'
#' Of q columns q (q - 1) weights are learned. Learning keeps them near 0 unless the evidence says
#' otherwise: their prior is normal with standard deviation \eqn{1 / \sqrt q}{1 / sqrt(q)}, so that
#' all other columns together have as much weight as the column itself, and less with n < 250 rows,
#' by n / 250. Columns with one or two different values, such as the indicators of factors, are not
#' mixed unless `dims` names them. [mixing()] tells what a fit has learned.
#'
#' @param kernel A kernel of columns of numbers.
#' @param mixing The weights \eqn{m_{ij}}{m_ij} where learning begins: one number for all, or for
#'   the first column those of the other columns in their order, then those for the second column,
#'   and so on, or [fixed()]. Where a fit standardises its inputs, they are weights of standardised
#'   columns.
#' @param dims The columns that are mixed with each other: numbers or names, as in [kernel_on()].
#'   `NULL`: all with more than two different values.
#' @inheritParams kernel_rbf
#' @inherit kernel_rbf return
#' @references Vivarelli and Williams (1999). Discovering hidden features with Gaussian processes
#' regression. *Advances in Neural Information Processing Systems* 11.
#' @seealso [kernel_rich()] with `mix = TRUE`; [mixing()]; [kernel_warped()], which may stand around
#'   a kernel of mixed inputs: columns are then warped first.
#' @examples
#' # The function depends on the sum of two columns
#' set.seed(1)
#' d <- data.frame(a = runif(100), b = runif(100))
#' d$y <- sin(6 * (d$a + d$b)) + rnorm(100, sd = 0.1)
#' plain <- meanfield_gp(y ~ a + b, d, kernel_rbf(ard = TRUE))
#' mixed <- meanfield_gp(y ~ a + b, d, kernel_mixed(kernel_rbf(ard = TRUE)))
#' c(plain = logLik(plain), mixed = logLik(mixed))
#' mixing(mixed)
#' @export
kernel_mixed <- function(kernel, mixing = 0, dims = NULL, ...) {
  check_dots(...)
  new_map(new_leaf("mixed", mixing = mixing), kernel, dims)
}

# A mix with numbers for the columns of x: the columns that take part, and all weights
resolve_mix <- function(kernel, x) {
  several <- length(kernel$values$mixing)
  kernel$dims <- mapped_dims(kernel$dims, x)
  n <- length(kernel$dims)
  if (n < 2L) kernel$dims <- integer()
  needed <- n * (n - 1L)
  if (several > 1L && several != needed) {
    abort_gpsieve("A mix needs one weight for all pairs of different columns, or one for each.",
      "Found {several} weight{?s}, and {n} column{?s} have {needed}.",
      "{.arg dims} names the columns.")
  }
  kernel$values$mixing <- rep_len(kernel$values$mixing, needed)
  kernel
}

# The weights of a mix as a matrix: column j has those of the mixed column j, with 1 in row j
matrix_of_mix <- function(kernel) {
  n <- length(kernel$dims)
  weights <- diag(n)
  weights[row(weights) != col(weights)] <- kernel$values$mixing
  weights
}

mixed_kind <- list(
  operator = TRUE, hyper = "mixing", sparse = FALSE, exported = TRUE,
  rules = list(mixing = function(x, arg) check_numbers(x, arg)),
  with_inputs = function(kernel, x, center, scale) resolve_mix(kernel, x),
  # Together the other columns have the weight of the column.
  prior_sd = function(kernel, n) {
    c(mixing = prior_of_warp(n) / prior_of_warp(Inf) / sqrt(length(kernel$dims)))
  },
  of_dims = function(kernel, kept) {
    kernel$values$mixing <- off_diagonal(matrix_of_mix(kernel)[kept, kept, drop = FALSE])
    kernel
  },
  text = text_of_map, is_whole = is_whole_map
)

# How fast the covariance falls along each column, from the rates along the mixed columns
rates_of_mix <- function(kernel, rate) {
  rate[kernel$dims] <- abs(matrix_of_mix(kernel)) %*% rate[kernel$dims]
  rate
}

table_of_mixes <- function(fit) {
  columns <- names(fit$inputs$center)
  tables <- lapply(leaves_that(is_mix, fit$kernel, seq_along(columns)), function(leaf) {
    own <- columns[leaf$columns]
    data.frame(mixed = rep(own, each = length(own)), column = rep(own, length(own)),
      weight = as.vector(matrix_of_mix(leaf$kernel)))
  })
  none <- data.frame(mixed = character(), column = character(), weight = numeric())
  do.call(rbind, c(list(none), tables))
}
