# Figure 2 and the left of Figure 3 of Quinonero-Candela and Winther (2003) on two scales of the
# Mackey-Glass series: as it is, and standardised. From the root of the repository:
#
#   Rscript data-raw/rvm-scales.R [--finished] [--only=name]
#
# The paper does not say that it standardises the series. Its basis functions have a fixed width.
# Protocol: bench/cases/rvm.R. Every cell is stored when it is finished (data-raw/units.R);
# --finished computes none, and --only computes one of the files. Needs the package installed; takes
# ten CPU minutes. Writes
#
#   vignettes/results/rvm-scales-more.csv   further partitions where a verdict hangs on little
#   vignettes/results/rvm-scales.csv        evidence, error, number of functions, CPU seconds and
#                                           iterations by scale, rows, partition and machine

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
store <- open_store("rvm-scales")
finished <- "--finished" %in% commandArgs(TRUE)
only <- sub("--only=", "", grep("^--only=", commandArgs(TRUE), value = TRUE), fixed = TRUE)

# Subspace EM as printed: every function enters at the precision L, and rule (12) follows.
machines <- list(
  "printed" = list(entry = "literal", prune = 1e6, max_iter = 300),
  "batch, alpha 1" = list(algorithm = "em", alpha_start = 1, max_iter = 300),
  "default" = list(max_iter = 300),
  "batch, alpha 1/N^2" = list(algorithm = "em", max_iter = 300),
  "printed, rule of EM" = list(entry = "literal", prune = 1e6, update = "em", max_iter = 300),
  "printed, rule of EM, L = 1e9" = list(
    entry = "literal", prune = 1e9, update = "em", max_iter = 300
  )
)

machine_on <- function(data, name) {
  settings <- machines[[name]]
  algorithm <- if (is.null(settings$algorithm)) "ssem" else settings$algorithm
  settings$algorithm <- NULL
  fitted <- measure(suppressWarnings(
    rvm(data$x, data$y, paper_width(),
      algorithm = algorithm, control = do.call(control_rvm, settings), optimise = FALSE,
      standardise = FALSE, seed = 1, threads = 1, verbose = FALSE
    ), classes = "gpsieve_warning_convergence"
  ))
  fit <- fitted$value
  data.frame(
    machine = name, evidence = evidence(fit)$value, size = length(active_set(fit)),
    error = error_of(predict(fit, data$test_x), data$test_y), cpu = fitted$cpu,
    steps = nrow(fit_trace(fit)), falls = evidence_falls(fit_trace(fit)$objective)
  )
}

#' In how many steps of the training the evidence falls by more than rounding
evidence_falls <- function(objective) {
  sum(diff(objective) < -1e-6 * (1 + abs(objective[-1L])))
}

cell_unit <- function(scale, rows, seed, name) {
  stored <- sprintf("%s-%d-%d-%s", scale, rows, seed, gsub("[^a-zA-Z0-9]+", "-", name))
  if (finished && !file.exists(unit_file(store, stored))) return(NULL)
  unit(store, stored, function() {
    data <- mackey_glass_rows(rows, seed, scale = scale)
    cbind(scale = scale, rows = rows, seed = seed, machine_on(data, name))
  })
}

invisible(machine_on(mackey_glass_rows(100, 1), "default")) # the first fit loads what it needs
#' Computes cells and writes them
save_cells <- function(cells, name) {
  if (length(only) && only != name) return(invisible())
  parts <- Map(cell_unit, cells$scale, cells$rows, cells$seed, cells$name)
  store_results(do.call(rbind, unname(parts)), paste0(name, ".csv"))
}
cells_of <- function(rows, seed, name, scale = c("raw", "standardised")) {
  expand.grid(name = name, scale = scale, seed = seed, rows = rows, stringsAsFactors = FALSE)
}

# Where a verdict hangs on little. The rule of EM is there for the steps of the evidence alone.
both <- c("printed", "batch, alpha 1")
rule_of_em <- grep("rule of EM", names(machines), value = TRUE)
save_cells(rbind(
  cells_of(100, 11:60, both, "raw"), cells_of(c(100, 200), 1:10, rule_of_em),
  cells_of(400, 11:40, both, "raw")
), "rvm-scales-more")

# The partitions of each number of rows: the paper has ten, and many rows take long.
partitions <- list("400" = 10, "100" = 10, "200" = 10, "800" = 5, "1600" = 2)
save_cells(do.call(rbind, lapply(names(partitions), function(rows) {
  cells_of(as.numeric(rows), seq_len(partitions[[rows]]), setdiff(names(machines), rule_of_em))
})), "rvm-scales")
