# Centres of clusters, for basis functions and inducing inputs.

#' k-means centres of the rows of x: k-means++ starts, then Hartigan and Wong
#'
#' Where x has no more than k distinct rows these are the centres. Deterministic given the seed;
#' R's generator is left as it was.
#' @noRd
kmeans_centres <- function(x, k, seed) {
  x <- unname(x)
  distinct <- unique(x)
  if (nrow(distinct) <= k) return(distinct)
  if (k == 1L) return(matrix(colMeans(x), 1L)) # kmeans() takes one number for a count of centres
  start <- with_own_seed(seed, kmeans_start(x, k))
  # A cluster may run empty, or the iterations end early: the centres so far are good enough.
  found <- tryCatch(
    suppressWarnings(stats::kmeans(x, start, iter.max = 50L)$centers),
    error = function(e) start
  )
  unname(found)
}

#' k rows, each drawn with probability proportional to its squared distance from those before
#' @noRd
kmeans_start <- function(x, k) {
  scale <- max(abs(x))
  if (scale > 0) x <- x / scale # squares neither overflow nor vanish
  chosen <- sample.int(nrow(x), 1L)
  nearest <- squared_distances(x, chosen)
  while (length(chosen) < k) {
    following <- sample.int(nrow(x), 1L, prob = nearest)
    chosen <- c(chosen, following)
    nearest <- pmin(nearest, squared_distances(x, following))
  }
  if (scale > 0) x[chosen, , drop = FALSE] * scale else x[chosen, , drop = FALSE]
}

squared_distances <- function(x, row) rowSums(sweep(x, 2L, x[row, ])^2)
