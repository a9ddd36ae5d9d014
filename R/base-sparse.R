# Inputs of which most numbers are zero: matrices of package Matrix, kept as rows that hold only the
# numbers that are not zero.
#
# The class gpsieve_sparse is such a matrix with the operations that the models need: its
# dimensions, its rows, and rows bound together. It holds
#
#   start, column, value   row i has value[k] in column[k] (counted from 0) for
#                          start[i] < k <= start[i + 1]
#   p, columns             the number of columns and their names, or NULL
#   centre                 what is subtracted from every row, NULL for nothing: centred columns are
#                          not sparse, so that the core subtracts in products of rows
#
# The core takes row numbers in place of rows (src/core/kernel/sparse_rows.h). call_core() replaces
# every object of the class by row numbers, a matrix of one column with the class
# gpsieve_row_numbers, and puts the rows themselves into the kernel. A kernel with rows takes
# nothing but objects of that class as points, a kernel without takes none (src/convert.h).

#' Sparse inputs
#'
#' Matrices of package Matrix of which most numbers are zero, such as counts of words in texts, are
#' inputs of all models and of [gpsieve()] in the interface of `x` and `y`, and `newdata` of
#' [predict()][predict.gpsieve_fit] and of most else that takes new rows, but not of pictures and of
#' `augment()`. Only the numbers that are not zero are stored, here and in the fit: 5,000 rows of
#' 10,000 columns with 40 numbers each take a few megabytes. The results are those of the same
#' matrix made dense, but for rounding, for inducing inputs and centres (see below), and for what
#' [gpsieve()] and [learn_on_blocks()] do with dense inputs only.
#'
#' A class of package Matrix other than `dgCMatrix` is converted to it. A fit made from a sparse
#' matrix predicts for sparse matrices, dense ones and data frames with the training columns; a fit
#' made from a dense matrix takes sparse `newdata` too, and makes it dense.
#'
#' @section Standardising:
#' With `standardise = TRUE` columns are centred and scaled as those of a dense matrix are. The
#' centre is not subtracted from the rows, which would not stay sparse, but accounted for in the
#' products of rows. Words that few texts have get large values; `standardise = FALSE` or
#' `"common"` keep the counts as they are compared with each other.
#'
#' @section Kernels:
#' [kernel_rbf()], [kernel_matern()], [kernel_rational_quadratic()], [kernel_linear()],
#' [kernel_polynomial()], [kernel_constant()], [kernel_white()], their sums and products and
#' [kernel_on()] take sparse rows. [kernel_periodic()], [kernel_separable()],
#' [kernel_great_circle()], [kernel_affine()], [kernel_categorical()], [kernel_gap_noise()],
#' [kernel_function()], [kernel_precomputed()], [kernel_warped()] and [kernel_mixed()] do not.
#'
#' @section Inducing inputs and centres:
#' The inducing inputs and centres of a fit of sparse inputs are sparse too: rows of the training
#' data, or of the matrix that is given. `inducing_init = "kmeans"` of [ep_gp()] and a number as
#' `basis` of [rvm()] take the rows that k-means would start from instead of means of rows; inducing
#' inputs do not move (`learn_inducing = TRUE` is refused). Checkpoints,
#' `resume` and clusters of [ep_gp()] and [online_gp()], conjugate gradients
#' (`solver = "iterative"`) and noise that depends on inputs work with dense inputs only.
#'
#' @return This page describes inputs and no function; the functions that it names return what they
#'   return for dense inputs.
#' @name sparse-inputs
#' @seealso [ivm()], [ep_gp()], [greedy_gp()], [meanfield_gp()], [rvm()], [online_gp()].
#' @examplesIf requireNamespace("Matrix", quietly = TRUE)
#' # Six words in four texts
#' words <- Matrix::sparseMatrix(
#'   i = c(1, 1, 2, 2, 3, 3, 4, 4), j = c(1, 2, 1, 3, 4, 5, 4, 6), x = c(2, 1, 1, 1, 3, 1, 1, 2)
#' )
#' fit <- meanfield_gp(words, c("fruit", "fruit", "tool", "tool"), kernel_linear(),
#'   standardise = FALSE, optimise = FALSE
#' )
#' predict(fit, words, type = "prob")
NULL

