# The relevance of columns: by its definition, in cases with a closed form, and against what it
# costs on rows held out when a column is permuted.

# Half the mean squared change over all pairs of rows, divided by the variance.
relevance_by_definition <- function(fit, data, term) {
  mean_at <- function(rows) as.matrix(predict(fit, rows, type = "link"))
  before <- mean_at(data)
  n <- nrow(data)
  changes <- vapply(seq_len(n - 1L), function(shift) {
    moved <- data
    moved[[term]] <- moved[[term]][(seq_len(n) + shift - 1L) %% n + 1L]
    sum((mean_at(moved) - before)^2)
  }, 0)
  variance <- sum(sweep(before, 2L, colMeans(before))^2) / (n - 1)
  sum(changes) / (n * (n - 1)) / (2 * variance)
}

test_that("few rows are looked at in all pairs", {
  for (data in list(trees, iris[seq(1, 150, 5), ])) {
    response <- names(data)[ncol(data)]
    fit <- meanfield_gp(reformulate(".", response), data, kernel_rbf(2, 1.5), optimise = FALSE)
    found <- relevance(fit)
    expect_named(found, c("term", "relevance", "std_error"))
    expect_false(is.unsorted(rev(found$relevance)))
    expected <- vapply(found$term, function(term) relevance_by_definition(fit, data, term), 0)
    expect_equal(found$relevance, unname(expected), tolerance = 1e-8)
    expect_identical(found$std_error, numeric(nrow(found)))
    expect_equal(relevance(fit, data), found, tolerance = 1e-8)
  }
  expect_error(relevance(lm(dist ~ speed, cars)), class = "gpsieve_error_argument")
})

test_that("the relevance of a linear function is the share of each column in its variance", {
  fit <- meanfield_gp(mpg ~ wt + qsec, mtcars, kernel_linear() + kernel_constant(), seed = 1)
  at <- data.frame(wt = c(2, 3, 2), qsec = c(17, 17, 18))
  slope <- diff(predict(fit, at))[1]
  slopes <- c(wt = slope, qsec = predict(fit, at)[3] - predict(fit, at)[1])
  found <- relevance(fit, mtcars)
  variances <- vapply(mtcars[names(slopes)], var, 0)
  share <- slopes^2 * variances / var(predict(fit, mtcars))
  expect_equal(setNames(found$relevance, found$term), share[found$term], tolerance = 1e-6)
})

test_that("all columns that come from one of the user's are permuted together", {
  set.seed(4)
  n <- 40
  d <- data.frame(
    kind = sample(c("a", "b", "c"), n, TRUE), x = runif(n, 1, 2), z = rnorm(n),
    day = as.Date("2024-01-01") + seq_len(n)
  )
  d$y <- d$x + (d$kind == "b") + d$z * (d$kind == "c")
  fit <- function(formula, data = d) meanfield_gp(formula, data, kernel_rbf(1, 2), optimise = FALSE)
  text <- fit(y ~ .)
  factors <- transform(d, kind = factor(kind))
  expect_identical(relevance(text), relevance(fit(y ~ ., factors)))
  expect_setequal(relevance(text)$term, c("kind", "x", "z", "day"))
  through_xy <- meanfield_gp(d[1:4], d$y, kernel_rbf(1, 2), optimise = FALSE)
  expect_identical(relevance(text), relevance(through_xy))
  for (formula in list(y ~ x + log(x) + z, y ~ poly(x, 2) + z, y ~ I(x^2) + x + z)) {
    several <- relevance(fit(formula))
    expect_setequal(several$term, c("x", "z"))
    expected <- relevance_by_definition(fit(formula), d, "x")
    expect_equal(several$relevance[several$term == "x"], expected, tolerance = 1e-8)
  }
  # The products of a column with others move with it.
  for (formula in list(y ~ x * z, y ~ kind * x * z, y ~ x + z + I(z^2) + x:z)) {
    several <- relevance(fit(formula))
    expect_setequal(several$term, intersect(c("kind", "x", "z"), all.vars(formula)))
    for (term in several$term) {
      expected <- relevance_by_definition(fit(formula), d, term)
      expect_equal(several$relevance[several$term == term], expected, tolerance = 1e-8)
    }
  }
  alone <- relevance(fit(y ~ x))
  expect_equal(alone$relevance, 1)
  made <- relevance(fit(y ~ factor(kind) + x + x:z))
  expect_setequal(made$term, c("kind", "x", "x:z"))
  withr::local_pdf(NULL)
  expect_silent(plot(text))
  expect_silent(plot(fit(y ~ x + log(x) + z), "effects"))
})

