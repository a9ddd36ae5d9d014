# gpsieve(): likelihoods that the values of a response, or residuals of held-out rows, suggest.

choose <- function(formula, data, ...) gpsieve(formula, data, ..., seed = 1, verbose = FALSE)

inputs <- with_own_seed(11, data.frame(x = runif(200), z = runif(200)))
curve <- sin(6 * inputs$x)
with_response <- function(y, rows = 200) transform(inputs, y = y)[seq_len(rows), ]

test_that("numbers with the same noise everywhere are compared with no other likelihood", {
  plain <- with_response(curve + with_own_seed(1, rnorm(200, sd = 0.4)))
  fit <- choose(y ~ ., plain)
  labels <- choice(fit)$label[choice(fit)$stage == "likelihood"]
  expect_match(labels, "^learned scale")
  expect_identical(likelihood_of(fit)$type, "gaussian")
  # Nor do positive numbers whose noise is the same everywhere.
  fit <- choose(y ~ ., transform(plain, y = y - min(y) + 0.5))
  expect_identical(likelihood_of(fit)$type, "gaussian")
})

test_that("counts have a likelihood of counts, and their predictions are counts", {
  counts <- with_response(with_own_seed(2, rnbinom(200, mu = exp(1 + curve), size = 1.5)), 150)
  fit <- choose(y ~ ., counts)
  expect_identical(likelihood_of(fit)$type, "negative_binomial")
  expect_lt(choice(fit)$difference[choice(fit)$label == "rough and smooth"], -0.2)
  limits <- predict(fit, counts, interval = "prediction")
  expect_identical(unname(limits[, "lwr"]), round(unname(limits[, "lwr"])))
  again <- eval(choice(fit, "call"), list(formula = y ~ ., data = counts))
  expect_identical(predict(again, counts), predict(fit, counts))
  expect_s3_class(update(fit, data = counts[1:100, ]), "gpsieve_fit")
})

test_that("the call of counts with Gaussian noise advises no likelihood that was compared", {
  counts <- with_own_seed(3, data.frame(x = runif(60), z = rnorm(60)))
  counts$y <- with_own_seed(4, rpois(60, 3 + 20 * counts$x))
  fit <- choose(y ~ x, counts)
  expect_identical(likelihood_of(fit)$type, "gaussian")
  call <- choice(fit, "call")
  expect_identical(call$likelihood, quote(lik_gaussian()))
  expect_no_message(again <- eval(call, list(data = counts)), class = "gpsieve_advice")
  expect_identical(predict(again, counts), predict(fit, counts))
  expect_message(ivm(y ~ x, counts, seed = 1), class = "gpsieve_advice")
  # Rows with gaps keep the noise of their own.
  lacking <- transform(counts, z = replace(z, 1:15, NA))
  fit <- choose(y ~ x + z, lacking, na.action = "model")
  again <- suppressMessages(eval(choice(fit, "call"), list(data = lacking)))
  expect_identical(predict(again, lacking), predict(fit, lacking))
})

test_that("numbers that only look like counts keep Gaussian noise", {
  even <- with_response(round(30 + 3 * curve + with_own_seed(3, rnorm(200))))
  expect_false(any(grepl("binomial|Poisson", choice(choose(y ~ ., even))$label)))
  expect_false(are_counts(c(0, 1, 1, 0)))
  expect_false(are_counts(c(1, 2, 2.5, 9, 9)))
  expect_false(are_counts(c(5, 5, 6, 6, 5)))
  expect_false(are_counts(1000 * c(1, 2, 2, 9)))
  expect_true(are_counts(c(0, 0, 1, 2, 7)))
})

