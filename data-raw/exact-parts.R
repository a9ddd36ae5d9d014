# The results of the benchmark case exact-parts, as the vignette on scale shows them, beside errors
# that others have published for the same splits of the same sets.
#
#   Rscript data-raw/exact-parts.R    writes vignettes/results/exact-parts.csv
suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")

rows <- jsonlite::fromJSON(file.path("bench", "results", "exact-parts.json"))$rows
fields <- c("rmse", "density", "crps", "covered", "cpu")
means <- stats::aggregate(rows[fields], rows[c("problem", "engine")], mean)
size <- stats::aggregate(rows[c("n", "p", "size")], rows[c("problem", "engine")], max)
table <- merge(size, means)
table <- table[order(match(table$problem, unique(rows$problem)),
  match(table$engine, unique(rows$engine))), ]

# Wang, Pleiss, Gardner, Tyree, Weinberger and Wilson (2019), Exact Gaussian processes on a million
# data points, tables 1 and 3: exact Gaussian processes on eight graphics processors with one
# lengthscale and with one for each column. Heaton et al. (2019), A case study competition among
# methods for analyzing large spatial data, table 3.
published <- data.frame(
  problem = c("pol", "pol", "protein", "protein", "temperatures", "temperatures"),
  engine = c(rep(c("exact, one lengthscale", "exact, a lengthscale for each column"), 2L), "SPDE",
    "NNGP"),
  rmse = c(0.151, 0.088, 0.536, 0.511, 1.53, 1.64),
  density = c(NA, -0.66, NA, 0.96, NA, NA), crps = c(NA, NA, NA, NA, 0.83, 0.85)
)
published[setdiff(names(table), names(published))] <- NA
first_units("exact-parts.csv" = rbind(table, published[names(table)]))
store_results(rbind(table, published[names(table)]), "exact-parts.csv",
  bench_version("exact-parts"))
