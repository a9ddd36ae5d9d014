# Rows that lack a value have noise of their own, kernel_gap_noise().

# A function of `a`, and new rows: some with all values, some without `a`
gappy <- function(n = 120, seed = 1) {
  with_own_seed(seed, {
    d <- data.frame(a = runif(n), b = runif(n))
    d$y <- sin(6 * d$a) + 0.3 * d$b + rnorm(n, sd = 0.1)
  })
  new <- d[1:40, ]
  d <- d[41:n, ]
  d$a[seq(1, nrow(d), by = 5)] <- NA
  list(data = d, whole = new, lacking = transform(new, a = NA))
}

model_gaps <- function(model, data, ..., formula = y ~ a + b) {
  suppressWarnings(suppressMessages(
    do.call(model, list(formula, data, na.action = "model", seed = 1, ...))
  ))
}

share_within <- function(fit, new) {
  ends <- predict(fit, new, type = "quantile", probs = c(0.025, 0.975))
  mean(ends[, 1] < new$y & new$y < ends[, 2])
}

# The variances of gap noise in the kernel of a fit, by the columns that say where values are
# missing
gap_noises <- function(fit) {
  leaves <- kernel_leaves(kernel_of(fit), names(fit$inputs$center))
  of_gaps <- Filter(function(leaf) leaf$kernel$type == "gap_noise", leaves)
  columns <- vapply(of_gaps, function(leaf) toString(leaf$columns), "")
  stats::setNames(lapply(of_gaps, function(leaf) leaf$kernel$values$variance), columns)
}

test_that("intervals of rows with and without gaps hold what they say", {
  toy <- gappy(300)
  for (model in list(meanfield_gp, ivm, ep_gp, greedy_gp, online_gp)) {
    fit <- model_gaps(model, toy$data)
    expect_gt(share_within(fit, toy$lacking), 0.85)
    expect_gt(share_within(fit, toy$whole), 0.85)
    width <- function(new) mean(predict(fit, new, type = "response", se.fit = TRUE)$se.fit)
    expect_gt(width(toy$lacking), 2 * width(toy$whole))
  }
})

test_that("a kernel gets one noise for each column with gaps, and keeps its own", {
  d <- gappy()$data
  d$b[2:4] <- NA
  noises <- function(fit) c(character(), names(gap_noises(fit)))
  fit <- model_gaps(meanfield_gp, d, optimise = FALSE)
  expect_identical(noises(fit), c("a(missing)", "b(missing)"))
  again <- update(fit, data = d, kernel = kernel_of(fit), optimise = FALSE)
  expect_identical(noises(again), noises(fit))
  own <- model_gaps(meanfield_gp, d, kernel_rbf() + kernel_gap_noise("b(missing)", fixed(0.3)),
    optimise = FALSE)
  expect_identical(noises(own), c("b(missing)", "a(missing)"))
  expect_identical(gap_noises(own)[["b(missing)"]], 0.3)
  grouped <- model_gaps(meanfield_gp, d, formula = y ~ g(a) + g(b), optimise = FALSE)
  expect_identical(noises(grouped), noises(fit))
  weighted <- model_gaps(meanfield_gp, d, weights = rep(1:2, length.out = nrow(d)),
    optimise = FALSE)
  expect_identical(noises(weighted), character())
  whole <- model_gaps(meanfield_gp, gappy()$whole, optimise = FALSE)
  expect_identical(noises(whole), character())
})

test_that("columns whose gaps are in the same rows share a noise", {
  d <- gappy()$data
  d$b[2:4] <- NA
  for (model in list(meanfield_gp, ivm, ep_gp, greedy_gp, local_gp)) {
    fit <- model_gaps(model, d, optimise = FALSE, formula = y ~ a + log(a + 1) + b)
    expect_named(gap_noises(fit), c("a(missing), log(a + 1)(missing)", "b(missing)"))
    again <- update(fit, data = d, kernel = kernel_of(fit), optimise = FALSE)
    expect_identical(gap_noises(again), gap_noises(fit))
  }
  # As wide as the noise of one column.
  one <- model_gaps(meanfield_gp, d, optimise = FALSE, formula = y ~ a + b)
  expect_equal(max(diag(kernel_matrix(kernel_of(fit), rbind(numeric(6), 1)))),
    max(diag(kernel_matrix(kernel_of(one), rbind(numeric(4), 1)))))
  expect_output(print(fit), "gap noise of")
  expect_output(print(summary(fit)), "gap_noise of a(missing), log(a + 1)(missing)", fixed = TRUE)
})

