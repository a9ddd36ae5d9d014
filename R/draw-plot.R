# Pictures of a fit with base graphics. The numbers are those of draw-pictures.R.

#' Plot a fit
#'
#' `plot()` draws with base graphics, [autoplot()][autoplot.gpsieve_fit] the same pictures with
#' ggplot2.
#'
#' * `"function"`: what the fit says along one or two inputs.
#'   * One number: the predictive mean with its confidence band (dark) and its prediction band
#'     (pale), or the probabilities of classes. Basis points that are not drawn as rows are ticks
#'     along the upper edge.
#'   * One factor, ordered or not: dots and bars.
#'   * A number and a factor, but for several classes: a curve for each level, with bands for at
#'     most eight levels and without them for at most 60. Repeated measures are drawn in this way: a
#'     number that changes within the levels of a factor of more than eight, such as the age of
#'     subjects, and inputs that do not change within them, such as the sex, of which a factor has
#'     the colours.
#'   * Two numbers: a map of the mean or the probability with a colour key, contours of the standard
#'     deviation of the mean unless they would hide the map, or of the probability, and the basis
#'     points of a sparse fit as rings if these are at most 60. Of several classes the most probable
#'     one is drawn, paler where it is less certain. A map is white farther from the rows than a
#'     tenth of the axes and than rows are from each other, and, of a mean but that of [rvm()],
#'     where the variance of the latent function is more than half of that before any data (unless
#'     it is so everywhere). `x` and `y` give both axes of
#'     a map the same unit, `longitude` and `latitude` the same distance on the ground, unless one
#'     side would be more than three times as long as the other.
#'
#'   Curves and maps go as far as the training rows, those of `newdata`, and as far `ahead` as
#'   [gpsieve()] was asked to predict; dotted lines beside curves show where the training rows end.
#'   A forecast is drawn with three times as long a past, unless `newdata` has rows of the past. The
#'   bands of a forecast do not widen between the times of the series. With an offset the function
#'   is that of rows whose offset is 0, of counts the rate, and no responses are drawn. Points are
#'   the rows of `newdata`, evenly spaced ones if there are more than 20,000. Without `newdata`, and
#'   beside curves where the response of `newdata` is not known, points are the training rows that
#'   the fit keeps (see below). Successes among trials are drawn as their share. A censored number
#'   stands at its known end, or in the middle of its interval, and along one input its point is
#'   open.
#' * `"survival"`: of times that may be censored, the probability of lasting longer, on average over
#'   the rows of each level of the most relevant input, or of the first of `terms`: thirds of a
#'   number, at most six levels of a factor. Thin steps are Kaplan and Meier's estimates of the same
#'   rows, those of `newdata` or of training, with their intervals, where their times are known.
#' * `"relevance"`: how much the prediction changes when a column is permuted, divided by its
#'   variance, with two standard errors either way ([relevance()]; its rows are those of `newdata`,
#'   or the basis points). At most the 30 largest are drawn.
#' * `"effects"`: the relevance, and for the most relevant inputs how the prediction changes when
#'   that input alone is moved in each of some rows (thin lines: individual conditional
#'   expectations) and on average over them (thick line: partial dependence, with the interval of
#'   this average). The rows, ticks along the lower edge, are at most 60 of `newdata`, or the basis
#'   points, or kept rows (see below). Of two classes the probability of the second is drawn, of
#'   more the averages of all, with intervals if they are at most eight that are not modelled
#'   jointly; of more than eight those that change most have colours. Augmented variances of
#'   [rvm()] give no intervals.
#' * `"reject"`: error among the rows kept when the least confident share is rejected.
#' * `"reliability"`: observed frequency against predicted probability, with the number of rows.
#' * `"calibration"`: both of these side by side.
#' * `"residuals"`: quantile residuals ([residuals()][residuals.gpsieve_fit]) of `newdata`, or of
#'   the training rows, against the standard normal quantiles they should follow, each between the
#'   dotted lines with probability .95, and against the fitted values.
#' * `"trace"`: the objective along the fit (`fit_trace()`, on the scale of computation), against
#'   the number of basis points where that only grows, else against the iteration.
#' * `"terms"`: the terms of one input, and maps of those of two numbers, of a kernel that is a sum,
#'   on the scale of `predict(type = "terms")`, with two standard deviations either way; of several
#'   classes those of the first. Curves are less their average over rows (as in the picture of
#'   effects), because the data say little about a constant that one term has more and another one
#'   less. `terms` names some.
#'
#' Inputs are the columns of the data, also where the formula computes with them: `y ~ poly(x, 2)`
#' is drawn over `x`, in all terms that have it at once. `TRUE` and `FALSE` are two levels, and so
#' are numbers of which the training rows have two values, such as 0 and 1. Only what is computed as
#' a factor (`cut(x, 3)`), or of text and factors with more than 30 levels, is drawn as it is, and
#' so are the columns that a recipe makes. Such a fit keeps the inputs of at most 1,000 training
#' rows (fewer of more than 100 columns), evenly spaced, over which effects are averaged, and so
#' does one whose function has a picture, in which these rows are drawn. A fit without them
#' (`keep = FALSE`, rows from a source, `axe_data()`, `update()` of [online_gp()]) has no points
#' and no ticks where a formula computes with columns, and its effects are those at a row of medians
#' and most frequent levels.
#'
#' Reject and reliability curves come from `newdata` if given, else from the leave-one-out
#' probabilities (cavities) of the training rows, where the fit has them: a refined [ivm()],
#' [local_gp()], [meanfield_gp()], [rvm()], [ep_gp()] with `method = "ep"`, [online_gp()] with
#' sweeps of EP. After the few passes of [ivm()] these still lag behind the posterior and look more
#' modest than predictions for new rows are; new data are the better judge.
#'
#' @param x A fit.
#' @param which What to draw; by default `"survival"` of censored times, `"function"` with one or
#'   two numeric inputs, one factor, one of each or repeated measures, else `"effects"`, or
#'   `"trace"` for sparse inputs.
#' @param newdata Data with the training columns and, for a fit made from a formula, the response.
#' @param y The response of `newdata` where it is not among its columns.
#' @param level Coverage of the intervals.
#' @param grid Points along each axis; by default 300 of a curve, more where the kernel has a short
#'   period, and fewer in other pictures.
#' @param interval Which bands or bars are drawn: `"confidence"`, where the mean response, the
#'   probability or the share of successes lies; `"prediction"`, where a new numeric response lies;
#'   `"both"`, as far as the response has them; or `"none"`. Bands and bars of a function are the
#'   intervals of [predict()][predict.gpsieve_fit]; those of several classes have none.
#' @param terms Names of the inputs whose effects are drawn, by default the six most relevant; with
#'   `which = "survival"` the first one makes the groups, with `which = "terms"` names of terms.
#' @param ... Passed to [graphics::plot()] in place of what the picture would say itself, for
#'   example `xlab` or `main`.
#' @return `x`, invisibly.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' plot(fit, newdata = cars, xlab = "speed (mph)")
#' plot(fit, "residuals")
#' @importFrom graphics plot
#' @export
plot.gpsieve_fit <- function(x, which = NULL, newdata = NULL, y = NULL, level = 0.9, grid = NULL,
                             terms = NULL, interval = c("both", "confidence", "prediction", "none"),
                             ...) {
  newdata <- in_memory(newdata)
  interval <- check_choice(interval)
  asked <- check_picture(x, which, newdata, level, grid, interval)
  check_graphical(names(list(...)), names(formals(plot.gpsieve_fit)))
  settle_margins()
  switch(asked$which,
    "function" = plot_function(x, newdata, y, asked, ...),
    survival = plot_survival(x, survival_frame(x, newdata, y, terms, asked), list(...)),
    effects = plot_effects(x, newdata, terms, asked, ...),
    relevance = plot_relevance(x, newdata, ...),
    residuals = plot_residuals(x, newdata, y, ...),
    trace = plot_trace(x, ...),
    terms = plot_terms(x, terms, if (is.null(asked$grid)) 200L else asked$grid, list(...)),
    plot_calibration(x, asked$which, newdata, y, ...))
  invisible(x)
}

