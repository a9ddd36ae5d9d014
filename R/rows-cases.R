# What a row brings besides its inputs and its response: its case weight, the offset of the latent
# function, and whether it takes part.
#
# A row of weight w counts as w equal rows. Rows of weight 0 are left out before anything else, so
# that all weights of a problem are positive. The molded data hold `weights` and `offset` (NULL
# where there are none), `kept`, the row numbers of the user's data that take part (NULL: all), and
# `na_action`, the rows left out because of missing values as stats::na.omit() gives them.

# Case weights as plain numbers, or NULL; those of a whole data set must add up to more than one
# row. Where they may be `missing`, `na.action` says what becomes of such rows.
check_weights <- function(weights, n, whole_data = TRUE, missing = FALSE) {
  if (is.null(weights)) return(NULL)
  if (inherits(weights, "hardhat_case_weights")) weights <- as.double(unclass(weights))
  weights <- numbers_of_rows(weights, "weights", n)
  bad <- which((if (missing) is.infinite(weights) else !is.finite(weights)) | weights < 0)
  if (length(bad)) {
    abort_gpsieve("{.arg weights} must be finite and not negative.",
      "Found {length(bad)} such value{?s}, the first {format(weights[bad[1L]])} in row {bad[1L]}.",
      "A row of weight 0 is left out.", class = "data")
  }
  total <- sum(weights, na.rm = TRUE)
  if (whole_data && !(total > 1)) {
    abort_gpsieve("{.arg weights} must add up to more than 1: a row of weight w counts as w rows.",
      "Found a sum of {format(total)}.",
      "Multiply weights that are shares of the data by the number of rows.", class = "data")
  }
  weights
}

# A number for each row, whatever holds them, as doubles that nothing else refers to: package
# data.table changes columns in place
numbers_of_rows <- function(values, arg, n, what = "numbers") {
  plain <- plain_column(values)
  if (!is_numbers(plain) || NCOL(plain) != 1L) {
    found <- describe(values)
    abort_gpsieve("{.arg {arg}} must be {what}, one for each row.", "Found {found}.",
      class = "data")
  }
  check_one_for_each_row(plain, arg, n)
  unshared(as.double(plain))
}

# Offsets as plain numbers, or NULL
check_offset <- function(offset, n, missing = FALSE) {
  if (is.null(offset)) return(NULL)
  offset <- numbers_of_rows(offset, "offset", n)
  bad <- which(if (missing) is.infinite(offset) else !is.finite(offset))
  if (length(bad)) {
    abort_gpsieve("{.arg offset} must hold finite numbers only.",
      "Found {format(offset[bad[1L]])} in row {bad[1L]}.", class = "data")
  }
  offset
}

check_one_for_each_row <- function(values, arg, n) {
  if (length(values) == n) return(invisible())
  abort_gpsieve("{.arg {arg}} must have one value for each row.",
    "Found {length(values)} value{?s} for {n} row{?s}.", class = "data")
}

# Which of `n` rows take part, and what they bring: list(kept, na_action, weights, offset, noise_sd,
# repeatable, described), `kept` being NULL where all take part and the last two as read_cases() has
# them in `read`. `missing_among(rows)` says which values of inputs and response these rows lack, as
# missing_in_columns() does; `response` and `could_stay` are what rows_left_out() takes.
rows_taking_part <- function(read, n, missing_among, response, row_names, na_action,
                             could_stay = FALSE) {
  beside <- list(
    weights = check_weights(read$values$weights, n, missing = TRUE),
    offset = check_offset(read$values$offset, n, missing = TRUE),
    noise_sd = check_noise_sd(read$values$noise_sd, n)
  )
  rows <- seq_len(n)
  kept <- rows_in_subset(read$values$subset, beside$weights, n)
  if (identical(kept, rows)) kept <- NULL
  absent <- c(missing_among(kept), missing_in_columns(lapply(beside, elements_of, kept)))
  left_out <- rows_left_out(absent, response, length(elements_of(rows, kept)),
    elements_of(if (is.null(row_names)) rows else row_names, kept), na_action, could_stay)
  if (length(left_out)) kept <- elements_of(rows, kept)[-left_out]
  c(list(kept = kept, na_action = left_out), lapply(beside, elements_of, kept),
    list(repeatable = read$again, described = read$described))
}

