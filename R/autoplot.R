# The pictures of plot() with ggplot2, where that package is installed.

#' Plot a fit with ggplot2
#'
#' The pictures of [plot()][plot.gpsieve_fit] as objects of package ggplot2, to which layers, scales
#' and themes can be added.
#'
#' @param object A fit.
#' @inheritParams plot.gpsieve_fit
#' @param ... Not used; anything here is an error.
#' @return A ggplot; `"terms"` has none. `"calibration"`, `"residuals"` and `"effects"` have facets.
#'   Where effects of several inputs are drawn and one of them is a factor, ordered, a date or a
#'   time, positions from left to right are not in the units of the data, though the labels are:
#'   layers that are added need a picture of a single input, named in `terms`.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(fit, newdata = cars)
#' }
#' @exportS3Method ggplot2::autoplot
autoplot.gpsieve_fit <- function(object, which = NULL, newdata = NULL, y = NULL, level = 0.9,
                                 grid = NULL, terms = NULL, ...) {
  call <- rlang::current_env()
  check_dots(..., call = call)
  asked <- check_picture(object, which, newdata, level, grid, call)
  if (asked$which == "terms") {
    abort_gpsieve("{.val terms} are drawn by {.fn plot} only.", class = "unsupported", call = call)
  }
  picture <- switch(asked$which,
    "function" = ggplot_function(object, newdata, y, asked, call),
    effects = ggplot_effects(object, newdata, terms, asked, call),
    relevance = ggplot_relevance(object, newdata),
    residuals = ggplot_residuals(object, newdata, y, call),
    trace = ggplot_trace(object),
    ggplot_calibration(object, asked$which, newdata, y, call)
  )
  # The last label of a facet must not meet the first one of the next.
  picture + ggplot2::theme_minimal() +
    ggplot2::theme(panel.spacing = ggplot2::unit(1.2, "lines"))
}

ggplot_function <- function(fit, newdata, y, asked, call) {
  points <- drawn_points(fit, newdata, y, call)
  if (length(input_terms(fit)) == 2L) {
    return(ggplot_map(fit, points, if (is.null(asked$grid)) 80L else asked$grid, call))
  }
  frame <- line_frame(fit, points, asked$level, if (is.null(asked$grid)) 300L else asked$grid, call)
  if (is.factor(frame$x)) ggplot_levels(fit, frame, asked$level)
  else ggplot_line(fit, frame, points, asked$level)
}

#' An axis with the labels of dates, times or ordered levels, where the input has them
#' @noRd
input_axis <- function(fit, term, range, scale = ggplot2::scale_x_continuous) {
  ticks <- term_ticks(fit, term, range)
  if (!is.null(ticks)) scale(breaks = ticks$at, labels = ticks$labels)
}

#' The vertical axis of a mean, or of probabilities, whose classes have colours
#' @noRd
answer_axis <- function(fit, aesthetics = c("colour", "fill")) {
  if (!is_classification(fit$response)) return(list(ggplot2::labs(y = answer_name(fit))))
  list(
    ggplot2::scale_colour_manual(values = class_colours(fit$response), aesthetics = aesthetics),
    ggplot2::labs(y = "probability", colour = "class", fill = "class"),
    ggplot2::coord_cartesian(ylim = c(0, 1))
  )
}

