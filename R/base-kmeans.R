# Centres of clusters of rows, which serve as centres of basis functions and as inducing inputs.

# k-means centres of the rows of x: k-means++ starts, then Hartigan and Wong.
# If x has at most k distinct rows, they are the centres. The result depends on x, k and the seed
# alone, and the state of R's generator is restored. Centres of sparse rows would not be sparse,
# and means of level numbers, in the columns `levels`, are no levels: the rows that k-means++
# starts from take their place.
kmeans_centres <- function(x, k, seed, levels = integer()) {
  if (is_sparse(x) || length(levels)) {
    return(without_names(with_own_seed(seed, kmeans_start(x, k, levels))))
  }
  x <- unname(x)
  distinct <- unique(x)
  if (nrow(distinct) <= k) return(distinct)
  if (k == 1L) return(matrix(colMeans(x), 1L)) # kmeans() takes one number for a count of centres
  start <- with_own_seed(seed, kmeans_start(x, k))
  # A row as far from one centre as from another belongs to either by rounding, which is another in
  # other units of the inputs. Of rounded rows it is the same.
  rounded <- function(rows) round(rows / max(abs(x)), 10L)
  cluster <- on_error(
    suppressWarnings(stats::kmeans(rounded(x), rounded(start), iter.max = 50L)$cluster),
    function(e) NULL
  )
  # Where kmeans() fails because a cluster is empty, the k-means++ starts are the centres.
  if (is.null(cluster)) return(start)
  unname(rowsum(x, cluster)) / tabulate(cluster, k)
}

# k rows, each drawn with probability proportional to its squared distance from those before
kmeans_start <- function(x, k, levels = integer()) {
  given <- x
  if (length(levels)) x <- x[, -levels, drop = FALSE]
  scale <- if (is_sparse(x) || !length(x)) 0 else max(abs(x))
  if (scale > 0) x <- x / scale # so that squared distances neither overflow nor underflow
  distances <- function(row) {
    other <- if (length(levels)) different_levels(given[, levels, drop = FALSE], row) else 0
    squared_distances(x, row) + other
  }
  chosen <- sample.int(nrow(x), 1L)
  nearest <- distances(chosen)
  while (length(chosen) < k && any(nearest > 0)) {
    # sample.int() sorts the probabilities: rows at the same distance, which rounding makes
    # different in other units of the inputs, must keep their order.
    following <- sample.int(nrow(x), 1L, prob = signif(nearest, 12))
    chosen <- c(chosen, following)
    nearest <- pmin(nearest, distances(following))
  }
  if (scale > 0 && !length(levels)) x[chosen, , drop = FALSE] * scale
  else given[chosen, , drop = FALSE]
}

squared_distances <- function(x, row) {
  if (is_sparse(x)) sparse_distances_from(x, row) else rowSums(sweep(x, 2L, x[row, ])^2)
}

# In how many columns each row has another level than one of them
different_levels <- function(x, row) rowSums(x != rep(x[row, ], each = nrow(x)))

# The numbers of the columns of level numbers
level_places <- function(inputs) match(inputs$levels, names(inputs$center))
