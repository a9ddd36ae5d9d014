# A program that reads an exported model predicts what predict() does.

# The largest difference of these tests was 1.1e-12, relative to the largest number: the program
# sums squared differences of the inputs, where the core takes them from products.
accuracy <- 4e-12

expect_program_agrees <- function(fit, rows, given = rows, ...) {
  expect_lt(max(program_agrees(fit, rows, given, ...)), accuracy)
}

thousand <- function() {
  new <- as.data.frame(uniform_inputs(1000, 2, 9))
  new$b <- 10 * new$b + 3
  new
}

for (task in tasks) test_that(paste("a thousand rows of every model agree:", task), {
  skip_on_cran()
  for (model in names(model_specs())) {
    expect_program_agrees(shared_fit(model, task), thousand())
  }
})

test_that("every kernel agrees, alone, in sums and products and on some columns", {
  toy <- toy_data("regression")
  kernels <- list(
    kernel_constant(2) + kernel_rbf(1.3, c(0.5, 2)), kernel_linear(0.7) + kernel_white(0.3),
    kernel_linear(0.7, lengthscale = c(1, 3)) * kernel_rational_quadratic(1, 0.8, alpha = 0.6),
    kernel_polynomial(degree = 3, offset = 0.5) + kernel_polynomial(degree = 2, offset = 0),
    kernel_matern(0.5) * kernel_on(kernel_matern(1.5, lengthscale = 0.4), "b"),
    kernel_on(kernel_periodic(period = 1.5), "a") + kernel_on(kernel_matern(2.5), c("b", "a")),
    kernel_on(kernel_on(kernel_rbf() + kernel_linear(), 2), c("b", "a")) * (kernel_rbf() + 0.2),
    kernel_on(kernel_warped(kernel_rbf(), 0.3, c(0.8, 1.2), 2:1), c("b", "a")) + kernel_linear(),
    kernel_mixed(kernel_rbf(1, c(0.5, 2)) + kernel_linear(), c(0.4, -0.2), 2:1)
  )
  for (kernel in kernels) {
    fit <- meanfield_gp(y ~ a + b, toy$data, kernel = kernel, optimise = FALSE)
    expect_program_agrees(fit, thousand())
  }
})

test_that("every exported likelihood agrees", {
  toy <- toy_data("regression")
  f <- (toy$y - 5) / 2
  draws <- function(draw) with_own_seed(3, draw)
  responses <- list(
    gaussian = toy$y, student = toy$y, probit = f > 0, label_noise = f > 0, logit = f > 0,
    ordinal = cut(f, c(-9, -1, 0, 1, 9), ordered_result = TRUE),
    poisson = draws(rpois(60, exp(f))), negative_binomial = draws(rnbinom(60, 2, mu = exp(f))),
    gamma = draws(rgamma(60, 3, 3 / exp(f))), lognormal = exp(f)
  )
  exported <- Filter(function(family) is.function(family$exported), likelihood_families)
  expect_setequal(names(responses), names(exported))
  for (type in names(responses)) {
    likelihood <- do.call(paste0("lik_", type), list())
    fit <- ivm(toy$x, responses[[type]], likelihood = likelihood, n_active = 20,
      optimise = FALSE, seed = 1)
    expect_program_agrees(fit, thousand())
  }
  zeros <- lik_poisson(zero_inflation = 0.2)
  fit <- ivm(toy$x, responses$poisson, likelihood = zeros, n_active = 20, optimise = FALSE,
    seed = 1)
  expect_program_agrees(fit, thousand())
})

test_that("the variance is that of a new response", {
  toy <- toy_data("regression")
  variance <- function(fit) program_predicts(fit, toy$new)$of_response
  fit <- shared_fit("ivm", "regression")
  limits <- predict(fit, toy$new, type = "quantile", probs = pnorm(c(-1, 1)))
  expect_equal(variance(fit), ((limits[, 2] - limits[, 1]) / 2)^2, tolerance = 1e-10)
  counts <- with_own_seed(3, rpois(60, exp((toy$y - 5) / 2)))
  for (likelihood in list(lik_negative_binomial(3, zero_inflation = 0.1), lik_gamma(2),
    lik_lognormal(0.3))) {
    fit <- ivm(toy$x, counts + (likelihood$type != "negative_binomial"), likelihood = likelihood,
      optimise = FALSE, seed = 1)
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    moments <- call_core(core_response, likelihood_spec(fit$likelihood), link$fit, link$se.fit^2)
    expect_equal(variance(fit), moments[, 2], tolerance = 1e-10)
  }
  fit <- ivm(toy$x, toy$y, likelihood = lik_student(df = 2), optimise = FALSE, seed = 1)
  expect_identical(variance(fit), rep(Inf, 9))
})

test_that("several classes agree, one against the rest and jointly, with rare and absent levels", {
  toy <- toy_data("multiclass")
  y <- factor(toy$y, levels = c("none", levels(toy$y)))
  for (likelihood in list(lik_probit(), lik_logit(), lik_label_noise(0.1))) {
    fit <- whatever_it_learns(
      ivm(toy$x, y, likelihood = likelihood, n_active = 15, optimise = FALSE, seed = 1))
    expect_program_agrees(fit, thousand())
  }
  fit <- whatever_it_learns(ep_gp(toy$x, y, inducing = 10, optimise = FALSE, seed = 1,
    control = control_ep(max_iter = 500)))
  expect_identical(fit$response$scheme, "joint")
  expect_program_agrees(fit, thousand())
})

