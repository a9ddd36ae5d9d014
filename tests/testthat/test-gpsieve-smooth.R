# Functions with little or no noise, and learning without a prior.

# The flow through a borehole of Harper and Gupta (1983), a function of four of its inputs, in units
# of its spread.
flow_of <- function(n, seed) {
  set.seed(seed)
  x <- matrix(stats::runif(4 * n), n, dimnames = list(NULL, c("radius", "head", "length", "rate")))
  radius <- 0.05 + 0.1 * x[, 1L]
  far <- log(3000 / radius)
  flow <- 2 * pi * 90000 * (340 - 120 * x[, 2L]) /
    (far * (1 + 2 * (1120 + 560 * x[, 3L]) * 90000 / (far * radius^2 * (9855 + 2190 * x[, 4L]))))
  data.frame(x, flow = flow / 40)
}

test_that("a computer code is predicted by a very smooth function with hardly any noise", {
  code <- flow_of(60, 1)
  fit <- gpsieve(flow ~ ., code, seed = 1)
  expect_match(choice(fit)$label[1L], "little noise", fixed = TRUE)
  expect_lt(fit$likelihood$values$variance, 1e-4)
  new <- flow_of(300, 2)
  usual <- gpsieve(flow ~ ., code, kernel = kernel_rich(), seed = 1)
  error <- function(fit) sqrt(mean((predict(fit, new) - new$flow)^2))
  expect_lt(error(fit), 0.5 * error(usual))
})

test_that("functions with noise have no candidate with little noise", {
  noisy <- flow_of(60, 1)
  set.seed(3)
  noisy$flow <- noisy$flow + stats::rnorm(60, sd = stats::sd(noisy$flow))
  fit <- gpsieve(flow ~ ., noisy, seed = 1, control = control_gpsieve(folds = 2))
  expect_false(any(grepl("little noise", choice(fit)$label, fixed = TRUE)))
})

test_that("the call to write for a smooth function makes the same fit", {
  code <- flow_of(40, 4)
  fit <- gpsieve(flow ~ ., code, seed = 1, control = control_gpsieve(folds = 2,
    blocks = learn_on_blocks(steps = 20)
  ))
  again <- eval(choice(fit, "call"))
  expect_identical(coef(again), coef(fit))
  expect_identical(predict(again, code), predict(fit, code))
})

test_that("without its prior, learning follows the evidence alone", {
  code <- flow_of(40, 5)
  evidence <- function(prior) {
    fit <- meanfield_gp(flow ~ ., code, kernel_rich(), lik_gaussian(1e-6), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(prior = prior))
    )
    as.numeric(logLik(fit))
  }
  found <- vapply(c(0, 1, 100), evidence, 0)
  expect_gt(found[1L], found[2L])
  expect_gt(found[2L], found[3L])
})

test_that("smooth functions have the more of a prior the more columns there are for the rows", {
  expect_identical(prior_of_columns(matrix(0, 20, 10)), 0.25)
  expect_identical(prior_of_columns(matrix(0, 10, 50)), 1)
  code <- flow_of(40, 4)
  fit <- gpsieve(flow ~ ., code, seed = 1, control = control_gpsieve(folds = 2))
  expect_identical(fit$settings$control$blocks$prior, 0.05)
})

test_that("the factor of the prior is a number from 0 on", {
  expect_error(learn_on_blocks(prior = -1), class = "gpsieve_error")
  expect_error(learn_on_blocks(prior = NULL), class = "gpsieve_error")
  expect_identical(format(learn_on_blocks(prior = 0)), "learn_on_blocks(prior = 0)")
})

test_that("wider variances leave the mean as it is, and nothing else", {
  code <- flow_of(60, 6)
  kernel <- kernel_rbf(ard = TRUE) * kernel_matern() + kernel_separable(2.5, ard = TRUE) +
    kernel_linear(NULL)
  fit_with <- function(widen) {
    meanfield_gp(flow ~ ., code, kernel, lik_gaussian(1e-4), seed = 1,
      control = control_meanfield(blocks = learn_on_blocks(steps = 20, prior = 0, widen = widen))
    )
  }
  new <- flow_of(50, 7)
  usual <- predict(fit_with(1), new, se.fit = TRUE)
  wide <- predict(fit_with(2.25), new, se.fit = TRUE)
  expect_equal(wide$fit, usual$fit, tolerance = 1e-8)
  expect_equal(wide$se.fit, 1.5 * usual$se.fit, tolerance = 1e-8)
  expect_error(
    meanfield_gp(Species ~ ., droplevels(iris[51:150, ]),
      control = control_meanfield(blocks = learn_on_blocks(widen = 2))
    ),
    class = "gpsieve_error_unsupported"
  )
})

