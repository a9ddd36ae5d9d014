# The centres of the basis functions of the relevance vector machine, and the checks of those
# arguments of rvm() that other models do not have.

# NULL, a count, or a matrix with the columns of the model matrix
check_basis <- function(basis, x) {
  if (is.null(basis)) return(NULL)
  if (is_of_matrix_package(basis)) basis <- dense_matrix(basis, "basis")
  if (is.data.frame(basis) || is_sparse(basis)) basis <- as.matrix(basis)
  if (!is.matrix(basis)) {
    if (is.numeric(basis) && length(basis) == 1L) {
      return(check_count(basis, "basis",
        hint = "{.arg basis} may also be NULL for the training rows, or a matrix of centres."))
    }
    found <- describe(basis)
    abort_gpsieve("{.arg basis} must be NULL, a number of centres, or a matrix of centres.",
      "Found {found}.")
  }
  if (!is.numeric(basis)) {
    abort_gpsieve("{.arg basis} must be a numeric matrix.", "Found a {typeof(basis)} matrix.")
  }
  if (ncol(basis) != ncol(x)) {
    abort_gpsieve(
      "{.arg basis} must have a column for every column of the model matrix: {ncol(x)}.",
      "Found {ncol(basis)}.",
      if (ncol(basis) < ncol(x)) "A factor has one column, a 0/1 indicator, for every level.")
  }
  if (nrow(basis) == 0L) abort_gpsieve("{.arg basis} must have at least one row.", "Found none.")
  names <- colnames(basis)
  if (!is.null(names) && !anyDuplicated(names) && setequal(names, colnames(x))) {
    basis <- basis[, colnames(x), drop = FALSE]
  }
  storage.mode(basis) <- "double"
  if (is.null(colnames(basis))) colnames(basis) <- paste0("V", seq_len(ncol(basis)))
  check_finite(basis, "basis")
  points_like(x, basis)
}

# The centres in units of the scaled inputs; a matrix without rows means the training rows
basis_centres <- function(basis, problem) {
  if (is.null(basis)) return(problem$x[0L, , drop = FALSE])
  if (is.matrix(basis)) return(apply_scales(basis, problem$inputs))
  kmeans_centres(problem$x, basis, problem$seed, level_places(problem$inputs))
}

# Is there one starting precision, or one for each candidate?
check_starts <- function(alpha_start, problem, intercept) {
  centres <- if (nrow(problem$centres)) nrow(problem$centres) else nrow(problem$x)
  candidates <- centres + intercept
  if (!length(alpha_start) %in% c(1L, candidates)) {
    abort_gpsieve(
      "{.arg alpha_start} must be one number, or one for each of the {candidates} candidates.",
      "Found {length(alpha_start)}.", if (intercept) "The first candidate is the intercept.")
  }
}

check_rvm_likelihood <- function(likelihood) {
  if (adds_gaussian_noise(likelihood) || observes_sign(likelihood)) return(invisible())
  maker <- likelihood_maker(likelihood)
  abort_gpsieve("{.fn rvm} works with {.fn lik_gaussian} and {.fn lik_probit}.",
    "Found {.fn {maker}}.", "{.fn ivm} works with other likelihoods too.", class = "unsupported")
}

check_rvm_training <- function(problem, algorithm, inference) {
  if (algorithm != "fast" || inference != "naive" || !is_classification(problem$response)) {
    return(invisible())
  }
  abort_gpsieve(
    "Fast updates need the gain in evidence by one function, which naive mean field does not have.",
    "Found {.code algorithm = \"fast\"} with {.code inference = \"naive\"}.",
    "{.code algorithm = \"ssem\"} works with every {.arg inference}.", class = "unsupported")
}
