# Kinds of inputs, and noise that is known, beside the packages that people use for them: the mean
# log score of rows that were held out, in ten folds that are the same for both.
#
#   Rscript data-raw/input-peers.R              writes vignettes/results/input-peers.csv
#
# Needs MASS, mgcv, lme4 and kernlab; DiceKriging for known noise where it is installed. Predictive
# distributions of numbers are normal; those of lme4 and mgcv have the variance of the noise, mgcv's
# also that of the mean.
library(gpsieve)
source("data-raw/units.R")

here <- function(model, ...) {
  settings <- list(...)
  list(
    fit = function(formula, data) {
      do.call(model, c(list(formula, data), settings, list(seed = 1, verbose = FALSE)))
    },
    moments = function(fit, test) {
      limits <- predict(fit, test, interval = "prediction", level = 0.9)
      list(mean = limits[, "fit"], sd = (limits[, "upr"] - limits[, "lwr"]) / 2 / qnorm(0.95))
    }
  )
}
by_mgcv <- function(formula) {
  list(
    fit = function(ignored, data) mgcv::gam(formula, data = data, method = "REML"),
    moments = function(fit, test) {
      found <- predict(fit, test, se.fit = TRUE)
      list(mean = as.vector(found$fit), sd = sqrt(as.vector(found$se.fit)^2 + fit$sig2))
    }
  )
}
by_lme4 <- list(
  fit = function(formula, data) lme4::lmer(formula, data),
  moments = function(fit, test) list(mean = predict(fit, test), sd = sigma(fit))
)
by_dice <- list(
  fit = function(formula, data) {
    DiceKriging::km(~1, data["at"], data$y, covtype = "gauss", noise.var = data$sd^2,
      control = list(trace = FALSE))
  },
  moments = function(fit, test) {
    found <- predict(fit, test["at"], type = "UK")
    list(mean = found$mean, sd = sqrt(found$sd^2 + test$sd^2))
  }
)
with_means <- function(data) {
  for (column in names(data)) {
    data[[column]][is.na(data[[column]])] <- mean(data[[column]], na.rm = TRUE)
  }
  data
}

air <- airquality[!is.na(airquality$Ozone), c("Ozone", "Solar.R", "Wind", "Temp")]
air$Ozone <- log(air$Ozone)
set.seed(2)
holes <- matrix(runif(3 * nrow(air)) < 0.2, ncol = 3)
lacking <- air
lacking[-1][holes] <- NA
shakes <- quakes[seq(1, 1000, 3), ]
set.seed(3)
at <- runif(150, -2, 2)
sd <- exp(runif(150, log(0.03), log(1)))
measured <- data.frame(at, sd, y = sin(2 * at) + sd * rnorm(150))
plants <- transform(CO2, Plant = factor(as.character(Plant)), log_conc = log(conc))

tasks <- list(
  list("known noise", "noise_sd = sd", "simulated", measured, y ~ at,
    here(meanfield_gp, noise_sd = quote(sd)), list("DiceKriging" = by_dice)),
  list("groups", "(Days | Subject)", "sleepstudy", lme4::sleepstudy,
    Reaction ~ Days + (Days | Subject), here(meanfield_gp), list(lme4 = by_lme4)),
  list("levels of a factor", "kernel_categorical()", "CO2", plants, uptake ~ log_conc + Plant,
    here(meanfield_gp, kernel_on(kernel_rbf(), "log_conc") * kernel_categorical("Plant") +
      kernel_on(kernel_rbf(), "log_conc")),
    list(mgcv = by_mgcv(uptake ~ s(log_conc, k = 5) + s(Plant, bs = "re") +
      s(log_conc, Plant, bs = "fs", k = 4)))),
  list("places on the globe", "kernel_great_circle()", "quakes", shakes, depth ~ long + lat,
    here(meanfield_gp, kernel_great_circle(1:2, nu = 1.5)),
    list("mgcv, splines on the sphere" = by_mgcv(depth ~ s(lat, long, bs = "sos", k = 100)))),
  list("sums of functions", "y ~ g(x1) + g(x2)", "airquality", na.omit(air),
    Ozone ~ g(Solar.R) + g(Wind) + g(Temp), here(meanfield_gp, kernel_rbf()),
    list(mgcv = by_mgcv(Ozone ~ s(Solar.R) + s(Wind) + s(Temp)))),
  list("missing inputs", "na.action = \"model\"", "airquality with holes", lacking, Ozone ~ .,
    here(meanfield_gp, kernel_rbf(ard = TRUE), na.action = "model"),
    list("mgcv with column means" = {
      engine <- by_mgcv(Ozone ~ s(Solar.R) + s(Wind) + s(Temp))
      list(fit = function(formula, data) engine$fit(formula, with_means(data)),
        moments = function(fit, test) engine$moments(fit, with_means(test)))
    }))
)

