# One plain call of gpsieve() for each of the jobs that people bring, beside a package that is made
# for the job: the mean log score of rows that were held out, two splits a set, and for forecasts
# the mean absolute scaled error of each series.
#
#   Rscript data-raw/jobs.R           writes vignettes/results/jobs.csv
#   Rscript data-raw/jobs.R counts    only jobs whose name contains the text, and prints them
#
# Peers are called as their documentation does, with what the job is about and nothing tuned, but
# that hetGP has wide bounds for computer codes. Needs
# MASS, nlme, lme4, mgcv, survival, GpGp with fields, hetGP, forecast and Mcomp; sets of packages
# that are not installed are left out with a message.
suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
only <- commandArgs(TRUE)
store <- open_store("jobs")
log_score <- utils::getFromNamespace("log_predictive", "gpsieve")

has <- function(package) requireNamespace(package, quietly = TRUE)
packaged <- function(name, package) {
  folder <- new.env()
  utils::data(list = name, package = package, envir = folder)
  folder[[name]]
}

# --- sets: list(job, package, peer, read(seed): list(train, test), formula) ----------------------

#' Four fifths of the rows to learn from, the others to predict
split_rows <- function(table, seed, most = Inf) {
  set.seed(seed)
  table <- table[stats::complete.cases(table), ]
  test <- sample(nrow(table), round(nrow(table) / 5))
  rest <- setdiff(seq_len(nrow(table)), test)
  list(train = droplevels(table[rest[seq_len(min(most, length(rest)))], ]), test = table[test, ])
}

latin <- function(n, d) {
  vapply(seq_len(d), function(j) (sample(n) - stats::runif(n)) / n, numeric(n))
}

#' 200 points of a Latin hypercube and 1000 random new ones of a computer code of d inputs
code_rows <- function(code, d, seed) {
  set.seed(seed)
  made <- function(u) data.frame(u, y = code(u))
  list(train = made(latin(200, d)), test = made(matrix(stats::runif(1000 * d), ncol = d)))
}
borehole <- function(u) {
  from <- c(0.05, 100, 63070, 990, 63.1, 700, 1120, 9855)
  to <- c(0.15, 50000, 115600, 1110, 116, 820, 1680, 12045)
  v <- t(from + (to - from) * t(u))
  far <- log(v[, 2] / v[, 1])
  2 * pi * v[, 3] * (v[, 4] - v[, 6]) / (far * (1 + 2 * v[, 7] * v[, 3] /
    (far * v[, 1]^2 * v[, 8]) + v[, 3] / v[, 5]))
}
wing_weight <- function(u) {
  from <- c(150, 220, 6, -10, 16, 0.5, 0.08, 2.5, 1700, 0.025)
  to <- c(200, 300, 10, 10, 45, 1, 0.18, 6, 2500, 0.08)
  v <- t(from + (to - from) * t(u))
  across <- cos(v[, 4] * pi / 180)
  0.036 * v[, 1]^0.758 * v[, 2]^0.0035 * (v[, 3] / across^2)^0.6 * v[, 5]^0.006 * v[, 6]^0.04 *
    (100 * v[, 7] / across)^-0.3 * (v[, 8] * v[, 9])^0.49 + v[, 1] * v[, 10]
}

#' Winds at sea: at most 8000 rows learn, 3000 are predicted
sea_winds <- function(seed) {
  table <- stats::setNames(
    as.data.frame(packaged("jason3", "GpGp")[c("lon", "lat", "time", "windspeed")]),
    c("longitude", "latitude", "time", "y")
  )
  found <- split_rows(table, seed, 8000)
  found$test <- utils::head(found$test, 3000)
  found
}

# --- peers: function(train, formula) gives function(test), log densities of its responses --------

normal_scores <- function(y, mean, sd) stats::dnorm(y, mean, sd, log = TRUE)