ggplot_line <- function(fit, frame, points, level) {
  classes <- is_classification(fit$response)
  if (!classes) frame$class <- "mean"
  basis <- data.frame(x = undo_scales(fit$basis, fit$inputs)[, 1L])
  out <- ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$fit))
  if (!classes && !is.null(points)) {
    data <- data.frame(x = points$x[, 1L], fit = points$y)
    out <- out + ggplot2::geom_point(data = data, alpha = 0.4, size = 1, na.rm = TRUE,
      shape = point_signs(points))
  }
  line <- if (classes) ggplot2::aes(colour = .data$class) else ggplot2::aes()
  band <- ggplot2::aes(ymin = .data$lower, ymax = .data$upper)
  colour <- if (!classes) list(colour = safe_colours[1L])
  if (!anyNA(frame$lower)) {
    fill <-
      if (classes) class_colours(fit$response)[[as.character(frame$class[1L])]] else colour[[1L]]
    out <- out + ggplot2::geom_ribbon(band, fill = fill, alpha = 0.2)
  }
  out <- out + do.call(ggplot2::geom_line, c(list(line, linewidth = 1), colour)) +
    ggplot2::geom_rug(data = basis, ggplot2::aes(x = .data$x), inherit.aes = FALSE, sides = "t",
      alpha = 0.5) +
    answer_axis(fit)
  if (classes && !is.null(points)) {
    data <- data.frame(x = points$x[, 1L], class = points$y)
    out <- out + ggplot2::geom_rug(data = data, ggplot2::aes(.data$x, colour = .data$class),
      inherit.aes = FALSE, sides = "b", na.rm = TRUE)
  }
  band_said <- if (!anyNA(frame$lower)) paste0("band: ", band_words(fit, level), "; ")
  out + input_axis(fit, names(input_terms(fit)), range(frame$x)) +
    ggplot2::labs(x = names(input_terms(fit)),
      caption = paste0(band_said, "ticks above: ", fit$labels$basis, open_words(points)))
}

ggplot_levels <- function(fit, frame, level) {
  classes <- is_classification(fit$response)
  bars <- !anyNA(frame$lower)
  by_class <- if (classes) ggplot2::aes(colour = .data$class) else ggplot2::aes()
  out <- ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$fit))
  out <- if (bars) {
    out + ggplot2::geom_pointrange(
      utils::modifyList(by_class, ggplot2::aes(ymin = .data$lower, ymax = .data$upper))
    )
  } else {
    out + ggplot2::geom_point(by_class, size = 3)
  }
  out + answer_axis(fit, "colour") + ggplot2::labs(x = names(input_terms(fit)),
    caption = if (bars) paste("bars:", band_words(fit, level)))
}

ggplot_map <- function(fit, points, grid, call) {
  frame <- map_frame(fit, points, grid, call)
  response <- fit$response
  names <- names(input_terms(fit))
  at <- ggplot2::aes(.data$x, .data$y)
  basis <- stats::setNames(as.data.frame(undo_scales(fit$basis, fit$inputs)), c("x", "y"))
  out <- ggplot2::ggplot(frame, at)
  out <- if (has_many_classes(response)) {
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$class, alpha = .data$value)) +
      ggplot2::scale_fill_manual(values = class_colours(response), name = "class") +
      ggplot2::scale_alpha(range = c(0.2, 0.8), name = "probability")
  } else if (response$kind == "binary") {
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$value)) +
      ggplot2::scale_fill_gradientn(colours = probability_colours(), limits = c(0, 1),
        name = paste0("P(", response$present[2L], ")")) +
      ggplot2::geom_contour(ggplot2::aes(z = .data$value), breaks = c(0.1, 0.25, 0.5, 0.75, 0.9),
        colour = "grey20", linewidth = 0.3)
  } else {
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$value)) +
      ggplot2::scale_fill_viridis_c(name = answer_name(fit), na.value = "white") +
      ggplot2::geom_contour(ggplot2::aes(z = .data$sd), colour = "white", linetype = 2,
        linewidth = 0.3, bins = 5, na.rm = TRUE)
  }
  if (!is.null(points)) {
    data <- data.frame(x = points$x[, 1L], y = points$x[, 2L], value = NA)
    out <- out + if (is.factor(points$y) || is.null(points$y)) {
      inside <-
        if (is.null(points$y)) "white" else class_colours(response)[as.character(points$y)]
      ggplot2::geom_point(data = data, shape = 21, fill = inside, colour = "white", size = 2,
        na.rm = TRUE)
    } else {
      data$value <- points$y
      ggplot2::geom_point(ggplot2::aes(fill = .data$value), data = data, shape = 21,
        colour = "grey20", stroke = 0.2, size = 1.6, na.rm = TRUE)
    }
  }
  out + ggplot2::geom_point(data = basis, shape = 1, size = 2.5, alpha = 0.6) +
    input_axis(fit, names[1L], range(frame$x)) +
    input_axis(fit, names[2L], range(frame$y), ggplot2::scale_y_continuous) +
    ggplot2::labs(x = names[1L], y = names[2L], caption = map_words(fit))
}

