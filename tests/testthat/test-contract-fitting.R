# What holds for every model while it fits: randomness, threads, what it takes and what it leaves.

every_model <- function(check) for (spec in model_specs()) check(spec)

# ---- randomness and threads ----

test_that("the same seed gives the same fit, and R's generator is left alone", { # P74
  every_model(function(spec) for (task in tasks) {
    toy <- toy_data(task)
    expect_false(generator_moved(one <- fit_cheaply(spec, toy$x, toy$y, seed = 3)))
    set.seed(99)
    two <- fit_cheaply(spec, toy$x, toy$y, seed = 3)
    expect_identical(without_clock(one), without_clock(two))
    other <- fit_cheaply(spec, toy$x, toy$y, seed = 4)
    if (spec$random) expect_false(identical(inducing(one), inducing(other)))
    expect_false(generator_moved(all_predictions(one, toy$new)))
  })
})

test_that("learning leaves R's generator alone, whatever its kind", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    learn <- function() fit_cheaply(spec, toy$x, toy$y, settings = spec$drawing)
    kind <- RNGkind()
    withr::defer(do.call(RNGkind, as.list(kind)))
    expect_false(generator_moved(one <- learn()))
    RNGkind("L'Ecuyer-CMRG", "Box-Muller")
    set.seed(1)
    now <- RNGkind()
    expect_false(generator_moved(two <- learn()))
    expect_identical(RNGkind(), now)
    expect_identical(without_clock(one), without_clock(two))
  })
})

test_that("a session that never drew a random number can fit with a seed", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    seed <- get0(".Random.seed", globalenv())
    if (!is.null(seed)) {
      withr::defer(assign(".Random.seed", seed, envir = globalenv()))
      rm(".Random.seed", envir = globalenv())
    }
    fit_cheaply(spec, toy$x, toy$y, settings = spec$drawing)
    expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  })
})

test_that("without a seed set.seed() decides", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    fit_after <- function(seed) {
      set.seed(seed)
      fit_cheaply(spec, toy$x, toy$y, seed = NULL)
    }
    withr::local_preserve_seed()
    expect_identical(without_clock(fit_after(5)), without_clock(fit_after(5)))
    if (spec$random) {
      expect_false(identical(inducing(fit_after(5)), inducing(fit_after(6))))
    }
    # The seed that was drawn is stored, and gives the fit again.
    drawn <- fit_after(5)
    again <- fit_cheaply(spec, toy$x, toy$y, seed = drawn$seed)
    expect_identical(without_clock(again), without_clock(drawn))
  })
})

test_that("the number of threads changes no bit of a fit or prediction", { # P71
  every_model(function(spec) for (task in tasks) {
    toy <- toy_data(task, n = 300)
    fits <- lapply(1:3, function(threads) {
      fit_cheaply(spec, toy$x, toy$y, threads = threads, settings = spec$wide)
    })
    expect_identical(without_clock(fits[[1]]), without_clock(fits[[2]]))
    expect_identical(without_clock(fits[[1]]), without_clock(fits[[3]]))
    many <- toy_data(task, n = 3000, seed = 9)$x
    expect_identical(
      all_predictions(fits[[1]], many, threads = 1), all_predictions(fits[[1]], many, threads = 2)
    )
    learned <- lapply(1:2, function(threads) {
      fit_cheaply(spec, toy$x, toy$y, threads = threads, settings = spec$learning)
    })
    expect_identical(without_clock(learned[[1]]), without_clock(learned[[2]]))
  })
})

test_that("threads come from the argument, the option, the environment, in this order", {
  spec <- model_specs()[[1]]
  toy <- toy_data("binary")
  withr::local_options(gpsieve.threads = 0)
  expect_error(fit_cheaply(spec, toy$x, toy$y), class = "gpsieve_error_argument")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y, threads = 1))
  withr::local_options(gpsieve.threads = 1)
  withr::local_envvar(GPSIEVE_THREADS = "many")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y))
  withr::local_options(gpsieve.threads = NULL)
  expect_error(fit_cheaply(spec, toy$x, toy$y), class = "gpsieve_error_argument")
  withr::local_envvar(GPSIEVE_THREADS = "2")
  expect_accepted(fit_cheaply(spec, toy$x, toy$y))
})

