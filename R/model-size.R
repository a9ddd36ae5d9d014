# The size of a sparse model under one name, and how it is found where the user does not say it.

# A fit of the size the user asked for.
# `arg` is the model's own argument for the size, `default` its default; `given$size` is the shared
# name for it: a number, or "auto", which a model that `grows` takes itself.
fit_sized <- function(of_rows, molded, given, arg, default, grows) {
  own <- given[[arg]]
  size <- given$size
  if (identical(own, "auto")) {
    size <- "auto"
    own <- default
  }
  fit_at <- function(molded, size) {
    given[arg] <- list(size)
    of_rows(molded, given)
  }
  if (is.null(size)) {
    # No message where a default, which the user has not chosen, is more than the rows. A budget
    # limits rows that may still come, and points of a leaf are not compared with all rows.
    if (!is.null(given$leaf_rows)) return(fit_at(molded, own))
    free <- arg == "budget" || identical(own, default)
    fit <- fit_at(molded, if (free) own else no_more_than_rows(own, arg, molded))
    return(with_asked_size(fit, arg, own))
  }
  given$seed <- resolve_seed(given$seed)
  if (!identical(own, default)) {
    abort_gpsieve("{.arg size} and {.arg {arg}} are the same: give one of them.", "Found both.")
  }
  if (identical(size, "auto")) {
    if (is.null(molded$rows)) {
      return(if (grows) fit_at(molded, "auto") else fit_grown(fit_at, molded, given$seed))
    }
    abort_gpsieve("{.code size = \"auto\"} needs all rows in memory.", "Found a source of rows.",
      "Give a number.", class = "unsupported")
  }
  size <- check_count(size, "size", hint = "Or {.val auto}.")
  if (!is.null(given$leaf_rows)) return(fit_at(molded, size))
  fit <- fit_at(molded, if (arg == "budget") size else no_more_than_rows(size, "size", molded))
  with_asked_size(fit, arg, size)
}

# A fit that keeps the size as it was asked for: with more rows update() has more points than the
# first rows allowed.
with_asked_size <- function(fit, arg, size) {
  fit$settings[arg] <- list(size)
  fit
}

# A number of rows of which more than there are means all of them, with a message.
# Whatever is no such number stays as it is: the model's own check says what it may be.
no_more_than_rows <- function(size, arg, molded) {
  n <- nrow(molded$x)
  if (!is.null(molded$rows) || !is.numeric(size) || length(size) != 1L || is.matrix(size) ||
    !isTRUE(is.finite(size) && size > n && size == round(size))) {
    return(size)
  }
  inform_gpsieve("{.arg {arg}} is more than the {n} row{?s}: all rows are taken.", class = "size")
  n
}

first_size <- 25
most_held_out <- 1000
# The size is doubled again only if the last doubling gained more than this multiple of the standard
# error of the paired difference.
worthwhile_gain <- 0.5

# The fit of the size at which the log predictive density of held-out rows stops improving.
# Sizes double. A fifth of the rows, at most 1000, are held out while the size is found; the fit
# itself has all rows. The curve comes first in its trace.
fit_grown <- function(fit_at, molded, seed) {
  molded$y <- canonical_response(molded$y)
  unit <- response_unit(molded$y)
  strata <- if (is.factor(molded$y)) molded$y
  test <- rows_put_aside(length(molded$y), strata, seed)
  if (!length(test)) return(fit_at(molded, nrow(molded$x)))
  train <- molded_rows(molded, -test)
  new <- molded_rows(molded, test)
  start <- proc.time()[["elapsed"]]
  size <- min(first_size, nrow(train$x))
  curve <- NULL
  before <- NULL
  repeat {
    density <- held_out_scores(muffle_warnings(fit_at(train, size)), new, unit)$density
    curve <- rbind(curve, data.frame(
      iteration = NROW(curve) + 1L, objective = mean(density),
      seconds = proc.time()[["elapsed"]] - start, size = as.integer(size)
    ))
    gain <- if (is.null(before)) Inf else density - before
    error <- error_of_mean(gain)
    if (!is.null(before) && !isTRUE(mean(gain) > worthwhile_gain * error)) {
      size <- curve$size[nrow(curve) - 1L]
      break
    }
    if (size >= nrow(train$x)) break
    before <- density
    size <- min(2 * size, nrow(train$x))
  }
  with_size_curve(fit_at(molded, size), curve)
}

# The rows by which a size is judged: a fifth of them, at most `most_held_out`, of all classes
rows_put_aside <- function(n, strata, seed) {
  if (n < 5L) return(integer())
  which(fold_of_rows(max(5L, ceiling(n / most_held_out)), n, strata, seed) == 1L)
}

# The fit with the curve by which its size was found before its own trace
with_size_curve <- function(fit, curve) {
  fit$trace <- rbind(cbind(phase = rep("size", nrow(curve)), curve),
    cbind(phase = rep("fit", nrow(fit$trace)), fit$trace[names(curve)]))
  fit
}

muffle_warnings <- function(expr) {
  withCallingHandlers(expr, gpsieve_warning = function(w) tryInvokeRestart("muffleWarning"))
}
