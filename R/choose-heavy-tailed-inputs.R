# Inputs of gpsieve() some of whose values lie far from the others, such as sums of money, or
# lengths recorded as 0. A kernel has one lengthscale for such an input: where it suits the
# distances of most values, the far ones are correlated with no other row, and where it suits the
# far ones, the others are one point. The inverse hyperbolic sine of (x - median) / spread is nearly
# linear where most values are, and grows as a logarithm does beyond.

# Stage: the best function of such inputs, first if its density is greater by a standard error where
# no row counts for more than a nat, and its mean about as good. If it comes first, the data have
# them from then on.
far_inputs_stage <- function() {
  new_stage(
    candidate = "`asinh()` of inputs",
    where = "some values lie far from the others",
    propose = function(choice, usual) {
      task <- choice$task
      if (!length(task$far)) return(list())
      task$molded <- with_variables(task$molded, task$far)
      task$replaced <- TRUE
      entry <- new_entry(usual$candidate, "inputs")
      entry$candidate$label <- far_words(task$far)
      entry$begin <- usual$learned
      learned_under(list(entry), task)
    },
    race = function(entry, usual, choice) hopeless_below(1),
    better = function(entry, first, usual) {
      is_promising(bounded_gain(entry, first)) && has_mean_as_good(entry, first)
    },
    taken = function(choice) {
      choice$task <- choice$entries[[1L]]$task
      choice
    },
    after = learned_from_the_start
  )
}

# In a few words, which have room in a table of candidates
far_words <- function(variables) {
  names <- paste(names(variables), collapse = " and ")
  count <- length(variables)
  if (nchar(names, "width") <= widest_names) paste("asinh of", names)
  else paste("asinh of", count, if (count == 1L) "input" else "inputs")
}

# The expressions that stand for inputs with values far from the others, named by their columns.
# A formula can be written with them, and a kernel of the user's would not know them. Of few rows
# the comparison costs as much as the rest of the call.
far_inputs <- function(task) {
  molded <- task$molded
  applies <- inherits(molded$formula, "formula") && !is_sparse(molded$x) && is.null(molded$rows) &&
    is.null(molded$noise_terms) && !length(c(molded$levels, molded$hidden)) &&
    is.null(molded$column_groups) && !length(task$kernels) && !isTRUE(task$series$ordered) &&
    nrow(molded$x) * task$latents > most_learned_anew
  if (!applies || !has_plain_variables(molded$blueprint)) return(list())
  design <- molded$blueprint$design
  plain <- vapply(design$encodings, is_plain_number, NA)
  of_flags <- names(design$variables) %in% molded$blueprint$flags
  places <- places_of_variables(design)
  found <- lapply(which(plain & !of_flags), function(v) {
    expression_of_far(molded$x[, places[[v]]], design$variables[[v]])
  })
  names(found) <- names(design$variables)[plain & !of_flags]
  Filter(Negate(is.null), found)
}

is_plain_number <- function(encoding) {
  encoding$kind == "number" && is.null(encoding$columns) && is.null(encoding$missing)
}

# The inverse hyperbolic sine that stands for the column of these values; NULL where none is far
expression_of_far <- function(x, column) {
  few <- sort(x[evenly_spaced(length(x), most_trial_rows)])
  if (length(unique(few)) <= fewest_to_compare) return(NULL)
  middle <- stats::median(few)
  spread <- diff(stats::quantile(few, c(0.1, 0.9), names = FALSE)) / (2 * stats::qnorm(0.9))
  # More than nine tenths of the values are equal.
  if (spread == 0) spread <- mean(abs(x - middle))
  if (max(abs(range(x) - middle)) <= far_away * spread) return(NULL)
  middle <- round(middle, 1 - floor(log10(spread)))
  spread <- signif(spread, 2)
  shifted <-
    if (middle == 0) column
    else if (middle < 0) call("+", column, -middle)
    else call("-", column, middle)
  if (spread == 1) return(call("asinh", shifted))
  call("asinh", call("/", if (middle == 0) shifted else call("(", shifted), spread))
}
