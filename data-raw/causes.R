# Causes that vignette("scoreboard") names for rows which are not reproduced, each tested by
# changing it. From the root of the repository:
#
#   Rscript data-raw/causes.R [--only=name]
#
# Needs the package installed, and MNIST, Abalone and the UCI sets in the folder named by
# GPSIEVE_DATA. Takes seven CPU minutes. --only computes one of the files:
#
#   vignettes/results/causes-heart.csv      EP, Table 1: log loss of heart and of three other sets
#                                           after few steps
#   vignettes/results/causes-batch.csv      RVM, Figure 3: times with 100 rows, of the whole call
#                                           and of the training alone
#   vignettes/results/causes-falls.csv      RVM: steps in which MacKay's rule lowers the evidence,
#                                           by the largest precision
#   vignettes/results/causes-gradients.csv  sparse greedy: conjugate gradients by noise
#   vignettes/results/causes-pivot.csv      sparse greedy: the pivot rule by rows and width
#   vignettes/results/causes-pixels.csv     IVM: errors on images that are reduced to 13 x 13 by
#                                           averages, or by leaving out every second pixel
#   vignettes/results/causes-kernels.csv    IVM: errors of digit 1 by the variance of the kernel
#   vignettes/results/causes-evidence.csv   RVM, Figure 2: evidence and number of functions by width
#                                           of the basis functions and by noise of the series
#   vignettes/results/causes-functions.csv  RVM, MNIST: number of functions under pairs of settings
#   vignettes/results/causes-bars.csv       sparse greedy: functions for an error bar by noise
#   vignettes/results/causes-objective.csv  sparse greedy: least objective by noise variance
#   vignettes/results/causes-memory.csv     SEP: peak of memory by number of rows, where the bound
#                                           on kept kernel values is reached

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")
source("data-raw/units.R")
source("data-raw/conjugate-gradients.R")
only <- sub("--only=", "", grep("^--only=", commandArgs(TRUE), value = TRUE), fixed = TRUE)

#' Writes a file, unless `--only` names another one; `rows` is then not evaluated
save_results <- function(rows, name) {
  if (length(only) && only != name) return(invisible())
  store_results(rows, paste0("causes-", name, ".csv"))
  cat(name, "\n")
}

# --- steps of learning on heart, and on sets that agree with 250 ----------------------------------

after_steps <- function(set, percent, steps) {
  data <- uci_data(list(set = set, splits = uci_splits), seed = 1)
  set.seed(1)
  control <- paper_control(optimiser = "sign_adaptive", max_iter = steps)
  losses <- vapply(data$held_out, function(rows) {
    fit <- suppressWarnings(
      fit_split(data, rows, percent, list(seed = 1, threads = 1),
        method = "ep", learn_inducing = TRUE, control = control
      ), classes = "gpsieve_warning_convergence"
    )
    log_loss(predict(fit, data$x[rows, ], type = "prob"), data$y[rows])
  }, 0)
  data.frame(set, percent, steps, split = seq_along(losses), log_loss = losses)
}

first_units("causes-heart.csv" = after_steps("heart", 15, 20))

save_results({
  cells <- expand.grid(set = c("heart", "crabs", "ionosphere", "sonar"), percent = c(15, 50),
    stringsAsFactors = FALSE
  )
  do.call(rbind, Map(after_steps, cells$set, cells$percent, 20))
}, "heart")

# --- reduced images -------------------------------------------------------------------------------

#' Every second pixel of 28 x 28, from the second to the 26th
every_second <- function(bytes) {
  kept <- seq(2, 26, by = 2)
  t(matrix(as.integer(bytes[kept, kept, ]) / 255, nrow = 13 * 13))
}

