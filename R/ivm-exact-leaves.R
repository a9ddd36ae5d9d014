# Leaves of a partition in which every row takes part: dense Gaussian processes. With Gaussian noise
# each leaf is one Cholesky factor; other likelihoods have the sites of TAP mean field, the fixed
# point of expectation propagation (src/core/models/meanfield/theory.md). They are what local_gp()
# fits, and ivm() to leaves unless fewer active points are asked for.

# Do all rows of a leaf take part in its machine? The likelihood must be log-concave, and `refine`
# not ask for the machine of the paper, whose sites are those of its selection.
has_exact_leaves <- function(problem, settings) {
  !is.null(settings$leaf_rows) && settings$n_active >= settings$leaf_rows &&
    settings$refine > 0 && takes_mean_field(problem$likelihood)
}

# How the core fits exact leaves. `sizes`: about how many rows the leaves have. A trial predicts
# once, with all leaves, and is then forgotten: it keeps its factors.
exact_leaf_options <- function(problem, sizes) {
  bytes <- 8 * n_latents(problem) * sum(as.double(sizes)^2) / 2
  c(
    meanfield_options("tap", "response", exact_leaf_rounds, exact_leaf_tol, gradient = FALSE,
      keep_factor = bytes <= factor_bytes() || isTRUE(problem$trial)),
    list(exact = TRUE)
  )
}

# The bytes up to which a fit keeps the triangles of its leaves. Beyond, a prediction with variances
# makes anew the factors of the leaves that its rows visit, from the kernel, the rows and the
# precisions of the sites: as much work again as the fit of these leaves.
factor_bytes <- function() {
  limit <- getOption("gpsieve.max_factors", 1e8)
  check_number(limit, "options(gpsieve.max_factors)", min = 0)
}

# Rounds of TAP, and the change of the cavity variances at which they end.
exact_leaf_rounds <- 100
exact_leaf_tol <- 1e-3

# The rows whose cavities are wanted as a flag for each row of the problem; logical() for all
judged_flags <- function(problem) {
  if (is.null(problem$is_judged)) logical() else problem$is_judged
}

# What the fit calls itself: list(title, method, basis, kind), `kind` that of its evidence
leaf_labels <- function(problem, settings) {
  if (!has_exact_leaves(problem, settings)) {
    return(list(
      title = "Informative vector machine", method = ivm_method(settings$refine),
      basis = "active rows", kind = "active set"
    ))
  }
  exact <- has_gaussian_sites(problem$likelihood)
  list(
    title = "Local Gaussian processes", method = if (exact) "exact" else meanfield_words[["tap"]],
    basis = "rows",
    kind =
      if (identical(settings$trees, "terms")) evidence_of_terms else if (exact) "exact" else "ep"
  )
}

# Where trees are terms, the sum over the leaves of the last one, given what the others say
evidence_of_terms <- "no evidence: that of one tree, given the others"
