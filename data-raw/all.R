# Regenerates every results file of the vignettes. From the root of the repository:
#
#   Rscript data-raw/all.R [--list] [--only=text]
#
# Runs the benchmark cases whose results the vignettes show and then the scripts of this folder. The
# package must be installed, with the packages in Suggests, and nycflights13 and mgcv for the
# flights, ranger, nnet, survival, betareg, hetGP, lme4, DiceKriging, DiceOptim and GauPro, and
# scikit-learn for Python for the support vector machines; MNIST,
# Abalone and the UCI sets are read from the folder named by GPSIEVE_DATA. All in all it takes
# several hours.
#
# Every command is a part that is not run again by the same build of the package once it has ended
# (units.R), so that a run that was stopped continues with its first unfinished command, and most
# scripts with their first unfinished fit. The elapsed and CPU seconds of each part are printed at
# the end and written to build/papers/times.csv. --list prints the commands and what they took;
# --only chooses those that contain the text.

suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
store <- open_store("papers")
arguments <- commandArgs(TRUE)
only <- sub("--only=", "", grep("^--only=", arguments, value = TRUE), fixed = TRUE)

cases <- c(
  "rvm-mackeyglass", "rvm-fig3", "rvm-mnist1", "sep-mnist", "sep-uci", "sep-size", "sep-flights",
  "sep-sites"
)
scripts <- c(
  "ivm-svm", "ivm-paper", "ivm-size", "ep-splits", "ep-paper", "meanfield-paper", "online-paper",
  "online-drift", "rvm-paper", "greedy-slides", "likelihood-peers", "input-peers",
  "next-experiment-peers"
)
commands <- c(
  sprintf("bench/run.R %s --json=bench/results/%s.json", cases, cases),
  "bench/run.R defaults --seeds=1,2 --json=inst/extdata/defaults.json",
  sprintf("data-raw/%s.R", scripts),
  "data-raw/scale-rows.R build/scale-rows", "data-raw/scale-partition.R build/scale-rows",
  "data-raw/scale-workers.R",
  "data-raw/scale-simulation.R"
)
if (length(only)) commands <- grep(only, commands, fixed = TRUE, value = TRUE)
dir.create(file.path("build", "scale-rows"), recursive = TRUE, showWarnings = FALSE)

#' The name of the unit of a command
part_name <- function(command) gsub("[^a-z0-9]+", "-", sub("--.*", "", command))

#' Runs a command in a process of its own; its seconds
run_part <- function(command) {
  cat("Rscript", command, "\n")
  before <- proc.time()
  rscript <- file.path(R.home("bin"), "Rscript")
  status <- system2(rscript, strsplit(command, " ", fixed = TRUE)[[1L]])
  if (status != 0) stop("Rscript ", command, " failed", call. = FALSE)
  taken <- proc.time() - before
  data.frame(
    command = command, elapsed = taken[["elapsed"]],
    cpu = taken[["user.child"]] + taken[["sys.child"]]
  )
}

#' The seconds of the parts that have ended, those of the others as NA
times <- function() {
  do.call(rbind, lapply(commands, function(command) {
    file <- unit_file(store, part_name(command))
    if (file.exists(file)) return(readRDS(file))
    data.frame(command = command, elapsed = NA_real_, cpu = NA_real_)
  }))
}

if (!"--list" %in% arguments) {
  for (command in commands) unit(store, part_name(command), function() run_part(command))
  utils::write.csv(times(), file.path("build", "papers", "times.csv"), row.names = FALSE)
}
table <- times()
cat(sprintf("%8s s elapsed %8s s CPU  Rscript %s\n", format(round(table$elapsed)),
  format(round(table$cpu)), table$command
), sep = "")
cat(sprintf("%d of %d parts have ended, in %.1f hours, %.1f of them CPU time\n",
  sum(!is.na(table$cpu)), nrow(table), sum(table$elapsed, na.rm = TRUE) / 3600,
  sum(table$cpu, na.rm = TRUE) / 3600
))
