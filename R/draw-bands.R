# The numbers of curves and their bands: what a fit answers along one input, for each level of a
# factor where there is one beside it.
#
# Bands are of two kinds. The confidence band holds the mean response, the probability, or the share
# of successes; the prediction band holds a new numeric response.

# The bands that `interval` names, as far as there are such: a probability has no prediction band, a
# share of successes none without numbers of trials, which a picture does not have; the
# probabilities of several classes have none. A quantile is drawn with a prediction band only where
# that alone is asked for: that of the asymmetric Laplace distribution is seldom that of data.
bands_of <- function(fit, interval) {
  if (predicts_quantile(fit$likelihood) && interval == "both") interval <- "confidence"
  known <- switch(fit$response$kind, binary = , trials = "confidence",
    multiclass = , ordinal = character(), c("confidence", "prediction"))
  intersect(switch(interval, both = c("confidence", "prediction"), interval), known)
}

# Those that have room in the picture
drawn_bands <- function(fit, interval) {
  if (has_many_curves(fit)) character() else bands_of(fit, interval)
}

# What the bands or bars mean, in words; NULL where there are none
band_words <- function(fit, level, interval = "both", noun = "band") {
  bands <- bands_of(fit, interval)
  if (!length(bands)) return(NULL)
  width <- paste0(number_text(100 * level), "%")
  average <-
    if ("prediction" %in% bands && has_learned_noise(fit) && !noise_is_drawable(fit)) {
      " with the average noise"
    }
  kind <- fit$response$kind
  several <- length(bands) == 2L
  middle <-
    if (predicts_quantile(fit$likelihood)) {
      paste(number_text(quantile_level(fit$likelihood)), "quantile")
    } else {
      "mean"
    }
  what <-
    if (kind == "binary") "interval of the probability"
    else if (kind == "trials") "interval of the share"
    else if (several) "intervals of the mean (dark) and of a new value (pale)"
    else if (bands == "confidence") paste("interval of the", middle)
    else "prediction interval"
  paste0(noun, if (several) "s", ": ", width, " ", what, average)
}

# Mean and its bands, or probabilities in long form, at rows of the drawn inputs: `fit`; `lower`
# and `upper`, the prediction band; `low` and `high`, the confidence band, NA where there is none
# and without a `level`
answer_frame <- function(fit, rows, level) {
  x <- model_rows(fit, rows)
  latent <- marginals_at(fit, x)
  tails <- (1 + c(-1, 1) * level) / 2
  if (is_classification(fit$response)) return(probability_frame(fit, x, latent, tails))
  out <- data.frame(
    row = seq_len(nrow(x)), fit = predicted_mean(fit, latent), low = NA_real_, high = NA_real_,
    lower = NA_real_, upper = NA_real_
  )
  if (is.null(level)) return(out)
  out[c("low", "high")] <- mean_limits(fit, latent, tails)
  if (!"prediction" %in% bands_of(fit, "both")) return(out)
  if (noise_is_drawable(fit)) {
    columns <- stats::setNames(as.data.frame(rows), drawn_view(fit)$columns)
    changed <- with_noise_of_rows(fit, latent, learned_noise_sd(fit, columns, "newdata"))
    fit <- changed$fit
    latent <- changed$latent
  }
  band <- predicted_quantiles(fit, latent, tails)
  out$lower <- band[, 1L]
  out$upper <- band[, 2L]
  out
}

probability_frame <- function(fit, x, latent, tails) {
  p <- predicted_probabilities(fit, latent)[, drawn_levels(fit$response), drop = FALSE]
  out <- data.frame(
    row = rep(seq_len(nrow(x)), ncol(p)), class = rep(colnames(p), each = nrow(x)),
    fit = as.vector(p), low = NA_real_, high = NA_real_, lower = NA_real_, upper = NA_real_
  )
  out$class <- factor(out$class, levels = fit$response$levels)
  if (fit$response$kind == "binary" && length(tails)) {
    out[c("low", "high")] <- mean_limits(fit, latent, tails)
  }
  out
}

