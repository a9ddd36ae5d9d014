# Hyper-parameters that follow a stream, and posteriors that forget: the rows of a call are divided
# where learning is due, and the last rows are kept by the fit.

usual_learn_window <- 500
# Quasi-Newton steps of one learning: the next one goes on from its end.
follow_steps <- 5L

# Settings of following and forgetting that cannot be honoured are refused
check_follows <- function(control, problem, optimise, filters, visits) {
  refuse_unused("learn_window", !is.null(control$learn_window) && is.null(control$learn_every),
    "There is no {.arg learn_every}.", "It goes with {.arg learn_every}.")
  asked <- c("learn_every", "forget")[!vapply(control[c("learn_every", "forget")], is.null, NA)]
  if (!length(asked)) return(invisible())
  refuse <- function(found, hint) {
    abort_gpsieve("{.arg {asked[1L]}} cannot be honoured here.", found, hint, class = "unsupported")
  }
  if (!filters) {
    refuse("Every row keeps a site, or rows are visited again.",
      "It goes with {.code sweeps = 1} and a {.arg novelty} above 0 or a {.arg budget}.")
  }
  if (is.null(control$learn_every)) return(invisible())
  if (!optimise) {
    refuse("{.code optimise = FALSE} keeps the hyper-parameters as given.",
      "Leave {.arg learn_every} out, or {.arg optimise} at {.code TRUE}.")
  }
  if (is_sparse(problem$x)) {
    refuse("The inputs are a sparse matrix.", "{.fn as.matrix} makes it dense.")
  }
  if (likelihood_columns(problem$likelihood) > 1L) {
    refuse("The response has two numbers a row.", "It goes with plain numbers and classes.")
  }
  if (!is.null(problem$molded[["noise"]])) {
    refuse("There is {.arg noise_sd}.", "Known noise is not learned.")
  }
  if (length(visits) > length(unique(visits))) {
    refuse("There are case weights above 1.", "Give a row as often as its weight says.")
  }
}

follows <- function(settings) !is.null(settings$control$learn_every)

# Positions 1 to n of new rows after `before` earlier ones, divided where learning is due
parts_until_learning <- function(before, n, every) {
  unname(split(seq_len(n), (before + seq_len(n) - 1) %/% every))
}

# A first fit whose hyper-parameters follow: its rows in the order of visits.
# `new` has the inputs and the response of the same rows, not yet scaled.
follow_from_start <- function(problem, new, settings, shuffle) {
  n <- nrow(problem$x)
  order <- if (shuffle) draw(n, n, problem$seed, sorted = FALSE) else seq_len(n)
  first <- order[parts_until_learning(0, n, settings$control$learn_every)[[1L]]]
  part <- problem
  part$x <- problem$x[first, , drop = FALSE]
  part$y <- problem$y[first, , drop = FALSE]
  part$cases <- part_of_cases(problem$cases, first)
  stream <- new_stream(part, new$y[first], settings)
  fit <- run_and_follow(stream, new$y[first], NULL, settings)
  fit <- absorb_rows(fit, some_new_rows(new, order[-seq_along(first)]), "data", problem$threads,
    FALSE, fit$trace)
  fit$rows <- order[fit$rows]
  fit$state$hidden$rows <- order[fit$state$hidden$rows]
  fit
}

# The rows of molded data in the form of new rows
new_rows_of <- function(molded) {
  x <- molded$x
  attr(x, "offset") <- molded$offset
  list(x = x, y = molded$y)
}

some_new_rows <- function(new, rows) {
  offset <- attr(new$x, "offset")
  x <- new$x[rows, , drop = FALSE]
  if (!is.null(offset)) attr(x, "offset") <- offset[rows]
  list(x = x, y = new$y[rows])
}

# The fit after the rows of a stream, and after learning where it is due after the last of them.
# `y` is the response of the new rows, `recent` what the fit before has kept of its last rows.
run_and_follow <- function(stream, y, recent, settings, progress = NULL) {
  if (!follows(settings)) {
    return(online_fit(stream, run_online(stream, settings, FALSE, progress), settings))
  }
  recent <- recent_rows(recent, stream, y, settings)
  learned <- NULL
  if (stream$n %% settings$control$learn_every == 0) {
    learned <- learn_from_recent(stream, recent, settings)
  }
  result <- run_online(stream, settings, FALSE, progress, learned)
  if (!is.null(learned)) stream$problem[c("kernel", "likelihood")] <- learned
  fit <- online_fit(stream, result, settings)
  fit$state$recent <- recent
  fit
}

# The last rows of a stream: list(x, y, offset), with the inputs scaled and the response coded, but
# for classes
recent_rows <- function(recent, stream, y, settings) {
  window <- settings$control$learn_window
  if (is.null(window)) window <- usual_learn_window
  problem <- stream$problem
  n <- nrow(problem$x)
  offset <- problem$cases$offset
  new <- list(
    x = without_names(problem$x),
    y =
      if (is.null(stream$classes)) problem$y[, 1L]
      else as.character(canonical_response(y)),
    offset = if (length(offset)) offset else numeric(n)
  )
  last <- utils::tail(seq_len(length(recent$y) + n), window)
  list(
    x = rbind(recent$x, new$x)[last, , drop = FALSE], y = c(recent$y, new$y)[last],
    offset = c(recent$offset, new$offset)[last]
  )
}

# The kernel and likelihood after a few steps up the evidence of the last rows: list(kernel,
# likelihood); NULL where these rows say nothing
learn_from_recent <- function(stream, recent, settings) {
  sample <- stream$problem
  control <- settings$control
  free <- theta_free(sample$kernel, sample$likelihood)
  if (!any(free) || length(unique(recent$y)) < 2L) return(NULL)
  sample$x <- recent$x
  sample$cases <- list(
    weight = numeric(), offset = if (any(recent$offset != 0)) recent$offset else numeric()
  )
  sample$y <- matrix(recent$y)
  if (!is.null(stream$classes)) {
    rows <- sort(table(factor(recent$y, sample$response$levels)), decreasing = TRUE)
    machines <- if (length(stream$classes) == 1L) stream$classes
      else utils::head(names(rows)[rows > 0], learned_classes)
    sample$y <- machine_labels(recent$y, machines)
  }
  response <- sample$response
  sample$prior_mean <- stream$prior_mean
  if (response$kind == "real") {
    sample$prior_mean <- response$center + response$scale * stream$prior_mean
  }
  search <- new_search(sample, control)
  objective <- with_prior(dense_objective(sample), search$prior)
  found <- maximise_theta(objective, search$origin, free, follow_steps, search$origin, search$range)
  set_theta(sample$kernel, sample$likelihood, found$theta)
}
