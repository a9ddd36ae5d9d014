# One plain call of gpsieve() for each of the jobs that people bring, beside packages that are made
# for the job: the mean log score of rows that were held out, three splits of sets that have fewer
# than 300 rows to learn from and two of others; for large tables the loss of quantiles; and for
# forecasts the mean absolute scaled error of each series.
#
#   Rscript data-raw/jobs.R                  writes vignettes/results/jobs.csv and jobs-winds.csv
#   Rscript data-raw/jobs.R mcycle counts    only sets or jobs of these names: other lines of the
#                                            file stay as they are
#
# Peers are called as their documentation does, with what the job is about and nothing tuned, but
# that hetGP has wide bounds for computer codes. Needs MASS, nlme, lme4, mgcv, survival, modeldata,
# GpGp with fields, spNNGP, sp, ordinal, hetGP, DiceKriging, dbarts, ranger, forecast and Mcomp, and
# the folder GPSIEVE_DATA (tools/data.R); what is not installed is left out with a message.
suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
source("data-raw/jobs-peers.R")
source("tools/data.R")
only <- commandArgs(TRUE)
store <- open_store("jobs")
peers_store <- open_store("jobs", of_package = FALSE)
log_score <- utils::getFromNamespace("log_predictive", "gpsieve")

has <- function(package) requireNamespace(package, quietly = TRUE)
packaged <- function(name, package) {
  folder <- new.env()
  utils::data(list = name, package = package, envir = folder)
  folder[[name]]
}

# --- rows to learn from and to predict -----------------------------------------------------------

#' Four fifths of the rows to learn from, at most `most` of them at random, the others to predict
split_rows <- function(table, seed, most = Inf) {
  set.seed(seed)
  table <- table[stats::complete.cases(table), ]
  test <- sample(nrow(table), round(nrow(table) / 5))
  rest <- setdiff(seq_len(nrow(table)), test)
  if (length(rest) > most) rest <- sample(rest, most)
  list(train = droplevels(table[rest, ]), test = table[test, ])
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

#' Satellite temperatures of land (Heaton et al. 2019): at most 8000 rows learn, 3000 are predicted;
#' NULL without the file
land_temperatures <- function(seed) {
  file <- gpsieve_data("spatial/AllSatelliteTemps.RData")
  if (is.null(file)) return(NULL)
  folder <- new.env()
  load(file, folder)
  table <- stats::setNames(folder$all.sat.temps[c("Lon", "Lat", "TrueTemp")],
    c("longitude", "latitude", "y"))
  found <- split_rows(table, seed, 8000)
  found$test <- utils::head(found$test, 3000)
  found
}

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
  "sea winds" = job("space and time", sea_winds, peer("GpGp", "fit_model",
    nearest("matern_spheretime", c("longitude", "latitude", "time")))),
  "land temperatures" = job("space and time", land_temperatures,
    peer("GpGp", "fit_model", nearest("matern_isotropic", c("longitude", "latitude"))),
    peer("spNNGP", "spConjNNGP", neighbours(c("longitude", "latitude"))),
    gam(surface(c("longitude", "latitude"), 300), "gam, 300 coefficients")),
  meuse = job("space and time", rows_of(function() {
    stats::setNames(packaged("meuse", "sp")[c("x", "y", "zinc")], c("east", "north", "y"))
  }), peer("GpGp", "fit_model, logarithm", nearest("matern_isotropic", c("east", "north"), TRUE)),
  gam(surface(c("east", "north"), 30, TRUE), "gam, logarithm")),
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
  housing = job("ordered classes", rows_of(function() {
    table <- MASS::housing[rep(seq_len(nrow(MASS::housing)), MASS::housing$Freq), ]
    named(table[c("Sat", "Infl", "Type", "Cont")], "Sat")
  }), peer("MASS", "polr", proportional)),
  wine = job("ordered classes", rows_of(function() {
    named(packaged("wine", "ordinal")[c("rating", "temp", "contact")], "rating")
  }), peer("ordinal", "clm", cumulative)),
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
      if (set$measure == "log score") log_score(fit, rows$test, NULL)
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
    cpu = mean_of(own, "cpu"), cpu_peer = mean_of(its, "cpu"), chosen = own[[1L]]$chosen,
    held = NA, held_peer = NA
  )
}