test_that("columns become numbers as in R: levels, dates, products, missing values, names", {
  n <- 80
  d <- with_own_seed(4, data.frame(
    `a column` = rnorm(n), f = factor(sample(c("u", "v \"w\"", "\u00e9\\"), n, TRUE)),
    g = factor(sample(c("lo", "mid", "hi"), n, TRUE), c("lo", "mid", "hi"), ordered = TRUE),
    day = as.Date("2024-01-01") + sample(300, n), at = ISOdate(2024, 1, 1) + 1e6 * runif(n),
    flag = sample(c(TRUE, FALSE), n, TRUE), check.names = FALSE
  ))
  d$y <- d$`a column` + as.integer(d$f) + 0.1 * rnorm(n)
  d$size <- as.numeric(d$day)
  fit <- meanfield_gp(y ~ `a column` + f + g + f:g + f:`a column` + log(size), d, optimise = FALSE)
  expect_program_agrees(fit, d, cbind(d[c("a column", "f", "g")], `log(size)` = log(d$size)))
  d$size <- NULL
  fit <- meanfield_gp(d[-7], d$y, optimise = FALSE)
  rows <- d[-7]
  rows$`a column`[2] <- NA
  rows$f[3] <- NA
  expect_program_agrees(fit, rows)
  rows$g <- as.character(rows$g)
  rows$g[4] <- "never seen"
  expect_true(is.nan(program_predicts(fit, rows)$mean[4]))
  expect_error(program_predicts(fit, rows["f"]), "lacks the column")
})

test_that("offsets are given to the program", {
  toy <- toy_data("regression")
  d <- toy$data
  d$e <- d$a^2
  for (fit in list(ivm(y ~ a + b + offset(e), d, optimise = FALSE, seed = 1),
    ivm(y ~ a + b, d, offset = d$e, optimise = FALSE, seed = 1))) {
    given <- if (isTRUE(fit$blueprint$offset$given)) d$e
    link <- predict(fit, d, type = "link", offset = given)
    found <- program_predicts(fit, cbind(d[c("a", "b")], `(offset)` = d$e))
    expect_lt(largest_share(found$link, link), accuracy)
    expect_error(program_predicts(fit, d[c("a", "b")]), "needs the offset")
  }
  expect_error(program_predicts(shared_fit("ivm", "regression"), cbind(toy$new, `(offset)` = 1)),
    "has no offset")
})

test_that("the file is JSON in which every number keeps its digits", {
  skip_if_not_installed("jsonlite")
  file <- withr::local_tempfile(fileext = ".json")
  fit <- shared_fit("ivm", "multiclass")
  expect_identical(expect_invisible(export_model(fit, file)), file)
  read <- jsonlite::fromJSON(file, simplifyVector = TRUE, simplifyDataFrame = FALSE)
  expect_identical(read$posteriors[[2]]$weights, fit$posteriors[[2]]$weights)
  expect_identical(read$inputs$center, unname(fit$inputs$center))
  expect_identical(unname(read$basis), unname(fit$basis))
  text <- c("a\"b\\", "\u00e9\n\t", "", "\001")
  expect_identical(jsonlite::fromJSON(as_json(I(text))), text)
  expect_identical(jsonlite::fromJSON(as_json(list(x = 1, y = I(2), z = list()))),
    list(x = 1L, y = 2L, z = list()))
})

test_that("a program refuses a file that is damaged or incomplete", {
  program <- predicting_program()
  if (is.null(program)) skip("there is no compiler of C++17")
  file <- withr::local_tempfile(fileext = ".json")
  export_model(shared_fit("ivm", "regression"), file)
  whole <- paste(readLines(file), collapse = "\n")
  damaged <- list(
    substr(whole, 1, nchar(whole) %/% 2), substr(whole, 1, nchar(whole) - 1), "", "{}", "[1,2",
    sub("\"version\": 1", "\"version\": 2", whole, fixed = TRUE),
    sub("\"weights\": \\[[^,]*,", "\"weights\": [", whole),
    sub("\"basis\": \\[0", "\"basis\": [99", whole), sub("\"rbf\"", "\"other\"", whole)
  )
  for (text in damaged) {
    expect_false(identical(text, whole))
    writeLines(text, file)
    status <- suppressWarnings(system2(program, c(shQuote(file), shQuote(file)), stdout = FALSE,
      stderr = FALSE))
    expect_identical(status, 1L)
  }
})

test_that("what the header does not compute is refused by its reason", {
  toy <- toy_data("regression")
  file <- withr::local_tempfile(fileext = ".json")
  small <- function(...) ivm(y ~ a + b, toy$data, n_active = 10, optimise = FALSE, seed = 1, ...)
  refused <- function(fit, reason) {
    expect_error(export_model(fit, file), reason, class = "gpsieve_error_unsupported")
    expect_false(file.exists(file))
  }
  refused(small(leaf_rows = 30), "many machines")
  refused(small(kernel = kernel_function(function(x, z) tcrossprod(x, z)) + 1), "kernel_function")
  shares <- plogis(toy$y - 5)
  refused(ivm(toy$x, shares, likelihood = lik_beta(), optimise = FALSE, seed = 1), "lik_beta")
  refused(small(noise_sd = 0.1 + toy$data$a^2), "noise is known")
  refused(rvm(y ~ a + b, toy$data, optimise = FALSE, variance = "augmented"), "augmented")
  lacking <- replace(toy$data, cbind(2L, match("a", names(toy$data))), NA)
  refused(ivm(y ~ a + b, lacking, n_active = 10, optimise = FALSE, seed = 1, na.action = "model"),
    "missing numbers are modelled"
  )
  expect_error(export_model(1, file), class = "gpsieve_error_argument")
  fit <- small()
  expect_error(export_model(fit), "nothing", class = "gpsieve_error_argument")
  expect_error(export_model(fit, 1), class = "gpsieve_error_argument")
  expect_error(export_model(fit, file.path(file, "x")), class = "gpsieve_error_argument")
})
