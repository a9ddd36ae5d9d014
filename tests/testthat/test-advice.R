# Advice about data that would be better modelled in another way: when it is given, how often, and
# that it changes nothing.

few <- function(formula, data, ...) meanfield_gp(formula, data, optimise = FALSE, seed = 1, ...)

# Without the symbol that a line begins with.
advice_of <- function(expr) {
  said <- character()
  withCallingHandlers(expr, gpsieve_advice = function(m) {
    said <<- c(said, sub("^[^ ]+ ", "", gsub("\n", " ", conditionMessage(m))))
    rlang::cnd_muffle(m)
  })
  said
}

test_that("each kind of data that needs another model has its line", {
  skewed <- data.frame(x = 1:60, price = exp(qnorm(ppoints(60)) * 1.2 + 8))
  skewed$name <- sprintf("house %d", 1:60)
  expect_snapshot({
    fit <- few(count ~ spray, InsectSprays)
    fit <- few(am ~ wt, mtcars)
    fit <- few(price ~ x, skewed)
    fit <- few(x ~ name, skewed)
    fit <- few(x ~ price, skewed, weights = 1 / x^2)
    fit <- few(skewed["name"], skewed$price)
  })
})

test_that("columns from which nothing can be learned have their line", {
  flat <- data.frame(x = 1:30, one = 2, level = "a", y = sin(1:30))
  expect_match(advice_of(few(y ~ ., flat)), "^one, level: the same value")
  expect_match(advice_of(few(as.matrix(flat[c("x", "one")]), flat$y)), "^one: the same value")
  wide <- cbind(flat, setNames(as.list(1:7), paste0("c", 1:7)))
  expect_match(advice_of(few(y ~ ., wide)), "^one, level, c1, c2, c3 and 4 more columns: ")
  expect_length(advice_of(few(y ~ x + factor(x > 5), flat)), 0)
  for (spec in model_specs()) {
    expect_length(advice_of(suppressWarnings(fit_cheaply(spec, y ~ x + one, flat))), 1)
  }
})

test_that("ordinary data have none", {
  graded <- data.frame(x = 1:60, grade = rep(c(5, 6, 6, 7, 5, 4), 10))
  # Levels of a factor that no row has are no ids.
  declared <- transform(cars, group = factor(rep(c("u", "v"), 25), c("u", "v", paste0("w", 1:60))))
  quiet <- list(
    quote(few(dist ~ speed, cars)), quote(few(dist ~ group, declared)),
    quote(few(Volume ~ ., trees)), quote(few(Species ~ ., iris)),
    quote(few(mpg ~ ., mtcars, weights = rep(1:2, 16))), quote(few(grade ~ x, graded)),
    quote(few(grade ~ x, graded, weights = 0.9 + x / 300)),
    quote(few(count ~ spray, InsectSprays, likelihood = lik_poisson())),
    quote(few(count ~ spray, InsectSprays, likelihood = lik_gaussian()))
  )
  for (call in quiet) expect_identical(advice_of(eval(call)), character(), info = deparse1(call))
})

test_that("advice is given once by every model and by gpsieve(), and not by folds", {
  advised <- transform(mtcars, name = rownames(mtcars))
  for (spec in model_specs()) expect_length(advice_of(fit_cheaply(spec, am ~ wt, mtcars)), 1)
  chosen <- advice_of(suppressWarnings(gpsieve(am ~ wt + name, advised,
    candidates = list(kernel_rbf(), kernel_linear()), seed = 1, verbose = FALSE,
    control = control_gpsieve(folds = 2)
  )))
  expect_length(chosen, 2)
  expect_length(advice_of(suppressWarnings(ivm(am ~ wt, mtcars, size = "auto", seed = 1))), 1)
  expect_length(advice_of(cv(function(data) few(am ~ wt, data), mtcars, 2, seed = 1)), 0)
})

test_that("advice changes nothing and can be suppressed", {
  expect_message(said <- few(am ~ wt, mtcars), class = "gpsieve_advice")
  quiet <- suppressMessages(few(am ~ wt, mtcars), classes = "gpsieve_advice")
  expect_identical(predict(said, mtcars), predict(quiet, mtcars))
  expect_identical(coef(said), coef(quiet))
})

test_that("text that says numbers or dates is named as such", {
  n <- 40
  data <- data.frame(x = seq_len(n) / n, y = sin(seq_len(n)))
  fit <- function(formula, data) meanfield_gp(formula, data, optimise = FALSE)
  text <- transform(data, y = replace(format(y), 7, "n/a"))
  expect_error(fit(y ~ x, text), "text that says numbers.*All but some are numbers: found \"n/a\"",
    class = "gpsieve_error_data")
  expect_error(fit(y ~ x, transform(data, y = format(y))), "each would be a class.\nx Found",
    class = "gpsieve_error_data")
  expect_warning(fit(y ~ x, transform(text, y = factor(y))), "as.character\\(y\\)",
    class = "gpsieve_warning_text")
  codes <- transform(data, y = as.character(seq_len(n) %% 3))
  expect_length(advice_of(fit(y ~ x, codes)), 0)
  numbers <- transform(data, x = replace(format(x), 3, "-"))
  expect_match(advice_of(fit(y ~ x, numbers)), "as.numeric\\(x\\)")
  day <- as.Date("2024-01-01") + seq_len(n)
  expect_match(advice_of(fit(y ~ x, transform(data, x = as.character(day)))), "as.Date\\(x\\) has")
  german <- transform(data, x = format(day, "%d.%m.%Y"))
  expect_match(advice_of(fit(y ~ x, german)), "as.Date\\(x, \"%d.%m.%Y\"\\)")
  expect_error(gpsieve(y ~ x, german, ahead = 3, seed = 1), "as.Date",
    class = "gpsieve_error_data")
  expect_error(gpsieve(y ~ x, transform(data, x = day), ahead = "3 days", seed = 1), "steps",
    class = "gpsieve_error_argument")
})

test_that("shares of trials, horizons and functions of packages have words", {
  trials <- data.frame(x = 1:12 / 12, n = 6:17)
  trials$s <- c(1, 2, 4, 3, 5, 2, 6, 7, 5, 9, 8, 10)
  expect_match(advice_of(meanfield_gp(s / n ~ x, trials, weights = n, optimise = FALSE)),
    "cbind\\(successes, failures\\)")
  expect_length(advice_of(meanfield_gp(s ~ x, trials, weights = n, optimise = FALSE)), 0)
  fit <- meanfield_gp(s ~ x, trials, optimise = FALSE)
  expect_error(predict(fit, h = 12), "later times", class = "gpsieve_error_argument")
  skip_if_not_installed("survival")
  expect_error(meanfield_gp(Surv(s, n) ~ x, trials), "survival::Surv()", fixed = TRUE,
    class = "gpsieve_error_data")
})
