# The experiments of Hernandez-Lobato et al. (2015) that vignettes/ep.Rmd shows. From the root of
# the repository:
#
#   Rscript data-raw/ep-paper.R
#
# Table 1, Figure 3 and the times are benchmark cases, which come first and are only read here:
#
#   for case in sep-mnist sep-uci sep-size sep-flights; do
#     Rscript bench/run.R $case --json=bench/results/$case.json
#   done
#
# Figure 2, the log loss along a fit, is computed here; it needs the package installed, MNIST in the
# folder that GPSIEVE_DATA names, and nycflights13. Every curve is stored under build/ep-paper as
# soon as it is done and not computed again by the same build of the package. All of it goes to
# vignettes/results/ep.rds.

suppressPackageStartupMessages(library(gpsieve))
source("tools/data.R")
source("bench/measure.R")
source("bench/report.R")
here <- "bench"
source("bench/cases.R")

build <- tools::md5sum(c(
  getLoadedDLLs()[["gpsieve"]][["path"]], system.file("R", "gpsieve.rdb", package = "gpsieve")
))
store <- file.path("build", "ep-paper", paste(substr(build, 1L, 8L), collapse = "-"))
dir.create(store, recursive = TRUE, showWarnings = FALSE)

#' The rows of a benchmark case, medians over seeds; NULL if it has not been run
bench_rows <- function(case) {
  file <- file.path("bench", "results", paste0(case, ".json"))
  if (!file.exists(file)) return(NULL)
  results <- read_results(file)
  if (isTRUE(results$quick)) stop(file, " is a quick trial.", call. = FALSE)
  medians(results$rows)
}

#' Log loss on held-out training rows along a fit
#'
#' The trace has seconds by the clock; they are scaled to the CPU time of the whole fit, because the
#' machine may do other work too. It contains the looks at the held-out rows.
curve <- function(name, data, method, batch_size, epochs) {
  file <- file.path(store, paste0(name, ".rds"))
  if (!file.exists(file)) {
    kernel <- kernel_rbf(1, rep(data$start, ncol(data$x))) + kernel_white(1e-3)
    fitted <- measure(ep_gp(data$x, data$y,
      kernel = kernel, inducing = 200, inducing_init = "random", method = method,
      batch_size = batch_size, epochs = epochs, seed = 1, threads = 1, verbose = FALSE,
      control = control_ep(validation = 1000 / nrow(data$x), patience = 1e6)
    ))
    trace <- fit_trace(fitted$value)
    trace <- trace[is.finite(trace$validation), ]
    partial <- paste0(file, ".part")
    saveRDS(
      data.frame(
        step = trace$iteration, loss = trace$validation,
        seconds = trace$seconds / max(trace$seconds) * fitted$cpu
      ),
      partial
    )
    file.rename(partial, file)
    cat(name, "\n")
  }
  table <- readRDS(file)
  # 60 points are enough for a line.
  shown <- unique(round(seq(1, nrow(table), length.out = min(nrow(table), 60))))
  batch <- if (is.null(batch_size)) "all rows" else "200 rows"
  cbind(method = method, batch = batch, table[shown, ])
}

methods <- c("ep", "sep", "adf")
digits <- parity_data(list(quick = FALSE), 1L)
if (is.null(digits)) stop("MNIST is needed.", call. = FALSE)
parity <- c(
  lapply(methods, function(method) curve(paste0("mnist-", method), digits, method, 200, 3)),
  lapply(c("ep", "sep"), function(method) {
    curve(paste0("mnist-batch-", method), digits, method, NULL, 12)
  })
)
rm(digits)
flights <- flights_data(list(quick = FALSE), 1L)
airline <- lapply(methods, function(method) {
  curve(paste0("flights-", method), flights, method, 200, 1)
})
linear <- stats::glm(y ~ ., stats::binomial(), data.frame(flights$x, y = flights$y))

saveRDS(
  list(
    table = bench_rows("sep-uci"), parity = bench_rows("sep-mnist"), sizes = bench_rows("sep-size"),
    flights = bench_rows("sep-flights"), curves = do.call(rbind, parity),
    airline = do.call(rbind, airline), linear = stats::deviance(linear) / (2 * nrow(flights$x)),
    machine = machine()
  ),
  file.path("vignettes", "results", "ep.rds"), version = 2
)
