# What must hold for sequential learning on any data.

law_x <- uniform_inputs(60)
law_y <- sin(2 * law_x[, 1]) + law_x[, 2] + with_own_seed(2, rnorm(60, sd = 0.3))
law_class <- noisy_labels(law_x)
law_three <- cut(law_y, c(-Inf, -0.7, 0.7, Inf), labels = c("low", "mid", "high"))
law_new <- uniform_inputs(12, seed = 9)

online <- function(x, y, ..., likelihood = if (is.numeric(y)) lik_gaussian(0.1),
                   optimise = FALSE, standardise = FALSE, shuffle = FALSE, seed = 1) {
  online_gp(x, y, ...,
    likelihood = likelihood, optimise = optimise, standardise = standardise, shuffle = shuffle,
    seed = seed, kernel = kernel_rbf(1.5, 1), verbose = FALSE
  )
}

rpois_like <- function(n) with_own_seed(6, rpois(n, 2))

# A list in which one leaf, drawn at random, is damaged.
damage_leaf <- function(x) {
  i <- sample.int(length(x), 1)
  if (is.list(x[[i]]) && length(x[[i]])) {
    x[[i]] <- damage_leaf(x[[i]])
    return(x)
  }
  v <- x[[i]]
  changes <- list(
    function() if (length(v) && is.numeric(v)) replace(v, sample.int(length(v), 1), NaN) else "x",
    function() if (length(v)) v[-1] else 1, function() c(v, v), function() as.character(v),
    function() if (is.numeric(v)) -v else NA, function() NULL, function() list(1),
    function() matrix(0, 2, 5), function() if (is.integer(v)) v + 1000L else 1e300
  )
  x[i] <- list(changes[[sample.int(length(changes), 1)]]())
  x
}

# A fit without its trace, which describes the latest call only.
stream_parts <- function(fit) {
  fit[c("posteriors", "basis", "rows", "state", "n", "response", "inputs", "evidence", "sites")]
}

# ---- rows that come later ----

test_that("however a stream is split, the fit is the same to the last bit", {
  responses <- list(law_y, law_class, law_three)
  for (y in responses) for (budget in c(12, Inf)) {
    for (deletion in c("reverse_kl", "forward_kl", "cheap")) {
      whole <- online(law_x, y, budget = budget, deletion = deletion)
      for (cuts in list(30, c(20, 21, 45), 40:59)) {
        starts <- c(1, cuts + 1)
        ends <- c(cuts, 60)
        fit <- NULL
        for (i in seq_along(starts)) {
          rows <- starts[i]:ends[i]
          part <- law_x[rows, , drop = FALSE]
          fit <- if (i == 1) {
            online(part, y[rows], budget = budget, deletion = deletion)
          } else {
            update(fit, part, y[rows], verbose = FALSE)
          }
        }
        expect_identical(stream_parts(fit), stream_parts(whole))
        expect_identical(all_predictions(fit, law_new), all_predictions(whole, law_new))
      }
    }
  }
})

test_that("update() takes data frames, formulas and recipes as the fit did", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- data.frame(law_x, f = factor(rep(c("u", "v", "w"), 20)), y = law_y)
  settings <- list(kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(0.1), budget = 15,
    optimise = FALSE, standardise = FALSE, shuffle = FALSE, seed = 1, verbose = FALSE
  )
  both <- function(...) do.call(online_gp, c(list(...), settings))
  whole <- both(y ~ log(a + 3) + b + f, data)
  first <- both(y ~ log(a + 3) + b + f, data[1:30, ])
  by_data <- update(first, data = data[31:60, ])
  by_xy <- update(first, data[31:60, ], data$y[31:60])
  expect_identical(stream_parts(by_data), stream_parts(whole))
  expect_identical(stream_parts(by_xy), stream_parts(whole))
  whole <- both(data[c("a", "b", "f")], data$y)
  first <- both(data[1:30, c("a", "b", "f")], data$y[1:30])
  expect_identical(
    stream_parts(update(first, data[31:60, c("b", "f", "a")], data$y[31:60])), stream_parts(whole)
  )
  expect_error(update(first, data = data), class = "gpsieve_error_unsupported")
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(y ~ a + b, data)
  expect_identical(
    stream_parts(update(both(recipe, data[1:30, ]), data = data[31:60, ])),
    stream_parts(both(recipe, data))
  )
})

