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
  settings <- list(
    list(warn = 2), list(OutDec = ","), list(digits = 3, scipen = -10),
    list(contrasts = c("contr.sum", "contr.helmert")), list(na.action = "na.fail"),
    list(na.action = "na.exclude"), list(stringsAsFactors = TRUE), list(keep.source = TRUE),
    list(warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE, warnPartialMatchAttr = TRUE,
      warn = 2
    )
  )
  for (setting in settings) {
    # Deprecated option values warn when they are set; that is not what is tested.
    suppressWarnings(withr::local_options(setting))
    expect_identical(session_answers(), expected, ignore_formula_env = TRUE)
    withr::deferred_run()
  }
})

test_that("the locale changes no answer", {
  expected <- session_answers()
  for (locale in c("C", "C.UTF-8", "en_US.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8")) {
    withr::local_locale(c(LC_COLLATE = "C", LC_CTYPE = Sys.getlocale("LC_CTYPE")))
    known <- nzchar(suppressWarnings(Sys.setlocale("LC_COLLATE", locale))) &&
      nzchar(suppressWarnings(Sys.setlocale("LC_CTYPE", locale)))
    if (known) expect_identical(session_answers(), expected, ignore_formula_env = TRUE)
    withr::deferred_run()
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
