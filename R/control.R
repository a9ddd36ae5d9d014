# Settings of the computation, which do not change the model. control_<model>() is in
# <model>-control.R; this file has what all of them share.

#' @export
print.gpsieve_control <- function(x, ...) {
  name <- sub("gpsieve_", "", class(x)[1L])
  shown <- vapply(x, show_setting, "")
  cat(name, "(", paste0(names(x), " = ", shown, collapse = ", "), ")\n", sep = "")
  invisible(x)
}

#' Refuses a setting that is given where it has no effect; `found` says why it has none
#' @noRd
refuse_unused <- function(setting, unused, found, hint, call) {
  if (!unused) return(invisible())
  abort_gpsieve(paste0("{.arg ", setting, "} of {.arg control} has no effect in this call."), found,
    hint, call = call
  )
}

#' Seconds between two checkpoints, unless the user says otherwise
#' @noRd
checkpoint_seconds <- function(control) if (is.null(control$every)) 60 else control$every

show_setting <- function(value) {
  if (is.character(value)) dQuote(value, FALSE)
  else if (inherits(value, "gpsieve_prior")) format(value)
  else deparse1(value)
}

check_control <- function(control, model, call) {
  maker <- paste0("control_", model)
  settings <- setdiff(names(formals(maker)), "...")
  if (!inherits(control, paste0("gpsieve_", maker)) || !setequal(names(control), settings)) {
    found <- describe(control)
    abort_gpsieve("{.arg control} must come from {.fn {maker}}.", "Found {found}.", call = call)
  }
  # Values that were changed by hand are checked as those given to its maker are.
  tryCatch(do.call(maker, unclass(control), quote = TRUE), gpsieve_error = function(e) {
    e$call <- rlang::error_call(call)
    rlang::cnd_signal(e)
  })
}
