# The rows of ep_gp() as the core takes them: in memory, or read in windows from a source.

# The rows from which a fit in memory starts that is to have the bits of one to a source; NULL: all
start_of_windows <- function(molded, control) {
  n <- nrow(molded$x)
  if (is.null(control$window) || !is.null(molded$rows) || n <= sample_size) return(NULL)
  sampled_rows(n)
}

# Minibatches in one pass over the data; the last one of each window may be smaller
batches_per_epoch <- function(n, window, size) {
  if (is.null(size) || size == n) return(1)
  n %/% window * ceiling(window / size) + ceiling(n %% window / size)
}

check_ep_rows <- function(problem, settings) {
  size <- settings$batch_size
  window <- window_rows(problem, settings$control)
  if (!is.null(size) && size < problem$n && size > window) {
    abort_gpsieve("A minibatch is drawn from one window of rows.",
      "Found {.code batch_size = {size}} and a window of {window} rows.",
      "Use a larger {.code control_ep(window = )}.")
  }
  if (is.null(problem$rows)) return(invisible())
  if (any(settings$control$validation > 0)) {
    abort_gpsieve("Rows of a source cannot be held out: {.arg validation} must be 0.",
      class = "unsupported")
  }
  if (settings$optimise && settings$control$optimiser == "nlminb") {
    abort_gpsieve("{.code optimiser = \"nlminb\"} needs all rows in memory.",
      "Found a source of rows.", "The other rules read rows in blocks.", class = "unsupported")
  }
  wanted <- settings$inducing
  if (!is.matrix(wanted) && wanted > nrow(problem$y) && problem$n > nrow(problem$y)) {
    abort_gpsieve("Inducing inputs are found in a sample of {nrow(problem$y)} rows of a source.",
      "Found {.code inducing = {wanted}}.", "More of them can be given as a matrix.")
  }
}

# The rows of a fit: `core`, as core_fit_ep() takes them; close(); and responses(), those of all
# rows as the core sees them where the fit keeps a number for each row
ep_rows <- function(problem, settings, joint) {
  if (is.null(problem$rows)) {
    return(list(
      core = problem[c("raw", "y", "cases")], close = function() NULL,
      responses = function() problem$y
    ))
  }
  keeps <- settings$method == "ep"
  y <- if (keeps) matrix(0, problem$n, ncol(problem$y))
  size <- window_rows(problem, settings$control)
  passes <- window_passes(problem, size)
  read <- function(number) {
    window <- passes$read(number)
    part <- encode_window(problem, window)
    if (keeps) y[window$first - 1 + seq_len(nrow(part$y)), ] <<- part$y
    part
  }
  list(
    core = list(read = read, window = size, class_rows = class_rows(problem, joint)),
    close = passes$close, responses = function() y
  )
}

# A window of numbers as the core takes it: inputs on the user's scale, encoded responses, offsets
encode_window <- function(problem, window) {
  list(raw = window$x, y = encode_response(window$y, problem), offset = as.double(window$offset))
}

# How many rows each latent function's class has where classes are modelled jointly; otherwise the
# number of rows
class_rows <- function(problem, joint) {
  if (!joint) return(problem$n)
  if (is.null(problem$scan)) return(colSums(problem$y > 0))
  as.double(problem$scan$counts[present_levels(problem$response)])
}

# Windows of a source by their numbers, in pass after pass: read(number), close().
# A number that is not the next one begins a new pass. Every pass must have n rows.
window_passes <- function(problem, size) {
  n <- problem$n
  reader <- NULL
  following <- 1
  close <- function() {
    if (!is.null(reader)) reader$close()
    reader <<- NULL
  }
  begin <- function() {
    close()
    reader <<- number_reader(problem, size)
    following <<- 1
  }
  take <- function() {
    window <- reader$next_window()
    expected <- min(size, n - (following - 1) * size)
    found <- if (is.null(window)) 0 else nrow(window$x)
    if (found < expected) check_same_length(reader$total(), n, problem$rows)
    following <<- following + 1
    if ((following - 1) * size >= n) {
      while (!is.null(reader$next_window())) NULL
      check_same_length(reader$total(), n, problem$rows)
    }
    window
  }
  list(
    read = function(number) {
      if (is.null(reader) || number < following) begin()
      while (following < number) take()
      window <- take()
      if (following > ceiling(n / size)) close()
      window
    },
    close = close
  )
}
