# Margins of pictures with base graphics: room for what a picture writes there, and no more.

# What is to be done when the next picture begins, if margins are still those of the last one.
last_margins <- new.env(parent = emptyenv())

# Gives the next picture room for its caption, a legend above it and a key on its right, and takes
# the empty room above it. The margins are those of before when the next picture begins, not already
# when this one is drawn: lines and points that a user adds would be in the wrong places.
picture_margins <- function(caption = NULL, legend = FALSE, right = 0, titled = FALSE) {
  settle_margins()
  before <- graphics::par("mar")
  lines <- length(caption_lines(caption))
  top <- if (titled) before[3L] else min(before[3L], 1)
  graphics::par(mar = c(
    max(before[1L], if (lines) caption_place() + caption_step * lines + 0.3),
    before[2L], max(top, if (legend) 2 + 2 * titled), before[4L] + right
  ))
  last_margins$drawn <- FALSE
  last_margins$before <- before
  last_margins$ours <- graphics::par("mar")
  last_margins$device <- grDevices::dev.cur()
  if (!any(vapply(getHook("before.plot.new"), identical, NA, restore_margins))) {
    setHook("before.plot.new", restore_margins)
  }
}

# Puts the margins of the last picture back now: what a picture of several panels finds must not be
# them, because it leaves what it finds
settle_margins <- function() {
  last_margins$drawn <- TRUE
  restore_margins()
}

# Puts the margins back that the last picture changed, unless somebody has set others meanwhile
restore_margins <- function() {
  # The first page that begins is that of the picture itself.
  if (!isTRUE(last_margins$drawn)) {
    last_margins$drawn <- TRUE
    return(invisible())
  }
  hooks <- getHook("before.plot.new")
  setHook("before.plot.new", Filter(function(hook) !identical(hook, restore_margins), hooks),
    "replace")
  before <- last_margins$before
  last_margins$before <- NULL
  same <- !is.null(before) && identical(grDevices::dev.cur(), last_margins$device)
  if (same && identical(graphics::par("mar"), last_margins$ours)) graphics::par(mar = before)
}

# The size of a caption, and the distance of its lines, in lines of the margin.
caption_size <- 0.7
caption_step <- 0.8

# The line of the margin in which a caption begins: under the label of the axis
caption_place <- function() graphics::par("mgp")[1L] + 1.2

# A caption in lines that are not wider than the figure
caption_lines <- function(text, width = graphics::par("fin")[1L]) {
  if (!length(text)) return(character())
  letter <- graphics::par("cin")[1L] * graphics::par("cex") * caption_size
  # Letters are narrower than the widest one, on average by a third.
  strwrap(text, max(20, 1.4 * width / letter))
}

# What the signs of a picture mean, in small print under it
caption_below <- function(text) {
  lines <- caption_lines(text)
  for (i in seq_along(lines)) {
    graphics::mtext(lines[i], side = 1, line = caption_place() + caption_step * (i - 1), adj = 1,
      cex = caption_size * graphics::par("cex"))
  }
}

# The distance of lines of a caption in the outer margin, whose lines are those of small panels
caption_step_below_all <- function() caption_step / graphics::par("cex")

# Room in the outer margin for all but the first line of a caption
room_below_all <- function(text) {
  more <- length(caption_lines_below_all(text)) - 1L
  graphics::par(oma = graphics::par("oma") + c(more * caption_step_below_all(), 0, 0, 0))
}

caption_lines_below_all <- function(text) {
  caption_lines(text, graphics::par("din")[1L] * graphics::par("cex"))
}

# What the signs of several panels mean, in small print under them, in the outer margin
caption_below_all <- function(text) {
  lines <- caption_lines_below_all(text)
  for (i in seq_along(lines)) {
    graphics::mtext(lines[i], side = 1, outer = TRUE, line = caption_step_below_all() * (i - 1),
      adj = 1, cex = caption_size)
  }
}