test_that("intervals of computer codes hold about what they promise", {
  held <- vapply(1:3, function(seed) {
    fit <- gpsieve(flow ~ ., flow_of(80, seed), seed = 1)
    new <- flow_of(300, 100 + seed)
    band <- predict(fit, new, interval = "prediction", level = 0.9)
    mean(new$flow >= band[, "lwr"] & new$flow <= band[, "upr"])
  }, 0)
  expect_gt(mean(held), 0.82)
})

test_that("the evidence of few rows decides, with variances as wide as held-out errors", {
  # Branin's function, of which folds of 20 points do not show how smooth it is.
  branin <- function(u) {
    a <- 15 * u[, 1L] - 5
    b <- 15 * u[, 2L]
    (b - 5.1 / (4 * pi^2) * a^2 + 5 / pi * a - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10
  }
  set.seed(1)
  x <- vapply(1:2, function(j) (sample(20) - runif(20)) / 20, numeric(20))
  new <- matrix(runif(1000), ncol = 2)
  colnames(x) <- colnames(new) <- c("a", "b")
  fit <- gpsieve(x, branin(x), seed = 1, verbose = FALSE)
  found <- predict(fit, new, interval = "prediction", level = 0.9)
  expect_lt(sqrt(mean((found[, "fit"] - branin(new))^2)), 0.1 * sd(branin(new)))
  expect_gt(mean(branin(new) > found[, "lwr"] & branin(new) < found[, "upr"]), 0.8)

  # Noise stays noise.
  y <- x[, 1L] + rnorm(20, sd = 0.3)
  noisy <- gpsieve(x, y, seed = 1, verbose = FALSE)
  expect_gt(likelihood_of(noisy)$values$variance, 0.01)
})

test_that("a function without noise does not come first where noise has been learned by chance", {
  # Without its rule it does, and new rows next to known ones have log densities of -20,000.
  days <- stats::na.omit(datasets::airquality[1:4])
  set.seed(2)
  learn <- sample(nrow(days), 25)
  fit <- gpsieve(Ozone ~ ., days[learn, ], seed = 1, verbose = FALSE)
  expect_gt(likelihood_of(fit)$values$variance, 1e-3)
  judged <- function(density, residual) {
    list(judged = list(row = 1:60, density = density, residual = residual))
  }
  noisy <- c(judged(rep(0, 60), rep(1, 60)),
    list(learned = list(theta = c(likelihood.variance = 0.6))))
  spread <- rep(c(-0.1, 0.1), 30)
  expect_true(suits_smooth(judged(0.5 + spread, rep(0.7, 60)), noisy, FALSE))
  expect_false(suits_smooth(judged(0.5 + spread, rep(0.8, 60)), noisy, FALSE))
  expect_false(suits_smooth(judged(0.5 + 30 * spread, rep(0.7, 60)), noisy, FALSE))
  expect_true(suits_smooth(judged(0.5 + 30 * spread, rep(0.8, 60)), noisy, TRUE))
})

test_that("variances that few rows have learned are wider by the hyper-parameters they determine", {
  entry <- list(
    candidate = list(likelihood = lik_gaussian(little_noise),
      settings = list(control = control_meanfield(blocks = learn_on_blocks()))),
    learned = list(rows = 20, determined = 10),
    judged = list(surprise = rep(c(-1, 1), 10),
      said = cbind(mean = 0, lower = rep(-2, 20), upper = 2, weight = 1))
  )
  widen_of <- function(entry) entry$candidate$settings$control$blocks$widen
  wide <- with_variances_of_errors(entry)
  expect_identical(widen_of(wide), 2)
  expect_identical(with_variances_of_errors(wide), wide)
  entry$judged$surprise <- 2 * entry$judged$surprise
  expect_identical(widen_of(with_variances_of_errors(entry)), 4)
})

test_that("intervals of few noisy rows are as wide as held-out errors say, but of a given kernel", {
  set.seed(3)
  d <- data.frame(a = runif(15), b = runif(15))
  d$y <- 4 * d$a + rnorm(15)
  widen_of <- function(...) {
    fit <- gpsieve(y ~ a + b, ..., seed = 1, verbose = FALSE)
    widen <- fit$settings$control$blocks$widen
    if (is.null(widen)) 1 else widen
  }
  expect_gt(widen_of(d), 1)
  expect_identical(widen_of(d, kernel = kernel_rich()), 1)
  expect_identical(widen_of(d, likelihood = lik_gaussian(fixed(1))), 1)
  many <- data.frame(a = runif(60), b = runif(60))
  many$y <- 4 * many$a + rnorm(60)
  expect_identical(widen_of(many), 1)
})
