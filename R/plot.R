# Pictures of a fit, base graphics only.

#' Plot a fit
#'
#' * `"function"`: with one input the predictive mean and a 90 % band (probabilities for classes),
#'   basis points as ticks above; with two inputs probability or mean contours, basis points as
#'   circles. `newdata` is drawn with it.
#' * `"reject"`: error among the rows kept when the least confident share is rejected.
#' * `"reliability"`: observed frequency against predicted probability.
#' * `"calibration"`: both of these side by side.
#' * `"trace"`: the objective along the fit (`fit_trace()`, on the scale of computation), against the
#'   number of basis points where that only grows, else against the iteration.
#'
#' Reject and reliability curves come from `newdata` if given, else from the leave-one-out
#' probabilities (cavities) of the training rows, where the fit has them: a refined [ivm()],
#' [meanfield_gp()], [rvm()], [ep_gp()] with `method = "ep"`. After the few passes of [ivm()] these
#' still lag behind the posterior and look more modest than predictions for new rows are; new data
#' are the better judge.
#'
#' @param x A fit.
#' @param which What to draw; by default `"function"` with one or two inputs, else `"calibration"`
#'   for classes where there is something to draw it from, else `"trace"`.
#' @param newdata Data with the training columns and, for a fit made from a formula, the response.
#' @param y The response of `newdata` where it is not among its columns.
#' @param level Coverage of the band.
#' @param grid Points along each axis.
#' @param ... Passed to [graphics::plot()].
#' @return `x`, invisibly.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' plot(fit, newdata = cars)
#' @importFrom graphics plot
#' @export
plot.gpsieve_fit <- function(x, which = NULL, newdata = NULL, y = NULL, level = 0.9, grid = NULL,
                             ...) {
  call <- rlang::current_env()
  validate_fit(x, call)
  choices <- c("function", "calibration", "reject", "reliability", "trace")
  which <-
    if (is.null(which)) default_picture(x, newdata)
    else check_choice(which, choices, "which", call)
  level <- check_number(level, "level", call, above = 0, max = 0.999999)
  if (!is.null(grid)) grid <- check_count(grid, "grid", call, min = 2, max = 10000)
  if (!is.null(newdata) && !is.data.frame(newdata) && !is.matrix(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg newdata} must be a data frame or a matrix.", "Found {found}.", call = call)
  }
  switch(which,
    "function" = plot_function(x, newdata, y, level, grid, call, ...),
    trace = plot_trace(x, ...),
    plot_calibration(x, which, newdata, y, call, ...)
  )
  invisible(x)
}

default_picture <- function(fit, newdata) {
  if (ncol(fit$basis) <= 2L) return("function")
  judged <- !is.null(newdata) || !is.null(fit$calibration)
  if (is_classification(fit$response) && judged) "calibration" else "trace"
}

plot_function <- function(fit, newdata, y, level, grid, call, ...) {
  p <- ncol(fit$basis)
  if (p > 2L) {
    abort_gpsieve("{.val function} can be drawn with one or two inputs.", "This fit has {p}.",
      class = "unsupported", call = call
    )
  }
  points <- if (!is.null(newdata)) {
    list(x = forge_new(fit, as.data.frame(newdata), call), y = response_of(fit, newdata, y, call))
  }
  if (p == 1L) plot_line(fit, points, level, if (is.null(grid)) 300L else grid, call, ...)
  else plot_map(fit, points, if (is.null(grid)) 80L else grid, call, ...)
}

axis_points <- function(fit, column, count) {
  range <- fit$inputs$range[, column]
  margin <- if (diff(range) > 0) 0.05 * diff(range) else 0.5
  seq(range[1L] - margin, range[2L] + margin, length.out = count)
}

#' Latent marginals at rows of the model matrix, original scale
#' @noRd
marginals_at <- function(fit, x, call) {
  latent_marginals(fit, apply_scales(x, fit$inputs), TRUE, core_settings(1L), call)
}

