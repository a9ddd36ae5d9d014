# The numbers behind pictures, as data frames: plot() draws them with base graphics, autoplot() with
# ggplot2.

picture_names <- c(
  "function", "effects", "survival", "relevance", "calibration", "reject", "reliability",
  "residuals", "trace", "terms"
)

default_picture <- function(fit) {
  # Sparse inputs are many: one effect after the other takes long.
  if (has_survival(fit)) "survival"
  else if (is_drawable_function(fit)) "function"
  else if (is_sparse(fit$basis)) "trace"
  else "effects"
}

# Is the function drawn as a map of two inputs?
is_map <- function(fit) length(input_terms(fit)) == 2L && !is_by_factor(fit)

# Has each level a curve, and are there more than have room for bands and a legend?
has_many_curves <- function(fit) {
  of <- curve_terms(fit)
  !is.null(of$number) && !is.null(of$factor) && length(curve_groups(fit)$colours) > most_curves
}

check_drawable_function <- function(fit) {
  if (is_drawable_function(fit)) return(invisible())
  abort_gpsieve(
    paste("{.val function} can be drawn with one or two numeric inputs, one factor, or a number",
      "and a factor of few levels."),
    "This fit has {length(input_terms(fit))} inputs.",
    "{.val effects} draws the effect of each input, for any number of them.",
    class = "unsupported"
  )
}

# Latent marginals at rows of the model matrix, original scale
marginals_at <- function(fit, x) {
  latent_marginals(fit, rows_for_fit(fit, x), TRUE, core_settings(1L))
}

# Classes whose probability is drawn: the second of two, or all
drawn_classes <- function(response) response$levels[drawn_levels(response)]

drawn_levels <- function(response) {
  if (response$kind == "binary") second_level(response) else present_levels(response)
}

# A picture of effects shows no more inputs than this, the most relevant ones, and averages over no
# more rows than this.
most_effects <- 6L

# Partial dependence and its parts: what the fit answers at some rows when one input is moved.
# Individual conditional expectations are the curves of single rows, partial dependence is their
# mean. The rows are those of `newdata`, or drawn_rows().
# Returns a data frame with `term`, `x` (a number; the position of a factor's level), `label` (the
# level), `row`, `class` (where there are several), `fit`, and `error`, the standard deviation of
# the average at this place. Its attribute `rows` are the rows.
effect_frame <- function(fit, newdata, terms, grid) {
  background <- if (is.null(newdata)) drawn_rows(fit) else forge_drawn(fit, newdata)
  if (is_sparse(background)) background <- as.matrix(background)
  background <- background[rowSums(is.na(background)) == 0, , drop = FALSE]
  if (nrow(background) == 0L) {
    abort_gpsieve("Effects are averaged over rows without missing values.", "Found none.",
      class = "data")
  }
  background <- background[evenly_spaced(nrow(background), most_effect_rows), , drop = FALSE]
  columns <- input_terms(fit)
  out <- do.call(rbind, lapply(terms, function(term) {
    term_effects(fit, background, term, columns[[term]], grid)
  }))
  attr(out, "rows") <- background
  out
}

term_effects <- function(fit, background, term, columns, grid) {
  discrete <- is_discrete_term(fit, columns)
  labels <- if (discrete) factor_labels(fit, term, columns)
  places <-
    if (discrete) level_values(fit, columns, labels) else matrix(axis_points(fit, columns, grid))
  if (!discrete) labels <- rep(NA, nrow(places))
  x <- background[rep(seq_len(nrow(background)), each = nrow(places)), , drop = FALSE]
  x[, columns] <- places[rep(seq_len(nrow(places)), nrow(background)), ]
  answers <- answer_frame(fit, x, NULL)
  place <- (answers$row - 1L) %% nrow(places) + 1L
  out <- data.frame(
    term = term, x = if (discrete) place else places[place, 1L], label = labels[place],
    row = (answers$row - 1L) %/% nrow(places) + 1L, fit = answers$fit
  )
  if (!is.null(answers$class)) out$class <- answers$class
  error <- effect_errors(fit, model_rows(fit, x), nrow(places))
  class <- if (is.null(answers$class)) 1L else match(answers$class, drawn_classes(fit$response))
  out$error <- if (is.null(error)) NA_real_ else error[cbind(place, class)]
  out
}