test_that("standardisation and hyper-parameters stay those of the first rows", {
  fit <- online_gp(law_x[1:30, ], law_y[1:30], optimise = TRUE, seed = 1, verbose = FALSE,
    control = control_online(learn_rows = 20)
  )
  later <- update(fit, law_x[31:60, ], law_y[31:60])
  expect_identical(coef(later), coef(fit))
  expect_identical(later$inputs[c("center", "scale")], fit$inputs[c("center", "scale")])
  expect_identical(later$inputs$range, unname(apply(law_x, 2, range)))
  expect_equal(nobs(later), 60)
  expect_gt(evidence(later)$value, evidence(fit)$value * 3)
  error <- function(fit) mean((predict(fit, law_x) - law_y)^2)
  expect_lt(error(later), error(fit))
})

test_that("the first row of a level may come in a later call, whichever levels came before", {
  y <- factor(law_three, levels = c("mid", "none", "low", "high"))
  order <- order(y %in% c("high"), y %in% c("mid"))
  x <- law_x[order, ]
  y <- y[order]
  whole <- online(x, y, budget = 15)
  first <- sum(y == "low") + 3
  few <- online(x[1:first, ], y[1:first], budget = 15)
  expect_null(dim(predict(few, law_new, type = "link")))
  p <- predict(few, law_new, type = "prob")
  expect_identical(colnames(p), levels(y))
  expect_identical(max(p[, c("none", "high")]), 0)
  for (rows in split((first + 1):60, seq_along((first + 1):60) %/% 7)) {
    few <- update(few, x[rows, ], as.character(y[rows]))
  }
  expect_identical(stream_parts(few), stream_parts(whole))
  expect_identical(names(few$posteriors), c("mid", "low", "high"))
  # When the last level has its first row, no machine for levels without a row remains.
  last <- update(few, law_new, rep("none", 12))
  expect_identical(names(last$posteriors), levels(y))
  expect_length(last$state$hidden$machines, 0)
  expect_identical(stream_parts(last),
    stream_parts(online(rbind(x, law_new), factor(c(as.character(y), rep("none", 12)), levels(y)),
      budget = 15
    ))
  )
})

test_that("later rows of the wrong form are an error and leave the fit unchanged", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- data.frame(law_x, y = law_class)
  fit <- online_gp(y ~ a + b, data[1:40, ], budget = 10, optimise = FALSE, seed = 1)
  plain <- online(law_x[1:40, ], law_class[1:40], budget = 10)
  numbers <- online(law_x[1:40, ], law_y[1:40], budget = 10)
  counts <- online(law_x[1:40, ], rpois_like(40), budget = 10, likelihood = lik_poisson())
  before <- rlang::hash(list(fit, plain, numbers, counts))
  new <- law_x[41:44, ]
  refuse <- function(code, class) expect_error(code, class = paste0("gpsieve_error_", class))
  refuse(update(fit), "argument")
  refuse(update(fit, new), "argument")
  refuse(update(fit, new, law_class[41:44], budget = 3), "argument")
  refuse(update(fit, data = 1), "argument")
  refuse(update(fit, data = data[41:44, 1:2]), "data")
  refuse(update(fit, data = data[41:44, 2:3]), "data")
  refuse(update(plain, new[, 1, drop = FALSE], law_class[41:44]), "data")
  refuse(update(plain, cbind(new, c = 1), law_class[41:44]), "data")
  refuse(update(plain, named(new, c("a", "z")), law_class[41:44]), "data")
  refuse(update(plain, unname(cbind(new, 1)), law_class[41:44]), "data")
  refuse(update(plain, new, rep("7", 4)), "data")
  refuse(update(fit, data = transform(data[41:44, ], y = "7")), "data")
  refuse(update(plain, new, law_class[41:43]), "data")
  refuse(update(plain, new, rep(NA_character_, 4)), "data")
  refuse(update(plain, replace(new, 1:4, NA), law_class[41:44]), "data")
  refuse(update(plain, replace(new, 2, Inf), law_class[41:44]), "data")
  refuse(update(plain, new, 1:4), "data")
  refuse(update(numbers, new, law_class[41:44]), "data")
  refuse(update(numbers, new, c(1, 2, Inf, 4)), "data")
  refuse(update(counts, new, c(1, 2, 0.5, 4)), "data")
  expect_identical(rlang::hash(list(fit, plain, numbers, counts)), before)
  expect_identical(update(plain, new[0, ], law_class[0]), plain)
})

