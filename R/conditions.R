# Every error the package raises has class `gpsieve_error` and one more specific class, carries
# the user's call, and says three things: what is wrong, what was found, what to do.
#
#   gpsieve_error_argument   an argument of the wrong type, size or value
#   gpsieve_error_data       missing, infinite or unusable values in x, y or newdata
#   gpsieve_error_unsupported  something this model or likelihood does not offer
#   gpsieve_error_object     a damaged fit, kernel or likelihood object
#   gpsieve_error_kernel     a kernel that gives no covariances, or whose function stopped
#   gpsieve_error_memory     not enough memory
#   gpsieve_error_numerical  a factor that broke down or a NaN inside a computation

#' Raise a classed error
#'
#' `message` is a cli format string; `found` and `hint` become the `x` and `i` bullets and are
#' format strings too, all three evaluated in `env`. Named values in `...` become fields of the
#' condition.
#' @noRd
abort_gpsieve <- function(message, found = NULL, hint = NULL, class = "argument", ...,
                          call = rlang::caller_env(), env = parent.frame()) {
  cli::cli_abort(c(message, x = found, i = hint), ...,
    class = c(paste0("gpsieve_error_", class), "gpsieve_error"), call = call, .envir = env
  )
}

#' Raise a classed warning
#' @noRd
warn_gpsieve <- function(message, hint = NULL, class, env = parent.frame()) {
  cli::cli_warn(c(message, i = hint),
    class = c(paste0("gpsieve_warning_", class), "gpsieve_warning"), .envir = env
  )
}

#' The one way to say that a fit stopped before it had converged
#' @noRd
warn_not_converged <- function(reason) {
  warn_gpsieve(c("The fit has not converged.", x = if (nzchar(reason)) "Stopped: {reason}."),
    "Its predictions are usable but not final: {.arg control} takes more iterations.",
    class = "convergence"
  )
}

#' Does the error come from setTimeLimit() or setSessionTimeLimit()? It says nothing about the data.
#' @noRd
is_time_limit <- function(error) {
  limits <- c("reached elapsed time limit", "reached session elapsed time limit",
    "reached CPU time limit", "reached session CPU time limit"
  )
  conditionMessage(error) %in% c(limits, gettext(limits, domain = "R"))
}
