# Rows divided among machines by trees of cuts (src/core/partition/theory.md), and what a fit made
# of many machines answers.
#
# A partitioned fit has the element `partition`:
#
#   trees   for each tree its cuts in vectors: column, cut, margin, left, right, on the scale of
#           computation; a side is the number of another cut, or minus the number of a leaf
#   rows    the number of training rows of each machine, those of the first tree's leaves first
#   hashes  a text for each machine's rows, by which update() tells which have changed
#   terms   the terms of each tree where they have different ones: R/fit-partition-terms.R
#
# Its posteriors and sites are those of all machines, the latent functions of a machine in a row. A
# new row asks one machine or several; which ones, and with which weights, are its visits:
# list(row, machine, weight), in order of the machines and, within a machine, of the rows.

is_partitioned <- function(fit) !is.null(fit$partition)

# How many machines a fit consists of.
count_machines <- function(fit) if (is_partitioned(fit)) length(fit$partition$rows) else 1L

# The trees -------------------------------------------------------------------------------------

# Streams of random numbers of the trees; those of the machines count from 0.
first_tree_stream <- 2^40
# Sparse inputs are cut along at most so many columns: those with the most numbers that are not 0.
most_sparse_columns <- 100L
# A column in which a smaller share of the rows differs from zero is not cut.
least_share <- 0.05

# Rows are divided in two steps, because those of a source are not held at once: the cuts of a
# random sample make parts of about so many leaves, the cuts of a part's own rows its leaves.
leaves_of_part <- 4
# A part with at most so many rows of the sample is not cut.
least_sampled <- 16

# How rows are divided: list(trees, rows, leaf_rows, in_margin, columns, scale), of which `trees`
# cut the sample into parts. Trees after the first draw the columns that they cut.
plan_partition <- function(problem, leaf_rows, trees, overlap) {
  columns <- divisible_columns(problem$x)
  scale <- 1 / kernel_rates(problem$kernel, ncol(problem$x))$rate[columns]
  if (!any(is.finite(scale))) scale[] <- 1
  rows <- rows_to_divide(problem)
  sample <- if (is.null(problem$rows)) sampled_rows(rows) else seq_len(nrow(problem$x))
  x <- dense_columns(problem$x[sample, , drop = FALSE], columns)
  plan <- list(
    rows = rows, leaf_rows = leaf_rows, columns = columns, scale = scale,
    in_margin = call_core(core_margin_share, x, scale, overlap, rows, leaf_rows, problem$seed,
      first_tree_stream + 1)
  )
  # An earlier fit's leaves are cut only where they have grown.
  plan$trees <- problem$earlier$partition$trees
  if (!is.null(plan$trees)) return(plan)
  most <- leaves_of_part * leaf_rows
  plan$trees <- lapply(seq_len(trees), function(tree) {
    if (rows <= max(most, sample_size)) return(uncut_tree)
    of_sample <- max(least_sampled, ceiling(most * length(sample) / rows))
    grow_tree(problem, plan, x, of_sample, tree)
  })
  plan
}

uncut_tree <- list(
  column = integer(), cut = numeric(), margin = numeric(), left = integer(), right = integer()
)

# How many rows the trees divide: equal rows in memory are one
rows_to_divide <- function(problem) {
  if (is.null(problem$rows)) nrow(problem$x) else problem$scan$n
}

# The tree that cuts rows x into leaves of at most `leaf_rows`: the parts of a tree, or with the
# number of a `part` its leaves. `x` holds the columns of the plan.
grow_tree <- function(problem, plan, x, leaf_rows, tree, part = 0) {
  options <- list(leaf_rows = leaf_rows, random_columns = tree > 1L, in_margin = plan$in_margin)
  # At most 1000 trees: check_trees().
  stream <- first_tree_stream + tree + 1024 * part
  grown <- call_core(core_partition_tree, x, plan$scale, options, problem$seed, stream)
  grown$column <- plan$columns[grown$column]
  grown
}

