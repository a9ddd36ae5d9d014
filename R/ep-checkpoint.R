# Checkpoints of ep_gp(): the state of a fit between two iterations, and the fit as it is then.

# The checkpoints of one fit: core() is the argument of core_fit_ep() that describes them, latest()
# the last fit that was kept. `fit_of(result)` makes a fit of what the core returned. The state is
# kept for last_fit() every second, and in the file every `every` seconds. With method = "ep" a
# state has numbers for every row, and is kept every `every` seconds, for the file, for when a
# worker dies, or where the user gives `every`.
ep_checkpoints <- function(settings, start, asked, from, fit_of, has_workers) {
  control <- settings$control
  every <- checkpoint_seconds(control)
  write <- checkpoint_writer(control$checkpoint, every)
  light <- settings$method != "ep"
  latest <- from$object
  last_state <- if (is.null(from)) numeric() else from$extra$state
  save <- function(result, state) {
    last_state <<- state
    fit <- fit_of(result)
    fit[c("converged", "reason")] <- list(FALSE, "it was stopped before its end")
    latest <<- fit
    if (!is.null(write)) write(fit, list(state = state, start = start, asked = asked))
  }
  list(
    core = function() {
      list(
        save = if (light || has_workers || !is.null(write) || !is.null(control$every)) save,
        seconds = if (light) min(1, every) else every,
        from = last_state
      )
    },
    latest = function() latest
  )
}

# A run of the core that begins anew and keeps no state.
no_checkpoints <- list(save = NULL, seconds = 0, from = numeric())