hetgp <- function(fit_to) {
  function(train, formula) {
    inputs <- setdiff(names(train), "y")
    fit <- fit_to(as.matrix(train[inputs]), train$y)
    function(test) {
      found <- stats::predict(fit, as.matrix(test[inputs]))
      normal_scores(test$y, found$mean, sqrt(found$sd2 + found$nugs))
    }
  }
}
# With its own bounds and start the error of the borehole is .037 of the standard deviation, with
# these .006 (one design of 200 points).
homoskedastic <- function(train, formula) {
  center <- mean(train$y)
  scale <- stats::sd(train$y)
  p <- ncol(train) - 1L
  train$y <- (train$y - center) / scale
  scores <- hetgp(function(x, y) {
    hetGP::mleHomGP(x, y, covtype = "Matern5_2", lower = rep(0.05, p), upper = rep(100, p),
      maxit = 1000, noiseControl = list(g_bounds = c(1e-10, 1)),
      init = list(theta = rep(2, p), g = 1e-6))
  })(train, formula)
  function(test) scores(transform(test, y = (y - center) / scale)) - log(scale)
}
heteroskedastic <- hetgp(function(x, y) hetGP::mleHetGP(x, y, covtype = "Matern5_2"))

#' A spline of each numeric column that has enough values, other columns as they are
smooth_terms <- function(train) {
  vapply(setdiff(names(train), "y"), function(name) {
    values <- length(unique(train[[name]]))
    if (!is.numeric(train[[name]]) || values < 5) name
    else sprintf("s(%s, k = %d)", name, min(10, values - 1))
  }, "")
}
gaulss <- function(train, formula) {
  terms <- paste(smooth_terms(train), collapse = " + ")
  fit <- mgcv::gam(list(stats::reformulate(terms, "y"), stats::reformulate(terms)),
    family = mgcv::gaulss(), data = train)
  function(test) {
    found <- stats::predict(fit, test, type = "response")
    normal_scores(test$y, found[, 1L], 1 / found[, 2L])
  }
}
additive <- function(family, density) {
  function(train, formula) {
    fit <- mgcv::gam(stats::reformulate(smooth_terms(train), "y"), family = family, data = train,
      method = "REML")
    function(test) {
      density(test$y, as.vector(stats::predict(fit, test, type = "response")), fit)
    }
  }
}
of_counts <- additive("nb", function(y, mean, fit) {
  stats::dnbinom(y, size = fit$family$getTheta(TRUE), mu = mean, log = TRUE)
})
of_numbers <- additive("gaussian", function(y, mean, fit) normal_scores(y, mean, sqrt(fit$sig2)))

mixed <- function(random) {
  function(train, formula) {
    fixed <- deparse1(formula)
    fit <- suppressMessages(lme4::lmer(stats::as.formula(sub("~.*", paste("~", random), fixed)),
      train))
    function(test) normal_scores(test$y, stats::predict(fit, test), stats::sigma(fit))
  }
}
spacetime <- function(train, formula) {
  locations <- c("longitude", "latitude", "time")
  fit <- GpGp::fit_model(train$y, as.matrix(train[locations]), silent = TRUE,
    covfun_name = "matern_spheretime")
  function(test) {
    at <- as.matrix(test[locations])
    ones <- matrix(1, nrow(test))
    mean <- GpGp::predictions(fit, at, ones)
    drawn <- GpGp::cond_sim(fit = fit, locs_pred = at, X_pred = ones, nsims = 50)
    noise <- fit$covparms[1L] * fit$covparms[length(fit$covparms)]
    normal_scores(test$y, mean, sqrt(apply(drawn, 1L, stats::var) + noise))
  }
}
accelerated <- function(train, formula) {
  fit <- survival::survreg(formula, train, dist = "lognormal")
  function(test) {
    at <- stats::predict(fit, test, type = "lp")
    ifelse(test$status == 2, stats::dlnorm(test$time, at, fit$scale, log = TRUE),
      stats::plnorm(test$time, at, fit$scale, lower.tail = FALSE, log.p = TRUE))
  }
}
proportional <- function(train, formula) {
  fit <- MASS::polr(formula, train)
  function(test) {
    p <- stats::predict(fit, test, type = "probs")
    log(p[cbind(seq_len(nrow(test)), as.integer(test$y))])
  }
}