# The trees of leaves of the parts of a tree, from the rows that belong to each part
part_tree <- function(problem, plan, x, tree, part) {
  # A tree without cuts has one part, whose numbers are those of the tree.
  number <- if (length(plan$trees[[tree]]$column)) part else 0
  grow_tree(problem, plan, dense_columns(x, plan$columns), plan$leaf_rows, tree, number)
}

# A partition of the rows of a problem in memory: list(trees, rows), the visits of its rows, and the
# `counts` that counts_of_visits() makes of these.
# Where the first tree cuts nothing the others would cut nothing either, and are left out.
partition_rows <- function(problem, plan) {
  grown <- list()
  for (tree in seq_along(plan$trees)) {
    own <- leaves_of_rows(plan$trees[[tree]], problem$x, problem)
    parts <- lapply(split(seq_along(own), own), function(rows) {
      x <- if (length(rows) < length(own)) problem$x[rows, , drop = FALSE] else problem$x
      part_tree(problem, plan, x, tree, own[rows[1L]])
    })
    grown[[tree]] <- graft_tree(plan$trees[[tree]], parts, ncol(problem$x))
    if (!length(grown[[1L]]$column)) break
  }
  visits <- visits_of(grown, problem$x, core_settings(problem$threads))
  list(
    trees = grown, rows = tabulate(visits$machine, sum(leaf_counts(grown))), visits = visits,
    counts = counts_of_visits(problem, visits, length(grown))
  )
}

# What the evidence of each machine counts for where rows near borders take part in several machines
# of a tree: the average, over its rows, of 1 over the number of machines that have the row, so that
# each row counts once. NULL where all rows take part in one machine of each of so many trees.
counts_of_visits <- function(problem, visits, trees) {
  row <- visits$row
  times <- tabulate(row, nrow(problem$y))
  if (all(times == trees)) return(NULL)
  weight <- if (length(problem$cases$weight)) problem$cases$weight else rep(1, nrow(problem$y))
  sums <- rowsum(cbind(weight[row] / times[row], weight[row]), visits$machine)
  sums[, 1L] / sums[, 2L]
}

# A tree with a tree in the place of each of its leaves
graft_tree <- function(coarse, parts, p) {
  call_core(core_grafted_tree, coarse, unname(parts), p)
}

# The leaf that each row belongs to
leaves_of_rows <- function(tree, x, problem) {
  used <- used_by_trees(list(tree))
  call_core(core_leaves, used$trees[[1L]], dense_columns(x, used$columns),
    core_settings(problem$threads))
}

leaf_counts <- function(trees) vapply(trees, function(tree) length(tree$column) + 1L, 0L)

# The columns that a tree may cut
divisible_columns <- function(x) {
  if (!is_sparse(x)) return(seq_len(ncol(x)))
  filled <- tabulate(x$column + 1L, x$p)
  dense <- which(filled >= least_share * nrow(x))
  sort(utils::head(dense[order(-filled[dense])], most_sparse_columns))
}

dense_columns <- function(x, columns) unname(as.matrix(x[, columns, drop = FALSE]))

# How fast a kernel's covariance falls along each of p columns: list(variance, rate).
# The rate of a leaf is the inverse of its lengthscale, 0 where the covariance does not fall.
# The rates of a product add up; those of a sum count by the variances.
kernel_rates <- function(kernel, p) {
  if (is_restricted(kernel)) {
    inner <- kernel_rates(kernel$children[[1L]], length(kernel$dims))
    return(list(variance = inner$variance, rate = replace(numeric(p), kernel$dims, inner$rate)))
  }
  if (is_input_map(kernel)) {
    inner <- kernel_rates(kernel$children[[1L]], p)
    if (is_mix(kernel)) inner$rate <- rates_of_mix(kernel, inner$rate)
    return(inner)
  }
  if (!length(kernel$children)) return(leaf_rates(kernel, p))
  parts <- lapply(kernel$children, kernel_rates, p)
  variance <- vapply(parts, `[[`, 0, "variance")
  rate <- matrix(vapply(parts, `[[`, numeric(p), "rate"), p)
  if (is_product(kernel)) return(list(variance = prod(variance), rate = rowSums(rate)))
  list(variance = sum(variance), rate = drop(rate %*% (variance / sum(variance))))
}

