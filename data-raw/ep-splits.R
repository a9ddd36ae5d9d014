# Table 1 of Hernandez-Lobato et al. (2015) split by split: EP, stochastic EP and ADF with 15, 25
# and 50 % of the training rows as inducing inputs. From the root of the repository:
#
#   Rscript data-raw/ep-splits.R [--finished] [--only=name]
#
# The data, the splits and the settings are those of the benchmark case sep-uci
# (bench/cases/ep-uci.R). Its results are means over the splits; the scoreboard compares methods on
# the same split, and needs the losses of each. Needs the package installed, and the UCI sets in the
# folder named by GPSIEVE_DATA. Every set, share, method and block of 20 splits is stored when it is
# finished (data-raw/units.R). --finished computes nothing and writes what has been finished; the
# pages say how many splits there are. --only computes one of the files:
#
#   vignettes/results/ep-splits-last.csv  as many further splits of two sets as the standard errors
#                                         of the other files said that a verdict needs; 4 CPU
#                                         minutes
#   vignettes/results/ep-splits-hair.csv  splits where a verdict still hung on little with those of
#                                         the two files below, and 20 splits of Australian at 50 %
#                                         with its first column as response; 18 CPU minutes
#   vignettes/results/ep-splits-more.csv  further splits of the small sets, and 20 splits of
#                                         Australian with its first column as response at 15 and
#                                         25 %; 15 CPU minutes
#   vignettes/results/ep-splits.csv       the first 20 splits of all seven sets; 35 CPU minutes
#
# with log loss and error on the test rows of every split, and the CPU seconds of one fit, as the
# mean over the splits of a block.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/ep-uci.R
source("data-raw/units.R")
store <- open_store("ep-splits")
finished <- "--finished" %in% commandArgs(TRUE)
only <- sub("--only=", "", grep("^--only=", commandArgs(TRUE), value = TRUE), fixed = TRUE)

#' Losses of one method on a block of 20 splits of a set; the first block is that of sep-uci
splits_unit <- function(set, percent, method, block) {
  stored <- paste(set, percent, method, block, sep = "-")
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
    data <- uci_data(list(set = set, splits = uci_splits), seed = block)
    engine <- uci_engine(percent, method)
    fitted <- measure(engine$fit(data, list(seed = block, threads = 1L)))
    found <- engine$predict(fitted$value, data)
    of_split <- function(measured) {
      vapply(split(seq_along(data$split), data$split), function(rows) measured(rows), 0)
    }
    data.frame(
      set = set, percent = percent, method = method,
      split = uci_splits * (block - 1L) + seq_len(uci_splits),
      log_loss = of_split(function(rows) log_loss(found$probability[rows, ], data$test_y[rows])),
      error = of_split(function(rows) mean(found$class[rows] != data$test_y[rows])),
      cpu = fitted$cpu / uci_splits
    )
  })
}

#' Methods and shares on blocks of splits of some sets
grid_of <- function(set, block, percent = c(15, 25, 50), method = c("adf", "ep", "sep")) {
  expand.grid(
    method = method, set = set, percent = percent, block = block, stringsAsFactors = FALSE
  )
}
losses_on <- function(grid) {
  parts <- Map(splits_unit, grid$set, grid$percent, grid$method, grid$block)
  do.call(rbind, unname(parts))
}

#' Writes a file, unless `--only` names another one; `grid` is then not evaluated
save_losses <- function(grid, name) {
  if (length(only) && only != name) return(invisible())
  store_results(losses_on(grid), paste0(name, ".csv"))
}

# Only the methods whose difference is in question.
sep_and_ep <- c("ep", "sep")
adf_and_ep <- c("adf", "ep")
save_losses(rbind(
  grid_of("heart", 9:10, method = sep_and_ep), grid_of("ionosphere", 5:7, 50, sep_and_ep)
), "ep-splits-last")

save_losses(rbind(
  grid_of("sonar", 2:4, 50, sep_and_ep), grid_of("heart", 6:8, c(50, 25, 15), sep_and_ep),
  grid_of("australian, A1", 2L, c(15, 25), adf_and_ep),
  grid_of("ionosphere", 2:4, 50, sep_and_ep), grid_of("australian, A1", 1L, 50),
  grid_of("ionosphere", 6:10, 25, sep_and_ep)
), "ep-splits-hair")

save_losses(rbind(
  grid_of(c("crabs", "heart"), 2:5), grid_of(c("ionosphere", "sonar"), 2:5, c(15, 25)),
  grid_of("australian, A1", 1L, c(15, 25))
), "ep-splits-more")

# The three largest sets come last.
all_sets <- grid_of(uci_sets, 1L)
save_losses(all_sets[
  order(all_sets$percent, all_sets$set %in% c("australian", "breast", "pima")),
], "ep-splits")