ggplot_effects <- function(fit, newdata, terms, asked, call) {
  chosen <- drawn_terms(fit, terms, call)
  factors <- chosen[lengths(input_terms(fit)[chosen]) > 1L]
  effects <- effect_frame(fit, newdata, chosen, if (is.null(asked$grid)) 40L else asked$grid, call)
  axis <- facet_axis(fit, effects, chosen)
  effects$x <- axis$x
  average <- partial_dependence(effects)
  several <- has_many_classes(fit$response)
  labels <- relevance_labels(fit, chosen, call)
  facets <- function(frame) {
    frame$term <- factor(frame$term, chosen, labels)
    frame
  }
  thick <- function(geom, part, ...) {
    by_class <- if (several) ggplot2::aes(colour = .data$class) else ggplot2::aes()
    single <- if (!several) list(colour = safe_colours[1L])
    if (nrow(part)) do.call(geom, c(list(by_class, facets(part), ...), single))
  }
  ggplot2::ggplot(facets(average), ggplot2::aes(.data$x, .data$fit)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$term), scales = "free_x") +
    (if (!several) {
      ggplot2::geom_line(data = facets(effects), ggplot2::aes(group = .data$row), alpha = 0.2)
    }) +
    thick(ggplot2::geom_line, average[!average$term %in% factors, ], linewidth = 1.2) +
    thick(ggplot2::geom_point, average[average$term %in% factors, ], size = 3) +
    ggplot2::geom_blank(data = facets(axis$ends), ggplot2::aes(y = average$fit[1L])) +
    axis$scale + answer_axis(fit, "colour") + ggplot2::labs(x = NULL,
      caption = if (!several) "thick: average (partial dependence); thin: single rows")
}

# Share of the unit between two facets that the values of an input take.
facet_width <- 0.5

#' Where the values of several inputs are drawn from left to right, and the scale with their labels
#'
#' All facets of a picture have one scale, whose labels belong to values. Where an input is a factor
#' or has dates, times or ordered levels, the values of the k-th input are therefore moved to an
#' interval that begins at k, so that no label is that of two inputs.
#' @return list(x, ends, scale): the positions, the ends of each facet (a data frame with `term`),
#'   and the scale, or NULL where all values stay numbers in the units of the data.
#' @noRd
facet_axis <- function(fit, effects, terms) {
  own <- lapply(terms, function(term) effects[effects$term == term, ])
  ranges <- lapply(own, effect_range)
  special <- Map(function(own, range) effect_ticks(fit, own, range), own, ranges)
  moved <- length(terms) > 1L && !all(vapply(special, is.null, NA))
  place <- function(x, k) {
    if (moved) k + facet_width * (x - ranges[[k]][1L]) / diff(ranges[[k]]) else x
  }
  marks <- lapply(seq_along(terms), function(k) {
    ticks <- if (is.null(special[[k]])) plain_ticks(ranges[[k]]) else special[[k]]
    inside <- ticks$at >= ranges[[k]][1L] & ticks$at <= ranges[[k]][2L]
    data.frame(at = place(ticks$at[inside], k), label = ticks$labels[inside])
  })
  marks <- do.call(rbind, marks)
  list(
    x = as.vector(mapply(place, effects$x, match(effects$term, terms))),
    ends = data.frame(
      term = rep(terms, each = 2L), x = unlist(Map(place, ranges, seq_along(terms)))
    ),
    scale = if (!all(vapply(special, is.null, NA))) {
      ggplot2::scale_x_continuous(breaks = marks$at, labels = marks$label, minor_breaks = NULL,
        guide = ggplot2::guide_axis(check.overlap = TRUE)
      )
    }
  )
}

#' The labels of an input that plain numbers would not do for, NULL if there are none
#' @noRd
effect_ticks <- function(fit, own, range) {
  if (is.na(own$label[1L])) return(term_ticks(fit, own$term[1L], range))
  levels <- own[!duplicated(own$x), ]
  list(at = levels$x, labels = levels$label)
}

plain_ticks <- function(range) {
  at <- pretty(range, 4)
  list(at = at, labels = format(at, trim = TRUE, drop0trailing = TRUE))
}