# What graphics::plot() takes beyond its own arguments, as far as a picture of a fit can use it.
graphical_parameters <- c(
  "adj", "ann", "bg", "bty", "cex", "cex.axis", "cex.lab", "cex.main", "cex.sub", "col", "col.axis",
  "col.lab", "col.main", "col.sub", "family", "fg", "font", "font.axis", "font.lab", "font.main",
  "font.sub", "lab", "las", "lty", "lwd", "mgp", "pch", "tck", "tcl", "xaxp", "xaxs", "xaxt", "xpd",
  "yaxp", "yaxs", "yaxt"
)

# Stops at an argument that neither plot() of a fit nor graphics::plot() has
check_graphical <- function(given, own) {
  known <- c(own, names(formals(graphics::plot.default)), graphical_parameters)
  unknown <- setdiff(given, c(known, ""))
  if (length(unknown)) abort_unknown("unknown argument {.arg {given}}", unknown, known)
}

# The arguments that every picture shares, checked: list(which, level, grid, interval, newdata),
# the last of them whether there are new data
check_picture <- function(fit, which, newdata, level, grid, interval) {
  validate_fit(fit)
  which <- if (is.null(which)) default_picture(fit) else check_choice(which, picture_names, "which")
  level <- check_level(level)
  if (!is.null(grid)) grid <- check_count(grid, "grid", min = 2, max = 10000)
  if (!is.null(newdata) && !is.data.frame(newdata) && !is.matrix(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg newdata} must be a data frame or a matrix.", "Found {found}.",
      meant_frame(newdata, "newdata", names(columns_of_new(fit))))
  }
  if (!is.null(newdata) && nrow(newdata) == 0L) {
    abort_gpsieve("{.arg newdata} of a picture must have rows.", "Found none.", class = "data")
  }
  if (which == "function") check_drawable_function(fit)
  if (which == "survival") check_drawable_survival(fit)
  check_band_is_offered(fit, interval)
  list(which = which, level = level, grid = grid, interval = interval, newdata = !is.null(newdata))
}

