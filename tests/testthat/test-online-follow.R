# Hyper-parameters that follow a stream, and a function that changes from row to row.

drift <- function(n = 120, seed = 1) {
  with_own_seed(seed, {
    x <- matrix(stats::runif(2 * n, -2, 2), n)
    list(x = x, y = sin(2 * x[, 1]) + x[, 2] + stats::rnorm(n, sd = 0.2))
  })
}

online_of <- function(data, rows, ..., kernel = kernel_rbf(1, 1), optimise = FALSE,
                      likelihood = lik_gaussian(0.1)) {
  control <- list(...)
  passed <- intersect(names(control), c("budget", "novelty", "deletion", "shuffle", "sweeps"))
  do.call(online_gp, c(
    list(data$x[rows, , drop = FALSE], data$y[rows], kernel, likelihood, optimise = optimise,
      standardise = FALSE, seed = 1, verbose = FALSE,
      control = do.call(control_online, control[setdiff(names(control), passed)])
    ), control[passed]
  ))
}

add_rows <- function(fit, data, rows) update(fit, data$x[rows, , drop = FALSE], data$y[rows])

test_that("a fit that forgets is the Gaussian process whose covariance decays with time", {
  data <- drift(40)
  h <- 7
  rows <- seq_len(40)
  new <- matrix(c(0, 1, 0.5, -1), 2)
  fit <- online_of(data, rows, forget = h, shuffle = FALSE, novelty = 1e-8)
  decay <- 2^(-abs(outer(rows, rows, `-`)) / h)
  k <- kernel_matrix(kernel_rbf(1, 1), data$x) * decay
  cross <- kernel_matrix(kernel_rbf(1, 1), new, data$x) * rep(2^(-(40 - rows) / h), each = 2)
  solved <- solve(k + diag(0.1, 40), cbind(data$y, t(cross)))
  latent <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_equal(latent$fit, drop(cross %*% solved[, 1]), tolerance = 1e-6)
  expect_equal(latent$se.fit^2, 1 - colSums(t(cross) * solved[, -1]), tolerance = 1e-6)
  l <- chol(k + diag(0.1, 40))
  expect_equal(evidence(fit)$value,
    -sum(log(diag(l))) - sum(backsolve(l, data$y, transpose = TRUE)^2) / 2 - 20 * log(2 * pi),
    tolerance = 1e-6
  )
})

test_that("a half-life without end forgets nothing, a short one everything", {
  data <- drift(60)
  for (deletion in c("reverse_kl", "forward_kl", "cheap")) {
    fit <- function(...) {
      online_of(data, 1:60, budget = 12, deletion = deletion, shuffle = FALSE, ...)
    }
    expect_equal(predict(fit(forget = 1e12), data$x), predict(fit(), data$x), tolerance = 1e-6)
    away <- predict(fit(forget = 0.02), matrix(c(50, 50), 1), type = "link", se.fit = TRUE)
    expect_equal(away, list(fit = 0, se.fit = 1), tolerance = 1e-10)
  }
  none <- online_of(data, 1:60, forget = 0.01, shuffle = FALSE)
  far <- predict(none, matrix(c(-1.9, 1.9), 1), type = "link", se.fit = TRUE)
  last <- predict(online_of(data, 60, forget = 1, shuffle = FALSE), matrix(c(-1.9, 1.9), 1),
    type = "link", se.fit = TRUE
  )
  # Up to what the basis does not explain of the row: a share of at most `novelty`.
  expect_equal(far, last, tolerance = 1e-3)
})

test_that("rows divided into calls in any way give the same bits", {
  data <- drift()
  settings <- list(
    list(forget = 30, shuffle = FALSE, budget = 15),
    list(learn_every = 20, learn_window = 40, shuffle = FALSE, budget = 15, optimise = TRUE),
    list(learn_every = 25, learn_window = 30, forget = 50, shuffle = FALSE, optimise = TRUE)
  )
  for (setting in settings) {
    first <- do.call(online_of, c(list(data, 1:30, learn_rows = 30), setting))
    one <- add_rows(first, data, 31:120)
    several <- first
    for (rows in split(31:120, cumsum(31:120 %in% c(32, 50, 51, 90)))) {
      several <- add_rows(several, data, rows)
    }
    for (part in c("posteriors", "kernel", "likelihood", "state", "basis", "rows", "evidence")) {
      expect_identical(several[[part]], one[[part]], info = part)
    }
    expect_identical(nobs(one), 120L)
    expect_identical(max(fit_trace(one)$iteration), 90L)
  }
})

test_that("under another kernel the posterior is that of the same rows from the beginning", {
  data <- drift(30)
  fit <- online_of(data, 1:30, learn_every = 30, learn_window = 30, learn_rows = 10,
    optimise = TRUE, shuffle = FALSE, novelty = 1e-8
  )
  again <- online_of(data, 1:30, kernel = kernel_of(fit), likelihood = likelihood_of(fit),
    shuffle = FALSE, novelty = 1e-8
  )
  before <- online_of(data, 1:29, learn_every = 30, learn_rows = 10, optimise = TRUE,
    shuffle = FALSE
  )
  expect_gt(max(abs(log(coef(fit) / coef(before)))), 0.01)
  latent <- predict(fit, data$x, type = "link", se.fit = TRUE)
  expect_equal(latent, predict(again, data$x, type = "link", se.fit = TRUE), tolerance = 1e-5)
})