plot_line <- function(fit, points, level, grid, call, ...) {
  at <- axis_points(fit, 1L, grid)
  latent <- marginals_at(fit, matrix(at), call)
  name <- names(fit$inputs$center)
  active <- undo_scales(fit$basis, fit$inputs)[, 1L]
  if (is_classification(fit$response)) {
    probability <- predicted_probabilities(fit, latent)
    shown <- if (fit$response$kind == "binary") fit$response$present[2L] else fit$response$present
    colours <- class_colours(fit$response)
    graphics::matplot(at, probability[, shown, drop = FALSE], type = "l", lty = 1, lwd = 2,
      col = colours[shown], ylim = c(0, 1), xlab = name, ylab = "probability", ...)
    legend_above(shown, col = colours[shown], lwd = 2)
    if (!is.null(points)) {
      for (class in names(colours)) {
        graphics::rug(points$x[which(points$y == class), 1L], col = colours[[class]])
      }
    }
  } else {
    tails <- (1 + c(-1, 1) * level) / 2
    band <- predicted_quantiles(fit, latent, tails, call)
    middle <- predicted_mean(fit, latent)
    limits <- range(band, points$y, finite = TRUE)
    graphics::plot(at, middle, type = "n", ylim = limits, xlab = name,
      ylab = fit$response$name, ...)
    graphics::polygon(c(at, rev(at)), c(band[, 1L], rev(band[, 2L])),
      col = "#4477AA40", border = NA)
    graphics::lines(at, middle, lwd = 2, col = "#4477AA")
    if (!is.null(points)) graphics::points(points$x[, 1L], points$y,
      pch = 16, cex = 0.6, col = "#00000080")
  }
  graphics::rug(active, side = 3, col = "#EE6677", lwd = 1)
}

plot_map <- function(fit, points, grid, call, ...) {
  first <- axis_points(fit, 1L, grid)
  second <- axis_points(fit, 2L, grid)
  latent <- marginals_at(fit, as.matrix(expand.grid(first, second)), call)
  names <- names(fit$inputs$center)
  active <- undo_scales(fit$basis, fit$inputs)
  response <- fit$response
  if (response$kind == "multiclass") {
    probability <- predicted_probabilities(fit, latent)
    draw_class_map(first, second, probability, class_colours(response), names, ...)
  } else {
    value <-
      if (response$kind == "binary") predicted_probabilities(fit, latent)[, response$present[2L]]
      else predicted_mean(fit, latent)
    surface <- matrix(value, length(first))
    limits <- if (response$kind == "binary") c(0, 1) else range(surface)
    graphics::image(first, second, surface, zlim = limits,
      col = grDevices::hcl.colors(64, "Blue-Red 2"), xlab = names[1L], ylab = names[2L], ...)
    levels <- if (response$kind == "binary") c(0.1, 0.25, 0.5, 0.75, 0.9) else pretty(limits, 8)
    graphics::contour(first, second, surface, levels = levels, add = TRUE, col = "#222222",
      lwd = if (response$kind == "binary") c(1, 1, 2, 1, 1) else 1)
  }
  if (is_classification(response)) {
    legend_above(response$present, fill = class_colours(response)[response$present])
  }
  if (!is.null(points)) {
    inside <-
      if (is.factor(points$y)) class_colours(response)[as.character(points$y)]
      else "white"
    graphics::points(points$x, pch = 21, cex = 0.7, bg = inside, col = "#222222")
  }
  graphics::points(active, pch = 1, cex = 1.2, col = "black")
}

#' The most probable class by colour, paler where it is less certain
#' @noRd
draw_class_map <- function(first, second, probability, palette, names, ...) {
  winner <- max.col(probability, "first")
  certainty <- probability[cbind(seq_along(winner), winner)]
  colours <- grDevices::col2rgb(palette[colnames(probability)])[, winner] / 255
  mixed <- 1 - (1 - colours) * rep(0.15 + 0.6 * certainty, each = 3L)
  picture <- matrix(grDevices::rgb(mixed[1L, ], mixed[2L, ], mixed[3L, ]), length(first))
  graphics::plot(range(first), range(second), type = "n", xaxs = "i", yaxs = "i", xlab = names[1L],
    ylab = names[2L], ...)
  graphics::rasterImage(t(picture)[rev(seq_along(second)), ],
    min(first), min(second), max(first), max(second))
  for (k in seq_len(ncol(probability))) {  # where a class overtakes the best of the others
    others <- probability[, -k, drop = FALSE]
    lead <- probability[, k] - others[cbind(seq_along(winner), max.col(others, "first"))]
    graphics::contour(first, second, matrix(lead, length(first)), levels = 0, add = TRUE,
      drawlabels = FALSE)
  }
}

