# Intervals say where the mean response, the latent function or a new response lies.

normal_limits <- function(link, level) {
  cbind(
    fit = link$fit, lwr = link$fit + qnorm((1 - level) / 2) * link$se.fit,
    upr = link$fit + qnorm((1 + level) / 2) * link$se.fit
  )
}

law("a confidence interval of the link is its normal quantiles", through = "formula",
  function(fit, toy, spec, task) {
    link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
    found <- predict(fit, toy$new, type = "link", interval = "confidence", level = 0.8)
    if (task == "multiclass") {
      expect_named(found, levels(toy$y))
      for (class in levels(toy$y)) {
        own <- list(fit = link$fit[, class], se.fit = link$se.fit[, class])
        expect_equal(found[[class]], normal_limits(own, 0.8), tolerance = 1e-12)
      }
    } else {
      expect_equal(found, normal_limits(link, 0.8), tolerance = 1e-12)
    }
  }
)

law("a prediction interval is the mean and two quantiles", on = "regression", through = "formula",
  function(fit, toy, spec, task) {
    found <- predict(fit, toy$new, interval = "prediction")
    expect_identical(colnames(found), c("fit", "lwr", "upr"))
    expect_identical(unname(found[, "fit"]), predict(fit, toy$new))
    expect_identical(
      unname(found[, c("lwr", "upr")]),
      unname(predict(fit, toy$new, type = "quantile", probs = c(0.025, 0.975)))
    )
    narrower <- predict(fit, toy$new, interval = "confidence")
    expect_true(all(narrower[, "lwr"] > found[, "lwr"] & narrower[, "upr"] < found[, "upr"]))
    both <- predict(fit, toy$new, interval = "prediction", se.fit = TRUE)
    expect_identical(both$fit, found)
    expect_identical(both$se.fit, predict(fit, toy$new, se.fit = TRUE)$se.fit)
  }
)

law("the interval of a probability is the transformed interval of the link", on = "binary",
  through = "formula", function(fit, toy, spec, task) {
    found <- predict(fit, toy$new, type = "prob", interval = "confidence", level = 0.5)
    link <- predict(fit, toy$new, type = "link", interval = "confidence", level = 0.5)
    noise <- likelihood_of(fit)$values$noise
    expect_equal(found[, -1], pnorm(link[, -1] / sqrt(noise)), tolerance = 1e-12)
    expect_identical(found[, "fit"], predict(fit, toy$new, type = "prob")[, levels(toy$y)[2]])
  }
)

law("rows with missing values and no rows keep their place in intervals", through = "formula",
  on = c("regression", "multiclass"), function(fit, toy, spec, task) {
    toy$new$a[2] <- NA
    type <- if (task == "regression") "response" else "link"
    ask <- function(new) predict(fit, new, type = type, interval = "confidence")
    parts <- function(answer) if (is.list(answer)) answer else list(answer)
    for (part in parts(ask(toy$new))) {
      expect_true(all(is.na(part[2, ])) && !anyNA(part[-2, ]))
    }
    for (part in parts(ask(toy$new[0, ]))) expect_identical(dim(part), c(0L, 3L))
  }
)

test_that("counts have intervals of their mean and of themselves", {
  x <- uniform_inputs(60, 1)
  y <- with_own_seed(2, rpois(60, exp(1 + x[, 1])))
  fit <- meanfield_gp(x, y, likelihood = lik_poisson(), optimise = FALSE)
  mean <- predict(fit, x, interval = "confidence", level = 0.9)
  link <- predict(fit, x, type = "link", interval = "confidence", level = 0.9)
  expect_equal(mean[, -1], exp(link[, -1]), tolerance = 1e-10)
  expect_equal(
    predict(fit, x, interval = "prediction", level = 0.9)[, -1],
    predict(fit, x, type = "quantile", probs = c(0.05, 0.95)), ignore_attr = TRUE
  )
  # The standard error is that of exp(f), f normal.
  draws <- exp(posterior_draws(fit, x[1:5, , drop = FALSE], 2e5, seed = 1))
  expect_equal(predict(fit, x[1:5, , drop = FALSE], se.fit = TRUE)$se.fit, apply(draws, 1, sd),
    tolerance = 0.02
  )
})

test_that("class is another word for the response of a classification", {
  for (task in c("binary", "multiclass")) {
    fit <- shared_fit("ivm", task)
    new <- toy_data(task)$new
    expect_identical(predict(fit, new, type = "class"), predict(fit, new))
  }
})

test_that("an answer that does not exist is refused in words", {
  new <- toy_data("regression")$new
  numbers <- shared_fit("ivm", "regression")
  two <- shared_fit("ivm", "binary")
  three <- shared_fit("ivm", "multiclass")
  refused <- function(code, class = "unsupported") {
    expect_error(code, class = paste0("gpsieve_error_", class))
  }
  refused(predict(numbers, new, type = "class"))
  refused(predict(numbers, new, type = "quantile", interval = "prediction"))
  refused(predict(numbers, new, type = "link", interval = "prediction"))
  refused(predict(two, new, interval = "confidence"))
  refused(predict(two, new, type = "class", interval = "confidence"))
  refused(predict(two, new, type = "prob", interval = "prediction"))
  refused(predict(three, new, type = "prob", interval = "confidence"))
  refused(predict(numbers, new, interval = "tolerance"), "argument")
  refused(predict(numbers, new, level = 0.9), "argument")
  for (level in list(0, 1, NA, "half", c(0.1, 0.2))) {
    refused(predict(numbers, new, interval = "confidence", level = level), "argument")
  }
  expect_snapshot(error = TRUE, {
    predict(two, new, interval = "confidence")
    predict(three, new, type = "prob", interval = "confidence")
    predict(two, new, type = "prob", interval = "prediction")
    predict(numbers, new, type = "quantile", interval = "prediction")
    predict(numbers, new, level = 0.9)
    predict(numbers, new, interval = "confidence", level = 95)
  })
})