# Stops unless the band that `interval` names can be drawn (bands_of())
check_band_is_offered <- function(fit, interval) {
  if (interval %in% c("both", "none", bands_of(fit, interval))) return(invisible())
  if (interval == "confidence") {
    abort_gpsieve("{.code interval = \"confidence\"} is about one mean, probability or share.",
      "This fit is of several classes.",
      "{.code interval = \"none\"} draws their probabilities.", class = "unsupported")
  }
  classes <- is_classification(fit$response)
  several <- !length(bands_of(fit, "confidence"))
  abort_gpsieve("{.code interval = \"prediction\"} is about a new numeric response.",
    if (classes) "This fit is of classes."
    else "This fit is of successes, and a picture has no numbers of trials.",
    if (several) "{.code interval = \"none\"} draws the probabilities of classes."
    else paste("{.code interval = \"confidence\"} is that of", if (classes) "a probability."
      else "the share of successes."),
    class = "unsupported")
}

# The margins without the empty room above a picture that has no title
without_room_above <- function(...) {
  margins <- graphics::par("mar")
  if (is.null(list(...)$main)) replace(margins, 3L, min(margins[3L], 1)) else margins
}

plot_function <- function(fit, newdata, y, asked, ...) {
  points <- drawn_points(fit, newdata, y)
  given <- list(...)
  if (is_map(fit)) {
    plot_map(fit, points, if (is.null(asked$grid)) map_grid(fit) else asked$grid, given)
  } else {
    frame <- line_frame(fit, points, asked$level, asked$grid)
    if (is.factor(frame$x)) plot_levels(fit, frame, points, asked, given)
    else plot_line(fit, frame, points, asked, given)
  }
}