#' A legend in the upper margin, where it hides nothing
#' @noRd
legend_above <- function(labels, ...) {
  graphics::legend("bottom", inset = c(0, 1.01), xpd = NA, horiz = TRUE, bty = "n",
    legend = labels, ...)
}

#' A colour for every level; two classes have those of the probability map
#' @noRd
class_colours <- function(response) {
  levels <- response$levels
  if (response$kind == "binary") {
    found <- stats::setNames(rep("grey50", length(levels)), levels)
    found[response$present] <- grDevices::hcl.colors(2, "Blue-Red 2")
    return(found)
  }
  stats::setNames(grDevices::hcl.colors(length(levels), "Dark 3"), levels)
}

plot_trace <- function(fit, ...) {
  trace <- fit$trace
  steps <- diff(trace$size)
  grows <- length(steps) > 0L && all(steps >= 0) && any(steps > 0)
  along <- if (grows) "size" else "iteration"
  graphics::plot(trace[[along]], trace$objective, type = if (nrow(trace) > 1L) "l" else "p",
    lwd = 2, xlab = if (grows) fit$labels$basis else along, ylab = "objective", ...)
}

plot_calibration <- function(fit, which, newdata, y, call, ...) {
  table <- calibration_of(fit, newdata, y, call)
  if (which == "calibration") {
    before <- graphics::par(mfrow = c(1, 2))
    on.exit(graphics::par(before))
  }
  if (which != "reliability") {
    graphics::plot(table$reject$rejected, table$reject$error, type = "l", lwd = 2, col = "#4477AA",
      xlab = "rejected fraction", ylab = "error among the rest",
      ylim = c(0, max(table$reject$error, 1e-3)), ...)
  }
  if (which != "reject") {
    bins <- table$reliability[table$reliability$count > 0, ]
    graphics::plot(bins$predicted, bins$observed, type = "n", xlim = 0:1, ylim = 0:1,
      xlab = "predicted probability", ylab = "observed frequency", ...)
    graphics::abline(0, 1, col = "grey60", lty = 2)
    # Two standard errors, never zero: one more success and failure are counted in.
    smoothed <- (bins$observed * bins$count + 1) / (bins$count + 2)
    error <- 2 * sqrt(smoothed * (1 - smoothed) / (bins$count + 2))
    graphics::segments(bins$predicted, pmax(0, bins$observed - error), bins$predicted,
      pmin(1, bins$observed + error), col = "#4477AA")
    graphics::points(bins$predicted, bins$observed, type = "b", pch = 16, col = "#4477AA", lwd = 2)
  }
}

#' Calibration from new data, or the one the fit keeps of its cavities
#' @noRd
calibration_of <- function(fit, newdata, y, call) {
  if (!is_classification(fit$response)) {
    abort_gpsieve("Reject and reliability curves need a classification fit.", class = "unsupported",
      call = call
    )
  }
  if (!is.null(newdata)) {
    truth <- response_of(fit, newdata, y, call)
    return(calibration_table(predict(fit, newdata, type = "prob"), truth))
  }
  if (is.null(fit$calibration)) {
    abort_gpsieve("This fit keeps no cavities to draw from.",
      hint = if (fit$model == "ivm") "Give {.arg newdata}, or fit with {.code refine} above 0."
        else "Give {.arg newdata}.",
      class = "unsupported", call = call
    )
  }
  fit$calibration
}

#' The response that belongs to new data: y if given, else the formula's left side
#' @noRd
response_of <- function(fit, newdata, y, call) {
  if (is.null(y)) {
    if (is.null(fit$formula)) {
      abort_gpsieve("{.arg y}, the response of {.arg newdata}, is missing.", call = call)
    }
    y <- tryCatch(
      eval(fit$formula[[2L]], as.data.frame(newdata), baseenv()),
      error = function(e) NULL
    )
    if (is.null(y)) {
      abort_gpsieve("{.arg newdata} lacks the response {.code {deparse(fit$formula[[2L]])}}.",
        class = "data", call = call
      )
    }
  }
  if (length(y) != nrow(newdata)) {
    abort_gpsieve("{.arg y} must have one value for each row of {.arg newdata}.",
      "Found {length(y)} for {nrow(newdata)}.", class = "data", call = call
    )
  }
  if (is_classification(fit$response)) factor(as.character(y), levels = fit$response$levels) else y
}
