# What gpsieve() plans to do in the time it may take.

test_that("the time allows steps, rows and points, whatever the data", {
  task <- function(n, p, latents = 1, kind = "binary", ...) {
    list(molded = list(x = matrix(0, n, p)), latents = latents, kind = kind,
      control = control_gpsieve(), ...)
  }
  expect_identical(choice_seconds(task(50, 1)), choice_seconds(task(20000, 1)))
  expect_equal(choice_seconds(task(40000, 1)), 2 * choice_seconds(task(20000, 1)))
  expect_identical(choice_seconds(task(1e5, 1)), 75)
  expect_identical(choice_seconds(task(10, 1, time = 3)), 3)
  for (n in c(100, 3000)) for (p in c(2, 500)) {
    short <- affordable_blocks(task(n, p, time = 0.01))
    long <- affordable_blocks(task(n, p, time = Inf))
    expect_identical(c(long$rows, long$steps), c(800, 120))
    expect_true(short$steps >= 20 && short$rows >= 250 && short$steps <= long$steps)
  }
  expect_gt(affordable_active(task(1e4, 3)), affordable_active(task(1e4, 3, latents = 20)))
  expect_gt(affordable_active(task(1e4, 3)), affordable_active(task(1e4, 300)))
  expect_equal(ivm_seconds(task(1e3, 40), 1e5, active_in_time(task(1e3, 40), 1e5, 7)), 7)
  expect_true(fits_densely(task(1000, 2, kind = "number")))
  expect_true(fits_densely(task(1200, 2, kind = "multiclass", latents = 9)))
  expect_false(fits_densely(task(1400, 2, kind = "multiclass", latents = 9)))
  expect_false(fits_densely(task(2100, 2)))
  expect_false(fits_densely(task(1000, 2, kind = "number", time = 0.01)))
})

test_that("learning and the fit are planned within the time, with no more points than the fewest", {
  skip_if_not_installed("Matrix")
  active_of <- function(shape) {
    if (has_leaves(shape)) leaf_active(shape) else affordable_active(shape)
  }
  planned <- function(shape) {
    kernels <- candidate_kernels(shape)
    blocks <- lapply(kernels, function(kernel) affordable_blocks(shape, is_simple(kernel)))
    learning <- vapply(blocks, function(blocks) learning_seconds(shape, blocks), 0)
    candidates <- lapply(blocks, function(blocks) {
      new_candidate("", "meanfield_gp", NULL, settings = list(control = list(blocks = blocks)))
    })
    anew <- if (learns_anew(shape, candidates, 2)) 2 else 0
    active <- active_of(shape)
    visits <- nrow(shape$molded$x) * if (has_leaves(shape)) overlapping else 1
    fit <-
      if (fits_densely(shape)) dense_seconds(shape) else ivm_seconds(shape, visits, active)
    (1 + anew) * sum(learning) + fit
  }
  for (n in c(50, 500, 999, 1001, 4000, 30000, 300000)) for (p in c(1, 2, 60, 1000)) {
    x <- Matrix::Matrix(0, n, p, sparse = TRUE)
    for (latents in c(1, 9, 30)) for (time in list(NULL, 20, 100)) {
      shape <- list(molded = list(x = x), latents = latents, time = time,
        kind = if (latents > 1) "multiclass" else "number", control = control_gpsieve()
      )
      fewest <- fewest_active / (if (has_leaves(shape)) 3 else 1)
      if (active_of(shape) <= fewest && !fits_densely(shape)) next
      expect_lte(planned(shape), 1.25 * choice_seconds(shape), label = toString(c(n, p, latents)))
    }
  }
})

test_that("a linear function of censored times is learned to the end", {
  skip_if_not_installed("survival")
  data <- with_own_seed(1, {
    x <- data.frame(a = stats::rnorm(450), b = stats::rnorm(450))
    last <- stats::rexp(450, 1 / 2)
    time <- exp(1 + x$a / 2 + stats::rnorm(450, sd = 3))
    data.frame(x, time = pmin(time, last), known = as.integer(time <= last))
  })
  log_density <- function(new, mean, sd) {
    z <- (log(new$time) - mean) / sd
    mean(ifelse(new$known == 1, stats::dnorm(z, log = TRUE) - log(sd * new$time),
      stats::pnorm(z, lower.tail = FALSE, log.p = TRUE)))
  }
  # More rows than the blocks of a linear function have.
  train <- data[1:250, ]
  new <- data[251:450, ]
  fit <- gpsieve(survival::Surv(time, known) ~ a + b, train, kernel = linear_function(), seed = 1,
    control = control_gpsieve(folds = 2), verbose = FALSE)
  usual <- survival::survreg(survival::Surv(time, known) ~ a + b, train, dist = "lognormal")
  latent <- predict(fit, new, type = "link", se.fit = TRUE)
  found <- log_density(new, latent$fit, sqrt(latent$se.fit^2 + fit$likelihood$values$variance))
  expect_gt(found, log_density(new, predict(usual, new, type = "lp"), usual$scale) - 0.01)
})