# ---- what a fit keeps ----

test_that("a fit answers alike after saveRDS() in another process", { # P77, B 35
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
  every_model(function(spec) for (task in tasks) for (interface in c("formula", "matrix")) {
    if (is.null(spec$small)) next
    size <- vapply(c(200, 2000), function(n) {
      serialized_size(fit_through(interface, spec, toy_data(task, n), settings = spec$small))
    }, 0)
    expect_lt(abs(size[2] / size[1] - 1), 0.15)
  })
})

test_that("fitting changes none of its arguments, not even in place", { # B 7
  every_model(function(spec) for (task in tasks) {
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

# ---- what a fit takes ----

test_that("integers, logicals and doubles are the same numbers", { # B 16
  every_model(function(spec) {
    double <- cbind(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5) + 0)
    integer <- double
    storage.mode(integer) <- "integer"
    frame <- data.frame(a = double[, 1] == 1, b = as.integer(double[, 2]))
    for (y in list(double[, 2]^2, factor(double[, 2] > 4))) {
      expected <- fit_cheaply(spec, double, y)
      others <- list(fit_cheaply(spec, integer, y), fit_cheaply(spec, frame, y))
      for (other in others) {
        expect_identical(coef(other), coef(expected))
        expect_identical(all_predictions(other, double), all_predictions(expected, double))
        expect_identical(all_predictions(other, frame), all_predictions(expected, integer))
      }
    }
  })
})

test_that("a flag is the number 0 or 1 through every interface", {
  every_model(function(spec) {
    number <- data.frame(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5), y = rep(1:8, 5)^2)
    flag <- transform(number, a = a == 1)
    expected <- predict(fit_cheaply(spec, y ~ a + b, number), number)
    expect_equal(predict(fit_cheaply(spec, y ~ a + b, flag), flag), expected, tolerance = 1e-12)
    expect_equal(predict(fit_cheaply(spec, flag[1:2], flag$y), flag), expected, tolerance = 1e-12)
  })
})

test_that("a matrix of flags or integers is a matrix of numbers", {
  every_model(function(spec) {
    double <- cbind(a = rep(c(0, 1, 1, 0, 1), 8), b = rep(1:8, 5) + 0)
    flags <- double == 1
    expect_identical(
      all_predictions(fit_cheaply(spec, flags, double[, 2]), flags),
      all_predictions(fit_cheaply(spec, flags + 0, double[, 2]), flags + 0)
    )
    whole <- fit_cheaply(spec, double, rep(1:8, 5))
    expect_identical(
      predict(whole, double), predict(fit_cheaply(spec, double, rep(1:8, 5) + 0), double)
    )
  })
})

test_that("the four interfaces describe the same model", {
  skip_if_not_installed("recipes")
  every_model(function(spec) for (task in tasks) {
    toy <- toy_data(task)
    expected <- all_predictions(fit_through("matrix", spec, toy), toy$new)
    for (interface in setdiff(interfaces, "matrix")) {
      found <- all_predictions(fit_through(interface, spec, toy), toy$new)
      expect_equal(found, expected, tolerance = 1e-12)
    }
    skip_if_not_installed("tibble")
    tibble <- tibble::as_tibble(toy$x)
    expect_identical(all_predictions(fit_cheaply(spec, tibble, toy$y), toy$new), expected)
  })
})

test_that("classes may be given as factor, character or logical", { # B 42
  every_model(function(spec) {
    toy <- toy_data("binary")
    expected <- all_predictions(fit_cheaply(spec, toy$x, toy$y), toy$new)
    text <- fit_cheaply(spec, toy$x, as.character(toy$y))
    expect_identical(all_predictions(text, toy$new), expected)
    flag <- all_predictions(fit_cheaply(spec, toy$x, toy$y == "yes"), toy$new)
    expect_identical(levels(flag$response), c("FALSE", "TRUE"))
    expect_identical(unname(flag$prob), unname(expected$prob))
    one_column <- fit_cheaply(spec, toy$x, data.frame(y = toy$y))
    expect_identical(all_predictions(one_column, toy$new), expected)
  })
})

test_that("zeros and ones are numbers, not classes", {
  every_model(function(spec) {
    toy <- toy_data("binary")
    fit <- fit_cheaply(spec, toy$x, as.numeric(toy$y == "yes"))
    expect_identical(likelihood_of(fit)$type, "gaussian")
    expect_type(predict(fit, toy$new), "double")
  })
})

test_that("the second level is the positive class", {
  every_model(function(spec) {
    x <- matrix(seq(-2, 2, length.out = 40), dimnames = list(NULL, "a"))
    y <- factor(ifelse(x > 0, "b", "a"), levels = c("b", "a"))
    link <- predict(fit_cheaply(spec, x, y), x, type = "link")
    expect_true(all(link[c(1:5)] > 0) && all(link[36:40] < 0))
  })
})

test_that("a factor predictor is an indicator for each level, new levels are refused by name", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    kind <- factor(rep(c("x", "y", "z"), 20), levels = c("z", "x", "y"))
    y <- toy$y + c(x = 0, y = 5, z = -5)[as.character(kind)]
    data <- data.frame(a = toy$x$a, kind = kind, y = y)
    indicators <- cbind(a = toy$x$a, 1 * outer(kind, levels(kind), "=="))
    by_hand <- predict(fit_cheaply(spec, indicators |> named(c("a", "kz", "kx", "ky")), y),
      indicators |> named(c("a", "kz", "kx", "ky"))
    )
    fits <- list(fit_cheaply(spec, y ~ ., data), fit_cheaply(spec, data[c("a", "kind")], y))
    for (fit in fits) {
      expect_identical(ncol(inducing(fit)), 4L)
      expect_equal(predict(fit, data), by_hand, tolerance = 1e-10)
      few <- data.frame(a = 0, kind = "y")
      expect_equal(predict(fit, few), predict(fit, transform(few, kind = factor(kind))))
      reordered <- transform(data, kind = factor(kind, levels = c("x", "y", "z")))
      expect_equal(predict(fit, reordered), predict(fit, data))
      unseen <- data.frame(a = 0, kind = "w")
      expect_error(predict(fit, unseen), "kind.*w", class = "gpsieve_error_data")
      missing <- data.frame(a = c(0, 1), kind = c(NA, "x"))
      expect_identical(is.na(predict(fit, missing)), c(TRUE, FALSE))
    }
  })
})

