# The picture of the terms of a fit whose kernel is a sum.

# Every term of one or two inputs: a curve with two standard deviations either way, dots with bars
# for the levels of a factor, both less the average over rows; a map for two numeric inputs.
# The terms of several classes are those of the class whose latent function is the first. Basis
# points are ticks along the lower edge.
plot_terms <- function(fit, chosen, grid, given) {
  parts <- drawn_parts(fit, chosen)
  curves <- lapply(parts, term_curve, fit, grid)
  maps <- vapply(curves, is.null, NA)
  limits <- range(unlist(lapply(curves[!maps], `[`, c("lower", "upper"))), 0)
  before <- graphics::par(mfrow = grDevices::n2mfrow(length(parts)), mar = graphics::par("mar"))
  on.exit(graphics::par(before))
  for (i in seq_along(parts)) {
    # A map has its key of colours on the right.
    graphics::par(mar = c(4, 4, 2, if (any(maps)) 7 else 1))
    if (maps[i]) draw_term_map(parts[[i]], fit, min(grid, 60L), given)
    else draw_term_curve(parts[[i]], fit, curves[[i]], limits, given)
  }
}

# The terms that can be drawn: those of one input or of two numeric ones
drawn_parts <- function(fit, chosen) {
  inputs <- input_terms(fit)
  moved <- moved_columns(fit)
  parts <- lapply(kernel_parts(fit), function(part) {
    part$inputs <- inputs[vapply(moved, function(columns) any(columns %in% part$columns), NA)]
    part
  })
  labels <- vapply(parts, function(part) part$label, "")
  if (!is.null(chosen)) {
    if (!is.character(chosen) || !length(chosen) || !all(chosen %in% labels)) {
      found <- if (is.character(chosen)) toString(dQuote(chosen, FALSE)) else describe(chosen)
      meant <- if (is.character(chosen)) meant_values(setdiff(chosen, labels), labels)
      abort_gpsieve("{.arg terms} must be terms of this fit.", "Found {found}.",
        if (is.null(meant)) "It has {.val {labels}}." else meant)
    }
    parts <- parts[labels %in% chosen]
    labels <- labels[labels %in% chosen]
  }
  small <- vapply(parts, function(part) {
    length(part$inputs) == 1L || (length(part$inputs) == 2L && all(lengths(part$inputs) == 1L))
  }, NA)
  if (!any(small)) {
    abort_gpsieve("A term is drawn if it has one input, or two numeric ones.",
      "This fit has no such term.", "{.code y ~ g(a) + g(b, c)} makes a sum of such terms.",
      class = "unsupported")
  }
  if (!all(small)) {
    inform_gpsieve("Terms of more inputs are not drawn: {.val {labels[!small]}}.", "terms")
  }
  parts[small]
}

# Rows where the inputs of a term have the values of `places`; the other inputs, which play no
# part, are those of the first row that stands for the data
rows_at_places <- function(fit, places, columns) {
  rows <- drawn_rows(fit)[rep(1L, nrow(places)), , drop = FALSE]
  rows[, columns] <- places
  rows
}

term_at_places <- function(part, fit, places, columns) {
  x <- model_rows(fit, rows_at_places(fit, places, columns))
  terms_at(fit, x, TRUE, core_settings(1L), list(part))[[1L]]
}

# A term at the values of `places` less its average over rows that stand for the data: list(mean,
# sd). The data say little about a constant that one term has more and another one less. It is part
# of the standard deviation of a term, not of such a difference.
centred_term <- function(part, fit, places, columns) {
  rows <- drawn_rows(fit)
  rows <- rows[evenly_spaced(nrow(rows), most_effect_rows), , drop = FALSE]
  at <- rows_at_places(fit, places, columns)
  x <- rows_for_fit(fit, model_rows(fit, rbind(at, rows)))
  own <- fit_of_term(fit_with_term(fit, part$number), part$kernel)
  settings <- core_settings(1L)
  marginals <- latent_marginals(own, x, TRUE, settings)
  mean <- marginals$mean[, 1L]
  # An augmented relevance vector machine has another model at every row.
  covariance <-
    if (is_augmented(fit)) latent_scale(fit)^2 * diag(marginals$variance[, 1L])
    else latent_covariances(own, x, settings)[[1L]]
  less <- cbind(diag(1, nrow(at)), matrix(-1 / nrow(rows), nrow(at), nrow(rows)))
  variance <- rowSums((less %*% covariance) * less)
  list(mean = latent_scale(fit) * drop(less %*% mean), sd = sqrt(pmax(variance, 0)))
}

# The numbers of a curve, or of the levels of a factor; NULL for a term of two inputs
term_curve <- function(part, fit, grid) {
  if (length(part$inputs) > 1L) return(NULL)
  columns <- part$inputs[[1L]]
  discrete <- is_discrete_term(fit, columns)
  labels <- if (discrete) factor_labels(fit, names(part$inputs), columns)
  places <-
    if (discrete) level_values(fit, columns, labels) else matrix(axis_points(fit, columns, grid))
  found <- centred_term(part, fit, places, columns)
  list(
    x = if (discrete) seq_along(labels) else places[, 1L], fit = found$mean,
    lower = found$mean - 2 * found$sd, upper = found$mean + 2 * found$sd, labels = labels
  )
}

draw_term_curve <- function(part, fit, curve, limits, given) {
  discrete <- !is.null(curve$labels)
  draw_with_ticks(graphics::plot, list(
    x = range(curve$x) + if (discrete) c(-0.5, 0.5) else 0, y = limits, type = "n",
    xlab = names(part$inputs), ylab = term_axis(part), xaxt = if (discrete) "n" else "s"
  ), given, fit, if (!discrete) names(part$inputs))
  graphics::abline(h = 0, col = "grey60", lty = 2)
  if (discrete) {
    graphics::axis(1L, curve$x, curve$labels)
    graphics::segments(curve$x, curve$lower, curve$x, curve$upper, lwd = 2, col = safe_colours[1L])
    graphics::points(curve$x, curve$fit, pch = 16, cex = 1.3, col = safe_colours[1L])
    return(invisible())
  }
  graphics::polygon(c(curve$x, rev(curve$x)), c(curve$lower, rev(curve$upper)), border = NA,
    col = grDevices::adjustcolor(safe_colours[1L], 0.2))
  graphics::lines(curve$x, curve$fit, lwd = 2, col = safe_colours[1L])
  draw_rug(marked_rows(fit, part$inputs[[1L]]), col = "#00000080", lwd = 1)
}

draw_term_map <- function(part, fit, grid, given) {
  columns <- unlist(part$inputs)
  axes <- lapply(columns, function(column) axis_points(fit, column, grid))
  places <- as.matrix(expand.grid(axes))
  found <- term_at_places(part, fit, places, columns)
  surface <- function(values) matrix(values, length(axes[[1L]]))
  limits <- range(found$mean)
  if (diff(limits) == 0) limits <- limits + c(-0.5, 0.5)
  colours <- grDevices::hcl.colors(64, "viridis")
  draw_with_ticks(graphics::image, list(
    x = axes[[1L]], y = axes[[2L]], z = surface(found$mean), zlim = limits, col = colours,
    xlab = names(part$inputs)[1L], ylab = names(part$inputs)[2L]
  ), given, fit, names(part$inputs))
  graphics::contour(axes[[1L]], axes[[2L]], surface(found$sd), add = TRUE, col = "white", lty = 2)
  graphics::points(marked_rows(fit, columns), pch = 1, col = "#000000A0")
  colour_key(limits, colours, term_axis(part))
}

term_axis <- function(part) paste0("g(", part$label, ")")