test_that("a likelihood is fitted where the means of Gaussian noise say that it may be better", {
  task <- function(y) list(molded = list(y = y))
  usual <- function(mean) {
    list(judged = list(row = seq_along(mean), said = cbind(mean = mean)))
  }
  mean <- exp(1 + curve)
  unit <- with_own_seed(12, rnorm(200))
  expect_true(promises_gain(lik_lognormal(), usual(mean), task(mean * exp(0.5 * unit))))
  expect_false(promises_gain(lik_lognormal(), usual(mean + 3), task(mean + 3 + 0.1 * unit)))
  counts <- with_own_seed(13, rnbinom(200, mu = mean, size = 1))
  expect_true(promises_gain(lik_negative_binomial(), usual(mean), task(counts)))
  rounded <- round(mean + 10 + 0.7 * unit)
  expect_false(promises_gain(lik_negative_binomial(), usual(mean + 10), task(rounded)))
  share <- with_own_seed(14, rbeta(200, 0.6, 3))
  expect_true(promises_gain(lik_beta(), usual(rep(1 / 6, 200)), task(share)))
  # Shares next to 1, whose log-odds are far from the others, and shares of hardly any noise.
  mean_share <- plogis(1 + 3 * curve)
  for (precision in list(exp(2 + 3 * inputs$x), 1e5)) {
    share <- with_own_seed(15, rbeta(200, mean_share * precision, (1 - mean_share) * precision))
    expect_true(promises_gain(lik_beta(), usual(mean_share), task(pmin(share, 1 - 1e-6))))
  }
  expect_false(promises_gain(lik_beta(), usual(mean_share), task(mean_share + 1e-3 * unit)))
  # Means beyond the range of the likelihood, or none.
  expect_true(promises_gain(lik_negative_binomial(), usual(mean - 1.5), task(counts)))
  expect_false(promises_gain(lik_lognormal(), usual(rep(NA_real_, 200)), task(mean)))
})

test_that("widened variances are those of Gaussian noise: no other is proposed", {
  counts <- with_response(with_own_seed(2, rnbinom(200, mu = exp(1 + curve), size = 1.5)))
  widened <- control_gpsieve(folds = 2, blocks = learn_on_blocks(widen = 2))
  fit <- whatever_it_learns(choose(y ~ ., counts, control = widened))
  expect_identical(likelihood_of(fit)$type, "gaussian")
  expect_refused <- function(...) {
    expect_error(choose(y ~ ., ..., control = widened), class = "gpsieve_error_unsupported")
  }
  expect_refused(counts, likelihood = lik_negative_binomial())
  # Those that learn without blocks would not use it, and are refused before they learn.
  expect_refused(counts, likelihood = lik_student())
  expect_refused(with_response(factor(counts$y > 2)))
})

test_that("the probability of a count is that of the numbers that round to it", {
  fit <- meanfield_gp(y ~ x, with_response(round(2 + curve)), optimise = FALSE)
  latent <- latent_marginals(fit, rows_for_fit(fit, cbind(x = inputs$x[1:3])), TRUE,
    core_settings(1L))
  y <- c(1, 2, 3)
  mean <- latent_mean(fit, latent)
  sd <- sqrt(latent_sd(fit, latent)^2 + fit$likelihood$values$variance * latent_scale(fit)^2)
  expect_equal(log_share_of_counts(fit, y, latent),
    unname(log(pnorm((y + 0.5 - mean) / sd) - pnorm((y - 0.5 - mean) / sd))), tolerance = 1e-6)
  # All counts together have the probability of all numbers beyond -1/2.
  some <- lapply(latent, function(moments) moments[rep(1L, 200), , drop = FALSE])
  expect_equal(sum(exp(log_share_of_counts(fit, 0:199, some))),
    pnorm((-0.5 - mean[1L]) / sd[1L], lower.tail = FALSE), ignore_attr = TRUE)
  # On a learned scale, too.
  warped <- meanfield_gp(y ~ x, with_response(round(2 + curve)), optimise = FALSE,
    likelihood = lik_warped(0.2, skew = 0.3, tail = 0.8))
  some <- list(mean = matrix(0.3, 200), variance = matrix(0.1, 200))
  shares <- exp(log_share_of_counts(warped, -100:99, some))
  expect_equal(sum(shares), 1, tolerance = 1e-6)
  below <- call_core(core_cdf, likelihood_spec(warped$likelihood), cbind(-0.5 + 0:9),
    rep(0.3, 10), rep(0.1, 10))
  expect_equal(shares[101:109], diff(drop(below)), tolerance = 1e-6)
})

test_that("functions of counts are compared with smaller blocks than are learned in the end", {
  task <- list(molded = list(counted = TRUE), control = control_gpsieve())
  expect_lt(with_blocks_to_compare(task)$control$blocks$rows, task$control$blocks$rows)
  task$molded$counted <- FALSE
  expect_identical(with_blocks_to_compare(task), task)
  # What the user has said of blocks is kept.
  task <- list(molded = list(counted = TRUE),
    control = control_gpsieve(blocks = learn_on_blocks(rows = 500)))
  expect_identical(with_blocks_to_compare(task), task)
})

