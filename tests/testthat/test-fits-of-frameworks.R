# What parsnip, caret and mlr3 call: the arguments of a model by their names, whatever they are.

test_that("fits that frameworks call take `size` as the model does", {
  x <- mtcars[c("wt", "hp")]
  quick <- list(x, mtcars$mpg, size = 5, optimise = FALSE, seed = 1)
  fit <- do.call(fit_gaussian_process, c(quick, inference = "ivm"))
  expect_identical(fit$settings$n_active, 5)
  also <- fit_gaussian_process(x, mtcars$mpg, inference = "ivm", num_inducing = 5,
    optimise = FALSE, seed = 1)
  expect_identical(predict(also, x), predict(fit, x))
  machine <- do.call(fit_relevance_vector, quick)
  expect_identical(machine$settings$basis, rvm(x, mtcars$mpg, basis = 5, optimise = FALSE,
    seed = 1)$settings$basis)
})

test_that("a size that is given twice is refused", {
  expect_error(
    fit_gaussian_process(mtcars["wt"], mtcars$mpg, inference = "ivm", num_inducing = 5, size = 6),
    "given twice", class = "gpsieve_error"
  )
  expect_error(
    fit_gaussian_process(mtcars["wt"], mtcars$mpg, rbf_sigma = 1, kernel = kernel_rbf()),
    "given twice", class = "gpsieve_error"
  )
})