plot_map <- function(fit, points, grid, given) {
  frame <- map_frame(fit, points, grid)
  first <- unique(frame$x)
  second <- unique(frame$y)
  columns <- unlist(input_terms(fit))
  names <- names(input_terms(fit))
  response <- fit$response
  labels <- list(xlab = names[1L], ylab = names[2L])
  labels$asp <- map_ratio(fit, frame)
  words <- map_words(fit, frame, points)
  surface <- function(values) matrix(values, length(first))
  limits <- NULL
  if (has_many_classes(response)) {
    picture_margins(words, legend = TRUE, titled = !is.null(given$main))
    draw_class_map(fit, first, second, frame, labels, given)
    legend_above(response$present, fill = class_colours(response)[present_levels(response)])
  } else {
    binary <- response$kind == "binary"
    limits <- if (binary) c(0, 1) else range(frame$value, na.rm = TRUE)
    if (diff(limits) == 0) limits <- limits + c(-0.5, 0.5)
    colours <- if (binary) probability_colours() else grDevices::hcl.colors(64, "viridis")
    picture_margins(words, legend = TRUE, right = 3, titled = !is.null(given$main))
    draw_with_ticks(graphics::image, c(
      list(x = first, y = second, z = surface(frame$value), zlim = limits, col = colours), labels
    ), given, fit, names)
    if (binary) {
      graphics::contour(first, second, surface(frame$value), levels = c(0.1, 0.25, 0.5, 0.75, 0.9),
        add = TRUE, col = "#222222", lwd = c(1, 1, 2, 1, 1), labcex = 0.9, vfont = NULL)
    } else if (length(sd_levels(frame))) {
      graphics::contour(first, second, surface(frame$sd), levels = sd_levels(frame), add = TRUE,
        col = "white", lty = 2, labcex = 0.8, vfont = NULL)
    }
    colour_key(limits, colours, answer_words(fit))
  }
  caption_below(words)
  if (!is.null(points)) {
    classes <- is.factor(points$y)
    inside <-
      if (classes) class_colours(response)[match(points$y, response$levels)]
      else if (is.null(points$y)) "white" else key_colours(points$y, limits, colours)
    # A rim of another colour makes a row visible where the map has its own colour.
    graphics::points(points$x[, columns], pch = map_signs(points), bg = inside,
      cex = point_size(points), col = if (classes) "white" else "#000000C0", lwd = 0.7)
  }
  if (has_rings(fit)) {
    graphics::points(marked_rows(fit, columns), pch = 1, cex = 1.3, col = "#000000A0")
  }
}

# The most probable class by colour, paler where it is less certain
draw_class_map <- function(fit, first, second, frame, labels, given) {
  palette <- class_colours(fit$response)
  colours <- grDevices::col2rgb(palette[match(frame$class, names(palette))]) / 255
  depth <- ifelse(is.na(frame$value), 0, 0.1 + 0.6 * frame$value)
  mixed <- 1 - (1 - colours) * rep(depth, each = 3L)
  picture <- matrix(grDevices::rgb(mixed[1L, ], mixed[2L, ], mixed[3L, ]), length(first))
  draw_with_ticks(graphics::plot, c(
    list(x = range(first), y = range(second), type = "n", xaxs = "i", yaxs = "i"), labels
  ), given, fit, names(input_terms(fit)))
  graphics::rasterImage(t(picture)[rev(seq_along(second)), ],
    min(first), min(second), max(first), max(second), interpolate = TRUE)
  for (k in seq_len(ncol(frame$lead))) {
    ahead <- matrix(frame$lead[, k], length(first))
    ahead[is.na(frame$value)] <- NA
    if (isTRUE(min(ahead, na.rm = TRUE) < 0 && max(ahead, na.rm = TRUE) > 0)) {
      graphics::contour(first, second, ahead, levels = 0, add = TRUE, drawlabels = FALSE,
        col = "#444444")
    }
  }
}

