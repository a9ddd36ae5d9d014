# Forecasts by gpsieve(): which column is the time of the rows, the periods in it, candidates that
# go on beyond the last row, and folds of later rows that are predicted from earlier ones.
#
# A series is list(column, moment, periods, ordered, ahead): the name of the time column, NULL where
# the rows are only ordered; the time of each row in units of that column; the periods in the same
# units; and whether the rows are judged in the order of time, `ahead` times at once.

# The task with its folds: `folds`, the fold of each row, where that was given, and `series`
with_folds <- function(task, folds, ahead, period) {
  molded <- task$molded
  task$series <- series_of(molded, task$kind, folds, period, ahead)
  if (length(folds) == 1L && is.numeric(folds)) {
    task$control$folds <- check_count(folds, "folds", min = 2)
  } else if (!is.null(folds) && !identical(folds, "time")) {
    # Folds of all rows of the data, of which some may take no part.
    if (!is.null(molded$kept) && length(folds) >= max(molded$kept)) folds <- folds[molded$kept]
    task$folds <- fold_of_rows(folds, count_rows(molded), NULL, task$seed)
  }
  task
}

# The series of molded data, NULL where nothing speaks of time
series_of <- function(molded, kind, folds, period, ahead) {
  if (!is.null(ahead)) {
    if (is.character(ahead) || inherits(ahead, "difftime")) {
      abort_gpsieve("{.arg ahead} must be a whole number of at least 1.",
        "Found {describe(ahead)}.", "It counts steps of the series: with a row for each day
          {.code ahead = 10} is ten days.")
    }
    ahead <- check_count(ahead, "ahead")
    check_some_time(molded)
    if (is.null(folds)) folds <- "time"
    if (!identical(folds, "time")) {
      abort_gpsieve("{.arg ahead} goes with {.code folds = \"time\"}.", "Found other folds.")
    }
  }
  asked <- identical(folds, "time") || !is.null(period)
  if (asked) check_holds_series(molded)
  if (is_sparse(molded$x) || !is.null(molded$rows)) return(NULL)
  time <- time_column(molded, period, identical(folds, "time"))
  if (is.null(time) && !asked) return(NULL)
  moment <- if (is.null(time)) seq_len(nrow(molded$x)) else molded$x[, time$name]
  dated <- isTRUE(time$kind %in% names(days_to_units))
  alone <- identical(colnames(molded$x), time$name)
  regular <- alone && is_regular(moment)
  if (!asked && !dated && !regular) return(NULL)
  weights <- if (is.null(molded$weights)) rep(1, length(moment)) else molded$weights
  periods <-
    if (is.null(time)) numeric()
    else if (!is.null(period)) given_periods(period, time$kind)
    else if (kind != "number") numeric()
    else if (dated) calendar_periods(moment, molded$y, days_to_units[[time$kind]], weights)
    else if (alone) found_periods(moment, molded$y, weights)
  ordered <- identical(folds, "time") ||
    (is.null(folds) && alone && (dated || length(periods) > 0L))
  if (!ordered && !length(periods)) return(NULL)
  list(column = time$name, moment = moment, periods = periods, ordered = ordered, ahead = ahead)
}

# Refuses to order rows that are read from a source, and columns of a sparse matrix
check_holds_series <- function(molded) {
  if (!is_sparse(molded$x) && is.null(molded$rows)) return(invisible())
  abort_gpsieve("Folds in time and periods need rows in memory, in dense columns.",
    "Found {if (is.null(molded$rows)) 'a sparse matrix' else 'a source of rows'}.",
    class = "unsupported")
}

# Stops where no input can say how far ahead a row is, because all are text or levels
check_some_time <- function(molded) {
  design <- molded$blueprint$design
  kinds <- vapply(design$encodings, `[[`, "", "kind")
  if (!length(kinds) || any(kinds %in% c("number", names(days_to_units)))) return(invisible())
  said <- Filter(function(said) said$is == "dates", said_by_columns(molded))
  converted <-
    if (length(said)) {
      conversion_of_text(said[[1L]], names(said)[1L],
        is.factor(molded$blueprint$ptypes$predictors[[names(said)[1L]]]))
    }
  abort_gpsieve("{.arg ahead} needs a column that says when each row was observed.",
    "Found text or levels in {.val {names(design$variables)}}.",
    if (is.null(converted)) "A time is a date, a time or a number."
    else "{.code {converted}} makes dates of it.", class = "data")
}

# The column that says when each row was observed: list(name, kind), or NULL.
# It is the one that a named `period` names, the only column of dates or times, or the only input.
time_column <- function(molded, period, ordered) {
  design <- molded$blueprint$design
  variables <- names(design$variables)
  kinds <- vapply(design$encodings, `[[`, "", "kind")
  usable <- variables %in% colnames(molded$x) & kinds %in% c("number", names(days_to_units))
  named <- unique(names(period))
  chosen <-
    if (length(named)) which(usable & variables %in% named)
    else which(usable & kinds %in% names(days_to_units))
  if (!length(chosen) && !length(named) && ncol(molded$x) == 1L) chosen <- which(usable)
  lacking <- length(chosen) == 1L && !is.null(design$encodings[[chosen]]$missing)
  if (lacking && (ordered || length(period))) {
    abort_gpsieve("A series needs the time of every row.",
      "Some of {.val {variables[chosen]}} are missing.", class = "data")
  }
  if (lacking) {
    inform_gpsieve(c("Some of {.val {variables[chosen]}} are missing: the rows are no series.",
      i = "Without {.code na.action = \"model\"} rows that lack their time are left out."),
    class = "missing")
    return(NULL)
  }
  if (length(chosen) == 1L) return(list(name = variables[chosen], kind = kinds[chosen]))
  if (!length(period) && (!ordered || !length(chosen))) return(NULL)
  abort_gpsieve("A series needs one column of dates or times, or one input.",
    "Found {length(chosen)} such column{?s}.",
    "A named period says which column it belongs to: {.code period = c(day = 7)}.", class = "data")
}

# Days in the unit of each kind of time column, and in the periods that have names.
days_to_units <- c(date = 1, time = 86400)
named_periods <- c(
  year = 365.2425, quarter = 365.2425 / 4, month = 365.2425 / 12, week = 7, day = 1, hour = 1 / 24
)
# Periods that are looked for in dates, the longest first. Months and quarters divide the year.
calendar <- c("year", "week", "day")

# The periods that the user gave, in units of the time column
given_periods <- function(period, kind) {
  words <- is.character(period)
  dated <- kind %in% names(days_to_units)
  if (words && dated && all(period %in% names(named_periods))) {
    return(unname(named_periods[period]) * days_to_units[[kind]])
  }
  if (is.numeric(period) && length(period) && all(is.finite(period) & period > 0)) {
    return(as.double(period))
  }
  found <- describe(period)
  abort_gpsieve("{.arg period} must be positive numbers{if (dated) ', or names of periods' else
      ' in units of its column'}.",
    "Found {found}.",
    if (dated) "Names are {.val {names(named_periods)}}."
    else "In a column of years a year is {.code period = 1}; columns of dates take {.val year}.")
}

