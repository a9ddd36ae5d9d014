# Divisions of rows into training and test rows for cross-validation.

# The first `judged` folds to judge and the rows of the others to fit; every class is among these
splits_of_folds <- function(fold, y, judged = Inf) {
  ids <- sort(unique(fold))
  lapply(ids[seq_len(min(length(ids), judged))], function(k) {
    train <- fold != k
    if (is.factor(y)) train <- train | !y %in% y[train]
    list(train = which(train), test = which(!train))
  })
}

# Blocks of folds = "time".
time_blocks <- 10L

# The folds as a list of list(fold, train, test) with row numbers.
# Each fold is predicted by the fit to all other rows, blocks of time by that to earlier ones.
parts_of_rows <- function(folds, data, strata, seed) {
  in_time <- identical(folds, "time")
  fold <-
    if (in_time) block_of_rows(data, time_blocks)
    else fold_of_rows(folds, nrow(data), strata, seed)
  ids <- sort(unique(fold))
  if (in_time) ids <- ids[-1L]
  lapply(ids, function(id) {
    list(fold = id, train = which(if (in_time) fold < id else fold != id), test = which(fold == id))
  })
}

fold_of_rows <- function(folds, n, strata, seed) {
  if (length(folds) > 1L) {
    if (length(folds) != n || anyNA(folds)) {
      abort_gpsieve(
        "{.arg folds} must be one number, the fold of each row of {.arg data}, or {.val time}.",
        "Found {length(folds)} values for {n} rows.")
    }
    if (length(unique(folds)) < 2L) abort_gpsieve("{.arg folds} must name two folds or more.")
    return(folds)
  }
  folds <- check_count(folds, "folds", min = 2, max = n)
  shuffled <- draw(n, n, seed, sorted = FALSE)
  if (!is.null(strata)) shuffled <- shuffled[order(as.integer(strata)[shuffled])]
  out <- integer(n)
  out[shuffled] <- rep_len(seq_len(folds), n)
  out
}

# The block of each row in the order of time
block_of_rows <- function(data, blocks) {
  block_of_moments(time_of_rows(data), blocks)
}

# The block of each row by its time, rows of one time together
block_of_moments <- function(moment, blocks) {
  first <- match(sort(moment), sort(moment))[rank(moment, ties.method = "min")]
  block <- ceiling(first / length(moment) * blocks)
  found <- sort(unique(block))
  if (length(found) < 2L) {
    abort_gpsieve("{.code folds = \"time\"} needs rows of two times or more.", "Found one.",
      class = "data")
  }
  match(block, found)
}

# When each row was observed: its one column of dates or times, or its number
time_of_rows <- function(data) {
  dated <- names(Filter(function(column) inherits(column, c("Date", "POSIXct")), data))
  if (!length(dated)) return(seq_len(nrow(data)))
  if (length(dated) > 1L) {
    abort_gpsieve("{.code folds = \"time\"} needs one column of dates or times, or none.",
      "Found {.val {dated}}.", "Leave out the others, or number the folds yourself.",
      class = "data")
  }
  moment <- as.double(data[[dated]])
  if (anyNA(moment)) {
    abort_gpsieve("{.val {dated}}, which orders the rows, must have no missing values.",
      "Row {which(is.na(moment))[1L]} has none.", class = "data")
  }
  moment
}

# Do the weights count copies of rows?
counts_copies <- function(molded) {
  w <- molded$weights
  !is.null(w) && is.null(molded[["noise"]]) && all(w == trunc(w)) && any(w > 1)
}

# How many copies each row of a problem stands for, where its weights count copies; NULL elsewhere
copies_of_rows <- function(problem) {
  w <- problem$cases$weight
  if (counts_copies(list(weights = w, noise = problem$molded[["noise"]]))) w
}

# Splits of rows whose weights count copies: a list of list(train, test, weights), `judged` of
# `folds`. Every copy is held out in one of the folds. `weights` are how many copies of each row of
# the data there are in either part. Whole rows held out would be another question: the rows of a
# table of counts, of which there is one for every response, are all different.
splits_of_copies <- function(molded, folds, judged, seed) {
  weights <- left <- molded$weights
  y <- molded$y
  splits <- vector("list", judged)
  for (k in seq_len(judged)) {
    test <- with_own_seed((seed + k) %% .Machine$integer.max,
      stats::rbinom(length(left), left, 1 / (folds - k + 1)))
    left <- left - test
    # Every class is among the rows to fit.
    if (is.factor(y)) test[!y %in% y[weights > test]] <- 0
    splits[[k]] <- list(train = which(weights > test), test = which(test > 0),
      weights = list(train = weights - test, test = test))
  }
  splits
}

# The rows of one part of a split, `"train"` or `"test"`, with their weights there
molded_part <- function(molded, split, part) {
  rows <- split[[part]]
  out <- molded_rows(molded, rows)
  if (!is.null(split$weights)) out$weights <- split$weights[[part]][rows]
  out
}
