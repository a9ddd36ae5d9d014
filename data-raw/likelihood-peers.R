# Likelihoods beside the packages that people use for such responses: the mean log score of rows
# that were held out, in ten folds that are the same for all, and for censored times the
# concordance.
#
#   Rscript data-raw/likelihood-peers.R         writes vignettes/results/likelihood-peers.csv
#
# Functions here are the sum of a linear and a smooth one, whose hyper-parameters are learned: by
# meanfield_gp(), or by ivm() where the likelihood is not log-concave. Those of peers are linear in
# the same inputs. Needs MASS and survival; betareg where it is installed.
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

air <- na.omit(airquality)
air$level <- cut(air$Ozone, c(0, 30, 60, 200), c("low", "medium", "high"), ordered_result = TRUE)
boston <- transform(Boston,
  price = cut(medv, c(0, 15, 20, 25, 35, 51), c("a", "b", "c", "d", "e"), ordered_result = TRUE))
fuel <- if (requireNamespace("betareg", quietly = TRUE)) {
  utils::data("GasolineYield", package = "betareg", envir = environment())
  GasolineYield
}

tasks <- list(
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

# Log scores of every row, and risks, from the fold that holds it out.
cross <- function(data, formula, fit, score, risk) {
  set.seed(1)
  fold <- sample(rep_len(1:10, nrow(data)))
  scores <- risks <- numeric(nrow(data))
  for (k in 1:10) {
    test <- data[fold == k, ]
    made <- suppressWarnings(suppressMessages(fit(formula, data[fold != k, ])))
    scores[fold == k] <- suppressWarnings(score(made, test))
    if (!is.null(risk)) risks[fold == k] <- risk(made, test)
  }
  list(scores = scores, risks = if (!is.null(risk)) risks)
}

rows <- lapply(tasks, function(task) {
  names(task) <- c("name", "data", "formula", "likelihood", "peers")
  censored <- inherits(with(task$data, eval(task$formula[[2L]])), "Surv")
  concave <- !grepl("beta|zero_inflation", format(task$likelihood))
  model <- if (concave) meanfield_gp else ivm
  engines <- c(list(gpsieve = list(
    fit = function(formula, data) {
      model(formula, data, kernel_linear() + kernel_rbf(ard = TRUE), likelihood = task$likelihood,
        seed = 1, verbose = FALSE)
    },
    score = function(fit, test) log_score(fit, test, NULL, sys.call()),
    risk = if (censored) function(fit, test) predict(fit, test, type = "link")
  )), task$peers)
  found <- lapply(names(engines), function(name) {
    engine <- engines[[name]]
    seconds <- system.time(
      out <- cross(task$data, task$formula, engine$fit, engine$score, engine$risk)
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
      concordance = concordance, seconds = seconds)
  })
  out <- do.call(rbind, found)
  print(out, digits = 4)
  out
})
table <- do.call(rbind, rows)
store_results(table, "likelihood-peers.csv")