# The posterior standard deviation of partial dependence, a row for each place and a column for each
# drawn class: that of the mean response of all rows, by the slope of the response where it is no
# line in the latent functions, which are independent of each other; NULL where a fit has no joint
# posterior, or more classes than have colours
effect_errors <- function(fit, x, places) {
  joint <- identical(fit$response$scheme, "joint")
  classes <- length(drawn_classes(fit$response))
  if (joint || classes > length(safe_colours) || is_augmented(fit)) return(NULL)
  settings <- core_settings(1L)
  at <- rep(seq_len(places), nrow(x) / places)
  variances <- lapply(seq_len(places), function(place) {
    rows <- rows_for_fit(fit, x[at == place, , drop = FALSE])
    f <- latent_marginals(fit, rows, FALSE, settings)$mean
    covariances <- latent_covariances(fit, rows, settings)
    of_functions <- lapply(seq_along(covariances), function(k) {
      slope <- answer_slope(fit, f, k)
      colSums(slope * (covariances[[k]] %*% slope)) / nrow(rows)^2
    })
    Reduce(`+`, of_functions)
  })
  sqrt(pmax(do.call(rbind, variances), 0))
}

# How much the mean response, or the probability of each drawn class, changes with the k-th latent
# function, whose values at some rows are a column of `f`: a matrix with a row for each of them
answer_slope <- function(fit, f, k) {
  if (fit$response$kind == "real") return(matrix(1, nrow(f), 1L))
  moved <- function(step) {
    f[, k] <- f[, k] + step
    if (!has_many_classes(fit$response)) return(as.matrix(response_at(fit, f)))
    known <- list(mean = f, variance = 0 * f)
    predicted_probabilities(fit, known)[, drawn_levels(fit$response), drop = FALSE]
  }
  (moved(slope_step) - moved(-slope_step)) / (2 * slope_step)
}

slope_step <- 1e-4

# The limits of the answers in a picture of effects. Where some rows have answers far from those of
# the others, these would press the averages together: then the picture goes as far as the averages
# and all but the highest and the lowest twentieth of the rows. list(limits, cut), whether so.
effect_limits <- function(fit, effects, average) {
  ends <- c(average$fit, average$low, average$high)
  if (has_many_classes(fit$response)) {
    return(list(limits = c(0, max(ends, na.rm = TRUE)), cut = FALSE))
  }
  if (is_classification(fit$response)) return(list(limits = c(0, 1), cut = FALSE))
  most <- range(ends, stats::quantile(effects$fit, c(0.05, 0.95)), na.rm = TRUE)
  all <- range(ends, effects$fit, na.rm = TRUE)
  cut <- diff(all) > far_wider * diff(most)
  list(limits = if (cut) most else all, cut = cut)
}

# Single rows may make a picture so many times as high as it would be with most of them.
far_wider <- 2

# How far beside a level the k-th of some classes stands, which have no more room together than
# a third of the distance of two levels; grey ones of many classes stand at the level
class_step <- function(k, classes) {
  if (classes > length(safe_colours)) 0 else 0.33 * ((k - 0.5) / classes - 0.5)
}

# From where to where an input is drawn: half a step beyond the levels of a factor
effect_range <- function(effects) {
  range(effects$x) + if (is.na(effects$label[1L])) 0 else c(-0.5, 0.5)
}

# Means over the rows of an effect_frame(), with the limits `low` and `high` of their intervals; a
# probability, a count and other positive means stay where these can be
partial_dependence <- function(effects, fit = NULL, level = 0.9, interval = "both") {
  by <- effects[intersect(c("term", "x", "class"), names(effects))]
  key <- do.call(paste, c(by, sep = "\r"))
  out <- effects[!duplicated(key), ]
  out$fit <- as.vector(tapply(effects$fit, factor(key, unique(key)), mean))
  half <- if (interval == "none") NA_real_ else stats::qnorm((1 + level) / 2) * out$error
  kind <- if (is.null(fit)) "real" else fit$response$kind
  bounds <- switch(kind,
    binary = , multiclass = , ordinal = , share = , trials = c(0, 1),
    count = , positive = c(0, Inf), c(-Inf, Inf))
  out$low <- pmax(bounds[1L], out$fit - half)
  out$high <- pmin(bounds[2L], out$fit + half)
  out
}

