# An online fit to rows that are read in blocks: the windows of the source are added to the machines
# one after another, and the state of the fit can be written to a file between two windows.

fit_online_rows <- function(problem, molded, settings, resume, asked) {
  control <- settings$control
  if (!is.null(resume)) problem$seed <- resume$object$seed
  save <- checkpoint_writer(control$checkpoint, checkpoint_seconds(control))
  fit <- resume$object
  trace <- resume$extra$trace
  begun <- proc.time()[["elapsed"]] - if (is.null(trace)) 0 else trace$seconds[nrow(trace)]
  scan <- molded$scan
  bar <- progress_bar(problem$verbose, "Online Gaussian process")
  kept <- function() list(trace = trace, asked = asked)
  done <- FALSE
  on.exit(if (!done) interrupted$fit <- with_trace(fit, trace))
  window <- if (is.null(control$window)) usual_window else control$window
  reader <- number_reader(problem, window, skip = if (is.null(fit)) 0 else fit$n)
  on.exit(reader$close(), add = TRUE)
  while (!is.null(new <- reader$next_window())) {
    order <- window_order(nrow(new$x), new$first, settings$shuffle, problem$seed)
    new <- list(x = structure(new$x[order, , drop = FALSE], offset = new$offset[order]),
      y = new$y[order])
    fit <- in_source_order(order,
      if (is.null(fit)) first_window(problem, new, settings)
      else absorb_rows(fit, new, "data", problem$threads, FALSE))
    trace <- rbind(trace, window_trace(fit, begun))
    if (!is.null(save)) save(fit, kept())
    if (!is.null(bar)) bar(fit$n / scan$n, nrow(fit$basis))
  }
  check_same_length(reader$total(), scan$n, molded$rows)
  done <- TRUE
  fit <- with_trace(fit, trace)
  if (!is.null(save)) save(fit, kept(), now = TRUE)
  fit
}

# Rows of a source are visited once
check_sweeps_of_source <- function(molded, sweeps) {
  if (is.null(molded$rows) || sweeps == 1) return(invisible())
  abort_gpsieve("A source of rows is visited once: {.arg sweeps} must be 1.", "Found {sweeps}.",
    class = "unsupported")
}

# The order in which the rows of a window are visited, a function of the seed, the number of the
# first row and the size of the window
window_order <- function(size, first, shuffle, seed) {
  if (!shuffle) return(seq_len(size))
  draw(size, size, (seed + first) %% .Machine$integer.max, sorted = FALSE)
}

# A fit whose last rows have been visited in this order, with their numbers in the source
in_source_order <- function(order, fit) {
  before <- fit$n - length(order)
  number <- function(rows) {
    last <- rows > before
    rows[last] <- as.integer(before + order[rows[last] - before])
    rows
  }
  fit$rows <- number(fit$rows)
  fit$sites <- lapply(fit$sites, function(sites) replace(sites, "row", list(number(sites$row))))
  hidden <- fit$state$hidden$rows
  if (!is.null(hidden)) fit$state$hidden$rows <- number(hidden)
  fit
}

first_window <- function(problem, new, settings) {
  problem$x <- apply_scales(new$x, problem$inputs)
  problem$cases <- list(weight = numeric(), offset = as.double(attr(new$x, "offset")))
  problem$y <- encode_response(new$y, problem)
  if (follows(settings)) return(follow_from_start(problem, new, settings, FALSE))
  stream <- new_stream(problem, new$y, settings)
  online_fit(stream, run_online(stream, settings, FALSE), settings)
}

# The last row of the trace of a window, counted from the beginning of the source
window_trace <- function(fit, begun) {
  row <- fit$trace[nrow(fit$trace), ]
  row$iteration <- fit$n
  row$seconds <- proc.time()[["elapsed"]] - begun
  row
}

with_trace <- function(fit, trace) {
  if (is.null(fit)) return(NULL)
  rownames(trace) <- NULL
  fit$trace <- trace
  fit
}

# Rows in memory have no checkpoints
check_online_checkpoint <- function(molded, resume, control) {
  if (!is.null(molded$rows) || is.null(resume) && is.null(control$checkpoint)) return(invisible())
  abort_gpsieve("Checkpoints belong to fits that read a source of rows.", "Found data in memory.",
    "{.fn rows_from_function} makes a source of them.", class = "unsupported")
}