new_sparse <- function(start, column, value, p, columns = NULL, centre = NULL) {
  structure(
    list(start = start, column = column, value = value, p = p, columns = columns, centre = centre),
    class = "gpsieve_sparse"
  )
}

is_sparse <- function(x) inherits(x, "gpsieve_sparse")

is_of_matrix_package <- function(x) isS4(x) && inherits(x, "Matrix")

# What `read(x)` makes of a matrix of package Matrix, whose slots are checked first: functions of
# that package rely on them, and with slots that do not fit together they read beyond their memory.
read_matrix <- function(x, arg, read) {
  rlang::check_installed("Matrix", "for matrices of package Matrix.", call = user_frame())
  tryCatch({
    methods::validObject(x)
    read(x)
  }, error = function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("{.arg {arg}} cannot be read as a matrix of package Matrix.", "{said}",
      class = "data")
  })
}

# A matrix of package Matrix as a numeric one
dense_matrix <- function(x, arg) read_matrix(x, arg, as.matrix)

# A matrix of package Matrix, whatever its class, as sparse rows.
# Column names are completed as those of a numeric matrix are. `missing` allows NA.
as_sparse <- function(x, arg, missing = FALSE) {
  by_column <- read_matrix(x, arg, function(x) {
    numbers <- methods::as(methods::as(x, "dMatrix"), "generalMatrix")
    Matrix::drop0(Matrix::t(methods::as(numbers, "CsparseMatrix")))
  })
  out <- new_sparse(by_column@p, by_column@i, by_column@x, ncol(x), colnames(x))
  check_sparse_values(out, arg, missing)
}

# A numeric matrix, or the columns of a data frame, as sparse rows
dense_to_sparse <- function(x) {
  at <- which(is.na(x) | x != 0)
  row <- (at - 1L) %% nrow(x) + 1L
  order <- order(row)
  new_sparse(c(0L, cumsum(tabulate(row, nrow(x)))), ((at - 1L) %/% nrow(x))[order],
    as.double(x[at])[order], ncol(x), colnames(x))
}

check_sparse_values <- function(x, arg, missing) {
  bad <- which(if (missing) is.infinite(x$value) else !is.finite(x$value))
  if (!length(bad)) return(x)
  row <- row_of_values(x)[bad[1L]]
  column <- x$column[bad[1L]] + 1L
  name <- if (is.null(x$columns)) paste0("V", column) else x$columns[column]
  value <- format(x$value[bad[1L]])
  if (missing) {
    abort_gpsieve("{.arg {arg}} must not hold infinite values.",
      "Found {value} in row {row} of column {.val {name}}.", class = "data")
  }
  abort_gpsieve("{.arg {arg}} must hold finite numbers only.",
    paste(
      "Found {length(bad)} value{?s} that {?is/are} not, the first {value} in row {row}",
      "of column {.val {name}}."
    ),
    "Remove or impute those rows first.", class = "data")
}

# The row of each stored number
row_of_values <- function(x) rep.int(seq_len(nrow(x)), diff(x$start))

#' @export
dim.gpsieve_sparse <- function(x) c(length(x$start) - 1L, x$p)

#' @export
dimnames.gpsieve_sparse <- function(x) if (!is.null(x$columns)) list(NULL, x$columns)

#' @export
is.matrix.gpsieve_sparse <- function(x) TRUE