# The rows over which effects are averaged, along one input
effect_rows <- function(fit, effects, term) attr(effects, "rows")[, input_terms(fit)[[term]]]

# What a picture of effects draws: list(terms, effects, average, limits, words), the inputs, the
# answers of single rows, their averages, the limits of both, and what the signs mean
effects_picture <- function(fit, newdata, terms, asked) {
  terms <- drawn_terms(fit, terms)
  effects <- effect_frame(fit, newdata, terms, if (is.null(asked$grid)) 40L else asked$grid)
  average <- partial_dependence(effects, fit, asked$level, asked$interval)
  shown <- effect_limits(fit, effects, average)
  out <- list(terms = terms, effects = effects, average = average, limits = shown$limits)
  out$words <- effect_words(fit, out, shown$cut, asked)
  out
}

# What the signs of a picture of effects mean, whether answers of rows are cut off, and which inputs
# it leaves out
effect_words <- function(fit, picture, cut, asked) {
  several <- has_many_classes(fit$response)
  all <- length(input_terms(fit))
  lone <- !is.null(fit$blueprint$drawn) && is.null(fit$kept$drawn) && !isTRUE(asked$newdata)
  paste(c(
    if (lone) "other inputs: medians and most frequent levels"
    else if (several) "averages over rows (partial dependence)"
    else "thick: average over rows (partial dependence); thin or small: single rows",
    if (cut) "the highest and the lowest twentieth of the rows may be cut off",
    if (!all(is.na(picture$average$low))) {
      paste0("band: ", number_text(100 * asked$level), "% interval", if (!lone) " of the average")
    },
    if (!lone && anyNA(picture$effects$label)) "ticks below: rows",
    if (length(picture$terms) < all) paste(length(picture$terms), "of", all, "inputs")
  ), collapse = "; ")
}

# A picture of relevances shows no more of them than this.
most_relevances <- 30L

relevance_words <- "relevance: change when permuted / variance"

# relevance() with two standard errors either way
relevance_frame <- function(fit, newdata) {
  table <- relevance(fit, newdata)
  table$lower <- pmax(0, table$relevance - 2 * table$std_error)
  table$upper <- table$relevance + 2 * table$std_error
  table
}

# relevance() of the terms that pictures draw
term_relevance <- function(fit) relevance_at(fit, fit$basis, moved_columns(fit))

# The terms that are drawn: those asked for, or the most relevant
drawn_terms <- function(fit, terms) {
  known <- names(input_terms(fit))
  if (is.null(terms)) return(utils::head(term_relevance(fit)$term, most_effects))
  unknown <- setdiff(terms, known)
  if (!is.character(terms) || !length(terms) || length(unknown)) {
    found <- if (length(unknown)) paste(dQuote(unknown, FALSE),
      collapse = ", ") else describe(terms)
    meant <- meant_values(unknown, known)
    abort_gpsieve("{.arg terms} must be inputs of this fit.", "Found {found}.",
      if (is.null(meant)) "It has {.val {known}}." else meant)
  }
  unique(terms)
}

# Largest number of points that are drawn: more take long and cannot be told apart.
most_points <- 20000L

# The points that are drawn: those of newdata, or the training rows whose inputs and response the
# fit keeps: list(x, y, open, total), at most `most_points` of them; `open` says which of
# the numbers `y` are known to lie in an interval only. Where no response of newdata is known the
# field `beside` has the training rows, which are drawn beside curves in their place. What the
# function says has no offset, so that responses with one are not drawn beside it.
drawn_points <- function(fit, newdata, y) {
  if (is.null(newdata)) return(training_points(fit))
  x <- forge_drawn(fit, newdata)
  y <- response_if_known(fit, newdata, y)
  if (has_offset(fit)) y <- replace(y, TRUE, NA)
  kept <- evenly_spaced(nrow(x), most_points)
  points <- points_of(x[kept, , drop = FALSE], y[kept], nrow(x))
  # Rows whose response is not known, such as those of the future, have no place beside a curve.
  points$beside <- if (!is_map(fit) && all(is.na(y))) training_points(fit)
  points
}

