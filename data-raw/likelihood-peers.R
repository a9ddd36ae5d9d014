# Likelihoods beside the packages that people use for such responses: the mean log score of rows
# that were held out, in ten folds that are the same for all, and for censored times the
# concordance; for noise that depends on the inputs the share of rows within 90 % intervals.
#
#   Rscript data-raw/likelihood-peers.R         writes vignettes/results/likelihood-peers.csv
#   Rscript data-raw/likelihood-peers.R mcycle  measures one data set anew and keeps other rows
#
# Functions here are the sum of a linear and a smooth one, whose hyper-parameters are learned: by
# meanfield_gp(), or by ivm() where the likelihood is not log-concave. Those of peers are linear in
# the same inputs. Needs MASS and survival; betareg and
# hetGP where they are installed.
library(gpsieve)
source("data-raw/units.R")
suppressPackageStartupMessages({
  library(MASS)
  library(survival)
})

log_score <- utils::getFromNamespace("log_predictive", "gpsieve")

# Every peer is list(fit(formula, data), score(fit, test), risk(fit, test)).
peer_polr <- list(
  fit = function(formula, data) polr(formula, data, method = "probit"),
  score = function(fit, test) {
    p <- predict(fit, test, type = "probs")
    log(p[cbind(seq_len(nrow(test)), as.integer(model.response(model.frame(fit$terms, test))))])
  }
)
peer_nb <- list(
  fit = function(formula, data) glm.nb(formula, data),
  score = function(fit, test) {
    dnbinom(model.response(model.frame(terms(fit), test)), size = fit$theta,
      mu = predict(fit, test, type = "response"), log = TRUE)
  }
)
peer_poisson <- list(
  fit = function(formula, data) glm(formula, poisson, data),
  score = function(fit, test) {
    dpois(model.response(model.frame(terms(fit), test)), predict(fit, test, type = "response"),
      log = TRUE)
  }
)
peer_binomial <- list(
  fit = function(formula, data) glm(formula, binomial, data),
  score = function(fit, test) {
    y <- model.response(model.frame(terms(fit), test))
    dbinom(y[, 1L], rowSums(y), predict(fit, test, type = "response"), log = TRUE)
  }
)
peer_gamma <- list(
  fit = function(formula, data) glm(formula, Gamma("log"), data),
  score = function(fit, test) {
    shape <- gamma.shape(fit)$alpha
    dgamma(model.response(model.frame(terms(fit), test)), shape,
      shape / predict(fit, test, type = "response"), log = TRUE)
  }
)
peer_lognormal <- list(
  fit = function(formula, data) {
    formula[[2L]] <- call("log", formula[[2L]])
    lm(formula, data)
  },
  score = function(fit, test) {
    log_y <- model.response(model.frame(terms(fit), test))
    dnorm(log_y, predict(fit, test), sigma(fit), log = TRUE) - log_y
  }
)
peer_beta <- list(
  fit = function(formula, data) betareg::betareg(formula, data),
  score = function(fit, test) {
    y <- model.response(model.frame(formula(fit), test))
    m <- predict(fit, test, type = "response")
    precision <- predict(fit, test, type = "precision")
    dbeta(y, m * precision, (1 - m) * precision, log = TRUE)
  }
)
peer_survreg <- function(dist) {
  list(
    fit = function(formula, data) survreg(formula, data, dist = dist),
    score = function(fit, test) {
      y <- model.response(model.frame(terms(fit), test))
      at <- predict(fit, test, type = "lp")
      time <- y[, 1L]
      ifelse(y[, 2L] == 1, log(dsurvreg(time, at, fit$scale, dist)),
        log1p(-psurvreg(time, at, fit$scale, dist)))
    },
    risk = function(fit, test) predict(fit, test, type = "lp")
  )
}