#' @export
`[.gpsieve_sparse` <- function(x, i, j, drop = FALSE) {
  if (!missing(j)) x <- some_columns(x, j)
  if (missing(i)) return(x)
  rows <- seq_len(nrow(x))[i]
  lengths <- diff(x$start)[rows]
  at <- sequence(lengths, x$start[rows] + 1L)
  new_sparse(c(0L, cumsum(lengths)), x$column[at], x$value[at], x$p, x$columns, x$centre)
}

some_columns <- function(x, columns) {
  columns <- stats::setNames(seq_len(x$p), x$columns)[columns]
  place <- match(x$column + 1L, columns)
  kept <- which(!is.na(place))
  row <- row_of_values(x)[kept]
  order <- order(row, place[kept])
  new_sparse(c(0L, cumsum(tabulate(row, nrow(x)))), place[kept][order] - 1L, x$value[kept][order],
    length(columns), x$columns[columns], x$centre[columns])
}

#' @export
rbind.gpsieve_sparse <- function(..., deparse.level = 1) {
  parts <- Filter(Negate(is.null), list(...))
  ends <- cumsum(c(0L, vapply(parts, function(part) length(part$value), 0L)))
  starts <- Map(function(part, before) part$start[-1L] + before, parts, utils::head(ends, -1L))
  new_sparse(c(0L, unlist(starts)), unlist(lapply(parts, `[[`, "column")),
    unlist(lapply(parts, `[[`, "value")), parts[[1L]]$p, parts[[1L]]$columns, parts[[1L]]$centre)
}

# The dense matrix, the centre subtracted
#' @export
as.matrix.gpsieve_sparse <- function(x, ...) {
  out <- matrix(0, nrow(x), x$p, dimnames = dimnames(x))
  out[cbind(row_of_values(x), x$column + 1L)] <- x$value
  if (is.null(x$centre)) out else sweep(out, 2L, x$centre)
}

# A matrix without dimension names; sparse rows as they are
without_names <- function(x) if (is_sparse(x)) x else unname(x)

# A matrix of points in the form of the inputs x, without names
points_like <- function(x, points) {
  points <- unname(points)
  if (is_sparse(x)) dense_to_sparse(points) else points
}

# Sparse rows are what a fit holds: numbers of the right types and sizes
valid_sparse <- function(x) {
  whole <- is.integer(x$start) && is.integer(x$column) && is.integer(x$p) && length(x$p) == 1L
  sizes <- length(x$value) == length(x$column) &&
    identical(x$start[length(x$start)], length(x$value))
  whole && sizes && is.double(x$value) && all(is.finite(x$value)) &&
    (is.null(x$centre) || (is.double(x$centre) && length(x$centre) == x$p))
}

# Rows that hold a missing value
has_missing <- function(x) {
  if (!is_sparse(x)) return(rowSums(is.na(x)) > 0)
  seq_len(nrow(x)) %in% row_of_values(x)[is.na(x$value)]
}

# Mean, standard deviation and range of every column, as core_column_scales() returns them
sparse_column_scales <- function(x, weights) {
  if (!length(weights)) weights <- rep(1, nrow(x))
  column <- factor(x$column, seq_len(x$p) - 1L)
  w <- weights[row_of_values(x)]
  sums <- function(values) {
    out <- numeric(x$p)
    found <- rowsum(values, x$column)
    out[as.integer(rownames(found)) + 1L] <- found
    out
  }
  total <- sum(weights)
  zeros <- total - sums(w)
  hidden <- tabulate(column, x$p) < nrow(x)
  order <- order(x$column, x$value)
  last <- cumsum(tabulate(column, x$p))
  first <- c(0L, utils::head(last, -1L)) + 1L
  end <- function(at, bound) {
    found <- ifelse(last >= first, x$value[order][at], 0)
    ifelse(hidden, bound(found, 0), found)
  }
  lowest <- end(first, pmin)
  highest <- end(last, pmax)
  mean <- sums(w * (x$value / total))
  # Divided by the largest deviation first: squares of great numbers overflow.
  unit <- pmax(highest - mean, mean - lowest)
  varies <- lowest < highest & unit > 1e-14 * abs(mean) & total > 1
  by <- ifelse(varies, unit, 1)
  at <- x$column + 1L
  squares <- sums(w * ((x$value - mean[at]) / by[at])^2) + zeros * (mean / by)^2
  list(
    center = mean, scale = ifelse(varies, by * sqrt(squares / (total - 1)), 1),
    lowest = lowest, highest = highest, not_finite = 0
  )
}

