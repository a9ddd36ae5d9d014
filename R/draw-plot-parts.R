# Parts of the pictures of draw-plot.R: keys, legends, and labels that fit.

# A key of colours in the right margin
colour_key <- function(limits, colours, title) {
  edges <- graphics::par("usr")
  right <- edges[2L] + c(0.03, 0.06) * (edges[2L] - edges[1L])
  height <- function(value) {
    edges[3L] + (value - limits[1L]) / diff(limits) * (edges[4L] - edges[3L])
  }
  steps <- seq(limits[1L], limits[2L], length.out = length(colours) + 1L)
  graphics::rect(right[1L], height(steps[-length(steps)]), right[2L], height(steps[-1L]),
    col = colours, border = NA, xpd = NA)
  at <- pretty(limits, 5)
  at <- at[at >= limits[1L] & at <= limits[2L]]
  # No round number lies within the limits of a function that is as good as constant.
  if (!length(at)) at <- mean(limits)
  graphics::text(right[2L], height(at), number_text(at, 15), pos = 4, cex = 0.8, xpd = NA)
  # A long title ends where the figure does.
  last <- graphics::grconvertX(1, "nfc", "user") - graphics::strwidth(title, cex = 0.8)
  graphics::text(min(right[1L], last), edges[4L], title, adj = c(0, -1.4), cex = 0.8, xpd = NA)
}

# A legend in the upper margin, where it hides nothing, as small as it must be for two rows; `title`
# says what the labels are
legend_above <- function(labels, title = NULL, ...) {
  given <- list(...)
  # An entry without a sign of its own says what the others are.
  if (!is.null(title)) {
    labels <- c(paste0(title, ":"), labels)
    given <- lapply(given, function(values) c(NA, rep_len(values, length(labels) - 1L)))
  }
  if (!is.null(given$lwd)) given$lty <- ifelse(is.na(given$col), 0, 1)
  shape <- legend_shape(labels, diff(graphics::grconvertX(c(0, 1), "nfc", "user")))
  do.call(graphics::legend, c(list("bottom", inset = c(0, 1.01), xpd = NA, bty = "n",
    legend = labels, x.intersp = 0.6), shape, given))
}

# How the labels of a legend stand in so much room: side by side or, where the letters would be too
# small, in two rows, whose columns are as wide as the widest of them
legend_shape <- function(labels, room) {
  wanted <- graphics::strwidth(paste0("mmmmm", labels), cex = 1)
  size <- room / sum(wanted)
  if (size >= one_row_size) return(list(horiz = TRUE, cex = min(1, size), seg.len = 1))
  columns <- ceiling(length(labels) / 2)
  list(ncol = columns, cex = max(0.4, min(one_row_size, room / (max(wanted) * columns))),
    seg.len = 1)
}

one_row_size <- 0.65

# A legend above all panels, drawn with the last of them
legend_above_all <- function(labels, colours) {
  shape <- legend_shape(labels, diff(graphics::grconvertX(c(0, 1), "ndc", "user")))
  do.call(graphics::legend, c(list(graphics::grconvertX(0.5, "ndc", "user"),
    graphics::grconvertY(1, "ndc", "user"), labels, col = colours, lwd = 3, bty = "n", xjust = 0.5,
    yjust = 1, xpd = NA), shape))
}

# Labels of rows are not made smaller than this share of their size; then there are fewer rows.
smallest_label <- 0.8

# The height of one horizontal row with a label of the usual size, in inches
row_height <- function() {
  0.8 * graphics::par("cin")[2L] * graphics::par("cex") * graphics::par("cex.axis")
}

# The number of labelled rows for which the next picture has room
rows_that_fit <- function() {
  max(3L, floor(graphics::par("pin")[2L] / (smallest_label * row_height())))
}

# Labels of horizontal rows: every one of them, small enough not to overlap
axis_of_rows <- function(at, labels) {
  room <- diff(graphics::grconvertY(c(0, 1), "user", "inches"))
  graphics::axis(2L, at, labels,
    las = 1, cex.axis = graphics::par("cex.axis") * min(1, room / row_height()), gap.axis = -1)
}

# The size at which a label under a picture is not wider than the picture with its margins
label_size <- function(label) {
  width <- 0.7 * nchar(label) * graphics::par("cin")[1L] * graphics::par("cex")
  min(graphics::par("cex.lab"), 0.8 * graphics::par("fin")[1L] / width)
}

# The colours of numbers on a key; beyond its ends those of the ends
key_colours <- function(values, limits, colours) {
  place <- ceiling((values - limits[1L]) / diff(limits) * length(colours))
  colours[pmin(pmax(place, 1L), length(colours))]
}

# Labels of levels are not made smaller than this share of their size; some are left out then.
smallest_level <- 0.6

# The labels of all levels from left to right, small enough not to overlap
axis_of_levels <- function(at, labels) {
  room <- min(diff(c(at, at[length(at)] + 1)))
  wanted <- max(graphics::strwidth(paste0(labels, "m"), cex = graphics::par("cex.axis")))
  size <- max(smallest_level, min(1, room / wanted))
  graphics::axis(1L, at, labels, cex.axis = graphics::par("cex.axis") * size, gap.axis = 0)
}

# Marks at values along an axis; those that lie beside the drawn range have none, without a warning
draw_rug <- function(x, ...) graphics::rug(x, ..., quiet = TRUE)

# A call to a drawing function with what the picture says itself, which the user's own arguments
# replace
draw_with <- function(draw, own, given) {
  do.call(draw, c(own[setdiff(names(own), names(given))], given))
}

# A call to a drawing function as by draw_with(), with the labels of dates, times and ordered
# levels on the axes of the inputs `terms`, the first of which is drawn from left to right, the
# second upwards
draw_with_ticks <- function(draw, own, given, fit, terms) {
  ranges <- list(range(own$x), range(own$y))
  ticks <- Map(function(term, range) term_ticks(fit, term, range), terms, ranges[seq_along(terms)])
  for (side in seq_along(terms)) {
    if (!is.null(ticks[[side]])) own[[c("xaxt", "yaxt")[side]]] <- "n"
  }
  draw_with(draw, own, given)
  for (side in seq_along(terms)) {
    if (is.null(ticks[[side]])) next
    graphics::axis(side, ticks[[side]]$at, ticks[[side]]$labels)
  }
}
