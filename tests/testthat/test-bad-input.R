# Wrong input is refused before any computing: a class of condition for programs, words for people.

d <- six_rows()
x <- as.matrix(d[c("a", "b")])

small <- function(...) ivm(..., optimise = FALSE, seed = 1)

replace_at <- function(v, i, value) {
  v[i] <- value
  v
}

test_that("training inputs must be finite", {
  withr::local_options(na.action = "na.fail")
  for (bad in list(NA, NaN, Inf, -Inf)) {
    refuse(small(replace_at(x, 3, bad), d$y), "data")
    refuse(small(y ~ a, replace_at(d, cbind(3, 1), bad)), "data")
    refuse(small(d[1:2] |> replace_at(cbind(3, 1), bad), d$y), "data")
  }
  refuse(small(y ~ f, replace_at(d, cbind(2, 4), NA)), "data")
  refuse(small(y ~ log(a - 2), d), "data")
  expect_snapshot(error = TRUE, {
    ivm(replace_at(x, 9, NA), d$y)
    ivm(replace_at(x, c(1, 2, 9), c(NaN, NA, -Inf)), d$y)
    ivm(y ~ a + b, replace_at(d, cbind(5, 2), Inf))
    ivm(y ~ log(a - 2), d)
    ivm(y ~ f, replace_at(d, cbind(2, 4), NA))
  })
})

test_that("the response must be complete, finite and one value a row", {
  withr::local_options(na.action = "na.fail")
  for (bad in list(NA, NaN, Inf)) refuse(small(x, replace_at(d$y, 2, bad)), "data")
  refuse(small(x, replace_at(d$f, 2, NA)), "data")
  refuse(small(x, addNA(replace_at(d$f, 2, NA))), "data")
  refuse(small(y ~ a, replace_at(d, cbind(2, 3), NA)), "data")
  for (y in list(1:5, 1:7, numeric(), factor(c("a", "b")))) refuse(small(x, y), "data")
  refuse(small(x, cbind(d$y, d$y)), "data")
  refuse(small(x, d[3:4]), "data")
  expect_snapshot(error = TRUE, {
    ivm(x, c(1, NA, 3, NaN, 5, 6))
    ivm(x, c(1, Inf, 3, 4, 5, 6))
    ivm(y ~ a, replace_at(d, cbind(2, 3), NA))
    ivm(x, 1:5)
    ivm(x, numeric())
    ivm(x, cbind(1:6, 1:6))
    ivm(x, d[3:4])
  })
})

test_that("the response must be of a kind some likelihood describes", {
  one <- factor(rep("u", 6))
  refuse(small(x, one), "data")
  refuse(small(x, rep("u", 6)), "data")
  kinds <- list(
    as.list(1:6), complex(6), Sys.Date() + 1:6, raw(6), NULL, mean, Sys.time() + 1:6,
    as.difftime(1:6, units = "days")
  )
  for (y in kinds) refuse(small(x, y), "data")
  expect_snapshot(error = TRUE, {
    ivm(x, one)
    ivm(x, rep("u", 6))
    ivm(x, as.list(1:6))
    ivm(x, as.Date("2020-01-01") + 1:6)
    ivm(x, NULL)
    ivm(x, complex(6))
  })
})

test_that("likelihood and response must fit each other", {
  refuse(small(x, d$y, likelihood = lik_probit()), "data")
  refuse(small(x, d$f, likelihood = lik_gaussian()), "data")
  refuse(small(x, d$f, likelihood = lik_poisson()), "data")
  refuse(small(x, d$y - 2, likelihood = lik_poisson()), "data")
  refuse(small(x, d$y / 2, likelihood = lik_poisson()), "data")
  expect_snapshot(error = TRUE, {
    ivm(x, d$y, likelihood = lik_probit())
    ivm(x, c(0, 1, 0, 1, 0, 1), likelihood = lik_logit())
    ivm(x, d$f, likelihood = lik_student())
  })
})

test_that("there must be rows and columns", {
  refuse(small(x[0, ], numeric()), "data")
  refuse(small(x[, 0], d$y), "data")
  refuse(small(d[0, 1:2], numeric()), "data")
  refuse(small(d[, 0], d$y), "data")
  refuse(small(y ~ a, d[0, ]), "data")
  refuse(small(y ~ 1, d), "data")
  expect_snapshot(error = TRUE, {
    ivm(x[0, ], numeric())
    ivm(x[, 0], d$y)
    ivm(y ~ a, d[0, ])
  })
})

