# The limit of the probit likelihood without noise, in which the class is the sign of the latent
# function.

step_rows <- data.frame(a = c(-2, -1.2, -0.5, 0.1, 0.6, 1.4, 2), b = c(1, -1, 0.5, 2, -1, 0.3, 1))
step_class <- factor(c("no", "no", "yes", "no", "yes", "yes", "no"))
step_fit <- function(noise) {
  meanfield_gp(step_rows, step_class, kernel_rbf(1, 0.7), lik_probit(noise),
    optimise = FALSE, standardise = FALSE, verbose = FALSE
  )
}
step_new <- data.frame(a = c(-3, 0.3, 1), b = c(0, 0, 1))

test_that("as the noise falls the evidence and the predictions converge", {
  small <- step_fit(1e-8)
  smaller <- step_fit(1e-10)
  expect_equal(evidence(small)$value, evidence(smaller)$value, tolerance = 1e-5)
  expect_equal(predict(small, step_new, type = "prob"), predict(smaller, step_new, type = "prob"),
    tolerance = 1e-5
  )
})

test_that("with almost no noise the probability is that of the sign of the latent function", {
  latent <- predict(step_fit(1e-10), step_new, type = "link", se.fit = TRUE)
  expect_equal(predict(step_fit(1e-10), step_new, type = "prob")[, "yes"],
    stats::pnorm(latent$fit / latent$se.fit),
    tolerance = 1e-6, ignore_attr = TRUE
  )
})

test_that("with almost no noise every training row has its own class", {
  expect_identical(predict(step_fit(1e-10), step_rows), step_class)
})

test_that("noise of zero is refused", {
  expect_error(lik_probit(0), class = "gpsieve_error_argument")
})
