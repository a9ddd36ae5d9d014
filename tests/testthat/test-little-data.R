# Very few rows, responses that are all equal, and rows of one class are fitted by all models and
# all ways in, with one warning of what cannot be known.

flat <- data.frame(x = 1:30, same = 3, y = sin(1:30), flag = TRUE,
  class = factor(rep("u", 30), c("u", "v")))

little <- function(expr) {
  said <- character()
  value <- withCallingHandlers(expr, warning = function(w) {
    if (inherits(w, "gpsieve_warning_little_data")) said <<- c(said, conditionMessage(w))
    rlang::cnd_muffle(w)
  })
  expect_length(said, 1L)
  list(value = value, said = said)
}

test_that("every model fits them with one warning, and predicts", {
  for (spec in model_specs()) {
    fit <- function(formula, data) {
      suppressMessages(do.call(spec$fit, c(list(formula, data, seed = 1), spec$learning)))
    }
    expect_match(little(fit(same ~ x, flat))$said, "same has the same value in all 30 rows")
    expect_match(little(fit(y ~ x, flat[1, ]))$said, "One row")
    expect_match(little(fit(y ~ x, flat[1:2, ]))$said, "2 rows")
    one <- little(fit(class ~ x, flat))
    expect_match(one$said, "All 30 rows have the class \"u\"")
    p <- predict(one$value, flat, type = "prob")
    expect_true(all(p[, 1L] > 0.5 & p[, 1L] < 1))
    expect_identical(predict(one$value, flat), flat$class)
    expect_match(little(fit(flag ~ x, flat))$said, "the class \"TRUE\"")
  }
})

test_that("every way in has the warning, the choice too", {
  expect_match(little(meanfield_gp(flat["x"], flat$same))$said, "the same value")
  of_source <- function(formula) {
    ep_gp(formula, rows_of_frame(flat), inducing = 5, seed = 1, batch_size = 10, epochs = 1)
  }
  expect_match(little(of_source(same ~ x))$said, "the same value")
  expect_match(little(of_source(class ~ x))$said, "\"u\"")
  expect_match(little(gpsieve(y ~ x, flat[1:2, ], seed = 1))$said, "2 rows")
  chosen <- little(gpsieve(class ~ x, flat, seed = 1))$value
  expect_true(all(predict(chosen, flat, type = "prob")[, "u"] > 0.5))
})

test_that("responses that say something have no warning, nor have values that are given", {
  molded <- list(x = as.matrix(flat["x"]), y = flat$same, outcome = "same")
  expect_length(what_cannot_be_known(molded), 2L)
  expect_null(what_cannot_be_known(c(molded, list(offset = log(1:30)))))
  expect_null(what_cannot_be_known(replace(molded, "y", list(flat$y))))
  expect_no_warning(meanfield_gp(same ~ x, flat, optimise = FALSE))
  expect_warning(meanfield_gp(class ~ x, flat, optimise = FALSE),
    class = "gpsieve_warning_little_data")
})

test_that("classes without a row among three and more are named", {
  three <- function(levels, ordered = FALSE) {
    data.frame(x = 1:30, k = factor(rep(c("u", "v"), 15), levels, ordered = ordered))
  }
  for (ordered in c(FALSE, TRUE)) {
    found <- little(meanfield_gp(k ~ x, three(c("u", "w", "v"), ordered), optimise = FALSE))
    expect_match(found$said, "No row has the class \"w\".*probability 0")
    expect_identical(unname(predict(found$value, flat, type = "prob")[, "w"]), rep(0, 30))
  }
  found <- little(gpsieve(k ~ x, three(c("u", "v", "w", "z")), seed = 1))
  expect_match(found$said, "classes \"w\", \"z\"")
  expect_no_warning(meanfield_gp(k ~ x, three(c("u", "v")), optimise = FALSE))
})

test_that("what is not known is said of classes and of known noise as of numbers", {
  of_classes <- little(meanfield_gp(k ~ x, data.frame(x = 1:3, k = c("u", "v", "u"))))
  expect_match(of_classes$said, "With which inputs the classes change is not known")
  of_noise <- little(meanfield_gp(y ~ x, flat[1:2, ], noise_sd = x))
  expect_match(of_noise$said, "How much the function varies is not known")
  of_equal <- little(meanfield_gp(same ~ x, flat, noise_sd = x))
  expect_match(of_equal$said, "How much the function varies, and with which inputs")
  of_weights <- little(meanfield_gp(y ~ x, flat, weights = as.numeric(x <= 2)))
  expect_match(of_weights$said, "Only 2 rows take part")
})

test_that("a response with one level only is refused: there is no other class to predict", {
  expect_error(meanfield_gp(class ~ x, transform(flat, class = "u")), "at least two classes",
    class = "gpsieve_error_data")
})
