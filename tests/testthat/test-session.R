# What a session is set to, and how it was started, changes no answer.

session_answers <- function() {
  toy <- toy_data("multiclass")
  data <- transform(toy$data, kind = factor(rep(c("i", "I", "j"), 20), levels = c("I", "i", "j")))
  new <- transform(toy$new, kind = factor(rep(c("j", "i", "I"), 3)))
  new$a[4] <- NA
  lapply(model_specs(), function(spec) {
    fit <- fit_cheaply(spec, y ~ a + b + kind, data)
    capture.output(print(fit), print(summary(fit)))
    list(all_predictions(fit, new), coef(fit), without_clock(fit))
  })
}

test_that("options change no answer", {
  expected <- session_answers()
  # R goes on warning after options(warnPartialMatchArgs = NULL), to which these would return.
  options(warnPartialMatchDollar = FALSE, warnPartialMatchArgs = FALSE,
    warnPartialMatchAttr = FALSE
  )
  settings <- list(
    list(warn = 2), list(OutDec = ","), list(digits = 3, scipen = -10),
    list(contrasts = c("contr.sum", "contr.helmert")), list(na.action = "na.fail"),
    list(na.action = "na.exclude"), list(stringsAsFactors = TRUE), list(keep.source = TRUE),
    list(warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warnPartialMatchAttr = TRUE,
      warn = 2
    )
  )
  answers_with <- function(setting) {
    # Deprecated option values warn when they are set; that is not what is tested.
    before <- suppressWarnings(options(setting))
    on.exit(options(before))
    session_answers()
  }
  for (setting in settings) {
    expect_identical(answers_with(setting), expected, ignore_formula_env = TRUE)
  }
})

test_that("the locale changes no answer", {
  expected <- session_answers()
  answers_in <- function(locale) {
    withr::local_locale(c(LC_COLLATE = "C", LC_CTYPE = Sys.getlocale("LC_CTYPE")))
    known <- nzchar(suppressWarnings(Sys.setlocale("LC_COLLATE", locale))) &&
      nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))
    if (known) session_answers()
  }
  for (locale in c("C", "C.UTF-8", "en_US.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8")) {
    answers <- answers_in(locale)
    if (!is.null(answers)) expect_identical(answers, expected, ignore_formula_env = TRUE)
  }
})

test_that("a forked child can fit with threads after its parent did", {
  skip_on_cran()
  skip_on_os("windows")
  skip_if_not_installed("callr")
  said <- callr::r(function() {
    library(gpsieve)
    set.seed(1)
    x <- matrix(rnorm(40000), 10000)
    fit <- function(i) {
      model <- ivm(x, x[, 1], optimise = FALSE, n_active = 30, seed = 1, threads = 2)
      predict(model, x, threads = 2)
    }
    parent <- fit(0)
    children <- parallel::mclapply(1:2, fit, mc.cores = 2)
    vapply(children, identical, NA, parent)
  }, timeout = 20)
  expect_identical(said, c(TRUE, TRUE))
})

test_that("attaching other packages or none changes nothing", {
  skip_on_cran()
  skip_if_not_installed("callr")
  toy <- toy_data("binary")
  elsewhere <- callr::r(function(x, y, new) {
    fit <- gpsieve::ivm(x, y, n_active = 15, refine = 2, optimise = FALSE, seed = 1)
    list(predict(fit, new), stats::predict(fit, new, type = "prob"))
  }, list(toy$x, toy$y, toy$new))
  here <- shared_fit("ivm", "binary", "data.frame")
  expect_identical(elsewhere[[1]], predict(here, toy$new))
  expect_identical(elsewhere[[2]], predict(here, toy$new, type = "prob"))
})

# What a session may be set to that changes how numbers are written.
writing_options <- list(list(OutDec = ","), list(scipen = -10), list(scipen = 100),
  list(digits = 3), list(digits = 15), list(width = 60), list(warn = 2),
  list(OutDec = ",", scipen = -10, digits = 3, width = 60, warn = 2))

under_options <- function(settings, code) {
  # Unusual values warn when they are set; that is not what is tested.
  suppressWarnings(withr::local_options(settings))
  code()
}