rows_of <- function(read) {
  function(seed) split_rows(read(), seed)
}
named <- function(table, response) {
  names(table)[names(table) == response] <- "y"
  as.data.frame(table)
}
usual <- y ~ .
sets <- list(
  borehole = list("computer codes", "hetGP", "mleHomGP", homoskedastic, usual,
    function(seed) code_rows(borehole, 8, seed)),
  "wing weight" = list("computer codes", "hetGP", "mleHomGP", homoskedastic, usual,
    function(seed) code_rows(wing_weight, 10, seed)),
  mcycle = list("changing noise", "mgcv", "gam, gaulss", gaulss, usual,
    rows_of(function() named(MASS::mcycle, "accel"))),
  GAGurine = list("changing noise", "mgcv", "gam, gaulss", gaulss, usual,
    rows_of(function() named(MASS::GAGurine, "GAG"))),
  "mcycle " = list("changing noise", "hetGP", "mleHetGP", heteroskedastic, usual,
    rows_of(function() named(MASS::mcycle, "accel"))),
  quine = list("counts", "mgcv", "gam, nb", of_counts, usual,
    rows_of(function() named(MASS::quine, "Days"))),
  epil = list("counts", "mgcv", "gam, nb", of_counts, usual,
    rows_of(function() named(MASS::epil[c("y", "trt", "base", "age", "period")], "y"))),
  sleepstudy = list("groups", "lme4", "lmer", mixed("Days + (Days | Subject)"),
    y ~ Days + (Days | Subject),
    rows_of(function() named(packaged("sleepstudy", "lme4"), "Reaction"))),
  Orthodont = list("groups", "lme4", "lmer", mixed("age + Sex + (age | Subject)"),
    y ~ age + Sex + (age | Subject), rows_of(function() {
      table <- named(nlme::Orthodont, "distance")
      table$Subject <- factor(table$Subject, ordered = FALSE)
      table
    })),
  "sea winds" = list("space and time", "GpGp", "fit_model", spacetime, usual, sea_winds),
  # With 2000 ocean temperatures (argo2016) fit_model() had not ended after four CPU minutes.
  lung = list("censored times", "survival", "survreg, log-normal", accelerated,
    survival::Surv(time, status) ~ age + sex + ph.ecog + ph.karno + wt.loss, rows_of(function() {
      survival::lung[c("time", "status", "age", "sex", "ph.ecog", "ph.karno", "wt.loss")]
    })),
  pbc = list("censored times", "survival", "survreg, log-normal", accelerated,
    survival::Surv(time, status) ~ age + bili + albumin + protime + edema, rows_of(function() {
      table <- survival::pbc[1:312, c("time", "status", "age", "bili", "albumin", "protime",
        "edema")]
      table$status <- 1 + (table$status == 2)
      table
    })),
  air = list("ordered classes", "MASS", "polr", proportional, usual, rows_of(function() {
    table <- datasets::airquality[c("Ozone", "Solar.R", "Wind", "Temp")]
    table$y <- cut(table$Ozone, c(0, 30, 60, 200), c("low", "medium", "high"),
      ordered_result = TRUE)
    table[-1L]
  })),
  Boston = list("tables", "mgcv", "gam", of_numbers, usual,
    rows_of(function() named(MASS::Boston, "medv"))),
  cars = list("tables", "mgcv", "gam", of_numbers, usual, rows_of(function() {
    named(MASS::Cars93[c("MPG.city", "Weight", "Horsepower", "EngineSize", "Type", "Origin")],
      "MPG.city")
  }))
)

#' The log scores of the call and of the peer on one split, with what gpsieve() chose
run_split <- function(set, seed) {
  names(set) <- c("job", "package", "peer", "fit", "formula", "read")
  rows <- set$read(seed)
  seconds <- function(work) {
    start <- proc.time()
    value <- suppressWarnings(suppressMessages(work()))
    list(value = value, cpu = sum((proc.time() - start)[c("user.self", "sys.self")]))
  }
  own <- seconds(function() {
    fit <- gpsieve(set$formula, rows$train, seed = 1, verbose = FALSE)
    list(scores = log_score(fit, rows$test, NULL, sys.call()), chosen = choice(fit)$label[1L])
  })
  peer <- seconds(function() set$fit(rows$train, set$formula)(rows$test))
  list(own = own$value$scores, peer = peer$value, chosen = own$value$chosen, cpu = own$cpu,
    cpu_peer = peer$cpu, rows = nrow(rows$train))
}

