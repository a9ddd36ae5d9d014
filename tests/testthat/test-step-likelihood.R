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

test_that("the step is the limit of small noise", {
  for (method in c("tap", "naive")) {
    fits <- lapply(c(0, 1e-10), function(noise) {
      meanfield_gp(step_rows, step_class, kernel_rbf(1, 0.7), lik_probit(noise), method = method,
        optimise = FALSE, standardise = FALSE
      )
    })
    expect_equal(evidence(fits[[1]])$value, evidence(fits[[2]])$value, tolerance = 1e-6)
    prob <- lapply(fits, predict, step_new, type = "prob")
    expect_equal(prob[[1]], prob[[2]], tolerance = 1e-6)
    expect_equal(loo(fits[[1]]), loo(fits[[2]]), tolerance = 1e-6)
  }
})

test_that("the step with white noise in the kernel is the probit", {
  for (method in c("tap", "naive")) {
    fit <- function(kernel, noise) {
      meanfield_gp(step_rows, step_class, kernel, lik_probit(noise), method = method,
        optimise = FALSE, standardise = FALSE, control = control_meanfield(tol = 1e-12)
      )
    }
    step <- fit(kernel_rbf(1, 0.7) + kernel_white(0.3), 0)
    probit <- fit(kernel_rbf(1, 0.7), 0.3)
    expect_equal(evidence(step)$value, evidence(probit)$value, tolerance = 1e-8)
    expect_equal(predict(step, step_new, type = "prob"), predict(probit, step_new, type = "prob"),
      tolerance = 1e-7
    )
    # The probit's gradient has no entry for its noise, which is the other scale of the function.
    by <- evidence(step, gradient = TRUE)$gradient
    own <- evidence(probit, gradient = TRUE)$gradient
    expect_equal(unname(by[2]), unname(own["lengthscale"]), tolerance = 1e-6)
    expect_equal(sum(by[c(1, 3)]), 0, tolerance = 1e-6)
  }
})

test_that("a multiple of the function changes no probability, and its gradient is 0", {
  at <- function(variance) {
    meanfield_gp(step_rows, step_class, kernel_rbf(variance, 0.7), lik_probit(0),
      optimise = FALSE, standardise = FALSE
    )
  }
  expect_equal(evidence(at(1))$value, evidence(at(1e4))$value, tolerance = 1e-6)
  expect_equal(predict(at(1), step_new, type = "prob"), predict(at(1e4), step_new, type = "prob"),
    tolerance = 1e-6
  )
  gradient <- evidence(at(1), gradient = TRUE)$gradient
  expect_named(gradient, c("variance", "lengthscale"))
  expect_lt(abs(gradient[["variance"]]), 1e-5)
  difference <- function(method) {
    value <- function(h) {
      evidence(meanfield_gp(step_rows, step_class, kernel_rbf(1, 0.7 * exp(h)), lik_probit(0),
        method = method, optimise = FALSE, standardise = FALSE,
        control = control_meanfield(tol = 1e-12)
      ))$value
    }
    (value(1e-4) - value(-1e-4)) / 2e-4
  }
  expect_equal(gradient[["lengthscale"]], difference("tap"), tolerance = 1e-5)
})

test_that("two rows have their exact probability", {
  # P(f1 > 0, f2 < 0) of two correlated normal variables.
  rho <- exp(-0.5)
  fit <- meanfield_gp(matrix(c(0, 1)), factor(c("a", "b")), kernel_rbf(1, 1), lik_probit(0),
    optimise = FALSE, standardise = FALSE
  )
  expect_equal(exp(evidence(fit)$value), 1 / 4 - asin(rho) / (2 * pi), tolerance = 0.03)
})

test_that("the step is learned, prints and predicts as other likelihoods do", {
  expect_identical(eval(parse(text = format(lik_probit(0)))), lik_probit(0))
  two <- droplevels(iris[51:150, ])
  two <- two[!duplicated(two[1:4]), ]
  fit <- meanfield_gp(Species ~ ., two, likelihood = lik_probit(0), seed = 1)
  expect_true(all(is.finite(coef(fit))))
  expect_true(is.finite(logLik(fit)))
  expect_identical(predict(fit, two), two$Species)
  expect_true(all(is.finite(query_score(fit, two, "bald"))))
  drawn <- unlist(simulate(fit, 3, seed = 1, newdata = two))
  expect_setequal(as.character(drawn), levels(two$Species))
  expect_lt(mean(predict(meanfield_gp(Species ~ ., unique(iris), likelihood = lik_probit(0),
    optimise = FALSE)) != unique(iris)$Species), 0.02)
})

test_that("an online fit takes the step, as the limit of small noise", {
  online <- function(noise, ...) {
    online_gp(step_rows, step_class, kernel_rbf(1, 0.7), lik_probit(noise), optimise = FALSE,
      standardise = FALSE, shuffle = FALSE, ...
    )
  }
  for (settings in list(list(), list(novelty = 0), list(budget = 4), list(sweeps = 3))) {
    step <- do.call(online, c(list(0), settings))
    small <- do.call(online, c(list(1e-10), settings))
    expect_equal(evidence(step)$value, evidence(small)$value, tolerance = 1e-6)
    expect_equal(predict(step, step_new, type = "prob"), predict(small, step_new, type = "prob"),
      tolerance = 1e-6
    )
  }
  sweeps <- online(0, sweeps = 200)
  expect_equal(evidence(sweeps)$value, evidence(step_fit(0))$value, tolerance = 1e-6)
  # Rows with the same inputs and other classes keep finite probabilities.
  other <- factor(ifelse(step_class == "no", "yes", "no"))
  both <- online_gp(rbind(step_rows, step_rows), c(step_class, other), kernel_rbf(1, 0.7),
    lik_probit(0), novelty = 0, optimise = FALSE, seed = 1
  )
  expect_true(all(is.finite(predict(both, step_rows, type = "prob"))))
})

test_that("what the step has not is refused", {
  expect_error(lik_probit(-1), class = "gpsieve_error_argument")
  refused <- function(model, ..., class = "gpsieve_error_unsupported") {
    expect_error(model(step_rows, step_class, likelihood = lik_probit(0), ...), class = class)
  }
  for (method in c("laplace", "ensemble")) refused(meanfield_gp, method = method)
  for (model in list(ivm, ep_gp, greedy_gp, rvm, gpsieve)) refused(model)
  refused(online_gp, control = control_online(learn_every = 5))
  twice <- rbind(step_rows, step_rows[1, ])
  both <- factor(c("no", "no", "yes", "no", "yes", "yes", "no", "yes"))
  step_of <- function(x) meanfield_gp(x, both, likelihood = lik_probit(0), optimise = FALSE)
  expect_error(step_of(twice), "Found 1 row whose", class = "gpsieve_error_data")
  same <- meanfield_gp(twice, step_class[c(1:7, 1)], likelihood = lik_probit(0), optimise = FALSE)
  expect_true(is.finite(logLik(same)))
  skip_if_not_installed("Matrix")
  expect_error(step_of(Matrix::Matrix(as.matrix(twice), sparse = TRUE)), "Found 1 row whose",
    class = "gpsieve_error_data"
  )
})