save_results({
  ways <- list(averages = shrink, "every second pixel" = every_second)
  images <- lapply(ways, read_mnist)
  one <- function(way, digit, run) {
    set.seed(run)
    data <- images[[way]]
    train <- sample(nrow(data$train), 10000)
    fit <- ivm(data$train[train, ], against_rest(data$train_label[train], digit), paper_kernel(),
      n_active = 500, refine = 0, optimise = FALSE, standardise = FALSE, seed = run, threads = 1,
      verbose = FALSE
    )
    truth <- against_rest(data$test_label, digit)
    data.frame(way, digit, run, error = error_of(predict(fit, data$test), truth))
  }
  cells <- expand.grid(way = names(ways), digit = c("1", "9"), run = 1:3,
    stringsAsFactors = FALSE
  )
  do.call(rbind, Map(one, cells$way, cells$digit, cells$run))
}, "pixels")

# --- variance of the kernel, full protocol --------------------------------------------------------

save_results({
  data <- mnist_rows(1, quick = FALSE)
  one <- function(variance) {
    fit <- ivm(data$x, against_rest(data$label, "1"),
      kernel_rbf(variance, sqrt(169 / 20)) + kernel_constant(0.1), n_active = paper_sizes[["1"]],
      refine = 0, optimise = FALSE, standardise = FALSE, seed = 1, threads = 1, verbose = FALSE
    )
    error <- error_of(predict(fit, data$test_x), against_rest(data$test_label, "1"))
    data.frame(digit = "1", run = 1, C = variance, g = 20, error = error)
  }
  do.call(rbind, lapply(10^(0:4), one))
}, "kernels")

# --- Figure 2 of the RVM --------------------------------------------------------------------------

save_results({
  machines <- list(
    "printed" = list("ssem", control_rvm(entry = "literal", prune = 1e6, max_iter = 300)),
    "batch, alpha 1" = list("em", control_rvm(alpha_start = 1, max_iter = 300))
  )
  one <- function(machine, squared_width, noise, seed) {
    data <- mackey_glass_rows(400, seed, scale = "raw")
    set.seed(seed)
    data$y <- data$y + noise * stats::rnorm(400)
    fit <- suppressWarnings(
      rvm(data$x, data$y, kernel_rbf(1, sqrt(squared_width)),
        algorithm = machines[[machine]][[1L]], control = machines[[machine]][[2L]],
        optimise = FALSE, standardise = FALSE, seed = 1, threads = 1, verbose = FALSE
      ), classes = "gpsieve_warning_convergence"
    )
    data.frame(
      machine, squared_width, noise, seed, evidence = evidence(fit)$value,
      size = length(active_set(fit))
    )
  }
  # The variance of the basis functions in the exponent with and without the factor 2, and more.
  settings <- data.frame(squared_width = c(10, 5, 2.5, 20, 10), noise = c(0, 0, 0, 0, 0.01))
  cells <- merge(expand.grid(machine = names(machines), seed = 1:10, stringsAsFactors = FALSE),
    settings
  )
  do.call(rbind, Map(one, cells$machine, cells$squared_width, cells$noise, cells$seed))
}, "evidence")

# --- number of functions on MNIST -----------------------------------------------------------------

save_results({
  digits <- mnist_one_rows(1, quick = FALSE)
  spread <- apply(digits$x, 2L, stats::sd)
  by <- function(x, scale) sweep(x, 2L, scale, "*")
  one <- function(name, scale = 1, squared_width = 10, ...) {
    scale <- rep_len(scale, length(spread))
    fitted <- measure(suppressWarnings(
      rvm(by(digits$x, scale), digits$y, kernel_rbf(1, sqrt(squared_width)),
        basis = by(digits$basis, scale), inference = "laplace", optimise = FALSE,
        standardise = FALSE, seed = 1, threads = 1, verbose = FALSE,
        control = control_rvm(max_iter = 50, ...)
      ), classes = "gpsieve_warning_convergence"
    ))
    data.frame(
      settings = name, size = length(active_set(fitted$value)), cpu = fitted$cpu,
      evidence = evidence(fitted$value)$value,
      error = mean(predict(fitted$value, by(digits$test_x, scale)) != digits$test_y)
    )
  }
  rbind(
    one("components of variance 1", 1 / spread),
    one("components of variance 1, width^2 = 100", 1 / spread, 100),
    one("width^2 = 400, precisions up to 0.01", 1, 400, prune = 1e-2),
    one("width^2 = 30, precisions up to 0.1", 1, 30, prune = 0.1),
    one("precisions up to 0.01", prune = 0.01)
  )
}, "functions")