# Gaussian predictions: list(fit, score, inside), given what says mean and standard deviation.
gaussian_engine <- function(fit, moments) {
  of <- function(made, test) {
    frame <- model.frame(test$formula, test$data)
    list(y = model.response(frame), at = moments(made, test$data, frame))
  }
  list(
    fit = fit,
    score = function(made, test) with(of(made, test), dnorm(y, at$mean, at$sd, log = TRUE)),
    inside = function(made, test) {
      with(of(made, test), abs(y - at$mean) <= qnorm(0.95) * at$sd)
    }
  )
}
# Among several likelihoods AIC chooses, in each fold.
gaussian_here <- function(...) {
  gaussian_engine(
    function(formula, data) {
      fits <- lapply(list(...), function(likelihood) {
        meanfield_gp(formula, data, kernel_linear() + kernel_rbf(ard = TRUE),
          likelihood = likelihood, seed = 1, verbose = FALSE)
      })
      fits[[which.min(vapply(fits, AIC, 0))]]
    },
    function(made, data, frame) {
      limits <- predict(made, data, interval = "prediction", level = 0.9)
      list(mean = limits[, "fit"], sd = (limits[, "upr"] - limits[, "lwr"]) / 2 / qnorm(0.95))
    }
  )
}
noise_by_df <- lapply(4:8, function(df) {
  eval(bquote(lik_gaussian(noise = ~ splines::ns(times, .(df)))))
})
gaussian_hetgp <- gaussian_engine(
  function(formula, data) {
    frame <- model.frame(formula, data)
    hetGP::mleHetGP(as.matrix(frame[-1L]), frame[[1L]], covtype = "Gaussian")
  },
  function(made, data, frame) {
    found <- predict(made, as.matrix(frame[-1L]))
    list(mean = found$mean, sd = sqrt(found$sd2 + found$nugs))
  }
)

air <- na.omit(airquality)
air$level <- cut(air$Ozone, c(0, 30, 60, 200), c("low", "medium", "high"), ordered_result = TRUE)
boston <- transform(Boston,
  price = cut(medv, c(0, 15, 20, 25, 35, 51), c("a", "b", "c", "d", "e"), ordered_result = TRUE))
fuel <- if (requireNamespace("betareg", quietly = TRUE)) {
  utils::data("GasolineYield", package = "betareg", envir = environment())
  GasolineYield
}

tasks <- list(
  if (requireNamespace("hetGP", quietly = TRUE)) {
    list("mcycle", mcycle, accel ~ times, lik_gaussian(noise = ~ splines::ns(times, df)),
      list("gpsieve, one noise" = gaussian_here(lik_gaussian()), hetGP = gaussian_hetgp))
  },
  list("airquality", air, level ~ Wind + Temp + Solar.R, lik_ordinal(), list(polr = peer_polr)),
  list("Boston prices", boston, price ~ crim + zn + indus + nox + rm + age + dis + tax + ptratio +
    lstat, lik_ordinal(), list(polr = peer_polr)),
  list("quine", quine, Days ~ Eth + Sex + Age + Lrn, lik_negative_binomial(),
    list(glm.nb = peer_nb, "glm poisson" = peer_poisson)),
  list("epil", epil, y ~ trt + base + age + period, lik_negative_binomial(),
    list(glm.nb = peer_nb, "glm poisson" = peer_poisson)),
  list("epil", epil, y ~ trt + base + age + period, lik_poisson(zero_inflation = TRUE),
    list(glm.nb = peer_nb)),
  list("esoph", transform(esoph, controls = ncontrols), cbind(ncases, controls) ~ agegp + alcgp +
    tobgp, lik_binomial(), list("glm binomial" = peer_binomial)),
  list("menarche", transform(menarche, no = Total - Menarche), cbind(Menarche, no) ~ Age,
    lik_binomial(), list("glm binomial" = peer_binomial)),
  list("GAGurine", GAGurine, GAG ~ Age, lik_gamma(), list("glm Gamma" = peer_gamma)),
  list("GAGurine", GAGurine, GAG ~ Age, lik_lognormal(), list("lm of log" = peer_lognormal)),
  list("airquality", air, Ozone ~ Wind + Temp + Solar.R, lik_gamma(),
    list("glm Gamma" = peer_gamma)),
  if (!is.null(fuel)) list("GasolineYield", fuel, yield ~ temp + gravity + pressure + temp10,
    lik_beta(), list(betareg = peer_beta)),
  list("lung", na.omit(lung[c("time", "status", "age", "sex", "ph.ecog", "ph.karno", "wt.loss")]),
    Surv(time, status) ~ age + sex + ph.ecog + ph.karno + wt.loss, lik_censored(),
    list("survreg log-normal" = peer_survreg("lognormal"),
      "survreg Weibull" = peer_survreg("weibull"))),
  list("veteran", veteran, Surv(time, status) ~ trt + celltype + karno + diagtime + age + prior,
    lik_censored(), list("survreg log-normal" = peer_survreg("lognormal"),
      "survreg Weibull" = peer_survreg("weibull"))),
  list("ovarian", ovarian, Surv(futime, fustat) ~ age + resid.ds + rx + ecog.ps, lik_censored(),
    list("survreg log-normal" = peer_survreg("lognormal"),
      "survreg Weibull" = peer_survreg("weibull"))),
  list("pbc", na.omit(transform(pbc[1:312, c("time", "status", "age", "bili", "albumin", "protime",
    "edema")], dead = status == 2)), Surv(time, dead) ~ age + log(bili) + albumin + protime + edema,
    lik_censored(), list("survreg log-normal" = peer_survreg("lognormal"),
      "survreg Weibull" = peer_survreg("weibull")))
)
tasks <- Filter(Negate(is.null), tasks)
only <- commandArgs(TRUE)
if (length(only)) tasks <- Filter(function(task) task[[1L]] %in% only, tasks)

