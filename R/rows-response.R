# The kind of a response, its coding for the core, and predictions in the user's terms.
#
#   real, count   one latent function; numbers (standardised where that makes sense)
#   positive      the same for positive numbers, share for those between 0 and 1
#   trials        successes among trials; these and censored numbers are pairs (likelihood-pairs.R)
#   ordinal       one latent function; codes 0, 1, ... of the levels with rows
#   binary        one latent function; the second level is +1
#   multiclass    one latent function per class, each class (+1) against the rest (-1)

# Describes and encodes y: list(kind, levels, present, center, scale, name) and the matrix with the
# columns of each latent function. `counts` holds the number of rows of each level where y is a
# sample of more rows. Of numbers the list has one for each row, `numbers`, for start values.
new_response <- function(y, n, name, counts = NULL) {
  y <- canonical_response(y)
  check_response_values(y, n)
  if (is.factor(y)) class_response(y, name, counts) else number_response(y, name)
}

# One value for each row, none missing or infinite
check_response_values <- function(y, n) {
  check_response_length(y, n)
  bad <- which(is_unknown(y))
  if (length(bad)) {
    abort_gpsieve("The response must not be missing or infinite.",
      "Found {length(bad)} such value{?s}, the first {format(y[bad[1]])} in row {bad[1]}.",
      "Remove those rows first.", class = "data")
  }
}

# In which rows a response is missing or infinite; an interval may have one infinite end
is_unknown <- function(y) {
  if (is.factor(y)) return(is.na(as.character(y)))
  if (!is_pairs(y)) return(!is.finite(y))
  infinite <- is.infinite(pair_first(y)) + is.infinite(pair_second(y))
  is.na(y) | infinite > (pairs_kind(y) == "censored")
}

check_response_length <- function(y, n) {
  if (length(y) == n) return(invisible())
  abort_gpsieve("{.arg y} must have one value for each row of {.arg x}.",
    "Found {length(y)} value{?s} for {n} row{?s}.", class = "data")
}

canonical_response <- function(y) {
  y <- with_pairs(y)
  if (is_pairs(y)) return(y)
  if (is.data.frame(y) || is.matrix(y)) {
    if (ncol(y) != 1L) {
      abort_gpsieve("{.arg y} must be one response.", "Found {ncol(y)} columns.", class = "data")
    }
    if (is.data.frame(y)) y <- y[[1L]]
  }
  y <- plain_column(y)
  y <- both_flags(y)
  if (is.character(y)) y <- factor(y)
  if (is.factor(y)) return(unshared(y))
  if (!is_numbers(y)) {
    found <- describe(y)
    abort_gpsieve("{.arg y} must be numeric, a factor, character or logical.", "Found {found}.",
      hint_of_type(y), class = "data")
  }
  unshared(as.double(y))
}

# A logical response as a factor with both levels, also where all rows have one of them
both_flags <- function(y) if (is.logical(y)) factor(y, levels = c(FALSE, TRUE)) else y

# Numbers, be they protected by I() or a time series, whose times play no part
is_numbers <- function(y) {
  is.numeric(y) && all(setdiff(class(y), c("AsIs", "ts")) %in% c("numeric", "integer"))
}

class_response <- function(y, name, counts = NULL) {
  if (is.null(counts)) counts <- tabulate(y, nlevels(y))
  present <- levels(y)[counts > 0L]
  # Of two classes both are modelled, also where all rows are of one.
  if (length(present) == 1L && nlevels(y) == 2L) present <- levels(y)
  if (length(present) < 2L) {
    abort_gpsieve("The response must have at least two classes.", "Found only {.val {present}}.",
      "A factor of two levels is fitted even if one of them has no row.", class = "data")
  }
  description <- list(
    kind =
      if (length(present) == 2L) "binary" else if (is.ordered(y)) "ordinal" else "multiclass",
    levels = levels(y), present = present, name = name, ordered = is.ordered(y)
  )
  list(description = description, y = class_indicators(y, description))
}

# Each class (+1) against the rest (-1), one column for each latent function; ordered classes as
# their positions among those with rows, from 0
class_indicators <- function(y, response) {
  if (response$kind == "ordinal") {
    return(matrix(as.double(match(as.character(y), response$present)) - 1))
  }
  positive <- if (response$kind == "binary") response$present[2L] else response$present
  # Filled in place: a copy of a response with millions of rows takes time and memory.
  encoded <- matrix(-1, length(y), length(positive))
  codes <- as.integer(y)
  for (k in seq_along(positive)) encoded[codes == match(positive[k], levels(y)), k] <- 1
  encoded
}

# More values of the response of a problem, as the core has them
encode_response <- function(y, problem) {
  y <- canonical_response(y)
  if (is_classification(problem$response)) class_indicators(y, problem$response)
  else encode_numbers(response_matrix(y), problem$response, problem$likelihood)
}

number_response <- function(y, name) {
  kind <- if (is_pairs(y)) pairs_kind(y) else "number"
  list(
    description = list(kind = kind, levels = NULL, center = 0, scale = 1, name = name),
    y = response_matrix(y), numbers = one_number(y)
  )
}

is_classification <- function(response) {
  response$kind %in% c("binary", "multiclass", "ordinal")
}

# The places among the levels of the classes that have training rows, and of the second of two. A
# level may be the empty string, by which R finds no column.
present_levels <- function(response) match(response$present, response$levels)
second_level <- function(response) present_levels(response)[2L]

# Has the response more than two classes, be they modelled by one latent function or by several?
has_many_classes <- function(response) response$kind %in% c("multiclass", "ordinal")

# Classes as a factor like the one that the model was fitted to
as_classes <- function(names, response) {
  factor(names, levels = response$levels, exclude = NULL,
    ordered = isTRUE(response$ordered) || response$kind == "ordinal")
}

# The likelihood a response asks for when the user does not
default_likelihood <- function(response) {
  if (response$kind == "trials") {
    abort_gpsieve("The response must be one column.", "Found 2 columns.",
      "If they are successes and failures, say so by {.code likelihood = lik_binomial()}.",
      class = "data")
  }
  switch(response$kind,
    binary = , multiclass = lik_probit(), ordinal = lik_ordinal(),
    censored = lik_censored("lognormal"), lik_gaussian())
}

response_of_numbers <- function(numbers, like) {
  if (is_pairs(like)) return(new_pairs(numbers[1L, ], numbers[2L, ], pairs_kind(like)))
  y <- numbers[1L, ]
  if (is.factor(like)) structure(as.integer(y), levels = levels(like), class = class(like)) else y
}
