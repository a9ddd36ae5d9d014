# The numbers behind pictures, as data frames: plot() draws them with base graphics, autoplot() with
# ggplot2.

picture_names <- c(
  "function", "effects", "relevance", "calibration", "reject", "reliability", "residuals", "trace",
  "terms"
)

#' The picture a fit is drawn with by default
#' @noRd
default_picture <- function(fit) {
  # Sparse inputs are many: one effect after the other takes long.
  if (is_drawable_function(fit)) "function" else if (is_sparse(fit$basis)) "trace" else "effects"
}

#' One or two numeric inputs, or one factor
#' @noRd
is_drawable_function <- function(fit) {
  terms <- input_terms(fit)
  length(terms) == 1L || (length(terms) == 2L && all(lengths(terms) == 1L))
}

check_drawable_function <- function(fit, call) {
  if (is_drawable_function(fit)) return(invisible())
  abort_gpsieve("{.val function} can be drawn with one or two numeric inputs, or one factor.",
    "This fit has {length(input_terms(fit))} inputs.",
    "{.val effects} draws the effect of each input, for any number of them.",
    class = "unsupported", call = call
  )
}

#' The columns of the model matrix that belong to each term that pictures draw: the indicators of a
#' factor or of text, or one column
#' @noRd
input_terms <- function(fit) {
  columns <- names(fit$inputs$center)
  terms <- columns
  design <- fit$blueprint$design
  for (v in seq_along(design$variables)) {
    if (design$encodings[[v]]$kind != "category") next
    name <- names(design$variables)[v]
    terms[columns %in% paste0(name, design$encodings[[v]]$levels)] <- name
  }
  split(seq_along(columns), factor(terms, unique(terms)))
}

#' Does a term have an indicator for each of several levels?
#' @noRd
is_factor_term <- function(fit, columns) length(columns) > 1L

#' Points along an input, over the training rows and, where there are some, the rows `x` that are
#' drawn with them
#' @noRd
axis_points <- function(fit, column, count, x = NULL) {
  if (column %in% level_places(fit$inputs)) return(axis_levels(fit, column, count))
  range <- range(fit$inputs$range[, column], x[, column], na.rm = TRUE)
  margin <- if (diff(range) > 0) 0.05 * diff(range) else 0.5
  seq(range[1L] - margin, range[2L] + margin, length.out = count)
}

#' Level numbers of a factor that is one column, at most `count` of them
#' @noRd
axis_levels <- function(fit, column, count) {
  known <- seq(fit$inputs$range[1L, column], fit$inputs$range[2L, column])
  known[evenly_spaced(length(known), count)]
}

#' Labels of the axis of an input with dates, times or ordered levels, see axis_ticks()
#' @noRd
term_ticks <- function(fit, term, range) {
  design <- fit$blueprint$design
  place <- match(term, names(design$variables))
  if (!is.na(place)) axis_ticks(design$encodings[[place]], range)
}

#' Latent marginals at rows of the model matrix, original scale
#' @noRd
marginals_at <- function(fit, x, call) {
  latent_marginals(fit, rows_for_fit(fit, x), TRUE, core_settings(1L), call)
}

#' Classes whose probability is drawn: the second of two, or all
#' @noRd
drawn_classes <- function(response) {
  if (response$kind == "binary") response$present[2L] else response$present
}

#' Mean and prediction interval, or probabilities in long form, at rows of the model matrix
#' @noRd
answer_frame <- function(fit, x, level, call) {
  latent <- marginals_at(fit, x, call)
  if (!is_classification(fit$response)) {
    if (noise_is_drawable(fit)) {
      columns <- stats::setNames(as.data.frame(x), names(fit$inputs$center))
      changed <- with_noise_of_rows(fit, latent, learned_noise_sd(fit, columns, "newdata", call))
      fit <- changed$fit
      latent <- changed$latent
    }
    band <- drawn_band(fit, latent, (1 + c(-1, 1) * level) / 2, call)
    return(data.frame(
      row = seq_len(nrow(x)), fit = predicted_mean(fit, latent), lower = band[, 1L],
      upper = band[, 2L]
    ))
  }
  p <- predicted_probabilities(fit, latent)[, drawn_classes(fit$response), drop = FALSE]
  out <- data.frame(
    row = rep(seq_len(nrow(x)), ncol(p)), class = rep(colnames(p), each = nrow(x)),
    fit = as.vector(p), lower = NA_real_, upper = NA_real_
  )
  out$class <- factor(out$class, levels = fit$response$levels)
  if (fit$response$kind == "binary") {
    tails <- (1 + c(-1, 1) * level) / 2
    out$lower <- response_at(fit, latent_quantile(latent, tails[1L]))
    out$upper <- response_at(fit, latent_quantile(latent, tails[2L]))
  }
  out
}

