# Regenerates every results file of the vignettes. From the root of the repository:
#
#   Rscript data-raw/all.R [--list]
#
# Runs the benchmark cases whose results the vignettes show and then the scripts of this folder. The
# package must be installed, with the packages in Suggests, and nycflights13 and mgcv for the
# flights; MNIST, Abalone and the UCI sets are read from the folder named by GPSIEVE_DATA. All in
# all it takes about three hours on one core. A script that was stopped continues with its first
# unfinished fit (units.R). --list prints the commands instead of running them.

cases <- c(
  "rvm-mackeyglass", "rvm-fig3", "rvm-mnist1", "sep-mnist", "sep-uci", "sep-size", "sep-flights",
  "sep-sites"
)
scripts <- c(
  "ivm-paper", "ep-paper", "meanfield-paper", "online-paper", "rvm-paper", "greedy-slides"
)

commands <- c(
  sprintf("bench/run.R %s --json=bench/results/%s.json", cases, cases),
  sprintf("data-raw/%s.R", scripts)
)
rscript <- file.path(R.home("bin"), "Rscript")
for (command in commands) {
  cat("Rscript", command, "\n")
  if ("--list" %in% commandArgs(TRUE)) next
  status <- system2(rscript, strsplit(command, " ", fixed = TRUE)[[1L]])
  if (status != 0) stop("Rscript ", command, " failed", call. = FALSE)
}