test_that("columns must be of a kind that numbers can be made of", {
  frame <- function(column) {
    out <- d[1:2]
    out$c <- column
    out
  }
  columns <- list(
    as.list(1:6), complex(6), raw(6), matrix(1:12, 6), data.frame(u = 1:6), I(as.list(1:6))
  )
  for (column in columns) {
    refuse(small(frame(column), d$y), "data")
    with_response <- frame(column)
    with_response$y <- d$y
    refuse(small(y ~ ., with_response), "data")
  }
  refuse(small(matrix(letters[1:12], 6), d$y), "data")
  refuse(small(matrix(as.list(1:12), 6), d$y), "data")
  refuse(small(matrix(complex(12), 6), d$y), "data")
  expect_snapshot(error = TRUE, {
    ivm(frame(as.list(1:6)), d$y)
    ivm(frame(complex(6)), d$y)
    ivm(frame(matrix(1:12, 6)), d$y)
    ivm(matrix(letters[1:12], 6), d$y)
  })
})

test_that("columns must have names of their own", {
  twice <- named(x, c("a", "a"))
  refuse(small(twice, d$y), "data")
  refuse(small(as.data.frame(twice, optional = TRUE), d$y), "data")
  refuse(small(named(x, c("a", "")), d$y), "data")
  refuse(small(named(x, c("a", NA)), d$y), "data")
  expect_snapshot(error = TRUE, {
    ivm(twice, d$y)
    ivm(named(x, c("a", "")), d$y)
  })
})

test_that("the first argument must be something a model can be read from", {
  for (first in list(1:6, "y ~ a", "y", NULL, list(1), mean, array(1:8, c(2, 2, 2)))) {
    refuse(small(first, d$y), "argument")
  }
  refuse(small(x), "argument")
  refuse(small(d[1:2]), "argument")
  refuse(small(y ~ a), "argument")
  refuse(small(y ~ a, as.list(d)), "argument")
  refuse(small(y ~ a, x), "argument")
  refuse(small(~a, d), "argument")
  expect_snapshot(error = TRUE, {
    ivm()
    ivm(1:6, d$y)
    gpsieve(ldeaths)
    ivm(x)
    ivm(y ~ a)
    ivm(y ~ a, as.list(d))
    ivm(~a, d)
  })
})

test_that("a text that says a formula is told how to become one, by every model", {
  every_fit_function(function(spec) {
    model <- spec$fit
    expect_error(model("y ~ a", d), "as.formula", class = "gpsieve_error_argument", fixed = TRUE)
    expect_error(model("y ~ a", data = d), "as.formula", fixed = TRUE)
    expect_error(model(formula = "y ~ a", data = d), "as.formula", fixed = TRUE)
    expect_error(model(d, "y ~ a"), "as.formula", fixed = TRUE)
  })
  expect_snapshot(error = TRUE, {
    ivm("y ~ a", d)
    gpsieve("log(y) ~ {a}", data = d)
    ivm("~/rows.csv", d)
  })
})

test_that("a formula must speak of columns in the data, and its offset be numbers", {
  expect_error(small(y ~ absent, d), "absent", class = "gpsieve_error_data")
  expect_error(small(absent ~ a, d), "absent", class = "gpsieve_error_data")
  refuse(small(cbind(a, b) ~ y, d), "data")
  refuse(small(y ~ a + offset(letters[1:6]), d), "data")
  expect_snapshot(error = TRUE, {
    ivm(cbind(a, b) ~ y, d)
    ivm(y ~ a + offset(factor(b)), d)
  })
})

test_that("a recipe must come with its data and one outcome", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(y ~ a + b, d)
  refuse(small(recipe), "argument")
  refuse(small(recipe, as.list(d)), "argument")
  refuse(small(recipe, d[0, ]), "data")
  refuse(small(recipe, d[-1]), "data")
  refuse(small(recipes::recipe(y + a ~ b, d), d), "argument")
  refuse(small(recipes::recipe(~ a + b, d), d), "argument")
  weighted <- transform(d, w = hardhat::importance_weights(1:6))
  twice <- recipes::recipe(y ~ a + w, weighted)
  refuse(small(twice, weighted, weights = 1:6), "argument")
  expect_snapshot(error = TRUE, {
    ivm(recipe)
    ivm(twice, weighted, weights = 1:6)
    ivm(recipes::recipe(~ a + b, d), d)
  })
})

test_that("a kernel must be a kernel that suits the inputs", {
  kernels <- list("rbf", kernel_rbf, NULL, 1, list(), function() 1)
  for (kernel in kernels) refuse(small(x, d$y, kernel = kernel), "argument")
  refuse(small(x, d$y, kernel = kernel_rbf(lengthscale = 1:3)), "argument")
  refuse(small(x, d$y, kernel = kernel_on(kernel_rbf(), "c")), "argument")
  refuse(small(x, d$y, kernel = kernel_on(kernel_rbf(), 3)), "argument")
  refuse(kernel_rbf(-1), "argument")
  refuse(kernel_rbf() - kernel_rbf(), "unsupported")
  expect_snapshot(error = TRUE, {
    ivm(x, d$y, kernel = "rbf")
    ivm(x, d$y, kernel = kernel_rbf)
    ivm(x, d$y, kernel = kernel_rbf(lengthscale = 1:3))
    ivm(x, d$y, kernel = kernel_on(kernel_rbf(), "c"))
  })
})

