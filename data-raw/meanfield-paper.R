# The experiment of Csato et al. (2000), section 6, that vignettes/meanfield.Rmd shows: Table 1 and
# Figure 1 on the Pima Indians diabetes data (MASS). From the root of the repository:
#
#   Rscript data-raw/meanfield-paper.R
#
# Needs the package installed, and MASS. Takes half a minute on one core. Writes
#
#   vignettes/results/meanfield-table1.csv   results by method minimised, by start, and by
#                                            method evaluated at the minimum
#   vignettes/results/meanfield-fig1.csv     naive free energy and test errors after each step
#   vignettes/results/meanfield-loo.csv      leave-one-out log loss by cavities and by refitting

suppressPackageStartupMessages(library(gpsieve))
data(Pima.tr, Pima.te, package = "MASS")

methods <- c("ensemble", "naive", "tap", "laplace")
results <- file.path("vignettes", "results")

#' A fit of the training rows; hyper-parameters refer to standardised inputs
pima_fit <- function(method, kernel, ...) {
  meanfield_gp(type ~ ., Pima.tr, kernel, method = method, seed = 1, verbose = FALSE, ...)
}

#' Free energy, test errors and test log loss of a fit
judge <- function(fit) {
  p <- predict(fit, Pima.te, type = "prob")
  truth <- as.integer(Pima.te$type)
  data.frame(
    free_energy = -evidence(fit)$value,
    corrected = -summary(fit)$corrected_evidence,
    errors = sum(max.col(p, "first") != truth),
    log_loss = -mean(log(p[cbind(seq_along(truth), truth)])),
    loo = -mean(loo(fit))
  )
}

# The lengthscales to start from, the same for all inputs, in standard deviations of the inputs.
starts <- c(1, sqrt(7), 7)
steps <- 300

table1 <- do.call(rbind, lapply(methods, function(minimised) {
  do.call(rbind, lapply(starts, function(start) {
    taken <- system.time(
      learned <- pima_fit(minimised, kernel_rbf(1, rep(start, 7)),
        control = control_meanfield(steps = steps)
      )
    )
    do.call(rbind, lapply(methods, function(evaluated) {
      fit <- pima_fit(evaluated, kernel_of(learned), optimise = FALSE)
      cbind(
        minimised, start, evaluated, judge(fit), noise = 1 / coef(learned)[["variance"]],
        cpu = sum(taken[1:2])
      )
    }))
  }))
}))
write.csv(table1, file.path(results, "meanfield-table1.csv"), row.names = FALSE)

# The state after each step of the optimisation. The optimiser is deterministic, so that a run of k
# steps gives the first k steps of a longer run.
updates <- 0:25
fig1 <- do.call(rbind, lapply(updates, function(k) {
  start <- kernel_rbf(1, rep(sqrt(7), 7))
  fit <- if (k == 0) {
    pima_fit("naive", start, optimise = FALSE)
  } else {
    pima_fit("naive", start, control = control_meanfield(steps = k))
  }
  cbind(update = k, judge(fit))
}))
write.csv(fig1, file.path(results, "meanfield-fig1.csv"), row.names = FALSE)

# Leave-one-out log loss, from the cavities of one fit and from one fit for each row left out. All
# methods use the hyper-parameters that minimise the free energy of TAP.
tap <- table1[table1$minimised == "tap" & table1$evaluated == "tap", ]
best <- pima_fit("tap", kernel_rbf(1, rep(tap$start[which.min(tap$free_energy)], 7)),
  control = control_meanfield(steps = steps)
)
x <- scale(as.matrix(Pima.tr[1:7]))
left_out <- do.call(rbind, lapply(methods, function(method) {
  fit_rows <- function(rows) {
    meanfield_gp(x[rows, ], Pima.tr$type[rows], kernel_of(best),
      method = method, optimise = FALSE, standardise = FALSE, verbose = FALSE
    )
  }
  refits <- vapply(seq_len(nrow(x)), function(i) {
    p <- predict(fit_rows(-i), x[i, , drop = FALSE], type = "prob")
    log(p[1, as.character(Pima.tr$type[i])])
  }, 0)
  cavities <- loo(fit_rows(seq_len(nrow(x))))
  data.frame(
    method, cavities = -mean(cavities), refits = -mean(refits),
    largest = max(abs(cavities - refits))
  )
}))
write.csv(left_out, file.path(results, "meanfield-loo.csv"), row.names = FALSE)
