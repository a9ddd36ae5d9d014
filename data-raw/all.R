# Regenerates every results file of the vignettes. From the root of the repository:
#
#   Rscript data-raw/all.R [--list] [--only=text]
#
# Runs the benchmark cases whose results the vignettes show and then the scripts of this folder. The
# package must be installed, with the packages in Suggests, and nycflights13 and mgcv for the
# flights, ranger, nnet, glmnet, survival, betareg, hetGP, lme4, nlme, GpGp, fields, spNNGP, sp,
# ordinal, forecast, Mcomp, DiceKriging, DiceOptim and GauPro, and for Python scikit-learn and
# xgboost (Debian: python3-sklearn, python3-xgboost); MNIST, Abalone and the UCI sets are read from
# the folder named by GPSIEVE_DATA. All in all it takes hours.
#
# Every command is a part. When it has ended, its elapsed and CPU seconds go to data-raw/times.csv
# with the version of the core that made its results, and it is not run again by the same core, so
# that a run that was stopped, here or on another computer, continues with its first unfinished
# command, and most scripts with their first unfinished fit (units.R). A part in which the package
# takes no part has the version "none" and is run once for all cores, until its line is deleted.
# --list prints the commands and what they took; --only chooses those that contain the text.

suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
times_file <- file.path("data-raw", "times.csv")
arguments <- commandArgs(TRUE)
unknown <- grep("^--(list$|only=)", arguments, value = TRUE, invert = TRUE)
if (length(unknown)) stop("--list and --only=text are known, not ", unknown[1L], call. = FALSE)
only <- sub("--only=", "", grep("^--only=", arguments, value = TRUE), fixed = TRUE)

cases <- c(
  "rvm-mackeyglass", "rvm-fig3", "rvm-mnist1", "sep-mnist", "sep-uci", "sep-size", "sep-flights",
  "sep-sites", "exact-parts"
)
scripts <- c(
  "ivm-svm", "ivm-paper", "ivm-size", "ep-splits", "ep-paper", "ep-size", "ep-variance",
  "meanfield-paper", "meanfield-descent", "online-paper",
  "online-drift", "rvm-paper", "rvm-scales", "greedy-slides", "likelihood-peers", "input-peers",
  "next-experiment-peers", "jobs", "exact-parts", "exact-workers", "ivm-claims", "ivm-learning",
  "complexity", "memory", "causes"
)
commands <- c(
  sprintf("bench/run.R %s --json=bench/results/%s.json", cases, cases),
  "bench/run.R defaults --cache=build/defaults/CORE --json=inst/extdata/defaults.json",
  sprintf("data-raw/%s.R", scripts),
  "data-raw/scale-rows.R build/scale-rows", "data-raw/scale-partition.R build/scale-rows",
  "data-raw/scale-workers.R",
  "data-raw/scale-simulation.R"
)
without_package <- "data-raw/ivm-svm.R"
if (length(only)) commands <- grep(only, commands, fixed = TRUE, value = TRUE)
dir.create(file.path("build", "scale-rows"), recursive = TRUE, showWarnings = FALSE)

#' The version of the core that the results of commands are those of
core_of <- function(commands) ifelse(commands %in% without_package, "none", core_version)

#' Runs a command in a process of its own; its seconds
#'
#' CORE in a command stands for the version of the core, whose results a folder keeps.
run_part <- function(command) {
  cat("Rscript", command, "\n")
  before <- proc.time()
  rscript <- file.path(R.home("bin"), "Rscript")
  given <- sub("CORE", core_version, command, fixed = TRUE)
  status <- system2(rscript, strsplit(given, " ", fixed = TRUE)[[1L]])
  if (status != 0) stop("Rscript ", command, " failed", call. = FALSE)
  taken <- proc.time() - before
  data.frame(
    command = command, core = core_of(command), elapsed = round(taken[["elapsed"]]),
    cpu = round(taken[["user.child"]] + taken[["sys.child"]])
  )
}

#' The parts that have ended, by whatever core
read_times <- function() {
  if (file.exists(times_file)) utils::read.csv(times_file)
  else data.frame(command = character(), core = character(), elapsed = numeric(), cpu = numeric())
}

#' The commands and what they took with this core, NA for those that have not ended
times <- function() {
  ended <- read_times()
  ended <- ended[ended$core == core_of(ended$command), ]
  cbind(command = commands, ended[match(commands, ended$command), c("elapsed", "cpu")])
}

#' Adds a part that has ended, in place of what an older core took for it
store_time <- function(part) {
  force(part) # another call of this script may store a time while the part runs
  others <- read_times()
  table <- rbind(others[others$command != part$command, ], part)
  utils::write.csv(table[order(table$command), ], times_file, row.names = FALSE)
}

if (!"--list" %in% arguments) {
  open <- times()
  for (command in open$command[is.na(open$cpu)]) store_time(run_part(command))
}
table <- times()
cat(sprintf("%8s s elapsed %8s s CPU  Rscript %s\n", format(table$elapsed), format(table$cpu),
  table$command
), sep = "")
cat(sprintf("%d of %d parts have ended, in %.1f hours, %.1f of them CPU time\n",
  sum(!is.na(table$cpu)), nrow(table), sum(table$elapsed, na.rm = TRUE) / 3600,
  sum(table$cpu, na.rm = TRUE) / 3600
))