# Without what OutDec and the breaking of lines change.
as_words <- function(lines) {
  words <- strsplit(gsub("[.,]", "", paste(lines, collapse = " ")), "[[:space:]]+")[[1L]]
  words[nzchar(words)]
}

test_that("fits and summaries print the same words and numbers under all options", {
  prints <- function(fit) {
    out <- capture.output(print(fit), print(summary(fit)))
    expect_lte(max(nchar(out, "width")), max(60, getOption("width")))
    out
  }
  for (model in names(model_specs())) for (task in tasks) {
    fit <- shared_fit(model, task)
    usual <- as_words(prints(fit))
    for (setting in writing_options) {
      found <- under_options(setting, function() prints(fit))
      # A narrow page names fewer relevant columns.
      if (is.null(setting$width)) expect_identical(as_words(found), usual)
      figures <- as_words(grep("^  (noise|held out)", found, value = TRUE))
      expect_true(all(figures %in% usual))
    }
  }
})

test_that("code, names and files of numbers have points under all options", {
  toy <- toy_data("regression")
  kernel <- kernel_matern(1.5, 0.25, lengthscale = c(0.5, 123456.5)) + kernel_linear(1e-5)
  fit <- ivm(y ~ a + b, toy$data, kernel, lik_student(4.5, 0.125), optimise = FALSE, seed = 1)
  censored <- meanfield_gp(y ~ a, transform(toy$data, y = exp(y)),
    likelihood = lik_lognormal(0.5), optimise = FALSE)
  written <- function() {
    file <- withr::local_tempfile(fileext = ".csv")
    predict(fit, rows_from_function(function(from) if (from == 1) toy$new), into = file)
    json <- withr::local_tempfile(fileext = ".json")
    export_model(fit, json)
    blocks <- learn_on_blocks(rows = 100000, steps = 40)
    list(
      format(kernel), format(likelihood_of(fit)), function_words(fit), format(fixed(0.5)),
      format(blocks), eval(str2lang(format(blocks))), eval(str2lang(format(kernel_of(fit)))),
      colnames(predict(fit, toy$new, type = "quantile", probs = c(0.025, 0.5))),
      colnames(predict(censored, toy$new, type = "survival", times = c(0.5, 100000))),
      utils::read.csv(file), readLines(json)
    )
  }
  usual <- written()
  for (setting in writing_options) {
    found <- under_options(setting, written)
    expect_equal(found, usual, tolerance = 1e-14)
  }
})

test_that("a choice, cross-validation and their tables print under all options", {
  few <- control_gpsieve(folds = 2)
  fit <- gpsieve(dist ~ speed, cars, seed = 1, verbose = FALSE, control = few)
  usual_fit <- function(data) meanfield_gp(dist ~ speed, data, optimise = FALSE)
  crossed <- cv(usual_fit, cars, 3, seed = 1)
  prints <- function() {
    capture.output(print(fit), print(summary(fit)), print(choice(fit)), print(crossed),
      print(kernel_of(fit)), print(prior_weak()), print(control_gpsieve()), print(gpsieve_info()))
  }
  usual <- prints()
  numbers <- function(lines) length(grep("e[-+][0-9]", lines))
  for (setting in writing_options[c(2, 5, 8)]) {
    found <- under_options(setting, prints)
    expect_gte(length(found), length(usual))
    expect_lte(numbers(found), numbers(usual))
  }
})

test_that("pictures are drawn under all options", {
  withr::local_pdf(NULL)
  all_at_once <- writing_options[length(writing_options)]
  for (task in tasks) for (setting in if (task == "regression") writing_options else all_at_once) {
    toy <- toy_data(task)
    fit <- shared_fit("meanfield_gp", task)
    under_options(setting, function() {
      expect_no_error(plot(fit, newdata = toy$data))
      expect_no_error(plot(fit, "effects"))
      words <- band_words(fit, 0.975)
      if (!is.null(words)) expect_match(words, " 97[.,]5% interval")
      if (requireNamespace("ggplot2", quietly = TRUE) && is.null(setting$scipen)) {
        expect_no_error(print(ggplot2::autoplot(fit, "effects")))
      }
    })
  }
})
