# gpsieve() on a source of rows: it chooses on the sample and fits a model that reads blocks.

choose <- function(data, ..., candidates = list(kernel_rbf(), kernel_matern(nu = 0.5), "ep_gp")) {
  suppressWarnings(gpsieve(y ~ a + b, data,
    candidates = candidates, size = 15, seed = 1, verbose = FALSE, ...,
    control = control_gpsieve(folds = 2, blocks = learn_on_blocks(steps = 10))
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
    control = control_gpsieve(folds = 2, blocks = learn_on_blocks(steps = 10))
  ), classes = "gpsieve_warning_convergence")
  again <- suppressWarnings(eval(choice(fit, "call")), classes = "gpsieve_warning_convergence")
  expect_identical(again$posteriors, fit$posteriors)
})

test_that("models that need all rows in memory are refused before any work", {
  source <- rows_of_frame(toy_data("binary", n = 40)$data)
  expect_snapshot(error = TRUE, choose(source, candidates = c("ivm", "ep_gp")))
})

test_that("many rows of a source are compared in parts, and fitted so where that is better", {
  skip_on_cran()
  data <- with_own_seed(5, data.frame(a = runif(2700), b = runif(2700)))
  data$y <- sin(30 * data$a) * cos(25 * data$b) + with_own_seed(6, rnorm(2700, sd = 0.1))
  source <- rows_of_frame(data, 1000)
  fit <- suppressWarnings(gpsieve(y ~ a + b, source, seed = 1, verbose = FALSE,
    control = control_gpsieve(leaf_rows = 600, blocks = learn_on_blocks(rows = 300, steps = 30))
  ), classes = "gpsieve_warning_convergence")
  expect_s3_class(fit, c("gpsieve_chosen", "gpsieve_ivm"), exact = FALSE)
  expect_gt(count_machines(fit), 4)
  table <- choice(fit)
  expect_setequal(table$model, c("local_gp", "ep_gp"))
  expect_lt(table$score[table$model == "ep_gp"], table$score[1])
  expect_lt(sqrt(mean((predict(fit, data) - data$y)^2)), 0.15)
  again <- eval(choice(fit, "call"))
  expect_identical(again$posteriors, fit$posteriors)
  expect_output(print(fit), "parts +[0-9]+ of")
})

test_that("counts with an exposure in a source have a likelihood of counts", {
  rows <- with_own_seed(4, data.frame(a = runif(150, -1, 1), h = exp(rnorm(150))))
  mean <- rows$h * exp(1 + rows$a)
  rows$k <- with_own_seed(5, rpois(150, mean))
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  utils::write.csv(rows, path, row.names = FALSE)
  fit <- gpsieve(k ~ a + offset(log(h)), rows_from_files(path), seed = 1, verbose = FALSE)
  expect_identical(likelihood_of(fit)$type, "negative_binomial")
  expect_lt(mean(abs(predict(fit, rows) / mean - 1)), 0.3)
})