plot_relevance <- function(fit, newdata, ...) {
  table <- relevance_frame(fit, newdata)
  shown <- min(nrow(table), most_relevances, rows_that_fit())
  table <- table[rev(seq_len(shown)), ]
  at <- seq_len(shown)
  room <- c(0, 1 + 0.5 * max(nchar(table$term)), 0, 0)
  before <- graphics::par(mar = pmax(without_room_above(...), room))
  on.exit(graphics::par(before))
  draw_with(graphics::plot, list(
    x = table$relevance, y = at, yaxt = "n", pch = 16, col = safe_colours[1L], cex = 1.3,
    xlim = c(0, max(table$upper)), ylim = c(0.5, shown + 0.5), xlab = relevance_words,
    ylab = "", cex.lab = label_size(relevance_words)
  ), list(...))
  graphics::segments(0, at, table$relevance, at, col = safe_colours[1L])
  graphics::segments(table$lower, at, table$upper, at, col = safe_colours[1L], lwd = 3)
  axis_of_rows(at, table$term)
}

plot_effects <- function(fit, newdata, terms, asked, ...) {
  several <- has_many_classes(fit$response)
  picture <- effects_picture(fit, newdata, terms, asked)
  effects <- picture$effects
  average <- picture$average
  before <- graphics::par(mfrow = grDevices::n2mfrow(length(picture$terms) + 1L),
    mar = c(3.2, 3.2, 1, 1), mgp = c(2.1, 0.7, 0), oma = c(2, 0, if (several) 2.5 else 0, 0))
  on.exit(graphics::par(before))
  room_below_all(picture$words)
  plot_relevance(fit, newdata)
  colours <- if (several) drawn_class_colours(fit$response, average) else c(all = safe_colours[1L])
  for (term in picture$terms) {
    draw_effect(fit, effects[effects$term == term, ], average[average$term == term, ],
      effect_rows(fit, effects, term), list(colours = colours, limits = picture$limits), list(...))
  }
  if (several) legend_above_all(names(attr(colours, "key")), attr(colours, "key"))
  caption_below_all(picture$words)
}

# One panel; `shared` are the colours and the limits of all
draw_effect <- function(fit, effects, average, rows, shared, given) {
  several <- has_many_classes(fit$response)
  discrete <- !is.na(effects$label[1L])
  draw_with_ticks(graphics::plot, list(
    x = effect_range(effects), y = shared$limits, type = "n",
    xlab = effects$term[1L], xaxt = if (discrete) "n" else "s", ylab = answer_words(fit)
  ), given, fit, if (!discrete) effects$term[1L])
  if (discrete) axis_of_levels(unique(average$x), average$label[!duplicated(average$x)])
  if (!several && discrete) {
    graphics::points(effects$x + steps_aside(effects$row), effects$fit, pch = 16, cex = 0.6,
      col = "#00000040")
  } else if (!several) {
    for (part in split(effects, effects$row)) graphics::lines(part$x, part$fit, col = "#00000030")
  }
  colours <- shared$colours
  for (k in seq_along(colours)) {
    part <- if (several) average[average$class == names(colours)[k], ] else average
    if (several && discrete) part$x <- part$x + class_step(k, length(colours))
    if (!anyNA(part$low)) draw_effect_band(part, colours[[k]], discrete, if (several) 0.2 else 0.3)
    graphics::lines(part$x, part$fit, lwd = if (colours[[k]] == other_classes) 1 else 3,
      col = colours[[k]], type = if (discrete) "p" else "l", pch = 16,
      cex = if (several) 1 else 1.5)
  }
  if (!discrete) draw_rug(rows, col = "#00000080", lwd = 1)
}

