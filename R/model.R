# A call of a model, from its arguments to its fit: what all models do around their own work.
#
# A model is two plain functions. The one that users call, such as ivm(), has all arguments as its
# formals and calls fit_model(). The other, such as ivm_of_rows(molded, given), fits rows that have
# been read: `given` is the list of the arguments by name, with the defaults of those that were left
# out. gpsieve() and update() call the second one.

# The arguments that say which data a model learns from: read_rows() has them, `given` has not.
arguments_of_rows <- c("x", "y", "formula", "data", "weights", "offset", "noise_sd", "subset",
  "na.action")

# The fit that a call of a model asks for. `asked` is the matched call. `size` names the model's own
# argument for its size, for which the argument `size` may stand; `grows` says whether the model
# takes "auto" there and finds it by itself. `noise` says what becomes of noise that depends on the
# inputs: it is "learned" around the model, "chosen" within gpsieve(), or refused ("even");
# `gap_noise` whether rows with gaps have noise of their own.
fit_model <- function(of_rows, asked, size = NULL, grows = FALSE, noise = "learned",
                      gap_noise = TRUE) {
  model <- rlang::caller_fn()
  frame <- rlang::caller_env()
  check_full_names(names(rlang::frame_call(frame)), before_dots(model))
  data <- data_of_call(frame)
  cases <- cases_of_call(frame)
  molded <- read_rows(data$x, data$beside, cases)
  on.exit(unlink(molded$rows$copy$path)) # the copy of a source of rows
  given <- given_in_call(model, data$places, frame)
  molded <- read_levels(molded, given[intersect(c("kernel", "candidates"), names(given))])
  check_no_text_of_numbers(molded)
  warn_of_little_data(molded, !isFALSE(given$optimise), goes_on = identical(size, "budget"))
  advise(molded, given$likelihood, compares = noise == "chosen", takes_gap_noise = gap_noise)
  molded <- with_known_noise(molded, given$likelihood)
  changing <- has_changing_noise(given$likelihood)
  if (changing) {
    if (noise == "even") refuse_changing_noise(given$likelihood)
    molded <- with_noise_terms(molded, given$likelihood, data$frame)
  }
  fit_given <- function(molded, given) {
    if (is.null(size)) return(of_rows(molded, given))
    fit_sized(of_rows, molded, given, size, offered(size, model), grows)
  }
  fit <-
    if (changing && noise == "learned") fit_by_turns(fit_given, molded, given)
    else fit_given(molded, given)
  with_training_rows(fit, molded, given, written_data(asked, data$places, cases))
}

# The fit where the noise depends on the inputs: fits one after the other, each with the noise that
# the one before suggests
fit_by_turns <- function(fit_given, molded, given) {
  check_goes_with_noise(given$control, given$resume)
  fit_at <- function(molded, kernel, likelihood, optimise) {
    given[c("kernel", "likelihood", "optimise")] <- list(kernel, likelihood, optimise)
    fit_given(molded, given)
  }
  fit_changing_noise(fit_at, molded, given$kernel, given$likelihood, given$optimise, given$seed)
}

# The formals of a model that can be given by their place
before_dots <- function(model) {
  all <- names(formals(model))
  all[seq_len(match("...", all) - 1L)]
}

# The values of a call's arguments but those of the data, by name, from the frame of the call.
# In `ivm(y ~ x, data = d, kernel)` R matches the kernel with `y`, which is not used: arguments
# without a name then belong to the next formals that are. They fill the first of the formals that
# have no name in the call.
given_in_call <- function(model, places, frame) {
  given <- mget(setdiff(names(formals(model)), c("...", arguments_of_rows)), frame)
  free <- setdiff(before_dots(model), c(places, names(rlang::frame_call(frame))))
  if (!any(vapply(intersect(c("x", "y"), free), is_given, NA, frame))) return(given)
  taken <- free[cumsum(!vapply(free, is_given, NA, frame)) == 0L]
  meant <- intersect(free, names(given))
  excess <- length(taken) - length(meant)
  if (excess > 0L) {
    abort_unknown("{n} unnamed argument{?s} too many", character(), names(formals(model)), excess)
  }
  given[utils::head(meant, length(taken))] <- mget(taken, frame)
  given
}

# The arguments of a model by name, for a fit within the package: the defaults of those that are
# not given
given_or_default <- function(model, given) {
  usual <- formals(model)
  usual <- usual[setdiff(names(usual), c("...", arguments_of_rows))]
  usual <- lapply(usual, eval, environment(model))
  usual[names(given)] <- given
  usual
}

# The expressions of the arguments of a matched call, those of the data under the names of the call
# that is written in full, such as `data` for x in d |> ivm(y ~ x), those among columns as they were
# written where a function passes them on by its dots
written_data <- function(asked, places, cases) {
  given <- as.list(asked)[-1L]
  given <- given[!names(given) %in% setdiff(c("x", "y", "formula", "data"), places)]
  names(given)[match(places, names(given))] <- names(places)
  among <- lapply(cases[column_arguments], rlang::quo_get_expr)
  among <- Filter(Negate(is.null), among)
  given[names(among)] <- among
  given
}
