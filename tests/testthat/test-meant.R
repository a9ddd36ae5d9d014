# Errors that say the answer: what a wrong value, name or object may have meant.

said <- function(expr) {
  caught <- tryCatch(expr, gpsieve_error = identity)
  expect_s3_class(caught, "gpsieve_error")
  gsub("[[:space:]]+", " ", cli::ansi_strip(rlang::cnd_message(caught)))
}

test_that("a misspelt column is answered by the column, by every model and in every place", {
  every_model(function(spec) {
    expect_match(said(fit_cheaply(spec, dist ~ sped, cars)), "Did you mean \"speed\"?",
      fixed = TRUE)
    expect_match(said(fit_cheaply(spec, dist ~ log(Sped), cars)), "Did you mean \"speed\"?",
      fixed = TRUE)
    expect_match(said(fit_cheaply(spec, dst ~ speed, cars)), "Did you mean \"dist\"?", fixed = TRUE)
  })
  fit <- meanfield_gp(dist ~ speed, cars, optimise = FALSE)
  expect_match(said(predict(fit, data.frame(Speed = 1))), "Found \"Speed\": another spelling?",
    fixed = TRUE)
  expect_match(said(residuals(fit, newdata = setNames(cars, c("speed", "dits")))),
    "Found \"dits\": another spelling?", fixed = TRUE)
  kernel <- kernel_on(kernel_rbf(), "sped") + kernel_constant()
  expect_match(said(meanfield_gp(dist ~ speed, cars, kernel)), "Did you mean \"speed\"?",
    fixed = TRUE)
  # Names with braces are text.
  braces <- setNames(cars, c("{speed}", "dist"))
  expect_match(said(meanfield_gp(dist ~ `{sped}`, braces)), "Did you mean \"{speed}\"?",
    fixed = TRUE)
  # A name like no column suggests none.
  expect_no_match(said(meanfield_gp(dist ~ weight, cars)), "mean", fixed = TRUE)
})

test_that("what is no data frame is answered by how to make one", {
  fit <- meanfield_gp(dist ~ speed, cars, optimise = FALSE)
  expect_match(said(predict(fit, 21)), "newdata = data.frame(speed = 21)", fixed = TRUE)
  expect_match(said(predict(fit, c(1, 2))), "data.frame(speed = c(1, 2))", fixed = TRUE)
  withr::with_options(list(OutDec = ",", scipen = -9), {
    expect_match(said(predict(fit, 2.5)), "data.frame(speed = 2.5)", fixed = TRUE)
  })
  two <- meanfield_gp(Volume ~ ., trees, optimise = FALSE)
  expect_match(said(predict(two, c(10, 70))), "data.frame(Girth = 10, Height = 70)", fixed = TRUE)
  expect_match(said(plot(fit, newdata = 3)), "data.frame(speed = 3)", fixed = TRUE)
  expect_match(said(predict(fit, list(speed = 3))), "as.data.frame()", fixed = TRUE)
  file <- "read.csv(\"cars.csv\")"
  every_fit_function(function(spec) {
    expect_match(said(spec$fit(dist ~ speed, "cars.csv")), file, fixed = TRUE)
    expect_match(said(spec$fit("cars.csv", dist ~ speed)), file, fixed = TRUE)
  })
  expect_match(said(predict(fit, "cars.csv")), file, fixed = TRUE)
  expect_match(said(cv(fit, "cars.csv")), file, fixed = TRUE)
  expect_match(said(predict(fit, "cars.parquet")), "rows_from_arrow", fixed = TRUE)
})

test_that("families and names of likelihoods are answered by the likelihood", {
  meant <- function(likelihood) said(meanfield_gp(dist ~ speed, cars, likelihood = likelihood))
  expect_match(meant(poisson()), "likelihood = lik_poisson()", fixed = TRUE)
  expect_match(meant(poisson), "likelihood = lik_poisson()", fixed = TRUE)
  expect_match(meant("posson"), "likelihood = lik_poisson()", fixed = TRUE)
  expect_match(meant(Gamma("log")), "likelihood = lik_gamma()", fixed = TRUE)
  expect_match(meant(gaussian()), "likelihood = lik_gaussian()", fixed = TRUE)
  expect_match(meant(binomial()), "A factor as the response", fixed = TRUE)
  expect_match(meant(structure(list(family = "Negative Binomial(2)"), class = "family")),
    "likelihood = lik_negative_binomial()", fixed = TRUE)
  expect_match(meant(lik_poisson), "Add the parentheses", fixed = TRUE)
  expect_match(meant(3), "Likelihoods are made by", fixed = TRUE)
  expect_true(all(families_elsewhere %in% likelihood_makers()))
})

test_that("percentages, choices and other packages' arguments are answered", {
  fit <- meanfield_gp(dist ~ speed, cars, optimise = FALSE)
  expect_match(said(predict(fit, cars, interval = "confidence", level = 95)),
    "Did you mean `0.95`?", fixed = TRUE)
  expect_match(said(predict(fit, cars, type = "quantile", probs = c(5, 95))),
    "Did you mean `c(0.05, 0.95)`?", fixed = TRUE)
  expect_match(said(plot(fit, level = 90)), "Did you mean `0.9`?", fixed = TRUE)
  expect_no_match(said(predict(fit, cars, interval = "confidence", level = -1)), "mean")
  expect_match(said(predict(fit, cars, type = "probability")), "Did you mean \"prob\"?",
    fixed = TRUE)
  expect_match(said(predict(fit, cars, interval = "conf")), "Did you mean \"confidence\"?",
    fixed = TRUE)
  expect_match(said(predict(fit, data = cars)), "Did you mean `newdata`?", fixed = TRUE)
  expect_match(said(meanfield_gp(dist ~ speed, cars, nthreads = 2)), "Did you mean `threads`?",
    fixed = TRUE)
  expect_match(said(meanfield_gp(dist ~ speed, cars, family = poisson())), "lik_poisson()",
    fixed = TRUE)
})