points_of <- function(x, y, total) {
  list(x = x, y = one_number(y), total = total,
    open = if (has_censored(y)) is.na(plain_numbers(y)) & !is.na(y))
}

training_points <- function(fit) {
  if (has_offset(fit)) return(NULL)
  y <- fit$kept$y
  x <- fit$kept$drawn
  if (is.null(x) || !(is.factor(y) || is_pairs(y) || is.double(y) && is.null(dim(y)))) return(NULL)
  shown <- y[evenly_spaced(length(y), nrow(x))]
  points <- points_of(x, if (is.factor(y)) as_classes(as.character(shown), fit$response) else shown,
    length(y))
  structure(points, training = TRUE)
}

# The response of rows to draw; NA for rows that come without, such as those of the future
response_if_known <- function(fit, newdata, y) {
  outcomes <- names(fit$blueprint$ptypes$outcomes)
  lacking <- is.null(y) && (!length(outcomes) || !all(outcomes %in% colnames(newdata)))
  if (!lacking) return(response_of(fit, newdata, y))
  if (is_classification(fit$response)) {
    return(factor(rep(NA, nrow(newdata)), levels = fit$response$levels))
  }
  rep(NA_real_, nrow(newdata))
}

# Reliability bins with two standard errors, which are never zero: one more success and failure are
# counted in
reliability_frame <- function(table) {
  bins <- table$reliability[table$reliability$count > 0, ]
  smoothed <- (bins$observed * bins$count + 1) / (bins$count + 2)
  error <- 2 * sqrt(smoothed * (1 - smoothed) / (bins$count + 2))
  bins$low <- pmax(0, pmin(bins$observed, smoothed - error))
  bins$high <- pmin(1, pmax(bins$observed, smoothed + error))
  bins
}

# Calibration from new data, or the one the fit keeps of its cavities, with its source in words
calibration_of <- function(fit, newdata, y) {
  if (!is_classification(fit$response)) {
    abort_gpsieve("Reject and reliability curves need a classification fit.",
      hint = "{.val residuals} judges a fit of numbers.", class = "unsupported")
  }
  if (!is.null(newdata)) {
    truth <- response_of(fit, newdata, y)
    probabilities <- stats::predict(fit, newdata, type = "prob")
    check_some_judged(!is.na(truth) & !is.na(probabilities[, 1L]))
    out <- calibration_table(probabilities, truth)
    return(c(out, source = "newdata"))
  }
  if (is.null(fit$calibration)) {
    abort_gpsieve("This fit keeps no cavities to draw from.",
      hint = if (fit$model == "ivm") "Give {.arg newdata}, or fit with {.code refine} above 0."
        else "Give {.arg newdata}.",
      class = "unsupported")
  }
  c(fit$calibration, source = "leave one out")
}

# Stops where no row has both a response and a prediction, by which it could be judged
check_some_judged <- function(known) {
  if (any(known)) return(invisible())
  abort_gpsieve("This picture needs rows with a response and a prediction.",
    "Every row lacks one of them.", class = "data")
}

# Quantile residuals beside the standard normal quantiles they should have, and the limits between
# which each of the ordered ones lies with probability .95 if it does
residual_frame <- function(fit, newdata, y) {
  # The draws within the jumps of a discrete distribution must not move R's generator.
  if (is.null(newdata)) {
    check_goes_without_newdata(list(y = y))
    kept_rows(fit, "plot")
    residual <- stats::residuals(fit, "quantile", seed = 1)
    fitted <- fitted(fit)
  } else {
    residual <- stats::residuals(fit, "quantile", newdata, y, seed = 1)
    fitted <- fitted(fit, newdata)
  }
  check_some_judged(!is.na(residual))
  known <- which(!is.na(residual))
  out <- data.frame(fitted = unname(fitted[known]), residual = unname(residual[known]))
  place <- rank(out$residual, ties.method = "first")
  out$expected <- stats::qnorm(stats::ppoints(nrow(out)))[place]
  # Order statistics of uniform numbers have beta distributions.
  for (limit in c("low", "high")) {
    out[[limit]] <- stats::qnorm(stats::qbeta(c(low = 0.025, high = 0.975)[[limit]], place,
      nrow(out) + 1 - place))
  }
  out
}