# Molded data of the rows that take part, with what they bring; `data` are all rows as they came
with_cases <- function(molded, part, data) {
  fields <- c("weights", "offset", "noise_sd", "kept", "na_action", "repeatable")
  molded[fields] <- part[fields]
  molded$blueprint[names(part$described)] <- part$described
  molded$row_names <- elements_of(text_row_names(data), part$kept)
  molded$row_numbers <- elements_of(given_row_numbers(data), part$kept)
  molded
}

# The case weights of molded data as numbers, without what known noise makes of them
case_weights_of <- function(molded) {
  noise <- molded[["noise"]]
  weights <- if (is.null(noise)) molded$weights else noise$weights
  if (is.null(weights)) rep(1, nrow(molded$x)) else weights
}

# Some rows of molded data; of a source, rows of its sample, which are in memory
molded_rows <- function(molded, rows) {
  of_rows <- c("x", "y", "weights", "offset", "row_names", "row_numbers", "noise_sd")
  molded[of_rows] <- lapply(molded[of_rows], elements_of, rows)
  molded[["noise"]] <- noise_of_part(molded[["noise"]], rows)
  molded[c("rows", "scan")] <- NULL
  molded
}

# What an argument such as `weights = w` means for a data frame: the value of its expression among
# the columns, then where it was written
eval_in_data <- function(quosure, data, arg) {
  if (rlang::quo_is_missing(quosure) || rlang::quo_is_null(quosure)) return(NULL)
  # rlang reads names as UTF-8, which other locales have not (with_native_names()).
  value <- function() {
    if (l10n_info()[["UTF-8"]]) rlang::eval_tidy(quosure, data)
    else eval(rlang::quo_squash(quosure), with_native_names(data), rlang::quo_get_env(quosure))
  }
  on_error(value(), function(e) {
    said <- conditionMessage(e)
    abort_gpsieve("{.arg {arg}} cannot be computed from {.arg data}.", "{said}", class = "data")
  })
}

# An argument such as `weights = w / mean(w)`: list(value, again, described), its value for the rows
# of `data`, and where it is computed from columns its expression, with the values of all other
# names written into it, by which update() computes it again, and the rule by which it is computed
# for new rows (rows-column-rules.R), NULL where it has none. NULL where the argument is not given.
read_argument <- function(quosure, data, arg, alone = TRUE) {
  value <- eval_in_data(quosure, data, arg)
  if (is.null(value)) return(NULL)
  again <- expression_in_data(quosure, data)
  described <- if (!is.null(again)) {
    on_error(rules_of(list(again), data, rlang::quo_get_env(quosure)), function(e) {
      if (alone) rlang::cnd_signal(e)
    })
  }
  list(value = value, again = again, described = described[c("rules", "columns")])
}

# The arguments of a call that say which rows take part and how: list(values, again, described);
# `data` is NULL where they cannot name columns.
# `described` goes into the blueprint: the rules of weights, offset and known noise, and the names
# of the arguments that were `given` as values.
read_cases <- function(cases, data) {
  read <- Map(read_argument, cases[column_arguments], list(data), column_arguments,
    column_arguments %in% c("offset", "noise_sd"))
  read <- Filter(Negate(is.null), read)
  given <- names(Filter(function(one) is.null(one$again), read))
  described <- lapply(read, `[[`, "described")
  for (arg in intersect(c("offset", "noise_sd"), given)) described[[arg]] <- list(given = TRUE)
  list(
    values = lapply(read, `[[`, "value"),
    again = c(Filter(Negate(is.null), lapply(read, `[[`, "again")),
      if (!is.null(cases$na_action)) list(na.action = check_na_action(cases$na_action))),
    described = Filter(length, list(weights = described$weights, offset = described$offset,
      noise = described$noise_sd, given = given))
  )
}

# The expression of an argument, if it is computed from columns of the data, so that it can be
# computed again. Names that are no columns become their values where the argument was written.
expression_in_data <- function(quosure, data) {
  expr <- rlang::quo_get_expr(quosure)
  if (!is.language(expr) || !names_column(expr, data)) return(NULL)
  constants <- constants_in(expr, names(data), rlang::quo_get_env(quosure))
  if (all(names_in(expr) %in% c(names(data), names(constants)))) with_constants(expr, constants)
}

