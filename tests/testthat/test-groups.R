# Terms (1 | g) of formulas.

grouped <- function(n = 90, groups = 9) {
  with_own_seed(1, {
    g <- factor(sample(letters[seq_len(groups)], n, replace = TRUE))
    x <- stats::runif(n, 5, 10)
    shift <- stats::rnorm(groups)
    tilt <- stats::rnorm(groups) / 2
    data.frame(x = x, z = stats::rnorm(n), g = g, h = factor(rep(1:3, length.out = n)),
      y = sin(x) + shift[g] + tilt[g] * x + stats::rnorm(n) / 5)
  })
}

exactly <- function(formula, data = grouped(), kernel = kernel_rbf(), ...) {
  meanfield_gp(formula, data, kernel, optimise = FALSE, ...)
}

test_that("each term adds its kernel", {
  by <- function(...) kernel_categorical("g", ..., correlation = 0)
  expect_kernel <- function(formula, kernel) {
    plain <- y ~ x + g
    expect_equal(fitted(exactly(formula)), fitted(exactly(plain, kernel = kernel)))
  }
  on_x <- function(kernel) kernel_on(kernel, "x")
  expect_kernel(y ~ x + (1 | g), kernel_rbf() + by())
  expect_kernel(y ~ x + (x | g), kernel_rbf() + by(fixed(1)) * on_x(kernel_affine()))
  expect_kernel(y ~ x + (0 + x | g), kernel_rbf() + by(fixed(1)) * on_x(kernel_linear()))
  expect_equal(fitted(exactly(y ~ x + (x || g))),
    fitted(exactly(y ~ x + (1 | g) + (0 + x | g))))
  expect_equal(fitted(exactly(y ~ x + (1 | g:h))),
    fitted(exactly(y ~ x + (1 | gh), transform(grouped(), gh = paste(g, h)))))
  expect_equal(fitted(exactly(y ~ x + (1 | g), kernel = kernel_rbf() + by(2))),
    fitted(exactly(y ~ x + g, kernel = kernel_rbf() + by(2))))
})

test_that("only the group sees what stands in bars alone, and a dot leaves groups out", {
  data <- grouped()[c("x", "g", "y")]
  slopes <- exactly(y ~ (x | g), data)
  expect_identical(format(kernel_of(slopes)$children[[1L]]), "kernel_constant(variance = 1)")
  expect_equal(fitted(exactly(y ~ . + (1 | g), data)), fitted(exactly(y ~ x + (1 | g), data)))
  expect_equal(fitted(exactly(y ~ (1 | g), data)),
    fitted(exactly(y ~ g, data, kernel_constant() + kernel_categorical("g", correlation = 0))))
})

test_that("correlated lines do not depend on the origin of the column", {
  fit <- function(data) {
    meanfield_gp(y ~ (x | g), data, kernel_constant(fixed(10)), standardise = FALSE)
  }
  data <- grouped()
  a <- fit(data)
  b <- fit(transform(data, x = x - 7))
  expect_equal(evidence(a)$value, evidence(b)$value, tolerance = 1e-4)
  expect_equal(coef(a)[["affine.slope"]], coef(b)[["affine.slope"]], tolerance = 0.02)
})

test_that("new groups are predicted by the function of the other inputs", {
  fit <- exactly(y ~ x + (1 | g))
  others <- data.frame(x = c(6, 8), g = "none of these")
  expect_silent(said <- predict(fit, others, se.fit = TRUE))
  known <- predict(fit, data.frame(x = c(6, 8), g = "a"), se.fit = TRUE)
  expect_true(all(said$se.fit > known$se.fit))
  expect_error(predict(fit, others, new_levels = "error"), class = "gpsieve_error_data")
  expect_true(is.na(predict(fit, data.frame(x = 6, g = NA))))
})