# Where the average of the rows lies: a band, of which so much covers, or bars for the levels of a
# factor
draw_effect_band <- function(average, colour, discrete, cover) {
  if (discrete) {
    graphics::segments(average$x, average$low, average$x, average$high, lwd = 4, lend = 1,
      col = grDevices::adjustcolor(colour, 0.5))
  } else {
    graphics::polygon(c(average$x, rev(average$x)), c(average$low, rev(average$high)),
      border = NA, col = grDevices::adjustcolor(colour, cover))
  }
}

plot_residuals <- function(fit, newdata, y, ...) {
  frame <- residual_frame(fit, newdata, y)
  frame <- frame[evenly_spaced(nrow(frame), most_points), ]
  before <- graphics::par(mfrow = c(1, 2), mar = without_room_above(...))
  on.exit(graphics::par(before))
  draw_with(graphics::plot, list(x = frame$expected, y = frame$residual, pch = 16, cex = 0.7,
    col = "#0072B280", xlab = "standard normal quantile", ylab = "quantile residual"), list(...))
  graphics::abline(0, 1, lty = 2, col = "grey40")
  ordered <- frame[order(frame$expected), ]
  graphics::matlines(ordered$expected, ordered[c("low", "high")], lty = 3, col = "grey40")
  draw_with(graphics::plot, list(x = frame$fitted, y = frame$residual, pch = 16, cex = 0.7,
    col = "#0072B280", xlab = "fitted", ylab = "quantile residual"), list(...))
  graphics::abline(h = c(-2, 0, 2), lty = c(3, 2, 3), col = "grey40")
}

plot_trace <- function(fit, ...) {
  trace <- fit$trace
  words <- trace_words(fit)
  picture_margins(titled = !is.null(list(...)$main))
  draw_with(graphics::plot, list(x = trace[[words$along]], y = trace$objective,
    type = if (nrow(trace) > 1L) "l" else "p", lwd = 2, col = safe_colours[1L],
    xlab = words$xlab, ylab = words$ylab), list(...))
}

plot_calibration <- function(fit, which, newdata, y, ...) {
  table <- calibration_of(fit, newdata, y)
  source <- paste("source:", table$source)
  words <- paste0(source, if (which != "reject") "; numbers above: rows; bars: two standard errors")
  if (which == "calibration") {
    before <- graphics::par(mfrow = c(1, 2), mar = pmax(without_room_above(...), c(6.3, 0, 1.6, 0)))
    on.exit(graphics::par(before))
  } else {
    picture_margins(words, legend = which == "reliability", titled = !is.null(list(...)$main))
  }
  if (which != "reliability") {
    draw_with(graphics::plot, list(x = table$reject$rejected, y = table$reject$error, type = "l",
      lwd = 2, col = safe_colours[1L], xlab = "rejected fraction", ylab = "error among the rest",
      ylim = c(0, max(table$reject$error, 1e-3))), list(...))
    if (which == "reject") caption_below(source)
  }
  if (which != "reject") {
    bins <- reliability_frame(table)
    draw_with(graphics::plot, list(x = bins$predicted, y = bins$observed, type = "n", xlim = 0:1,
      ylim = 0:1, xlab = "predicted probability", ylab = "observed frequency"), list(...))
    graphics::abline(0, 1, col = "grey60", lty = 2)
    graphics::segments(bins$predicted, bins$low, bins$predicted, bins$high, col = safe_colours[1L])
    graphics::points(bins$predicted, bins$observed, pch = 16, cex = 1.2, col = safe_colours[1L])
    graphics::mtext(bins$count, side = 3, line = 0.2, at = bins$predicted, cex = 0.6)
    caption_below(words)
  }
}
