# The experiments of Lawrence, Seeger and Herbrich (2002) that vignettes/ivm.Rmd shows: Table 1,
# Figure 1, the effect of refinement, and exchanged labels. From the root of the repository:
#
#   Rscript data-raw/ivm-paper.R [--runs=10] [--quick]
#
# Needs the package installed, and MNIST in the folder named by GPSIEVE_DATA. The support vector
# machines of the paper are those of data-raw/ivm-svm.R. Writes
#
#   vignettes/results/ivm-table1.csv    one row per run, digit and choice of the kernel, and one for
#                                       the ten digits combined
#   vignettes/results/ivm-kernels.csv   C and g that each digit of each run selected
#   vignettes/results/ivm-fig1.csv      error against rejected fraction, digit 9
#   vignettes/results/ivm-refine.csv    test error and log loss of small active sets by number of
#                                       passes of EP
#   vignettes/results/ivm-flips.csv     the same on synthetic data where a tenth of the labels is
#                                       exchanged
#
# --runs is the number of runs; the pages print how many there are. Every fit is stored when it is
# finished (data-raw/units.R). The CSV files are written anew after every digit. --quick uses a
# twentieth of the rows and of the sizes (two minutes with one run) and does not replace CSV files
# of the full protocol.
#
# On one core that computes matrix products at 50 GFlop/s, each run takes about ten minutes, half of
# which is the selection.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/mnist.R
source("data-raw/units.R")
source("data-raw/digit-tables.R")

# --- settings ----------------------------------------------------------------------------------

args <- commandArgs(TRUE)
unknown <- grep("^--(quick|runs=[1-9][0-9]*)$", args, invert = TRUE, value = TRUE)
if (length(unknown)) stop("unknown: ", toString(unknown), call. = FALSE)
quick <- "--quick" %in% args
runs <- sub("--runs=", "", grep("^--runs=", args, value = TRUE))
runs <- seq_len(if (length(runs)) as.integer(runs[1L]) else 10L)
fixed_runs <- utils::head(runs, 3) # runs that also use one kernel for all digits
store <- open_store("ivm-paper", quick)
digits <- names(paper_sizes)

# --- units of work -----------------------------------------------------------------------------

#' A kernel of the paper's family, C exp(-g / (2 * 169) |x - x'|^2) + 1/10
kernel_of_choice <- function(choice) {
  kernel_rbf(variance = choice$C, lengthscale = sqrt(169 / choice$g)) + kernel_constant(0.1)
}

#' The plain machine of one digit, with its CPU seconds
fit_plain <- function(x, y, kernel, n_active, seed) {
  measure(
    ivm(x, y,
      kernel = kernel, n_active = n_active, refine = 0, optimise = FALSE, standardise = FALSE,
      seed = seed, threads = 1, verbose = FALSE
    )
  )
}

#' Normal quantiles of P(y = +1)
scores_of <- function(fit, x) {
  latent <- predict(fit, x, type = "link", se.fit = TRUE)
  latent$fit / sqrt(1 + latent$se.fit^2)
}

log_loss_of_scores <- function(score, positive) {
  -mean(stats::pnorm(ifelse(positive, score, -score), log.p = TRUE))
}

#' C and g of one digit in one run, selected as in the paper: the candidate with the smallest error
#' on the 1000 rows that the run leaves out, trained on 5000 training rows; among equals the one
#' with the smallest log loss
#'
#' The paper states no candidates. The machines of the selection have 500 active rows; the paper
#' does not state their size.
selection_unit <- function(run, digit) {
  unit(store, sprintf("run%d-selection%s", run, digit), function() {
    rows <- mnist_selection_rows(run, quick)
    positive <- rows$test_label == digit
    judge_candidate <- function(choice) {
      fit <- fit_plain(rows$x, against_rest(rows$label, digit), kernel_of_choice(choice),
        n_active = nrow(rows$x) / 10, seed = run
      )$value
      score <- scores_of(fit, rows$test_x)
      data.frame(
        error = mean((score > 0) != positive), log_loss = log_loss_of_scores(score, positive)
      )
    }
    grid <- expand.grid(C = 10^(1:5), g = c(5, 10, 20, 40, 80))
    judged <- lapply(seq_len(nrow(grid)), function(i) judge_candidate(grid[i, ]))
    grid <- cbind(run = run, class = digit, n = nrow(rows$x), grid, do.call(rbind, judged))
    grid[order(grid$error, grid$log_loss)[1L], ]
  })
}