test_that("every model takes groups, also of classes, and stores them", {
  data <- grouped(60, 5)
  new <- data.frame(x = c(6, 8), g = c("a", "new"))
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- do.call(spec$fit, c(list(y ~ x + (x | g), data, seed = 1), spec$learning)) |>
      suppressWarnings(classes = "gpsieve_warning")
    expect_true(all(is.finite(predict(fit, new))), label = name)
    expect_identical(predict(unserialize(serialize(fit, NULL)), new), predict(fit, new))
    classes <- do.call(spec$fit, c(list(factor(y > mean(y)) ~ x + (1 | g), data, seed = 1),
      spec$cheap)) |> suppressWarnings(classes = "gpsieve_warning")
    expect_equal(rowSums(predict(classes, new, type = "prob")), c(1, 1), label = name)
  }
})

test_that("gpsieve() adds the groups to what it chooses", {
  fit <- gpsieve(y ~ x + (1 | g), grouped(), seed = 1, verbose = FALSE,
    candidates = "meanfield_gp", control = control_gpsieve(folds = 2)
  )
  expect_match(format(kernel_of(fit)), "kernel_categorical(", fixed = TRUE)
  expect_gt(cor(predict(fit, grouped()), grouped()$y), 0.9)
})

test_that("update() keeps and changes formulas with groups", {
  data <- grouped()
  fit <- exactly(y ~ x + (1 | g), data)
  expect_equal(fitted(update(fit)), fitted(fit))
  wider <- update(fit, . ~ . + z)
  expect_identical(deparse1(formula(wider)), "y ~ x + (1 | g) + z")
  expect_named(wider$inputs$center, c("x", "z", "g"))
  alone <- exactly(y ~ (1 | g), data)
  expect_identical(update(alone)$response$scale, alone$response$scale)
})

test_that("pictures and relevance treat a group as one input", {
  fit <- exactly(y ~ x + (1 | g))
  expect_setequal(relevance(fit)$term, c("x", "g"))
  withr::with_pdf(NULL, expect_no_error(plot(fit, "effects")))
  expect_equal(axis_points(fit, 2L, 100), 1:9)
})

test_that("variances are those of lme4", {
  skip_if_not_installed("lme4")
  data <- lme4::sleepstudy
  fit <- meanfield_gp(Reaction ~ Days + (Days | Subject), data, standardise = FALSE,
    kernel = kernel_linear(fixed(1e4)) + kernel_constant(fixed(1e6)),
    likelihood = lik_gaussian(500)
  )
  theirs <- as.data.frame(lme4::VarCorr(lme4::lmer(Reaction ~ Days + (Days | Subject), data)))
  ours <- coef(fit)
  expect_equal(ours[["affine.variance"]], theirs$vcov[1], tolerance = 0.01)
  expect_equal(ours[["affine.slope"]], theirs$vcov[2], tolerance = 0.01)
  expect_equal(cos(ours[["affine.angle"]]), theirs$sdcor[3], tolerance = 0.1)
  expect_equal(ours[["likelihood.variance"]], theirs$vcov[4], tolerance = 0.01)
})

test_that("what is no term of groups is refused", {
  data <- grouped()
  rows <- rows_from_function(function(at) if (at == 1) data)
  expect_snapshot(error = TRUE, {
    exactly(y ~ x + (x + z | g), data)
    exactly(y ~ x + (1 | g / h), data)
    exactly(y ~ x + (0 | g), data)
    exactly(y ~ x + g + (1 | g), data)
    ivm(y ~ x + (1 | g), rows)
  })
})

test_that("groups of rows and groups of columns stand in one formula", {
  x <- spread_points(80, 2)
  data <- data.frame(a = x[, 1], b = x[, 2], place = sprintf("p%d", seq_len(80) %% 8))
  data$y <- sin(4 * data$a) + data$b^2 + cos(5 * (seq_len(80) %% 8)) + cos(80 * x[, 2]) / 5
  fit <- meanfield_gp(y ~ g(a) + g(b) + (1 | place), data, kernel_rbf(), seed = 1)
  whole <- kernel_of(fit)
  expect_identical(
    vapply(whole$children, function(term) term$type, ""), c("on", "on", "on")
  )
  expect_match(format(whole), "kernel_categorical", fixed = TRUE)
  expect_output(print(fit), "a\\s+constant for each level of place")
  expect_identical(fitted(update(fit, kernel = whole, optimise = FALSE)), fitted(fit))
  expect_true(is.finite(predict(fit, data.frame(a = 0, b = 0, place = "new"))))
})
