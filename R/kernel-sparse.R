# Kernels of rows of which most numbers are zero.

# The Euclidean distances between the rows, n x n
sparse_distances <- function(x) {
  k <- call_core(core_kernel_matrix, kernel_spec(kernel_linear()), x, NULL)
  norms <- outer(diag(k), diag(k), `+`)
  squares <- norms - 2 * k
  sqrt(ifelse(squares > 1e-14 * norms, squares, 0)) # equal rows differ by rounding
}

check_sparse_kernel <- function(kernel, x) {
  if (!is_sparse(x)) return(invisible())
  strange <- Find(function(kind) !kind$sparse, kinds_in(kernel))
  if (is.null(strange)) return(invisible())
  takes <- Filter(function(kind) kind$sparse && !kind$operator, kernel_kinds)
  takes <- vapply(takes, `[[`, "", "maker")
  abort_gpsieve("{.fn {strange$maker}} does not take sparse rows.",
    "{.fn {takes}} do, and sums and products of them.",
    "{.code as.matrix(x)} makes the inputs dense, if they fit into memory.", class = "unsupported")
}
