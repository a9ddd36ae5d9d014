# Expensive functions minimised one evaluation after the other: what_next() beside the packages that
# people use for it. Ten evaluations of the same maximin Latin hypercube come first, then forty that
# each package chooses; the regret is the smallest value found minus the function's minimum.
#
#   Rscript data-raw/next-experiment-peers.R      writes vignettes/results/next-experiment.csv
#   Rscript data-raw/next-experiment-peers.R 2    the same of two seeds instead of five
#
# Needs DiceKriging, DiceOptim and GauPro beside this package.
library(gpsieve)
source("data-raw/units.R")

branin <- function(u) {
  a <- 15 * u[1L] - 5
  b <- 15 * u[2L]
  (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
}
hartmann6 <- function(u) {
  weight <- c(1, 1.2, 3, 3.2)
  scale <- rbind(c(10, 3, 17, 3.5, 1.7, 8), c(0.05, 10, 17, 0.1, 8, 14),
    c(3, 3.5, 1.7, 10, 17, 8), c(17, 8, 0.05, 10, 0.1, 14))
  place <- rbind(c(1312, 1696, 5569, 124, 8283, 5886), c(2329, 4135, 8307, 3736, 1004, 9991),
    c(2348, 1451, 3522, 2883, 3047, 6650), c(4047, 8828, 8732, 5743, 1091, 381)) / 1e4
  -sum(weight * exp(-rowSums(scale * (rep(u, each = 4) - place)^2)))
}
# Branin's function as it is, turned round, and steeper and shifted: a factor of three levels.
mixed <- function(u, level) {
  switch(level, a = branin(u) + 5, b = branin(1 - u) + 2, c = branin(u)^1.2 / 2 + 4)
}

tasks <- list(
  Branin = list(inputs = 2L, f = function(row) branin(unlist(row)), minimum = 0.39788736),
  "Hartmann 6" = list(inputs = 6L, f = function(row) hartmann6(unlist(row)), minimum = -3.32236801),
  "Branin with a factor" = list(inputs = 2L, levels = c("a", "b", "c"),
    f = function(row) mixed(unlist(row[1:2]), as.character(row$level)), minimum = 2.39788736)
)

# Of a thousand Latin hypercubes the one whose smallest distance between rows is greatest.
first_design <- function(task, seed) {
  set.seed(seed)
  designs <- replicate(1000, simplify = FALSE,
    replicate(task$inputs, (sample(10) - stats::runif(10)) / 10))
  design <- designs[[which.max(vapply(designs, function(x) min(stats::dist(x)), 0))]]
  rows <- stats::setNames(as.data.frame(design), paste0("x", seq_len(task$inputs)))
  if (!is.null(task$levels)) rows$level <- factor(sample(rep_len(task$levels, 10)), task$levels)
  rows
}
evaluate <- function(task, rows) {
  vapply(seq_len(nrow(rows)), function(i) task$f(rows[i, , drop = FALSE]), 0)
}

# Rows from everywhere, and rows near a row in several distances.
anywhere <- function(task, count) {
  pool <- as.data.frame(matrix(stats::runif(count * task$inputs), count))
  names(pool) <- paste0("x", seq_len(task$inputs))
  if (!is.null(task$levels)) pool$level <- factor(sample(task$levels, count, TRUE), task$levels)
  pool
}
near <- function(task, row, count) {
  numbers <- seq_len(task$inputs)
  reach <- rep_len(10^-seq(0.5, 4, by = 0.5), count)
  pool <- anywhere(task, count)
  for (j in numbers) {
    pool[[j]] <- pmin(pmax(row[[j]] + reach * stats::rnorm(count), 0), 1)
  }
  if (!is.null(task$levels)) pool$level <- rep(row$level, count)
  pool
}
# The pool of what_next(): everywhere and near the best row; then twice near the row it chose.
by_gpsieve <- function(task, rows, y) {
  kernel <- kernel_matern(nu = 2.5, ard = TRUE)
  if (!is.null(task$levels)) {
    kernel <- kernel_on(kernel, names(rows)[seq_len(task$inputs)]) *
      kernel_categorical("level", similarity = "learned")
  }
  # The functions have no noise; a little keeps the covariance matrix well conditioned.
  fit <- suppressMessages(suppressWarnings(meanfield_gp(rows, y, kernel = kernel,
    likelihood = lik_gaussian(fixed(1e-6)), seed = 1, verbose = FALSE)))
  choose <- function(pool) pool[what_next(fit, pool, goal = "minimum")$.row, ]
  row <- choose(rbind(anywhere(task, 2000), near(task, rows[which.min(y), ], 1000)))
  row <- choose(rbind(row, near(task, row, 1000)))
  choose(rbind(row, near(task, row, 1000)))
}
indicators <- function(rows) {
  if (is.null(rows$level)) return(as.matrix(rows))
  cbind(as.matrix(rows[names(rows) != "level"]), stats::model.matrix(~ level - 1, rows))
}
# Expected improvement is maximised by the genetic algorithm with derivatives that DiceOptim uses,
# with at most 40 members; with a factor in each level, as a function of the numbers.
by_dice <- function(task, rows, y) {
  x <- indicators(rows)
  utils::capture.output(fit <- DiceKriging::km(~1, x, y, covtype = "matern5_2",
    nugget.estim = FALSE, nugget = 1e-8 * stats::var(y), control = list(trace = FALSE)))
  p <- task$inputs
  levels <- if (is.null(task$levels)) list(NULL) else lapply(task$levels, factor, task$levels)
  found <- lapply(levels, function(level) {
    whole <- function(u) if (is.null(level)) u else c(u, as.numeric(task$levels == level))
    best <- rgenoud::genoud(function(u) DiceOptim::EI(whole(u), fit, type = "UK"), p, max = TRUE,
      pop.size = min(3 * 2^p, 40), max.generations = 12, wait.generations = 2, BFGSburnin = 2,
      Domains = cbind(rep(0, p), 1), boundary.enforcement = 2, print.level = 0,
      gradient.check = FALSE)
    row <- stats::setNames(as.data.frame(as.list(best$par)), names(rows)[seq_len(p)])
    if (!is.null(level)) row$level <- level
    list(value = best$value, row = row)
  })
  found[[which.max(vapply(found, `[[`, 0, "value"))]]$row
}
by_gaupro <- function(task, rows, y) {
  ranges <- lapply(seq_len(task$inputs), function(j) mixopt::mopar_cts(0, 1))
  formula <- stats::reformulate(names(rows), "y")
  if (!is.null(task$levels)) ranges <- c(ranges, list(mixopt::mopar_unordered(task$levels)))
  data <- cbind(rows, y = y)
  utils::capture.output(suppressWarnings(suppressMessages({
    fit <-
      if (is.null(task$levels)) GauPro::gpkm(as.matrix(rows), y, kernel = "matern52",
        parallel = FALSE)
      else GauPro::gpkm(formula, data, parallel = FALSE)
    next_row <- fit$maxEI(minimize = TRUE, mopar = do.call(c, lapply(ranges, list)))$par
  })))
  out <- rows[1L, , drop = FALSE]
  out[1L, ] <- as.list(next_row)
  if (!is.null(task$levels)) out$level <- factor(next_row[[task$inputs + 1L]], task$levels)
  out
}
engines <- list(gpsieve = by_gpsieve, "DiceKriging and DiceOptim" = by_dice, GauPro = by_gaupro)

one_run <- function(task, engine, seed) {
  rows <- first_design(task, seed)
  y <- evaluate(task, rows)
  start <- proc.time()
  while (nrow(rows) < 50) {
    row <- engine(task, rows, y)
    rows <- rbind(rows, row)
    y <- c(y, evaluate(task, row))
  }
  used <- proc.time() - start
  regret <- cummin(y) - task$minimum
  c(regret_20 = regret[20], regret_30 = regret[30], regret_50 = regret[50],
    cpu = sum(used[c("user.self", "sys.self")]))
}

row_of <- function(task, engine, seed) {
  of <- one_run(tasks[[task]], engines[[engine]], seed)
  data.frame(task = task, engine = engine, seed = seed, as.list(of))
}
first_units("next-experiment.csv" = row_of("Branin", "gpsieve", 1))

seeds <- commandArgs(TRUE)
seeds <- seq_len(if (length(seeds)) as.integer(seeds) else 5L)
store <- open_store("next-experiment")
runs <- expand.grid(engine = names(engines), task = names(tasks), stringsAsFactors = FALSE)
table <- NULL
for (seed in seeds) {
  found <- Map(function(task, engine) {
    of <- unit(store, gsub(" ", "-", paste(task, engine, seed)), function() {
      row_of(task, engine, seed)
    })
    cat(task, engine, seed, format(unlist(of[-(1:3)]), digits = 3), "\n")
    of
  }, runs$task, runs$engine)
  table <- do.call(rbind, c(list(table), unname(found)))
  store_results(table, "next-experiment.csv")
}
