# Settings of the computation, which do not change the model. control_<model>() is in
# <model>-control.R; this file has what all of them share.

#' @export
print.gpsieve_control <- function(x, ...) {
  name <- sub("gpsieve_", "", class(x)[1L])
  settings <- unclass(x)
  shown <- vapply(settings, show_setting, "")
  cat(name, "(", paste0(names(settings), " = ", shown, collapse = ", "), ")\n", sep = "")
  invisible(x)
}

# Refuses a setting that is given where it has no effect; `found` says why it has none
refuse_unused <- function(setting, unused, found, hint) {
  if (!unused) return(invisible())
  abort_gpsieve(paste0("{.arg ", setting, "} of {.arg control} has no effect in this call."), found,
    hint)
}

# Seconds between two checkpoints, unless the user says otherwise
checkpoint_seconds <- function(control) if (is.null(control$every)) 60 else control$every

# The call that makes these settings, without those that are the maker's defaults
control_expression <- function(control) {
  maker <- sub("gpsieve_", "", class(control)[1L])
  usual <- usual_settings(maker)[names(control)]
  changed <- names(control)[!mapply(identical_setting, control, usual)]
  as.call(c(as.name(maker), lapply(control[changed], function(value) {
    if (is.object(value)) str2lang(format(value)) else value
  })))
}

# What a control has where nothing is given
usual_settings <- function(maker) {
  unclass(do.call(get(maker, topenv()), list()))
}

show_setting <- function(value) {
  if (is.character(value)) dQuote(value, FALSE)
  else if (inherits(value, c("gpsieve_prior", "gpsieve_blocks"))) format(value)
  else if (is.double(value) && length(value) == 1L) code_text(value, exact_digits)
  else deparse1(value)
}

check_control <- function(control, model) {
  maker <- paste0("control_", model)
  settings <- names(usual_settings(maker))
  # A setting that was taken out, as by control$tol <- NULL, has its default.
  known <- is.list(control) && length(control) && all(names(control) %in% settings)
  if (!inherits(control, paste0("gpsieve_", maker)) || !known) {
    found <- describe(control)
    abort_gpsieve("{.arg control} must come from {.fn {maker}}.", "Found {found}.")
  }
  # Values that were changed by hand are checked as those given to its maker are.
  checked <- tryCatch(do.call(maker, unclass(control), quote = TRUE), gpsieve_error = blame_user)
  structure(checked, learned_from = attr(control, "learned_from")) # by rvm()
}

identical_setting <- function(a, b) {
  identical(a, b) || isTRUE(all.equal(a, b, check.attributes = FALSE))
}
