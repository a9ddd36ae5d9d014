# gpsieve() on a source of rows: it chooses on the sample and fits a model that reads blocks.

choose <- function(data, ..., candidates = list(kernel_rbf(), kernel_matern(nu = 0.5), "ep_gp")) {
  suppressWarnings(gpsieve(y ~ a + b, data,
    candidates = candidates, size = 15, seed = 1, verbose = FALSE, ...,
    control = control_gpsieve(folds = 2, rows = 60)
  ), classes = "gpsieve_warning_convergence")
}

test_that("the choice and the fit are those of the same rows in memory", {
  for (kind in c("binary", "regression")) {
    data <- toy_data(kind, n = 200)$data
    likelihood <- switch(kind, binary = lik_probit(), regression = lik_gaussian())
    reference <- choose(data, likelihood = likelihood)
    fit <- choose(rows_of_frame(data, 45), likelihood = likelihood)
    expect_s3_class(fit, c("gpsieve_chosen", "gpsieve_ep_gp"), exact = FALSE)
    expect_identical(fit$posteriors, reference$posteriors)
    table <- function(fit) choice(fit)[setdiff(names(choice(fit)), "seconds")]
    expect_identical(table(fit), table(reference))
  }
})

test_that("the call to write instead makes the same fit, without choosing", {
  source <- rows_of_frame(toy_data("binary", n = 120)$data, 50)
  fit <- suppressWarnings(gpsieve(y ~ a + b, source, size = 10, seed = 1, verbose = FALSE,
    candidates = list(kernel_rbf(), kernel_linear()),
    control = control_gpsieve(folds = 2, rows = 60)
  ), classes = "gpsieve_warning_convergence")
  expect_identical(unique(choice(fit)$stage), "kernel")
  again <- suppressWarnings(eval(choice(fit, "call")), classes = "gpsieve_warning_convergence")
  expect_identical(again$posteriors, fit$posteriors)
  expect_output(print(fit), "ep_gp\\(\\) for 120 rows, which are read in blocks")
})

test_that("models that need all rows in memory are refused before any work", {
  source <- rows_of_frame(toy_data("binary", n = 40)$data)
  expect_snapshot(error = TRUE, choose(source, candidates = c("ivm", "ep_gp")))
})