fewest_for_two_splits <- 300
#' The lines of a set, one for each peer that is installed
lines_of_set <- function(name) {
  set <- sets[[name]]
  here <- Filter(function(peer) has(peer$package), set$peers)
  if (length(here) < length(set$peers)) message("Some peers are not installed: ", name)
  if (!length(here)) return(NULL)
  first <- set$read(1)
  if (is.null(first)) return(NULL)
  seeds <- seq_len(if (nrow(first$train) < fewest_for_two_splits) 3 else 2)
  of_seeds <- function(kind, store, run) {
    lapply(seeds, function(seed) {
      unit(store, sprintf("%s-%s-%d", name, kind, seed), function() run(seed))
    })
  }
  own <- of_seeds("own", store, function(seed) run_own(set, seed))
  do.call(rbind, lapply(here, function(peer) {
    its <- of_seeds(peer$package, peers_store, function(seed) run_peer(set, peer, seed))
    line_of(name, set, peer, own, its)
  }))
}

# --- forecasts: scaled errors and intervals of whole series ---------------------------------------

of_seasons <- function(all) Filter(function(s) s$period %in% c("MONTHLY", "QUARTERLY"), all)

#' The series of each set. Of M3 every fifty-fifth monthly and quarterly one, from the fifth on; of
#' M1 a random sample of those with at least twice as many observations as steps ahead.
forecast_sets <- list(
  "40 series of M3" = function() {
    all <- of_seasons(Mcomp::M3)
    all[seq(5, length(all), by = 55)]
  },
  "40 series of M1" = function() {
    all <- Filter(function(s) s$n >= 2 * s$h, of_seasons(Mcomp::M1))
    set.seed(1)
    all[sort(sample(length(all), 40))]
  }
)
forecast_peers <- c("ets", "auto.arima")

#' The mean absolute error over that of the seasonal naive forecast within the training series, and
#' the share of later values in 90 % intervals
forecast_scores <- function(series, mean, lower, upper) {
  later <- as.vector(series$xx)
  unit <- mean(abs(diff(as.vector(series$x), stats::frequency(series$x))))
  c(error = mean(abs(later - mean)) / unit, held = mean(later >= lower & later <= upper))
}

own_forecast <- function(series) {
  table <- data.frame(time = seq_along(series$x), y = as.vector(series$x))
  ahead <- length(series$xx)
  fit <- gpsieve(y ~ time, table, folds = "time", ahead = ahead,
    period = stats::frequency(series$x), seed = 1, verbose = FALSE)
  later <- data.frame(time = length(series$x) + seq_len(ahead))
  found <- predict(fit, later, interval = "prediction", level = 0.9)
  forecast_scores(series, found[, "fit"], found[, "lwr"], found[, "upr"])
}

peer_forecast <- function(series, call) {
  fit <- getExportedValue("forecast", call)
  found <- forecast::forecast(fit(series$x), length(series$xx), level = 90)
  forecast_scores(series, as.vector(found$mean), as.vector(found$lower), as.vector(found$upper))
}

#' The scores of all series by one way to forecast, and its CPU seconds
run_series <- function(name, kind, store, forecast) {
  all <- forecast_sets[[name]]()
  found <- lapply(seq_along(all), function(i) {
    unit(store, sprintf("%s-%s-%d", name, kind, i), function() {
      ran <- seconds_of(function() forecast(all[[i]]))
      c(ran$value, cpu = ran$cpu)
    })
  })
  each <- function(field) vapply(found, `[[`, 0, field)
  list(error = each("error"), held = each("held"), cpu = each("cpu"),
    rows = mean(vapply(all, function(s) length(s$x), 0L)))
}

