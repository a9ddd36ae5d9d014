# The support vector machines of Lawrence, Seeger and Herbrich (2002) beside which vignettes/ivm.Rmd
# shows the IVM: Table 1 and Figure 1. From the root of the repository:
#
#   Rscript data-raw/ivm-svm.R [--runs=10] [--other]
#
# The rows of each run are those of data-raw/ivm-paper.R, for the selection of cost and width, too.
# The machines are LIBSVM's (data-raw/ivm_svm.py, with Debian's python3-sklearn); nothing of this
# package takes part, so that a run is kept for every build of it. Needs MNIST in the folder named
# by GPSIEVE_DATA. A run takes about six minutes, one machine a minute. --other computes the last
# file only. Writes
#
#   vignettes/results/ivm-svm.csv         one row per run and digit, and one for the ten digits
#                                         combined
#   vignettes/results/ivm-svm-chosen.csv  cost and width g of each digit and run
#   vignettes/results/ivm-svm-fig1.csv    error against rejected fraction, digit 9
#   vignettes/results/causes-vectors.csv  the number of support vectors of digit 3 with a cost and a
#                                         width that were not selected

# No first unit: the package takes no part.
here <- "bench"
# The protocol is in bench/cases/mnist.R, python_with() in bench/cases/boosting.R.
source("bench/sources.R")
source("data-raw/units.R")
source("data-raw/digit-tables.R")
arguments <- commandArgs(TRUE)
runs <- sub("--runs=", "", grep("^--runs=[1-9][0-9]*$", arguments, value = TRUE))
runs <- seq_len(if (length(runs)) as.integer(runs) else 10L)
store <- open_store("ivm-svm", of_package = FALSE)
if (is.null(gpsieve_data("mnist"))) stop("MNIST is needed.", call. = FALSE)
python <- python_with("sklearn")
if (is.null(python)) stop("scikit-learn for Python is needed.", call. = FALSE)

# As many candidates as data-raw/ivm-paper.R gives the IVM, with the same widths.
task <- list(columns = 169, costs = c(1, 3, 10, 30, 100), widths = c(5, 10, 20, 40, 80),
  cache = 2000)

#' The machines of a run: a list of units with the digits as names, and cost, width and error of the
#' selection of each in `chosen`
#'
#' @param candidates Costs and widths in place of those of `task`.
run_unit <- function(run, digits = 0:9, candidates = list()) {
  stored <- paste(c(sprintf("run%d", run), if (length(digits) < 10) digits, unlist(candidates)),
    collapse = "-"
  )
  unit(store, stored, function() {
    folder <- tempfile("svm-")
    dir.create(folder)
    on.exit(unlink(folder, recursive = TRUE))
    write_rows <- function(name, x, label) {
      writeBin(as.vector(t(x)), file.path(folder, paste0(name, "_x")))
      writeBin(as.integer(as.character(label)), file.path(folder, paste0(name, "_y")))
    }
    chosen_on <- mnist_selection_rows(run, FALSE)
    rows <- mnist_rows(run, FALSE)
    write_rows("select", chosen_on$x, chosen_on$label)
    write_rows("judge", chosen_on$test_x, chosen_on$test_label)
    write_rows("train", rows$x, rows$label)
    write_rows("test", rows$test_x, rows$test_label)
    of_run <- utils::modifyList(task, candidates)
    of_run$digits <- digits
    lists <- c("digits", "costs", "widths") # also where they hold one number
    of_run[lists] <- lapply(of_run[lists], I)
    jsonlite::write_json(of_run, file.path(folder, "task.json"), auto_unbox = TRUE)
    script <- normalizePath(file.path("data-raw", "ivm_svm.py"))
    threads <- c("OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
    if (system2(python, shQuote(c(script, folder)), env = threads) != 0) {
      stop("The machines of run ", run, " failed.", call. = FALSE)
    }
    chosen <- jsonlite::fromJSON(file.path(folder, "chosen.json"))
    machine <- function(class, d, seconds, ...) {
      file <- file.path(folder, paste0(class, "_score"))
      score <- readBin(file, "double", length(rows$test_label))
      positive <- rows$test_label == class
      list(
        n = nrow(rows$x), d = d, seconds = seconds, score = score, log_loss = NA_real_,
        error = mean((score > 0) != positive), positive = positive, label = rows$test_label
      )
    }
    list(
      machines = stats::setNames(do.call(Map, c(machine, chosen)), chosen$class), chosen = chosen
    )
  })
}

#' The machine of one digit with its cost and width
one_machine <- function(run, digit, ...) {
  found <- run_unit(run, digit, ...)
  cbind(digit_rows(run, "svm", found$machines), found$chosen[c("cost", "g", "judged")])
}
other <- one_machine(1, 3, list(costs = 3, widths = 20))
store_results(other, "causes-vectors.csv", "none")
if ("--other" %in% arguments) quit(save = "no")

for (run in runs) run_unit(run)
finished <- lapply(runs, run_unit)
machines <- lapply(finished, `[[`, "machines")
store_results(do.call(rbind, Map(digit_rows, runs, "svm", machines)), "ivm-svm.csv", "none")
store_results(do.call(rbind, Map(function(run, found) {
  data.frame(run = run, found$chosen[c("class", "cost", "g", "judged")])
}, runs, finished)), "ivm-svm-chosen.csv", "none")
store_results(do.call(rbind, Map(function(run, units) reject_rows(run, "svm", units[["9"]]),
  runs, machines
)), "ivm-svm-fig1.csv", "none")