# --- times and falling evidence of batch EM -------------------------------------------------------

machines <- list(
  "printed" = list(entry = "literal", prune = 1e6, max_iter = 300),
  "batch, alpha 1" = list(alpha_start = 1, max_iter = 300)
)
relevance <- function(data, machine, ...) {
  suppressWarnings(
    rvm(data$x, data$y, paper_width(), algorithm = if (machine == "printed") "ssem" else "em",
      control = do.call(control_rvm, utils::modifyList(machines[[machine]], list(...))),
      optimise = FALSE, standardise = FALSE, seed = 1, threads = 1, verbose = FALSE
    ), classes = "gpsieve_warning_convergence"
  )
}

save_results({
  one <- function(machine, seed) {
    data <- mackey_glass_rows(100, seed, scale = "raw")
    fits <- measure(replicate(15, relevance(data, machine), simplify = FALSE))
    trained <- vapply(fits$value, function(fit) max(fit_trace(fit)$seconds), 0)
    data.frame(machine, seed, call = fits$cpu / 15, training = min(trained))
  }
  invisible(one("printed", 1)) # the first fits of a session load what they need
  cells <- expand.grid(machine = names(machines), seed = 1:10, stringsAsFactors = FALSE)
  do.call(rbind, Map(one, cells$machine, cells$seed))
}, "batch")

save_results({
  # The training of rvm-scales.csv that has such steps, with another largest precision.
  prune <- 1e9
  trace <- fit_trace(relevance(mackey_glass_rows(1600, 1, scale = "raw"), "batch, alpha 1",
    prune = prune
  ))
  change <- diff(trace$objective)
  data.frame(prune, rows = 1600, seed = 1,
    falls = sum(change < -1e-6 * (1 + abs(trace$objective[-1L])))
  )
}, "falls")

# --- noise of the slides --------------------------------------------------------------------------

all <- abalone()
x <- all$x[1:4000, ]
y <- all$y[1:4000]
noises <- c(0.02, 0.03, 0.05, 0.1)
greedy_with <- function(target, width, noise, ...) {
  greedy_gp(x, target, slides_kernel(width), lik_gaussian(noise), optimise = FALSE,
    standardise = FALSE, verbose = FALSE, ...
  )
}

save_results({
  points <- all$x[4000 + 1:8, ]
  #' The size at which the interval of the error bar is narrower than 2.5 %, as in greedy-slides.R
  size_at <- function(point, width, noise) {
    k <- drop(kernel_matrix(slides_kernel(width), x, points[point, , drop = FALSE]))
    trace <- fit_trace(greedy_with(k, width, noise, n_basis = 80, seed = point,
      control = control_greedy(bound = "cheap", dual_candidates = 59)
    ))
    above <- sum(k^2) + 2 * trace$objective
    below <- sum(k^2) + 2 * trace$lower
    trace$size[which(above - below < 0.025 * (above + below) / 2)[1L]]
  }
  cells <- expand.grid(point = seq_len(nrow(points)), width = 10, noise = noises)
  cells$functions <- mapply(size_at, cells$point, cells$width, cells$noise)
  cells
}, "bars")

# --- conjugate gradients and the pivot rule -------------------------------------------------------

