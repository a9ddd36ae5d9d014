# Results as pictures, for README.md and the vignettes:
#
#   Rscript bench/picture.R inst/extdata/defaults.json man/figures/defaults.png
#   Rscript bench/picture.R bench/results/many-rows.json man/figures/many-rows.png
#
# The first is the comparison of default calls, the second the loss against the number of rows.

draw_comparison <- function(compared) {
  shown <- c(
    gpsieve = "#c0392b", svm = "#7f8c8d", "tuned svm" = "#2c3e50", ranger = "#27ae60",
    gausspr = "#b58900", "lm or glm" = "#8e44ad", "gam or bam" = "#2980b9", xgboost = "#16a085",
    "slow xgboost" = "#0b5345", "elastic net" = "#e67e22"
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
  graphics::legend(4.6, 1, names(shown), col = shown, bty = "n", xpd = TRUE,
    pch = ifelse(names(shown) == "gpsieve", 19, 1)
  )
}

#' Loss on test rows against rows that learn, a panel for each set
draw_growth <- function(rows) {
  rows$set <- sub(",.*", "", rows$problem)
  rows$loss <- ifelse(is.na(rows$rmse), rows$log_loss, rows$rmse)
  shown <- c(gpsieve = "#c0392b", bam = "#2980b9", xgboost = "#27ae60", histogram = "#b58900")
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
    for (engine in rev(names(shown))) {
      own <- of_set[of_set$engine == engine, ]
      graphics::lines(own$n, own$loss, type = "b", col = shown[[engine]],
        pch = if (engine == "gpsieve") 19 else 1, lwd = if (engine == "gpsieve") 2 else 1
      )
    }
  }
  graphics::plot.new()
  graphics::legend("center", names(shown), col = shown, pch = c(19, 1, 1, 1), lwd = c(2, 1, 1, 1),
    bty = "n", cex = 1.3
  )
}

files <- commandArgs(TRUE)
results <- jsonlite::fromJSON(files[1L])
grDevices::png(files[2L], 1400, if (is.null(results$rows)) 1100 else 900, res = 170)
if (is.null(results$rows)) draw_comparison(results$compared) else draw_growth(results$rows)
invisible(grDevices::dev.off())
