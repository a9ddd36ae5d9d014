# Whether ADF underestimates the posterior variance, as Hernandez-Lobato et al. (2015) write. From
# the root of the repository:
#
#   Rscript data-raw/ep-variance.R
#
# On the seven sets of Table 1, with 15 % of the training rows as inducing inputs, EP learns the
# hyper-parameters and the inducing inputs. EP, stochastic EP and ADF then compute the posterior
# with these, in 20 passes over the training rows. Needs the package installed, and the UCI sets in
# the folder named by GPSIEVE_DATA; takes a minute. Writes
#
#   vignettes/results/ep-variance.csv   mean latent variance at the test rows, by set, split and
#                                       method

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R") # the protocol: bench/cases/ep-uci.R
source("data-raw/units.R")

variances_on <- function(set) {
  data <- uci_data(list(set = set, splits = 5), seed = 1L)
  learned <- uci_engine(15, "ep")$fit(data, list(seed = 1L, threads = 1L))
  do.call(rbind, lapply(seq_along(learned), function(split) {
    rows <- data$held_out[[split]]
    variance_by <- function(method) {
      fit <- suppressWarnings(
        ep_gp(data$x[-rows, ], data$y[-rows],
          kernel = kernel_of(learned[[split]]), inducing = inducing(learned[[split]]),
          method = method, optimise = FALSE, seed = 1, threads = 1, verbose = FALSE,
          control = paper_control(max_iter = 20)
        ), classes = "gpsieve_warning_convergence"
      )
      mean(predict(fit, data$x[rows, ], type = "link", se.fit = TRUE)$se.fit^2)
    }
    methods <- c("ep", "sep", "adf")
    data.frame(set, split, method = methods, variance = vapply(methods, variance_by, 0))
  }))
}
first_units("ep-variance.csv" = variances_on("crabs"))
store_results(do.call(rbind, lapply(uci_sets, variances_on)), "ep-variance.csv")