leaf_rates <- function(kernel, p) {
  variance <- kernel$values$variance
  list(
    variance = if (is.null(variance)) 1 else variance,
    rate = rep_len(as.double(kernel_kind(kernel)$rate(kernel)), p)
  )
}

# The visits of rows on the scale of computation
visits_of <- function(trees, x, settings) {
  used <- used_by_trees(trees)
  call_core(core_visits, used$trees, dense_columns(x, used$columns), settings)
}

# Trees by the numbers of the columns that they cut, list(trees, columns)
used_by_trees <- function(trees) {
  used <- sort(unique(unlist(lapply(trees, `[[`, "column"))))
  trees <- lapply(trees, function(tree) {
    tree$column <- match(tree$column, used)
    tree
  })
  list(trees = trees, columns = used)
}

# Predicting ------------------------------------------------------------------------------------

# Latent marginals at the visits of rows, list(mean, variance, visits); those at the rows
# themselves, and no visits, where the fit is one machine
machine_marginals <- function(fit, x, variance, settings) {
  if (is_of_terms(fit)) return(marginals_of_terms(fit, x, variance, settings))
  if (!is_partitioned(fit)) {
    return(call_core(core_predict, kernel_spec(fit$kernel), fit$basis, fit$posteriors, x, variance,
      settings))
  }
  visits <- visits_of(fit$partition$trees, x, settings)
  found <- call_core(core_predict_visits, kernel_spec(fit$kernel), fit$basis, fit$posteriors,
    length(fit$posteriors) %/% count_machines(fit), visits, x, variance, settings)
  c(found, list(visits = visits))
}

# Mean and variance of the mixture of the machines that each of n rows visits
mix_visits <- function(found, n) {
  if (is.null(found$visits)) return(found)
  call_core(core_mix_visits, found$visits, found$mean, found$variance, n)
}

# Covariances between rows, one matrix for each latent function: src/core/posterior/theory.md (12)
partition_covariances <- function(fit, x, settings) {
  if (is_of_terms(fit)) return(covariances_of_terms(fit, x, settings))
  found <- machine_marginals(fit, x, FALSE, settings)
  visits <- found$visits
  n <- nrow(x)
  middle <- mix_visits(found, n)$mean
  share <- visits$weight / rowsum(visits$weight, visits$row)[as.character(visits$row), ]
  out <- rep(list(matrix(0, n, n)), ncol(middle))
  for (at in split(seq_along(visits$row), visits$machine)) {
    rows <- visits$row[at]
    machine <- one_machine(fit, visits$machine[at[1L]])
    own <- call_core(core_joint_covariance, kernel_spec(fit$kernel), machine$basis,
      machine$posteriors, x[rows, , drop = FALSE], settings)
    apart <- found$mean[at, , drop = FALSE] - middle[rows, , drop = FALSE]
    weights <- sqrt(tcrossprod(share[at]))
    for (k in seq_along(out)) {
      out[[k]][rows, rows] <- out[[k]][rows, rows] + weights * (own[[k]] + tcrossprod(apart[, k]))
    }
  }
  out
}

# The posteriors of a machine, which refer to the points that it needs alone
one_machine <- function(fit, number) {
  k <- length(fit$posteriors) %/% count_machines(fit)
  posteriors <- fit$posteriors[(number - 1L) * k + seq_len(k)]
  used <- unique(unlist(lapply(posteriors, `[[`, "basis")))
  list(basis = fit$basis[used, , drop = FALSE], posteriors = with_basis_among(posteriors, used))
}

