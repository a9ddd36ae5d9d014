# One plain call of gpsieve() for each of the jobs that people bring, beside packages that are made
# for the job: the mean log score of rows that were held out, three splits of sets that have fewer
# than 300 rows to learn from and two of others; for large tables the loss of quantiles; and for
# forecasts the mean absolute scaled error of each series.
#
#   Rscript data-raw/jobs.R                  writes vignettes/results/jobs.csv
#   Rscript data-raw/jobs.R mcycle counts    only sets or jobs of these names: other lines of the
#                                            file stay as they are
#
# Peers are called as their documentation does, with what the job is about and nothing tuned, but
# that hetGP has wide bounds for computer codes. Needs MASS, nlme, lme4, mgcv, survival, modeldata,
# GpGp with fields, hetGP, DiceKriging, dbarts, ranger, forecast and Mcomp; peers that are not
# installed are left out with a message.
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

# --- rows to learn from and to predict -----------------------------------------------------------

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

#' n points of a Latin hypercube and 1000 random new ones of a computer code of d inputs
code_rows <- function(code, d, n) {
  function(seed) {
    set.seed(seed)
    made <- function(u) data.frame(u, y = code(u))
    list(train = made(latin(n, d)), test = made(matrix(stats::runif(1000 * d), ncol = d)))
  }
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

# --- peers: function(train, formula) gives function(test), a score of each of its rows -----------

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
kriging <- function(train, formula) {
  inputs <- setdiff(names(train), "y")
  fit <- DiceKriging::km(design = train[inputs], response = train$y, control = list(trace = FALSE))
  function(test) {
    found <- stats::predict(fit, test[inputs], type = "UK")
    normal_scores(test$y, found$mean, pmax(found$sd, 1e-8 * stats::sd(train$y)))
  }
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

# Quantiles of trees, which have no density: the loss of each row is the mean pinball loss of these
# quantiles, doubled, in units of the standard deviation of the response.
tried_probs <- seq(0.05, 0.95, by = 0.05)
quantile_score <- function(quantiles, y, unit) {
  beyond <- (y - quantiles) / unit
  -2 * rowMeans(pmax(t(t(beyond) * tried_probs), t(t(beyond) * (tried_probs - 1))))
}
of_quantiles <- function(fit_to) {
  function(train, formula) {
    quantiles <- fit_to(train)
    function(test) quantile_score(quantiles(test), test$y, stats::sd(train$y))
  }
}
trees_added <- of_quantiles(function(train) {
  fit <- dbarts::bart2(y ~ ., train, keepTrees = TRUE, verbose = FALSE, n.threads = 1L, seed = 1L)
  function(test) {
    t(apply(stats::predict(fit, test, type = "ppd"), 2L, stats::quantile, tried_probs))
  }
})
forest <- of_quantiles(function(train) {
  fit <- ranger::ranger(y ~ ., train, quantreg = TRUE, num.threads = 1, seed = 1)
  function(test) {
    stats::predict(fit, test, type = "quantiles", quantiles = tried_probs)$predictions
  }
})

rows_of <- function(read) {
  function(seed) split_rows(read(), seed)
}
named <- function(table, response) {
  names(table)[names(table) == response] <- "y"
  as.data.frame(table)
}
usual <- y ~ .
peer <- function(package, call, fit) list(package = package, call = call, fit = fit)
job <- function(job, read, ..., formula = usual, measure = "log score") {
  list(job = job, read = read, peers = list(...), formula = formula, measure = measure)
}
code <- function(code, d, n, ...) job("computer codes", code_rows(code, d, n), ...)
with_het <- peer("hetGP", "mleHomGP", homoskedastic)
with_kriging <- peer("DiceKriging", "km", kriging)
gam <- function(fit, call) peer("mgcv", call, fit)
large_table <- function(read) {
  job("tables", rows_of(read), peer("dbarts", "bart2", trees_added),
    peer("ranger", "ranger, quantreg", forest), measure = "quantile loss")
}
sets <- list(
  "borehole, 50" = code(borehole, 8, 50, with_het, with_kriging),
  "borehole, 200" = code(borehole, 8, 200, with_het, with_kriging),
  "borehole, 1000" = code(borehole, 8, 1000, with_het),
  "wing weight, 50" = code(wing_weight, 10, 50, with_het, with_kriging),
  "wing weight, 200" = code(wing_weight, 10, 200, with_het, with_kriging),
  mcycle = job("changing noise", rows_of(function() named(MASS::mcycle, "accel")),
    gam(gaulss, "gam, gaulss"), peer("hetGP", "mleHetGP", heteroskedastic)),
  GAGurine = job("changing noise", rows_of(function() named(MASS::GAGurine, "GAG")),
    gam(gaulss, "gam, gaulss")),
  quine = job("counts", rows_of(function() named(MASS::quine, "Days")), gam(of_counts, "gam, nb")),
  epil = job("counts",
    rows_of(function() named(MASS::epil[c("y", "trt", "base", "age", "period")], "y")),
    gam(of_counts, "gam, nb")),
  sleepstudy = job("groups", rows_of(function() named(packaged("sleepstudy", "lme4"), "Reaction")),
    peer("lme4", "lmer", mixed("Days + (Days | Subject)")),
    formula = y ~ Days + (Days | Subject)),
  Orthodont = job("groups", rows_of(function() {
    table <- named(nlme::Orthodont, "distance")
    table$Subject <- factor(table$Subject, ordered = FALSE)
    table
  }), peer("lme4", "lmer", mixed("age + Sex + (age | Subject)")),
  formula = y ~ age + Sex + (age | Subject)),
  # With 2000 ocean temperatures (argo2016) fit_model() had not ended after four CPU minutes.
  "sea winds" = job("space and time", sea_winds, peer("GpGp", "fit_model", spacetime)),
  lung = job("censored times", rows_of(function() {
    survival::lung[c("time", "status", "age", "sex", "ph.ecog", "ph.karno", "wt.loss")]
  }), peer("survival", "survreg, log-normal", accelerated),
  formula = survival::Surv(time, status) ~ age + sex + ph.ecog + ph.karno + wt.loss),
  pbc = job("censored times", rows_of(function() {
    table <- survival::pbc[1:312, c("time", "status", "age", "bili", "albumin", "protime",
      "edema")]
    table$status <- 1 + (table$status == 2)
    table
  }), peer("survival", "survreg, log-normal", accelerated),
  formula = survival::Surv(time, status) ~ age + bili + albumin + protime + edema),
  air = job("ordered classes", rows_of(function() {
    table <- datasets::airquality[c("Ozone", "Solar.R", "Wind", "Temp")]
    table$y <- cut(table$Ozone, c(0, 30, 60, 200), c("low", "medium", "high"),
      ordered_result = TRUE)
    table[-1L]
  }), peer("MASS", "polr", proportional)),
  Boston = job("tables", rows_of(function() named(MASS::Boston, "medv")), gam(of_numbers, "gam")),
  cars = job("tables", rows_of(function() {
    named(MASS::Cars93[c("MPG.city", "Weight", "Horsepower", "EngineSize", "Type", "Origin")],
      "MPG.city")
  }), gam(of_numbers, "gam")),
  concrete = large_table(function() {
    named(packaged("concrete", "modeldata"), "compressive_strength")
  }),
  quakes = large_table(function() named(datasets::quakes, "depth"))
)

seconds_of <- function(work) {
  start <- proc.time()
  value <- suppressWarnings(suppressMessages(work()))
  list(value = value, cpu = sum((proc.time() - start)[c("user.self", "sys.self")]))
}

#' The scores of the call on one split, with what gpsieve() chose
run_own <- function(set, seed) {
  rows <- set$read(seed)
  own <- seconds_of(function() {
    fit <- gpsieve(set$formula, rows$train, seed = 1, verbose = FALSE)
    scores <-
      if (set$measure == "log score") log_score(fit, rows$test, NULL, sys.call())
      else quantile_score(predict(fit, rows$test, type = "quantile", probs = tried_probs),
        rows$test$y, stats::sd(rows$train$y))
    list(scores = scores, chosen = choice(fit)$label[1L])
  })
  c(own$value, list(cpu = own$cpu, rows = nrow(rows$train)))
}

run_peer <- function(set, peer, seed) {
  rows <- set$read(seed)
  found <- seconds_of(function() peer$fit(rows$train, set$formula)(rows$test))
  list(scores = found$value, cpu = found$cpu)
}

#' A line of the table: mean scores, and the mean of paired differences with its standard error;
#' the less a loss, the better
line_of <- function(name, set, peer, own, its) {
  scores <- function(runs) unlist(lapply(runs, `[[`, "scores"))
  mean_of <- function(runs, field) mean(vapply(runs, `[[`, 0, field))
  gain <- scores(own) - scores(its)
  sign <- if (set$measure == "log score") 1 else -1
  data.frame(
    job = set$job, set = name, rows = mean_of(own, "rows"), specialist = peer$package,
    call = peer$call, measure = set$measure, own = sign * mean(scores(own)),
    peer = sign * mean(scores(its)), gain = mean(gain),
    gain_se = stats::sd(gain) / sqrt(length(gain)),
    cpu = mean_of(own, "cpu"), cpu_peer = mean_of(its, "cpu"), chosen = own[[1L]]$chosen
  )
}

fewest_for_two_splits <- 300
#' The lines of a set, one for each peer that is installed
lines_of_set <- function(name) {
  set <- sets[[name]]
  here <- Filter(function(peer) has(peer$package), set$peers)
  if (length(here) < length(set$peers)) message("Some peers are not installed: ", name)
  if (!length(here)) return(NULL)
  seeds <- seq_len(if (nrow(set$read(1)$train) < fewest_for_two_splits) 3 else 2)
  of_seeds <- function(kind, run) {
    lapply(seeds, function(seed) {
      unit(store, sprintf("%s-%s-%d", name, kind, seed), function() run(seed))
    })
  }
  own <- of_seeds("own", function(seed) run_own(set, seed))
  do.call(rbind, lapply(here, function(peer) {
    line_of(name, set, peer, own, of_seeds(peer$package, function(seed) run_peer(set, peer, seed)))
  }))
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

# The name of these series in the table.
forecasts <- "40 series of M3"

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
  if (!has("forecast") || !has("Mcomp")) return(NULL)
  series <- forecast_series()
  found <- vapply(seq_along(series), function(i) {
    unit(store, paste0("series-", i), function() suppressWarnings(run_series(series[[i]])))
  }, c(own = 0, peer = 0))
  gain <- found["peer", ] - found["own", ]
  data.frame(
    job = "forecasts", set = forecasts, rows = mean(vapply(series, function(s) length(s$x), 0L)),
    specialist = "forecast", call = "ets", measure = "scaled error", own = mean(found["own", ]),
    peer = mean(found["peer", ]), gain = mean(gain),
    gain_se = stats::sd(gain) / sqrt(length(gain)), cpu = NA, cpu_peer = NA, chosen = ""
  )
}

all_sets <- c(names(sets), forecasts)
wanted <- function(name) {
  job <- if (name == forecasts) "forecasts" else sets[[name]]$job
  !length(only) || name %in% only || job %in% only
}
file <- file.path(results_folder, "jobs.csv")
old <- if (length(only) && file.exists(file)) utils::read.csv(file)
lines <- lapply(all_sets, function(name) {
  if (!wanted(name)) return(old[old$set == name, ])
  if (name == forecasts) forecast_line() else lines_of_set(name)
})
table <- do.call(rbind, lines)
kept <- any(!vapply(all_sets, wanted, NA))
store_results(table, "jobs.csv", if (kept) version_of_results("jobs.csv") else core_version)
