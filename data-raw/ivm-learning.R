# Does the machine of Lawrence, Seeger and Herbrich (2002), whose sites belong to its active rows
# only, learn its hyper-parameters as well as the machine that passes of EP refine? From the root of
# the repository:
#
#   Rscript data-raw/ivm-learning.R
#
# Halves of seven UCI sets, ten splits each. Needs the package installed, and the UCI sets in the
# folder named by GPSIEVE_DATA; takes a minute. Writes
#
#   vignettes/results/ivm-learning.csv   log loss and error on the other half, by set, split and
#                                        machine: at the start, learned, and learned and refined

suppressPackageStartupMessages(library(gpsieve))
source("tools/data.R")
source("data-raw/units.R")

sets <- c("australian", "breast", "crabs", "heart", "ionosphere", "pima", "sonar")
machines <- list(
  start = list(refine = 0, optimise = FALSE), learned = list(refine = 0), refined = list()
)
quietly <- function(fit) {
  expected <- c("gpsieve_warning_bound", "gpsieve_message_constant")
  suppressWarnings(suppressMessages(fit), classes = expected)
}

judged <- function(set, split) {
  data <- read_uci(set)
  set.seed(split)
  train <- sample(nrow(data), round(nrow(data) / 2))
  truth <- data$class[-train]
  do.call(rbind, lapply(names(machines), function(machine) {
    fit <- quietly(do.call(ivm, c(
      list(class ~ ., data = data[train, ], seed = 1, threads = 1, verbose = FALSE),
      machines[[machine]]
    )))
    p <- predict(fit, data[-train, ], type = "prob")
    data.frame(set, split, machine,
      log_loss = -mean(log(p[cbind(seq_along(truth), as.integer(truth))])),
      error = mean(predict(fit, data[-train, ]) != truth)
    )
  }))
}
first_units("ivm-learning.csv" = judged("crabs", 1))
cells <- expand.grid(split = 1:10, set = sets, stringsAsFactors = FALSE)
store_results(do.call(rbind, Map(judged, cells$set, cells$split, USE.NAMES = FALSE)),
  "ivm-learning.csv")