#' A line of the table: mean log scores, and the mean of paired differences with its standard error
line_of <- function(name, set, runs) {
  own <- unlist(lapply(runs, `[[`, "own"))
  peer <- unlist(lapply(runs, `[[`, "peer"))
  mean_of <- function(field) mean(vapply(runs, `[[`, 0, field))
  data.frame(
    job = set[[1L]], set = trimws(name), rows = mean_of("rows"), specialist = set[[2L]],
    call = set[[3L]], measure = "log score", own = mean(own), peer = mean(peer),
    gain = mean(own - peer), gain_se = stats::sd(own - peer) / sqrt(length(own)),
    cpu = mean_of("cpu"), cpu_peer = mean_of("cpu_peer"), chosen = runs[[1L]]$chosen
  )
}

# --- forecasts: scaled errors of whole series -----------------------------------------------------

#' Every fifty-fifth monthly and quarterly series of the M3 competition, from the fifth on
forecast_series <- function() {
  all <- Filter(function(s) s$period %in% c("MONTHLY", "QUARTERLY"), Mcomp::M3)
  all[seq(5, length(all), by = 55)]
}

#' Mean absolute errors over those of the seasonal naive forecast within the training series
scaled_error <- function(series, forecast) {
  past <- as.vector(series$x)
  lag <- stats::frequency(series$x)
  mean(abs(as.vector(series$xx) - forecast)) / mean(abs(diff(past, lag)))
}

run_series <- function(series) {
  ahead <- length(series$xx)
  time <- seq_along(series$x)
  table <- data.frame(time = time, y = as.vector(series$x))
  fit <- gpsieve(y ~ time, table, folds = "time", ahead = ahead,
    period = stats::frequency(series$x), seed = 1, verbose = FALSE)
  own <- predict(fit, data.frame(time = length(time) + seq_len(ahead)))
  smoothed <- as.vector(forecast::forecast(forecast::ets(series$x), ahead)$mean)
  c(own = scaled_error(series, own), peer = scaled_error(series, smoothed))
}

forecast_line <- function() {
  series <- forecast_series()
  found <- vapply(seq_along(series), function(i) {
    unit(store, paste0("series-", i), function() suppressWarnings(run_series(series[[i]])))
  }, c(own = 0, peer = 0))
  gain <- found["peer", ] - found["own", ]
  data.frame(
    job = "forecasts", set = sprintf("%d series of M3", length(series)),
    rows = mean(vapply(series, function(s) length(s$x), 0L)), specialist = "forecast",
    call = "ets", measure = "scaled error", own = mean(found["own", ]),
    peer = mean(found["peer", ]), gain = mean(gain),
    gain_se = stats::sd(gain) / sqrt(length(gain)), cpu = NA, cpu_peer = NA, chosen = ""
  )
}

wanted <- function(name) !length(only) || any(vapply(only, grepl, NA, name, fixed = TRUE))
lines <- lapply(names(sets), function(name) {
  set <- sets[[name]]
  if (!wanted(set[[1L]])) return(NULL)
  if (!has(set[[2L]])) {
    message(name, " is left out, it needs ", set[[2L]])
    return(NULL)
  }
  runs <- lapply(1:2, function(seed) {
    unit(store, sprintf("%s-%s-%d", trimws(name), set[[2L]], seed),
      function() run_split(set, seed))
  })
  line_of(name, set, runs)
})
if (wanted("forecasts") && has("forecast") && has("Mcomp")) {
  lines <- c(lines, list(forecast_line()))
}
table <- do.call(rbind, lines)
if (length(only)) print(table, digits = 3) else store_results(table, "jobs.csv")