# Is there one row for each time, at equal distances but for gaps?
is_regular <- function(moment) {
  if (length(moment) < fewest_to_suggest || anyDuplicated(moment)) return(FALSE)
  steps <- diff(sort(moment))
  steps <- steps / stats::median(steps)
  all(abs(steps - round(steps)) < 0.01) && mean(round(steps) == 1) > 0.8
}

# Sines and cosines of a period, as many as it has room for between rows a step apart
harmonics <- function(moment, period, step) {
  count <- max(1, min(3, floor(period / step / 2 - 1e-6)))
  angle <- outer(2 * pi * moment / period, seq_len(count))
  cbind(cos(angle), sin(angle))
}

# A slow curve: a parabola and slower waves than one of which there are `waves` in the series, less
# than three in any case
slow_curve <- function(moment, waves = 5) {
  at <- (moment - min(moment)) / diff(range(moment))
  cbind(1, at, at^2, cos(pi * outer(at, seq_len(min(5, floor(waves))))))
}

typical_step <- function(moment) stats::median(diff(sort(unique(moment))))

# The periods of the calendar of which the series has nearly two and that explain it. The year of
# months and quarters is always one: later rows decide whether a season is predicted, which a trend
# that turns hides from waves (N2568 of M3).
calendar_periods <- function(moment, y, day, weights) {
  if (length(unique(moment)) < fewest_to_suggest) return(numeric())
  step <- typical_step(moment)
  span <- diff(range(moment))
  tried <- named_periods[calendar] * day
  in_seasons <- step > 25 * day # months are 28 days apart at least
  known <- NULL
  kept <- numeric()
  for (period in tried[span > 1.8 * tried & tried > 2.5 * step]) {
    wave <- harmonics(moment, period, step)
    slower <- cbind(slow_curve(moment, span / period), known)
    if (!in_seasons && share_by_chance(y, slower, wave, weights) > by_chance) next
    known <- cbind(known, wave)
    kept <- c(kept, period)
  }
  kept
}