#' Where new numbers lie; of successes where their share lies: a picture has no numbers of trials
#' @noRd
drawn_band <- function(fit, latent, tails, call) {
  if (fit$response$kind != "trials") return(predicted_quantiles(fit, latent, tails, call))
  cbind(response_at(fit, latent_quantile(latent, tails[1L])),
    response_at(fit, latent_quantile(latent, tails[2L])))
}

#' What the vertical axis shows of the response
#' @noRd
answer_name <- function(fit) {
  if (is_classification(fit$response)) "probability"
  else if (fit$response$kind == "trials") "share of successes"
  else fit$response$name
}

#' Does the noise depend on numeric columns of the model matrix only, so that it is known wherever a
#' picture looks?
#' @noRd
noise_is_drawable <- function(fit) {
  columns <- fit$likelihood$noise$columns
  has_learned_noise(fit) && all(names(columns) %in% names(fit$inputs$center)) &&
    all(vapply(columns, function(column) is.numeric(column) && !is.object(column), NA))
}

#' What a band or a bar means, in words
#' @noRd
band_words <- function(fit, level) {
  paste0(
    format(100 * level), "% ",
    if (is_classification(fit$response)) "interval of the probability"
    else if (fit$response$kind == "trials") "interval of the share"
    else "prediction interval",
    if (has_learned_noise(fit) && !noise_is_drawable(fit)) " with the average noise"
  )
}

#' The function of one input: `x` (numbers, or a factor) and the answers
#' @noRd
line_frame <- function(fit, points, level, grid, call) {
  term <- input_terms(fit)
  if (is_factor_term(fit, term[[1L]])) {
    x <- diag(1, length(term[[1L]]))
    labels <- factor_labels(fit, names(term), term[[1L]])
    at <- factor(labels, labels)
  } else {
    # Rows beyond those of training are among the points, so that short periods show there.
    seen <- fit$inputs$range[, 1L]
    beyond <- points$x[points$x < seen[1L] | points$x > seen[2L]]
    at <- sort(unique(c(axis_points(fit, 1L, grid, points$x), beyond)))
    x <- matrix(at)
  }
  out <- answer_frame(fit, x, level, call)
  out$x <- at[out$row]
  out
}

#' Levels of a factor from the names of its indicators
#' @noRd
factor_labels <- function(fit, term, columns) {
  substring(names(fit$inputs$center)[columns], nchar(term) + 1L)
}

# A picture of effects shows no more inputs than this, the most relevant ones, and averages over no
# more rows than this.
most_effects <- 6L
most_effect_rows <- 60L

#' Partial dependence and its parts: what the fit answers at some rows when one input is moved
#'
#' Individual conditional expectations are the curves of single rows, partial dependence is their
#' mean. The rows are those of `newdata`, or the fit's basis points.
#' @return A data frame with `term`, `x` (a number; the position of a factor's level), `label` (the
#'   level), `row`, `class` (where there are several) and `fit`.
#' @noRd
effect_frame <- function(fit, newdata, terms, grid, call) {
  background <-
    if (is.null(newdata)) undo_scales(fit$basis, fit$inputs)
    else forge_new(fit, as.data.frame(newdata), call)
  if (is_sparse(background)) background <- as.matrix(background)
  background <- background[rowSums(is.na(background)) == 0, , drop = FALSE]
  if (nrow(background) == 0L) {
    abort_gpsieve("Effects are averaged over rows without missing values.", "Found none.",
      class = "data", call = call
    )
  }
  background <- background[evenly_spaced(nrow(background), most_effect_rows), , drop = FALSE]
  columns <- input_terms(fit)
  do.call(rbind, lapply(terms, function(term) {
    term_effects(fit, background, term, columns[[term]], grid, call)
  }))
}