# Does the noise depend on numeric columns of the drawn inputs only, so that it is known wherever a
# picture looks?
noise_is_drawable <- function(fit) {
  columns <- fit$likelihood$noise$columns
  has_learned_noise(fit) && all(names(columns) %in% drawn_view(fit)$columns) &&
    all(vapply(columns, function(column) is.numeric(column) && !is.object(column), NA))
}

# The function along one input: `x`, numbers or a factor; `group`, a class or a level of the factor
# beside a number, of which each has a curve; and the answers
line_frame <- function(fit, points, level, grid) {
  terms <- input_terms(fit)
  of <- curve_terms(fit)
  labels <- if (!is.null(of$factor)) factor_labels(fit, of$factor, terms[[of$factor]])
  levels <- factor(labels, labels)
  at <- if (is.null(of$number)) levels else curve_points(fit, of$number, grid, points)
  places <- expand.grid(at = seq_along(at), level = curve_levels(of, labels))
  values <- matrix(0, nrow(places), length(drawn_view(fit)$columns))
  if (!is.null(of$rows)) values <- of$rows[places$level, , drop = FALSE]
  if (!is.null(of$number)) values[, terms[[of$number]]] <- at[places$at]
  if (length(labels)) {
    code <- if (is.null(of$number)) places$at else places$level
    values[, terms[[of$factor]]] <- level_values(fit, terms[[of$factor]], labels)[code, ]
  }
  out <- answer_frame(fit, values, level)
  if (is_series(fit)) out <- with_smooth_bands(out, at, steps_of_series(fit, at), fit, level)
  out$x <- at[places$at[out$row]]
  out$group <-
    if (!is.null(of$number) && length(labels)) levels[places$level[out$row]]
    else if (!is.null(out$class)) out$class
    else factor("mean")
  out
}

# The levels of the factor beside a number that have a curve; one curve where there is no factor
curve_levels <- function(of, labels) {
  if (is.null(of$number) || !length(labels)) return(1L)
  if (is.null(of$rows)) seq_along(labels) else which(!is.na(of$rows[, 1L]))
}

# The groups of curves for the levels of a factor. Of many subjects all have the colours of the
# levels of another factor, where there is one.
level_groups <- function(fit, of) {
  terms <- input_terms(fit)
  labels <- factor_labels(fit, of$factor, terms[[of$factor]])
  colours <- stats::setNames(level_colours(length(labels)), labels)
  if (length(labels) <= most_curves) {
    return(list(title = of$factor, colours = colours, key = colours))
  }
  for (term in of$beside) {
    if (!is_discrete_term(fit, terms[[term]])) next
    kinds <- factor_labels(fit, term, terms[[term]])
    if (length(kinds) > most_curves) next
    key <- stats::setNames(level_colours(length(kinds)), kinds)
    colours[] <- key[level_of_rows(fit, terms[[term]], of$rows)]
    return(list(title = term, colours = colours, key = key, by = of$factor))
  }
  list(title = of$factor, colours = colours)
}

# Where an input is looked at: over the training rows, and those drawn with them or forecast.
# A period needs many points. Rows beyond those of training are among the points, so that short
# periods show there.
curve_points <- function(fit, term, grid, points) {
  column <- input_terms(fit)[[term]]
  range <- recent_range(fit, column, points)
  count <- if (is.null(grid)) points_for_periods(fit, column, range) else grid
  seen <- drawn_view(fit)$range[, column]
  beyond <- points$x[points$x[, column] < seen[1L] | points$x[, column] > seen[2L], column]
  at <- c(seq(range[1L], range[2L], length.out = count), beyond)
  if (is_series(fit)) at <- c(at, steps_of_series(fit, range))
  sort(unique(at))
}

# Has gpsieve() judged the fit by later rows, along an input that is drawn alone?
is_series <- function(fit) isTRUE(fit$choice$in_time) && length(input_terms(fit)) == 1L

# A picture of a forecast shows so many times as much of the past as of the future.
shown_past <- 3