save_results({
  some <- seq_len(1000)
  k <- kernel_matrix(slides_kernel(10), x[some, ])
  sizes <- c(1, 5, 10, 25, 50, 100, 200, 300)
  do.call(rbind, lapply(c(0.05, 5, 500), function(noise) {
    factor <- chol(k + diag(noise, length(some)))
    weights <- backsolve(factor, backsolve(factor, y[some], transpose = TRUE))
    least <- -sum(y[some]^2) / 2 + noise * sum(y[some] * weights) / 2
    trace <- fit_trace(greedy_gp(x[some, ], y[some], slides_kernel(10), lik_gaussian(noise),
      n_basis = max(sizes), seed = 1, optimise = FALSE, standardise = FALSE, verbose = FALSE,
      control = control_greedy(bound = "cheap")
    ))
    ways <- list(
      "Q" = conjugate_gradients(k, y[some], noise, max(sizes), "Q")$q,
      "equations" = conjugate_gradients(k, y[some], noise, max(sizes), "equations")$q,
      "greedy" = trace$objective[order(trace$size)]
    )
    do.call(rbind, Map(function(way, q) {
      missing <- (q[sizes] - least) / (least + sum(y[some]^2) / 2)
      data.frame(noise, way, size = sizes, missing)
    }, names(ways), ways))
  }))
}, "gradients")

save_results({
  one <- function(rows, width, size, rule, seed) {
    some <- seq_len(rows)
    fit <- greedy_gp(x[some, ], factor(y[some] > stats::median(y)), slides_kernel(width),
      lik_logit(), n_basis = size, rule = rule, seed = seed, optimise = FALSE,
      standardise = FALSE, verbose = FALSE, control = control_greedy(bound = "exact")
    )
    data.frame(rows, width, size, rule, seed, gap = certificate(fit)$gap)
  }
  settings <- data.frame(rows = 1000, width = c(10, 1, 50))
  cells <- merge(settings, rbind(
    data.frame(rule = "pivot", seed = 1), data.frame(rule = "random", seed = 1:10)
  ))
  cells <- merge(cells, data.frame(size = c(25, 50)))
  do.call(rbind, Map(one, cells$rows, cells$width, cells$size, cells$rule, cells$seed))
}, "pivot")

save_results({
  #' The minimum of the objective on the rows of a split of greedy-slides.R: -y'f / 2, where f are
  #' the fitted values
  one <- function(noise, split) {
    set.seed(split)
    rows <- sample(length(all$y))[1:3000]
    fit <- meanfield_gp(all$x[rows, ], all$y[rows], slides_kernel(10), lik_gaussian(noise),
      optimise = FALSE, standardise = FALSE, verbose = FALSE
    )
    data.frame(noise, split, q = -sum(all$y[rows] * predict(fit, all$x[rows, ])) / 2)
  }
  cells <- expand.grid(noise = c(0.02, 0.05, 0.1, 0.5), split = 1:2)
  do.call(rbind, Map(one, cells$noise, cells$split))
}, "objective")

# --- memory of SEP --------------------------------------------------------------------------------

save_results({
  # A process for each number of rows, because the peak is that of a process.
  child <- tempfile(fileext = ".R")
  writeLines(c(
    "suppressPackageStartupMessages(library(gpsieve)); here <- \"bench\"",
    "source(\"bench/sources.R\"); n <- as.integer(commandArgs(TRUE)[1])",
    "data <- memory_data(list(n = n, p = 8), 1)",
    "sep <- ep_engine(inducing = 200, inducing_init = \"random\", method = \"sep\",",
    "  batch_size = 200, epochs = 1)",
    "found <- measure(sep$fit(data, list(seed = 1L, threads = 1L)))",
    "cat(found$base, found$peak, found$cpu)"
  ), child)
  rscript <- file.path(R.home("bin"), "Rscript")
  do.call(rbind, lapply(c(200000, 300000), function(n) {
    printed <- system2(rscript, c(child, format(n, scientific = FALSE)), stdout = TRUE)
    found <- as.numeric(strsplit(utils::tail(printed, 1L), " ")[[1L]])
    data.frame(
      n = n, m = 200, base_mb = found[1L], peak_mb = found[2L], cpu = found[3L]
    )
  }))
}, "memory")