term_effects <- function(fit, background, term, columns, grid, call) {
  discrete <- is_factor_term(fit, columns)
  places <- if (discrete) diag(1, length(columns)) else matrix(axis_points(fit, columns, grid))
  labels <- if (discrete) factor_labels(fit, term, columns) else rep(NA, nrow(places))
  x <- background[rep(seq_len(nrow(background)), each = nrow(places)), , drop = FALSE]
  x[, columns] <- places[rep(seq_len(nrow(places)), nrow(background)), ]
  answers <- answer_frame(fit, x, 0.9, call)
  place <- (answers$row - 1L) %% nrow(places) + 1L
  out <- data.frame(
    term = term, x = if (discrete) place else places[place, 1L], label = labels[place],
    row = (answers$row - 1L) %/% nrow(places) + 1L, fit = answers$fit
  )
  if (!is.null(answers$class)) out$class <- answers$class
  out
}

#' From where to where an input is drawn: half a step beyond the levels of a factor
#' @noRd
effect_range <- function(effects) {
  range(effects$x) + if (is.na(effects$label[1L])) 0 else c(-0.5, 0.5)
}

#' Means over the rows of an effect_frame()
#' @noRd
partial_dependence <- function(effects) {
  by <- effects[intersect(c("term", "x", "class"), names(effects))]
  key <- do.call(paste, c(by, sep = "\r"))
  out <- effects[!duplicated(key), ]
  out$fit <- as.vector(tapply(effects$fit, factor(key, unique(key)), mean))
  out
}

# A picture of relevances shows no more of them than this.
most_relevances <- 30L

relevance_words <- "share of the variance lost when permuted"

#' relevance() with two standard errors either way
#' @noRd
relevance_frame <- function(fit, newdata) {
  table <- relevance(fit, newdata)
  table$lower <- pmax(0, table$relevance - 2 * table$std_error)
  table$upper <- table$relevance + 2 * table$std_error
  table
}

#' relevance() of the terms that pictures draw
#' @noRd
term_relevance <- function(fit, call) relevance_at(fit, fit$basis, input_terms(fit), call)

#' The terms that are drawn: those asked for, or the most relevant
#' @noRd
drawn_terms <- function(fit, terms, call) {
  known <- names(input_terms(fit))
  if (is.null(terms)) return(utils::head(term_relevance(fit, call)$term, most_effects))
  unknown <- setdiff(terms, known)
  if (!is.character(terms) || !length(terms) || length(unknown)) {
    found <- if (length(unknown)) paste(dQuote(unknown, FALSE),
      collapse = ", ") else describe(terms)
    meant <- unlist(lapply(as.character(unknown), nearest_name, known))
    abort_gpsieve("{.arg terms} must be inputs of this fit.", "Found {found}.",
      if (length(meant)) "Did you mean {.or {.val {meant}}}?" else "It has {.val {known}}.",
      call = call
    )
  }
  unique(terms)
}

# Largest number of points that are drawn: more take long and cannot be told apart.
most_points <- 20000L

#' The points of newdata that are drawn: list(x, y, open, total), at most `most_points` of them;
#' `open` says which of the numbers `y` are known to lie in an interval only
#' @noRd
drawn_points <- function(fit, newdata, y, call) {
  if (is.null(newdata)) return(NULL)
  x <- forge_new(fit, as.data.frame(newdata), call)
  y <- response_if_known(fit, newdata, y, call)
  kept <- evenly_spaced(nrow(x), most_points)
  y <- y[kept]
  list(x = x[kept, , drop = FALSE], y = drawn_numbers(y), total = nrow(x),
    open = if (has_censored(y)) is.na(plain_numbers(y)) & !is.na(y))
}

#' The response of rows to draw; NA for rows that come without, such as those of the future
#' @noRd
response_if_known <- function(fit, newdata, y, call) {
  outcomes <- names(fit$blueprint$ptypes$outcomes)
  lacking <- is.null(y) && (!length(outcomes) || !all(outcomes %in% colnames(newdata)))
  if (!lacking) return(response_of(fit, newdata, y, call))
  if (is_classification(fit$response)) {
    return(factor(rep(NA, nrow(newdata)), levels = fit$response$levels))
  }
  rep(NA_real_, nrow(newdata))
}