test_that("gap noise is no term, and belongs to standard errors and intervals of both kinds", {
  toy <- gappy()
  # A function that does not see where values are missing.
  fit <- model_gaps(meanfield_gp, toy$data,
    kernel_on(kernel_rbf(), c("a", "b")) + kernel_on(kernel_linear(), "b"))
  alike <- list(lacking = toy$lacking, filled = transform(toy$whole, a = mean(toy$data$a,
    na.rm = TRUE)))
  terms <- lapply(alike, function(new) predict(fit, new, type = "terms", se.fit = TRUE))
  expect_identical(colnames(terms$lacking$fit), c("a, b", "b"))
  expect_equal(terms$lacking, terms$filled)
  expect_equal(rowSums(terms$lacking$fit) + attr(terms$lacking$fit, "constant"),
    unname(predict(fit, toy$lacking, type = "link")))
  expect_identical(term_variances(fit)$term, c("a, b", "b"))
  variance <- gap_noises(fit)[["a(missing)"]] * latent_scale(fit)^2
  for (type in c("link", "response")) {
    more <- lapply(alike, function(new) predict(fit, new, type = type, se.fit = TRUE)$se.fit^2)
    expect_equal(more$lacking - more$filled, rep(variance, nrow(toy$lacking)))
  }
  width <- lapply(c("confidence", "prediction"), function(interval) {
    vapply(alike, function(new) mean(diff(t(predict(fit, new, interval = interval)[, -1L]))), 0)
  })
  for (widths in width) expect_gt(widths[["lacking"]], 1.5 * widths[["filled"]])
})

test_that("other data have gap noise where they have gaps", {
  d <- gappy(100)$data
  of_both <- d
  of_both$b[2:9] <- NA
  of_b <- transform(of_both, a = seq_len(nrow(d)) / nrow(d))
  for (model in list(meanfield_gp, ivm, ep_gp, greedy_gp, local_gp, rvm)) {
    fit <- model_gaps(model, d)
    variances <- function(data) {
      gap_noises(suppressMessages(update(fit, data = data, optimise = FALSE)))
    }
    in_a <- variances(d)
    if (identical(model, rvm)) {
      for (data in list(d, of_both, of_b, d[!is.na(d$a), ])) expect_length(variances(data), 0)
      next
    }
    expect_named(in_a, "a(missing)")
    expect_identical(variances(of_both)["a(missing)"], in_a)
    expect_setequal(names(variances(of_both)), c("a(missing)", "b(missing)"))
    expect_named(variances(of_b), "b(missing)")
    expect_length(variances(d[!is.na(d$a), ]), 0)
  }
  # A fold whose other rows have no gap.
  fit <- model_gaps(meanfield_gp, d)
  folds <- ifelse(is.na(d$a), 1, 2 + seq_len(nrow(d)) %% 2)
  expect_false(anyNA(suppressWarnings(cv(fit, d, folds = folds))$predictions$density))
})

test_that("where rows with gaps have no noise of their own, a message says so", {
  d <- gappy(60)$data
  said <- function(model, ..., formula = y ~ a + b) {
    arguments <- list(formula, d, na.action = "model", seed = 1, ...)
    expect_message(suppressWarnings(do.call(model, arguments)), "no noise of their own",
      class = "gpsieve_advice")
  }
  said(meanfield_gp, weights = rep(2, nrow(d)), optimise = FALSE)
  said(meanfield_gp, noise_sd = rep(0.1, nrow(d)), optimise = FALSE)
  said(meanfield_gp, likelihood = lik_gaussian(noise = ~b))
  said(rvm)
  expect_no_message(suppressWarnings(
    meanfield_gp(y ~ a + b, d, na.action = "model", optimise = FALSE)
  ), class = "gpsieve_advice")
})

test_that("the noise of gaps is where an indicator is positive", {
  kernel <- kernel_rbf() + kernel_gap_noise("b", 0.3)
  x <- cbind(a = c(0, 0, 1), b = c(-0.2, 3, 3))
  expect_equal(diag(kernel_matrix(kernel, x)), c(1, 1.3, 1.3))
  expect_identical(eval(str2lang(format(kernel))), kernel)
  expect_error(kernel_warped(kernel_gap_noise()), class = "gpsieve_error_unsupported")
  expect_error(kernel_gap_noise("b", 0), class = "gpsieve_error_argument")
})

test_that("gpsieve() answers rows with gaps with wider intervals, and its call says how", {
  toy <- gappy()
  d <- toy$data
  fit <- suppressMessages(gpsieve(y ~ a + b, d, na.action = "model", seed = 1, verbose = FALSE,
    control = control_gpsieve(blocks = learn_on_blocks(steps = 25))))
  expect_gt(share_within(fit, toy$lacking), 0.8)
  again <- suppressMessages(eval(choice(fit, "call")))
  expect_identical(predict(again, toy$lacking), predict(fit, toy$lacking))
})