test_that("messages of errors", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- data.frame(law_x, y = law_class)
  fit <- online_gp(y ~ a + b, data[1:40, ], budget = 10, optimise = FALSE, seed = 1)
  plain <- online(law_x[1:40, ], law_class[1:40], budget = 10)
  new <- law_x[41:44, ]
  expect_snapshot(error = TRUE, {
    update(fit)
    update(fit, new)
    update(fit, data = data, budget = 3)
    update(fit, data = data[, 1:2])
    update(plain, data = data)
    update(plain, cbind(new, c = 1), law_class[41:44])
    update(plain, new[, 1, drop = FALSE], law_class[41:44])
    update(plain, new, rep("7", 4))
    update(plain, new, 1:4)
    update(plain, replace(new, 1:4, NA), law_class[41:44])
    online(law_x, law_class, budget = 0)
    online(law_x, law_class, novelty = -1)
    online(law_x, law_class, deletion = "oldest")
    online(law_x, law_class, budget = 5, sweeps = 2, sweep_type = "ep")
    online(law_x, law_class, control = control_ivm())
    evidence(plain, gradient = TRUE)
  })
})

test_that("update() of a damaged state never gives an error of another class", {
  skip_on_cran() # what R alone does is the same everywhere
  fits <- list(
    online(law_x, law_class, budget = 8), online(law_x, law_three, budget = 8),
    online(law_x, law_y, sweeps = 2)
  )
  new <- law_x[1:2, ]
  answers <- list(law_class[1:2], law_three[1:2], law_y[1:2])
  escaped <- with_own_seed(3, lapply(1:120, function(i) {
    k <- 1 + i %% 3
    fit <- fits[[k]]
    path <- sample(c("state", "posteriors"), 1)
    leaves <- rapply(fit[[path]], function(v) v, how = "list")
    damaged <- fit
    damaged[[path]] <- damage_leaf(leaves)
    said <- tryCatch(
      {
        suppressWarnings(update(damaged, new, answers[[k]], verbose = FALSE))
        NULL
      },
      gpsieve_error = function(e) NULL,
      error = function(e) conditionMessage(e)
    )
    said
  }))
  expect_identical(unlist(escaped), NULL)
})

# ---- the basis ----

test_that("the budget bounds the basis, and a novelty threshold keeps equal rows out of it", {
  for (y in list(law_y, law_class)) {
    fit <- online(law_x, y, budget = 7)
    expect_length(active_set(fit), 7)
    expect_lte(length(active_set(online(law_x, y, novelty = 0.3))), 30)
    twice <- online(law_x[c(1:20, 1:20), ], y[c(1:20, 1:20)])
    expect_identical(active_set(twice), 1:20)
  }
  expect_length(active_set(online(law_x, law_three, budget = 5))$mid, 5)
})

test_that("a budget as large as the number of rows gives the fit without a budget", {
  for (y in list(law_y, law_class, law_three)) {
    for (novelty in c(1e-6, 0.05)) {
      free <- online(law_x, y, novelty = novelty)
      bounded <- online(law_x, y, novelty = novelty, budget = 60)
      expect_identical(bounded$posteriors, free$posteriors)
      expect_identical(evidence(bounded), evidence(free))
    }
    # Without a threshold the one keeps every row as it is, the other builds a basis of them.
    free <- online(law_x, y, novelty = 0)
    bounded <- online(law_x, y, novelty = 0, budget = 60)
    expect_equal(all_predictions(bounded, law_new), all_predictions(free, law_new),
      tolerance = 1e-7
    )
  }
})