#' One digit against the rest with `refine = 0`: CPU seconds, test error, log loss, scores
#'
#' @param chosen "selected": the kernel that `selection_unit()` selects; "fixed": C = 100, g = 20.
digit_unit <- function(run, digit, chosen) {
  unit(store, sprintf("run%d-%s%s", run, chosen, digit), function() {
    problem <- mnist_problem(digit, quick)
    data <- mnist_data(problem, run)
    kernel <- switch(chosen,
      selected = kernel_of_choice(selection_unit(run, digit)),
      fixed = paper_kernel()
    )
    fitted <- fit_plain(data$x, data$y, kernel, problem$n_active, run)
    score <- scores_of(fitted$value, data$test_x)
    positive <- data$test_y == digit
    list(
      n = nrow(data$x), d = problem$n_active, seconds = fitted$cpu, score = score,
      error = mean((score > 0) != positive), log_loss = log_loss_of_scores(score, positive),
      positive = positive, label = data$label
    )
  })
}

#' Test error and log loss of a machine, the log loss also for each class by itself, and the share
#' of the second class in the active set
judge <- function(fit, y, test_x, test_y) {
  probability <- predict(fit, test_x, type = "prob")
  second <- levels(test_y)[2L]
  of_class <- function(class) {
    log_loss(probability[test_y == class, , drop = FALSE], test_y[test_y == class])
  }
  data.frame(
    error = error_of(predict(fit, test_x), test_y), log_loss = log_loss(probability, test_y),
    log_loss_first = of_class(levels(test_y)[1L]), log_loss_second = of_class(second),
    active_second = mean(y[active_set(fit)] == second)
  )
}

#' 6000 training rows, 3000 test rows, digit 9: small active sets by number of refining passes
refine_unit <- function(run) {
  unit(store, sprintf("run%d-refine", run), function() {
    full <- mnist_rows(run, quick = FALSE)
    set.seed(run)
    share <- if (quick) 10 else 1
    train <- sample(nrow(full$x), 6000 / share)
    test <- sample(nrow(full$test_x), 3000 / share)
    x <- full$x[train, ]
    y <- against_rest(full$label[train], "9")
    test_y <- against_rest(full$test_label[test], "9")
    one <- function(d, refine, criterion) {
      fit <- ivm(x, y,
        kernel = paper_kernel(), n_active = d, criterion = criterion, refine = refine,
        optimise = FALSE, standardise = FALSE, seed = run, threads = 1, verbose = FALSE
      )
      cbind(
        run = run, n = nrow(x), d = d, criterion = criterion, refine = refine,
        judge(fit, y, full$test_x[test, ], test_y)
      )
    }
    grid <- expand.grid(
      d = c(100, 250) / if (quick) 5 else 1, refine = c(0, 1, 2, 3, 5, 20),
      criterion = c("entropy", "random"), stringsAsFactors = FALSE
    )
    do.call(rbind, Map(one, grid$d, grid$refine, grid$criterion))
  })
}

#' Two classes by the sign of a random smooth function of 16 Gaussian inputs
#'
#' `clean` are the classes, `y` the labels, of which a random tenth is exchanged.
flips_data <- function(run) {
  set.seed(run)
  frequency <- matrix(stats::rnorm(16 * 50), 16) / sqrt(16)
  phase <- stats::runif(50, 0, 2 * pi)
  weight <- stats::rnorm(50)
  draw <- function(n) {
    x <- matrix(stats::rnorm(n * 16), n)
    signal <- cos(sweep(x %*% frequency, 2L, phase, "+")) %*% weight
    flip <- ifelse(stats::runif(n) < 0.1, -1, 1)
    class <- function(signal) factor(ifelse(signal > 0, "b", "a"))
    list(x = x, y = class(signal * flip), clean = class(signal))
  }
  train <- draw(if (quick) 400 else 4000)
  test <- draw(1000)
  list(
    x = train$x, y = train$y, clean = train$clean,
    test_x = test$x, test_y = test$y, test_clean = test$clean
  )
}

