# Checkers of scalar arguments. Each returns the value in its canonical type or stops before any
# work, naming the argument (`arg`).

# What a value is, in words for an error message
describe <- function(x) {
  if (is.null(x)) return("NULL")
  if (is.function(x)) return("a function")
  if (inherits(x, "gpsieve_control")) {
    return(paste0("the settings of ", sub("^gpsieve_", "", class(x)[1]), "()"))
  }
  kind <- if (is.object(x)) paste0("<", class(x)[1], ">") else typeof(x)
  if (length(x) != 1L) return(paste0("an object of type ", kind, " and length ", length(x)))
  if (is.atomic(x)) return(paste0(value_text(x), " (", kind, ")"))
  paste("an object of type", kind)
}

# A single value as it was typed
value_text <- function(x) {
  if (is.character(x)) dQuote(x, FALSE)
  else if (is.numeric(x) && !is.object(x)) number_text(x, exact_digits)
  else format(x)
}

# print() of values that have a format()
print_formatted <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

check_number <- function(x, arg = rlang::caller_arg(x), min = -Inf, max = Inf, above = -Inf,
                         below = Inf, whole = FALSE, allow_inf = FALSE, hint = NULL) {
  good <- is.numeric(x) && !is.object(x) && length(x) == 1L && !is.na(x) &&
    (allow_inf || is.finite(x)) && x >= min && x <= max && x > above &&
    (x < below || is.infinite(below)) &&
    (!whole || is.infinite(x) || x == trunc(x))
  if (!good) {
    wanted <- paste0(
      "a single ", if (whole) "whole ", "number",
      if (is.finite(min)) paste(" of at least", number_text(min, exact_digits)),
      if (is.finite(above)) paste(" above", number_text(above, exact_digits)),
      if (is.finite(max)) paste(
        if (is.finite(min) || is.finite(above)) " and" else "", "at most",
        number_text(max, exact_digits)
      ),
      if (is.finite(below)) paste(
        if (is.finite(min) || is.finite(above)) " and" else "", "below",
        number_text(below, exact_digits)
      ),
      if (allow_inf) ", or Inf"
    )
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be {wanted}.", "Found {found}.", hint)
  }
  as.double(x)
}

check_count <- function(x, arg = rlang::caller_arg(x), min = 1, max = Inf, allow_inf = FALSE,
                        hint = NULL) {
  check_number(x, arg, min = min, max = max, whole = TRUE, allow_inf = allow_inf, hint = hint)
}

# Positive finite numbers of any length from 1, e.g. ARD lengthscales
check_positive <- function(x, arg = rlang::caller_arg(x), single = FALSE) {
  if (!is.numeric(x) || is.object(x) || length(x) < 1L || (single && length(x) != 1L) ||
    anyNA(x) || any(!is.finite(x)) || any(x <= 0)) {
    found <- if (is.numeric(x) && length(x) > 1L && !single) {
      bad <- which(is.na(x) | !is.finite(x) | x <= 0)
      if (length(bad)) paste0(value_text(x[bad[1]]), " at position ", bad[1]) else describe(x)
    } else {
      describe(x)
    }
    wanted <- if (single) "a single positive number" else "positive finite numbers"
    abort_gpsieve("{.arg {arg}} must be {wanted}.", "Found {found}.")
  }
  as.double(x)
}

check_flag <- function(x, arg = rlang::caller_arg(x)) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be TRUE or FALSE.", "Found {found}.")
  }
  x
}

# One of `choices`, by default those that stand as the default of the caller's argument; the whole
# vector of choices (an untouched default) means the first
check_choice <- function(x, choices = offered(arg, rlang::caller_fn()),
                         arg = rlang::caller_arg(x)) {
  if (identical(x, choices)) return(choices[1])
  if (!is.character(x) || length(x) != 1L || is.na(x) || !x %in% choices) {
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be one of {.or {.val {choices}}}.", "Found {found}.",
      if (rlang::is_string(x)) meant_values(x, choices))
  }
  x
}

# The choices that a function offers as the default of an argument
offered <- function(arg, fn) eval(formals(fn)[[arg]], environment(fn))

# R completes the names of arguments that stand before `...`; a half-written one is a slip
check_full_names <- function(given, known) {
  given <- setdiff(given, "")
  partial <- setdiff(given[vapply(given, function(g) any(startsWith(known, g)), NA)], known)
  if (length(partial)) abort_unknown("unknown argument {.arg {given}}", partial, known)
}

# Nothing may be left in `...`: a misspelt argument must not be ignored.
# `known`: the arguments of the function whose `...` these are.
check_dots <- function(..., known = names(formals(rlang::caller_fn()))) {
  n <- ...length()
  if (n == 0L) return(invisible())
  given <- setdiff(names(list(...)), "")
  found <-
    if (length(given)) "unknown argument{?s} {.arg {given}}"
    else "{n} unnamed argument{?s} too many"
  abort_unknown(found, given, known, n)
}

# What functions that predict series call the number of times ahead.
horizon_arguments <- c("h", "n.ahead", "n_ahead", "horizon", "steps", "steps_ahead")

abort_unknown <- function(found, given, known, n = length(given)) {
  known <- setdiff(known, "...")
  sizes <- if (any(given %in% size_arguments)) intersect(size_arguments, known)
  meant_by <- function(name) {
    elsewhere <- elsewhere_called(name, known)
    if (length(elsewhere)) elsewhere else nearest_name(name, known)
  }
  meant <-
    if (length(sizes)) c(sizes, "size")
    else unique(unlist(lapply(given, meant_by)))
  abort_gpsieve("Every argument must be one this function knows.", paste0("Found ", found, "."),
    if ("family" %in% given) "{.arg likelihood} says it, as in {.code likelihood = lik_poisson()}.
      A factor as the response makes classes of it."
    else if (any(given %in% horizon_arguments) && "newdata" %in% known)
      "Times to predict are rows of {.arg newdata}: a data frame with later times in the column of
        the time."
    else if (length(meant)) "Did you mean {.or {.arg {meant}}}?"
    else "Check the spelling; see the help page for the arguments.")
}

# What the models call it themselves.
size_arguments <- c("n_active", "inducing", "n_basis", "basis", "budget")
