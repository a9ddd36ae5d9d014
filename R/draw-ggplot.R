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
                                 grid = NULL, terms = NULL,
                                 interval = c("both", "confidence", "prediction", "none"), ...) {
  check_dots(...)
  newdata <- in_memory(newdata)
  interval <- check_choice(interval)
  asked <- check_picture(object, which, newdata, level, grid, interval)
  if (asked$which == "terms") {
    abort_gpsieve("{.val terms} are drawn by {.fn plot} only.", class = "unsupported")
  }
  picture <- switch(asked$which,
    "function" = ggplot_function(object, newdata, y, asked),
    survival = ggplot_survival(object, survival_frame(object, newdata, y, terms, asked)),
    effects = ggplot_effects(object, newdata, terms, asked),
    relevance = ggplot_relevance(object, newdata),
    residuals = ggplot_residuals(object, newdata, y),
    trace = ggplot_trace(object),
    ggplot_calibration(object, asked$which, newdata, y))
  caption <- picture$labels$caption
  if (!is.null(caption)) {
    picture <- picture +
      ggplot2::labs(caption = paste(strwrap(caption, caption_letters), collapse = "\n"))
  }
  # The last label of a facet must not meet the first one of the next; a caption may be as wide as
  # the whole picture.
  picture + ggplot2::theme_minimal() +
    ggplot2::theme(panel.spacing = ggplot2::unit(1.2, "lines"), plot.caption.position = "plot")
}

# A line of a caption, and of the title of a facet, has no more letters than a picture of six inches
# has room for.
caption_letters <- 85L
facet_letters <- 32L

ggplot_function <- function(fit, newdata, y, asked) {
  points <- drawn_points(fit, newdata, y)
  if (is_map(fit)) {
    return(ggplot_map(fit, points, if (is.null(asked$grid)) map_grid(fit) else asked$grid))
  }
  frame <- line_frame(fit, points, asked$level, asked$grid)
  if (is.factor(frame$x)) ggplot_levels(fit, frame, points, asked)
  else ggplot_line(fit, frame, points, asked)
}

# An axis with the labels of dates, times or ordered levels, where the input has them
input_axis <- function(fit, term, range, scale = ggplot2::scale_x_continuous) {
  ticks <- term_ticks(fit, term, range)
  if (!is.null(ticks)) scale(breaks = ticks$at, labels = ticks$labels)
}

# The colours of the curves of a picture, with a legend of the groups that first have the colours of
# the key, where there is one
group_scale <- function(groups, aesthetics = c("colour", "fill")) {
  key <- groups$key
  ggplot2::scale_colour_manual(values = groups$colours, aesthetics = aesthetics,
    name = groups$title, guide = if (is.null(key)) "none" else "legend",
    breaks = names(groups$colours)[match(key, groups$colours)], labels = names(key))
}

# Bands around curves, the wider one paler
ggplot_bands <- function(fit, asked) {
  bands <- drawn_bands(fit, asked$interval)
  by <- function(...) ggplot2::aes(fill = .data$group, ...)
  list(
    if ("prediction" %in% bands) {
      ggplot2::geom_ribbon(by(ymin = .data$lower, ymax = .data$upper), alpha = 0.15)
    },
    if ("confidence" %in% bands) {
      ggplot2::geom_ribbon(by(ymin = .data$low, ymax = .data$high), alpha = 0.3)
    }
  )
}

ggplot_line <- function(fit, frame, points, asked) {
  of <- curve_terms(fit)
  groups <- curve_groups(fit, frame)
  data <- curve_data(fit, points)
  classes <- is_classification(fit$response)
  basis <- data.frame(x = marked_rows(fit, input_terms(fit)[[of$number]])[, 1L])
  ends <- ends_of_data(fit, of$number, frame$x)
  ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$fit)) +
    (if (!is.null(data) && (!classes || !is.null(of$factor))) ggplot_points(fit, data, groups)) +
    (if (length(ends)) ggplot2::geom_vline(xintercept = ends, linetype = 3, colour = "grey30")) +
    ggplot_bands(fit, asked) +
    ggplot2::geom_line(ggplot2::aes(colour = .data$group), linewidth = 1) +
    (if (!has_row_marks(fit, data)) {
      ggplot2::geom_rug(data = basis, ggplot2::aes(x = .data$x), inherit.aes = FALSE, sides = "t",
        alpha = 0.5)
    }) +
    (if (!is.null(data) && classes && is.null(of$factor)) ggplot_class_rug(fit, data, groups)) +
    group_scale(groups) +
    (if (classes) ggplot2::coord_cartesian(ylim = c(0, 1))) +
    input_axis(fit, of$number, range(frame$x)) +
    ggplot2::labs(x = of$number, y = answer_words(fit),
      caption = curve_caption(fit, frame, data, asked))
}