test_that("hyper-parameters climb the evidence of the last rows", {
  data <- drift(100)
  data$y[51:100] <- with_own_seed(2, sin(8 * data$x[51:100, 1]) + stats::rnorm(50, sd = 0.05))
  first <- online_of(data, 1:50, learn_every = 50, learn_window = 50, optimise = TRUE, budget = 30)
  then <- add_rows(first, data, 51:100)
  evidence_of <- function(fit) {
    evidence(meanfield_gp(data$x[51:100, ], data$y[51:100], kernel_of(fit), likelihood_of(fit),
      optimise = FALSE, standardise = FALSE
    ))$value
  }
  expect_gt(evidence_of(then), evidence_of(first) + 1)
})

test_that("classes follow too, those that come later among them", {
  flowers <- iris[with_own_seed(3, sample(150)), ]
  late <- flowers[order(flowers$Species == "virginica"), ]
  fit <- online_gp(Species ~ ., late[1:60, ], budget = 15, seed = 1, shuffle = FALSE,
    control = control_online(learn_every = 30, learn_window = 60, forget = 200)
  )
  kernel <- kernel_of(fit)
  fit <- update(fit, data = late[61:150, ])
  expect_false(identical(kernel_of(fit), kernel))
  expect_lt(mean(predict(fit, late) != late$Species), 0.4) # all virginicas came last
  expect_length(fit$state$recent$y, 60)
  shuffled <- online_gp(Species ~ ., iris, budget = 15, seed = 1,
    control = control_online(learn_every = 30)
  )
  points <- unlist(active_set(shuffled))
  expect_true(all(points >= 1 & points <= 150))
  expect_lt(mean(predict(shuffled) != iris$Species), 0.1)
})

test_that("an active row of a fit that follows is the row of the data", {
  data <- drift(50)
  fit <- online_of(data, 1:50, learn_every = 20, optimise = TRUE, budget = 10, learn_rows = 20)
  expect_equal(inducing(fit), data$x[active_set(fit), ], ignore_attr = TRUE)
})

test_that("a source of rows gives the bits of the rows in memory", {
  data <- drift(90)
  frame <- data.frame(a = data$x[, 1], b = data$x[, 2], y = data$y)
  fit <- function(rows) {
    online_gp(y ~ ., rows, budget = 12, seed = 1, shuffle = FALSE, standardise = FALSE,
      verbose = FALSE, control = control_online(forget = 40)
    )
  }
  expect_identical(fit(frame)$settings$control$forget, 40)
  source <- online_gp(y ~ ., rows_of_frame(frame), kernel_rbf(1, 1), lik_gaussian(0.1),
    budget = 12, seed = 1, shuffle = FALSE, standardise = FALSE, optimise = FALSE,
    verbose = FALSE, control = control_online(forget = 40, window = 25)
  )
  memory <- online_gp(y ~ ., frame, kernel_rbf(1, 1), lik_gaussian(0.1), budget = 12, seed = 1,
    shuffle = FALSE, standardise = FALSE, optimise = FALSE, control = control_online(forget = 40)
  )
  expect_identical(predict(source, frame), predict(memory, frame))
  followed <- online_gp(y ~ ., rows_of_frame(frame), budget = 12, seed = 1, shuffle = FALSE,
    verbose = FALSE, control = control_online(learn_every = 20, window = 25)
  )
  expect_identical(nobs(followed), 90L)
  expect_length(followed$state$recent$y, 90)
})

test_that("what cannot be honoured is refused", {
  data <- drift(20)
  refused <- function(..., class = "gpsieve_error_unsupported") {
    expect_error(online_of(data, 1:20, ...), class = class)
  }
  refused(learn_every = 10)
  refused(learn_every = 10, optimise = TRUE, novelty = 0)
  refused(forget = 10, novelty = 0)
  expect_no_error(online_of(data, 1:20, forget = 10, novelty = 0, budget = 5))
  refused(forget = 10, sweeps = 2)
  refused(learn_window = 10, class = "gpsieve_error_argument")
  refused(forget = 0, class = "gpsieve_error_argument")
  refused(learn_every = 1.5, class = "gpsieve_error_argument")
  follow <- function(...) {
    online_gp(dist ~ speed, cars, control = control_online(learn_every = 10), seed = 1, ...)
  }
  expect_error(follow(weights = rep(2, 50)), class = "gpsieve_error_unsupported")
  expect_error(follow(noise_sd = rep(1, 50)), class = "gpsieve_error_unsupported")
})

test_that("a fit that follows a source and is stopped ends with the same bits", {
  data <- drift(90)
  frame <- data.frame(a = data$x[, 1], b = data$x[, 2], y = data$y)
  path <- withr::local_tempfile(fileext = ".rds")
  before <- withr::local_tempfile(fileext = ".rds")
  # What a fit that is stopped in the middle leaves behind.
  source <- rows_of_frame(frame, 10, on_block = function(block) {
    if (file.exists(path) && !file.exists(before)) file.copy(path, before)
  })
  fit <- function(...) {
    online_gp(y ~ ., source, budget = 12, seed = 1, verbose = FALSE,
      control = control_online(learn_every = 25, forget = 40, window = 20, checkpoint = path,
        every = 0
      ), ...
    )
  }
  withr::local_options(gpsieve.max_disk = 0) # the source is read again at each pass
  whole <- fit()
  expect_lt(nobs(readRDS(before)), 90)
  again <- fit(resume = before)
  for (part in c("posteriors", "kernel", "likelihood", "state", "rows")) {
    expect_identical(again[[part]], whole[[part]], info = part)
  }
})

test_that("a fit says that it follows and forgets", {
  fit <- online_of(drift(30), 1:30, learn_every = 10, forget = 1500, optimise = TRUE)
  expect_output(print(fit), "points, learns every 10 rows, forgets half in 1,500\n",
    fixed = TRUE
  )
})
