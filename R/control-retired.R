# Settings that are arguments of control_<model>() no more. Each has a value that nobody was found
# to change; this version still takes them by name, with a warning.

# How far learning may move a hyper-parameter from where it starts: by this factor, up or down.
search_range <- 1000

retired_settings <- list(
  control_ep = list(range = search_range),
  control_greedy = list(learn_classes = 2, range = search_range),
  control_gpsieve = list(validation_rows = 5000),
  control_ivm = list(learn_classes = 2, range = search_range),
  control_meanfield = list(learn_classes = Inf, range = search_range),
  control_online = list(learn_classes = 2, range = search_range),
  control_rvm = list(learn_classes = 3, range = search_range)
)

# What is checked of each, and what takes its place.
check_retired <- list(
  learn_classes = function(x, arg, call) check_count(x, arg, call, allow_inf = TRUE),
  range = function(x, arg, call) check_number(x, arg, call, min = 1),
  validation_rows = function(x, arg, call) check_count(x, arg, call, min = 10)
)
instead_of_retired <- c(
  learn_classes = "{.arg learn_rows} says how much learning may cost.",
  range = "{.arg prior} says which values are likely, and {.fn fixed} keeps a hyper-parameter.",
  validation_rows = "{.arg time} of {.fn gpsieve} says how much the choice may cost."
)

#' The retired settings of a control: the values that stand here, or those that are given in `...`,
#' where nothing else may be
#' @noRd
take_retired <- function(maker, ..., call = rlang::caller_env()) {
  values <- retired_settings[[maker]]
  given <- list(...)
  old <- intersect(names(values), names(given))
  rest <- if (length(old)) given[-match(old, names(given))] else given
  do.call(check_dots, c(rest, list(call = call, known = names(formals(maker)))), quote = TRUE)
  for (name in old) {
    values[[name]] <- check_retired[[name]](given[[name]], name, call)
    warn_gpsieve("{.fn {maker}} has no argument {.arg {name}} any more.",
      paste(instead_of_retired[[name]], "The old name works in this version only."),
      class = "deprecated"
    )
  }
  values
}

#' The settings of a control without the retired ones that have the values that stand here
#' @noRd
without_retired <- function(control, maker) {
  usual <- retired_settings[[maker]]
  as_usual <- function(name) identical_setting(control[[name]], usual[[name]])
  control[setdiff(names(control), Filter(as_usual, names(usual)))]
}

#' What a control has where nothing is given
#' @noRd
usual_settings <- function(maker) {
  arguments <- formals(maker)
  c(lapply(arguments[names(arguments) != "..."], eval, topenv()), retired_settings[[maker]])
}
