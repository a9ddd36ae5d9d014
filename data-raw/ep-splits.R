# Table 1 of Hernandez-Lobato et al. (2015) split by split: EP, stochastic EP and ADF with 15, 25
# and 50 % of the training rows as inducing inputs. From the root of the repository:
#
#   Rscript data-raw/ep-splits.R [--finished] [--only=name]
#
# The data, the splits and the settings are those of the benchmark case sep-uci
# (bench/cases/ep-uci.R). Its results are means over the splits; the scoreboard compares methods on
# the same split, and needs the losses of each. Needs the package installed, and the UCI sets in the
# folder named by GPSIEVE_DATA. Every set, share, method and block of 20 splits is stored when it is
# finished (data-raw/units.R). --finished computes nothing and writes what has been finished. Writes
#
#   vignettes/results/ep-splits.csv   log loss and error on the test rows of each of 20 splits of
#                                     the seven sets, and of Australian with its first column as
#                                     response, and the CPU seconds of one fit, as the mean over
#                                     the splits; 40 CPU minutes

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/ep-uci.R
source("data-raw/units.R")
store <- open_store("ep-splits")
finished <- "--finished" %in% commandArgs(TRUE)

#' Losses of one method on the splits of a set, which are those of sep-uci
splits_unit <- function(set, percent, method) {
  stored <- paste(set, percent, method, sep = "-")
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
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

first_units("ep-splits.csv" = splits_unit("crabs", 15, "adf"))
# The three largest sets come last.
sets <- c(uci_sets, "australian, A1")
grid <- expand.grid(method = c("adf", "ep", "sep"), set = sets, percent = c(15, 25, 50),
  stringsAsFactors = FALSE
)
large <- grid$set %in% c("australian", "australian, A1", "breast", "pima")
grid <- grid[order(grid$percent, large), ]
parts <- Map(splits_unit, grid$set, grid$percent, grid$method)
store_results(do.call(rbind, unname(parts)), "ep-splits.csv")
