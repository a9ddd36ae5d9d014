# Every error the package raises has class `gpsieve_error` and one more specific class, carries
# the user's call (user_frame()), and says three things: what is wrong, what was found, what to do.
#
#   gpsieve_error_argument   an argument of the wrong type, size or value
#   gpsieve_error_data       missing, infinite or unusable values in x, y or newdata
#   gpsieve_error_unsupported  something this model or likelihood does not offer
#   gpsieve_error_object     a damaged fit, kernel or likelihood object
#   gpsieve_error_kernel     a kernel that gives no covariances, or whose function stopped
#   gpsieve_error_likelihood  a likelihood function that gives no log density, or that stopped
#   gpsieve_error_memory     not enough memory
#   gpsieve_error_workers    a cluster that an earlier computation has left in the middle
#   gpsieve_error_numerical  a factor that broke down or a NaN inside a computation

# Raise a classed error. `message` is a cli format string; `found` and `hint` become the `x` and `i`
# bullets and are format strings too, all three evaluated in `env`. Named values in `...` become
# fields of the condition.
abort_gpsieve <- function(message, found = NULL, hint = NULL, class = "argument", ...,
                          env = parent.frame()) {
  cli::cli_abort(c(message, x = found, i = hint), ..., call = user_frame(),
    class = c(paste0("gpsieve_error_", class), "gpsieve_error"), .envir = env)
}

# The frame of the user's call, which errors name: of the functions that are at work, the innermost
# that users can call; NULL if there is none, as on a worker.
# From each function the search goes on to the one in which it was written, where that is at work
# too, and otherwise to the one that called it. So an argument belongs to the function that gave it
# and a handler to the function that set it up, whichever functions evaluate them.
user_frame <- function() {
  frames <- sys.frames()
  callers <- sys.parents()
  offered <- public_functions()
  at <- sys.nframe()
  while (at > 0L) {
    fn <- sys.function(at)
    where <- environment(fn)
    if (identical(where, topenv()) && any(vapply(offered, identical, NA, fn))) return(frames[[at]])
    home <- Position(function(frame) identical(frame, where), frames[seq_len(at - 1L)])
    # What compiled code calls has no caller in R.
    at <- if (!is.na(home)) home else if (callers[at] > 0L) callers[at] else at - 1L
  }
}

# The functions of this package that users call: what it exports, and its methods of generics that
# are not internal
public_functions <- function() {
  home <- topenv()
  exported <- getNamespaceExports(home)
  methods <- getNamespaceInfo(home, "S3methods")
  internal <- methods[, 1L] %in% setdiff(ls(home, sorted = FALSE), exported)
  mget(c(exported, methods[!internal, 3L]), home, inherits = TRUE)
}

# Signals an error again, in the name of the user's call and not of the function that raised it
blame_user <- function(e) {
  e$call <- rlang::error_call(user_frame())
  rlang::cnd_signal(e)
}

# Raise a classed warning; named values in `...` become fields of the condition
warn_gpsieve <- function(message, hint = NULL, class, ..., env = parent.frame()) {
  cli::cli_warn(c(message, i = hint), ...,
    class = c(paste0("gpsieve_warning_", class), "gpsieve_warning"), .envir = env)
}

# Tell the user something, with a class. The text ends with a new line, as that of message() does,
# so that whoever writes messages one after the other keeps them apart.
inform_gpsieve <- function(message, class, env = parent.frame()) {
  text <- cli::format_message(c(i = message), .envir = env)
  message(structure(
    class = c(paste0("gpsieve_message_", class), "gpsieve_message", "message", "condition"),
    list(message = paste0(text, "\n"), call = NULL)
  ))
}

# A value, and the messages and warnings that were given on the way to it, which wait
gather_said <- function(expr) {
  said <- list()
  wait <- function(restart) {
    function(condition) {
      said[[length(said) + 1L]] <<- condition
      tryInvokeRestart(restart)
    }
  }
  value <- withCallingHandlers(expr, gpsieve_message = wait("muffleMessage"),
    gpsieve_warning = wait("muffleWarning"))
  list(value = value, said = said)
}

# What several parts of a task have said, each kind once, with the number of parts that said it
say_once <- function(parts) {
  kinds <- lapply(parts, function(said) vapply(said, function(condition) class(condition)[1L], ""))
  for (kind in unique(unlist(kinds))) {
    saying <- which(vapply(kinds, function(of_part) kind %in% of_part, NA))
    first <- parts[[saying[1L]]][[match(kind, kinds[[saying[1L]]])]]
    where <- sprintf("In %d of %d folds, first in this: ", length(saying), length(parts))
    if (inherits(first, "message")) {
      # Without the symbol that it begins with.
      text <- paste0(where, sub("^[^ ]+ ", "", trimws(conditionMessage(first))))
      inform_gpsieve("{text}", sub("^gpsieve_(message_)?", "", kind))
    } else {
      first$message <- paste0(where, conditionMessage(first))
      first$body <- NULL
      warning(first)
    }
  }
}

# The one way to say that a fit stopped before it had converged; `arg` is the argument of the model
# that says how many iterations there are
warn_not_converged <- function(reason, arg) {
  warn_gpsieve(c("The fit has not converged.", x = if (nzchar(reason)) "Stopped: {reason}."),
    "Its predictions are usable but not final: {.arg {arg}} takes more iterations.",
    class = "convergence")
}

# Does the error come from setTimeLimit() or setSessionTimeLimit()? It says nothing about the data.
is_time_limit <- function(error) {
  limits <- c("reached elapsed time limit", "reached session elapsed time limit",
    "reached CPU time limit", "reached session CPU time limit")
  conditionMessage(error) %in% c(limits, gettext(limits, domain = "R"))
}

# The value of an expression, or what `handle(error)` makes of its error.
# The error of a time limit is no fault of the expression and passes, as an interrupt does.
on_error <- function(expr, handle) {
  rlang::try_fetch(expr, error = function(e) if (is_time_limit(e)) rlang::zap() else handle(e))
}