# The probability that columns of random numbers explain as much beside the known columns (F test),
# where the variance of the noise of a row is inverse to its weight, as in stats::lm()
share_by_chance <- function(y, known, added, weights) {
  before <- stats::lm.wfit(known, y, weights)
  after <- stats::lm.wfit(cbind(known, added), y, weights)
  gained <- after$rank - before$rank
  left <- length(y) - after$rank
  if (gained < 1 || left < 1) return(1)
  rest <- sum(weights * after$residuals^2)
  ratio <- ((sum(weights * before$residuals^2) - rest) / gained) / (rest / left)
  stats::pf(ratio, gained, left, lower.tail = FALSE)
}

# At most two periods of a series of numbers.
# Numbers whose steps are a whole fraction of 1, such as years in months, may have the period 1.
found_periods <- function(moment, y, weights) {
  if (length(unique(moment)) < fewest_to_suggest) return(numeric())
  last <- utils::tail(order(moment), most_in_spectrum)
  moment <- moment[last]
  y <- y[last]
  weights <- weights[last]
  step <- typical_step(moment)
  span <- diff(range(moment))
  if (span > most_gaps * step * length(moment)) return(numeric())
  parts <- round(1 / step)
  if (span > 1.8 && parts > 2 && abs(parts * step - 1) < 1e-3) {
    wave <- harmonics(moment, 1, step)
    if (share_by_chance(y, slow_curve(moment, span), wave, weights) <= by_chance) return(1)
  }
  known <- slow_curve(moment)
  first <- clear_period(moment, stats::lm.wfit(known, y, weights)$residuals, step, weights)
  if (!length(first)) return(numeric())
  known <- cbind(known, harmonics(moment, first, step))
  second <- clear_period(moment, stats::lm.wfit(known, y, weights)$residuals, step, weights)
  c(first, second[!is_part_of(second, first)])
}

# Is a period a half, a third and so on of the first, or so near it that both are one?
is_part_of <- function(period, first) {
  ratio <- first / period
  abs(log(ratio)) < log(1.5) | (ratio > 1 & abs(ratio - round(ratio)) < 0.1)
}

# The period of the clearest peak of a spectrum; nothing if no peak is clear.
# A random walk has great slow waves too, but no peak that stands out from those beside it.
clear_period <- function(moment, residual, step, weights) {
  span <- diff(range(moment))
  at <- (moment - min(moment)) / span
  # Hann's window: a wave leaves nothing at frequencies more than two waves in the series away.
  tapered <- weights * residual * (1 - cos(2 * pi * at))
  waves <- seq(3, max(3, 0.4 * span / step), by = 0.25)
  angle <- outer(2 * pi * at, waves)
  power <- drop(crossprod(cos(angle), tapered))^2 + drop(crossprod(sin(angle), tapered))^2
  first <- which.max(power)
  around <- abs(waves - waves[first]) > 2 & waves > waves[first] / 2.5 & waves < waves[first] * 2.5
  clear <- any(around) && power[first] > clear_peak * stats::median(power[around])
  if (!clear) return(numeric())
  best <- stats::optimise(function(waves) {
    fitted <- stats::lm.wfit(harmonics(moment, span / waves, step), residual, weights)
    sum(weights * fitted$residuals^2)
  }, waves[first] + c(-0.5, 0.5))
  steps <- span / best$minimum / step
  # Most periods are whole numbers of steps: one from which it differs by less than a tenth of a
  # period in the whole series is taken.
  whole <- abs(steps - round(steps)) < 0.1 * steps / best$minimum
  (if (whole) round(steps) else steps) * step
}

# The candidate for predictions ahead, for each model: a line with slow and fast deviations, and
# for each period a pattern that changes slowly. Other inputs have a rich function of their own.
forecast_candidates <- function(task) {
  series <- task$series
  if (is.null(series$column) || length(task$kernels)) return(list())
  trend <- kernel_linear(NULL) + kernel_constant(0.3) +
    kernel_matern(2.5, 0.1, lengthscale = 2) + kernel_matern(0.5, 0.1, lengthscale = 0.5)
  span <- diff(range(series$moment))
  kernel <- Reduce(`+`, lapply(series$periods, season_kernel, span), trend)
  others <- setdiff(colnames(task$molded$x), series$column)
  if (length(others)) kernel <- kernel_on(kernel, series$column) + kernel_on(kernel_rich(), others)
  label <- if (length(series$periods)) "trend and season" else "trend"
  lapply(models_of(task), function(model) sized_candidate(task, label, model, kernel))
}

# A pattern that repeats after `period` and changes over twice the length of the series.
# The period is held: the evidence has a narrow peak there, which the steps of learning overshoot.
season_kernel <- function(period, span) {
  kernel_rbf(0.3, lengthscale = signif(2 * span, 3), units = "data") *
    kernel_periodic(variance = fixed(1), period = fixed(period))
}

