# A misspelt argument is an error that names what may have been meant, wherever it is given.

test_that("constructors of kernels, likelihoods and controls suggest the nearest name", {
  expect_snapshot(error = TRUE, {
    kernel_rbf(lenghtscale = 1)
    kernel_constant(varaince = 1)
    lik_student(dof = 4)
    lik_logit(noise = 1)
    control_ep(max_itr = 3)
    kernel_rbf(1, 2, FALSE, "data", 3)
  })
  constructors <- grep("^(kernel|lik|control)_", getNamespaceExports("gpsieve"), value = TRUE)
  others <- c("kernel_matrix", "kernel_of", "kernel_on", "kernel_function")
  for (name in setdiff(constructors, others)) {
    expect_error(do.call(name, list(zzz = 1)), class = "gpsieve_error_argument", label = name)
  }
})

test_that("plot() refuses what neither it nor graphics::plot() knows", {
  withr::local_pdf(NULL)
  fit <- shared_fit("ivm", "regression")
  expect_snapshot(error = TRUE, {
    plot(fit, "trace", wich = "function")
    plot(fit, "trace", xalb = "rows")
  })
  expect_no_error(plot(fit, "trace", xlab = "rows", cex.lab = 0.8, col = "red"))
})

test_that("another model's name for the size is answered by this model's", {
  expect_snapshot(error = TRUE, {
    ivm(dist ~ speed, cars, inducing = 10)
    ep_gp(dist ~ speed, cars, n_active = 10)
  })
})