test_that("formulas transform, interact and abbreviate", { # P40
  every_model(function(spec) {
    toy <- toy_data("regression")
    data <- transform(toy$data, b = abs(b) + 1)
    new <- transform(toy$new, b = abs(b) + 1)
    direct <- function(...) {
      columns <- list(...)
      fit <- fit_cheaply(spec, do.call(cbind, columns$x), data$y)
      predict(fit, do.call(cbind, columns$new))
    }
    by <- function(formula) predict(fit_cheaply(spec, formula, data), new)
    expect_equal(by(y ~ .), by(y ~ a + b), tolerance = 1e-12)
    expect_equal(by(y ~ . - a), by(y ~ b), tolerance = 1e-12)
    expect_equal(by(y ~ a + log(b)),
      direct(x = list(a = data$a, lb = log(data$b)), new = list(a = new$a, lb = log(new$b))),
      tolerance = 1e-10
    )
    expect_equal(by(y ~ I(a^2)), direct(x = list(q = data$a^2), new = list(q = new$a^2)),
      tolerance = 1e-10
    )
    expect_equal(by(y ~ a * b),
      direct(
        x = list(a = data$a, b = data$b, ab = data$a * data$b),
        new = list(a = new$a, b = new$b, ab = new$a * new$b)
      ),
      tolerance = 1e-10
    )
    expect_identical(colnames(inducing(fit_cheaply(spec, y ~ a + log(b), data))), c("a", "log(b)"))
    # A transformed column may be missing where its source is not.
    gap <- new
    gap$b[2] <- NA
    expect_identical(
      which(is.na(predict(fit_cheaply(spec, y ~ a + log(b), data), gap))), 2L
    )
  })
})

test_that("a subtraction inside a term is the same model or refused in words", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    fit <- tryCatch(fit_cheaply(spec, y ~ I(a - 1) + b, toy$data), gpsieve_error = identity)
    if (inherits(fit, "error")) {
      expect_match(conditionMessage(fit), "intercept")
    } else {
      expected <- fit_cheaply(spec, y ~ a + b, toy$data)
      expect_equal(predict(fit, toy$new), predict(expected, toy$new), tolerance = 1e-10)
    }
  })
})

