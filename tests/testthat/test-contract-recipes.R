# Recipes: columns of roles other than predictor and outcome, which hardhat::forge() takes along.

recipe_with_roles <- function(data) {
  recipes::recipe(y ~ ., data) |>
    recipes::update_role(id, note, new_role = "id") |>
    recipes::update_role(day, new_role = "time") |>
    recipes::step_normalize(recipes::all_numeric_predictors())
}

roles <- with_own_seed(6, data.frame(
  a = runif(30), b = runif(30), id = 1:30, note = rep(c("u", "v", "w"), 10),
  day = as.Date("2020-01-01") + 1:30
))
roles$y <- roles$a + rnorm(30) / 10

test_that("every model passes over columns of other roles, and asks for them as hardhat does", {
  skip_if_not_installed("recipes")
  inputs <- recipes::recipe(y ~ a + b, roles) |>
    recipes::step_normalize(recipes::all_numeric_predictors())
  new <- transform(roles, id = id + 0.5, note = "x")
  every_fit_function(function(spec) {
    expected <- predict(suppressWarnings(fit_cheaply(spec, inputs, roles)), roles)
    fit <- suppressWarnings(fit_cheaply(spec, recipe_with_roles(roles), roles))
    expect_identical(predict(fit, roles), expected)
    expect_identical(predict(fit, new), expected)
    expect_identical(augment(fit, data = new)$.pred, expected)
    expect_equal(unname(residuals(fit, newdata = new)), roles$y - expected)
    expect_setequal(names(gpsieve:::columns_of_new(fit)), setdiff(names(roles), "y"))
    expect_error(predict(fit, roles[c("a", "b")]), "id", class = "gpsieve_error_data")
    expect_error(residuals(fit, newdata = roles[c("a", "y")]), "b", class = "gpsieve_error_data")
  })
  optional <- recipes::update_role_requirements(recipe_with_roles(roles), "id", bake = FALSE)
  fit <- meanfield_gp(optional, roles, optimise = FALSE)
  expect_identical(predict(fit, roles[c("a", "b", "day")]), predict(fit, roles))
  expect_s3_class(
    cv(function(data) meanfield_gp(recipe_with_roles(roles), data, optimise = FALSE), roles,
      folds = 3, seed = 1), "gpsieve_cv"
  )
})

test_that("every model refuses a recipe that computes a row with others, and no other recipe", {
  skip_if_not_installed("recipes")
  start <- recipes::recipe(y ~ a + b, roles)
  with_others <- list(
    recipes::step_mutate(start, c = a - mean(a)), recipes::step_mutate(start, c = rank(a)),
    recipes::step_mutate(start, a = cumsum(a)), recipes::step_lag(start, a, default = 0),
    recipes::step_mutate(start, y = y - mean(y))
  )
  alone <- list(
    recipes::step_mutate(start, c = log(a + 1)), recipes::step_pca(start, a, b),
    recipes::step_arrange(start, a), recipes::step_filter(start, a > 0.3),
    recipes::step_center(recipes::step_mutate(start, c = a), c),
    recipes::step_filter(start, a > 0.3, skip = FALSE), recipes::step_ns(start, a, deg_free = 3)
  )
  every_fit_function(function(spec) {
    for (recipe in with_others) {
      expect_error(suppressWarnings(fit_cheaply(spec, recipe, roles)),
        "The recipe's .* depends on other rows", class = "gpsieve_error_data")
    }
  })
  for (recipe in alone) {
    fit <- suppressWarnings(meanfield_gp(recipe, roles, optimise = FALSE))
    rows <- which(!is.na(predict(fit, roles)))
    expect_equal(unname(predict(fit, roles[rows[5], ])), unname(predict(fit, roles)[rows[5]]))
  }
  # Two rows, and one
  for (n in 1:2) {
    expect_s3_class(meanfield_gp(start, roles[seq_len(n), ], optimise = FALSE), "gpsieve_fit")
  }
})