test_that("few shares have the likelihood that makes held-out rows more probable", {
  few <- with_own_seed(3, {
    n <- sample(24:33, 1)
    x <- stats::runif(n)
    share <- stats::plogis(2 * sin(5 * x) + x - 0.5)
    data.frame(x, y = stats::rbeta(n, 6 * share, 6 * (1 - share)))
  })
  fit <- gpsieve(y ~ x, few, seed = 1, verbose = FALSE)
  expect_identical(likelihood_of(fit)$type, "beta")
})

test_that("shares have a beta likelihood", {
  share <- plogis(curve)
  shares <- with_response(with_own_seed(4, rbeta(200, 3 * share, 3 * (1 - share))), 120)
  fit <- choose(y ~ x, shares)
  expect_identical(likelihood_of(fit)$type, "beta")
  p <- predict(fit, shares)
  expect_true(all(p > 0 & p < 1))
  again <- eval(choice(fit, "call"), list(formula = y ~ x, data = shares))
  expect_identical(predict(again, shares), predict(fit, shares))
})

test_that("positive numbers that differ by factors are log-normal, in any unit", {
  positive <- with_response(exp(2 * curve + with_own_seed(5, rnorm(200, sd = 0.4))), 120)
  fit <- choose(y ~ ., positive)
  expect_identical(likelihood_of(fit)$type, "lognormal")
  expect_match(choice(fit)$label[1], "log-normal", fixed = TRUE)
  for (unit in c(1e-3, 1e6)) {
    other <- choose(y ~ ., transform(positive, y = unit * y))
    expect_equal(predict(other, positive) / unit, predict(fit, positive), tolerance = 1e-4)
    expect_equal(choice(other)$score, choice(fit)$score, tolerance = 1e-4)
  }
  again <- eval(choice(fit, "call"), list(formula = y ~ ., data = positive))
  expect_identical(predict(again, positive), predict(fit, positive))
  # The function is that of log(y), with the kernel that log(y) has.
  logs <- choose(log(y) ~ ., positive)
  expect_equal(log(predict(fit, positive, type = "quantile", probs = 0.5))[, 1L],
    predict(logs, positive), tolerance = 0.05, ignore_attr = TRUE)
})

test_that("a series that grows by factors is predicted on the scale of its logarithm", {
  air <- data.frame(t = as.vector(time(AirPassengers)), y = as.vector(AirPassengers))
  fit <- choose(y ~ t, air[1:120, ], folds = "time")
  expect_identical(likelihood_of(fit)$type, "lognormal")
  later <- air[121:144, ]
  limits <- predict(fit, later, interval = "prediction")
  expect_gt(mean(limits[, "lwr"] <= later$y & later$y <= limits[, "upr"]), 0.85)
  expect_lt(sqrt(mean((predict(fit, later) - later$y)^2)), 30)
})

test_that("noise that changes with an input is learned as a function of it", {
  changing <- with_response(curve + with_own_seed(6, rnorm(200)) * exp(2 * inputs$x - 2), 140)
  fit <- choose(y ~ ., changing)
  expect_identical(likelihood_of(fit)$noise$formula, ~x, ignore_formula_env = TRUE)
  expect_gt(cor(sigma(fit), exp(2 * changing$x)), 0.9)
  again <- eval(choice(fit, "call"), list(formula = y ~ ., data = changing))
  expect_identical(predict(again, changing, interval = "prediction"),
    predict(fit, changing, interval = "prediction"))
  expect_true(has_learned_noise(update(fit, data = changing[1:100, ])))
  expect_true(all(is.finite(loo(fit))))
  scaled <- choose(y ~ ., transform(changing, y = -1000 * y))
  expect_equal(predict(scaled, changing) / -1000, predict(fit, changing), tolerance = 1e-4)
  alone <- choose(y ~ x, changing)
  expect_match(format(likelihood_of(alone)), "splines::ns(x, 4)", fixed = TRUE)
})

test_that("rank correlations tell an input on which the size of residuals depends", {
  x <- with_own_seed(7, matrix(rnorm(600), 300, dimnames = list(NULL, c("a", "b"))))
  noise <- with_own_seed(8, rnorm(300))
  p <- function(size) dependence_of_noise(abs(size), x)$p
  expect_true(all(p(noise) > 0.01))
  expect_lt(p(noise * exp(x[, "a"]))[1], 1e-6)
  expect_lt(p(noise * exp(abs(x[, "b"])))[4], 1e-6)
  expect_identical(p(rep(1, 300)), rep(1, 4))
})