# The rows of a picture of curves; those of two classes beside a factor at 0 and 1
ggplot_points <- function(fit, data, groups) {
  if (is.factor(data$y)) data$y <- as.numeric(data$y == drawn_classes(fit$response))
  mapping <- ggplot2::aes(.data$x, .data$y)
  if (length(groups$colours) > 1L) mapping$colour <- quote(.data$group)
  ggplot2::geom_point(mapping, data = data, alpha = 0.6, na.rm = TRUE,
    size = 2 * curve_point_size(data), shape = point_signs(data, 19L))
}

# Rows of each class as ticks in its colour; the colour of the class that has no curve is no part
# of the legend
ggplot_class_rug <- function(fit, data, groups) {
  colours <- if (fit$response$kind == "binary") class_colours(fit$response) else groups$colours
  Map(function(class, colour) {
    ggplot2::geom_rug(data = data[which(data$y == class), ], ggplot2::aes(.data$x),
      inherit.aes = FALSE, sides = "b", colour = colour, na.rm = TRUE)
  }, names(colours), unname(colours))
}

ggplot_levels <- function(fit, frame, points, asked) {
  groups <- curve_groups(fit, frame)
  data <- curve_data(fit, points)
  classes <- is_classification(fit$response)
  bands <- bands_of(fit, asked$interval)
  rows <- !is.null(data)
  caption <- curve_caption(fit, frame, data, asked)
  bar <- function(low, high, ...) {
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data[[low]], ymax = .data[[high]],
      colour = .data$group), ...)
  }
  if (rows) {
    data$x <- data$x + if (classes) 0 else steps_aside(data$x)
    shares <- if (classes) level_shares(fit, curve_data(fit, points), nlevels(frame$x))
  }
  ggplot2::ggplot(frame, ggplot2::aes(.data$x, .data$fit)) +
    ggplot2::scale_x_discrete(limits = levels(frame$x)) +
    (if (rows && !classes) {
      ggplot2::geom_point(ggplot2::aes(.data$x, .data$y), data = data, alpha = 0.3, size = 1,
        na.rm = TRUE, shape = point_signs(data, 19L))
    }) +
    (if ("prediction" %in% bands) bar("lower", "upper", alpha = 0.5, linewidth = 0.7)) +
    (if ("confidence" %in% bands) bar("low", "high", alpha = 0.7, linewidth = 2)) +
    ggplot2::geom_point(ggplot2::aes(colour = .data$group), size = 3) +
    (if (rows && classes) {
      ggplot2::geom_point(ggplot2::aes(.data$x, .data$share, colour = .data$class), data = shares,
        shape = 1, size = 4)
    }) +
    group_scale(groups, "colour") + (if (classes) ggplot2::coord_cartesian(ylim = c(0, 1))) +
    ggplot2::labs(x = curve_terms(fit)$factor, y = answer_words(fit), caption = caption)
}

