# Pictures of curves and of the levels of a factor, with base graphics.

# The function of one input, or of a number for each level of a factor
plot_line <- function(fit, frame, points, asked, given) {
  of <- curve_terms(fit)
  groups <- curve_groups(fit, frame)
  data <- curve_data(fit, points)
  classes <- is_classification(fit$response)
  caption <- curve_caption(fit, frame, data, asked)
  legend <- !is.null(groups$key)
  picture_margins(caption, legend, titled = !is.null(given$main))
  draw_with_ticks(graphics::plot, list(
    x = range(frame$x), y = answer_limits(fit, frame, data, asked), type = "n", xlab = of$number,
    ylab = answer_words(fit)
  ), given, fit, of$number)
  if (!classes) draw_points(data, groups$colours)
  ends <- ends_of_data(fit, of$number, frame$x)
  if (length(ends)) graphics::abline(v = ends, lty = 3, col = "grey30")
  for (k in seq_along(groups$colours)) {
    part <- frame[frame$group == names(groups$colours)[k], ]
    draw_curve(part, groups$colours[[k]], drawn_bands(fit, asked$interval))
  }
  if (classes) draw_class_points(fit, data, points, groups)
  if (!has_row_marks(fit, data)) {
    draw_rug(marked_rows(fit, input_terms(fit)[[of$number]]), side = 3, col = "#00000080", lwd = 1)
  }
  if (legend) legend_above(names(groups$key), groups$title, col = groups$key, lwd = 2)
  caption_below(caption)
}

# From where to where the answers go, bands and points included
answer_limits <- function(fit, frame, data, asked) {
  if (is_classification(fit$response)) return(c(0, 1))
  ends <- list(confidence = c("low", "high"), prediction = c("lower", "upper"))
  drawn <- unlist(frame[unlist(ends[drawn_bands(fit, asked$interval)])])
  range(frame$fit, drawn, data$y, finite = TRUE)
}

# A curve with its bands, the wider one paler
draw_curve <- function(part, colour, bands) {
  band <- function(low, high, alpha) {
    graphics::polygon(c(part$x, rev(part$x)), c(low, rev(high)), border = NA,
      col = grDevices::adjustcolor(colour, alpha))
  }
  if ("prediction" %in% bands) band(part$lower, part$upper, 0.15)
  if ("confidence" %in% bands) band(part$low, part$high, 0.3)
  graphics::lines(part$x, part$fit, lwd = 2, col = colour)
}

# The size of the points beside curves: those of few rows are seen better
curve_point_size <- function(data) min(0.9, max(0.5, sqrt(60 / max(nrow(data), 1))))

draw_points <- function(data, colours) {
  if (is.null(data) || all(is.na(data$y))) return(invisible())
  shown <- if (length(colours) > 1L) colours[match(data$group, names(colours))] else "#000000"
  graphics::points(data$x, data$y, pch = point_signs(data), cex = curve_point_size(data),
    col = grDevices::adjustcolor(shown, 0.6))
}

# Rows of classes: ticks at the lower edge in the colour of the class; beside a factor, whose
# levels have the colours, points at 0 and 1
draw_class_points <- function(fit, data, points, groups) {
  if (is.null(data)) return(invisible())
  colours <- if (fit$response$kind == "binary") class_colours(fit$response) else groups$colours
  if (!is.null(curve_terms(fit)$factor)) {
    second <- as.numeric(data$y == drawn_classes(fit$response))
    draw_points(transform(data, y = second), groups$colours)
    return(invisible())
  }
  for (k in seq_along(colours)) {
    draw_rug(data$x[which(data$y == names(colours)[k])], col = colours[[k]])
  }
}

# Dots with bars for the levels of a factor, and the rows beside them
plot_levels <- function(fit, frame, points, asked, given) {
  groups <- curve_groups(fit, frame)
  data <- curve_data(fit, points)
  classes <- is_classification(fit$response)
  bands <- bands_of(fit, asked$interval)
  caption <- curve_caption(fit, frame, data, asked)
  legend <- !is.null(groups$key)
  picture_margins(caption, legend, titled = !is.null(given$main))
  draw_with(graphics::plot, list(
    x = c(0.5, nlevels(frame$x) + 0.5), type = "n", xaxt = "n", xlab = curve_terms(fit)$factor,
    y = answer_limits(fit, frame, data, asked), ylab = answer_words(fit)
  ), given)
  axis_of_levels(seq_len(nlevels(frame$x)), levels(frame$x))
  if (!classes && !is.null(data)) {
    graphics::points(data$x + steps_aside(data$x), data$y, pch = point_signs(data), cex = 0.7,
      col = "#00000060")
  }
  at <- as.integer(frame$x)
  colours <- groups$colours[match(frame$group, names(groups$colours))]
  bar <- function(low, high, width, alpha) {
    graphics::segments(at, low, at, high, lwd = width, lend = 1,
      col = grDevices::adjustcolor(colours, alpha))
  }
  if ("prediction" %in% bands) bar(frame$lower, frame$upper, 2, 0.4)
  if ("confidence" %in% bands) bar(frame$low, frame$high, 5, 0.7)
  graphics::points(at, frame$fit, pch = 16, cex = 1.3, col = colours)
  if (classes && !is.null(data)) draw_shares(fit, data, at = seq_len(nlevels(frame$x)))
  if (legend) legend_above(names(groups$key), groups$title, col = groups$key, pch = 16)
  caption_below(caption)
}

# The share of each class among the rows of each level, as rings
draw_shares <- function(fit, data, at) {
  shares <- level_shares(fit, data, length(at))
  graphics::points(shares$x, shares$share, pch = 1, cex = 1.6,
    col = class_colours(fit$response)[match(shares$class, fit$response$levels)])
}

level_shares <- function(fit, data, levels) {
  known <- data[!is.na(data$y), ]
  counts <- table(factor(known$x, seq_len(levels)), factor(known$y, drawn_classes(fit$response)))
  rows <- tabulate(known$x, levels)
  out <- as.data.frame(counts / pmax(rows, 1), stringsAsFactors = FALSE)
  names(out) <- c("x", "class", "share")
  out$x <- as.integer(out$x)
  out[rows[out$x] > 0, ]
}

# Steps to the right by which rows of a level stand side by side, the same in every picture
steps_aside <- function(x) {
  # The golden ratio spreads any number of rows evenly.
  0.12 + 0.2 * ((seq_along(x) * 0.618034) %% 1)
}