test_that("a kernel of a function with more variance is the kernel times a number", {
  x <- as.matrix(inputs)
  for (kernel in list(kernel_rich(), kernel_linear(NULL) + kernel_constant(0.3),
    kernel_rbf(0.3) * kernel_periodic(hold(1)) + kernel_on(kernel_rbf(2), "x"))) {
    at <- function(kernel) kernel_matrix(kernel_resolve(kernel, x), x)
    expect_equal(at(times_variance(kernel, 4, 2)), 4 * at(kernel))
  }
  expect_output(print(kernel_rich(variance = 0.5)), "kernel_rich(variance = 0.5)", fixed = TRUE)
})

test_that("successes and failures need no likelihood to be named", {
  fit <- choose(cbind(ncases, ncontrols) ~ agegp + alcgp, esoph)
  expect_identical(likelihood_of(fit)$type, "binomial")
})

test_that("the constant with which a likelihood is compared has its distribution", {
  known <- c(1, 4, 2, 9, 3)
  scales <- list(center = mean(known), scale = sd(known))
  at <- function(likelihood, y = 2) constant_density(y, scales, known, likelihood)
  expect_identical(at(NULL), dnorm(2, mean(known), sd(known), log = TRUE))
  expect_identical(at(lik_lognormal()), dlnorm(2, mean(log(known)), sd(log(known)), log = TRUE))
  expect_equal(sum(exp(at(lik_negative_binomial(), 0:1000))), 1)
  expect_equal(sum(0:1000 * exp(at(lik_negative_binomial(), 0:1000))), mean(known))
  expect_equal(sum(exp(at(lik_poisson(), 0:1000))), 1)
  shares <- c(0.2, 0.5, 0.4)
  of <- list(center = mean(shares), scale = sd(shares))
  mass <- integrate(function(y) exp(constant_density(y, of, shares, lik_beta())), 0, 1)
  expect_equal(mass$value, 1, tolerance = 1e-6)
})

test_that("counts with an exposure have a likelihood of counts, whatever their mean", {
  fit <- choose(Claims ~ District + Group + Age + offset(log(Holders)), MASS::Insurance)
  expect_identical(likelihood_response(likelihood_of(fit)), "count")
  expect_output(print(fit), "offset +log\\(Holders\\), added to the logarithm of the mean")
  one <- MASS::Insurance[1:3, ]
  expect_equal(predict(fit, transform(one, Holders = 2 * Holders)), 2 * predict(fit, one))
  # the figures are those of counts, not of counts less their offset
  expect_gt(fit$choice$held_out[["r2"]], 0.95)
  again <- eval(choice(fit, "call"), list(formula = formula(fit), data = MASS::Insurance))
  expect_equal(predict(again, one), predict(fit, one))
})

test_that("counts in parts have a likelihood of counts where they have an exposure", {
  task <- list(kind = "number", molded = list(y = rep(c(0, 1, 3, 9), 20), offset = rep(1, 80)),
    control = control_gpsieve())
  with_functions(list(has_leaves = function(task) TRUE), {
    expect_identical(with_likelihood_of_rates(task)$likelihood, lik_negative_binomial())
    task$molded$offset <- NULL
    expect_null(with_likelihood_of_rates(task)$likelihood)
  })
})

test_that("a constant rate is that of all counts over all exposures", {
  known <- list(y = c(2, 5, 9), offset = log(c(1, 2, 4)))
  new <- list(y = c(3, 4), offset = log(c(2, 2)))
  rate <- 16.5 / 7
  expect_equal(density_of_constant_rate(lik_poisson(), known, new, rep(1, 3)),
    dpois(new$y, 2 * rate, log = TRUE))
})

test_that("the logarithm stands beside a learned scale that is not clearly better", {
  entry <- function(likelihood, density) {
    list(candidate = list(likelihood = likelihood),
      judged = list(row = 1:100, density = density, residual = rep(1, 100)))
  }
  spread <- rep(c(-0.5, 0.5), 50)
  usual <- entry(NULL, rep(0, 100))
  scale <- entry(lik_warped(), rep(0.5, 100))
  logarithm <- function(density) entry(lik_lognormal(), density)
  expect_true(suits_response(logarithm(0.45 + spread), scale, usual))
  expect_false(suits_response(logarithm(0.3 + spread), scale, usual))
  expect_false(suits_response(logarithm(0.05 + spread), usual, usual))
})