test_that("a likelihood must be a likelihood", {
  for (likelihood in list("probit", lik_probit, 1, binomial(), list(type = "probit"))) {
    refuse(small(x, d$f, likelihood = likelihood), "argument")
  }
  refuse(lik_gaussian(-1), "argument")
  refuse(lik_student(scale = 0), "argument")
  expect_snapshot(error = TRUE, {
    ivm(x, d$f, likelihood = "probit")
    ivm(x, d$f, likelihood = lik_probit)
  })
})

test_that("settings must make sense", {
  bad <- list(
    n_active = list(0, 1.5, NA, -1, Inf, "2", c(1, 2), TRUE, list(1)),
    criterion = list("entrpy", NA, 1, c("entropy", "random"), character()),
    refine = list(-1, 0.5, NA, Inf, "3"),
    optimise = list(NA, 1, "yes", c(TRUE, FALSE)),
    standardise = list(NA, 0, "no"),
    prior_mean = list(NA, Inf, "0", c(1, 2), TRUE),
    control = list(list(), NULL, list(n_random = 2), control_ivm),
    seed = list(-1, 1.5, NA, "1", c(1, 2), 2^31, Inf),
    threads = list(0, -1, 1.5, NA, "2", c(1, 2), Inf),
    verbose = list(NA, 1, "no")
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    given <- setNames(list(value), name)
    expect_error(do.call(ivm, c(list(x, d$y), given)), name, class = "gpsieve_error_argument")
  }
  expect_snapshot(error = TRUE, {
    ivm(x, d$y, n_active = 0)
    ivm(x, d$y, n_active = 1.5)
    ivm(x, d$y, n_active = NA)
    ivm(x, d$y, criterion = "entrpy")
    ivm(x, d$y, refine = -1)
    ivm(x, d$y, optimise = NA)
    ivm(x, d$y, standardise = "no")
    ivm(x, d$y, prior_mean = c(1, 2))
    ivm(x, d$y, control = list(n_random = 2))
    ivm(x, d$y, seed = -1)
    ivm(x, d$y, threads = 0)
  })
})

test_that("a huge count is refused, not wrapped around", {
  refuse(small(x, d$y, refine = 1e10), "argument")
  refuse(small(x, d$y, threads = 1e10), "argument")
  expect_accepted(small(x, d$y, control = control_ivm(n_full = 1e300, pool = 1e300)))
})

test_that("controls are checked where they are given", {
  bad <- list(
    n_random = list(-1, 1.5, NA, "2", Inf), n_full = list(-1, 1.5, NA, "2"),
    pool = list(0, 1.5, NA, Inf), retain = list(-0.1, 1.1, NA, "half"),
    learn_rows = list(1, NA), rounds = list(0, NA), overlap = list(-1, 2, NA)
  )
  for (name in names(bad)) for (value in bad[[name]]) {
    expect_error(do.call(control_ivm, setNames(list(value), name)), name,
      class = "gpsieve_error_argument"
    )
  }
  expect_snapshot(error = TRUE, {
    control_ivm(n_random = -1)
    control_ivm(pool = 0)
    control_ivm(retain = 2)
  })
})

test_that("a control changed by hand is checked again, whatever the model", {
  makers <- list(ivm = control_ivm, ep_gp = control_ep, meanfield_gp = control_meanfield,
    online_gp = control_online, greedy_gp = control_greedy, rvm = control_rvm
  )
  expect_setequal(names(makers), names(model_specs()))
  for (model in names(makers)) {
    fit <- function(control) {
      model_specs()[[model]]$fit(x, d$y, control = control, optimise = FALSE, seed = 1)
    }
    control <- makers[[model]]()
    setting <- intersect(c("steps", "max_iter"), names(control))[1L]
    for (bad in list(-1, 1e300, quote(unknown))) {
      expect_error(fit(replace(control, setting, list(bad))), setting,
        class = "gpsieve_error_argument"
      )
    }
    refuse(fit(control[-1L]), "argument")
    refuse(fit(structure(list(), class = class(control))), "argument")
    refuse(fit(replace(control, "extra", 1)), "argument")
  }
})

test_that("a misspelt argument is an error, not a default", {
  refuse(small(x, d$y, n_activ3 = 5), "argument")
  refuse(small(y ~ a, d, standardize = FALSE), "argument")
  refuse(small(x, d$y, kernel_rbf(), lik_gaussian(), 5, 7), "argument")
  expect_snapshot(error = TRUE, {
    ivm(x, d$y, standardize = FALSE)
    ivm(x, d$y, nactive = 5, crit = "random")
    ivm(y ~ a, d, kernel_rbf(), lik_gaussian(), 5, 7)
  })
})

test_that("an infinite input is named by its row of the data, whatever rows are left out", {
  data <- data.frame(x = c(1, 2, 3, Inf, 5, 6), y = c(1, NA, 3, 4, 5, 6))
  expect_error(suppressMessages(ivm(y ~ x, data, seed = 1)), "Inf in row 4",
    class = "gpsieve_error_data")
})
