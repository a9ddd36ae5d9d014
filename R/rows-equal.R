# Equal rows: rows with the same inputs, response and offset.
#
# The models that choose basis points among the training rows, or take all of them, see equal rows
# as one row whose weight is the sum of theirs. A fit to w copies of a row is then the fit to the
# row with weight w, bit for bit. A problem made of such rows remembers in `molded$merged` how many
# rows there were, the first row and the members of every group, and the weights that were given.

# Molded data in which each group of equal rows is one row; data without equal rows as they are
merge_equal_rows <- function(molded) {
  molded$y <- canonical_response(molded$y)
  n <- nrow(molded$x)
  first <- first_equal_row(molded)
  distinct <- which(first == seq_len(n))
  if (length(distinct) == n) return(molded)
  group <- match(first, distinct)
  given <- molded$weights
  merged <- molded_rows(molded, distinct)
  merged$weights <- as.vector(rowsum(if (is.null(given)) rep(1, n) else given, group))
  merged[["noise"]] <- molded[["noise"]]
  merged$merged <- list(n = n, rows = distinct, group = group, weights = given)
  merged
}

# For each row the number of the first row that equals it.
# Rows start in one group, which each column of numbers splits further. Rows that are alone in
# their group are settled, so that continuous inputs need little more than one column. The columns
# with the most different values come first.
first_equal_row <- function(molded) {
  x <- molded$x
  n <- nrow(x)
  open <- list(row = seq_len(n), group = rep(1L, n))
  split_by <- function(values_at) {
    if (length(open$row)) open <<- split_groups(open, values_at(open$row))
  }
  for (column in response_columns(molded$y)) split_by(function(rows) column[rows])
  if (!is.null(molded$offset)) split_by(function(rows) molded$offset[rows])
  if (is_sparse(x)) {
    split_by(function(rows) diff(x$start)[rows])
    for (k in seq_len(max(0L, diff(x$start)))) {
      # Rows of one group have equally many stored numbers; those with fewer than k have no more.
      stored <- function(rows) ifelse(diff(x$start)[rows] < k, NA_integer_, x$start[rows] + k)
      split_by(function(rows) x$column[stored(rows)])
      split_by(function(rows) x$value[stored(rows)])
    }
  } else {
    for (j in most_values_first(x)) split_by(function(rows) x[rows, j])
  }
  first <- seq_len(n)
  first[open$row] <- open$row[match(open$group, open$group)]
  first
}

# The columns, those with the most different values among some of the rows first
most_values_first <- function(x) {
  rows <- unique(round(seq(1, nrow(x), length.out = min(nrow(x), 200))))
  values <- vapply(seq_len(ncol(x)), function(j) length(unique(x[rows, j])), 0L)
  order(values, decreasing = TRUE)
}

# Groups of rows, split by one value for each row; rows that are alone in their group are left out
split_groups <- function(open, values) {
  seen <- unique(values)
  key <- (open$group - 1) * length(seen) + match(values, seen)
  group <- match(key, unique(key))
  shared <- tabulate(group)[group] > 1L
  list(row = open$row[shared], group = group[shared])
}

# One value for each row that the user gave, from those of the merged rows
for_given_rows <- function(problem, values) {
  group <- problem$molded$merged$group
  if (is.null(group) || is.null(values)) values else values[group]
}

# How many different rows a fit has seen
distinct_rows <- function(fit) if (is.null(fit$cases$distinct)) fit$n else fit$cases$distinct