# The object ------------------------------------------------------------------------------------

# The partition of a fit is made of trees, with one machine for each leaf. The core checks the
# trees once more.
valid_partition <- function(fit) {
  partition <- fit$partition
  is.null(partition) || (is.list(partition$trees) && length(partition$trees) &&
    all(vapply(partition$trees, valid_tree, NA, ncol(fit$basis))) &&
    is.integer(partition$rows) && !anyNA(partition$rows) &&
    length(partition$rows) == sum(leaf_counts(partition$trees)) &&
    (is.null(partition$hashes) || (is.character(partition$hashes) &&
      length(partition$hashes) == length(partition$rows))) &&
    length(fit$posteriors) %% length(partition$rows) == 0L &&
    length(fit$sites) == length(fit$posteriors))
}

valid_tree <- function(tree, columns) {
  numbers <- vapply(tree[c("column", "left", "right")], is.integer, NA)
  is.list(tree) && all(numbers) && is.double(tree$cut) && is.double(tree$margin) &&
    length(unique(lengths(tree[c("column", "cut", "margin", "left", "right")]))) == 1L &&
    all(tree$column %in% seq_len(columns)) && all(is.finite(c(tree$cut, tree$margin)))
}

partition_words <- function(fit) {
  if (!is_partitioned(fit)) return(NULL)
  trees <- length(fit$partition$trees)
  rows <- range(fit$partition$rows)
  leaves <- leaf_counts(fit$partition$trees)
  paste0(
    in_thousands(sum(leaves)), " of ",
    paste(in_thousands(unique(rows)), collapse = " to "), " rows",
    if (is_of_terms(fit)) ", in a tree for each term of the function"
    else if (trees > 1L) paste0(", in ", trees, " trees")
  )
}

# The latent functions at the rows of a problem without the row itself, from those of the leaves
# that each of them visits, in the form of the core's results
cavities_of_rows <- function(latents, visits, problem) {
  k <- n_latents(problem)
  of_class <- function(name) {
    columns <- lapply(seq_len(k), function(class) {
      unlist(lapply(latents[seq(class, length(latents), by = k)], `[[`, name))
    })
    do.call(cbind, columns)
  }
  at <- list(
    visits = visits, mean = of_class("cavity_mean"), variance = of_class("cavity_variance")
  )
  if (NROW(at$mean) != length(visits$row)) return(rep(list(list()), k))
  found <- mix_visits(at, nrow(problem$y))
  lapply(seq_len(k), function(class) {
    list(cavity_mean = found$mean[, class], cavity_variance = found$variance[, class])
  })
}

# One row for each machine: its evidence, the time until it was fitted if the machines are fitted
# one after the other, and how many active points there are by then
trace_of_parts <- function(latents, k) {
  ends <- vapply(latents, function(latent) utils::tail(latent$trace$seconds, 1L), 0)
  machine <- (seq_along(latents) - 1L) %/% k
  by_machine <- function(values, sum) as.vector(tapply(values, machine, sum))
  evidence <- by_machine(vapply(latents, `[[`, 0, "log_evidence"), sum)
  data.frame(
    iteration = seq_along(evidence), objective = evidence,
    seconds = cumsum(by_machine(ends, max)),
    size = cumsum(by_machine(lengths(lapply(latents, function(l) l$posterior$basis)), sum))
  )
}

# Latent marginals of the sum of the trees
marginals_of_terms <- function(fit, x, variance, settings) {
  sum_of_moments(lapply(fits_of_trees(fit), latent_marginals, x, variance, settings))
}

# Latent means and variances on the scale of computation, n x K matrices; `offset` is that of the
# rows, on the response's scale
latent_marginals <- function(fit, x, variance, settings, offset = NULL) {
  found <- mix_visits(machine_marginals(fit, x, variance, settings), nrow(x))
  if (!is.null(offset)) found$mean <- found$mean + offset / latent_scale(fit)
  found
}