ggplot_map <- function(fit, points, grid) {
  frame <- map_frame(fit, points, grid)
  response <- fit$response
  names <- names(input_terms(fit))
  at <- ggplot2::aes(.data$x, .data$y)
  columns <- unlist(input_terms(fit))
  basis <- stats::setNames(as.data.frame(marked_rows(fit, columns)), c("x", "y"))
  lead <- frame$lead
  if (!is.null(lead)) lead[is.na(frame$value), ] <- NA
  frame$lead <- NULL
  out <- ggplot2::ggplot(frame, at)
  out <- if (has_many_classes(response)) {
    borders <- lapply(seq_len(ncol(lead)), function(k) {
      if (has_border(lead[, k], frame)) {
        ggplot2::geom_contour(ggplot2::aes(z = .data$lead), breaks = 0, colour = "grey25",
          linewidth = 0.3, na.rm = TRUE, data = cbind(frame, lead = lead[, k]))
      }
    })
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$class, alpha = .data$value),
      interpolate = TRUE) + borders +
      ggplot2::scale_fill_manual(values = class_colours(response), name = "class") +
      ggplot2::scale_alpha(range = c(0.2, 0.8), name = "probability", na.value = 0)
  } else if (response$kind == "binary") {
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$value)) +
      ggplot2::scale_fill_gradientn(colours = probability_colours(), limits = c(0, 1),
        name = paste0("P(", response$present[2L], ")"), na.value = "white") +
      ggplot2::geom_contour(ggplot2::aes(z = .data$value), breaks = c(0.1, 0.25, 0.5, 0.75, 0.9),
        colour = "grey20", linewidth = 0.3, na.rm = TRUE)
  } else {
    out + ggplot2::geom_raster(ggplot2::aes(fill = .data$value)) +
      ggplot2::scale_fill_viridis_c(name = answer_words(fit), na.value = "white",
        limits = range(frame$value, na.rm = TRUE), oob = into_range) +
      (if (length(sd_levels(frame))) {
        ggplot2::geom_contour(ggplot2::aes(z = .data$sd), colour = "white", linetype = 2,
          linewidth = 0.3, breaks = sd_levels(frame), na.rm = TRUE)
      })
  }
  if (!is.null(points)) {
    data <- data.frame(x = points$x[, columns[1L]], y = points$x[, columns[2L]], value = NA)
    out <- out + if (is.factor(points$y) || is.null(points$y)) {
      inside <-
        if (is.null(points$y)) "white"
        else class_colours(response)[match(points$y, response$levels)]
      ggplot2::geom_point(data = data, shape = 21, fill = inside, colour = "white",
        size = 2 * point_size(points), na.rm = TRUE)
    } else {
      data$value <- points$y
      ggplot2::geom_point(ggplot2::aes(fill = .data$value), data = data,
        shape = map_signs(points), colour = "grey20", stroke = 0.2,
        size = 2 * point_size(points), na.rm = TRUE)
    }
  }
  ratio <- map_ratio(fit, frame)
  out + (if (!is.null(ratio)) ggplot2::coord_fixed(ratio)) + (if (has_rings(fit)) {
    ggplot2::geom_point(data = basis, shape = 1, size = 2.5, alpha = 0.6)
  }) +
    input_axis(fit, names[1L], range(frame$x)) +
    input_axis(fit, names[2L], range(frame$y), ggplot2::scale_y_continuous) +
    ggplot2::labs(x = names[1L], y = names[2L], caption = map_words(fit, frame, points))
}

# Values beyond the ends of a scale as its ends
into_range <- function(x, range, ...) pmin(pmax(x, range[1L]), range[2L])

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

ggplot_residuals <- function(fit, newdata, y) {
  frame <- residual_frame(fit, newdata, y)
  frame <- frame[evenly_spaced(nrow(frame), most_points), ]
  panels <- c("against standard normal quantiles", "against the fitted values")
  both <- data.frame(
    at = c(frame$expected, frame$fitted), residual = rep(frame$residual, 2L),
    panel = factor(rep(panels, each = nrow(frame)), panels)
  )
  ordered <- data.frame(frame[order(frame$expected), ], panel = factor(panels[1L], panels))
  wanted <- data.frame(slope = c(1, 0, 0, 0), intercept = c(0, -2, 0, 2),
    panel = factor(panels[c(1L, 2L, 2L, 2L)], panels))
  ggplot2::ggplot(both, ggplot2::aes(.data$at, .data$residual)) +
    ggplot2::geom_abline(data = wanted, linetype = 2, colour = "grey40",
      ggplot2::aes(slope = .data$slope, intercept = .data$intercept)) +
    lapply(c("low", "high"), function(limit) {
      ggplot2::geom_line(ggplot2::aes(.data$expected, .data[[limit]]), data = ordered,
        linetype = 3, colour = "grey40")
    }) +
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

ggplot_calibration <- function(fit, which, newdata, y) {
  table <- calibration_of(fit, newdata, y)
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
  out + ggplot2::facet_wrap(ggplot2::vars(.data$panel), scales = "free",
    labeller = ggplot2::label_wrap_gen(facet_letters)) +
    ggplot2::labs(caption = paste0("source: ", table$source,
      if (which != "reject") "; numbers: rows; bars: two standard errors"))
}
