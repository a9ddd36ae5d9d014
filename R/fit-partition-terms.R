# Partitions of which each tree has a part of the kernel's sum: ivm(trees = "terms"). The latent
# function is the sum of the functions of the trees
# (src/core/partition/theory.md#a-tree-for-each-term).
#
# The element `partition` of such a fit has `terms`: for each tree the numbers of its terms among
# the children of the kernel.

is_of_terms <- function(fit) !is.null(fit$partition$terms)

# How often the machines of every tree are fitted.
rounds_of_terms <- 2L

# The terms of each tree: a tree for every term whose covariance falls with distance; terms of
# which one part of the rows knows as much as another (linear, constant, white) are with the first.
# NULL unless two terms or more fall.
terms_of_trees <- function(kernel) {
  falls <- vapply(kernel_sum_terms(kernel), falls_with_distance, NA)
  if (sum(falls) < 2L) return(NULL)
  trees <- as.list(which(falls))
  trees[[1L]] <- c(trees[[1L]], which(!falls))
  trees
}

# Does the covariance of a kernel fall with distance in any of its columns? Of a leaf, one column
# tells.
falls_with_distance <- function(kernel) {
  leaves <- Filter(function(leaf) !is_input_map(leaf$kernel), kernel_leaves(kernel))
  any(vapply(leaves, function(leaf) leaf_rates(leaf$kernel, 1L)$rate > 0, NA))
}

# The terms with these numbers of a kernel that is a sum
sum_of_terms <- function(kernel, numbers) {
  terms <- kernel_sum_terms(kernel)[numbers]
  if (length(terms) == 1L) terms[[1L]] else new_kernel("sum", children = terms)
}

# The number of trees that `trees` of ivm() asks for
count_trees <- function(trees, problem) {
  if (!identical(trees, "terms")) return(trees)
  length(terms_of_trees(problem$kernel))
}

# Refuses what trees of terms cannot be made of, before any work: they need what machines say
# without each row, and a noise that the variance of the other terms is added to
check_terms <- function(problem, refine) {
  refuse <- function(found, hint) {
    abort_gpsieve("{.code trees = \"terms\"} does not suit this fit.", found, hint,
      class = "unsupported")
  }
  if (refine < 1) refuse("Found {.code refine = 0}.", "It needs a pass of EP or more.")
  if (!is.null(problem$rows)) refuse("Found a source of rows.", "It needs all rows in memory.")
  if (is.null(terms_of_trees(problem$kernel))) {
    refuse("Found a kernel that is no sum of two terms that depend on distance.",
      "{.fn kernel_rich} has two of them.")
  }
  other <-
    if (n_latents(problem) > 1L) paste(n_latents(problem), "classes")
    else if (!is.null(problem$molded[["noise"]])) "known noise"
    else if (is.null(added_noise(problem$likelihood, 0))) format(problem$likelihood)
  if (!is.null(other)) {
    refuse(paste0("Found ", other, "."),
      "It needs {.fn lik_gaussian} with one noise, {.fn lik_warped} or, for two classes,
       {.fn lik_probit}: the variance of the other terms is added to the noise.")
  }
}

# A probit or Gaussian likelihood with more noise, NULL for others
added_noise <- function(likelihood, variance) {
  name <- family_of(likelihood)$more_noise
  if (is.null(name) || !is.null(likelihood$noise)) return(NULL)
  likelihood$values[[name]] <- likelihood$values[[name]] + variance
  likelihood
}

# The problem of a tree where the sum of the other terms has this mean and variance at every row:
# their mean is an offset, their variance, averaged over the rows, is added to the noise
given_other_terms <- function(problem, others) {
  weight <- problem$cases$weight
  problem$cases$offset <- offsets_of_rows(problem) + others$mean
  problem$likelihood <- added_noise(problem$likelihood,
    if (length(weight)) stats::weighted.mean(others$variance, weight) else mean(others$variance))
  problem
}

# Mean and variance of a sum of independent terms at every row
sum_of_moments <- function(said) {
  total <- function(name) Reduce(`+`, lapply(said, `[[`, name))
  list(mean = total("mean"), variance = total("variance"))
}

offsets_of_rows <- function(problem) {
  offset <- problem$cases$offset
  if (length(offset)) offset else numeric(nrow(problem$y))
}

# What the sum of the trees says of the judged rows (NULL: all) without the row itself, in the form
# of the core's results
cavities_of_terms <- function(partition, judged) {
  without <- lapply(partition$without, function(values) {
    if (is.null(judged)) values else values[judged]
  })
  list(list(cavity_mean = without$mean, cavity_variance = without$variance))
}

# A term before any machine of it is fitted: its prior at every row, without the prior mean
term_before_fit <- function(problem) {
  n <- nrow(problem$y)
  variance <- kernel_rates(problem$kernel, length(problem$inputs$center))$variance
  list(mean = numeric(n), variance = rep(variance, n))
}

# A fit of trees of terms as one fit for each tree, with its terms for a kernel
fits_of_trees <- function(fit) {
  tree_of_machine <- rep(seq_along(fit$partition$trees), leaf_counts(fit$partition$trees))
  lapply(seq_along(fit$partition$trees), function(tree) {
    own <- tree_of_machine == tree
    fit$kernel <- sum_of_terms(fit$kernel, fit$partition$terms[[tree]])
    fit$posteriors <- fit$posteriors[own]
    fit$partition <- list(trees = fit$partition$trees[tree], rows = fit$partition$rows[own])
    fit
  })
}

# The tree of a fit that has the term with this number, as a fit; the fit itself where all machines
# have all terms
fit_with_term <- function(fit, number) {
  if (!is_of_terms(fit)) return(fit)
  fits_of_trees(fit)[[which(vapply(fit$partition$terms, function(own) number %in% own, NA))]]
}

# Covariances of the sum of the trees, one matrix for each latent function
covariances_of_terms <- function(fit, x, settings) {
  each <- lapply(fits_of_trees(fit), partition_covariances, x, settings)
  Reduce(function(a, b) Map(`+`, a, b), each)
}

# The machines whose evidences are that of the fit: those of all trees, on average over the trees,
# or where trees are terms those of the last tree, given what the other trees say
counted_latents <- function(latents, partition) {
  if (is.null(partition$terms)) return(latents)
  utils::tail(latents, utils::tail(leaf_counts(partition$trees), 1L))
}

counted_trees <- function(partition) {
  if (is.null(partition$terms)) max(1L, length(partition$trees)) else 1L
}

# The sum of values of machines, several for each where there are several latent functions, in
# which each row counts once
sum_of_machines <- function(values, partition) {
  counts <- partition$counts
  if (is.null(counts)) return(sum(values) / counted_trees(partition))
  sum(values * rep(counts, each = length(values) / length(counts)))
}