# Later rows to judge and all rows before them to fit
splits_in_time <- function(task) {
  series <- task$series
  block <-
    if (is.null(series$ahead)) block_of_moments(series$moment, time_blocks)
    else blocks_ahead(series$moment, series$ahead)
  judged <- utils::tail(sort(unique(block))[-1L], if (fits_densely(task)) judged_blocks else 1L)
  y <- task$molded$y
  splits <- lapply(judged, function(id) list(train = which(block < id), test = which(block == id)))
  Filter(function(split) !is.factor(y) || all(y[split$test] %in% y[split$train]), splits)
}

# The time column, and its value so many times after the last row as predictions are wanted ahead;
# NULL where nothing was said of that
end_of_forecast <- function(series) {
  if (is.null(series$ahead) || is.null(series$column)) return(NULL)
  last <- max(series$moment)
  list(column = series$column, until = last + series$ahead * typical_step(series$moment))
}

# Blocks of `ahead` times, counted from the last one; 0 is all that comes before
blocks_ahead <- function(moment, ahead) {
  times <- sort(unique(moment))
  before_end <- (length(times) - match(moment, times)) %/% ahead
  judged <- min(judged_blocks, floor(length(times) / 2 / ahead))
  if (judged < 1) {
    abort_gpsieve("{.arg ahead} must be at most half of the times of the rows.",
      "Found {ahead} of {length(times)} times.", class = "data")
  }
  pmax(judged - before_end, 0)
}

# Is a short series of numbers judged, of which nobody has named the function, the noise of each row
# or how wide variances should be?
is_short_series <- function(task) {
  isTRUE(task$series$ordered) && task$kind == "number" && !length(task$kernels) &&
    fits_densely(task) && nrow(task$molded$x) <= most_learned_anew &&
    is.null(task$molded[["noise"]]) && task$control$blocks$widen == 1
}

# Which entries of one likelihood does the evidence of all rows not contradict? Later rows are few,
# and their errors go together: they can prefer a line to a function that follows the series.
# Of 75 series of M1 and M3 the mean log density of the later values is -1.96 where functions that
# the evidence contradicts are left out, and -2.29 where they are not; scaled errors are 2.10 and
# 2.18 in the mean.
is_plausible <- function(entries, task) {
  evidence <- evidence_of_entries(entries, task)
  evidence >= max(evidence, -Inf) - clear_held_out_gain
}

# The entries of a short series in their order, those last that the evidence contradicts
by_evidence_of_series <- function(entries, task) {
  if (!is_short_series(task) || length(entries) < 2L) return(entries)
  plausible <- is_plausible(entries, task)
  behind_by_evidence(c(entries[plausible], entries[!plausible]))
}

# The entry with variances as wide as the errors of later blocks, times 1 + 1 / m if there are m
# blocks: so few say little of how wide they should be. The mean of a log-normal response grows with
# its variances: these are not made as wide as the errors of a single block, and stay as they are
# where held-out squared errors would be more than a tenth greater.
# On three samples of 75 series of M1 and M3 90 % intervals held .75, .70 and .80 of later values
# with the variances that were learned, and hold .88, .83 and .92 with the rule above and this one;
# log densities are greater by .59, .69 and .18 nats a value, with standard errors of .25, .24 and
# .08.
with_variances_of_series <- function(entry, choice) {
  likelihood <- entry$candidate$likelihood
  blocks <- length(choice$splits)
  learned <- is.null(likelihood) || (has_one_noise(likelihood) && !length(likelihood$fixed))
  if (!blocks || !learned || is.null(entry$candidate$settings$control$blocks)) return(entry)
  if (is.null(likelihood) || !bends_response(likelihood)) {
    return(widened(entry, (1 + 1 / blocks) * max(1, mean_square_of_errors(entry$judged))))
  }
  found <- with_widened_means(widened(entry, 1 + 1 / blocks), entry, choice$task$unit)
  if (has_mean_as_good(found, entry)) found else entry
}

# What a widened entry of a log-normal response says of held-out rows, with its means: a mean is
# exp(m + v / 2) where the logarithm has the mean m and the variance v. The `unit` is that of the
# residuals.
with_widened_means <- function(widened, entry, unit) {
  variance <- function(said) {
    ((log(said[, "upper"]) - log(said[, "lower"])) / (2 * stats::qnorm(0.975)))^2
  }
  said <- entry$judged$said
  mean <- said[, "mean"] * exp((variance(widened$judged$said) - variance(said)) / 2)
  shift <- (mean - said[, "mean"]) / unit
  widened$judged$said[, "mean"] <- mean
  widened$judged$residual <- entry$judged$residual - sqrt(said[, "weight"]) * shift
  widened
}
