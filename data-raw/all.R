# Regenerates every results file of the vignettes. From the root of the repository:
#
#   Rscript data-raw/all.R [--list]
#
# Runs the benchmark cases whose results the vignettes show and then the scripts of this folder. The
# package must be installed, with the packages in Suggests, and nycflights13 and mgcv for the
# flights, ranger, nnet, survival, betareg, hetGP, lme4, DiceKriging, DiceOptim and GauPro; MNIST,
# Abalone and the UCI sets are read from the folder named by GPSIEVE_DATA. All in all it takes
# several hours. Most scripts that were stopped continue with their first unfinished fit (units.R).
# --list prints the commands instead of running them.

cases <- c(
  "rvm-mackeyglass", "rvm-fig3", "rvm-mnist1", "sep-mnist", "sep-uci", "sep-size", "sep-flights",
  "sep-sites"
)
scripts <- c(
  "ivm-paper", "ep-paper", "meanfield-paper", "online-paper", "rvm-paper", "greedy-slides",
  "likelihood-peers", "input-peers", "next-experiment-peers"
)

commands <- c(
  sprintf("bench/run.R %s --json=bench/results/%s.json", cases, cases),
  "bench/run.R defaults --seeds=1,2 --json=inst/extdata/defaults.json",
  sprintf("data-raw/%s.R", scripts),
  "data-raw/scale-rows.R build/scale-rows", "data-raw/scale-partition.R build/scale-rows",
  "data-raw/scale-workers.R",
  "data-raw/scale-simulation.R"
)
rscript <- file.path(R.home("bin"), "Rscript")
dir.create(file.path("build", "scale-rows"), recursive = TRUE, showWarnings = FALSE)
for (command in commands) {
  cat("Rscript", command, "\n")
  if ("--list" %in% commandArgs(TRUE)) next
  status <- system2(rscript, strsplit(command, " ", fixed = TRUE)[[1L]])
  if (status != 0) stop("Rscript ", command, " failed", call. = FALSE)
}
