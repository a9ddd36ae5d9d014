#' @include kernel-function.R
NULL

# A kernel that is a matrix of the user's.

#' Kernel of items from a matrix
#'
#' Covariances of things that are no numbers, such as strings, graphs or pictures, from a matrix
#' that was computed elsewhere. An input column says which item each row is about: a factor or text
#' with the row names of the matrix, or numbers of its rows. For rows of the items i and j
#' \deqn{k(i, j) = \mathrm{variance} \cdot \mathrm{matrix}_{ij}}{k(i, j) = variance * matrix[i, j]}
#'
#' The matrix covers the items of the training rows and those that are to be predicted: the block of
#' new by training items is what predictions use. An item of new rows whose name is not in the
#' matrix has no covariance; its prediction is `NA`, with a warning. A number that is none of its
#' rows is an error. A fit keeps the matrix.
#'
#' The column of items is not standardised and no other kernel sees it, as for
#' [kernel_categorical()]; sums and products with kernels of other columns are kernels (in products
#' `variance = fixed(1)` leaves one variance to learn). The matrix is read on the main thread, and
#' inducing inputs do not move.
#'
#' @param matrix A symmetric, positive semi-definite matrix of finite numbers, with row names where
#'   items have names (column names, if any, are the same). Rounding is allowed for: differences of
#'   mirrored numbers up to 1e-8 of the largest number are averaged, and the Cholesky factor may
#'   need 1e-6 of the mean variance on the diagonal.
#' @param dims The column of items: its name in the data. `NULL` where it is the only input.
#' @param variance Factor in front: one positive number, or [fixed()].
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return
#' @seealso [kernel_function()] for functions of numbers, [kernel_categorical()].
#' @examples
#' # How many pairs of letters do the names of two states share?
#' pairs <- lapply(state.name, function(s) unique(substring(s, 1:(nchar(s) - 1), 2:nchar(s))))
#' shared <- outer(seq_along(pairs), seq_along(pairs),
#'   Vectorize(function(i, j) length(intersect(pairs[[i]], pairs[[j]])))
#' )
#' shared <- cov2cor(shared)
#' dimnames(shared) <- list(state.name, state.name)
#' states <- data.frame(name = state.name, south = state.region == "South")
#' fit <- meanfield_gp(factor(south) ~ name, states[-1, ], kernel_precomputed(shared, "name"))
#' predict(fit, states[1, ], type = "prob") # Alabama
#' @export
kernel_precomputed <- function(matrix, dims = NULL, variance = 1, ...) {
  check_dots(...)
  name <- substitute(matrix)
  matrix <- check_covariance_matrix(matrix)
  items <- rownames(matrix)
  if (is.null(items)) items <- as.character(seq_len(nrow(matrix)))
  leaf <- new_kernel("function", fn = item_covariances(unname(matrix)),
    name = if (is.symbol(name)) as.character(name))
  leaf$items <- items
  kernel_constant(variance) * if (is.null(dims)) leaf else kernel_on(leaf, dims)
}

# The matrix as the function of points that are row numbers; its environment holds nothing else
item_covariances <- function(matrix) {
  force(matrix)
  function(x, z) {
    for (points in list(x, z)) check_items(points, nrow(matrix))
    matrix[x[, 1L], z[, 1L], drop = FALSE]
  }
}

check_items <- function(points, count) {
  bad <- points[!(points %in% seq_len(count))]
  if (ncol(points) == 1L && !length(bad)) return(invisible())
  abort_gpsieve("Points of {.fn kernel_precomputed} are row numbers of its matrix, 1 to {count}.",
    if (length(bad)) "Found {format(bad[1L])}." else "Found {ncol(points)} columns.",
    class = "data")
}

# Stops unless a matrix is symmetric, finite and positive semi-definite but for rounding
check_covariance_matrix <- function(matrix) {
  square <- is.matrix(matrix) && is.numeric(matrix) && nrow(matrix) == ncol(matrix) &&
    nrow(matrix) > 0L
  found <-
    if (!square) describe(matrix)
    else if (!all(is.finite(matrix))) "numbers that are not finite"
    else if (any(abs(matrix - t(matrix)) > 1e-8 * max(abs(matrix))))
      "a matrix that is not symmetric"
    else if (anyDuplicated(rownames(matrix))) "row names that are not unique"
    else if (length(unique(Filter(length, dimnames(matrix)))) > 1L)
      "columns that are named differently from the rows"
    else if (!is_nearly_definite(matrix)) "a matrix with negative eigenvalues"
  if (is.null(found)) return((matrix + t(matrix)) / 2)
  abort_gpsieve(
    "{.arg matrix} must be a symmetric, positive semi-definite matrix of finite numbers.",
    "Found {found}.")
}

# On the diagonal, in units of its mean: what learning adds as well.
precomputed_jitter <- 1e-6

is_nearly_definite <- function(matrix) {
  size <- mean(diag(matrix))
  if (!(size > 0)) return(FALSE)
  diag(matrix) <- diag(matrix) + precomputed_jitter * size
  !inherits(on_error(chol(matrix), identity), "error")
}

items_of_column <- function(molded, name, items) {
  design <- molded$blueprint$design
  v <- utils::tail(which(names(design$variables) == name), 1L)
  encoding <- design$encodings[[v]]
  place <- match(name, molded$columns)
  if (identical(encoding$levels, items) && isTRUE(encoding$closed)) return(molded)
  number <- molded$x[, place]
  if (encoding$kind == "level") {
    number <- match(encoding$levels, items)[number]
    molded$blueprint$design$encodings[[v]][c("levels", "shares", "closed")] <-
      list(items, NULL, TRUE)
  }
  bad <- which(!number %in% seq_along(items))
  if (length(bad)) {
    shown <- if (encoding$kind == "level") encoding$levels[molded$x[bad[1L], place]]
    abort_gpsieve("Every row must be about an item of the matrix of {.fn kernel_precomputed}.",
      "Row {bad[1L]} has {.val {if (is.null(shown)) number[bad[1L]] else shown}} in {.val {name}}.",
      "Items are the row numbers or row names of the matrix; {.fn kernel_on} says which column has
       them.", class = "data")
  }
  molded$x[, place] <- number
  molded
}

precomputed_kind <- list(
  hyper = character(), unit_variance = "none", rate = function(leaf) 0, word = "precomputed",
  text = text_of_given("<matrix>"),
  is_whole = function(kernel) is.character(kernel$items) && is.function(kernel$fn),
  levels = TRUE, maps = FALSE, sparse = FALSE, input_gradient = FALSE, exported = FALSE
)