# The range of an input in a picture: of a series with its forecast the last times and the forecast,
# unless rows of newdata lie before these
recent_range <- function(fit, column, points) {
  range <- drawn_range(fit, column, points$x)
  seen <- drawn_view(fit)$range[, column]
  ahead <- range[2L] - seen[2L]
  asked <- !is.null(points) && !isTRUE(attr(points, "training")) &&
    any(points$x[, column] <= seen[2L])
  if (!is_series(fit) || ahead <= 0 || asked) return(range)
  c(max(seen[1L], seen[2L] - shown_past * ahead), range[2L])
}

# The times of a series within the range of `at`: those of training, and beyond them as many as
# there are at their usual distance
steps_of_series <- function(fit, at) {
  known <- sort(unique(drawn_rows(fit)[, 1L]))
  step <- stats::median(diff(known))
  last <- known[length(known)]
  later <- if (isTRUE(step > 0) && max(at) > last) seq(last, max(at), by = step)
  steps <- c(known, later, max(at))
  sort(unique(steps[steps >= min(at) & steps <= max(at)]))
}

# Curves of a series whose bands are, between the times that a series has, as wide as at the times
# beside: a series has no values there, and how unsure they would be is no part of a forecast.
# Widths are linear in time between them, of a positive response those of the logarithm.
with_smooth_bands <- function(out, at, steps, fit, level) {
  there <- match(steps, at)
  positive <- fit$response$kind %in% c("positive", "count")
  to <- if (positive) function(v) log(pmax(v, 1e-12)) else identity
  back <- if (positive) exp else identity
  for (end in c("low", "high", "lower", "upper")) {
    if (anyNA(out[[end]])) next
    width <- to(out[[end]]) - to(out$fit)
    out[[end]] <- back(to(out$fit) + stats::approx(steps, width[there], at, rule = 2)$y)
  }
  out
}

# A curve has so many points, and at least so many in each period, but no more than this in all.
curve_grid <- 300L
points_in_period <- 24
most_curve_points <- 6000

points_for_periods <- function(fit, column, range) {
  needed <- points_in_period * diff(range) / shortest_period(fit, column)
  ceiling(max(curve_grid, min(needed, most_curve_points)))
}

# The shortest period of the kernel along a column, in units of the data; Inf where there is none
shortest_period <- function(fit, column) {
  if (!is.null(fit$blueprint$drawn)) return(Inf)
  leaves <- kernel_leaves(fit$kernel, seq_along(fit$inputs$center))
  periods <- vapply(leaves, function(leaf) {
    if (column %in% leaf$columns) min(leaf$kernel$values$period, Inf) else Inf
  }, 0)
  min(periods, Inf) * fit$inputs$scale[[column]]
}

# Where the training rows end, if a picture goes beyond
ends_of_data <- function(fit, term, x) {
  seen <- drawn_view(fit)$range[, input_terms(fit)[[term]]]
  if (diff(seen) == 0) return(numeric())
  slack <- 1e-9 * diff(seen)
  c(seen[1L][min(x) < seen[1L] - slack], seen[2L][max(x) > seen[2L] + slack])
}

# The caption of a picture of curves or of the levels of a factor, with the rows `data`
curve_caption <- function(fit, frame, data, asked) {
  number <- curve_terms(fit)$number
  bands <-
    if (has_many_curves(fit)) curves_words(fit)
    else band_words(fit, asked$level, asked$interval, if (is.null(number)) "bar" else "band")
  signs <-
    if (!is.null(number)) {
      c(if (!has_row_marks(fit, data)) paste("ticks above:", marked_words(fit)),
        if (length(ends_of_data(fit, number, frame$x))) "dotted line: end of the data")
    } else if (!is.null(data) && is_classification(fit$response)) {
      "rings: shares of the rows"
    }
  below <- if (!is.null(number) && !is.null(data) && is_classification(fit$response) &&
    is.null(curve_terms(fit)$factor)) "ticks below: rows in the colour of their class"
  paste(c(bands, signs, below, if (any(data$open)) "open points: censored",
    share_of_rows(data, attr(data, "total"))), collapse = "; ")
}

