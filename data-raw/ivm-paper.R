# The experiments of Lawrence, Seeger and Herbrich (2002) that vignettes/ivm.Rmd shows: Table 1,
# Figure 1, and the effect of refinement. From the root of the repository:
#
#   Rscript data-raw/ivm-paper.R [--runs=3] [--quick]
#
# Needs the package installed, e1071, and MNIST in the folder named by GPSIEVE_DATA. Writes
#
#   vignettes/results/ivm-table1.csv   one row per run and digit, and one for the ten combined
#   vignettes/results/ivm-fig1.csv     error against rejected fraction, digit 9
#   vignettes/results/ivm-refine.csv   test error and log loss of small active sets by number of
#                                      passes of EP
#
# Every fit is stored under build/ivm-paper when it is finished and is not computed again by the
# same build of the package, so that a run that was stopped can be continued. The CSV files are
# written anew after every fit. --quick uses a twentieth of the rows and of the sizes (half a
# minute) and does not replace CSV files of the full protocol.
#
# On one core that computes matrix products at 50 GFlop/s, each run takes a minute or two and the
# SVM of Figure 1 two minutes. The vignette shows the CPU seconds of every fit.

suppressPackageStartupMessages(library(gpsieve))
source("tools/data.R")
source("bench/measure.R")
source("bench/report.R")
here <- "bench"
source("bench/cases.R") # the protocol: bench/cases/mnist.R
source("data-raw/units.R")

# --- settings ----------------------------------------------------------------------------------

args <- commandArgs(TRUE)
unknown <- grep("^--(quick|runs=[1-9][0-9]*)$", args, invert = TRUE, value = TRUE)
if (length(unknown)) stop("unknown: ", toString(unknown), call. = FALSE)
quick <- "--quick" %in% args
runs <- as.integer(sub("--runs=", "", grep("^--runs=", args, value = TRUE)))
runs <- seq_len(if (length(runs)) runs[1L] else 3L)
store <- open_store("ivm-paper", quick)

# --- units of work -----------------------------------------------------------------------------

#' One digit against the rest with `refine = 0`: CPU seconds, test error, log loss, scores
#'
#' A score is the normal quantile of P(y = +1).
digit_unit <- function(run, digit) {
  unit(store, sprintf("run%d-digit%s", run, digit), function() {
    problem <- mnist_problem(digit, quick)
    data <- mnist_data(problem, run)
    fitted <- measure(
      ivm(data$x, data$y,
        kernel = paper_kernel(), n_active = problem$n_active, refine = 0, optimise = FALSE,
        standardise = FALSE, seed = run, threads = 1, verbose = FALSE
      )
    )
    latent <- predict(fitted$value, data$test_x, type = "link", se.fit = TRUE)
    score <- latent$fit / sqrt(1 + latent$se.fit^2)
    positive <- data$test_y == digit
    list(
      n = nrow(data$x), d = problem$n_active, seconds = fitted$cpu, score = score,
      error = mean((score > 0) != positive),
      log_loss = -mean(stats::pnorm(ifelse(positive, score, -score), log.p = TRUE)),
      positive = positive, label = data$label
    )
  })
}

#' The SVM of Figure 1, on the rows of the first run: its distances from the separating surface
svm_unit <- function(digit) {
  unit(store, sprintf("run1-svm%s", digit), function() {
    data <- mnist_data(mnist_problem(digit, quick), 1L)
    fitted <- measure(
      e1071::svm(data$x, data$y, scale = FALSE, cost = 10, gamma = svm_gamma, cachesize = 650)
    )
    class <- predict(fitted$value, data$test_x, decision.values = TRUE)
    distance <- drop(attr(class, "decision.values"))
    # For LIBSVM the class of the first row is the positive one.
    sign <- if (mean((distance > 0) == (class == digit)) > 0.5) 1 else -1
    list(
      n = nrow(data$x), d = fitted$value$tot.nSV, seconds = fitted$cpu, score = sign * distance,
      error = mean(class != data$test_y), positive = data$test_y == digit
    )
  })
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
      probability <- predict(fit, full$test_x[test, ], type = "prob")
      data.frame(
        run = run, n = nrow(x), d = d, criterion = criterion, refine = refine,
        error = error_of(predict(fit, full$test_x[test, ]), test_y),
        log_loss = log_loss(probability, test_y)
      )
    }
    grid <- expand.grid(
      d = c(100, 250) / if (quick) 5 else 1, refine = c(0, 1, 2, 3, 5, 20),
      criterion = c("entropy", "random"), stringsAsFactors = FALSE
    )
    do.call(rbind, Map(one, grid$d, grid$refine, grid$criterion))
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

table_row <- function(run, digit) {
  if (!have(sprintf("run%d-digit%s", run, digit))) return(NULL)
  u <- digit_unit(run, digit)
  data.frame(
    run = run, class = digit, n = u$n, d = u$d, error = u$error, log_loss = u$log_loss,
    seconds = u$seconds
  )
}

#' The ten machines of a run combined into one classifier, if all ten have been fitted
combined_row <- function(run) {
  digits <- names(paper_sizes)
  if (!all(vapply(sprintf("run%d-digit%s", run, digits), have, NA))) return(NULL)
  units <- lapply(digits, function(digit) digit_unit(run, digit))
  total <- function(field) sum(vapply(units, function(u) u[[field]], 0))
  scores <- vapply(units, function(u) u$score, units[[1L]]$score)
  combined <- combine_machines(scores, digits, units[[1L]]$label)
  data.frame(
    run = run, class = "all", n = units[[1L]]$n, d = total("d"), error = combined$error,
    log_loss = combined$log_loss, seconds = total("seconds")
  )
}

#' Error among the other rows when a share of the rows with the smallest |score| is rejected
#'
#' |score| orders the rows as |P - 1/2| does.
reject_rows <- function(run, method, u) {
  wrong <- (u$score > 0) != u$positive
  errors <- cumsum(wrong[order(-abs(u$score))])
  rejected <- seq(0, 0.25, by = 0.005)
  kept <- length(wrong) - floor(rejected * length(wrong))
  data.frame(
    run = run, method = method, n = u$n, rejected = rejected, error = errors[kept] / kept
  )
}

update_tables <- function() {
  rows <- lapply(runs, function(run) {
    rbind(do.call(rbind, lapply(names(paper_sizes), table_row, run = run)), combined_row(run))
  })
  rows <- do.call(rbind, rows)
  if (!is.null(rows)) write_csv(rows, "ivm-table1.csv")

  curves <- lapply(Filter(function(run) have(sprintf("run%d-digit9", run)), runs), function(run) {
    reject_rows(run, "ivm", digit_unit(run, "9"))
  })
  if (have("run1-svm9")) curves <- c(curves, list(reject_rows(1L, "svm", svm_unit("9"))))
  if (length(curves)) write_csv(do.call(rbind, curves), "ivm-fig1.csv")

  refined <- lapply(Filter(function(run) have(sprintf("run%d-refine", run)), runs), refine_unit)
  if (length(refined)) write_csv(do.call(rbind, refined), "ivm-refine.csv")
}

# --- run all fits ------------------------------------------------------------------------------

if (is.null(gpsieve_data("mnist"))) stop("MNIST is needed.", call. = FALSE)
for (run in runs) {
  refine_unit(run)
  update_tables()
}
for (run in runs) {
  # Digit 9 comes first, because Figure 1 needs it.
  for (digit in rev(names(paper_sizes))) {
    digit_unit(run, digit)
    update_tables()
  }
}
invisible(svm_unit("9"))
update_tables()