test_that("a formula without an intercept is the same model or refused in words", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    for (formula in list(y ~ a + b - 1, y ~ 0 + a + b)) {
      fit <- tryCatch(fit_cheaply(spec, formula, toy$data), gpsieve_error = function(e) e)
      if (inherits(fit, "error")) {
        expect_match(conditionMessage(fit), "intercept")
      } else {
        same <- fit_cheaply(spec, y ~ a + b, toy$data)
        expect_equal(predict(fit, toy$new), predict(same, toy$new), tolerance = 1e-12)
      }
    }
  })
})

test_that("a formula's basis functions are remembered, its local functions refused by name", {
  every_model(function(spec) {
    toy <- toy_data("regression")
    basis <- fit_cheaply(spec, y ~ poly(a, 2) + b, toy$data)
    expect_equal(predict(basis, toy$new[1, ]), predict(basis, toy$new)[1], tolerance = 1e-10)
    by_hand <- poly(toy$x$a, 2)
    expect_equal(predict(basis, toy$new),
      predict(
        fit_cheaply(spec, cbind(by_hand, b = toy$x$b), toy$y),
        cbind(predict(by_hand, toy$new$a), b = toy$new$b)
      ),
      tolerance = 1e-10
    )
    # A fit keeps no environment in which such a function could be found again.
    half_of <- function(v) v / 2
    expect_error(fit_cheaply(spec, y ~ half_of(a) + b, toy$data), "half_of",
      class = "gpsieve_error_data"
    )
  })
})

# ---- refitting ----

test_that("update() starts from the fit's own settings and takes others", {
  every_model(function(spec) if (spec$refits) {
    toy <- toy_data("regression")
    for (standardise in c(TRUE, FALSE)) {
      for (given in list(list(y ~ a + b, toy$data), list(toy$x, toy$y))) {
        fit <- do.call(fit_cheaply, c(list(spec), given,
          list(kernel = kernel_matern(lengthscale = 2), standardise = standardise)
        ))
        data <- if (rlang::is_formula(given[[1]])) {
          list(data = toy$data)
        } else {
          list(x = toy$x, y = toy$y)
        }
        again <- do.call(update, c(list(fit), data))
        expect_identical(without_clock(again), without_clock(fit), ignore_formula_env = TRUE)
        other <- do.call(update, c(list(fit), data, list(kernel = kernel_linear())))
        expect_s3_class(kernel_of(other), "gpsieve_kernel_linear")
        if (!spec$own_noise) expect_identical(likelihood_of(other), likelihood_of(fit))
        expect_error(update(fit), class = "gpsieve_error_argument")
      }
    }
  })
})

test_that("update() keeps a prior mean that was given", {
  every_model(function(spec) for (task in tasks) {
    toy <- toy_data(task)
    fit <- fit_cheaply(spec, toy$x, toy$y, prior_mean = 2)
    far <- data.frame(a = 1e6, b = 1e6)
    expect_equal(as.vector(predict(fit, far, type = "link")),
      rep(2, if (task == "multiclass") 3 else 1)
    )
    again <- update(fit, x = toy$x, y = toy$y)
    if (spec$refits) {
      expect_identical(all_predictions(again, toy$new), all_predictions(fit, toy$new))
    } else {
      expect_equal(predict(again, far, type = "link"), predict(fit, far, type = "link"))
    }
  })
})

test_that("a learned fit reports what it learned", {
  every_model(function(spec) for (task in tasks) {
    toy <- toy_data(task)
    fit <- fit_cheaply(spec, toy$x, toy$y, settings = spec$learning)
    table <- tidy(fit)
    if (spec$gradient) {
      expect_setequal(table$term[table$learned], names(evidence(fit, gradient = TRUE)$gradient))
    }
    expect_identical(sum(table$learned), attr(logLik(fit), "df"))
    expect_false(isTRUE(all.equal(
      coef(fit), coef(fit_cheaply(spec, toy$x, toy$y, optimise = FALSE))
    )))
  })
})