cross <- function(data, formula, engine) {
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(data)))
  y <- data[[all.vars(formula)[1L]]]
  scores <- numeric(nrow(data))
  for (k in 1:10) {
    made <- suppressWarnings(suppressMessages(engine$fit(formula, data[fold != k, ])))
    found <- suppressWarnings(engine$moments(made, data[fold == k, ]))
    scores[fold == k] <- dnorm(y[fold == k], found$mean, found$sd, log = TRUE)
  }
  scores
}

scores_on <- function(task, name, engine) {
  seconds <- system.time(found <- cross(task$data, task$formula, engine))[["elapsed"]]
  data.frame(input = task$input, written = task$written, data = task$data_name,
    rows = nrow(task$data), engine = name, log_score = mean(found),
    std_error = stats::sd(found) / sqrt(length(found)), seconds = seconds)
}
tasks <- lapply(tasks, stats::setNames,
  c("input", "written", "data_name", "data", "formula", "here", "peers")
)
first_units("input-peers.csv" = scores_on(tasks[[1]], "gpsieve", tasks[[1]]$here))

rows <- lapply(tasks, function(task) {
  engines <- c(list(gpsieve = task$here), task$peers)
  if (!requireNamespace("DiceKriging", quietly = TRUE)) engines$DiceKriging <- NULL
  out <- do.call(rbind, Map(scores_on, list(task), names(engines), engines))
  print(out, digits = 4)
  out
})

# Strings: a matrix of covariances that kernlab's kernel of common substrings makes.
strings <- local({
  utils::data("reuters", package = "kernlab", envir = environment())
  k <- kernlab::kernelMatrix(kernlab::stringdot("spectrum", length = 4, normalized = TRUE), reuters)
  k <- matrix(as.numeric(k), nrow(k), dimnames = list(seq_along(reuters), seq_along(reuters)))
  data <- data.frame(text = factor(seq_along(reuters)), topic = factor(rlabels))
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(data)))
  score <- function(probabilities) {
    p <- matrix(NA_real_, nrow(data), 2L, dimnames = list(NULL, levels(data$topic)))
    seconds <- system.time(for (j in 1:10) {
      p[fold == j, ] <- suppressWarnings(probabilities(fold != j, fold == j))[, levels(data$topic)]
    })[["elapsed"]]
    list(density = log(p[cbind(seq_len(nrow(data)), as.integer(data$topic))]), seconds = seconds)
  }
  found <- list(
    gpsieve = score(function(train, test) {
      fit <- meanfield_gp(topic ~ text, data[train, ], kernel_precomputed(k, "text"), seed = 1,
        verbose = FALSE)
      predict(fit, data[test, ], type = "prob")
    }),
    "kernlab, support vectors" = score(function(train, test) {
      fit <- kernlab::ksvm(kernlab::as.kernelMatrix(k[train, train]), data$topic[train],
        prob.model = TRUE)
      of_vectors <- k[test, train, drop = FALSE][, kernlab::SVindex(fit), drop = FALSE]
      kernlab::predict(fit, kernlab::as.kernelMatrix(of_vectors), type = "probabilities")
    })
  )
  do.call(rbind, lapply(names(found), function(name) {
    density <- found[[name]]$density
    data.frame(input = "strings, by a matrix", written = "kernel_precomputed()", data = "reuters",
      rows = length(density), engine = name, log_score = mean(density),
      std_error = stats::sd(density) / sqrt(length(density)), seconds = found[[name]]$seconds)
  }))
})
print(strings, digits = 4)
store_results(do.call(rbind, c(rows, list(strings))), "input-peers.csv")