# Log scores of every row, and risks, from the fold that holds it out.
cross <- function(data, formula, engine) {
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(data)))
  scores <- risks <- inside <- rep(NA_real_, nrow(data))
  for (k in 1:10) {
    test <- data[fold == k, ]
    made <- suppressWarnings(suppressMessages(engine$fit(formula, data[fold != k, ])))
    if (!is.null(engine$inside)) {
      test <- list(formula = formula, data = test)
      inside[fold == k] <- engine$inside(made, test)
    }
    scores[fold == k] <- suppressWarnings(engine$score(made, test))
    if (!is.null(engine$risk)) risks[fold == k] <- engine$risk(made, test)
  }
  list(scores = scores, risks = risks, inside = inside)
}

scores_on <- function(task) {
  names(task) <- c("name", "data", "formula", "likelihood", "peers")
  censored <- inherits(with(task$data, eval(task$formula[[2L]])), "Surv")
  concave <- !grepl("beta|zero_inflation", format(task$likelihood))
  model <- if (concave) meanfield_gp else ivm
  noisy <- !is.null(task$likelihood$noise)
  here <- if (noisy) do.call(gaussian_here, noise_by_df) else list(
    fit = function(formula, data) {
      model(formula, data, kernel_linear() + kernel_rbf(ard = TRUE), likelihood = task$likelihood,
        seed = 1, verbose = FALSE)
    },
    score = function(fit, test) log_score(fit, test, NULL),
    risk = if (censored) function(fit, test) predict(fit, test, type = "link")
  )
  engines <- c(list(gpsieve = here), task$peers)
  found <- lapply(names(engines), function(name) {
    engine <- engines[[name]]
    seconds <- system.time(
      out <- cross(task$data, task$formula, engine)
    )[["elapsed"]]
    concordance <- if (censored) {
      y <- with(task$data, eval(task$formula[[2L]]))
      survival::concordance(y ~ out$risks)$concordance
    } else {
      NA
    }
    data.frame(data = task$name, rows = nrow(task$data), likelihood = format(task$likelihood),
      engine = name, log_score = mean(out$scores),
      std_error = sd(out$scores) / sqrt(nrow(task$data)),
      concordance = concordance, coverage90 = mean(out$inside), seconds = seconds)
  })
  out <- do.call(rbind, found)
  print(out, digits = 4)
  out
}
first_units("likelihood-peers.csv" = {
  task <- Filter(function(task) task[[1]] == "menarche", tasks)[[1]]
  task[5] <- list(list()) # no peers
  scores_on(task)
})
table <- do.call(rbind, lapply(tasks, scores_on))
if (length(only)) {
  earlier <- read.csv("vignettes/results/likelihood-peers.csv")
  if (is.null(earlier$coverage90)) earlier$coverage90 <- NA
  table <- rbind(table, earlier[!earlier$data %in% only, names(table)])
}
store_results(table, "likelihood-peers.csv")
