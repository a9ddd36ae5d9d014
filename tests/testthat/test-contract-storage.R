# What a fit of every model keeps, and what it leaves as it was.

test_that("a fit answers alike after saveRDS() in another process", {
  skip_if_not_installed("callr")
  skip_on_cran()
  every_model(function(spec) {
    fits <- lapply(setNames(tasks, tasks), function(task) {
      toy <- toy_data(task)
      fit_cheaply(spec, y ~ a + log(b + 30), toy$data)
    })
    path <- withr::local_tempfile(fileext = ".rds")
    saveRDS(fits, path)
    new <- toy_data("binary")$new
    elsewhere <- callr::r(function(path, new, answers) {
      library(gpsieve)
      lapply(readRDS(path), answers, new)
    }, list(path, new, portable(all_predictions)))
    expect_identical(elsewhere, lapply(fits, all_predictions, new))
    expect_identical(readRDS(path), fits, ignore_formula_env = TRUE)
  })
})

test_that("a recipe's steps bring no environment into the fit", {
  skip_if_not_installed("recipes")
  every_model(function(spec) {
    toy <- toy_data("binary", n = 200)
    prepared <- function(toy) {
      ballast <- numeric(1e5) # of the frame a recipe is made in
      recipe <- recipes::recipe(y ~ ., toy$data)
      recipes::step_normalize(recipe, recipes::all_numeric_predictors())
    }
    fit <- fit_cheaply(spec, prepared(toy), toy$data)
    expect_identical(foreign_parts(fit), character())
    expect_lt(serialized_size(fit), 4e5)
    by_hand <- fit_cheaply(spec, as.data.frame(scale(toy$x)), toy$y)
    scaled <- scale(toy$new, colMeans(toy$x), apply(toy$x, 2, sd))
    expect_equal(all_predictions(fit, toy$new), all_predictions(by_hand, scaled), tolerance = 1e-8)
  })
})

test_that("the size of a fit is free of the number of rows", {
  every_task(function(spec, task) {
    if (is.null(spec$small)) return()
    for (interface in c("formula", "matrix")) {
      size <- vapply(c(200, 2000), function(n) {
        serialized_size(fit_through(interface, spec, toy_data(task, n), settings = spec$small))
      }, 0)
      expect_lt(abs(size[2] / size[1] - 1), 0.15)
    }
  })
})

test_that("what a fit keeps of a training row takes 32 bytes, 16 more for a further class", {
  every_task(function(spec, task) {
    kept <- vapply(c(40, 60), function(n) {
      kept <- fit_through("matrix", spec, toy_data(task, n))$kept
      # The inputs that pictures show are those of at most 1000 rows, see below.
      serialized_size(kept[names(kept) != "drawn"])
    }, 0)
    machines <- if (task == "multiclass") 3 else 1
    expect_lte(diff(kept), 20 * (16 * machines + 16))
  })
})

test_that("the inputs that a fit keeps for pictures are those of at most 1000 rows", {
  every_model(function(spec) {
    if (is.null(spec$small)) return()
    for (n in c(40, 2000)) {
      data <- toy_data("regression", n)
      drawn <- fit_through("matrix", spec, data, settings = spec$small)$kept$drawn
      expect_true(is.null(drawn) || identical(dim(drawn), c(min(n, 1000L), ncol(data$x))))
    }
  })
})

test_that("fitting changes none of its arguments, not even in place", {
  every_task(function(spec, task) {
    toy <- toy_data(task)
    x <- as.matrix(toy$x)
    arguments <- list(x = x, y = toy$y, kernel = kernel_rbf(2, c(1, 2)), seed = 1L)
    before <- rlang::hash(arguments)
    fit <- do.call(fit_cheaply, c(list(spec), arguments, standardise = FALSE))
    do.call(fit_cheaply, c(list(spec), arguments, list(settings = spec$learning)))
    all_predictions(fit, x)
    expect_identical(rlang::hash(arguments), before)
  })
})
