# Table 1 of Hernandez-Lobato et al. (2015), split by split: seven small sets, 15, 25 and 50 % of
# the training rows as inducing inputs, 20 random splits everywhere. From the root of the
# repository:
#
#   Rscript data-raw/ep-splits.R [--only=set] [--finished]
#
# The data, the splits and the settings are those of the benchmark case sep-uci
# (bench/cases/ep-uci.R). Its results are means over the splits; the scoreboard compares methods on
# the same split, and needs the losses of each. Needs the package installed, and the UCI sets in the
# folder named by GPSIEVE_DATA. Every set, share and method is stored when it is finished
# (data-raw/units.R); all together take about 40 CPU minutes. --only computes those of one set.
# --finished computes nothing. Either writes what has been finished; the pages say how many splits
# there are. The script writes
#
#   vignettes/results/ep-splits.csv   log loss and error on the test rows of every split, and the
#                                     CPU seconds of one fit, as the mean over the splits

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/ep-uci.R
source("data-raw/units.R")
store <- open_store("ep-splits")

#' Losses of one method on all splits of a set
splits_unit <- function(set, percent, method) {
  unit(store, paste(set, percent, method, sep = "-"), function() {
    data <- uci_data(list(set = set, splits = uci_splits), seed = 1L)
    engine <- uci_engine(percent, method)
    fitted <- measure(engine$fit(data, list(seed = 1L, threads = 1L)))
    found <- engine$predict(fitted$value, data)
    of_split <- function(measured) {
      vapply(split(seq_along(data$split), data$split), function(rows) measured(rows), 0)
    }
    data.frame(
      set = set, percent = percent, method = method, split = seq_len(uci_splits),
      log_loss = of_split(function(rows) log_loss(found$probability[rows, ], data$test_y[rows])),
      error = of_split(function(rows) mean(found$class[rows] != data$test_y[rows])),
      cpu = fitted$cpu / uci_splits
    )
  })
}

grid <- expand.grid(
  method = c("adf", "ep", "sep"), set = uci_sets, percent = c(15, 25, 50), stringsAsFactors = FALSE
)
# The three largest sets come last.
grid <- grid[order(grid$percent, grid$set %in% c("australian", "breast", "pima")), ]
arguments <- commandArgs(TRUE)
only <- sub("--only=", "", grep("^--only=", arguments, value = TRUE), fixed = TRUE)
stored <- file.exists(unit_file(store, paste(grid$set, grid$percent, grid$method, sep = "-")))
if (length(only)) {
  grid <- grid[stored | grid$set == only, ]
} else if ("--finished" %in% arguments) {
  grid <- grid[stored, ]
}
parts <- Map(splits_unit, grid$set, grid$percent, grid$method)
store_results(do.call(rbind, unname(parts)), "ep-splits.csv")
