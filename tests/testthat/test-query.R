# Scores for active learning, over fits of every model.

h2 <- function(p) ifelse(p <= 0 | p >= 1, 0, -p * log(p) - (1 - p) * log(1 - p))

every_fit <- function(task, check) {
  for (model in names(model_specs())) check(shared_fit(model, task), toy_data(task))
}

test_that("with two classes entropy and mutual information agree with integrals", {
  every_fit("binary", function(fit, toy) {
    p <- predict(fit, toy$new, type = "prob")[, 2]
    expect_equal(query_score(fit, toy$new), h2(p), tolerance = 1e-10)
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    left <- vapply(seq_along(p), function(i) {
      stats::integrate(function(z) dnorm(z) * h2(pnorm(link$fit[i] + link$se.fit[i] * z)), -9, 9,
        rel.tol = 1e-10
      )$value
    }, 0)
    expect_equal(query_score(fit, toy$new, "bald"), h2(p) - left, tolerance = 1e-7)
    expect_equal(query_score(fit, toy$new, "variance"), link$se.fit^2, tolerance = 1e-12)
  })
})

test_that("with a numeric response the scores have closed forms on the scale of the response", {
  every_fit("regression", function(fit, toy) {
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    noise <- coef(fit)[["likelihood.variance"]] * var(toy$y)
    expect_equal(query_score(fit, toy$new, "variance"), link$se.fit^2, tolerance = 1e-10)
    expect_equal(query_score(fit, toy$new, "entropy"),
      0.5 * log(2 * pi * exp(1) * (link$se.fit^2 + noise)), tolerance = 1e-10
    )
    expect_equal(query_score(fit, toy$new, "bald"), 0.5 * log1p(link$se.fit^2 / noise),
      tolerance = 1e-10
    )
  })
})

test_that("with several classes entropy comes from probabilities, information from machines", {
  every_fit("multiclass", function(fit, toy) {
    p <- predict(fit, toy$new, type = "prob")
    expect_equal(query_score(fit, toy$new), -rowSums(p * log(p)), tolerance = 1e-10)
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    expect_equal(query_score(fit, toy$new, "variance"), rowSums(link$se.fit^2), tolerance = 1e-10)
    bald <- query_score(fit, toy$new, "bald")
    expect_true(all(bald > 0 & bald < 3 * log(2)))
  })
})

test_that("a score depends on its row only; missing values give NA, no rows give no scores", {
  for (task in tasks) every_fit(task, function(fit, toy) {
    for (criterion in c("entropy", "bald", "variance")) {
      whole <- query_score(fit, toy$new, criterion)
      expect_length(whole, 9)
      expect_null(attributes(whole))
      holes <- toy$new
      holes$a[3] <- NA
      expect_equal(query_score(fit, holes, criterion), replace(whole, 3, NA), tolerance = 1e-12)
      expect_equal(query_score(fit, toy$new[4, ], criterion), whole[4], tolerance = 1e-12)
      expect_identical(query_score(fit, toy$new[0, ], criterion), numeric())
    }
  })
})

test_that("with other likelihoods the information is between 0 and the entropy", {
  x <- uniform_inputs(40, 1)
  counts <- with_own_seed(3, rpois(40, exp(1 + x[, 1])))
  numbers <- x[, 1] + with_own_seed(4, rt(40, 4)) / 5
  fits <- list(
    ivm(x, counts, likelihood = lik_poisson(), optimise = FALSE, seed = 1),
    ivm(x, x[, 1] > 0, likelihood = lik_logit(), optimise = FALSE, seed = 1),
    ivm(x, numbers, likelihood = lik_student(4, 0.2), optimise = FALSE, seed = 1,
      standardise = FALSE
    )
  )
  far <- matrix(c(0, 2.5), dimnames = list(NULL, "a"))
  for (fit in fits) {
    bald <- query_score(fit, far, "bald")
    expect_true(all(bald > 0))
    expect_gt(bald[2], bald[1])
    if (likelihood_of(fit)$type != "student") {
      expect_true(all(bald < query_score(fit, far, "entropy")))
    }
  }
})

test_that("scores that a fit does not have are an error", {
  fit <- shared_fit("ivm", "binary")
  refuse <- function(code, class) expect_error(code, class = paste0("gpsieve_error_", class))
  refuse(query_score(1, 2), "object")
  refuse(query_score(fit), "argument")
  refuse(query_score(fit, toy_data("binary")$new, "surprise"), "argument")
  refuse(query_score(fit, toy_data("binary")$new, sort = TRUE), "argument")
  refuse(query_score(fit, data.frame(a = 1)), "data")
  expect_snapshot(error = TRUE, {
    query_score(1, 2)
    query_score(fit)
    query_score(fit, toy_data("binary")$new, "surprise")
    query_score(fit, data.frame(a = 1))
  })
})

test_that("active learning has a smaller error than random labels of the same number", {
  x <- uniform_inputs(300)
  y <- noisy_labels(x, flip = 0)
  error <- function(ask) {
    rows <- 1:10
    fit <- online_gp(x[rows, ], y[rows], kernel_rbf(10, 1), optimise = FALSE, standardise = FALSE,
      shuffle = FALSE, seed = 1
    )
    for (label in 1:40) {
      rest <- setdiff(1:300, rows)
      row <- rest[ask(fit, x[rest, ], label)]
      fit <- update(fit, x[row, , drop = FALSE], y[row], verbose = FALSE)
      rows <- c(rows, row)
    }
    mean(predict(fit, x) != y)
  }
  bald <- error(function(fit, pool, label) which.max(query_score(fit, pool, "bald")))
  chance <- mean(vapply(1:5, function(seed) {
    error(function(fit, pool, label) with_own_seed(100 * seed + label, sample.int(nrow(pool), 1)))
  }, 0))
  expect_lt(bald, chance)
})
