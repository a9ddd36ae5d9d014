# The peers of data-raw/jobs.R: function(train, formula) gives function(test), a score of each of
# its rows.

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
#' Places, or places and times, with a covariance of GpGp; the logarithm of the response is Gaussian
#' where `log` says so. `cond_sim()` draws new observations: their variance has the noise already.
#' That of 200 draws costs the log score about .0025 by chance, that of 50 about .01.
nearest <- function(covariance, locations, log = FALSE) {
  on_scale <- if (log) base::log else identity
  function(train, formula) {
    fit <- GpGp::fit_model(on_scale(train$y), as.matrix(train[locations]), silent = TRUE,
      covfun_name = covariance)
    function(test) {
      at <- as.matrix(test[locations])
      ones <- matrix(1, nrow(test))
      mean <- GpGp::predictions(fit, at, ones)
      drawn <- GpGp::cond_sim(fit = fit, locs_pred = at, X_pred = ones, nsims = 200)
      sd <- apply(drawn, 1L, stats::sd)
      normal_scores(on_scale(test$y), mean, sd) - if (log) log(test$y) else 0
    }
  }
}

#' A surface of splines with k coefficients
surface <- function(places, k, log = FALSE) {
  on_scale <- if (log) base::log else identity
  terms <- sprintf("s(%s, k = %d)", toString(places), k)
  function(train, formula) {
    train$y <- on_scale(train$y)
    fit <- mgcv::gam(stats::reformulate(terms, "y"), data = train, method = "REML")
    function(test) {
      found <- stats::predict(fit, test, se.fit = TRUE)
      normal_scores(on_scale(test$y), as.vector(found$fit),
        sqrt(as.vector(found$se.fit)^2 + fit$sig2)) - if (log) log(test$y) else 0
    }
  }
}

#' The conjugate model of neighbours; five folds choose its range and its share of noise on a grid
neighbours <- function(places) {
  function(train, formula) {
    at <- as.matrix(train[places])
    across <- max(stats::dist(apply(at, 2L, range)))
    grid <- as.matrix(expand.grid(phi = 3 / (across * c(0.02, 0.05, 0.1, 0.2, 0.5, 1)),
      alpha = c(0.001, 0.01, 0.05, 0.2, 1)))
    function(test) {
      found <- spNNGP::spConjNNGP(y ~ 1, data = train, coords = at, cov.model = "exponential",
        sigma.sq.IG = c(2, stats::var(train$y)), n.neighbors = 15, theta.alpha = grid,
        k.fold = 5, score.rule = "crps", X.0 = matrix(1, nrow(test)),
        coords.0 = as.matrix(test[places]), verbose = FALSE)
      normal_scores(test$y, as.vector(found$y.0.hat), sqrt(as.vector(found$y.0.hat.var)))
    }
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
cumulative <- function(train, formula) {
  fit <- ordinal::clm(formula, data = train)
  function(test) {
    p <- stats::predict(fit, test[setdiff(names(test), "y")])$fit
    log(p[cbind(seq_len(nrow(test)), match(test$y, levels(train$y)))])
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