test_that("a fit with a budget predicts almost as well as the full one", {
  x <- uniform_inputs(400)
  y <- noisy_labels(x, flip = 0.05)
  new <- uniform_inputs(500, seed = 31)
  truth <- as.integer(noisy_labels(new, flip = 0.05, seed = 32))
  loss <- function(fit) {
    -mean(log(predict(fit, new, type = "prob")[cbind(seq_along(truth), truth)]))
  }
  full <- loss(online(x, y))
  bounded <- loss(online(x, y, budget = 25))
  forgotten <- loss(online(x[376:400, ], y[376:400]))
  expect_lt(bounded, full + 0.05)
  expect_lt(bounded, forgotten - 0.05)
})

# ---- orders and sweeps ----

test_that("with Gaussian noise neither order nor more sweeps of EP change the answer", {
  one <- all_predictions(online(law_x, law_y, likelihood = lik_gaussian(0.1), novelty = 0), law_new)
  other <- online(law_x, law_y,
    likelihood = lik_gaussian(0.1), novelty = 0, shuffle = TRUE, seed = 4
  )
  expect_equal(all_predictions(other, law_new), one, tolerance = 1e-8)
  sweeps <- online(law_x, law_y, likelihood = lik_gaussian(0.1), novelty = 0, sweeps = 3)
  expect_equal(all_predictions(sweeps, law_new), one, tolerance = 1e-8)
  dense <- dense_gp(rbf(law_x, law_x, 1.5), law_y, 0.1, rbf(law_x, law_new, 1.5), rep(1.5, 12))
  expect_equal(one$mean, dense$mean, tolerance = 1e-8)
  expect_equal(one$se^2, dense$variance, tolerance = 1e-8)
  expect_equal(evidence(sweeps)$value, dense$evidence, tolerance = 1e-9)
  expect_equal(evidence(other)$value, dense$evidence, tolerance = 1e-9)
})

test_that("sweeps of EP end where dense EP ends, whatever the order", {
  y <- ifelse(law_class == "1", 1, -1)
  dense <- dense_ep(rbf(law_x[1:25, ], variance = 1.5), y[1:25],
    rbf(law_x[1:25, ], law_new, 1.5), rep(1.5, 12), mean = 0.3
  )
  for (seed in 1:2) {
    fit <- online(law_x[1:25, ], law_class[1:25], sweeps = 100, shuffle = TRUE, seed = seed,
      prior_mean = 0.3
    )
    link <- predict(fit, law_new, type = "link", se.fit = TRUE)
    expect_equal(link$fit, dense$mean, tolerance = 1e-6)
    expect_equal(link$se.fit^2, dense$variance, tolerance = 1e-6)
    expect_setequal(sites(fit)$row, 1:25)
    expect_length(loo(fit), 25)
    expect_true(all(loo(fit) < 0))
  }
  expect_lt(nrow(fit_trace(fit)), 150) # it stopped when the sites stood still
})

test_that("sweeps of ADF shrink the variance and do not change the evidence", {
  once <- online(law_x, law_class)
  for (budget in c(20, Inf)) {
    twice <- online(law_x, law_class, sweeps = 3, sweep_type = "adf", budget = budget)
    se <- function(fit) mean(predict(fit, law_new, type = "link", se.fit = TRUE)$se.fit)
    expect_lt(se(twice), se(once))
  }
  expect_identical(evidence(twice), evidence(once))
  expect_identical(online(law_x, law_class, sweeps = 3, budget = 20)$settings$sweep_type, "adf")
  expect_error(loo(once), class = "gpsieve_error_unsupported")
})

test_that("exchanging the labels changes the sign of the mean", {
  flipped <- factor(law_class, levels = c("1", "-1"))
  for (settings in list(list(budget = 10), list(), list(sweeps = 4))) {
    one <- do.call(online, c(list(law_x, law_class), settings))
    two <- do.call(online, c(list(law_x, flipped), settings))
    a <- predict(one, law_new, type = "link", se.fit = TRUE)
    b <- predict(two, law_new, type = "link", se.fit = TRUE)
    expect_equal(a$fit, -b$fit, tolerance = 1e-10)
    expect_equal(a$se.fit, b$se.fit, tolerance = 1e-10)
  }
})