# The values of the names in an expression that are no columns, by name: vectors, but for those of
# package base, such as pi
constants_in <- function(expr, columns, env) {
  names <- setdiff(names_in(expr), c(columns, "."))
  values <- lapply(stats::setNames(names, names), get0, env)
  Filter(function(value) is.atomic(value) && !is.null(value), values)
}

# An expression with values in place of names
with_constants <- function(expr, constants) {
  if (is.symbol(expr) && as.character(expr) %in% names(constants)) {
    return(constants[[as.character(expr)]])
  }
  if (!is.call(expr) || !length(constants)) return(expr)
  parts <- if (operator_of(expr) %in% c("$", "@")) 2L else seq_along(expr)[-1L]
  for (i in parts) {
    if (!identical(expr[[i]], quote(expr = ))) expr[[i]] <- with_constants(expr[[i]], constants)
  }
  expr
}

# The rows of `data` that `subset` and positive `weights` leave, or NULL for all; rows whose weight
# is missing are among them
rows_in_subset <- function(subset, weights, n) {
  zero <- weights %in% 0
  kept <- if (any(zero)) which(!zero)
  if (is.null(subset)) return(kept)
  good <- (is.logical(subset) && length(subset) == n) ||
    (is.numeric(subset) && !is.object(subset) && !anyNA(subset) && all(abs(subset) <= n) &&
      (all(subset >= 0) || all(subset <= 0)))
  if (!good) {
    beyond <- if (is.numeric(subset) && !is.object(subset)) subset[which(abs(subset) > n)]
    found <- if (length(beyond)) paste("row", format(beyond[1L])) else describe(subset)
    abort_gpsieve("{.arg subset} must be TRUE or FALSE for each row, or row numbers.",
      "Found {found} for {n} row{?s}.")
  }
  rows <- if (is.logical(subset)) which(subset) else seq_len(n)[subset]
  if (!is.null(kept)) rows <- rows[rows %in% kept]
  if (!length(rows)) abort_gpsieve("{.arg subset} must leave at least one row.", "Found none.")
  rows
}

# How many rows the weights add up to
total_weight <- function(problem) {
  if (length(problem$cases$weight)) sum(problem$cases$weight) else nrow(problem$y)
}

# The case weights and offsets of some rows, as the core takes them
part_of_cases <- function(cases, rows) {
  lapply(cases, function(values) if (length(values)) values[rows] else values)
}

# Rows that represent the data: `size` of them, evenly spaced among all copies.
# A row whose weight is no whole number gets as many copies as those before it leave over. Which
# rows then get one more follows from the numbers in `keys`, vectors by which the rows are put in
# order, so that it does not depend on where they stand in the data.
representative_rows <- function(n, weights, size, keys) {
  if (!length(weights)) return(evenly_spaced(n, size))
  rows <- seq_len(n)
  if (any(weights != round(weights))) {
    rows <- do.call(order, unname(c(keys, list(weights))))
    weights <- weights[rows]
  }
  copies <- max(1, round(sum(weights)))
  ends <- cumsum(weights) * (copies / sum(weights))
  rows[pmin(findInterval(evenly_spaced(copies, size) - 0.5, ends) + 1L, n)]
}

# Weighted numbers as a sample of numbers for rules that take no weights
representative_values <- function(y, weights) {
  if (!length(weights)) return(y)
  size <- max(length(y), min(round(sum(weights)), 1e6))
  y[representative_rows(length(y), weights, size, list(y))]
}

# The numbers of the rows of a problem by which representative_rows() puts them in order
row_keys <- function(problem, y) {
  x <- if (is.null(problem$raw)) problem$x else problem$raw
  c(list(y), if (!is_sparse(x)) lapply(seq_len(ncol(x)), function(j) x[, j]))
}

# Copies of a row share their value of the latent function, unless white noise makes them differ
check_shared_function <- function(problem, name) {
  if (!length(problem$cases$weight)) return(invisible())
  if (!has_white_noise(problem$kernel)) return(invisible())
  abort_gpsieve("{.fn {name}} takes no {.arg weights} with {.fn kernel_white}.",
    "Equal rows would have the same function but different white noise.",
    "Leave the noise to the likelihood, or repeat the rows; {.fn ep_gp} takes both.",
    class = "unsupported")
}

# The case weights that were given, one for each row of the data; nothing where there are none
given_weights <- function(problem) {
  molded <- problem$molded
  if (!is.null(molded[["noise"]])) molded[["noise"]]$weights
  else if (is.null(molded$merged)) problem$cases$weight
  else molded$merged$weights
}