test_that("a column that is constant, or that the function ignores, has relevance 0", {
  d <- cbind(trees, same = 3)
  kernel <- kernel_on(kernel_rbf(1, 1), c("Girth", "same")) + kernel_constant()
  fit <- meanfield_gp(Volume ~ ., d, kernel, optimise = FALSE)
  found <- relevance(fit)
  expect_identical(found$relevance[found$term != "Girth"], c(0, 0))
  expect_gt(found$relevance[1], 0.9)
  flat <- meanfield_gp(Volume ~ Girth, d, kernel_constant(), optimise = FALSE)
  expect_identical(relevance(flat)$relevance, 0)
  one_row <- meanfield_gp(Volume ~ Girth, d[1, ], optimise = FALSE)
  expect_identical(relevance(one_row)$relevance, 0)
})

test_that("rows and permutations are drawn with the fit's seed, and their error is stated", {
  toy <- friedman_data(700)
  fit <- meanfield_gp(y ~ ., toy, kernel_rbf(1, 2), likelihood = lik_gaussian(0.1),
    optimise = FALSE, seed = 1)
  set.seed(8)
  before <- .Random.seed
  first <- relevance(fit)
  expect_identical(.Random.seed, before)
  expect_identical(relevance(fit), first)
  drawn <- lapply(1:12, function(seed) {
    fit$seed <- seed
    found <- relevance(fit)
    found[match(first$term, found$term), ]
  })
  spread <- apply(vapply(drawn, `[[`, numeric(10), "relevance"), 1, sd)
  stated <- rowMeans(vapply(drawn, `[[`, numeric(10), "std_error"))
  expect_true(all(stated > 0.5 * spread & stated < 2 * spread))
})

test_that("rows of newdata with missing values are left out", {
  fit <- meanfield_gp(Volume ~ ., trees, optimise = FALSE)
  holes <- trees
  holes$Girth[3] <- NA
  expect_equal(relevance(fit, holes), relevance(fit, trees[-3, ]))
  expect_snapshot(error = TRUE, relevance(fit, holes[3, ]))
  expect_error(relevance(fit, trees["Girth"]), class = "gpsieve_error_data")
})

# By how much the mean squared error of the response on these rows, or of the indicators of
# classes, grows when a column is permuted.
importance <- function(fit, data, response, terms) {
  loss <- function(rows) {
    if (!is.factor(data[[response]])) return(mean((predict(fit, rows) - data[[response]])^2))
    truth <- outer(as.character(data[[response]]), levels(data[[response]]), `==`)
    mean(rowSums((predict(fit, rows, type = "prob") - truth)^2))
  }
  vapply(terms, function(term) {
    mean(replicate(10, loss(replace(data, term, list(sample(data[[term]])))))) - loss(data)
  }, 0)
}

agreement <- function(data, response, kernel = kernel_matern(2.5, ard = TRUE)) {
  set.seed(3)
  train <- sample(nrow(data), round(nrow(data) * 0.67))
  fit <- suppressWarnings(
    meanfield_gp(reformulate(".", response), data[train, ], kernel = kernel, seed = 1)
  )
  found <- relevance(fit)
  lost <- importance(fit, data[-train, ], response, found$term)
  list(order = found$term, rank = cor(found$relevance, lost, method = "spearman"))
}

test_that("relevance ranks columns as permutations on held-out rows do", {
  toy <- friedman_data(250)
  for (kernel in list(kernel_rbf(), kernel_rbf(ard = TRUE))) {
    found <- agreement(toy, "y", kernel)
    expect_gt(found$rank, 0.7)
    expect_setequal(found$order[1:5], paste0("V", 1:5))
  }
  set.seed(2)
  line <- as.data.frame(matrix(rnorm(200 * 8), 200))
  line$y <- 5 * line$V1 + line$V2 + rnorm(200)
  expect_identical(agreement(line, "y")$order[1:2], c("V1", "V2"))
  expect_gt(agreement(iris, "Species")$rank, 0.7)
  skip_if_not_installed("MASS")
  expect_gt(agreement(rbind(MASS::Pima.tr, MASS::Pima.te), "type", kernel_rbf())$rank, 0.7)
})

test_that("the work of many columns and basis points is no integer that overflows", {
  fit <- list(basis = matrix(0, 2000, 1), inputs = list(center = numeric(2000)))
  expect_gt(relevance_work(fit, 2000L), 1e9)
  expect_identical(permuted_rows(fit, 2000L), as.double(fewest_permuted))
})
