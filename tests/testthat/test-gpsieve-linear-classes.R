# A linear function of two classes of many rows, which few inducing inputs determine.

classes_of <- function(n) {
  with_own_seed(1, {
    x <- data.frame(a = stats::rnorm(n), b = stats::rnorm(n), c = stats::rnorm(n))
    data.frame(x, y = factor(stats::runif(n) < stats::plogis(x$a - x$b)))
  })
}
classes <- classes_of(1200)

task_of <- function(data, ...) {
  given <- given_or_default(gpsieve, list(seed = 1, verbose = FALSE, ...))
  cases <- new_cases(na_action = given$na.action)
  choice_task(mold_formula(y ~ ., data, cases), given)
}

model_fitted <- function(task) {
  entry <- new_entry(sized_candidate(task, "linear", "meanfield_gp", linear_function()), "function")
  entry$kernel <- kernel_linear(1) + kernel_constant(0.3)
  as_fitted(entry, task)$candidate$model
}

test_that("its fit is that of the dense model, with all that such a fit answers", {
  fit <- gpsieve(y ~ ., classes, seed = 1, verbose = FALSE)
  expect_identical(choice(fit)$label[1L], "linear")
  expect_identical(fit$model, "ep_gp")
  expect_identical(nrow(fit$basis), centres_of_rows)
  dense <- meanfield_gp(y ~ ., classes, fit$kernel, optimise = FALSE)
  expect_equal(predict(fit, classes, type = "prob"), predict(dense, classes, type = "prob"),
    tolerance = 1e-4)
  expect_equal(evidence(fit)$value, evidence(dense)$value, tolerance = 1e-5)
  expect_equal(loo(fit), loo(dense), tolerance = 1e-3)
  relevant <- relevance(dense)
  found <- relevance(fit)
  found <- found$relevance[match(relevant$term, found$term)]
  expect_lt(max(abs(found - relevant$relevance)), 0.1)
  again <- eval(choice(fit, "call"), list(classes = classes))
  expect_identical(predict(again, classes), predict(fit, classes))
  expect_identical(coef(again), coef(fit))
})

test_that("few rows, many columns, gaps, named models and other responses keep the dense model", {
  expect_identical(model_fitted(task_of(classes)), "ep_gp")
  kept <- function(task) expect_identical(model_fitted(task), "meanfield_gp")
  kept(task_of(classes[1:1000, ]))
  kept(task_of(classes, candidates = "meanfield_gp"))
  kept(task_of(cbind(classes, matrix(classes$a, 1200, 80))))
  kept(task_of(transform(classes, y = a - b)))
  kept(task_of(replace(classes, cbind(1:5, 1L), NA), na.action = "model"))
})