#' A tenth of the labels exchanged: errors against the labels before the exchange, and the share of
#' exchanged labels in the active set
flips_unit <- function(run) {
  unit(store, sprintf("run%d-flips", run), function() {
    data <- flips_data(run)
    one <- function(d, refine, criterion, likelihood) {
      noise <- switch(likelihood, probit = lik_probit(), label_noise = lik_label_noise(0.1))
      fit <- ivm(data$x, data$y,
        kernel = kernel_rbf(variance = 10, lengthscale = 8), likelihood = noise, n_active = d,
        criterion = criterion, refine = refine, optimise = FALSE, standardise = FALSE, seed = run,
        threads = 1, verbose = FALSE
      )
      probability <- predict(fit, data$test_x, type = "prob")
      data.frame(
        run = run, n = nrow(data$x), d = d, criterion = criterion, likelihood = likelihood,
        refine = refine, error = error_of(predict(fit, data$test_x), data$test_clean),
        log_loss = log_loss(probability, data$test_y),
        exchanged = mean((data$y != data$clean)[active_set(fit)])
      )
    }
    grid <- expand.grid(
      d = c(100, 500) / if (quick) 5 else 1, refine = c(0, 3), criterion = c("entropy", "random"),
      likelihood = c("probit", "label_noise"), stringsAsFactors = FALSE
    )
    do.call(rbind, Map(one, grid$d, grid$refine, grid$criterion, grid$likelihood))
  })
}

# --- tables ------------------------------------------------------------------------------------

#' Writes a CSV file, unless it would replace results of the full protocol by those of `--quick`
write_csv <- function(table, name) {
  file <- file.path(results_folder, name)
  if (quick && file.exists(file) && max(utils::read.csv(file)$n) > max(table$n)) {
    return(invisible())
  }
  store_results(table, name)
}

have <- function(name) file.exists(unit_file(store, name))

#' The rows of the table for the finished units of one run and one choice of the kernel
table_rows <- function(run, chosen) {
  finished <- Filter(function(digit) have(sprintf("run%d-%s%s", run, chosen, digit)), digits)
  if (!length(finished)) return(NULL)
  units <- lapply(stats::setNames(nm = finished), function(digit) digit_unit(run, digit, chosen))
  digit_rows(run, chosen, units)
}

bind <- function(parts) do.call(rbind, unname(parts))

update_tables <- function() {
  write_csv(bind(c(
    lapply(runs, table_rows, chosen = "selected"), lapply(fixed_runs, table_rows, chosen = "fixed")
  )), "ivm-table1.csv")
  selections <- expand.grid(digit = digits, run = runs, stringsAsFactors = FALSE)
  selections <- selections[vapply(
    sprintf("run%d-selection%s", selections$run, selections$digit), have, NA
  ), ]
  write_csv(bind(Map(selection_unit, selections$run, selections$digit)), "ivm-kernels.csv")
  nine <- Filter(function(run) have(sprintf("run%d-selected9", run)), runs)
  curves <- lapply(nine, function(run) {
    reject_rows(run, "ivm", digit_unit(run, "9", "selected"))
  })
  write_csv(bind(curves), "ivm-fig1.csv")
}

# --- run all fits ------------------------------------------------------------------------------

flips_rows <- function(run) {
  cbind(flips_unit(run), smaller_class = min(prop.table(table(flips_data(run)$test_clean))))
}
first_units("ivm-flips.csv" = flips_rows(1))
if (is.null(gpsieve_data("mnist"))) stop("MNIST is needed.", call. = FALSE)
small <- utils::head(runs, 3)
write_csv(bind(lapply(small, refine_unit)), "ivm-refine.csv")
write_csv(bind(lapply(small, flips_rows)), "ivm-flips.csv")
# Digit 9 comes first, because Figure 1 needs it.
for (run in runs) {
  for (digit in rev(digits)) {
    digit_unit(run, digit, "selected")
    if (run %in% fixed_runs) digit_unit(run, digit, "fixed")
    update_tables()
  }
}
