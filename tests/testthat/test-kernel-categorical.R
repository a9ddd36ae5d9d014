# Kernels of the levels of a factor. The formula of equal correlation is compared in
# test-kernel-matrix.R, levels with angles in tests/core/test_levels.cpp.

chicks <- function() {
  data <- subset(ChickWeight, as.integer(Chick) %% 6 == 0)
  data.frame(weight = log(data$weight), Time = data$Time, Diet = data$Diet)
}

by_diet <- function(...) kernel_rbf() * kernel_categorical("Diet", fixed(1), ...)

test_that("learned similarity is the cosine of angles", {
  kernel <- kernel_categorical(variance = 2, correlation = 0.5, similarity = "learned",
    angle = c(0.3, 1, 4)
  )
  x <- matrix(c(1, 2, 3, 2))
  expect_equal(kernel_matrix(kernel, x), naive_kernel(kernel, x, x))
  expect_equal(kernel_matrix(kernel, matrix(c(1, 4, 5)))[1, ], c(2, 0, 0))
})

test_that("a fit with a factor is that of the kernel's own function of its levels", {
  data <- chicks()
  fit <- meanfield_gp(weight ~ Time + Diet, data, by_diet(0.7), likelihood = lik_gaussian(0.1),
    standardise = FALSE, optimise = FALSE
  )
  same <- function(x, z) {
    rbf <- exp(-outer(x[, 1], z[, 1], `-`)^2 / 2 / coef(fit)[["rbf.lengthscale"]]^2)
    rbf * ifelse(outer(x[, 2], z[, 2], `==`), 1, 0.7)
  }
  numbers <- cbind(data$Time, as.integer(data$Diet))
  other <- meanfield_gp(numbers, data$weight, kernel_function(same), standardise = FALSE,
    likelihood = lik_gaussian(0.1), optimise = FALSE
  )
  expect_equal(evidence(fit)$value, evidence(other)$value, tolerance = 1e-8)
  new <- data.frame(Time = 10, Diet = c("1", "4", "other"))
  expect_equal(predict(fit, new), predict(other, cbind(10, c(1, 4, 5))), tolerance = 1e-6)
})

test_that("neither the order nor the names of levels matter, nor how other columns are scaled", {
  data <- chicks()
  fit <- function(data, standardise = TRUE) {
    meanfield_gp(weight ~ Time + Diet, data, by_diet(), optimise = FALSE, standardise = standardise)
  }
  turned <- transform(data, Diet = factor(paste0("diet ", Diet), paste0("diet ", c(3, 1, 4, 2))))
  expect_equal(fitted(fit(turned)), fitted(fit(data)), tolerance = 1e-8)
  expect_identical(fit(data)$inputs$scale[["Diet"]], 1)
  expect_setequal(inducing(fit(data, "common"))[, "Diet"], 1:4)
})

test_that("a new level has the prior correlation with all others", {
  data <- chicks()
  fit <- meanfield_gp(weight ~ Diet, data, optimise = FALSE, likelihood = lik_gaussian(0.1),
    kernel = kernel_categorical("Diet", correlation = 0), standardise = FALSE
  )
  new <- data.frame(Diet = c("1", "new", "newer", "new", NA))
  said <- predict(fit, new, se.fit = TRUE)
  expect_equal(said$fit[2:4], rep(0, 3))
  expect_equal(said$se.fit[2:4], rep(1, 3))
  expect_true(is.na(said$fit[5]))
  draws <- posterior_draws(fit, new[2:4, , drop = FALSE], n = 400, seed = 1)
  draws <- matrix(draws, 3)
  expect_equal(draws[1, ], draws[3, ], tolerance = 1e-4)
  expect_lt(abs(cor(draws[1, ], draws[2, ])), 0.3)
  expect_error(predict(fit, new, new_levels = "error"), class = "gpsieve_error_data")
})