test_that("probabilities depend on the ratio of kernel variance and probit noise only", {
  settings <- list(law_x, law_class, budget = 12, optimise = FALSE, standardise = FALSE, seed = 1)
  one <- do.call(online_gp, c(settings, list(kernel = kernel_rbf(2, 1))))
  two <- do.call(online_gp,
    c(settings, list(kernel = kernel_rbf(8, 1), likelihood = lik_probit(4)))
  )
  expect_identical(active_set(one), active_set(two))
  expect_equal(predict(one, law_new, type = "prob"), predict(two, law_new, type = "prob"),
    tolerance = 1e-9
  )
  expect_equal(evidence(one)$value, evidence(two)$value, tolerance = 1e-9)
})

test_that("learning raises the evidence", {
  x <- uniform_inputs(200)
  f <- sin(2 * x[, 1]) + x[, 2]
  for (y in list(f + with_own_seed(3, rnorm(200, sd = 0.2)), noisy_labels(x, 0.05))) {
    given <- online_gp(x, y, kernel_rbf(0.2, 6), budget = 40, optimise = FALSE, seed = 1)
    learned <- online_gp(x, y, kernel_rbf(0.2, 6), budget = 40, seed = 1)
    expect_gt(evidence(learned)$value, evidence(given)$value + 5)
  }
  kept <- online_gp(x, f, kernel_rbf(fixed(0.2), fixed(6)), lik_gaussian(fixed(0.1)), seed = 1)
  expect_identical(coef(kept)[["lengthscale"]], 6)
})

test_that("a new row of weight w is absorbed as w rows", {
  toy <- toy_data("regression", n = 30)
  fit <- online_gp(toy$x[1:20, ], toy$y[1:20], kernel_rbf(1, 1), optimise = FALSE, seed = 1)
  new <- toy$x[21:30, ]
  weights <- rep(c(1, 3), 5)
  rows <- rep(1:10, weights)
  weighted <- update(fit, new, toy$y[21:30], weights = weights)
  copies <- update(fit, new[rows, ], toy$y[21:30][rows])
  expect_identical(predict(weighted, toy$new), predict(copies, toy$new))
  expect_error(update(fit, new, toy$y[21:30], weights = weights / 2), "whole numbers",
    class = "gpsieve_error_unsupported"
  )
})

test_that("weights that are a column of the data are those of new rows too", {
  data <- transform(toy_data("regression", n = 30)$data, w = rep(1:3, 10))
  fit <- function(...) {
    online_gp(y ~ a + b, data[1:20, ], kernel_rbf(),
      shuffle = FALSE, optimise = FALSE, seed = 1, ...
    )
  }
  later <- data[21:30, ]
  by_name <- fit(weights = w)
  expect_identical(predict(update(by_name, data = later), data),
    predict(update(by_name, data = later, weights = w), data))
  by_value <- fit(weights = data$w[1:20])
  expect_error(update(by_value, data = later), "given again", class = "gpsieve_error_argument")
  expect_identical(predict(update(by_value, data = later, weights = later$w), data),
    predict(update(by_name, data = later), data))
})

test_that("rows that come later are absorbed in the units of the first rows", {
  first <- online(law_x[1:30, ], law_y[1:30], standardise = TRUE)
  later <- update(first, law_x[31:60, ], law_y[31:60])
  # One fit to all rows, whose hyper-parameters are written in these units.
  center <- first$response$center
  scale <- first$response$scale
  inputs <- sweep(sweep(law_x, 2, first$inputs$center), 2, first$inputs$scale, "/")
  whole <- online(inputs, (law_y - center) / scale, standardise = FALSE)
  new <- sweep(sweep(law_new, 2, first$inputs$center), 2, first$inputs$scale, "/")
  expect_equal(unname(predict(later, law_new)), unname(predict(whole, new)) * scale + center)
  expect_equal(unname(predict(later, law_new, type = "link", se.fit = TRUE)$se.fit),
    unname(predict(whole, new, type = "link", se.fit = TRUE)$se.fit) * scale)
  # In the units of all rows the function is another one.
  other <- online(law_x, law_y, standardise = TRUE)
  expect_gt(max(abs(predict(other, law_new) - predict(later, law_new))), 1e-4)
})
