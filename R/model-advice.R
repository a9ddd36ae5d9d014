# Advice about data that would be better modelled in another way: one line each, as messages of
# class gpsieve_advice, said once when a model or gpsieve() is called. Nothing is changed.

# Says what the data suggest; `likelihood` is what the user asked for, NULL if nothing. What is
# compared anyway, as gpsieve() does with rows that are not many, is no advice.
advise <- function(molded, likelihood, compares = FALSE, takes_gap_noise = TRUE) {
  compares <- compares && count_rows(molded) <= most_rows_compared
  text <- said_by_columns(molded)
  said <- c(
    if (is.null(likelihood)) advice_on_response(molded$y, molded$outcome, compares),
    advice_on_trials(molded),
    advice_on_text(text, molded$blueprint$ptypes$predictors),
    advice_on_columns(molded, names(text)),
    advice_on_constants(molded),
    advice_on_weights(molded$weights, is.numeric(molded$y)),
    advice_on_gaps(molded, likelihood, takes_gap_noise)
  )
  for (line in said) {
    # The line is no format string: names of columns may have braces.
    cli::cli_inform(c(i = "{line}"), class = c("gpsieve_advice", "gpsieve_message"))
  }
}

# The value of an expression that fits models for other models: one advice per call is enough
without_advice <- function(expr) {
  withCallingHandlers(expr, gpsieve_advice = function(m) rlang::cnd_muffle(m))
}

# Rows with gaps that have no noise of their own
advice_on_gaps <- function(molded, likelihood, takes_gap_noise) {
  if (!length(intersect(gap_columns(molded$blueprint$design), molded$columns))) return(NULL)
  beside <-
    if (!takes_gap_noise) "in this model"
    else if (!is.null(molded$noise_sd)) "beside known noise"
    else if (!is.null(molded$weights)) "beside weights"
    else if (has_changing_noise(likelihood)) "beside noise that changes"
  if (is.null(beside)) return(NULL)
  paste("Rows with missing inputs have no noise of their own", beside,
    "(?kernel_gap_noise): they are predicted with too much confidence.")
}

# Columns that have one value in all rows
advice_on_constants <- function(molded) {
  if (!is.null(molded$rows) || is_sparse(molded$x) || count_rows(molded) < 2L) return(NULL)
  x <- molded$x
  few <- x[seq_len(min(nrow(x), 100L)), , drop = FALSE]
  suspect <- which(vapply(seq_len(ncol(x)), function(j) is_constant(few[, j]), NA))
  constant <- suspect[vapply(suspect, function(j) is_constant(x[, j]), NA)]
  if (!length(constant)) return(NULL)
  inputs <- user_columns(list(blueprint = molded$blueprint,
    inputs = list(center = stats::setNames(numeric(ncol(x)), molded$columns))))
  names <- names(inputs)[vapply(inputs, function(own) all(own %in% constant), NA)]
  if (!length(names)) return(NULL)
  shown <- utils::head(names, most_named_constants)
  more <- length(names) - length(shown)
  sprintf("%s%s: the same value in every row, which changes no prediction.",
    toString(shown), if (more) paste(" and", more, "more columns") else "")
}

most_named_constants <- 5L

is_constant <- function(x) !anyNA(x) && all(x == x[1L])

# With more rows gpsieve() has machines on parts of them, of one likelihood.
most_rows_compared <- 4000

advice_on_response <- function(y, name, compares = FALSE) {
  plain <- is.numeric(y) && !is.object(y) && is.null(dim(y)) && length(y) && all(is.finite(y))
  if (!plain) return(NULL)
  if (all(y %in% 0:1) && length(unique(y)) == 2L) {
    sprintf("%s is 0 and 1 only: factor(%s) as the response gives probabilities.", name, name)
  } else if (compares) {
    NULL
  } else if (looks_like_counts(y)) {
    sprintf("%s holds counts: likelihood = lik_poisson() may suit them better.", name)
  } else if (is_positive_and_skewed(y)) {
    sprintf("%s is positive and skewed: log(%s) as the response may fit better.", name, name)
  }
}

# Whole numbers from 0, small enough for their noise to differ from Gaussian noise, and not less
# spread than Poisson counts: grades and numbers of cylinders are
looks_like_counts <- function(y) {
  length(y) >= fewest_for_advice && spread_as_counts(y) && stats::median(y) < largest_small_count
}

spread_as_counts <- function(y) {
  all(y >= 0 & y == round(y)) && isTRUE(stats::var(y) >= 0.9 * mean(y))
}

# Positive numbers whose logarithms are clearly less skewed
is_positive_and_skewed <- function(y) {
  # The third power of very large numbers is not finite: they get no advice.
  length(y) >= fewest_for_advice && all(y > 0) && isTRUE(skewness(y) > 1.5) &&
    abs(skewness(log(y))) < 0.5 * skewness(y)
}

fewest_for_advice <- 20
largest_small_count <- 20

skewness <- function(y) {
  y <- y - mean(y)
  spread <- mean(y^2)
  if (spread > 0) mean(y^3) / spread^1.5 else 0
}

# A factor with as many levels as rows tells nothing about new rows; `but` are columns of which
# something else has been said
advice_on_columns <- function(molded, but) {
  design <- molded$blueprint$design
  n <- count_rows(molded)
  if (n < fewest_for_advice) return(NULL)
  own <- vapply(design$encodings, function(encoding) {
    encoding$kind == "category" && sum(encoding$shares > 0) >= n
  }, NA)
  sprintf("%s has another value in every row, as an id has: leave it out?",
    setdiff(names(design$variables)[own], but))
}

# Shares whose weights are numbers of trials, as glm() takes them
advice_on_trials <- function(molded) {
  y <- molded$y
  trials <- case_weights_of(molded)
  in_memory <- is.null(molded$rows) && is.null(molded[["noise"]]) && !is.null(molded$weights)
  shares <- in_memory && is.numeric(y) && is.null(dim(y)) && all(y >= 0 & y <= 1) &&
    any(y > 0 & y < 1)
  successes <- if (shares) y * trials
  whole <- function(x) all(abs(x - round(x)) <= 1e-6 * pmax(1, abs(x)))
  if (!shares || !whole(trials) || !whole(successes)) return(NULL)
  sprintf(paste("%s times its weight is a whole number in every row: as successes among trials the",
    "response is cbind(successes, failures)."), molded$outcome)
}

# Weights that are no whole numbers, and not near 1 on average or very different, were probably not
# meant as copies: those of numbers may be inverse variances
advice_on_weights <- function(weights, numbers) {
  if (is.null(weights) || all(weights == round(weights))) return(NULL)
  average <- mean(weights)
  alike <- max(weights) < most_alike * min(weights[weights > 0])
  if (alike && average > 0.5 && average < 2) return(NULL)
  paste0(sprintf("weights add up to %s for %d rows: a row of weight w counts as w rows.",
    number_text(sum(weights), 3), length(weights)),
  if (numbers) " Inverse variances are noise_sd = 1 / sqrt(weights).")
}

most_alike <- 100
