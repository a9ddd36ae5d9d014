# Figure 2 and the left of Figure 3 of Quinonero-Candela and Winther (2003) on two scales of the
# Mackey-Glass series: as it is, and standardised. From the root of the repository:
#
#   Rscript data-raw/rvm-scales.R [--finished]
#
# The paper does not say that it standardises the series. Its basis functions have a fixed width.
# Protocol: bench/cases/rvm.R. Ten partitions for every number of rows, as in the paper. Every cell
# is stored when it is finished (data-raw/units.R); --finished computes none. Needs the package
# installed; takes nine CPU minutes, six of them for 1600 rows. Writes
#
#   vignettes/results/rvm-scales.csv   evidence, error, number of functions, CPU seconds and
#                                      iterations by scale, rows, partition and machine

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
store <- open_store("rvm-scales")
finished <- "--finished" %in% commandArgs(TRUE)

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

first_units("rvm-scales.csv" = cell_unit("raw", 100, 1, "printed"))
invisible(machine_on(mackey_glass_rows(100, 1), "default")) # the first fit loads what it needs
cells_of <- function(rows, name, scale = c("raw", "standardised"), seed = 1:10) {
  expand.grid(name = name, scale = scale, seed = seed, rows = rows, stringsAsFactors = FALSE)
}

# The rule of EM is there for the course of the evidence alone, and batch EM on 1600 rows takes half
# a minute.
rule_of_em <- grep("rule of EM", names(machines), value = TRUE)
cells <- rbind(
  cells_of(c(100, 200, 400, 800), setdiff(names(machines), rule_of_em)),
  cells_of(c(100, 200), rule_of_em),
  cells_of(1600, c("printed", "batch, alpha 1"), "raw")
)
parts <- Map(cell_unit, cells$scale, cells$rows, cells$seed, cells$name)
store_results(do.call(rbind, unname(parts)), "rvm-scales.csv")
