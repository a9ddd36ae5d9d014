# How the memory of a fit grows, beside the orders that the papers state: O(n d) for the informative
# vector machine with n rows and d active ones (Lawrence, Seeger and Herbrich 2002), O(N M) for
# subspace EM with N rows and M functions, O(N^2) for batch EM (Quinonero-Candela and Winther 2003),
# and O(n m) for m rows and n functions of the sparse greedy method (Smola 2002). From the root of
# the repository:
#
#   Rscript data-raw/memory.R
#
# The peak of a fit is that of a process of its own, less what the process held before. Needs the
# package installed, and Linux, which tells the peak; takes two minutes. Writes
#
#   vignettes/results/memory.csv   MB before a fit and at its peak, by method, rows and size

suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")

cells <- rbind(
  data.frame(method = "ivm", rows = c(40000, 80000, 160000), size = 100),
  data.frame(method = "ivm", rows = 40000, size = c(50, 200)),
  data.frame(method = "greedy", rows = c(4000, 8000, 16000), size = 100),
  data.frame(method = "greedy", rows = 8000, size = c(50, 200)),
  data.frame(method = "subspace EM", rows = c(600, 1200, 2400), size = NA),
  data.frame(method = "batch EM", rows = c(600, 1200, 2400), size = NA),
  # Up to 8192 rows the matrix of all functions is kept to save time.
  data.frame(method = "subspace EM, many rows", rows = c(8500, 12000, 17000), size = NA)
)

# Few iterations of EM, because all take the same memory.
child <- tempfile(fileext = ".R")
writeLines(deparse(quote({
  suppressPackageStartupMessages(library(gpsieve))
  here <- "bench"
  source("bench/sources.R")
  given <- commandArgs(TRUE)
  rows <- as.integer(given[2])
  size <- as.numeric(given[3])
  series <- given[1] %in% c("subspace EM", "batch EM")
  data <-
    if (series) mackey_glass_rows(rows, 1, scale = "raw")
    else memory_data(list(n = rows, p = 10), 1)
  if (!series && given[1] != "ivm") data$y <- data$x[, 1] + sin(data$x[, 2])
  if (given[1] == "subspace EM, many rows") data$y <- data$y + stats::rnorm(rows) # few functions
  fit <- function(model, ...) {
    suppressWarnings(model(data$x, data$y, ..., optimise = FALSE, standardise = FALSE, seed = 1,
      threads = 1, verbose = FALSE))
  }
  machine <- switch(given[1],
    ivm = function() {
      fit(ivm, kernel_rbf(10, 3), n_active = size, refine = 0, control = control_ivm(n_full = Inf))
    },
    greedy = function() fit(greedy_gp, kernel_rbf(1, 3), size = size),
    "subspace EM" = function() fit(rvm, paper_width(), control = control_rvm(max_iter = 20)),
    "batch EM" = function() {
      fit(rvm, paper_width(), algorithm = "em", control = control_rvm(max_iter = 5))
    },
    "subspace EM, many rows" = function() {
      fit(rvm, kernel_rbf(1, 12), control = control_rvm(max_iter = 20))
    }
  )
  found <- measure(machine())
  cat(found$base, found$peak, length(active_set(found$value)))
})), child)

peak_of <- function(method, rows, size) {
  printed <- system2(file.path(R.home("bin"), "Rscript"),
    c(child, shQuote(method), format(rows, scientific = FALSE), size), stdout = TRUE
  )
  found <- as.numeric(strsplit(utils::tail(printed, 1L), " ")[[1L]])
  data.frame(method, rows, size = found[3L], base_mb = found[1L], peak_mb = found[2L])
}
# No first unit: its numbers are peaks of memory.
store_results(do.call(rbind, unname(Map(peak_of, cells$method, cells$rows, cells$size))),
  "memory.csv"
)