#' Terms with their relevance, by which they are ordered
#' @noRd
relevance_labels <- function(fit, terms, call) {
  table <- term_relevance(fit, call)
  values <- table$relevance[match(terms, table$term)]
  paste0(terms, " (relevance ", vapply(values, function(v) format(signif(v, 2)), ""), ")")
}

ggplot_relevance <- function(fit, newdata) {
  table <- utils::head(relevance_frame(fit, newdata), most_relevances)
  table$term <- factor(table$term, rev(table$term))
  ggplot2::ggplot(table, ggplot2::aes(.data$relevance, .data$term)) +
    ggplot2::geom_segment(ggplot2::aes(x = 0, xend = .data$relevance, yend = .data$term),
      colour = safe_colours[1L]) +
    ggplot2::geom_pointrange(ggplot2::aes(xmin = .data$lower, xmax = .data$upper),
      colour = safe_colours[1L], linewidth = 1.2) +
    ggplot2::labs(x = relevance_words, y = NULL)
}

ggplot_residuals <- function(fit, newdata, y, call) {
  frame <- residual_frame(fit, newdata, y, call)
  frame <- frame[evenly_spaced(nrow(frame), most_points), ]
  panels <- c("against standard normal quantiles", "against the fitted values")
  both <- data.frame(
    at = c(frame$expected, frame$fitted), residual = rep(frame$residual, 2L),
    panel = factor(rep(panels, each = nrow(frame)), panels)
  )
  wanted <- data.frame(slope = c(1, 0, 0, 0), intercept = c(0, -2, 0, 2),
    panel = factor(panels[c(1L, 2L, 2L, 2L)], panels))
  ggplot2::ggplot(both, ggplot2::aes(.data$at, .data$residual)) +
    ggplot2::geom_abline(data = wanted, linetype = 2, colour = "grey40",
      ggplot2::aes(slope = .data$slope, intercept = .data$intercept)) +
    ggplot2::geom_point(alpha = 0.5, colour = safe_colours[1L]) +
    ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free_x") +
    ggplot2::labs(x = NULL, y = "quantile residual")
}

ggplot_trace <- function(fit) {
  words <- trace_words(fit)
  frame <- data.frame(at = fit$trace[[words$along]], objective = fit$trace$objective)
  draw <- if (nrow(frame) > 1L) ggplot2::geom_line else ggplot2::geom_point
  ggplot2::ggplot(frame, ggplot2::aes(.data$at, .data$objective)) +
    draw(colour = safe_colours[1L]) +
    ggplot2::labs(x = words$xlab, y = words$ylab)
}

ggplot_calibration <- function(fit, which, newdata, y, call) {
  table <- calibration_of(fit, newdata, y, call)
  panels <- c(
    reject = "error among the rest by rejected fraction",
    reliability = "observed frequency by predicted probability"
  )
  if (which != "calibration") panels <- panels[which]
  curve <- data.frame(at = table$reject$rejected, value = table$reject$error,
    panel = factor(rep(panels["reject"], nrow(table$reject)), panels))
  bins <- reliability_frame(table)
  bins$panel <- factor(rep(panels["reliability"], nrow(bins)), panels)
  out <- ggplot2::ggplot() + ggplot2::labs(x = NULL, y = NULL)
  if (which != "reliability") {
    out <- out + ggplot2::geom_line(data = curve, ggplot2::aes(.data$at, .data$value),
      colour = safe_colours[1L], linewidth = 1)
  }
  if (which != "reject") {
    perfect <- data.frame(slope = 1, intercept = 0, panel = bins$panel[1L])
    out <- out + ggplot2::geom_abline(data = perfect, linetype = 2, colour = "grey60",
      ggplot2::aes(slope = .data$slope, intercept = .data$intercept)) +
      ggplot2::geom_pointrange(data = bins, colour = safe_colours[1L], ggplot2::aes(.data$predicted,
        .data$observed, ymin = .data$low, ymax = .data$high)) +
      ggplot2::geom_text(data = bins, ggplot2::aes(.data$predicted, .data$high,
        label = .data$count),
        vjust = -0.5, size = 3)
  }
  out + ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free") +
    ggplot2::labs(caption = paste0("source: ", table$source,
      if (which != "reject") "; numbers: rows; bars: two standard errors"))
}
