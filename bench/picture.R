# Results as pictures, for README.md and the vignettes:
#
#   Rscript bench/picture.R inst/extdata/defaults.json man/figures/defaults.png
#   Rscript bench/picture.R bench/results/many-rows.json man/figures/many-rows.png
#   Rscript bench/picture.R mcycle man/figures/mcycle.png
#
# The first is the comparison of default calls, the second the loss against the number of rows, the
# third the picture of the first example.

# Colours that can be told apart with any common kind of colour vision (Okabe and Ito 2008), and a
# sign of its own for every function.
colour_of <- c(
  gpsieve = "#D55E00", svm = "grey50", "tuned svm" = "#000000", ranger = "#009E73",
  gausspr = "#E69F00", "lm or glm" = "#CC79A7", "gam or bam" = "#0072B2", xgboost = "#56B4E9",
  "slow xgboost" = "#56B4E9", "elastic net" = "#E69F00", bam = "#0072B2", histogram = "#E69F00"
)
sign_of <- c(
  gpsieve = 19, svm = 1, "tuned svm" = 2, ranger = 0, gausspr = 5, "lm or glm" = 6,
  "gam or bam" = 3, xgboost = 4, "slow xgboost" = 8, "elastic net" = 7, bam = 3, histogram = 5
)

draw_comparison <- function(compared) {
  shown <- setdiff(names(colour_of), c("bam", "histogram"))
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
  for (engine in rev(shown)) {
    ratio <- mapply(loss_of, sets, engine) / best
    graphics::points(pmin(ratio, 4), seq_along(sets), col = colour_of[[engine]],
      pch = sign_of[[engine]], cex = if (engine == "gpsieve") 1.4 else 1
    )
  }
  graphics::legend(4.6, 1, shown, col = colour_of[shown], bty = "n", xpd = TRUE,
    pch = sign_of[shown]
  )
}

#' Loss on test rows against rows that learn, a panel for each set
draw_growth <- function(rows) {
  rows$set <- sub(",.*", "", rows$problem)
  rows$loss <- ifelse(is.na(rows$rmse), rows$log_loss, rows$rmse)
  shown <- c("gpsieve", "bam", "xgboost", "histogram")
  titles <- c(
    flights = "flights: log loss", diamonds = "diamonds: RMSE of log price",
    letters = "letters, 26 classes: log loss", wide = "20 columns, additive: RMSE",
    smooth = "smooth function of 8 inputs: RMSE"
  )
  options(scipen = 10)
  graphics::par(mfrow = c(2, 3), mar = c(4, 3.2, 2.2, 0.8), las = 1, mgp = c(2.4, 0.6, 0))
  for (set in names(titles)) {
    of_set <- rows[rows$set == set, ]
    # An additive model may be far from the others.
    near <- of_set$loss <= 3 * min(of_set$loss)
    graphics::plot(range(of_set$n), range(of_set$loss[near]), type = "n", log = "xy",
      xlab = "rows that learn", ylab = "", main = titles[[set]], cex.main = 1
    )
    for (engine in rev(shown)) {
      own <- of_set[of_set$engine == engine, ]
      graphics::lines(own$n, own$loss, type = "b", col = colour_of[[engine]],
        pch = sign_of[[engine]], lwd = if (engine == "gpsieve") 2 else 1
      )
    }
  }
  graphics::plot.new()
  graphics::legend("center", shown, col = colour_of[shown], pch = sign_of[shown],
    lwd = c(2, 1, 1, 1), bty = "n", cex = 1.3
  )
}

files <- commandArgs(TRUE)
if (files[1L] == "mcycle") {
  grDevices::png(files[2L], 1000, 560, res = 150)
  graphics::par(mar = c(4, 4, 1, 1), mgp = c(2.3, 0.7, 0))
  plot(gpsieve::gpsieve(accel ~ times, MASS::mcycle, seed = 1, verbose = FALSE))
  quit(status = 0L)
}
results <- jsonlite::fromJSON(files[1L])
grDevices::png(files[2L], 1400, if (is.null(results$rows)) 1100 else 900, res = 170)
if (is.null(results$rows)) draw_comparison(results$compared) else draw_growth(results$rows)
invisible(grDevices::dev.off())
