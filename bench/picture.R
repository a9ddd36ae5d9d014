# The comparison of default calls as one picture, for README.md:
#
#   Rscript bench/picture.R inst/extdata/defaults.json man/figures/defaults.png

draw_comparison <- function(compared) {
  shown <- c(
    gpsieve = "#c0392b", svm = "#7f8c8d", "tuned svm" = "#2c3e50", ranger = "#27ae60",
    gausspr = "#b58900", "lm or glm" = "#8e44ad", "gam or bam" = "#2980b9"
  )
  sets <- unique(compared$set[!is.na(compared$best_peer)])
  loss_of <- function(set, engine) {
    compared$loss[match(paste(set, engine), paste(compared$set, compared$engine))]
  }
  best <- mapply(loss_of, sets, compared$best_peer[match(sets, compared$set)])
  graphics::par(mar = c(4.5, 7, 1, 8), las = 1, mgp = c(2.5, 0.7, 0))
  graphics::plot(NULL, xlim = c(1 / 4, 4), ylim = c(length(sets), 1), log = "x", yaxt = "n",
    xlab = "loss on test rows, divided by that of the best peer called with defaults", ylab = ""
  )
  graphics::axis(2, seq_along(sets), sets)
  graphics::abline(h = seq_along(sets), col = "grey92")
  graphics::abline(v = 1, col = "grey60")
  for (engine in rev(names(shown))) {
    own <- engine == "gpsieve"
    ratio <- mapply(loss_of, sets, engine) / best
    graphics::points(pmin(ratio, 4), seq_along(sets), col = shown[[engine]],
      pch = if (own) 19 else 1, cex = if (own) 1.4 else 1
    )
  }
  graphics::legend(4.6, 1, names(shown), col = shown, pch = c(19, rep(1, 6)), bty = "n", xpd = TRUE)
}

files <- commandArgs(TRUE)
compared <- jsonlite::fromJSON(files[1L])$compared
grDevices::png(files[2L], 1400, 1100, res = 170)
draw_comparison(compared)
invisible(grDevices::dev.off())