# Levels of a factor by their numbers
level_factor <- function(fit, term, code) {
  labels <- factor_labels(fit, term, input_terms(fit)[[term]])
  factor(labels[code], labels)
}

curves_words <- function(fit) {
  groups <- curve_groups(fit)
  paste("a curve for each of", length(groups$colours), "levels of",
    if (is.null(groups$by)) groups$title else groups$by)
}

# Are the marks along a picture the rows that are drawn as points anyway?
has_row_marks <- function(fit, data) {
  marked_words(fit) == "rows" && !is.null(data) && !is_classification(fit$response) &&
    !all(is.na(data$y))
}

# How many of all rows are drawn, in words; NULL where all are, or none
share_of_rows <- function(shown, total) {
  count <- NROW(shown)
  if (is.null(total) || count == 0L || total <= max(most_drawn_rows, count)) return(NULL)
  paste(in_thousands(count), "of", in_thousands(total), "rows are drawn")
}

# Signs of rows: full points, open where a number is known to lie in an interval only
point_signs <- function(data, full = 16L) ifelse(data$open, 1L, full)

# The axis of the answers: the response, its share of successes, or whose probability it is
answer_words <- function(fit) {
  response <- fit$response
  if (response$kind == "binary") paste0("P(", response$present[2L], ")")
  else if (is_classification(response)) "probability"
  else if (response$kind == "trials") "share of successes"
  else if (response_type(fit) == "Surv") paste(measured_names(fit), collapse = " to ")
  else paste0(response$name, offset_words(fit))
}

# What the answers of a picture are, whose rows have no offset: of counts with the logarithm of an
# exposure as offset the rate of it, and otherwise the response without the offset
offset_words <- function(fit) {
  if (!has_offset(fit)) return(NULL)
  rules <- fit$blueprint$offset$rules
  exposure <- if (length(rules) == 1L) {
    parts <- as.list(str2lang(names(rules)))
    if (length(parts) == 2L && identical(parts[[1L]], quote(log))) expr_text(parts[[2L]])
  }
  if (is.null(exposure)) " with offset 0"
  else if (fit$response$kind %in% c("count", "positive")) paste(" per", exposure)
  else paste0(" less ", names(rules))
}

# The function of which the response of a formula is made, "" where there is none
response_type <- function(fit) {
  written <- if (!is.null(fit$formula)) stats::formula(fit)[[2L]]
  if (is.call(written)) utils::tail(as.character(written[[1L]]), 1L) else ""
}

# The times that a `survival::Surv()` of the formula is made of: that of the event, or both ends
measured_names <- function(fit) {
  parts <- as.list(stats::formula(fit)[[2L]])[-1L]
  ends <- isTRUE(parts$type %in% "interval2")
  vapply(unname(parts)[seq_len(1L + ends)], expr_text, "")
}

# The points of a picture: `x` along its axis, `y` and `group` where they are known, and `open`,
# whether `y` is known to lie in an interval only; of a factor alone `x` is the number of its level
curve_data <- function(fit, points) {
  if (is.null(points)) return(NULL)
  terms <- input_terms(fit)
  of <- curve_terms(fit)
  from <- if (!is.null(of$number)) recent_range(fit, terms[[of$number]], points)[1L]
  if (!is.null(points$beside)) points <- points$beside
  code <- if (!is.null(of$factor)) level_of_rows(fit, terms[[of$factor]], points$x)
  out <- data.frame(x = if (is.null(of$number)) code else points$x[, terms[[of$number]]])
  out$y <- if (is.null(points$y)) rep(NA, nrow(out)) else points$y
  out$open <- if (is.null(points$open)) rep(FALSE, nrow(out)) else points$open
  out$group <-
    if (!is.null(of$number) && !is.null(code)) level_factor(fit, of$factor, code)
    else if (is.factor(points$y)) points$y
    else factor("mean")
  shown <- !is.na(out$x)
  if (!is.null(from)) shown <- shown & out$x >= from
  structure(out[shown, , drop = FALSE], total = points$total)
}