# The scaled rows; the centre is not subtracted, but kept beside them
scale_sparse <- function(x, scales) {
  x$columns <- names(scales$center)
  x$value <- x$value / unname(scales$scale)[x$column + 1L]
  x$centre <- if (any(scales$center != 0)) unname(scales$center / scales$scale)
  x
}

# Rows on the scale of the data, as a matrix of package Matrix
sparse_in_data_units <- function(x, scales) {
  rlang::check_installed("Matrix", "for sparse matrices.")
  Matrix::sparseMatrix(i = row_of_values(x), j = x$column + 1L,
    x = x$value * unname(scales$scale)[x$column + 1L], dims = dim(x),
    dimnames = list(NULL, names(scales$center)))
}

sparse_distances_from <- function(x, row) {
  z <- numeric(x$p)
  own <- seq.int(x$start[row] + 1L, length.out = diff(x$start)[row])
  z[x$column[own] + 1L] <- x$value[own]
  sums <- cumsum(c(0, x$value * (x$value - 2 * z[x$column + 1L])))
  squares <- diff(sums[x$start + 1L]) + sum(z^2)
  squares[squares < 1e-10 * max(squares)] <- 0 # equal rows differ by rounding
  squares
}

# Refuses what works on dense inputs only
refuse_sparse <- function(x, what, hint) {
  if (!is_sparse(x)) return(invisible())
  abort_gpsieve(paste(what, "does not go with sparse inputs."), hint = hint, class = "unsupported")
}

# Checkpoints and clusters hold the inputs in forms of their own
check_kept_in_memory <- function(x, resume, control, cluster) {
  hint <- "It works without."
  if (!is.null(resume)) refuse_sparse(x, "{.arg resume}", hint)
  if (!is.null(control$checkpoint)) refuse_sparse(x, "{.arg checkpoint}", hint)
  if (!is.null(cluster)) refuse_sparse(x, "{.arg cluster}", hint)
}

# Calls of the core ----------------------------------------------------------------------------

has_sparse <- function(x) {
  if (!is.list(x)) return(FALSE)
  if (is_sparse(x)) return(TRUE)
  for (part in x) if (is.list(part) && has_sparse(part)) return(TRUE)
  FALSE
}

# Calls a function of the core, whose first argument is a kernel, with row numbers in place of
# sparse rows; row numbers in its result are rows again. The class tells row numbers from inputs.
call_on_row_numbers <- function(fn, arguments) {
  parts <- list()
  rows <- 0L
  number <- function(x) {
    if (is_sparse(x)) {
      numbers <- structure(matrix(rows + seq_len(nrow(x)) - 1, nrow(x), 1L),
        class = "gpsieve_row_numbers")
      parts <<- c(parts, list(x))
      rows <<- rows + nrow(x)
      return(numbers)
    }
    if (has_sparse(x)) x[] <- lapply(x, number)
    x
  }
  arguments <- lapply(arguments, number)
  all <- do.call(rbind, parts)
  arguments[[1L]]$rows <- unclass(all)
  with_rows_again(do.call(fn, arguments, quote = TRUE), all)
}

with_rows_again <- function(result, all) {
  if (inherits(result, "gpsieve_row_numbers")) return(all[as.vector(result) + 1, ])
  if (is.list(result) && !is.data.frame(result)) result[] <- lapply(result, with_rows_again, all)
  result
}