test_that("every model takes levels, and answers as other fits do", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- chicks()
  data <- data[seq(1, nrow(data), 2), ]
  new <- data.frame(Time = c(3, 9), Diet = c("2", "new"))
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- do.call(spec$fit, c(list(weight ~ Time + Diet, data, kernel = by_diet(), seed = 1),
      spec$learning)) |> suppressWarnings(classes = "gpsieve_warning")
    expect_true(all(is.finite(predict(fit, new))), label = name)
    expect_identical(unserialize(serialize(fit, NULL)) |> predict(new), predict(fit, new))
    expect_true("categorical.correlation" %in% names(coef(fit)), label = name)
    expect_output(print(fit), "categorical")
    expect_match(format(kernel_of(fit)), 'dims = "Diet"', fixed = TRUE)
    expect_identical(as_kernel(kernel_of(fit)), kernel_of(fit))
  }
})

test_that("update() fits again, with other rows and other columns", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- transform(chicks(), noise = sin(seq_along(Time)))
  fit <- meanfield_gp(weight ~ Time + Diet, data, by_diet(), optimise = FALSE)
  expect_equal(fitted(update(fit, optimise = FALSE)), fitted(fit))
  wider <- update(fit, . ~ . + noise, optimise = FALSE)
  expect_named(wider$inputs$center, c("Time", "Diet", "noise"))
  expect_error(update(fit, . ~ . - Diet), class = "gpsieve_error_argument")
})

test_that("products with a factor keep its indicators", {
  fit <- meanfield_gp(weight ~ Time * Diet, chicks(), optimise = FALSE,
    kernel = kernel_rbf() + kernel_categorical("Diet")
  )
  expect_named(fit$inputs$center, c("Time", "Diet", paste0("Time:Diet", 1:4)))
  expect_length(predict(fit, chicks()[1:3, ]), 3)
})

test_that("data frames and matrices have levels too", {
  data <- chicks()
  fit <- meanfield_gp(data[c("Time", "Diet")], data$weight, by_diet(), optimise = FALSE)
  numbers <- cbind(Time = data$Time, Diet = as.integer(data$Diet))
  other <- meanfield_gp(numbers, data$weight, by_diet(), optimise = FALSE)
  expect_equal(fitted(fit), fitted(other), tolerance = 1e-8)
})

test_that("gpsieve() takes levels", {
  skip_on_cran() # what R alone does is the same everywhere
  fit <- gpsieve(weight ~ Time + Diet, chicks(), kernel = by_diet(), seed = 1,
    candidates = "meanfield_gp", control = control_gpsieve(folds = 2), verbose = FALSE
  )
  expect_match(format(kernel_of(fit)), "kernel_categorical", fixed = TRUE)
})

test_that("angles that nobody has chosen are no equal similarity", {
  expect_error(kernel_matrix(kernel_categorical(similarity = "learned"), matrix(1:3)), "angle",
    class = "gpsieve_error_object")
})

test_that("what is no kernel of levels is refused", {
  skip_on_cran() # what R alone does is the same everywhere
  data <- chicks()
  expect_snapshot(error = TRUE, {
    kernel_categorical(correlation = 1)
    kernel_categorical(correlation = -0.1)
    kernel_categorical(correlation = 0, similarity = "learned")
    kernel_categorical(angle = 1)
    kernel_affine(angle = c(1, 2))
    meanfield_gp(weight ~ Time + Diet, data, kernel_categorical("diet"))
    meanfield_gp(weight ~ Time + Diet, data, kernel_rbf() * kernel_categorical(2))
    meanfield_gp(weight ~ Time + Diet, data, kernel_rbf() * kernel_categorical())
    meanfield_gp(weight ~ Time + Diet, data,
      kernel_on(kernel_rbf(), "Diet") + kernel_categorical("Diet")
    )
    meanfield_gp(weight ~ Time + Diet, data, kernel_categorical("Time", similarity = "learned"))
    meanfield_gp(weight ~ Time + Diet, data,
      kernel_categorical("Diet", similarity = "learned", angle = 1:2)
    )
  })
})

test_that("kernels of levels print as the expression that makes them", {
  kernels <- list(
    kernel_categorical(), kernel_categorical("a", fixed(2), 0), kernel_categorical(c("a", "b")),
    kernel_categorical("a", similarity = "learned"), kernel_affine(2, fixed(0.5), 1),
    kernel_categorical("a", correlation = fixed(0.25), similarity = "learned", angle = c(1, 2))
  )
  for (kernel in kernels) expect_identical(eval(parse(text = format(kernel))), kernel)
})
