# A response on a learned scale among the candidates of gpsieve().

skewed_rows <- function(n = 500) {
  with_own_seed(5, {
    d <- data.frame(a = runif(n), b = runif(n))
    latent <- 3 * sin(5 * d$a) * cos(5 * d$b) + 0.3 * rnorm(n)
    d$y <- sinh((asinh(latent) + 0.8) / 0.7)
    d
  })
}

test_that("a skewed response is modelled on a learned scale", {
  data <- skewed_rows()
  fit <- gpsieve(y ~ ., data, seed = 1, time = 2)
  expect_identical(likelihood_of(fit)$type, "warped")
  expect_match(choice(fit)$label[1L], "^learned scale")
  expect_match(deparse1(choice(fit, "call")), "lik_warped(skew = 0, tail = 1)", fixed = TRUE)
  truth <- skewed_rows(800)[501:800, ]
  band <- predict(fit, truth, interval = "prediction", level = 0.9)
  expect_close(mean(truth$y > band[, "lwr"] & truth$y < band[, "upr"]), 0.9, 0.08)
})

test_that("responses that keep their scale are not warped", {
  usual <- new_entry(new_candidate("usual", "meanfield_gp", kernel_rich()), "function")
  task <- function(y, ...) {
    list(molded = list(y = y, x = cbind(y), ...), kind = "number",
      control = list(blocks = learn_on_blocks()))
  }
  y <- qnorm(stats::ppoints(fewest_to_warp))
  expect_true(takes_learned_scale(usual, task(y)))
  expect_false(takes_learned_scale(usual, task(y[-1L])))
  expect_false(takes_learned_scale(usual, task(y, offset = y)))
  expect_false(takes_learned_scale(usual, task(y, noise = list(sd = y))))
  expect_false(takes_learned_scale(usual, c(task(y), list(series = list(ordered = TRUE)))))
  given <- list(likelihood = lik_gaussian(), kernels = list(kernel_rbf()), prior_mean = 1,
    standardise = FALSE)
  for (own in seq_along(given)) expect_false(takes_learned_scale(usual, c(task(y), given[own])))
})