trace_words <- function(fit) {
  trace <- fit$trace
  steps <- diff(trace$size)
  grows <- length(steps) > 0L && all(steps >= 0) && any(steps > 0)
  list(
    along = if (grows) "size" else "iteration",
    xlab = if (grows) fit$labels$basis else "iteration",
    ylab = switch(fit$model,
      ivm = , online_gp = "log evidence of the rows so far",
      greedy_gp = "objective (smaller is better)",
      "log evidence (larger is better)")
  )
}

# Colours that can be told apart with any common kind of colour vision (Okabe and Ito 2008).
safe_colours <- c(
  "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"
)

# A colour for every level; two classes have the ends of the probability map
class_colours <- function(response) {
  levels <- response$levels
  if (response$kind == "binary") {
    found <- stats::setNames(rep("grey50", length(levels)), levels)
    found[present_levels(response)] <- safe_colours[c(1L, 6L)]
    return(found)
  }
  stats::setNames(level_colours(length(levels)), levels)
}

# Of more classes than there are colours those have one whose probabilities differ most in a
# picture; the others are grey. A colour for each class that is drawn, the grey ones first, and in
# the attribute `key` the colours of the legend.
drawn_class_colours <- function(response, frame) {
  all <- class_colours(response)[drawn_levels(response)]
  if (length(all) <= length(safe_colours)) return(structure(all, key = all))
  spread <- tapply(frame$fit, factor(frame$class, names(all)), function(p) diff(range(p)))
  shown <- names(all)[rank(-spread, ties.method = "first") < length(safe_colours)]
  key <- stats::setNames(safe_colours[seq_along(shown)], shown)
  others <- setdiff(names(all), shown)
  key[sprintf("%d others", length(others))] <- other_classes
  faint <- stats::setNames(rep(other_classes, length(others)), others)
  structure(c(faint, key[seq_along(shown)]), key = key)
}

other_classes <- "grey75"

level_colours <- function(n) {
  if (n <= length(safe_colours)) safe_colours[seq_len(n)] else grDevices::hcl.colors(n, "Dark 3")
}

# Colours from the first class's to the second's, pale where both are as probable
probability_colours <- function(n = 65L) {
  grDevices::colorRampPalette(c(safe_colours[1L], "#F7F7F7", safe_colours[6L]))(n)
}

# The inputs of a picture of curves: list(number, factor), the names of its terms, NULL where there
# is none, or those of repeated_measures()
curve_terms <- function(fit) {
  repeated <- repeated_measures(fit)
  if (!is.null(repeated)) return(repeated)
  terms <- input_terms(fit)
  factors <- names(terms)[have_levels(fit, terms)]
  numbers <- setdiff(names(terms), factors)
  list(number = if (length(numbers)) numbers, factor = if (length(factors)) factors)
}

# The groups of a picture of curves with their colours, what they are, and the colours of the
# legend, `key`, with its title, NULL for none. `frame` are the curves.
curve_groups <- function(fit, frame = NULL) {
  of <- curve_terms(fit)
  response <- fit$response
  if (!is.null(of$number) && !is.null(of$factor)) return(level_groups(fit, of))
  if (!is_classification(response)) return(list(colours = c(mean = safe_colours[1L])))
  colours <- drawn_class_colours(response, frame)
  list(title = if (has_many_classes(response)) "class", colours = colours,
    key = if (has_many_classes(response)) attr(colours, "key"))
}

has_offset <- function(fit) !is.null(fit$blueprint$offset)

has_survival <- function(fit) isTRUE(fit$response$known < 1) && !has_known_noise(fit)