# What a fit keeps about its rows, where they are not all different rows of weight 1
cases_of_fit <- function(problem, keep_weights = FALSE) {
  molded <- problem$molded
  merged <- molded$merged
  weights <- given_weights(problem)
  weighted <- length(weights) > 0L
  cases <- list(
    total = if (weighted) sum(weights), weights = if (weighted && keep_weights) weights,
    kept = molded$kept, na_action = molded$na_action,
    distinct = if (!is.null(merged)) length(merged$rows)
  )
  if (any(lengths(cases))) cases
}

#' @importFrom stats na.action
#' @export
na.action.gpsieve_fit <- function(object, ...) object$cases$na_action

# Numbers of rows in the user's data, from those among the rows that took part
data_rows <- function(problem, rows) {
  merged <- problem$molded$merged
  if (!is.null(merged)) rows <- merged$rows[rows]
  kept <- problem$molded$kept
  if (is.null(kept)) rows else kept[rows]
}

# The offset of new rows: what the formula says, or what the caller gives
new_offset <- function(fit, newdata, given, arg = "newdata") {
  described <- fit$blueprint$offset
  if (is.null(described)) {
    if (is.null(given)) return(NULL)
    abort_gpsieve("This fit has no offset.", "Found one in {.arg offset}.", class = "unsupported")
  }
  if (!isTRUE(described$given)) {
    if (!is.null(given)) {
      abort_gpsieve("The offset of this fit is computed from {.arg {arg}}.",
        "Found another one in {.arg offset}.")
    }
    return(offset_by_rules(described, as.data.frame(newdata), arg))
  }
  if (is.null(given)) {
    abort_gpsieve("This fit was made with numbers as {.arg offset}, so new rows need theirs.",
      hint = "{.code predict(offset = )} takes them; with {.code offset()} in a formula all
        functions compute them.",
      class = "data")
  }
  check_offset(given, nrow(newdata))
}

# The sum of the offsets of a formula for the rows of `data`; NULL where there are none
offset_by_rules <- function(described, data, arg) {
  if (is.null(described$rules)) return(NULL)
  add_offsets(follow_rules(described, data, arg, "offset"), names(described$rules), arg)
}

# The sum of the values of offsets called `names`
add_offsets <- function(values, names, arg) {
  numbers <- Map(function(value, name) {
    if (!is.numeric(value) || NCOL(value) != 1L) {
      found <- describe(value)
      abort_gpsieve("The formula's {.code offset({name})} must be numbers.", "Found {found}.",
        class = "data")
    }
    as.double(value)
  }, values, names)
  offset <- Reduce(`+`, numbers)
  row <- which(is.infinite(offset))[1L]
  if (is.na(row)) return(offset)
  abort_gpsieve("The offset must not be infinite.",
    "Found {format(offset[row])} in row {row} of {.arg {arg}}.", class = "data")
}

# Standard deviations as plain numbers, or NULL; missing ones stay
check_noise_sd <- function(noise_sd, n) {
  if (is.null(noise_sd)) return(NULL)
  noise_sd <- numbers_of_rows(noise_sd, "noise_sd", n, "standard deviations")
  bad <- which(is.infinite(noise_sd) | noise_sd <= 0)
  if (length(bad)) {
    abort_gpsieve("{.arg noise_sd} must be finite and above 0.",
      "Found {format(noise_sd[bad[1L]])} in row {bad[1L]}.", class = "data")
  }
  noise_sd
}

# The known or learned noise of some of the rows
noise_of_part <- function(noise, rows) {
  of_rows <- intersect(c("weights", "log_shares", "eta"), names(noise))
  noise[of_rows] <- lapply(noise[of_rows], `[`, rows)
  noise
}

# Which rows take part and how: quosures of the arguments that may name columns of the data, and
# the name of what becomes of missing values
new_cases <- function(weights = rlang::quo(NULL), offset = rlang::quo(NULL),
                      noise_sd = rlang::quo(NULL), subset = rlang::quo(NULL), na_action = NULL) {
  list(weights = weights, offset = offset, noise_sd = noise_sd, subset = subset,
    na_action = na_action)
}

# Arguments of a model that are evaluated among the columns of its data.
column_arguments <- c("subset", "weights", "offset", "noise_sd")