#' Responses as a picture has room for them: the share of successes, the known end or the middle of
#' an interval
#' @noRd
drawn_numbers <- function(y) {
  if (is_pairs(y) && pairs_kind(y) == "censored") middle_of(pair_first(y), pair_second(y))
  else plain_numbers(y)
}

#' What the signs of points with open symbols mean, in words
#' @noRd
open_words <- function(points) if (any(points$open)) "; open: censored"

#' Reliability bins with two standard errors, which are never zero: one more success and failure are
#' counted in
#' @noRd
reliability_frame <- function(table) {
  bins <- table$reliability[table$reliability$count > 0, ]
  smoothed <- (bins$observed * bins$count + 1) / (bins$count + 2)
  error <- 2 * sqrt(smoothed * (1 - smoothed) / (bins$count + 2))
  bins$low <- pmax(0, pmin(bins$observed, smoothed - error))
  bins$high <- pmin(1, pmax(bins$observed, smoothed + error))
  bins
}

#' Calibration from new data, or the one the fit keeps of its cavities, with its source in words
#' @noRd
calibration_of <- function(fit, newdata, y, call) {
  if (!is_classification(fit$response)) {
    abort_gpsieve("Reject and reliability curves need a classification fit.",
      hint = "{.val residuals} judges a fit of numbers.", class = "unsupported", call = call
    )
  }
  if (!is.null(newdata)) {
    truth <- response_of(fit, newdata, y, call)
    out <- calibration_table(predict(fit, newdata, type = "prob"), truth)
    return(c(out, source = "newdata"))
  }
  if (is.null(fit$calibration)) {
    abort_gpsieve("This fit keeps no cavities to draw from.",
      hint = if (fit$model == "ivm") "Give {.arg newdata}, or fit with {.code refine} above 0."
        else "Give {.arg newdata}.",
      class = "unsupported", call = call
    )
  }
  c(fit$calibration, source = "leave one out")
}

#' Quantile residuals beside the standard normal quantiles they should have
#' @noRd
residual_frame <- function(fit, newdata, y, call) {
  # The draws within the jumps of a discrete distribution must not move R's generator.
  if (is.null(newdata)) {
    check_goes_without_newdata(list(y = y), call)
    kept_rows(fit, "plot", call)
    residual <- stats::residuals(fit, "quantile", seed = 1)
    fitted <- fitted(fit)
  } else {
    residual <- stats::residuals(fit, "quantile", newdata, y, seed = 1)
    fitted <- fitted(fit, newdata)
  }
  known <- which(!is.na(residual))
  out <- data.frame(fitted = unname(fitted[known]), residual = unname(residual[known]))
  out$expected <- stats::qnorm(stats::ppoints(nrow(out)))[rank(out$residual, ties.method = "first")]
  out
}

#' The trace with the words of its axes
#' @noRd
trace_words <- function(fit) {
  trace <- fit$trace
  steps <- diff(trace$size)
  grows <- length(steps) > 0L && all(steps >= 0) && any(steps > 0)
  list(
    along = if (grows) "size" else "iteration",
    xlab = if (grows) fit$labels$basis else "iteration",
    ylab = switch(fit$model,
      ivm = , online_gp = "log evidence of the rows so far (each row adds its own)",
      greedy_gp = "objective (smaller is better)",
      "log evidence (larger is better)"
    )
  )
}

# Colours that can be told apart with any common kind of colour vision (Okabe and Ito 2008).
safe_colours <- c(
  "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"
)

#' A colour for every level; two classes have the ends of the probability map
#' @noRd
class_colours <- function(response) {
  levels <- response$levels
  if (response$kind == "binary") {
    found <- stats::setNames(rep("grey50", length(levels)), levels)
    found[response$present] <- safe_colours[c(1L, 6L)]
    return(found)
  }
  palette <-
    if (length(levels) <= length(safe_colours)) safe_colours[seq_along(levels)]
    else grDevices::hcl.colors(length(levels), "Dark 3")
  stats::setNames(palette, levels)
}

#' Colours from the first class's to the second's, pale where both are as probable
#' @noRd
probability_colours <- function(n = 65L) {
  grDevices::colorRampPalette(c(safe_colours[1L], "#F7F7F7", safe_colours[6L]))(n)
}