forecast_lines <- function(name) {
  own <- run_series(name, "own", store, own_forecast)
  do.call(rbind, lapply(forecast_peers, function(call) {
    its <- run_series(name, call, peers_store,
      function(series) peer_forecast(series, call))
    gain <- its$error - own$error
    data.frame(
      job = "forecasts", set = name, rows = own$rows, specialist = "forecast", call = call,
      measure = "scaled error", own = mean(own$error), peer = mean(its$error), gain = mean(gain),
      gain_se = stats::sd(gain) / sqrt(length(gain)), cpu = mean(own$cpu), cpu_peer = mean(its$cpu),
      chosen = "", held = mean(own$held), held_peer = mean(its$held)
    )
  }))
}

# The scores of the call by itself, without peers.
first_units("jobs.csv" = {
  set <- sets[["borehole, 50"]]
  own <- lapply(1:3, function(seed) run_own(set, seed))
  data.frame(set = "borehole, 50", own = mean(unlist(lapply(own, `[[`, "scores"))),
    chosen = own[[1L]]$chosen)
})

forecasts <- if (has("forecast") && has("Mcomp")) names(forecast_sets)
all_sets <- c(names(sets), forecasts)
wanted <- function(name) {
  job <- if (name %in% forecasts) "forecasts" else sets[[name]]$job
  !length(only) || name %in% only || job %in% only
}
file <- file.path(results_folder, "jobs.csv")
old <- if (length(only) && file.exists(file)) utils::read.csv(file)
lines <- lapply(all_sets, function(name) {
  if (!wanted(name)) return(old[old$set == name, ])
  if (name %in% forecasts) forecast_lines(name) else lines_of_set(name)
})
table <- do.call(rbind, lines)
kept <- any(!vapply(all_sets, wanted, NA))
store_results(table, "jobs.csv", if (kept) version_of_results("jobs.csv") else core_version)

# --- winds at sea: what makes the difference ------------------------------------------------------

call_scores <- function(train, test) {
  log_score(gpsieve(usual, train, seed = 1, verbose = FALSE), test, NULL)
}

#' The table with three coordinates of places on a sphere in place of longitude and latitude
on_sphere <- function(table) {
  lon <- table$longitude * pi / 180
  lat <- table$latitude * pi / 180
  data.frame(a = cos(lat) * cos(lon), b = cos(lat) * sin(lon), c = sin(lat), time = table$time,
    y = table$y)
}

#' The call; its function with one machine for all rows, without borders between parts; and the call
#' for coordinates of a sphere
ways_of_winds <- list(
  call = call_scores,
  whole = function(train, test) {
    fit <- gpsieve(usual, train, seed = 1, verbose = FALSE)
    log_score(meanfield_gp(usual, train, kernel_of(fit), likelihood_of(fit), optimise = FALSE,
      control = control_meanfield(solver = "cholesky"), seed = 1), test, NULL)
  },
  sphere = function(train, test) call_scores(on_sphere(train), on_sphere(test))
)

#' The mean log score of each way, and its gain over the call with a standard error
scores_of_winds <- function() {
  scores <- lapply(stats::setNames(nm = names(ways_of_winds)), function(way) {
    unlist(lapply(1:2, function(seed) {
      unit(store, sprintf("ways of sea winds-%s-%d", way, seed), function() {
        rows <- sea_winds(seed)
        suppressWarnings(suppressMessages(ways_of_winds[[way]](rows$train, rows$test)))
      })
    }))
  })
  gains <- lapply(scores, function(x) x - scores$call)
  data.frame(
    way = names(scores), score = vapply(scores, mean, 0), gain = vapply(gains, mean, 0),
    gain_se = vapply(gains, function(x) stats::sd(x) / sqrt(length(x)), 0)
  )
}
if (wanted("sea winds") && has("GpGp")) store_results(scores_of_winds(), "jobs-winds.csv")
